# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""When a trajectory is given up, by joint_trajectory_controller's rules (its update()).

The second half drives a Controller of urdf/two_link.urdf, without ROS.
"""

import math
from pathlib import Path

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.control.controller import Controller
from kane_dynamics.control.phase import Known
from kane_dynamics.control.torque_model import TorqueModel
from kane_dynamics.control.tracking_watch import GOAL, PATH, TrackingWatch
from kane_dynamics.trajectory.goal.tolerances import Tolerances
from kane_dynamics.trajectory.trajectory import Trajectory

JOINTS = ('shoulder', 'elbow')
END = 10.0
STILL = np.zeros((2, 2))
FAR = np.array([[0.0, 0.3], [0.0, 0.0]])        # the elbow is 0.3 rad off
FAST = np.array([[0.0, 0.0], [0.5, 0.0]])       # the shoulder is 0.5 rad/s off
ROBOT = kd.load_urdf(str(Path(__file__).resolve().parents[2] / 'urdf' / 'two_link.urdf'))
MODEL = TorqueModel(kd.Dynamics(ROBOT, parametric=True), ROBOT.joint_names, {})
HOME = np.array([0.3, 0.4])
DT = 0.01


def watch(own=None, cmd_timeout=0.0, **defaults):
    made = TrackingWatch(JOINTS)
    made.set_defaults(Tolerances.of(JOINTS, **defaults), cmd_timeout)
    made.begin(END, own)
    assert made.verdict(1.0, STILL) is None     # the first cycle
    return made


def test_path_tolerances_count_until_the_last_point_is_due():
    watched = watch(trajectory=0.2)
    code, text = watched.verdict(END - DT, FAR)
    assert code == PATH and text == ("position of joint 'elbow' is 0.3 from its trajectory; the "
                                     'tolerance is 0.2')
    assert watched.verdict(END, FAR) is None and watched.verdict(END + 100.0, FAR) is None


def test_the_first_cycle_is_judged_by_the_path_also_when_the_last_point_is_due():
    # test_trajectory_actions.cpp, test_no_time_from_start_state_tolerance_fail
    watched = TrackingWatch(JOINTS)
    watched.set_defaults(Tolerances.of(JOINTS, trajectory=0.2))
    watched.begin(END)
    assert watched.verdict(END, FAR)[0] == PATH
    assert watched.verdict(END + DT, FAR) is None


def test_goal_tolerances_count_later_than_goal_time_after_the_last_point():
    watched = watch(goal=0.2, goal_time=0.5)
    assert watched.verdict(END - DT, FAR) is None
    assert watched.verdict(END + 0.5, FAR) is None
    code, text = watched.verdict(END + 0.51, FAR)
    assert code == GOAL and text == ("position of joint 'elbow' is 0.3 from its goal; the "
                                     'tolerance is 0.2')
    assert watched.verdict(END + 0.51, STILL) is None


def test_without_goal_time_the_goal_is_awaited_for_ever():
    assert watch(goal=0.2).verdict(END + 1e6, FAR) is None


def test_an_arm_that_still_moves_has_not_reached_its_goal():
    assert watch(goal_time=0.5).verdict(END + 1.0, FAST)[0] == GOAL
    assert watch(goal_time=0.5, stopped_velocity=0.6).verdict(END + 1.0, FAST) is None


def test_velocities_that_are_not_known_are_not_judged():
    # the controller: error.velocities stay zero without a velocity state interface
    assert watch(goal_time=0.5).verdict(END + 1.0, FAST[:1]) is None
    assert watch(goal=0.2, goal_time=0.5).verdict(END + 1.0, FAR[:0]) is None


def test_cmd_timeout_counts_from_the_last_point_and_only_if_longer_than_goal_time():
    # test_trajectory_controller.cpp, accept_correct_cmd_timeout and decline_false_cmd_timeout
    watched = watch(cmd_timeout=0.5, goal_time=0.1)
    assert watched.verdict(END + 0.5, STILL) is None
    assert 'cmd_timeout' in watched.verdict(END + 0.51, STILL)[1]
    assert watch(cmd_timeout=0.5, goal_time=0.5).verdict(END + 100.0, STILL) is None


def test_a_goals_own_tolerances_count_as_long_as_it_is_followed():
    watched = watch(own=Tolerances.of(JOINTS, trajectory=0.2), trajectory=1.0)
    watched.set_defaults(Tolerances.of(JOINTS, trajectory=2.0))     # parameters change meanwhile
    assert watched.verdict(5.0, FAR)[0] == PATH
    watched.begin(END)
    assert watched.verdict(5.0, FAR) is None


def test_errors_are_asked_for_only_where_a_tolerance_needs_them():
    assert not watch().needs_errors and not watch(goal=0.1).needs_errors
    assert watch(trajectory=0.1).needs_errors and watch(goal_time=0.1).needs_errors


# ---- what the controller does then


class Rig:
    """A controller that follows a motion of 0.5 s to HOME + 0.2, and its time."""

    def __init__(self, mode='computed_torque', velocity=True, cmd_timeout=0.0, **tolerances):
        self.logged, self._velocity = [], velocity
        self.controller = controller = Controller(
            ROBOT.joint_names, MODEL, log=lambda level, text: self.logged.append(text),
            read_state=self.read)
        controller.mode, controller.ramp_time = mode, 0.0
        controller.law.set_feedback('pd', 50.0, 0.0)
        controller.watch.set_defaults(Tolerances.of(JOINTS, **tolerances), cmd_timeout)
        controller.restart(enabled=True)
        self.t, self.state = 0.0, (HOME, np.zeros(2))
        self.run(DT)
        self.goal = Trajectory(JOINTS, [0.0, 0.5], [HOME, HOME + 0.2], start=self.t)
        controller.follow(self.goal)

    def read(self, measured):
        measured[:] = self.state

    def run(self, seconds, q=HOME, qd=(0.0, 0.0), fresh=True):
        """Go on with a state; return the reference (3, n)."""
        self.state = q, np.asarray(qd)
        for _ in range(round(seconds / DT)):
            self.t += DT
            self.controller.cycle(self.t, Known.of(fresh, self._velocity))
        return self.controller.law.reference.copy()


def test_a_goal_that_is_missed_is_given_up_and_the_measured_position_held():
    # test_trajectory_controller.cpp, test_goal_tolerances_fail: without an action too
    rig = Rig(goal=0.05, goal_time=0.1)
    assert np.allclose(rig.run(0.59)[0], HOME + 0.2) and rig.controller.following
    assert np.allclose(rig.run(0.05)[0], HOME) and not rig.controller.following
    goal, code, text = rig.controller.last_given_up
    assert goal is rig.goal and code == GOAL and text in rig.logged[-1]
    # and it stays there, though the arm moves on
    assert np.allclose(rig.run(1.0, q=HOME - 0.3)[0], HOME) and rig.controller.given_up == 1


def test_a_goal_that_is_reached_keeps_its_last_point_whatever_happens():
    # set_success_trajectory_point: cmd_timeout and tolerances do not count for what is held
    rig = Rig(goal=0.05, goal_time=0.1, trajectory=0.05, cmd_timeout=0.3)
    for _ in range(56):
        rig.run(DT, q=rig.controller.law.r_q.copy())
    rig.controller.finish()
    assert np.allclose(rig.run(2.0, q=HOME)[0], HOME + 0.2) and rig.controller.given_up == 0


def test_after_cmd_timeout_the_measured_position_is_held():
    rig = Rig(cmd_timeout=0.3)
    assert np.allclose(rig.run(0.79)[0], HOME + 0.2)
    assert np.allclose(rig.run(0.02)[0], HOME)


@pytest.mark.parametrize('fresh', [True, False])
def test_without_feedback_an_arm_that_is_seen_is_judged_and_one_that_is_not_is_not(fresh):
    rig = Rig(mode='feedforward', trajectory=0.05)
    reference = rig.run(0.6, fresh=fresh)
    assert np.allclose(reference[0], HOME if fresh else HOME + 0.2)
    assert rig.controller.given_up == fresh


@pytest.mark.parametrize('mode', ['computed_torque', 'feedforward'])
def test_errors_are_told_in_every_mode(mode):
    rig = Rig(mode=mode)
    rig.run(0.6, q=HOME + 0.15)
    rig.controller.compare()
    assert np.allclose(rig.controller.law.error, [[0.05, 0.05], [0.0, 0.0]])


def test_a_trajectory_that_is_given_up_slows_down_where_a_deceleration_is_set():
    rig = Rig(trajectory=0.05)
    rig.controller.deceleration = np.array([2.0, 4.0])
    speed = np.array([0.4, -0.4])
    while rig.controller.following:
        rig.run(DT, q=HOME, qd=speed)
    # v^2 / (2 d) further on, after |v| / d; the first reference is where the arm is
    assert np.allclose(rig.controller.law.reference, [HOME, speed, [-2.0, 4.0]])
    rest = rig.run(0.3, q=HOME)
    assert np.allclose(rest[0], HOME + [0.04, -0.02]) and not rest[1:].any()


def test_without_velocities_it_stops_at_once():
    rig = Rig(trajectory=0.05, velocity=False)
    rig.controller.deceleration = np.array([2.0, 4.0])
    while rig.controller.following:
        rig.run(DT, qd=[0.4, -0.4])
    assert np.allclose(rig.controller.law.reference, [HOME, [0.0, 0.0], [0.0, 0.0]])


def test_an_arm_that_is_not_seen_slows_down_from_its_reference():
    rig = Rig(mode='feedforward')
    controller = rig.controller
    controller.restart(enabled=True)
    controller.deceleration = np.array([2.0, 2.0])
    controller.follow(Trajectory(JOINTS, [0.0, 10.0], [HOME, HOME + 10.0], start=rig.t,
                                 interpolation='fields'))
    q = rig.run(0.5, fresh=False)[0]
    controller.hold_position()
    rest = rig.run(1.0, fresh=False)
    assert np.allclose(rest[0], q + 1.0**2 / (2.0 * 2.0)) and not rest[1:].any()
    assert math.isfinite(controller.tau.sum())
