# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Identification of friction, rotors and inertias of an arm from recorded motion.

The torque is linear in them: tau = Y(q, qd, qdd) pi + X(qd, qdd) phi, with Y the regressor of
Kane's equations. They are the weighted least-squares solution among physically consistent values
(`ConsistentFit`). The weights are the levels of the residuals (`ResidualScales`), so that the
intervals also hold for correlated samples. Errors of the recorded motion widen the intervals by
the bias that they cause. Data are read several times and never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args, Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.dynamics.calibration import Calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import smooth_modulus
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.identify.base_parameters import base_parameters
from kane_dynamics.recorded.identify.consistent_fit import ConsistentFit, reference_inertias
from kane_dynamics.recorded.identify.friction_terms import (
    FrictionSpeeds, FrictionTerms, SMOOTHING, STRIBECK, Term)
from kane_dynamics.recorded.identify.identification import estimates, Identification
from kane_dynamics.recorded.identify.normal_equations import (
    effort_blocks, error_bias, have_errors, NormalEquations, ResidualScales)
from kane_dynamics.recorded.identify.pseudo_inertia import inertial_of

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.trajectory.motion import Motion

Part: TypeAlias = Literal['inertia', 'rotor', 'friction']
Torque: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]   # of q, qd, qdd

PARTS: tuple[Part, ...] = get_args(Part)
PASSES = 3             # each uses the friction speeds and loads of the fit before
# readings of the data by a fit: the first speeds; per pass the equations, two levels and the
# speeds; whether there are errors, and four fits with further ones
MOST_READINGS = 1 + 4 * PASSES + 1 + 4
LARGEST_LOAD = 0.9     # fraction of the load that friction may take
USUAL_LOAD = 0.1       # prior standard deviation of that fraction
NOTHING = 1e-4         # parameters whose effect is a smaller fraction of the effort become zero


class Identifier:
    """Fit an arm to Motions with effort.

    Args:
        robot: the arm; its inertias are the prior. Joints that are not recorded are locked.
        parts: the parts that are fitted, some of PARTS; the others stay as in the robot.
        stribeck, load: whether friction rises at low speed, and grows with the load.
        smoothing_speed: v_0 of the Friction; None: the best of a few.
        prior: weight of the URDF's inertias, in samples of noise.
    """

    def __init__(self, robot: Robot, parts: Sequence[Part] = PARTS, stribeck: bool = False,
                 load: bool = False, smoothing_speed: float | None = None,
                 prior: float = 1.0) -> None:
        unknown = [part for part in parts if part not in PARTS]
        if unknown or not parts:
            raise InputError(f'parts {list(parts)}: expected some of {list(PARTS)}')
        if robot.floating_base or robot.n_modes:
            raise InputError(f'{robot.name!r} has a floating base or flexible links; expected a '
                             'rigid arm on a fixed base: see Robot.rigid()')
        self.robot, self.parts, self._prior = robot, tuple(parts), prior
        self._dynamics = Dynamics(robot)
        self._stribeck, self._load = stribeck, load
        self._smoothing = SMOOTHING if smoothing_speed is None else (smoothing_speed,)
        names: list[Term] = ['rotor'] if 'rotor' in parts else []
        if 'friction' in parts:
            names += ['coulomb', 'viscous', 'offset']
            names += ['rise'] if stribeck else []
            names += ['load'] if load else []
        self._names = tuple(names)
        self._fits_inertia = 'inertia' in parts
        self._m = 10 * len(self._dynamics.body_links) if self._fits_inertia else 0

    def fit(self, motions: Iterable[Motion], locked: Mapping[str, float] | None = None,
            facts: Mapping[str, Any] | None = None) -> Identification:
        """Return the Identification from an iterable of Motions that can be read repeatedly.

        locked {joint: position}, facts: stored in the Calibration.
        """
        terms = self._choose_speeds(motions)
        load_of: Torque = self._dynamics.inverse_many
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
        bias = self._error_bias(motions, theta, level, terms, load_of)
        return self._identification(theta, equations, level, noise, terms, bias, locked or {},
                                    facts or {})

    # -- passes over the data --------------------------------------------------------------------

    def _choose_speeds(self, motions: Iterable[Motion], terms: FrictionTerms | None = None,
                       theta: FloatArray | None = None,
                       load_of: Torque | None = None) -> FrictionTerms:
        """Return FrictionTerms with the speeds that suit the arm of the URDF, or of a fit."""
        speeds = FrictionSpeeds(self.robot.n_joints, self._smoothing,
                                STRIBECK if self._stribeck else ())
        fraction = np.zeros(self.robot.n_joints)
        if theta is not None and self._load:
            fraction = self._joint_parameters(theta)[:, self._names.index('load')]
        for motion, effort in effort_blocks(motions):
            torque = (load_of or self._dynamics.inverse_many)(motion.q, motion.qd, motion.qdd)
            if terms is not None:
                torque = torque + fraction * smooth_modulus(torque) * terms.sign(motion.qd)
            speeds.add(motion.qd, motion.qdd, effort - torque)
        if speeds.count < 100:
            raise InputError(f'{speeds.count} samples are too few to fit {self.robot.name!r}; '
                             'expected 100 or more')
        v_0, v_s = speeds.choose()
        return FrictionTerms(self._names, v_0, v_s)

    def _rows(self, motion: Motion, effort: FloatArray, terms: FrictionTerms,
              load_of: Torque) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return Y (N, n, m), X (N, n, terms) and y (N, n) of a block."""
        q, qd, qdd = motion.q, motion.qd, motion.qdd
        X = np.zeros((*q.shape, 0))
        if self._names:
            X = terms.columns(qd, qdd, load_of(q, qd, qdd) if self._load else 0.0)
        armature = np.array([joint.armature for joint in self.robot.independent_joints])
        if not self._fits_inertia:
            rigid = self._dynamics.inverse_many(q, qd, qdd)
            if 'rotor' in self._names:
                rigid = rigid - armature * qdd
            return np.zeros((*q.shape, 0)), X, effort - rigid
        if 'rotor' not in self._names:
            effort = effort - armature * qdd
        return self._dynamics.regressor_many(q, qd, qdd), X, effort - self._springs(q)

    def _springs(self, q: FloatArray) -> FloatArray | float:
        """Return the part (N, n) of the torque that springs make, which no parameter scales."""
        if not self.robot.springs:
            return 0.0
        rest = np.zeros_like(q)
        weight = self._dynamics.regressor_many(q, rest, rest) @ self._dynamics.inertial_parameters
        return np.asarray(self._dynamics.gravity_many(q) - weight, dtype=float)

    def _gather(self, motions: Iterable[Motion], terms: FrictionTerms,
                load_of: Torque, error_factor: float = 0.0) -> NormalEquations:
        equations = NormalEquations(self.robot.n_joints, self._m, len(self._names))
        for motion, effort in effort_blocks(motions, error_factor):
            equations.add(*self._rows(motion, effort, terms, load_of))
        return equations

    def _residual_scales(self, motions: Iterable[Motion], theta: FloatArray,
                         terms: FrictionTerms, load_of: Torque) -> ResidualScales:
        scales = ResidualScales(self.robot.n_joints)
        phi = self._joint_parameters(theta)
        for motion, effort in effort_blocks(motions):
            Y, X, y = self._rows(motion, effort, terms, load_of)
            scales.add(motion.t, y - Y @ theta[:self._m] - np.einsum('ijk,jk->ij', X, phi))
        return scales

    # -- the fit ---------------------------------------------------------------------------------

    def _joint_parameters(self, theta: FloatArray) -> FloatArray:
        """Return phi (n, terms), a view of theta."""
        return theta[self._m:].reshape(self.robot.n_joints, -1)

    def _problem(self) -> ConsistentFit:
        further = np.full((self.robot.n_joints, len(self._names)), 0.1)
        positive = np.tile([name != 'offset' for name in self._names], self.robot.n_joints)
        references = reference_inertias(
            self._dynamics.inertial_parameters if self._fits_inertia else np.zeros(0))
        return ConsistentFit(references, further.reshape(-1), positive.astype(bool), self._prior)

    def _solve(self, motions: Iterable[Motion], equations: NormalEquations, terms: FrictionTerms,
               load_of: Torque) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return theta, the levels that weigh the joints, and the plain variances."""
        problem = self._problem()
        level = equations.free_variances()
        theta = problem.solve(*self._weighted(equations, level))
        for _ in range(2):         # the weights are those of the residuals
            scales = self._residual_scales(motions, theta, terms, load_of)
            level = np.maximum(scales.level, equations.least_variances)
            theta = problem.solve(*self._weighted(equations, level))
        return theta, level, scales.variance

    def _error_bias(self, motions: Iterable[Motion], theta: FloatArray, level: FloatArray,
                    terms: FrictionTerms, load_of: Torque) -> FloatArray:
        """Return the bias (P,) of theta by errors of the recorded motion; zero if not known."""
        if not have_errors(motions):
            return np.zeros_like(theta)
        problem = self._problem()
        return error_bias(theta, lambda factor: problem.solve(*self._weighted(
            self._gather(motions, terms, load_of, factor), level)))

    def _weighted(self, equations: NormalEquations,
                  level: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return A, b with the prior of the load term, which unloaded joints do not identify."""
        A, b = equations.weighted(level)
        if 'load' in self._names:
            own = np.arange(self._m + self._names.index('load'), len(b), len(self._names))
            A[own, own] += 1.0 / USUAL_LOAD**2
        return A, b

    def _load_of(self, theta: FloatArray) -> Torque:
        """Return a function for the torque behind the gears by the present fit."""
        n = self.robot.n_joints
        rotor = (self._joint_parameters(theta)[:, self._names.index('rotor')]
                 if 'rotor' in self._names else np.zeros(n))

        def load(q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
            if self._fits_inertia:
                inertial = self._dynamics.regressor_many(q, qd, qdd) @ theta[:self._m]
                return inertial + rotor * qdd + self._springs(q)
            return self._dynamics.inverse_many(q, qd, qdd) + rotor * qdd
        return load

    # -- the result ------------------------------------------------------------------------------

    def _tidy(self, phi: FloatArray, equations: NormalEquations) -> FloatArray:
        """Return friction (n, terms) with zeros for parameters at the bound of zero."""
        own = np.arange(self._m, self._m + len(self._names))
        effect = np.abs(phi) * np.sqrt(equations.G[:, own, own]
                                       / np.maximum(equations.yy, 1e-300)[:, None])
        phi[effect < NOTHING] = 0.0
        if 'load' in self._names:
            load = self._names.index('load')
            phi[:, load] = np.minimum(phi[:, load], LARGEST_LOAD)
        return phi

    def _identification(self, theta: FloatArray, equations: NormalEquations, level: FloatArray,
                        noise: FloatArray, terms: FrictionTerms, bias: FloatArray,
                        locked: Mapping[str, float], facts: Mapping[str, Any]) -> Identification:
        robot, m = self.robot, self._m
        phi = self._tidy(self._joint_parameters(theta), equations)
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
            theta, bias, equations, level, parameters, self._names, robot.joint_names,
            self._problem().prior_curvature() / self._prior)
        return Identification(calibration, parameters, friction, base, condition, np.sqrt(noise),
                              np.sqrt(level), equations.count)
