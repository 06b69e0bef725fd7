# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts and wrenches from command messages, checked and in the arm's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show_names
from kane_dynamics.nodes.common.message_limits import MessageLimits
from kane_dynamics.nodes.messages.conversions import joint_order
from kane_dynamics.numerics.array_types import FloatArray, IntArray


class CommandReader:
    """A reader of efforts (n,); joints: the order of commands, arm_order: indices into it."""

    def __init__(self, joints: Sequence[str], arm_order: IntArray,
                 limits: MessageLimits = MessageLimits()) -> None:
        self.joints, self._arm_order, self._limits = tuple(joints), arm_order, limits
        self.received = 0
        self.refused = 0
        # names of a JointState -> indices of the arm's joints in it
        self._orders: dict[tuple[str, ...], IntArray] = {}

    def from_array(self, message: Any) -> FloatArray:
        """Return the efforts of a Float64MultiArray, whose data are in the order of `joints`.

        Names in the label of its layout, if any, must be in the same order.
        """
        self.received += 1
        if len(message.data) != len(self.joints):
            raise InputError(f'~/commands has {len(message.data)} values, expected '
                             f'{len(self.joints)} for {show_names(self.joints)}')
        if message.layout.dim and message.layout.dim[0].label:
            names = tuple(message.layout.dim[0].label.split(','))
            self._limits.check_names(names, '~/commands')
            if names != self.joints and set(names) & set(self.joints):
                raise InputError(f'~/commands is labelled {show_names(names)}, expected '
                                 f'{show_names(self.joints)}: set the parameter `joints` of both '
                                 'nodes to the same order')
        return np.asarray(message.data, dtype=float)[self._arm_order]

    def from_joint_state(self, message: Any) -> FloatArray:
        """Return the efforts of a JointState by joint name; a missing joint is an error."""
        self.received += 1
        names = tuple(message.name)
        order = self._orders.get(names)
        if order is None:
            self._limits.check_names(names, '~/effort')
            order = joint_order(self.joints, names, '~/effort')[self._arm_order]
            if len(self._orders) < 100:     # bounds the memory that a stream of new names takes
                self._orders[names] = order
        if len(message.effort) != len(names):
            raise InputError(f'~/effort has {len(message.effort)} efforts for {len(names)} names')
        return np.asarray(message.effort, dtype=float)[order]


def wrench_on_link(message: Any) -> tuple[str, FloatArray]:
    """Return the link of a WrenchStamped and its wrench (6,): force, moment in link axes."""
    force, moment = message.wrench.force, message.wrench.torque
    return message.header.frame_id, np.array([force.x, force.y, force.z,
                                              moment.x, moment.y, moment.z])
