# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How the feedforward node starts, ends, finds its arm and hears its robot, over real DDS."""

import importlib.util
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from ros_graph import FeedforwardRig, Peer, Process, ROOT, wait  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from kane_dynamics.nodes.messages.conversions import (  # noqa: E402
    nanoseconds, set_stamp, trajectory_message)

pytestmark = pytest.mark.ros

JOINTS = ('shoulder', 'elbow')
HOME = np.array([0.3, 0.4])
TWO_LINK = ROOT / 'urdf' / 'two_link.urdf'
PARAMETERS = {
    'robot_description_file': str(TWO_LINK), 'trigger': 'joint_states', 'update_rate': 100.0,
    'ramp_time': 0.1, 'state_timeout': 1.0, 'model_check.samples': 0,
    'diagnostic_updater.period': 0.1}
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)


def gravity(q):
    """Return the closed form for two rods of 2 kg, 0.5 m and 1.2 kg, 0.4 m in a vertical plane."""
    elbow = 1.2 * 0.2 * 9.81 * math.cos(q[0] + q[1])
    return np.array([(2.0 * 0.25 + 1.2 * 0.5) * 9.81 * math.cos(q[0]) + elbow, elbow])


def without(*names, **changes):
    return {**{key: value for key, value in PARAMETERS.items() if key not in names}, **changes}


def test_transitions_load_start_stop_and_forget_and_the_arm_is_never_dropped():
    with FeedforwardRig(JOINTS, without(autostart=False), active=False) as rig:
        wait(lambda: rig.peer.state(rig.node) == 'unconfigured', 'the node')
        assert rig.peer.change_state(rig.node, 'configure')
        assert rig.peer.state(rig.node) == 'inactive'
        answer = rig.enable(True)
        assert not answer.success and 'inactive' in answer.message
        assert rig.peer.change_state(rig.node, 'activate')
        rig.until_clocked()
        assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)
        # torque of a motion when it is deactivated: the last command still holds the arm
        rig.send(trajectory_message(JOINTS, [1.0], [HOME + 1.0]))
        wait(lambda: rig.filled, 'the goal')
        moving = rig.step(HOME)
        assert not np.allclose(moving, gravity(HOME), atol=0.1)
        count = len(rig.efforts)
        assert rig.peer.change_state(rig.node, 'deactivate')
        wait(lambda: np.allclose(rig.efforts[-1].effort, gravity(HOME), atol=1e-9),
             'the gravity torque')
        ramp = np.array([moving, *(each.effort for each in rig.efforts[count:])])
        assert np.abs(np.diff(ramp, axis=0)).max() < 0.2 * np.abs(moving).max()  # in ten steps
        quiet = len(rig.commands)
        rig.send_state(HOME, HOME)
        rig.idle(0.1)
        assert len(rig.commands) == quiet                # inactive: silent
        # parameters that were fixed may change now; then all begins anew
        assert rig.peer.change_state(rig.node, 'cleanup')
        assert rig.peer.set_parameters(rig.node, robot_compensates_gravity=True)[0].successful
        assert rig.peer.change_state(rig.node, 'configure')
        assert rig.peer.change_state(rig.node, 'activate')
        assert np.allclose(rig.run(0.2, HOME), 0.0)       # gravity is left to the robot
        rig.process.wait_for_log('robot_compensates_gravity is True')


def test_a_node_that_was_shut_down_still_answers_and_ends():
    with FeedforwardRig(JOINTS, PARAMETERS) as rig:
        assert rig.peer.change_state(rig.node, 'shutdown')
        assert rig.peer.state(rig.node) == 'finalized'
        assert rig.peer.set_parameters(rig.node, ramp_time=0.25)[0].successful
        assert 'Traceback' not in rig.process.log
        assert rig.process.end() == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_in_order_with_the_arm_held(number):
    rig = FeedforwardRig(JOINTS, PARAMETERS)
    try:
        rig.run(0.2, HOME)
        rig.send(trajectory_message(JOINTS, [1.0], [HOME + 1.0]))
        wait(lambda: rig.filled, 'the goal')
        rig.step(HOME + 0.1)
        assert rig.process.end(number) == 0, rig.process.log
        wait(lambda: np.allclose(rig.commands[-1].data, gravity(HOME + 0.1), atol=1e-9),
             'the gravity torque as the last command')
        assert 'Traceback' not in rig.process.log
    finally:
        rig.close()


SLOW_ROBOT = """
import sys
import rclpy
from std_msgs.msg import Float64MultiArray
rclpy.init()
node = rclpy.create_node('slow_robot')
node.create_subscription(
    Float64MultiArray, sys.argv[1], lambda message: print(*message.data, flush=True), 100)
rclpy.spin(node)
"""


def test_a_subscriber_that_is_late_still_receives_the_last_command(tmp_path):
    rig = FeedforwardRig(JOINTS, PARAMETERS)
    output = tmp_path / 'commands.txt'
    with output.open('w') as file:
        robot = subprocess.Popen([sys.executable, '-c', SLOW_ROBOT, f'{rig.node}/commands'],
                                 stdout=file)

    def last_command():
        *_, line = output.read_text().splitlines()
        return np.array([float(word) for word in line.split()])
    try:
        wait(lambda: rig.step(HOME) is not None and output.read_text(), 'a command at the robot')
        rig.step(HOME + 0.1)
        robot.send_signal(signal.SIGSTOP)       # as on a computer that is busy otherwise
        rig.process.process.send_signal(signal.SIGINT)
        wait(lambda: np.allclose(rig.commands[-1].data, gravity(HOME + 0.1), atol=1e-9),
             'the gravity torque')
        time.sleep(0.3)
        assert rig.process.process.poll() is None       # it waits for the robot
        robot.send_signal(signal.SIGCONT)
        assert rig.process.end() == 0, rig.process.log
        wait(lambda: np.allclose(last_command(), gravity(HOME + 0.1), atol=1e-9),
             'the gravity torque at the robot')
        assert 'not acknowledged' not in rig.process.log
    finally:
        robot.kill()
        robot.wait()
        rig.close()


def test_a_slow_loop_ends_with_a_ramp_too():
    with FeedforwardRig(JOINTS, {**PARAMETERS, 'update_rate': 2.0, 'mode': 'gravity',
                                 'ramp_time': 0.5}) as rig:
        rig.run(0.6, HOME)
        before = rig.run(0.6, HOME)
        assert np.allclose(before, gravity(HOME), atol=1e-9)
        count_before = int(rig.status('Joint states')[2]['messages'])

        def received():     # a state of the same instant is known, but starts no cycle
            rig.send_state(HOME + 1.0)
            return int(rig.status('Joint states')[2]['messages']) > count_before
        wait(received, 'the state')
        count = len(rig.efforts)
        assert rig.peer.change_state(rig.node, 'deactivate')
        wait(lambda: np.allclose(rig.efforts[-1].effort, gravity(HOME + 1.0), atol=1e-9),
             'the gravity torque')
        ramp = np.array([before, *(each.effort for each in rig.efforts[count:])])
        assert np.abs(np.diff(ramp, axis=0)).max() < 0.1 * np.abs(ramp[-1] - before).max()


def test_the_description_comes_by_a_latched_topic_and_a_second_one_is_refused():
    with FeedforwardRig(JOINTS, without('robot_description_file'), active=False) as rig:
        rig.process.wait_for_log('waiting for robot_description')
        assert rig.peer.state(rig.node) == 'unconfigured'
        assert not rig.peer.change_state(rig.node, 'configure')
        assert rig.status('Model')[1] == 'waiting for robot_description'
        count = rig.process.log.count('waiting for robot_description')
        wait(lambda: rig.process.log.count('waiting for robot_description') >= count + 2,
             'a warning each second')
        topic = f'{rig.namespace}/robot_description'
        rig.peer.publish(String(data=TWO_LINK.read_text()), topic, LATCHED)
        rig.peer.until_active(rig.node, rig.process)
        rig.until_clocked()
        assert np.allclose(rig.run(0.2, HOME), gravity(HOME), atol=1e-9)
        other = TWO_LINK.read_text().replace('mass value="2"', 'mass value="20"')
        rig.peer.publish(String(data=other), topic, LATCHED)
        rig.process.wait_for_log('a second robot_description is refused')
        assert np.allclose(rig.step(HOME), gravity(HOME), atol=1e-9)
        wait(lambda: rig.status('Model')[2]['descriptions refused'] == '1', 'the report')
        rig.peer.publish(String(data=TWO_LINK.read_text()), topic, LATCHED)   # the same: no matter
        rig.step(HOME)
        assert rig.status('Model')[2]['descriptions refused'] == '1'


@pytest.mark.parametrize('node', ['feedforward', 'simulator', 'monitor'])
def test_a_description_on_the_topic_never_names_a_file(node, tmp_path):
    # xacro would evaluate the expressions in the file
    file = tmp_path / 'arm.urdf.xacro'
    file.write_text(TWO_LINK.read_text())
    name = f'/{node}_by_topic'
    process, peer = Process(node, remaps=[f'__ns:={name}']), Peer('publisher')
    try:
        for text in (str(TWO_LINK), str(file), 'x' * 5_000_000):
            before = process.log.count('cannot configure')
            peer.publish(String(data=text), f'{name}/robot_description', LATCHED)
            wait(lambda: process.log.count('cannot configure') > before, 'the refusal',
                 lambda: process.log[-2000:])
        assert process.log.count('expected the XML text of a URDF') == 3
        assert max(map(len, process.log.splitlines())) < 400
        assert peer.state(f'{name}/{node}') == 'unconfigured'
        peer.publish(String(data=TWO_LINK.read_text()), f'{name}/robot_description', LATCHED)
        peer.until_active(f'{name}/{node}', process)
    finally:
        process.end()
        peer.close()


@pytest.fixture(scope='module')
def unconfigured():
    with FeedforwardRig(JOINTS, without(autostart=False), active=False) as rig:
        yield rig


@pytest.mark.parametrize(('changes', 'words'), [
    ({'robot_description': '<robot name="x"><link name="a"/>'}, 'cannot configure'),
    ({'robot_description': str(TWO_LINK)}, 'expected the XML text of a URDF'),
    ({'robot_description_file': 'nowhere.urdf'}, 'no such file'),
    ({'robot_description_file': '<robot name="x"/>'}, 'no such file'),
    ({'joints': ['shoulder', 'wrist']}, "'wrist' is no joint"),
    ({'joints': ['shoulder']}, "'elbow' is missing from joints"),
    ({'gains__p': [1.0, 2.0, 3.0]}, 'expected 1 or 2'),
    ({'gains__d': [50.0]}, "joint 'elbow' has a spectral radius of "),
    ({'payload__mass': 1.0, 'payload__link': 'hand'}, "no link 'hand'"),
    ({'joints': ['shoulder'], 'locked_joints': ['elbow'], 'locked_positions': [0.1, 0.2]},
     'locked_positions has 2'),
])
def test_what_cannot_be_configured_is_said_and_the_node_answers(unconfigured, changes, words):
    rig = unconfigured
    good = {'robot_description': '', 'robot_description_file': str(TWO_LINK),
            'joints': list(JOINTS), 'gains__p': [0.0], 'gains__d': [0.0],
            'payload__mass': 0.0, 'payload__link': ''}
    assert all(result.successful for result in rig.peer.set_parameters(rig.node, **changes))
    assert not rig.peer.change_state(rig.node, 'configure')
    rig.process.wait_for_log(words)
    rig.process.wait_for_log(f'ros2 lifecycle set {rig.node} configure')     # what to do
    assert rig.peer.state(rig.node) == 'unconfigured'
    assert all(result.successful for result in rig.peer.set_parameters(rig.node, **good))
    if 'locked_joints' not in changes:      # a list of texts cannot be set to nothing in ROS
        assert rig.peer.change_state(rig.node, 'configure')
        assert rig.peer.change_state(rig.node, 'cleanup')


def test_a_bad_parameter_at_start_ends_the_process_with_the_reason():
    process = Process('feedforward', {'update_rate': -5.0, 'mode': 'fast'}, ['__ns:=/left'])
    assert process.process.wait(30.0) == 1
    assert 'update_rate must be 0.1 .. 5000 Hz' in process.log
    assert "mode 'fast' is not one of" in process.log
    assert '[left.feedforward]: parameters: ' in process.log and '[FATAL]' in process.log
    process.end()


def test_elastic_topics_are_those_of_flexible_arms():
    elastic = {'elastic_states', 'tip_deflection'}
    with FeedforwardRig(JOINTS, without(autostart=False), active=False) as rig:
        wait(lambda: rig.peer.state(rig.node) == 'unconfigured', 'the node')
        for urdf, expected in (('two_link.urdf', set()), ('flexible_single_link.urdf', elastic),
                               ('two_link.urdf', set())):
            assert rig.peer.set_parameters(
                rig.node, robot_description_file=str(ROOT / 'urdf' / urdf))[0].successful
            assert rig.peer.change_state(rig.node, 'configure')
            wait(lambda: rig.topics() & elastic == expected, f'the topics of {urdf}')
            assert {'commands', 'effort'} <= rig.topics()
            assert rig.peer.change_state(rig.node, 'activate')
            assert rig.peer.change_state(rig.node, 'deactivate')
            assert rig.peer.change_state(rig.node, 'cleanup')


def test_a_mode_with_feedback_and_no_gains_is_warned_of_with_the_joints():
    words = "gains.p is 0 for ['shoulder', 'elbow']: 'computed_torque' gives them no feedback"
    with FeedforwardRig(JOINTS, {**PARAMETERS, 'mode': 'computed_torque'}) as rig:
        rig.process.wait_for_log(words)
        for changes in ({'gains__d': [0.05]}, {'gains__p': [0.5, 0.0]}, {'mode': 'gravity'}):
            for result in rig.peer.set_parameters(rig.node, **changes):
                assert result.successful, result.reason
        rig.process.wait_for_log("gains.p is 0 for ['elbow']: 'computed_torque'")
        assert rig.process.log.count('gains.p is 0') == 2
    with FeedforwardRig(JOINTS, PARAMETERS) as rig:     # feedforward needs none
        assert 'gains.p is 0' not in rig.process.log


def test_a_parameter_file_for_another_namespace_is_warned_of(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('feedforward:\n  ros__parameters:\n    mode: gravity\n')
    process = Process('feedforward', {'autostart': False}, ['__ns:=/left'],
                      arguments=['--params-file', str(path)])
    try:
        process.wait_for_log(f'{path}: no section applies to /left/feedforward')
        assert process.log.count('no section applies') == 1
    finally:
        process.end()


def test_a_model_unlike_pinocchios_is_not_activated():
    pytest.importorskip('pinocchio', reason='Pinocchio, the oracle, is not installed')
    with FeedforwardRig(JOINTS, {**PARAMETERS, 'model_check.samples': 3,
                                 'model_check.tolerance': 1e-300}, active=False) as rig:
        rig.process.wait_for_log('model_check.tolerance is 1e-300')
        assert rig.peer.state(rig.node) == 'unconfigured'


def test_joint_states_are_merged_from_several_best_effort_publishers():
    with FeedforwardRig(JOINTS, {**PARAMETERS, 'mode': 'gravity', 'ramp_time': 0.0}) as rig:
        best_effort = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
        topic = f'{rig.namespace}/joint_states'
        publishers = [rig.peer.node.create_publisher(JointState, topic, best_effort)
                      for _ in JOINTS]
        for publisher in publishers:
            wait(lambda: publisher.get_subscription_count() == 1, 'the subscription')

        def both():
            rig.clock(rig.t + 10_000_000)
            for name, value, publisher in zip(JOINTS, HOME, publishers):
                message = JointState(name=['camera', name], position=[9.0, float(value)])
                set_stamp(message.header.stamp, rig.t)
                publisher.publish(message)
            time.sleep(0.02)
            return rig.efforts and nanoseconds(rig.efforts[-1].header.stamp) == rig.t
        wait(both, 'a torque')
        assert np.allclose(rig.efforts[-1].effort, gravity(HOME), atol=1e-9)
        count = len(rig.efforts)
        for _ in range(5):                    # one part alone makes no cycle
            rig.clock(rig.t + 10_000_000)
            message = JointState(name=['shoulder'], position=[0.3])
            set_stamp(message.header.stamp, rig.t)
            publishers[0].publish(message)
            time.sleep(0.02)
        assert len(rig.efforts) == count


def test_quality_of_service_can_be_overridden():
    topic = '/rig_qos/joint_states'
    with FeedforwardRig(JOINTS, {
            **PARAMETERS, f'qos_overrides.{topic}.subscription.reliability': 'reliable',
            f'qos_overrides.{topic}.subscription.depth': 3}, namespace='/rig_qos') as rig:
        wait(lambda: rig.peer.node.get_subscriptions_info_by_topic(topic), 'the subscription')
        info, = rig.peer.node.get_subscriptions_info_by_topic(topic)
        assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE


def test_locked_joints_count_as_part_of_the_arm():
    with FeedforwardRig(('shoulder',), {**PARAMETERS, 'ramp_time': 0.0, 'joints': ['shoulder'],
                                        'locked_joints': ['elbow'], 'locked_positions': [0.4],
                                        'mode': 'gravity'}) as rig:
        tau = rig.run(0.05, HOME[:1])
        assert tau.shape == (1,) and np.allclose(tau, gravity(HOME)[:1], atol=1e-9)


def test_on_wall_time_the_loop_runs_by_itself_and_tells_how_well():
    with FeedforwardRig(JOINTS, without('trigger', update_rate=200), simulated=False) as rig:
        def sent():
            rig.t = time.time_ns()
            rig.send_state(HOME, [0.0, 0.0])
            time.sleep(0.01)
            return len(rig.commands) > 200
        wait(sent, 'torques', lambda: rig.process.log)
        wait(lambda: sent() and np.allclose(rig.commands[-1].data, gravity(HOME), atol=1e-9),
             'the torque that holds the arm')
        stamps = np.array([nanoseconds(each.header.stamp) for each in rig.efforts])
        assert (np.diff(stamps) > 0).all()
        values = rig.status('Loop')[2]
        assert int(values['cycles']) >= 200 and int(values['missed cycles']) >= 0
        assert float(values['compute time median [ms]']) > 0.0
        assert float(values['update rate [Hz]']) == 200.0


def test_under_simulated_time_the_loop_ticks_with_the_clock_and_counts_what_it_misses():
    with FeedforwardRig(JOINTS, without('trigger', mode='gravity', ramp_time=0.0)) as rig:
        def ticked():
            rig.clock(rig.t + 10_000_000)
            rig.send_state(HOME, [0.0, 0.0])
            time.sleep(0.01)
            return len(rig.efforts) >= 20
        wait(ticked, 'torques', lambda: rig.process.log)
        assert np.allclose(rig.efforts[-1].effort, gravity(HOME), atol=1e-9)
        stamps = np.array([nanoseconds(each.header.stamp) for each in rig.efforts])
        assert (np.diff(stamps) >= 10_000_000).all() and (stamps % 10_000_000 == 0).all()
        before = int(rig.status('Loop')[2]['missed cycles'])
        rig.clock(rig.t + 100_000_000)                  # ten periods at once: one tick
        wait(lambda: int(rig.status('Loop')[2]['missed cycles']) >= before + 9, 'the count')
        count = len(rig.efforts)
        time.sleep(0.1)
        assert len(rig.efforts) == count                # time stands, and so does the loop


def test_joint_states_slower_than_the_rate_that_gains_are_checked_for_are_warned_of():
    with FeedforwardRig(JOINTS, without(update_rate=5000.0), simulated=False) as rig:
        def warned():
            rig.send_state(HOME, [0.0, 0.0], stamp=time.time_ns())
            return any('gains are checked for update_rate 5000 Hz' in status.message
                       for array in rig.diagnostics for status in array.status)
        wait(warned, 'the warning', lambda: rig.process.log)


@pytest.mark.skipif(importlib.util.find_spec('control_msgs') is not None,
                    reason='control_msgs is installed')
def test_without_control_msgs_one_line_says_what_is_missing():
    process = Process('feedforward', {'autostart': False})
    process.wait_for_log('no action ~/follow_joint_trajectory and no ~/controller_state')
    assert process.end() == 0
    assert process.log.count('follow_joint_trajectory') == 1


def test_the_same_inputs_give_the_same_bits():
    # A replay: clock, states and a goal, twice, into two processes.
    outputs = []
    for _ in range(2):
        with FeedforwardRig(JOINTS, {**PARAMETERS, 'mode': 'computed_torque', 'gains.p': [30.0],
                                     'gains.d': [3.0], 'feedback': 'inverse_dynamics'}) as rig:
            rng = np.random.default_rng(11)
            rig.step(HOME)
            rig.send(trajectory_message(JOINTS, [0.3, 0.7], [HOME + 0.2, HOME - 0.1],
                                        stamp=rig.t + 50_000_000))
            wait(lambda: rig.filled, 'the goal')
            outputs.append([rig.step(HOME + 0.01 * rng.normal(size=2), rng.normal(size=2))
                            for _ in range(100)])
            outputs[-1].append([point.effort for point in rig.filled[0].points])
    first, second = outputs
    assert np.array_equal(first[:-1], second[:-1])
    assert first[-1] == second[-1]
