# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm that is driven from outside, period by period: what a simulator node turns."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.motion.plant_energy import PlantEnergy
from kane_dynamics.motion.plant_step import PlantStep, RULES
from kane_dynamics.motion.step_limit import require_stable

METHODS = ('auto', *RULES)
LARGEST_STEP = 1e-3     # [s]
STEPS_PER_DECAY = 1.5   # steps within the time in which the fastest damped motion decays
MOST_SUBSTEPS = 1000


class Plant:
    """Hold an arm's state and advance it by periods under torques that are held over each.

    `braked` stops all joints at once and holds them; the energy is booked as lost in an impact.
    The same calls give the same bits.

    Args:
        robot: the arm.
        period: time that `advance` passes [s].
        substeps: steps per period; 0 chooses them by the fastest decay of the damped arm.
        method: 'rk4', or for stiff arms 'midpoint' or 'generalized_alpha' (which quiets modes
            faster than its steps; across contacts it is 'midpoint'); 'auto' takes 'midpoint' for
            elastic arms. 'rk4' is refused where a mode is too fast for it.
        friction: `Friction`, taken with a true sign and true stiction, or None.
        stops: `Stops` or None.
        effort_limits: (n_joints,) [N m or N], the most that the drives give; None: no limit.
        q0, qd0: the state at the start and after `reset`; None: neutral, at rest.
    """

    def __init__(self, robot, period, *, substeps=0, method='auto', friction=None, stops=None,
                 effort_limits=None, q0=None, qd0=None):
        if method not in METHODS:
            raise InputError(f'method {method!r} is unknown; there are {list(METHODS)}')
        if not (np.isfinite(period) and period > 0.0):
            raise InputError(f'period must be a positive number of seconds, got {period!r}')
        self.robot, self.period, self.friction, self.stops = robot, period, friction, stops
        self.method = ('midpoint' if robot.n_modes else 'rk4') if method == 'auto' else method
        self._limits = _per_joint(robot, 'effort_limits', effort_limits, np.inf)
        self._q0 = robot.neutral() if q0 is None else np.array(q0, dtype=float)
        self._qd0 = np.zeros(robot.nv) if qd0 is None else np.array(qd0, dtype=float)
        if self._q0.shape != (robot.nq,) or self._qd0.shape != (robot.nv,):
            raise InputError(f'the state at the start has shapes {self._q0.shape}, '
                             f'{self._qd0.shape}; expected ({robot.nq},), ({robot.nv},)')
        first = robot.nv - robot.n_modes - robot.n_joints
        self._speeds = slice(first, first + robot.n_joints)
        self._places = slice(robot.nq - robot.n_modes - robot.n_joints, robot.nq - robot.n_modes)
        if stops is not None:
            stops.require_inside(self._q0[self._places], robot.joint_names)
        self.tau = np.zeros(robot.n_joints)         # what the drives give
        self.saturated = 0                          # commands that were cut
        self._command = np.zeros(robot.n_joints)
        self._pushes = {}                           # link -> wrench, link axes
        self._external = np.zeros(robot.nv)
        self._compile(substeps)
        self.reset()

    def _compile(self, substeps):
        self.dynamics = Dynamics(self.robot)
        poses = self._poses()
        self.substeps = substeps or self._enough_substeps(poses)
        require_stable(
            self.dynamics, poses, self.period / self.substeps, self.method,
            lambda limit: f' (substeps={math.ceil(self.period / limit)} or more)')
        self.account = PlantEnergy(self.dynamics, self.friction, self._speeds, self._places)
        self._step = PlantStep(self.dynamics, self, self.account, self.period / self.substeps,
                               self.method, self.friction, self.stops)
        self._state = self._step.stepper

    def _poses(self):
        """Return poses (20, nq) to look at before there is motion: the start, and nearby."""
        poses = np.tile(self._q0, (20, 1))
        poses[1:, self._places] += np.random.default_rng(0).uniform(
            -1.5, 1.5, (len(poses) - 1, self.robot.n_joints))
        return poses

    def _enough_substeps(self, poses):
        """Return steps per period that resolve the damped arm."""
        rate = 0.0
        if self.friction is not None:
            D = np.zeros(self.robot.nv)
            D[self._speeds] = self.friction.viscous
            for q in poses:
                decay = np.linalg.solve(self.dynamics.mass_matrix(q), np.diag(D))
                rate = max(rate, abs(np.linalg.eigvals(decay)).max())
        count = np.ceil(self.period * max(rate * STEPS_PER_DECAY, 1.0 / LARGEST_STEP) - 1e-9)
        if count > MOST_SUBSTEPS:
            raise InputError(
                f'the viscous friction of {self.robot.name!r} decays at {rate:.3g} 1/s, which '
                f'takes {count:.0f} steps per period: is a link without inertia at the end, or '
                'friction in the wrong unit?')
        return int(count)

    # -- what drives it --------------------------------------------------------------------------

    def command(self, tau):
        """Hold torques tau (n_joints,) from now on, cut to the effort limits."""
        if self._step.at_rest and (tau != self._command).any():
            self._step.at_rest = False
        self._command[:] = tau
        np.clip(self._command, -self._limits, self._limits, out=self.tau)
        self.saturated += bool((self.tau != self._command).any())

    def push(self, link, wrench):
        """Apply force and moment (6,) at a link's origin, in the link's axes; None ends it."""
        if link not in self.robot.link_names:
            raise InputError(f'wrench on {link!r}: no such link; there are '
                             f'{list(self.robot.link_names)}')
        wrench = np.zeros(6) if wrench is None else np.array(wrench, dtype=float)
        if wrench.shape != (6,) or not np.isfinite(wrench).all():
            raise InputError(f'wrench on {link!r} must be 6 finite numbers, got {wrench}')
        self._step.at_rest = False
        self._pushes.pop(link, None)
        if wrench.any():
            self._pushes[link] = wrench

    def fill(self, t, q, qd, tau):
        """Fill tau (nv,) with all generalized forces on the arm: the torque law of `March`."""
        tau[:] = 0.0
        tau[self._speeds] = self.tau
        if self._pushes:
            self._fill_external(q)
            tau += self._external

    def _fill_external(self, q):
        self._external[:] = 0.0
        for link, wrench in self._pushes.items():
            R, _ = self.dynamics.frame_pose(link, q)
            self._external += self.dynamics.frame_jacobian(link, q).T @ np.concatenate(
                [R @ wrench[:3], R @ wrench[3:]])

    # -- what it does ----------------------------------------------------------------------------

    @property
    def q(self):
        """Return the coordinates (nq,): a view, good until the next call."""
        return self._state.q

    @property
    def qd(self):
        """Return the speeds (nv,): a view, good until the next call."""
        return self._state.qd

    @property
    def joint_positions(self):
        """Return (n_joints,)."""
        return self._state.q[self._places]

    @property
    def joint_velocities(self):
        """Return (n_joints,)."""
        return self._state.qd[self._speeds]

    @property
    def contacts(self):
        """Return how often a joint hit, turned round or came to rest since the start."""
        return self._step.contacts

    @property
    def breakaway(self):
        """Return the friction (n_joints,) that holds a joint at rest, at most [N m or N]."""
        return self._step.equation.breakaway

    @property
    def braked(self):
        """Return whether the brakes hold all joints."""
        return self._braked

    @braked.setter
    def braked(self, on):
        self._step.at_rest &= self._braked == bool(on)
        self._braked = bool(on)

    def start_from(self, q0):
        """Begin at q0 (nq,), at the speeds of the start, now and after each `reset`."""
        self._q0[:] = q0
        self.reset()

    def reset(self):
        """Go back to the state at the start: no torque, no push, no brake, empty accounts."""
        self._state.q[:], self._state.qd[:] = self._q0, self._qd0
        self._step.at_rest = False
        self._command[:] = self.tau[:] = 0.0
        self._pushes.clear()
        self._state.tau[:] = 0.0
        self._state.refresh()
        self.periods = 0
        self._braked = False
        self._step.forget()
        self.account.restart(self._state.q, self._state.qd)

    def advance(self):
        """Pass one period."""
        start = self.periods * self.period
        for k in range(self.substeps):
            if not self._step.at_rest:
                self._step(start + k * self._step.h, self.braked)
        self.periods += 1
        if not np.isfinite(self._state.qd).all():
            raise KaneDynamicsError(f'the arm {self.robot.name!r} is not finite any more after '
                                    f'{self.periods} periods; more substeps may help')

    def energy_drift(self):
        """Return the energy [J] that work and losses since the start do not explain."""
        return self.account.drift(self._state.q, self._state.qd)


def _per_joint(robot, name, values, missing):
    values = np.full(robot.n_joints, missing) if values is None else np.array(values, dtype=float)
    if values.shape != (robot.n_joints,) or not (values >= 0.0).all():
        raise InputError(f'{name} must be {robot.n_joints} numbers, none negative; '
                         f'got {values.tolist()}')
    return values
