# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations along the path of a task, solved by Newton's method without drift."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, NamedTuple

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.polynomials import Derivatives, quintic_hermite
from kane_dynamics.task.equations import TaskEquations
from kane_dynamics.task.finding import (
    at, Finding, FindingKind, SINGULAR, TaskError, UNREACHABLE)
from kane_dynamics.task.inverse_kinematics import describe, joint_bounds, reach

FIRST_STEP, LONGEST_STEP, SHORTEST_STEP = 1.0 / 64.0, 1.0 / 16.0, 1e-7
SINGULAR_STEP = 1e-5    # fraction of the path to which a singularity is located
CURVED = 0.05           # [rad] that the second order may add to a predicted configuration
CORRECTION = 0.01       # [rad] that Newton's method may add to a predicted configuration
POLISHED = 1e-13        # [rad] below which steps are rounding
CONSISTENT = 1e-9       # scaled error allowed where there are more equations than joints


class _Knot(NamedTuple):
    """A solution of the equations: q, q', q'' (n,), smallest singular value, sign of det J."""

    q: FloatArray
    q1: FloatArray
    q2: FloatArray
    least: float
    sign: float


class SolvedPath:
    """The configurations of a task along its path, from a first one (n,) on, solved at once.

    Each step is as long as the prediction by q, q', q'' holds and is corrected by Newton's method,
    so that nothing drifts: the equations of order zero hold to rounding everywhere, and q', q''
    follow from those of order one and two (resolved acceleration). Between the steps the same is
    done from a quintic through them.

    singular: the smallest dimensionless singular value of J below which the path counts as
    singular; time_at: function of x that returns the time, for messages.
    """

    def __init__(self, equations: TaskEquations, q0: FloatArray, singular: float = 1e-3,
                 time_at: Callable[[float], float] = float) -> None:
        if equations.count < equations.robot.n_joints:
            raise InputError(f'{equations.count} equations for {equations.robot.n_joints} joints')
        self.equations, self._singular, self._time_at = equations, singular, time_at
        self._walk(q0)

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return q, dq/dx, d2q/dx2, each (M, n), at fractions x (M,) from 0 to 1."""
        inside = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
        return self._solved(inside, self._predicted(inside))

    @property
    def least_singular_value(self) -> tuple[float, float, FloatArray]:
        """Return the smallest singular value of the path, its x and its position (3,) [m]."""
        k = int(np.argmin(self.singular_values))
        return (float(self.singular_values[k]), float(self.knots[k]),
                self.equations.point_positions(self.q[k:k + 1])[0])

    # -- the steps along the path ---------------------------------------------------------------

    def _walk(self, q: FloatArray) -> None:
        x, h = 0.0, FIRST_STEP
        self._minor = self._chosen_rows(q)
        here = self._knot(x, q)
        if here is None or here.least < self._singular:
            error = self.equations.evaluate(np.zeros(1), q[None]).error[0]
            far = abs(error / self.equations.rows).max() > CONSISTENT
            raise self._failure(UNREACHABLE if far else SINGULAR, 0.0, q)
        xs, knots = [0.0], [here]
        while x < 1.0:
            last = knots[-1]
            # where the path curves within a step, the prediction could lead to another branch
            curvature = abs(last.q2 / self.equations.columns).max()
            step = min(h, 1.0 - x, np.sqrt(2.0 * CURVED / max(curvature, 1e-300)))
            ahead = x + step if x + step < 1.0 - 1e-12 else 1.0
            guess = last.q + step * last.q1 + 0.5 * step ** 2 * last.q2
            knot = self._knot(ahead, guess)
            if knot is None:
                h = 0.25 * step
                if h >= SHORTEST_STEP:
                    continue
                raise self._lost(x, last.q)
            moved = abs((knot.q - guess) / self.equations.columns).max()
            singular, crossed = knot.least < self._singular, knot.sign != last.sign
            if moved > 5.0 * CORRECTION or singular or crossed:
                h = 0.25 * step
                if h >= (SINGULAR_STEP if singular else SHORTEST_STEP):
                    continue
                if not self._minor_only(crossed, singular, moved):
                    raise self._lost(x, last.q)
            x = ahead
            xs.append(x)
            knots.append(knot)
            growth = 0.9 * (CORRECTION / max(moved, 1e-9)) ** (1.0 / 3.0)
            h = min(step * min(max(growth, 0.2), 2.0), LONGEST_STEP)
        self.knots = np.array(xs)
        self.q, self.q1, self.q2 = (np.array([knot[k] for knot in knots]) for k in range(3))
        self.singular_values = np.array([knot.least for knot in knots])

    def _knot(self, x: float, guess: FloatArray) -> _Knot | None:
        """Return the solution at x near a guess (n,), or None."""
        q = self._newton(np.array([x]), guess[None])
        if q is None:
            return None
        J = self.equations.scaled(self.equations.evaluate(np.array([x]), q).J)[0]
        least = float(np.linalg.svd(J, compute_uv=False)[-1])
        if least < 1e-12:
            return None
        q1, q2 = self._rates(np.array([x]), q)
        return _Knot(q[0], q1[0], q2[0], least, float(np.linalg.slogdet(J[self._minor])[0]))

    def _chosen_rows(self, q: FloatArray) -> slice | IntArray:
        """Return n rows of J whose determinant changes its sign at singularities."""
        n = len(q)
        if self.equations.count == n:
            return slice(None)
        from scipy.linalg import qr
        J = self.equations.scaled(self.equations.evaluate(np.zeros(1), q[None]).J)[0]
        return np.sort(qr(J.T, pivoting=True)[2][:n])

    def _minor_only(self, crossed: bool, singular: bool, moved: float) -> bool:
        """Return whether only a chosen minor of a J with more rows changed its sign."""
        square = self.equations.count == self.equations.robot.n_joints
        return crossed and not square and not singular and moved <= 5.0 * CORRECTION

    def _newton(self, x: FloatArray, q: FloatArray) -> FloatArray | None:
        """Return q (M, n) corrected to rounding, or None without convergence."""
        last = np.inf
        for _ in range(12):
            rows = self.equations.evaluate(x, q)
            try:
                step = self._solve(rows.J, rows.error)
            except np.linalg.LinAlgError:
                return None
            size = abs(step / self.equations.columns).max()
            if not size < 1.0:                              # far from here, or not a number
                return None
            q = q + step
            if size < POLISHED or (size < 1e-10 and size >= 0.5 * last):
                left = abs(rows.error / self.equations.rows).max()
                return q if left < CONSISTENT else None
            last = size
        return None

    def _solve(self, J: FloatArray, right: FloatArray) -> FloatArray:
        """Return the least-squares solutions (M, n) of J step = right."""
        if J.shape[1] == J.shape[2]:
            return cast(FloatArray, np.linalg.solve(J, right[:, :, None]))[:, :, 0]
        # More equations than joints, the others redundant: a planar arm stays in its plane.
        # Normal equations, and a step of iterative refinement for the digits that they lose.
        columns = self.equations.columns
        J, right = self.equations.scaled(J), (right / self.equations.rows)[:, :, None]
        square = J.transpose(0, 2, 1) @ J
        step = cast(FloatArray, np.linalg.solve(square, J.transpose(0, 2, 1) @ right))
        step += np.linalg.solve(square, J.transpose(0, 2, 1) @ (right - J @ step))
        return step[:, :, 0] * columns

    def _rates(self, x: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        # q' = J^-1 X',  q'' = J^-1 (X'' - A(q, q'))
        rows = self.equations.evaluate(x, q)
        q1 = self._solve(rows.J, rows.first)
        rows = self.equations.evaluate(x, q, q1)
        return q1, self._solve(rows.J, rows.second)

    # -- between the steps ----------------------------------------------------------------------

    def _predicted(self, x: FloatArray) -> FloatArray:
        """Return q (M, n) by the quintics between the knots."""
        k = np.clip(np.searchsorted(self.knots, x, side='right') - 1, 0, len(self.knots) - 2)
        h = (self.knots[k + 1] - self.knots[k])[:, None]
        s = (x - self.knots[k])[:, None] / h
        d0, d1 = h * self.q1[k], h * self.q1[k + 1]
        c2, c3, c4, c5 = quintic_hermite(self.q[k + 1] - self.q[k], d0, d1,
                                         h * h * self.q2[k], h * h * self.q2[k + 1])
        return self.q[k] + s * (d0 + s * (c2 + s * (c3 + s * (c4 + s * c5))))

    def _solved(self, x: FloatArray, guess: FloatArray) -> Derivatives:
        q = self._newton(x, guess)
        if q is None:                                       # one sample fails all: find it
            rows = []
            for k in range(len(x)):
                row = self._newton(x[k:k + 1], guess[k:k + 1])
                if row is None:
                    raise self._failure(SINGULAR, float(x[k]), guess[k])
                rows.append(row)
            q = np.concatenate(rows)
        return q, *self._rates(x, q)

    # -- errors ---------------------------------------------------------------------------------

    def _lost(self, x: float, q: FloatArray) -> TaskError:
        """Return the error of a path that cannot be followed beyond x."""
        # a little further on, is there any configuration at all, within joint limits or not?
        for further in (min(x + 1e-3, 1.0), min(x + 0.05, 1.0), 1.0):
            reached = reach(self.equations, further, q, self._unbounded)
            if not reached.good:
                return self._failure(UNREACHABLE, x, q, further, reached.q)
        return self._failure(SINGULAR, x, q)

    @property
    def _unbounded(self) -> FloatArray:
        return joint_bounds(self.equations.robot, limits=False)

    def _failure(self, kind: FindingKind, x: float, q: FloatArray, further: float | None = None,
                 nearest: FloatArray | None = None) -> TaskError:
        equations = self.equations
        time, position = float(self._time_at(x)), equations.path.evaluate(np.array([x]))[0][0]
        head = f'task of {equations.frame!r}: {kind} {at(time, position)}: '
        J = equations.scaled(equations.evaluate(np.array([x]), q[None]).J)[0]
        _, values, right = np.linalg.svd(J)
        if kind == UNREACHABLE:
            if further is None or nearest is None:
                further, nearest = x, q
            error = equations.evaluate(np.array([further]), nearest[None]).error[0]
            distance = describe(equations, further, nearest, self._unbounded)
            text = ('beyond it the path leaves the reach of the arm, which at '
                    f'{further:.0%} of the path stays {distance}')
            return TaskError(Finding(kind, time, position, None,
                                     float(np.linalg.norm(error[:3])), 0.0, head + text))
        loose = [name for name, part in zip(equations.robot.joint_names, abs(right[-1]))
                 if part > 0.3]
        text = (f'{", ".join(loose)} can move without changing what the task prescribes (smallest '
                f'singular value {values[-1]:.1e}, least allowed {self._singular:.1e}); choose '
                'another configuration or path, or prescribe less')
        return TaskError(Finding(kind, time, position, None, float(values[-1]), self._singular,
                                 head + text))
