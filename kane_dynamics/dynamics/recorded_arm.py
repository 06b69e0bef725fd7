# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An arm in the forms that programs are recorded from.

Torques, M and derivatives are recorded on the reduced tree (short frames, base parameters);
quantities that have a physical meaning for each body (energies, reactions, frames) on the full
tree, as the URDF describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.codegen.lump import lump
from kane_dynamics.codegen.program import Input, Program, record
from kane_dynamics.codegen.reframe import choose_frames, reframe
from kane_dynamics.dynamics.friction import (
    Friction, friction_torque, FrictionParameters, load_slope, load_under)
from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.mass_matrix import mass_matrix
from kane_dynamics.kane.scalar import AnyScalar, Scalars
from kane_dynamics.kane.solve import Factors
from kane_dynamics.kane.truncated.first_order import (
    first_order_kane, first_order_mass_matrix, first_order_speeds, UnsymmetricFactors)
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.tree import Frame, Tree

PARAMETERS_PER_BODY = 10        # m, h (3), S (6: xx xy xz yy yz zz)


class ArmModel(NamedTuple):
    """Trees and gravity that a program reads: numbers, or run-time parameters."""

    reduced: Tree           # short frames and base parameters
    full: Tree              # physical bodies
    gravity: Scalars        # (3,) [m/s^2] in the base frame

    def with_springs(self, M: list[list[AnyScalar]], by_rate: AnyScalar,
                     by_position: AnyScalar) -> list[list[AnyScalar]]:
        """Return M + by_rate D + by_position K of the springs, but those between links."""
        S = [list(row) for row in M]
        for spring in self.reduced.springs:
            k = spring.u_index
            S[k][k] = S[k][k] + by_rate * spring.damping + by_position * spring.stiffness
        for each in self.reduced.joint_springs:
            for _, j, first in each.terms:
                for _, k, second in each.terms:
                    S[j][k] = S[j][k] + by_position * (first * second * each.law.stiffness)
        return S


class RecordedArm:
    """Kane's equations of one robot, with rotors and friction, on any scalar type."""

    def __init__(self, robot: Robot, friction: Friction | None = None,
                 parametric: bool = False) -> None:
        self.robot, self.friction, self.parametric = robot, friction, parametric
        self.tree = robot.tree
        self._frames_chosen = choose_frames(self.tree)
        self._model = self._model_of(robot)
        self.nq, self.nv = robot.nq, robot.nv
        self.truncated = bool(first_order_speeds(self.tree))    # the models of Padilla 1989
        self.kane = first_order_kane if self.truncated else kane
        self.first_mode: int = robot.modes_v.start
        self.armature = _armature(robot)

    def fits(self, robot: Robot) -> bool:
        """Return whether another robot differs in masses, inertias and gravity alone."""
        tree = robot.tree
        return (len(tree.bodies) == len(self.tree.bodies)
                and all(a.parent == b.parent and a.kind == b.kind and a.speeds == b.speeds
                        and (a.C == b.C).all() and (a.p == b.p).all()
                        and (a.ratio, a.offset) == (b.ratio, b.offset)
                        for a, b in zip(self.tree.bodies, tree.bodies))
                and robot.extensions == self.robot.extensions
                and robot.springs == self.robot.springs
                and _armature(robot) == self.armature)

    def parameters(self, robot: Robot) -> FloatArray:
        """Return the run-time numbers of a parametric program: gravity, base and mass moments."""
        model = self._model_of(robot)
        rows = [np.asarray(robot.gravity)]
        for tree in (model.reduced, model.full):
            for body in tree.bodies:
                rows.append(np.array([body.m, *body.h, *body.S[np.triu_indices(3)]]))
        return np.concatenate(rows)

    def _model_of(self, robot: Robot) -> ArmModel:
        """Return the model, in numbers, of this robot or one that fits."""
        reduced = lump(reframe(robot.tree, self._frames_chosen))
        return ArmModel(reduced, robot.tree, [float(x) for x in robot.gravity])

    def locked_frequencies(self, robot: Robot) -> FloatArray:
        """Return the elastic frequencies (n_modes,) [rad/s], ascending, all coordinates zero."""
        model = self._model_of(robot)
        M = np.array(self.mass(model, [0.0] * self.nq), dtype=float)
        springs = [spring.u_index for spring in model.reduced.springs]
        K = np.array([spring.stiffness for spring in model.reduced.springs])
        squares = np.linalg.eigvals(np.linalg.solve(M[np.ix_(springs, springs)], np.diag(K)))
        return np.sort(np.sqrt(squares.real))

    def record(self, name: str, groups: Sequence[str],
               function: Callable[..., Iterable[AnyScalar]], shape: Sequence[int]) -> Program:
        """Return the program of function(model, *groups) with an output of this shape.

        groups: names of the input arrays. model: an ArmModel; in a parametric program its mass
        moments and gravity are the last input array.
        """
        sizes = {'q': self.nq, 'ud_joints': self.first_mode, 'base': 9,
                 'x': self.nq + 2 * self.nv, 'dt': 1,
                 'elastic': 4 * self.nv, 'motion': 3 * self.robot.n_joints, 'time': 3}
        inputs = [Input(group, sizes.get(group, self.nv), shared=group in ('dt', 'time'))
                  for group in groups]
        if not self.parametric:
            return record(name, inputs, lambda *values: function(self._model, *values), shape)
        half = 3 + PARAMETERS_PER_BODY * len(self.tree.bodies)

        def with_parameters(*values: Scalars) -> Iterable[AnyScalar]:
            *groups, p = values
            model = ArmModel(_with_moments(self._model.reduced, p[3:half], base_parameters=True),
                             _with_moments(self.tree, p[half:]), p[:3])
            return function(model, *groups)
        return record(name, [*inputs, Input('p', 2 * half - 3, shared=True)], with_parameters,
                      shape)

    # -- Kane's equations on any scalar type ----------------------------------------------------

    def loads(self, model: ArmModel, q: Scalars, u: Scalars, ud: Scalars,
              **base: Any) -> list[AnyScalar]:
        """Return the torques behind the gears: tau with rotors, without friction."""
        tau, _ = self.kane(model.reduced, q, u, ud, model.gravity, **base)
        return [t + inertia * acceleration
                for t, inertia, acceleration in zip(tau, self.armature, ud)]

    def driven(self, loads: list[AnyScalar], u: Scalars) -> list[AnyScalar]:
        """Return the motor torques that overcome friction under these loads."""
        driven = list(loads)
        for i, p in self._friction_rows():
            driven[i] = loads[i] + friction_torque(u[i], loads[i], p)
        return driven

    def driving(self, tau: Scalars, u: Scalars) -> Scalars:
        """Return the loads that motor torques tau drive: the inverse of `driven`."""
        driving = list(tau)
        for i, p in self._friction_rows():
            driving[i] = load_under(tau[i], u[i], p)
        return driving

    def _friction_rows(self) -> list[tuple[int, FrictionParameters]]:
        """Return (generalized speed, friction parameters) of each joint."""
        if self.friction is None:
            return []
        return [(self.robot.joints_v.start + k, self.friction.joint_parameters(k))
                for k in range(self.robot.n_joints)]

    def torques(self, model: ArmModel, q: Scalars, u: Scalars, ud: Scalars,
                **base: Any) -> list[AnyScalar]:
        """Return tau with rotors and friction."""
        return self.driven(self.loads(model, q, u, ud, **base), u)

    def mass(self, model: ArmModel, q: Scalars) -> list[list[AnyScalar]]:
        """Return M with rotors."""
        M = (first_order_mass_matrix if self.truncated else mass_matrix)(model.reduced, q)
        for k, inertia in enumerate(self.armature):
            M[k][k] = M[k][k] + inertia
        return M

    def by_acceleration(self, model: ArmModel, q: Scalars, u: Scalars,
                        ud: Scalars) -> list[list[AnyScalar]]:
        """Return d tau/d ud: M, its rows scaled where friction depends on the load."""
        M = self.mass(model, q)
        if self.friction is None or not self.friction.depends_on_load:
            return M
        loads = self.loads(model, q, u, ud)
        for i, p in self._friction_rows():
            slope = load_slope(u[i], loads[i], p)
            M[i] = [slope * entry for entry in M[i]]
        return M

    def left_over(self, model: ArmModel, q: Scalars, u: Scalars, ud: Scalars,
                  tau: Scalars) -> list[AnyScalar]:
        """Return the torques that tau leaves over at accelerations ud; -M is the slope by ud.

        They are torques at the motors, or behind the gears where friction depends on the load.
        """
        if self.friction is None or not self.friction.depends_on_load:
            needed = self.torques(model, q, u, ud)
        else:
            tau, needed = self.driving(tau, u), self.loads(model, q, u, ud)
        return [given - need for given, need in zip(tau, needed)]

    def factors(self, model: ArmModel, M: list[list[AnyScalar]],
                among: Iterable[int] | None = None) -> Factors | UnsymmetricFactors:
        """Return the factors of M, or of its rows and columns `among` some speeds."""
        order = list(model.reduced.speed_order)
        if among is not None:
            kept = set(among)
            order = [k for k in order if k in kept]
        if self.truncated:
            return UnsymmetricFactors(M, order)
        parents = model.reduced.speed_parents
        return Factors(M, {k: _next_in(parents, k, order) for k in order}, order)

    def accelerations(self, model: ArmModel, q: Scalars, u: Scalars, tau: Scalars,
                      **base: Any) -> list[AnyScalar]:
        """Return ud = M^-1 (what friction leaves of tau - bias)."""
        bias = self.loads(model, q, u, [0.0] * self.nv, **base)
        return self.factors(model, self.mass(model, q)).solve(
            [t - h for t, h in zip(self.driving(tau, u), bias)])

    @property
    def body_links(self) -> list[str]:
        """Return the link that each body's joint moves (its base link for a floating robot)."""
        first = [self.robot.base] if self.robot.floating_base else []
        return first + [joint.child for joint in self.robot.moving_joints]

    def body_frames(self) -> list[Frame]:
        """Return the frame of the link that each body's joint moves."""
        return [self.tree.frames[link] for link in self.body_links]


def _armature(robot: Robot) -> list[float]:
    """Return the rotor inertia on each generalized speed."""
    armature = [0.0] * robot.nv
    for joint in robot.moving_joints:
        leader, ratio = joint.name, 1.0
        if joint.mimic is not None:
            leader, ratio = joint.mimic.joint, joint.mimic.multiplier
        elastic = robot.flexible_joints.get(joint.name)
        rotor = joint.armature if elastic is None else elastic.motor_inertia
        armature[robot.joints_v.start + robot.joint_index(leader)] += ratio**2 * rotor
    return armature


def _next_in(parents: Mapping[int, int], speed: int, among: list[int]) -> int:
    """Return the next speed toward the base that is one of `among` (-1: none)."""
    speed = parents[speed]
    while speed >= 0 and speed not in among:
        speed = parents[speed]
    return speed


def _with_moments(tree: Tree, p: Scalars, base_parameters: bool = False) -> Tree:
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
