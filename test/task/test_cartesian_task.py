# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Cartesian tasks: prescribed motion is met, and failures have their time and position."""

import math
from pathlib import Path
import pickle

from example_robots import example_urdf
from kinematics import link_poses
import numpy as np
import pinocchio
import pytest

import kane_dynamics as kd
from kane_dynamics.task.cartesian_task import CartesianTask
from kane_dynamics.task.curvilinear_path import Cylindrical, Spherical
from kane_dynamics.task.direction import Pointing, PointingAngles
from kane_dynamics.task.finding import TaskError
from kane_dynamics.task.inverse_kinematics import inverse_kinematics
from kane_dynamics.task.orientation import (
    AxisRotation, DirectionAndSpin, EulerAngles, Slerp, ThroughOrientations)
from kane_dynamics.task.path import Arc, Line, WayPoints
from kane_dynamics.task.task import JointTask, TaskSequence
from kane_dynamics.trajectory.moves import plan_move
from kane_dynamics.trajectory.profiles import PROFILES

URDF = Path(__file__).resolve().parents[2] / 'urdf'
Q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
SPARE = {'joint_4': 'frozen', 'joint_5': 0.5, 'joint_6': (-0.2, 0.6)}


@pytest.fixture(scope='module')
def arm():
    return kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf'))


@pytest.fixture(scope='module')
def pin():
    """Return Pinocchio's frame motion of the same file: pose, velocity, true acceleration."""
    model = pinocchio.buildModelFromUrdf(str(URDF / 'six_axis.urdf'))
    data = model.createData()
    axes = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def motion(frame, q, qd, qdd):
        pinocchio.forwardKinematics(model, data, q, qd, qdd)
        pinocchio.updateFramePlacements(model, data)
        k = model.getFrameId(frame)
        a = pinocchio.getFrameClassicalAcceleration(model, data, k, axes)
        v = pinocchio.getFrameVelocity(model, data, k, axes)
        place = data.oMf[k]
        return place.rotation, place.translation, v.linear, v.angular, a.linear, a.angular
    return motion


def line(arm, *along):
    R, p = arm.frame_pose('tool0', Q0)
    return R, Line(p, p + np.array(along))


# ---- the bar: a Cartesian line ------------------------------------------------------------------


@pytest.mark.parametrize('profile', PROFILES)
def test_a_line_of_the_six_axis_arm_is_kept_to_a_micrometre_by_every_profile(arm, profile):
    R, path = line(arm, 0.05, -0.5, 0.1)
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, profile=profile, duration=1.5)
    motion = task.sample(0.001)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    assert t[0] == 0.0 and t[-1] == 1.5 and q.shape == qd.shape == qdd.shape == (1501, 6)
    s = PROFILES[profile]().evaluate(t / 1.5)[0]
    for k in range(0, 1501, 5):
        Rk, pk = link_poses(arm.robot, q[k])['tool0']      # from the joints, not by Dynamics
        # the bar is a micrometre; Newton's method at each sample leaves rounding
        np.testing.assert_allclose(pk, path.first + s[k] * (path.last - path.first), rtol=0,
                                   atol=1e-14)
        np.testing.assert_allclose(Rk, R, rtol=0, atol=1e-14)


def test_the_torques_of_a_line_drive_a_simulated_arm_along_it(arm):
    R, path = line(arm, 0.05, -0.5, 0.1)
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, profile='quintic',
                         duration=1.0)
    q, qd, _ = task.sample_many([0.0])
    solution = kd.simulate(
        arm, q[0], qd[0], lambda t, *_: arm.inverse(*(each[0] for each in task.sample_many([t]))),
        duration=1.0, dt=0.1, method='DOP853', rtol=1e-10, atol=1e-12)
    # open loop: what is off is the integrator's error, which gravity makes grow
    off = task.point_positions(solution.q) - task.wanted(solution.t)[0]
    assert abs(off).max() < 1e-6


def test_feedback_of_the_error_brings_a_wrong_start_back_to_the_line(arm):
    R, path = line(arm, 0.05, -0.5, 0.1)
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, profile='quintic',
                         duration=1.0)
    solution = kd.simulate(
        arm, Q0 + 0.01, np.zeros(6),
        lambda t, q, qd: arm.inverse(q, qd, task.acceleration(t, q, qd, stiffness=40.0)),
        duration=1.0, dt=0.1, method='DOP853', rtol=1e-9, atol=1e-11)
    off = np.linalg.norm(task.point_positions(solution.q) - task.wanted(solution.t)[0], axis=1)
    # e'' + 2 k e' + k^2 e = 0 from rest: e = e0 (1 + k t) exp(-k t); the turn couples in a little
    expected = off[0] * (1 + 40 * solution.t) * np.exp(-40 * solution.t)
    assert off[0] > 5e-3
    np.testing.assert_allclose(off[:4], expected[:4], rtol=0.02, atol=1e-7)
    assert off[-1] < 1e-8


# ---- the task classes of Vukobratovic and Potkonjak ---------------------------------------------


def classes(arm):
    """Return the keyword arguments of a task of each class, all from the same start."""
    R, p = arm.frame_pose('tool0', Q0)
    start = np.array([math.hypot(p[0], p[1]), math.atan2(p[1], p[0]), p[2]])
    r = np.linalg.norm(p)
    ball = np.array([r, start[1], math.asin(p[2] / r)])
    h = R[:, 2]
    azimuth, elevation = math.atan2(h[1], h[0]), math.asin(h[2])
    return {
        'A1': {'path': Line(p, p + [0.05, -0.3, 0.1]), 'spare': SPARE},
        'A2': {'path': Cylindrical(Line(start, start + [0.05, -0.6, 0.1])), 'spare': SPARE},
        'A3': {'path': Spherical(Line(ball, ball + [0.05, -0.6, 0.1])), 'spare': SPARE},
        'C3': {'path': Arc(p, p + [-0.1, 0, 0], (0, 1, 0), 2.0),
               'orientation': PointingAngles((azimuth, elevation),
                                             (azimuth + 0.3, elevation + 0.2)),
               'spare': {'joint_6': (-0.2, 2.0)}},
        'C1': {'path': Line(p, p + [0.05, -0.3, 0.1]),
               'orientation': EulerAngles('xyx', euler_xyx(R), euler_xyx(R) + [0.3, -0.2, 0.4])},
        'C2': {'path': Line(p, p + [0.05, -0.3, 0.1]),
               'orientation': DirectionAndSpin(*spin_ends(R), axis=(0, 0, 1))},
        'C1 + wrist': {'frame': 'wrist_pitch', 'orientation_frame': 'tool0',
                       'path': Line(arm.frame_pose('wrist_pitch', Q0)[1],
                                    arm.frame_pose('wrist_pitch', Q0)[1] + [0.05, -0.3, 0.1]),
                       'orientation': Slerp(R, R @ link_turn())},
    }


def euler_xyx(R):
    from scipy.spatial.transform import Rotation
    return Rotation.from_matrix(R).as_euler('XYX')


def spin_ends(R):
    from scipy.spatial.transform import Rotation
    # R = Rz(a) Ry(-e) Rx(s) C with C carrying z to x: Ry(pi/2)
    carried = Rotation.from_matrix(R) * Rotation.from_euler('Y', -math.pi / 2)
    a, b, s = carried.as_euler('ZYX')
    first = np.array([a, -b, s])
    return first, first + [0.3, -0.2, 3.0]


def link_turn():
    from scipy.spatial.transform import Rotation
    return Rotation.from_euler('XYZ', (0.2, 0.3, -0.4)).as_matrix()


KINDS = ['A1', 'A2', 'A3', 'C3', 'C1', 'C2', 'C1 + wrist']


@pytest.mark.parametrize('kind', KINDS)
def test_a_task_of_every_class_gives_the_frame_the_acceleration_that_its_path_asks_for(
        arm, pin, kind):
    task = CartesianTask(arm, **{'frame': 'tool0', **classes(arm)[kind]}, q0=Q0,
                         profile='s_curve', duration=0.8)
    assert task.kind == kind
    motion = task.sample(0.01)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    np.testing.assert_allclose(q[0], Q0, atol=1e-9)        # it starts at q0
    p, v, a = task.wanted(t)
    x, xd, xdd = (each[:, :1] for each in task.motion.sample_many(t))
    for k in range(len(t)):
        # Pinocchio's motion of the same joints; rounding of some 10 m/s^2 and 100 rad/s^2
        frame = pin(task.frame, q[k], qd[k], qdd[k])
        np.testing.assert_allclose(frame[1], p[k], rtol=0, atol=1e-13)
        np.testing.assert_allclose(frame[2], v[k], rtol=0, atol=1e-12)
        np.testing.assert_allclose(frame[4], a[k], rtol=0, atol=1e-11)
        if task.orientation is None:
            continue
        R, _, _, w, _, alpha = pin('tool0', q[k], qd[k], qdd[k])
        first, second, third = (each[0] for each in task.orientation.evaluate(x[k]))
        if kind == 'C3':
            h = R @ task.orientation.axis
            np.testing.assert_allclose(h, first, rtol=0, atol=1e-13)
            np.testing.assert_allclose(np.cross(w, h), second * xd[k], rtol=0, atol=1e-12)
            np.testing.assert_allclose(np.cross(alpha, h) + np.cross(w, np.cross(w, h)),
                                       second * xdd[k] + third * xd[k] ** 2, rtol=0, atol=1e-11)
        else:
            np.testing.assert_allclose(R, first, rtol=0, atol=1e-13)
            np.testing.assert_allclose(w, second * xd[k], rtol=0, atol=1e-12)
            np.testing.assert_allclose(alpha, second * xdd[k] + third * xd[k] ** 2, rtol=0,
                                       atol=1e-11)


@pytest.mark.parametrize('kind', KINDS)
def test_the_rates_of_the_joints_belong_to_their_positions(arm, kind):
    task = CartesianTask(arm, **{'frame': 'tool0', **classes(arm)[kind]}, q0=Q0,
                         profile='quintic', duration=0.8)
    t, h = np.linspace(0.01, 0.79, 79), 1e-5
    q, qd, qdd = task.sample_many(t)
    (q0, v0, _), (q1, v1, _) = task.sample_many(t - h), task.sample_many(t + h)
    np.testing.assert_allclose((q1 - q0) / (2 * h), qd, rtol=0, atol=1e-6)
    np.testing.assert_allclose((v1 - v0) / (2 * h), qdd, rtol=0, atol=1e-5)


def test_spare_joints_stay_or_go_to_their_given_values(arm):
    task = CartesianTask(arm, 'tool0', **classes(arm)['A1'], q0=Q0, duration=1.0)
    motion = task.sample(0.1)
    q, qd = motion.q, motion.qd
    s, rate = PROFILES['quintic']().evaluate(np.linspace(0, 1, 11))[:2]
    np.testing.assert_allclose(q[:, 3], Q0[3], atol=1e-15)
    np.testing.assert_allclose(q[:, 4], 0.7 - 0.2 * s, atol=1e-14)
    np.testing.assert_allclose(qd[:, 5], 0.8 * rate, atol=1e-13)


def test_the_same_path_in_other_coordinates_is_the_same_motion(arm):
    # a circle about z: Arc, or an angle of cylindrical coordinates, or an azimuth
    _, p = arm.frame_pose('tool0', Q0)
    rho, theta, r = math.hypot(p[0], p[1]), math.atan2(p[1], p[0]), np.linalg.norm(p)
    paths = [Arc(p, (0, 0, 0), (0, 0, 1), -0.8),
             Cylindrical(Line((rho, theta, p[2]), (rho, theta - 0.8, p[2]))),
             Spherical(Line((r, theta, math.asin(p[2] / r)), (r, theta - 0.8,
                                                              math.asin(p[2] / r))))]
    motions = [CartesianTask(arm, 'tool0', path, spare=SPARE, q0=Q0,
                             duration=1.0).sample(0.05) for path in paths]
    for other in motions[1:]:
        for name in ('t', 'q', 'qd', 'qdd'):
            np.testing.assert_allclose(getattr(motions[0], name), getattr(other, name), rtol=0,
                                       atol=1e-12)
    # and the other three joints being still, it is the first one's turn alone
    still = CartesianTask(arm, 'tool0', paths[0], q0=Q0, duration=1.0,
                          spare=dict.fromkeys(SPARE, 'frozen')).sample(0.05)
    s = PROFILES['quintic']().evaluate(still.t)[0]
    np.testing.assert_allclose(still.q, Q0 + np.outer(s, [-0.8, 0, 0, 0, 0, 0]), atol=1e-13)


def test_placing_the_wrist_by_three_joints_and_turning_it_by_three_is_the_same(arm):
    # the split solution of Vukobratovic and Potkonjak (3.11): 3 x 3 first, then the rest
    task = CartesianTask(arm, **classes(arm)['C1 + wrist'], q0=Q0, duration=0.5)
    motion = task.sample(0.05)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    _, _, a = task.wanted(t)
    x, xd, xdd = (each[:, :1] for each in task.motion.sample_many(t))
    _, W, W1 = task.orientation.evaluate(x[:, 0])
    for k in range(len(t)):
        J, A = arm.frame_jacobian('wrist_pitch', q[k]), arm.frame_acceleration(
            'wrist_pitch', q[k], qd[k], np.zeros(6))
        assert abs(J[:3, 3:]).max() < 1e-15
        first = np.linalg.solve(J[:3, :3], a[k] - A[:3])
        J, A = arm.frame_jacobian('tool0', q[k]), arm.frame_acceleration(
            'tool0', q[k], qd[k], np.zeros(6))
        alpha = W[k] * xdd[k] + W1[k] * xd[k] ** 2
        last = np.linalg.solve(J[3:, 3:], alpha - A[3:] - J[3:, :3] @ first)
        np.testing.assert_allclose(qdd[k], [*first, *last], rtol=0, atol=1e-10)


def test_a_five_joint_arm_keeps_its_direction_whether_level_or_not():
    # Two fixed rows of the book's B1 fail where the direction is level (its z component zero).
    robot = kd.load_urdf(URDF / 'six_axis.urdf')
    text = robot.to_urdf().replace('<joint name="joint_6" type="revolute">',
                                   '<joint name="joint_6" type="fixed">')
    arm5 = kd.Dynamics(kd.load_urdf(text))
    assert arm5.robot.n_joints == 5
    q0 = Q0[:5]
    R, p = arm5.frame_pose('tool0', q0)
    h = R[:, 2]
    level = np.array([h[0], h[1], 0.0])
    task = CartesianTask(arm5, 'tool0', Line(p, p + [0.02, -0.2, 0.1]), Pointing(h, level),
                         q0=q0, duration=1.0)
    assert task.kind == 'B1'
    q = task.sample(0.01).q
    R = link_poses(arm5.robot, q[-1])['tool0'][0]
    np.testing.assert_allclose(R[:, 2], level / np.linalg.norm(level), atol=1e-13)
    for each in q:
        R, place = link_poses(arm5.robot, each)['tool0']
        assert np.linalg.norm(R[:, 2]) == pytest.approx(1.0, abs=1e-14)


def test_rounded_way_points_with_orientations_are_followed(arm):
    R, p = arm.frame_pose('tool0', Q0)
    path = WayPoints([p, p + [0, -0.2, 0], p + [0, -0.2, 0.15], p + [-0.1, -0.3, 0.15]], 0.05)
    turned = [R, R @ link_turn(), R, R @ link_turn().T]
    task = CartesianTask(arm, 'tool0', path,
                         ThroughOrientations(turned, path.fractions, path.half_widths), q0=Q0,
                         velocity=0.25, acceleration=1.0, profile='s_curve', jerk=10.0)
    motion = task.sample(0.005)
    t, q = motion.t, motion.q
    p_wanted, v, a = task.wanted(t)
    for k in range(len(t)):
        np.testing.assert_allclose(link_poses(arm.robot, q[k])['tool0'][1], p_wanted[k],
                                   atol=1e-14)
    # limits of the point are kept, and one of them is reached
    speed, acceleration = (np.linalg.norm(each, axis=1).max() for each in (v, a))
    assert speed <= 0.25 + 1e-9 and acceleration <= 1.0 + 1e-3
    assert speed > 0.2499 or acceleration > 0.99


def test_a_tool_tip_off_the_links_origin_can_be_led(arm):
    tip = np.array([0.02, -0.01, 0.15])
    R, p = arm.frame_pose('tool0', Q0)
    path = Line(p + R @ tip, p + R @ tip + [0.0, -0.3, 0.05])
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R, (0, 0, 1), 0.6), q0=Q0, point=tip,
                         duration=1.0)
    motion = task.sample(0.05)
    t, q = motion.t, motion.q
    for k in range(len(t)):
        Rk, pk = link_poses(arm.robot, q[k])['tool0']
        np.testing.assert_allclose(pk + Rk @ tip, task.wanted(t)[0][k], atol=1e-14)


# ---- closed forms -------------------------------------------------------------------------------


def test_a_line_of_the_two_link_arm_is_the_law_of_cosines():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'))
    # three coordinates for two joints: the third follows, since the arm stays in its plane
    task = CartesianTask(arm, 'tool0', Line((0.5, 0, 0.3), (0.6, 0, -0.3)), q0=(1, -1),
                         duration=1.0)
    motion = task.sample(0.01)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    s, v, a = (each[:, None] for each in PROFILES['quintic']().evaluate(t)[:3])
    x, z = (np.array([0.5, 0.3]) + s * np.array([0.1, -0.6])).T
    elbow = -np.arccos((x * x + z * z - 0.25 - 0.16) / 0.4)
    shoulder = np.arctan2(z, x) - np.arctan2(0.4 * np.sin(elbow), 0.5 + 0.4 * np.cos(elbow))
    np.testing.assert_allclose(q, np.stack([shoulder, elbow], axis=1), rtol=0, atol=1e-14)
    h = 1e-4
    (q0, *_), (q1, *_) = task.sample_many(t[5:-5] - h), task.sample_many(t[5:-5] + h)
    np.testing.assert_allclose((q1 - q0) / (2 * h), qd[5:-5], atol=1e-6)
    np.testing.assert_allclose((q1 - 2 * q[5:-5] + q0) / h ** 2, qdd[5:-5], atol=1e-4)


def test_a_cylindrical_arm_follows_its_own_coordinates():
    # turn, lift and reach: joints are the coordinates (A2), whatever the profile
    text = """<robot name="cylindrical"><link name="base"/><link name="column"/>
     <link name="slide"/><link name="hand"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1"
     izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
     <joint name="turn" type="continuous"><parent link="base"/><child link="column"/>
     <axis xyz="0 0 1"/></joint>
     <joint name="lift" type="prismatic"><parent link="column"/><child link="slide"/>
     <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
     <joint name="reach" type="prismatic"><parent link="slide"/><child link="hand"/>
     <axis xyz="1 0 0"/><limit lower="0.1" upper="2" effort="1" velocity="1"/></joint></robot>"""
    with pytest.warns(kd.KaneDynamicsWarning, match='inertias'):
        arm = kd.Dynamics(kd.load_urdf(text))
    task = CartesianTask(arm, 'hand', Cylindrical(Line((0.5, 0.2, 0.1), (1.1, 3.5, 0.6))),
                         q0=(0.2, 0.1, 0.5), profile='cycloidal', duration=2.0)
    motion = task.sample(0.01)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    s, v, a = (each[:, None] for each in PROFILES['cycloidal']().evaluate(t / 2.0)[:3])
    along = np.array([3.3, 0.5, 0.6])
    np.testing.assert_allclose(q, [0.2, 0.1, 0.5] + s * along, atol=1e-13)
    np.testing.assert_allclose(qd, v * along / 2, atol=1e-12)
    np.testing.assert_allclose(qdd, a * along / 4, atol=1e-11)


def test_joints_off_the_tasks_chain_stay_at_q0():
    arm = kd.Dynamics(kd.load_urdf(example_urdf('panda.urdf')))
    names = arm.robot.joint_names
    q0 = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.7, 0.5, 0.02][:len(names)])
    R, p = arm.frame_pose('panda_hand', q0)
    task = CartesianTask(arm, 'panda_hand', Line(p, p + [0.05, -0.2, 0.1]), AxisRotation(R),
                         q0=q0, duration=1.0, spare={'panda_joint3': 'frozen'})
    q = task.sample(0.02).q
    still = [k for k, name in enumerate(names) if 'finger' in name or name == 'panda_joint3']
    np.testing.assert_allclose(q[:, still], np.tile(q0[still], (len(q), 1)), atol=1e-15)
    hand = link_poses(arm.robot, q[-1])['panda_hand'][1]
    np.testing.assert_allclose(hand, p + [0.05, -0.2, 0.1], atol=1e-13)


def test_a_flexible_arm_is_led_as_if_it_were_rigid():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'flexible_six_axis.urdf'))
    rigid = kd.Dynamics(arm.robot.rigid())
    R, p = rigid.frame_pose('tool0', Q0)
    motions = [CartesianTask(each, 'tool0', Line(p, p + [0, -0.3, 0]), AxisRotation(R), q0=Q0,
                             duration=1.0).sample(0.1) for each in (arm, rigid)]
    for name in ('t', 'q', 'qd', 'qdd'):
        np.testing.assert_array_equal(*(getattr(motion, name) for motion in motions))


# ---- what cannot be done ------------------------------------------------------------------------


def test_a_path_out_of_reach_is_refused_with_the_time_and_position_where_it_leaves():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'))
    path = Line((0.5, 0, 0.3), (1.5, 0, -0.3))
    with pytest.raises(TaskError, match="'tool0'.*unreachable.*m away") as caught:
        CartesianTask(arm, 'tool0', path, q0=(1, -1), duration=2.0)
    found = caught.value.finding
    # the arm is 0.9 m long: |(0.5, 0.3) + s (1, -0.6)| = 0.9, and s(t) of the quintic profile
    s = np.roots([1.36, 2 * (0.5 - 0.18), 0.34 - 0.81]).max()
    assert np.linalg.norm(found.position) == pytest.approx(0.9, abs=1e-4)
    assert PROFILES['quintic']().evaluate(found.time / 2.0)[0] == pytest.approx(s, abs=1e-4)
    assert found.kind == 'unreachable' and found.joint is None


def test_a_singularity_on_the_path_is_refused_with_the_joints_that_are_loose(arm):
    q0 = np.array([0.0, 0.4, 0.2, 0.0, 0.5, 0.0])
    R, p = arm.frame_pose('tool0', q0)
    # turning about the axis of joint 5 brings its angle from 0.5 through zero to -0.5
    axis = arm.frame_jacobian('tool0', q0)[3:, 4]
    with pytest.raises(TaskError, match='singular.*joint_4, joint_6') as caught:
        CartesianTask(arm, 'tool0', Line(p, p), AxisRotation(R, axis, -1.0), q0=q0,
                      profile='quintic',
                      duration=2.0)
    # the hand stays, so that joints 2 and 3 move too: the time is known by joint 5 being zero
    found = caught.value.finding
    fraction = PROFILES['quintic']().evaluate(found.time / 2.0)[0]
    there = AxisRotation(R, axis, -1.0).evaluate([fraction])[0][0]
    q = inverse_kinematics(arm, 'tool0', p, there, q0 - [0, 0, 0, 0, 0.4, 0])
    # reported where the singular value passes its limit of 1e-3, a little before zero
    assert 0 < q[4] < 0.005 and found.kind == 'singular'
    assert found.value == pytest.approx(found.limit, rel=0.02)
    np.testing.assert_allclose(found.position, p, atol=1e-12)
    assert pickle.loads(pickle.dumps(caught.value)).finding.text == found.text


def test_a_start_at_a_singular_configuration_is_refused(arm):
    q0 = np.array([0.0, 0.4, 0.2, 0.0, 0.0, 0.0])
    R, p = arm.frame_pose('tool0', q0)
    with pytest.raises(TaskError, match=r'singular at t = 0\.0000 s') as caught:
        CartesianTask(arm, 'tool0', Line(p, p + [0, -0.1, 0]), AxisRotation(R), q0=q0,
                      duration=1.0)
    assert caught.value.finding.time == 0.0


def test_a_joint_beyond_its_limit_is_reported_with_time_and_position(arm):
    _, p = arm.frame_pose('tool0', Q0)
    path = Arc(p, (0, 0, 0), (0, 0, 1), 2.9)         # joint 1 would go to 3.2, its limit is 2.967
    still = dict.fromkeys(SPARE, 'frozen')
    task = CartesianTask(arm, 'tool0', path, q0=Q0, duration=1.0, spare=still)
    with pytest.raises(TaskError, match="'joint_1' reaches 3.2, its limit is 2.967") as caught:
        task.sample(0.01)
    assert caught.value.finding.joint == 'joint_1' and caught.value.finding.time == 1.0
    task = CartesianTask(arm, 'tool0', path, q0=Q0, duration=1.0, spare=still, limits=False)
    motion = task.sample(0.01)
    t, qd = motion.t, motion.qd
    kinds = {each.kind: each for each in task.findings(0.01)}
    assert set(kinds) == {'position limit', 'velocity limit'}      # 2.9 * 15/8 rad/s against 3
    fastest = kinds['velocity limit']
    assert fastest.time == t[np.argmax(qd[:, 0])] == 0.5
    assert fastest.value == pytest.approx(2.9 * 1.875) and fastest.limit == 3.0


@pytest.mark.parametrize(('change', 'error', 'word'), [
    ({'q0': np.zeros(5)}, kd.InputError, '6 finite numbers'),
    ({'q0': Q0 + [0, 3, 0, 0, 0, 0]}, kd.InputError, "'joint_2' is 3.4"),
    ({'orientation': None}, kd.InputError, "3 quantities to 6 joints.*spare={'joint_6'"),
    ({'orientation': 'down'}, kd.InputError, 'AxisRotation'),
    ({'path': (0, 0, 0)}, kd.InputError, 'Line'),
    ({'profile': 'sinus'}, kd.InputError, 'cycloidal'),
    ({'profile': 3}, kd.InputError, 'Profile'),
    ({'duration': None}, kd.InputError, 'duration'),
    ({'duration': -1.0}, kd.InputError, 'positive'),
    ({'frame': 'tool1'}, kd.InputError, 'tool0'),
    ({'spare': {'joint_7': 'frozen'}}, kd.InputError, 'joint_6'),
    ({'spare': {'joint_6': 'melted'}}, kd.InputError, 'frozen'),
    ({'spare': {'joint_6': (1, 2, 3)}}, kd.InputError, 'first and last'),
    ({'path': Line((2, 0, 0), (2, 1, 0))}, TaskError, 'start is unreachable.*m and .* deg away'),
])
def test_a_wrong_argument_is_refused_with_what_to_do(arm, change, error, word):
    R, path = line(arm, 0, -0.2, 0)
    arguments = {'frame': 'tool0', 'path': path, 'orientation': AxisRotation(R), 'q0': Q0,
                 'duration': 1.0, **change}
    with pytest.raises(error, match=word):
        CartesianTask(arm, **arguments)


def test_more_than_the_arm_can_do_is_refused_where_it_does_not_follow():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'))
    with pytest.raises(TaskError, match='start is unreachable.*1 quantities more'):
        CartesianTask(arm, 'tool0', Line((0.5, 0.1, 0.3), (0.5, 0.1, 0)), q0=(1, -1),
                      duration=1.0)
    with pytest.raises(TaskError, match='unreachable'):        # out of the plane along the path
        CartesianTask(arm, 'tool0', Line((0.5, 0, 0.3), (0.5, 0.1, 0)), q0=(1, -1),
                      duration=1.0)


@pytest.mark.parametrize(('name', 'tip', 'spare'), [
    ('six_axis.urdf', 'tool0', {}), ('ur5_robot.urdf', 'tool0', {}),
    ('panda.urdf', 'panda_hand', {'panda_joint3': 'frozen'})])
def test_random_lines_are_followed_without_a_jump_or_refused_with_the_reason(name, tip, spare):
    arm = kd.Dynamics(kd.load_urdf(
        URDF / name if name == 'six_axis.urdf' else example_urdf(name)))
    limits, rng, done = arm.robot.limits, np.random.default_rng(4), 0
    low, high = np.maximum(limits.lower, -2.5), np.minimum(limits.upper, 2.5)
    for _ in range(20):
        q0 = low + (high - low) * rng.uniform(0.1, 0.9, len(low))
        R, p = arm.frame_pose(tip, q0)
        path, turn = Line(p, p + rng.uniform(-0.4, 0.4, 3)), AxisRotation(R, rng.normal(size=3),
                                                                          rng.uniform(-1, 1))
        try:
            task = CartesianTask(arm, tip, path, turn, q0=q0, duration=1.0, spare=spare,
                                 limits=False)
        except TaskError as error:
            assert error.finding.kind in ('unreachable', 'singular')
            assert 0.0 <= error.finding.time <= 1.0
            continue
        done += 1
        motion = task.sample(0.002)
        t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
        assert abs(task.point_positions(q) - task.wanted(t)[0]).max() < 1e-13
        # from sample to sample rates give the change of q: trapezoids err by h^2/6 of qdd's change
        missed = np.diff(q, axis=0) - 0.001 * (qd[1:] + qd[:-1])
        allowed = 0.002 ** 2 * (abs(np.diff(qdd, axis=0)) + 1e-3)
        assert (abs(missed) <= allowed.max(axis=0)).all()
    assert done >= 5


# ---- tasks of joints, and one after the other ---------------------------------------------------


def test_tasks_one_after_the_other_are_each_of_them_at_its_time(arm):
    R, path = line(arm, 0.0, -0.3, 0.1)
    there = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, duration=1.0)
    end = there.sample_many([1.0])[0][0]
    turn = CartesianTask(arm, 'tool0', Line(path.last, path.last),
                         AxisRotation(R, (0, 0, 1), 4 * math.pi,
                                      body=True),
                         q0=end, duration=2.0, profile='triangular', limits=False)
    back = JointTask(arm, plan_move(turn.sample_many([2.0])[0][0], Q0, duration=1.5,
                                    profile='quintic', start=7.0), limits=False)
    task = TaskSequence([there, turn, back])
    assert task.duration == 4.5
    motion = task.sample(0.01)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    assert len(t) == 451 and not task.limits
    np.testing.assert_array_equal(q[:100], there.sample_many(t[:100])[0])
    np.testing.assert_array_equal(qdd[301:], back.sample_many(t[301:] - 3.0)[2])
    np.testing.assert_allclose(q[-1], Q0, atol=1e-12)
    assert abs(qd[[0, 100, 300, -1]]).max() < 1e-12        # at rest between them
    # two turns of the last joint, whose axis is the tool's
    assert q[300, 5] - q[100, 5] == pytest.approx(4 * math.pi)
    with pytest.raises(kd.InputError, match='task 1 starts with .* task 0 ends'):
        TaskSequence([there, back])


def test_a_task_becomes_a_trajectory_that_is_the_same_motion(arm):
    R, path = line(arm, 0.0, -0.3, 0.1)
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, duration=1.0)
    trajectory = task.trajectory(0.01)
    ts = np.linspace(0, 1, 777)
    q, qd, qdd, _ = trajectory.sample_many(ts)
    for one, two, slack in zip(task.sample_many(ts), (q, qd, qdd), (1e-9, 1e-7, 1e-4)):
        np.testing.assert_allclose(one, two, rtol=0, atol=slack)   # quintics of 10 ms
    assert trajectory.joint_names == arm.robot.joint_names
    again = JointTask(arm, trajectory)
    np.testing.assert_array_equal(again.sample(0.25).q, trajectory.sample_many(
        [0, 0.25, 0.5, 0.75, 1])[0])


def test_the_last_sample_is_the_end_whatever_the_step(arm):
    R, path = line(arm, 0.0, -0.3, 0.1)
    task = CartesianTask(arm, 'tool0', path, AxisRotation(R), q0=Q0, duration=1.0)
    np.testing.assert_allclose(task.sample(0.3).t, [0, 0.3, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(task.sample(0.1).t, np.linspace(0, 1, 11))
    for dt in (0.0, -1.0, 2.0, math.nan):
        with pytest.raises(kd.InputError, match='dt must be positive'):
            task.sample(dt)
