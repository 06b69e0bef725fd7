# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that carry y' = f(t, y) over one step of any length."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.model.assembly import tree_of


class RungeKutta:
    """Advance by an explicit Runge-Kutta rule: nodes c, stages A (rows of weights), result b."""

    order = 0
    nodes = weights = result = estimate = None

    def __init__(self, equation):
        self._equation = equation
        stages = len(self.nodes)
        self._rates = np.zeros((stages, len(equation.state(equation.q, equation.qd))))
        self._rows = [np.array(row) for row in self.weights]
        self._result = np.array(self.result)
        self._sum = np.zeros(self._rates.shape[1])

    def advance(self, t, y, h, out):
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        rates, equation = self._rates, self._equation
        equation.rate(t, y, rates[0])
        for k, row in enumerate(self._rows, start=1):
            np.dot(row, rates[:k], out=self._sum)
            self._sum *= h
            self._sum += y
            equation.rate(t + self.nodes[k] * h, self._sum, rates[k])
        np.dot(self._result, rates, out=self._sum)
        self._sum *= h
        np.add(y, self._sum, out=out)
        equation.finish(t + h, out)

    def error(self, h):
        """Return the estimated error of the last step, the size of y."""
        return h * (np.array(self.estimate) @ self._rates)


class Rk4(RungeKutta):
    """Use the classical rule of order 4 (Kutta 1901)."""

    order = 4
    nodes = (0.0, 0.5, 0.5, 1.0)
    weights = ((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0))
    result = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


class KuttaMerson(RungeKutta):
    """Use the rule of order 4 with an error estimate from the same five stages (Merson 1957).

    The estimate is h (2 k1 - 9 k3 + 8 k4 - k5) / 30: true for linear equations, on the safe side
    for others.
    """

    order = 4
    nodes = (0.0, 1 / 3, 1 / 3, 0.5, 1.0)
    weights = ((1 / 3,), (1 / 6, 1 / 6), (1 / 8, 0.0, 3 / 8), (0.5, 0.0, -1.5, 2.0))
    result = (1 / 6, 0.0, 0.0, 2 / 3, 1 / 6)
    estimate = (2 / 30, 0.0, -9 / 30, 8 / 30, -1 / 30)


class SemiImplicit:
    """Advance the speeds by the present accelerations, then the coordinates by the new speeds.

    Symplectic Euler, order 1: crude in the motion, but its energy does not run away.
    """

    order = 1

    def __init__(self, equation):
        self._equation = equation
        self._rate = np.zeros(len(equation.state(equation.q, equation.qd)))

    def advance(self, t, y, h, out):
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation = self._equation
        nq, n = equation.nq, equation.n_state
        equation.rate(t, y, self._rate)
        np.multiply(self._rate, h, out=out)
        out += y
        equation.coordinates.displace(y[:nq], out[nq:n], h, out[:nq])
        # the torque acts on the mean speed of the step
        out[n] = y[n] + 0.5 * h * (equation.tau @ (y[nq:n] + out[nq:n]))
        equation.finish(t + h, out)


class ImplicitMidpoint:
    """Advance by the implicit midpoint rule, order 2: stable however stiff joints and modes are.

        M (qd1 - qd0) / h + bias(q_m, qd_m) = tau,    q_m, qd_m halfway, qd_m = (qd0 + qd1) / 2

    is solved for qd1 by Newton steps with the derivatives of the inverse dynamics. Of a flexible
    arm these would take long to compile, and what makes it stiff are its springs: M and those
    serve in their place. A stiff torque law, whose derivative nobody knows, wants Radau instead.
    """

    order = 2
    most = 30                           # Newton steps

    def __init__(self, equation):
        self._equation = equation
        self._rate = np.zeros(len(equation.state(equation.q, equation.qd)))
        self._springs = tree_of(equation.dynamics.robot).springs

    def advance(self, t, y, h, out):
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation = self._equation
        nq, n = equation.nq, equation.n_state
        middle, rate = y.copy(), self._rate
        start, last = y[nq:n], np.inf
        for _ in range(self.most):
            equation.coordinates.displace(y[:nq], middle[nq:n], 0.5 * h, middle[:nq])
            equation.rate(t + 0.5 * h, middle, rate)
            # residual of qd_m = qd0 + h/2 qdd(q_m, qd_m), times M: Newton on the mid speeds
            residual = middle[nq:n] - start - 0.5 * h * equation.qdd
            size = np.linalg.norm(residual)
            scale = np.linalg.norm(middle[nq:n]) + np.linalg.norm(h * equation.qdd)
            if size <= 1e-15 * scale or (size >= 0.5 * last and size <= 1e-12 * scale):
                break
            last = size
            middle[nq:n] -= self._newton(residual, h)
        else:
            raise KaneDynamicsError(
                f'midpoint: no solution for the step at t = {t:g} s (residual {size:.1e});'
                " a shorter dt, or method='Radau' for a stiff torque law")
        np.multiply(rate, h, out=out)
        out += y
        equation.coordinates.displace(y[:nq], middle[nq:n], h, out[:nq])
        out[nq:n] = 2.0 * middle[nq:n] - start
        equation.finish(t + h, out)

    def _newton(self, residual, h):
        """Return (M + h/2 dtau/dqd + h^2/4 dtau/dq)^-1 M residual at the middle state."""
        equation = self._equation
        if self._springs:
            M = equation.dynamics.mass_matrix(equation.q)
            by_q, by_qd = np.zeros_like(M), np.zeros_like(M)
            for spring in self._springs:
                k = spring.u_index
                by_q[k, k] += spring.stiffness
                by_qd[k, k] += spring.damping
        else:
            by_q, by_qd, M = equation.dynamics.inverse_derivatives(
                equation.q, equation.qd, equation.qdd)
        system = M + 0.5 * h * (by_qd + np.diag(equation.damping)) + 0.25 * h * h * by_q
        right = M @ residual
        still = equation.still
        if still.any():                                    # held joints keep their speed
            system[still], system[:, still], right[still] = 0.0, 0.0, residual[still]
            system[still, still] = 1.0
        return np.linalg.solve(system, right)
