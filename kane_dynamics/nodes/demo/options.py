# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the demo; they are known without ROS, for `kane demo --help`."""

from __future__ import annotations

from argparse import ArgumentParser
import os
from pathlib import Path

LIMITS = {'lock-step': 1e-4, 'wall clock': 1e-3}    # [rad], largest error with feedforward


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of the demo."""
    parser.add_argument('--urdf', type=Path, help='six-axis arm; default: six_axis.urdf')
    parser.add_argument('--flexible', action='store_true',
                        help='a flexible arm, flexible_3r.urdf, driven by four methods')
    parser.add_argument('--picture', type=Path, metavar='FILE',
                        help='flexible demo: .png or .svg file to write')
    parser.add_argument('--time', choices=['lock-step', 'wall', 'both'], default='both',
                        help='simulated time in lock-step, the wall clock, or both; default: both')
    parser.add_argument('--no-nodes', action='store_true',
                        help='use running nodes simulator and feedforward in the namespace of '
                        'this one; one run')
    parser.add_argument('--tolerance', type=float, default=LIMITS['wall clock'], metavar='RAD',
                        help='with --no-nodes: largest joint error for exit code 0; default: '
                        '%(default)g')
    parser.add_argument('--domain', type=int, default=1 + os.getpid() % 100, metavar='N',
                        help='ROS domain of the started nodes, on this machine only')
    parser.add_argument('--verbose', action='store_true', help='show the log of the nodes')
