# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print the joints, links, limits and inertias of an arm, with warnings.

kane info arm.urdf
kane info arm.urdf.xacro --floating
kane info arm.urdf --repair uniform -o repaired.urdf
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import warnings

import numpy as np

from kane_dynamics.analysis.vibration.vibration import natural_frequencies
from kane_dynamics.commands.options.arm_options import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.io.files import require_folder, write_text
from kane_dynamics.io.xml_reader import parse_xml
from kane_dynamics.model.inertia_checks import check, InertiaFinding
from kane_dynamics.model.library.robot_library import is_mjcf, robot_file
from kane_dynamics.model.meshes.inertia_repair import METHODS, repairs
from kane_dynamics.model.meshes.link_shapes import shape_findings
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.robot_table import describe
from kane_dynamics.model.urdf_edit import set_inertials, urdf_with_note
from kane_dynamics.model.urdf_source import read_source


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--repair', nargs='?', const='nearest', choices=METHODS,
                        help='propose consistent inertias for the links with warnings: nearest '
                        '(default), the nearest possible inertia; uniform, that of uniform '
                        'density of the own shapes')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='with --repair: write the URDF with the proposed inertias')
    parser.add_argument('--force', action='store_true', help='overwrite an existing FILE')


def run(arguments: Namespace) -> int:
    """Print the table; return 1 if an inertia is physically impossible."""
    if arguments.output:
        require_folder(arguments.output)
        if not arguments.repair:
            raise InputError('-o writes a repaired URDF: add --repair')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)   # they are in the table
        robot = load_arm(arguments, unphysical='warn')
    fits = shape_findings(robot)
    print(describe(robot, fits))
    for flexible in robot.flexible_links.values():
        print(flexible.describe())
    unphysical = any(finding.level == 'error' for finding in check(robot))
    if robot.n_modes and not unphysical:
        found = natural_frequencies(Dynamics(robot, backend='python'))
        print('the arm at zero, joints locked: ' + ', '.join(f'{f:.4g}' for f in found)
              + ' Hz (details: `kane modes`)')
    if arguments.repair:
        _repair(arguments, robot, [*check(robot), *fits])
    return 1 if unphysical else 0


def _repair(arguments: Namespace, robot: Robot, findings: list[InertiaFinding]) -> None:
    """Print the proposals; write the URDF where it is asked for."""
    proposals = repairs(robot, findings)
    if not proposals:
        print('nothing to repair')
        return
    print('principal inertias [kg m^2]; + written with -o')
    chosen = {}
    for proposal in proposals:
        print(f'  {proposal.link}')
        best = proposal.chosen(arguments.repair)
        for name, inertial in (('present', proposal.present), ('nearest', proposal.nearest),
                               ('uniform', proposal.uniform)):
            values = '-' if inertial is None else ' '.join(
                f'{value:.4g}' for value in np.linalg.eigvalsh(inertial.inertia))
            mark = '+' if inertial is not None and inertial is best else ' '
            print(f'   {mark} {name}  {values}')
        if best is not None:
            chosen[proposal.link] = best
    if arguments.output:
        file = robot_file(arguments.urdf)
        source = robot.to_urdf() if is_mjcf(file) else read_source(file)[0]
        root = parse_xml(source, robot.name).root
        set_inertials(root, chosen)
        write_text(arguments.output, urdf_with_note(
            root, f'Inertias of {", ".join(chosen)} are repaired by kane_dynamics.'),
            arguments.force)
        print(f'written: {arguments.output}')
