# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compare a model's torques with the efforts in a bag: a table, a bag and a page with curves.

kane evaluate recording --urdf arm.urdf
kane evaluate recording.db3 --urdf panda.urdf --rename fer_=panda_ --lock panda_finger_joint1=0
"""

from contextlib import nullcontext
import json

import numpy as np

from kane_dynamics.analysis.curve_page import curve_page, curves, legend, table, text_block
from kane_dynamics.analysis.evaluate import evaluate
from kane_dynamics.bags.writer import BagWriter, STORAGES
from kane_dynamics.commands.bag_options import (
    add_arm_options, add_bag_options, free_path, load_model, Recording)
from kane_dynamics.exceptions import InputError


def add_arguments(parser):
    """Add what the command takes."""
    parser.add_argument('bag', help='a rosbag2 folder, .db3 or .mcap file')
    add_arm_options(parser)
    parser.add_argument('--friction', choices=('none', 'urdf'), default='none',
                        help='without a calibration: take <dynamics> of the URDF into account')
    add_bag_options(parser)
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='write the bag NAME and the page NAME.html; default: the name of the '
                        'bag and "_evaluated", numbered where it exists')
    parser.add_argument('--storage', choices=STORAGES, default='sqlite3', help='of that bag')
    parser.add_argument('--no-bag', action='store_true', help='write no bag')
    parser.add_argument('--no-page', action='store_true', help='write no page')
    parser.add_argument('--json', action='store_true', help='print the figures as JSON')


def run(arguments):
    """Print the table; write the bag and the page."""
    dynamics = load_model(arguments, arguments.friction)
    robot = dynamics.robot
    recording = Recording(arguments.bag, robot, arguments, 'evaluating')
    path = free_path(arguments.output or f'{recording.name}_evaluated')
    with nullcontext() if arguments.no_bag else BagWriter(path, arguments.storage) as writer:
        result = evaluate(dynamics, recording, None if writer is None else _Beside(
            writer, recording, robot.joint_names))
        if not result.count:
            raise InputError('\n  '.join(['nothing is left to compare', *recording.account()]))
    lines = [_model(arguments, dynamics), *recording.account()]
    page = None
    if not arguments.no_page:
        page = free_path(f'{path}.html')
        page.write_text(_page(recording, result, lines), encoding='utf-8')
    if arguments.json:
        print(json.dumps({'joints': result.rows(), 'count': result.count, 'account': lines,
                          'remarks': result.remarks()}, indent=1))
        return 0
    print('\n'.join(['# ' + line for line in lines]))
    print(result.table())
    for remark in result.remarks():
        print(f'note: {remark}')
    for where, what in ((None if arguments.no_bag else path, 'measured and model efforts'),
                        (page, 'curves')):
        if where is not None:
            print(f'written: {where} ({what})')
    return 0


class _Beside:
    """Write measured and model efforts of each block."""

    def __init__(self, writer, recording, joint_names):
        self._writer, self._recording, self._names = writer, recording, joint_names

    def __call__(self, motion, tau):
        stamps = self._recording.states.start + np.round(motion.t * 1e9).astype(np.int64)
        self._writer.write_joint_states('/joint_states', self._names, stamps,
                                        effort=motion.effort)
        self._writer.write_joint_states('/model/joint_states', self._names, stamps,
                                        position=motion.q, velocity=motion.qd, effort=tau)


def _model(arguments, dynamics):
    what = 'inertias only'
    if arguments.calibration:
        what = f'calibrated by {arguments.calibration}'
    elif arguments.friction == 'urdf':
        what = 'inertias, and friction as the URDF tells it'
    return f'model: {arguments.urdf}, {what}'


def _page(recording, result, lines):
    n = len(result.joint_names)
    rows = [[row['joint'], row['unit'], *(f'{row[key]:.3f}' for key in (
        'rms', 'rmse', 'normalized', 'r2', 'worst', 'worst_time'))] for row in result.rows()]
    envelope = result.envelope
    charts = [curves(name, envelope.t, [(envelope.low[:, k], envelope.high[:, k])
                                        for k in (j, n + j)], unit)
              for j, (name, unit) in enumerate(zip(result.joint_names, result.units))]
    return curve_page(f'{recording.name}: measured and model efforts', [
        text_block('\n'.join(lines)),
        table(['joint', 'unit', 'RMS', 'RMSE', 'RMSE/RMS', 'R²', 'worst', 'at [s]'], rows),
        *([text_block('\n'.join(result.remarks()))] if result.remarks() else []),
        legend(['measured', 'model']), *charts])
