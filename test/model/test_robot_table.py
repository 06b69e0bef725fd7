# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The text of `kane info` says what is in the robot, in columns, for every example robot."""

import warnings

from example_robots import example_urdf, example_urdfs
import numpy as np

from kane_dynamics.exceptions import KaneDynamicsWarning, ModelError
from kane_dynamics.model.dh import from_dh
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.robot_table import describe
from kane_dynamics.model.structure.links_and_joints import Joint, Limits, Link, Mimic
from kane_dynamics.model.urdf_reader import load_urdf

SLIDER = """robot 'arm'
  base 'base' at rest
  nq = 2, nv = 2: 2 joints
  3 links, 3 kg, gravity [0 0 -9.81] m/s^2

joints, in the order of q (rad, rad/s, N m; prismatic: m, m/s, N)
        joint    kind       parent -> child   axis     lower  upper  speed  effort  damping
  q[0]  joint_1  revolute   base -> link_1    [0 0 1]      -      -      -       -        0
  q[1]  joint_2  prismatic  link_1 -> link_2  [0 0 1]   -0.1    0.5      2     100      1.5

links
  link    mass [kg]  mass centre [m]  principal inertias [kg m^2]
  link_1          1      [0.1 0 0.2]              [0.1 0.15 0.22]
  link_2          2          [0 0 0]                [0.2 0.2 0.2]

frames without mass
  base

inertias: nothing to remark
"""


def test_the_table_of_a_small_arm_reads_like_this():
    robot = from_dh(
        [dict(d=0.3), dict(a=0.4, kind='prismatic', limits=Limits(-0.1, 0.5, 2, 100),
                           damping=1.5)],
        inertials=[(1.0, (0.1, 0, 0.2), (0.1, 0.15, 0.22)), (2.0, (0, 0, 0), (0.2, 0.2, 0.2))])
    assert describe(robot) == SLIDER


def test_every_joint_link_and_finding_of_every_example_robot_is_named():
    seen = 0
    for path in example_urdfs().values():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', KaneDynamicsWarning)
            try:
                robot = load_urdf(path, floating_base=seen % 2 == 0, unphysical='warn')
            except ModelError:
                continue  # test_urdf_reader_pinocchio names these
        text = describe(robot)
        words = set(text.replace(',', ' ').split())
        for name in robot.link_names + tuple(joint.name for joint in robot.joints):
            assert set(name.split()) <= words, (path.name, name)
        assert f'nq = {robot.nq}, nv = {robot.nv}' in text
        seen += 1
    assert seen > 60


def test_a_floating_base_shifts_the_coordinates_by_seven():
    text = describe(load_urdf(example_urdf('go2.urdf'), floating_base=True))
    assert "floating base 'base' (q starts with x y z, qx qy qz qw)" in text
    assert 'q[7] ' in text and 'q[18]' in text and 'q[0]' not in text


def test_mimics_and_errors_are_told():
    robot = Robot('r', [Link('a'), Link('b'), Link('c')], [
        Joint('lead', 'revolute', 'a', 'b', axis=np.array([1.0, 1.0, 0.0])),
        Joint('follow', 'revolute', 'b', 'c', mimic=Mimic('lead', -2.0, -0.5))])
    text = describe(robot)
    assert '-2 * lead - 0.5' in text
    assert "error: link 'b': moves by joint 'lead', but neither it nor anything" in text
