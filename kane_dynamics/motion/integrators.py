# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Explicit rules that carry y' = f(t, y) over one step of any length."""

from __future__ import annotations

import numpy as np


class RungeKutta:
    """Advance by an explicit Runge-Kutta rule: nodes c, stages A (rows of weights), result b."""

    order = 0
    carried_on = None       # each step begins anew
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
    carried_on = None       # each step begins anew

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
