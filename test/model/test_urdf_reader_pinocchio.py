# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Read every robot of the example-robot-data wheel and compare with Pinocchio's reading."""

import warnings

from example_robots import example_urdfs, REFUSED
from kinematics import joint_values, link_poses
import numpy as np
import pytest

from kane_dynamics.exceptions import KaneDynamicsWarning, ModelError
from kane_dynamics.model.urdf_reader import load_urdf

pinocchio = pytest.importorskip('pinocchio', reason='the oracle of this file is Pinocchio')

ROBOTS = example_urdfs()
# refused only for masses and inertias: these can be read with a warning
UNPHYSICAL = ('romeo_description/romeo.urdf', 'romeo_description/romeo_laas_small.urdf')


def load(name, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        kwargs.setdefault('unphysical', 'warn' if name in UNPHYSICAL else 'refuse')
        return load_urdf(ROBOTS[name], **kwargs)


def pinocchio_q(model, robot, q):
    """Return q in Pinocchio's order; it takes mimics as free and continuous as (cos, sin)."""
    out = pinocchio.neutral(model)
    if robot.floating_base:
        out[:7] = q[:7]
    for name, value in joint_values(robot, q).items():
        joint = model.joints[model.getJointId(name)]
        own = slice(joint.idx_q, joint.idx_q + joint.nq)
        out[own] = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
    return out


def random_q(robot, rng):
    q = rng.uniform(-1.5, 1.5, robot.nq)
    if robot.floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q


def spatial_inertia(inertial, R, p):
    """Return [[m 1, -m cx], [m cx, I - m cx cx]] of an inertial whose frame sits at R, p."""
    m, c, inertia = inertial.mass, p + R @ inertial.com, R @ inertial.inertia @ R.T
    cx = np.cross(np.eye(3), c)
    return np.block([[m * np.eye(3), -m * cx], [m * cx, inertia - m * cx @ cx]])


def test_the_wheel_has_the_robots_this_file_speaks_of():
    assert len(ROBOTS) >= 60
    assert set(REFUSED) <= set(ROBOTS)


@pytest.mark.parametrize('name', sorted(REFUSED))
def test_a_refused_robot_is_refused_for_the_reason_named(name):
    with pytest.raises(ModelError, match='^' + ROBOTS[name].name + ':') as refusal:
        load(name, unphysical='refuse')
    assert REFUSED[name] in str(refusal.value)


@pytest.mark.parametrize('floating', [False, True], ids=['fixed', 'floating'])
@pytest.mark.parametrize('name', sorted(set(ROBOTS) - set(REFUSED) | set(UNPHYSICAL)))
def test_frames_joints_and_inertias_agree_with_pinocchio(name, floating):
    robot = load(name, floating_base=floating)
    path = str(ROBOTS[name])
    model = (pinocchio.buildModelFromUrdf(path, pinocchio.JointModelFreeFlyer()) if floating
             else pinocchio.buildModelFromUrdf(path))
    data = model.createData()
    moving = {joint.name for joint in robot.moving_joints}
    assert moving == set(model.names) - {'universe', 'root_joint'}

    rng = np.random.default_rng(20260101)
    for _ in range(3):
        q = random_q(robot, rng)
        pinocchio.framesForwardKinematics(model, data, pinocchio_q(model, robot, q))
        for link, (R, p) in link_poses(robot, q).items():
            pose = data.oMf[model.getFrameId(link, pinocchio.FrameType.BODY)]
            # both chain about ten products of rotations and lengths of about a metre
            np.testing.assert_allclose(R, pose.rotation, rtol=0, atol=2e-14, err_msg=link)
            np.testing.assert_allclose(p, pose.translation, rtol=0, atol=2e-14, err_msg=link)

    # the body of a joint: its child link and all links fixed to it, in the child's frame
    poses = link_poses(robot, robot.neutral())
    head = {robot.root: robot.root}
    for joint in robot.joints:
        head[joint.child] = head[joint.parent] if joint.kind == 'fixed' else joint.child
    bodies = {}
    for link in robot.links:
        if link.inertial is not None:
            R, p = poses[head[link.name]]
            R_link, p_link = poses[link.name]
            R_HL, p_HL = R.T @ R_link, R.T @ (p_link - p)
            bodies.setdefault(head[link.name], np.zeros((6, 6)))
            bodies[head[link.name]] += spatial_inertia(link.inertial, R_HL, p_HL)
    for joint in robot.moving_joints:
        expected = model.inertias[model.getJointId(joint.name)].matrix()
        got = bodies.get(joint.child, np.zeros((6, 6)))
        # central inertias are rotated, moved and added: round-off of the largest entry
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * (1 + abs(expected).max()),
                                   err_msg=joint.name)


@pytest.mark.parametrize('name', sorted(set(ROBOTS) - set(REFUSED)))
def test_limits_agree_with_pinocchio(name):
    robot = load(name)
    model = pinocchio.buildModelFromUrdf(str(ROBOTS[name]))
    for joint in robot.independent_joints:
        theirs = model.joints[model.getJointId(joint.name)]
        i = robot.joint_index(joint.name)
        assert robot.limits.effort[i] == model.upperEffortLimit[theirs.idx_v]
        assert robot.limits.velocity[i] == model.upperVelocityLimit[theirs.idx_v]
        assert joint.damping == model.damping[theirs.idx_v]
        assert joint.friction == model.upperDryFrictionLimit[theirs.idx_v]
        if joint.kind != 'continuous' and np.isfinite(joint.limits.lower):
            assert joint.limits.lower == model.lowerPositionLimit[theirs.idx_q]
            assert joint.limits.upper == model.upperPositionLimit[theirs.idx_q]
        if joint.kind == 'continuous':
            assert robot.limits.upper[i] == np.inf == -robot.limits.lower[i]


def test_a_root_joint_of_type_floating_is_the_floating_base():
    text = """<robot name="drone"><link name="world"/><link name="hull"><inertial>
      <mass value="2"/><inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="free" type="floating"><origin xyz="1 2 3" rpy="0.3 0.4 0.5"/>
      <parent link="world"/><child link="hull"/></joint>
      </robot>"""
    robot = load_urdf(text)
    model = pinocchio.buildModelFromXML(text)
    assert (robot.nq, robot.nv, robot.root, robot.base) == (7, 6, 'world', 'hull')
    assert (model.nq, model.nv) == (7, 6)
    assert robot.joint_names == ()
    np.testing.assert_array_equal(robot.neutral(), pinocchio.neutral(model))
    q, data = random_q(robot, np.random.default_rng(9)), model.createData()
    pinocchio.framesForwardKinematics(model, data, q)
    for link, (R, p) in link_poses(robot, q).items():
        pose = data.oMf[model.getFrameId(link, pinocchio.FrameType.BODY)]
        np.testing.assert_allclose(R, pose.rotation, rtol=0, atol=1e-14)
        np.testing.assert_allclose(p, pose.translation, rtol=0, atol=1e-14)


def test_what_is_written_reads_back_the_same_in_pinocchio():
    rng = np.random.default_rng(5)
    for name in ('panda_description/panda.urdf', 'talos_data/talos_reduced.urdf',
                 'pr2_description/pr2.urdf'):
        robot = load(name)
        written = pinocchio.buildModelFromXML(robot.to_urdf())
        model = pinocchio.buildModelFromUrdf(str(ROBOTS[name]))
        assert list(written.names) == list(model.names)
        for _ in range(3):
            q = pinocchio_q(model, robot, random_q(robot, rng))
            v, a = rng.uniform(-1, 1, (2, model.nv))
            expected = pinocchio.rnea(model, model.createData(), q, v, a)
            got = pinocchio.rnea(written, written.createData(), q, v, a)
            np.testing.assert_allclose(got, expected, rtol=0,
                                       atol=1e-13 * abs(expected).max())
