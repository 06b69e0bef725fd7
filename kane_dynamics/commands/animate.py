# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Write a movie of an arm that performs a task: .mp4 or .gif.

kane animate task.yaml -o task.gif -o task.mp4
kane animate arm.urdf task.yaml --size 400x300 --fps 12
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from kane_dynamics.analysis.pictures.movie import check_movie, write_movie
from kane_dynamics.analysis.pictures.painter import Painter
from kane_dynamics.analysis.study.study import Study
from kane_dynamics.commands.options.task_options import add_task, load_study, plain_name
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import require_folder
from kane_dynamics.io.progress import Progress


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_task(parser)
    parser.add_argument('-o', '--output', metavar='FILE', action='append',
                        help='.mp4 (needs ffmpeg) or .gif; may be repeated; default: the name of '
                        'the task and .gif')
    parser.add_argument('--fps', type=float, default=25.0, help='frames per second, default 25')
    parser.add_argument('--speed', type=float, default=1.0,
                        help='playback speed, 1 (the default) is real time')
    parser.add_argument('--size', default='800x600', metavar='WxH',
                        help='in pixels, default 800x600')


def run(arguments: Namespace) -> int:
    """Write the movies."""
    outputs = arguments.output or [f'{plain_name(Path(arguments.task).stem)}.gif']
    for output in outputs:
        require_folder(output)
        check_movie(output, arguments.fps, arguments.speed)
    try:
        width, height = (int(each) for each in arguments.size.lower().split('x'))
    except ValueError:
        raise InputError(f'--size is WIDTHxHEIGHT, such as 800x600; got {arguments.size!r}'
                         ) from None
    study = load_study(arguments)
    for output in outputs:
        path = film(study, output, width, height, arguments.fps, arguments.speed)
        print(f'written: {path}')
    return 0


def film(study: Study, output: str | Path, width: int = 800, height: int = 600, fps: float = 25.0,
         speed: float = 1.0) -> Path:
    """Write a movie of a Study and return its path."""
    motion = study.motion
    painter = Painter(study.robot, motion.q, width, height, study.frame, study.folder, study.name,
                      study.payloads, study.surroundings)
    duration = float(motion.t[-1] - motion.t[0])
    with Progress(duration, f'movie {Path(output).name}', None) as bar:
        write_movie(output, painter, motion.t, motion.q, fps, speed,
                    lambda k, count: bar.reach(duration * k / count))
    return Path(output)
