# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid arms of urdf/, six_axis.urdf and two_link.urdf: the claims in their files hold."""

from pathlib import Path
import re
import warnings

import numpy as np
import pytest

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[2] / 'urdf'
OWN = ['six_axis.urdf', 'two_link.urdf']


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # our own files have no odd inertia
        return kd.load_urdf(URDF / name)


def of_shape(visual):
    """Return volume, centre and inertia per mass of a drawn solid, in its link's axes."""
    if visual.kind == 'box':
        a, b, c = np.square(visual.size)
        volume, inertia = np.prod(visual.size), np.diag([b + c, a + c, a + b]) / 12
    else:
        assert visual.kind == 'cylinder'
        r, h = visual.size
        side = (3 * r * r + h * h) / 12
        volume, inertia = np.pi * r * r * h, np.diag([side, side, r * r / 2])
    return volume, visual.position, visual.rotation @ inertia @ visual.rotation.T


@pytest.mark.parametrize('name', OWN)
def test_each_inertia_is_that_of_the_drawn_shapes(name):
    links = [link for link in load(name).links if link.inertial is not None]
    assert len(links) >= 2
    for link in links:
        volumes, centres, inertias = zip(*map(of_shape, link.visuals))
        fraction = np.array(volumes) / sum(volumes)
        com = fraction @ centres
        arms = np.array(centres) - com
        expected = link.inertial.mass * sum(
            part * (inertia + arm @ arm * np.eye(3) - np.outer(arm, arm))
            for part, arm, inertia in zip(fraction, arms, inertias))
        # the file has six digits
        np.testing.assert_allclose(link.inertial.com, com, rtol=5e-6, atol=1e-12)
        np.testing.assert_allclose(link.inertial.inertia, expected, rtol=5e-6, atol=1e-12)


def test_the_readme_lists_every_arm_with_its_joints_and_modes():
    lines = (URDF / 'README.md').read_text(encoding='utf-8').splitlines()
    rows = [[cell.strip() for cell in line.split('|')] for line in lines if line.startswith('| `')]
    listed = {row[1].strip('`'): row[2] for row in rows}
    assert sorted(listed) == sorted(path.name for path in URDF.glob('*.urdf'))
    for name, text in listed.items():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', kd.KaneDynamicsWarning)
            robot = kd.load_urdf(URDF / name)
        parts = re.findall(r'(\d*) ?([RP]\b|modes)', text)
        count = {kind: sum(int(number or 1) for number, each in parts if each == kind)
                 for kind in ('R', 'P', 'modes')}
        sliding = sum(joint.kind == 'prismatic' for joint in robot.moving_joints)
        assert count == {'R': robot.n_joints - sliding, 'P': sliding, 'modes': robot.n_modes}, name


@pytest.mark.parametrize('name', OWN)
def test_pinocchio_agrees(name):
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromUrdf(str(URDF / name))
    data, dyn = model.createData(), kd.Dynamics(load(name))
    rng = np.random.default_rng(11)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-3, 3, (3, model.nv))
        tau = pinocchio.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dyn.forward(q, qd, tau), qdd, rtol=1e-10, atol=1e-10)


def test_the_six_axis_arm_is_complete():
    robot = load('six_axis.urdf')
    assert robot.joint_names == tuple(f'joint_{i}' for i in range(1, 7))
    assert robot.total_mass == pytest.approx(23.15)
    for field in ('lower', 'upper', 'velocity', 'effort'):
        assert np.isfinite(getattr(robot.limits, field)).all()
    assert all(joint.damping > 0 and joint.friction > 0 for joint in robot.moving_joints)
    R, p = kd.Dynamics(robot, backend='python').frame_pose('tool0', np.zeros(6))
    # upright, forearm forward: x = 0.14 + 0.22 + 0.06 + 0.02, z = 0.15 + 0.14 + 0.42; z of the
    # tool points forward
    np.testing.assert_allclose(p, [0.44, 0, 0.71], rtol=0, atol=1e-15)
    np.testing.assert_allclose(R[:, 2], [1, 0, 0], rtol=0, atol=1e-15)


def test_the_six_axis_arm_can_hold_its_payload_anywhere():
    dyn = kd.Dynamics(load('six_axis.urdf')).with_payload(5.0, (0, 0, 0.05), link='tool0')
    limits = dyn.robot.limits
    rng = np.random.default_rng(3)
    q = rng.uniform(limits.lower, limits.upper, (2000, 6))
    q[0] = [0, np.pi / 2, -np.pi / 2, 0, 0, 0]  # stretched out: the worst for joint 2
    held = abs(dyn.gravity_many(q)).max(axis=0)
    # a third is left to move with; 98.7 N m at joint 2
    assert (held < 0.67 * limits.effort).all()
    assert held[1] == pytest.approx(98.705, abs=1e-3)


def test_the_two_link_arm_has_its_closed_form_torques():
    robot = load('two_link.urdf')
    dyn = kd.Dynamics(robot)
    upper, fore = (robot.link(name).inertial for name in ('upper_arm', 'forearm'))
    l1, g = 0.5, 9.81
    m1, c1, I1 = upper.mass, upper.com[0], upper.inertia[1, 1]
    m2, c2, I2 = fore.mass, fore.com[0], fore.inertia[1, 1]
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-3, 3, (3, 2))
        cross = m2 * l1 * c2
        M22 = I2 + m2 * c2 ** 2
        M12 = M22 + cross * np.cos(q[1])
        M11 = I1 + m1 * c1 ** 2 + m2 * l1 ** 2 + M22 + 2 * cross * np.cos(q[1])
        second = g * m2 * c2 * np.cos(q[0] + q[1])
        tau = [M11 * qdd[0] + M12 * qdd[1] - cross * np.sin(q[1]) * (2 * qd[0] + qd[1]) * qd[1]
               + g * (m1 * c1 + m2 * l1) * np.cos(q[0]) + second,
               M12 * qdd[0] + M22 * qdd[1] + cross * np.sin(q[1]) * qd[0] ** 2 + second]
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=0, atol=1e-13)
        np.testing.assert_allclose(dyn.mass_matrix(q), [[M11, M12], [M12, M22]], 0, 1e-15)
