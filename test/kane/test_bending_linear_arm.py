# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whole arms about the undeformed pose, assembled here from the links' data by linear kinematics.

No part of Kane's equations of the package is used: every station moves by a matrix of partial
velocities, M is their Gram product. It checks data, tip loads, attachments and rests at once.
"""

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from kane_dynamics.model.flexible.flexible_link import read_flexible_links
from kane_dynamics.model.structure.tree import moments
from kane_dynamics.model.urdf_reader import load_urdf

L1 = dict(b=0.0762, l=0.9144, rho=1.33937, EI=114.0, end=0.0762)
L2 = dict(b=0.0127, l=0.9144, rho=0.669685, EI=14.0, end=0.0508)


def padilla(modes, beta=0.0, rigid=()):
    """Return the arm of Padilla 1989, Table 4.1; `beta` is where the elbow's zero lies."""
    def link(name, d, J):
        m, c = d['rho'] * d['l'], d['b'] + d['l'] / 2
        izz = m * d['l']**2 / 12 + J
        return f"""<link name="{name}"><inertial><origin xyz="{c!r} 0 0"/><mass value="{m!r}"/>
          <inertia ixx="0.001" iyy="{izz!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/></inertial>
          </link>"""

    def lump(name, mass, J):
        return f"""<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{J}"
          iyy="{J}" izz="{J}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""

    def fixed(name, parent, child, x):
        return f"""<joint name="{name}" type="fixed"><parent link="{parent}"/>
          <child link="{child}"/><origin xyz="{x!r} 0 0"/></joint>"""

    def flexible(name, d):
        if name in rigid:
            return ''
        return f"""<flexible_link reference="{name}"><beam root="{d['b']} 0 0" length="{d['l']}"
          mass_per_length="{d['rho']}" EI_z="{d['EI']}"/>{modes}</flexible_link>"""

    hinge = L1['b'] + L1['l'] + L1['end']
    text = f"""<robot name="padilla"><link name="base"/>
      {link('upper', L1, 0.01)}{lump('elbow', 14.0, 0.03)}
      {link('lower', L2, 0.0)}{lump('tip', 2.0, 0.01)}
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
        <axis xyz="0 0 1"/></joint>
      {fixed('on_upper', 'upper', 'elbow', hinge)}
      <joint name="elbow_joint" type="continuous"><parent link="elbow"/><child link="lower"/>
        <origin rpy="0 0 {float(beta)!r}"/><axis xyz="0 0 1"/></joint>
      {fixed('on_lower', 'lower', 'tip', L2['b'] + L2['l'] + L2['end'])}
      {flexible('upper', L1)}{flexible('lower', L2)}</robot>"""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return load_urdf(text)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def linear_model(robot, pose=()):
    """Return M and K about an undeformed pose {joint: angle}, joints first, then modes."""
    pose = dict(pose)
    links = read_flexible_links(robot)
    n = robot.n_joints + sum(link.body.n_modes for link in links.values())
    first, column = {}, robot.n_joints
    for name, link in links.items():
        first[name] = column
        column += link.body.n_modes
    M, K = np.zeros((n, n)), np.zeros((n, n))
    frames = {robot.root: (np.eye(3), np.zeros(3), np.zeros((3, n)), np.zeros((3, n)))}

    def ride(frame, station, S):
        """Return the frame of an attachment: it moves by Phi and turns by Psi of the modes."""
        R, p, V, W = frame
        r = R @ station.position
        return (R, p + r, V - skew(r) @ W + R @ station.Phi @ S, W + R @ station.Psi @ S)

    for joint in robot.joints:
        frame, offset = frames[joint.parent], joint.position
        if joint.parent in links:
            link = links[joint.parent]
            index = link.attachment_of(joint.name)
            if index is not None:
                place = link.body.attachments[index]
                S = np.eye(link.body.n_modes, n, first[joint.parent])
                frame, offset = ride(frame, place, S), offset - place.position
        R, p, V, W = frame
        r = R @ offset
        R, p, V, W = R @ joint.rotation, p + r, V - skew(r) @ W, W.copy()
        if joint.kind != 'fixed':
            W[:, robot.joint_index(joint.name)] += R @ joint.axis
            angle = pose.get(joint.name, 0.0)
            R = R @ Rotation.from_rotvec(joint.axis * angle).as_matrix()
        frames[joint.child] = (R, p, V, W)

    def add_rigid(frame, m, h, S):
        R, _, V, W = frame
        J = R @ (np.trace(S) * np.eye(3) - S) @ R.T
        hx = skew(R @ h)
        M[:] += m * V.T @ V + W.T @ J @ W - V.T @ hx @ W - (V.T @ hx @ W).T

    for link in robot.links:
        frame = frames[link.name]
        if link.name not in links:
            if link.inertial is not None:
                add_rigid(frame, *moments(link.inertial))
            continue
        body = links[link.name].body
        S = np.eye(body.n_modes, n, first[link.name])
        add_rigid(frame, *body.rest)
        for node in body.nodes:
            V = ride(frame, node, S)[2]
            M += node.mass * V.T @ V
        R, _, _, W = frame
        I0, Cr, Mr = body.rotary
        cross = (R.T @ W).T @ Cr @ S
        M += W.T @ R @ I0 @ R.T @ W + cross + cross.T + S.T @ Mr @ S
        K += S.T @ np.diag(body.stiffness) @ S
    return M, K


def frequencies(robot, joints='locked', pose=()):
    M, K = linear_model(robot, pose)
    j = robot.n_joints
    if joints == 'locked':
        return np.sqrt(eigh(K[j:, j:], M[j:, j:], eigvals_only=True))
    return np.sqrt(eigh(K, M, eigvals_only=True)[j:].clip(0.0))


# The fourth mode is wanted to 1e-5: 12 mass points as in the notes; 2 n + 1 = 9 give 2e-4.
CF4 = '<modes bend_y="4" shapes="clamped_free" nodes="12"/>'


def within_print(got, printed):
    """Assert agreement to 0.6 of the last printed digit."""
    for value, text in zip(got, printed.split()):
        digits = len(text.split('.')[1]) if '.' in text else 0
        assert value == pytest.approx(float(text), abs=0.6 * 10.0**-digits), (got, printed)


@pytest.mark.parametrize(('beta', 'free', 'locked'), [
    # Padilla 1989, Table 3.1, rad/s; 120.8 at 180 degrees is a misprint of 120.7(5).
    (0, '42.9 68.1 153.7 224.3', '3.03 7.36 62.2 120.7'),
    (45, '42.8 68.0 153.6 224.3', '3.15 6.82 62.0 120.7'),
    (90, '42.7 68.0 153.5 224.3', '3.53 5.90 61.6 120.7'),
    (135, '42.8 68.0 153.6 224.3', '4.08 5.32 61.6 120.7'),
    (180, '42.9 68.1 153.7 224.3', '4.35 5.19 61.8 120.75')])
def test_padilla_table_3_1(beta, free, locked):
    robot = padilla(CF4, np.radians(beta))
    within_print(frequencies(robot, 'free'), free)
    within_print(frequencies(robot, 'locked'), locked)


@pytest.mark.parametrize(('beta', 'rigid', 'locked'), [
    (0, 'lower', '3.52 29.2 320.5 907.0'), (90, 'lower', '4.04 23.9 318.6 905.6'),
    (0, 'upper', '4.67 63.6 202.0 479.2')])
def test_padilla_table_3_2_one_link_rigid(beta, rigid, locked):
    within_print(frequencies(padilla(CF4, np.radians(beta), (rigid,)), 'locked'), locked)


@pytest.mark.parametrize(('count', 'made_for', 'beta', 'locked'), [
    # The notes' 3.2, tip-loaded; converged finite elements 2.9969 7.3263 57.635 110.763 at beta 0,
    # 3.4957 5.8784 57.099 110.783 at 90: the pose that the modes were made for hardly matters.
    (1, 0, 0, (2.9983, 7.6509)), (2, 0, 0, (2.9969, 7.3264, 57.648, 116.16)),
    (3, 0, 0, (2.9969, 7.3263, 57.6355, 110.88)), (4, 0, 0, (2.9969, 7.3263, 57.6351, 110.774)),
    (2, 90, 0, (2.9969, 7.3264, 57.6505, 116.32)), (2, 0, 90, (3.4957, 5.8784, 57.112, 116.16))])
def test_few_tip_loaded_modes_reach_converged_finite_elements(count, made_for, beta, locked):
    robot = padilla(f'<modes bend_y="{count}"/>', np.radians(made_for))
    got = frequencies(robot, 'locked', {'elbow_joint': np.radians(beta - made_for)})
    np.testing.assert_allclose(got[:len(locked)], locked, rtol=4e-5)   # the printed digits


def test_bars_of_the_tip_loaded_modes():
    # First three frequencies to 0.03 % with two modes per link, four to 0.15 % with three.
    two, three = (frequencies(padilla(f'<modes bend_y="{n}"/>'), 'locked') for n in (2, 3))
    converged = np.array([2.9969, 7.3263, 57.635, 110.763])
    assert abs(two[:3] / converged[:3] - 1).max() < 3e-4
    assert abs(three[:4] / converged - 1).max() < 1.5e-3


@pytest.mark.parametrize(('count', 'locked'), [
    (2, (2.9969, 7.3264, 60.51, 115.26)), (3, (2.9969, 7.3264, 57.671, 111.10))])
def test_craig_bampton_modes_of_the_notes(count, locked):
    got = frequencies(padilla(f'<modes bend_y="{count}" shapes="craig_bampton"/>'), 'locked')
    np.testing.assert_allclose(got[:4], locked, rtol=1e-4)


def test_tip_loaded_modes_are_far_better_conditioned():
    # The notes: 1.8e7 with four clamped-free modes per link, 2.6e5 tip-loaded (their scale of
    # modes differs); the ratio is what matters.
    condition = [np.linalg.cond(linear_model(padilla(text))[0])
                 for text in (CF4, '<modes bend_y="4"/>')]
    assert condition[0] > 20 * condition[1]


def test_undeformed_arm_is_the_rigid_arm():
    # The joint block at eta = 0 is the rigid mass matrix of the notes, section 3.
    M = linear_model(padilla('<modes bend_y="2"/>'))[0]
    np.testing.assert_allclose(M[:2, :2], [[26.266978, 4.493874], [4.493874, 2.100457]], rtol=1e-6)


def spatial(axis, normal, R):
    """Return an L-shaped arm, its frames turned by R within the links' geometry."""
    rpy = ' '.join(map(repr, Rotation.from_matrix(R).as_euler('xyz').tolist()))
    along = ' '.join(map(repr, (R.T @ axis).tolist()))
    up = ' '.join(map(repr, (R.T @ normal).tolist()))
    com = ' '.join(map(repr, (R.T @ axis * 0.5).tolist()))
    tip = ' '.join(map(repr, (R.T @ (axis + 0.1 * normal)).tolist()))
    J = R.T @ np.diag([0.02, 0.3, 0.3]) @ R
    inertia = ' '.join(f'{key}="{float(J[i, j])!r}"' for key, i, j in (
        ('ixx', 0, 0), ('iyy', 1, 1), ('izz', 2, 2), ('ixy', 0, 1), ('ixz', 0, 2), ('iyz', 1, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return load_urdf(f"""<robot name="r"><link name="base"/>
          <link name="arm"><inertial><origin xyz="{com}"/><mass value="2"/>
            <inertia {inertia}/></inertial></link>
          <link name="tool"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
            <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="j1" type="continuous"><parent link="base"/><child link="arm"/>
            <origin rpy="{rpy}"/><axis xyz="{' '.join(map(repr, R.T[:, 2].tolist()))}"/></joint>
          <joint name="j2" type="fixed"><parent link="arm"/><child link="tool"/>
            <origin xyz="{tip}"/></joint>
          <flexible_link reference="arm"><beam axis="{along}" normal="{up}" length="1"
            mass_per_length="1.2" EI_y="50" EI_z="20" GJ="8" EA="1e5"
            polar_inertia_per_length="2e-3"/>
            <modes bend_y="2" bend_z="2" torsion="1" stretch="1"/></flexible_link></robot>""")


def test_frequencies_do_not_depend_on_how_the_link_frame_is_turned():
    x, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    straight = spatial(x, z, np.eye(3))
    R = Rotation.from_euler('xyz', [0.4, -0.9, 1.3]).as_matrix()
    turned = spatial(x, z, R)
    # The tool frame turns with the link; its centre must be where it was: only then compare.
    shift = R.T @ np.array([0, 0, 0.1])
    tool = turned.link('tool').inertial
    turned = turned.with_inertial('tool', type(tool)(tool.mass, shift, tool.inertia))
    for joints in ('locked', 'free'):
        np.testing.assert_allclose(frequencies(turned, joints), frequencies(straight, joints),
                                   rtol=1e-9)


def test_offset_tool_couples_bending_and_torsion():
    # A tool on a lever of 0.2 m across the beam: the families meet in M, not in K.
    M, K = linear_model(spatial(np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), np.eye(3)))
    assert abs(M[1:3, 5]).max() > 1e-3       # bend_y with torsion
    assert np.count_nonzero(K - np.diag(np.diag(K))) == 0
