# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Exciting motions: at rest at both ends, within all limits, better than chance, ready to send."""

import csv
from dataclasses import replace
import json

from example_robots import example_urdf
import numpy as np
import pytest
import yaml

from kane_dynamics.commands.cli import main
from kane_dynamics.commands.excite import judged_condition
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.recorded.identify.excitation import Excitation, ExcitationBounds
from kane_dynamics.recorded.identify.identifier import Identifier
from kane_dynamics.trajectory.extrema import find_extrema
from kane_dynamics.trajectory.fourier import FourierMotion
from kane_dynamics.trajectory.goal.acceptance import accept_goal, ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.motion import Motion

UR5 = example_urdf('ur5_joint_limited_robot.urdf')


def test_acceleration_is_bounded_by_the_urdf_as_well():
    robot = load_urdf(UR5)
    names = robot.joint_names
    limited = tuple(replace(joint, limits=replace(joint.limits, acceleration=limit))
                    for joint, limit in zip(robot.moving_joints, (9, 2, 4, 0, 7, 8)))
    others = tuple(joint for joint in robot.joints if joint.name not in names)
    bounds = ExcitationBounds.of(replace(robot, joints=limited + others), acceleration=5.0)
    assert bounds.acceleration.tolist() == [5.0, 2.0, 4.0, 5.0, 5.0, 5.0]    # 0: none


@pytest.fixture(scope='module')
def found():
    """Return the search and its result for a UR5."""
    robot = load_urdf(UR5)
    search = Excitation(Dynamics(robot), ExcitationBounds.of(robot), seed=1)
    return search, *search.search(steps=300)


def test_derivatives_are_those_of_the_position_and_both_ends_are_at_rest():
    rng = np.random.default_rng(1)
    motion = FourierMotion.resting(rng.normal(size=3), rng.normal(size=(2, 4, 3)), 7.0)
    t = np.linspace(0.0, 7.0, 50)
    q, qd, qdd = motion.sample_many(t)
    h = 1e-5
    before, after = motion.sample_many(t - h), motion.sample_many(t + h)
    np.testing.assert_allclose(qd, (after[0] - before[0]) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(qdd, (after[1] - before[1]) / (2 * h), atol=1e-7)
    for rows in (qd, qdd):
        np.testing.assert_allclose(rows[[0, -1]], 0.0, atol=1e-12)
    np.testing.assert_allclose(q[0], q[-1])


def test_the_motion_keeps_every_limit_at_every_instant(found):
    search, motion, _ = found
    bounds, robot = search.bounds, search.dynamics.robot
    trajectory = motion.trajectory(robot.joint_names, periods=1, rate=20.0)
    slack = 1e-3       # extremes are looked for at 720 instants, and points are joined by quintics
    position, speed, rise = (find_extrema(trajectory, k) for k in range(3))
    assert (position.lower >= bounds.lower - slack).all()
    assert (position.upper <= bounds.upper + slack).all()
    assert (speed.magnitude <= bounds.velocity * (1 + slack)).all()
    assert (rise.magnitude <= bounds.acceleration * (1 + 20 * slack)).all()
    t = np.linspace(0.0, motion.period, 5000)
    tau = search.dynamics.inverse_many(*motion.sample_many(t))
    assert (np.abs(tau).max(axis=0) <= search.bounds.effort * (1 + slack)).all()
    # something is at its limit for every joint: the motion is as large as it may be
    reached = np.stack([(position.upper - position.lower) / (bounds.upper - bounds.lower),
                        speed.magnitude / bounds.velocity, rise.magnitude / bounds.acceleration])
    np.testing.assert_allclose(reached.max(axis=0), 1.0, atol=0.02)


def test_the_search_beats_chance(found):
    search, motion, condition = found
    assert condition == pytest.approx(search.condition(motion))
    rng = np.random.default_rng(5)
    others = [search.condition(search._motion(rng.standard_normal((2, 4, 6)))) for _ in range(40)]
    assert condition < 0.6 * min(others)


@pytest.mark.slow
def test_intervals_are_narrower_than_those_of_a_random_motion(found):
    search, motion, _ = found
    dynamics = search.dynamics
    rng = np.random.default_rng(6)
    spreads = []
    for each in (motion, search._motion(rng.standard_normal((2, 4, 6)))):
        t = np.arange(2000) * 0.02
        q, qd, qdd = each.sample_many(t)
        tau = dynamics.inverse_many(q, qd, qdd)
        noise = 0.5 * np.random.default_rng(7).standard_normal(tau.shape)
        fit = Identifier(dynamics.robot, smoothing_speed=0.01).fit(
            [Motion(t, q, qd, qdd, tau + noise)])
        spreads.append(np.array([estimate.sigma for estimate in fit.base]) / search._widths)
    assert spreads[0].max() < 0.7 * spreads[1].max()


def test_the_same_seed_gives_the_same_motion():
    robot = load_urdf(UR5)
    first, second = (Excitation(Dynamics(robot), ExcitationBounds.of(robot), seed=3).search(40)[0]
                     for _ in range(2))
    assert (first.a == second.a).all() and (first.centre == second.centre).all()


def test_links_stay_above_a_height_where_that_is_asked_for():
    robot = load_urdf(UR5)
    ranges = {'shoulder_lift_joint': (-2.0, -1.1), 'elbow_joint': (-0.6, 0.6)}
    search = Excitation(Dynamics(robot), ExcitationBounds.of(robot, ranges=ranges), lowest=0.2)
    motion, _ = search.search(60)
    q, *_ = motion.sample_many(np.linspace(0, motion.period, 400))
    lowest = min(search.dynamics.frame_pose('wrist_3_link', row)[1][2] for row in q)
    assert lowest > 0.19
    assert q[:, 1].min() >= -2.0001 and q[:, 1].max() <= -1.0999


@pytest.mark.parametrize(('change', 'words'), [
    ({'velocity': 0.0}, 'fraction of the velocity limits'),
    ({'position': 1.5}, 'fraction of the position limits'),
    ({'acceleration': -1.0}, 'acceleration must be positive'),
    ({'ranges': {'elbow_joint': (1.0, 0.0)}}, 'is empty'), ({'ranges': {'knee': (0, 1)}}, 'knee')])
def test_impossible_bounds_are_refused(change, words):
    with pytest.raises(InputError, match=words):
        ExcitationBounds.of(load_urdf(UR5), **change)


def test_efforts_that_no_motion_keeps_are_an_error():
    robot = load_urdf(UR5)
    bounds = ExcitationBounds.of(robot, effort=0.02)       # not even gravity
    with pytest.raises(InputError, match='no motion within the limits'):
        Excitation(Dynamics(robot), bounds).search(30)


def test_the_command_writes_what_joint_trajectory_controller_accepts(tmp_path, monkeypatch,
                                                                     capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['excite', str(UR5), '-o', 'move', '--steps', '50', '--json', '--periods', '1',
                 '--lead-in', '3']) == 0
    assert 'COLLISIONS ARE NOT CHECKED' in capsys.readouterr().out
    message = yaml.safe_load((tmp_path / 'move.yaml').read_text())
    assert message == json.loads((tmp_path / 'move.json').read_text())
    robot = load_urdf(UR5)
    points = message['points']
    times = [point['time_from_start']['sec'] + 1e-9 * point['time_from_start']['nanosec']
             for point in points]
    goal = TrajectoryGoal(tuple(message['joint_names']), np.array(times), *(
        [point[name] for point in points] for name in ('positions', 'velocities',
                                                       'accelerations')),
        efforts=[()] * len(points))
    limits = robot.limits
    trajectory = accept_goal(goal, robot.joint_names, 0.0, ArmState(np.zeros(6)), rules=GoalRules(
        lower=limits.lower, upper=limits.upper, velocity=limits.velocity))
    trajectory = getattr(trajectory, 'trajectory', trajectory)
    assert trajectory.end == pytest.approx(13.0) and points[0]['velocities'] == [0.0] * 6
    rows = list(csv.reader((tmp_path / 'move.csv').open()))
    assert rows[0][:2] == ['t', 'position:shoulder_pan_joint'] and len(rows) == len(points) + 1
    np.testing.assert_array_equal([float(row[1]) for row in rows[1:]],
                                  [point['positions'][0] for point in points])
    assert main(['excite', str(UR5), '-o', 'move', '--steps', '5']) == 2
    assert 'exists already' in capsys.readouterr().err


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--range', 'elbow_joint=1'], 'expected LO:HI'), (['--harmonics', '1'], '2 harmonics'),
    (['--steps', '0'], '--steps'), (['--lock', 'knee=0'], 'knee'),
    (['--speed-fraction', '2'], 'fraction of the velocity')])
def test_wrong_options_are_refused(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert main(['excite', str(UR5), *arguments]) == 2
    assert words in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize('condition, word', [(40.0, 'good'), (400.0, 'fair'), (6e3, 'poor')])
def test_a_condition_number_is_judged_in_words(condition, word):
    assert judged_condition(condition).startswith(word)
    assert ('--steps' in judged_condition(condition)) == (word != 'good')
