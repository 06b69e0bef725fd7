# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What commands that read recorded motion share: options, the arm, the stream of motion."""

from __future__ import annotations

import argparse
from pathlib import Path
import warnings

import numpy as np

from kane_dynamics.bags.joint_states import CLOCKS, JointStates
from kane_dynamics.dynamics.calibration import load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.urdf import load_urdf
from kane_dynamics.motion.progress import Progress
from kane_dynamics.motion.smoothing import Smoother, SPEEDS


BEYOND = 0.2        # of a joint's range, beyond its limits: more is no overshoot


def add_arm_options(parser):
    """Add --urdf and what places the arm."""
    parser.add_argument('--urdf', required=True, help='URDF or .xacro file of the arm')
    parser.add_argument('--gravity', type=float, nargs=3, default=(0.0, 0.0, -9.81),
                        metavar=('X', 'Y', 'Z'), help='[m/s^2], default 0 0 -9.81')
    parser.add_argument('--calibration', metavar='FILE',
                        help='friction, rotors and inertias as `kane identify` writes them')
    parser.add_argument('--lock', type=pair, action='append', default=[], metavar='JOINT=POS',
                        help='a joint that stood still and is not in the bag [rad or m]; '
                        'may be repeated')


def add_bag_options(parser):
    """Add how a bag is read and smoothed."""
    parser.add_argument('--topic', help='of sensor_msgs/msg/JointState; default: the one there is')
    parser.add_argument('--rename', type=pair, action='append', default=[], metavar='OLD=NEW',
                        help='a joint name in the bag, or the beginning of names, and what the '
                        'URDF has instead; may be repeated')
    parser.add_argument('--bandwidth', type=float, metavar='HZ',
                        help='half-power bandwidth of the zero-phase filter; default 10 Hz, or a '
                        'sixth of the sample rate')
    parser.add_argument('--speeds', choices=SPEEDS, default='auto',
                        help='where velocity comes from; auto: measured, if the bag has it')
    parser.add_argument('--clock', choices=CLOCKS, default='auto',
                        help='header.stamp or the time of recording')
    parser.add_argument('--from', type=float, dest='start', metavar='S', default=float('-inf'),
                        help='leave out what is before, seconds after the first message')
    parser.add_argument('--to', type=float, dest='end', metavar='S', default=float('inf'),
                        help='leave out what is after')


def load_model(arguments, friction=None):
    """Return the Dynamics of the arm as it was recorded: calibrated, joints locked, rigid."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', KaneDynamicsWarning)
        robot = load_urdf(arguments.urdf, gravity=arguments.gravity)
    for warning in caught:    # about the whole file; once is enough
        warnings.warn(str(warning.message), KaneDynamicsWarning, stacklevel=2)
    if robot.floating_base:
        raise InputError(f'{arguments.urdf}: a floating base cannot be told from joint states')
    if robot.n_modes:
        warnings.warn(f'{robot.name}: flexible links and joints are taken as rigid',
                      KaneDynamicsWarning, stacklevel=2)
        robot = robot.rigid()
    locked = {name: number(value, '--lock') for name, value in arguments.lock}
    if arguments.calibration:
        calibration = load_calibration(arguments.calibration)
        robot = lock_joints(robot, {name: value for name, value in locked.items()
                                    if name not in calibration.locked})
        return calibration.dynamics(robot)
    robot = lock_joints(robot, locked)
    return Dynamics(robot, Friction.of(robot) if friction == 'urdf' else None)


class Recording:
    """The motion in a bag, as the options ask; iterate as often as needed."""

    def __init__(self, path, robot, arguments, label):
        self.path = Path(path)
        self._robot, self._arguments, self._label = robot, arguments, label
        self.states = JointStates(path, robot.joint_names, arguments.topic,
                                  dict(arguments.rename), arguments.clock)
        self.smoother = None
        self._low, self._high = np.full((2, robot.n_joints), np.nan)
        self._last = 0.0        # [s] after the first message

    def __iter__(self):
        continuous = [k for k, joint in enumerate(self._robot.independent_joints)
                      if joint.kind == 'continuous']
        arguments = self._arguments
        self.smoother = Smoother(self._robot.joint_names, arguments.bandwidth, arguments.speeds,
                                 continuous)
        with Progress(self.states.count, self._label) as progress:
            self.states.progress = progress.reach
            for motion in self.smoother.motions(self.states):
                self._last = float(motion.t[-1])
                part = motion.between(arguments.start, arguments.end)
                if len(part):
                    self._low = np.fmin(self._low, part.q.min(axis=0))
                    self._high = np.fmax(self._high, part.q.max(axis=0))
                    yield part

    @property
    def name(self):
        """Return the bag's name without its ending."""
        return self.path.resolve().stem

    def account(self):
        """Return what was done with the bag, in lines."""
        smoother, lines = self.smoother, self.states.ledger.lines()
        speeds = {'measured': 'velocity: recorded, filtered; acceleration: its derivative',
                  'position': 'velocity and acceleration: derivatives of the position'}
        if smoother.period is not None:
            lines.insert(0, f'{self.path}: {self.states.topic.name}, '
                         f'{1.0 / smoother.period:.4g} Hz')
            lines += [f'{speeds[smoother.speeds]}; zero phase, half power at '
                      f'{smoother.bandwidth:.3g} Hz']
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
            lines.append(f'what is {" and ".join(outside)} left out, as asked; there are samples '
                         f'up to {self._last:.3f} s')
        if smoother.short_pieces:
            reach = smoother.kernel.reach * smoother.period
            lines.append(f'{counted(smoother.short_pieces, "piece")} too short to filter: the '
                         f'filter reaches {reach:.2g} s to both sides')
        if smoother.turns:
            lines.append(f'{counted(smoother.turns, "full turn")} of continuous joints taken out')
        return lines + self._beyond()

    def _beyond(self):
        """Return a line on joints that were recorded far beyond the limits of the URDF, if any."""
        lower, upper = self._robot.limits.lower, self._robot.limits.upper
        slack = BEYOND * (upper - lower)
        places = np.flatnonzero((self._low < lower - slack) | (self._high > upper + slack))
        if not len(places):
            return []
        names, k = self._robot.joint_names, places[0]
        unit, other = ('m', 'mm') if self._robot.independent_joints[k].kind == 'prismatic' else (
            'rad', 'degrees')
        return [f'{", ".join(names[j] for j in places)} far beyond the limits of the URDF '
                f'({names[k]} from {self._low[k]:.4g} to {self._high[k]:.4g} {unit}, limits '
                f'{lower[k]:.4g} and {upper[k]:.4g}): are positions recorded in {other}?']


def counted(number, noun):
    """Return '1 piece', '2 pieces'."""
    return f'{number} {noun}{"s" * (number != 1)}'


def number(text, option):
    """Return a float from the command line."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f'{option}: expected a number, got {text!r}') from None


def free_path(path):
    """Return the path, or the first of path_2, path_3, ... that does not exist."""
    path = Path(path)
    count, candidate = 1, path
    while candidate.exists():
        count += 1
        candidate = path.with_name(f'{path.stem}_{count}{path.suffix}')
    return candidate


def pair(text):
    """Return (name, value) of NAME=VALUE on the command line."""
    name, sign, value = text.partition('=')
    if not sign or not name:
        raise argparse.ArgumentTypeError(f'expected NAME=VALUE, got {text!r}')
    return name, value
