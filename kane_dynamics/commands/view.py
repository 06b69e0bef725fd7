# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Show an arm in the browser, with sliders for its joints and flexible modes.

kane view arm.urdf
kane view arm.urdf --q 0 -45deg 1.2 0 0.6 0 -o arm.html --no-browser
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from kane_dynamics.analysis.display.page import Page, private_file
from kane_dynamics.analysis.report.view_page import view_page
from kane_dynamics.commands.options.arm_options import add_arm, load_arm, of_joints


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--q', nargs='+', metavar='POS',
                        help='joint positions in the order of `kane info` (1.57, 90deg, 20mm; '
                        'without a unit in rad or m); default 0, or the nearest limit')
    parser.add_argument('--frame', help='link whose position is shown; default: the tool frame')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='page to write; default: a new file in the temporary folder')
    parser.add_argument('--no-browser', action='store_true',
                        help='write the page but do not open it')


def run(arguments: Namespace) -> int:
    """Write the page and open it."""
    robot = load_arm(arguments, unphysical='warn')     # inertias are not drawn
    q = None
    if arguments.q is not None:
        q = robot.neutral()
        q[robot.joints_q] = of_joints(robot, arguments.q, '--q')
    page = Page(robot.name, view_page(robot, q, robot.folder or None, arguments.frame))
    path = page.save(arguments.output or private_file(robot.name))
    print(f'written: {path}')
    if not arguments.no_browser:
        page.open()
    return 0
