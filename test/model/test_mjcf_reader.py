# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF files: the same torques as mj_inverse, and refusals that name the element."""

import math

from mujoco_models import largest_difference, MujocoModel
import numpy as np
import pytest

import kane_dynamics as kd

pytest.importorskip('mujoco', reason='mujoco is not installed')
TIGHT = 1e-12

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <default><joint armature="0.05" damping="0.7"/><geom density="900"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="pillar" pos="0.1 0.2 0.3" euler="0.2 0 0.4">
      <geom type="cylinder" size="0.05 0.2"/>
      <body name="upper" pos="0 0 0.2" quat="0.9 0.1 -0.3 0.2">
        <joint name="yaw" axis="0 0 1" ref="0.6" range="-2 2"/>
        <joint name="pitch" axis="0 1 0.2" pos="0.02 0 -0.03"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.03"/>
        <body name="fore" pos="0.4 0 0.1">
          <joint name="lift" type="slide" axis="1 0 1" ref="-0.1" pos="9 9 9" range="0 0.5"
                 stiffness="30" springref="0.2"/>
          <joint name="roll" axis="1 0 0" pos="0 0.01 0"/>
          <inertial pos="0.1 0.02 0" mass="2" fullinertia="0.02 0.03 0.04 0.001 0.002 -0.003"/>
          <geom type="box" size="0.1 0.02 0.03" group="3"/>
          <site name="tool" pos="0.2 0 0" euler="0 0.5 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  %s
</mujoco>
"""
FREE = """<mujoco><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint/><geom size="0.2 0.1 0.1" type="box"/>
    <body pos="0.2 0 0"><joint axis="0 1 0" armature="0.01"/>
      <geom type="capsule" size="0.02 0.1" pos="0 0 -0.1"/></body>
    <body pos="-0.2 0 0"><joint axis="0 1 1"/>
      <geom type="capsule" size="0.02 0.1" pos="0 0 -0.1"/></body></body>
</worldbody></mujoco>"""


@pytest.fixture
def mjcf(tmp_path):
    """Return a function that writes MJCF text to a file and returns its path."""
    def write(text):
        path = tmp_path / 'model.xml'
        path.write_text(text, encoding='utf-8')
        return path
    return write


@pytest.fixture
def load(mjcf):
    """Return a function that loads MJCF text."""
    def read(text, **options):
        return kd.load_mjcf(mjcf(text), **options)
    return read


def test_anchors_refs_and_several_joints_of_a_body_give_the_torques_of_mj_inverse(mjcf, load):
    robot = load(ARM % '')
    assert robot.joint_names == ('yaw', 'pitch', 'lift', 'roll')
    assert largest_difference(mjcf(ARM % ''), robot) < TIGHT


def test_a_floating_base_gives_the_torques_of_mj_inverse(mjcf):
    robot = kd.load_mjcf(mjcf(FREE))
    assert robot.floating_base and robot.base == 'trunk' and robot.n_joints == 2
    assert largest_difference(mjcf(FREE), robot) < TIGHT


def test_a_linear_joint_equality_is_a_mimic_with_the_torques_of_virtual_work(mjcf, load):
    text = ARM % '<equality><joint joint1="roll" joint2="yaw" polycoef="0.1 -1.5"/></equality>'
    robot = load(text)
    mimic = robot.joint('roll').mimic
    # q1 = c0 + c1 (q2 - ref2), ref2 = 0.6
    assert (mimic.joint, mimic.multiplier) == ('yaw', -1.5)
    assert mimic.offset == pytest.approx(0.1 + 1.5 * 0.6)
    assert largest_difference(mjcf(text), robot) < TIGHT


@pytest.mark.parametrize('equalities', [
    '<joint joint1="lift" polycoef="0.25"/>',
    '<joint joint1="pitch" joint2="yaw" polycoef="0.5 0 0 0 0"/>',
    '<joint joint1="pitch" polycoef="0.5"/><joint joint1="roll" joint2="pitch" '
    'polycoef="0.1 2"/>',
    '<joint joint1="roll" joint2="pitch" polycoef="0.1 2"/><joint joint1="pitch" '
    'polycoef="0.5"/>'])
def test_torques_with_joints_that_equalities_lock_are_those_of_mujoco(mjcf, load, equalities):
    text = ARM % f'<equality>{equalities}</equality>'
    assert largest_difference(mjcf(text), load(text)) < TIGHT


def test_a_constant_joint_equality_locks_the_joint_there(mjcf, load):
    robot = load(ARM % '<equality><joint joint1="lift" polycoef="0.25"/></equality>')
    assert robot.joint_names == ('yaw', 'pitch', 'roll')
    model = MujocoModel(mjcf(ARM % ''))
    model.data.qpos[2] = -0.1 + 0.25
    model._mujoco.mj_kinematics(model.model, model.data)
    q = np.array([0.6, 0.0, 0.0])       # ref of yaw: the pose of the file
    R, p = kd.Dynamics(robot, backend='python').frame_pose('fore', q)
    np.testing.assert_allclose(p, model.data.body('fore').xpos, atol=1e-12)
    np.testing.assert_allclose(R.ravel(), model.data.body('fore').xmat, atol=1e-12)


def test_frames_of_bodies_and_sites_are_those_of_mujoco(mjcf, load):
    robot, model = load(ARM % ''), MujocoModel(mjcf(ARM % ''))
    q = np.array([0.4, -0.3, 0.2, 1.1])
    model.data.qpos[:] = q
    model._mujoco.mj_kinematics(model.model, model.data)
    dynamics = kd.Dynamics(robot, backend='python')
    for link, frame in [(name, model.data.body(name)) for name in ('pillar', 'upper', 'fore')] + [
            ('tool', model.data.site('tool'))]:
        R, p = dynamics.frame_pose(link, q)
        np.testing.assert_allclose(p, frame.xpos, atol=1e-12)
        np.testing.assert_allclose(R.ravel(), frame.xmat, atol=1e-12)
    assert robot.tip() == 'tool'


def test_gears_of_actuators_scale_force_limits_and_reflected_inertia(load):
    robot = load(ARM % """<actuator>
      <motor joint="yaw" gear="50" ctrlrange="-0.4 0.5" armature="1e-4" damping="1e-3"/>
      <position joint="pitch" kp="100" forcerange="-30 30"/>
      <motor joint="lift"/></actuator>""")
    yaw = robot.joint('yaw')
    assert yaw.limits.effort == pytest.approx(50 * 0.4)
    assert yaw.armature == pytest.approx(0.05 + 50**2 * 1e-4)
    assert yaw.damping == pytest.approx(0.7 + 50**2 * 1e-3)
    assert robot.limits.effort[1:].tolist() == [30.0, math.inf, math.inf]
    assert (yaw.limits.lower, yaw.limits.upper) == (-2.0, 2.0)
    assert [joint.kind for joint in robot.independent_joints] == [
        'revolute', 'continuous', 'prismatic', 'continuous']


def test_inertia_of_actuators_gives_the_torques_of_mj_inverse(mjcf, load):
    text = ARM % ('<actuator><motor joint="yaw" gear="50" armature="1e-4" damping="1e-3"/>'
                  '</actuator>')
    assert largest_difference(mjcf(text), load(text)) < TIGHT


def test_gravity_is_that_of_the_file_unless_given(mjcf, load):
    assert load(ARM % '').gravity.tolist() == [0.3, -0.2, -9.7]
    assert load(ARM % '', gravity=(0, 0, -1.62)).gravity.tolist() == [0.0, 0.0, -1.62]
    off = FREE.replace('<worldbody>', '<option><flag gravity="disable"/></option><worldbody>')
    assert kd.load_mjcf(mjcf(off)).gravity.tolist() == [0.0, 0.0, 0.0]


def test_geoms_of_the_collision_groups_are_not_drawn(load):
    robot = load(ARM % '')
    assert [shape.kind for shape in robot.link('upper').visuals] == ['capsule']
    assert robot.link('upper').visuals[0].size == pytest.approx((0.03, math.hypot(0.4, 0.1)))
    assert robot.link('fore').visuals == ()


MESH = """<mujoco><asset><mesh name="m" file="m.obj" scale="2 1 1"/></asset><worldbody>
  <body><joint/><geom type="mesh" mesh="m" pos="0.1 0.2 0.3" euler="10 20 30"/></body>
</worldbody></mujoco>"""
TETRAHEDRON = """v 0 0 0
v 0.3 0 0
v 0 0.2 0
v 0.1 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


def test_a_mesh_is_drawn_where_mujoco_has_it_although_mujoco_recentres_it(mjcf):
    path = mjcf(MESH)
    (path.parent / 'm.obj').write_text(TETRAHEDRON, encoding='utf-8')
    visual, = kd.load_mjcf(path).link('body_1').visuals
    assert visual.filename == str(path.parent / 'm.obj')
    points = np.array([line.split()[1:] for line in TETRAHEDRON.splitlines()[:4]], dtype=float)
    drawn = points * visual.size @ visual.rotation.T + visual.position
    model = MujocoModel(path)
    data, geom = model.data, model.model.geom(0)
    model._mujoco.mj_kinematics(model.model, data)
    placed = (model.model.mesh_vert @ data.geom(geom.id).xmat.reshape(3, 3).T
              + data.geom(geom.id).xpos)
    # the same corners, whatever their order
    for corner in placed:
        assert np.linalg.norm(drawn - corner, axis=1).min() < 1e-6


@pytest.mark.parametrize(('text', 'words'), [
    ('<body><joint name="hip" type="ball"/><geom size="1"/></body>', "'hip' is a ball joint"),
    ('<body><freejoint/><geom size="1"/></body><body><freejoint name="b"/><geom size="1"/></body>',
     "'b': is a second floating joint"),
    ('<body name="light" gravcomp="1"><joint/><geom size="1"/></body>',
     "gravity compensation of body 'light'"),
    ('<body name="a"><joint type="free" damping="1" name="f"/><geom size="1"/></body>',
     "the free joint 'f'"),
])
def test_a_refusal_names_file_and_element(mjcf, text, words):
    path = mjcf(f'<mujoco><worldbody>{text}</worldbody></mujoco>')
    with pytest.raises(kd.ModelError, match=words) as caught:
        kd.load_mjcf(path)
    assert str(caught.value).startswith('model.xml: ')


@pytest.mark.parametrize(('more', 'words'), [
    ('<equality><joint name="cam" joint1="roll" joint2="yaw" polycoef="0 1 2"/></equality>',
     "equality 'cam'.*nonlinear"),
    ('<equality><connect body1="fore" body2="world" anchor="0.1 0.2 0.3"/></equality>',
     r"of type connect, in ConstrainedDynamics kd.Loop\('fore', 'world', \(0.1, 0.2, 0.3\)"),
    ('<equality><weld body1="fore" body2="world"/></equality>', 'of type weld'),
    ('<tendon><fixed name="cable" stiffness="4"><joint joint="yaw" coef="1"/></fixed></tendon>',
     "stiffness of tendon 'cable'"),
    ('<option density="1.2"/>', 'fluid forces'),
])
def test_unsupported_forces_are_refused_or_left_out_with_a_warning(mjcf, more, words):
    path = mjcf(ARM % more)
    with pytest.raises(kd.ModelError, match=words):
        kd.load_mjcf(path)
    with pytest.warns(kd.KaneDynamicsWarning, match=words):
        robot = kd.load_mjcf(path, unsupported='warn')
    assert robot.joint_names == ('yaw', 'pitch', 'lift', 'roll')


def test_a_file_that_mujoco_cannot_read_is_an_error_with_its_words(mjcf, tmp_path):
    with pytest.raises(kd.ModelError, match='model.xml: mujoco cannot read it.*nonsense'):
        kd.load_mjcf(mjcf('<mujoco><nonsense/></mujoco>'))
    with pytest.raises(kd.ModelError, match='no such file'):
        kd.load_mjcf(tmp_path / 'absent.xml')


def test_an_inactive_equality_counts_for_nothing(load):
    robot = load(ARM % '<equality><weld body1="fore" body2="world" active="false"/></equality>')
    assert robot.n_joints == 4


@pytest.mark.parametrize('old, new', [
    ('name="fore"', 'name="${1/0}"'), ('name="fore"', f'name="{"9" * 300}"'),
    ('name="yaw"', 'name="a;b"'), ('pos="0 0 0.2" quat', 'pos="1e308 0 0.2" quat'),
    ('damping="0.7"', 'damping="1e308"'), ('gravity="0.3', 'gravity="-inf'),
    ('ref="0.6"', 'ref="1e308"'), ('ref="-0.1"', 'ref="-1e9"')])
def test_every_refusal_names_the_file(load, old, new):
    with pytest.raises(kd.ModelError, match='^model.xml: '):
        load((ARM % '').replace(old, new))


def test_a_gear_that_no_actuator_has_is_refused(load):
    with pytest.raises(kd.ModelError, match="^model.xml: actuator 'm': gear: expected at most 1e"):
        load(ARM % '<actuator><motor name="m" joint="yaw" gear="1e308"/></actuator>')


def test_names_that_are_not_utf_8_are_refused(tmp_path):
    path = tmp_path / 'model.xml'
    path.write_bytes((ARM % '').encode().replace(b'name="fore"', b'name="f\x8f"'))
    with pytest.raises(kd.ModelError, match='^model.xml: a name in it is not UTF-8 text'):
        kd.load_mjcf(path)
