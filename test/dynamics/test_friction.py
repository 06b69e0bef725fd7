# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction with offset, Stribeck speeds and load: formula, both directions, energy, refusals."""

from example_robots import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.dynamics.friction import friction_torque

RNG = np.random.default_rng(5)
N = 6
FULL = kd.Friction(viscous=np.linspace(0.5, 2.0, N), coulomb=np.linspace(1.0, 4.0, N),
                   stiction=np.linspace(1.5, 6.0, N), stribeck_speed=np.linspace(0.05, 0.3, N),
                   smoothing_speed=0.01, offset=np.linspace(-1.0, 1.0, N),
                   load=np.linspace(0.0, 0.2, N))


def arm():
    return kd.load_urdf(example_urdf('ur5_robot.urdf'))


def states(count=50):
    return (RNG.uniform(-3, 3, (count, N)), RNG.uniform(-2, 2, (count, N)),
            RNG.uniform(-5, 5, (count, N)))


def test_inverse_adds_the_friction_of_its_formula_under_the_load_of_arm_and_rotor():
    robot = arm()
    q, v, a = states()
    t = kd.Dynamics(robot).inverse_many(q, v, a)
    expected = t + FULL.offset + FULL.viscous * v + (
        FULL.coulomb + FULL.load * np.hypot(t, 1e-6) + (FULL.stiction - FULL.coulomb)
        / (1 + (v / FULL.stribeck_speed)**2)) * v / np.sqrt(v**2 + 1e-4)
    found = kd.Dynamics(robot, FULL).inverse_many(q, v, a)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(t + FULL.torque(v, t), expected, rtol=1e-12)


def test_the_law_is_one_on_floats_arrays_and_recording_scalars():
    v, t = RNG.uniform(-2, 2, N), RNG.uniform(-50, 50, N)
    t[:2] = 0.0, 1e-7
    joints = [FULL.joint_parameters(k) for k in range(N)]
    on_arrays = FULL.torque(v, t)
    on_floats = [friction_torque(v[k], t[k], joints[k]) for k in range(N)]
    np.testing.assert_allclose(on_floats, on_arrays, rtol=1e-15)
    recorded = record('law', (Input('v', N), Input('t', N)), lambda v, t: [
        friction_torque(v[k], t[k], joints[k]) for k in range(N)], (N,))
    out = np.zeros(N)
    PythonKernel(recorded).fill([v, t], out)
    np.testing.assert_allclose(out, on_arrays, rtol=1e-14)


def test_the_load_under_a_motor_torque_solves_the_law_exactly_near_zero_load():
    for t in (0.0, 1e-9, -1e-7, 1e-6, -3e-6, 1e-3, -40.0):
        load = np.full(N, t)
        v = np.linspace(-2.0, 2.0, N)
        tau = load + FULL.torque(v, load)
        np.testing.assert_allclose(tau - FULL.torque_under(tau, v), load, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize('backend', ['llvm', 'python'])
def test_forward_takes_back_what_inverse_gave_with_load_dependent_friction(backend):
    dyn = kd.Dynamics(arm(), FULL, backend=backend)
    for q, v, a in zip(*states(20)):
        tau = dyn.inverse(q, v, a)
        np.testing.assert_allclose(dyn.forward(q, v, tau), a, rtol=1e-9, atol=1e-9)


def test_forward_takes_back_what_inverse_gave_where_the_load_is_zero():
    robot = arm()
    dyn, ideal = kd.Dynamics(robot, FULL), kd.Dynamics(robot)
    for q, v, _ in zip(*states(20)):
        for load in (0.0, 1e-7, -1e-6):
            a = ideal.forward(q, v, np.full(N, load))
            tau = dyn.inverse(q, v, a)
            np.testing.assert_allclose(dyn.forward(q, v, tau), a, rtol=1e-9, atol=1e-9)


def central(function, x, step):
    """Return the differences (n, n) of a function of x (n,), a column per entry."""
    columns = []
    for k in range(len(x)):
        shift = np.zeros(len(x))
        shift[k] = step
        columns.append((function(x + shift) - function(x - shift)) / (2.0 * step))
    return np.array(columns).T


def test_derivatives_with_load_dependent_friction_are_the_differences_of_the_functions():
    dyn = kd.Dynamics(arm(), FULL)
    for q, v, a in zip(*states(10)):
        tau = dyn.inverse(q, v, a)
        for call, last in ((dyn.inverse, a), (dyn.forward, tau)):
            found = (dyn.inverse_derivatives(q, v, a) if last is a
                     else dyn.forward_derivatives(q, v, tau))
            expected = (central(lambda x: call(x, v, last), q, 1e-6),
                        central(lambda x: call(q, x, last), v, 1e-6),
                        central(lambda x: call(q, v, x), last, 1e-5))
            for got, want in zip(found, expected):
                np.testing.assert_allclose(got, want, rtol=0, atol=2e-6 * abs(want).max())


def test_a_linear_model_with_load_dependent_friction_has_the_derivatives_of_forward():
    dyn = kd.Dynamics(arm(), FULL)
    q, v, a = (values[0] for values in states(1))
    tau = dyn.inverse(q, v, a)
    by_q, by_qd, by_tau = dyn.forward_derivatives(q, v, tau)
    A, B = kd.linearize(dyn, q, v, tau)[:2]
    for got, want in ((A[N:, :N], by_q), (A[N:, N:], by_qd), (B[N:], by_tau)):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * abs(want).max())


def test_external_wrenches_load_the_gears():
    robot = arm()
    dyn, ideal = kd.Dynamics(robot, FULL), kd.Dynamics(robot)
    wrench = {robot.tip(): np.array([30.0, -20.0, 50.0, 1.0, 2.0, -3.0])}
    for q, v, a in zip(*states(10)):
        load = ideal.inverse(q, v, a, wrenches=wrench)
        tau = dyn.inverse(q, v, a, wrenches=wrench)
        np.testing.assert_allclose(tau, load + FULL.torque(v, load), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dyn.forward(q, v, tau, wrenches=wrench), a, rtol=1e-8,
                                   atol=1e-8)


def test_constraint_forces_load_the_gears():
    robot = arm()
    dyn, ideal = kd.Dynamics(robot, FULL), kd.Dynamics(robot)
    for q, v, a in zip(*states(5)):
        p = ideal.frame_pose(robot.tip(), q)[1]
        floor = kd.PointOnSurfaces(robot.tip(), kd.Plane(p, (0.0, 0.0, 1.0)))
        force = np.array([80.0])
        load = kd.ConstrainedDynamics(ideal, [floor]).inverse(q, v, a, force)
        held = kd.ConstrainedDynamics(dyn, [floor])
        expected = load + FULL.torque(v, load)
        np.testing.assert_allclose(held.inverse(q, v, a, force), expected, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(
            held.inverse_many(q[None], v[None], a[None], force[None])[0], expected, rtol=1e-10,
            atol=1e-10)
        with pytest.raises(kd.InputError, match='closed loops: friction that depends on the load'):
            held.drives(q, v, a, passive=[robot.joint_names[0]])


def test_a_midpoint_step_with_load_dependent_friction_keeps_the_equations_at_its_middle():
    dyn = kd.Dynamics(arm(), kd.Friction(np.zeros(N), np.zeros(N), smoothing_speed=0.5,
                                         load=np.full(N, 0.5)))
    tau, dt = np.array([30.0, -40.0, 20.0, 2.0, -2.0, 0.5]), 1e-3
    Q, V = dyn.rollout(np.full(N, 0.3), np.full(N, 1.5), tau, dt, 1, 'midpoint')
    middle = 0.5 * (V[0] + V[1])
    needed = dyn.inverse(Q[0] + 0.5 * dt * middle, middle, (V[1] - V[0]) / dt)
    np.testing.assert_allclose(needed, tau, rtol=0, atol=1e-7)


def test_stops_with_load_dependent_friction_are_refused():
    dyn = kd.Dynamics(arm(), kd.Friction(np.zeros(N), np.zeros(N), load=np.full(N, 0.1)))
    with pytest.raises(kd.InputError, match='friction that depends on the load is not computed'):
        kd.simulate(dyn, np.zeros(N), np.zeros(N), duration=0.1, dt=1e-3,
                    stops=kd.Stops([-1.0] * N, [1.0] * N))


def test_friction_under_a_motor_torque_is_the_part_that_does_not_reach_the_arm():
    for _ in range(20):
        load, v = RNG.uniform(-50, 50, N), RNG.uniform(-2, 2, N)
        friction = FULL.torque(v, load)
        np.testing.assert_allclose(FULL.torque_under(load + friction, v), friction, rtol=1e-7)


def test_energy_of_a_simulation_with_load_dependent_friction_is_accounted_for():
    robot = arm()
    dyn = kd.Dynamics(robot, kd.Friction(
        np.full(N, 0.5), np.ones(N), smoothing_speed=0.5, offset=np.full(N, 0.2),
        load=np.full(N, 0.1)))
    found = kd.simulate(dyn, np.full(N, 0.3), np.zeros(N), duration=0.5, dt=1e-3, method='rk4')
    start, end = (dyn.energy(found.q[k], found.qd[k]).total for k in (0, -1))
    lost = found.friction_loss[-1] - found.work[-1]
    assert lost > 1.0 and end - start == pytest.approx(-lost, rel=1e-4)


def test_dry_friction_with_an_offset_is_refused_rather_than_left_out():
    dyn = kd.Dynamics(arm(), FULL)
    with pytest.raises(kd.InputError, match="use friction='smooth'"):
        kd.simulate(dyn, np.zeros(N), np.zeros(N), duration=0.1, dt=1e-3, friction='dry')


@pytest.mark.parametrize(('change', 'words'), [
    ({'load': [1.0]}, 'below 1'), ({'load': [-0.1]}, 'not be negative'),
    ({'offset': [np.nan]}, 'finite'), ({'offset': [0.0, 1.0]}, 'for each joint'),
    ({'stribeck_speed': 0.0}, 'positive'),
    ({'stribeck_speed': [0.1, 0.2]}, 'for each joint'), ({'smoothing_speed': 0.0}, 'positive'),
    ({'stiction': [-1.0]}, 'not be negative'),
])
def test_impossible_parameters_are_refused_by_name(change, words):
    with pytest.raises(kd.InputError, match=words) as caught:
        kd.Friction(**{'viscous': [1.0], 'coulomb': [1.0], **change})
    assert next(iter(change)) in str(caught.value)
