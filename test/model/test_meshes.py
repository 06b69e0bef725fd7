# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes from files: their triangles and colours, their reduction, and files that are none."""

import base64
import os
import sys
import tracemalloc
import warnings

from closed_surface import binary_stl, volume
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.solids import ball, box
from kane_dynamics.model.meshes.mesh import mesh_of
from kane_dynamics.model.meshes.mesh_reader import read_mesh
from kane_dynamics.model.meshes.mesh_reduction import COARSE, FINE, packed, reduced
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes

CUBE = box([1.0, 1.0, 1.0])


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
    points, faces, *_ = read_mesh(path)
    assert volume(points[faces]) == pytest.approx(1.0, rel=1e-6)
    assert len(faces) == 12 and len(points) == 8
    if name.endswith('dae'):
        # its scene moves it: 1 m along x, turned by 90 degrees, 2 m up; millimetres are metres
        assert points.mean(axis=0) == pytest.approx([0.0, 1.0, 2.0], abs=1e-6)


def test_a_mesh_is_found_next_to_the_urdf_or_in_the_package_above_it(tmp_path):
    folder = tmp_path / 'my_robot' / 'urdf'
    (tmp_path / 'my_robot' / 'meshes').mkdir(parents=True)
    folder.mkdir()
    (tmp_path / 'my_robot' / 'meshes' / 'a.stl').write_bytes(binary_stl(CUBE))
    (folder / 'b.stl').write_bytes(binary_stl(CUBE))
    meshes = RobotMeshes(folder)
    assert meshes.parts('package://my_robot/meshes/a.stl') == ((0, None),)
    assert meshes.parts('b.stl') == meshes.parts('b.stl') == ((1, None),)
    assert len(meshes.packed) == 2 and not meshes.missing
    mesh = meshes.mesh('b.stl', COARSE)
    assert volume(mesh.points[mesh.faces]) == pytest.approx(1.0)


def test_a_mesh_is_found_in_an_installed_package(tmp_path, monkeypatch):
    folder = tmp_path / 'install' / 'share' / 'arm_description' / 'meshes'
    folder.mkdir(parents=True)
    (folder / 'a.stl').write_bytes(binary_stl(CUBE))
    (tmp_path / 'alone').mkdir()
    name = 'package://arm_description/meshes/a.stl'
    assert not RobotMeshes(tmp_path / 'alone').parts(name)
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere{os.pathsep}{tmp_path / "install"}')
    assert RobotMeshes(tmp_path / 'alone').parts(name)


@pytest.mark.parametrize(('name', 'content'), [
    ('a.stl', b''), ('b.stl', binary_stl(CUBE)[:200]), ('c.obj', b'v 1 2\nf 1 2 9\n'),
    ('d.dae', b'<COLLADA'), ('e.dae', b'<a><b/></a>'), ('f.obj', b'v nan 0 0\nf 1 1 1\n'),
    ('g.png', b'123'), ('h.dae', dae().replace(b'3 0 2 0', b'999 0 2 0')),
    ('i.obj', b'v 1e308 0 0\nv -1e308 1 0\nv 0 0 1e308\nf 1 2 3\n'), ('j.obj', b'f 1' + b'0' * 30),
    ('k.obj', b'v 0 0 0\nf' + b' 1' * 100_000), ('l.stl', binary_stl(1e30 * CUBE)),
    ('m.stl', text_stl(1e300 * CUBE)), ('n.dae', dae().replace(b'0.001', b'1e300')),
    ('o.dae', dae().replace(b'offset="0"', b'')), ('p.dae', dae().replace(b'4 4 4', b'-4 4 -4'))])
def test_a_mesh_that_is_not_one_is_left_out_of_the_picture(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    meshes = RobotMeshes(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert not meshes.parts(name) and meshes.mesh(name, COARSE) is None
    assert not meshes.parts('nowhere.stl') and not meshes.parts('')


def bomb(instances, points):
    """Return a .dae with many instances of one geometry: points and as many triangles each."""
    return ('<COLLADA><library_geometries><geometry id="g"><mesh><source id="p"><float_array>'
            + '0 0 1 ' * points + '</float_array></source><vertices><input semantic="POSITION" '
            'source="#p"/></vertices><triangles><input semantic="VERTEX" offset="0"/><p>'
            + '0 1 2 ' * points + '</p></triangles></mesh></geometry></library_geometries>'
            '<library_visual_scenes><visual_scene><node>'
            + '<instance_geometry url="#g"/>' * instances
            + '</node></visual_scene></library_visual_scenes></COLLADA>')


def test_a_mesh_bomb_is_refused_before_it_takes_memory_with_the_limit(tmp_path, monkeypatch):
    (tmp_path / 'bomb.dae').write_text(bomb(100_000, 1000))     # 2e8 points and triangles
    tracemalloc.start()
    try:
        meshes = RobotMeshes(tmp_path)
        assert not meshes.parts('bomb.dae')
        assert tracemalloc.get_traced_memory()[1] < 400e6       # [B]; all would be 4.8e9
    finally:
        tracemalloc.stop()
    assert 'more than 4000000 points and triangles' in meshes.missing['bomb.dae']
    assert 'KANE_MAX_MESH_ITEMS raises it' in meshes.missing['bomb.dae']
    (tmp_path / 'many.dae').write_text(bomb(10, 10))            # 200 points and triangles
    for limit, count in ((199, 0), (200, 1)):
        monkeypatch.setenv('KANE_MAX_MESH_ITEMS', str(limit))
        assert len(RobotMeshes(tmp_path).parts('many.dae')) == count
    monkeypatch.setenv('KANE_MAX_MESH_ITEMS', '-1 \x1b')
    with pytest.raises(kd.InputError, match=r"got '-1 \\x1b'"):
        RobotMeshes(tmp_path)


def test_the_limit_counts_for_all_meshes_together(tmp_path, monkeypatch):
    for name in ('a.dae', 'b.dae'):
        (tmp_path / name).write_text(bomb(10, 10))
    monkeypatch.setenv('KANE_MAX_MESH_ITEMS', '399')
    meshes = RobotMeshes(tmp_path)
    assert meshes.parts('a.dae') and not meshes.parts('b.dae')


def sphere(rings=120):
    """Return a Mesh of a sphere of radius 1, its upper half red."""
    triangles = ball(1.0, rings)
    faces = np.arange(3 * len(triangles)).reshape(-1, 3)
    upper = triangles[:, :, 2].mean(axis=1) > 0.0
    return mesh_of(triangles.reshape(-1, 3), [((255, 0, 0), faces[upper]), (None, faces[~upper])])


@pytest.mark.parametrize(('installed', 'detail', 'within'), [
    (True, FINE, 2e-3), (True, COARSE, 5e-3), (False, FINE, 0.02), (False, COARSE, 0.03)])
def test_a_fine_mesh_is_reduced_but_keeps_its_shape_and_colours(
        monkeypatch, installed, detail, within):
    if installed:
        pytest.importorskip('fast_simplification', reason='fast-simplification is not installed')
    else:
        monkeypatch.setitem(sys.modules, 'fast_simplification', None)
    fine = sphere()
    coarse = reduced(fine, detail)
    assert len(coarse.faces) < 0.6 * len(fine.faces)
    if installed:
        assert len(coarse.faces) <= 1.1 * detail.faces
    exact = volume(fine.points[fine.faces])
    assert volume(coarse.points[coarse.faces]) == pytest.approx(exact, rel=within)
    assert coarse.palette == ((255, 0, 0),)
    for colour, faces in coarse.parts():
        height = coarse.points[faces].mean(axis=(0, 1))[2]
        assert height > 0.3 if colour else height < -0.3


def test_a_mesh_of_few_faces_is_kept_as_it_is():
    assert reduced(sphere(8), COARSE).faces.tolist() == sphere(8).faces.tolist()


MATERIALS = """<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
 <diffuse><color>1 0.5 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
 <effect id="image"><profile_COMMON><technique sid="t"><lambert><diffuse><texture texture="x"
 texcoord="u"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
 <library_materials><material id="orange"><instance_effect url="#e"/></material>
 <material id="wood"><instance_effect url="#image"/></material></library_materials>"""
BINDING = """<instance_geometry url="#g"><bind_material><technique_common><instance_material
 symbol="paint" target="#{}"/></technique_common></bind_material></instance_geometry>"""


@pytest.mark.parametrize(('material', 'colour'), [
    ('orange', (255, 128, 0)), ('wood', None), ('nothing', None)])
def test_the_diffuse_colour_of_a_collada_file_is_read(tmp_path, material, colour):
    text = dae().decode().replace('<library_geometries>', MATERIALS + '<library_geometries>')
    text = text.replace('<polylist ', '<polylist material="paint" ')
    text = text.replace('<instance_geometry url="#g"/>', BINDING.format(material))
    (tmp_path / 'a.dae').write_text(text)
    mesh = read_mesh(tmp_path / 'a.dae')
    assert [each for each, _ in mesh.parts()] == [colour]
    assert len(mesh.faces) == 12


def test_strips_of_triangles_face_the_same_way(tmp_path):
    # the cube as one strip of 14 corners
    strip = [3, 2, 6, 7, 4, 2, 0, 3, 1, 6, 5, 4, 1, 0]
    points = [(1, 1, 1), (0, 1, 1), (1, 1, 0), (0, 1, 0), (1, 0, 1), (0, 0, 1), (0, 0, 0),
              (1, 0, 0)]
    text = DAE[:DAE.index('<polylist')] + (
        '<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>'
        + ' '.join(map(str, strip)) + '</p></tristrips>') + DAE[DAE.index('</mesh>'):]
    (tmp_path / 'a.dae').write_text(text.format(
        points=' '.join(f'{1000 * x}' for point in points for x in point)))
    mesh = read_mesh(tmp_path / 'a.dae')
    assert len(mesh.faces) == 12
    assert abs(volume(mesh.points[mesh.faces])) == pytest.approx(1.0)


def test_the_colours_of_an_obj_file_come_from_the_file_beside_it(tmp_path):
    (tmp_path / 'a.mtl').write_text('newmtl red\nKd 1 0 0\nnewmtl bad\nKd x y z\n')
    lines = OBJ.decode().splitlines()
    text = '\n'.join(['mtllib folder/a.mtl', *lines[:9], 'usemtl red', *lines[9:11],
                      'usemtl bad', *lines[11:]])
    (tmp_path / 'a.obj').write_text(text)
    mesh = read_mesh(tmp_path / 'a.obj')
    assert {colour: len(faces) for colour, faces in mesh.parts()} == {(255, 0, 0): 4, None: 8}


PLY = """ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y
property float z\nelement face 1\nproperty list uchar int vertex_indices\nproperty uchar red
property uchar green\nproperty uchar blue\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 10 20 30\n"""


def test_other_formats_are_read_by_trimesh(tmp_path, monkeypatch):
    (tmp_path / 'a.ply').write_text(PLY)
    pytest.importorskip('trimesh', reason='trimesh is not installed')
    mesh = read_mesh(tmp_path / 'a.ply')
    assert mesh.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert [(colour, faces.tolist()) for colour, faces in mesh.parts()] == [
        ((10, 20, 30), [[0, 1, 2]])]
    monkeypatch.setitem(sys.modules, 'trimesh', None)
    meshes = RobotMeshes(tmp_path)
    assert not meshes.parts('a.ply')
    assert "'pip install trimesh' adds .ply" in meshes.missing['a.ply']


def test_packed_corners_are_within_their_step():
    points, faces = CUBE.reshape(-1, 3) + 3.0, np.arange(36).reshape(-1, 3)
    data = packed(points, faces)
    codes = np.frombuffer(base64.b64decode(data['v']), '<u2').reshape(-1, 3)
    index = np.frombuffer(base64.b64decode(data['i']), '<u2').reshape(-1, 3)
    found = np.array(data['low']) + codes * np.array(data['step'])
    assert found[index].reshape(-1, 3) == pytest.approx(points, abs=1e-5)


def test_what_trimesh_does_not_read_is_left_out_with_the_reason(tmp_path):
    pytest.importorskip('trimesh', reason='trimesh is not installed')
    (tmp_path / 'a.ply').write_bytes(b'ply\nformat ascii 1.0\nelement vertex 1\nend_header\n')
    (tmp_path / 'a.glb').write_bytes(b'glTF\x07\x00\x00\x00' + bytes(40))
    meshes = RobotMeshes(tmp_path)
    for name in ('a.ply', 'a.glb'):
        assert meshes.mesh(name, None) is None
        assert meshes.missing[name].isprintable()
