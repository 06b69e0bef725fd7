# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of joint_trajectory_controller reaches the feedforward node, over real DDS.

The rules themselves are claimed in test_trajectory_acceptance.py; here the reference that the node
publishes is compared with polynomials written out. The test holds the time.
"""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from ros_graph import FeedforwardRig, ROOT, wait  # noqa: E402

from kane_dynamics.nodes.messages.conversions import nanoseconds, trajectory_message  # noqa: E402

pytestmark = pytest.mark.ros

JOINTS = ('shoulder', 'elbow')
HOME = np.array([0.3, 0.4])
FAR = HOME + [0.4, -0.2]
ZERO = np.zeros(2)
DEFAULTS = {
    'allow_partial_joints_goal': False, 'allow_integration_in_goal_trajectories': False,
    'allow_nonzero_velocity_at_trajectory_end': False, 'allow_trajectory_replacement': True,
    'interpolate_from_desired_state': False, 'interpolation_method': 'splines',
    'positions_only': 'spline', 'lead_in': 'fields', 'policy_frequency': 0.0,
    'trajectory_effort': 'refuse', 'cmd_timeout': 0.0, 'check_position_limits': True,
    'check_velocity_limits': True, 'max_jump': 0.1, 'effort_limit_reaction': 'warn',
    'constraints__trajectory': [0.0], 'constraints__goal': [0.0], 'constraints__goal_time': 0.0}


@pytest.fixture(scope='module')
def shared():
    parameters = {
        'robot_description_file': str(ROOT / 'urdf' / 'two_link.urdf'), 'ramp_time': 0.0,
        'trigger': 'joint_states', 'update_rate': 100.0, 'state_timeout': 2.0,
        'clock_jump_threshold': 10.0,
        'model_check.samples': 0, 'diagnostic_updater.period': 0.05}
    with FeedforwardRig(JOINTS, parameters) as rig:
        yield rig


@pytest.fixture
def rig(shared):
    """Give a node that holds HOME with the default rules and no trajectory."""
    for result in shared.peer.set_parameters(shared.node, **DEFAULTS):
        assert result.successful, result.reason
    shared.step(HOME)
    shared.enable(False)
    assert shared.enable(True).success
    shared.step(HOME)
    return shared


def answered(rig, message, outcome):
    """Send a goal; return the diagnostics' values once it is accepted or refused."""
    before = rig.status('Trajectories')[2]
    rig.send(message)
    counts = {}

    def counted():
        counts.update(rig.status('Trajectories')[2])
        return any(counts[key] != before[key] for key in ('accepted', 'refused'))
    wait(counted, 'an answer to the goal', lambda: rig.process.log)
    assert int(counts[outcome]) == int(before[outcome]) + 1, rig.process.log[-2000:]
    return rig.status('Trajectories')[1]


def accepted(rig, message):
    """Send a goal and return the moment [ns] at which it was taken."""
    answered(rig, message, 'accepted')
    return rig.t


def reference(rig, q=HOME, dt=0.01):
    """Step and return the reference position and velocity."""
    rig.step(q, dt=dt)
    message = next(each for each in reversed(rig.efforts)
                   if nanoseconds(each.header.stamp) == rig.t)
    return np.array(message.position), np.array(message.velocity)


def message(times, positions, **fields):
    return trajectory_message(JOINTS, times, positions, **fields)


# -- what is refused ----------------------------------------------------------------------------

REFUSED = {
    'unknown joint': trajectory_message(('shoulder', 'wrist'), [1.0], [HOME]),
    'missing joint': trajectory_message(('shoulder',), [1.0], [HOME[:1]]),
    'duplicate joint': trajectory_message(('elbow', 'elbow'), [1.0], [HOME]),
    'empty joint names': trajectory_message((), [1.0], [[]]),
    'empty points': message([], np.zeros((0, 2))),
    'times not increasing': message([1.0, 1.0], [FAR, HOME]),
    'field length': message([1.0], [[0.1, 0.2, 0.3]]),
    'not finite': message([1.0], [[math.nan, 0.4]]),
    'no positions': trajectory_message(JOINTS, [1.0], np.zeros((1, 0)), velocities=[ZERO]),
    'non-zero end velocity': message([1.0], [FAR], velocities=[[0.1, 0.0]]),
    'effort not allowed': message([1.0], [FAR], efforts=[[1.0, 2.0]]),
    'accelerations without velocities': message([1.0], [FAR], accelerations=[ZERO]),
    'in the past': message([0.1], [FAR], stamp=500_000_000),
    'discontinuity': message([0.0, 1.0], [FAR, HOME]),
    'position limit': message([1.0], [[3.3, 0.4]]),
    'velocity limit': message([0.05], [FAR]),
}


@pytest.mark.parametrize('reason', REFUSED)
def test_a_goal_that_breaks_a_rule_is_refused_with_the_reason(rig, reason):
    text = answered(rig, REFUSED[reason], 'refused')
    assert f'trajectory refused ({reason})' in text
    position, velocity = reference(rig)
    assert np.array_equal(position, HOME) and np.array_equal(velocity, ZERO)  # as before


def test_a_goal_beyond_effort_limits_is_refused_on_request_and_warned_of_otherwise(rig):
    goal = message([0.25], [HOME + 1.0], velocities=[ZERO], accelerations=[ZERO])
    rig.peer.set_parameters(rig.node, check_velocity_limits=False,
                            effort_limit_reaction='refuse')
    assert 'effort limit' in answered(rig, goal, 'refused')
    rig.peer.set_parameters(rig.node, effort_limit_reaction='warn')
    answered(rig, goal, 'accepted')
    rig.process.wait_for_log('the torque will be limited')


def test_no_goal_is_taken_in_a_mode_that_follows_none(rig):
    assert rig.peer.set_parameters(rig.node, mode='gravity')[0].successful
    assert "'gravity'" in answered(rig, message([1.0], [FAR]), 'refused')
    assert rig.peer.set_parameters(rig.node, mode='feedforward')[0].successful


# -- what is accepted, and the motion that follows ----------------------------------------------


def test_positions_alone_are_joined_by_a_spline_that_starts_and_ends_at_rest(rig):
    start = accepted(rig, message([1.0], [FAR]))
    for _ in range(30):
        position, velocity = reference(rig)
        s = (rig.t - start) * 1e-9
        # one segment from rest to rest: 3 s^2 - 2 s^3
        assert np.allclose(position, HOME + (FAR - HOME) * (3 * s**2 - 2 * s**3), atol=1e-12)
        assert np.allclose(velocity, (FAR - HOME) * (6 * s - 6 * s**2), atol=1e-11)


def test_positions_alone_are_straight_lines_where_asked(rig):
    rig.peer.set_parameters(rig.node, positions_only='linear')
    start = accepted(rig, message([1.0], [FAR]))
    position, velocity = reference(rig, dt=0.3)
    s = (rig.t - start) * 1e-9
    assert np.allclose(position, HOME + s * (FAR - HOME), atol=1e-12)
    assert np.allclose(velocity, FAR - HOME, atol=1e-12)


def test_velocities_make_cubics_and_accelerations_quintics(rig):
    for fields, law in (({'velocities': [ZERO]}, lambda s: 3 * s**2 - 2 * s**3),
                        ({'velocities': [ZERO], 'accelerations': [ZERO]},
                         lambda s: 10 * s**3 - 15 * s**4 + 6 * s**5)):
        start = accepted(rig, message([1.0], [FAR], **fields))
        position, _ = reference(rig, dt=0.37)
        s = (rig.t - start) * 1e-9
        assert np.allclose(position, HOME + (FAR - HOME) * law(s), atol=1e-12)
        rig.enable(False)
        rig.step(HOME)
        rig.enable(True)


def test_the_last_point_is_held_at_rest(rig):
    accepted(rig, message([0.3], [FAR]))
    position, velocity = reference(rig, dt=0.4)
    assert np.array_equal(position, FAR) and np.array_equal(velocity, ZERO)


def test_joints_in_any_order_are_mapped_by_name(rig):
    accepted(rig, trajectory_message(JOINTS[::-1], [0.3], [FAR[::-1]]))
    assert np.array_equal(reference(rig, dt=0.4)[0], FAR)


def test_a_stamp_sets_the_start_and_points_of_the_past_are_discarded(rig):
    stamp = rig.t - 200_000_000
    half = 0.5 * (HOME + FAR)
    accepted(rig, message([0.1, 1.0], [half, FAR], velocities=[ZERO, ZERO], stamp=stamp))
    rig.step(HOME, dt=0.4)
    assert np.array_equal(reference(rig, dt=0.41)[0], FAR)     # at stamp + 1.01 s
    later = rig.t + 300_000_000
    accepted(rig, message([0.0, 0.5], [FAR, HOME], velocities=[ZERO, ZERO], stamp=later))
    assert np.allclose(reference(rig, FAR, dt=0.3)[0], FAR, atol=1e-9)
    position, _ = reference(rig, FAR, dt=0.25)
    assert np.allclose(position, half, atol=1e-9)              # half way, half the time


def test_a_running_trajectory_is_replaced_without_a_step(rig):
    accepted(rig, message([1.0], [FAR]))
    before, speed = reference(rig, dt=0.5)
    accepted(rig, message([1.0], [HOME]))
    after, speed_after = reference(rig, dt=0.001)
    assert np.allclose(after, before + 0.001 * speed, atol=1e-5)
    assert np.allclose(speed_after, speed, atol=0.01)
    assert np.array_equal(reference(rig, dt=1.1)[0], HOME)


def test_without_replacement_a_goal_leads_in_from_the_measured_state(rig):
    rig.peer.set_parameters(rig.node, allow_trajectory_replacement=False)
    accepted(rig, message([1.0], [FAR]))
    reference(rig, dt=0.5)                                     # the reference went on, HOME not
    accepted(rig, message([1.0], [FAR]))
    position, _ = reference(rig, dt=0.001)
    assert np.allclose(position, HOME, atol=1e-5)


def test_the_lead_in_may_start_from_the_desired_state(rig):
    accepted(rig, message([0.2], [FAR]))
    reference(rig, dt=0.3)                                     # it ended there; the arm did not
    rig.peer.set_parameters(rig.node, interpolate_from_desired_state=True)
    accepted(rig, message([1.0], [HOME]))
    assert np.allclose(reference(rig, dt=0.001)[0], FAR, atol=1e-5)


def test_a_trajectory_that_has_ended_is_not_joined_but_led_in_from_the_measured_state(rig):
    accepted(rig, message([0.1, 0.2], [HOME, FAR]))
    reference(rig, dt=0.3)                                     # it ended there; the arm did not
    accepted(rig, message([1.0], [HOME + 0.2]))
    assert np.allclose(reference(rig, dt=0.001)[0], HOME, atol=1e-5)


def test_joints_that_a_partial_goal_leaves_out_hold(rig):
    rig.peer.set_parameters(rig.node, allow_partial_joints_goal=True)
    accepted(rig, trajectory_message(('elbow',), [0.3], [FAR[1:]]))
    assert np.allclose(reference(rig, dt=0.4)[0], [HOME[0], FAR[1]], atol=1e-12)


def test_velocities_are_integrated_where_allowed(rig):
    rig.peer.set_parameters(rig.node, allow_integration_in_goal_trajectories=True)
    speed = np.array([0.5, 0.25])
    accepted(rig, trajectory_message(JOINTS, [0.5, 1.0], np.zeros((2, 0)),
                                     velocities=[speed, ZERO]))
    # Heun: the mean of the velocities at both ends, from rest
    assert np.allclose(reference(rig, dt=1.1)[0], HOME + 0.5 * 0.5 * speed + 0.25 * speed,
                       atol=1e-9)


def test_a_moving_end_is_taken_where_allowed_and_held_at_rest(rig):
    rig.peer.set_parameters(rig.node, allow_nonzero_velocity_at_trajectory_end=True)
    accepted(rig, message([0.5], [FAR], velocities=[[0.2, 0.0]]))
    position, velocity = reference(rig, dt=0.6)
    assert np.array_equal(position, FAR) and np.array_equal(velocity, ZERO)


def test_the_next_point_stands_as_it_is_with_interpolation_none(rig):
    rig.peer.set_parameters(rig.node, interpolation_method='none', max_jump=0.0)
    accepted(rig, message([0.0, 1.0], [HOME, FAR]))
    assert np.array_equal(reference(rig, dt=0.1)[0], FAR)


def test_points_without_times_follow_the_policy_frequency(rig):
    rig.peer.set_parameters(rig.node, policy_frequency=10.0)
    accepted(rig, message([0.0, 0.0, 0.0], [HOME, FAR, HOME]))
    assert np.allclose(reference(rig, dt=0.2)[0], FAR, atol=1e-9)


def test_after_cmd_timeout_the_measured_position_is_held(rig):
    rig.peer.set_parameters(rig.node, cmd_timeout=0.2)
    accepted(rig, message([0.3], [FAR]))
    assert np.array_equal(reference(rig, dt=0.4)[0], FAR)
    assert np.array_equal(reference(rig, HOME + 0.1, dt=0.2)[0], HOME + 0.1)


def test_a_cmd_timeout_that_is_not_longer_than_goal_time_is_ignored_and_said_so(rig):
    rig.peer.set_parameters(rig.node, constraints__goal_time=0.2, cmd_timeout=0.2)
    rig.process.wait_for_log('cmd_timeout 0.2 s is ignored')
    accepted(rig, message([0.3], [FAR]))
    assert np.array_equal(reference(rig, HOME, dt=0.9)[0], FAR)


def test_a_goal_that_is_missed_is_given_up_and_the_measured_position_held(rig):
    rig.peer.set_parameters(rig.node, constraints__goal=[0.05], constraints__goal_time=0.2)
    accepted(rig, message([0.3], [FAR]))
    short = FAR - [0.1, 0.0]
    assert np.array_equal(reference(rig, short, dt=0.4)[0], FAR)
    assert np.allclose(reference(rig, short, dt=0.2)[0], short, atol=1e-12)
    text = rig.status('Trajectories')[1]
    assert "'shoulder'" in text and 'from its goal' in text


def test_a_trajectory_left_behind_is_given_up_also_without_feedback(rig):
    rig.peer.set_parameters(rig.node, constraints__trajectory=[0.05])
    accepted(rig, message([0.3], [FAR]))
    assert np.array_equal(reference(rig, dt=0.2)[0], HOME)


def test_effort_in_a_goal_is_added_where_asked(rig):
    rig.peer.set_parameters(rig.node, trajectory_effort='add')
    plain = rig.step(HOME)
    extra = np.array([1.5, -0.5])
    accepted(rig, message([0.0, 1.0], [HOME, HOME], efforts=[extra, extra]))
    assert np.allclose(rig.step(HOME), plain + extra, atol=1e-9)


def test_effort_that_is_still_added_after_the_end_leads_in_to_the_next_goal(rig):
    rig.peer.set_parameters(rig.node, trajectory_effort='add')
    plain = rig.step(HOME)
    extra = np.array([1.5, -0.5])
    accepted(rig, message([0.0, 0.1], [HOME, HOME], efforts=[extra, extra]))
    assert np.allclose(rig.step(HOME, dt=0.2), plain + extra, atol=1e-9)
    start = accepted(rig, message([1.0], [HOME]))
    for _ in range(3):
        tau, s = rig.step(HOME, dt=0.2), (rig.t - start) * 1e-9
        assert np.allclose(tau, plain + (1.0 - s) * extra, atol=1e-9)


def test_repeated_deferred_goals_all_replace_one_another(rig):
    # ros2_controllers#2607: several goals, each to start later than the last came
    for target in (FAR, HOME - 0.2, FAR + 0.1):
        accepted(rig, message([0.3], [target], stamp=rig.t + 200_000_000))
        reference(rig, dt=0.05)
    reference(rig, dt=0.45)
    assert np.allclose(reference(rig, dt=0.1)[0], FAR + 0.1, atol=1e-9)
