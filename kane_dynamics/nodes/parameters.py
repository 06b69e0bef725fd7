# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node: each declared once, checked by the same words when it is set."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
import math
from textwrap import wrap

from rcl_interfaces.msg import (
    FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult)
from rclpy.parameter import Parameter as RosParameter

from kane_dynamics.exceptions import InputError, KaneDynamicsError

KINDS = {'bool': bool, 'int': int, 'float': float, 'str': str, 'floats': list, 'strs': list}
NULLS = ('null', 'None')  # YAML's null, which `ros2 param dump` writes, as rcl and rclpy read it


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it is, in which unit, within which bounds, and whether it may change.

    kind: bool, int, float, str, floats or strs. default: for floats and strs an empty tuple says
    "not set". low, high: inclusive bounds of a number or of every number of a list. above: an
    exclusive lower bound. lengths: the lengths that a list may have; 'joints' stands for one value
    for all joints or one for each. choices: the texts that are allowed. infinite: may be so.
    runtime: may change while the node is configured. why_fixed: what to tell one who tries
    otherwise.
    """

    name: str
    kind: str
    default: object
    description: str
    unit: str = ''
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: tuple = ()
    lengths: tuple = ()
    infinite: bool = False
    runtime: bool = False
    why_fixed: str = ''

    def checked(self, value, n_joints=None):
        """Return the value in its kind (lists as tuples), or raise InputError with the reason."""
        if value is None or self.default == () and value in NULLS:
            return self.default
        if self.kind in ('floats', 'strs'):
            values = tuple(value) if isinstance(value, (list, tuple)) or hasattr(
                value, 'typecode') else (value,)
            self._check_length(values, n_joints)
            return tuple(self._checked_one(each, self.kind[:-1]) for each in values)
        return self._checked_one(value, self.kind)

    def _check_length(self, values, n_joints):
        if not self.lengths or not values:
            return
        allowed = []
        for length in self.lengths:
            allowed += [1, n_joints] if length == 'joints' else [length]
        if None in allowed:  # the number of joints is not known yet: asked again at configure
            return
        if len(values) not in allowed:
            raise InputError(f'{self.name} has {len(values)} values, expected '
                             f'{" or ".join(map(str, sorted(set(allowed))))}')

    def _checked_one(self, value, kind):
        if kind == 'float' and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # `rate: 500` in YAML means 500.0
        if not isinstance(value, KINDS[kind]) or (kind == 'int' and isinstance(value, bool)):
            raise InputError(f'{self.name} must be {_ARTICLE[kind]}, got {value!r}')
        if kind in ('float', 'int'):
            self._check_bounds(value)
        elif self.choices and value not in self.choices:
            raise InputError(f'{self.name} {value!r} is not one of {list(self.choices)}')
        return value

    def _check_bounds(self, value):
        if math.isnan(value):
            raise InputError(f'{self.name} is not a number')
        if math.isinf(value) and not self.infinite:
            raise InputError(f'{self.name} must be finite, got {value!r}')
        if (self.low is not None and value < self.low
                or self.high is not None and value > self.high
                or self.above is not None and not value > self.above):
            raise InputError(f'{self.name} must be {self.bounds}'
                             f'{" " + self.unit if self.unit else ""}, got {value!r}')

    @property
    def bounds(self):
        """Return the bounds in words, '' where there are none."""
        if self.choices:
            return ' | '.join(self.choices)
        if self.low is not None and self.high is not None:
            return f'{self.low:g} .. {self.high:g}'
        if self.above is not None:
            return f'> {self.above:g}' + (f', <= {self.high:g}' if self.high is not None else '')
        if self.low is not None:
            return f'>= {self.low:g}'
        return f'<= {self.high:g}' if self.high is not None else ''

    def descriptor(self):
        """Return the ParameterDescriptor that `ros2 param describe` shows."""
        constraints = [text for text in (
            f'unit: {self.unit}' if self.unit else '', self.bounds,
            '' if self.runtime else 'fixed while the node is configured') if text]
        made = ParameterDescriptor(name=self.name, description=self.description,
                                   additional_constraints='; '.join(constraints))
        if self.low is not None and self.high is not None:
            if self.kind == 'int':
                made.integer_range = [IntegerRange(from_value=self.low, to_value=self.high)]
            elif self.kind == 'float':
                made.floating_point_range = [FloatingPointRange(
                    from_value=float(self.low), to_value=float(self.high))]
        # A double also takes an integer, and a list that is not set has no value.
        made.dynamic_typing = self.kind in ('float', 'floats', 'strs')
        return made


_ARTICLE = {'bool': 'true or false', 'int': 'a whole number', 'float': 'a number', 'str': 'a text'}


class Schema:
    """The parameters of one kind of node, in the order in which documents list them."""

    def __init__(self, *parameters):
        self.entries = {each.name: each for each in parameters}

    def __add__(self, other):
        return Schema(*self.entries.values(), *other.entries.values())

    def markdown(self):
        """Return the table of a README: name, unit, default, bounds, run time, meaning."""
        lines = ['| parameter | unit | default | range | run time | meaning |',
                 '|---|---|---|---|---|---|']
        for each in self.entries.values():
            default = _default(each)
            bounds = each.bounds.replace('|', '\\|')
            lines.append(f'| `{each.name}` | {each.unit} | {default} | {bounds} | '
                         f'{"yes" if each.runtime else "no"} | {each.description} |')
        return '\n'.join(lines) + '\n'

    def text(self, width=96):
        """Return the same for a terminal: name, default, unit, then the meaning."""
        lines = []
        for each in self.entries.values():
            unit = f' {each.unit}' if each.unit and each.default not in ((), '') else ''
            lines.append(f'  {each.name}: {_default(each)}{unit}')
            more = f'; {each.bounds}' if each.bounds else ''
            lines += wrap(each.description + more, width, initial_indent='      ',
                          subsequent_indent='      ', break_on_hyphens=False)
        return '\n'.join(lines)


def _default(parameter):
    return 'not set' if parameter.default in ((), '') else _shown(parameter.default)


def _shown(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return '[' + ', '.join(map(_shown, value)) + ']'
    return str(value)


class Parameters:
    """The values of a schema on one node: `parameters['name']`; sets are checked before they act.

    Args:
        node: where they are declared; overrides of the command line and YAML are taken in.
        schema: the Schema.
        on_change: called with {name: value} of a set that passed the schema's checks and is about
            to take effect; it may raise a KaneDynamicsError, whose text becomes the reason.
    """

    def __init__(self, node, schema, on_change=lambda changes: None):
        self.schema = schema
        self.fixed = False       # set by the node between configure and cleanup
        self.n_joints = None     # set by the node at configure
        self._node = node
        self.values = {}         # name -> checked value
        self._on_change = on_change
        reasons, given = [], node._parameter_overrides      # by YAML and command line
        for name, entry in schema.entries.items():
            default = None if entry.default == () else entry.default
            default = list(default) if isinstance(default, tuple) else default
            try:        # before rclpy looks at it, whose words do not tell the bounds
                self.values[name] = entry.checked(given[name].value if name in given else default)
                node.declare_parameter(name, default, entry.descriptor())
            except InputError as error:
                reasons.append(str(error))
        if reasons:
            raise InputError('parameters: ' + '; '.join(reasons))
        for name in given:
            if not (node.has_parameter(name) or name.startswith('qos_overrides.')):
                near = get_close_matches(name, schema.entries, 1)
                node.get_logger().warning(
                    f'there is no parameter {name!r}: it is ignored'
                    + (f'; did you mean {near[0]!r}?' if near else ''))
        node.add_on_set_parameters_callback(self._on_set)

    def __getitem__(self, name):
        return self.values[name]

    def per_joint(self, name, n_joints, default=0.0):
        """Return a list parameter as n_joints floats: one value counts for all joints."""
        values = self.values[name] or (default,)
        if len(values) == 1:
            return list(values) * n_joints
        if len(values) != n_joints:
            raise InputError(f'{name} has {len(values)} values for {n_joints} joints')
        return list(values)

    def check_lengths(self, n_joints):
        """Remember the number of joints and check the lists against it, all at once."""
        self.n_joints = n_joints
        for name, entry in self.schema.entries.items():
            entry.checked(self.values[name], n_joints)

    def _on_set(self, ros_parameters):
        try:
            changes = self._checked_changes(ros_parameters)
            if changes:
                self._on_change(changes)
        except KaneDynamicsError as error:
            self._node.get_logger().warning(f'parameter refused: {error}')
            return SetParametersResult(successful=False, reason=str(error))
        self.values.update(changes)
        return SetParametersResult(successful=True)

    def _checked_changes(self, ros_parameters):
        changes = {}
        for given in ros_parameters:
            entry = self.schema.entries.get(given.name)
            if entry is None:   # of rclpy: use_sim_time, qos_overrides
                if given.name == 'use_sim_time' and self.fixed and (
                        given.value != self._node.get_parameter(given.name).value):
                    self._refuse(given.name, 'trajectories and stamps go by the clock')
                continue
            if given.type_ == RosParameter.Type.NOT_SET:    # `ros2 param delete`
                raise InputError(f'{given.name} cannot be deleted'
                                 + ('; set it to []' if entry.default == () else ''))
            value = entry.checked(given.value, self.n_joints)
            if self.fixed and not entry.runtime and value != self.values[given.name]:
                self._refuse(given.name, entry.why_fixed)
            changes[given.name] = value
        return changes

    @staticmethod
    def _refuse(name, why):
        raise InputError(f'{name} is fixed while the node is configured{": " + why if why else ""}'
                         '; deactivate and clean up the node first')
