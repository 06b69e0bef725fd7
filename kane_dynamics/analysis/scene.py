# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the steps of a task file refer to: the arm, where it stands, where files are."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from kane_dynamics.motion.minimum_time import minimum_time

MINIMUM = 'minimum'     # written as the duration of a step: as short as the limits allow
LEAST_SAMPLES = 20      # of a motion from rest to rest: its peaks are then seen to a per cent


class Scene:
    """The arm and the posture that the steps so far have brought it to.

    dynamics: of the arm; folder: where files that steps name are; frame: the link whose path is
    told; limits: of the joints; read_bag(path, topic, joint names) -> t, q[, qd, qdd]: how
    recordings are read; rate: samples per second that the task is judged at.
    """

    def __init__(self, dynamics, folder, frame, limits=None, read_bag=None, rate=math.inf):
        self.dynamics, self.robot = dynamics, dynamics.robot
        self.limits = self.robot.limits if limits is None else limits
        self.folder, self.frame, self.read_bag, self.rate = Path(folder), frame, read_bag, rate
        self.posture = None         # (n,) where the last step ended

    def posture_of(self, marked):
        """Return joint positions (n,): a list in joint order, names with values, or 'zero'.

        Joints that are not named stay where they are; at the start, at zero.
        """
        robot = self.robot
        units = ['m' if joint.kind == 'prismatic' else 'rad'
                 for joint in robot.independent_joints]
        if marked.is_list:
            items = marked.items()
            if len(items) != robot.n_joints:
                marked.fail(f'expected {robot.n_joints} numbers, for '
                            f'{", ".join(robot.joint_names)}; got {len(items)}')
            return np.array([item.number(unit) for item, unit in zip(items, units)])
        if marked.is_text and marked.node.value == 'zero':
            return np.zeros(robot.n_joints)
        if not marked.is_mapping:
            marked.fail("expected a list of joint positions, names with positions, or 'zero'")
        posture = np.zeros(robot.n_joints) if self.posture is None else self.posture.copy()
        for name, value in marked.fields(robot.joint_names).items():
            k = robot.joint_index(name)
            posture[k] = value.number(units[k])
        return posture

    def start_of(self, step, entries):
        """Return the posture (n,) that a step starts from: its own, or where the arm stands."""
        if 'posture' in entries:
            self.posture = self.posture_of(entries['posture'])
        if self.posture is None:
            step.fail("where does the arm start? give the first step a 'posture': its joint "
                      'positions')
        return self.posture

    def duration_of(self, entries):
        """Return the duration that a step tells [s], MINIMUM, or None."""
        marked = entries.get('duration')
        if marked is None:
            return None
        if marked.is_text and marked.node.value == MINIMUM:
            return MINIMUM
        return marked.number('s', above=0.0)

    def check_seen(self, step, duration):
        """Refuse a motion [s] that falls between the samples: its peaks would not be judged."""
        if duration * self.rate < LEAST_SAMPLES:
            step.fail(f'a motion of {duration:g} s has fewer than {LEAST_SAMPLES} samples at '
                      f'{self.rate:g} Hz, too few to judge it; give it longer, or a rate of '
                      f'{LEAST_SAMPLES / duration:.3g} Hz or more')

    def in_minimum_time(self, path, entries):
        """Return the task that runs a joint path within the joints' limits, as fast as possible.

        `use` in the file is the share of the limits of torque and speed that it may use.
        """
        share = entries['use'].number('', above=0.0, high=1.0) if 'use' in entries else 1.0
        timed = minimum_time(self.dynamics, path, effort=share * self.limits.effort,
                             velocity=share * self.limits.velocity)
        timed.limits = False
        return timed
