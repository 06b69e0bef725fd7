# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of a task file in space: a point along a path, with orientation and velocity profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.analysis.task_file.step_context import (
    duration_of, Entries, in_minimum_time, MINIMUM, start_of, StepContext)
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.rotations import from_quaternion, from_rpy
from kane_dynamics.task.cartesian_task import (
    CartesianTask, FreeJointsError, FROZEN, Spare)
from kane_dynamics.task.curvilinear_path import Curvilinear, Cylindrical, Spherical
from kane_dynamics.task.direction import Direction, Pointing, PointingAngles
from kane_dynamics.task.orientation import (
    AxisRotation, DirectionAndSpin, EulerAngles, Orientation, Slerp, ThroughOrientations)
from kane_dynamics.task.path import Arc, Line, Path, WayPoints
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.profiles import PROFILES

COMMON = ('posture', 'frame', 'point', 'orientation', 'orientation_frame', 'spare', 'law',
          'duration', 'use', 'velocity', 'acceleration', 'jerk')
Z_AXIS = (0.0, 0.0, 1.0)
FULL = 6        # joints between base and frame, from which on the orientation is kept by default
KEEP = 'keep'

# (value in the file, position of the point now (3,) [m]) -> path
PathReader: TypeAlias = Callable[[Marked, FloatArray], Path]
# (value in the file, its entries, orientation of the frame now R (3, 3), path) -> orientation
OrientationReader: TypeAlias = Callable[[Marked, Entries, FloatArray, Path],
                                        Orientation | Direction]


def read_space_step(step: Marked, entries: Entries, context: StepContext) -> Task:
    """Return the task of a step whose path is one of SPACE."""
    kind = next(name for name in entries if name in SPACE)
    step.fields((kind, *COMMON))
    start = start_of(step, entries, context)
    robot, dynamics, frame = context.robot, context.dynamics, context.frame
    if 'frame' in entries:
        frame = entries['frame'].text(robot.link_names)
    point = np.array(entries['point'].numbers(3, 'm')) if 'point' in entries else np.zeros(3)
    R, p = dynamics.frame_pose(frame, start)
    path = entries[kind].build(SPACE[kind], entries[kind], p + R @ point)
    more: dict[str, Any] = {}       # keywords of CartesianTask
    if 'orientation_frame' in entries:
        more['orientation_frame'] = entries['orientation_frame'].text(robot.link_names)
        R, _ = dynamics.frame_pose(more['orientation_frame'], start)
    orientation = None
    if 'orientation' in entries:
        marked = entries['orientation']
        orientation = marked.build(_orientation, marked, R, path)
    elif 'spare' not in entries and _joints_that_move(robot, frame) >= FULL:
        orientation = AxisRotation(R)
    if 'spare' in entries:
        more['spare'] = _spare(entries['spare'], robot)
    if 'law' in entries:
        more['profile'] = entries['law'].text(tuple(PROFILES))
    for name, unit in (('velocity', 'm/s'), ('acceleration', 'm/s^2'), ('jerk', 'm/s^3')):
        if name in entries:
            more[name] = entries[name].number(unit, above=0.0)
    duration = duration_of(entries)
    try:
        task = CartesianTask(dynamics, frame, path, orientation, q0=start, point=point,
                             limits=False, duration=1.0 if duration == MINIMUM else duration,
                             **more)
    except FreeJointsError as error:
        frozen = ', '.join(f'{name}: {FROZEN}' for name in error.free[-error.more:])
        step.fail(f'the step prescribes {error.count} quantities to {len(error.free)} joints '
                  f'({", ".join(error.free)}); keep {error.more} of them where they are, for '
                  f'instance `spare: {{{frozen}}}`'
                  f'{", or add `orientation: keep`" if orientation is None else ""}')
    return in_minimum_time(task, entries, context) if duration == MINIMUM else task


def _joints_that_move(robot: Robot, frame: str) -> int:
    """Return the number of coordinates that move a link."""
    return len({joint.follows.joint for joint in robot.chain(frame) if joint.kind != 'fixed'})


def _spare(marked: Marked, robot: Robot) -> dict[str, Spare]:
    """Return {joint: 'frozen', its last, or its first and last position} of the spare joints."""
    found: dict[str, Spare] = {}
    for name, value in marked.fields(robot.joint_names).items():
        unit = robot.joint(name).unit
        if value.is_list:
            value.numbers(2, unit)          # refuses another count
            first, last = (item.position(unit) for item in value.items())
            found[name] = first, last
        elif value.is_text and value.node.value == FROZEN:
            found[name] = FROZEN
        else:
            found[name] = value.position(unit)
    return found


# -- paths ---------------------------------------------------------------------------------------

def _line(marked: Marked, here: FloatArray) -> Path:
    if marked.is_list:
        return Line(here, marked.numbers(3, 'm'))
    entries = marked.fields(('from', 'to', 'by'))
    if ('to' in entries) == ('by' in entries):
        marked.fail("expected 'to', a position, or 'by', a displacement [m]")
    first = np.array(entries['from'].numbers(3, 'm')) if 'from' in entries else here
    if 'by' in entries:
        return Line(first, first + np.array(entries['by'].numbers(3, 'm')))
    return Line(first, entries['to'].numbers(3, 'm'))


def _arc(marked: Marked, here: FloatArray) -> Path:
    entries = marked.fields(('from', 'via', 'to', 'centre', 'axis', 'angle'))
    first: ArrayLike = entries['from'].numbers(3, 'm') if 'from' in entries else here
    given = set(entries) - {'from'}
    if given == {'via', 'to'}:
        return Arc.through(first, entries['via'].numbers(3, 'm'), entries['to'].numbers(3, 'm'))
    if given == {'centre', 'axis', 'angle'}:
        return Arc(first, entries['centre'].numbers(3, 'm'), entries['axis'].numbers(3),
                   entries['angle'].number('rad'))
    marked.fail('expected via and to, or centre, axis and angle')


def _points(marked: Marked, here: FloatArray) -> Path:
    entries = marked.fields(('places', 'blend'), ('places', 'blend'))
    positions = [item.numbers(3, 'm') for item in entries['places'].items()]
    return WayPoints(np.array([here, *positions]), entries['blend'].number('m', above=0.0))


def _curvilinear(cls: type[Curvilinear], units: tuple[str, str, str]) -> PathReader:
    """Return the reader of a straight line in curvilinear coordinates of these units."""
    def read(marked: Marked, here: FloatArray) -> Path:
        entries = marked.fields(('from', 'to', 'origin'), ('from', 'to'))
        ends = []
        for name in ('from', 'to'):
            items = entries[name].items()
            if len(items) != 3:
                entries[name].fail(f'expected 3 numbers, got {len(items)}')
            ends.append([item.number(unit) for item, unit in zip(items, units)])
        origin = entries['origin'].numbers(3, 'm') if 'origin' in entries else (0.0, 0.0, 0.0)
        return cls(Line(*ends), origin)
    return read


SPACE: dict[str, PathReader] = {
    'line': _line, 'arc': _arc, 'points': _points,
    'cylindrical': _curvilinear(Cylindrical, ('m', 'rad', 'm')),
    'spherical': _curvilinear(Spherical, ('m', 'rad', 'rad'))}


# -- orientations --------------------------------------------------------------------------------

def _orientation(marked: Marked, R: FloatArray, path: Path) -> Orientation | Direction:
    """Return the orientation along a path; R (3, 3): of the frame at its start."""
    if marked.is_text:
        marked.text((KEEP,))
        return AxisRotation(R)
    entries = marked.entries()
    kinds = [name for name in entries if name in ORIENTATIONS]
    if len(kinds) != 1:
        marked.fail(f"expected 'keep' or one of {', '.join(ORIENTATIONS)}; got "
                    f'{", ".join(kinds or entries)}')
    return ORIENTATIONS[kinds[0]](marked, entries, R, path)


def _rotation(marked: Marked) -> FloatArray:
    """Return R (3, 3) of a quaternion x y z w, or of roll, pitch and yaw."""
    if marked.is_list and len(marked.items()) == 4:
        return from_quaternion(marked.numbers(4))
    return from_rpy(marked.numbers(3, 'rad'))


def _slerp(marked: Marked, entries: Entries, R: FloatArray, path: Path) -> Orientation:
    name = 'rpy' if 'rpy' in entries else 'quaternion'
    marked.fields((name, 'from'))
    if name == 'rpy':
        last = from_rpy(entries['rpy'].numbers(3, 'rad'))
    else:
        last = from_quaternion(entries['quaternion'].numbers(4))
    return Slerp(_rotation(entries['from']) if 'from' in entries else R, last)


def _turn(marked: Marked, entries: Entries, R: FloatArray, path: Path) -> Orientation:
    marked.fields(('turn', 'axis', 'body'), ('turn', 'axis'))
    return AxisRotation(R, entries['axis'].numbers(3), entries['turn'].number('rad'),
                        'body' in entries and entries['body'].flag())


def _euler(marked: Marked, entries: Entries, R: FloatArray, path: Path) -> Orientation:
    marked.fields(('euler', 'from', 'to'), ('euler', 'from', 'to'))
    return EulerAngles(entries['euler'].text(), entries['from'].numbers(3, 'rad'),
                       entries['to'].numbers(3, 'rad'))


def _axis(entries: Entries, default: ArrayLike = Z_AXIS) -> ArrayLike:
    return entries['axis'].numbers(3) if 'axis' in entries else default


def _direction(marked: Marked, entries: Entries, R: FloatArray, path: Path) -> Direction:
    marked.fields(('direction', 'to', 'axis'))
    axis = np.asarray(_axis(entries), dtype=float)
    if entries['direction'].is_text:
        entries['direction'].text((KEEP,))
        first: ArrayLike = R @ axis
    else:
        first = entries['direction'].numbers(3)
    return Pointing(first, entries['to'].numbers(3) if 'to' in entries else None, axis)


def _angles(name: str, count: int, cls: type[PointingAngles] | type[DirectionAndSpin],
            default: ArrayLike) -> OrientationReader:
    """Return the reader of an orientation by `count` angles that change linearly."""
    def read(marked: Marked, entries: Entries, R: FloatArray,
             path: Path) -> Orientation | Direction:
        marked.fields((name, 'to', 'axis'), (name, 'to'))
        return cls(entries[name].numbers(count, 'rad'), entries['to'].numbers(count, 'rad'),
                   _axis(entries, default))
    return read


def _through(marked: Marked, entries: Entries, R: FloatArray, path: Path) -> Orientation:
    marked.fields(('through',))
    if not isinstance(path, WayPoints):
        marked.fail("'through' goes with points: an orientation for each of them")
    rotations = [_rotation(item) for item in entries['through'].items()]
    if len(rotations) + 1 != len(path.fractions):
        marked.fail(f'expected {len(path.fractions) - 1} orientations, one for each position; got '
                    f'{len(rotations)}')
    return ThroughOrientations([R, *rotations], path.fractions, path.half_widths)


ORIENTATIONS: dict[str, OrientationReader] = {
    'rpy': _slerp, 'quaternion': _slerp, 'turn': _turn, 'euler': _euler, 'direction': _direction,
    'azimuth_elevation': _angles('azimuth_elevation', 2, PointingAngles, Z_AXIS),
    'spin': _angles('spin', 3, DirectionAndSpin, (1.0, 0.0, 0.0)), 'through': _through}
