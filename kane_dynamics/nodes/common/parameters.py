# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node, declared once: the fields of a frozen dataclass of its settings.

    @dataclass(frozen=True)
    class Settings:
        rate: Annotated[float, Parameter('control cycles per second', unit='Hz', low=1.0)] = 250.0
        gains: GainSettings = GainSettings()        # a group: the parameters gains.p and gains.d

The dataclass is the source of declaration, bounds, `ros2 param describe`, --help and document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
import math
from textwrap import wrap
from typing import (
    Any, Generic, get_args, get_origin, get_type_hints, Literal, TYPE_CHECKING, TypeAlias, TypeVar)

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar('S', bound='DataclassInstance')
Floats: TypeAlias = tuple[float, ...]
Names: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Literal['bool', 'int', 'float', 'str', 'floats', 'strs']
KINDS: dict[Any, Kind] = {bool: 'bool', int: 'int', float: 'float', str: 'str', Floats: 'floats',
                          Names: 'strs'}
TYPES: dict[str, Any] = {'bool': bool, 'int': int, 'float': float, 'str': str}
DAY = 86_400.0  # [s]: the longest duration of a parameter that must be finite
NULLS = ('null', 'None')  # YAML's null of `ros2 param dump`, as rcl and rclpy read it


@dataclass(frozen=True)
class Parameter:
    """One parameter: its meaning, unit and bounds, and whether it may change at run time.

    low, high: inclusive bounds of a number or of each number in a list. above: an exclusive lower
    bound. or_zero: 0 is allowed although it is below low. lengths: the allowed lengths of a list;
    'joints' stands for one value for all joints or one per joint. infinite: infinity is allowed.
    runtime: may change while the node is configured. why_fixed: the reason to give when such a
    change is refused.
    A Schema takes name, kind, default and choices, the allowed texts, from the field of the
    dataclass. An empty tuple as default means "not set".
    """

    description: str
    unit: str = ''
    low: float | None = None
    high: float | None = None
    above: float | None = None
    or_zero: bool = False
    lengths: tuple[int | str, ...] = ()
    infinite: bool = False
    runtime: bool = False
    why_fixed: str = ''
    name: str = ''
    kind: Kind = 'str'
    default: object = ''
    choices: tuple[str, ...] = ()

    def checked(self, value: Any, n_joints: int | None = None) -> Any:
        """Return the value converted to its kind (lists to tuples), or raise InputError."""
        if value is None or self.default == () and value in NULLS:
            return self.default
        if self.kind in ('floats', 'strs'):
            values = tuple(value) if isinstance(value, (list, tuple)) or hasattr(
                value, 'typecode') else (value,)
            self._check_length(values, n_joints)
            return tuple(self._checked_one(each, self.kind[:-1]) for each in values)
        return self._checked_one(value, self.kind)

    def _check_length(self, values: tuple[Any, ...], n_joints: int | None) -> None:
        if not self.lengths or not values:
            return
        if 'joints' in self.lengths and n_joints is None:   # checked again at configure
            return
        allowed: list[Any] = []
        for length in self.lengths:
            allowed += [1, n_joints] if length == 'joints' else [length]
        if len(values) not in allowed:
            raise InputError(f'{self.name} has {len(values)} values, expected '
                             f'{" or ".join(map(str, sorted(set(allowed))))}')

    def _checked_one(self, value: Any, kind: str) -> Any:
        if kind == 'float' and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # `rate: 500` in YAML means 500.0
        if not isinstance(value, TYPES[kind]) or (kind == 'int' and isinstance(value, bool)):
            raise InputError(f'{self.name} must be {_ARTICLE[kind]}, got {show(value)}')
        if kind in ('float', 'int'):
            self._check_bounds(value)
        elif self.choices and value not in self.choices:
            raise InputError(f'{self.name} {show(value)} is not one of {list(self.choices)}')
        return value

    def _check_bounds(self, value: float) -> None:
        if math.isnan(value):
            raise InputError(f'{self.name} is not a number')
        if math.isinf(value) and not self.infinite:
            raise InputError(f'{self.name} must be finite, got {value!r}')
        if self.or_zero and value == 0:
            return
        if (self.low is not None and value < self.low
                or self.high is not None and value > self.high
                or self.above is not None and not value > self.above):
            raise InputError(f'{self.name} must be {self.bounds}'
                             f'{" " + self.unit if self.unit else ""}, got {value!r}')

    @property
    def bounds(self) -> str:
        """Return the bounds as text, '' if there are none."""
        if self.choices:
            return ' | '.join(self.choices)
        if self.low is not None and self.high is not None:
            return f'{"0 or " * self.or_zero}{self.low:g} .. {self.high:g}'
        if self.above is not None:
            return f'> {self.above:g}' + (f', <= {self.high:g}' if self.high is not None else '')
        if self.low is not None:
            return f'>= {self.low:g}'
        return f'<= {self.high:g}' if self.high is not None else ''

    def descriptor(self) -> ParameterDescriptor:
        """Return the ParameterDescriptor for `ros2 param describe`."""
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
                    from_value=0.0 if self.or_zero else float(self.low),
                    to_value=float(self.high))]
        # A double also accepts an integer, and a list that is not set has no value.
        made.dynamic_typing = self.kind in ('float', 'floats', 'strs')
        return made


_ARTICLE = {'bool': 'true or false', 'int': 'a whole number', 'float': 'a number', 'str': 'a text'}


class Schema(Generic[S]):
    """The parameters that a dataclass of settings declares: `entries`, by name, in its order."""

    def __init__(self, settings_type: type[S]) -> None:
        self.defaults = settings_type()
        self.entries = {each.name: each for each in _declared(self.defaults)}

    def read(self, values: Mapping[str, Any]) -> S:
        """Return the settings of {name: value}; the others have their defaults.

        Raises InputError with all values that are refused.
        """
        checked, reasons = {}, []
        for name, value in values.items():
            try:
                checked[name] = self.entries[name].checked(value)
            except InputError as error:
                reasons.append(str(error))
        if reasons:
            raise InputError('parameters: ' + '; '.join(reasons))
        return with_values(self.defaults, checked)

    def markdown(self) -> str:
        """Return a Markdown table: name, unit, default, range, run time, meaning."""
        lines = ['| parameter | unit | default | range | run time | meaning |',
                 '|---|---|---|---|---|---|']
        for each in self.entries.values():
            default = _default(each)
            bounds = each.bounds.replace('|', '\\|')
            lines.append(f'| `{each.name}` | {each.unit} | {default} | {bounds} | '
                         f'{"yes" if each.runtime else "no"} | {each.description} |')
        return '\n'.join(lines) + '\n'

    def text(self, width: int = 96) -> str:
        """Return a list for a terminal: name, default and unit, then the meaning."""
        lines = []
        for each in self.entries.values():
            unit = f' {each.unit}' if each.unit and each.default not in ((), '') else ''
            lines.append(f'  {each.name}: {_default(each)}{unit}')
            more = f'; {each.bounds}' if each.bounds else ''
            lines += wrap(each.description + more, width, initial_indent='      ',
                          subsequent_indent='      ', break_on_hyphens=False)
        return '\n'.join(lines)


def with_values(settings: S, values: Mapping[str, Any]) -> S:
    """Return a copy of settings with other values {name: value}; 'group.name' is in a group."""
    changes: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        group, _, rest = name.partition('.')
        if rest:
            groups.setdefault(group, {})[rest] = value
        else:
            changes[name] = value
    for group, inner in groups.items():
        changes[group] = with_values(getattr(settings, group), inner)
    return replace(settings, **changes)


def _declared(settings: DataclassInstance, prefix: str = '') -> Iterator[Parameter]:
    hints = get_type_hints(type(settings), include_extras=True)
    for field in fields(settings):
        name, default = prefix + field.name, getattr(settings, field.name)
        if is_dataclass(default) and not isinstance(default, type):
            yield from _declared(default, f'{name}.')
            continue
        kind, parameter = get_args(hints[field.name])
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        yield replace(parameter, name=name, kind='str' if choices else KINDS[kind],
                      default=default, choices=choices)


def _default(parameter: Parameter) -> str:
    return 'not set' if parameter.default in ((), '') else _shown(parameter.default)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return '[' + ', '.join(map(_shown, value)) + ']'
    return str(value)
