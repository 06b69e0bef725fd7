# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate an arm as a run file describes: torques, forces, payloads and stops over time.

kane simulate run.yaml                             # the run file names the arm
kane simulate arm.urdf run.yaml -o run.html --csv --npz --bag
kane simulate run.yaml --movie run.gif --camera 2 -2 1.5 --target 0 0 0.6
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import json
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.run_file.read_run import read_run
from kane_dynamics.analysis.run_file.run import RunResult, simulate_run
from kane_dynamics.commands.options.arm_options import add_lock, ARM
from kane_dynamics.commands.options.task_options import plain_name
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import write_text
from kane_dynamics.model.library.robot_library import ENDINGS


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('arm', nargs='?', help=f'{ARM}; default: the one in the run file')
    parser.add_argument('run', help='run file (YAML); see doc/simulate.md')
    add_lock(parser, 'fix a joint, such as that of a gripper, at this position')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='page to write; default: the name of the run and .html')
    parser.add_argument('--csv', metavar='FILE', nargs='?', const='',
                        help='write all samples as CSV; default: the name of the page and .csv')
    parser.add_argument('--npz', metavar='FILE', nargs='?', const='',
                        help='write all samples for numpy; default: the name of the page and .npz')
    parser.add_argument('--bag', metavar='FOLDER', nargs='?', const='',
                        help='write the joint states as a rosbag2; default: the name of the page')
    parser.add_argument('--movie', metavar='FILE', help='write a movie: .mp4 or .gif')
    parser.add_argument('--camera', type=float, nargs=3, metavar=('X', 'Y', 'Z'),
                        help='position of the camera of the movie [m]')
    parser.add_argument('--target', type=float, nargs=3, metavar=('X', 'Y', 'Z'),
                        help='point that the camera looks at [m]; default: the middle of the arm')
    parser.add_argument('--magnify', type=float, default=1.0, metavar='FACTOR',
                        help='factor of the deflections in the movie, default 1')
    parser.add_argument('--no-page', action='store_true', help='print the balance, write no page')
    parser.add_argument('--json', action='store_true', help='print the result as JSON')


def run(arguments: Namespace) -> int:
    """Simulate, print the balance and write the files."""
    if Path(arguments.run).suffix in ENDINGS:
        raise InputError(f'{arguments.run!r} is an arm; a run file, YAML, comes last: ARM RUN')
    page = Path(arguments.output or f'{plain_name(Path(arguments.run).stem)}.html')
    described = read_run(arguments.run, arguments.arm, dict(arguments.lock))
    result = simulate_run(described)
    written: list[Path] = []
    if not arguments.no_page:
        from kane_dynamics.analysis.display.run_page import run_page
        write_text(page, run_page(result))
        written.append(page)
    for given, ending in ((arguments.csv, '.csv'), (arguments.npz, '.npz'), (arguments.bag, '')):
        if given is not None:
            from kane_dynamics.recorded.saved_solution import save
            path = Path(given or page.with_suffix(ending))
            if path.suffix != ending:
                raise InputError(f'{path.name}: expected the ending {ending!r}')
            written.append(save(result.phases, path))
    if arguments.movie:
        written.append(_film(result, arguments))
    print(json.dumps(_as_json(result), indent=1) if arguments.json else _text(result))
    if not arguments.json:
        for path in written:
            print(f'written: {path}')
    return 0


def _film(result: RunResult, arguments: Namespace) -> Path:
    """Write the movie and return its path."""
    from kane_dynamics.analysis.pictures.movie import write_movie
    from kane_dynamics.analysis.pictures.painter import Painter
    described, q = result.run, result.q.copy()
    robot = described.dynamics.robot
    q[:, robot.modes_q] *= arguments.magnify
    t, rows = np.unique(result.t, return_index=True)
    painter = Painter(robot, q, frame=described.frame, folder=robot.folder or None,
                      title=described.name, camera=arguments.camera, target=arguments.target)
    write_movie(arguments.movie, painter, t, q[rows])
    return Path(arguments.movie)


def _text(result: RunResult) -> str:
    """Return the result for a terminal."""
    described, phases = result.run, result.phases
    robot = described.dynamics.robot
    lines = [f'{described.name}: {robot.name}, {phases[0].t[0]:g} to {phases[-1].t[-1]:g} s, '
             f'{len(result.t)} samples by {described.setup.method}', '',
             f'  {"joint":<22} {"first":>12} {"last":>12} {"largest speed":>14} '
             f'{"largest torque":>15}']
    q, qd, tau = result.q, result.qd, result.tau
    for k, name in enumerate(robot.joint_names):
        row, column = robot.joints_q.start + k, robot.joints_v.start + k
        lines.append(f'  {name:<22} {q[0, row]:>12.6g} {q[-1, row]:>12.6g} '
                     f'{abs(qd[:, column]).max():>14.6g} {abs(tau[:, column]).max():>15.6g}')
    for solution, balance in zip(phases, result.balances()):
        lines += ['', f'balance, {solution.t[0]:g} to {solution.t[-1]:g} s', str(balance)]
    return '\n'.join([*lines, *(f'note: {each}' for each in result.remarks)])


def _as_json(result: RunResult) -> dict[str, object]:
    robot = result.run.dynamics.robot
    return {'run': result.run.name, 'arm': robot.name, 'method': result.run.setup.method,
            'samples': len(result.t), 'end': float(result.t[-1]),
            'q': dict(zip(robot.joint_names, result.q[-1, robot.joints_q].tolist())),
            'qd': dict(zip(robot.joint_names, result.qd[-1, robot.joints_v].tolist())),
            'balances': [balance._asdict() for balance in result.balances()],
            'remarks': result.remarks}
