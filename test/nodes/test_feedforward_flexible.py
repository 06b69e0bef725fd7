# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The feedforward node with arms that bend, over real DDS, the time held by the test.

The oracle integrates the elastic rows of `hybrid` by DOP853, joints on the polynomial that the
goal asks for. It knows nothing of cycles.
"""

from flexible_arms import (
    changed, integrate, led_motion, quasi_static, quintic, URDF as FOLDER)
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from ros_graph import FeedforwardRig, Process, wait  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.nodes.messages.conversions import nanoseconds, trajectory_message  # noqa: E402

pytestmark = pytest.mark.ros

ROBOT = changed('flexible_3r')
DYNAMICS = kd.Dynamics(ROBOT)
JOINTS, MODES, TIP = ROBOT.joint_names, ROBOT.mode_names, 'tool0'
START, MOVE = np.array([0.2, 0.3, -0.5]), np.array([0.5, -0.4, 0.6])
DURATION, DT = 0.4, 0.002
STILL = np.zeros(3)
P, D = 30.0, 1.0
NO_GAINS = {'gains.p': [0.0], 'gains.d': [0.0]}


def sag(q, dynamics=DYNAMICS):
    """Return q of all coordinates at rest and the joint torques that hold it."""
    whole = kd.static_sag(dynamics, q)
    return whole, dynamics.gravity(whole)[:3]


def move(t):
    return quintic(t, DURATION, START, START + MOVE)


@pytest.fixture(scope='module')
def exact():
    """Return x(t) = [e, ed] and the torque of the move, which begins at the sag."""
    rate, torque = led_motion(DYNAMICS, move)
    begin = np.concatenate([sag(START)[0][3:], np.zeros(len(MODES))])
    runs = integrate(rate, begin, 0.0, DURATION, 0.6, rtol=1e-8, atol=1e-10, dense_output=True)

    def at(t):
        x = runs[0 if t <= DURATION else 1].sol(t) if t > 0.0 else begin
        return x, torque(t, x)
    return at


class FlexibleRig(FeedforwardRig):
    """A node with a flexible arm, and what it says of the links."""

    def __init__(self, urdf='flexible_3r.urdf', joints=JOINTS, **parameters):
        from geometry_msgs.msg import Vector3Stamped
        super().__init__(joints, {
            'robot_description_file': str(FOLDER / urdf), 'ramp_time': 0.0,
            'trigger': 'joint_states', 'state_timeout': 5.0, 'clock_jump_threshold': 10.0,
            'update_rate': 1000.0,      # at which the gains are stable
            'diagnostic_updater.period': 0.05, 'gains.p': [P], 'gains.d': [D],
            'limits.effort': [1000.0], 'transition_time': 0.2, 'effort_tolerance': 0.02,
            'model_check.samples': 5, **parameters})
        if parameters.get('elastic') != 'rigid':
            self.elastic = self.peer.listen(JointState, f'{self.node}/elastic_states', 100)
            self.tips = self.peer.listen(Vector3Stamped, f'{self.node}/tip_deflection', 100)
            self.peer.until_connected()

    def message_now(self, messages):
        """Return the message of a topic for the present moment."""
        def found():
            return [each for each in reversed(messages)
                    if nanoseconds(each.header.stamp) == self.t]
        wait(found, f'a message for {self.t} ns', lambda: self.process.log)
        return found()[0]

    def links(self):
        """Return e and ed for the present moment."""
        message = self.message_now(self.elastic)
        assert tuple(message.name) == MODES and not message.effort
        return np.array(message.position), np.array(message.velocity)

    def tip(self):
        """Return the displacement of the tip for the present moment."""
        message = self.message_now(self.tips)
        return np.array([message.vector.x, message.vector.y, message.vector.z])

    def follow(self, positions=(START, START + MOVE), duration=DURATION, wait_for=0.02):
        """Send a goal from rest to rest; return the time [ns] at which it starts."""
        stamp, count = self.t + round(wait_for * 1e9), len(self.filled)
        self.send(trajectory_message(JOINTS, [0.0, duration], positions, np.zeros((2, 3)),
                                     np.zeros((2, 3)), stamp=stamp))
        wait(lambda: len(self.filled) > count, 'the goal with effort', lambda: self.process.log)
        return stamp


@pytest.fixture(scope='module')
def shared():
    with FlexibleRig() as rig:
        yield rig


@pytest.fixture
def rig(shared):
    for result in shared.peer.set_parameters(
            shared.node, mode='feedforward', feedback='pd', payload__mass=0.0):
        assert result.successful, result.reason
    shared.run(0.3, START, dt=0.01)     # a change of payload has taken effect
    shared.enable(False)                # holds against gravity, the links at rest
    shared.run(0.05, START)
    assert shared.enable(True).success
    return shared


def test_it_begins_at_the_sag_of_the_pose_where_it_is(rig):
    q, tau = sag(START)
    assert np.linalg.norm(q[3:]) > 1e-3
    for _ in range(20):
        given = rig.step(START, dt=DT)
        e, ed = rig.links()
        # two solutions of the same equations: Newton's method and a fixed point
        np.testing.assert_allclose(given, tau, rtol=0, atol=1e-9)
        np.testing.assert_allclose(e, q[3:], rtol=0, atol=1e-12)
        np.testing.assert_allclose(ed, 0.0, atol=1e-9)
    straight = np.append(START, np.zeros(len(MODES)))
    moved = DYNAMICS.frame_pose(TIP, q)[1] - DYNAMICS.frame_pose(TIP, straight)[1]
    np.testing.assert_allclose(rig.tip(), moved, rtol=0, atol=1e-12)
    assert rig.message_now(rig.tips).header.frame_id == ROBOT.root
    assert list(rig.message_now(rig.efforts).name) == list(JOINTS)     # joints alone


def test_torque_and_deflection_are_those_of_a_tight_integrator(rig, exact):
    start = rig.follow()
    rows = []
    for _ in range(300):
        tau = rig.step(START, dt=DT)
        e, ed = rig.links()
        x, wanted = exact((rig.t - start) * 1e-9)
        rows.append((np.concatenate([tau, e, rig.tip()]), np.concatenate(
            [wanted, x[:10], DYNAMICS.frame_deflection(TIP, np.append(
                move((rig.t - start) * 1e-9)[0], x[:10]))])))
        np.testing.assert_allclose(ed, x[10:], rtol=0, atol=0.02)   # of 1.4 m/s at its peak
    got, wanted = map(np.array, zip(*rows))
    error, peak = abs(got - wanted), abs(wanted)
    # The rule's periods are right to 0.02 %, the joints go straight within 2 ms: 2e-4 is left.
    assert (error[:, :3].max(axis=0) < 1e-3 * peak[:, :3].max(axis=0)).all()
    assert error[:, 3:13].max() < 1e-3 * peak[:, 3:13].max()
    assert error[:, 13:].max() < 1e-3 * peak[:, 13:].max()
    # and it matters: the rigid arm's torque is a quarter off
    rigid = kd.Dynamics(ROBOT.rigid())
    apart = [rigid.inverse(*move(0.002 * k)) - exact(0.002 * k)[1] for k in range(200)]
    assert abs(np.array(apart)).max() > 0.2 * peak[:, :3].max()


def test_links_swing_on_when_a_goal_follows_another(rig):
    rig.follow()
    for _ in range(220):                      # the end is past, the links swing
        rig.step(START + MOVE, dt=DT)
    e, ed = rig.links()
    assert abs(ed).max() > 0.01
    rig.follow((START + MOVE, START), wait_for=0.004)
    for _ in range(10):
        before, speed = e, ed
        rig.step(START + MOVE, dt=DT)
        e, ed = rig.links()
        # no jump: in a cycle they go as far as their speed takes them
        np.testing.assert_allclose(e - before, DT / 2 * (ed + speed), rtol=0, atol=2e-5)
    assert abs(ed).max() > 0.01


def test_effort_of_the_goal_sent_on_is_that_of_swinging_links(rig, exact):
    start = rig.follow()
    message = rig.filled[-1]
    begin = (nanoseconds(message.header.stamp) - start) * 1e-9
    times = begin + np.array([nanoseconds(p.time_from_start) for p in message.points]) * 1e-9
    effort = np.array([p.effort for p in message.points])
    peak = np.zeros(3)
    for t in np.linspace(max(times[0], 0.0), DURATION, 300):
        line = [np.interp(t, times, effort[:, j]) for j in range(3)]
        wanted = exact(t)[1]
        # effort_tolerance, and the integration's own error
        np.testing.assert_allclose(line, wanted, rtol=0, atol=0.02 + 1e-3 * 40.0)
        peak = np.maximum(peak, abs(wanted))
    assert peak.max() > 30.0
    # a straight line of the integration's step, across the beginning of the move
    np.testing.assert_allclose(effort[0], sag(START)[1], rtol=0, atol=1e-4)


def test_gravity_mode_holds_the_sagging_arm(rig):
    assert rig.peer.set_parameters(rig.node, mode='gravity')[0].successful
    rng = np.random.default_rng(6)
    for _ in range(4):
        pose = rng.uniform(-0.8, 0.8, 3)
        for _ in range(4):              # from one pose to another in no time: it takes cycles
            tau = rig.step(pose, rng.normal(size=3))
        q, wanted = sag(pose)
        np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-7)
        np.testing.assert_allclose(rig.links()[0], q[3:], rtol=0, atol=1e-9)


def test_hold_mode_adds_feedback_to_it(rig):
    rig.step(START)
    assert rig.peer.set_parameters(rig.node, mode='hold')[0].successful
    tau = rig.step(START + 0.05, np.full(3, 0.1), dt=DT)
    np.testing.assert_allclose(tau, sag(START)[1] - 0.05 * P - 0.1 * D, rtol=0, atol=1e-6)


def test_feedback_by_inverse_dynamics_takes_the_links_as_they_are(rig):
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, feedback='inverse_dynamics', mode='computed_torque'))
    start = rig.follow()
    for k in range(60):
        t = (rig.t - start) * 1e-9 + DT
        r_q, r_qd, r_qdd = move(t)
        q, qd = r_q + 1e-3 * np.sin(40 * t), r_qd + 0.04 * np.cos(40 * t)
        tau = rig.step(q, qd, dt=DT)
        e, ed = rig.links()
        wanted = r_qdd + P * (r_q - q) + D * (r_qd - qd)
        hybrid = DYNAMICS.hybrid(np.append(q, e), np.append(qd, ed), wanted)[0]
        # the equations hold at the end of a step but for what one Newton step leaves
        np.testing.assert_allclose(tau, hybrid, rtol=0, atol=1e-3 * 40.0)


def test_a_payload_bends_the_links_further_without_a_swing(rig):
    assert all(result.successful for result in rig.peer.set_parameters(
        rig.node, payload__link=TIP, payload__com=[0.0, 0.0, 0.0]))
    rig.run(0.02, START, dt=DT)
    light = rig.links()[0]
    assert rig.peer.set_parameters(rig.node, payload__mass=0.5)[0].successful
    loaded = kd.Dynamics(ROBOT.with_payload(0.5, (0.0, 0.0, 0.0), link=TIP))
    q, wanted = sag(START, loaded)
    for _ in range(200):
        tau = rig.step(START, dt=DT)
        assert abs(rig.links()[1]).max() < 1e-6     # a step of the load would make it 0.1
    # The node keeps the shapes it was compiled with, the oracle has those of the loaded arm: two
    # Ritz bases of one beam.
    np.testing.assert_allclose(tau, wanted, rtol=1e-3, atol=1e-3)
    moved = loaded.frame_deflection(TIP, q)
    np.testing.assert_allclose(rig.tip(), moved, rtol=0, atol=2e-3 * np.linalg.norm(moved))
    assert abs(rig.links()[0] - light).max() > 1e-4


def test_a_payload_on_a_link_that_bends_is_refused_with_the_reason(rig):
    for name, value in (('payload__com', [0.25, 0.0, 0.0]), ('payload__mass', 0.5),
                        ('payload__link', 'forearm')):
        result = rig.peer.set_parameters(rig.node, **{name: value})[0]
    assert not result.successful
    assert "payload.link 'forearm' is flexible" in result.reason
    tau = rig.run(0.3, START)
    assert np.isfinite(tau).all()
    rig.peer.set_parameters(rig.node, payload__com=[0.0, 0.0, 0.0])


def test_a_cycle_too_long_for_the_modes_is_quasi_static_and_said_so(rig):
    start = rig.follow(duration=2.0)
    joints = quintic(0.0, 2.0, START, START + MOVE)
    while rig.t < start + 900_000_000:
        tau = rig.step(START, dt=0.05)
        joints = quintic((rig.t - start) * 1e-9, 2.0, START, START + MOVE)
    e, wanted = quasi_static(DYNAMICS, *joints)
    # two steps of the iteration from a pose 0.05 s away
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-3)
    np.testing.assert_allclose(rig.links()[0], e, rtol=0, atol=1e-3 * abs(e).max())
    level, message, values = rig.status('Deflection')
    assert level == 1 and 'too long for the lowest mode' in message
    assert int(values['cycles too long to integrate']) > 10
    rig.process.wait_for_log('a cycle of 50 ms is too long for the lowest mode (6.')


def test_lost_states_are_answered_by_a_hold_of_the_sagging_arm(rig):
    rig.step(START)
    assert rig.peer.set_parameters(rig.node, mode='computed_torque')[0].successful
    rig.step(START)
    assert rig.peer.set_parameters(rig.node, state_timeout=0.1)[0].successful
    rig.idle(0.5, dt=0.02)
    try:
        wait(lambda: rig.status('Torque')[2]['phase'] == 'FAULT', 'the fault')
        np.testing.assert_allclose(rig.efforts[-1].effort, sag(START)[1], rtol=0, atol=1e-7)
    finally:
        rig.peer.set_parameters(rig.node, state_timeout=5.0)
        rig.step(START)
        rig.enable(True)


def test_a_timer_too_slow_for_the_modes_falls_back_and_says_so():
    with FlexibleRig(trigger='timer', update_rate=20.0, **NO_GAINS) as rig:
        rig.process.wait_for_log('the deflection is quasi-static: a cycle of 50 ms is too long')
        level, message, values = rig.status('Deflection')
        assert level == 1 and 'takes at least 4' in message     # 2 pi 6.65 cycles per second
        assert values['elastic'] == 'quasi_static'

        def torque():       # states and time go best effort: a lost one is sent again
            rig.send_state(START, STILL)
            rig.idle(0.1, dt=0.02)
            return rig.efforts
        wait(torque, 'a torque', lambda: rig.process.log)
        np.testing.assert_allclose(rig.efforts[-1].effort, sag(START)[1], rtol=0, atol=1e-7)


def test_an_arm_taken_as_rigid_is_the_rigid_arm():
    with FlexibleRig(elastic='rigid') as rig:
        rigid = kd.Dynamics(ROBOT.rigid())
        rig.step(START)
        start = rig.follow()
        for _ in range(20):
            tau = rig.step(START, dt=0.01)
            wanted = rigid.inverse(*move((rig.t - start) * 1e-9))
            np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-9)
        assert not rig.topics() & {'elastic_states', 'tip_deflection'}
        assert rig.status('Deflection')[2]['elastic'] == 'rigid'


def test_quasi_static_can_be_asked_for():
    with FlexibleRig(elastic='quasi_static', joints=JOINTS) as rig:
        rig.step(START)
        level, message, values = rig.status('Deflection')
        assert (level, message, values['elastic']) == (0, 'OK', 'quasi_static')
        start = rig.follow()
        for _ in range(100):
            tau = rig.step(START, dt=DT)
        _, wanted = quasi_static(DYNAMICS, *move((rig.t - start) * 1e-9))
        np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-4)
        assert not rig.links()[1].any()


def test_links_bent_beyond_their_model_or_undamped_are_warned_of(tmp_path):
    soft = (FOLDER / 'flexible_3r.urdf').read_text().replace('E="7e+10"', 'E="4e+9"')
    assert soft.count('ratio="0.01"') == 2
    soft = soft.replace('ratio="0.01"', 'ratio="0"', 1)
    path = tmp_path / 'soft.urdf'
    path.write_text(soft)
    with FlexibleRig(str(path), **NO_GAINS) as rig:
        for _ in range(5):
            rig.step(START, dt=DT)
        rig.process.wait_for_log('bends by')
        level, message, values = rig.status('Deflection')
        assert level == 1 and "link 'upper_arm' bends by" in message
        assert int(values['cycles out of range']) >= 3
        assert rig.process.log.count('bends by') <= 2       # once for each link
        assert "'upper_arm/torsion_1'] have no damping" in rig.process.log


def test_what_cannot_be_is_refused_with_the_reason():
    process = Process('feedforward', {
        'robot_description_file': str(FOLDER / 'flexible_3r.urdf'), 'tip_link': 'hand',
        'model_check.samples': 0})
    try:
        process.wait_for_log("tip_link: 'hand' is no link of 'flexible_3r'; there are")
    finally:
        process.end()
