# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Equipment of an arm in a task file: payloads, drives, sections of links, and limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
import math

import numpy as np

from kane_dynamics.analysis.study.link_beam import beam_of, SectionBeam
from kane_dynamics.analysis.study.study import Drive, HeldPayload
from kane_dynamics.analysis.task_file.step_context import Entries
from kane_dynamics.dynamics.drives.dc_drive import DcDrive
from kane_dynamics.dynamics.drives.dc_motor import DcMotor
from kane_dynamics.dynamics.drives.gear import Gear
from kane_dynamics.dynamics.drives.hydraulic import Crank, HydraulicDrive
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.model.flexible.material import Material, MATERIALS
from kane_dynamics.model.flexible.section import SHAPES
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import LimitArrays
from kane_dynamics.numerics.array_types import FloatArray

# {name in the file: unit}; the names are fields of DcMotor, Gear, HydraulicDrive and Material
MOTOR = {
    'torque_constant': 'N m/A', 'resistance': 'ohm', 'inductance': 'H',
    'back_emf_constant': 'V s/rad', 'rotor_inertia': 'kg m^2', 'viscous': 'N m s/rad',
    'coulomb': 'N m', 'max_voltage': 'V', 'max_current': 'A', 'continuous_current': 'A',
    'max_speed': 'rad/s', 'thermal_resistance': 'K/W', 'thermal_time': 's',
    'max_temperature_rise': 'K'}
CATALOGUE = {'voltage': 'V', 'stall_torque': 'N m', 'no_load_speed': 'rad/s'}
GEAR = {'ratio': '', 'efficiency': '', 'inertia': 'kg m^2', 'max_torque': 'N m',
        'rated_torque': 'N m', 'max_input_speed': 'rad/s'}
CYLINDER = {
    'piston_area': 'm^2', 'piston_mass': 'kg', 'volume': 'm^3', 'bulk_modulus': 'Pa',
    'flow_gain': 'm^3/s/A', 'flow_pressure': 'm^3/s/Pa', 'leakage': 'm^3/s/Pa',
    'viscous': 'N s/m', 'valve_frequency': 'rad/s', 'valve_damping': '', 'max_input': 'A',
    'supply_pressure': 'Pa'}
MATERIAL = {'E': 'Pa', 'poisson': '', 'density': 'kg/m^3', 'strength': 'Pa',
            'shear_strength': 'Pa'}


def quantities(marked: Marked, units: Mapping[str, str], required: Collection[str] = (),
               more: Collection[str] = ()) -> tuple[dict[str, float], dict[str, Marked]]:
    """Return {name: number in SI} of the names in `units`, {name: Marked} of those in `more`."""
    entries = marked.fields((*units, *more), required)
    return ({name: value.number(units[name]) for name, value in entries.items() if name in units},
            {name: value for name, value in entries.items() if name in more})


# -- payload -------------------------------------------------------------------------------------

def read_payloads(marked: Marked, robot: Robot) -> tuple[HeldPayload, ...]:
    """Return the HeldPayloads of the entry `payload`: one, or a list."""
    return tuple(_payload(each, robot)
                 for each in (marked.items() if marked.is_list else [marked]))


def _payload(marked: Marked, robot: Robot) -> HeldPayload:
    numbers, rest = quantities(marked, {'mass': 'kg'}, ('mass',),
                               ('link', 'com', 'inertia', 'grip'))
    if numbers['mass'] < 0.0:
        marked.fail(f'mass must not be negative, got {numbers["mass"]:g} kg')
    if 'link' in rest:
        link = rest['link'].text(robot.link_names)
    else:
        ends = robot.leaves()
        if len(ends) > 1:
            marked.fail(f"give 'link', the link that holds it; the arm ends in {', '.join(ends)}")
        link = ends[0]
    com = np.array(rest['com'].numbers(3, 'm')) if 'com' in rest else np.zeros(3)
    inertia = _inertia(rest['inertia']) if 'inertia' in rest else np.zeros((3, 3))
    grip: dict[str, float] = {}
    if 'grip' in rest:
        grip, _ = quantities(rest['grip'], {'force': 'N', 'moment': 'N m'})
    return HeldPayload(link, numbers['mass'], com, inertia, grip.get('force', math.inf),
                       grip.get('moment', math.inf))


def _inertia(marked: Marked) -> FloatArray:
    values = marked.numbers(unit='kg m^2')
    if len(values) == 3:
        return np.diag(values)
    if len(values) != 6:
        marked.fail('expected 3 numbers (ixx iyy izz) or 6 (ixx ixy ixz iyy iyz izz), got '
                    f'{len(values)}')
    xx, xy, xz, yy, yz, zz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# -- motors --------------------------------------------------------------------------------------

def read_drives(marked: Marked, robot: Robot) -> dict[str, Drive]:
    """Return {joint: drive} of the entry `motors`; `default` is for joints that are not named."""
    entries = marked.fields((*robot.joint_names, 'default'))
    drives = {name: _drive(value, robot, name) for name, value in entries.items()
              if name != 'default'}
    if 'default' in entries:
        for name in robot.joint_names:
            if name not in drives:
                drives[name] = _drive(entries['default'], robot, name)
    return {name: drives[name] for name in robot.joint_names if name in drives}


def _drive(marked: Marked, robot: Robot, joint: str) -> Drive:
    entries = marked.fields(('motor', 'gear', 'cylinder', 'crank'))
    if ('motor' in entries) == ('cylinder' in entries):
        marked.fail("expected 'motor' (and 'gear'), or 'cylinder' (and, at a hinge, 'crank')")
    return (_electric if 'motor' in entries else _hydraulic)(marked, entries, robot, joint)


def _electric(marked: Marked, entries: Entries, robot: Robot, joint: str) -> DcDrive:
    if 'crank' in entries:
        entries['crank'].fail('a crank goes with a cylinder; this joint has a motor')
    motor = _motor(entries['motor'])
    gear = Gear(1.0)
    if 'gear' in entries:
        numbers, _ = quantities(entries['gear'], GEAR, ('ratio',))
        gear = entries['gear'].build(Gear, **numbers)
    if robot.joint(joint).armature > 0.0 and motor.rotor_inertia > 0.0:
        marked.fail(f'the URDF has a rotor inertia for {joint!r} already (armature '
                    f'{robot.joint(joint).armature:g}): with that of the motor it would count '
                    'twice; leave out rotor_inertia here')
    return DcDrive(motor, gear)


def _hydraulic(marked: Marked, entries: Entries, robot: Robot, joint: str) -> HydraulicDrive:
    if 'gear' in entries:
        entries['gear'].fail('a gear goes with a motor; this joint has a cylinder')
    numbers, _ = quantities(entries['cylinder'], CYLINDER)
    crank = None
    if 'crank' in entries:
        values, _ = quantities(entries['crank'], {'a': 'm', 'b': 'm', 'offset': 'rad'},
                               ('a', 'b', 'offset'))
        crank = entries['crank'].build(Crank, **values)
    elif robot.joint(joint).kind != 'prismatic':
        marked.fail(f"{joint!r} is a hinge: give 'crank', the linkage to its cylinder (a, b, "
                    'offset)')
    required = ('piston_area', 'piston_mass', 'volume', 'bulk_modulus', 'flow_gain')
    entries['cylinder'].fields(tuple(CYLINDER), required)
    return entries['cylinder'].build(HydraulicDrive, crank=crank, **numbers)


def _motor(marked: Marked) -> DcMotor:
    entries = marked.entries()
    if any(name in entries for name in CATALOGUE):
        numbers, _ = quantities(marked, {**CATALOGUE, **MOTOR}, tuple(CATALOGUE))
        for name in ('torque_constant', 'resistance'):
            if name in numbers:
                entries[name].fail(f'{name} follows from {", ".join(CATALOGUE)}; leave it out')
        return marked.build(DcMotor.from_catalogue, **numbers)
    numbers, _ = quantities(marked, MOTOR, ('torque_constant', 'resistance'))
    return marked.build(DcMotor, **numbers)


# -- sections ------------------------------------------------------------------------------------

def read_beams(marked: Marked, robot: Robot) -> tuple[SectionBeam, ...]:
    """Return the SectionBeams of the entry `sections`, in the order of the file."""
    return tuple(_beam(value, robot, name)
                 for name, value in marked.fields(robot.link_names).items())


def _beam(marked: Marked, robot: Robot, link: str) -> SectionBeam:
    shape = marked.entries().get('shape')
    if shape is None:
        marked.fail(f'shape missing; expected one of {", ".join(SHAPES)}')
    names = SHAPES[shape.text(tuple(SHAPES))][1]
    dimensions, rest = quantities(marked, dict.fromkeys(names, 'm'), names,
                                  ('shape', 'material', 'root', 'tip', 'normal'))
    if 'material' not in rest:
        marked.fail(f'material missing; expected {", ".join(MATERIALS)}, or {", ".join(MATERIAL)}')
    if rest['material'].is_mapping:
        numbers, _ = quantities(rest['material'], MATERIAL,
                                ('E', 'poisson', 'density', 'strength'))
        material = rest['material'].build(Material, **numbers)
    else:
        material = MATERIALS[rest['material'].text(tuple(MATERIALS))]
    ends = {name: rest[name].numbers(3, '' if name == 'normal' else 'm')
            for name in ('root', 'tip', 'normal') if name in rest}
    return marked.build(beam_of, robot, link, shape.text(), dimensions, material, **ends)


# -- limits --------------------------------------------------------------------------------------

JOINT_LIMITS = ('lower', 'upper', 'speed', 'torque')


def read_limits(marked: Marked, robot: Robot) -> tuple[LimitArrays, dict[str, float]]:
    """Return the LimitArrays of the joints, and {name: number} of the other entries."""
    rest, joints = quantities(marked, {'safety': '', 'energy': 'J', 'deflection': 'm'},
                              more=('joints',))
    for name, value in rest.items():
        if value <= 0.0:
            marked.entries()[name].fail(f'expected more than zero, got {value:g}')
    arrays = {name: np.array(values) for name, values in robot.limits._asdict().items()}
    if 'joints' in joints:
        entries = joints['joints'].fields((*robot.joint_names, 'default'))
        for name in robot.joint_names:
            own = entries.get(name, entries.get('default'))
            if own is not None:
                _joint_limits(own, robot, name, arrays)
    return LimitArrays(**arrays), rest


def _joint_limits(marked: Marked, robot: Robot, name: str,
                  arrays: Mapping[str, FloatArray]) -> None:
    """Write the limits of a joint into `arrays`, the fields of LimitArrays by name."""
    joint = robot.joint(name)
    units = dict(zip(JOINT_LIMITS, (joint.unit, joint.unit, f'{joint.unit}/s',
                                    joint.effort_unit)))
    k = robot.joint_index(name)
    for limit, value in marked.fields(JOINT_LIMITS).items():
        field = {'speed': 'velocity', 'torque': 'effort'}.get(limit, limit)
        arrays[field][k] = value.number(units[limit], infinite=True)
        if field in ('velocity', 'effort') and arrays[field][k] < 0.0:
            value.fail(f'expected at least zero, got {arrays[field][k]:g}')
    if arrays['lower'][k] > arrays['upper'][k]:
        marked.fail(f'lower {arrays["lower"][k]:g} is above upper {arrays["upper"][k]:g}')
