# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The newest state of every joint, merged from JointStates that may each carry a part."""

from __future__ import annotations

import math
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
    grows. Nor is a message from the future, or one that makes no sense. `rejected` counts values
    that are not finite, `disordered` messages older than the last one, `future` those from the
    future, `refused` those without sense.
    """

    def __init__(self, joint_names):
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self._values = np.zeros((3, n))
        self.position, self.velocity, self.effort = self._values
        self._state = memoryview(self._values[:2]).cast('B')
        self._out = self._out_bytes = None
        self._stamps = {field: np.full(n, NEVER) for field in FIELDS}  # [ns] per joint, unless
        self._common = dict.fromkeys(FIELDS)    # [ns] all joints have the same
        self._newest = NEVER                    # [ns] of all
        self._usual = list(self.joint_names)
        self._views = [memoryview(row) for row in self._values]
        self.received = 0
        self.rejected = 0
        self.disordered = 0
        self.future = 0
        self.refused = 0
        self.oldest = dict.fromkeys(FIELDS, NEVER)  # [ns] of the joint told of longest ago
        self._orders = {}
        self._lock = threading.Lock()

    def update(self, message, now, horizon=NANOSECONDS):
        """Take a JointState that arrived at `now` [ns]; return whether it told of any joint.

        Its age counts from its stamp, or from `now` where the stamp is zero. A stamp later than
        now + horizon [ns] is not believed. Raises for a message without sense, of which nothing
        is taken.
        """
        try:
            return self._update(message, now, horizon)
        except InputError:
            self.refused += 1
            raise

    def _update(self, message, now, horizon):
        names = message.name
        usual = names == self._usual
        order = None if usual else self._order(names)
        stamp = nanoseconds(message.header.stamp) or now
        if stamp - now > horizon:
            self.future += 1
            return False
        for field in FIELDS:
            values = getattr(message, field)
            if len(values) not in (0, len(names)):
                raise InputError(f'joint_states: {field} has {len(values)} values for '
                                 f'{len(names)} names {list(names)}')
        told = False
        with self._lock:
            self.received += 1
            usual = usual and stamp >= self._newest
            self._newest = max(self._newest, stamp)
            for field, view in zip(FIELDS, self._views):
                values = getattr(message, field)
                if len(values) == 0:
                    continue
                if usual and math.isfinite(sum(values)):
                    view[:] = values            # all joints, in order, newer
                    self._common[field] = self.oldest[field] = stamp
                    told = True
                elif self._take(field, values, order or self._order(names), stamp):
                    told = True
                    self.oldest[field] = int(self._stamps[field].min())
        return told

    def _take(self, field, values, order, stamp):
        places, sources = order
        stamps, mine = self._stamps_of(field), getattr(self, field)
        values = np.asarray(values, dtype=float)[sources]
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
            known = (places, order[places])
            if len(self._orders) < 100:  # publishers are few; a stream of new names is not kept
                self._orders[key] = known
        return known

    def _stamps_of(self, field):
        """Return the stamps of the joints (n,), told one by one from now on."""
        common, self._common[field] = self._common[field], None
        if common is not None:
            self._stamps[field][:] = common
        return self._stamps[field]

    def read(self, out):
        """Copy positions and velocities into out (2, n), contiguous."""
        with self._lock:
            if out is not self._out:        # a loop reads into the same array every time
                self._out, self._out_bytes = out, memoryview(out).cast('B')
            self._out_bytes[:] = self._state

    def missing(self, field):
        """Return the names of the joints that were never told of."""
        with self._lock:
            return [name for name, stamp in zip(self.joint_names, self._stamps_of(field))
                    if stamp == NEVER]

    def stale(self, field, now, timeout):
        """Return the names of the joints whose value is further than timeout [ns] from now."""
        with self._lock:
            return [name for name, stamp in zip(self.joint_names, self._stamps_of(field))
                    if abs(now - int(stamp)) > timeout]

    def forget(self):
        """Count every joint as never told of: after a jump of the clock."""
        with self._lock:
            for stamps in self._stamps.values():
                stamps[:] = NEVER
            self._common, self._newest = dict.fromkeys(FIELDS), NEVER
            self.oldest = dict.fromkeys(FIELDS, NEVER)
