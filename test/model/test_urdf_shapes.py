# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of links: visuals and collision shapes with their colours, from URDF and MJCF."""

import pytest

import kane_dynamics as kd

URDF = """<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material>
<link name="a">
 <visual><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
 <visual><geometry><sphere radius="1"/></geometry>
  <material name="red"><color rgba="1 0 0 0.5"/></material></visual>
 <visual><geometry><sphere radius="2"/></geometry><material name="red"/></visual>
 <visual><geometry><sphere radius="3"/></geometry>{}</visual>
 <collision><origin xyz="0 0 1"/><geometry><cylinder radius="1" length="2"/></geometry></collision>
</link></robot>"""


def test_a_visual_has_the_colour_of_its_material_or_of_the_material_it_names():
    link = kd.load_urdf(URDF.format('')).links[0]
    assert [shape.colour for shape in link.visuals] == [
        (0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.5), (1.0, 0.0, 0.0, 0.5), None]
    assert [(shape.kind, shape.size) for shape in link.collisions] == [('cylinder', (1.0, 2.0))]


@pytest.mark.parametrize('material', [
    '<material name="x"><color rgba="1 2"/></material>', '<material name="nowhere"/>',
    '<material name="x"><color rgba="a b c d"/></material>', '<material/>',
    '<material name="x"><texture filename="x.png"/></material>'])
def test_a_robot_is_not_refused_for_a_colour(material):
    assert kd.load_urdf(URDF.format(material)).links[0].visuals[3].colour is None


def test_shapes_and_colours_are_written_and_read_back():
    link = kd.load_urdf(URDF.format('')).links[0]
    again = kd.load_urdf(kd.load_urdf(URDF.format('')).to_urdf()).links[0]
    for first, second in ((link.visuals, again.visuals), (link.collisions, again.collisions)):
        assert [(shape.kind, shape.size, shape.colour, shape.position.tolist())
                for shape in first] == [
            (shape.kind, shape.size, shape.colour, shape.position.tolist()) for shape in second]


MJCF = """<mujoco><asset><material name="m" rgba="0 1 0 1"/></asset><worldbody><body name="b">
<joint name="j"/><geom type="box" size="1 2 3" mass="1" material="m"/>
<geom type="sphere" size="1" mass="1" rgba="1 0 0 1" contype="0" conaffinity="0"/>
<geom type="capsule" size="1 2" mass="1" group="3"/></body></worldbody></mujoco>"""


def test_geoms_that_are_drawn_are_visuals_and_those_that_make_contact_are_collision_shapes(
        tmp_path):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    path = tmp_path / 'a.xml'
    path.write_text(MJCF)
    link = kd.load_mjcf(path).link('b')
    assert [(shape.kind, shape.size, shape.colour) for shape in link.visuals] == [
        ('box', (2.0, 4.0, 6.0), (0.0, 1.0, 0.0, 1.0)), ('sphere', (1.0,), (1.0, 0.0, 0.0, 1.0))]
    assert [(shape.kind, shape.size) for shape in link.collisions] == [
        ('box', (2.0, 4.0, 6.0)), ('capsule', (1.0, 4.0))]
