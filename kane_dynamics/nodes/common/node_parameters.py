# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a running node: declared, checked at every set, read as one settings object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from typing import Annotated, Any, Generic, NoReturn, TypeVar

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.text import clean, show
from kane_dynamics.nodes.common.message_limits import MessageLimits
from kane_dynamics.nodes.common.parameters import Parameter, S, Schema, with_values


@dataclass(frozen=True)
class DiagnosticSettings:
    """Diagnostics, named as in diagnostic_updater."""

    period: Annotated[float, Parameter(
        'period of the reports on /diagnostics', unit='s', low=0.01, high=3600.0)] = 1.0


@dataclass(frozen=True)
class NodeSettings:
    """The parameters of every node."""

    autostart: Annotated[bool, Parameter(
        'configure and activate at start; false leaves the transitions to a launch file or to '
        '`ros2 lifecycle`')] = True
    diagnostic_updater: DiagnosticSettings = DiagnosticSettings()
    robot_description: Annotated[str, Parameter(
        'URDF of the arm as XML text, not a file name; takes precedence over the file and the '
        'topic', why_fixed='the model is compiled from it')] = ''
    robot_description_file: Annotated[str, Parameter(
        'path of a URDF or xacro file, used if `robot_description` is not set; with neither, the '
        'node waits for the topic `robot_description`',
        why_fixed='the model is compiled from it')] = ''
    message_limits: MessageLimits = MessageLimits()


NS = TypeVar('NS', bound=NodeSettings)


class Parameters(Generic[S]):
    """The parameters of a node as `settings`, a frozen dataclass that each change replaces.

    Args:
        node: declares the parameters, with the overrides of the command line and YAML files.
        schema: the Schema.
        on_change: called with the new settings of a change that passed the checks of the schema,
            before they take effect; it may raise a KaneDynamicsError to refuse them.
    """

    def __init__(self, node: Node, schema: Schema[S],
                 on_change: Callable[[S], object] = lambda settings: None) -> None:
        self.schema = schema
        self.fixed = False       # set by the node between configure and cleanup
        self.n_joints: int | None = None     # set by the node at configure
        self._node = node
        self._on_change = on_change
        given = node._parameter_overrides       # by YAML and command line
        # before rclpy checks them, whose messages do not name the bounds
        self.settings = schema.read({name: given[name].value for name in schema.entries
                                     if name in given})
        for name, entry in schema.entries.items():
            default: Any = None if entry.default == () else entry.default
            node.declare_parameter(name, list(default) if isinstance(default, tuple) else default,
                                   entry.descriptor())
        for name in given:
            if not (node.has_parameter(name) or name.startswith('qos_overrides.')):
                near = get_close_matches(name, schema.entries, 1)
                node.get_logger().warning(
                    f'there is no parameter {show(name)}: it is ignored'
                    + (f'; did you mean {near[0]!r}?' if near else ''))
        node.add_on_set_parameters_callback(self._on_set)

    def check_lengths(self, n_joints: int) -> None:
        """Set the number of joints and check the lengths of all lists against it."""
        self.n_joints = n_joints
        for name, entry in self.schema.entries.items():
            entry.checked(attrgetter(name)(self.settings), n_joints)

    def _on_set(self, ros_parameters: Iterable[RosParameter]) -> SetParametersResult:
        try:
            changes = self._checked_changes(ros_parameters)
            settings = with_values(self.settings, changes)
            if changes:
                self._on_change(settings)
        except KaneDynamicsError as error:
            self._node.get_logger().warning(f'parameter refused: {clean(error)}',
                                            throttle_duration_sec=1.0)
            return SetParametersResult(successful=False, reason=clean(error))
        self.settings = settings
        return SetParametersResult(successful=True)

    def _checked_changes(self, ros_parameters: Iterable[RosParameter]) -> dict[str, Any]:
        changes = {}
        for given in ros_parameters:
            entry = self.schema.entries.get(given.name)
            if entry is None:   # of rclpy: use_sim_time, qos_overrides
                if given.name == 'use_sim_time' and self.fixed and (
                        given.value != self._node.get_parameter(given.name).value):
                    self._refuse(given.name, 'trajectories and stamps depend on the clock')
                continue
            if given.type_ == RosParameter.Type.NOT_SET:    # `ros2 param delete`
                raise InputError(f'{given.name} cannot be deleted'
                                 + ('; set it to []' if entry.default == () else ''))
            value = entry.checked(given.value, self.n_joints)
            if self.fixed and not entry.runtime and (
                    value != attrgetter(given.name)(self.settings)):
                self._refuse(given.name, entry.why_fixed)
            changes[given.name] = value
        return changes

    @staticmethod
    def _refuse(name: str, why: str) -> NoReturn:
        raise InputError(f'{name} is fixed while the node is configured{": " + why if why else ""}'
                         '; deactivate and clean up the node first')
