# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inertias compared with the link's own shapes, and their repair."""

import struct

from example_robots import example_urdf
import numpy as np
import pytest

from kane_dynamics.commands.cli import main
from kane_dynamics.exceptions import KaneDynamicsWarning
from kane_dynamics.model.inertia_checks import check
from kane_dynamics.model.meshes.inertia_repair import repairs
from kane_dynamics.model.meshes.link_shapes import (
    LinkShapes, mesh_moments, second_moments, shape_findings)
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.structure.links_and_joints import Link, Shape
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.numerics.rotations import from_rpy

BOX = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([face for a, b, c, d in QUADS for face in ((a, b, c), (a, c, d))])
SIZE, CORNER = np.array([0.2, 0.1, 0.5]), np.array([1.0, -2.0, 0.3])


def box_inertia(mass):
    x, y, z = SIZE**2
    return mass / 12.0 * np.diag([y + z, x + z, x + y])


@pytest.mark.parametrize('flip', [False, True])
def test_the_integral_of_a_closed_mesh_is_the_closed_form_of_the_box(flip):
    closed, found = mesh_moments(CORNER + SIZE * BOX, FACES[:, ::-1] if flip else FACES)
    assert closed and found.volume == pytest.approx(np.prod(SIZE), rel=1e-12)
    centre = CORNER + SIZE / 2
    np.testing.assert_allclose(found.first / found.volume, centre, rtol=1e-12)
    S = found.second / found.volume - np.outer(centre, centre)
    np.testing.assert_allclose(np.trace(S) * np.eye(3) - S, box_inertia(1.0), atol=1e-12)


def test_an_open_mesh_counts_as_its_bounding_box():
    closed, whole = mesh_moments(CORNER + SIZE * BOX, FACES)
    opened, found = mesh_moments(CORNER + SIZE * BOX, FACES[:-1])
    assert closed and not opened
    np.testing.assert_allclose(found.second, whole.second, rtol=1e-12)


@pytest.mark.parametrize('kind, size', [
    ('box', (0.2, 0.1, 0.5)), ('cylinder', (0.1, 0.4)), ('sphere', (0.2,)),
    ('capsule', (0.1, 0.4))])
def test_moments_of_primitives_are_those_of_points_within_them(kind, size, tmp_path):
    R, p = from_rpy([0.3, -0.5, 1.0]), np.array([0.1, 0.2, -0.3])
    shapes = LinkShapes(Link('a', None, (), (Shape(kind, size, R, p),)), RobotMeshes(tmp_path))
    # midpoint rule on a fine grid of the surrounding box
    half = 0.35
    line = (np.arange(140) + 0.5) / 140 * 2 * half - half
    x = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    radius = np.hypot(x[:, 0], x[:, 1])
    if kind == 'box':
        inside = (abs(x) < np.array(size) / 2).all(axis=1)
    elif kind == 'sphere':
        inside = np.linalg.norm(x, axis=1) < size[0]
    elif kind == 'cylinder':
        inside = (radius < size[0]) & (abs(x[:, 2]) < size[1] / 2)
    else:
        inside = np.hypot(radius, np.maximum(abs(x[:, 2]) - size[1] / 2, 0.0)) < size[0]
    points = x[inside] @ R.T + p
    found = shapes.uniform(2.0)
    np.testing.assert_allclose(found.com, points.mean(axis=0), atol=1e-9)
    S = 2.0 * np.cov(points.T, bias=True)
    np.testing.assert_allclose(found.inertia, np.trace(S) * np.eye(3) - S,
                               atol=0.02 * np.trace(S))
    axis = np.array([0.6, 0.0, 0.8])
    low, high = shapes.extent(axis)
    assert 0.0 < (points @ axis).min() - low < 0.01 and 0.0 < high - (points @ axis).max() < 0.01


def arm_with(inertia, tmp_path, mass=2.0, centre=CORNER + SIZE / 2):
    """Return a URDF of one joint whose link is a box of SIZE, as an STL file."""
    corners = (CORNER + SIZE * BOX)[FACES].astype('<f4')
    (tmp_path / 'box.stl').write_bytes(bytes(80) + struct.pack('<I', len(FACES)) + b''.join(
        bytes(12) + face.tobytes() + bytes(2) for face in corners))
    ixx, iyy, izz = inertia
    path = tmp_path / 'arm.urdf'
    path.write_text(f"""<robot name="arm"><link name="base"/><link name="arm">
      <inertial><origin xyz="{' '.join(map(str, centre))}"/><mass value="{mass}"/>
      <inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><mesh filename="box.stl"/></geometry></collision></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
      <axis xyz="0 0 1"/></joint><transmission name="kept"/></robot>""")
    return path


@pytest.mark.parametrize('scale, words', [
    (1.0, None), (2.9, None), (20.0, 'times the largest that 2 kg within its own shapes can have'),
    (1e-3, 'is small for its own shapes')])
def test_an_inertia_is_compared_with_the_mesh_of_its_link(scale, words, tmp_path):
    # all mass at the two ends of an axis has three times the second moment of uniform density
    path = arm_with(scale * np.diag(box_inertia(2.0)), tmp_path)
    found = shape_findings(load_urdf(path))
    assert [words in finding.message for finding in found] == ([True] if words else [])
    assert all(finding.link == 'arm' and finding.level == 'warning' for finding in found)


def test_a_mass_centre_outside_of_the_mesh_is_found(tmp_path):
    path = arm_with(np.diag(box_inertia(2.0)), tmp_path, centre=CORNER - [0.3, 0.0, 0.0])
    [finding] = shape_findings(load_urdf(path))
    assert finding.message == 'mass centre lies 300 mm outside of its own shapes'


def test_the_wrist_of_a_ur5_has_many_times_the_inertia_that_fits_its_mesh(capsys):
    assert main(['info', str(example_urdf('ur5_robot.urdf'))]) == 0
    text = ' '.join(capsys.readouterr().out.split())
    assert "'wrist_1_link', 'wrist_2_link': inertia 0.2194 kg m^2 is" in text or (
        "'wrist_1_link': inertia 0.2194 kg m^2 is" in text)
    robot = load_urdf(example_urdf('ur5_robot.urdf'))
    message = next(finding.message for finding in shape_findings(robot)
                   if finding.link == 'wrist_1_link' and 'times' in finding.message)
    assert 20.0 < float(message.split(' is ')[1].split(' times')[0]) < 60.0


@pytest.mark.parametrize('method', ['nearest', 'uniform'])
def test_a_repaired_urdf_has_no_findings_and_keeps_the_rest(method, tmp_path, capsys):
    path = arm_with((0.9, 0.1, 0.2), tmp_path)          # breaks the triangle inequality, too
    with pytest.warns(KaneDynamicsWarning, match='triangle inequality'):
        robot = load_urdf(path)
    assert check(robot) and shape_findings(robot)
    output = tmp_path / 'repaired.urdf'
    assert main(['info', str(path), '--repair', method, '-o', str(output)]) == 0
    printed = capsys.readouterr().out
    assert '+ ' + method in printed and 'present  0.1 0.2 0.9' in printed
    repaired = load_urdf(output)
    assert not check(repaired) and not shape_findings(repaired)
    assert '<transmission name="kept"' in output.read_text()
    body = repaired.link('arm').inertial
    assert body.mass == 2.0
    if method == 'uniform':
        np.testing.assert_allclose(body.inertia, box_inertia(2.0), atol=1e-7)
    else:       # no other second moments in the possible range are nearer
        before, axes = second_moments(robot.link('arm').inertial.inertia)
        most = 2.0 * SIZE**2 / 4.0
        after = np.diag(axes.T @ (0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia) @ axes)
        limits = np.array([most[np.argmax(abs(axis))] for axis in axes.T])
        np.testing.assert_allclose(after, np.clip(before, 0.0, limits), atol=1e-7)
    assert repairs(repaired, []) == []
