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
    """Return the link `given`; for '' the end of the arm."""
    if given and given not in robot.link_names:
        raise InputError(f'tip_link: {given!r} is no link of {robot.name!r}; there are '
                         f'{list(robot.link_names)}')
    return given or robot.tip()
