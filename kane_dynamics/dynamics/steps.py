# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One step in time as a program: x = [q, u, ud] to the next x under a torque held over dt.

Explicit: `semi_implicit` (Euler, first order) and `rk4`. Implicit, for stiff modes and springs:
`midpoint` (second order, keeps energy) and `generalized_alpha` (quiets modes beyond the step rate;
Chung and Hulbert 1993, spectral radius 0.8). These take three passes of modified Newton,
with one factorization of M + dt/2 D + dt^2/4 K. Two would do for smooth motion; when modes ring
they lose energy that is not there to lose: three quarters in a minute, three passes two per cent,
which is what the rule itself does at such a step.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.equations import Place
from kane_dynamics.kane.scalar import sqrt

PASSES = 3
SPECTRAL_RADIUS = 0.8


def step_program(arm, name):
    """Return the program of one step; `name` is 'step_' and a method."""
    method = METHODS[name[len('step_'):]]
    nq, nv = arm.nq, arm.nv

    def function(reduced, _, gravity, x, tau, dt):
        driven = _Driven(arm, reduced, gravity, tau)
        return [value for part in method(driven, x[:nq], x[nq:nq + nv], x[nq + nv:], dt[0])
                for value in part]
    return arm.record(name, ('x', 'tau', 'dt'), function, (nq + 2 * nv,))


def held_step_program(arm, name):
    """Return the program of a midpoint step in which some speeds are held at zero.

    free (nv,) is 0 where that is so and 1 elsewhere: rows and columns of S are then those of 1.
    """
    nq, nv = arm.nq, arm.nv

    def function(reduced, _, gravity, x, tau, dt, free):
        held = _Held(arm, reduced, gravity, tau, free)
        ud = [share * value for share, value in zip(free, x[nq + nv:])]
        return [value for part in midpoint(held, x[:nq], x[nq:nq + nv], ud, dt[0])
                for value in part]
    return arm.record(name, ('x', 'tau', 'dt', 'free'), function, (nq + 2 * nv,))


class _Driven:
    """The arm under a given torque: what methods ask of it."""

    def __init__(self, arm, reduced, gravity, tau):
        self.arm, self.reduced, self.gravity, self.tau = arm, reduced, gravity, tau

    def accelerations(self, q, u):
        """Return ud."""
        return self.arm.accelerations(self.reduced, None, self.gravity, q, u, self.tau)

    def residual(self, q, u, ud):
        """Return what torque is left over."""
        needed = self.arm.torques(self.reduced, self.gravity, q, u, ud)
        return [given - need for given, need in zip(self.tau, needed)]

    def factors(self, q, by_mass, by_rate, by_place):
        """Return the factors of by_mass M + by_rate D + by_place K, springs in D and K."""
        S = [[by_mass * entry for entry in row] for row in self.arm.mass(self.reduced, q)]
        for spring in self.reduced.springs:
            k = spring.u_index
            S[k][k] = S[k][k] + by_rate * spring.damping + by_place * spring.stiffness
        return self.arm.factors(self.reduced, self.whole(S))

    def whole(self, S):
        """Return the matrix of all speeds."""
        return S

    def rates(self, q, u):
        """Return dq/dt: u, but for the position and quaternion of a floating base."""
        if not self.arm.robot.floating_base:
            return u
        velocity = Place(self.reduced.bodies[0], q).turn @ np.array(u[:3])
        turning = [sum(column[part] * speed for column, speed in
                       zip(quaternion_rates(*q[3:7]), u[3:6])) for part in range(4)]
        return [*velocity, *turning, *u[6:]]

    def unit(self, q):
        """Return q with the quaternion of a floating base at unit length again."""
        if not self.arm.robot.floating_base:
            return q
        length = sqrt(sum(part * part for part in q[3:7]))
        return [*q[:3], *(part / length for part in q[3:7]), *q[7:]]

    def moved(self, q, u, dt, at=None):
        """Return q after dt with the speeds u told at the pose `at` (q itself when left out)."""
        return self.unit(_plus(q, dt, self.rates(q if at is None else at, u)))


class _Held(_Driven):
    """The same with speeds that are held: no torque is left over there, whatever it takes."""

    def __init__(self, arm, reduced, gravity, tau, free):
        super().__init__(arm, reduced, gravity, tau)
        self.free = free

    def residual(self, q, u, ud):
        return [share * left for share, left in zip(self.free, super().residual(q, u, ud))]

    def whole(self, S):
        return [[a * b * entry + (1.0 - a if j == k else 0.0)
                 for k, (b, entry) in enumerate(zip(self.free, row))]
                for j, (a, row) in enumerate(zip(self.free, S))]


def semi_implicit(arm, q, u, ud, dt):
    """Step: u += dt ud(q, u), then q moves with the new u."""
    ud = arm.accelerations(q, u)
    u = _plus(u, dt, ud)
    return arm.moved(q, u, dt), u, ud


def rk4(arm, q, u, ud, dt):
    """Step by the classical Runge-Kutta method."""
    q_rates, u_rates = [arm.rates(q, u)], [arm.accelerations(q, u)]
    for part in (0.5, 0.5, 1.0):
        stage_q = _plus(q, part * dt, q_rates[-1])
        stage_u = _plus(u, part * dt, u_rates[-1])
        q_rates.append(arm.rates(stage_q, stage_u))
        u_rates.append(arm.accelerations(stage_q, stage_u))
    q_rate, u_rate = ([(a + 2.0 * (b + c) + d) / 6.0 for a, b, c, d in zip(*stages)]
                      for stages in (q_rates, u_rates))
    return arm.unit(_plus(q, dt, q_rate)), _plus(u, dt, u_rate), u_rates[0]


def midpoint(arm, q, u, ud, dt):
    """Step by the implicit midpoint rule: the equations hold at the middle of the step."""
    half = 0.5 * dt

    def middle(ud):
        u_middle = _plus(u, half, ud)
        return arm.moved(q, u_middle, half), u_middle

    q_middle, u_middle = middle(ud)
    factors = arm.factors(q_middle, 1.0, half, half * half)
    for _ in range(PASSES):
        q_middle, u_middle = middle(ud)
        ud = _plus(ud, 1.0, factors.solve(arm.residual(q_middle, u_middle, ud)))
    q_middle, u_middle = middle(ud)
    return arm.moved(q, u_middle, dt, at=q_middle), _plus(u, dt, ud), ud


def alpha_weights(r=SPECTRAL_RADIUS):
    """Return alpha_m, alpha_f, gamma, beta for a spectral radius (Chung and Hulbert 1993)."""
    am, af = (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
    gamma = 0.5 - am + af
    return am, af, gamma, 0.25 * (gamma + 0.5)**2


def generalized_alpha(arm, q, u, ud, dt):
    """Step by the generalized-alpha method; ud is its auxiliary acceleration."""
    am, af, gamma, beta = alpha_weights()

    def mixed(old, new, weight):
        return _plus([(1.0 - weight) * a for a in old], weight, new)

    def pose(new, part):
        """Return q after a part of the step, moving with its mean speed."""
        speed = _plus(u, 0.5 * dt, mixed(ud, new, 2.0 * beta))
        return arm.moved(q, speed, part * dt, at=arm.moved(q, speed, 0.5 * part * dt))

    def speed_after(new):
        return _plus(u, dt, mixed(ud, new, gamma))

    def between(new):
        """Return q, u, ud where the equations are asked to hold."""
        return pose(new, 1.0 - af), mixed(u, speed_after(new), 1.0 - af), mixed(ud, new, 1.0 - am)

    new = ud
    factors = arm.factors(between(new)[0], 1.0 - am, (1.0 - af) * gamma * dt,
                          (1.0 - af) * beta * dt * dt)
    for _ in range(PASSES):
        new = _plus(new, 1.0, factors.solve(arm.residual(*between(new))))
    return pose(new, 1.0), speed_after(new), new


METHODS = {'semi_implicit': semi_implicit, 'rk4': rk4, 'midpoint': midpoint,
           'generalized_alpha': generalized_alpha}


def _plus(values, step, rates):
    """Return values + step * rates, entry by entry."""
    return [value + step * rate for value, rate in zip(values, rates)]


def quaternion_rates(x, y, z, w):
    """Return the rate of a quaternion (x y z w) for a unit spin about each axis of its body."""
    return [[0.5 * part for part in column]
            for column in ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))]
