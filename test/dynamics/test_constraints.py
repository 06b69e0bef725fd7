# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Constraints at an instant: their rates, the forces that follow, the torques for given ones."""

import math
from pathlib import Path

from mechanisms import five_bar, five_bar_posture, four_bar, point_mass, Reduced
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.dynamics.constraints.closure import (
    assemble, complete_accelerations, complete_speeds)
from kane_dynamics.dynamics.constraints.constrained_dynamics import ConstrainedDynamics
from kane_dynamics.dynamics.constraints.constraints import Loop, PointOnSurfaces
from kane_dynamics.dynamics.constraints.surfaces import (
    Cylinder, ImplicitSurface, line_surfaces, MovingSurface, Plane, Sphere)
from kane_dynamics.task.cartesian_task import CartesianTask
from kane_dynamics.task.orientation import AxisRotation
from kane_dynamics.task.path import Line

URDF = Path(__file__).resolve().parents[2] / 'urdf'
TIP = (0.4, 0, 0)


@pytest.fixture(scope='module')
def six():
    return kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf'))


def planar_loop():
    return Loop('left_coupler', 'right_coupler', TIP, TIP, kind='planar', axis=(0, 1, 0))


def swing(t):
    """Return a shift and its two rates."""
    return (np.array([0.1 * math.sin(3 * t), 0.2 * t, 0.05 * t * t]),
            np.array([0.3 * math.cos(3 * t), 0.2, 0.1 * t]),
            np.array([-0.9 * math.sin(3 * t), 0.0, 0.1]))


TURNED = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
CONSTRAINTS = {
    'plane': PointOnSurfaces('tool0', Plane((0.1, 0.2, 0.3), (1, 2, 3)), point=(0.1, 0, 0.05)),
    'sphere': PointOnSurfaces('tool0', Sphere((0.9, 0.1, 0.3), 0.4), point=(0, 0.05, 0.1)),
    'cylinder': PointOnSurfaces('forearm', Cylinder((0.9, 0, 0), (1, 1, 0), 0.2)),
    'line': PointOnSurfaces('tool0', *line_surfaces((0.3, 0.3, 0.3), (1, -1, 2))),
    'moving sphere': PointOnSurfaces('tool0', MovingSurface(Sphere((0.9, 0.1, 0.3), 0.4), swing)),
    'point': Loop('tool0', 'upper_arm', (0.1, 0.2, 0), (0, 0.1, 0.3)),
    'planar': Loop('tool0', 'base_link', (0.1, 0.2, 0), (0.5, 0, 0), 'planar', (1, 1, 0)),
    'hinge': Loop('tool0', 'upper_arm', (0.1, 0.2, 0), (0, 0.1, 0.3), 'hinge', (1, 2, 0)),
    'weld': Loop('tool0', 'forearm', kind='weld', rotation=TURNED * np.linalg.det(TURNED)),
}


@pytest.mark.parametrize('name', CONSTRAINTS)
def test_the_rates_of_a_constraint_are_differences_of_it_along_any_motion(six, name):
    constrained = ConstrainedDynamics(six, [CONSTRAINTS[name]])
    rng = np.random.default_rng(7)
    q0, v, a = rng.uniform(-1, 1, (3, 6))
    t0, h = 0.3, 1e-4

    def at(t):
        q, qd = q0 + v * t + 0.5 * a * t * t, v + a * t
        phi, G, rate, gamma = constrained.terms(q, qd, t)
        return phi, G @ qd + rate, G @ a + gamma
    (phi0, rate0, _), (_, rate, second), (phi1, rate1, _) = (at(t0 + d) for d in (-h, 0, h))
    # h^2/6 of the third derivative, some 100
    np.testing.assert_allclose((phi1 - phi0) / (2 * h), rate, rtol=0, atol=1e-6)
    np.testing.assert_allclose((rate1 - rate0) / (2 * h), second, rtol=0, atol=1e-5)


def test_the_distance_from_round_surfaces_is_the_distance():
    p = np.array([0.5, -0.2, 0.7])
    assert Sphere((0, 0, 0.2), 0.3).evaluate(p).value == pytest.approx(
        math.sqrt(0.25 + 0.04 + 0.25) - 0.3)
    assert Cylinder((1, 0, 5), (0, 0, 2), 0.1).evaluate(p).value == pytest.approx(
        math.hypot(0.5, 0.2) - 0.1)
    assert Plane((0, 0, 0.2), (0, 0, -3)).evaluate(p).value == pytest.approx(-0.5)


def test_an_implicit_surface_is_scaled_to_the_distance():
    # f = |p|^2 - r^2, whose gradient is 2 p, on and near the sphere
    implicit = ImplicitSurface(lambda p: p @ p - 0.25, lambda p: 2 * p, lambda p: 2 * np.eye(3))
    on = np.array([0.3, 0.0, 0.4])
    one, two = implicit.evaluate(on), Sphere((0, 0, 0), 0.5).evaluate(on)
    along = np.array([0.4, 1.0, -0.3])                     # tangent
    assert one.value == pytest.approx(two.value, abs=1e-15)
    np.testing.assert_allclose(one.gradient, two.gradient, atol=1e-15)
    assert along @ one.hessian @ along == pytest.approx(along @ two.hessian @ along)
    # the gradient of h = f/|grad f| by differences, near the surface
    p, h = 1.1 * on, 1e-6
    slope = [(implicit.evaluate(p + h * e).value - implicit.evaluate(p - h * e).value) / (2 * h)
             for e in np.eye(3)]
    np.testing.assert_allclose(implicit.evaluate(p).gradient, slope, atol=1e-9)


def test_accelerations_under_constraints_keep_them_and_forces_balance(six):
    rng = np.random.default_rng(3)
    q, qd, tau = rng.uniform(-1, 1, (3, 6))
    constrained = ConstrainedDynamics(six, [CONSTRAINTS['plane'], CONSTRAINTS['cylinder']])
    qdd, forces = constrained.forward(q, qd, 10 * tau)
    _, G, _, gamma = constrained.terms(q, qd)
    np.testing.assert_allclose(G @ qdd + gamma, 0, atol=1e-10)
    np.testing.assert_allclose(six.inverse(q, qd, qdd), 10 * tau + G.T @ forces, atol=1e-9)
    # Gauss: of all accelerations that keep the constraints the least from the free ones, by M
    free = six.forward(q, qd, 10 * tau)
    tangent = np.linalg.svd(G)[2][2:]
    np.testing.assert_allclose(tangent @ six.mass_matrix(q) @ (qdd - free), 0, atol=1e-9)


def test_a_mass_on_a_sphere_is_pressed_by_the_closed_form_force():
    arm = kd.Dynamics(point_mass())
    constrained = ConstrainedDynamics(arm, [PointOnSurfaces('mass', Sphere((0, 0, 0), 0.8))])
    q = 0.8 * np.array([0.6, 0.0, -0.8])
    qd = np.array([0.8, 2.0, 0.6])
    qdd, forces = constrained.forward(q, qd, np.zeros(3))
    # spherical pendulum: N = m (g . n - v^2/r) with n outward; g . n = 9.81 * 0.8
    normal = 2.0 * (-9.81 * 0.8 * -1 * -1 - (qd @ qd) / 0.8)
    assert forces == pytest.approx([normal])
    np.testing.assert_allclose(qdd, [0, 0, -9.81] + normal / 2.0 * q / 0.8, atol=1e-12)


def test_a_given_contact_force_comes_back_from_the_torques_made_for_it(six):
    # wiping: move within the plane and press on it with 25 N
    plane = Plane((0.45, 0, 0), (1, 0, 0.2))
    constrained = ConstrainedDynamics(six, [PointOnSurfaces('tool0', plane)])
    q = assemble(constrained, [0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
    rng = np.random.default_rng(5)
    _, G, _, _ = constrained.terms(q, np.zeros(6))
    qd = np.linalg.svd(G)[2][1:].T @ rng.uniform(-1, 1, 5)          # along the plane
    _, _, _, gamma = constrained.terms(q, qd)
    qdd = rng.uniform(-1, 1, 6)
    qdd -= constrained.impulse(q, G, G @ qdd + gamma)[0]
    tau = constrained.inverse(q, qd, qdd, [-25.0])
    found, forces = constrained.forward(q, qd, tau)
    np.testing.assert_allclose(found, qdd, atol=1e-11)
    np.testing.assert_allclose(forces, [-25.0], atol=1e-9)
    # the same by a wrench on the link: Dynamics.inverse knows those already
    wrench = {'tool0': [*(-25.0 * plane.normal), 0, 0, 0]}
    np.testing.assert_allclose(six.inverse(q, qd, qdd, wrenches=wrench), tau, atol=1e-10)


def test_pressing_while_wiping_is_a_task_and_a_force(six):
    # 0.3 m along a wall, pressed on with 10 N that grow to 30: the whole motion at once
    q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
    R, p = six.frame_pose('tool0', q0)
    task = CartesianTask(six, 'tool0', Line(p, p + [0, -0.3, 0.1]), AxisRotation(R), q0=q0,
                         duration=1.0)
    motion = task.sample(0.05)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    wall = PointOnSurfaces('tool0', Plane(p, (-1, 0, 0)))
    constrained = ConstrainedDynamics(six, [wall])
    forces = (10 + 20 * t)[:, None]
    tau = constrained.inverse_many(q, qd, qdd, forces)
    for k in range(len(t)):
        found, force = constrained.forward(q[k], qd[k], tau[k])
        np.testing.assert_allclose(found, qdd[k], atol=1e-9)
        np.testing.assert_allclose(force, forces[k], atol=1e-8)
    with pytest.raises(kd.InputError, match='21 samples need 21 rows'):
        constrained.inverse_many(q, qd, qdd, [[1.0]])


def test_the_tip_of_a_flexible_arm_can_lean_on_a_wall():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'flexible_3r.urdf'))
    rng = np.random.default_rng(2)
    q, qd = 0.01 * rng.uniform(-1, 1, (2, arm.robot.nv))
    q[:3] += [0.3, 0.5, 0.4]
    tip = arm.robot.leaves()[-1]
    constrained = ConstrainedDynamics(arm, [PointOnSurfaces(
        tip, Plane(arm.frame_pose(tip, q)[1], (1, 0, 1)))])
    tau = np.zeros(arm.robot.nv)
    qdd, forces = constrained.forward(q, qd, tau)
    _, G, _, gamma = constrained.terms(q, qd)
    np.testing.assert_allclose(G @ qdd + gamma, 0, atol=1e-7)
    np.testing.assert_allclose(arm.inverse(q, qd, qdd), G.T @ forces, atol=1e-7)
    # torques for a motion: the modes have no drive, so that the wall and the springs hold them
    assert abs(G[0, 3:]).max() > 1e-3


def test_redundant_rows_change_no_motion_and_share_their_forces():
    arm = kd.Dynamics(four_bar())
    constrained = ConstrainedDynamics(arm, [Loop('coupler', 'rocker', (0.6, 0, 0), (0.4, 0, 0),
                                                 'planar', (0, 1, 0))])
    q = assemble(constrained, [0.5, 0.2, 1.0], fixed=['crank_joint'])
    qd = complete_speeds(constrained, q, {'crank_joint': 3.0})
    tau = np.array([1.0, 0, 0])
    qdd, forces = constrained.forward(q, qd, tau)
    in_plane = np.linalg.norm(forces)
    for kind, axis in (('point', None), ('hinge', (0, 1, 0))):
        more = ConstrainedDynamics(arm, [Loop.closed(arm, q, 'coupler', 'rocker', (0.6, 0, 0),
                                                     kind, axis)])
        again, found = more.forward(q, qd, tau)
        np.testing.assert_allclose(again, qdd, atol=1e-9)
        assert np.linalg.norm(found[:3]) == pytest.approx(in_plane)
        assert abs(found[3:]).max(initial=0.0) < 1e-9      # nothing holds what needs no holding


def test_the_drives_of_a_five_bar_do_the_work_of_all_its_links():
    arm = kd.Dynamics(five_bar())
    constrained = ConstrainedDynamics(arm, [planar_loop()])
    x, xd, xdd = np.array([[2.0, 1.0], [1.0, -2.0], [5.0, 3.0]])
    q = assemble(constrained, [2.0, -1.0, 1.0, 1.0], fixed=['left_joint', 'right_joint'])
    np.testing.assert_allclose(q, five_bar_posture(*x), atol=1e-12)
    given = ['left_joint', 'right_joint']
    qd = complete_speeds(constrained, q, dict(zip(given, xd)))
    qdd = complete_accelerations(constrained, q, qd, dict(zip(given, xdd)))
    reduced = Reduced(arm, five_bar_posture)               # by circles and differences alone
    P = reduced.partial(x)
    np.testing.assert_allclose(qd, P @ xd, atol=1e-9)
    tau, forces = constrained.drives(q, qd, qdd, ['left_coupler_joint', 'right_coupler_joint'])
    assert tau[1] == tau[3] == 0.0
    # virtual work: what the drives do is what inverse dynamics of the tree does along P
    np.testing.assert_allclose(tau[[0, 2]], P.T @ arm.inverse(q, qd, qdd), atol=1e-8)
    np.testing.assert_allclose(reduced.acceleration(x, xd, tau), xdd, atol=1e-6)
    found, again = constrained.forward(q, qd, tau)
    np.testing.assert_allclose(found, qdd, atol=1e-10)
    np.testing.assert_allclose(again, forces, atol=1e-9)


def test_a_mechanism_that_cannot_close_is_refused():
    constrained = ConstrainedDynamics(kd.Dynamics(five_bar()), [planar_loop()])
    with pytest.raises(kd.KaneDynamicsError, match='does not close with .*left_joint'):
        # cranks apart: 0.8 m between the ends of couplers that reach 0.8 m together, less 0
        assemble(constrained, [math.pi, 0, 0, 0.1], fixed=['left_joint', 'right_joint',
                                                           'left_coupler_joint'])
    q = five_bar_posture(2.0, 1.0)
    with pytest.raises(kd.InputError, match='1 more are needed'):
        complete_speeds(constrained, q, {'left_joint': 1.0})
    with pytest.raises(kd.InputError, match='contradict'):
        complete_speeds(constrained, q, {'left_joint': 1.0, 'right_joint': 0.0,
                                         'left_coupler_joint': 7.0})


@pytest.mark.parametrize(('make', 'word'), [
    (lambda arm: ConstrainedDynamics(arm, []), 'one constraint or more'),
    (lambda arm: ConstrainedDynamics(arm, ['weld']), 'PointOnSurfaces or Loop'),
    (lambda arm: ConstrainedDynamics(arm, [Loop('tool0', 'hand')]), 'tool0'),
    (lambda arm: PointOnSurfaces('tool0'), 'one surface'),
    (lambda arm: PointOnSurfaces('tool0', 'floor'), 'one surface'),
    (lambda arm: Loop('a', 'b', kind='ball'), 'hinge'),
    (lambda arm: Loop('a', 'b', kind='hinge'), 'needs an axis'),
    (lambda arm: Loop('a', 'b', axis=(1, 0, 0)), 'has no axis'),
    (lambda arm: Loop('a', 'a'), 'two links'),
    (lambda arm: Loop('a', 'b', kind='weld', rotation=np.ones((3, 3))), 'rotation'),
    (lambda arm: Plane((0, 0), (0, 0, 1)), 'three finite'),
    (lambda arm: Plane((0, 0, 0), (0, 0, 0)), 'zero'),
    (lambda arm: Sphere((0, 0, 0), -1.0), 'positive'),
    (lambda arm: Sphere((0, 0, 0), 1.0).evaluate(np.zeros(3)), 'centre'),
    (lambda arm: ConstrainedDynamics(arm, [CONSTRAINTS['plane']]).inverse(
        np.zeros(6), np.zeros(6), np.zeros(6), [1.0, 2.0]), '1 numbers'),
])
def test_wrong_arguments_are_refused(six, make, word):
    with pytest.raises(kd.InputError, match=word):
        make(six)


def test_torques_for_a_motion_that_breaks_the_constraints_are_refused():
    constrained = ConstrainedDynamics(kd.Dynamics(five_bar()), [planar_loop()])
    q = five_bar_posture(2.0, 1.0)
    with pytest.raises(kd.InputError, match='breaks the constraints'):
        constrained.drives(q, np.zeros(4), np.ones(4), ['left_coupler_joint'])
