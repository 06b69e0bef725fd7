# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm behind the simulator node: its motion, contacts, energy, commands and sensors."""

from pathlib import Path

import numpy as np
import pytest
from simulated_arms import (
    double_pendulum, MujocoArm, pendulum, random_state, six_axis, slider)

import kane_dynamics as kd
from kane_dynamics.simulation.equations.contact import ContactEquation
from kane_dynamics.simulation.march import March
from kane_dynamics.simulation.plant.plant import Plant
from kane_dynamics.simulation.plant.robot_in_time import Simulation
from kane_dynamics.simulation.plant.sensor import Sensor
from kane_dynamics.simulation.rules.steppers import METHODS
from kane_dynamics.simulation.torque_law import constant_torque

ROOT = Path(__file__).resolve().parents[2]
G = 9.81
HOME = np.array([0.3, 0.6, -0.9, 0.4, 0.8, 0.1])


def run(plant, periods, torque=None):
    """Advance; return the joint positions and speeds after each period."""
    rows = []
    for k in range(periods):
        if torque is not None:
            plant.command(torque(k * plant.period))
        plant.advance()
        rows.append(np.concatenate([plant.joint_positions, plant.joint_velocities]))
    return np.split(np.array(rows), 2, axis=1)


def marched(robot, friction, stops, q0, periods, torque, dt=1e-3):
    """Return q, qd after each period and the contacts, by March alone under held torques."""
    tau = np.zeros(robot.nv)
    equation = ContactEquation(kd.Dynamics(robot), constant_torque(tau), stops, friction)
    stepper = METHODS['rk4'](equation=equation, step=dt)
    march = March(equation, stepper, 0.0, equation.state(q0, np.zeros(robot.nv)))
    rows = []
    for k in range(periods):
        tau[:] = torque(k * dt)
        march.start_from(k * dt, march.y.copy())
        march.advance((k + 1) * dt)
        rows.append(march.y[:2 * robot.nv].copy())
    return *np.split(np.array(rows), 2, axis=1), march.contacts


def shake(t):
    return np.array([9.0, 12.0, 8.0, 2.0, 1.2, 0.5]) * np.sin(6.0 * t + np.arange(6.0))


# -- motion -------------------------------------------------------------------------------------


def test_free_plant_moves_as_simulate_does():
    robot = six_axis()
    q0, qd0 = random_state(robot, np.random.default_rng(1))
    plant = Plant(robot, 1e-3, q0=q0, qd0=qd0)
    tau = np.array([3.0, -4.0, 2.0, 0.5, 0.2, 0.1])
    q, _ = run(plant, 300, lambda t: tau)
    found = kd.simulate(kd.Dynamics(robot), q0, qd0, tau, duration=0.3, dt=1e-3)
    assert abs(q - found.q[1:]).max() < 1e-11              # the same rule, rounded otherwise
    assert abs(plant.energy_drift()) < 1e-8


def test_plant_agrees_with_mujoco_over_two_seconds_under_the_same_efforts():
    robot = six_axis()
    dyn = kd.Dynamics(robot)
    mujoco = MujocoArm(robot, 1e-3)
    mujoco.set(HOME, np.zeros(6))
    plant = Plant(robot, 1e-3, q0=HOME)
    worst = 0.0
    for k in range(2000):
        # held near home by a weak spring and damper, so that the motion stays an arm's
        tau = (dyn.gravity(plant.q) + 0.3 * shake(k * 1e-3) + 20.0 * (HOME - plant.q)
               - np.array([8.0, 8.0, 4.0, 0.4, 0.2, 0.05]) * plant.qd)
        plant.command(tau)
        plant.advance()
        q, _ = mujoco.step(plant.tau)
        worst = max(worst, abs(q - plant.joint_positions).max())
    assert abs(plant.joint_velocities).max() > 0.05
    assert worst <= 1e-4                                    # the bar; measured below 1e-9


def test_viscous_friction_agrees_with_mujocos_damping():
    robot = six_axis()
    viscous = [joint.damping for joint in robot.independent_joints]
    mujoco = MujocoArm(robot, 1e-4, damping=True)
    # MuJoCo's dry friction is another model: only damping is compared
    mujoco.model.dof_frictionloss[:] = 0.0
    mujoco.set(HOME, np.zeros(6))
    plant = Plant(robot, 1e-3, friction=kd.Friction(viscous, np.zeros(6)), q0=HOME)
    for _ in range(300):
        plant.advance()
        q, _ = mujoco.step(np.zeros(6), 10)
    assert abs(q - plant.joint_positions).max() < 1e-6
    assert plant.account.friction_loss > 1.0
    assert abs(plant.energy_drift()) < 1e-5 * plant.account.friction_loss


@pytest.mark.parametrize('kind', ['dry', 'stribeck', 'stops', 'all'])
def test_contact_of_the_plant_is_that_of_simulate(kind):
    robot = six_axis()
    coulomb = np.array([1.0, 1.0, 0.7, 0.2, 0.15, 0.05])
    friction = {'dry': kd.Friction(np.ones(6) * 0.05, coulomb), 'stops': None}.get(
        kind, kd.Friction(np.ones(6) * 0.05, coulomb, 1.3 * coulomb))
    stops = None if kind in ('dry', 'stribeck') else kd.Stops(HOME - 0.15, HOME + 0.15, 0.4)
    plant = Plant(robot, 1e-3, friction=friction, stops=stops, q0=HOME)
    hold = plant.dynamics.gravity(HOME)

    def torque(t):
        return hold + 0.6 * shake(t)
    q, qd = run(plant, 400, torque)
    q_true, qd_true, contacts = marched(robot, friction, stops, HOME, 400, torque)
    # the same rule, compiled or not; the plant decides to break loose at the beginning of a step
    # only, and from impact to impact 1e-13 rad grow a thousandfold and more
    assert abs(q - q_true).max() < {'dry': 1e-9, 'stribeck': 1e-4}.get(kind, 1e-3)
    if kind == 'dry':
        assert np.array_equal(qd == 0.0, qd_true == 0.0)
        assert contacts == plant.contacts
    assert plant.contacts > 3 and plant.substeps == 1
    spent = plant.account.friction_loss + plant.account.impact_loss
    assert abs(plant.energy_drift()) < 1e-3 * spent


def test_step_with_a_held_joint_keeps_order_four():
    # joint two is held by friction while joint one swings: one constraint, no event
    robot = double_pendulum()
    friction = kd.Friction([0.0, 0.0], [0.0, 50.0])
    ends = []
    for substeps in (1, 2, 4):
        plant = Plant(robot, 1e-2, substeps=substeps, friction=friction, q0=[1.0, 0.5])
        run(plant, 50)
        assert plant.contacts == 0 and plant.joint_positions[1] == 0.5
        ends.append(plant.joint_positions[0])
    assert np.log2(abs((ends[0] - ends[1]) / (ends[1] - ends[2]))) == pytest.approx(4.0, abs=0.2)


# -- rest ---------------------------------------------------------------------------------------


def test_arm_below_breakaway_does_not_move_by_a_bit():
    robot = six_axis()
    hold = abs(kd.Dynamics(robot).gravity(HOME))
    plant = Plant(robot, 1e-3, q0=HOME,
                  friction=kd.Friction(np.ones(6), 0.9 * hold + 0.1, 1.001 * hold + 0.1))
    run(plant, 500)
    assert (plant.q == HOME).all() and (plant.qd == 0.0).all()
    assert plant.energy_drift() == 0.0


def test_joint_breaks_away_at_stiction_and_the_others_stay_exactly():
    robot = six_axis()
    hold = abs(kd.Dynamics(robot).gravity(HOME))
    plant = Plant(robot, 1e-3, q0=HOME, friction=kd.Friction(np.zeros(6), 2.0 * hold + 30.0))
    gravity = plant.dynamics.gravity(HOME)
    breakaway = plant.breakaway
    push = np.zeros(6)
    push[2] = gravity[2] + 0.999 * breakaway[2]
    run(plant, 50, lambda t: push)
    assert (plant.q == HOME).all()
    push[2] = gravity[2] + 1.001 * breakaway[2]
    run(plant, 50, lambda t: push)
    assert plant.joint_positions[2] > HOME[2]
    others = [0, 1, 3, 4, 5]
    assert (plant.joint_positions[others] == HOME[others]).all()
    M = plant.dynamics.mass_matrix(HOME)
    excess = 0.001 * breakaway[2] / M[2, 2]
    assert plant.joint_velocities[2] == pytest.approx(excess * 0.05, rel=1e-2)


def test_turning_joint_stops_dead_and_stays():
    plant = Plant(slider('1 0 0', -10.0, 10.0), 1e-3, friction=kd.Friction([0.0], [5.0]),
                  qd0=[1.0])
    q, qd = run(plant, 600)
    stop = int(np.ceil(2.0 / 5.0 / 1e-3))
    assert (qd[stop + 1:] == 0.0).all() and len(np.unique(q[stop + 1:])) == 1
    assert q[-1, 0] == pytest.approx(0.2, abs=1e-9)        # m v^2 / (2 F)
    assert plant.contacts == 1


# -- stops --------------------------------------------------------------------------------------


@pytest.mark.parametrize('restitution', [0.0, 0.5, 1.0])
def test_stops_never_give_energy_and_are_never_passed(restitution):
    robot = six_axis()
    rng = np.random.default_rng(5)
    q0, qd0 = random_state(robot, rng, speed=3.0)
    stops = kd.Stops(q0 - 0.1, q0 + 0.1, restitution)
    plant = Plant(robot, 1e-3, stops=stops, q0=q0, qd0=qd0)
    start = plant.dynamics.energy(q0, qd0).total
    lost, energies = [], []
    for _ in range(300):
        plant.advance()
        lost.append(plant.account.impact_loss)
        energies.append(plant.dynamics.energy(plant.q, plant.qd).total)
        assert (plant.joint_positions >= stops.lower).all()
        assert (plant.joint_positions <= stops.upper).all()
    assert plant.contacts > 10
    assert (np.diff(lost) >= -1e-12).all()
    # the wrist slams at 30 rad/s: what RK4 at 1 kHz makes of that, not of the stops
    assert max(energies) - start < 1e-3 * (1.0 + abs(start))
    assert plant.account.impact_loss > 0.5 or restitution == 1.0


def test_joint_pressed_into_its_stop_rests_on_it_and_leaves_when_pulled():
    plant = Plant(slider(), 1e-3, stops=kd.Stops([0.0], [1.0]), q0=[0.2])
    run(plant, 400)
    assert plant.joint_positions[0] == 0.0 and plant.joint_velocities[0] == 0.0
    run(plant, 10, lambda t: [2.0 * G - 0.01])
    assert plant.joint_positions[0] == 0.0
    run(plant, 100, lambda t: [2.0 * G + 2.0])
    assert plant.joint_positions[0] == pytest.approx(0.5 * 1.0 * 0.1**2, rel=1e-6)


def test_bouncing_ball_comes_to_rest():
    plant = Plant(slider(), 1e-3, stops=kd.Stops([0.0], [9.0], 0.5), q0=[0.3])
    q, qd = run(plant, 2000)
    assert (q >= 0.0).all() and q[-1, 0] == 0.0 and qd[-1, 0] == 0.0
    assert plant.account.impact_loss == pytest.approx(2.0 * G * 0.3, rel=1e-6)


def test_two_joints_jammed_between_stops_and_friction_do_not_hang_the_plant():
    robot = double_pendulum()
    q0 = np.array([0.3, -0.4])
    plant = Plant(robot, 1e-3, friction=kd.Friction([0.0, 0.0], [0.5, 0.5]),
                  stops=kd.Stops(q0 - 1e-4, q0 + 1e-4, 0.99, rest_speed=0.0), q0=q0,
                  qd0=[3.0, -5.0])
    before = plant.dynamics.energy(plant.q, plant.qd).kinetic
    run(plant, 100, lambda t: [3.0 * (-1.0)**int(t * 1e3), 0.0])
    assert (abs(plant.joint_positions - q0) <= 1e-4).all()
    assert plant.dynamics.energy(plant.q, plant.qd).kinetic < before + 1.0


# -- brake, wrench, limits ----------------------------------------------------------------------


def test_brake_stops_the_arm_and_takes_its_energy():
    robot = six_axis()
    q0, qd0 = random_state(robot, np.random.default_rng(2))
    plant = Plant(robot, 1e-3, q0=q0, qd0=qd0)
    kinetic = plant.dynamics.energy(q0, qd0).kinetic
    plant.braked = True
    run(plant, 20, lambda t: np.ones(6))
    assert (plant.q == q0).all() and (plant.qd == 0.0).all()
    assert plant.account.impact_loss == pytest.approx(kinetic, rel=1e-12)
    assert abs(plant.energy_drift()) < 1e-12
    plant.braked = False
    run(plant, 20)
    assert (plant.qd != 0.0).all()


def test_wrench_on_a_link_is_the_torque_of_its_jacobian():
    robot = six_axis()
    force, moment = np.array([3.0, -2.0, 5.0]), np.array([0.1, 0.2, -0.3])
    plant = Plant(robot, 1e-3, q0=HOME)
    plant.push('tool0', np.concatenate([force, moment]))
    other = Plant(robot, 1e-3, q0=HOME)
    R, _ = other.dynamics.frame_pose('tool0', HOME)
    J = other.dynamics.frame_jacobian('tool0', HOME)
    other.command(J.T @ np.concatenate([R @ force, R @ moment]))
    plant.advance()
    other.advance()
    assert plant.joint_velocities == pytest.approx(other.joint_velocities, rel=1e-6)
    run(plant, 100)
    assert abs(plant.energy_drift()) < 1e-5 * abs(plant.account.work)
    plant.push('tool0', None)
    assert not plant._pushes
    with pytest.raises(kd.InputError, match="wrench on 'hand': no such link; there are .*tool0"):
        plant.push('hand', np.zeros(6))
    plant.push('tool0', np.ones(6))
    with pytest.raises(kd.InputError, match='6 finite numbers'):
        plant.push('tool0', [np.nan] * 6)
    assert plant._pushes['tool0'].tolist() == [1.0] * 6         # what acts goes on


def test_commands_are_cut_to_the_effort_limits_and_counted():
    plant = Plant(double_pendulum(), 1e-3, effort_limits=[2.0, 1.0])
    plant.command([1.0, 1.0])
    plant.command([5.0, -3.0])
    assert plant.tau.tolist() == [2.0, -1.0] and plant.saturated == 1


def test_reset_and_repetition_give_the_same_bits():
    robot = six_axis()
    plant = Plant(robot, 1e-3, friction=kd.Friction.of(robot), stops=kd.Stops.of(robot, 0.3),
                  q0=HOME)
    rows = []
    for _ in range(2):
        plant.push('tool0', [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        rows.append(run(plant, 200, lambda t: 3.0 * shake(t)))
        drift = plant.energy_drift()
        plant.reset()
    again = Plant(robot, 1e-3, friction=kd.Friction.of(robot), stops=kd.Stops.of(robot, 0.3),
                  q0=HOME)
    again.push('tool0', [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    rows.append(run(again, 200, lambda t: 3.0 * shake(t)))
    for row in rows[1:]:
        assert np.array_equal(row[0], rows[0][0]) and np.array_equal(row[1], rows[0][1])
    assert again.energy_drift() == drift
    assert (plant.q == HOME).all() and plant.energy_drift() == 0.0


def test_stiff_damping_gets_enough_substeps_or_is_refused():
    robot = slider('1 0 0', -10.0, 10.0)
    plant = Plant(robot, 1e-3, friction=kd.Friction([1e4], [0.0]))   # decays at 5e3 1/s
    assert plant.substeps == 8
    run(plant, 500, lambda t: [100.0])
    assert plant.joint_velocities[0] == pytest.approx(0.01, rel=1e-6)
    with pytest.raises(kd.InputError, match='friction in the wrong unit'):
        Plant(robot, 1e-3, friction=kd.Friction([1e9], [0.0]))


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'period': 0.0}, 'period must be'), ({'method': 'euler'}, "'euler' is unknown"),
    ({'q0': [0.0]}, 'expected'), ({'effort_limits': [1.0]}, 'effort_limits must be 2'),
    ({'effort_limits': [1.0, -1.0]}, 'none negative'),
    ({'stops': kd.Stops([0.1, 0.1], [1.0, 1.0])}, "joint 'one' starts at 0, beyond its stops"),
    ({'friction': kd.Friction([0.0] * 2, [1.0] * 2, load=[0.1, 0.1])}, 'depends on the load'),
])
def test_an_impossible_plant_is_refused(arguments, words):
    with pytest.raises(kd.InputError, match=words):
        Plant(double_pendulum(), **{'period': 1e-3, **arguments})


# -- commands and sensors -----------------------------------------------------------------------


def simulation(reaction='brake', **kwargs):
    plant = Plant(pendulum(), 1e-3, q0=[0.5])
    return Simulation(plant, Sensor(1), reaction=reaction, **kwargs)


@pytest.mark.parametrize(('reaction', 'moves'), [('brake', False), ('zero', True),
                                                 ('last', True)])
def test_before_the_first_command_the_reaction_holds(reaction, moves):
    sim = simulation(reaction)
    for _ in range(10):
        sim.advance()
    assert (sim.plant.joint_velocities[0] != 0.0) == moves and not sim.driven
    sim.command([1.0])
    sim.advance()
    assert sim.driven and sim.plant.tau[0] == 1.0 and sim.plant.joint_velocities[0] != 0.0


@pytest.mark.parametrize(('reaction', 'torque'), [('brake', 0.0), ('zero', 0.0), ('last', 1.0)])
def test_commands_that_stay_away_bring_the_reaction_after_the_timeout(reaction, torque):
    sim = simulation(reaction, command_timeout=5)
    sim.command([1.0])
    for k in range(5):
        sim.advance()
        assert sim.driven and sim.plant.tau[0] == 1.0, k
    sim.advance()
    assert not sim.driven and sim.timeouts == 1 and sim.plant.tau[0] == torque
    assert (sim.plant.joint_velocities[0] == 0.0) == (reaction == 'brake')
    sim.command([2.0])
    sim.advance()
    assert sim.driven and sim.plant.tau[0] == 2.0


def test_commands_take_effect_at_their_period_in_any_order_and_late_ones_at_once():
    sim = simulation(command_delay=2)
    sim.command([3.0], period=3)
    sim.command([1.0], period=1)                            # sent later, due earlier
    given = []
    for k in range(8):
        if k == 6:
            sim.command([9.0], period=1)                    # its time is over
        sim.advance()
        given.append(sim.plant.tau[0])
    assert given == [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 9.0, 9.0]
    assert sim.late == 1


def test_bad_commands_are_refused_and_change_nothing():
    sim = simulation()
    for tau, words in (([1.0, 2.0], '1 torques'), ([np.nan], 'not finite')):
        with pytest.raises(kd.InputError, match=words):
            sim.command(tau)
    sim.advance()
    assert not sim.driven


def test_wrench_ends_after_its_time():
    sim = simulation('zero')
    sim.push('bob', [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], periods=3)
    active = []
    for _ in range(5):
        sim.advance()
        active.append(bool(sim.plant._pushes))
    assert active == [True, True, True, False, False]


def test_sensor_delays_adds_noise_of_the_asked_size_and_rounds():
    exact = Sensor(2).measure([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    assert exact.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    late = Sensor(1, delay=3)
    measured = [late.measure([float(k)], [0.0], [0.0])[0, 0] for k in range(6)]
    assert measured == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]
    coarse = Sensor(1, resolution={'position': 0.25})
    assert [coarse.measure([x], [x], [x])[0, 0] for x in (0.1, 0.13, -0.4, 1.0)] == [
        0.0, 0.25, -0.5, 1.0]
    assert coarse.measure([0.1], [0.1], [0.1])[1, 0] == 0.1
    noisy = Sensor(2, noise={'velocity': [0.1, 0.3]}, seed=4)
    rows = np.array([noisy.measure(np.zeros(2), np.zeros(2), np.zeros(2)).copy()
                     for _ in range(4000)])
    # the standard deviation of 4000 normal numbers is known to 1.1 %; five times that
    assert rows[:, 1].std(axis=0) == pytest.approx([0.1, 0.3], rel=0.06)
    assert not rows[:, [0, 2]].any()
    noisy.restart()
    again = noisy.measure(np.zeros(2), np.zeros(2), np.zeros(2))
    assert np.array_equal(again, rows[0])


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'noise': {'speed': 1.0}}, r"\['speed'\]; there are \['position'"),
    ({'noise': {'velocity': -1.0}}, 'not negative'), ({'delay': -1}, 'delay must not'),
    ({'resolution': {'position': [1.0, 2.0, 3.0]}}, 'one number or 2')])
def test_impossible_sensors_are_refused(arguments, words):
    with pytest.raises(kd.InputError, match=words):
        Sensor(2, **arguments)


def test_unknown_reaction_is_refused():
    with pytest.raises(kd.InputError, match="'float' is not one of"):
        simulation('float')


# -- elastic arms -------------------------------------------------------------------------------


def test_elastic_arm_is_stepped_by_the_midpoint_rule_and_keeps_its_books():
    robot = kd.load_urdf(ROOT / 'urdf' / 'flexible_single_link.urdf')
    plant = Plant(robot, 1e-3)
    assert plant.method == 'midpoint' and robot.n_modes > 0
    plant.command([0.2])
    for _ in range(300):
        plant.advance()
    found = kd.simulate(kd.Dynamics(robot), robot.neutral(), np.zeros(robot.nv),
                        np.r_[0.2, np.zeros(robot.n_modes)], duration=0.3, method='Radau',
                        rtol=1e-9, atol=1e-11)
    # second order at 1 ms: the joint is exact enough, modes faster than a kilohertz are not
    assert plant.joint_positions[0] == pytest.approx(found.q[-1, 0], abs=1e-4)
    assert abs(plant.energy_drift()) < 1e-3 * plant.account.work
    assert plant.account.friction_loss > 0.0               # the modes are damped
    position = plant.joint_positions[0]
    plant.braked = True
    modes = []
    for _ in range(20):
        plant.advance()
        modes.append(plant.q[1])
    # the joint stands exactly, the link rings on
    assert plant.joint_positions[0] == position and plant.joint_velocities[0] == 0.0
    assert np.ptp(modes) > 1e-6
    assert abs(plant.energy_drift()) < 1e-3 * plant.account.work
