# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print an arm as a table: joints, links, limits, inertias, and what is odd about them.

kane info arm.urdf
kane info arm.urdf.xacro --floating
"""

import warnings

from kane_dynamics.analysis.modal import natural_frequencies
from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import KaneDynamicsWarning
from kane_dynamics.model.physical import check
from kane_dynamics.model.table import describe


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)


def run(arguments):
    """Print the table; 1 if it names inertias that no body has."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)   # the table tells them
        robot = load_arm(arguments, unphysical='warn')
    print(describe(robot))
    for flexible in robot.flexible_links.values():
        print(flexible.describe())
    unphysical = any(finding.level == 'error' for finding in check(robot))
    if robot.n_modes and not unphysical:
        found = natural_frequencies(Dynamics(robot, backend='python'))
        print('the arm at zero, joints locked: ' + ', '.join(f'{f:.4g}' for f in found)
              + ' Hz (`kane modes` tells more)')
    return 1 if unphysical else 0
