# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Robot: frozen, complete in its lookups, changed only as copies, written exactly."""

from dataclasses import FrozenInstanceError, replace
from functools import cache
import math
import pickle
import warnings

from example_robots import example_urdf, example_urdfs
import numpy as np
import pytest

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Limits, Link, Mimic
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.numerics.rotations import from_rpy, to_rpy


@pytest.fixture
def panda():
    return load_urdf(example_urdf('panda.urdf'))


def quiet(path, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        return load_urdf(path, **kwargs)


@cache
def example_arms():
    arms = []
    for path in example_urdfs().values():
        try:
            arms.append(quiet(path, unphysical='warn'))
        except ModelError:
            continue  # test_urdf_reader_pinocchio names these
    assert len(arms) > 60
    return arms


def test_nothing_in_a_robot_can_be_changed(panda):
    with pytest.raises(FrozenInstanceError):
        panda.name = 'x'
    inertial = panda.link('panda_link1').inertial
    joint = panda.joint('panda_joint1')
    for array in (panda.gravity, panda.base_rotation, panda.base_position, inertial.com,
                  inertial.inertia, joint.rotation, joint.position, joint.axis,
                  *panda.limits):
        with pytest.raises(ValueError, match='read-only'):
            array[...] = 1.0


def test_a_robot_and_its_parts_print_in_one_short_line(panda):
    mass = sum(link.inertial.mass for link in panda.links if link.inertial)
    assert repr(panda) == f"Robot('panda', 8 joints, 13 links, {mass:.4g} kg)"
    for part in (panda, panda.tree, *panda.links, *panda.joints,
                 *(link.inertial for link in panda.links if link.inertial)):
        assert len(repr(part)) < 120 and repr(part).startswith(type(part).__name__ + '(')
    assert repr(panda.joint('panda_finger_joint2')) == (
        "Joint('panda_finger_joint2', prismatic, 'panda_hand' -> 'panda_rightfinger', "
        "mimics 'panda_finger_joint1')")
    assert repr(panda.tree) == 'Tree(9 bodies, 13 frames, nq 8, nv 8)'
    assert repr(Link('tool0')) == "Link('tool0', massless)"
    assert repr(Link('rod', Inertial(1.5, (0.1, 0.0, 0.0), np.eye(3)))) == "Link('rod', 1.5 kg)"
    assert repr(Inertial(1.5, (0.1, 0.0, 0.0), np.eye(3))) == 'Inertial(1.5 kg, com [0.1 0 0] m)'


def test_arrays_given_by_the_caller_stay_the_callers_own():
    com = np.zeros(3)
    inertial = Inertial(1.0, com, np.eye(3))
    com[0] = 5.0
    assert inertial.com[0] == 0.0


def test_sizes_and_order_of_a_fixed_and_a_floating_panda(panda):
    assert panda.joint_names == tuple(f'panda_joint{i}' for i in range(1, 8)) + (
        'panda_finger_joint1',)
    assert (panda.nq, panda.nv, panda.n_joints, panda.n_modes, panda.mode_names) == (
        8, 8, 8, 0, ())
    assert [joint.name for joint in panda.mimic_joints] == ['panda_finger_joint2']
    assert len(panda.moving_joints) == 9
    free = quiet(example_urdf('panda.urdf'), floating_base=True)
    assert (free.nq, free.nv, free.n_joints, free.base) == (15, 14, 8, 'panda_link0')
    np.testing.assert_array_equal(free.neutral(), [0, 0, 0, 0, 0, 0, 1] + [0] * 8)


def test_lookups_find_by_name_and_list_the_names_when_they_do_not(panda):
    assert panda.joint('panda_joint8').kind == 'fixed'
    assert panda.parent_joint('panda_link1').name == 'panda_joint1'
    assert panda.parent_joint(panda.root) is None
    assert [joint.name for joint in panda.child_joints('panda_hand')] == [
        'panda_hand_tcp_joint', 'panda_finger_joint1', 'panda_finger_joint2']
    assert panda.leaves() == ('panda_hand_tcp', 'panda_leftfinger', 'panda_rightfinger')
    assert panda.joint_index('panda_finger_joint1') == 7
    for look in (panda.link, panda.parent_joint, panda.child_joints):
        with pytest.raises(InputError, match="no link 'elbow'.*'panda_link0'"):
            look('elbow')
    with pytest.raises(InputError, match="no joint 'elbow'.*'panda_joint1'"):
        panda.joint('elbow')
    with pytest.raises(InputError, match="no independent joint 'panda_finger_joint2'"):
        panda.joint_index('panda_finger_joint2')


@pytest.mark.parametrize('file, tip', [
    ('ur5_robot.urdf', 'tool0'),                   # and not 'base', the last link of the file
    ('kinova.urdf', 'j2s6s200_end_effector'),      # a frame, and not one of its fingers
    ('panda.urdf', 'panda_hand_tcp'),
    ('tiago.urdf', 'hand_tool_link'),              # and not a phalanx with more joints
    ('talos_left_arm.urdf', 'wrist_left_ft_tool_link'),
    ('xarm7.urdf', 'link_eef'),
    ('g1_29dof_rev_1_0.urdf', 'right_rubber_hand')])    # 'right_knee_link' is no '_ee_link'
def test_the_tip_is_the_tool_frame_by_its_usual_name(file, tip):
    assert quiet(example_urdf(file)).tip() == tip


def gripper(*tail):
    """Return an arm of two joints whose hand has two fingers, one of which mimics the other."""
    links = [Link(name, Inertial(1.0, (0.1, 0, 0), np.eye(3)))
             for name in ('base', 'arm', 'hand', 'left', 'right')] + [Link(name) for name in tail]
    return Robot('r', links, [
        Joint('1', 'revolute', 'base', 'arm'), Joint('2', 'revolute', 'arm', 'hand'),
        Joint('3', 'prismatic', 'hand', 'left'),
        Joint('4', 'prismatic', 'hand', 'right', mimic=Mimic('3', -1.0)),
        *(Joint(f'{name}_fixed', 'fixed', 'right', name) for name in tail)])


def test_without_a_usual_name_the_tip_is_the_palm_and_no_finger():
    assert gripper().tip() == 'hand'
    assert gripper('fingertip').tip() == 'hand'


def test_a_flange_near_the_base_is_no_tool_frame():
    arm = gripper()
    mounted = Robot('r', (*arm.links, Link('mounting_flange')), (
        *arm.joints, Joint('mount', 'fixed', 'base', 'mounting_flange')))
    assert mounted.tip() == 'hand'


def test_a_robot_built_in_python_is_checked_like_one_from_a_file():
    box = Inertial(1.0, (0, 0, 0), np.eye(3))
    with pytest.raises(ModelError, match='two links'):
        Robot('r', [Link('a'), Link('a')])
    with pytest.raises(ModelError, match="link 'b' is already the child"):
        Robot('r', [Link('a'), Link('b')],
              [Joint('1', 'fixed', 'a', 'b'), Joint('2', 'fixed', 'a', 'b')])
    with pytest.raises(ModelError, match="joint 'j' is 'planar'"):
        Joint('j', 'planar', 'a', 'b')
    with pytest.raises(ModelError, match='rotation matrix'):
        Joint('j', 'fixed', 'a', 'b', 2 * np.eye(3))
    with pytest.raises(ModelError, match='rotation matrix'):
        Joint('j', 'fixed', 'a', 'b', -np.eye(3))
    with pytest.raises(ModelError, match='symmetric'):
        Inertial(1.0, (0, 0, 0), [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(ModelError, match='mass: expected a finite number'):
        Inertial(math.nan, (0, 0, 0), np.eye(3))
    with pytest.raises(ModelError, match="link 'a.nb'"):
        Link('a\nb', box)
    with pytest.raises(InputError, match='base_rotation'):
        Robot('r', [Link('a', box)], base_rotation=np.ones((3, 3)))


def test_with_methods_return_copies_and_leave_the_original(panda):
    moon = panda.with_gravity((0, 0, -1.62))
    assert moon.gravity[2] == -1.62 and panda.gravity[2] == -9.81
    turned = panda.with_base(rotation=from_rpy((math.pi, 0, 0)), position=(1, 2, 3))
    np.testing.assert_array_equal(turned.base_rotation, np.diag([1.0, -1.0, -1.0]))
    np.testing.assert_array_equal(turned.base_position, [1, 2, 3])
    np.testing.assert_array_equal(panda.base_rotation, np.eye(3))
    light = panda.with_inertial('panda_hand', None)
    assert light.total_mass == pytest.approx(panda.total_mass - 0.73, rel=1e-14)
    with pytest.raises(InputError, match='panda_wrist'):
        panda.with_inertial('panda_wrist', None)
    with pytest.raises(InputError, match='expected an Inertial or None, got int'):
        panda.with_inertial('panda_hand', 3)


def test_a_payload_is_a_fixed_link_and_every_old_name_stays(panda):
    loaded = panda.with_payload(2.0, (0, 0, 0.1), link='panda_hand_tcp')
    assert loaded.total_mass == pytest.approx(panda.total_mass + 2.0, rel=1e-15)
    assert loaded.joint_names == panda.joint_names
    assert set(loaded.link_names) - set(panda.link_names) == {'payload'}
    assert loaded.parent_joint('payload').parent == 'panda_hand_tcp'
    np.testing.assert_array_equal(loaded.link('payload').inertial.inertia, np.zeros((3, 3)))
    twice = loaded.with_payload(1.0, (0, 0, 0), np.eye(3), link='payload')
    assert 'payload_2' in twice.link_names


def test_a_payload_on_one_of_several_ends_must_say_which(panda):
    with pytest.raises(InputError, match="3 ends.*'panda_hand_tcp'.*link="):
        panda.with_payload(2.0, (0, 0, 0.1))
    chain = Robot('r', [Link('a'), Link('b', Inertial(1.0, (0, 0, 0), np.eye(3)))],
                  [Joint('j', 'revolute', 'a', 'b')])
    assert chain.with_payload(1.0, (0, 0, 0)).parent_joint('payload').parent == 'b'


def test_robots_survive_pickling(panda):
    again = pickle.loads(pickle.dumps(panda))
    assert again.to_urdf() == panda.to_urdf()


def assert_same(one, other, tolerance):
    assert one.name == other.name
    assert one.link_names == other.link_names
    assert [joint.name for joint in one.joints] == [joint.name for joint in other.joints]
    for a, b in zip(one.links, other.links):
        assert (a.inertial is None) == (b.inertial is None)
        if a.inertial is not None:
            assert a.inertial.mass == b.inertial.mass
            np.testing.assert_array_equal(a.inertial.com, b.inertial.com)
            np.testing.assert_array_equal(a.inertial.inertia, b.inertial.inertia)
        assert len(a.visuals) == len(b.visuals)
        for seen, other_seen in zip(a.visuals, b.visuals):
            assert (seen.kind, seen.size, seen.filename) == (
                other_seen.kind, other_seen.size, other_seen.filename)
            np.testing.assert_allclose(seen.rotation, other_seen.rotation, 0, tolerance)
    for a, b in zip(one.joints, other.joints):
        assert (a.kind, a.parent, a.child, a.limits, a.mimic) == (
            b.kind, b.parent, b.child, b.limits, b.mimic)
        assert (a.damping, a.friction, a.armature) == (b.damping, b.friction, b.armature)
        np.testing.assert_array_equal(a.position, b.position)
        np.testing.assert_allclose(a.axis, b.axis, 0, tolerance)
        np.testing.assert_allclose(a.rotation, b.rotation, 0, tolerance)


def test_every_example_robot_reads_back_to_1e_15():
    for robot in example_arms():
        assert_same(quiet(robot.to_urdf(), unphysical='warn'), robot, 1e-15)


def test_infinite_and_one_sided_limits_and_armature_survive_writing():
    body = Inertial(1.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    robot = Robot('r', [Link('a'), Link('b', body), Link('c', body), Link('d', body)], [
        Joint('1', 'revolute', 'a', 'b', limits=Limits(upper=1.0), armature=0.1, damping=1 / 3),
        Joint('2', 'prismatic', 'b', 'c', axis=(1, 1, 1), limits=Limits(effort=3.0)),
        Joint('3', 'continuous', 'c', 'd', mimic=Mimic('1', 1 / 3, -0.1))])
    assert_same(load_urdf(robot.to_urdf()), robot, 1e-15)
    assert load_urdf(robot.to_urdf()).limits.lower[0] == -math.inf


def test_roll_pitch_yaw_are_exact_also_where_pitch_is_a_quarter_turn():
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(3000):
        angles = rng.uniform(-math.pi, math.pi, 3)
        if rng.random() < 0.5:
            angles[1] = rng.choice([-1, 1]) * math.pi / 2 + rng.choice([0, 1e-16, 1e-9, 1e-5])
        R = from_rpy(angles)
        worst = max(worst, abs(from_rpy(to_rpy(R)) - R).max())
    assert worst < 1e-15  # 4.5 eps


def test_replace_keeps_a_robot_consistent(panda):
    with pytest.raises(ModelError, match='several roots'):
        replace(panda, joints=panda.joints[1:])


def test_chain_and_children_of_every_link_agree_with_pinocchio():
    pin = pytest.importorskip('pinocchio')
    for robot in example_arms():
        if any(joint.kind == 'floating' for joint in robot.joints):
            continue    # Pinocchio names its first joint root_joint
        model = pin.buildModelFromXML(robot.to_urdf())
        for link in robot.link_names:
            frame = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
            moving = [joint.name for joint in robot.chain(link) if joint.kind != 'fixed']
            assert moving == [model.names[k] for k in model.supports[frame.parentJoint]][1:]
            assert [robot.root, *(joint.child for joint in robot.chain(link))][-1] == link
        pairs = {(link, child) for link in robot.link_names for child in robot.children(link)}
        assert pairs == {(joint.parent, joint.child) for joint in robot.joints}


def test_links_fixed_to_each_other_are_those_of_one_body_of_the_tree():
    for robot in example_arms():
        body = {name: frame.body for name, frame in robot.tree.frames.items()}
        for link in robot.link_names:
            assert robot.rigidly_fixed_to(link) == tuple(
                name for name in robot.link_names if body[name] == body[link])


def test_walks_of_the_tree_refuse_unknown_links(panda):
    for walk in (panda.chain, panda.children, panda.rigidly_fixed_to):
        with pytest.raises(InputError, match="has no link 'tcp'"):
            walk('tcp')


@pytest.mark.parametrize('kind', ['revolute', 'continuous', 'prismatic', 'fixed'])
def test_pose_of_a_child_is_that_of_pinocchio(kind):
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(3)
    axis, q = rng.normal(size=3), 0.7
    joint = Joint('j', kind, 'a', 'b', from_rpy(rng.uniform(-2, 2, 3)), rng.normal(size=3), axis)
    body = Inertial(1.0, np.zeros(3), np.eye(3))
    model = pin.buildModelFromXML(Robot('r', (Link('a'), Link('b', body)), (joint,)).to_urdf())
    data = model.createData()
    coordinates = {'fixed': [], 'continuous': [math.cos(q), math.sin(q)]}.get(kind, [q])
    pin.framesForwardKinematics(model, data, np.array(coordinates, dtype=float))
    expected = data.oMf[model.getFrameId('b')]
    R, p = joint.child_pose(q)
    np.testing.assert_allclose(R, expected.rotation, atol=1e-14)
    np.testing.assert_allclose(p, expected.translation, atol=1e-14)
