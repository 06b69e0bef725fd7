# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Implicit rules that carry y' = f(t, y) over one step: stable however stiff springs are."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.steps import alpha_weights
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.model.assembly import tree_of

MOST = 30                               # Newton steps
PATIENCE = 4                            # of them before an arm nearly at rest is one at rest
EPSILON = np.finfo(float).eps


class ImplicitRule:
    """Find the mean acceleration of a step by Newton's method, order 2.

    The matrices of Newton's method are the derivatives of the inverse dynamics. Of a flexible arm
    these would take long to compile, and what makes it stiff are its springs: M and those serve
    in their place. A stiff torque law, whose derivative nobody knows, wants Radau instead.
    """

    order = 2
    name = ''
    carried = carried_on = None         # what a step takes over from the last, and hands on

    def __init__(self, equation):
        self._equation = equation
        self._rate = np.zeros(len(equation.state(equation.q, equation.qd)))
        self._between = self._rate.copy()               # the state where the equations hold
        self._springs = tree_of(equation.dynamics.robot).springs
        self._stiffness, self._damping = np.zeros((2, equation.nv))
        for spring in self._springs:
            self._stiffness[spring.u_index] += spring.stiffness
            self._damping[spring.u_index] += spring.damping

    def _solve(self, t, accelerations, rest, h, weights):
        """Change accelerations (nv,) in place until rest() (nv,), what is left over, vanishes.

        weights a, b, c of the Newton matrix a M + b dtau/dqd + c dtau/dq.
        """
        equation, last = self._equation, np.inf
        for k in range(MOST):
            left = rest()
            size = 0.5 * h * np.linalg.norm(left)
            scale = np.linalg.norm(equation.qd) + h * np.linalg.norm(equation.qdd)
            if (size <= 1e-15 * scale or (size >= 0.5 * last and size <= 1e-12 * scale)
                    or (k >= PATIENCE and size <= 0.5 * h * self._rounding())):
                return
            last = size
            accelerations -= self._newton(left, *weights)
        raise KaneDynamicsError(
            f'{self.name}: no solution for the step at t = {t:g} s (residual {size:.1e});'
            " a shorter dt, or method='Radau' for a stiff torque law")

    def _rounding(self):
        """Return the acceleration that rounding leaves where springs and weight balance."""
        equation = self._equation
        if not self._springs:
            return 0.0
        forces = self._stiffness * abs(equation.q[equation.nq - equation.nv:])
        return 16.0 * EPSILON * np.linalg.norm(
            np.linalg.solve(equation.dynamics.mass_matrix(equation.q), forces))

    def _newton(self, left, by_mass, by_rate, by_place):
        """Return (by_mass M + by_rate dtau/dqd + by_place dtau/dq)^-1 M left."""
        equation = self._equation
        if self._springs:
            M = equation.dynamics.mass_matrix(equation.q)
            by_q, by_qd = np.diag(self._stiffness), np.diag(self._damping + equation.damping)
        else:
            by_q, by_qd, M = equation.dynamics.inverse_derivatives(
                equation.q, equation.qd, equation.qdd)
            by_qd = by_qd + np.diag(equation.damping)
        system, right = by_mass * M + by_rate * by_qd + by_place * by_q, M @ left
        still = equation.still
        if still.any():                                    # held joints keep their speed
            system[still], system[:, still], right[still] = 0.0, 0.0, left[still]
            system[still, still] = by_mass
        return np.linalg.solve(system, right)


class ImplicitMidpoint(ImplicitRule):
    """Advance by the implicit midpoint rule, which neither adds energy to springs nor takes any.

        M (qd1 - qd0) / h + bias(q_m, qd_m) = tau,    q_m, qd_m halfway, qd_m = (qd0 + qd1) / 2

    is solved for the mean acceleration (qd1 - qd0) / h.
    """

    name = 'midpoint'

    def advance(self, t, y, h, out):
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation, middle, rate = self._equation, self._between, self._rate
        nq, n = equation.nq, equation.n_state
        middle[:] = y
        mean = np.zeros(equation.nv)

        def rest():
            np.add(y[nq:n], 0.5 * h * mean, out=middle[nq:n])
            equation.coordinates.displace(y[:nq], middle[nq:n], 0.5 * h, middle[:nq])
            equation.rate(t + 0.5 * h, middle, rate)
            return mean - equation.qdd
        self._solve(t, mean, rest, h, (1.0, 0.5 * h, 0.25 * h * h))
        np.multiply(rate, h, out=out)
        out += y
        equation.coordinates.displace(y[:nq], middle[nq:n], h, out[:nq])
        out[nq:n] = 2.0 * middle[nq:n] - y[nq:n]
        equation.finish(t + h, out)


class GeneralizedAlpha(ImplicitRule):
    """Advance by the generalized-alpha method (Chung and Hulbert 1993), which quiets fast modes.

    Its acceleration a is an unknown of its own, carried from step to step:

        qd1 = qd0 + h ((1 - gamma) a0 + gamma a1)
        q1 = q0 + h qd0 + h^2 ((1/2 - beta) a0 + beta a1)
        M (am a0 + (1 - am) a1) + bias(q_b, qd_b) = tau,    q_b = af q0 + (1 - af) q1, qd_b alike

    `carried` is a0, None at a start: then the acceleration there is taken. `carried_on` is a1.
    """

    name = 'generalized_alpha'

    def advance(self, t, y, h, out):
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""
        equation, between, rate = self._equation, self._between, self._rate
        nq, n = equation.nq, equation.n_state
        am, af, gamma, beta = alpha_weights()
        if self.carried is None:
            equation.rate(t, y, rate)
            self.carried = equation.qdd.copy()
        a0, start, after = self.carried, y[nq:n], out[nq:n]
        a1 = a0.copy()
        between[:] = y

        def way():
            """Return the mean speed (nv,) over the step."""
            return start + h * ((0.5 - beta) * a0 + beta * a1)

        def rest():
            np.add(start, h * ((1.0 - gamma) * a0 + gamma * a1), out=after)
            np.add(af * start, (1.0 - af) * after, out=between[nq:n])
            equation.coordinates.displace(y[:nq], way(), (1.0 - af) * h, between[:nq])
            equation.rate(t + (1.0 - af) * h, between, rate)
            return am * a0 + (1.0 - am) * a1 - equation.qdd
        self._solve(t, a1, rest, h, (1.0 - am, (1.0 - af) * gamma * h, (1.0 - af) * beta * h * h))
        # the accounts, by the power in the middle of the step
        np.add(0.5 * start, 0.5 * after, out=between[nq:n])
        equation.coordinates.displace(y[:nq], way(), 0.5 * h, between[:nq])
        equation.rate(t + 0.5 * h, between, rate)
        out[n:] = y[n:] + h * rate[n:]
        equation.coordinates.displace(y[:nq], way(), h, out[:nq])
        self.carried_on = a1
        equation.finish(t + h, out)
