# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Steppers through time: with a fixed step, with error control, or SciPy's solvers."""

from __future__ import annotations

from functools import partial
import math
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.state import ACCOUNTS, StateEquation
from kane_dynamics.simulation.rules.explicit import KuttaMerson, Rk4, SemiImplicit
from kane_dynamics.simulation.rules.implicit import GeneralizedAlpha, ImplicitMidpoint

CONTACT_WINDOW = 1e-6   # [s] in which only so many contacts may change, for variable steps
INCREMENT = np.finfo(float).eps ** 0.5      # of a difference that stands for a derivative
UNCONTROLLED = 1e9      # tolerance [J] that leaves the energies out of step control

Method: TypeAlias = Literal['rk4', 'semi_implicit', 'midpoint', 'generalized_alpha',
                            'kutta_merson', 'DOP853', 'Radau']


class Rule(Protocol):
    """Integration rule: one step of any length.

    `carried` is what a step takes over from the step before, None at a start; `carried_on` is
    what it hands on to the next.
    """

    carried: FloatArray | None
    carried_on: FloatArray | None

    def advance(self, t: float, y: FloatArray, h: float, out: FloatArray) -> None:
        """Fill out with y after a step h [s] from time t [s]; out is another array than y."""


class RuleClass(Protocol):
    """Constructor of a Rule."""

    def __call__(self, equation: StateEquation) -> Rule:
        """Return the rule for an equation."""


class Stepper(Protocol):
    """Sequence of steps; t and y are the time and the state after the last one.

    fixed: whether the step is given and `step` stops exactly at its limit; contact_window: time
    [s] in which only a few contacts may change.
    """

    fixed: bool
    contact_window: float
    t: float
    t_old: float
    y: FloatArray
    steps: int
    rejected: int

    def restart(self, t: float, y: FloatArray, t_bound: float) -> None:
        """Start at time t [s] with the state y; `t_bound` is the end of all steps."""

    def step(self, limit: float) -> None:
        """Take one step, with a fixed step at most to the time `limit` [s]."""

    def at(self, t: float) -> FloatArray:
        """Return y at a time within the last step."""


class StepperClass(Protocol):
    """Constructor of a Stepper; `step` [s] is for those with a fixed step, the rest for others."""

    def __call__(self, *, equation: StateEquation, step: float | None = None, rtol: float = 1e-8,
                 atol: float = 1e-10) -> Stepper:
        """Return the stepper for an equation."""


class RuleStepper:
    """Steps by a Rule of a length h, or shorter ones where a step would pass a limit."""

    fixed = True

    def __init__(self, rule: Rule, step: float) -> None:
        self._rule, self._step = rule, step
        self.contact_window = step
        self.steps = self.rejected = 0

    def restart(self, t: float, y: FloatArray, t_bound: float) -> None:
        """Start at time t [s] with the state y; `t_bound` is the end of all steps."""
        self.t = self.t_old = t
        self.y, self._old, self._spare = y.copy(), y.copy(), y.copy()
        self._carried: FloatArray | None = None

    def step(self, limit: float) -> None:
        """Take one step, at most to the time `limit`."""
        self.t_old, self._old, self.y = self.t, self.y, self._old
        left = limit - self.t_old
        # a remainder of rounding size belongs to this step
        h = left if left <= self._step * (1.0 + 1e-9) else self._step
        self.t = limit if h == left else self.t_old + h
        self._rule.carried = self._carried
        self._rule.advance(self.t_old, self._old, h, self.y)
        self._carried = self._rule.carried_on
        self.steps += 1

    def at(self, t: float) -> FloatArray:
        """Return y at a time within the last step, by a shorter step: as exact as a whole one."""
        self._rule.advance(self.t_old, self._old, t - self.t_old, self._spare)
        return self._spare.copy()


class FixedStepper(RuleStepper):
    """Steps of a fixed length [s] by a rule; the tolerances do not apply."""

    def __init__(self, rule: RuleClass, equation: StateEquation, step: float | None = None,
                 rtol: float = 0.0, atol: float = 0.0) -> None:
        assert step is not None         # `Setup` requires it
        super().__init__(rule(equation), step)


class KuttaMersonStepper(RuleStepper):
    """Steps as long as the estimated error allows (Merson 1957)."""

    fixed = False
    SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0

    def __init__(self, equation: StateEquation, step: float | None = None, rtol: float = 1e-8,
                 atol: float = 1e-10) -> None:
        self._kutta_merson = KuttaMerson(equation)
        super().__init__(self._kutta_merson, CONTACT_WINDOW)
        self._equation, n = equation, equation.n_state
        self._controlled = np.r_[:n, n + ACCOUNTS:n + ACCOUNTS + equation.n_inner]
        self._rtol, self._atol = rtol, atol

    def restart(self, t: float, y: FloatArray, t_bound: float) -> None:
        """Start at time t [s] with a first step guessed as Hairer et al. (1993, II.4) do."""
        super().restart(t, y, t_bound)
        rate = np.empty_like(y)
        self._equation.rate(t, y, rate)
        part, scale = self._controlled, self._scale(y, y)
        size, speed = _norm(y[part] / scale), _norm(rate[part] / scale)
        first = 0.01 * size / speed if min(size, speed) > 1e-5 else 1e-6
        self._step = min(first, t_bound - t)

    def step(self, limit: float) -> None:
        """Take one step, at most to the time `limit`, shorter until its error is small enough."""
        start, most = self.t, self.GROW
        while True:
            smallest = 16.0 * math.ulp(max(abs(start), 1e-3))
            super().step(limit)
            h = self.t - self.t_old
            error = _norm(self._kutta_merson.error(h)[self._controlled]
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

    def _scale(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return self._atol + self._rtol * np.maximum(abs(a), abs(b))[self._controlled]


class ScipyStepper:
    """Steps of one of SciPy's solvers, by name, with its own interpolation within steps.

    implicit: whether the solver needs a Jacobian.
    """

    fixed = False
    contact_window = CONTACT_WINDOW

    def __init__(self, solver: str, equation: StateEquation, step: float | None = None,
                 rtol: float = 1e-8, atol: float = 1e-10, implicit: bool = False) -> None:
        from scipy import integrate                        # slow to load
        self._make, self._equation = getattr(integrate, solver), equation
        self._rtol = rtol
        self._more: dict[str, Any] = {'jac': self._jacobian} if implicit else {}
        n = equation.n_state
        self._atol = np.full(n + ACCOUNTS + equation.n_inner, atol)
        self._atol[n:n + ACCOUNTS] = UNCONTROLLED
        self.steps = self.rejected = 0

    def restart(self, t: float, y: FloatArray, t_bound: float) -> None:
        """Start at time t [s] with the state y; `t_bound` is the end of all steps."""
        self.t = self.t_old = t
        self.y = y.copy()
        self._solver = self._make(self._rate, t, self.y, t_bound, rtol=self._rtol,
                                  atol=self._atol, **self._more)
        self._between: Any = None       # SciPy's interpolation over the last step

    def _rate(self, t: float, y: FloatArray) -> FloatArray:
        out = np.empty_like(y)
        self._equation.rate(t, y, out)
        return out

    def _jacobian(self, t: float, y: FloatArray) -> FloatArray:
        """Return df/dy by differences over a fixed increment, zero for the energies.

        SciPy's own differences widen the increment tenfold each time that f does not change, as
        with the angle about a vertical first axis, until the Jacobian is noise.
        """
        n, f = self._equation.n_state, self._rate(t, y)
        jacobian, moved = np.zeros((len(y), len(y))), y.copy()
        for k in (*range(n), *range(n + ACCOUNTS, len(y))):
            moved[k] += INCREMENT * max(1.0, abs(y[k]))
            jacobian[:, k] = (self._rate(t, moved) - f) / (moved[k] - y[k])
            moved[k] = y[k]
        return jacobian

    def step(self, limit: float) -> None:
        """Take one step of the solver's own length, up to the bound given to `restart`."""
        problem = self._solver.step()
        if self._solver.status == 'failed':
            raise KaneDynamicsError(f'{self._make.__name__} failed at t = {self._solver.t:g} s: '
                                    f'{problem}')
        self.t_old, self.t = self._solver.t_old, self._solver.t
        self.y = self._solver.y.copy()
        self._equation.finish(self.t, self.y)
        self._between = None
        self.steps += 1

    def at(self, t: float) -> FloatArray:
        """Return y at a time within the last step."""
        if self._between is None:
            self._between = self._solver.dense_output()
        y: FloatArray = self._between(t)
        self._equation.finish(t, y)
        return y


def _norm(x: FloatArray) -> float:
    return math.sqrt(x @ x / len(x))


METHODS: dict[str, StepperClass] = {
    'rk4': partial(FixedStepper, Rk4),
    'semi_implicit': partial(FixedStepper, SemiImplicit),
    'midpoint': partial(FixedStepper, ImplicitMidpoint),
    'generalized_alpha': partial(FixedStepper, GeneralizedAlpha),
    'kutta_merson': KuttaMersonStepper,
    'DOP853': partial(ScipyStepper, 'DOP853'),
    'Radau': partial(ScipyStepper, 'Radau', implicit=True),
}
FIXED = ('rk4', 'semi_implicit', 'midpoint', 'generalized_alpha')
IMPLICIT = ('midpoint', 'generalized_alpha')
SCIPY = ('DOP853', 'Radau')
