# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the commands that load an arm from a URDF."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
import re

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import counted, show
from kane_dynamics.io.units import parse
from kane_dynamics.model.inertia_checks import Unphysical
from kane_dynamics.model.library.robot_library import load_robot
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray

ARM = 'URDF, .xacro or MJCF file, or the name of a known robot such as panda'


def add_arm(parser: ArgumentParser) -> None:
    """Add the arguments that specify an arm."""
    parser.add_argument('urdf', help=ARM)
    parser.add_argument('--floating', action='store_true',
                        help='give the base six degrees of freedom')
    add_gravity(parser)
    add_lock(parser, 'fix a joint, such as that of a gripper, at this position')


def add_gravity(parser: ArgumentParser) -> None:
    """Add --gravity."""
    parser.add_argument('--gravity', type=float, nargs=3, metavar=('X', 'Y', 'Z'),
                        help='[m/s^2] in the base frame; default 0 0 -9.81, or that of an MJCF '
                        'file')


def add_lock(parser: ArgumentParser, purpose: str) -> None:
    """Add --lock; purpose: the beginning of its help."""
    parser.add_argument('--lock', type=pair, action='append', default=[], metavar='JOINT=POS',
                        help=f'{purpose} (0.02, 20mm, 90deg; without a unit in rad or m); may be '
                        'repeated')


def load_arm(arguments: Namespace, unphysical: Unphysical = 'refuse') -> Robot:
    """Return the Robot that the arguments specify; `unphysical` as in `load_urdf`."""
    robot = load_robot(arguments.urdf, arguments.gravity, arguments.floating, unphysical)
    return lock_joints(robot, locked_positions(arguments, robot))


def locked_positions(arguments: Namespace, robot: Robot) -> dict[str, float]:
    """Return {joint: position [rad or m]} of --lock."""
    return {name: position(robot, name, value, '--lock') for name, value in arguments.lock}


def pair(text: str) -> tuple[str, str]:
    """Return (name, value) of NAME=VALUE."""
    name, sign, value = text.partition('=')
    if not sign or not name:
        raise ArgumentTypeError(f'expected NAME=VALUE, got {text!r}')
    return name, value


def position(robot: Robot, joint: str, text: str, option: str) -> float:
    """Return the position of a joint [rad or m] in the text of an option."""
    try:
        return parse(text, robot.joint(joint).unit)
    except ValueError as error:
        raise InputError(f'{option} {joint}: {show(text)}: {error}') from None


def quantity(unit: str) -> Callable[[str], float]:
    """Return the type of an option with a number in this unit, or another that fits it."""
    def read(text: str) -> float:
        try:
            return parse(text, unit)
        except ValueError as error:
            raise ArgumentTypeError(f'{show(text)}: {error}') from None
    return read


def of_joints(robot: Robot, words: Sequence[str], option: str, rate: str = '') -> FloatArray:
    """Return the numbers of an option, one per joint, as an array (n_joints,).

    words: numbers with or without units, such as 90deg, or 90 and deg as two words. rate: '/s'
    for velocities, '/s^2' for accelerations.
    """
    texts = with_units(words)
    if len(texts) != robot.n_joints:
        raise InputError(f'{option} has {counted(len(texts), "number")}; {robot.name!r} has '
                         f'{counted(robot.n_joints, "joint")}: {list(robot.joint_names)}')
    found = np.zeros(robot.n_joints)
    for k, (joint, text) in enumerate(zip(robot.independent_joints, texts)):
        try:
            found[k] = parse(text, joint.unit + rate)
        except ValueError as error:
            raise InputError(f'{option}: {joint.name}: {show(text)}: {error}') from None
    if not np.isfinite(found).all():
        raise InputError(f'{option}: expected finite numbers, got {texts}')
    return found


def with_units(words: Sequence[str]) -> list[str]:
    """Return the numbers among words, each with the unit that follows it as another word."""
    texts: list[str] = []
    for word in words:
        if texts and not re.match(r'[-+.\d]|inf|nan', word):
            texts[-1] += ' ' + word
        else:
            texts.append(word)
    return texts
