# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the torques of a model with the efforts in a bag: a table, a bag, a page of curves.

kane evaluate recording --urdf arm.urdf
kane evaluate recording.db3 --urdf panda.urdf --rename fer_=panda_ --lock panda_finger_joint1=0
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
import json
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.report.evaluation_page import evaluation_page
from kane_dynamics.commands.options.bag_options import (
    add_arm_options, add_bag_options, free_path, load_model, Recording)
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import require_folder, write_text
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.bags.writer import BagWriter, STORAGES
from kane_dynamics.recorded.evaluate import evaluate
from kane_dynamics.recorded.identify.conclusion import conclude_evaluation
from kane_dynamics.trajectory.motion import Motion


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('bag', help='rosbag2 folder, .db3 or .mcap file')
    add_arm_options(parser)
    parser.add_argument('--friction', choices=('none', 'urdf'), default='none',
                        help='urdf: without a calibration, use friction and damping of <dynamics> '
                        'in the URDF')
    add_bag_options(parser)
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='write the bag NAME and the page NAME.html; default: the name of the '
                        'bag and "_evaluated", with a number if it exists')
    parser.add_argument('--storage', choices=STORAGES, default='sqlite3',
                        help='format of that bag, default sqlite3')
    parser.add_argument('--no-bag', action='store_true', help='write no bag')
    parser.add_argument('--no-page', action='store_true', help='write no page')
    parser.add_argument('--json', action='store_true', help='print the results as JSON')


def run(arguments: Namespace) -> int:
    """Print the table; write the bag and the page."""
    dynamics = load_model(arguments, arguments.friction).dynamics
    robot = dynamics.robot
    recording = Recording(arguments.bag, robot, arguments, 'evaluating')
    path = free_path(arguments.output or f'{recording.name}_evaluated')
    require_folder(path)
    with nullcontext() if arguments.no_bag else BagWriter(path, arguments.storage) as writer:
        result = evaluate(dynamics, recording, None if writer is None else _EffortWriter(
            writer, recording, robot.joint_names))
        if not result.count:
            raise InputError('\n  '.join(['no samples to compare', *recording.account()]))
    lines = [_model(arguments), *recording.account()]
    conclusion = conclude_evaluation(
        result, f'kane identify {arguments.bag} --urdf {arguments.urdf}',
        bool(arguments.calibration))
    page: Path | None = None
    if not arguments.no_page:
        page = free_path(f'{path}.html')
        write_text(page, evaluation_page(recording.name, result, lines, conclusion),
                   overwrite=False)
    if arguments.json:
        print(json.dumps({'conclusion': conclusion.as_json(), 'joints': result.rows(),
                          'count': result.count, 'account': lines, 'remarks': result.remarks()},
                         indent=1))
        return 0
    print('\n'.join([*conclusion.lines(), '']))
    print(result.table())
    for remark in result.remarks():
        print(f'note: {remark}')
    print('\n'.join(['# ' + line for line in lines]))
    for where, what in ((None if arguments.no_bag else path, 'measured and model efforts'),
                        (page, 'curves')):
        if where is not None:
            print(f'written: {where} ({what})')
    return 0


class _EffortWriter:
    """Write measured and model efforts of each block."""

    def __init__(self, writer: BagWriter, recording: Recording,
                 joint_names: tuple[str, ...]) -> None:
        self._writer, self._recording, self._names = writer, recording, joint_names

    def __call__(self, motion: Motion, tau: FloatArray) -> None:
        start = self._recording.states.start or 0           # [ns]
        stamps = start + np.round(motion.t * 1e9).astype(np.int64)
        self._writer.write_joint_states('/joint_states', self._names, stamps,
                                        **_measured(motion))
        self._writer.write_joint_states('/model/joint_states', self._names, stamps,
                                        position=motion.q, velocity=motion.qd, effort=tau)


def _measured(motion: Motion) -> dict[str, FloatArray]:
    return {} if motion.effort is None else {'effort': motion.effort}


def _model(arguments: Namespace) -> str:
    what = 'inertias only'
    if arguments.calibration:
        what = f'calibrated by {arguments.calibration}'
    elif arguments.friction == 'urdf':
        what = 'inertias and friction of the URDF'
    return f'model: {arguments.urdf}, {what}'
