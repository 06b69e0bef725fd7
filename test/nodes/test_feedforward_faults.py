# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The fault matrix of the feedforward node: each row of doc/feedforward.md, over real DDS.

The arm is urdf/two_link.urdf, whose gravity torques have a closed form; the test holds the time.
"""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from rclpy.qos import QoSProfile  # noqa: E402
from ros_graph import FeedforwardRig, ROOT, wait  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402

from kane_dynamics.nodes.messages.conversions import nanoseconds, trajectory_message  # noqa: E402

pytestmark = pytest.mark.ros

JOINTS = ('shoulder', 'elbow')
HOME = np.array([0.3, 0.4])
OK, WARN, ERROR = 0, 1, 2
PARAMETERS = {
    'robot_description_file': str(ROOT / 'urdf' / 'two_link.urdf'), 'trigger': 'joint_states',
    'update_rate': 100.0, 'ramp_time': 0.1, 'fault_hold_time': 0.2, 'zero_ramp_time': 0.2,
    'state_timeout': 0.05, 'model_check.samples': 0, 'gains.p': [50.0], 'gains.d': [5.0],
    'armature': [1.0],      # rotors with which these gains are stable at 100 Hz
    'mode': 'computed_torque', 'diagnostic_updater.period': 0.1}


def gravity(q):
    """Return the closed form for two rods of 2 kg, 0.5 m and 1.2 kg, 0.4 m in a vertical plane."""
    g, first, second = 9.81, math.cos(q[0]), math.cos(q[0] + q[1])
    elbow = 1.2 * 0.2 * g * second
    return np.array([(2.0 * 0.25 + 1.2 * 0.5) * g * first + elbow, elbow])


@pytest.fixture(scope='module')
def shared():
    with FeedforwardRig(JOINTS, PARAMETERS) as rig:
        yield rig


@pytest.fixture
def rig(shared):
    """Give a node in computed torque that holds the arm at HOME."""
    for result in shared.peer.set_parameters(shared.node, mode='computed_torque',
                                             limits__effort=[40.0, 20.0],
                                             limits__effort_rate=[1e6], ramp_time=0.1):
        assert result.successful, result.reason
    shared.step(HOME)
    assert shared.enable(True).success
    tau = shared.run(0.2, HOME)
    assert np.allclose(tau, gravity(HOME), atol=1e-9)   # rounding of two formulas
    yield shared
    assert shared.enable(True).message                  # it still answers
    assert shared.peer.state(shared.node) == 'active'
    assert shared.process.process.poll() is None, shared.process.log


def test_no_torque_before_a_first_fresh_state_then_a_ramp():
    with FeedforwardRig(JOINTS, PARAMETERS) as rig:
        rig.idle(0.3)
        level, message, values = rig.status('Torque')
        assert (level, values['phase']) == (WARN, 'WAITING')
        assert rig.commands == [] and rig.efforts == []
        first = rig.step(HOME)
        assert np.allclose(first, 0.0)                  # the ramp begins at no torque
        half = rig.run(0.05, HOME)
        assert np.allclose(half, 0.5 * gravity(HOME), atol=1e-9)
        assert np.allclose(rig.run(0.05, HOME), gravity(HOME), atol=1e-9)


def test_a_state_without_one_joint_gives_no_torque_and_names_it():
    with FeedforwardRig(JOINTS, PARAMETERS) as rig:

        def received():
            rig.clock(rig.t + 10_000_000)
            rig.send_state([0.3, 9.9], [0.0, 0.0], names=['shoulder', 'gripper'])
            return int(rig.status('Joint states')[2]['messages']) >= 5
        wait(received, 'joint states at the node')
        level, message, values = rig.status('Joint states')
        assert level == ERROR and "'elbow'" in message, message
        assert rig.commands == []


def test_a_stale_state_ramps_to_a_gravity_hold_then_to_zero(rig):
    rig.step(HOME, [2.0, 0.0])                          # d 5 (0 - 2): 10 N m below gravity
    before = len(rig.efforts)
    rig.idle(0.25)
    wait(lambda: nanoseconds(rig.efforts[-1].header.stamp) >= rig.t - 50_000_000,
         'cycles of the watchdog')
    held = np.array(rig.efforts[-1].effort)
    assert np.allclose(held, gravity(HOME), atol=1e-9)  # at the last known pose, undamped
    level, message, values = rig.status('Torque')
    assert level == ERROR and values['phase'] == 'FAULT' and 'stale' in message, message
    rig.idle(0.6)
    wait(lambda: np.allclose(rig.efforts[-1].effort, 0.0), 'no torque', lambda: rig.process.log)
    assert rig.status('Torque')[2]['phase'] == 'ZERO'
    torques = np.array([each.effort for each in rig.efforts[before:]])
    times = 1e-9 * np.array([nanoseconds(each.header.stamp) for each in rig.efforts[before:]])
    # never a step: 10 N m within a ramp of 0.1 s, and all of gravity's within 0.2 s
    slopes = np.abs(np.diff(torques, axis=0)) / np.diff(times)[:, None]
    assert slopes.max() < 1.001 * max(10.0 / 0.1, gravity(HOME).max() / 0.2)
    # the state comes back: held again, but the mode only on request
    assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)
    assert rig.status('Torque')[2]['phase'] == 'FAULT'


def test_enable_is_refused_while_the_state_is_stale(rig):
    rig.idle(0.3)
    answer = rig.enable(True)
    assert not answer.success and 'joint_states' in answer.message
    rig.run(0.1, HOME)
    assert rig.enable(True).success


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_not_taken_and_the_state_grows_stale(rig, bad):
    before = int(rig.status('Joint states')[2]['values not finite'])
    for _ in range(20):
        rig.clock(rig.t + 10_000_000)
        rig.send_state([bad, HOME[1]], [0.0, 0.0])
    rig.idle(0.1)
    wait(lambda: rig.status('Torque')[2]['phase'] == 'FAULT', 'the fault')
    level, message, values = rig.status('Joint states')
    assert level == ERROR and 'not finite' in message
    assert int(values['values not finite']) > before
    assert np.isfinite([each.effort for each in rig.efforts]).all()


def test_messages_without_sense_are_counted_and_the_state_grows_stale(rig):
    for names in (['shoulder', 'shoulder'], ['shoulder']):
        before = int(rig.status('Joint states')[2]['refused'])
        for _ in range(10):
            rig.clock(rig.t + 10_000_000)
            rig.send_state(HOME, names=names)           # one twice; two values for one
        wait(lambda: int(rig.status('Joint states')[2]['refused']) > before, 'the count')
    level, message, values = rig.status('Joint states')
    assert level == ERROR and 'were malformed' in message
    assert rig.status('Torque')[2]['phase'] == 'FAULT'


def test_foreign_names_neither_fill_nor_forge_the_log(rig):
    forged = '\x1b[2J\n[FATAL] [0.0] [robot]: forged\r\u202e'
    many = [f'{k:04}' + 'x' * 96 for k in range(5000)]
    begin = len(rig.process.log)
    states = int(rig.status('Joint states')[2]['refused'])
    goals = int(rig.status('Trajectories')[2]['refused'])

    def refused():
        rig.send_state(np.zeros(5002), names=[*many, 'shoulder', 'shoulder'])
        rig.send_state(HOME, names=[forged])
        return int(rig.status('Joint states')[2]['refused']) > states + 1
    wait(refused, 'the refusals of states')

    def count():
        for _ in range(5):      # no more: the queue keeps the last ten
            rig.send(trajectory_message([forged * 4], [1.0], [[0.0]]))
        return int(rig.status('Trajectories')[2]['refused']) - goals
    wait(lambda: count() >= 50, 'the refusals')
    message = rig.status('Trajectories')[1]
    assert 'is not one of' in message and message.isprintable() and len(message) < 400
    log = rig.process.log[begin:]
    assert max(map(len, log.splitlines())) < 400
    assert log.replace('\n', '').isprintable()
    assert not [line for line in log.splitlines() if line.startswith('[FATAL]')]
    assert 1 <= log.count('trajectory refused') < count()       # throttled


def test_a_flood_of_service_calls_is_answered_to_the_last(rig):
    deep = QoSProfile(depth=1000)       # of the client: it must not lose the answers itself
    client = rig.peer.node.create_client(SetBool, f'{rig.node}/enable', qos_profile=deep)
    assert client.wait_for_service(30.0) and rig.enable(True).success
    answers = [client.call_async(SetBool.Request(data=True)) for _ in range(500)]
    wait(lambda: all(answer.done() for answer in answers), 'all answers',
         lambda: f'{sum(answer.done() for answer in answers)} of 500')
    assert all(answer.result().success for answer in answers)


def test_a_state_from_the_future_is_not_believed(rig):
    for _ in range(15):
        rig.clock(rig.t + 10_000_000)
        rig.send_state(HOME, [0.0, 0.0], stamp=rig.t + 10_000_000_000)
    wait(lambda: rig.status('Torque')[2]['phase'] == 'FAULT', 'the fault')
    assert 'future' in rig.status('Joint states')[1]


@pytest.mark.parametrize('jump', [-0.5, 5.0])
def test_a_jump_of_the_clock_drops_the_trajectory_and_holds(rig, jump):
    accepted = int(rig.status('Trajectories')[2]['accepted'])
    rig.send(trajectory_message(JOINTS, [5.0], [HOME + 0.5]))
    wait(lambda: int(rig.status('Trajectories')[2]['accepted']) > accepted, 'the goal')
    rig.run(0.1, HOME)
    assert (np.array(rig.efforts[-1].position) > HOME).all()        # on its way
    if jump < 0.0:
        rig.clock(rig.t + round(jump * 1e9))
        rig.run(0.02, HOME)
    else:
        rig.step(HOME, dt=jump)
    level, message, values = rig.status('Torque')
    assert level == ERROR and 'clock jumped' in message, message
    assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)
    assert rig.enable(True).success
    assert np.allclose(rig.run(0.3, HOME), gravity(HOME), atol=1e-9)   # the goal is gone
    if jump < 0.0:
        rig.clock(rig.t + round(2.0e9))                 # for those who come after
        rig.run(0.05, HOME)


def test_a_clock_that_is_set_back_does_not_silence_the_watchdog(rig):
    rig.run(0.6, HOME)
    rig.step(HOME, [2.0, 0.0])                          # d 5: 10 N m below gravity
    rig.clock(rig.t - 500_000_000)
    rig.idle(0.3)                                       # no states; not yet where it was before
    wait(lambda: np.allclose(rig.efforts[-1].effort, gravity(HOME), atol=1e-9),
         'the gravity hold', lambda: rig.process.log)
    assert rig.status('Torque')[2]['phase'] == 'FAULT'
    rig.clock(rig.t + 2_000_000_000)                    # for those who come after
    rig.run(0.05, HOME)


def test_torque_beyond_its_limit_is_cut_and_counted(rig):
    assert rig.peer.set_parameters(rig.node, limits__effort=[8.0, 1.0])[0].successful
    tau = rig.run(0.3, HOME)
    assert np.array_equal(tau, [8.0, 1.0]) and (gravity(HOME) > [8.0, 1.0]).all()
    level, message, values = rig.status('Torque')
    assert level == WARN and 'effort limit' in message
    assert int(values['cycles cut to the effort limit']) >= 20
    assert values['phase'] == 'RUNNING'


def test_the_rate_of_torque_is_limited_and_counted(rig):
    assert rig.peer.set_parameters(rig.node, limits__effort_rate=[10.0, 5.0])[0].successful
    start = rig.step(HOME)
    tau = rig.step(HOME + [0.1, 0.1])                   # p 50: 5 N m at once are wanted
    assert np.allclose(np.abs(tau - start), [0.1, 0.05], atol=1e-12)  # rates times 0.01 s
    assert 'limited in rate' in rig.status('Torque')[1]


@pytest.mark.parametrize('changes', [
    {'gains__p': [100.0]}, {'gains__d': [50.0]}, {'feedforward_scale': 0.0},
    {'feedback': 'inverse_dynamics'}, {'limits__effort': [1.0, 1.0]}, {'mode': 'gravity'}])
def test_no_parameter_makes_torque_step(rig, changes):
    # the arm is kept off its reference and moving: every one of them counts
    off, speed = HOME + [0.03, -0.02], [0.2, 0.1]
    usual = {'gains__p': [50.0], 'gains__d': [5.0], 'feedforward_scale': 1.0, 'feedback': 'pd',
             'limits__effort': [40.0, 20.0], 'mode': 'computed_torque'}
    for values in (changes, {name: usual[name] for name in changes}):       # there and back
        before = rig.run(0.2, off, speed)
        assert rig.peer.set_parameters(rig.node, **values)[0].successful
        steps = np.diff([before, *(rig.step(off, speed) for _ in range(12))], axis=0)
        assert np.abs(steps).max() > 0.01
        assert np.allclose(steps[:10], steps[0], atol=1e-9)     # ramp_time is ten cycles
        assert np.allclose(steps[10:], 0.0, atol=1e-9)
    rig.step(HOME)
    assert rig.enable(False).success                    # for those who come after: hold HOME


def test_unstable_gains_are_refused_with_the_joint_and_the_safe_gains(rig):
    before = rig.step(HOME, [0.1, 0.1])
    refused, = rig.peer.set_parameters(rig.node, gains__d=[500.0])
    assert not refused.successful
    for words in ("joint 'elbow' has a spectral radius of ", 'at 100 Hz with torques delayed by '
                  'one period', "Safe: 'shoulder' at most gains.p ", 'set armature',
                  'update_rate must be the rate of joint_states'):
        assert words in refused.reason, refused.reason
    assert np.allclose(rig.step(HOME, [0.1, 0.1]), before, atol=1e-9)
    # the safe gains are taken; p that the damping hardly carries is taken with a warning
    safe = refused.reason.partition("'shoulder' at most ")[2].partition(';')[0]
    p, d = (float(each.rpartition(' ')[2]) for each in safe.split(','))
    for gains in ({'gains__d': [d], 'gains__p': [p]}, {'gains__d': [5.0], 'gains__p': [200.0]}):
        for result in rig.peer.set_parameters(rig.node, **gains):
            assert result.successful, result.reason
    rig.process.wait_for_log("poorly damped: joint 'shoulder' has a damping ratio of 0.05")
    assert rig.peer.set_parameters(rig.node, gains__p=[50.0])[0].successful


def test_what_is_true_of_the_arm_is_taken_with_a_warning_of_its_gains(rig):
    assert rig.peer.set_parameters(rig.node, armature=[0.0])[0].successful
    rig.process.wait_for_log("unstable: joint 'elbow' has a spectral radius of")
    assert rig.peer.set_parameters(rig.node, armature=[1.0])[0].successful
    assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)


def test_another_publisher_of_commands_is_told_as_long_as_it_is_there(rig):
    rival = rig.peer.node.create_publisher(Float64MultiArray, f'{rig.node}/commands', 10)
    wait(lambda: 'which torque acts is undefined' in rig.status('Torque')[1], 'the warning')
    assert rig.status('Torque')[0] == WARN
    rig.peer.node.destroy_publisher(rival)
    wait(lambda: 'chance' not in rig.status('Torque')[1], 'an end of the warning')


def test_a_goal_that_jumps_is_refused_with_the_joint(rig):
    before = int(rig.status('Trajectories')[2]['refused'])
    rig.send(trajectory_message(JOINTS, [0.0, 1.0], [HOME + [0.5, 0.0], HOME]))
    wait(lambda: int(rig.status('Trajectories')[2]['refused']) == before + 1, 'the refusal')
    level, message, values = rig.status('Trajectories')
    assert level == WARN and 'discontinuity' in message and "'shoulder'" in message
    assert np.allclose(rig.run(0.1, HOME), gravity(HOME), atol=1e-9)


def test_a_trajectory_left_behind_is_given_up_and_the_arm_held(rig):
    assert rig.peer.set_parameters(rig.node, constraints__trajectory=[0.05])[0].successful
    rig.send(trajectory_message(JOINTS, [1.0], [HOME + 0.5]))
    wait(lambda: int(rig.status('Trajectories')[2]['accepted']) > 0, 'the goal')
    for _ in range(60):                                 # the arm does not follow
        tau = rig.step(HOME)
    level, message, values = rig.status('Trajectories')
    assert level == WARN and 'from its trajectory' in message, message
    assert np.allclose(tau, gravity(HOME), atol=1e-9)
    assert rig.status('Torque')[2]['phase'] == 'RUNNING'
    assert rig.peer.set_parameters(rig.node, constraints__trajectory=[0.0])[0].successful


def test_disable_ramps_to_a_damped_gravity_hold_and_enable_back(rig):
    assert rig.enable(False).success
    speed = np.array([0.2, -0.1])
    rig.run(0.15, HOME)
    held = rig.step(HOME, speed)
    assert np.allclose(held, gravity(HOME) - 5.0 * speed, atol=1e-9)
    level, message, values = rig.status('Torque')
    assert level == WARN and 'disabled: holding against gravity' in message
    rig.send(trajectory_message(JOINTS, [1.0], [HOME + 0.5]))
    wait(lambda: 'call ~/enable' in rig.status('Trajectories')[1], 'the refusal')
    moved = HOME + 0.2
    rig.step(moved)
    assert rig.enable(True).success
    # it holds where the arm is now, not where it was
    assert np.allclose(rig.run(0.2, moved), gravity(moved), atol=1e-9)


def test_a_torque_that_is_not_finite_is_not_given_and_the_node_answers():
    # Gains that make the torque overflow: nothing of it goes out.
    with FeedforwardRig(JOINTS, {**PARAMETERS, 'limits.effort': [1e300],
                                 'gain_check': 'warn'}) as rig:
        good = rig.run(0.2, HOME)
        result, = rig.peer.set_parameters(rig.node, gains__p=[1e308])
        assert result.successful
        tau = rig.step(HOME - 10.0)                     # 1e308 * 10: infinite
        assert np.array_equal(tau, good)
        level, message, values = rig.status('Torque')
        assert level == ERROR and 'not finite' in message
        assert rig.peer.set_parameters(rig.node, gains__p=[50.0])[0].successful
        rig.run(0.15, HOME)
        assert rig.enable(True).success
        assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)
