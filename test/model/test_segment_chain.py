# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A beam as rigid pieces with springs, against the tabulated chains and the continuous beam."""

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.flexible_link import read_flexible_links
from kane_dynamics.model.flexible.mode_shapes import FAMILIES, mode_shapes
from kane_dynamics.model.flexible.outboard import as_load, outboard_moments
from kane_dynamics.model.flexible.segment_chain import HINGES, segment_chain, segmented
from kane_dynamics.model.urdf_reader import load_urdf

UNIT = {'mass_per_length': 1.0, 'EI_y': 1.0, 'EI_z': 1.0}


def chain_matrices(chain, family):
    """Return M, K of a chain bending in one plane, straight: M_ij = int (x - s_i)(x - s_j) dm."""
    springs = np.array([spring.x for spring in chain.springs])
    M = np.zeros((len(springs), len(springs)))
    for k, piece in enumerate(chain.pieces[1:], start=1):
        arms = piece.start - springs[:k]
        moment = piece.S[0, 0] + piece.S[1, 1] if family == 'bend_y' else (
            piece.S[0, 0] + piece.S[2, 2])
        M[:k, :k] += (piece.m * np.outer(arms, arms) + piece.h[0] * np.add.outer(arms, arms)
                      + moment)
    return M, np.diag([spring.stiffness[family] for spring in chain.springs])


@pytest.mark.parametrize(('count', 'first', 'second', 'static'), [
    # The notes (f), rule C: omega_1, omega_2, and the error of the tip under a tip force.
    (1, 4.89898, None, -0.25), (2, 3.72992, 31.0410, -0.0625), (4, 3.56709, 23.1824, -0.0156),
    (8, 3.52866, 22.3115, -0.0039), (10, 3.52410, 22.2111, -0.0025),
    (20, 3.51803, 22.0785, -0.0006), (40, 3.51652, 22.0455, -0.0002)])
@pytest.mark.parametrize('family', ['bend_y', 'bend_z'])
def test_chain_has_the_tabulated_frequencies(family, count, first, second, static):
    chain = segment_chain(Beam.uniform(1.0, **UNIT), count)
    M, K = chain_matrices(chain, family)
    w = np.sqrt(eigh(K, M, eigvals_only=True))
    assert w[0] == pytest.approx(first, abs=1e-5)
    if second is not None:
        assert w[1] == pytest.approx(second, abs=1e-4)
    tip = sum((1 - spring.x)**2 / spring.stiffness[family] for spring in chain.springs)
    assert tip * 3 - 1 == pytest.approx(static, abs=6e-5)


def test_error_falls_with_the_square_of_the_count():
    exact = 1.87510407**2
    errors = []
    for count in (8, 16):
        M, K = chain_matrices(segment_chain(Beam.uniform(1.0, **UNIT), count), 'bend_y')
        errors.append(np.sqrt(eigh(K, M, eigvals_only=True)[0]) / exact - 1)
    assert errors[0] < 4e-3 and errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.02)


def test_springs_of_a_tapered_beam_bend_as_much_as_its_elements():
    beam = Beam(2.0, [0.0, 0.7, 2.0], {'mass_per_length': [1, 1, 1], 'EI_z': [8.0, 3.0, 1.0]})
    chain = segment_chain(beam, 3)
    # 1/k = int dx / EI; EI linear from a to b over h: h ln(a/b) / (a - b).
    total = 0.7 * np.log(8 / 3) / 5 + 1.3 * np.log(3) / 2
    assert sum(1 / s.stiffness['bend_y'] for s in chain.springs) == pytest.approx(total, rel=1e-9)


def test_pieces_hold_the_mass_and_inertia_of_the_beam():
    beam = Beam.of_section(1.0, 'tube', outer_radius=0.02, inner_radius=0.015, E=7e10, G=2.7e10,
                           density=2700.0)
    chain = segment_chain(beam, 5)
    m, h, S = beam.moments()
    assert sum(piece.m for piece in chain.pieces) == pytest.approx(m)
    centres = [piece.start * piece.m + piece.h[0] for piece in chain.pieces]
    assert sum(centres) == pytest.approx(h[0])
    second = sum(p.S[0, 0] + 2 * p.start * p.h[0] + p.m * p.start**2 for p in chain.pieces)
    assert second == pytest.approx(S[0, 0])
    assert sum(p.S[1, 1] for p in chain.pieces) == pytest.approx(S[1, 1])


def test_torsion_springs_give_the_fixed_free_frequency():
    beam = Beam.uniform(1.0, mass_per_length=1.0, GJ=1.0, polar_inertia_per_length=1.0)
    chain = segment_chain(beam, 16)
    polar = [piece.S[1, 1] + piece.S[2, 2] for piece in chain.pieces]
    M = np.array([[sum(polar[max(i, j) + 1:]) for j in range(16)] for i in range(16)])
    K = np.diag([spring.stiffness['torsion'] for spring in chain.springs])
    assert np.sqrt(eigh(K, M, eigvals_only=True)[0]) == pytest.approx(np.pi / 2, rel=1e-3)


def test_damping_gives_its_ratio_in_the_first_mode():
    chain = segment_chain(Beam.uniform(1.0, **UNIT), 20, damping_ratio=0.03)
    M, K = chain_matrices(chain, 'bend_y')
    C = np.diag([spring.damping['bend_y'] for spring in chain.springs])
    w2, V = eigh(K, M)
    assert V[:, 0] @ C @ V[:, 0] / (2 * np.sqrt(w2[0])) == pytest.approx(0.03, rel=1e-3)


def test_what_rides_on_the_beam_goes_to_the_right_piece():
    chain = segment_chain(Beam.uniform(1.0, **UNIT), 4)      # springs at 1/8, 3/8, 5/8, 7/8
    assert [chain.piece_at(x) for x in (0.0, 0.1, 0.3, 0.5, 1.0)] == [0, 0, 1, 2, 4]


def test_chain_without_stiffness_or_inertia_is_refused():
    with pytest.raises(ModelError, match='segments need EI_y, EI_z or GJ'):
        segment_chain(Beam.uniform(1.0, mass_per_length=1.0), 4)
    with pytest.raises(ModelError, match='with GJ need polar_inertia_per_length > 0'):
        segment_chain(Beam.uniform(1.0, mass_per_length=1.0, GJ=1.0), 4)
    with pytest.raises(ModelError, match='expected at least 1, got 0'):
        segment_chain(Beam.uniform(1.0, **UNIT), 0)


URDF = """<robot name="r"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0.5 0.1"/><mass value="2"/>
    <inertia ixx="0.3" iyy="0.02" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0.05 0 0"/><mass value="0.7"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j1" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="arm"/><child link="tool"/>
    <origin xyz="0.02 1.1 0.15" rpy="0.1 0.2 0.3"/><axis xyz="1 0 0"/></joint>
  <flexible_link reference="arm"><beam root="0 0 0.1" axis="0 1 0" normal="0 0 1" length="1"
    mass_per_length="1.2" EI_y="50" EI_z="40" GJ="30" polar_inertia_per_length="1e-3"/>
    <segments count="4"/><damping ratio="0.01"/></flexible_link></robot>"""


def urdf_arm():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return load_urdf(URDF)


def at_pose(pin, robot, angles):
    """Return Pinocchio's mass matrix of the named joints and the position of the tool."""
    model = pin.buildModelFromXML(robot.to_urdf())
    data, q = model.createData(), pin.neutral(model)
    index = []
    for name, angle in angles.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q:joint.idx_q + 2] = np.cos(angle), np.sin(angle)
        index.append(joint.idx_v)
    pin.framesForwardKinematics(model, data, q)
    M = np.triu(pin.crba(model, data, q))
    M = M + np.triu(M, 1).T
    return M[np.ix_(index, index)], data.oMf[model.getFrameId('tool')].translation


def test_segmented_robot_at_rest_is_the_rigid_robot():
    pin = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    robot = urdf_arm()
    link = read_flexible_links(robot)['arm']
    chain, springs = segmented(robot, 'arm', link.segments, link.rest, link.stations)
    assert len(springs) == 12 and chain.n_joints == 14
    assert springs['arm/3/bend_z'] == pytest.approx(50.0 / 0.25)
    assert chain.joint('arm/2/bend_y').damping == link.segments.springs[1].damping['bend_y']
    assert read_flexible_links(chain) == {}      # done: not to be cut a second time
    angles = {'j1': 0.3, 'j2': -0.8}
    for whole, cut in zip(at_pose(pin, robot, angles), at_pose(pin, chain, angles)):
        np.testing.assert_allclose(cut, whole, rtol=1e-12, atol=1e-13)


def test_positive_hinge_angles_move_the_tip_along_y_and_z():
    for family, axis in HINGES.items():
        if family != 'torsion':
            moved = np.cross(axis, [1.0, 0.0, 0.0])
            assert moved[FAMILIES[family].axis] == 1.0


def test_segments_and_modes_agree_on_a_loaded_link():
    # The same link and tool, 16 segments against converged modes: first frequency of each plane.
    robot = urdf_arm()
    link = read_flexible_links(robot)['arm']
    loads = [as_load(outboard_moments(robot)['j2'], 1.0, link.rotation, link.root)]
    modes = mode_shapes(link.beam, {'bend_y': 1, 'bend_z': 1}, loads=loads)
    chain = segment_chain(link.beam, 16)
    for k, family in enumerate(('bend_y', 'bend_z')):
        M, K = chain_matrices(chain, family)
        arms = 1.0 - np.array([spring.x for spring in chain.springs])
        jacobian = np.stack([arms, np.ones(16)])     # (v, v') of the tip per hinge angle
        M = M + jacobian.T @ loads[0].block(family) @ jacobian
        assert np.sqrt(eigh(K, M, eigvals_only=True)[0]) == pytest.approx(
            modes.frequencies[k], rel=1.5e-3)
