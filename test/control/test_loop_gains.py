# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stability of sampled joint feedback: against polynomials, SciPy and simulated arms."""

from pathlib import Path

import numpy as np
import pytest
from scipy.signal import cont2discrete
from simulated_arms import double_pendulum, six_axis

import kane_dynamics as kd
from kane_dynamics.control.arm_loop import arm_loop, configurations
from kane_dynamics.control.loop_gains import GAIN_MARGIN, SampledLoop, STEP
from kane_dynamics.exceptions import InputError
from kane_dynamics.simulation.plant.plant import Plant
from kane_dynamics.simulation.plant.robot_in_time import Simulation
from kane_dynamics.simulation.plant.sensor import Sensor

URDF = Path(__file__).resolve().parents[2] / 'urdf'
UNSTABLE = ([300.0, 300.0, 200.0, 60.0, 60.0, 30.0], [30.0, 30.0, 20.0, 6.0, 6.0, 3.0])


def test_eigenvalues_of_one_mass_are_the_roots_of_its_characteristic_polynomial():
    # sampled double integrator under u = -p x - d x' - i z, P = p T^2/m, D = d T/m, J = i T^3/m:
    # z^delay (z - 1)^3 + (z - 1) (P (z + 1)/2 + D (z - 1)) + J (z + 1)/2 = 0
    rng = np.random.default_rng(1)
    for _ in range(50):
        m, T = rng.uniform(0.1, 10.0), rng.uniform(1e-4, 1e-1)
        P, D, J = rng.uniform(0.0, [0.2, 2.2, 0.01])
        for delay in (0, 1, 3):
            loop = SampledLoop([[[m]]], 1.0 / T, delay=delay)
            z, one = np.poly1d([1.0, 0.0]), np.poly1d([1.0, -1.0])
            held = 0.5 * np.poly1d([1.0, 1.0])
            polynomial = z**delay * one**3 + one * (P * held + D * one) + J * held
            radius = loop.radii(P * m / T**2, D * m / T, J * m / T**3)
            assert radius == pytest.approx(abs(polynomial.roots).max(), rel=1e-9)


def test_one_mass_without_delay_is_stable_between_half_a_period_of_p_and_twice_its_inertia():
    # Jury: p T/2 < d < 2 m/T
    m, rate, p = 0.3, 400.0, 80.0
    loop = SampledLoop([[[m]]], rate, delay=0)
    low, high = 0.5 * p / rate, 2.0 * m * rate
    for d in (1.01 * low, 0.99 * high):
        assert loop.stability(p, d).stable
    for d in (0.99 * low, 1.01 * high):
        assert not loop.stability(p, d).stable


def test_damping_ratio_of_slow_gains_is_that_of_the_continuous_oscillator():
    m, p, d = 2.0, 50.0, 3.0
    found = SampledLoop([[[m]]], 1e4, damping=0.5, delay=0).stability(p, d)
    assert found.damping == pytest.approx((d + 0.5) / (2 * np.sqrt(p * m)), rel=2e-3)


def test_open_loop_is_the_zero_order_hold_of_scipy():
    rng = np.random.default_rng(2)
    for _ in range(10):
        T, root = 2e-3, rng.normal(size=(5, 5))
        M = root @ root.T + 0.1 * np.eye(5)
        D, K = rng.uniform(0.0, [[100.0], [1e7]], (2, 5))       # up to 35 rad in a period
        loop = SampledLoop([M], 1.0 / T, 3, D, K)
        inverse = np.linalg.inv(M)
        A = np.block([[np.zeros((5, 5)), np.eye(5)], [-inverse * K, -inverse * D]])
        B = np.vstack([np.zeros((5, 3)), inverse[:, :3]])
        phi, gamma, *_ = cont2discrete((A, B, np.eye(10), np.zeros((10, 3))), T)
        scale = np.repeat([1.0, T], 5)                          # the state has T x' for x'
        closed = loop.matrices(0.0, 0.0)[0]
        np.testing.assert_allclose(closed[:10, :10], scale[:, None] * phi / scale, 0, 1e-9)
        np.testing.assert_allclose(closed[:10, 10:], scale[:, None] * gamma, 0, 1e-12)


def grown(robot, q0, rate, p, d, delay, periods, **plant):
    """Return by which factor per period the speed after a small displacement grows at last."""
    n = robot.n_joints
    start = np.array(q0, dtype=float)
    start[:n] += 1e-11 * np.arange(1, n + 1)
    simulation = Simulation(Plant(robot, 1.0 / rate, q0=start, **plant), Sensor(n),
                            command_delay=delay)
    sizes = []
    for _ in range(periods):
        q, qd, _ = simulation.measured
        simulation.command(p * (q0[:n] - q) - d * qd)
        simulation.advance()
        sizes.append(np.linalg.norm(simulation.measured[1]))
    return (max(sizes[-50:]) / max(sizes[-150:-100])) ** 0.01


@pytest.mark.parametrize('delay, wrist', [(0, 0.074), (1, 0.06)])
def test_displacements_of_a_simulated_arm_grow_by_the_spectral_radius(delay, wrist):
    robot = six_axis().with_gravity((0.0, 0.0, 0.0))
    friction = kd.Friction(kd.Friction.of(robot).viscous, np.zeros(6))
    q0 = np.array([0.3, -0.8, 1.2, 0.4, 0.6, -0.2])
    p, d = np.array(UNSTABLE) * [1.0, 1.0, 1.0, wrist, wrist, wrist]
    loop = SampledLoop([kd.Dynamics(robot).mass_matrix(q0)], 500.0, damping=friction.viscous,
                       delay=delay)
    radius = loop.radii(p, d)[0]
    assert 1.005 < radius < 1.2
    growth = grown(robot, q0, 500.0, p, d, delay, 240, friction=friction, substeps=20)
    assert growth == pytest.approx(radius, rel=2e-3)


def test_displacements_of_a_simulated_flexible_arm_grow_by_the_spectral_radius():
    robot = kd.load_urdf(URDF / 'flexible_single_link.urdf').with_gravity((0.0, 0.0, 0.0))
    q0, rate, p, d = np.zeros(robot.nq), 200.0, 400.0, 20.0
    assert arm_loop(kd.Dynamics(robot.rigid()), rate, q=[q0[:1]]).radii(p, d)[0] < 0.9
    radius = arm_loop(kd.Dynamics(robot), rate, q=[q0]).radii(p, d)[0]
    assert 1.05 < radius < 1.1
    growth = grown(robot, q0, rate, p, d, 1, 300, substeps=100)
    assert growth == pytest.approx(radius, rel=1e-3)


def test_inverse_dynamics_without_friction_is_one_mass_at_every_configuration():
    dynamics = kd.Dynamics(double_pendulum())
    loop = arm_loop(dynamics, 250.0, law='inverse_dynamics')
    alone = SampledLoop([[[1.0]]], 250.0)
    np.testing.assert_allclose(loop.radii(400.0, 40.0), alone.radii(400.0, 40.0)[0], 1e-9)
    assert np.ptp(arm_loop(dynamics, 250.0).radii(4.0, 0.4)) > 1e-3


def test_inverse_dynamics_of_a_flexible_arm_is_that_of_one_mass_too():
    robot = kd.load_urdf(URDF / 'flexible_3r.urdf')
    loop = arm_loop(kd.Dynamics(robot, backend='python'), 500.0, viscous=np.zeros(3),
                    law='inverse_dynamics', q=configurations(robot, 5))
    alone = SampledLoop([[[1.0]]], 500.0)
    np.testing.assert_allclose(loop.radii(900.0, 60.0), alone.radii(900.0, 60.0)[0], 1e-9)


def test_the_mass_matrices_are_those_of_the_arm_with_locked_joints_and_rotors():
    robot = six_axis()
    dynamics, armature = kd.Dynamics(robot), np.array([0.1, 0.2, 0.3, 0.4])
    active, locked = robot.joint_names[1:5], {'joint_1': 0.5, 'joint_6': -0.7}
    q = configurations(robot, 5)
    loop = arm_loop(dynamics, 500.0, active=active, locked=locked, armature=armature, q=q)
    q[:, [0, 5]] = 0.5, -0.7
    M = np.array([dynamics.mass_matrix(each)[1:5, 1:5] + np.diag(armature) for each in q])
    expected = SampledLoop(M, 500.0, damping=kd.Friction.of(robot).viscous[1:5])
    np.testing.assert_allclose(loop.matrices(10.0, 1.0), expected.matrices(10.0, 1.0), 1e-9, 1e-9)


def test_configurations_fill_the_joint_limits_and_repeat():
    robot, limits = six_axis(), six_axis().limits
    q = configurations(robot, 400)
    assert (q >= limits.lower).all() and (q <= limits.upper).all()
    assert (np.ptp(q, axis=0) > 0.95 * (limits.upper - limits.lower)).all()
    np.testing.assert_array_equal(q, configurations(robot, 400))
    endless = kd.load_urdf(six_axis().to_urdf().replace('"revolute"', '"continuous"'))
    assert 3.1 < abs(configurations(endless, 400)).max() <= np.pi


def test_the_joint_that_drives_the_instability_is_named_with_its_radius():
    names = six_axis().joint_names
    loop = arm_loop(kd.Dynamics(six_axis()), 500.0)
    level, text = loop.judge(names, *UNSTABLE)
    found = loop.stability(*UNSTABLE)
    assert found.radius > 4.0 and names[found.radius_joint] == 'joint_6'
    assert level == 'error'
    assert f"joint 'joint_6' has a spectral radius of {found.radius:.4g} at 500 Hz" in text
    # one joint too stiff, the others weak: that one is named
    for j in range(6):
        d = np.array([1.0, 2.0, 0.5, 0.02, 0.02, 0.001])
        d[j] *= 2000.0
        assert loop.stability(d, d).radius_joint == j


def test_safe_factors_are_the_largest_in_their_steps():
    loop = arm_loop(kd.Dynamics(six_axis()), 500.0)
    p, d = np.array(UNSTABLE)
    factors = loop.safe_factors(p, d)
    assert loop.stability(GAIN_MARGIN * factors * p, GAIN_MARGIN * factors * d).stable
    lowered = np.flatnonzero(factors < 1.0)
    assert set(lowered) >= {3, 4, 5}
    for j in lowered[-3:]:
        more = factors.copy()
        more[j] /= STEP
        assert not loop.stability(GAIN_MARGIN * more * p, GAIN_MARGIN * more * d).stable
    np.testing.assert_array_equal(loop.safe_factors(0.01 * p, 0.01 * d), np.ones(6))


def test_judge_tells_gains_that_are_unstable_poorly_damped_and_good():
    loop, names = SampledLoop([[[1.0]]], 500.0), ['slide']
    level, text = loop.judge(names, 400.0, 0.0)
    # the delay of a period and a half of the torque takes away 1.5 T p = 1.2
    assert level == 'error' and text.endswith("Safe: 'slide' gains.d above 1.2")
    assert loop.judge(names, 400.0, 0.9 * 1.2)[0] == 'error'
    level, text = loop.judge(names, 400.0, 1.2 + 0.05 * 2 * 20.0)
    assert level == 'warning' and "joint 'slide' has a damping ratio of 0.05" in text
    assert loop.judge(names, 400.0, 40.0) == ('', '')
    assert loop.judge(names, 0.0, 0.0) == ('', '')


def test_a_joint_that_moves_no_inertia_is_named():
    text = six_axis().to_urdf()
    flange = text[text.index('<link name="flange">'):]
    inertial = flange[flange.index('<inertial>'):flange.index('</inertial>') + len('</inertial>')]
    with pytest.warns(kd.KaneDynamicsWarning, match='flange'):
        dynamics = kd.Dynamics(kd.load_urdf(text.replace(inertial, ''), unphysical='warn'))
    with pytest.raises(InputError, match=r"joints \['joint_6'\] move no inertia"):
        arm_loop(dynamics, 500.0)
    assert arm_loop(dynamics, 500.0, armature=0.1).stability(1.0, 1.0).stable


@pytest.mark.parametrize('gain', [1e154, 1e308])
def test_absurd_gains_are_unstable_and_no_error(gain):
    loop = arm_loop(kd.Dynamics(double_pendulum()), 500.0)
    for p, d in ((gain, 0.0), (0.0, gain), (gain, gain)):
        assert loop.judge(['one', 'two'], p, d)[0] == 'error'


@pytest.mark.parametrize('arguments, words', [
    ({'law': 'pid'}, "law 'pid' is not one of"), ({'rate': 0.0}, 'rate must be a positive'),
    ({'rate': np.inf}, 'rate must be'), ({'delay': 0.5}, 'whole number of periods, got 0.5'),
    ({'delay': -1}, 'whole number')])
def test_a_loop_that_cannot_be_is_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        SampledLoop(**{'mass': [[[1.0]]], 'rate': 500.0, **arguments})
