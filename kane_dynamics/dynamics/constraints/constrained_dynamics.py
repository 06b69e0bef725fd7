# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of an arm with constraints: reactions that follow, or torques for given ones.

  M qdd + h = tau + G^T lambda,   G qdd + gamma = 0

(Vukobratovic and Potkonjak 1982, 2.10.5, for the tip on a surface; their search for lambda is a
linear solve here). Rows may be redundant, as those of a hinge that closes a planar loop: by the
singular values of L^-1 G^T, M = L L^T, the smallest forces are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kane_dynamics.dynamics.constraints.constraints import (
    Constraint, ConstraintTerms, FrameState)
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import refuse_load_dependent
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

REDUNDANT = 1e-9        # singular value, relative to the largest, that counts as zero
INDEPENDENT = 1e-4      # pivot of G M^-1 G^T, relative to the largest, that is far from that


class ConstrainedDynamics:
    """An arm's Dynamics with constraints (PointOnSurfaces, Loop).

    One object serves one thread: it computes on arrays of its own.
    """

    def __init__(self, dynamics: Dynamics, constraints: Iterable[Constraint]) -> None:
        self.dynamics, self.constraints = dynamics, tuple(constraints)
        if not self.constraints:
            raise InputError('name one constraint or more, such as PointOnSurfaces or Loop')
        for each in self.constraints:
            if not hasattr(each, 'terms'):
                raise InputError(f'a constraint is PointOnSurfaces or Loop; got '
                                 f'{type(each).__name__}')
        robot = dynamics.robot
        self.rows = sum(each.rows for each in self.constraints)
        self._q, self._qd = np.zeros(robot.nq), np.zeros(robot.nv)
        self._M = np.zeros((robot.nv, robot.nv))
        self._mass = dynamics.bind('mass_matrix', self._q, self._M)
        self._frames = {frame: FrameState(dynamics, frame, self._q, self._qd)
                        for each in self.constraints for frame in each.frames}

    def terms(self, q: FloatArray, qd: FloatArray, t: float = 0.0) -> ConstraintTerms:
        """Return phi (m,), G (m, nv), phi_t (m,) and gamma (m,) of all constraints."""
        self._q[:], self._qd[:] = q, qd
        for frame in self._frames.values():
            frame.update()
        rows = [each.terms([self._frames[name] for name in each.frames], self._qd, t)
                for each in self.constraints]
        return rows[0] if len(rows) == 1 else ConstraintTerms(
            *(np.concatenate(parts) for parts in zip(*rows)))

    def forward(self, q: FloatArray, qd: FloatArray, tau: FloatArray, t: float = 0.0,
                stabilization: float = 0.0,
                base: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Return qdd (nv,) and the constraints' forces lambda (m,) under torques tau (nv,).

        stabilization [1/s]: brings violations back as a critically damped spring would
        (Baumgarte 1972), phi'' = -2 k phi' - k^2 phi. base: see `Dynamics.forward`.
        """
        free = self.dynamics.forward(q, qd, tau, base=base)
        phi, G, rate, gamma = self.terms(q, qd, t)
        wanted = -gamma - 2.0 * stabilization * (G @ qd + rate) - stabilization ** 2 * phi
        change, forces = self.impulse(q, G, wanted - G @ free)
        return free + change, forces

    def impulse(self, q: FloatArray, G: FloatArray,
                wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest change (nv,), measured by M, with G change = wanted; and its forces.

        change = M^-1 G^T lambda: of accelerations with forces, of speeds with impulses.
        """
        self._q[:] = q
        self._mass()
        X = np.linalg.solve(self._M, G.T)
        S = G @ X
        try:
            pivots = np.linalg.cholesky(S).diagonal()
        except np.linalg.LinAlgError:
            return self._redundant(G, wanted)
        if pivots.min() < INDEPENDENT * pivots.max():
            return self._redundant(G, wanted)
        forces = np.asarray(np.linalg.solve(S, wanted), dtype=float)
        return X @ forces, forces

    def _redundant(self, G: FloatArray, wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the result of `impulse` for rows that depend on each other: the least forces."""
        L = np.linalg.cholesky(self._M)
        U, s, Vt = np.linalg.svd(np.linalg.solve(L, G.T), full_matrices=False)
        kept = s > REDUNDANT * s.max(initial=1e-300)
        z = (Vt @ wanted)[kept] / s[kept]
        change = np.linalg.solve(L.T, U[:, kept] @ z)
        return change, Vt[kept].T @ (z / s[kept])

    def inverse(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, forces: ArrayLike,
                t: float = 0.0) -> FloatArray:
        """Return the torques tau (nv,) for a motion with given forces lambda (m,) [N or N m].

        For the tip on a surface: forces (1,) is how hard the surface pushes along its normal.
        """
        forces = np.atleast_1d(np.asarray(forces, dtype=float))
        if forces.shape != (self.rows,):
            raise InputError(f'forces must be {self.rows} numbers, one for each row of the '
                             f'constraints; got shape {forces.shape}')
        G = self.terms(q, qd, t)[1]
        return self.dynamics.unloaded(self.dynamics.inverse(q, qd, qdd), qd, G.T @ forces)

    def inverse_many(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, forces: ArrayLike,
                     ts: FloatArray | None = None) -> FloatArray:
        """Return torques (N, nv) for N samples in rows, forces (N, m), at times ts (N,) [s]."""
        forces = np.asarray(forces, dtype=float).reshape(-1, self.rows)
        tau = self.dynamics.inverse_many(q, qd, qdd)
        if len(forces) != len(tau):
            raise InputError(f'{len(tau)} samples need {len(tau)} rows of {self.rows} forces; got '
                             f'{len(forces)}')
        for k, t in enumerate(np.zeros(len(tau)) if ts is None else ts):
            tau[k] = self.dynamics.unloaded(
                tau[k], qd[k], self.terms(q[k], qd[k], t)[1].T @ forces[k])
        return tau

    def drives(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, passive: Sequence[str],
               t: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Return tau (nv,) that is zero at passive joints, and the forces lambda (m,).

        For closed loops: the torques of the driven joints that make a motion which keeps the
        constraints. passive: names of joints without a drive.
        """
        robot = self.dynamics.robot
        refuse_load_dependent(self.dynamics.friction, 'closed loops',
                              'give a Friction without load')
        rows = [robot.joints_v.start + robot.joint_index(name) for name in passive]
        rows += range(robot.modes_v.start, robot.modes_v.stop)   # modes have no drive either
        _, G, _, gamma = self.terms(q, qd, t)
        off = abs(G @ qdd + gamma)
        if off.max() > 1e-6 * (1.0 + abs(gamma).max() + abs(G @ qdd).max()):
            raise InputError(f'the motion breaks the constraints: row {int(np.argmax(off))} '
                             f'accelerates by {off.max():.3g}')
        tau = self.dynamics.inverse(q, qd, qdd)
        forces = np.asarray(np.linalg.lstsq(G.T[rows], tau[rows], rcond=REDUNDANT)[0], dtype=float)
        tau = tau - G.T @ forces
        left = abs(tau[rows]).max(initial=0.0)
        if left > 1e-6 * (1.0 + abs(tau).max()):
            raise KaneDynamicsError(f'the passive joints {list(passive)} need a torque of '
                                    f'{left:.3g} that the constraints cannot give')
        tau[rows] = 0.0
        return tau, forces
