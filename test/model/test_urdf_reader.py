# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The URDF reader: accepted files, and errors with file, line, element and reason."""

import math
import sys
import warnings

import numpy as np
import pytest

from kane_dynamics.exceptions import (
    InputError, KaneDynamicsWarning, MissingDependencyError, ModelError)
from kane_dynamics.model.structure.topology import tree_order
from kane_dynamics.model.urdf_reader import load_urdf

BODY = ('<inertial><origin xyz="0 0 0.1"/><mass value="1"/>'
        '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>')
NONE = (math.inf, math.inf)     # no limits of acceleration and jerk


def link(name, inside=BODY):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, kind='revolute', inside='<axis xyz="0 0 1"/>'):
    return (f'<joint name="{name}" type="{kind}"><origin xyz="0 0 0.3"/>'
            f'<parent link="{parent}"/><child link="{child}"/>{inside}</joint>')


def arm(*parts, name='arm'):
    return f'<robot name="{name}">\n' + '\n'.join(parts) + '\n</robot>'


def two_link(inside='<axis xyz="0 0 1"/>', kind='revolute'):
    return arm(link('base', ''), link('a'), joint('shoulder', 'base', 'a', kind, inside))


def refused(text, *words):
    """Check that loading fails with a message that has all the words; return the message."""
    with pytest.raises(ModelError) as refusal:
        load_urdf(text)
    for word in words:
        assert word in str(refusal.value)
    return str(refusal.value)


# ---- what is read ---------------------------------------------------------------------------


def test_a_path_a_text_path_bytes_and_the_text_itself_give_the_same_robot(tmp_path):
    text = two_link()
    path = tmp_path / 'arm.urdf'
    path.write_text('<?xml version="1.0" encoding="latin-1"?>\n' + text)
    for source in (path, str(path), text, '\ufeff\n ' + text, text.encode()):
        robot = load_urdf(source)
        assert robot.to_urdf() == load_urdf(text).to_urdf()
    assert load_urdf(path).source == 'arm.urdf'


def test_a_utf16_file_is_read(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_bytes(('<?xml version="1.0" encoding="utf-16"?>' + two_link()).encode('utf-16'))
    assert load_urdf(path).joint_names == ('shoulder',)


def test_joints_come_depth_first_with_children_in_document_order():
    robot = load_urdf(arm(
        joint('z', 'base', 'z1'), joint('a', 'base', 'a1'), joint('z_next', 'z1', 'z2'),
        link('a1'), link('z2'), link('z1'), link('base', '')))
    assert robot.joint_names == ('z', 'z_next', 'a')
    assert robot.link_names == ('base', 'z1', 'z2', 'a1')


def test_axes_are_normalised_and_default_to_x():
    assert load_urdf(two_link('<axis xyz="0 3 4"/>')).joint('shoulder').axis == pytest.approx(
        [0, 0.6, 0.8], abs=1e-16)
    np.testing.assert_array_equal(load_urdf(two_link('')).joint('shoulder').axis, [1, 0, 0])


def test_a_limit_without_bounds_bounds_nothing_and_with_one_the_other_is_zero():
    limits = load_urdf(two_link('<limit effort="5" velocity="2"/>')).limits
    assert [field[0] for field in limits] == [-math.inf, math.inf, 2.0, 5.0, *NONE]
    limits = load_urdf(two_link('<limit upper="1.5" effort="5" velocity="2"/>')).limits
    assert [field[0] for field in limits] == [0.0, 1.5, 2.0, 5.0, *NONE]
    assert [field[0] for field in load_urdf(two_link('')).limits] == [
        -math.inf, math.inf, math.inf, math.inf, *NONE]


EXTENDED = '<limit lower="-1" upper="1" velocity="2" effort="9" {}/><axis xyz="0 0 1"/>'


@pytest.mark.parametrize('given, acceleration, jerk', [
    ('acceleration="3" deceleration="2.5" jerk="40"', 2.5, 40.0),
    ('acceleration="3" deceleration="5"', 3.0, math.inf),
    ('deceleration="5" jerk="1e308"', 5.0, math.inf), ('', math.inf, math.inf)])
def test_limits_of_urdf_1_2_are_read_and_written(given, acceleration, jerk):
    text = two_link(EXTENDED.format(given)).replace('<robot', '<robot version="1.2"')
    for robot in (load_urdf(text), load_urdf(load_urdf(text).to_urdf())):
        assert robot.limits.acceleration.tolist() == [acceleration]
        assert robot.limits.jerk.tolist() == [jerk]
        assert robot.limits.velocity.tolist() == [2.0]
    assert ('version="1.2"' in load_urdf(text).to_urdf()) == math.isfinite(acceleration)


@pytest.mark.parametrize('version', ['', ' version="1.0"', ' version="1.1"'])
def test_limits_of_urdf_1_2_are_ignored_with_a_warning_in_other_versions(version):
    text = two_link(EXTENDED.format('jerk="40"')).replace('<robot', '<robot' + version)
    with pytest.warns(KaneDynamicsWarning, match='<text>:4: acceleration.* need URDF 1.2'):
        assert load_urdf(text).limits.jerk.tolist() == [math.inf]


def test_negative_limits_of_urdf_1_2_are_refused():
    for name in ('acceleration', 'deceleration', 'jerk'):
        text = two_link(EXTENDED.format(f'{name}="-1"')).replace('<robot', '<robot version="1.2"')
        refused(text, '<text>:4', name, 'at least 0, got -1')


def test_a_continuous_joint_has_no_position_bounds_whatever_its_limit_says():
    inside = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
    limits = load_urdf(two_link(inside, kind='continuous')).limits
    assert [field[0] for field in limits] == [-math.inf, math.inf, 2.0, 5.0, *NONE]


def test_armature_is_read_or_reflected_through_the_gear():
    robot = load_urdf(two_link('<dynamics damping="0.1" friction="0.2" armature="0.3"/>'))
    shoulder = robot.joint('shoulder')
    assert (shoulder.damping, shoulder.friction, shoulder.armature) == (0.1, 0.2, 0.3)
    robot = load_urdf(two_link('<dynamics rotor_inertia="2e-5" gear_ratio="100"/>'))
    assert robot.joint('shoulder').armature == pytest.approx(2e-5 * 100**2, rel=1e-15)
    refused(two_link('<dynamics armature="1" rotor_inertia="1"/>'), 'both', '<dynamics>')


def test_an_inertia_is_turned_into_the_axes_of_the_link():
    turned = BODY.replace('xyz="0 0 0.1"', f'xyz="0 0 0.1" rpy="0 0 {math.pi / 2}"')
    robot = load_urdf(two_link().replace(BODY, turned))
    np.testing.assert_array_equal(robot.link('a').inertial.inertia, np.diag([0.03, 0.02, 0.04]))


def turned(orientation, version='version="1.1"'):
    """Return an arm whose shoulder is turned, in a URDF of some version."""
    text = two_link().replace('xyz="0 0 0.3"', orientation)
    return text.replace('<robot ', f'<robot {version} ')


@pytest.mark.parametrize('version', ['1.1', '1.2', ' 1.1'])
def test_a_quaternion_origin_equals_its_rpy(version):
    rpy = load_urdf(turned(f'rpy="0 {math.pi / 3} 0"'))
    s, c = math.sin(math.pi / 6), math.cos(math.pi / 6)
    quaternion = load_urdf(turned(f'quat_xyzw="0 {s} 0 {c}"', f'version="{version}"'))
    np.testing.assert_allclose(quaternion.joint('shoulder').rotation,
                               rpy.joint('shoulder').rotation, rtol=0, atol=2e-16)


def test_a_quaternion_of_length_zero_or_beside_rpy_is_refused():
    refused(turned('quat_xyzw="0 0 0 0"'), '<text>:4: <origin>', 'quaternion')
    refused(turned('rpy="0 0 0" quat_xyzw="0 0 0 1"'), '<text>:4: <origin>', 'both')


@pytest.mark.parametrize('version', ['', 'version="1.0"'])
def test_a_quaternion_that_urdfdom_ignores_is_refused(version):
    words = ('<text>:4: <origin>', 'quat_xyzw needs URDF 1.1', 'version="1.1"', 'rpy')
    refused(turned('quat_xyzw="0 0.6 0 0.8"', version), *words)
    refused(turned('rpy="0 0 0" quat_xyzw="0 0.6 0 0.8"', version), *words)


@pytest.mark.parametrize('orientation', ['quat_xyzw="0 0.6 0 0.8"', 'quat_xyzw="1.2 0 1.2 1.6"',
                                         'rpy="0.1 0.2 0.3"'])
@pytest.mark.parametrize('version', ['', 'version="1.0"', 'version="1.1"', 'version="1.2"',
                                     'version="2.0"', 'version="1"', 'version="x"'])
def test_no_orientation_differs_from_that_of_urdfdom(orientation, version):
    pinocchio = pytest.importorskip('pinocchio', reason='the oracle is the urdfdom in Pinocchio')
    text = turned(orientation, version).replace('revolute', 'continuous')
    try:
        theirs = pinocchio.buildModelFromXML(text).jointPlacements[1].rotation
    except ValueError:
        theirs = None                                      # refused, or of an older urdfdom
    try:
        ours = load_urdf(text).joint('shoulder').rotation
    except ModelError:
        return
    if theirs is not None:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)


@pytest.mark.parametrize('version', ['2.0', '1.3', '0.9', '1', '', 'x', '1.1.0'])
def test_a_version_of_another_specification_is_refused(version):
    refused(turned('rpy="0 0 0"', f'version="{version}"'), '<text>:1: robot', 'version: expected',
            '1.0, 1.1, 1.2', repr(version))


def test_mimics_of_mimics_are_resolved_to_the_independent_joint():
    robot = load_urdf(arm(
        link('base', ''), link('a'), link('b'), link('c'), joint('first', 'base', 'a'),
        joint('third', 'base', 'c', inside='<mimic joint="second" multiplier="3" offset="0.5"/>'),
        joint('second', 'a', 'b', inside='<mimic joint="first" multiplier="-2" offset="0.1"/>')))
    assert robot.joint_names == ('first',)
    mimic = robot.joint('third').mimic
    # 3 (-2 q + 0.1) + 0.5
    assert mimic.joint == 'first'
    assert (mimic.multiplier, mimic.offset) == pytest.approx((-6.0, 0.8), rel=1e-15)


def test_drawn_shapes_are_kept_and_meshes_are_never_opened():
    shapes = ('<visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry></visual>'
              '<visual><geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
              '<visual><geometry><sphere radius="0.3"/></geometry></visual>'
              '<visual><geometry><mesh filename="package://../../etc/x.stl" scale="2 2 2"/>'
              '</geometry></visual><visual><geometry><teapot/></geometry></visual>')
    visuals = load_urdf(two_link().replace(BODY, BODY + shapes)).link('a').visuals
    assert [(v.kind, v.size) for v in visuals] == [
        ('box', (1, 2, 3)), ('cylinder', (0.1, 2)), ('sphere', (0.3,)), ('mesh', (2, 2, 2))]
    assert visuals[3].filename == 'package://../../etc/x.stl'
    np.testing.assert_array_equal(visuals[0].position, [1, 2, 3])


def test_unknown_root_elements_are_ignored_and_flexible_ones_kept():
    text = two_link().replace(
        '</robot>', '<gazebo><x y="nan"/></gazebo><flexible_link reference="a"><beam length="1" '
        'mass_per_length="1e-3" EI_z="1"/><modes bend_y="1"/></flexible_link></robot>')
    robot = load_urdf(text)
    assert [element.tag for element in robot.extensions] == ['flexible_link']
    assert robot.extensions[0].find('beam').get('length') == '1'
    assert load_urdf(robot.to_urdf()).extensions[0].find('beam').get('length') == '1'


def test_a_mimic_tag_on_a_fixed_joint_has_nothing_to_say():
    inside = '<mimic joint="nowhere"/>'
    robot = load_urdf(arm(link('base', ''), link('a'), joint('f', 'base', 'a', 'fixed', inside)))
    assert robot.mimic_joints == ()


# ---- xacro ----------------------------------------------------------------------------------

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="mass" value="2.5"/>
  <link name="base"><inertial><mass value="${2 * mass}"/>
  <inertia ixx="1" iyy="1.5" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def test_xacro_is_expanded(tmp_path):
    pytest.importorskip('xacro', reason='this test expands a xacro file')
    (tmp_path / 'arm.urdf.xacro').write_text(XACRO)
    robot = load_urdf(tmp_path / 'arm.urdf.xacro')
    assert robot.link('base').inertial.mass == 5.0
    (tmp_path / 'bad.xacro').write_text(XACRO.replace('2 * mass', 'unknown_thing'))
    refused(tmp_path / 'bad.xacro', 'bad.xacro', 'xacro failed', 'unknown_thing')
    (tmp_path / 'asks.xacro').write_text(XACRO.replace('name="arm"', 'name="$(arg who)"'))
    refused(tmp_path / 'asks.xacro', 'who', 'xacro asks.xacro NAME:=VALUE > arm.urdf')


def test_without_xacro_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / 'arm.urdf.xacro').write_text(XACRO)
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(MissingDependencyError, match='pip install xacro'):
        load_urdf(tmp_path / 'arm.urdf.xacro')


def test_unexpanded_xacro_text_is_refused():
    refused(XACRO, 'xacro', 'expand')


# ---- what is refused ------------------------------------------------------------------------


def test_a_refusal_names_file_line_and_element(tmp_path):
    path = tmp_path / 'bad.urdf'
    path.write_text(two_link(kind='planar'))
    message = refused(path, "joint 'shoulder'", "is 'planar'", 'revolute, continuous, prismatic')
    assert message.startswith('bad.urdf:4: ')


def test_joint_types_that_are_unknown_or_absent_are_refused():
    refused(two_link(kind='ball'), "'ball'", 'supported')
    refused(two_link().replace(' type="revolute"', ''), "joint 'shoulder'", 'has no type')


def test_a_link_with_two_parents_is_a_closed_loop():
    refused(arm(link('base', ''), link('a'), link('b'), joint('1', 'base', 'a'),
                joint('2', 'base', 'b'), joint('closing', 'b', 'a')),
            "joint 'closing'", "'a'", 'loop')


def test_cycles_and_several_roots_are_refused():
    refused(arm(link('a'), link('b'), joint('1', 'a', 'b'), joint('2', 'b', 'a')), 'cyclic')
    refused(arm(link('base', ''), link('a'), link('b'), joint('1', 'a', 'b'),
                joint('2', 'b', 'a')), "'a', 'b'", 'cycle')
    refused(arm(link('base', ''), link('a')), 'several roots', "'base', 'a'")
    refused(arm(link('a'), joint('self', 'a', 'a')), "joint 'self'", 'same link')


def test_double_names_are_refused():
    refused(arm(link('a'), link('a')), "link 'a'", 'two links')
    refused(arm(link('base', ''), link('a'), link('b'), joint('j', 'base', 'a'),
                joint('j', 'a', 'b')), "joint 'j'", 'two joints')


def test_missing_and_unknown_parents_and_children_are_refused():
    refused(two_link().replace('<parent link="base"/>', ''), "joint 'shoulder'", '<parent>')
    refused(two_link().replace('<child link="a"/>', '<child/>'), "'link' is missing")
    refused(two_link().replace('<child link="a"/>', '<child link="b"/>'), "'b'", "['base', 'a']")
    refused(two_link().replace('<child link="a"/>', '<child link="a"/>' * 2), 'second <child>')


def test_mimics_of_unknown_fixed_or_circular_leaders_are_refused():
    refused(two_link('<mimic joint="elbow"/>'), "joint 'shoulder'", "'elbow'", "['shoulder']")
    refused(two_link('<mimic joint="shoulder"/>'), 'cycle: shoulder -> shoulder')
    parts = link('base', ''), link('a'), link('b')
    refused(arm(*parts, joint('1', 'base', 'a', inside='<mimic joint="2"/>'),
                joint('2', 'a', 'b', inside='<mimic joint="1"/>')), 'cycle')
    refused(arm(*parts, joint('1', 'base', 'a', 'fixed'),
                joint('2', 'a', 'b', inside='<mimic joint="1"/>')), "mimics '1'", 'fixed')


@pytest.mark.parametrize('word', ['nan', 'inf', '-inf', '1e999', 'abc', '', '1_0', '0x10', '1,5',
                                  '1.0f', '\u0661', '1 2'])
def test_numbers_that_are_no_finite_numbers_are_refused(word):
    refused(two_link().replace('mass value="1"', f'mass value="{word}"'), '<text>:3: <mass>')
    refused(two_link().replace('xyz="0 0 1"', f'xyz="0 0 {word}"'), '<text>:4: <axis>: xyz')
    refused(two_link(f'<limit lower="{word}"/>'), '<limit>', 'lower')


def test_numbers_whose_products_would_overflow_are_refused():
    refused(two_link().replace('mass value="1"', 'mass value="1e308"'), '<inertial>', '1e+30')
    refused(two_link().replace('xyz="0 0 0.3"', 'xyz="0 0 1e200"'), "joint 'shoulder'", '100000 m')
    refused(two_link('<dynamics rotor_inertia="1" gear_ratio="1e300"/>'), 'armature', 'inf')
    refused(two_link('<mimic joint="x" offset="1e300"/>'), '<mimic>', '1e+30')


def test_zero_axes_and_crossed_limits_and_negative_friction_are_refused():
    refused(two_link('<axis xyz="0 0 0"/>'), "joint 'shoulder' axis", 'zero vector')
    refused(two_link('<limit lower="1" upper="-1"/>'), 'lower 1', 'upper -1')
    refused(two_link('<limit effort="-1"/>'), 'effort', 'got -1')
    refused(two_link('<dynamics friction="-1"/>'), 'friction', 'got -1')


def test_an_inertial_without_mass_or_tensor_is_refused():
    refused(two_link().replace('<mass value="1"/>', ''), '<inertial>', '<mass> is missing')
    refused(two_link().replace('ixy="0" ', ''), '<inertia>', "'ixy' is missing")


def test_floating_joints_anywhere_but_at_a_massless_root_are_refused():
    parts = link('base', ''), link('a'), link('b')
    refused(arm(*parts, joint('1', 'base', 'a'), joint('free', 'a', 'b', 'floating')),
            "joint 'free'", "leaves link 'a'")
    refused(arm(*parts, joint('1', 'base', 'a'), joint('free', 'base', 'b', 'floating')),
            "joint '1'", 'below the floating')
    refused(arm(*parts, joint('1', 'base', 'a', 'floating'), joint('2', 'a', 'b', 'floating')),
            "joint '2'", 'second floating')
    refused(arm(link('base'), link('a'), joint('1', 'base', 'a', 'floating')), 'must be massless')


def test_documents_that_are_no_urdf_are_refused(tmp_path):
    refused('<mujoco/>', 'expected the root element <robot>')
    refused('<robot name="x"/>', 'has no link')
    refused('<robot name="x"><link name="a">', 'not well-formed XML')
    refused('<robot>' * 3, 'not well-formed')
    refused(tmp_path / 'nowhere.urdf', 'no such file')
    refused('not xml', 'no such file')
    refused('a\0b', 'no such file')
    refused(str(tmp_path), 'is a folder')
    (tmp_path / 'empty.urdf').write_bytes(b'')
    refused(tmp_path / 'empty.urdf', 'not well-formed')
    with pytest.raises(InputError, match='expected a path or XML text, got int'):
        load_urdf(3)
    with pytest.raises(InputError, match='gravity'):
        load_urdf(two_link(), gravity=(0, 9.81))


def test_reading_a_file_orders_its_tree_once(monkeypatch):
    calls = []

    def counted(*args):
        calls.append(args)
        return tree_order(*args)

    monkeypatch.setattr('kane_dynamics.model.robot.tree_order', counted)
    robot = load_urdf(arm(link('b'), link('a'), joint('j', 'a', 'b')))
    assert len(calls) == 1 and robot.link_names == ('a', 'b')


WEIGHED = ('<robot name="r"><link name="a"><inertial><mass value="{}"/><inertia ixx="0.1" '
           'iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')


def test_a_number_that_urdfdom_does_not_read_is_refused_or_warned_of():
    # urdfdom drops the <inertial> of both; it reads a number after a space
    with pytest.raises(ModelError, match='mass>: value: expected a finite number'):
        load_urdf(WEIGHED.format('\u00a01.5'))
    with pytest.warns(KaneDynamicsWarning, match='<text>:1: <mass> value: a space follows'):
        assert load_urdf(WEIGHED.format('1.5 ')).total_mass == 1.5
    assert load_urdf(WEIGHED.format(' 1.5')).total_mass == 1.5


CENTRED = WEIGHED.format('2').replace('<mass', '<origin xyz="{}"/><mass')


@pytest.mark.parametrize('xyz', [
    '0.1\t0.2 0.3', '0.1 0.2\n0.3', '0.1 0.2 0.3\r', '0.1 0.2&#9;0.3'])
def test_numbers_separated_by_tabs_or_line_breaks_are_warned_of(xyz):
    # urdfdom drops the <inertial>: tinyxml2 makes no spaces of them, as XML prescribes
    with pytest.warns(KaneDynamicsWarning, match='<text>:1: <origin> xyz: .* tab or a line break'):
        robot = load_urdf(CENTRED.format(xyz))
    assert robot.link('a').inertial.com.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize('text', [
    CENTRED.format(' 0.1  0.2 0.3 '), CENTRED.format('0.1 0.2 0.3').replace(' value', '\n value'),
    CENTRED.format('0.1 0.2 0.3').replace('</link>', '</link><x y="0\n1"/>')])
def test_numbers_separated_by_spaces_are_not_warned_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert load_urdf(text).link('a').inertial.com.tolist() == [0.1, 0.2, 0.3]


def test_numbers_separated_by_a_no_break_space_are_refused():
    with pytest.raises(ModelError, match='<text>:1: <origin>: xyz: expected a finite number'):
        load_urdf(CENTRED.format('\u00a00.1 0.2 0.3'))
