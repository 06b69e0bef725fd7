# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What can be asked of Kane's equations, each as a program to record.

Torques, M and derivatives are recorded on the reduced tree (short frames, base parameters); what
has a physical meaning body by body (energies, reactions, frames) on the tree as the URDF tells it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.codegen.lump import lump
from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.reframe import choose_frames, reframe
from kane_dynamics.dynamics.steps import quaternion_rates, step_program
from kane_dynamics.exceptions import InputError
from kane_dynamics.kane import kinematics, recursive
from kane_dynamics.kane.differentiate import gradient, tangent
from kane_dynamics.kane.equations import kane, Place
from kane_dynamics.kane.first_order import (
    first_order_kane, first_order_mass_matrix, first_order_speeds)
from kane_dynamics.kane.mass import mass_matrix
from kane_dynamics.kane.solve import Factors, UnsymmetricFactors
from kane_dynamics.model.assembly import tree_of

FRAME_FUNCTIONS = ('frame_pose', 'frame_jacobian', 'frame_velocity', 'frame_acceleration')
PARAMETERS_PER_BODY = 10        # m, h (3), S (6: xx xy xz yy yz zz)
LONG_CHAIN = 12                 # joints in a row beyond which M and its factors are not even tried


class Recipes:
    """Hold one arm in the forms that programs are recorded from."""

    def __init__(self, robot, friction=None, parametric=False):
        self.robot, self.friction, self.parametric = robot, friction, parametric
        self.tree = tree_of(robot)
        self._frames_chosen = choose_frames(self.tree)
        self.reduced = lump(reframe(self.tree, self._frames_chosen))
        self.nq, self.nv = robot.nq, robot.nv
        self.truncated = bool(first_order_speeds(self.tree))    # the models of Padilla 1989
        self.kane = first_order_kane if self.truncated else kane
        self.first_joint = 6 if robot.floating_base else 0
        self.first_mode = self.first_joint + robot.n_joints
        self.armature = [0.0] * self.nv
        for body_joint in robot.moving_joints:
            leader, ratio = body_joint.name, 1.0
            if body_joint.mimic is not None:
                leader, ratio = body_joint.mimic.joint, body_joint.mimic.multiplier
            k = self.first_joint + robot.joint_names.index(leader)
            self.armature[k] += ratio**2 * body_joint.armature
        for name, elastic in robot.flexible_joints.items():
            self.armature[self.first_joint + robot.joint_names.index(name)] = (
                elastic.motor_inertia)

    def parameters(self, robot=None):
        """Return the run-time numbers of a parametric program: gravity, base and mass moments."""
        tree, reduced = self.tree, self.reduced
        if robot is not None and robot is not self.robot:
            tree = tree_of(robot)
            reduced = lump(reframe(tree, self._frames_chosen))
        rows = [np.asarray((robot or self.robot).gravity)]
        for one in (reduced, tree):
            for body in one.bodies:
                rows.append(np.array([body.m, *body.h, *body.S[np.triu_indices(3)]]))
        return np.concatenate(rows)

    def program(self, name, frame=None):
        """Return the recorded program of a function; `frame` is a name for the frame functions."""
        if name in FRAME_FUNCTIONS:
            return self._frame_program(name, frame)
        if name.startswith('step_'):
            return step_program(self, name)
        recipe = getattr(self, f'_record_{name}', None)
        if recipe is None:
            known = sorted(key[len('_record_'):] for key in dir(type(self))
                           if key.startswith('_record_'))
            raise InputError(f'no function {name!r}; there are {known}')
        return recipe(name)

    # -- inputs -------------------------------------------------------------------------------

    def record(self, name, groups, function, shape):
        """Record function(reduced, tree, gravity, *groups): run-time parameters come in here."""
        sizes = {'q': self.nq, 'ud_joints': self.first_mode, 'base': 9,
                 'x': self.nq + 2 * self.nv, 'dt': 1}
        inputs = [Input(group, sizes.get(group, self.nv), shared=group == 'dt')
                  for group in groups]
        gravity = [float(x) for x in self.robot.gravity]
        if not self.parametric:
            return record(name, inputs, lambda *values: function(
                self.reduced, self.tree, gravity, *values), shape)
        size = 3 + 2 * PARAMETERS_PER_BODY * len(self.tree.bodies)

        def with_parameters(*values):
            *values, p = values
            half = 3 + PARAMETERS_PER_BODY * len(self.tree.bodies)
            return function(_with_moments(self.reduced, p[3:half], base_parameters=True),
                            _with_moments(self.tree, p[half:]), p[:3], *values)
        return record(name, [*inputs, Input('p', size, shared=True)], with_parameters, shape)

    def _friction_torque(self, u):
        if self.friction is None:
            return [0.0] * self.nv
        return [0.0] * self.first_joint + [
            self.friction.torque_of_joint(k, v)
            for k, v in enumerate(u[self.first_joint:self.first_mode])
        ] + [0.0] * self.robot.n_modes

    def torques(self, tree, gravity, q, u, ud, **motion):
        """Return tau with rotors and friction, on any scalar type."""
        tau, _ = self.kane(tree, q, u, ud, gravity, **motion)
        return [t + inertia * acceleration + friction for t, inertia, acceleration, friction
                in zip(tau, self.armature, ud, self._friction_torque(u))]

    def mass(self, tree, q):
        """Return M with rotors, on any scalar type."""
        M = first_order_mass_matrix(tree, q) if self.truncated else mass_matrix(tree, q)
        for k, inertia in enumerate(self.armature):
            M[k][k] = M[k][k] + inertia
        return M

    def factors(self, tree, M, among=None):
        """Return the factors of M, or of its rows and columns `among` some speeds."""
        order = [k for k in tree.speed_order if among is None or k in among]
        if self.truncated:
            return UnsymmetricFactors(M, order)
        parents = tree.speed_parents
        return Factors(M, {k: _next_in(parents, k, order) for k in order}, order)

    # -- torques and accelerations ------------------------------------------------------------

    def _record_inverse(self, name):
        return self.record(name, ('q', 'u', 'ud'), lambda reduced, _, g, q, u, ud:
                           self.torques(reduced, g, q, u, ud), (self.nv,))

    def _record_bias(self, name):
        rest = [0.0] * self.nv
        return self.record(name, ('q', 'u'), lambda reduced, _, g, q, u:
                           self.torques(reduced, g, q, u, rest), (self.nv,))

    def _record_gravity(self, name):
        rest = [0.0] * self.nv
        return self.record(name, ('q',), lambda reduced, _, g, q:
                           self.kane(reduced, q, rest, rest, g)[0], (self.nv,))

    def _record_mass_matrix(self, name):
        return self.record(name, ('q',), lambda reduced, _, g, q:
                           sum(self.mass(reduced, q), []), (self.nv, self.nv))

    def _record_forward(self, name):
        """Take M ud = tau - bias by factors of M, or joint by joint: whichever is shorter."""
        programs = []
        if self.tree.depth <= LONG_CHAIN:
            programs.append(self.record(name, ('q', 'u', 'tau'), self.accelerations,
                                        (self.nv,)))
        rigid = not self.tree.springs
        if rigid and len(self.tree.bodies) == self.robot.n_joints + int(self.robot.floating_base):
            programs.append(self.record(name, ('q', 'u', 'tau'), self._forward_recursively,
                                        (self.nv,)))
        return min(programs, key=lambda program: program.operation_count.mul
                   + program.operation_count.add) if programs else self.record(
                       name, ('q', 'u', 'tau'), self.accelerations, (self.nv,))

    def accelerations(self, reduced, _, g, q, u, tau, **motion):
        """Return ud = M^-1 (tau - bias), on any scalar type."""
        bias = self.torques(reduced, g, q, u, [0.0] * self.nv, **motion)
        return self.factors(reduced, self.mass(reduced, q)).solve(
            [t - h for t, h in zip(tau, bias)])

    def _forward_recursively(self, reduced, _, g, q, u, tau):
        driving = [t - friction for t, friction in zip(tau, self._friction_torque(u))]
        return recursive.forward(reduced, q, u, driving, g, self.armature)

    def _record_hybrid(self, name):
        """Record [tau of the joints, ud of the modes] for given accelerations of the joints.

        Modal rows hold no torque: M_ee ud_e = -c_e with c = kane(q, u, [ud_q, 0]), and
        tau = c_q + M_qe ud_e.
        """
        modes = range(self.first_mode, self.nv)

        def function(reduced, _, g, q, u, ud):
            given = [*ud, *([0.0] * len(modes))]
            c = self.torques(reduced, g, q, u, given)
            M = self.mass(reduced, q)
            elastic = self.factors(reduced, M, modes).solve([-value for value in c])
            tau = [c[k] + sum(M[k][j] * elastic[j] for j in modes)
                   for k in range(self.first_mode)]
            return tau + [elastic[j] for j in modes]
        return self.record(name, ('q', 'u', 'ud_joints'), function, (self.nv,))

    def _record_inverse_moving_base(self, name):
        return self.record(name, ('q', 'u', 'ud', 'base'), lambda reduced, _, g, q, u, ud, base:
                           self.torques(reduced, g, q, u, ud, base=_motion(base)), (self.nv,))

    def _record_forward_moving_base(self, name):
        return self.record(name, ('q', 'u', 'tau', 'base'),
                           lambda reduced, tree, g, q, u, tau, base: self.accelerations(
                               reduced, tree, g, q, u, tau, base=_motion(base)), (self.nv,))

    # -- derivatives --------------------------------------------------------------------------

    def _record_inverse_derivatives(self, name):
        """Record d tau/d q, d tau/d u and M; a floating base is displaced in its own frame."""
        n = self.nv

        def function(reduced, _, g, q, u, ud):
            tau = [u[0].graph.zero + t for t in self.torques(reduced, g, q, u, ud)]
            by_q = [tangent(tau, seeds) for seeds in self._displacements(q)]
            by_u = [tangent(tau, {speed: 1.0 + speed.graph.zero}) for speed in u]
            return [columns[j][i] for columns in (by_q, by_u)
                    for i in range(n) for j in range(n)] + sum(self.mass(reduced, q), [])
        return self.record(name, ('q', 'u', 'ud'), function, (3, n, n))

    def _displacements(self, q):
        """Return, per generalized speed, the rates of q that a unit of it makes."""
        one = 1.0 + q[0].graph.zero
        seeds = []
        if self.robot.floating_base:
            turn = Place(self.tree.bodies[0], q).turn
            seeds += [dict(zip(q[:3], turn[:, j])) for j in range(3)]
            seeds += [dict(zip(q[3:7], column)) for column in quaternion_rates(*q[3:7])]
        return seeds + [{s: one} for s in q[7 if self.robot.floating_base else 0:]]

    def _record_regressor(self, name):
        """Record Y (nv, 10 per body) with tau = Y pi; see `standard_parameters` for pi."""
        self._refuse_flexible(name)
        count = 10 * len(self.tree.bodies)

        def function(_, tree, g, q, u, ud):
            graph = q[0].graph
            pi = graph.inputs('pi', count)
            tau, _ = kane(self._with_standard_parameters(tree, pi), q, u, ud, g)
            return [entry for t in tau for entry in gradient(graph.zero + t, pi)]
        return self.record(name, ('q', 'u', 'ud'), function, (self.nv, count))

    def _with_standard_parameters(self, tree, pi):
        bodies = []
        for k, (body, frame) in enumerate(zip(tree.bodies, self.body_frames())):
            m, hx, hy, hz, xx, xy, yy, xz, yz, zz = pi[10 * k:10 * k + 10]
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            S = np.eye(3) * (0.5 * (xx + yy + zz)) - inertia
            bodies.append(replace(body, m=m, h=frame.R @ np.array([hx, hy, hz]),
                                  S=frame.R @ S @ frame.R.T))
        return replace(tree, bodies=tuple(bodies))

    def standard_parameters(self):
        """Return pi: per body m, h = m c (3), and Ixx Ixy Iyy Ixz Iyz Izz about its link's origin.

        Links behind fixed joints count with the link that carries them, in that link's axes.
        """
        self._refuse_flexible('inertial_parameters')
        rows = []
        for body, frame in zip(self.tree.bodies, self.body_frames()):
            h, S = frame.R.T @ body.h, frame.R.T @ body.S @ frame.R
            inertia = np.trace(S) * np.eye(3) - S
            rows.append([body.m, *h, *(inertia[i, j] for i, j in
                                       ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))])
        return np.array(rows).reshape(-1)

    def _refuse_flexible(self, what):
        if self.robot.extensions:
            raise InputError(f'{what}: the inertia of a flexible link is more than ten numbers; '
                             'ask the rigid arm, Dynamics(robot.rigid())')

    # -- what has a meaning body by body ------------------------------------------------------

    @property
    def body_links(self):
        """Return the link that each body's joint moves (its base link for a floating robot)."""
        first = [self.robot.base] if self.robot.floating_base else []
        return first + [joint.child for joint in self.robot.moving_joints]

    def body_frames(self):
        """Return the link frame that each body is told in."""
        return [self.tree.frames[link] for link in self.body_links]

    def _record_energy(self, name):
        def function(_, tree, g, q, u):
            kinetic, potential, strain = kinematics.energies(tree, q, u, g)
            rotors = sum(0.5 * inertia * (v * v) for inertia, v in zip(self.armature, u))
            return [kinetic + rotors, potential, strain]
        return self.record(name, ('q', 'u'), function, (3,))

    def _record_momentum(self, name):
        return self.record(name, ('q', 'u'), lambda _, tree, g, q, u:
                           [*np.concatenate(kinematics.momentum(tree, q, u))], (6,))

    def _record_mass_centre(self, name):
        return self.record(name, ('q',), lambda _, tree, g, q:
                           [*kinematics.mass_centre(tree, q)[1]], (3,))

    def _record_reactions(self, name):
        frames = self.body_frames()

        def function(_, tree, g, q, u, ud):
            _, pairs = self.kane(tree, q, u, ud, g)
            return [value for frame in frames for part in pairs[frame.body]
                    for value in frame.R.T @ part]
        return self.record(name, ('q', 'u', 'ud'), function, (len(frames), 6))

    def _frame_program(self, name, frame_name):
        frame = self.tree.frames.get(frame_name)
        if frame is None:
            raise InputError(f'no link or frame {frame_name!r} in {self.robot.name!r}; '
                             f'there are {sorted(self.tree.frames)}')
        groups = {'frame_velocity': ('q', 'u'), 'frame_acceleration': ('q', 'u', 'ud')}
        shapes = {'frame_pose': (3, 4), 'frame_jacobian': (6, self.nv)}

        def function(_, tree, g, *values):
            result = getattr(kinematics, name)(tree, frame, *values)
            if name == 'frame_pose':
                R, p = result
                return [value for row, place in zip(R, p) for value in [*row, place]]
            return [*np.reshape(result, -1)]
        return self.record(name, groups.get(name, ('q',)), function, shapes.get(name, (6,)))


def _next_in(parents, speed, among):
    """Return the next speed toward the base that is one of `among` (-1: none)."""
    speed = parents[speed]
    while speed >= 0 and speed not in among:
        speed = parents[speed]
    return speed


def _motion(base):
    """Return (w, alpha, a) from the nine numbers of a prescribed base motion."""
    return np.array(base[:3]), np.array(base[3:6]), np.array(base[6:9])


def _with_moments(tree, p, base_parameters=False):
    """Return a tree whose mass moments are scalars; base parameters keep their zeros."""
    bodies = []
    for k, body in enumerate(tree.bodies):
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = p[PARAMETERS_PER_BODY * k:][:PARAMETERS_PER_BODY]
        if base_parameters and body.kind == 'revolute':
            m = hz = zz = 0.0
        if base_parameters and body.kind == 'prismatic':
            xx = xy = xz = yy = yz = zz = 0.0
        bodies.append(replace(body, m=m, h=np.array([hx, hy, hz]),
                              S=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])))
    return replace(tree, bodies=tuple(bodies))
