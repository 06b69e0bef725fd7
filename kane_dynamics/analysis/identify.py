# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction, rotors and inertias of an arm from recorded motion.

The torque is linear in them: tau = Y(q, qd, qdd) pi + X(qd, qdd) phi, with Y the regressor of
Kane's equations. Weighted least squares over physically possible values (`ConsistentFit`) finds
them; the weights are the levels of what is left over (`ResidualScales`), so that intervals stay
honest when samples are correlated. Data are read several times and never kept.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.base_parameters import base_parameters
from kane_dynamics.analysis.consistent_fit import ConsistentFit, reference_inertias
from kane_dynamics.analysis.friction_speeds import FrictionSpeeds, SMOOTHING, STRIBECK
from kane_dynamics.analysis.friction_terms import FrictionTerms
from kane_dynamics.analysis.identification import estimates, Identification
from kane_dynamics.analysis.normal_equations import NormalEquations
from kane_dynamics.analysis.pseudo_inertia import inertial_of
from kane_dynamics.analysis.residual_scales import ResidualScales
from kane_dynamics.dynamics.calibration import Calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError

PARTS = ('inertia', 'rotor', 'friction')
BLOCK = 4096           # samples whose regressors are in memory at once
PASSES = 3             # speeds and loads that shape friction are those of the fit before
LARGEST_LOAD = 0.9     # share of the load that friction may take
USUAL_LOAD = 0.1       # prior standard deviation of that share
NOTHING = 1e-4         # of a joint's effort: what a figure must do to it, or it is zero


class Identifier:
    """Fit an arm to Motions with effort.

    Args:
        robot: the arm; its inertias are the prior. Joints that are not recorded are locked.
        parts: what is fitted, some of PARTS; the rest stays as the robot has it.
        stribeck, load: whether friction rises at low speed, and grows with the load.
        smoothing_speed: v_0 of the Friction; None: the best of a few.
        prior: how many samples of noise the URDF's inertias count as.
    """

    def __init__(self, robot, parts=PARTS, stribeck=False, load=False, smoothing_speed=None,
                 prior=1.0):
        unknown = [part for part in parts if part not in PARTS]
        if unknown or not parts:
            raise InputError(f'parts {list(parts)}: expected some of {list(PARTS)}')
        if robot.floating_base or robot.n_modes:
            raise InputError(f'{robot.name!r} floats or bends; only rigid arms on a fixed base '
                             'are identified: see Robot.rigid()')
        self.robot, self.parts, self._prior = robot, tuple(parts), prior
        self._dynamics = Dynamics(robot)
        self._stribeck, self._load = stribeck, load
        self._smoothing = SMOOTHING if smoothing_speed is None else (smoothing_speed,)
        names = ['rotor'] * ('rotor' in parts)
        if 'friction' in parts:
            names += ['coulomb', 'viscous', 'offset'] + ['rise'] * stribeck + ['load'] * load
        self._names = tuple(names)
        self._fits_inertia = 'inertia' in parts
        self._m = 10 * len(self._dynamics.body_links) if self._fits_inertia else 0

    def fit(self, motions, locked=None, facts=None):
        """Return the Identification from an iterable of Motions that can be read repeatedly.

        locked, facts: go into the Calibration.
        """
        terms, load_of = self._choose_speeds(motions), None
        for k in range(PASSES):
            equations = self._gather(motions, terms, load_of)
            try:
                theta, level, noise = self._solve(motions, equations, terms, load_of)
            except np.linalg.LinAlgError:
                raise InputError('no possible masses, inertias and friction give these efforts: '
                                 'are their sign, their units and the URDF right?') from None
            load_of = self._load_of(theta)
            better = self._choose_speeds(motions, terms, theta, load_of)
            if k == PASSES - 1 or not self._load and terms.same_speeds(better):
                break
            terms = better
        return self._identification(theta, equations, level, noise, terms, locked or {},
                                    facts or {})

    # -- passes over the data --------------------------------------------------------------------

    def _blocks(self, motions):
        for motion in motions:
            for k in range(0, len(motion), BLOCK):
                part = slice(k, k + BLOCK)
                yield (motion.t[part], motion.q[part], motion.qd[part], motion.qdd[part],
                       motion.effort[part])

    def _choose_speeds(self, motions, terms=None, theta=None, load_of=None):
        """Return FrictionTerms with the speeds that suit the arm of the URDF, or of a fit."""
        speeds = FrictionSpeeds(self.robot.n_joints, self._smoothing,
                                STRIBECK if self._stribeck else ())
        share = 0.0
        if theta is not None and self._load:
            share = theta[self._m:].reshape(self.robot.n_joints, -1)[:, self._names.index('load')]
        for _, q, qd, qdd, effort in self._blocks(motions):
            load = (load_of or self._dynamics.inverse_many)(q, qd, qdd)
            if terms is not None:
                load = load + share * np.abs(load) * terms.sign(qd)
            speeds.add(qd, qdd, effort - load)
        if speeds.count < 100:
            raise InputError(f'{speeds.count} samples are too few to fit {self.robot.name!r}')
        v_0, v_s = speeds.choose()
        return FrictionTerms(self._names, v_0, v_s)

    def _rows(self, block, terms, load_of):
        """Return Y (N, n, m), X (N, n, terms) and y (N, n) of a block."""
        _, q, qd, qdd, effort = block
        X = np.zeros((*q.shape, 0))
        if self._names:
            load = None
            if self._load:
                load = (self._dynamics.inverse_many(q, qd, qdd) if load_of is None
                        else load_of(q, qd, qdd))
            X = terms.columns(qd, qdd, load)
        armature = np.array([joint.armature for joint in self.robot.independent_joints])
        if not self._fits_inertia:
            rigid = self._dynamics.inverse_many(q, qd, qdd)
            if 'rotor' in self._names:
                rigid = rigid - armature * qdd
            return np.zeros((*q.shape, 0)), X, effort - rigid
        if 'rotor' not in self._names:
            effort = effort - armature * qdd
        return self._dynamics.regressor_many(q, qd, qdd), X, effort

    def _gather(self, motions, terms, load_of):
        equations = NormalEquations(self.robot.n_joints, self._m, len(self._names))
        for block in self._blocks(motions):
            equations.add(*self._rows(block, terms, load_of))
        return equations

    def _residual_scales(self, motions, theta, terms, load_of):
        scales = ResidualScales(self.robot.n_joints)
        phi = theta[self._m:].reshape(self.robot.n_joints, -1)
        for block in self._blocks(motions):
            Y, X, y = self._rows(block, terms, load_of)
            scales.add(block[0], y - Y @ theta[:self._m] - np.einsum('ijk,jk->ij', X, phi))
        return scales

    # -- the fit ---------------------------------------------------------------------------------

    def _problem(self):
        further = np.full((self.robot.n_joints, len(self._names)), 0.1)
        positive = np.tile([name != 'offset' for name in self._names], self.robot.n_joints)
        references = reference_inertias(
            self._dynamics.inertial_parameters if self._fits_inertia else np.zeros(0))
        return ConsistentFit(references, further.reshape(-1), positive.astype(bool), self._prior)

    def _solve(self, motions, equations, terms, load_of):
        """Return theta, the levels that weigh the joints, and the plain variances."""
        problem = self._problem()
        level = equations.free_variances()
        theta = problem.solve(*self._weighted(equations, level))
        for _ in range(2):         # weights from what is left, then again
            scales = self._residual_scales(motions, theta, terms, load_of)
            level = np.maximum(scales.level, equations.least_variances)
            theta = problem.solve(*self._weighted(equations, level))
        return theta, level, scales.variance

    def _weighted(self, equations, level):
        """Return A, b with the prior of the load's share: joints without load tell nothing."""
        A, b = equations.weighted(level)
        if 'load' in self._names:
            places = np.arange(self._m + self._names.index('load'), len(b), len(self._names))
            A[places, places] += 1.0 / USUAL_LOAD**2
        return A, b

    def _load_of(self, theta):
        """Return a function for the torque behind the gears by the present fit."""
        n = self.robot.n_joints
        phi = theta[self._m:].reshape(n, -1)
        rotor = phi[:, self._names.index('rotor')] if 'rotor' in self._names else np.zeros(n)

        def load(q, qd, qdd):
            if self._fits_inertia:
                return self._dynamics.regressor_many(q, qd, qdd) @ theta[:self._m] + rotor * qdd
            return self._dynamics.inverse_many(q, qd, qdd) + rotor * qdd
        return load

    # -- the outcome -----------------------------------------------------------------------------

    def _tidy(self, phi, equations):
        """Return friction (n, terms) whose figures at the bound of zero are zero."""
        own = np.arange(self._m, self._m + len(self._names))
        felt = np.abs(phi) * np.sqrt(equations.G[:, own, own]
                                     / np.maximum(equations.yy, 1e-300)[:, None])
        phi[felt < NOTHING] = 0.0
        if 'load' in self._names:
            share = self._names.index('load')
            phi[:, share] = np.minimum(phi[:, share], LARGEST_LOAD)
        return phi

    def _identification(self, theta, equations, level, noise, terms, locked, facts):
        robot, m, n = self.robot, self._m, self.robot.n_joints
        phi = self._tidy(theta[m:].reshape(n, -1), equations)
        joints = {name: terms.calibration(phi[j], j) for j, name in enumerate(robot.joint_names)}
        bodies = {}
        if self._fits_inertia:
            bodies = {link: inertial_of(pi) for link, pi in zip(
                self._dynamics.body_links, theta[:m].reshape(-1, 10))}
        calibration = Calibration(robot.name, joints, bodies, dict(locked), terms.smoothing_speed,
                                  dict(facts))
        parameters = None
        if self._fits_inertia:
            parameters = base_parameters(self._dynamics, rotors='rotor' in self._names)
        base, friction, condition = estimates(
            theta, equations, level, parameters, self._names, robot.joint_names,
            self._problem().prior_curvature() / self._prior)
        return Identification(calibration, parameters, friction, base, condition, np.sqrt(noise),
                              np.sqrt(level), equations.count)
