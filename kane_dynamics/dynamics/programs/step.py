# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One step in time as a program: x = [q, u, ud] to the next x under a torque held over dt.

Explicit: `semi_implicit` (Euler, first order) and `rk4`. Implicit, for stiff modes and springs:
`midpoint` (second order, keeps energy) and `generalized_alpha` (damps modes beyond the step rate;
Chung and Hulbert 1993, spectral radius 0.8). These take three passes of modified Newton,
with one factorization of M + dt/2 D + dt^2/4 K. Two are enough for smooth motion; while modes
ring they lose three quarters of the energy in a minute, three passes two per cent, which is the
loss of the rule itself at such a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.kane.equations import JointPlacement
from kane_dynamics.kane.scalar import AnyScalar, ScalarArray, Scalars, sqrt
from kane_dynamics.kane.solve import held_matrix
from kane_dynamics.numerics.time_integration import GENERALIZED_ALPHA, RK4

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import ArmModel, RecordedArm
    from kane_dynamics.kane.solve import Factors
    from kane_dynamics.kane.truncated.first_order import UnsymmetricFactors
    from kane_dynamics.model.structure.tree import Tree

StepMethod: TypeAlias = Literal['semi_implicit', 'rk4', 'midpoint', 'generalized_alpha']
Row: TypeAlias = list[AnyScalar]
State: TypeAlias = tuple[Scalars, Scalars, Scalars]     # q, u, ud

PASSES = 3


def step_program(arm: RecordedArm, name: str) -> Program:
    """Return the program of one step; `name` is 'step_' and a method."""
    method = METHODS[name[len('step_'):]]
    nq, nv = arm.nq, arm.nv

    def function(model: ArmModel, x: Scalars, tau: Scalars, dt: Scalars) -> Row:
        driven = _Driven(arm, model, tau)
        return [value for part in method(driven, x[:nq], x[nq:nq + nv], x[nq + nv:], dt[0])
                for value in part]
    return arm.record(name, ('x', 'tau', 'dt'), function, (nq + 2 * nv,))


def held_step_program(arm: RecordedArm, name: str) -> Program:
    """Return the program of a midpoint step in which some speeds are held at zero.

    free (nv,) is 0 where that is so and 1 elsewhere: rows and columns of S are then those of 1.
    """
    nq, nv = arm.nq, arm.nv

    def function(model: ArmModel, x: Scalars, tau: Scalars, dt: Scalars, free: Scalars) -> Row:
        held = _Held(arm, model, tau, free)
        ud = [is_free * value for is_free, value in zip(free, x[nq + nv:])]
        return [value for part in midpoint(held, x[:nq], x[nq:nq + nv], ud, dt[0])
                for value in part]
    return arm.record(name, ('x', 'tau', 'dt', 'free'), function, (nq + 2 * nv,))


class _Driven:
    """The arm under a given torque, as the methods use it."""

    def __init__(self, arm: RecordedArm, model: ArmModel, tau: Scalars) -> None:
        self.arm, self.model, self.tau = arm, model, tau

    def accelerations(self, q: Scalars, u: Scalars) -> Row:
        """Return ud."""
        return self.arm.accelerations(self.model, q, u, self.tau)

    def residual(self, q: Scalars, u: Scalars, ud: Scalars) -> Row:
        """Return the torques that are left over."""
        return self.arm.left_over(self.model, q, u, ud, self.tau)

    def factors(self, q: Scalars, by_mass: AnyScalar, by_rate: AnyScalar,
                by_position: AnyScalar) -> Factors | UnsymmetricFactors:
        """Return the factors of by_mass M + by_rate D + by_position K, springs in D and K."""
        S = [[by_mass * entry for entry in row] for row in self.arm.mass(self.model, q)]
        S = self.model.with_springs(S, by_rate, by_position)
        return self.arm.factors(self.model, self.whole(S))

    def whole(self, S: list[Row]) -> list[Row]:
        """Return the matrix of all speeds."""
        return S

    def rates(self, q: Scalars, u: Scalars) -> Scalars:
        """Return dq/dt: u, but for the position and quaternion of a floating base."""
        if not self.arm.robot.floating_base:
            return u
        velocity = floating_rotation(self.model.reduced, q) @ np.array(u[:3])
        turning = [sum(column[part] * speed for column, speed in
                       zip(quaternion_rates(*q[3:7]), u[3:6])) for part in range(4)]
        return [*velocity, *turning, *u[6:]]

    def unit(self, q: Scalars) -> Scalars:
        """Return q with the quaternion of a floating base at unit length again."""
        if not self.arm.robot.floating_base:
            return q
        length = sqrt(sum(part * part for part in q[3:7]))
        return [*q[:3], *(part / length for part in q[3:7]), *q[7:]]

    def moved(self, q: Scalars, u: Scalars, dt: AnyScalar, at: Scalars | None = None) -> Scalars:
        """Return q after dt with the speeds u, those of the pose `at` (None: of q itself)."""
        return self.unit(_plus(q, dt, self.rates(q if at is None else at, u)))


class _Held(_Driven):
    """The same with speeds that are held: no torque is left over there, whatever it takes."""

    def __init__(self, arm: RecordedArm, model: ArmModel, tau: Scalars, free: Scalars) -> None:
        super().__init__(arm, model, tau)
        self.free = free

    def residual(self, q: Scalars, u: Scalars, ud: Scalars) -> Row:
        return [is_free * left for is_free, left in zip(self.free, super().residual(q, u, ud))]

    def whole(self, S: list[Row]) -> list[Row]:
        return held_matrix(S, self.free)


def semi_implicit(arm: _Driven, q: Scalars, u: Scalars, ud: Scalars, dt: AnyScalar) -> State:
    """Step: u += dt ud(q, u), then q moves with the new u."""
    ud = arm.accelerations(q, u)
    u = _plus(u, dt, ud)
    return arm.moved(q, u, dt), u, ud


def rk4(arm: _Driven, q: Scalars, u: Scalars, ud: Scalars, dt: AnyScalar) -> State:
    """Step by the classical Runge-Kutta method."""
    q_rates, u_rates = [arm.rates(q, u)], [arm.accelerations(q, u)]
    for part in RK4.nodes[1:]:
        stage_q = _plus(q, part * dt, q_rates[-1])
        stage_u = _plus(u, part * dt, u_rates[-1])
        q_rates.append(arm.rates(stage_q, stage_u))
        u_rates.append(arm.accelerations(stage_q, stage_u))
    q_rate, u_rate = ([(a + 2.0 * (b + c) + d) / 6.0 for a, b, c, d in zip(*stages)]
                      for stages in (q_rates, u_rates))
    return arm.unit(_plus(q, dt, q_rate)), _plus(u, dt, u_rate), u_rates[0]


def midpoint(arm: _Driven, q: Scalars, u: Scalars, ud: Scalars, dt: AnyScalar) -> State:
    """Step by the implicit midpoint rule: the equations hold at the middle of the step."""
    half = 0.5 * dt

    def middle(ud: Scalars) -> tuple[Scalars, Scalars]:
        u_middle = _plus(u, half, ud)
        return arm.moved(q, u_middle, half), u_middle

    q_middle, u_middle = middle(ud)
    factors = arm.factors(q_middle, 1.0, half, half * half)
    for _ in range(PASSES):
        q_middle, u_middle = middle(ud)
        ud = _plus(ud, 1.0, factors.solve(arm.residual(q_middle, u_middle, ud)))
    q_middle, u_middle = middle(ud)
    return arm.moved(q, u_middle, dt, at=q_middle), _plus(u, dt, ud), ud


def generalized_alpha(arm: _Driven, q: Scalars, u: Scalars, ud: Scalars, dt: AnyScalar) -> State:
    """Step by the generalized-alpha method; ud is its auxiliary acceleration."""
    am, af, gamma, beta = GENERALIZED_ALPHA

    def mixed(old: Scalars, new: Scalars, weight: AnyScalar) -> Row:
        return _plus([(1.0 - weight) * a for a in old], weight, new)

    def pose(new: Scalars, part: AnyScalar) -> Scalars:
        """Return q after a part of the step, moving with its mean speed."""
        speed = _plus(u, 0.5 * dt, mixed(ud, new, 2.0 * beta))
        return arm.moved(q, speed, part * dt, at=arm.moved(q, speed, 0.5 * part * dt))

    def speed_after(new: Scalars) -> Row:
        return _plus(u, dt, mixed(ud, new, gamma))

    def between(new: Scalars) -> State:
        """Return q, u, ud where the equations hold."""
        return pose(new, 1.0 - af), mixed(u, speed_after(new), 1.0 - af), mixed(ud, new, 1.0 - am)

    new = ud
    factors = arm.factors(between(new)[0], *GENERALIZED_ALPHA.newton_weights(dt))
    for _ in range(PASSES):
        new = _plus(new, 1.0, factors.solve(arm.residual(*between(new))))
    return pose(new, 1.0), speed_after(new), new


METHODS: dict[str, Callable[[_Driven, Scalars, Scalars, Scalars, AnyScalar], State]] = {
    'semi_implicit': semi_implicit, 'rk4': rk4, 'midpoint': midpoint,
    'generalized_alpha': generalized_alpha}


def _plus(values: Scalars, step: AnyScalar, rates: Scalars) -> Row:
    """Return values + step * rates, entry by entry."""
    return [value + step * rate for value, rate in zip(values, rates)]


def floating_rotation(tree: Tree, q: Scalars) -> ScalarArray:
    """Return the rotation of a floating base in its parent."""
    rotation = JointPlacement(tree.bodies[0], q).turn
    assert rotation is not None
    return rotation


def quaternion_rates(x: AnyScalar, y: AnyScalar, z: AnyScalar, w: AnyScalar) -> list[Row]:
    """Return the rate of a quaternion (x y z w) for a unit spin about each axis of its body."""
    return [[0.5 * part for part in column]
            for column in ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))]
