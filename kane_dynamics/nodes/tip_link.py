# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The link at the end of an arm, whose deflection is told."""

from __future__ import annotations

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.parameters import Parameter, Schema

SCHEMA = Schema(
    Parameter('tip_link', 'str', '', 'flexible arms: the link that `~/tip_deflection` is of; not '
              'set: the end of the arm that most joints carry'),
)


def tip_link(robot, given):
    """Return the link `given`; for '' the end that most moving joints carry, the last of these."""
    if given and given not in robot.link_names:
        raise InputError(f'tip_link: {given!r} is no link of {robot.name!r}; there are '
                         f'{list(robot.link_names)}')
    depth = {robot.root: 0}
    for joint in robot.joints:
        depth[joint.child] = depth[joint.parent] + (joint.kind != 'fixed')
    return given or max(reversed(robot.leaves()), key=depth.get)
