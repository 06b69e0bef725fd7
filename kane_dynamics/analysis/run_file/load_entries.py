# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loads in a run file: forces on links, springs, payloads in time, base motion, constraints."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.study.study import HeldPayload
from kane_dynamics.analysis.task_file.equipment import quantities, read_payloads
from kane_dynamics.dynamics.constraints.constraints import (
    Loop, LoopKind, LOOPS, PointOnSurfaces)
from kane_dynamics.dynamics.constraints.surfaces import (
    Cylinder, line_surfaces, Plane, Sphere, Surface)
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.csv_table import read_series
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.springs import AttachedSpring, JointSpring, LinkSpring
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import turned
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.simulation.equations.link_forces import AXES, Axes, LinkForce
from kane_dynamics.simulation.time_table import Interpolation, INTERPOLATIONS, TimeTable

PARTS = ('fx', 'fy', 'fz', 'mx', 'my', 'mz')
LAW = {'stiffness': '', 'rest': '', 'preload': ''}


class TimedPayload(NamedTuple):
    """A payload that is held from a time until another [s]."""

    payload: HeldPayload
    start: float
    end: float


def interval(entries: dict[str, Marked]) -> tuple[float, float]:
    """Return the times `from` and `until` [s] of an entry; from the start, to the end."""
    start = entries['from'].number('s', low=0.0) if 'from' in entries else 0.0
    end = entries['until'].number('s', above=start) if 'until' in entries else math.inf
    return start, end


def interpolation(entries: dict[str, Marked]) -> Interpolation:
    """Return the entry `interpolation` of a table; cubic by default."""
    given = 'cubic'
    if 'interpolation' in entries:
        given = entries['interpolation'].text(INTERPOLATIONS)
    return next(each for each in INTERPOLATIONS if each == given)


# -- forces --------------------------------------------------------------------------------------

def read_forces(marked: Marked, robot: Robot, folder: Path) -> tuple[LinkForce, ...]:
    """Return the LinkForces of the entry `forces`, a list."""
    return tuple(_force(each, robot, folder) for each in marked.items())


def _force(marked: Marked, robot: Robot, folder: Path) -> LinkForce:
    entries = marked.fields(('link', 'force', 'moment', 'table', 'interpolation', 'point', 'axes',
                             'from', 'until'), ('link',))
    link = entries['link'].text(robot.link_names)
    point = entries['point'].numbers(3, 'm') if 'point' in entries else (0.0, 0.0, 0.0)
    given = entries['axes'].text(AXES) if 'axes' in entries else 'base'
    axes: Axes = 'link' if given == 'link' else 'base'
    start, end = interval(entries)
    values: Callable[[float], FloatArray]
    if 'table' in entries:
        for name in ('force', 'moment'):
            if name in entries:
                entries[name].fail(f'{name} goes without a table; leave one of them out')
        path = entries['table'].file_path(folder)
        t, rows = entries['table'].build(read_series, path, [[part] for part in PARTS])
        values = entries['table'].build(TimeTable, t, rows, interpolation(entries))
    else:
        if 'force' not in entries and 'moment' not in entries:
            marked.fail("expected 'force' [N], 'moment' [N m] or 'table' (CSV: t, "
                        f'{", ".join(PARTS)})')
        force = entries['force'].numbers(3, 'N') if 'force' in entries else [0.0] * 3
        moment = entries['moment'].numbers(3, 'N m') if 'moment' in entries else [0.0] * 3
        wrench = np.array([*force, *moment])
        if start == 0.0 and end == math.inf:
            return marked.build(LinkForce, link, wrench, point, axes)

        def values(t: float) -> FloatArray:
            return wrench

    def within(t: float) -> FloatArray:
        return values(t) if start <= t < end else np.zeros(6)
    return marked.build(LinkForce, link, within, point, axes)


# -- springs and payloads ------------------------------------------------------------------------

def read_springs(marked: Marked, robot: Robot) -> tuple[AttachedSpring, ...]:
    """Return the springs of the entry `springs`, a list, in addition to those of the arm."""
    return tuple(_spring(each, robot) for each in marked.items())


def _spring(marked: Marked, robot: Robot) -> AttachedSpring:
    entries = marked.fields((*LAW, 'joint', 'ends'))
    if ('joint' in entries) == ('ends' in entries):
        marked.fail("expected 'joint', or 'ends', two of {link: ..., point: [...]}")
    if 'joint' in entries:
        names = tuple(joint.name for joint in robot.moving_joints)
        joint = robot.joint(entries['joint'].text(names))
        units = (f'{joint.effort_unit}/{joint.unit}', joint.unit, joint.effort_unit)
        law = {name: entries[name].number(unit) for name, unit in zip(LAW, units)
               if name in entries}
        return marked.build(JointSpring, joint=joint.name, **law)
    law = {name: entries[name].number(unit) for name, unit in zip(LAW, ('N/m', 'm', 'N'))
           if name in entries}
    ends = []
    for end in entries['ends'].items():
        own = end.fields(('link', 'point'), ('link',))
        ends.append((own['link'].text(robot.link_names), np.array(
            own['point'].numbers(3, 'm') if 'point' in own else [0.0] * 3)))
    if len(ends) != 2:
        entries['ends'].fail(f'expected 2 ends, got {len(ends)}')
    return marked.build(LinkSpring, ends=(ends[0], ends[1]), **law)


def read_timed_payloads(marked: Marked, robot: Robot) -> tuple[TimedPayload, ...]:
    """Return the TimedPayloads of the entry `payload`: one, or a list."""
    found = []
    for each in marked.items() if marked.is_list else [marked]:
        times = {name: value for name, value in each.entries().items()
                 if name in ('from', 'until')}
        found += [TimedPayload(payload, *interval(times))
                  for payload in read_payloads(each.without(tuple(times)), robot)]
    return tuple(found)


# -- base ----------------------------------------------------------------------------------------

def read_base_motion(marked: Marked) -> BaseMotion:
    """Return the BaseMotion of the entry `moving_base`: a harmonic of time in each freedom.

    shake: amplitude (3,) [m], tilt: amplitude [rad] about `axis` (3,), frequency [Hz].
    """
    numbers, rest = quantities(marked, {'frequency': 'Hz', 'tilt': 'rad', 'phase': 'rad'},
                               ('frequency',), ('shake', 'axis'))
    omega, phase = 2.0 * math.pi * numbers['frequency'], numbers.get('phase', 0.0)
    shift = np.array(rest['shake'].numbers(3, 'm')) if 'shake' in rest else np.zeros(3)
    tilt = numbers.get('tilt', 0.0)
    axis = np.array(rest['axis'].numbers(3)) if 'axis' in rest else np.array([1.0, 0.0, 0.0])
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        rest['axis'].fail('expected a direction, got zeros')
    axis = axis / length

    def motion(t: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        s, c = math.sin(omega * t + phase), math.cos(omega * t + phase)
        return (turned(axis, np.array([tilt * s]))[0], axis * (tilt * omega * c),
                axis * (-tilt * omega * omega * s), shift * (-omega * omega * s))
    return BaseMotion(motion)


# -- constraints ---------------------------------------------------------------------------------

def read_constraints(marked: Marked, dynamics: Dynamics,
                     q: FloatArray) -> tuple[PointOnSurfaces | Loop, ...]:
    """Return the constraints of the entry `constraints`, a list; q (nq,): the first state."""
    return tuple(_constraint(each, dynamics, q) for each in marked.items())


def _constraint(marked: Marked, dynamics: Dynamics, q: FloatArray) -> PointOnSurfaces | Loop:
    robot = dynamics.robot
    entries = marked.entries()
    if 'loop' in entries:
        marked.fields(('loop',))
        own = entries['loop'].fields(('kind', 'first', 'second', 'point', 'axis'),
                                     ('first', 'second'))
        first, second = (own[name].text(robot.link_names) for name in ('first', 'second'))
        given = own['kind'].text(LOOPS) if 'kind' in own else 'point'
        kind: LoopKind = next(each for each in LOOPS if each == given)
        point = own['point'].numbers(3, 'm') if 'point' in own else (0.0, 0.0, 0.0)
        axis = own['axis'].numbers(3) if 'axis' in own else None
        return entries['loop'].build(Loop.closed, dynamics, q, first, second, point, kind, axis)
    marked.fields(('link', 'point', 'plane', 'sphere', 'cylinder', 'line'), ('link',))
    link = entries['link'].text(robot.link_names)
    surfaces: list[Surface] = []
    for name in ('plane', 'sphere', 'cylinder', 'line'):
        if name in entries:
            surfaces += _surfaces(entries[name], name)
    point = entries['point'].numbers(3, 'm') if 'point' in entries else (0.0, 0.0, 0.0)
    if not surfaces:
        marked.fail("expected 'loop', or a link on a 'plane', 'sphere', 'cylinder' or 'line'")
    return marked.build(PointOnSurfaces, link, *surfaces, point=point)


def _surfaces(marked: Marked, kind: str) -> list[Surface]:
    names = {'plane': ('point', 'normal'), 'sphere': ('centre', 'radius'),
             'cylinder': ('point', 'axis', 'radius'), 'line': ('point', 'direction')}[kind]
    entries = marked.fields(names, names)
    vectors = [entries[name].numbers(3, 'm' if name in ('point', 'centre') else '')
               for name in names if name != 'radius']
    if kind == 'line':
        return list(marked.build(line_surfaces, *vectors))
    if kind == 'plane':
        return [marked.build(Plane, *vectors)]
    radius = entries['radius'].number('m', above=0.0)
    if kind == 'sphere':
        return [marked.build(Sphere, vectors[0], radius)]
    return [marked.build(Cylinder, vectors[0], vectors[1], radius)]
