# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of a task file in space: a point along a path, a frame turned, by a law of motion."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.scene import MINIMUM
from kane_dynamics.model.rotations import from_quaternion, from_rpy
from kane_dynamics.motion.cartesian_task import CartesianTask, FROZEN
from kane_dynamics.motion.direction import Pointing, PointingAngles
from kane_dynamics.motion.orientation import (
    DirectionAndSpin, EulerAngles, Slerp, ThroughOrientations, Turn)
from kane_dynamics.motion.path import Arc, Line, WayPoints
from kane_dynamics.motion.path_coordinates import Cylindrical, Spherical
from kane_dynamics.motion.profiles import LAWS

COMMON = ('posture', 'frame', 'point', 'orientation', 'orientation_frame', 'spare', 'law',
          'duration', 'use', 'velocity', 'acceleration', 'jerk')
ANGLES = {'cylindrical': ('m', 'rad', 'm'), 'spherical': ('m', 'rad', 'rad')}


def read_space_step(step, entries, scene):
    """Return the CartesianTask of a step that names one of SPACE."""
    kind = next(name for name in entries if name in SPACE)
    step.fields((kind, *COMMON))
    start = scene.start_of(step, entries)
    frame = scene.frame
    if 'frame' in entries:
        frame = entries['frame'].text(scene.robot.link_names)
    point = np.array(entries['point'].numbers(3, 'm')) if 'point' in entries else np.zeros(3)
    R, p = scene.dynamics.frame_pose(frame, start)
    path = entries[kind].build(SPACE[kind], entries[kind], p + R @ point)
    more = {}
    if 'orientation_frame' in entries:
        more['orientation_frame'] = entries['orientation_frame'].text(scene.robot.link_names)
        R, _ = scene.dynamics.frame_pose(more['orientation_frame'], start)
    orientation = None
    if 'orientation' in entries:
        marked = entries['orientation']
        orientation = marked.build(_orientation, marked, R, path)
    if 'spare' in entries:
        more['spare'] = _spare(entries['spare'], scene.robot)
    if 'law' in entries:
        more['law'] = entries['law'].text(tuple(LAWS))
    for name, unit in (('velocity', 'm/s'), ('acceleration', 'm/s^2'), ('jerk', 'm/s^3')):
        if name in entries:
            more[name] = entries[name].number(unit, above=0.0)
    duration = scene.duration_of(entries)
    minimum = duration == MINIMUM
    task = CartesianTask(scene.dynamics, frame, path, orientation, posture=start, point=point,
                         limits=False, duration=1.0 if minimum else duration, **more)
    return scene.in_minimum_time(task, entries) if minimum else task


def _spare(marked, robot):
    found = {}
    for name, value in marked.fields(robot.joint_names).items():
        unit = 'm' if robot.joint(name).kind == 'prismatic' else 'rad'
        if value.is_list:
            found[name] = tuple(value.numbers(2, unit))
        elif value.is_text and value.node.value == FROZEN:
            found[name] = FROZEN
        else:
            found[name] = value.number(unit)
    return found


# -- paths: what the file says, and where the point is now, become a Path ------------------------

def _line(marked, here):
    if marked.is_list:
        return Line(here, marked.numbers(3, 'm'))
    entries = marked.fields(('from', 'to', 'by'))
    if ('to' in entries) == ('by' in entries):
        marked.fail("expected 'to', a place, or 'by', a displacement [m]")
    first = np.array(entries['from'].numbers(3, 'm')) if 'from' in entries else here
    if 'by' in entries:
        return Line(first, first + entries['by'].numbers(3, 'm'))
    return Line(first, entries['to'].numbers(3, 'm'))


def _arc(marked, here):
    entries = marked.fields(('from', 'via', 'to', 'centre', 'axis', 'angle'))
    first = entries['from'].numbers(3, 'm') if 'from' in entries else here
    given = set(entries) - {'from'}
    if given == {'via', 'to'}:
        return Arc.through(first, entries['via'].numbers(3, 'm'), entries['to'].numbers(3, 'm'))
    if given == {'centre', 'axis', 'angle'}:
        return Arc(first, entries['centre'].numbers(3, 'm'), entries['axis'].numbers(3),
                   entries['angle'].number('rad'))
    marked.fail('expected via and to, or centre, axis and angle')


def _points(marked, here):
    entries = marked.fields(('places', 'blend'), ('places', 'blend'))
    places = [item.numbers(3, 'm') for item in entries['places'].items()]
    return WayPoints([here, *places], entries['blend'].number('m', above=0.0))


def _curvilinear(kind, cls):
    def read(marked, here):
        entries = marked.fields(('from', 'to', 'origin'), ('from', 'to'))
        ends = []
        for name in ('from', 'to'):
            items = entries[name].items()
            if len(items) != 3:
                entries[name].fail(f'expected 3 numbers, got {len(items)}')
            ends.append([item.number(unit) for item, unit in zip(items, ANGLES[kind])])
        origin = entries['origin'].numbers(3, 'm') if 'origin' in entries else np.zeros(3)
        return cls(Line(*ends), origin)
    return read


SPACE = {'line': _line, 'arc': _arc, 'points': _points,
         'cylindrical': _curvilinear('cylindrical', Cylindrical),
         'spherical': _curvilinear('spherical', Spherical)}


# -- orientations --------------------------------------------------------------------------------

ORIENTATIONS = ('rpy', 'quaternion', 'turn', 'euler', 'direction', 'azimuth_elevation', 'spin',
                'through')


def _orientation(marked, R, path):
    """Return the orientation that the file tells; R (3, 3): how the frame is turned now."""
    if marked.is_text:
        marked.text(('keep',))
        return Turn(R)
    entries = marked.entries()
    kinds = [name for name in entries if name in ORIENTATIONS]
    if len(kinds) != 1:
        marked.fail(f"expected 'keep' or one of {', '.join(ORIENTATIONS)}; got "
                    f'{", ".join(kinds or entries)}')
    return READERS[kinds[0]](marked, entries, R, path)


def _rotation(marked):
    if marked.is_list and len(marked.items()) == 4:
        return from_quaternion(marked.numbers(4))
    return from_rpy(marked.numbers(3, 'rad'))


def _to(marked, entries, R, path):
    name = 'rpy' if 'rpy' in entries else 'quaternion'
    marked.fields((name, 'from'))
    if name == 'rpy':
        last = from_rpy(entries['rpy'].numbers(3, 'rad'))
    else:
        last = from_quaternion(entries['quaternion'].numbers(4))
    return Slerp(_rotation(entries['from']) if 'from' in entries else R, last)


def _turn(marked, entries, R, path):
    marked.fields(('turn', 'axis', 'body'), ('turn', 'axis'))
    return Turn(R, entries['axis'].numbers(3), entries['turn'].number('rad'),
                'body' in entries and entries['body'].flag())


def _euler(marked, entries, R, path):
    marked.fields(('euler', 'from', 'to'), ('euler', 'from', 'to'))
    return EulerAngles(entries['euler'].text(), entries['from'].numbers(3, 'rad'),
                       entries['to'].numbers(3, 'rad'))


def _axis(entries, default=(0.0, 0.0, 1.0)):
    return entries['axis'].numbers(3) if 'axis' in entries else default


def _direction(marked, entries, R, path):
    marked.fields(('direction', 'to', 'axis'))
    axis = np.asarray(_axis(entries), dtype=float)
    if entries['direction'].is_text:
        entries['direction'].text(('keep',))
        first = R @ axis
    else:
        first = entries['direction'].numbers(3)
    return Pointing(first, entries['to'].numbers(3) if 'to' in entries else None, axis)


def _angles(name, count, cls, default):
    def read(marked, entries, R, path):
        marked.fields((name, 'to', 'axis'), (name, 'to'))
        return cls(entries[name].numbers(count, 'rad'), entries['to'].numbers(count, 'rad'),
                   _axis(entries, default))
    return read


def _through(marked, entries, R, path):
    marked.fields(('through',))
    if not isinstance(path, WayPoints):
        marked.fail("'through' goes with points: an orientation for each of them")
    turns = [_rotation(item) for item in entries['through'].items()]
    if len(turns) + 1 != len(path.shares):
        marked.fail(f'expected {len(path.shares) - 1} orientations, one for each place; got '
                    f'{len(turns)}')
    return ThroughOrientations([R, *turns], path.shares, path.half_widths)


READERS = {
    'rpy': _to, 'quaternion': _to, 'turn': _turn, 'euler': _euler, 'direction': _direction,
    'azimuth_elevation': _angles('azimuth_elevation', 2, PointingAngles, (0.0, 0.0, 1.0)),
    'spin': _angles('spin', 3, DirectionAndSpin, (1.0, 0.0, 0.0)), 'through': _through}
