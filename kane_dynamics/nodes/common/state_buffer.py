# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Newest state of every joint, merged from JointStates that may each carry a part of them."""

from __future__ import annotations

from collections.abc import Sequence
import math
import threading
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.io.text import show_names
from kane_dynamics.nodes.common.message_limits import MessageLimits
from kane_dynamics.nodes.messages.conversions import joint_order, nanoseconds
from kane_dynamics.numerics.array_types import FloatArray, IntArray

NEVER = int(np.iinfo(np.int64).min) // 4  # far in the past, with room to subtract
FIELDS = ('position', 'velocity', 'effort')
Order: TypeAlias = tuple[IntArray, IntArray]    # indices of joints here, and in a message


class StateBuffer:
    """Merge JointStates by joint name; one thread updates, any thread reads.

    Fields may be empty; joints may come in any order, in several messages and mixed with other
    joints. A value that is not finite is ignored: the joint keeps its last finite value, whose age
    grows. Messages stamped in the future and malformed messages are ignored too. `rejected` counts
    values that are not finite, `disordered` messages older than the last one, `future` messages
    stamped in the future, `refused` malformed ones, `failed` those that raised in the callback.
    """

    def __init__(self, joint_names: Sequence[str],
                 limits: MessageLimits = MessageLimits()) -> None:
        self.joint_names, self._limits = tuple(joint_names), limits
        n = len(self.joint_names)
        self._values = np.zeros((3, n))
        self.position, self.velocity, self.effort = self._values
        self._state = self._values[:2].data.cast('B')
        self._out: FloatArray | None = None
        self._out_bytes = memoryview(b'')
        # stamps [ns] per joint, unless all joints have a common one
        self._stamps = {field: np.full(n, NEVER, dtype=np.int64) for field in FIELDS}
        self._common: dict[str, int | None] = dict.fromkeys(FIELDS)
        self._newest = NEVER                    # [ns] of all messages
        self._usual = list(self.joint_names)
        self._views = [row.data for row in self._values]
        self.received = 0
        self.rejected = 0
        self.disordered = 0
        self.future = 0
        self.refused = 0
        self.failed = 0
        self.oldest = dict.fromkeys(FIELDS, NEVER)  # [ns] smallest stamp of all joints
        self._orders: dict[tuple[str, ...], Order] = {}
        self._lock = threading.Lock()

    def update(self, message: Any, now: int, horizon: int = NANOSECONDS) -> bool:
        """Merge a JointState that arrived at `now` [ns]; return whether any joint was updated.

        Its age counts from its stamp, or from `now` if the stamp is zero. A message with a stamp
        later than now + horizon [ns] is ignored. A malformed message raises InputError and
        changes nothing.
        """
        try:
            return self._update(message, now, horizon)
        except InputError:
            self.refused += 1
            raise

    def _update(self, message: Any, now: int, horizon: int) -> bool:
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
                                 f'{len(names)} names {show_names(names)}')
        updated = False
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
                    updated = True
                elif self._take(field, values, order or self._order(names), stamp):
                    updated = True
                    self.oldest[field] = int(self._stamps[field].min())
        return updated

    def _take(self, field: str, values: Sequence[float], order: Order, stamp: int) -> bool:
        joints, sources = order
        stamps, mine = self._stamps_of(field), getattr(self, field)
        new = np.asarray(values, dtype=float)[sources]
        newer = stamps[joints] <= stamp
        good = np.isfinite(new)
        self.rejected += int((~good).sum())
        self.disordered += int(not newer.all())
        good &= newer
        mine[joints[good]] = new[good]
        stamps[joints[good]] = stamp
        return bool(good.any())

    def _order(self, names: Sequence[str]) -> Order:
        key = tuple(names)
        known = self._orders.get(key)
        if known is None:
            self._limits.check_names(key, 'joint_states')
            order = joint_order(self.joint_names, key, 'joint_states', partial=True)
            joints = np.flatnonzero(order >= 0)
            known = (joints, order[joints])
            if len(self._orders) < 100:  # bounds the memory that a stream of new names takes
                self._orders[key] = known
        return known

    def _stamps_of(self, field: str) -> IntArray:
        """Return the stamps per joint (n,), to be written one by one from now on."""
        common, self._common[field] = self._common[field], None
        if common is not None:
            self._stamps[field][:] = common
        return self._stamps[field]

    def read(self, out: FloatArray) -> None:
        """Copy positions and velocities into out (2, n), contiguous."""
        with self._lock:
            if out is not self._out:        # a loop always passes the same array
                self._out, self._out_bytes = out, out.data.cast('B')
            self._out_bytes[:] = self._state

    def missing(self, field: str) -> list[str]:
        """Return the joints for which no value of a field has been received."""
        with self._lock:
            return [name for name, stamp in zip(self.joint_names, self._stamps_of(field))
                    if stamp == NEVER]

    def stale(self, field: str, now: int, timeout: float) -> list[str]:
        """Return the joints whose stamp differs from now by more than timeout [ns]."""
        with self._lock:
            return [name for name, stamp in zip(self.joint_names, self._stamps_of(field))
                    if abs(now - int(stamp)) > timeout]

    def forget(self) -> None:
        """Mark every joint as never received, after a clock jump."""
        with self._lock:
            for stamps in self._stamps.values():
                stamps[:] = NEVER
            self._common, self._newest = dict.fromkeys(FIELDS), NEVER
            self.oldest = dict.fromkeys(FIELDS, NEVER)
