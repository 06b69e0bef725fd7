# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The action ~/follow_joint_trajectory and ~/controller_state, with the real control_msgs.

It is on no package registry: where it is not installed, it is built from its definitions.
"""

import importlib.util
import math
import os
import sys
from types import SimpleNamespace

import build_control_msgs
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from ros_graph import FeedforwardRig, ROOT, wait  # noqa: E402

from kane_dynamics.nodes.conversions import set_stamp, trajectory_message  # noqa: E402

pytestmark = [pytest.mark.ros, pytest.mark.slow]

JOINTS = ('shoulder', 'elbow')
HOME = np.array([0.3, 0.4])
FAR = HOME + [0.2, -0.1]
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6      # action_msgs/GoalStatus


def gravity(q):
    """Return the closed form for two rods of 2 kg, 0.5 m and 1.2 kg, 0.4 m in a vertical plane."""
    elbow = 1.2 * 0.2 * 9.81 * math.cos(q[0] + q[1])
    return np.array([(2.0 * 0.25 + 1.2 * 0.5) * 9.81 * math.cos(q[0]) + elbow, elbow])


@pytest.fixture(scope='module')
def types(tmp_path_factory):
    """Give the types of control_msgs, to this process and to those that it starts."""
    path = os.environ.get('PYTHONPATH')
    if importlib.util.find_spec('control_msgs') is None:
        if build_control_msgs.why_not():
            pytest.skip(build_control_msgs.why_not())
        built = str(build_control_msgs.build(tmp_path_factory.mktemp('control_msgs')))
        sys.path.insert(0, built)
        os.environ['PYTHONPATH'] = os.pathsep.join(filter(None, [built, path]))
    from control_msgs.action import FollowJointTrajectory
    from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
    yield SimpleNamespace(follow=FollowJointTrajectory, tolerance=JointTolerance,
                          state=JointTrajectoryControllerState)
    if path is None:
        os.environ.pop('PYTHONPATH', None)
    else:
        os.environ['PYTHONPATH'] = path


@pytest.fixture(scope='module')
def shared(types):
    from rclpy.action import ActionClient
    parameters = {
        'robot_description_file': str(ROOT / 'urdf' / 'two_link.urdf'), 'ramp_time': 0.0,
        'trigger': 'joint_states', 'mode': 'computed_torque', 'gains.p': [50.0],
        'gains.d': [0.0], 'state_timeout': 2.0, 'model_check.samples': 0,
        'diagnostic_updater.period': 0.1, 'action_monitor_rate': 100.0,
        'constraints.goal': [0.01], 'constraints.goal_time': 0.2}
    with FeedforwardRig(JOINTS, parameters) as rig:
        rig.client = ActionClient(rig.peer.node, types.follow,
                                  f'{rig.node}/follow_joint_trajectory')
        assert rig.client.wait_for_server(30.0)
        rig.states = rig.peer.listen(types.state, f'{rig.node}/controller_state')
        rig.types = types
        yield rig


@pytest.fixture
def rig(shared):
    shared.step(HOME)
    shared.enable(False)
    assert shared.enable(True).success
    shared.step(HOME)
    return shared


def send(rig, times=(0.5,), positions=(FAR,), **fields):
    """Send a goal; return its handle and the list of its feedback."""
    goal = rig.types.follow.Goal(
        trajectory=trajectory_message(JOINTS, times, positions), **fields)
    feedback = []
    future = rig.client.send_goal_async(goal, feedback_callback=feedback.append)
    wait(future.done, 'the answer to the goal', lambda: rig.process.log)
    return future.result(), feedback


def result(rig, handle):
    """Return status and result of a goal."""
    future = handle.get_result_async()
    wait(future.done, 'the result', lambda: rig.process.log)
    return future.result().status, future.result().result


def follow(rig, seconds, lag=0.0):
    """Let the arm be where the reference was a step before, less a lag; return where it is."""
    for _ in range(round(seconds / 0.02)):
        q = np.array(rig.efforts[-1].position) - lag
        rig.step(q, dt=0.02)
    return q


def test_a_goal_that_is_reached_succeeds_with_feedback_and_state(rig):
    handle, feedback = send(rig)
    assert handle.accepted
    follow(rig, 0.6)
    status, outcome = result(rig, handle)
    assert status == SUCCEEDED and outcome.error_code == rig.types.follow.Result.SUCCESSFUL
    assert feedback and list(feedback[-1].feedback.joint_names) == list(JOINTS)
    assert len(feedback[-1].feedback.desired.positions) == 2
    wait(lambda: rig.states and np.allclose(rig.states[-1].reference.positions, FAR),
         'the controller state')
    state = rig.states[-1]
    assert np.allclose(state.output.effort, rig.efforts[-1].effort)
    assert np.allclose(np.array(state.reference.positions) - state.feedback.positions,
                       state.error.positions)


def test_a_goal_that_breaks_a_rule_is_rejected(rig):
    handle, _ = send(rig, times=(0.5, 0.5), positions=(FAR, HOME))
    assert not handle.accepted
    rig.process.wait_for_log('times not increasing')


def test_a_cancelled_goal_holds_the_measured_position(rig):
    handle, _ = send(rig)
    here = follow(rig, 0.2)
    cancelled = handle.cancel_goal_async()
    wait(cancelled.done, 'the cancellation')
    status, outcome = result(rig, handle)
    assert status == CANCELED
    for dt in (0.02, 0.3):
        assert np.allclose(rig.step(here, dt=dt), gravity(here), atol=1e-9)
        assert np.array_equal(rig.efforts[-1].position, here)


def test_a_new_goal_aborts_the_old_one(rig):
    first, _ = send(rig)
    follow(rig, 0.1)
    second, _ = send(rig, positions=(HOME,))
    status, outcome = result(rig, first)
    assert status == ABORTED and 'new goal' in outcome.error_string
    follow(rig, 0.7)
    assert result(rig, second)[0] == SUCCEEDED


def test_an_arm_that_leaves_its_path_aborts_the_goal(rig):
    tolerance = rig.types.tolerance(name='shoulder', position=0.05)
    handle, _ = send(rig, path_tolerance=[tolerance])
    follow(rig, 0.3, lag=0.1)
    status, outcome = result(rig, handle)
    assert status == ABORTED
    assert outcome.error_code == rig.types.follow.Result.PATH_TOLERANCE_VIOLATED
    assert "'shoulder'" in outcome.error_string


def test_a_goal_that_is_missed_is_aborted_after_its_goal_time(rig):
    goal = {'goal_tolerance': [rig.types.tolerance(name='elbow', position=0.02)]}
    handle, _ = send(rig, **goal)
    follow(rig, 0.6, lag=0.1)
    future = handle.get_result_async()
    assert not future.done()                            # goal_time is not over yet
    follow(rig, 0.3, lag=0.1)
    status, outcome = result(rig, handle)
    assert status == ABORTED
    assert outcome.error_code == rig.types.follow.Result.GOAL_TOLERANCE_VIOLATED


def test_disabling_aborts_the_goal(rig):
    handle, _ = send(rig)
    follow(rig, 0.1)
    assert rig.enable(False).success
    rig.step(HOME)
    assert result(rig, handle)[0] == ABORTED


def test_a_stamp_in_the_past_is_rejected(rig):
    message = trajectory_message(JOINTS, [0.1], [FAR])
    set_stamp(message.header.stamp, 1)
    future = rig.client.send_goal_async(rig.types.follow.Goal(trajectory=message))
    wait(future.done, 'the answer')
    assert not future.result().accepted
