# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run a ROS 2 node: feedforward, simulator or monitor; the same as `ros2 run kane_dynamics NODE`.

kane node feedforward --help                       # every parameter with unit, range and meaning
kane node simulator --ros-args -p robot_description_file:=arm.urdf
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, REMAINDER

from kane_dynamics.nodes.executables import NODES, start


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('node', choices=NODES, metavar='NODE', help=f'one of {", ".join(NODES)}')
    parser.add_argument('arguments', nargs=REMAINDER, metavar='...',
                        help='arguments of the node: --help, or --ros-args and what follows')


def run(arguments: Namespace) -> int:
    """Run the node until it is interrupted."""
    return start(arguments.node, arguments.arguments)
