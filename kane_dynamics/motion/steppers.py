# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Steppers walk through time by a rule: with a fixed step, a step of their own, or SciPy's."""

from __future__ import annotations

from functools import partial
import math

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.motion.implicit_rules import GeneralizedAlpha, ImplicitMidpoint
from kane_dynamics.motion.integrators import KuttaMerson, Rk4, SemiImplicit
from kane_dynamics.motion.state_equation import ACCOUNTS

CONTACT_WINDOW = 1e-6   # [s] in which only so many contacts may change, for variable steps
INCREMENT = np.finfo(float).eps ** 0.5      # of a difference that stands for a derivative
UNCONTROLLED = 1e9      # tolerance [J] that leaves the energy accounts out of step control


class FixedStepper:
    """Walk with steps h, or shorter ones where a step would pass a limit."""

    fixed = True

    def __init__(self, rule, equation, step, **_):
        self._rule, self._step = rule(equation), step
        self.contact_window = step      # time in which only so many contacts may change
        self.order = self._rule.order
        self.steps = self.rejected = 0

    def restart(self, t, y, t_bound):
        """Stand at time t with the state y; `t_bound` is the end of all steps."""
        del t_bound
        self.t = self.t_old = t
        self.y, self._old, self._spare = y.copy(), y.copy(), y.copy()
        self._carried = None            # what the rule hands on from step to step

    def step(self, limit):
        """Take one step, at most to the time `limit`."""
        self.t_old, self._old, self.y = self.t, self.y, self._old
        left = limit - self.t_old
        # a remainder of rounding size is part of this step
        h = left if left <= self._step * (1.0 + 1e-9) else self._step
        self.t = limit if h == left else self.t_old + h
        self._rule.carried = self._carried
        self._rule.advance(self.t_old, self._old, h, self.y)
        self._carried = self._rule.carried_on
        self.steps += 1

    def at(self, t):
        """Return y at a time within the last step, by a shorter step: as exact as a whole one."""
        self._rule.advance(self.t_old, self._old, t - self.t_old, self._spare)
        return self._spare.copy()


class KuttaMersonStepper(FixedStepper):
    """Walk with steps as long as the estimated error allows (Merson 1957)."""

    fixed = False
    SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0

    def __init__(self, equation, step, rtol, atol, **_):
        super().__init__(KuttaMerson, equation, CONTACT_WINDOW)
        self._equation, n = equation, equation.n_state
        self._controlled = np.r_[:n, n + ACCOUNTS:n + ACCOUNTS + equation.n_inner]
        self._rtol, self._atol = rtol, atol

    def restart(self, t, y, t_bound):
        """Stand at time t with the state y and guess a first step (Hairer et al. 1993, II.4)."""
        super().restart(t, y, t_bound)
        rate = np.empty_like(y)
        self._equation.rate(t, y, rate)
        part, scale = self._controlled, self._scale(y, y)
        size, speed = _norm(y[part] / scale), _norm(rate[part] / scale)
        first = 0.01 * size / speed if min(size, speed) > 1e-5 else 1e-6
        self._step = min(first, t_bound - t)

    def step(self, limit):
        """Take one step, at most to the time `limit`, shorter until its error is small enough."""
        start, most = self.t, self.GROW
        while True:
            smallest = 16.0 * math.ulp(max(abs(start), 1e-3))
            super().step(limit)
            h = self.t - self.t_old
            error = _norm(self._rule.error(h)[self._controlled]
                          / self._scale(self._old, self.y))
            if error <= 1.0:
                break
            self.steps, self.rejected = self.steps - 1, self.rejected + 1
            factor = self.SAFETY * error**-0.2 if math.isfinite(error) else self.SHRINK
            self._step, most = h * max(self.SHRINK, factor), 1.0
            if self._step < smallest:
                raise KaneDynamicsError(
                    f'kutta_merson: the step shrank to {self._step:.1e} s at t = {start:g} s; '
                    "the motion is stiff or not finite there: try method='Radau'")
            self.t, self.y, self._old = start, self._old, self.y
        growth = min(most, self.SAFETY * max(error, 1e-10)**-0.2)
        # a step cut short by the limit says little about the next
        self._step = max(h * max(self.SHRINK, growth), self._step if h < self._step else 0.0)

    def _scale(self, a, b):
        return self._atol + self._rtol * np.maximum(abs(a), abs(b))[self._controlled]


class ScipyStepper:
    """Walk with one of SciPy's solvers, told by name, and its own interpolation within steps.

    implicit: whether the solver asks for a Jacobian.
    """

    fixed = False
    contact_window = CONTACT_WINDOW

    def __init__(self, solver, equation, step, rtol, atol, implicit=False):
        del step
        from scipy import integrate                        # here: it takes longer than all else
        self._make, self._equation = getattr(integrate, solver), equation
        self._rtol = rtol
        self._more = {'jac': self._jacobian} if implicit else {}
        n = equation.n_state
        self._atol = np.full(n + ACCOUNTS + equation.n_inner, atol)
        self._atol[n:n + ACCOUNTS] = UNCONTROLLED
        self.steps = self.rejected = 0

    def restart(self, t, y, t_bound):
        """Stand at time t with the state y; `t_bound` is the end of all steps."""
        self.t = self.t_old = t
        self.y = y.copy()
        self._solver = self._make(self._rate, t, self.y, t_bound, rtol=self._rtol,
                                  atol=self._atol, **self._more)
        self._between = None

    def _rate(self, t, y):
        out = np.empty_like(y)
        self._equation.rate(t, y, out)
        return out

    def _jacobian(self, t, y):
        """Return df/dy by differences over a fixed increment, zero for the accounts.

        SciPy's own differences widen the increment tenfold each time that f does not answer, as
        it does not to the angle about a vertical first axis, until the Jacobian is noise.
        """
        n, f = self._equation.n_state, self._rate(t, y)
        jacobian, moved = np.zeros((len(y), len(y))), y.copy()
        for k in (*range(n), *range(n + ACCOUNTS, len(y))):
            moved[k] += INCREMENT * max(1.0, abs(y[k]))
            jacobian[:, k] = (self._rate(t, moved) - f) / (moved[k] - y[k])
            moved[k] = y[k]
        return jacobian

    def step(self, limit):
        """Take one step; `limit` is the bound that `restart` was given."""
        del limit
        problem = self._solver.step()
        if self._solver.status == 'failed':
            raise KaneDynamicsError(f'{self._make.__name__} failed at t = {self._solver.t:g} s: '
                                    f'{problem}')
        self.t_old, self.t = self._solver.t_old, self._solver.t
        self.y = self._solver.y.copy()
        self._equation.finish(self.t, self.y)
        self._between = None
        self.steps += 1

    def at(self, t):
        """Return y at a time within the last step."""
        if self._between is None:
            self._between = self._solver.dense_output()
        y = self._between(t)
        self._equation.finish(t, y)
        return y


def _norm(x):
    return math.sqrt(x @ x / len(x))


# A stepper is made as METHODS[name](equation=..., step=..., rtol=..., atol=...); `step` is the
# length for those with `fixed = True`.
METHODS = {
    'rk4': partial(FixedStepper, Rk4),
    'semi_implicit': partial(FixedStepper, SemiImplicit),
    'midpoint': partial(FixedStepper, ImplicitMidpoint),
    'generalized_alpha': partial(FixedStepper, GeneralizedAlpha),
    'kutta_merson': KuttaMersonStepper,
    'DOP853': partial(ScipyStepper, 'DOP853'),
    'Radau': partial(ScipyStepper, 'Radau', implicit=True),
}
FIXED = tuple(name for name, make in METHODS.items()
              if getattr(make, 'func', make) is FixedStepper)
IMPLICIT = ('midpoint', 'generalized_alpha')
SCIPY = tuple(name for name, make in METHODS.items()
              if getattr(make, 'func', make) is ScipyStepper)
