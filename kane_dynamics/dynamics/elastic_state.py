# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Elastic coordinates of an arm whose joints follow a motion, cycle after cycle."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.dynamics.stepper import checked_dt
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.model.deflection_range import range_exits, warn_of
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.codegen.backend import Kernel
    from kane_dynamics.model.robot import Robot

STEPS = ('elastic_step', 'elastic_rest')    # the programs it runs
STEP_ANGLE = 0.05     # [rad] phase of a mode per step: its period is then right to 0.02 %
CYCLE_ANGLE = 1.0     # [rad] phase per cycle: a torque held that long lags the mode by half of it
MOST = 1000           # steps toward rest
ROUND_OFF = 1e-13     # of the largest deflection: smaller steps have converged
CHUNK = 4096          # steps of a long motion that are kept at a time


class ElasticState:
    """Elastic coordinates of an arm whose joints follow a motion; made by `Dynamics`.

    Write the joints' q, qd, qdd into motion (3, n), then call `advance`, `rest` or `settle`. They
    fill q (nq,), all coordinates, e and ed (n_modes,), its elastic ones, and tau (n,), the joint
    torques that this motion takes. All are arrays made once; nothing is allocated in a cycle.

    `known` is whether there is a state yet: it begins with `settle` or `rest`.
    """

    def __init__(self, robot: Robot, kernels: Sequence[Kernel], shared: Sequence[FloatArray],
                 longest_step: float) -> None:
        n, m = robot.n_joints, robot.n_modes
        self._robot, self.known = robot, False
        self.longest_step = checked_dt(longest_step)
        self._x = np.zeros(4 * (n + m))
        self.q, self.tau = self._x[:n + m], self._x[-n:]
        self.e, self.ed = self._x[n:n + m], self._x[n + m:n + 2 * m]
        self.motion = np.zeros((3, n))
        # `time` of the programs, faster to write than numpy's: [h, part, left]
        self._time = array.array('d', [0.0, 1.0, 0.0])
        self._kernels, self._shared = kernels, [np.frombuffer(self._time), *shared]
        arrays = [self._x, self.motion.reshape(-1), *self._shared, self._x]
        self._step, self._rest = (kernel.bound(arrays) for kernel in kernels)

    def advance(self, dt: float) -> None:
        """Integrate over dt [s] up to `motion`, in as many steps as accuracy needs."""
        count = int(dt / self.longest_step) + 1
        time, step = self._time, self._step
        time[0] = h = dt / count
        for left in range(count, 0, -1):
            time[1], time[2] = 1.0 / left, h * (left - 1)
            step()

    def rest(self) -> None:
        """Deflect the links as weight and `motion` do, without their own inertia.

        Two steps of a fast iteration: from cycle to cycle the deflection changes little.
        """
        self._rest()
        self._rest()
        self.known = True

    def settle(self) -> None:
        """Begin at rest: links deflected by their weight at the joint positions of `motion`."""
        motion = self.motion.copy()
        self.motion[1:] = 0.0
        if not np.isfinite(self._x).all():
            self._x[:] = 0.0
        try:
            for _ in range(MOST):
                before = self.e.copy()
                self._rest()
                # NaN is no rest either
                if np.abs(self.e - before).max() <= ROUND_OFF * np.abs(self.e).max():
                    break
            else:
                raise KaneDynamicsError(
                    f'{self._robot.name!r} has no equilibrium at joints {motion[0].tolist()}: its '
                    'links are too soft for their load; check the stiffness and the masses')
        finally:
            self.motion[:] = motion
        self.known = True

    def take_over(self, other: ElasticState) -> None:
        """Continue from another ElasticState of the same links under another load or gravity.

        Vibrations stay; the static sag becomes that of this load.
        """
        if not other.known:
            self.known = False
            return
        n, m = self.motion.shape[1], len(self.e)
        whole, motion = other._x.copy(), other.motion.copy()
        sags = []
        for state in (self, other):
            state.motion[0] = whole[:n]
            state.settle()
            sags.append(state.e.copy())
        other._x[:], other.motion[:] = whole, motion
        self._x[:] = whole
        self._x[n:n + m] += sags[0] - sags[1]

    def along(self, motion: Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]],
              times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return q (N, nq) and tau (N, n) along a motion, from rest where it begins.

        motion: times (K,) [s] -> q, qd, qdd of the joints, each (K, n), asked in chunks; times
        (N,) at equal distances, each one step. A link that deflects beyond the range of its model
        is reported by a KaneDynamicsWarning; `advance` does not check: use a `DeflectionWatch`.
        """
        nq, n = len(self.q), self.motion.shape[1]
        q, tau = np.empty((len(times), nq)), np.empty((len(times), n))
        for first in range(0, len(times), CHUNK):
            rows = np.concatenate(motion(times[first:first + CHUNK]), axis=1)
            if first == 0:
                self.motion[:] = rows[0].reshape(3, n)
                self.settle()
                self.advance(0.0)           # edd and tau where the motion begins
                self._time[0] = times[1] - times[0] if len(times) > 1 else 0.0
                q[0], tau[0], rows = self.q, self.tau, rows[1:]
            states = self._iterated(0, rows)
            chunk = slice(max(first, 1), max(first, 1) + len(states))
            q[chunk], tau[chunk] = states[:, :nq], states[:, -n:]
        warn_of('elastic_state', range_exits(self._robot, times, q))
        return q, tau

    def rest_along(self, motions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return q (N, nq) and tau (N, n) of motions (N, 3 n), the links without inertia.

        Three steps of the iteration for each motion, starting at the result of the one before.
        """
        self.motion[:] = motions[0].reshape(3, -1)
        self.settle()
        states = self._iterated(1, np.repeat(motions, 3, axis=0))[2::3]
        return states[:, :len(self.q)].copy(), states[:, -self.motion.shape[1]:].copy()

    def _iterated(self, which: int, rows: FloatArray) -> FloatArray:
        """Return the states after each row of motions, without the interpreter's lock."""
        states = self._kernels[which].iterate(self._x, np.ascontiguousarray(rows), self._shared,
                                              len(rows))[1:]
        if len(rows):
            self._x[:] = states[-1]
        return states


def step_of(frequencies: FloatArray, period: float) -> float:
    """Return the step [s] that resolves the modes which a period [s] resolves; inf for none.

    frequencies (n_modes,) [rad/s]. A mode is resolved where its phase changes by less than
    CYCLE_ANGLE in a period; that of the fastest of these changes by STEP_ANGLE in a step. Faster
    modes are damped, or integrated less exactly.
    """
    followed = frequencies[frequencies * period <= CYCLE_ANGLE]
    return STEP_ANGLE / followed.max() if len(followed) else np.inf
