# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torques that the feedforward node publishes are those of Pinocchio, mode by mode.

Over real DDS; the arm is the UR5 of example-robot-data. Pinocchio reads the same file, references
are polynomials written out. The test holds the time.
"""

from example_robots import example_urdf
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')
pin = pytest.importorskip('pinocchio', reason='Pinocchio, the oracle, is not installed')

from ros_graph import FeedforwardRig, wait  # noqa: E402

from kane_dynamics.nodes.messages.conversions import nanoseconds, trajectory_message  # noqa: E402

pytestmark = pytest.mark.ros

URDF = example_urdf('ur5_robot.urdf')
MODEL = pin.buildModelFromUrdf(str(URDF))
JOINTS = tuple(MODEL.names)[1:]
ORDER = (JOINTS[3], JOINTS[0], *JOINTS[4:], JOINTS[1], JOINTS[2])   # of an effort controller
START = np.array([0.1, -1.0, 1.2, -0.3, 0.8, 0.4])
MOVE = np.array([0.5, 0.4, -0.6, 0.7, -0.5, 0.9])
P, D = np.array([80.0, 90.0, 70.0, 20.0, 15.0, 10.0]), np.array([8.0, 9.0, 7.0, 2.0, 1.5, 1.0])
ROUNDING = 1e-9     # two recursions of 6 joints on torques up to 100 N m


def torque(q, qd, qdd, model=MODEL):
    return pin.rnea(model, model.createData(), q, qd, qdd)


def in_order(values):
    """Return values of JOINTS in the order of the parameters' lists."""
    return [float(values[JOINTS.index(name)]) for name in ORDER]


def quintic(s, duration):
    """Return position, velocity, acceleration of the quintic from rest at 0 to rest at 1."""
    return (10 * s**3 - 15 * s**4 + 6 * s**5, (30 * s**2 - 60 * s**3 + 30 * s**4) / duration,
            (60 * s - 180 * s**2 + 120 * s**3) / duration**2)


@pytest.fixture(scope='module')
def shared():
    parameters = {
        'robot_description_file': str(URDF), 'ramp_time': 0.0, 'trigger': 'joint_states',
        'joints': list(ORDER), 'state_timeout': 5.0, 'clock_jump_threshold': 10.0,
        'diagnostic_updater.period': 0.05, 'transition_time': 0.4, 'effort_tolerance': 0.05,
        'gains.p': in_order(P), 'gains.d': in_order(D), 'limits.effort': [1000.0],
        'model_check.samples': 5}
    with FeedforwardRig(JOINTS, parameters) as rig:
        yield rig


@pytest.fixture
def rig(shared):
    for result in shared.peer.set_parameters(
            shared.node, mode='feedforward', feedback='pd', payload__mass=0.0,
            gravity=[0.0, 0.0, -9.81], friction__viscous=[0.0], friction__coulomb=[0.0],
            armature=[0.0], robot_compensates_gravity=False, feedforward_scale=1.0):
        assert result.successful, result.reason
    shared.run(2.0, START, dt=0.1)      # transitions end
    shared.enable(False)
    assert shared.enable(True).success
    return shared


def torques(rig, q, qd, dt):
    """Step and return the torques in the order of JOINTS, after comparing both topics."""
    effort = rig.step(q, qd, dt)
    message = next(each for each in reversed(rig.efforts)
                   if nanoseconds(each.header.stamp) == rig.t)
    assert tuple(message.name) == ORDER
    wait(lambda: len(rig.commands) >= len(rig.efforts), 'the command')
    assert np.array_equal(rig.commands[-1].data, effort)
    return np.array([effort[ORDER.index(name)] for name in JOINTS])


def follow(rig, duration=2.0):
    """Send the quintic from START by MOVE; return the time [ns] at which it starts."""
    stamp = rig.t + 100_000_000
    count = len(rig.filled)
    rig.send(trajectory_message(
        JOINTS, [0.0, duration], [START, START + MOVE], np.zeros((2, 6)), np.zeros((2, 6)),
        stamp=stamp))
    wait(lambda: len(rig.filled) > count, 'the trajectory with effort', lambda: rig.process.log)
    return stamp


def test_feedforward_is_the_inverse_dynamics_of_the_reference(rig):
    start = follow(rig)
    rng = np.random.default_rng(3)
    for _ in range(20):
        tau = torques(rig, rng.normal(size=6), rng.normal(size=6), 0.1)  # no state enters
        s = min(max((rig.t - start) * 1e-9 / 2.0, 0.0), 1.0)
        p, v, a = quintic(s, 2.0)
        expected = torque(START + p * MOVE, v * MOVE, a * MOVE)
        assert np.allclose(tau, expected, atol=ROUNDING)


def test_pd_feedback_is_added_to_it(rig):
    assert rig.peer.set_parameters(rig.node, mode='computed_torque')[0].successful
    start = follow(rig)
    rng = np.random.default_rng(4)
    for _ in range(10):
        q, qd = START + 0.1 * rng.normal(size=6), rng.normal(size=6)
        tau = torques(rig, q, qd, 0.15)
        p, v, a = quintic(min(max((rig.t - start) * 1e-9 / 2.0, 0.0), 1.0), 2.0)
        r_q, r_qd = START + p * MOVE, v * MOVE
        expected = torque(r_q, r_qd, a * MOVE) + P * (r_q - q) + D * (r_qd - qd)
        assert np.allclose(tau, expected, atol=ROUNDING)


def test_without_feedforward_feedback_is_left_alone(rig):
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, mode='computed_torque', feedforward_scale=0.0))
    rig.step(START)
    tau = torques(rig, START + 0.01, np.full(6, 0.1), 0.1)
    assert np.allclose(tau, -0.01 * P - 0.1 * D, atol=ROUNDING)


def test_inverse_dynamics_feedback_linearizes_the_arm(rig):
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, feedback='inverse_dynamics', mode='computed_torque'))
    start = follow(rig)
    rng = np.random.default_rng(5)
    data = MODEL.createData()
    for _ in range(10):
        q, qd = START + 0.1 * rng.normal(size=6), rng.normal(size=6)
        tau = torques(rig, q, qd, 0.15)
        p, v, a = quintic(min(max((rig.t - start) * 1e-9 / 2.0, 0.0), 1.0), 2.0)
        # forward dynamics of the torque is the acceleration that the gains ask for
        qdd = pin.aba(MODEL, data, q, qd, tau)
        wanted = a * MOVE + P * (START + p * MOVE - q) + D * (v * MOVE - qd)
        assert np.allclose(qdd, wanted, atol=1e-6)    # M of the wrist is 1e-3: 1e-9 grows


def test_gravity_mode_holds_the_measured_pose(rig):
    assert rig.peer.set_parameters(rig.node, mode='gravity')[0].successful
    rng = np.random.default_rng(6)
    data = MODEL.createData()
    for _ in range(5):
        q = rng.normal(size=6)
        tau = torques(rig, q, rng.normal(size=6), 0.1)
        assert np.allclose(tau, pin.computeGeneralizedGravity(MODEL, data, q), atol=ROUNDING)


def test_hold_mode_holds_where_it_began(rig):
    rig.step(START + 0.2)
    assert rig.peer.set_parameters(rig.node, mode='hold')[0].successful
    here = START + 0.2
    tau = torques(rig, here + 0.05, np.full(6, 0.1), 0.1)
    expected = torque(here, 0 * here, 0 * here) - 0.05 * P - 0.1 * D
    assert np.allclose(tau, expected, atol=ROUNDING)


def test_effort_of_the_trajectory_sent_on_is_right_on_every_straight_line(rig):
    stamp = follow(rig)
    message = rig.filled[-1]
    assert tuple(message.joint_names) == ORDER
    order = [ORDER.index(name) for name in JOINTS]
    begin = nanoseconds(message.header.stamp)
    times = np.array([nanoseconds(p.time_from_start) for p in message.points]) * 1e-9
    effort = np.array([p.effort for p in message.points])[:, order]
    assert len(times) > 10 and (np.diff(times) > 0.0).all()
    for t in np.linspace(times[0], times[-1], 500):
        s = np.clip(((begin - stamp) * 1e-9 + t) / 2.0, 0.0, 1.0)
        p, v, a = quintic(s, 2.0)
        line = [np.interp(t, times, effort[:, j]) for j in range(6)]
        # effort_tolerance, and a little for the quintic's step-free ends
        assert np.allclose(line, torque(START + p * MOVE, v * MOVE, a * MOVE), atol=0.05)
    # and the motion is the same: every point lies on it
    for t, point in zip(times, message.points):
        p, v, _ = quintic(np.clip(((begin - stamp) * 1e-9 + t) / 2.0, 0.0, 1.0), 2.0)
        assert np.allclose(np.array(point.positions)[order], START + p * MOVE, atol=1e-9)
        assert np.allclose(np.array(point.velocities)[order], v * MOVE, atol=1e-8)


def loaded(mass, com):
    """Return Pinocchio's model with a point mass at the last link."""
    model = pin.buildModelFromUrdf(str(URDF))
    frame = model.getFrameId('tool0')
    load = pin.Inertia(mass, np.array(com), np.zeros((3, 3)))
    joint = model.frames[frame].parentJoint
    model.appendBodyToJoint(joint, load, model.frames[frame].placement)
    return model


def test_a_payload_takes_effect_within_its_transition_time(rig):
    com = [0.0, 0.05, 0.1]
    rest = np.zeros(6)
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, payload__link='tool0', payload__com=com))
    rig.step(START, dt=1.0)
    before = torques(rig, START, rest, 0.01)
    assert rig.peer.set_parameters(rig.node, payload__mass=3.0)[0].successful
    full = torque(START, rest, rest, loaded(3.0, com))
    for _ in range(10):
        half = torques(rig, START, rest, 0.02)          # 0.2 s of 0.4 s
    assert np.allclose(before, torque(START, rest, rest), atol=ROUNDING)
    assert np.allclose(half, 0.5 * (before + full), atol=1e-6)
    rig.run(0.3, START, dt=0.05)
    assert np.allclose(torques(rig, START, rest, 0.01), full, atol=ROUNDING)


def test_gravity_turns_with_its_parameter(rig):
    assert rig.peer.set_parameters(rig.node, gravity=[9.81, 0.0, 0.0])[0].successful
    rig.run(0.5, START, dt=0.05)
    model = pin.buildModelFromUrdf(str(URDF))
    model.gravity.linear[:] = [9.81, 0.0, 0.0]
    rest = np.zeros(6)
    expected = torque(START, rest, rest, model)
    assert np.allclose(torques(rig, START, rest, 0.01), expected, atol=ROUNDING)


def test_friction_and_armature_are_added_along_the_reference(rig):
    viscous = np.arange(1.0, 7.0)
    rotors = 0.1 * np.arange(6.0)
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, friction__viscous=in_order(viscous), friction__coulomb=[2.0],
        friction__smoothing_speed=0.01, armature=in_order(rotors)))
    rig.run(1.0, START, dt=0.05)     # two transitions, one after the other
    start = follow(rig)
    for _ in range(4):
        tau = torques(rig, START, np.zeros(6), 0.3)
        p, v, a = quintic((rig.t - start) * 1e-9 / 2.0, 2.0)
        qd = v * MOVE
        expected = torque(START + p * MOVE, qd, a * MOVE) + rotors * (a * MOVE) + viscous * qd + (
            2.0 * qd / np.sqrt(qd**2 + 0.01**2))
        assert np.allclose(tau, expected, atol=ROUNDING)


@pytest.mark.parametrize(('changes', 'words'), [
    ({'update_rate': 100.0}, 'fixed while the node is configured'),
    ({'joints': list(JOINTS)}, 'fixed while the node is configured'),
    ({'robot_compensates_gravity': True}, 'fixed while the node is configured'),
    ({'robot_description': '<robot/>'}, 'fixed while the node is configured'),
    ({'use_sim_time': False},
     'fixed while the node is configured: trajectories and stamps depend on the clock'),
    ({'mode': 'impedance'}, 'not one of'),
    ({'gains__p': [1.0, 2.0]}, 'expected 1 or 6'),
    ({'gains__p': [-1.0]}, '>= 0'),
    ({'state_timeout': 0.0}, '> 0'),
    ({'ramp_time': 'soon'}, 'a number'),
    ({'state_timeout': np.inf}, 'must be finite'),
    ({'state_timeout': 1e300}, 'must be > 0, <= 60 s'),
    ({'gains__p': [np.inf]}, 'must be finite'),
    ({'payload__mass': -1.0}, '>= 0 kg'),
    ({'payload__link': 'gripper', 'payload__mass': 1.0}, "no link 'gripper'"),
    ({'gravity': [0.0, -9.81]}, 'expected 3'),
    ({'limits__effort': [0.0]}, '> 0'),
])
def test_a_parameter_that_cannot_be_is_refused_with_the_reason(rig, changes, words):
    results = rig.peer.set_parameters(rig.node, **changes)
    assert not results[-1].successful
    assert words in results[-1].reason, results[-1].reason
    rig.peer.set_parameters(rig.node, payload__link='')
    tau = torques(rig, START, np.zeros(6), 0.1)
    assert np.allclose(tau, torque(START, np.zeros(6), np.zeros(6)), atol=ROUNDING)


def test_a_whole_number_counts_as_a_number(rig):
    assert rig.peer.set_parameters(rig.node, gains__p=[7])[0].successful
    assert rig.peer.set_parameters(rig.node, gains__p=in_order(P))[0].successful


def test_ten_thousand_points_come_back_with_effort(rig):
    t = np.linspace(0.0, 20.0, 10_000)
    p, v, a = quintic(t / 20.0, 20.0)
    count = len(rig.filled)
    rig.send(trajectory_message(JOINTS, t, START + np.outer(p, MOVE), np.outer(v, MOVE),
                                np.outer(a, MOVE), stamp=rig.t + 100_000_000))
    wait(lambda: len(rig.filled) > count, 'the trajectory with effort', lambda: rig.process.log)
    message = rig.filled[-1]
    assert len(message.points) >= 10_000
    k = len(message.points) // 2
    order = [ORDER.index(name) for name in JOINTS]
    point = message.points[k]
    fields = [np.array(getattr(point, field))[order]
              for field in ('positions', 'velocities', 'accelerations', 'effort')]
    assert np.allclose(torque(*fields[:3]), fields[3], atol=1e-6)
