# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms of urdf/: the claims in their files hold."""

import warnings

from flexible_arms import URDF
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.model.flexible.outboard import central
from kane_dynamics.model.structure.tree import moments, moved

ARMS = ('padilla_two_link', 'flexible_single_link', 'flexible_3r', 'flexible_six_axis')
OURS = ('flexible_3r', 'flexible_six_axis')


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter('error')             # our own files have no odd inertia
        return kd.load_urdf(URDF / f'{name}.urdf')


@pytest.mark.parametrize('name', ARMS)
def test_file_loads_without_a_remark_and_has_the_promised_modes(name):
    robot = load(name)
    modes = {'padilla_two_link': 4, 'flexible_single_link': 3, 'flexible_3r': 10,
             'flexible_six_axis': 8}[name]
    assert robot.n_modes == modes
    assert robot.mode_names[0].endswith('/bend_y_1')


@pytest.mark.parametrize('name', ARMS)
def test_other_programs_read_the_same_file_as_a_rigid_arm(name):
    pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    robot = load(name)
    assert pinocchio.buildModelFromUrdf(str(URDF / f'{name}.urdf')).nv == robot.n_joints
    assert mujoco.MjModel.from_xml_path(str(URDF / f'{name}.urdf')).nv == robot.n_joints


def cylinder(visual, density=None, mass=None):
    """Return the mass moments of a drawn cylinder about the link's origin."""
    r, h = visual.size
    m = mass if density is None else density * np.pi * r**2 * h
    side = m * (3 * r * r + h * h) / 12
    S = np.diag([m * r**2 / 4, m * r**2 / 4, m * h**2 / 12])
    assert side == pytest.approx(S[1, 1] + S[2, 2])
    return moved(m, np.zeros(3), S, visual.rotation, visual.position)


@pytest.mark.parametrize('name', OURS)
def test_inertia_of_a_flexible_link_is_its_housing_and_its_tube(name):
    robot = load(name)
    for link in robot.flexible_links.values():
        housing = robot.link(link.link).visuals[0]
        rest = cylinder(housing, mass=link.rest.m)
        for got, expected in zip(link.rest, rest):
            np.testing.assert_allclose(got, expected, rtol=0, atol=2e-8)
        # and the tube is drawn where the beam is
        tube = robot.link(link.link).visuals[1]
        np.testing.assert_allclose(tube.size[1], link.beam.length)
        middle = link.root + link.rotation[:, 0] * link.beam.length / 2
        np.testing.assert_allclose(tube.position, middle, atol=1e-12)


def test_flexible_six_axis_arm_has_the_joints_and_frames_of_the_rigid_one():
    rigid, flexible = load('six_axis'), load('flexible_six_axis')
    assert flexible.joint_names == rigid.joint_names
    for field in ('lower', 'upper', 'velocity', 'effort'):
        np.testing.assert_array_equal(getattr(flexible.limits, field),
                                      getattr(rigid.limits, field))
    q = np.array([0.3, -0.5, 0.7, 1.0, -0.4, 0.2])
    poses = [kd.Dynamics(robot.rigid(), backend='python').frame_pose('tool0', q)
             for robot in (rigid, flexible)]
    np.testing.assert_allclose(poses[0][0], poses[1][0], atol=1e-15)
    np.testing.assert_allclose(poses[0][1], poses[1][1], atol=1e-15)


@pytest.mark.parametrize('name', OURS)
def test_arm_stays_within_its_model_and_its_motors_while_it_holds_itself(name):
    robot = load(name)
    dyn = kd.Dynamics(robot, backend='python')
    worst = {}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        q = kd.static_sag(dyn, rng.uniform(robot.limits.lower, robot.limits.upper))
        assert (abs(dyn.gravity(q)[:robot.n_joints]) < robot.limits.effort).all()
        for link, deflection in kd.tip_deflections(robot, q).items():
            assert deflection.in_range
            worst[link] = max(worst.get(link, 0.0), deflection.size)
    assert all(1e-4 < size < 5e-3 for size in worst.values())     # visible, and small


def test_padilla_arm_holds_the_thesis_data():
    robot = load('padilla_two_link')
    m, com, J = {}, {}, {}
    for name in ('upper_arm', 'forearm'):
        link = robot.flexible_links[name]
        m[name] = link.beam.moments()[0]
        com[name], J[name] = central(*link.rest)
    # Table 4.1 and appendix B.1: masses of the links; the shoulder's inertia is what is left
    assert m['upper_arm'] == pytest.approx(1.22472, abs=5e-6)
    assert m['forearm'] == pytest.approx(0.61236, abs=5e-6)
    assert J['upper_arm'][2, 2] == pytest.approx(0.01, rel=1e-9)
    assert robot.link('elbow_body').inertial.mass == 14.0
    hinge = robot.joint('elbow_fixed').position[0]
    tip = robot.joint('tip_fixed').position[0]
    assert (hinge, tip) == (pytest.approx(1.0668), pytest.approx(0.9779))   # L1, L2
    for name, H in (('upper_arm', (1843.30, 72393.95)), ('forearm', (226.37, 8890.5))):
        body = robot.flexible_links[name].body
        # modes here have unit largest displacement, the thesis's have the tip at 2
        np.testing.assert_allclose(4 * body.stiffness, H, rtol=3e-5)
    assert moments(robot.link('tip').inertial)[0] == 2.0
