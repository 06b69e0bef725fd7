# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The newest state of every joint, merged from JointStates that may each carry a part."""

from __future__ import annotations

import threading

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.conversions import joint_order, NANOSECONDS, nanoseconds

NEVER = np.iinfo(np.int64).min // 4  # far in the past, with room to subtract
FIELDS = ('position', 'velocity', 'effort')


class StateBuffer:
    """Merge JointStates by joint name; one thread updates, any thread reads.

    Fields may be empty, joints may come in any order, in several messages and with others among
    them. A value that is not finite is not taken: the joint keeps its last good value and its age
    grows. Nor is a message from the future. `rejected` counts values that are not finite,
    `disordered` messages older than the last one, `future` those from the future.
    """

    def __init__(self, joint_names):
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self._values = np.zeros((3, n))
        self.position, self.velocity, self.effort = self._values
        self._state = self._values[:2]
        self.stamps = {field: np.full(n, NEVER) for field in FIELDS}  # [ns] per joint
        self.received = 0
        self.rejected = 0
        self.disordered = 0
        self.future = 0
        self.oldest = dict.fromkeys(FIELDS, NEVER)  # [ns] of the joint told of longest ago
        self._orders = {}
        self._lock = threading.Lock()

    def update(self, message, now, horizon=NANOSECONDS):
        """Take a JointState that arrived at `now` [ns]; return whether it told of any joint.

        Its age counts from its stamp, or from `now` where the stamp is zero. A stamp later than
        now + horizon [ns] is not believed.
        """
        order = self._order(message.name)
        stamp = nanoseconds(message.header.stamp) or now
        if stamp - now > horizon:
            self.future += 1
            return False
        told = False
        with self._lock:
            self.received += 1
            for field in FIELDS:
                values = getattr(message, field)
                if len(values) == 0:
                    continue
                if len(values) != len(message.name):
                    raise InputError(f'joint_states: {field} has {len(values)} values for '
                                     f'{len(message.name)} names {list(message.name)}')
                if self._take(field, values, order, stamp):
                    told = True
                    self.oldest[field] = int(self.stamps[field].min())
        return told

    def _take(self, field, values, order, stamp):
        places, sources, everything = order
        stamps, mine = self.stamps[field], getattr(self, field)
        values = np.asarray(values, dtype=float)
        values = values if everything else values[sources]
        if everything and np.isfinite(values).all() and stamps.max() <= stamp:
            mine[:] = values                      # the usual message: all joints, in order, newer
            stamps[:] = stamp
            return True
        newer = stamps[places] <= stamp
        good = np.isfinite(values)
        self.rejected += int((~good).sum())
        self.disordered += int(not newer.all())
        good &= newer
        mine[places[good]] = values[good]
        stamps[places[good]] = stamp
        return bool(good.any())

    def _order(self, names):
        key = tuple(names)
        known = self._orders.get(key)
        if known is None:
            order = joint_order(self.joint_names, key, 'joint_states', partial=True)
            places = np.flatnonzero(order >= 0)
            known = (places, order[places], key == self.joint_names)
            if len(self._orders) < 100:  # publishers are few; a stream of new names is not kept
                self._orders[key] = known
        return known

    def read(self, out):
        """Copy positions and velocities into out (2, n)."""
        with self._lock:
            out[:] = self._state

    def missing(self, field):
        """Return the names of the joints that were never told of."""
        return [name for name, stamp in zip(self.joint_names, self.stamps[field])
                if stamp == NEVER]

    def stale(self, field, now, timeout):
        """Return the names of the joints whose value is further than timeout [ns] from now."""
        return [name for name, stamp in zip(self.joint_names, self.stamps[field])
                if abs(now - int(stamp)) > timeout]

    def forget(self):
        """Count every joint as never told of: after a jump of the clock."""
        with self._lock:
            for stamps in self.stamps.values():
                stamps[:] = NEVER
            self.oldest = dict.fromkeys(FIELDS, NEVER)
