# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The calling surface: what an arm's motion and torques are, as fast functions of numpy arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.codegen.signature import ARGUMENTS
from kane_dynamics.dynamics.arm import Arm
from kane_dynamics.dynamics.arrays import require_plain
from kane_dynamics.dynamics.compiled_functions import CompiledFunctions
from kane_dynamics.dynamics.derivative_programs import standard_parameters
from kane_dynamics.dynamics.elastic_state import ElasticState, STEPS
from kane_dynamics.dynamics.programs import program
from kane_dynamics.dynamics.stepper import checked_dt, Stepper
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot


class Energy(NamedTuple):
    """Energies of an arm [J]; the potential is zero at the base origin."""

    kinetic: float
    potential: float
    strain: float = 0.0

    @property
    def total(self):
        """Return the sum."""
        return self.kinetic + self.potential + self.strain


class Dynamics(CompiledFunctions):
    """Compute torques, accelerations and all that follows from Kane's equations for one arm.

    Functions are generated and compiled when they are first called (`prepare` does it ahead). They
    change nothing, so one object may serve many threads. Arrays hold joints in the order of
    `robot.joint_names`; q is (nq,), speeds, accelerations and torques are (nv,), in SI units.

    Args:
        robot: the arm, from `load_urdf` or `from_dh`.
        friction: a `Friction` to add to torques, or None: the ideal arm.
        backend: 'llvm' (machine code, needs llvmlite), 'python', or 'auto': the best there is.
        parametric: read inertias and gravity at run time instead of folding them into the code;
            `with_payload`, `with_robot` then reuse the compiled code. A little slower.
    """

    def __init__(self, robot, friction=None, backend='auto', parametric=False):
        if not isinstance(robot, Robot):
            raise InputError(f'Dynamics needs a Robot, got {type(robot).__name__}; '
                             'make one with kane_dynamics.load_urdf(path)')
        if friction is not None and len(friction.viscous) != robot.n_joints:
            raise InputError(f'friction is for {len(friction.viscous)} joints, '
                             f'{robot.name!r} has {robot.n_joints}: {list(robot.joint_names)}')
        self.friction = friction
        super().__init__(robot, Arm(robot, friction, parametric), backend, parametric)

    def __reduce__(self):
        return Dynamics, (self.robot, self.friction, self.backend, self.parametric)

    def __repr__(self):
        return f'Dynamics({self.robot.name!r}, nv={self.robot.nv}, backend={self.backend!r})'

    # -- torques and accelerations ------------------------------------------------------------

    def inverse(self, q, qd, qdd, out=None, *, wrenches=None, base=None):
        """Return the torques tau (nv,) [N m or N] that give the accelerations qdd.

        wrenches: {link name: (6,) force and moment on the arm at that link's origin, base axes}.
        base: (9,) prescribed angular velocity, angular acceleration and acceleration of the base.
        """
        if base is None:
            tau = self._call('inverse', (q, qd, qdd), out)
        else:
            self._refuse_floating('base')
            tau = self._call('inverse_moving_base', (q, qd, qdd, base), out)
        if wrenches:
            tau -= self._torques_of(wrenches, q)
        return tau

    def forward(self, q, qd, tau, out=None, *, wrenches=None, base=None):
        """Return the accelerations qdd (nv,) under the torques tau; see `inverse` for the rest."""
        if wrenches:
            tau = np.asarray(tau, dtype=float) + self._torques_of(wrenches, q)
        if base is None:
            return self._call('forward', (q, qd, tau), out)
        self._refuse_floating('base')
        return self._call('forward_moving_base', (q, qd, tau, base), out)

    def hybrid(self, q, qd, joint_qdd):
        """Return the joint torques and all accelerations, the joints' motion being given.

        The rows of the modes hold no torque: what they do follows. For an arm without flexible
        links it is `inverse`. joint_qdd: (nv - n_modes,), joints and floating base.
        """
        result = self._call('hybrid', (q, qd, joint_qdd), None)
        given = self.robot.nv - self.robot.n_modes
        return result[:given], np.concatenate([np.asarray(joint_qdd, float), result[given:]])

    def mass_matrix(self, q, out=None):
        """Return M (nv, nv), rotor inertias included."""
        return self._call('mass_matrix', (q,), out)

    def bias(self, q, qd, out=None):
        """Return h (nv,): the torques at zero acceleration; tau = M qdd + h."""
        return self._call('bias', (q, qd), out)

    def gravity(self, q, out=None):
        """Return g (nv,): the torques that hold the arm at rest."""
        return self._call('gravity', (q,), out)

    def inverse_many(self, q, qd, qdd, out=None, threads=1):
        """Return torques (N, nv) for N samples in rows; `threads` share the work."""
        return self._call_many('inverse', (q, qd, qdd), out, threads)

    def forward_many(self, q, qd, tau, out=None, threads=1):
        """Return accelerations (N, nv) for N samples in rows."""
        return self._call_many('forward', (q, qd, tau), out, threads)

    def gravity_many(self, q, out=None, threads=1):
        """Return holding torques (N, nv) for N samples in rows."""
        return self._call_many('gravity', (q,), out, threads)

    def bias_many(self, q, qd, out=None, threads=1):
        """Return bias torques (N, nv) for N samples in rows."""
        return self._call_many('bias', (q, qd), out, threads)

    def mass_matrix_many(self, q, out=None, threads=1):
        """Return mass matrices (N, nv, nv) for N samples in rows."""
        return self._call_many('mass_matrix', (q,), out, threads)

    def rollout(self, q, qd, tau, dt, steps, method='semi_implicit'):
        """Return Q (steps + 1, nq) and Qd (steps + 1, nv): fixed steps in one compiled loop.

        tau: (nv,) held throughout, or (steps, nv), a row for each step; dt [s].
        method: 'semi_implicit', 'rk4', 'midpoint' or 'generalized_alpha' (see `steps.py`); the
        last two are for flexible arms, stable whatever the highest mode.
        """
        kernel = self._kernel(f'step_{method}')
        nq, nv = self.robot.nq, self.robot.nv
        tau = np.ascontiguousarray(tau, dtype=float)
        if tau.shape not in ((nv,), (steps, nv)):
            raise InputError(f'rollout: tau has shape {tau.shape}, expected ({nv},) or '
                             f'({steps}, {nv}), a row for each step')
        if steps < 0:
            raise InputError(f'rollout: steps must not be negative, got {steps}')
        first = tau if tau.ndim == 1 else tau[0] if steps else np.zeros(nv)
        qdd = self.forward(q, qd, first)
        state = np.concatenate([q, qd, qdd])
        states = kernel.iterate(state, tau, [np.array([checked_dt(dt)]), *self._shared()], steps)
        return states[:, :nq].copy(), states[:, nq:nq + nv].copy()

    def stepper(self, dt, method='midpoint', free=None):
        """Return a Stepper: the arm's state, advanced in place by step().

        free: (nv,) that is read at each step, by the midpoint rule: 0 where a speed, then zero,
        is held there, 1 elsewhere.
        """
        kernel = self._kernel(f'step_{method}' if free is None else 'step_held')
        return Stepper(self, kernel, self._shared(), dt, free)

    def elastic_state(self, longest_step):
        """Return an ElasticState: what the links do while the joints are led along a motion.

        longest_step [s] of its integration; `step_of` tells which one a rate of cycles asks for.
        """
        return ElasticState(self.robot, [self._kernel(name) for name in STEPS], self._shared(),
                            longest_step)

    def locked_frequencies(self):
        """Return the frequencies (n_modes,) [rad/s] of the undeformed arm, joints at zero."""
        return self._arm.locked_frequencies(self.robot)

    def bind(self, name, *arrays, frame=None):
        """Return step(): computes `name` from and into these arrays, checked now and never again.

        For control loops: `step = dynamics.bind('inverse', q, qd, qdd, tau)`; write into q, qd
        and qdd, call step(), read tau. The last array is the output. All are contiguous float64.
        frame: the link that 'frame_pose' (3, 4), 'frame_jacobian' and the like are of.
        """
        kernel = self._kernel(name, frame)
        takes = [each for each in kernel.program.inputs if not each.shared]
        if len(arrays) != len(takes) + 1:
            names = [ARGUMENTS[each.name] for each in takes]
            raise InputError(f'bind({name!r}) takes {len(takes)} input arrays {names} and the '
                             f'output array, got {len(arrays)} arrays')
        shapes = [(each.size,) for each in takes] + [kernel.program.shape]
        for k, (array, shape) in enumerate(zip(arrays, shapes)):
            which = 'the output' if k == len(takes) else ARGUMENTS[takes[k].name]
            require_plain(array, shape, f'bind({name!r}): {which}', writeable=k == len(takes))
        return kernel.bound([*arrays[:-1], *self._shared(), arrays[-1]])

    # -- derivatives and parameters -----------------------------------------------------------

    def inverse_derivatives(self, q, qd, qdd, out=None):
        """Return (3, nv, nv): d tau/d q, d tau/d qd and M, to be unpacked.

        With a floating base the derivative by q is by displacements of the base in its own frame.
        """
        return self._call('inverse_derivatives', (q, qd, qdd), out)

    def forward_derivatives(self, q, qd, tau):
        """Return d qdd/d q, d qdd/d qd and d qdd/d tau = M^-1, each (nv, nv)."""
        qdd = self.forward(q, qd, tau)
        by_q, by_qd, M = self.inverse_derivatives(q, qd, qdd)
        inverse_mass = np.linalg.inv(M)
        return -inverse_mass @ by_q, -inverse_mass @ by_qd, inverse_mass

    def regressor(self, q, qd, qdd, out=None):
        """Return Y (nv, 10 n_bodies): tau = Y @ inertial_parameters, no friction, no rotors."""
        return self._call('regressor', (q, qd, qdd), out)

    def regressor_many(self, q, qd, qdd, out=None, threads=1):
        """Return regressors (N, nv, 10 n_bodies) for N samples in rows."""
        return self._call_many('regressor', (q, qd, qdd), out, threads)

    @property
    def inertial_parameters(self):
        """Return (10 n_bodies,): per body m, m c, Ixx Ixy Iyy Ixz Iyz Izz about its origin."""
        return standard_parameters(self._arm, self.robot)

    @property
    def body_links(self):
        """Return the link names that bodies are told by: rows of `reactions`, blocks of Y."""
        return tuple(self._arm.body_links)

    # -- energy, loads, frames ----------------------------------------------------------------

    def energy(self, q, qd):
        """Return the kinetic, potential and strain energy [J]."""
        return Energy(*self._call('energy', (q, qd), None).tolist())

    def momentum(self, q, qd, out=None):
        """Return (6,) linear and angular momentum about the base origin, base axes."""
        return self._call('momentum', (q, qd), out)

    def mass_centre(self, q, out=None):
        """Return (3,) the mass centre of all that moves, base frame [m]."""
        return self._call('mass_centre', (q,), out)

    def reactions(self, q, qd, qdd, out=None):
        """Return (n_bodies, 6): force and moment through every joint onto its link, link axes."""
        return self._call('reactions', (q, qd, qdd), out)

    def reactions_many(self, q, qd, qdd, out=None, threads=1):
        """Return reactions (N, n_bodies, 6) for N samples in rows."""
        return self._call_many('reactions', (q, qd, qdd), out, threads)

    def frame_pose(self, frame, q):
        """Return R (3, 3) and p (3,) of a link in the base frame."""
        pose = self._call('frame_pose', (q,), None, frame)
        return pose[:, :3], pose[:, 3]

    def frame_jacobian(self, frame, q, out=None):
        """Return J (6, nv): partial velocities of a link's origin, linear first, base axes."""
        return self._call('frame_jacobian', (q,), out, frame)

    def frame_velocity(self, frame, q, qd, out=None):
        """Return (6,) velocity and angular velocity of a link's origin, base axes."""
        return self._call('frame_velocity', (q, qd), out, frame)

    def frame_acceleration(self, frame, q, qd, qdd, out=None):
        """Return (6,) acceleration and angular acceleration of a link's origin, base axes."""
        return self._call('frame_acceleration', (q, qd, qdd), out, frame)

    def frame_deflection(self, frame, q, out=None):
        """Return (3,) how far bending moves a link's origin at q, base axes [m]."""
        return self._call('frame_deflection', (q,), out, frame)

    def frame_pose_many(self, frame, q, threads=1):
        """Return R (N, 3, 3) and p (N, 3) of a link in the base frame for N samples in rows."""
        poses = self._call_many('frame_pose', (q,), None, threads, frame)
        return poses[:, :, :3], poses[:, :, 3]

    def frame_jacobian_many(self, frame, q, out=None, threads=1):
        """Return J (N, 6, nv) for N samples in rows."""
        return self._call_many('frame_jacobian', (q,), out, threads, frame)

    def frame_acceleration_many(self, frame, q, qd, qdd, out=None, threads=1):
        """Return accelerations (N, 6) of a link's origin for N samples in rows."""
        return self._call_many('frame_acceleration', (q, qd, qdd), out, threads, frame)

    # -- other arms, other programs -----------------------------------------------------------

    def with_robot(self, robot):
        """Return the dynamics of an arm of the same geometry but other inertias or gravity.

        A parametric one shares the compiled code: nothing is generated again.
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
        other._share(robot, self)
        return other

    def with_payload(self, mass, com, inertia=None, link=None):
        """Return the dynamics with a load fixed to a link: see `Robot.with_payload`."""
        return self.with_robot(self.robot.with_payload(mass, com, inertia, link))

    def prepare(self, *names):
        """Generate and compile functions now; returns self."""
        for name in names or ('inverse', 'forward'):
            self._kernel(name)
        return self

    def program(self, name, frame=None):
        """Return the recorded program of a function, for emitters and curious people."""
        return program(self._arm, name, frame)

    def operation_count(self, name, frame=None):
        """Return .mul .add .div .sqrt .sincos of one evaluation."""
        return self._kernel(name, frame).program.operation_count

    # -- inside -------------------------------------------------------------------------------

    def _torques_of(self, wrenches, q):
        """Return the generalized forces of wrenches on links: sum of J' w."""
        tau = np.zeros(self.robot.nv)
        for link, wrench in wrenches.items():
            wrench = np.asarray(wrench, dtype=float)
            if wrench.shape != (6,):
                raise InputError(f'wrench on {link!r} has shape {wrench.shape}, expected (6,): '
                                 'force, then moment')
            tau += self.frame_jacobian(link, q).T @ wrench
        return tau

    def _refuse_floating(self, what):
        if self.robot.floating_base:
            raise InputError(f'{what}: the base of {self.robot.name!r} floats, its motion is in q')
