# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tolerances of trajectories, by joint_trajectory_controller's rules."""

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.goal.tolerances import resolved, Tolerances

JOINTS = ('a', 'b')


def defaults():
    return Tolerances.of(JOINTS, trajectory=[0.1, 0.2], goal=0.05, goal_time=1.0)


@pytest.mark.parametrize(('asked', 'expected'), [(0.0, 0.3), (-1.0, 0.0), (0.7, 0.7)])
def test_zero_keeps_the_default_minus_one_lifts_it_and_a_number_replaces_it(asked, expected):
    assert resolved(0.3, asked) == expected


def test_another_negative_tolerance_is_refused():
    with pytest.raises(InputError, match='-0.5'):
        resolved(0.3, -0.5)


def test_a_goal_replaces_lifts_and_keeps_tolerances_of_the_joints_it_names():
    asked = defaults().asked(path=[('b', -1.0, 0.5, 0.0)], goal=[('a', 0.01, -1.0, 0.0)],
                             goal_time=-1.0)
    np.testing.assert_array_equal(asked.path, [[0.1, 0.0], [0.0, 0.5], [0.0, 0.0]])
    np.testing.assert_array_equal(asked.goal, [[0.01, 0.05], [0.0, 0.01], [0.0, 0.0]])
    assert asked.goal_time == 0.0
    assert defaults().asked().goal_time == 1.0


def test_a_tolerance_for_an_unknown_joint_is_refused_by_name():
    with pytest.raises(InputError, match="'x'.*'a', 'b'"):
        defaults().asked(path=[('x', 1.0, 0.0, 0.0)])


def test_an_error_beyond_a_tolerance_is_named_and_one_within_is_not():
    assert defaults().path_violation([0.1, -0.2]) is None
    assert defaults().path_violation([0.05, -0.3]) == ('b', 'position', 0.3, 0.2)
    assert defaults().path_violation([0.0, 0.0], [9.0, 9.0]) is None


def test_at_the_goal_the_joints_must_also_have_stopped():
    assert defaults().goal_violation([0.01, 0.01], [0.005, 0.0]) is None
    assert defaults().goal_violation([0.01, 0.01], [0.0, -0.02]) == ('b', 'velocity', 0.02, 0.01)


def test_the_worst_violation_is_the_one_reported():
    found = defaults().goal_violation([0.06, 0.3], [0.02, 0.0])
    assert found == ('b', 'position', 0.3, 0.05)


def test_a_tolerance_of_zero_is_not_enforced_and_an_unknown_error_is_a_violation():
    free = Tolerances.of(JOINTS)
    assert free.path_violation([9.0, 9.0]) is None
    joint, kind, _, _ = defaults().path_violation([np.nan, 0.0])
    assert (joint, kind) == ('a', 'position')
