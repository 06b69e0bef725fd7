# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Plan a motion that tells much about an arm, for joint_trajectory_controller to follow.

kane excite arm.urdf --above 0.1 --range joint_2=-1:0.5
"""

from pathlib import Path

import numpy as np

from kane_dynamics.analysis.excitation import Bounds, Excitation
from kane_dynamics.commands import add_arm
from kane_dynamics.commands.bag_options import load_model, number, pair
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.progress import Progress
from kane_dynamics.motion.trajectory_file import (
    trajectory_csv, trajectory_json, trajectory_yaml)


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)
    parser.add_argument('--calibration', metavar='FILE', help='friction and inertias, if known')
    parser.add_argument('--lock', type=pair, action='append', default=[], metavar='JOINT=POS',
                        help='a joint that is to stand still [rad or m]; may be repeated')
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='write NAME.yaml and NAME.csv; default: the name of the URDF and '
                        '"_excitation"')
    parser.add_argument('--json', action='store_true', help='write NAME.json too')
    parser.add_argument('--force', action='store_true', help='write over existing files')
    parser.add_argument('--period', type=float, default=10.0, metavar='S',
                        help='of the motion, default 10 s')
    parser.add_argument('--periods', type=int, default=4, help='how often it repeats, default 4')
    parser.add_argument('--harmonics', type=int, default=5, help='of 1/period, default 5')
    parser.add_argument('--position-share', type=float, default=0.8, metavar='PART',
                        help='of the range of each joint, default 0.8')
    parser.add_argument('--speed-share', type=float, default=0.5, metavar='PART',
                        help='of the limits of velocity, default 0.5')
    parser.add_argument('--effort-share', type=float, default=0.8, metavar='PART',
                        help='of the limits of effort, default 0.8')
    parser.add_argument('--acceleration', type=float, default=3.0, metavar='A',
                        help='largest one [rad/s^2 or m/s^2], default 3')
    parser.add_argument('--range', type=pair, action='append', default=[], metavar='JOINT=LO:HI',
                        help='a range instead of the limits; may be repeated')
    parser.add_argument('--above', type=float, metavar='Z',
                        help='keep the origins of all links above this height [m], base frame')
    parser.add_argument('--rate', type=float, default=20.0, help='points per second, default 20')
    parser.add_argument('--lead-in', type=float, default=5.0, metavar='S',
                        help='time for the controller to go to the first point, default 5 s')
    parser.add_argument('--steps', type=int, default=1000, help='motions to try, default 1000')
    parser.add_argument('--seed', type=int, default=0, help='of the search, default 0')


def run(arguments):
    """Print what the motion does; write it."""
    dynamics = load_model(arguments)
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
    bounds = Bounds.of(robot, arguments.position_share, arguments.speed_share,
                       arguments.acceleration, arguments.effort_share,
                       {joint: _range(joint, text) for joint, text in arguments.range})
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
        path.write_text(text, encoding='utf-8')
    print('\n'.join(lines))
    print('written: ' + ', '.join(map(str, paths)))
    return 0


def _range(joint, text):
    low, sign, high = text.partition(':')
    if not sign:
        raise InputError(f'--range {joint}: expected LO:HI, got {text!r}')
    return number(low, '--range'), number(high, '--range')


def _description(arguments, robot, motion, search, condition):
    low, high, speed, rise = motion.extremes()
    effort = search.largest_efforts(motion)
    share = 100.0 * effort / np.where(robot.limits.effort > 0.0, robot.limits.effort, np.inf)
    width = max(map(len, robot.joint_names))
    lines = [f'Exciting motion of {robot.name}: {arguments.periods} times '
             f'{arguments.period:g} s, {arguments.harmonics} harmonics of '
             f'{1.0 / arguments.period:g} Hz, after {arguments.lead_in:g} s to its first point',
             f'Condition number of its scaled regressor: {condition:.3g}',
             'Limits of the URDF are kept. COLLISIONS ARE NOT CHECKED: look at it in a simulation '
             'first.',
             'rad, rad/s, rad/s^2, N m; prismatic joints: m, m/s, m/s^2, N',
             f'{"joint":<{width}}  {"from":>8}  {"to":>8}  {"speed":>7}  {"accel":>7}  '
             f'{"effort":>8}  % of limit']
    for row in zip(robot.joint_names, low, high, speed, rise, effort, share):
        lines.append(f'{row[0]:<{width}}  {row[1]:8.3f}  {row[2]:8.3f}  {row[3]:7.3f}  '
                     f'{row[4]:7.3f}  {row[5]:8.3f}  {row[6]:9.0f}')
    return lines
