# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A task file to start from: for one arm, with comments on all that may be added."""

from __future__ import annotations

import json
import math
from pathlib import Path
import re

import numpy as np

from kane_dynamics.analysis.task_file.space_steps import FULL
from kane_dynamics.io.text import clean
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray

SCHEMA_FILE = 'kane_task.schema.json'
MOVE = 0.25         # [rad or m] that the joints move, unless their range is shorter
DURATION = 3.0      # [s]


def new_task(robot: Robot, arm: str | Path, locked: dict[str, float] | None = None) -> str:
    """Return the text of a task file: a joint motion of the robot within its limits.

    arm: the file or the name of the robot, as the task file names it; locked: {joint: position
    [rad or m]} of the joints that are fixed in `robot`.
    """
    start, end = _two_configurations(robot)
    tip, first = robot.tip(), robot.independent_joints[0]
    joints = '\n'.join(f'#   {line}' for line in _joint_lines(robot))
    fixed = ''.join(f'\n  {_quoted(name)}: {value:g}' for name, value in (locked or {}).items())
    lock = f'lock:{fixed}\n' if fixed else '# lock: {finger_joint: 20 mm}   # joints to fix\n'
    return f"""\
# yaml-language-server: $schema={SCHEMA_FILE}
# Can {clean(robot.name)} perform this task? Check it with: kane analyze THIS_FILE
# Numbers are in SI units; a unit may be written: 90 deg, 20 mm, 1500 rpm, 2 N m.
# Joints, in the order of lists of positions:
{joints}

arm: {_quoted(str(arm))}
{lock}payload: {{mass: 1 kg, link: {_quoted(tip)}, com: [0, 0, 50 mm]}}
# friction: none          # default: damping and friction of the URDF
# gravity: [0, 0, -9.81]
# base: {{rpy: [0, 0, 0], position: [0, 0, 0]}}

task:
  - way_points:
      - {_configuration(robot, start)}
      - {_configuration(robot, end)}
      - {_configuration(robot, start)}
    duration: {DURATION:g} s          # or `minimum`: as fast as the limits allow
  - {{hold: 0.5 s}}
{_line(robot, tip)}
# limits:                 # beside those of the URDF
#   joints: {{{_quoted(first.name)}: {{torque: 50 {first.effort_unit}}}}}
#   energy: 200 J
# motors:                 # by joint; `default` for the others
#   default:
#     motor: {{torque_constant: 0.07 N m/A, resistance: 0.35 ohm, max_current: 25 A}}
#     gear: {{ratio: 100, efficiency: 80 %}}
# sections:               # for stress and deflection, by link
#   {_quoted(first.child)}:
#     {{shape: tube, outer_radius: 40 mm, inner_radius: 36 mm, material: 6082-T6}}
"""


def _two_configurations(robot: Robot) -> tuple[FloatArray, FloatArray]:
    """Return two configurations (n,) inside the limits, a short motion apart."""
    lower, upper = (np.where(np.isfinite(each), each, side * math.pi) for each, side in (
        (robot.limits.lower, -1.0), (robot.limits.upper, 1.0)))
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    # near zero, where arms are usually drawn, but off the limits and off straight, singular arms
    start = np.clip(0.3, middle - 0.6 * half, middle + 0.6 * half)
    step = np.minimum(MOVE, 0.3 * half)
    return np.asarray(start), np.asarray(np.where(start + step < upper, start + step,
                                                  start - step))


def _configuration(robot: Robot, q: FloatArray) -> str:
    parts = [f'{math.degrees(value):.3g} deg' if joint.unit == 'rad' else f'{1e3 * value:.3g} mm'
             for joint, value in zip(robot.independent_joints, q)]
    return f'[{", ".join(parts)}]'


def _joint_lines(robot: Robot) -> list[str]:
    lines = []
    limits = robot.limits
    for k, joint in enumerate(robot.independent_joints):
        low, high = limits.lower[k], limits.upper[k]
        scale, unit = (180.0 / math.pi, 'deg') if joint.unit == 'rad' else (1e3, 'mm')
        span = (f'{scale * low:.4g} ... {scale * high:.4g} {unit}'
                if math.isfinite(low) and math.isfinite(high) else 'no position limits')
        speed = f', {scale * limits.velocity[k]:.4g} {unit}/s' * bool(
            math.isfinite(limits.velocity[k]))
        effort = f', {limits.effort[k]:.4g} {joint.effort_unit}' * bool(
            math.isfinite(limits.effort[k]))
        lines.append(f'{clean(joint.name)}: {span}{speed}{effort}')
    return lines


def _line(robot: Robot, tip: str) -> str:
    """Return a step in space, as a comment: whether it is reachable is for the user to say."""
    moving = {joint.follows.joint for joint in robot.chain(tip) if joint.kind != 'fixed'}
    more = ''
    if len(moving) > FULL:
        names = [name for name in robot.joint_names if name in moving][FULL:]
        frozen = ', '.join(f'{_quoted(name)}: frozen' for name in names)
        more = f', spare: {{{frozen}}}, orientation: keep'
    elif len(moving) < FULL:
        return ('# A straight line of the tool; an arm with more or less than three joints needs\n'
                '# `spare` or `orientation`:\n# - {line: {by: [0, 0, 50 mm]}, duration: 1 s}')
    return ('# A straight line of the tool, which keeps its orientation:\n'
            f'# - {{line: {{by: [0, 0, 50 mm]}}{more}, duration: 1 s}}')


def _quoted(name: str) -> str:
    """Return a name as YAML reads it back, in quotes where it needs them."""
    return name if re.fullmatch(r'[A-Za-z_][\w./-]*', name, re.ASCII) else json.dumps(name)
