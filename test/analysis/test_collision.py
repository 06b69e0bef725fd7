# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions along a motion: closed forms, Pinocchio, and the verdict."""

import json
import math
from pathlib import Path
import sys

from closed_surface import binary_stl
from example_robots import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.collision.collision_check import (
    Box, check_collisions, RESOLUTION, Surroundings)
from kane_dynamics.analysis.pictures.solids import box
from kane_dynamics.analysis.report.arm_scene import arm_scene
from kane_dynamics.analysis.report.report_page import report_page
from kane_dynamics.analysis.report.tables import headline
from kane_dynamics.analysis.study.link_states import link_poses
from kane_dynamics.analysis.study.study import analyse
from kane_dynamics.commands.analyze import as_json, text

NO_FLOOR = Surroundings(floor=-math.inf)
# a post, a carriage on it, and a block that slides towards the post; shapes are made per test
SLIDES = """<robot name="slides"><link name="post">{post}</link>
<link name="carriage"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial></link>
<link name="block"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial>{block}</link>
<joint name="up" type="prismatic"><parent link="post"/><child link="carriage"/><axis xyz="0 0 1"/>
 <origin xyz="0 0 0.5"/><limit lower="-2" upper="2" effort="1e3" velocity="9"/></joint>
<joint name="in" type="prismatic"><parent link="carriage"/><child link="block"/>
 <axis xyz="-1 0 0"/><origin xyz="1 0 0"/><limit lower="-2" upper="2" effort="1e3" velocity="9"/>
</joint></robot>"""
SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
POST = ('<collision><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.2 1"/></geometry>'
        '</collision>')


def report(robot, t, q, surroundings=NO_FLOOR, folder=None, reference=None):
    rest = np.zeros((1, robot.n_joints)) if reference is None else np.array([reference])
    return check_collisions(robot, t, link_poses(robot, q), link_poses(robot, rest),
                            surroundings, folder)


def slides(post=POST, block=SPHERE):
    return kd.load_urdf(SLIDES.format(post=post, block=block))


def inward(count=2001, depth=0.9):
    """Return t (N,) [s] and q (N, 2): the block moves inward by `depth` in 1 s."""
    t = np.linspace(0.0, 1.0, count)
    return t, np.column_stack([0.0 * t, depth * t])


@pytest.fixture(autouse=True)
def _coal(request):
    if 'without_coal' not in request.node.name:
        pytest.importorskip('coal', reason='coal is not installed')


def adjacent_by_a_joint(robot):
    """Return the same robot with a shape at the carriage: post and block are not neighbours."""
    text = robot.to_urdf().replace('<link name="carriage">', '<link name="carriage">'
                                   '<collision><origin xyz="3 0 0"/><geometry><sphere '
                                   'radius="0.01"/></geometry></collision>')
    return kd.load_urdf(text)


def test_a_sphere_meets_a_box_when_and_as_deep_as_geometry_says():
    robot = adjacent_by_a_joint(slides())
    t, q = inward(depth=0.9)
    [pair] = [each for each in report(robot, t, q).pairs
              if {each.one, each.other} == {'post', 'block'}]
    # x = 1 - 0.9 t of the centre, faces at 0.1: they meet at x = 0.2
    assert pair.first == pytest.approx(0.8 / 0.9, abs=2 * RESOLUTION / 0.9)
    assert pair.distance == pytest.approx(-0.1, abs=RESOLUTION) and pair.time == 1.0
    assert pair.colliding[t > pair.first + 1e-9].all()
    assert not pair.colliding[t < pair.first - 1e-9].any()


def test_the_smallest_distance_is_found_without_looking_at_every_sample():
    robot = adjacent_by_a_joint(slides())
    t = np.linspace(0.0, 1.0, 20001)
    q = np.column_stack([0.0 * t, 0.7 * np.sin(np.pi * t)**2])
    [pair] = [each for each in report(robot, t, q).pairs
              if {each.one, each.other} == {'post', 'block'}]
    assert pair.first is None and not pair.colliding.any()
    assert pair.distance == pytest.approx(0.1, abs=RESOLUTION)      # 0.3 - 0.1 - 0.1
    assert pair.time == pytest.approx(0.5, abs=0.03)


def test_neighbours_are_not_checked_also_where_the_link_between_them_has_no_shape():
    t, q = inward()
    assert report(slides(), t, q).pairs == ()


def test_links_that_touch_in_the_reference_configuration_are_left_out_and_named():
    robot = adjacent_by_a_joint(slides())
    t, q = inward()
    found = report(robot, t, q, reference=[0.0, 0.85])
    assert found.left_out == (('post', 'block'),)
    assert 'post and block' in found.notes()[0]
    assert ('post', 'block') not in {(each.one, each.other) for each in found.pairs}


def test_the_height_above_the_floor_is_exact_and_turns_with_the_base():
    t = np.linspace(0.0, 1.0, 101)
    q = np.column_stack([-0.6 * t, 0.0 * t])        # the centre of the sphere: 0.5 - 0.6 t
    for base in (np.eye(3), np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])):
        robot = slides().with_base(base, [1.0, 2.0, 3.0])
        [pair] = report(robot, t, q, Surroundings()).pairs
        assert (pair.one, pair.other) == ('block', 'floor')
        assert pair.distance == pytest.approx(-0.2) and pair.time == 1.0
        assert pair.first == pytest.approx(0.4 / 0.6, abs=0.011)
    [pair] = report(slides(), t, q, Surroundings(floor=-0.3)).pairs
    assert pair.first is None and pair.distance == pytest.approx(0.1)
    assert report(slides(), t, q, Surroundings(
        ignored=frozenset([frozenset(('block', 'floor'))]))).pairs == ()


def test_boxes_are_obstacles():
    t, q = inward(depth=0.7)
    wall = Box('wall', (0.1, 1.0, 1.0), np.eye(3), np.array([0.3, 0.0, 0.5]))
    found = report(slides(), t, q, Surroundings(floor=-math.inf, boxes=(wall,)))
    [pair] = found.collisions
    # the wall's face is at 0.35, that of the sphere at 0.9 - 0.7 t
    assert (pair.one, pair.other) == ('wall', 'block')
    assert pair.first == pytest.approx(0.55 / 0.7, abs=2 * RESOLUTION / 0.7)
    assert pair.distance == pytest.approx(-0.15, abs=RESOLUTION)        # back to x = 0.45
    scene = arm_scene(slides(), surroundings=Surroundings(boxes=(wall,)))
    assert scene['links'][-1]['name'] == 'wall' and scene['links'][-1]['p'] == [0.3, 0.0, 0.5]


def u_shape():
    """Return a channel of three boxes, 1 m wide inside, open at its top: not convex."""
    return np.concatenate([box([0.1, 1.0, 1.0]) + [-0.55, 0.0, 0.0],
                           box([0.1, 1.0, 1.0]) + [0.55, 0.0, 0.0],
                           box([1.2, 1.0, 0.1]) + [0.0, 0.0, -0.55]])


def mesh_of(name):
    return f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'


def test_a_mesh_collides_with_its_surface_not_with_its_hull(tmp_path):
    (tmp_path / 'u.stl').write_bytes(binary_stl(u_shape()))
    robot = adjacent_by_a_joint(slides(mesh_of('u.stl'), SPHERE))
    t = np.linspace(0.0, 1.0, 1001)
    # into the channel from above, then to its wall: x of the sphere from 0 to 0.6
    q = np.column_stack([-0.5 + 0.0 * t, 1.0 - 0.6 * t])
    found = report(robot, t, q, folder=str(tmp_path), reference=[1.5, 1.0])
    [pair] = [each for each in found.pairs if {each.one, each.other} == {'post', 'block'}]
    assert pair.first == pytest.approx(0.4 / 0.6, abs=2 * RESOLUTION / 0.6)


def test_a_shape_that_is_inside_another_one_from_the_start_is_found(tmp_path):
    (tmp_path / 'cube.stl').write_bytes(binary_stl(box([1.0, 1.0, 1.0])))
    (tmp_path / 'small.stl').write_bytes(binary_stl(box([0.1, 0.1, 0.1])))
    robot = adjacent_by_a_joint(slides(mesh_of('cube.stl'), mesh_of('small.stl')))
    t = np.linspace(0.0, 1.0, 11)
    q = np.column_stack([-0.5 + 0.0 * t, 1.0 + 0.0 * t])
    found = report(robot, t, q, folder=str(tmp_path), reference=[1.5, -1.0])
    assert [each.first for each in found.collisions] == [0.0]


def test_collisions_of_a_ur5_are_those_of_pinocchio():
    pin = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    path = example_urdf('ur5_robot.urdf')
    robot = kd.load_urdf(path)
    model = pin.buildModelFromUrdf(str(path))
    folders = [str(parent) for parent in Path(path).parents]
    shapes = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION, folders)
    shapes.addAllCollisionPairs()
    data, geometry = model.createData(), pin.GeometryData(shapes)
    rng = np.random.default_rng(5)
    t = np.arange(200.0)
    q = rng.uniform(-2.5, 2.5, (len(t), 6))
    # samples far apart: each is looked at
    found = report(robot, t, q, folder=robot.folder)
    seen = {frozenset((each.one, each.other)): each.colliding for each in found.pairs}
    assert len(seen) == 15
    hits = 0
    for k, row in enumerate(q):
        pin.computeCollisions(model, data, shapes, geometry, row, False)
        for number, pair in enumerate(shapes.collisionPairs):
            names = frozenset(shapes.geometryObjects[each].name.rsplit('_', 1)[0]
                              for each in (pair.first, pair.second))
            if names in seen:
                collides = geometry.collisionResults[number].isCollision()
                assert seen[names][k] == collides, (names, k)
                hits += collides
    assert hits > 20


def fold(tmp_path, more=''):
    """Return the Study of a UR5 that folds through its mounting plane and itself."""
    if 'ur5' not in kd.robot_names():
        pytest.skip('example-robot-data is not installed')
    path = tmp_path / 'fold.yaml'
    path.write_text('name: through the table\narm: ur5\ntask:\n  way_points: [[0, 0, 0, 0, 0, 0], '
                    f'[0, 60 deg, 170 deg, 0, 0, 0]]\n  duration: 4 s\nrate: 100 Hz\n{more}')
    return kd.read_task(path)


def test_a_ur5_that_folds_through_its_mounting_plane_and_itself_cannot_do_it(tmp_path):
    analysis = analyse(fold(tmp_path))
    word, sentence, more = headline(analysis)
    assert word == 'NO' and 'and the floor collide (14 pairs collide)' in sentence
    assert 'up to 535 mm at 1.9' in more[0] and 'collision: {floor: -0.8 m}' in more[0]
    assert 'No lower speed helps: the path itself leads to a collision.' in more
    assert analysis.speed_factor.alpha == 0.0
    data = json.loads(json.dumps(as_json(analysis)))['collisions']
    assert data['checked'] and not data['passed'] and len(data['pairs']) == 21
    assert data['pairs'][0]['names'] == ['wrist_1_link', 'floor']
    page = report_page(analysis)
    assert 'wrist_1_link and floor' in page and 'inf' not in text(analysis)
    assert json.loads(page[page.index('"scene":'):].partition('"ground":')[2].split(',')[0].rstrip(
        '}')) == 0.0


def test_the_floor_of_a_task_file_can_be_lower_or_none_and_pairs_can_be_ignored(tmp_path):
    for entry, floor in (('none', 0), ('-0.4 m', 4), ('-2 m', 0)):
        study = fold(tmp_path, f'collision: {{floor: {entry}, ignore: '
                     '[[base_link, forearm_link]]}')
        found = analyse(study, find_speed_factor=False).collisions
        assert sum(pair.other == 'floor' for pair in found.collisions) == floor
        assert ('base_link', 'forearm_link') not in {(p.one, p.other) for p in found.pairs}


@pytest.mark.parametrize(('entry', 'message'), [
    ('{boxes: {base_link: {size: [1, 1, 1], position: [0, 0, 0]}}}', 'is the name of a link'),
    ('{boxes: {b: {size: [1, 0, 1], position: [0, 0, 0]}}}', 'three lengths above zero'),
    ('{boxes: {b: {size: [1, 1, 1]}}}', 'position'), ('{ignore: [[floor, wing]]}', 'wing'),
    ('{ignore: [[floor, floor]]}', 'two different names'), ('{floor: low}', 'low')])
def test_a_mistake_in_the_entry_is_named_with_its_line(tmp_path, entry, message):
    with pytest.raises(kd.InputError, match=f'fold.yaml:7: .*{message}'):
        fold(tmp_path, f'collision: {entry}')


def test_without_coal_the_floor_is_checked_and_the_rest_is_said_not_to_be(monkeypatch):
    monkeypatch.setitem(sys.modules, 'coal', None)
    t, q = inward()
    found = report(adjacent_by_a_joint(slides()), t, q, Surroundings())
    assert {pair.other for pair in found.pairs} == {'floor'}
    assert "not checked: coal is not installed; it comes with Pinocchio: pip install 'kane_" in (
        found.summary())


def test_an_arm_without_shapes_and_one_without_its_meshes_are_not_called_free_of_collisions():
    t, q = inward()
    assert 'Collisions are not checked. slides has no collision shapes' in report(
        slides('', ''), t, q).summary()
    lost = report(slides(POST, mesh_of('nowhere.stl')), t, q, folder='/')
    assert 'block is not checked for collisions: nowhere.stl not found in' in lost.summary()


def test_a_robot_that_reaches_far_below_its_root_has_no_floor_unless_one_is_given():
    deep = kd.load_urdf(SLIDES.format(post=POST, block=SPHERE).replace(
        '<origin xyz="1 0 0"/>', '<origin xyz="1 0 -3"/>'))
    t, q = inward()
    found = report(deep, t, q, Surroundings())
    assert not found.pairs and 'give the height of the floor' in found.summary()
    assert report(deep, t, q, Surroundings(floor=-5.0)).pairs
