# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""JSON schema of task files, for completion and checks in editors.

Names, units and choices are those of the readers; a test compares the names at every level with
those that the readers accept. The readers check more: sizes, joint names, combinations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

from kane_dynamics.analysis.task_file.equipment import (
    CATALOGUE, CYLINDER, GEAR, JOINT_LIMITS, MATERIAL, MOTOR)
from kane_dynamics.analysis.task_file.joint_steps import FIELDS as JOINT_FIELDS, INTERPOLATIONS
from kane_dynamics.analysis.task_file.read_task import TOP
from kane_dynamics.analysis.task_file.recorded_steps import FIELDS as RECORDED_FIELDS
from kane_dynamics.analysis.task_file.space_steps import COMMON, KEEP, SPACE
from kane_dynamics.analysis.task_file.step_context import MINIMUM
from kane_dynamics.io.units import UNITS
from kane_dynamics.model.flexible.material import MATERIALS
from kane_dynamics.model.flexible.section import SHAPES
from kane_dynamics.task.cartesian_task import FROZEN
from kane_dynamics.trajectory.profiles import PROFILES

Schema: TypeAlias = dict[str, Any]

DRAFT = 'https://json-schema.org/draft/2020-12/schema'
FLAG: Schema = {'enum': [True, False, 'yes', 'no', 'on', 'off', 'true', 'false']}
TEXT: Schema = {'type': 'string'}
LAW: Schema = {'enum': sorted(PROFILES), 'description': 'velocity profile, default quintic'}


def task_schema() -> Schema:
    """Return the JSON schema of a task file."""
    top: dict[str, Schema] = {
        'name': {**TEXT, 'description': 'title of the report'},
        'arm': {**TEXT, 'description': 'URDF, xacro or MJCF file, relative to this file, or the '
                'name of a known robot'},
        'lock': _by_name(_position(), 'joints that are fixed, such as those of a gripper'),
        'gravity': _vector('m/s^2', 'default [0, 0, -9.81]'),
        'base': _object({'rpy': _vector('rad'), 'position': _vector('m')},
                        text='pose of the base in the world'),
        'friction': {'enum': ['urdf', 'none'], 'description': 'default urdf: its <dynamics>'},
        'payload': _one_or_more(_payload()),
        'motors': _by_name(_drive(), 'by joint; default for the others'),
        'sections': _by_name(_section(), 'by link'),
        'task': {**_one_or_more({'$ref': '#/$defs/step'}),
                 'description': 'a step, or a list of steps'},
        'limits': _limits(), 'collision': _collision(),
        'frame': {**TEXT, 'description': 'link whose path is reported'},
        'rate': _quantity('Hz', 'samples per second, default 1000')}
    return {'$schema': DRAFT, 'title': 'Task file of kane_dynamics',
            **_object({name: top[name] for name in TOP}, ('task',)),
            '$defs': {'step': {'anyOf': [*_joint_steps(), *_recorded_steps(), *_space_steps()]},
                      'configuration': _configuration(), 'orientation': _orientation()}}


# -- values --------------------------------------------------------------------------------------

def _quantity(unit: str, text: str = '') -> Schema:
    """Return the schema of a number in SI, or of a text with a unit."""
    others = ', '.join(UNITS.get(unit, ()))
    what = f'[{unit or "1"}{f"; or {others}" if others else ""}]'
    return {'type': ['number', 'string'], 'description': f'{text} {what}'.strip()}


def _position(text: str = '') -> Schema:
    return {'type': ['number', 'string'], 'description': f'{text} [rad; or deg; m; or mm]'.strip()}


def _vector(unit: str = '', text: str = '', count: int = 3) -> Schema:
    return {'type': 'array', 'items': _quantity(unit), 'minItems': count, 'maxItems': count,
            **({'description': text} if text else {})}


def _object(properties: Mapping[str, Schema], required: Collection[str] = (),
            text: str = '') -> Schema:
    """Return the schema of names with values; other names are refused."""
    return {'type': 'object', 'properties': dict(properties), 'additionalProperties': False,
            **({'required': list(required)} if required else {}),
            **({'description': text} if text else {})}


def _by_name(value: Schema, text: str) -> Schema:
    """Return the schema of {joint or link: value}."""
    return {'type': 'object', 'additionalProperties': value, 'description': text}


def _one_or_more(value: Schema) -> Schema:
    return {'anyOf': [value, {'type': 'array', 'items': value, 'minItems': 1}]}


def _quantities(units: Mapping[str, str]) -> dict[str, Schema]:
    return {name: _quantity(unit) for name, unit in units.items()}


# -- equipment -----------------------------------------------------------------------------------

def _payload() -> Schema:
    inertia = {'type': 'array', 'items': _quantity('kg m^2'), 'minItems': 3, 'maxItems': 6,
               'description': 'ixx iyy izz, or ixx ixy ixz iyy iyz izz, about the mass centre'}
    return _object({'mass': _quantity('kg'), 'link': TEXT, 'com': _vector('m', 'mass centre'),
                    'inertia': inertia, 'grip': _object(
                        _quantities({'force': 'N', 'moment': 'N m'}),
                        text='largest loads of the gripper')}, ('mass',))


def _drive() -> Schema:
    return _object({
        'motor': {'anyOf': [
            _object(_quantities(MOTOR), ('torque_constant', 'resistance')),
            _object(_quantities({**CATALOGUE, **MOTOR}), tuple(CATALOGUE))]},
        'gear': _object(_quantities(GEAR), ('ratio',)),
        'cylinder': _object(_quantities(CYLINDER)),
        'crank': _object(_quantities({'a': 'm', 'b': 'm', 'offset': 'rad'}),
                         ('a', 'b', 'offset'))})


def _section() -> Schema:
    material = {'anyOf': [{'enum': list(MATERIALS)}, _object(_quantities(MATERIAL))]}
    more = {'material': material, 'root': _vector('m'), 'tip': _vector('m'), 'normal': _vector()}
    return {'anyOf': [
        _object({'shape': {'const': shape}, **_quantities(dict.fromkeys(names, 'm')), **more},
                ('shape', 'material', *names)) for shape, (_, names, *_) in SHAPES.items()]}


def _limits() -> Schema:
    joint = _object(dict.fromkeys(JOINT_LIMITS, _position()))
    return _object({**_quantities({'safety': '', 'energy': 'J', 'deflection': 'm'}),
                    'joints': _by_name(joint, 'by joint; default for the others')})


def _collision() -> Schema:
    box = _object({'size': _vector('m'), 'position': _vector('m'), 'rpy': _vector('rad')},
                  ('size', 'position'))
    pair = {'type': 'array', 'items': TEXT, 'minItems': 2, 'maxItems': 2}
    return _object({'floor': {**_quantity('m'), 'description': 'height of the floor [m], or none'},
                    'boxes': _by_name(box, 'obstacles by name'),
                    'ignore': {'type': 'array', 'items': pair}})


# -- steps ---------------------------------------------------------------------------------------

def _configuration() -> Schema:
    return {'anyOf': [{'const': 'zero'}, {'type': 'array', 'items': _position()},
                      {'type': 'object', 'additionalProperties': _position()}],
            'description': 'positions in joint order, {joint: position}, or zero'}


def _step(names: Iterable[str], kind: str, value: Schema) -> Schema:
    known = {'configuration': {'$ref': '#/$defs/configuration'}}
    values: dict[str, Schema] = {
        'posture': known['configuration'], 'law': LAW,
        'duration': {**_quantity('s'), 'description': f'[s], or {MINIMUM}: as the limits allow'},
        'use': _quantity('', 'fraction of the limits, with duration: minimum'),
        'speed': _quantity('', 'fraction of the speed limits'),
        'times': {'type': 'array', 'items': _quantity('s')},
        'interpolation': {'enum': list(INTERPOLATIONS)}, 'topic': TEXT,
        'noise': _quantity('', 'standard deviation of the positions'),
        'frame': TEXT, 'point': _vector('m', 'point of the frame'), 'orientation_frame': TEXT,
        'orientation': {'$ref': '#/$defs/orientation'},
        'spare': _by_name({'anyOf': [{'const': FROZEN}, _position(), {
            'type': 'array', 'items': _position(), 'minItems': 2, 'maxItems': 2}]},
            'joints that the task leaves free'),
        'velocity': _quantity('m/s'), 'acceleration': _quantity('m/s^2 or rad/s^2'),
        'jerk': _quantity('m/s^3 or rad/s^3'), kind: value}
    return _object({name: values[name] for name in names}, (kind,))


def _joint_steps() -> list[Schema]:
    configuration = {'$ref': '#/$defs/configuration'}
    values: dict[str, Schema] = {
        'way_points': {'type': 'array', 'items': configuration, 'minItems': 2},
        'move': configuration, 'hold': _quantity('s', 'rest for this time')}
    return [_step(names, kind, values[kind]) for kind, names in JOINT_FIELDS.items()]


def _recorded_steps() -> list[Schema]:
    return [_step(names, kind, {**TEXT, 'description': 'path, relative to this file'})
            for kind, names in RECORDED_FIELDS.items()]


def _space_steps() -> list[Schema]:
    curvilinear = _object({'from': _vector('m or rad'), 'to': _vector('m or rad'),
                           'origin': _vector('m')}, ('from', 'to'))
    values: dict[str, Schema] = {
        'line': {'anyOf': [_vector('m', 'end'), _object(
            {'from': _vector('m'), 'to': _vector('m'), 'by': _vector('m')})]},
        'arc': _object({'from': _vector('m'), 'via': _vector('m'), 'to': _vector('m'),
                        'centre': _vector('m'), 'axis': _vector(), 'angle': _quantity('rad')}),
        'points': _object({'places': {'type': 'array', 'items': _vector('m')},
                           'blend': _quantity('m')}, ('places', 'blend')),
        'cylindrical': curvilinear, 'spherical': curvilinear}
    return [_step((kind, *COMMON), kind, values[kind]) for kind in SPACE]


def _orientation() -> Schema:
    rotation = {'anyOf': [_vector('rad', 'roll, pitch, yaw'), _vector('', 'x y z w', 4)]}
    angles, axis = {'to': _vector('rad'), 'axis': _vector()}, {'axis': _vector()}
    pair = _vector('rad', count=2)
    kinds: dict[str, tuple[dict[str, Schema], tuple[str, ...]]] = {
        'rpy': ({'rpy': _vector('rad'), 'from': rotation}, ()),
        'quaternion': ({'quaternion': _vector(count=4), 'from': rotation}, ()),
        'turn': ({'turn': _quantity('rad'), **axis, 'body': FLAG}, ('axis',)),
        'euler': ({'euler': TEXT, 'from': _vector('rad'), 'to': _vector('rad')}, ('from', 'to')),
        'direction': ({'direction': {'anyOf': [{'const': KEEP}, _vector()]},
                       'to': _vector(), **axis}, ()),
        'azimuth_elevation': ({'azimuth_elevation': pair, 'to': pair, **axis}, ('to',)),
        'spin': ({'spin': _vector('rad'), **angles}, ('to',)),
        'through': ({'through': {'type': 'array', 'items': rotation}}, ())}
    return {'anyOf': [{'const': KEEP}, *(
        _object(properties, (kind, *required))
        for kind, (properties, required) in kinds.items())]}
