# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Write a movie of an arm doing a task: .mp4 or .gif.

kane animate task.yaml -o task.gif -o task.mp4
kane animate arm.urdf task.yaml --size 400x300 --fps 12
"""

from pathlib import Path

from kane_dynamics.analysis.animate import Painter, write_movie
from kane_dynamics.commands.task_options import add_task, load_study, plain_name
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.progress import Progress


def add_arguments(parser):
    """Add what the command takes."""
    add_task(parser)
    parser.add_argument('-o', '--output', metavar='FILE', action='append',
                        help='.mp4 (needs ffmpeg) or .gif; may be repeated; default: the name of '
                        'the task and .gif')
    parser.add_argument('--fps', type=float, default=25.0, help='frames per second, default 25')
    parser.add_argument('--pace', type=float, default=1.0, help='0.5: half as fast; default 1')
    parser.add_argument('--size', default='800x600', metavar='WxH', help='default 800x600')


def run(arguments):
    """Write the movies."""
    study = load_study(arguments)
    try:
        width, height = (int(each) for each in arguments.size.lower().split('x'))
    except ValueError:
        raise InputError(f'--size is WIDTHxHEIGHT, such as 800x600; got {arguments.size!r}'
                         ) from None
    for output in arguments.output or [f'{plain_name(Path(arguments.task).stem)}.gif']:
        path = film(study, output, width, height, arguments.fps, arguments.pace)
        print(f'written: {path}')
    return 0


def film(study, output, width=800, height=600, fps=25.0, pace=1.0):
    """Write a movie of a Study and return its path."""
    motion = study.motion
    painter = Painter(study.robot, motion.q, width, height, study.frame, study.folder, study.name,
                      study.payloads)
    duration = float(motion.t[-1] - motion.t[0])
    with Progress(duration, f'movie {Path(output).name}', None) as bar:
        write_movie(output, painter, motion.t, motion.q, fps, pace,
                    lambda k, count: bar.reach(duration * k / count))
    return Path(output)
