# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The action ~/follow_joint_trajectory, ~/controller_state and ~/query_state; real control_msgs.

It is on no package registry: where it is not installed, it is built from its definitions.
"""

import contextlib
import importlib.util
import math
import os
import sys
import time
from types import SimpleNamespace

import build_control_msgs
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from ros_graph import FeedforwardRig, ROOT, wait  # noqa: E402

from kane_dynamics.nodes.messages.conversions import (  # noqa: E402
    nanoseconds, set_stamp, trajectory_message)

pytestmark = [pytest.mark.ros, pytest.mark.slow]

JOINTS = ('shoulder', 'elbow')
HOME = np.array([0.3, 0.4])
FAR = HOME + [0.2, -0.1]
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6      # action_msgs/GoalStatus
PARAMETERS = {
    'robot_description_file': str(ROOT / 'urdf' / 'two_link.urdf'), 'ramp_time': 0.0,
    'trigger': 'joint_states', 'mode': 'computed_torque', 'gains.p': [50.0], 'gains.d': [0.0],
    'gain_check': 'warn',       # p alone is unstable: no plant answers here
    'state_timeout': 2.0, 'model_check.samples': 0, 'diagnostic_updater.period': 0.1,
    'action_monitor_rate': 100.0, 'constraints.goal': [0.01], 'constraints.goal_time': 0.2}
DEFAULTS = {
    'mode': 'computed_torque', 'gains.p': [50.0], 'cmd_timeout': 0.0, 'policy_frequency': 0.0,
    'constraints.trajectory': [0.0], 'constraints.goal_time': 0.2}


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
    from control_msgs.srv import QueryTrajectoryState
    yield SimpleNamespace(follow=FollowJointTrajectory, tolerance=JointTolerance,
                          state=JointTrajectoryControllerState, query=QueryTrajectoryState)
    if path is None:
        os.environ.pop('PYTHONPATH', None)
    else:
        os.environ['PYTHONPATH'] = path


@contextlib.contextmanager
def action_rig(types, **changes):
    """Give a node with an action, and its client."""
    from rclpy.action import ActionClient
    with FeedforwardRig(JOINTS, {**PARAMETERS, **changes}) as rig:
        rig.client = ActionClient(rig.peer.node, types.follow,
                                  f'{rig.node}/follow_joint_trajectory')
        assert rig.client.wait_for_server(30.0)
        rig.states = rig.peer.listen(types.state, f'{rig.node}/controller_state')
        rig.types = types
        yield rig


@pytest.fixture(scope='module')
def shared(types):
    with action_rig(types) as rig:
        yield rig


@pytest.fixture
def rig(shared):
    shared.step(HOME)
    shared.enable(False)
    for result in shared.peer.set_parameters(
            shared.node, **{name.replace('.', '__'): DEFAULTS[name] for name in DEFAULTS}):
        assert result.successful, result.reason
    assert shared.enable(True).success
    shared.step(HOME)
    return shared


def change(rig, **values):
    for answer in rig.peer.set_parameters(rig.node, **values):
        assert answer.successful, answer.reason


def send(rig, times=(0.5,), positions=(FAR,), stamp=0, **fields):
    """Send a goal; return its handle and the list of its feedback."""
    goal = rig.types.follow.Goal(
        trajectory=trajectory_message(JOINTS, times, positions, stamp=stamp), **fields)
    feedback = []
    future = rig.client.send_goal_async(goal, feedback_callback=feedback.append)
    wait(future.done, 'the answer to the goal', lambda: rig.process.log)
    return future.result(), feedback


def result(rig, handle):
    """Return status and result of a goal."""
    future = handle.get_result_async()
    wait(future.done, 'the result', lambda: rig.process.log)
    return future.result().status, future.result().result


def follow(rig, seconds, lag=0.0, qd=None):
    """Let the arm be where the reference was a step before, less a lag; return where it is."""
    for _ in range(round(seconds / 0.02)):
        q = np.array(rig.efforts[-1].position) - lag
        rig.step(q, qd, dt=0.02)
    return q


def reference(rig, q, seconds=0.02):
    """Stay at q for a time and return the reference position and velocity."""
    steps = max(1, round(seconds / 0.1))        # longer ones would be jumps of the clock
    rig.run(seconds, q, dt=seconds / steps)
    message = next(each for each in reversed(rig.efforts)
                   if nanoseconds(each.header.stamp) == rig.t)
    return np.array(message.position), np.array(message.velocity)


def still_active(rig, handle, seconds=0.3):
    """Check that several looks of the monitor do not end a goal."""
    future = handle.get_result_async()
    time.sleep(seconds)
    return not future.done()


def message_at(rig, messages, ns=None):
    """Return the message with a stamp [ns], by default that of now."""
    ns = rig.t if ns is None else ns

    def found():
        return [each for each in reversed(messages) if nanoseconds(each.header.stamp) == ns]
    wait(found, f'a message for {ns} ns', lambda: rig.process.log)
    return found()[0]


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


# ---- states and feedback


def test_feedback_and_state_tell_time_point_and_errors_of_one_cycle(rig):
    # test_trajectory_controller.cpp, state_topic_consistency and time_from_start_populated
    start = rig.t
    half = 0.5 * (HOME + FAR)
    handle, feedback = send(rig, (0.2, 0.5), (half, FAR))
    messages, indices = [], []
    for _ in range(3):
        follow(rig, 0.14, lag=0.01)
        wait(lambda: feedback and nanoseconds(feedback[-1].feedback.header.stamp) == rig.t,
             'feedback')
        messages.append(feedback[-1].feedback)
        indices.append(feedback[-1].feedback.index)
    assert indices == [0, 1, 1]             # the point to come, of those that were sent
    for message in messages:
        since = nanoseconds(message.header.stamp) - start
        assert nanoseconds(message.desired.time_from_start) == since
        assert nanoseconds(message.actual.time_from_start) == since
        difference = np.subtract(message.desired.positions, message.actual.positions)
        assert np.allclose(message.error.positions, difference, atol=1e-12)
        assert np.allclose(message.error.velocities, message.desired.velocities)   # it stands
        assert len(message.desired.accelerations) == 2 and not message.actual.accelerations
    state = message_at(rig, rig.states)
    assert state.joint_names == list(JOINTS) and state.speed_scaling_factor == 1.0
    assert np.array_equal(state.output.effort, rig.effort_at(rig.t))
    assert nanoseconds(state.reference.time_from_start) == rig.t - start
    assert state.feedback == messages[-1].actual and state.error == messages[-1].error
    follow(rig, 0.4)
    assert result(rig, handle)[0] == SUCCEEDED
    assert feedback[-1].feedback.index == 2


def test_points_that_were_past_on_arrival_count_in_the_index(rig):
    handle, feedback = send(rig, (0.1, 1.0), (HOME, FAR), stamp=rig.t - 200_000_000)
    follow(rig, 0.1)
    wait(lambda: feedback, 'feedback')
    assert feedback[-1].feedback.index == 1
    assert handle.cancel_goal_async() and result(rig, handle)[0] == CANCELED


def test_the_index_of_points_without_times_is_by_the_policy_frequency(rig):
    change(rig, policy_frequency=10.0)
    handle, feedback = send(rig, (0.0, 0.0, 0.0), (HOME, HOME + 0.05, HOME))
    follow(rig, 0.16)
    wait(lambda: feedback and nanoseconds(feedback[-1].feedback.header.stamp) == rig.t, 'feedback')
    assert feedback[-1].feedback.index == 1
    follow(rig, 0.4)
    assert result(rig, handle)[0] == SUCCEEDED


def test_a_state_can_be_asked_for_at_any_time_of_the_trajectory(rig):
    def ask(since):
        request = rig.types.query.Request()
        set_stamp(request.time, start + round(since * 1e9))
        return rig.peer.call(rig.types.query, f'{rig.node}/query_state', again=True,
                             time=request.time)
    start = rig.t
    handle, _ = send(rig)
    rig.step(HOME)
    for s in (0.0, 0.1, 0.3, 0.499):
        answer, x = ask(s), s / 0.5
        assert answer.success and answer.name == list(JOINTS), answer
        # one spline from rest to rest: 3 x^2 - 2 x^3
        assert np.allclose(answer.position, HOME + (FAR - HOME) * (3 * x**2 - 2 * x**3))
        assert np.allclose(answer.velocity, (FAR - HOME) * (6 * x - 6 * x**2) / 0.5)
        assert np.allclose(answer.acceleration, (FAR - HOME) * (6 - 12 * x) / 0.25)
    # as the controller: no success before its start and from its end on
    early, late = ask(-0.1), ask(0.5)
    assert not early.success and 'before' in early.message and not early.position
    assert not late.success and 'after the end' in late.message and np.allclose(late.position, FAR)
    follow(rig, 0.7)
    assert result(rig, handle)[0] == SUCCEEDED


# ---- how goals end


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


def test_a_goal_that_is_missed_leaves_the_arm_held_where_it_is(rig):
    # test_trajectory_actions.cpp, test_goal_tolerances_fail
    handle, _ = send(rig)
    here = follow(rig, 0.8, lag=0.1)
    assert result(rig, handle)[0] == ABORTED
    position, _ = reference(rig, here)
    assert np.allclose(position, FAR - 0.1, atol=1e-9)


def test_an_arm_that_still_moves_has_not_reached_its_goal(rig):
    handle, _ = send(rig, goal_time_tolerance=duration(5.0))
    follow(rig, 0.6, qd=[0.02, 0.0])                    # stopped_velocity_tolerance is 0.01
    assert still_active(rig, handle)
    follow(rig, 0.1)
    assert result(rig, handle)[0] == SUCCEEDED


def test_after_the_last_point_the_path_tolerances_do_not_count(rig):
    tolerance = rig.types.tolerance(name='elbow', position=0.05)
    handle, _ = send(rig, path_tolerance=[tolerance], goal_time_tolerance=duration(5.0))
    follow(rig, 0.56, lag=0.03)                         # within the path's, not the goal's
    follow(rig, 0.1, lag=0.1)
    assert still_active(rig, handle)
    follow(rig, 0.1)
    assert result(rig, handle)[0] == SUCCEEDED


def test_a_goal_time_tolerance_of_minus_one_waits_for_ever(rig):
    handle, _ = send(rig, goal_time_tolerance=duration(-1.0))
    follow(rig, 3.0, lag=0.1)
    assert still_active(rig, handle)
    follow(rig, 0.1)
    assert result(rig, handle)[0] == SUCCEEDED


@pytest.mark.parametrize(('position', 'status'), [(-1.0, SUCCEEDED), (0.0, ABORTED)])
def test_minus_one_lifts_a_path_tolerance_and_zero_keeps_the_default(rig, position, status):
    change(rig, constraints__trajectory=[0.05])
    asked = [rig.types.tolerance(name=name, position=position) for name in JOINTS]
    handle, _ = send(rig, path_tolerance=asked)
    follow(rig, 0.3, lag=0.1)
    follow(rig, 0.4)
    assert result(rig, handle)[0] == status


@pytest.mark.parametrize('bad', [('wrist', 0.5), ('elbow', -0.5)])
def test_with_an_unknown_joint_or_an_illegal_value_all_default_tolerances_count(rig, bad):
    # test_tolerances.cpp, test_invalid_tolerances and test_invalid_joints_path_tolerance
    change(rig, constraints__trajectory=[0.05])
    asked = [rig.types.tolerance(name='shoulder', position=-1.0),
             rig.types.tolerance(name=bad[0], position=bad[1])]
    handle, _ = send(rig, path_tolerance=asked)
    assert handle.accepted
    rig.process.wait_for_log('the default tolerances apply')
    follow(rig, 0.3, lag=0.1)
    assert result(rig, handle)[1].error_code == rig.types.follow.Result.PATH_TOLERANCE_VIOLATED


def test_a_parameter_that_changes_leaves_the_goal_its_own_tolerances(rig):
    tolerance = rig.types.tolerance(name='shoulder', position=0.05)
    handle, _ = send(rig, path_tolerance=[tolerance])
    change(rig, gains__p=[40.0])
    follow(rig, 0.3, lag=0.1)
    assert result(rig, handle)[1].error_code == rig.types.follow.Result.PATH_TOLERANCE_VIOLATED


def test_a_goal_that_was_reached_keeps_its_last_point_after_cmd_timeout(rig):
    # set_success_trajectory_point: what is held does not grow stale
    change(rig, cmd_timeout=0.3)
    handle, _ = send(rig)
    follow(rig, 0.6)
    assert result(rig, handle)[0] == SUCCEEDED
    assert np.array_equal(reference(rig, HOME, 1.0)[0], FAR)


def test_a_goal_that_times_out_is_told_so(rig):
    change(rig, constraints__goal_time=0.0, cmd_timeout=0.3)
    handle, _ = send(rig)
    follow(rig, 0.9, lag=0.1)
    status, outcome = result(rig, handle)
    assert status == ABORTED and 'cmd_timeout' in outcome.error_string
    assert outcome.error_code == rig.types.follow.Result.GOAL_TOLERANCE_VIOLATED


def test_a_trajectory_that_comes_by_topic_aborts_the_goal(rig):
    handle, _ = send(rig)
    follow(rig, 0.1)
    rig.send(trajectory_message(JOINTS, [0.3], [HOME]))
    status, outcome = result(rig, handle)
    assert status == ABORTED and 'another trajectory' in outcome.error_string
    follow(rig, 0.4)
    assert np.allclose(reference(rig, HOME)[0], HOME)


# ---- without feedback


def test_without_feedback_the_errors_are_real_and_goals_are_judged_by_them(rig):
    change(rig, mode='feedforward')
    handle, feedback = send(rig)
    here = follow(rig, 0.6, lag=0.1)
    wait(lambda: feedback and nanoseconds(feedback[-1].feedback.header.stamp) == rig.t, 'feedback')
    assert np.allclose(feedback[-1].feedback.actual.positions, here)
    assert np.allclose(feedback[-1].feedback.error.positions, 0.1, atol=1e-9)
    assert still_active(rig, handle)
    follow(rig, 0.3, lag=0.1)
    status, outcome = result(rig, handle)
    assert status == ABORTED
    assert outcome.error_code == rig.types.follow.Result.GOAL_TOLERANCE_VIOLATED


# ---- nodes that are not as the others


def test_a_cancelled_goal_stops_at_once_however_rarely_the_monitor_looks(types):
    with action_rig(types, action_monitor_rate=0.2) as rig:
        rig.step(HOME)
        handle, _ = send(rig)
        here = follow(rig, 0.2)
        wait(handle.cancel_goal_async().done, 'the cancellation')
        position, velocity = reference(rig, here)
        assert np.array_equal(position, here) and not velocity.any()
        assert result(rig, handle)[0] == CANCELED


def test_a_cancelled_goal_slows_down_where_a_deceleration_is_set(types):
    # test_trajectory_actions.cpp, test_cancel_decelerate_to_hold_position
    with action_rig(types, **{'constraints.max_deceleration_on_cancel': [2.0, 4.0]}) as rig:
        rig.step(HOME)
        handle, _ = send(rig)
        speed = np.array([0.4, -0.4])
        here = follow(rig, 0.2, qd=speed)
        wait(handle.cancel_goal_async().done, 'the cancellation')
        assert result(rig, handle)[0] == CANCELED
        since = rig.t
        position, velocity = reference(rig, here, 0.05)
        s = (rig.t - since) * 1e-9
        assert np.allclose(velocity, speed - np.array([2.0, -4.0]) * s, atol=1e-9)
        assert np.allclose(position, here + speed * s - np.array([1.0, -2.0]) * s**2, atol=1e-9)
        position, velocity = reference(rig, here, 0.5)
        assert np.allclose(position, here + [0.04, -0.02], atol=1e-6) and not velocity.any()


def test_deactivation_aborts_the_goal_and_an_inactive_node_takes_none(types):
    # test_trajectory_actions.cpp, deactivate_controller_aborts_action
    with action_rig(types) as rig:
        rig.step(HOME)
        handle, _ = send(rig)
        follow(rig, 0.1)
        assert rig.peer.change_state(rig.node, 'deactivate')
        status, outcome = result(rig, handle)
        assert status == ABORTED and outcome.error_code == rig.types.follow.Result.INVALID_GOAL
        assert not send(rig)[0].accepted
        answer = rig.peer.call(types.query, f'{rig.node}/query_state', again=True)
        assert not answer.success and 'inactive' in answer.message


def duration(seconds):
    """Return a builtin_interfaces Duration."""
    from builtin_interfaces.msg import Duration
    message = Duration()
    set_stamp(message, round(seconds * 1e9))
    return message
