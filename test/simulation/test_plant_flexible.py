# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible plant: stable steps, energy balance, rest."""

import functools

from flexible_arms import changed, load, SPRUNG, URDF
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.simulation.plant.plant import Plant
from kane_dynamics.simulation.step_limit import fastest_mode

POSE = np.array([0.2, 0.5, -0.9])
ARMS = {
    'modal': lambda: kd.load_urdf(URDF / 'flexible_3r.urdf'),
    'segments': lambda: changed('flexible_3r', ('<modes [^>]*/>', '<segments count="2"/>')),
    'flexible joint': lambda: load(SPRUNG)}


@functools.cache
def compiled(arm, method):
    """Return a Plant of one of ARMS, made once: compiling takes longer than all else."""
    return Plant(ARMS[arm](), 1e-3, method=method)


def sagging(arm='modal', method='midpoint'):
    """Return a Plant at its static sag, and the torques that hold it."""
    plant = compiled(arm, method)
    n = plant.robot.n_joints
    plant.start_from(kd.static_sag(plant.dynamics, POSE[:n]))
    return plant, plant.dynamics.gravity(plant.q)[:n]


@pytest.mark.parametrize('method', ['midpoint', 'generalized_alpha'])
def test_plant_moves_as_simulate_does(method):
    plant, hold = sagging(method=method)
    robot = plant.robot
    q0, tau = plant.q.copy(), np.zeros(robot.nv)
    tau[:3] = 1.3 * hold
    plant.command(tau[:3])
    rows = []
    for _ in range(200):
        plant.advance()
        rows.append(plant.q.copy())
    found = kd.simulate(plant.dynamics, q0, np.zeros(robot.nv), tau, duration=0.2, dt=1e-3,
                        method=method, progress=False)
    # three Newton passes against as many as it takes: 1e-11 rad and m measured
    np.testing.assert_allclose(np.array(rows), found.q[1:], rtol=0, atol=1e-10)
    assert np.ptp(found.q[:, 3:], axis=0).max() > 1e-3     # and the links really swing


@pytest.mark.parametrize(('method', 'fraction'), [('midpoint', 1e-5), ('generalized_alpha', 1e-3)])
def test_the_energy_balance_closes_while_damped_links_vibrate(method, fraction):
    # midpoint keeps energy to its step; generalized_alpha takes some out of fast modes and says so
    plant, hold = sagging(method=method)
    for k in range(1000):
        plant.command(hold * (1.0 + 0.2 * np.sin(0.02 * k)))
        plant.advance()
    turned = abs(plant.account.work) + plant.account.friction_loss
    print(f'{method}: drift {plant.energy_drift():.1e} J of {turned:.3g} J')
    assert plant.account.friction_loss > 1e-4              # what damps the links is booked
    assert abs(plant.energy_drift()) < fraction * turned


@pytest.mark.parametrize('arm', ARMS)
def test_arm_at_its_sag_stands_still_to_the_bit_while_it_is_braked(arm):
    plant, _ = sagging(arm)
    start = plant.q.copy()
    plant.braked = True
    for _ in range(100):
        plant.advance()
    assert np.array_equal(plant.q, start) and not plant.qd.any()
    assert plant.energy_drift() == 0.0


def test_braked_arm_swings_as_one_whose_joints_are_welded():
    welded = changed('flexible_3r', ('"revolute"', '"fixed"'))
    plant = compiled('modal', 'midpoint')
    plant.start_from(np.zeros(13))                         # straight: the links fall, and swing
    plant.braked = True
    rows = []
    for _ in range(200):
        plant.advance()
        rows.append(plant.q.copy())
    rows = np.array(rows)
    Q, _ = kd.Dynamics(welded).rollout(np.zeros(10), np.zeros(10), np.zeros(10), 1e-3, 200,
                                       'midpoint')
    # another model of the same thing: tip-loaded shapes are of the same loads; 1e-15 m is rounding
    np.testing.assert_allclose(rows[:, 3:], Q[-200:], rtol=0, atol=1e-12)
    assert not rows[:, :3].any() and np.ptp(rows[:, 5]) > 4e-3


def test_braked_arm_rings_and_its_books_close():
    plant, hold = sagging()
    plant.command(1.5 * hold)
    for _ in range(100):
        plant.advance()
    plant.braked = True
    plant.advance()
    joints, tips = plant.joint_positions.copy(), []
    for _ in range(200):
        plant.advance()
        tips.append(plant.q[5])
    assert np.array_equal(plant.joint_positions, joints)
    assert np.ptp(tips) > 1e-3
    # midpoint at 1 ms against modes of 550 Hz; of 7 J that were turned over
    assert abs(plant.energy_drift()) < 1e-3
    plant.reset()
    assert np.array_equal(plant.q, kd.static_sag(plant.dynamics, POSE)) and not plant.qd.any()


@pytest.mark.slow
def test_friction_holds_a_flexible_arm_exactly():
    robot = kd.load_urdf(URDF / 'flexible_six_axis.urdf')
    plant = Plant(robot, 1e-3, friction=kd.Friction.of(robot))
    plant.start_from(kd.static_sag(plant.dynamics, np.zeros(6)))
    start = plant.q.copy()
    plant.command(plant.dynamics.gravity(start)[:6] + 0.2)     # breakaway is 0.25 N m and more
    for _ in range(50):
        plant.advance()
    assert np.array_equal(plant.q, start)
    plant.push('tool0', [0.0, 0.0, -5.0, 0.0, 0.0, 0.0])       # the links give way, the joints not
    for _ in range(50):
        plant.advance()
    assert np.array_equal(plant.joint_positions, start[:6])
    assert abs(plant.q[6:] - start[6:]).max() > 1e-5


def test_explicit_steps_are_refused_above_their_limit_with_the_limit_and_the_way_out():
    robot = ARMS['modal']()
    with pytest.raises(kd.InputError, match=r'rk4: dt = 0.001 s .* Hz with free joints; at most '
                       r"\S+ s \(substeps=\d+ or more\), or method='midpoint' or 'gene"):
        Plant(robot, 1e-3, method='rk4')


def test_explicit_steps_are_refused_for_a_damper_that_is_too_strong_for_them():
    # 1 / inertia of the spring: 1 / 0.05 + 1 / 0.24; its mode 220 rad/s, its damper 7250 1/s
    robot = load(SPRUNG.replace('damping="0.5"', 'damping="300"'))
    with pytest.raises(kd.InputError,
                       match=r'the damping of the flexible parts of .* 1/s; at most'):
        Plant(robot, 1e-3, method='rk4')
    Plant(robot, 1e-3, method='rk4', substeps=4)
    assert Plant(load(SPRUNG), 1e-3, method='rk4').substeps == 1


def test_explicit_steps_below_their_limit_are_taken_and_agree():
    robot = changed('flexible_single_link')
    limit = 2.5 / fastest_mode(kd.Dynamics(robot), robot.neutral())
    ends = []
    for method, substeps in (('rk4', int(np.ceil(1e-2 / limit))), ('midpoint', 400)):
        plant = Plant(robot, 1e-2, method=method, substeps=substeps)
        plant.command([0.2])
        for _ in range(20):
            plant.advance()
        ends.append(plant.q.copy())
    # rk4 near its limit hardly resolves the third mode, which hardly moves
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=2e-5)
