# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Forces on links, joints that move as prescribed, and tables of torques."""

import numpy as np
import pytest

import kane_dynamics as kd

ROBOT = kd.load_urdf('urdf/six_axis.urdf')
ARM = kd.Dynamics(ROBOT)
Q0 = np.array([0.1, -0.8, 1.2, 0.0, 0.6, 0.0])
REST = np.zeros(6)


def test_a_constant_force_in_base_axes_has_a_potential():
    # E + W_potential is conserved: the work of a constant force is f . (p - p0)
    f = np.array([5.0, -3.0, 8.0])
    push = kd.LinkForce('tool0', [*f, 0, 0, 0])
    solution = kd.simulate(ARM, Q0, REST, duration=0.3, dt=1e-3, link_forces=[push])
    p = ARM.frame_pose_many('tool0', solution.q)[1]
    np.testing.assert_allclose(solution.work, (p - p[0]) @ f, atol=1e-9)
    assert solution.balance().relative_drift < 1e-9
    assert not solution.tau.any()


def test_a_force_at_a_point_in_link_axes_is_the_wrench_at_the_origin():
    point, w = np.array([0.02, -0.1, 0.3]), np.array([4.0, 1.0, -2.0, 0.3, 0.1, -0.2])
    force = kd.LinkForce('tool0', lambda t: (1.0 + t) * w, point, axes='link')
    solution = kd.simulate(ARM, Q0, REST, duration=0.01, dt=1e-3, link_forces=[force])
    R, _ = ARM.frame_pose('tool0', Q0)
    f = R @ w[:3]
    wrench = np.concatenate([f, R @ w[3:] + np.cross(R @ point, f)])
    expected = ARM.forward(Q0, REST, REST, wrenches={'tool0': wrench})
    np.testing.assert_allclose(solution.qd[1] / 1e-3, expected, rtol=0.02, atol=0.05)
    held = kd.simulate(ARM, Q0, REST, lambda t, q, qd: -ARM._torques_of({'tool0': np.concatenate([
        ARM.frame_pose('tool0', q)[0] @ ((1.0 + t) * w[:3]),
        ARM.frame_pose('tool0', q)[0] @ ((1.0 + t) * (w[3:] + np.cross(point, w[:3])))])}, q)
        + ARM.gravity(q), duration=0.05, dt=1e-3, link_forces=[force])
    np.testing.assert_allclose(held.q, np.tile(Q0, (51, 1)), atol=1e-12)


@pytest.mark.parametrize('options', [
    {'stops': True}, {'friction': 'dry'}, {'method': 'DOP853'}, {'method': 'midpoint'}])
def test_forces_on_links_do_the_same_in_every_equation(options):
    friction = kd.Friction(np.full(6, 0.5), np.full(6, 1e-9))
    arm = kd.Dynamics(ROBOT, friction)
    push = [kd.LinkForce('tool0', [20.0, 0, 0, 0, 0, 0])]
    reference = kd.simulate(arm, Q0, REST, ARM.gravity(Q0), duration=0.1, dt=1e-3,
                            link_forces=push)
    other = kd.simulate(arm, Q0, REST, ARM.gravity(Q0), duration=0.1, dt=1e-3, link_forces=push,
                        **options)
    # the wrist stops within a few steps, which the midpoint rule resolves to second order
    most = 3e-5 if options.get('method') == 'midpoint' else 2e-6
    np.testing.assert_allclose(other.q, reference.q, atol=most)


def test_prescribed_joints_and_free_ones_move_as_with_the_torques_found():
    # joints 1 and 3 follow a trajectory, the others fall; the torques found reproduce the motion
    names = ('joint_1', 'joint_3')
    motion = kd.Trajectory(names, [0.0, 0.4], [Q0[[0, 2]], [0.5, 0.9]], np.zeros((2, 2)),
                           np.zeros((2, 2)))
    found = kd.simulate(ARM, Q0, REST, duration=0.4, dt=1e-3, motion=motion)
    q, qd, qdd, _ = motion.sample_many(found.t)
    np.testing.assert_allclose(found.q[:, [0, 2]], q, atol=1e-14)
    np.testing.assert_allclose(found.qdd[:, [0, 2]], qdd, atol=1e-9)
    assert not found.tau[:, [1, 3, 4, 5]].any()
    assert found.balance().relative_drift < 1e-7
    again = kd.simulate(ARM, Q0, REST, kd.TimeTable(found.t, found.tau, 'cubic'), duration=0.4,
                        method='DOP853', dt=1e-3)
    np.testing.assert_allclose(again.q, found.q, atol=1e-7)


def test_tables_interpolate_polynomials_of_their_degree_exactly():
    t = np.array([0.0, 0.1, 0.3, 0.6, 1.0])
    for kind, degree in (('hold', 0), ('linear', 1), ('cubic', 3)):
        p = np.polynomial.Polynomial(np.arange(1.0, degree + 2.0))
        table = kd.TimeTable(t, np.column_stack([p(t), -p(t)]), kind)
        for x in (0.0, 0.05, 0.1, 0.42, 0.99, 1.0):
            np.testing.assert_allclose(table(x), [p(x), -p(x)], atol=1e-13)
        np.testing.assert_allclose(table(-1.0)[0], p(0.0))
        np.testing.assert_allclose(table(2.0)[0], p(1.0))
    assert kd.TimeTable([0.0, 1.0], [[1.0], [2.0]], 'hold')(0.99) == 1.0


@pytest.mark.parametrize('values, message', [
    (lambda: kd.TimeTable([0.0, 0.0], [[1.0], [2.0]]), 'times of a table must increase; row 2'),
    (lambda: kd.TimeTable([0.0, 1.0], [[1.0], [2.0]], 'cubic'), 'needs 4 rows'),
    (lambda: kd.TimeTable([0.0, 1.0], [[1.0], [2.0]], 'quintic'), 'is unknown; there are'),
    (lambda: kd.LinkForce('tool0', [1.0, 2.0]), "force on 'tool0': expected 6 finite numbers"),
    (lambda: kd.LinkForce('tool0', np.zeros(6), axes='world'), 'axes must be one of')])
def test_wrong_loads_are_refused(values, message):
    with pytest.raises(kd.InputError, match=message):
        values()


def test_a_first_state_off_the_trajectory_is_refused():
    motion = kd.Trajectory(('joint_1',), [0.0, 1.0], [[0.3], [0.5]])
    with pytest.raises(kd.InputError, match="'joint_1' starts at 0.1, its motion at 0.3"):
        kd.simulate(ARM, Q0, REST, duration=0.1, dt=1e-3, motion=motion)
