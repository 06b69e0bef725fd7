# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print an arm as a table: joints, links, limits, inertias, and what is odd about them."""

from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.model.table import describe


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)


def run(arguments):
    """Print the table."""
    robot = load_arm(arguments)
    print(describe(robot))
    for flexible in robot.flexible_links.values():
        print(flexible.describe())
    return 0
