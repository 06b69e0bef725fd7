# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compute an excitation trajectory for identification, for joint_trajectory_controller.

kane excite arm.urdf --above 0.1 --range joint_2=-1:0.5
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from kane_dynamics.commands.options.arm_options import add_arm, pair, position, quantity
from kane_dynamics.commands.options.bag_options import load_model
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import write_text
from kane_dynamics.io.progress import Progress
from kane_dynamics.model.robot import Robot
from kane_dynamics.recorded.identify.excitation import Excitation, ExcitationBounds
from kane_dynamics.trajectory.fourier import FourierMotion
from kane_dynamics.trajectory.trajectory_file import (
    trajectory_csv, trajectory_json, trajectory_yaml)

# Condition numbers of exciting motions: below about 100 the estimates are reliable (Gautier and
# Khalil 1992); beyond 1000 the weakest combination is lost in efforts with 0.1 % of noise.
GOOD, FAIR = 100.0, 1000.0


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--calibration', metavar='FILE',
                        help='friction and inertias, as written by `kane identify`')
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='write NAME.yaml and NAME.csv; default: the name of the URDF and '
                        '"_excitation"')
    parser.add_argument('--json', action='store_true', help='also write NAME.json')
    parser.add_argument('--force', action='store_true', help='overwrite existing files')
    parser.add_argument('--period', type=quantity('s'), default=10.0, metavar='S',
                        help='period of the motion, default 10 s')
    parser.add_argument('--periods', type=int, default=4, help='number of periods, default 4')
    parser.add_argument('--harmonics', type=int, default=5,
                        help='number of harmonics of 1/period, default 5')
    parser.add_argument('--position-fraction', type=float, default=0.8, metavar='X',
                        help='of the position range of each joint, default 0.8')
    parser.add_argument('--speed-fraction', type=float, default=0.5, metavar='X',
                        help='of the velocity limits, default 0.5')
    parser.add_argument('--effort-fraction', type=float, default=0.8, metavar='X',
                        help='of the effort limits, default 0.8')
    parser.add_argument('--acceleration', type=float, default=3.0, metavar='A',
                        help='largest acceleration [rad/s^2 or m/s^2], default 3')
    parser.add_argument('--range', type=pair, action='append', default=[], metavar='JOINT=LO:HI',
                        help='position range of a joint instead of its limits; may be repeated')
    parser.add_argument('--above', type=quantity('m'), metavar='Z',
                        help='keep the origins of all links above this height [m] in the base '
                        'frame')
    parser.add_argument('--rate', type=quantity('Hz'), default=20.0, metavar='HZ',
                        help='points per second, default 20')
    parser.add_argument('--lead-in', type=quantity('s'), default=5.0, metavar='S',
                        help='time for the motion to the first point, default 5 s')
    parser.add_argument('--steps', type=int, default=1000,
                        help='iterations of the search, default 1000')
    parser.add_argument('--seed', type=int, default=0, help='seed of the search, default 0')


def run(arguments: Namespace) -> int:
    """Print a description of the trajectory; write it."""
    dynamics = load_model(arguments).dynamics
    robot = dynamics.robot
    name = arguments.output or Path(arguments.urdf).with_suffix('').name + '_excitation'
    paths = [Path(f'{name}.{ending}') for ending in ('yaml', 'csv', 'json')][
        :3 if arguments.json else 2]
    taken = [str(path) for path in paths if path.exists()]
    if taken and not arguments.force:
        raise InputError(f'{", ".join(taken)} exists already; name another with -o, or use '
                         '--force')
    if arguments.steps < 1 or arguments.periods < 1 or not arguments.rate > 0.0:
        raise InputError('--steps and --periods must be 1 or more, --rate positive')
    bounds = ExcitationBounds.of(robot, arguments.position_fraction,
                                 arguments.speed_fraction, arguments.acceleration,
                                 arguments.effort_fraction,
                                 {joint: _range(robot, joint, text)
                                  for joint, text in arguments.range})
    search = Excitation(dynamics, bounds, arguments.period, arguments.harmonics,
                        arguments.above, arguments.seed)
    with Progress(arguments.steps, 'searching') as progress:
        motion, condition = search.search(arguments.steps, progress.reach)
    trajectory = motion.trajectory(robot.joint_names, arguments.periods, arguments.rate,
                                   arguments.lead_in)
    lines = _description(arguments, robot, motion, search, condition)
    texts = (trajectory_yaml(trajectory, lines), trajectory_csv(trajectory),
             trajectory_json(trajectory))
    for path, text in zip(paths, texts):
        write_text(path, text, arguments.force)
    print('\n'.join(lines))
    print('written: ' + ', '.join(map(str, paths)))
    return 0


def judged_condition(condition: float) -> str:
    """Return a condition number in words: how well the motion separates the parameters."""
    if condition <= GOOD:
        return 'good, every combination of parameters shows in the efforts'
    more = 'raise --steps, --acceleration or --speed-fraction, or widen --range'
    if condition <= FAIR:
        return f'fair, some combinations of parameters will have wide intervals; {more}'
    return f'poor for inertias, enough for `kane identify --fit friction`; {more}'


def _range(robot: Robot, joint: str, text: str) -> tuple[float, float]:
    low, sign, high = text.partition(':')
    if not sign:
        raise InputError(f'--range {joint}: expected LO:HI, got {text!r}')
    return position(robot, joint, low, '--range'), position(robot, joint, high, '--range')


def _description(arguments: Namespace, robot: Robot, motion: FourierMotion, search: Excitation,
                 condition: float) -> list[str]:
    low, high, speed, rise = motion.extremes()
    effort = search.largest_efforts(motion)
    percent = 100.0 * effort / np.where(robot.limits.effort > 0.0, robot.limits.effort, np.inf)
    width = max(map(len, robot.joint_names))
    lines = [f'Excitation trajectory of {robot.name}: {arguments.periods} periods of '
             f'{arguments.period:g} s, {arguments.harmonics} harmonics of '
             f'{1.0 / arguments.period:g} Hz, after {arguments.lead_in:g} s to its first point',
             f'Condition number of the scaled regressor: {condition:.3g}: '
             f'{judged_condition(condition)}',
             'Within the limits of the URDF. COLLISIONS ARE NOT CHECKED: simulate it first.',
             'rad, rad/s, rad/s^2, N m; prismatic joints: m, m/s, m/s^2, N',
             f'{"joint":<{width}}  {"from":>8}  {"to":>8}  {"speed":>7}  {"accel":>7}  '
             f'{"effort":>8}  % of limit']
    for row in zip(robot.joint_names, low, high, speed, rise, effort, percent):
        lines.append(f'{row[0]:<{width}}  {row[1]:8.3f}  {row[2]:8.3f}  {row[3]:7.3f}  '
                     f'{row[4]:7.3f}  {row[5]:8.3f}  {row[6]:9.0f}')
    return lines
