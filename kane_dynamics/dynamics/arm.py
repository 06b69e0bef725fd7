# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One arm in the forms that programs are recorded from.

Torques, M and derivatives are recorded on the reduced tree (short frames, base parameters); what
has a physical meaning body by body (energies, reactions, frames) on the tree as the URDF tells it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.codegen.lump import lump
from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.reframe import choose_frames, reframe
from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.first_order import (
    first_order_kane, first_order_mass_matrix, first_order_speeds)
from kane_dynamics.kane.mass import mass_matrix
from kane_dynamics.kane.solve import Factors, UnsymmetricFactors
from kane_dynamics.model.assembly import tree_of

PARAMETERS_PER_BODY = 10        # m, h (3), S (6: xx xy xz yy yz zz)


class Arm:
    """Kane's equations of one robot, with rotors and friction, on any scalar type."""

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
        self.armature = _armature(robot)

    def fits(self, robot):
        """Return whether another robot differs in masses, inertias and gravity alone."""
        tree = tree_of(robot)
        return (len(tree.bodies) == len(self.tree.bodies)
                and all(a.parent == b.parent and a.kind == b.kind and a.speeds == b.speeds
                        and (a.C == b.C).all() and (a.p == b.p).all()
                        and (a.ratio, a.offset) == (b.ratio, b.offset)
                        for a, b in zip(self.tree.bodies, tree.bodies))
                and robot.extensions == self.robot.extensions
                and _armature(robot) == self.armature)

    def parameters(self, robot=None):
        """Return the run-time numbers of a parametric program: gravity, base and mass moments."""
        robot = robot or self.robot
        tree, reduced = self._trees(robot)
        rows = [np.asarray(robot.gravity)]
        for one in (reduced, tree):
            for body in one.bodies:
                rows.append(np.array([body.m, *body.h, *body.S[np.triu_indices(3)]]))
        return np.concatenate(rows)

    def _trees(self, robot):
        """Return the trees, whole and reduced, of this robot or one that fits."""
        if robot is self.robot:
            return self.tree, self.reduced
        tree = tree_of(robot)
        return tree, lump(reframe(tree, self._frames_chosen))

    def locked_frequencies(self, robot):
        """Return the elastic frequencies (n_modes,) [rad/s], ascending, all coordinates zero."""
        reduced = self._trees(robot)[1]
        M = np.array(self.mass(reduced, [0.0] * self.nq), dtype=float)
        springs = [spring.u_index for spring in reduced.springs]
        K = np.array([spring.stiffness for spring in reduced.springs])
        squares = np.linalg.eigvals(np.linalg.solve(M[np.ix_(springs, springs)], np.diag(K)))
        return np.sort(np.sqrt(squares.real))

    def record(self, name, groups, function, shape):
        """Record function(reduced, tree, gravity, *groups): run-time parameters come in here."""
        sizes = {'q': self.nq, 'ud_joints': self.first_mode, 'base': 9,
                 'x': self.nq + 2 * self.nv, 'dt': 1,
                 'elastic': 4 * self.nv, 'motion': 3 * self.robot.n_joints, 'time': 3}
        inputs = [Input(group, sizes.get(group, self.nv), shared=group in ('dt', 'time'))
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

    def loads(self, tree, gravity, q, u, ud, **motion):
        """Return the torques behind the gears: tau with rotors, without friction."""
        tau, _ = self.kane(tree, q, u, ud, gravity, **motion)
        return [t + inertia * acceleration
                for t, inertia, acceleration in zip(tau, self.armature, ud)]

    def driven(self, loads, u):
        """Return the motor torques that overcome friction under these loads."""
        if self.friction is None:
            return loads
        driven = list(loads)
        for k in range(self.robot.n_joints):
            i = self.first_joint + k
            driven[i] = loads[i] + self.friction.torque_of_joint(k, u[i], loads[i])
        return driven

    def driving(self, tau, u):
        """Return the loads that motor torques tau drive: the inverse of `driven`."""
        if self.friction is None:
            return tau
        driving = list(tau)
        for k in range(self.robot.n_joints):
            i = self.first_joint + k
            driving[i] = self.friction.load_of_joint(k, u[i], tau[i])
        return driving

    def torques(self, tree, gravity, q, u, ud, **motion):
        """Return tau with rotors and friction, on any scalar type."""
        return self.driven(self.loads(tree, gravity, q, u, ud, **motion), u)

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

    def accelerations(self, reduced, _, g, q, u, tau, **motion):
        """Return ud = M^-1 (what friction leaves of tau - bias), on any scalar type."""
        bias = self.loads(reduced, g, q, u, [0.0] * self.nv, **motion)
        return self.factors(reduced, self.mass(reduced, q)).solve(
            [t - h for t, h in zip(self.driving(tau, u), bias)])

    @property
    def body_links(self):
        """Return the link that each body's joint moves (its base link for a floating robot)."""
        first = [self.robot.base] if self.robot.floating_base else []
        return first + [joint.child for joint in self.robot.moving_joints]

    def body_frames(self):
        """Return the link frame that each body is told in."""
        return [self.tree.frames[link] for link in self.body_links]


def _armature(robot):
    """Return the rotor inertia on each generalized speed."""
    first = 6 if robot.floating_base else 0
    armature = [0.0] * robot.nv
    for joint in robot.moving_joints:
        leader, ratio = joint.name, 1.0
        if joint.mimic is not None:
            leader, ratio = joint.mimic.joint, joint.mimic.multiplier
        armature[first + robot.joint_names.index(leader)] += ratio**2 * joint.armature
    for name, elastic in robot.flexible_joints.items():
        armature[first + robot.joint_names.index(name)] = elastic.motor_inertia
    return armature


def _next_in(parents, speed, among):
    """Return the next speed toward the base that is one of `among` (-1: none)."""
    speed = parents[speed]
    while speed >= 0 and speed not in among:
        speed = parents[speed]
    return speed


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
