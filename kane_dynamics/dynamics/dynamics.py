# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of one arm: torques, accelerations, matrices and frames as compiled functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kane_dynamics.codegen.backend import Backend
from kane_dynamics.codegen.program import Input
from kane_dynamics.dynamics.body_functions import BodyFunctions
from kane_dynamics.dynamics.elastic_state import ElasticState, STEPS
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.dynamics.mixed_problem import mixed_inputs
from kane_dynamics.dynamics.programs.derivative import standard_parameters
from kane_dynamics.dynamics.programs.registry import FunctionName
from kane_dynamics.dynamics.programs.step import StepMethod
from kane_dynamics.dynamics.recorded_arm import RecordedArm
from kane_dynamics.dynamics.stepper import checked_dt, Stepper
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import numbers, require_plain, whole


class Dynamics(BodyFunctions):
    """Torques, accelerations and all that follows from Kane's equations for one arm.

    Functions are generated and compiled when they are first called (`prepare` does it ahead). At
    its first call, a method of plain arrays such as `inverse` is replaced on the object by a
    compiled entry of the same name, signature and docstring: `dyn.inverse` is a built-in function
    from then on, and to wrap or mock it, set the attribute after that call. Functions change
    nothing, so one object may serve many threads. Arrays hold joints in the order of
    `robot.joint_names`; q is (nq,), speeds, accelerations and torques are (nv,), in SI units.
    `out` is filled and returned; it may overlap the inputs in any way. NaN and infinity in the
    inputs raise nothing and go on into what depends on them, as in numpy and Pinocchio; masked
    arrays are refused, because their mask would be lost.

    Args:
        robot: the arm, from `load_urdf` or `from_dh`.
        friction: a `Friction` to add to torques, or None: the ideal arm.
        backend: 'llvm' (machine code, needs llvmlite), 'python', or 'auto': the best there is.
        parametric: read inertias and gravity at run time instead of folding them into the code;
            `with_payload`, `with_robot` then reuse the compiled code. A little slower.
    """

    def __init__(self, robot: Robot, friction: Friction | None = None, backend: Backend = 'auto',
                 parametric: bool = False) -> None:
        if not isinstance(robot, Robot):
            raise InputError(f'Dynamics needs a Robot, got {type(robot).__name__}; '
                             'make one with kane_dynamics.load_urdf(path)')
        if friction is not None and len(friction.viscous) != robot.n_joints:
            raise InputError(f'friction is for {len(friction.viscous)} joints, '
                             f'{robot.name!r} has {robot.n_joints}: {list(robot.joint_names)}')
        self.friction = friction
        super().__init__(robot, RecordedArm(robot, friction, parametric), backend, parametric)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dynamics, (self.robot, self.friction, self.backend, self.parametric)

    def __repr__(self) -> str:
        return f'Dynamics({self.robot.name!r}, nv={self.robot.nv}, backend={self.backend!r})'

    # -- torques and accelerations ------------------------------------------------------------

    def inverse(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, out: FloatArray | None = None,
                *, wrenches: Mapping[str, ArrayLike] | None = None,
                base: ArrayLike | None = None) -> FloatArray:
        """Return the torques tau (nv,) [N m or N] that give the accelerations qdd.

        wrenches: {link name: (6,) force and moment on the arm at that link's origin, base axes}.
        base: (9,) prescribed angular velocity, angular acceleration and acceleration of the base.
        """
        # before anything is written: out may be q
        carried = self._torques_of(wrenches, q) if wrenches else None
        speeds = numbers(qd, 'inverse: qd').copy() if wrenches else qd
        if base is None:
            tau = self._call('inverse', (q, qd, qdd), out)
        else:
            self._refuse_floating('base')
            tau = self._call('inverse_moving_base', (q, qd, qdd, base), out)
        if carried is not None:
            tau[:] = self.unloaded(tau, speeds, carried)
        return tau

    def unloaded(self, tau: ArrayLike, qd: ArrayLike, carried: FloatArray) -> FloatArray:
        """Return torques (..., nv) for the motion of tau while other forces carry a part of it.

        tau: as `inverse` returns it at speeds qd; carried: the generalized forces of the others on
        the arm, such as J' w of a wrench w. Friction that depends on the load is that of the load
        which is left.
        """
        load, friction = np.array(tau, dtype=float), self.friction
        if friction is None or not friction.depends_on_load:
            return load - carried
        joints = self.robot.joints_v
        speeds = np.asarray(qd, dtype=float)[..., joints]
        load[..., joints] -= friction.torque_under(load[..., joints], speeds)
        load -= carried
        load[..., joints] += friction.torque(speeds, load[..., joints])
        return load

    def forward(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, out: FloatArray | None = None,
                *, wrenches: Mapping[str, ArrayLike] | None = None,
                base: ArrayLike | None = None) -> FloatArray:
        """Return the accelerations qdd (nv,) under the torques tau; see `inverse` for the rest."""
        if wrenches:
            tau, qd = (self._checked('forward', Input(name, self.robot.nv), value)
                       for name, value in (('tau', tau), ('u', qd)))
            tau = self.unloaded(tau, qd, -self._torques_of(wrenches, q))
        if base is None:
            return self._call('forward', (q, qd, tau), out)
        self._refuse_floating('base')
        return self._call('forward_moving_base', (q, qd, tau, base), out)

    def hybrid(self, q: ArrayLike, qd: ArrayLike, joint_qdd: ArrayLike,
               tau: ArrayLike | None = None, *,
               given: Sequence[str] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the joint torques (nv - n_modes,) and all accelerations (nv,).

        given: names of the joints whose acceleration is given; at the others, and at a floating
        base, the torque is. None: the motion of all of them is given. joint_qdd and tau: joints
        and floating base, (nv - n_modes,); what is not given there is not read. The rows of the
        modes hold no torque: their accelerations follow.
        """
        known = self.robot.nv - self.robot.n_modes
        if given is None:
            result = self._call('hybrid', (q, qd, joint_qdd), None)
            return result[:known], np.concatenate([np.asarray(joint_qdd, float), result[known:]])
        mixed = mixed_inputs(self.robot, joint_qdd, tau, given)
        result = self._call('mixed', (q, qd, *mixed), None)
        return result[0, :known], result[1]

    def hybrid_many(self, q: ArrayLike, qd: ArrayLike, joint_qdd: ArrayLike, tau: ArrayLike, *,
                    given: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return torques (N, nv - n_modes) and accelerations (N, nv) for N samples in rows."""
        mixed = mixed_inputs(self.robot, joint_qdd, tau, given, len(np.atleast_2d(np.asarray(q))))
        result = self._call_many('mixed', (q, qd, *mixed), None, 1)
        return result[:, 0, :self.robot.nv - self.robot.n_modes], result[:, 1]

    def mass_matrix(self, q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Return M (nv, nv), rotor inertias included."""
        return self._call('mass_matrix', (q,), out)

    def bias(self, q: ArrayLike, qd: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Return h (nv,): the torques at zero acceleration.

        tau = M qdd + h, unless friction depends on the load: tau is then not linear in qdd.
        """
        return self._call('bias', (q, qd), out)

    def gravity(self, q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Return g (nv,): the torques that hold the arm at rest, against weight and springs."""
        return self._call('gravity', (q,), out)

    def inverse_many(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                     out: FloatArray | None = None, threads: int = 1) -> FloatArray:
        """Return torques (N, nv) for N samples in rows; `threads` share the work."""
        return self._call_many('inverse', (q, qd, qdd), out, threads)

    def forward_many(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike,
                     out: FloatArray | None = None, threads: int = 1) -> FloatArray:
        """Return accelerations (N, nv) for N samples in rows."""
        return self._call_many('forward', (q, qd, tau), out, threads)

    def gravity_many(self, q: ArrayLike, out: FloatArray | None = None,
                     threads: int = 1) -> FloatArray:
        """Return holding torques (N, nv) for N samples in rows."""
        return self._call_many('gravity', (q,), out, threads)

    def bias_many(self, q: ArrayLike, qd: ArrayLike, out: FloatArray | None = None,
                  threads: int = 1) -> FloatArray:
        """Return bias torques (N, nv) for N samples in rows."""
        return self._call_many('bias', (q, qd), out, threads)

    def mass_matrix_many(self, q: ArrayLike, out: FloatArray | None = None,
                         threads: int = 1) -> FloatArray:
        """Return mass matrices (N, nv, nv) for N samples in rows."""
        return self._call_many('mass_matrix', (q,), out, threads)

    def rollout(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, dt: float, steps: int,
                method: StepMethod = 'semi_implicit') -> tuple[FloatArray, FloatArray]:
        """Return Q (steps + 1, nq) and Qd (steps + 1, nv): fixed steps in one compiled loop.

        tau: (nv,) held throughout, or (steps, nv), a row for each step; dt [s].
        method: 'semi_implicit', 'rk4', 'midpoint' or 'generalized_alpha'; the
        last two are for flexible arms, stable whatever the highest mode.
        """
        kernel = self._kernel(f'step_{method}')
        nq, nv = self.robot.nq, self.robot.nv
        torques, steps = numbers(tau, 'rollout: tau'), whole(steps, 'rollout: steps', 0)
        if torques.shape not in ((nv,), (steps, nv)):
            raise InputError(f'rollout: tau has shape {torques.shape}, expected ({nv},) or '
                             f'({steps}, {nv}), a row for each step')
        first = torques if torques.ndim == 1 else torques[0] if steps else np.zeros(nv)
        qdd = self.forward(q, qd, first)
        state = np.concatenate([q, qd, qdd])
        shared = [np.array([checked_dt(dt)]), *self._shared()]
        states = kernel.iterate(state, torques, shared, steps)
        return states[:, :nq].copy(), states[:, nq:nq + nv].copy()

    def stepper(self, dt: float, method: StepMethod = 'midpoint',
                free: FloatArray | None = None) -> Stepper:
        """Return a Stepper: the arm's state, advanced in place by step().

        free: (nv,) that is read at each step, by the midpoint rule: 0 where a speed, then zero,
        is held there, 1 elsewhere.
        """
        if free is not None:
            require_plain(free, (self.robot.nv,), 'stepper: free', writeable=False)
        kernel = self._kernel(f'step_{method}' if free is None else 'step_held')
        return Stepper(self, kernel, self._shared(), dt, free)

    def elastic_state(self, longest_step: float) -> ElasticState:
        """Return an ElasticState: the elastic coordinates while the joints follow a motion.

        longest_step [s] of its integration; `step_of` computes it for a rate of cycles.
        """
        return ElasticState(self.robot, [self._kernel(name) for name in STEPS], self._shared(),
                            longest_step)

    def locked_frequencies(self) -> FloatArray:
        """Return the frequencies (n_modes,) [rad/s] of the undeformed arm, joints at zero."""
        return self._arm.locked_frequencies(self.robot)

    # -- derivatives and parameters -----------------------------------------------------------

    def inverse_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                            out: FloatArray | None = None) -> FloatArray:
        """Return (3, nv, nv): d tau/d q, d tau/d qd and d tau/d qdd, to be unpacked.

        The last is M, unless friction depends on the load.
        With a floating base the derivative by q is by displacements of the base in its own frame.
        """
        return self._call('inverse_derivatives', (q, qd, qdd), out)

    def forward_derivatives(self, q: ArrayLike, qd: ArrayLike,
                            tau: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return d qdd/d q, d qdd/d qd and d qdd/d tau, each (nv, nv).

        The last is M^-1, unless friction depends on the load.
        """
        qdd = self.forward(q, qd, tau)
        by_q, by_qd, by_qdd = self.inverse_derivatives(q, qd, qdd)
        by_tau = np.linalg.inv(by_qdd)
        return -by_tau @ by_q, -by_tau @ by_qd, by_tau

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                  out: FloatArray | None = None) -> FloatArray:
        """Return Y (nv, 10 n_bodies): tau = Y @ inertial_parameters.

        Without friction, rotors and springs.
        """
        return self._call('regressor', (q, qd, qdd), out)

    def regressor_many(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                       out: FloatArray | None = None, threads: int = 1) -> FloatArray:
        """Return regressors (N, nv, 10 n_bodies) for N samples in rows."""
        return self._call_many('regressor', (q, qd, qdd), out, threads)

    @property
    def inertial_parameters(self) -> FloatArray:
        """Return (10 n_bodies,): per body m, m c, Ixx Ixy Iyy Ixz Iyz Izz about its origin."""
        return standard_parameters(self._arm, self.robot)

    @property
    def body_links(self) -> tuple[str, ...]:
        """Return the link of each body, in the order of `reactions` and of the blocks of Y."""
        return tuple(self._arm.body_links)

    # -- other arms ---------------------------------------------------------------------------

    def with_robot(self, robot: Robot) -> Dynamics:
        """Return the dynamics of an arm of the same geometry but other inertias or gravity.

        A parametric one shares the compiled code, mode shapes too (`Robot.with_shapes_of`).
        """
        if not self.parametric:
            return Dynamics(robot, self.friction, self.backend)
        if robot.joint_names != self.robot.joint_names:
            raise InputError(f'with_robot: joints {list(robot.joint_names)} are not the compiled '
                             f'ones, {list(self.robot.joint_names)}')
        if not self._arm.fits(robot):
            raise InputError(f'with_robot: the joints of {robot.name!r} sit elsewhere or have '
                             'other rotors than the compiled ones; make a new Dynamics(robot)')
        other = object.__new__(Dynamics)
        other.friction = self.friction
        other._share(robot.with_shapes_of(self._arm.robot), self)
        return other

    def with_payload(self, mass: float, com: ArrayLike | None = None,
                     inertia: ArrayLike | None = None, link: str | None = None) -> Dynamics:
        """Return the dynamics with a load fixed to a link: see `Robot.with_payload`."""
        return self.with_robot(self.robot.with_payload(mass, com, inertia, link))

    def prepare(self, *names: FunctionName) -> Dynamics:
        """Generate and compile functions now; returns self."""
        for name in names or ('inverse', 'forward'):
            self._kernel(name)
        return self

    # -- inside -------------------------------------------------------------------------------

    def _torques_of(self, wrenches: Mapping[str, ArrayLike], q: ArrayLike) -> FloatArray:
        """Return the generalized forces of wrenches on links: sum of J' w."""
        tau = np.zeros(self.robot.nv)
        for link, wrench in wrenches.items():
            wrench = numbers(wrench, f'wrench on {link!r}')
            if wrench.shape != (6,):
                raise InputError(f'wrench on {link!r} has shape {wrench.shape}, expected (6,): '
                                 'force, then moment')
            tau += self.frame_jacobian(link, q).T @ wrench
        return tau

    def _refuse_floating(self, what: str) -> None:
        if self.robot.floating_base:
            raise InputError(f'{what}: the base of {self.robot.name!r} floats, its motion is in q')
