# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths, orientations and directions: where they lead, and that their rates are their rates."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kane_dynamics as kd
from kane_dynamics.numerics.rotations import as_rotation, carrying, rotation_vectors
from kane_dynamics.task.curvilinear_path import Cylindrical, Spherical
from kane_dynamics.task.direction import Pointing, PointingAngles
from kane_dynamics.task.orientation import (
    AxisRotation, DirectionAndSpin, EulerAngles, Slerp, ThroughOrientations)
from kane_dynamics.task.path import Arc, Line, WayPoints
from kane_dynamics.trajectory.moves import Move
from kane_dynamics.trajectory.profiles import PROFILES

CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0.2, 0.1, 1)]
AXES = (0.3, -0.5, 1.1)
PATHS = {
    'line': Line((0.1, 0.2, 0.3), (1, -2, 0.5)),
    'arc': Arc((1, 0, 0.2), (0, 0, 0), (0, 0.3, 2), 4.0),
    'way points': WayPoints(CORNERS, 0.2),
    'cylindrical': Cylindrical(Line((0.5, 0.2, 0.1), (0.8, 2, 0.4)), (1, 2, 3), AXES),
    'spherical': Spherical(Line((0.5, 0.2, 0.1), (0.8, 2, 1.4)), (1, 2, 3), AXES),
    'pointing': Pointing((1, 0, 0), (0, 1, 1)),
    'pointing angles': PointingAngles((0.1, 0.2), (2, 1)),
}
WAY = WayPoints(CORNERS, 0.2)
TURNED = [(0.1, 0.2, 0.3), (1, -0.4, 2), (0, 0, -1), (2, 1, 0.5)]
ORIENTATIONS = {
    'turn': AxisRotation((0.1, 0.2, 0.3), (1, 1, 0), 5.0, body=True),
    'slerp': Slerp((0.1, 0.2, 0.3), (2, -1, 0.5)),
    'euler xyx': EulerAngles('xyx', (0.1, 0.2, 0.3), (2, 1, -1)),
    'euler zyz': EulerAngles('zyz', (0.1, 0.0, 0.3), (-2, 1, -1)),
    'direction and spin': DirectionAndSpin((0.1, 0.2, 0.3), (2, 1, 12), (0, 0, 1)),
    'through': ThroughOrientations(TURNED, WAY.fractions, WAY.half_widths),
}
X, H = np.linspace(0.001, 0.999, 999), 1e-5


def central(function):
    return (function(X + H) - function(X - H)) / (2 * H)


@pytest.mark.parametrize('name', PATHS)
def test_the_rates_of_a_path_are_its_differences(name):
    path = PATHS[name]
    _, first, second = path.evaluate(X)
    # H^2/6 of the next derivative, which is largest within rounded corners (some 1e5 per unit)
    slack = 1e-4 if name == 'way points' else 1e-8
    np.testing.assert_allclose(central(lambda x: path.evaluate(x)[0]), first, rtol=0, atol=slack)
    np.testing.assert_allclose(central(lambda x: path.evaluate(x)[1]), second, rtol=0,
                               atol=10 * slack)


@pytest.mark.parametrize('name', ['line', 'arc', 'way points'])
def test_the_fraction_of_a_path_is_that_of_its_arc_length(name):
    path = PATHS[name]
    speed = np.linalg.norm(path.evaluate(X)[1], axis=1)
    np.testing.assert_allclose(speed, path.length, rtol=1e-12)
    points = path.evaluate(np.linspace(0, 1, 20001))[0]
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert chords == pytest.approx(path.length, rel=1e-7)      # inscribed: (curvature h)^2 / 24


def test_an_arc_keeps_its_distance_from_the_centre_and_its_plane():
    arc = PATHS['arc']
    axis = np.array([0, 0.3, 2]) / math.hypot(0.3, 2)
    p = arc.evaluate(X)[0]
    height = (p - [1, 0, 0.2]) @ axis
    distance = np.linalg.norm(p - np.outer(p @ axis, axis), axis=1)
    np.testing.assert_allclose(height, 0, atol=1e-15)
    np.testing.assert_allclose(distance, arc.radius, rtol=1e-14)


@pytest.mark.parametrize('seed', range(8))
def test_an_arc_through_three_positions_meets_them_in_order(seed):
    first, via, last = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    arc = Arc.through(first, via, last)
    np.testing.assert_allclose(arc.first, first, atol=1e-13)
    np.testing.assert_allclose(arc.last, last, atol=1e-12)
    distances = np.linalg.norm(arc.evaluate(np.linspace(0, 1, 20001))[0] - via, axis=1)
    assert distances.min() < arc.length / 20000 and 0 < distances.argmin() < 20000


def test_rounded_way_points_pass_as_near_as_they_say_and_leave_the_lines_at_the_blend():
    path, x = PATHS['way points'], np.linspace(0, 1, 40001)
    p = path.evaluate(x)[0]
    for k, corner in enumerate(np.array(CORNERS[1:-1], dtype=float)):
        nearest = np.linalg.norm(p - corner, axis=1)
        assert nearest.min() == pytest.approx(path.distances[k], rel=1e-6)
        assert x[nearest.argmin()] == pytest.approx(path.fractions[k + 1], abs=1e-4)
    # on the first line until 0.2 m from the corner
    on_line = np.linalg.norm(p[:, 1:], axis=1) < 1e-14
    assert p[on_line, 0].max() == pytest.approx(0.8, abs=1e-4)


def test_the_acceleration_along_rounded_way_points_has_no_step():
    move = Move(PROFILES['quintic'](), [0.0], [1.0], 2.0)
    path = PATHS['way points']

    def largest_jump(count):
        x, xd, xdd = (each[:, :1] for each in move.sample_many(np.linspace(0, 2, count)))
        _, p1, p2 = path.evaluate(x[:, 0])
        return abs(np.diff(p1 * xdd + p2 * xd ** 2, axis=0)).max()
    # a step would stay where the samples get ten times denser
    assert largest_jump(40001) < 0.11 * largest_jump(4001)


@pytest.mark.parametrize('name', ORIENTATIONS)
def test_angular_velocity_and_acceleration_are_differences_of_the_rotation(name):
    orientation = ORIENTATIONS[name]
    R, W, W1 = orientation.evaluate(X)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.tile(np.eye(3), (len(X), 1, 1)),
                               atol=5e-15)
    skew = central(lambda x: orientation.evaluate(x)[0]) @ R.transpose(0, 2, 1)
    slack = 1e-5 if name == 'through' else 1e-7     # H^2/6 of the next derivative
    np.testing.assert_allclose(np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1), W,
                               rtol=0, atol=slack)
    np.testing.assert_allclose(central(lambda x: orientation.evaluate(x)[1]), W1, rtol=0,
                               atol=slack)


def test_euler_angles_and_slerps_are_those_of_scipy():
    angles = np.outer(1 - X, (0.1, 0.2, 0.3)) + np.outer(X, (2, 1, -1))
    np.testing.assert_allclose(ORIENTATIONS['euler xyx'].evaluate(X)[0],
                               Rotation.from_euler('XYX', angles).as_matrix(), atol=1e-15)
    from scipy.spatial.transform import Slerp as ScipySlerp
    ends = Rotation.from_euler('xyz', [(0.1, 0.2, 0.3), (2, -1, 0.5)])
    np.testing.assert_allclose(ORIENTATIONS['slerp'].evaluate(X)[0],
                               ScipySlerp([0, 1], ends)(X).as_matrix(), atol=1e-14)


def test_direction_and_spin_points_the_axis_by_azimuth_and_elevation():
    azimuth, elevation = 0.1 + 1.9 * X, 0.2 + 0.8 * X
    R, W, _ = ORIENTATIONS['direction and spin'].evaluate(X)
    pointed = np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth),
                        np.sin(elevation)], axis=1)
    np.testing.assert_allclose(R[:, :, 2], pointed, atol=1e-15)
    # about the axis the frame turns by the spin and by the azimuth's component along it
    np.testing.assert_allclose(np.sum(W * pointed, axis=1), 11.7 + 1.9 * np.sin(elevation),
                               atol=1e-13)


def test_orientations_along_a_path_start_and_end_as_given_and_come_near_those_between():
    orientation = ORIENTATIONS['through']
    R = orientation.evaluate(np.array([0.0, 1.0]))[0]
    np.testing.assert_allclose(R[0], as_rotation(TURNED[0]), atol=1e-15)
    np.testing.assert_allclose(R[1], as_rotation(TURNED[3]), atol=1e-14)
    given = np.array([as_rotation(each) for each in TURNED])
    angles = np.linalg.norm(rotation_vectors(given[1:] @ given[:-1].transpose(0, 2, 1)), axis=1)
    rates = angles / np.diff(WAY.fractions)
    R = orientation.evaluate(WAY.fractions[1:-1])[0]
    missed = np.linalg.norm(rotation_vectors(R @ given[1:-1].transpose(0, 2, 1)), axis=1)
    # in the middle of a corner either leg lacks 3/16 of the half width
    most = 3 / 16 * WAY.half_widths * (rates[:-1] + rates[1:])
    assert (missed < most).all() and (missed > 0.01 * most).all()


def test_rotation_vectors_are_those_of_scipy_at_every_angle():
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(400, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    angles = np.concatenate([rng.uniform(0, math.pi, 300), 10.0 ** -rng.uniform(1, 12, 50),
                             math.pi - 10.0 ** -rng.uniform(1, 9, 50)])
    vectors = axes * angles[:, None]
    R = Rotation.from_rotvec(vectors).as_matrix()
    np.testing.assert_allclose(rotation_vectors(R), vectors, rtol=0, atol=1e-14)


def test_the_smallest_rotation_between_opposite_directions_is_half_a_turn():
    for first in np.eye(3):
        R = carrying(first, -first)
        np.testing.assert_allclose(R @ first, -first, atol=1e-15)
        assert np.linalg.det(R) == pytest.approx(1.0)


@pytest.mark.parametrize(('make', 'word'), [
    (lambda: Line((0, 0), (1, 1, 1)), 'three finite'),
    (lambda: Line((0, 0, math.nan), (1, 1, 1)), 'three finite'),
    (lambda: Arc((0, 0, 1), (0, 0, 0), (0, 0, 1), 1.0), 'no radius'),
    (lambda: Arc((1, 0, 1), (0, 0, 0), (0, 0, 0), 1.0), 'got the zero vector'),
    (lambda: Arc.through((0, 0, 0), (1, 1, 1), (2, 2, 2)), 'on one line'),
    (lambda: WayPoints(CORNERS, 0.0), 'must be positive'),
    (lambda: WayPoints(CORNERS, 0.6), 'no room'),
    (lambda: WayPoints([(0, 0, 0), (1, 0, 0), (0, 0.01, 0)], 0.1), 'turns back'),
    (lambda: WayPoints([(0, 0, 0), (0, 0, 0)], 0.1), 'same position'),
    (lambda: WayPoints([(0, 0, 0)], 0.1), 'two or more'),
    (lambda: Cylindrical('circle'), 'path of coordinates'),
    (lambda: AxisRotation(np.eye(3) * 2), 'is not a rotation'),
    (lambda: AxisRotation((0, 0, 0, 0)), 'quaternion'),
    (lambda: EulerAngles('xyw', (0, 0, 0), (0, 0, 0)), 'letters'),
    (lambda: EulerAngles('xyz', (0, 0), (0, 0, 0)), 'three finite angles'),
    (lambda: ThroughOrientations(TURNED, [0, 0.5, 1], [0.1]), '4 fractions'),
    (lambda: ThroughOrientations(TURNED[:3], [0, 0.5, 1], [0.7]), 'room'),
    (lambda: Pointing((0, 0, 1), (0, 0, -1)), 'opposite'),
    (lambda: PointingAngles((0, 0, 1), (0, 0)), 'azimuth and elevation'),
])
def test_what_is_no_path_is_refused_with_the_reason(make, word):
    with pytest.raises(kd.InputError, match=word):
        make()
