# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Show an arm in the browser, to turn it about and to move its joints; bent links included.

kane view arm.urdf
kane view arm.urdf --q 0 -0.8 1.2 0 0.6 0 -o arm.html --no-browser
"""

from pathlib import Path
import tempfile
import webbrowser

from kane_dynamics.analysis.view import view_page
from kane_dynamics.commands import add_arm, load_arm, of_joints
from kane_dynamics.commands.task_options import plain_name


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)
    parser.add_argument('--q', type=float, nargs='+', metavar='ANGLE',
                        help='the joints [rad or m], in the order of `kane info`; default 0, or '
                        'the nearest within the limits')
    parser.add_argument('--frame', help='link whose place is told; default: the end of the arm')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write the page there; default: a file in the temporary folder')
    parser.add_argument('--no-browser', action='store_true', help='write the page, do not open it')


def run(arguments):
    """Write the page and open it."""
    robot = load_arm(arguments, unphysical='warn')     # a picture has no inertia
    q = None
    if arguments.q is not None:
        q = robot.neutral()
        first = robot.nq - robot.n_modes - robot.n_joints
        q[first:first + robot.n_joints] = of_joints(robot, arguments.q, '--q')
    path = Path(arguments.output or Path(tempfile.gettempdir())
                / f'kane_view_{plain_name(robot.name)}.html')
    folder = Path(arguments.urdf).resolve().parent
    path.write_text(view_page(robot, q, folder, arguments.frame), encoding='utf-8')
    print(f'written: {path}')
    if not arguments.no_browser and not webbrowser.open(path.resolve().as_uri()):
        print('no browser could be started; open the file in one')
    return 0
