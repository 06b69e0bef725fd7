# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts from messages, checked and put in the arm's order."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.conversions import joint_order


class CommandReader:
    """Read efforts (n,) of `joints` from messages; arm_order puts them in the arm's order."""

    def __init__(self, joints, arm_order):
        self.joints, self._arm_order = tuple(joints), arm_order
        self.received = 0
        self.refused = 0
        self._orders = {}           # names of a JointState -> places of the arm's joints

    def from_array(self, message):
        """Return the efforts of a Float64MultiArray in the order of `joints`.

        Names in its layout's label, where there are some, must say the same order.
        """
        self.received += 1
        if len(message.data) != len(self.joints):
            raise InputError(f'~/commands has {len(message.data)} values, expected '
                             f'{len(self.joints)} for {list(self.joints)}')
        if message.layout.dim and message.layout.dim[0].label:
            names = tuple(message.layout.dim[0].label.split(','))
            if names != self.joints and set(names) & set(self.joints):
                raise InputError(f'~/commands is labelled {list(names)}, expected '
                                 f'{list(self.joints)}: set the parameter `joints` alike')
        return np.asarray(message.data, dtype=float)[self._arm_order]

    def from_joint_state(self, message):
        """Return the efforts of a JointState, joint by joint; an absent joint is an error."""
        self.received += 1
        names = tuple(message.name)
        order = self._orders.get(names)
        if order is None:
            order = joint_order(self.joints, names, '~/effort')[self._arm_order]
            if len(self._orders) < 100:     # senders are few; a stream of new names is not kept
                self._orders[names] = order
        if len(message.effort) != len(names):
            raise InputError(f'~/effort has {len(message.effort)} efforts for {len(names)} names')
        return np.asarray(message.effort, dtype=float)[order]


def wrench_on_link(message):
    """Return the link and the wrench (6,), force then moment in its axes, of a WrenchStamped."""
    force, moment = message.wrench.force, message.wrench.torque
    return message.header.frame_id, np.array([force.x, force.y, force.z,
                                              moment.x, moment.y, moment.z])
