# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction with offset, Stribeck speeds and load: formula, both directions, energy, refusals."""

from conftest import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd

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
        FULL.coulomb + FULL.load * abs(t) + (FULL.stiction - FULL.coulomb)
        / (1 + (v / FULL.stribeck_speed)**2)) * v / np.sqrt(v**2 + 1e-4)
    found = kd.Dynamics(robot, FULL).inverse_many(q, v, a)
    # |t| is rounded within 1e-6 N m of zero
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(t + FULL.torque(v, t), expected, rtol=1e-12)


@pytest.mark.parametrize('backend', ['llvm', 'python'])
def test_forward_takes_back_what_inverse_gave_with_load_dependent_friction(backend):
    dyn = kd.Dynamics(arm(), FULL, backend=backend)
    for q, v, a in zip(*states(20)):
        tau = dyn.inverse(q, v, a)
        # the rounding of |t| moves a by the load share of 1e-6 N m over the wrist's inertia
        np.testing.assert_allclose(dyn.forward(q, v, tau), a, rtol=1e-6, atol=1e-4)


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
    ({'stribeck_speed': 0.0}, 'positive'), ({'smoothing_speed': 0.0}, 'positive'),
    ({'stiction': [-1.0]}, 'not be negative'),
])
def test_impossible_figures_are_refused_by_name(change, words):
    with pytest.raises(kd.InputError, match=words) as caught:
        kd.Friction(**{'viscous': [1.0], 'coulomb': [1.0], **change})
    assert next(iter(change)) in str(caught.value)
