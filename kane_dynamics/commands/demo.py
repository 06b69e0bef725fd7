# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate an arm and drive it with the ROS nodes: tracking errors with and without feedforward.

kane demo
kane demo --flexible --picture tracking.png
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from kane_dynamics.exceptions import MissingDependencyError
from kane_dynamics.nodes.demo.options import add_arguments as add_options


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_options(parser)


def run(arguments: Namespace) -> int:
    """Run the demo; return its exit code."""
    try:
        from kane_dynamics.nodes.demo.demo import run as run_demo
    except ImportError as error:
        raise MissingDependencyError(
            f'the demo needs ROS 2 ({error}); source a distribution, or install its wheels: pip '
            'install "kane_dynamics[ros]"') from None
    return run_demo(arguments)
