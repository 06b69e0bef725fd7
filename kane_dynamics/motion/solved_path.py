# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The postures that do a task along its path, found by Newton's method and nothing that drifts."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.inverse_kinematics import describe, reach
from kane_dynamics.motion.task_error import at, Finding, SINGULAR, TaskError, UNREACHABLE

FIRST_STEP, LONGEST_STEP, SHORTEST_STEP = 1.0 / 64.0, 1.0 / 16.0, 1e-7
NEAR = 1e-5             # share of the path to which the place of a singularity is told
BENT = 0.05             # [rad] that the second order may add to a predicted posture
CORRECTION = 0.01       # [rad] that Newton's method may add to a predicted posture
POLISHED = 1e-13        # [rad] below which steps are rounding
CONSISTENT = 1e-9       # scaled error that may be left where there are more equations than joints


class SolvedPath:
    """The postures that do a task, from a first one (n,) on; the whole path is solved at once.

    The path is walked with steps as long as the prediction by q, q', q'' holds and corrected by
    Newton's method, so that nothing drifts: the equations of order zero hold to rounding
    everywhere, and q', q'' follow from those of order one and two (resolved acceleration). Between
    the steps the same is done from a quintic through them.

    singular: the smallest singular value of J, without units, below which the path counts as
    singular; time_at: function of the share that gives the time, for messages.
    """

    def __init__(self, equations, posture, singular=1e-3, time_at=lambda x: x):
        if equations.count < equations.robot.n_joints:
            raise InputError(f'{equations.count} equations for {equations.robot.n_joints} joints')
        self.equations, self._singular, self._time_at = equations, singular, time_at
        self._walk(posture)

    def evaluate(self, x):
        """Return q, dq/dx, d2q/dx2, each (M, n), at shares x (M,) from 0 to 1."""
        x = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
        return self._solved(x, self._predicted(x))

    @property
    def least_singular_value(self):
        """Return the smallest singular value on the way, its share and its place (3,)."""
        k = int(np.argmin(self.singular_values))
        return (float(self.singular_values[k]), float(self.knots[k]),
                self.equations.place(self.q[k:k + 1])[0])

    # -- the walk -------------------------------------------------------------------------------

    def _walk(self, q):
        x, h = 0.0, FIRST_STEP
        self._minor = self._chosen_rows(q)
        here = self._state(x, q)
        if here is None or here[3] < self._singular:
            error = self.equations.evaluate(np.zeros(1), q[None]).error[0]
            far = abs(error / self.equations.rows).max() > CONSISTENT
            raise self._failure(UNREACHABLE if far else SINGULAR, 0.0, q)
        knots, states = [0.0], [here]
        while x < 1.0:
            q, q1, q2, _, sign = states[-1]
            # where the path bends within a step, the prediction could lead to another branch
            bend = abs(q2 / self.equations.columns).max()
            step = min(h, 1.0 - x, np.sqrt(2.0 * BENT / max(bend, 1e-300)))
            ahead = x + step if x + step < 1.0 - 1e-12 else 1.0
            guess = q + step * q1 + 0.5 * step ** 2 * q2
            state = self._state(ahead, guess)
            moved = np.inf if state is None else abs(
                (state[0] - guess) / self.equations.columns).max()
            singular = state is not None and state[3] < self._singular
            crossed = state is not None and state[4] != sign
            if moved > 5.0 * CORRECTION or singular or crossed:
                h = 0.25 * step
                if h >= (NEAR if singular else SHORTEST_STEP):
                    continue
                if not self._minor_only(crossed, singular, moved):
                    raise self._lost(x, q)
            x = ahead
            knots.append(x)
            states.append(state)
            growth = 0.9 * (CORRECTION / max(moved, 1e-9)) ** (1.0 / 3.0)
            h = min(step * min(max(growth, 0.2), 2.0), LONGEST_STEP)
        self.knots = np.array(knots)
        self.q, self.q1, self.q2 = (np.array([state[k] for state in states]) for k in range(3))
        self.singular_values = np.array([state[3] for state in states])

    def _state(self, x, guess):
        """Return q, q', q'', smallest singular value and sign of det J at x, or None."""
        q = self._newton(np.array([x]), guess[None])
        if q is None:
            return None
        J = self.equations.scaled(self.equations.evaluate(np.array([x]), q).J)[0]
        least = float(np.linalg.svd(J, compute_uv=False)[-1])
        if least < 1e-12:
            return None
        q1, q2 = self._rates(np.array([x]), q)
        return q[0], q1[0], q2[0], least, np.linalg.slogdet(J[self._minor])[0]

    def _chosen_rows(self, q):
        """Return n rows of J that tell singular places by the sign of their determinant."""
        n = len(q)
        if self.equations.count == n:
            return slice(None)
        from scipy.linalg import qr
        J = self.equations.scaled(self.equations.evaluate(np.zeros(1), q[None]).J)[0]
        return np.sort(qr(J.T, pivoting=True)[2][:n])

    def _minor_only(self, crossed, singular, moved):
        """Return whether only a chosen minor of a J with more rows changed its sign."""
        square = self.equations.count == self.equations.robot.n_joints
        return crossed and not square and not singular and moved <= 5.0 * CORRECTION

    def _newton(self, x, q):
        """Return q (M, n) corrected until rounding, or None where that does not happen."""
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

    def _solve(self, J, right):
        """Return the solutions (M, n) of J step = right, in the sense of least squares."""
        if J.shape[1] == J.shape[2]:
            return np.linalg.solve(J, right[:, :, None])[:, :, 0]
        # More equations than joints, of which the rest follow: a planar arm stays in its plane.
        # Normal equations, and a second solve that takes back what they lose.
        columns = self.equations.columns
        J, right = self.equations.scaled(J), (right / self.equations.rows)[:, :, None]
        square = J.transpose(0, 2, 1) @ J
        step = np.linalg.solve(square, J.transpose(0, 2, 1) @ right)
        step += np.linalg.solve(square, J.transpose(0, 2, 1) @ (right - J @ step))
        return step[:, :, 0] * columns

    def _rates(self, x, q):
        # q' = J^-1 X',  q'' = J^-1 (X'' - A(q, q'))
        rows = self.equations.evaluate(x, q, order=1)
        q1 = self._solve(rows.J, rows.first)
        rows = self.equations.evaluate(x, q, order=2, q1=q1)
        return q1, self._solve(rows.J, rows.second)

    # -- between --------------------------------------------------------------------------------

    def _predicted(self, x):
        """Return q (M, n) by the quintics between the knots."""
        k = np.clip(np.searchsorted(self.knots, x, side='right') - 1, 0, len(self.knots) - 2)
        h = (self.knots[k + 1] - self.knots[k])[:, None]
        s = (x - self.knots[k])[:, None] / h
        d0, d1 = h * self.q1[k], h * self.q1[k + 1]
        c0, c1 = h * h * self.q2[k], h * h * self.q2[k + 1]
        rise = self.q[k + 1] - self.q[k]
        a = 10.0 * rise - 6.0 * d0 - 4.0 * d1 - 1.5 * c0 + 0.5 * c1
        b = -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 1.5 * c0 - c1
        c = 6.0 * rise - 3.0 * (d0 + d1) - 0.5 * (c0 - c1)
        return self.q[k] + s * (d0 + s * (0.5 * c0 + s * (a + s * (b + s * c))))

    def _solved(self, x, guess):
        q = self._newton(x, guess)
        if q is None:                                       # one sample stops all: find it
            rows = [self._newton(x[k:k + 1], guess[k:k + 1]) for k in range(len(x))]
            bad = next((k for k, row in enumerate(rows) if row is None), None)
            if bad is not None:
                raise self._failure(SINGULAR, float(x[bad]), guess[bad])
            q = np.concatenate(rows)
        return q, *self._rates(x, q)

    # -- what went wrong ------------------------------------------------------------------------

    def _lost(self, x, q):
        """Return the error of a path that cannot be followed beyond x."""
        # a little further on, is there any posture at all, joint limits or not?
        for share in (min(x + 1e-3, 1.0), min(x + 0.05, 1.0), 1.0):
            reached = reach(self.equations, share, q, _anywhere(q))
            if not reached.good:
                return self._failure(UNREACHABLE, x, q, share, reached.q)
        return self._failure(SINGULAR, x, q)

    def _failure(self, kind, x, q, share=None, nearest=None):
        equations = self.equations
        time, place = float(self._time_at(x)), equations.path.evaluate(np.array([x]))[0][0]
        head = f'task of {equations.frame!r}: {kind} {at(time, place)}: '
        J = equations.scaled(equations.evaluate(np.array([x]), q[None]).J)[0]
        _, values, right = np.linalg.svd(J)
        if kind == UNREACHABLE:
            if share is None:
                share, nearest = x, q
            error = equations.evaluate(np.array([share]), nearest[None]).error[0]
            text = (f'beyond it the path leaves what the arm can reach; {share:.0%} along it the '
                    f'arm stays {describe(equations, share, nearest, _anywhere(nearest))}')
            return TaskError(Finding(kind, time, place, None, float(np.linalg.norm(error[:3])),
                                     0.0, head + text))
        loose = [name for name, part in zip(equations.robot.joint_names, abs(right[-1]))
                 if part > 0.3]
        text = (f'{", ".join(loose)} can move without moving what the task prescribes (smallest '
                f'singular value {values[-1]:.1e}, least allowed {self._singular:.1e}); choose '
                'another posture or path, or prescribe less')
        return TaskError(Finding(kind, time, place, None, float(values[-1]), self._singular,
                                 head + text))


def _anywhere(q):
    return np.array([[-np.inf], [np.inf]]) * np.ones(len(q))
