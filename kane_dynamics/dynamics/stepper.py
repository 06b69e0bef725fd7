# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State of an arm that is advanced in place, step by step: for simulators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.codegen.backend import Kernel
    from kane_dynamics.dynamics.dynamics import Dynamics


class Stepper:
    """State of an arm with a step in time; made by `Dynamics.stepper`.

    q (nq,), qd (nv,) and qdd (nv,) are the state, tau (nv,) the torque held over a step; all are
    arrays to read and write in place. Implicit methods start from qdd; after writing q or
    qd by hand call `refresh`.
    """

    def __init__(self, dynamics: Dynamics, kernel: Kernel, shared: Sequence[FloatArray], dt: float,
                 free: FloatArray | None = None) -> None:
        nq, nv = dynamics.robot.nq, dynamics.robot.nv
        self._state = np.zeros(nq + 2 * nv)
        self._dynamics = dynamics
        self._dt = np.array([checked_dt(dt)])
        self.q, self.qd, self.qdd = (self._state[:nq], self._state[nq:nq + nv],
                                     self._state[nq + nv:])
        self.q[:] = dynamics.robot.neutral()
        self.tau = np.zeros(nv)
        inputs = [self._state, self.tau, self._dt, *([] if free is None else [free])]
        self.step = kernel.bound([*inputs, *shared, self._state])
        self.refresh()

    @property
    def dt(self) -> float:
        """Return the step [s]."""
        return float(self._dt[0])

    @dt.setter
    def dt(self, value: float) -> None:
        self._dt[0] = checked_dt(value)

    def refresh(self) -> None:
        """Set qdd to the accelerations of the present state and torque."""
        self._dynamics.forward(self.q, self.qd, self.tau, out=self.qdd)


def checked_dt(dt: float) -> float:
    """Return dt as a float, or refuse it."""
    if not (np.isfinite(dt) and dt > 0.0):
        raise InputError(f'dt must be a positive number of seconds, got {dt!r}')
    return float(dt)
