# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What pictures are made of: surfaces, meshes from files, the camera, places of links."""

import base64
import math
import os
from pathlib import Path
import struct

from conftest import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.arm_picture import arm_picture
from kane_dynamics.analysis.arm_solid import ArmSolid
from kane_dynamics.analysis.camera import Camera
from kane_dynamics.analysis.link_poses import energies, link_poses, link_states
from kane_dynamics.analysis.mesh_file import MeshShelf, packed, read_mesh, thinned
from kane_dynamics.analysis.solid import ball, box, capsule, cylinder, rod, surface
from kane_dynamics.motion.recording import Motion

ROOT = Path(__file__).parents[1]


def volume(triangles):
    """Return the enclosed volume, by the divergence theorem; positive when normals point out."""
    a, b, c = triangles.transpose(1, 0, 2)
    return float(np.einsum('ni,ni->', a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(('triangles', 'expected', 'within'), [
    (box([1, 2, 3]), 6.0, 1e-12),
    # polygons of 28 sides in a circle: sin(x)/x of their half angle
    (cylinder(0.5, 2.0), 0.5 * math.pi, 0.01),
    (ball(1.0), 4 / 3 * math.pi, 0.05),
    (capsule(0.5, 1.0), math.pi * 0.25 + 4 / 3 * math.pi * 0.125, 0.03),
    (rod([1, 2, 3], [2, 4, 5], 0.1), math.pi * 0.01 * 3.0, 0.04),
])
def test_surfaces_are_closed_and_turned_outward(triangles, expected, within):
    assert volume(triangles) == pytest.approx(expected, rel=within + 1e-12)
    # moved somewhere else a closed surface encloses the same
    assert volume(triangles + [5.0, -3.0, 2.0]) == pytest.approx(volume(triangles), rel=1e-9)


def test_every_shape_of_a_urdf_has_a_surface_but_a_mesh():
    assert surface('box', (1, 1, 1)) is not None and surface('sphere', (1,)) is not None
    assert surface('cylinder', (1, 2)) is not None and surface('capsule', (1, 2)) is not None
    assert surface('mesh', (1, 1, 1)) is None


# -- meshes --------------------------------------------------------------------------------------

CUBE = box([1.0, 1.0, 1.0])


def binary_stl(triangles):
    rows = b''.join(struct.pack('<12fH', 0, 0, 0, *corner.ravel(), 0) for corner in triangles)
    return b'\0' * 80 + struct.pack('<I', len(triangles)) + rows


def text_stl(triangles):
    lines = ['solid cube']
    for corner in triangles:
        lines += ['facet normal 0 0 0', 'outer loop',
                  *(f'vertex {x:.9g} {y:.9g} {z:.9g}' for x, y, z in corner), 'endloop',
                  'endfacet']
    return '\n'.join([*lines, 'endsolid']).encode()


OBJ = b"""v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5
v -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\nvn 0 0 1
f 4 3 2 1\nf 5//1 6//1 7//1 8//1\nf 1/1 2/1 6/1 5/1\nf 2 3 7 6\nf 3 4 8 7\nf -8 -4 -1 -5
"""
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
 version="1.4.1"><asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array id="f" count="24">{points}</float_array></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/>
 <input semantic="NORMAL" source="#n" offset="1"/><vcount>4 4 4 4 4 4</vcount>
 <p>{faces}</p></polylist></mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node><translate>0 0 2000</translate>
 <rotate>0 0 1 90</rotate><node><matrix>1 0 0 1000 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
 <instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes></COLLADA>"""


def dae():
    points = [[float(word) for word in line.split()[1:]]
              for line in OBJ.decode().splitlines() if line.startswith('v ')]
    faces = [(4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (1, 5, 8, 4)]
    return DAE.format(points=' '.join(f'{1000 * x:g}' for row in points for x in row),
                      faces=' '.join(f'{k - 1} 0' for face in faces for k in face)).encode()


@pytest.mark.parametrize(('name', 'content'), [
    ('a.stl', binary_stl(CUBE)), ('b.STL', text_stl(CUBE)), ('c.obj', OBJ), ('d.dae', dae())])
def test_a_cube_is_a_cube_in_every_format(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    points, faces = read_mesh(path)
    assert volume(points[faces]) == pytest.approx(1.0, rel=1e-6)
    assert len(faces) == 12 and len(points) == 8
    if name.endswith('dae'):
        # its scene moves it: 1 m along x, turned by 90 degrees, 2 m up; millimetres are metres
        assert points.mean(axis=0) == pytest.approx([0.0, 1.0, 2.0], abs=1e-6)


def test_a_mesh_is_found_beside_the_urdf_or_in_the_package_above_it(tmp_path):
    folder = tmp_path / 'my_robot' / 'urdf'
    (tmp_path / 'my_robot' / 'meshes').mkdir(parents=True)
    folder.mkdir()
    (tmp_path / 'my_robot' / 'meshes' / 'a.stl').write_bytes(binary_stl(CUBE))
    (folder / 'b.stl').write_bytes(binary_stl(CUBE))
    shelf = MeshShelf(folder)
    assert shelf.number('package://my_robot/meshes/a.stl') == 0
    assert shelf.number('b.stl') == 1 and shelf.number('b.stl') == 1
    assert len(shelf.meshes) == 2 and not shelf.missing
    assert volume(shelf.triangles('b.stl')) == pytest.approx(1.0)


def test_a_mesh_is_found_in_an_installed_package(tmp_path, monkeypatch):
    place = tmp_path / 'install' / 'share' / 'arm_description' / 'meshes'
    place.mkdir(parents=True)
    (place / 'a.stl').write_bytes(binary_stl(CUBE))
    (tmp_path / 'alone').mkdir()
    name = 'package://arm_description/meshes/a.stl'
    assert MeshShelf(tmp_path / 'alone').number(name) is None
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere{os.pathsep}{tmp_path / "install"}')
    assert MeshShelf(tmp_path / 'alone').number(name) == 0


def test_the_picture_is_as_large_as_the_meshes_and_meshes_that_are_not_there_are_told(tmp_path):
    (tmp_path / 'a.stl').write_bytes(binary_stl(CUBE))
    text = ('<robot name="one"><link name="a"><visual><origin xyz="0 0 5"/><geometry><mesh '
            'filename="{}" scale="2 2 2"/></geometry></visual></link></robot>')
    low, high = 2.0 * CUBE.reshape(-1, 3).min(axis=0), 2.0 * CUBE.reshape(-1, 3).max(axis=0)
    scene = arm_picture(kd.load_urdf(text.format('a.stl')), folder=tmp_path)
    # from the origin to the far side of the cube of 2 m, 5 m up
    low, high = np.minimum(low + [0, 0, 5], 0.0), np.maximum(high + [0, 0, 5], 0.0)
    assert scene['centre'] == pytest.approx(0.5 * (low + high), abs=1e-6)
    assert scene['radius'] == pytest.approx(0.5 * np.linalg.norm(high - low), rel=1e-6)
    with pytest.warns(kd.KaneDynamicsWarning, match='1 of 1 meshes are not drawn; b.stl: not f'):
        arm_picture(kd.load_urdf(text.format('b.stl')), folder=tmp_path)


@pytest.mark.parametrize(('name', 'content'), [
    ('a.stl', b''), ('b.stl', binary_stl(CUBE)[:200]), ('c.obj', b'v 1 2\nf 1 2 9\n'),
    ('d.dae', b'<COLLADA'), ('e.dae', b'<a><b/></a>'), ('f.obj', b'v nan 0 0\nf 1 1 1\n'),
    ('g.png', b'123'), ('h.dae', dae().replace(b'3 0 2 0', b'999 0 2 0'))])
def test_a_mesh_that_is_not_one_is_left_out_of_the_picture(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    shelf = MeshShelf(tmp_path)
    assert shelf.number(name) is None and shelf.triangles(name) is None
    assert shelf.number('nowhere.stl') is None and shelf.number('') is None


def test_a_fine_mesh_is_thinned_but_keeps_its_shape():
    fine = ball(1.0, 120)
    points = fine.reshape(-1, 3)
    coarse, faces = thinned(points, np.arange(len(points)).reshape(-1, 3))
    assert len(faces) < 0.6 * len(fine)
    assert volume(coarse[faces]) == pytest.approx(4 / 3 * math.pi, rel=0.02)


def test_packed_corners_are_within_their_step():
    points, faces = CUBE.reshape(-1, 3) + 3.0, np.arange(36).reshape(-1, 3)
    data = packed(points, faces)
    codes = np.frombuffer(base64.b64decode(data['v']), '<u2').reshape(-1, 3)
    index = np.frombuffer(base64.b64decode(data['i']), '<u2').reshape(-1, 3)
    found = np.array(data['low']) + codes * np.array(data['step'])
    assert found[index].reshape(-1, 3) == pytest.approx(points, abs=1e-5)


# -- places --------------------------------------------------------------------------------------

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


def test_hubs_of_bending_links_are_drawn_and_their_straight_tubes_are_not():
    path = ROOT / 'urdf' / 'flexible_six_axis.urdf'
    robot = kd.load_urdf(path)
    links = {link['name']: link for link in arm_picture(robot)['links']}
    for name in robot.flexible_links:       # in the file: the hub, then the tube
        assert [shape['rigid'] for shape in links[name]['shapes']] == [True, False]
    assert 'rigid' not in links['shoulder']['shapes'][0]
    # the hub of the forearm, 0.15 m long across, is where the elbow is
    q = robot.neutral()
    _, elbow = kd.Dynamics(robot, backend='python').frame_pose('forearm', q)
    solid = ArmSolid(robot, path.parent)
    solid.extent(q[None])
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
    found = energies(robot, motion)
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
