# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of <flexible_link> and <flexible_joint>: accepted and refused elements."""

import warnings

import numpy as np
import pytest

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.flexible_joint import read_flexible_joints
from kane_dynamics.model.flexible.flexible_link import read_flexible_links
from kane_dynamics.model.flexible.mode_shapes import mode_shapes
from kane_dynamics.model.flexible.outboard import outboard_moments, reference_pose
from kane_dynamics.model.structure.tree import moments
from kane_dynamics.model.urdf_reader import load_urdf

BEAM = ('<beam root="0 0 0" axis="1 0 0" normal="0 0 1" length="1" mass_per_length="1.2" '
        'EI_y="50" EI_z="40" GJ="30" EA="1e6" polar_inertia_per_length="1e-3"/>')
POSE = '<beam length="1"/>'
MODES = '<modes bend_y="2" bend_z="2" torsion="1"/>'
TUBE = ('<section shape="tube" outer_radius="0.02" inner_radius="0.015" E="7.848e10" G="2.9e10" '
        'density="2700"/>')

MOUNTED = ('<link name="camera"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" '
           'izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="fixed" '
           'type="fixed"><parent link="tool"/><child link="camera"/></joint>')


def load(text):
    """Return the Robot of URDF text, without the warnings about thin inertias."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return load_urdf(text)


def arm(*inside, mass=2.0, reference='reference="arm"', inertia=0.3, ixx=0.02,
        more=''):
    """Return a robot with one flexible link of 1 m that carries a tool at (1.1, 0, 0.05)."""
    return load(f"""<robot name="r">
      <link name="base"/>
      <link name="arm"><inertial><origin xyz="0.45 0.01 0"/><mass value="{mass}"/>
        <inertia ixx="{ixx}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0.001"/>
        </inertial></link>
      <link name="tool"><inertial><origin xyz="0.1 0 0"/><mass value="0.7"/>
        <inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j1" type="continuous"><parent link="base"/><child link="arm"/>
        <axis xyz="0 0 1"/></joint>
      <joint name="j2" type="revolute"><parent link="arm"/><child link="tool"/>
        <origin xyz="1.1 0 0.05"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
      <flexible_link {reference}>{"".join(inside)}</flexible_link>{more}</robot>""")


def read(*inside, **changes):
    return read_flexible_links(arm(*inside, **changes))['arm']


def test_link_is_read_as_written():
    link = read(BEAM, MODES)
    assert link.body.mode_names == ('bend_y_1', 'bend_y_2', 'bend_z_1', 'bend_z_2', 'torsion_1')
    assert (link.body.level, link.body.model, link.modes.kind) == (2, 'full', 'tip_loaded')
    assert link.beam.at(0.3)['EI_z'] == 40.0 and link.beam.at(0.3)['EA'] == 1e6
    assert link.stations == {'j2': 1.0} and link.attachment_of('j2') == 0
    assert len(link.body.nodes) == 5      # 2 n + 1
    frequency = link.body.frequencies[0] / (2 * np.pi)
    assert f'bend_y_1 {frequency:.4g} Hz' in link.describe()


def test_beam_and_rest_make_the_whole_link():
    # The rigid limit is the URDF's <inertial>: mass points, slices and rest sum up to it.
    robot = arm('<beam root="0.02 0 0.01" axis="0.6 0.8 0" normal="0 0 1" length="0.8" EI_y="50" '
                'EI_z="40" mass_per_length="0.5" GJ="3" polar_inertia_per_length="1e-3"/>',
                MODES, mass=5.0, inertia=1.0, ixx=1.0)
    body = read_flexible_links(robot)['arm'].body
    m, h, S = body.rest
    I0 = body.rotary.I0
    S = S + np.trace(I0) / 2 * np.eye(3) - I0
    for node in body.nodes:
        m, h = m + node.mass, h + node.mass * node.position
        S = S + node.mass * np.outer(node.position, node.position)
    for got, exact in zip((m, h, S), moments(robot.link('arm').inertial)):
        np.testing.assert_allclose(got, exact, rtol=1e-13, atol=1e-14)


def test_normal_is_the_z_of_the_beam():
    # axis = link z and normal = link x, so the beam's y = normal x axis = -(link y).
    link = read(BEAM.replace('axis="1 0 0" normal="0 0 1"', 'axis="0 0 2" normal="1 0 0"'),
                '<modes bend_y="1" bend_z="1" torsion="1" stretch="1"/>', mass=9.0, inertia=9.0,
                ixx=9.0)
    np.testing.assert_array_equal(link.rotation, [[0, 0, 1], [0, -1, 0], [1, 0, 0]])
    tip = link.body.tip
    np.testing.assert_array_equal(tip.position, [0, 0, 1])
    np.testing.assert_allclose(tip.Phi, [[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    np.testing.assert_allclose(tip.Psi[:, 2], [0, 0, 1])          # torsion about the link's z
    assert tip.Psi[0, 0] > 0.0 and tip.Psi[1, 1] > 0.0            # toward -y about x, +x about y
    assert np.count_nonzero(tip.Psi) == 3                         # the rest is exactly zero


def test_rotated_body_deflects_the_same_seen_from_another_frame():
    body = read(BEAM, MODES, '<model order="3">full</model>').body
    rng = np.random.default_rng(2)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    shift, eta = rng.normal(size=3), rng.normal(size=5) * 0.05
    other = body.rotated(R, shift)
    for a, b in zip(body.nodes + body.attachments, other.nodes + other.attachments):
        np.testing.assert_allclose(b.position + b.displacement(eta),
                                   R @ (a.position + a.displacement(eta)) + shift, atol=1e-14)
        np.testing.assert_allclose(b.rotation(eta), R @ a.rotation(eta), atol=1e-14)
    w, ed = rng.normal(size=3), rng.normal(size=5)

    def energy(rotary, w):
        return 0.5 * w @ rotary.I0 @ w + w @ rotary.Cr @ ed + 0.5 * ed @ rotary.Mr @ ed
    assert energy(other.rotary, R @ w) == pytest.approx(energy(body.rotary, w), rel=1e-12)
    # The rest: its kinetic energy in a rigid motion, v and w at either origin.
    v = rng.normal(size=3)
    kinetic = [0.5 * r.m * v_ @ v_ + v_ @ np.cross(w_, r.h) + 0.5 * w_ @ r.J @ w_
               for r, v_, w_ in ((body.rest, v, w),
                                 (other.rest, R @ v - np.cross(R @ w, shift), R @ w))]
    assert kinetic[0] == pytest.approx(kinetic[1], rel=1e-12)


def test_section_gives_the_properties_of_its_shape():
    link = read(POSE, TUBE, MODES, mass=5.0, inertia=2.0)
    A, second = np.pi * (0.02**2 - 0.015**2), np.pi / 4 * (0.02**4 - 0.015**4)
    assert link.beam.at(0.0)['mass_per_length'] == pytest.approx(2700 * A)
    assert link.beam.at(0.0)['EI_y'] == pytest.approx(7.848e10 * second)
    assert link.beam.at(0.0)['GJ'] == pytest.approx(2.9e10 * 2 * second)
    assert 'GJ' in link.describe()


def test_stations_make_a_tapered_beam():
    rows = [(0.0, 3.0, 90.0), (0.4, 2.0, 30.0), (1.0, 0.5, 10.0)]
    link = read(POSE, *(f'<station x="{x}" mass_per_length="{m}" EI_z="{EI}"/>'
                        for x, m, EI in rows), '<modes bend_y="2"/>', mass=9.0, inertia=5.0)
    assert link.beam.at(0.2)['mass_per_length'] == 2.5
    assert link.beam.at(0.7)['EI_z'] == pytest.approx(20.0)
    mass = sum(node.mass for node in link.body.nodes)
    assert mass == pytest.approx(0.4 * 2.5 + 0.6 * 1.25, rel=1e-13)


def test_stations_may_hold_sections():
    station = ('<station x="{}" shape="rectangle" width="{}" height="0.01" E="7e10" '
               'density="2700"/>')
    link = read(POSE, station.format(0, 0.06), station.format(1, 0.02), '<modes bend_y="1"/>',
                mass=9.0, inertia=5.0)
    assert link.beam.at(0.5)['EI_z'] == pytest.approx(7e10 * 0.01 * 0.04**3 / 12)


def test_tip_loaded_modes_carry_what_hangs_outboard():
    # The tool, from the arm's tip: mass centre (0.2, 0, 0.05); loads by hand.
    link = read(BEAM, '<modes bend_y="1" bend_z="1" torsion="1"/>')
    m, c = 0.7, np.array([0.2, 0.0, 0.05])
    v, dv = link.body.tip.Phi[1, 0], link.body.tip.Psi[2, 0]
    extra = m * (v + c[0] * dv)**2 + 0.004 * dv**2
    assert link.modes.loaded_mass[0] - link.modes.mass[0] == pytest.approx(extra, rel=1e-9)
    w, dw = link.body.tip.Phi[2, 1], -link.body.tip.Psi[1, 1]
    extra = m * (w + c[0] * dw)**2 + m * (c[2] * dw)**2 + 0.003 * dw**2
    assert link.modes.loaded_mass[1] - link.modes.mass[1] == pytest.approx(extra, rel=1e-9)
    extra = 0.002 + m * c[2]**2
    assert link.modes.loaded_mass[2] - link.modes.mass[2] == pytest.approx(extra, rel=1e-9)


def test_clamped_free_modes_are_those_of_the_bare_beam():
    link = read(BEAM, '<modes bend_y="1" shapes="clamped_free"/>')
    bare = mode_shapes(Beam.uniform(1.0, mass_per_length=1.2, EI_z=40.0), {'bend_y': 1})
    assert link.body.frequencies[0] == pytest.approx(bare.frequencies[0], rel=1e-12)


@pytest.mark.parametrize('shapes', ['tip_loaded', 'clamped_free', 'craig_bampton'])
def test_damping_ratio_is_on_the_mass_that_the_shapes_were_made_with(shapes):
    link = read(BEAM, f'<modes bend_y="2" shapes="{shapes}"/>', '<damping ratio="0.02 0.05"/>')
    mass = link.modes.mass if shapes == 'clamped_free' else link.modes.loaded_mass
    np.testing.assert_allclose(link.body.damping / (2 * mass * link.body.frequencies),
                               [0.02, 0.05], rtol=1e-12)


def test_damping_is_one_per_cent_when_not_given_and_nothing_when_zero():
    assert read(BEAM, '<modes bend_y="1"/>').body.damping[0] > 0.0
    assert read(BEAM, '<modes bend_y="1"/>', '<damping ratio="0"/>').body.damping[0] == 0.0


@pytest.mark.parametrize(('text', 'model', 'level'), [
    ('', 'full', 2), ('<model>full</model>', 'full', 2), ('<model order="3"/>', 'full', 3),
    ('<model order="3"> full </model>', 'full', 3), ('<model>consistent</model>', 'consistent', 2),
    ('<model>inconsistent</model>', 'inconsistent', 0),
    ('<model>ruthless</model>', 'ruthless', 0)])
def test_model_chooses_the_level(text, model, level):
    body = read(BEAM, MODES, text).body
    assert (body.model, body.level) == (model, level)
    assert (body.tip.Cub is not None) == (level == 3)
    assert body.tip.Gam.any() == (level > 0)


def test_joint_rides_at_the_station_nearest_its_origin():
    robot = load("""<robot name="r"><link name="base"/>
      <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="3"/>
        <inertia ixx="0.1" iyy="0.4" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="a"/><link name="b"/><link name="c"/>
      <joint name="fix" type="fixed"><parent link="base"/><child link="arm"/></joint>
      <joint name="ja" type="fixed"><parent link="arm"/><child link="a"/>
        <origin xyz="-0.1 0.2 0"/></joint>
      <joint name="jb" type="fixed"><parent link="arm"/><child link="b"/>
        <origin xyz="0.4 0 0.3"/></joint>
      <joint name="jc" type="fixed"><parent link="arm"/><child link="c"/>
        <origin xyz="1.0000000001 0 0"/></joint>
      <flexible_link reference="arm">""" + BEAM + MODES + '</flexible_link></robot>')
    link = read_flexible_links(robot)['arm']      # behind a fixed joint, on the base
    assert link.stations == {'ja': 0.0, 'jb': 0.4, 'jc': 1.0}
    assert link.attachment_of('ja') is None
    assert link.body.attachments[link.attachment_of('jb')].x == 0.4
    assert link.attachment_of('jc') == 1


def test_centre_line_starts_clamped_and_ends_at_the_bent_tip():
    link = read(BEAM, MODES)
    eta = np.array([0.02, -0.005, 0.03, 0.004, 0.05])
    line = link.centerline(eta)
    np.testing.assert_array_equal(line[0], [0, 0, 0])
    np.testing.assert_allclose(line[-1], [1, 0, 0] + link.body.tip_deflection(eta), atol=1e-14)
    # Arc length stays: second-order kinematics, deflection 4 %, remainder of fourth order.
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert length == pytest.approx(1.0, abs=2e-5)


def test_outboard_composite_is_the_sum_of_the_bodies_there():
    robot = arm(BEAM, MODES)
    m, h, _ = outboard_moments(robot)['j2']
    assert m == 0.7
    np.testing.assert_allclose(h, 0.7 * np.array([1.2, 0.0, 0.05]))
    m, h, S = outboard_moments(robot, {'j1': np.pi / 2, 'j2': -np.pi / 2})['j1']
    assert m == 2.7
    # The arm turned about z, the tool up along the arm's z: both by hand.
    np.testing.assert_allclose(h, 2 * np.array([-0.01, 0.45, 0]) + 0.7 * np.array([0, 1.1, 0.15]),
                               atol=1e-15)


def test_reference_pose_keeps_to_the_limits():
    robot = load("""<robot name="r"><link name="a"/><link name="b"/>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
        <limit lower="-3" upper="-0.07" effort="1" velocity="1"/></joint></robot>""".replace(
            '<link name="b"/>', '<link name="b"><inertial><mass value="1"/><inertia ixx="1" '
            'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'))
    assert reference_pose(robot) == {'j': -0.07}


@pytest.mark.parametrize(('inside', 'changes', 'words'), [
    ((BEAM, MODES), {'reference': ''}, "'reference' is missing.*'base', 'arm', 'tool'"),
    ((BEAM, MODES), {'reference': 'reference="forearm"'}, "'forearm'.*no such link; links: .*arm"),
    ((BEAM, MODES), {'more': f'<flexible_link reference="arm">{BEAM}{MODES}</flexible_link>'},
     'second time'),
    ((MODES,), {}, '<beam> is missing'),
    ((BEAM,), {}, 'either <modes> or <segments>'),
    ((BEAM, MODES, '<segments count="4"/>'), {}, 'either <modes> or <segments>'),
    ((BEAM, BEAM, MODES), {}, 'has 2 <beam>; expected one'),
    ((BEAM, MODES, '<stiffness/>'), {}, "unknown element <stiffness>; known: .*'beam'"),
    ((BEAM.replace('EI_y', 'stiffness'), MODES), {}, "unknown attribute 'stiffness'; .*'EI_y'"),
    ((BEAM, '<modes bend_x="1"/>'), {}, "unknown attribute 'bend_x'; known: .*'bend_y'"),
    ((BEAM, '<modes/>'), {}, 'has no mode; give at least one of bend_y, bend_z'),
    ((BEAM, '<modes bend_y="0" torsion="0"/>'), {}, 'has no mode'),
    ((BEAM, '<modes bend_y="-1"/>'), {}, 'bend_y: expected a whole number from 0 to 20'),
    ((BEAM, '<modes bend_y="2.5"/>'), {}, 'bend_y: expected a whole number'),
    ((BEAM, '<modes bend_y="1000000000"/>'), {}, 'bend_y: expected a whole number'),
    ((BEAM, '<modes bend_y="4" nodes="3"/>'), {}, 'nodes: expected a whole number from 4 to 64'),
    ((BEAM, '<modes bend_y="1" shapes="free_free"/>'), {}, "'free_free'; known: .*'tip_loaded'"),
    ((BEAM.replace('EI_z="40"', ''), MODES), {}, 'bend_y="2" needs EI_z'),
    ((BEAM.replace('EI_z="40"', 'EI_z="-40"'), MODES), {}, 'EI_z: expected at least 0, got -40'),
    ((BEAM.replace('EI_z="40"', 'EI_z="nan"'), MODES), {}, "EI_z: expected finite.*'nan'"),
    ((BEAM.replace('EI_z="40"', 'EI_z="1e999"'), MODES), {}, 'EI_z: expected finite'),
    ((BEAM.replace('EI_z="40"', 'EI_z="1e308"'), MODES), {}, r'finite number up to 1e\+30'),
    ((BEAM.replace('EI_z="40"', 'EI_z="4 0"'), MODES), {}, 'EI_z: expected one number'),
    ((BEAM.replace('EI_z="40"', 'EI_z="__import__"'), MODES), {}, 'EI_z: expected finite'),
    ((BEAM.replace('length="1"', ''), MODES), {}, "'length' is missing"),
    ((BEAM.replace('length="1"', 'length="-1"'), MODES), {}, 'length: expected 1e-06 m ...'),
    ((BEAM.replace('EI_z="40"', 'EI_z="1e-300"'), MODES), {}, 'and 1e-30 where not 0'),
    ((BEAM.replace('1 0 0', '0 0 0'), MODES), {}, 'axis: expected a direction'),
    ((BEAM.replace('1 0 0', '1 0'), MODES), {}, 'axis: expected 3 numbers'),
    ((BEAM.replace('0 0 1', '1 0 1'), MODES), {}, 'perpendicular to axis; they are 45 degrees'),
    ((BEAM, MODES), {'mass': 1.0}, r'the beam weighs 1.2 kg .* has 1 kg \(<text>:\d+\); correct'),
    ((BEAM, MODES), {'inertia': 1e-3}, r'does not fit.*0.4 0.4\).*the link has mass 2 kg'),
    ((BEAM.replace('1e-3', '1'), MODES), {}, 'does not fit'),
    ((BEAM, MODES, '<damping ratio="-0.1"/>'), {}, 'ratio: expected 0 ... 1'),
    ((BEAM, MODES, '<damping ratio="0.1 0.2"/>'), {}, 'expected 1 number or 5'),
    ((BEAM, MODES, '<damping zeta="0.1"/>'), {}, "unknown attribute 'zeta'"),
    ((BEAM, MODES, '<damping/>'), {}, "'ratio' is missing"),
    ((BEAM, MODES, '<model>exact</model>'), {}, "unknown model 'exact'; known: .*'full'"),
    ((BEAM, MODES, '<model order="4">full</model>'), {}, 'order: expected .* from 2 to 3'),
    ((BEAM, MODES, '<model order="3">ruthless</model>'), {}, 'order is for the full model'),
    ((BEAM, '<segments count="0"/>'), {}, 'count: expected a whole number from 1'),
    ((BEAM, '<segments/>'), {}, "'count' is missing"),
    ((BEAM, '<segments count="3"/>', '<model>full</model>'), {}, '<model> is for <modes>'),
    ((BEAM, TUBE, MODES), {}, 'properties of the beam once'),
    ((POSE, MODES), {}, 'properties of the beam once'),
    ((POSE, TUBE, TUBE, MODES), {}, 'properties of the beam once'),
    ((POSE, TUBE.replace('tube', 'hexagon'), MODES), {}, "'hexagon'; known: .*'tube'"),
    ((POSE, TUBE.replace('inner_radius', 'thickness'), MODES), {}, "attribute 'thickness'"),
    ((POSE, TUBE.replace('0.015', '0.03'), MODES), {}, 'inner_radius 0.03 m must be smaller'),
    ((POSE, TUBE.replace('E="7.848e10"', ''), MODES), {}, "'E' is missing"),
    ((POSE, TUBE.replace('G="2.9e10"', ''), MODES), {}, 'torsion="1" needs GJ'),
    ((POSE, '<station x="0" mass_per_length="1" EI_z="1"/>',
      '<station x="1.5" mass_per_length="1" EI_z="1"/>', MODES), {}, 'x = 1.5 m lies outside'),
    ((POSE, '<station x="0" mass_per_length="1" EI_z="1"/>',
      '<station x="1" mass_per_length="1"/>', MODES), {}, 'all stations must give the same'),
    ((POSE, '<station x="0" mass_per_length="1" EI_z="1"/>',
      '<station x="0.9" mass_per_length="1" EI_z="1"/>', MODES), {}, 'last at the length 1 m'),
    ((POSE, '<station mass_per_length="1" EI_z="1"/>', MODES), {}, "'x' is missing"),
])
def test_what_cannot_be_computed_is_refused_by_name(inside, changes, words):
    changes = {'mass': 2.0, **changes}
    with pytest.raises(ModelError, match=words) as error:
        arm(*inside, **changes)                     # at load, not at the first torque
    assert 'flexible_link' in str(error.value)


def test_torsion_needs_inertia_to_move():
    with pytest.raises(ModelError, match='torsion="1": only 0 of these modes have inertia'):
        load(f"""<robot name="r"><link name="base"/>
          <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="3"/>
            <inertia ixx="0.1" iyy="0.4" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
          <flexible_link reference="arm">{BEAM.replace('1e-3', '0')}
          <modes torsion="1"/></flexible_link></robot>""")


def test_frequencies_of_flexible_links_are_told_at_load(caplog):
    with caplog.at_level('INFO', 'kane_dynamics'):
        robot = arm(BEAM, MODES)
    assert caplog.messages == [robot.flexible_links['arm'].describe()]
    assert 'bend_y_1 1.' in caplog.messages[0] and 'Hz' in caplog.messages[0]


def test_rounded_inertia_of_a_bare_beam_is_accepted():
    # The link is the beam and nothing else, its <inertial> printed to four digits, rounded down.
    beam = '<beam length="0.9144" mass_per_length="1.33937" EI_z="114"/>'
    robot = load(f"""<robot name="r"><link name="base"/>
      <link name="arm"><inertial><origin xyz="0.4572 0 0"/><mass value="1.2247"/>
        <inertia ixx="0" iyy="0.08533" izz="0.08533" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/>
        <axis xyz="0 0 1"/></joint>
      <flexible_link reference="arm">{beam}<modes bend_y="2"/></flexible_link></robot>""")
    rest = read_flexible_links(robot)['arm'].rest
    assert rest.m == pytest.approx(1.2247 - 1.33937 * 0.9144, abs=1e-15)   # kept, not clipped


def test_robot_without_extensions_has_no_flexible_link():
    robot = load('<robot name="r"><link name="base"/></robot>')
    assert read_flexible_links(robot) == {} and read_flexible_joints(robot) == {}


def test_flexible_joint_is_read_as_written():
    more = ('<flexible_joint reference="j2" stiffness="500" damping="0.5" motor_inertia="0.1"/>'
            '<flexible_joint reference="j1" stiffness="900" motor_inertia="0.2"/>')
    joints = read_flexible_joints(arm(BEAM, MODES, more=more))
    assert list(joints) == ['j1', 'j2']       # in q order
    assert (joints['j2'].stiffness, joints['j2'].damping, joints['j2'].motor_inertia) == (
        500.0, 0.5, 0.1)
    assert joints['j1'].damping == 0.0


@pytest.mark.parametrize(('text', 'words'), [
    ('stiffness="1" motor_inertia="1"', "'reference' is missing.*'j1', 'j2'"),
    ('reference="elbow" stiffness="1" motor_inertia="1"', "'elbow'.*joints: .*'j1'"),
    ('reference="j1" stiffness="-1" motor_inertia="1"', 'stiffness: expected more than 0'),
    ('reference="j1" stiffness="1" motor_inertia="0"', 'motor_inertia: expected more than 0'),
    ('reference="j1" stiffness="1"', "'motor_inertia' is missing"),
    ('reference="j1" stiffness="1" motor_inertia="1" damping="-1"', 'damping: expected at least'),
    ('reference="j1" stiffness="1" motor_inertia="1" EI="1"', "unknown attribute 'EI'"),
    ('reference="j1" stiffness="inf" motor_inertia="1"', 'stiffness: expected finite'),
    ('reference="j1" stiffness="1" motor_inertia="1" axis="0 0 1"', 'only for a fixed joint'),
    ('reference="fixed" stiffness="1" axis="0 0 1"', "'type' is missing: the joint is fixed"),
    ('reference="fixed" stiffness="1" type="revolute"', "'axis' is missing: the joint is fixed"),
    ('reference="fixed" stiffness="1" type="ball" axis="0 0 1"', "unknown 'ball'"),
    ('reference="fixed" stiffness="1" type="revolute" axis="0 0 0"', 'expected a direction'),
    ('reference="fixed" stiffness="1" type="revolute" axis="0 0 1" motor_inertia="1"',
     'fixed and has no motor'),
])
def test_impossible_flexible_joints_are_refused(text, words):
    with pytest.raises(ModelError, match=words):
        arm(BEAM, MODES, more=f'{MOUNTED}<flexible_joint {text}/>')


def test_flexible_joint_of_a_fixed_joint_is_a_spring_without_a_motor():
    more = ('<flexible_joint reference="j2" stiffness="500" motor_inertia="0.1"/>'
            '<flexible_joint reference="fixed" stiffness="800" damping="2" type="prismatic" '
            'axis="0 3 4"/>')
    robot = arm(BEAM, '<modes bend_y="1"/>', more=MOUNTED + more)
    mount = robot.flexible_joints['fixed']
    assert (mount.stiffness, mount.damping, mount.motor_inertia) == (800.0, 2.0, 0.0)
    assert (mount.kind, mount.axis) == ('prismatic', (0.0, 0.6, 0.8))
    assert robot.joint_names == ('j1', 'j2')
    assert robot.mode_names == ('arm/bend_y_1', 'j2/deflection', 'fixed/deflection')
    assert load(robot.to_urdf()).flexible_joints == robot.flexible_joints


def test_a_flexible_link_prints_in_one_line():
    link = arm(BEAM, MODES).flexible_links['arm']
    assert repr(link) == ("FlexibleLink('arm', length 1 m, modes bend_y_1, bend_y_2, bend_z_1, "
                          'bend_z_2, torsion_1)')
    link = arm(BEAM, '<segments count="3"/>').flexible_links['arm']
    assert repr(link) == "FlexibleLink('arm', length 1 m, 3 segments)"


def test_a_link_of_segments_has_no_modes_to_ask_for():
    link = arm(BEAM, '<segments count="3"/>').flexible_links['arm']
    with pytest.raises(ModelError, match="'arm' consists of segments and has no modes"):
        link.centerline([0.0])


@pytest.mark.parametrize('kind', [MODES, '<segments count="2"/>'])
def test_links_along_a_beam_are_not_fixed_to_it_but_those_at_its_root_are(kind):
    mounts = ''.join(
        f'<link name="{name}"/><joint name="{name}_joint" type="fixed"><parent link="arm"/>'
        f'<child link="{name}"/><origin xyz="{x} 0 0"/></joint>'
        for name, x in (('root_mark', 0.0), ('end_mark', 1.0)))
    robot = arm(BEAM, kind, more=mounts)
    fixed = robot.rigidly_fixed_to('arm')
    assert 'root_mark' in fixed and 'end_mark' not in fixed
    assert robot.rigidly_fixed_to('end_mark') == ('end_mark',)
    assert 'end_mark' in robot.rigid().rigidly_fixed_to('arm')
