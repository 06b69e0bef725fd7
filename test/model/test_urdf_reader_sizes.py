# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Size limits of an arm: accepted sizes keep their digits, larger ones are refused."""

from pathlib import Path
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from kane_dynamics import Dynamics, InputError, KaneDynamicsWarning, load_urdf, ModelError
from kane_dynamics.dynamics.oracle.cross_check import cross_check

URDF = Path(__file__).parents[2] / 'urdf' / 'six_axis.urdf'
FUNCTIONS = ('inverse', 'mass_matrix', 'forward')

MIMIC = """<robot name="mimic"><link name="base"/>
  {links}
  <joint name="a" type="revolute"><parent link="base"/><child link="link_1"/>
    <origin xyz="0 0 .3" rpy="1.2 .1 0"/><axis xyz="0 0 1"/>{limit}</joint>
  <joint name="b" type="{kind}"><parent link="link_1"/><child link="link_2"/>
    <origin xyz=".4 .1 .1" rpy=".3 .2 .8"/><axis xyz="0 .6 .8"/>{limit}
    <mimic joint="a" multiplier="{multiplier}" offset="{offset}"/></joint>
  <joint name="c" type="revolute"><parent link="link_2"/><child link="link_3"/>
    <origin xyz=".4 .1 .1" rpy=".3 .2 .8"/><axis xyz="0 1 0"/>{limit}{more}</joint>
</robot>"""
LIMIT = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'
LINK = """<link name="link_{}"><inertial><origin xyz=".1 .02 .03"/><mass value="2"/>
  <inertia ixx=".02" ixy=".001" ixz="0" iyy=".03" iyz="0" izz=".04"/></inertial></link>"""


def mimicking(kind='revolute', offset=0.0, multiplier=1.0, more=''):
    """Return the URDF of three joints, the second of which follows the first."""
    links = ''.join(LINK.format(k) for k in (1, 2, 3))
    return MIMIC.format(links=links, kind=kind, limit=LIMIT, offset=offset,
                        multiplier=multiplier, more=more)


def stretched(tag, which, axis, distance):
    """Return the URDF of six axes with one coordinate of one joint or mass centre changed."""
    root = ElementTree.fromstring(URDF.read_bytes())
    element = [each for each in root.iter(tag) if each.find('origin') is not None][which]
    origin = element.find('origin')
    xyz = origin.get('xyz', '0 0 0').split()
    xyz[axis] = repr(distance)
    origin.set('xyz', ' '.join(xyz))
    return ElementTree.tostring(root, encoding='unicode')


def compared(text, samples=20):
    """Return Pinocchio's report on a URDF."""
    pytest.importorskip('pinocchio', reason='the oracle of this test is Pinocchio')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        dynamics = Dynamics(load_urdf(text), backend='python')
    return cross_check(dynamics, text, samples, functions=FUNCTIONS)


@pytest.mark.parametrize('tag', ['joint', 'inertial'])
def test_lengths_that_are_accepted_leave_torques_their_digits(tag, record_property):
    reports = [compared(stretched(tag, which, axis, distance))
               for which in range(1, 6) for axis in range(3) for distance in (1e2, 1e5)]
    for report in reports:
        assert report.error('inverse') <= 1e-12, report
        assert report.error('mass_matrix') <= 1e-12, report
        assert report.passes(1e-11), report                # forward: round-off times cond(M)
    record_property('figure', f'six axes, one <{tag}> up to 100 km away, largest error against '
                    'Pinocchio: ' + ', '.join(
                        f'{function} {max(each.error(function) for each in reports):.1e}'
                        for function in FUNCTIONS[:2]))


@pytest.mark.parametrize('kind, offset', [('revolute', 999.0), ('revolute', -1e3),
                                          ('continuous', 777.7), ('prismatic', 9e4)])
def test_mimic_offsets_that_are_accepted_leave_torques_their_digits(kind, offset):
    report = compared(mimicking(kind, offset))
    assert report.error('inverse') <= 1e-12 and report.error('mass_matrix') <= 1e-12, report
    assert report.passes(1e-11), report


def refused(text, *words):
    with pytest.raises(ModelError) as refusal:
        load_urdf(text)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize('distance', [1.1e5, -1e6, 1e7, 1e29])
def test_longer_lengths_are_refused_with_line_and_limit(distance):
    text = stretched('joint', 2, 1, distance)
    line = next(k for k, each in enumerate(text.splitlines(), 1) if 'name="joint_3"' in each)
    refused(text, f'<text>:{line}: joint', 'position', 'up to 100000 m', repr(distance))
    refused(stretched('inertial', 2, 0, distance), '<inertial>: mass centre', 'up to 100000 m')
    robot = load_urdf(URDF)
    with pytest.raises(ModelError, match='mass centre.*up to 100000 m'):
        robot.with_payload(1.0, (distance, 0.0, 0.0))


def test_a_base_may_be_anywhere_on_earth_and_not_beyond():
    robot, far = load_urdf(URDF), (6.4e6, -1e6, 1e6)
    states = np.random.default_rng(1).uniform(-2.0, 2.0, (3, 6))
    np.testing.assert_allclose(Dynamics(robot.with_base(position=far)).inverse(*states),
                               Dynamics(robot).inverse(*states), rtol=1e-13)
    with pytest.raises(InputError, match='base_position.*up to 1e[+]07 m'):
        robot.with_base(position=(0.0, 0.0, 2e7))


def test_larger_mimic_offsets_and_ratios_are_refused_with_line_and_limit():
    refused(mimicking(offset=1.1e3), "<text>:8: joint 'b'", 'mimic offset', 'up to 1000 rad')
    refused(mimicking(offset=-1e30), 'mimic offset', 'up to 1000 rad')
    refused(mimicking('prismatic', 1.1e5), "joint 'b'", 'mimic offset', 'up to 100000 m')
    refused(mimicking(multiplier=1.1e6), '<text>:10: <mimic>', 'multiplier', 'up to 1e+06')
    load_urdf(mimicking('prismatic', 1.1e3))


def test_mimics_in_a_row_are_held_against_the_limits_together():
    refused(mimicking(offset=900.0, more='<mimic joint="b" multiplier="2" offset="1"/>'),
            "<text>:11: joint 'c': mimics b", 'mimic offset', 'up to 1000 rad', '1801')
    refused(mimicking(multiplier=1e4, more='<mimic joint="b" multiplier="1e3"/>'),
            "joint 'c': mimics b", 'multiplier', 'up to 1e+06')
