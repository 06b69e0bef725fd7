# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded motion for commands: options, the model of the arm, the motion in a bag."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Literal, NamedTuple
import warnings

import numpy as np

from kane_dynamics.commands.options.arm_options import (
    add_gravity, add_lock, ARM, locked_positions, pair, quantity)
from kane_dynamics.dynamics.calibration import load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.io.progress import Progress
from kane_dynamics.io.text import clean, counted, PATH
from kane_dynamics.model.library.robot_library import load_robot
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.robot import Robot
from kane_dynamics.recorded.bags.joint_states import CLOCKS, JointStates
from kane_dynamics.recorded.smoothing.smoother import Smoother, SPEEDS
from kane_dynamics.trajectory.motion import Motion

BEYOND = 0.2        # fraction of a joint's range; farther beyond its limits is no overshoot


def add_arm_options(parser: ArgumentParser) -> None:
    """Add the arguments that specify the recorded arm."""
    parser.add_argument('--urdf', required=True, help=ARM)
    add_gravity(parser)
    parser.add_argument('--calibration', metavar='FILE',
                        help='friction, rotor inertias and link inertias, as written by '
                        '`kane identify`')
    add_lock(parser, 'position of a joint that did not move and is not in the bag')


def add_bag_options(parser: ArgumentParser) -> None:
    """Add the options of reading and smoothing a bag."""
    parser.add_argument('--topic', help='topic of type sensor_msgs/msg/JointState; default: the '
                        'only one, or /joint_states')
    parser.add_argument('--rename', type=pair, action='append', default=[], metavar='OLD=NEW',
                        help='replace a joint name in the bag, or the beginning of names; may be '
                        'repeated')
    parser.add_argument('--bandwidth', type=quantity('Hz'), metavar='HZ',
                        help='half-power bandwidth of the zero-phase filter; default 10 Hz, or a '
                        'sixth of the sample rate if that is less')
    parser.add_argument('--speeds', choices=SPEEDS, default='auto',
                        help='source of the velocities: recorded (measured) or differentiated '
                        'positions (position); auto: measured if the bag has them')
    parser.add_argument('--clock', choices=CLOCKS, default='auto',
                        help='time: header.stamp (header) or the time of recording (bag); auto: '
                        'header unless it is zero')
    parser.add_argument('--from', type=quantity('s'), dest='start', metavar='S',
                        default=float('-inf'),
                        help='skip the samples before this time, from the first message')
    parser.add_argument('--to', type=quantity('s'), dest='end', metavar='S', default=float('inf'),
                        help='skip the samples after this time')


class RecordedArm(NamedTuple):
    """The model of a recorded arm, and {joint: position [rad or m]} of its locked joints."""

    dynamics: Dynamics
    locked: dict[str, float]


def load_model(arguments: Namespace, friction: Literal['none', 'urdf'] = 'none') -> RecordedArm:
    """Return the recorded arm: calibrated, with locked joints, rigid."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', KaneDynamicsWarning)
        robot = load_robot(arguments.urdf, arguments.gravity)
    for warning in caught:    # once, although locking repeats them
        warnings.warn(str(warning.message), KaneDynamicsWarning, stacklevel=2)
    if robot.floating_base:
        raise InputError(f'{arguments.urdf}: joint states lack the motion of a floating base')
    if robot.n_modes:
        warnings.warn(f'{robot.name}: flexible links and joints are treated as rigid',
                      KaneDynamicsWarning, stacklevel=2)
        robot = robot.rigid()
    locked = locked_positions(arguments, robot)
    if arguments.calibration:
        calibration = load_calibration(arguments.calibration)
        robot = lock_joints(robot, {name: value for name, value in locked.items()
                                    if name not in calibration.locked})
        return RecordedArm(calibration.dynamics(robot), {**locked, **calibration.locked})
    robot = lock_joints(robot, locked)
    return RecordedArm(Dynamics(robot, Friction.of(robot) if friction == 'urdf' else None),
                       locked)


class Recording:
    """The motion in a bag, read with the options; it can be iterated several times."""

    def __init__(self, path: str | Path, robot: Robot, arguments: Namespace, label: str,
                 errors: bool = False) -> None:
        self.path = Path(path)
        self._robot, self._arguments, self._label = robot, arguments, label
        self._errors = errors
        self.states = JointStates(path, robot.joint_names, arguments.topic,
                                  dict(arguments.rename), arguments.clock)
        self.smoother = self._new_smoother()
        self._low, self._high = np.full((2, robot.n_joints), np.nan)
        self._last = 0.0        # [s] after the first message
        # called with the fraction that is read; None: reading has its own progress bar
        self.watch: Callable[[float], object] | None = None

    def _watched(self, done: float) -> None:
        if self.watch is not None:
            self.watch(done / max(self.states.count, 1))

    def _new_smoother(self) -> Smoother:
        continuous = [k for k, joint in enumerate(self._robot.independent_joints)
                      if joint.kind == 'continuous']
        return Smoother(self._robot.joint_names, self._arguments.bandwidth,
                        self._arguments.speeds, continuous, self._errors)

    def __iter__(self) -> Iterator[Motion]:
        arguments = self._arguments
        self.smoother = self._new_smoother()
        with nullcontext() if self.watch else Progress(self.states.count, self._label) as bar:
            self.states.progress = bar.reach if bar else self._watched
            for motion in self.smoother.motions(self.states):
                self._last = float(motion.t[-1])
                part = motion.between(arguments.start, arguments.end)
                if len(part):
                    self._low = np.fmin(self._low, part.q.min(axis=0))
                    self._high = np.fmax(self._high, part.q.max(axis=0))
                    yield part

    @property
    def name(self) -> str:
        """Return the name of the bag without its ending."""
        return self.path.resolve().stem

    def account(self) -> list[str]:
        """Return lines on how the bag was read and smoothed."""
        smoother, lines = self.smoother, self.states.ledger.lines()
        speeds = {'measured': 'velocity: recorded, filtered; acceleration: its derivative',
                  'position': 'velocity and acceleration: derivatives of the position'}
        kernel = smoother.kernel
        if kernel is not None:
            lines.insert(0, f'{self.path}: {clean(self.states.topic.name, PATH)}, '
                         f'{1.0 / kernel.period:.4g} Hz')
            lines += [f'{speeds[smoother.speeds]}; zero-phase filter, half power at '
                      f'{kernel.bandwidth:.3g} Hz']
        if smoother.at_ends:
            lines.append(f'{counted(smoother.at_ends, "sample")} at the ends of '
                         f'{counted(smoother.pieces, "piece")} left out')
        if smoother.gaps:
            lines.append(f'{counted(smoother.gaps, "gap")} in time, the longest '
                         f'{smoother.longest_gap:.3f} s')
        start, end = self._arguments.start, self._arguments.end
        outside = [f'before {start:g} s'] * (start > 0.0) + [f'after {end:g} s'] * (
            end < self._last)
        if outside:
            lines.append(f'samples {" and ".join(outside)} skipped, as requested; there are '
                         f'samples up to {self._last:.3f} s')
        if smoother.short_pieces and kernel is not None:
            lines.append(f'{counted(smoother.short_pieces, "piece")} too short to filter: the '
                         f'filter needs {kernel.reach * kernel.period:.2g} s on both sides')
        if smoother.turns:
            lines.append(f'{counted(smoother.turns, "full turn")} of continuous joints unwrapped')
        return lines + self._beyond()

    def _beyond(self) -> list[str]:
        """Return a line on joints that were recorded far beyond the limits of the URDF."""
        lower, upper = self._robot.limits.lower, self._robot.limits.upper
        slack = BEYOND * (upper - lower)
        joints = np.flatnonzero((self._low < lower - slack) | (self._high > upper + slack))
        if not len(joints):
            return []
        names, k = self._robot.joint_names, joints[0]
        unit, other = ('m', 'mm') if self._robot.independent_joints[k].kind == 'prismatic' else (
            'rad', 'degrees')
        return [f'{", ".join(names[j] for j in joints)} far beyond the limits of the URDF '
                f'({names[k]} from {self._low[k]:.4g} to {self._high[k]:.4g} {unit}, limits '
                f'{lower[k]:.4g} and {upper[k]:.4g}): were positions recorded in {other}?']


def free_path(wanted: str | Path) -> Path:
    """Return the path, or the first of path_2, path_3, ... that does not exist."""
    path = Path(wanted)
    count, candidate = 1, path
    while candidate.exists():
        count += 1
        candidate = path.with_name(f'{path.stem}_{count}{path.suffix}')
    return candidate
