# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Explicit integration rules: one step of y' = f(t, y) of any length."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.time_integration import KUTTA_MERSON, RK4, Tableau
from kane_dynamics.simulation.equations.state import StateEquation


class RungeKutta:
    """Explicit Runge-Kutta rule of a tableau."""

    tableau: ClassVar[Tableau]
    carried: FloatArray | None = None       # see `Rule`: each step stands alone
    carried_on: FloatArray | None = None

    def __init__(self, equation: StateEquation) -> None:
        self._equation = equation
        tableau = self.tableau
        self._nodes = tableau.nodes
        self._rates = np.zeros((len(tableau.nodes),
                                len(equation.state(equation.q, equation.qd))))
        self._stages = [np.array(row) for row in tableau.stages]
        self._weights, self._estimate = np.array(tableau.weights), np.array(tableau.estimate)
        self._sum = np.zeros(self._rates.shape[1])

    def advance(self, t: float, y: FloatArray, h: float, out: FloatArray) -> None:
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        rates, equation = self._rates, self._equation
        equation.rate(t, y, rates[0])
        for k, row in enumerate(self._stages, start=1):
            np.dot(row, rates[:k], out=self._sum)
            self._sum *= h
            self._sum += y
            equation.rate(t + self._nodes[k] * h, self._sum, rates[k])
        np.dot(self._weights, rates, out=self._sum)
        self._sum *= h
        np.add(y, self._sum, out=out)
        equation.finish(t + h, out)

    def error(self, h: float) -> FloatArray:
        """Return the estimated error of the last step, in the shape of y."""
        return h * (self._estimate @ self._rates)


class Rk4(RungeKutta):
    """Classical Runge-Kutta rule, order 4."""

    tableau = RK4


class KuttaMerson(RungeKutta):
    """Kutta-Merson rule, order 4 with an error estimate."""

    tableau = KUTTA_MERSON


class SemiImplicit:
    """Symplectic Euler: speeds by the present accelerations, then coordinates by the new speeds.

    Order 1: coarse in the motion, but its energy does not drift away.
    """

    carried: FloatArray | None = None
    carried_on: FloatArray | None = None

    def __init__(self, equation: StateEquation) -> None:
        self._equation = equation
        self._rate = np.zeros(len(equation.state(equation.q, equation.qd)))

    def advance(self, t: float, y: FloatArray, h: float, out: FloatArray) -> None:
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
