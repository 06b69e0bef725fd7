# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The actuators of an arm: one drive per joint, backwards (a motion's inputs) and forwards."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError

PARTS = ('state_names', 'demand', 'initial', 'effort', 'inertia', 'transmission', 'rate')


class Drives:
    """One drive for every joint of a robot: `DcDrive`, `HydraulicDrive`, or what has their parts.

    Args:
        robot: the arm. Its own rotor inertias (armature) stay in it: a drive's comes on top.
        drives: {joint name: drive}.
        passive: names of joints that nothing drives.
    """

    def __init__(self, robot, drives, passive=()):
        names = robot.joint_names
        for name in (*drives, *passive):
            if name not in names:
                raise InputError(f'drives: {robot.name!r} has no independent joint {name!r}; '
                                 f'there are {list(names)}')
        missing = [name for name in names if name not in drives and name not in passive]
        if missing:
            raise InputError(f'drives: {missing} have no drive; give one, or name them in passive')
        both = sorted(set(drives) & set(passive))
        if both:
            raise InputError(f'drives: {both} have a drive and are named in passive')
        for name, drive in drives.items():
            lacking = [part for part in PARTS if not hasattr(drive, part)]
            if lacking:
                raise InputError(f'drives: that of {name!r}, {type(drive).__name__}, is no drive: '
                                 f'it lacks {lacking}')
        self.robot = robot
        self.drives = {name: drives[name] for name in names if name in drives}
        self.places = np.array([names.index(name) for name in self.drives], dtype=int)
        sizes = [len(drive.state_names) for drive in self.drives.values()]
        ends = np.cumsum([0, *sizes])
        self.slices = [slice(a, b) for a, b in zip(ends, ends[1:])]     # of the states
        self.n_states = int(ends[-1])

    def __repr__(self):
        return f'Drives({self.robot.name!r}, {self.drives})'

    @property
    def joint_names(self):
        """Return the joints that have a drive, in q order: the order of inputs."""
        return tuple(self.drives)

    @property
    def state_names(self):
        """Return 'joint/state' for every state of the drives."""
        return tuple(f'{name}/{state}' for name, drive in self.drives.items()
                     for state in drive.state_names)

    def demand(self, t, tau, q, qd, qdd):
        """Return {joint: what the motion asks of its drive}; t (N,), the others (N, n_joints)."""
        rows = [np.asarray(each, dtype=float) for each in (tau, q, qd, qdd)]
        return {name: drive.demand(np.asarray(t, dtype=float), *(each[:, k] for each in rows))
                for k, (name, drive) in zip(self.places, self.drives.items())}

    def initial(self, tau, q, qd=None, qdd=None):
        """Return inputs (n,) and states (n_states,) that go with torques and a motion (n_joints,).

        At rest: `drives.initial(dynamics.gravity(q), q)` holds the arm.
        """
        still = np.zeros(len(self.robot.joint_names))
        rows = [np.asarray(still if each is None else each, dtype=float)
                for each in (tau, q, qd, qdd)]
        found = [drive.initial(*(each[k] for each in rows))
                 for k, drive in zip(self.places, self.drives.values())]
        return (np.array([u for u, _ in found]),
                np.concatenate([np.zeros(0), *(x for _, x in found)]))
