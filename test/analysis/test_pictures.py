# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of pictures: surfaces, meshes from files, the camera, poses of links."""

import math
from pathlib import Path

from closed_surface import binary_stl, volume
from example_robots import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.arm_solid import ArmSolid
from kane_dynamics.analysis.pictures.painter import Camera
from kane_dynamics.analysis.pictures.solids import ball, box, capsule, cylinder, rod, triangles_of
from kane_dynamics.analysis.report.arm_scene import arm_scene
from kane_dynamics.analysis.report.view_page import view_page
from kane_dynamics.analysis.study.link_states import energies, link_poses, link_states
from kane_dynamics.trajectory.motion import Motion

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(('triangles', 'expected', 'within'), [
    (box([1, 2, 3]), 6.0, 1e-12),
    # polygons of 28 sides in a circle: sin(x)/x of their half angle
    (cylinder(0.5, 2.0), 0.5 * math.pi, 0.01),
    (ball(1.0), 4 / 3 * math.pi, 0.05),
    (capsule(0.5, 1.0), math.pi * 0.25 + 4 / 3 * math.pi * 0.125, 0.03),
    (rod([1, 2, 3], [2, 4, 5], 0.1), math.pi * 0.01 * 3.0, 0.04),
])
def test_surfaces_are_closed_and_face_outward(triangles, expected, within):
    assert volume(triangles) == pytest.approx(expected, rel=within + 1e-12)
    # moved somewhere else a closed surface encloses the same
    assert volume(triangles + [5.0, -3.0, 2.0]) == pytest.approx(volume(triangles), rel=1e-9)


def test_every_shape_of_a_urdf_has_a_surface_but_a_mesh():
    for kind, size in (('box', (1, 1, 1)), ('sphere', (1,)), ('cylinder', (1, 2)),
                       ('capsule', (1, 2))):
        assert len(triangles_of(kind, size))
    assert triangles_of('mesh', (1, 1, 1)) is None


# -- meshes --------------------------------------------------------------------------------------

CUBE = box([1.0, 1.0, 1.0])


def test_the_picture_is_as_large_as_the_meshes_and_missing_meshes_are_reported(tmp_path):
    (tmp_path / 'a.stl').write_bytes(binary_stl(CUBE))
    text = ('<robot name="one"><link name="a"><visual><origin xyz="0 0 5"/><geometry><mesh '
            'filename="{}" scale="2 2 2"/></geometry></visual></link></robot>')
    low, high = 2.0 * CUBE.reshape(-1, 3).min(axis=0), 2.0 * CUBE.reshape(-1, 3).max(axis=0)
    scene = arm_scene(kd.load_urdf(text.format('a.stl')), folder=tmp_path)
    # from the origin to the far side of the cube of 2 m, 5 m up
    low, high = np.minimum(low + [0, 0, 5], 0.0), np.maximum(high + [0, 0, 5], 0.0)
    assert scene['centre'] == pytest.approx(0.5 * (low + high), abs=1e-6)
    assert scene['radius'] == pytest.approx(0.5 * np.linalg.norm(high - low), rel=1e-6)
    with pytest.warns(kd.KaneDynamicsWarning, match='1 of 1 meshes are not drawn; b.stl: not f'):
        arm_scene(kd.load_urdf(text.format('b.stl')), folder=tmp_path)


def test_a_page_can_be_made_of_an_arm_whose_mesh_has_points_of_1e308_m(tmp_path):
    (tmp_path / 'far.obj').write_text('v 1e308 0 0\nv -1e308 1 0\nv 0 0 1e308\nf 1 2 3\n')
    robot = kd.parse_urdf('<robot name="r"><link name="a"><visual><geometry><mesh '
                          'filename="far.obj"/></geometry></visual></link></robot>')
    with pytest.warns(kd.KaneDynamicsWarning, match='not within 1e[+]06 m of the origin'):
        page = view_page(robot, folder=tmp_path)
    assert page.endswith('</html>\n')


# -- poses ---------------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ['panda.urdf', 'ur5_robot.urdf', 'tiago_no_hand.urdf'])
def test_links_are_where_kane_s_equations_put_them(name):
    robot = kd.load_urdf(example_urdf(name)).with_base(
        [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3])
    q = np.random.default_rng(2).uniform(-1.0, 1.0, (3, robot.n_joints))
    poses = link_poses(robot, q)
    dyn = kd.Dynamics(robot, backend='python')
    for link in (*robot.link_names[:3], *robot.leaves()[-2:]):
        for k in range(3):
            R, p = dyn.frame_pose(link, q[k])
            assert poses[link][0][k] == pytest.approx(R, abs=1e-12)
            assert poses[link][1][k] == pytest.approx(p, abs=1e-12)


def test_hubs_of_flexible_links_are_drawn_and_their_straight_tubes_are_not():
    path = ROOT / 'urdf' / 'flexible_six_axis.urdf'
    robot = kd.load_urdf(path)
    links = {link['name']: link for link in arm_scene(robot)['links']}
    for name in robot.flexible_links:       # in the file: the hub, then the tube
        assert [shape['rigid'] for shape in links[name]['shapes']] == [True, False]
    assert 'rigid' not in links['shoulder']['shapes'][0]
    # the hub of the forearm, 0.15 m long across, is where the elbow is
    q = robot.neutral()
    _, elbow = kd.Dynamics(robot, backend='python').frame_pose('forearm', q)
    solid = ArmSolid(robot, q[None], path.parent)
    points = solid.triangles(q)[0].reshape(-1, 3)
    hub = points[np.abs(np.linalg.norm((points - elbow)[:, [0, 2]], axis=1) - 0.056) < 1e-9]
    assert np.ptp(hub[:, 1]) == pytest.approx(0.15, abs=1e-9)


@pytest.mark.parametrize('name', ['panda.urdf', 'tiago_no_hand.urdf'])
def test_links_move_as_kane_s_equations_say(name):
    # panda: mimic fingers on slides; tiago: a lift
    robot = kd.load_urdf(example_urdf(name))
    rng = np.random.default_rng(3)
    motion = Motion(np.arange(3.0), *rng.uniform(-1.0, 1.0, (3, 3, robot.n_joints)))
    states = link_states(robot, motion)
    dyn = kd.Dynamics(robot, backend='python')
    for link in (robot.link_names[2], *robot.leaves()[-2:]):
        for k in range(3):
            row = motion.q[k], motion.qd[k], motion.qdd[k]
            expected = dyn.frame_acceleration(link, *row)
            found = np.concatenate([states[link].a[k], states[link].alpha[k]])
            assert found == pytest.approx(expected, abs=1e-10)
            found = np.concatenate([states[link].v[k], states[link].w[k]])
            assert found == pytest.approx(dyn.frame_velocity(link, *row[:2]), abs=1e-11)
    found = energies(robot, motion, states)
    for k in range(3):
        expected = dyn.energy(motion.q[k], motion.qd[k])
        assert found[k, 0] == pytest.approx(expected.kinetic, rel=1e-10)
        # links at rest add a constant to the potential
        change = dyn.energy(motion.q[0], motion.qd[0]).potential - expected.potential
        assert found[0, 1] - found[k, 1] == pytest.approx(change, abs=1e-9)


def test_the_camera_sees_its_target_in_the_middle_and_what_is_behind_not_at_all():
    camera = Camera([1.0, 2.0, 3.0], 5.0, 640, 480)
    pixels, depth = camera.project(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.5]]))
    assert pixels[0] == pytest.approx([320, 240]) and depth[0] == pytest.approx(5.0)
    assert pixels[1, 1] < 240 and pixels[1, 0] == pytest.approx(320)      # up is up
    behind, depth = camera.project(2.0 * camera.eye - [1.0, 2.0, 3.0])
    assert np.isnan(depth) and np.isnan(behind).all()
