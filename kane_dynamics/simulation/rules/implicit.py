# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Implicit integration rules: one step of y' = f(t, y), stable for any stiffness."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.time_integration import GENERALIZED_ALPHA
from kane_dynamics.simulation.equations.state import StateEquation

MOST_NEWTON_STEPS = 30
REST_AFTER = 4                          # Newton steps before a residual of rounding size will do
EPSILON = np.finfo(float).eps


class ImplicitRule:
    """Solution of an implicit rule of order 2 by Newton's method; the base of the rules below.

    Its matrices are the derivatives of the inverse dynamics. For a flexible arm, whose derivatives
    take long to compile, M and the springs, which make it stiff, take their place. A stiff torque
    law, whose derivative is unknown, needs Radau instead.
    """

    name: ClassVar[str] = ''
    carried: FloatArray | None = None       # see `Rule`
    carried_on: FloatArray | None = None

    def __init__(self, equation: StateEquation) -> None:
        self._equation = equation
        self._rate = np.zeros(len(equation.state(equation.q, equation.qd)))
        self._between = self._rate.copy()               # the state where the equations hold
        tree = equation.dynamics.robot.tree
        self._flexible = bool(tree.springs)
        self._stiffness: FloatArray = tree.stiffness
        self._damping: FloatArray = tree.damping

    def _solve(self, t: float, accelerations: FloatArray, residual: Callable[[], FloatArray],
               h: float, weights: tuple[float, float, float]) -> None:
        """Change accelerations (nv,) in place until residual() (nv,) vanishes.

        weights a, b, c of the Newton matrix a M + b dtau/dqd + c dtau/dq.
        """
        equation, last, size = self._equation, np.inf, np.inf
        for k in range(MOST_NEWTON_STEPS):
            left = residual()
            size = float(0.5 * h * np.linalg.norm(left))
            scale = float(np.linalg.norm(equation.qd) + h * np.linalg.norm(equation.qdd))
            if (size <= 1e-15 * scale or (size >= 0.5 * last and size <= 1e-12 * scale)
                    or (k >= REST_AFTER and size <= 0.5 * h * self._rounding())):
                return
            last = size
            accelerations -= self._newton(left, *weights)
        raise KaneDynamicsError(
            f'{self.name}: no solution for the step at t = {t:g} s (residual {size:.1e});'
            " take a shorter dt, or method='Radau' for a stiff torque law")

    def _rounding(self) -> float:
        """Return the acceleration that rounding leaves where springs and weight balance."""
        equation = self._equation
        if not self._flexible:
            return 0.0
        forces = self._stiffness * abs(equation.q[equation.nq - equation.nv:])
        M: FloatArray = equation.dynamics.mass_matrix(equation.q)
        return float(16.0 * EPSILON * np.linalg.norm(np.linalg.solve(M, forces)))

    def _newton(self, left: FloatArray, by_mass: float, by_rate: float,
                by_position: float) -> FloatArray:
        """Return (by_mass M + by_rate dtau/dqd + by_position dtau/dq)^-1 M left."""
        equation = self._equation
        if self._flexible:
            M = equation.dynamics.mass_matrix(equation.q)
            by_q, by_qd = np.diag(self._stiffness), np.diag(self._damping + equation.damping)
        else:
            by_q, by_qd, M = equation.dynamics.inverse_derivatives(
                equation.q, equation.qd, equation.qdd)
            by_qd = by_qd + np.diag(equation.damping)
        system, right = by_mass * M + by_rate * by_qd + by_position * by_q, M @ left
        still = equation.still
        if still.any():                                    # held joints keep their speed
            system[still], system[:, still], right[still] = 0.0, 0.0, left[still]
            system[still, still] = by_mass
        return np.asarray(np.linalg.solve(system, right), dtype=float)


class ImplicitMidpoint(ImplicitRule):
    """Implicit midpoint rule, which keeps the energy of springs.

        M (qd1 - qd0) / h + bias(q_m, qd_m) = tau,    q_m, qd_m halfway, qd_m = (qd0 + qd1) / 2

    is solved for the mean acceleration (qd1 - qd0) / h.
    """

    name = 'midpoint'

    def advance(self, t: float, y: FloatArray, h: float, out: FloatArray) -> None:
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation, middle, rate = self._equation, self._between, self._rate
        nq, n = equation.nq, equation.n_state
        middle[:] = y
        mean = np.zeros(equation.nv)

        def residual() -> FloatArray:
            np.add(y[nq:n], 0.5 * h * mean, out=middle[nq:n])
            equation.coordinates.displace(y[:nq], middle[nq:n], 0.5 * h, middle[:nq])
            equation.rate(t + 0.5 * h, middle, rate)
            return mean - equation.qdd
        self._solve(t, mean, residual, h, (1.0, 0.5 * h, 0.25 * h * h))
        np.multiply(rate, h, out=out)
        out += y
        equation.coordinates.displace(y[:nq], middle[nq:n], h, out[:nq])
        out[nq:n] = 2.0 * middle[nq:n] - y[nq:n]
        equation.finish(t + h, out)


class GeneralizedAlpha(ImplicitRule):
    """Generalized-alpha method (Chung and Hulbert 1993), which damps modes faster than the step.

    Its acceleration a is an unknown of its own, carried from step to step:

        qd1 = qd0 + h ((1 - gamma) a0 + gamma a1)
        q1 = q0 + h qd0 + h^2 ((1/2 - beta) a0 + beta a1)
        M (am a0 + (1 - am) a1) + bias(q_b, qd_b) = tau,    q_b = af q0 + (1 - af) q1, qd_b alike

    `carried` is a0, None at a start: then it is the acceleration there. `carried_on` is a1.
    """

    name = 'generalized_alpha'

    def advance(self, t: float, y: FloatArray, h: float, out: FloatArray) -> None:
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation, between, rate = self._equation, self._between, self._rate
        nq, n = equation.nq, equation.n_state
        am, af, gamma, beta = GENERALIZED_ALPHA
        if self.carried is None:
            equation.rate(t, y, rate)
            self.carried = equation.qdd.copy()
        a0, start, after = self.carried, y[nq:n], out[nq:n]
        a1 = a0.copy()
        between[:] = y

        def mean_speed() -> FloatArray:
            """Return the mean speed (nv,) over the step."""
            return start + h * ((0.5 - beta) * a0 + beta * a1)

        def residual() -> FloatArray:
            np.add(start, h * ((1.0 - gamma) * a0 + gamma * a1), out=after)
            np.add(af * start, (1.0 - af) * after, out=between[nq:n])
            equation.coordinates.displace(y[:nq], mean_speed(), (1.0 - af) * h, between[:nq])
            equation.rate(t + (1.0 - af) * h, between, rate)
            return am * a0 + (1.0 - am) * a1 - equation.qdd
        self._solve(t, a1, residual, h, GENERALIZED_ALPHA.newton_weights(h))
        # the energies, by the power in the middle of the step
        np.add(0.5 * start, 0.5 * after, out=between[nq:n])
        equation.coordinates.displace(y[:nq], mean_speed(), 0.5 * h, between[:nq])
        equation.rate(t + 0.5 * h, between, rate)
        out[n:] = y[n:] + h * rate[n:]
        equation.coordinates.displace(y[:nq], mean_speed(), h, out[:nq])
        self.carried_on = a1
        equation.finish(t + h, out)
