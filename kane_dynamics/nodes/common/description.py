# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF of a node's arm: from a parameter, a file or a latched topic, in this order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TYPE_CHECKING

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean
from kane_dynamics.model.urdf_reader import load_urdf, parse_urdf
from kane_dynamics.model.urdf_source import urdf_text
from kane_dynamics.nodes.common.node_parameters import NodeSettings
from kane_dynamics.nodes.common.qos import LATCHED

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


@dataclass(frozen=True)
class Source:
    """A URDF: XML text, or the path of a file, which only a parameter can name."""

    text: str = ''
    file: str = ''

    def load(self) -> Robot:
        """Return the Robot; text is only ever parsed as XML."""
        if self.text:
            return parse_urdf(self.text, name='robot_description')
        return load_urdf(Path(self.file))

    def xml(self) -> str | None:
        """Return the XML text, None for a xacro file."""
        return self.text or urdf_text(self.file)


class Description:
    """The URDF of a node; a warning is logged every second while the topic is silent.

    Args:
        node: the node.
        settings: returns its present settings.
        on_text: called when a usable description has arrived on the topic.
    """

    def __init__(self, node: Node, settings: Callable[[], NodeSettings],
                 on_text: Callable[[], object]) -> None:
        self.refused = 0      # descriptions: too large, or received while the model was in use
        self.last_refusal = ''
        self._node, self._settings, self._on_text = node, settings, on_text
        self._from_topic = ''
        self._in_use: Source | None = None
        self._subscription: Any = None
        self._timer: Any = None
        if not self.source:
            self._await_topic()

    @property
    def source(self) -> Source | None:
        """Return the Source, None until there is one."""
        settings = self._settings()
        text = settings.robot_description.strip()
        file = settings.robot_description_file.strip()
        if file and not text:
            return Source(file=file)
        text = text or self._from_topic
        return Source(text) if text else None

    def use(self) -> Source | None:
        """Return the Source and refuse others until `release`."""
        self._in_use = self.source
        return self._in_use

    def release(self) -> None:
        """Accept other descriptions again."""
        self._in_use = None

    def _await_topic(self) -> None:
        self._subscription = self._node.create_subscription(
            String, 'robot_description', self._received, LATCHED)
        self._timer = self._node.create_timer(
            1.0, self._warn, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _warn(self) -> None:
        if self.source:
            self._node.destroy_timer(self._timer)
            return
        self._node.get_logger().warning(
            f"waiting for robot_description on '{self._subscription.topic_name}'; or set the "
            'parameter robot_description or robot_description_file')

    def _received(self, message: Any) -> None:
        text = message.data.strip()
        try:
            self._settings().message_limits.check_description(text)
            if self._in_use is not None and Source(text) != self._in_use:
                raise InputError('a second robot_description is refused while the first is in '
                                 'use. Deactivate and clean up the node to load it')
        except InputError as error:
            self.refused += 1
            self.last_refusal = clean(error)
            self._node.get_logger().error(self.last_refusal, throttle_duration_sec=1.0)
            return
        if self._in_use is None:
            self._from_topic = text
            if self.source:
                self._on_text()
