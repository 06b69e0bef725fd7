# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The inertia check names every link that no body can be, and is silent about real ones."""

import warnings

from example_robots import example_urdf
import numpy as np
import pytest

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.model.inertia_checks import check, enforce
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Link, Mimic
from kane_dynamics.model.urdf_reader import load_urdf, parse_urdf
from kane_dynamics.numerics.rotations import from_rpy

ROD = Inertial(2.0, (0.2, 0.0, 0.0), np.diag([0.001, 0.03, 0.03]))


def arm(*inertials, kind='revolute', **joint):
    """Return a chain of links half a metre apart."""
    links = [Link('base')] + [Link(f'link{i}', inertial) for i, inertial in enumerate(inertials)]
    joints = [Joint(f'joint{i}', kind, a.name, b.name, position=(0.5 * (i > 0), 0, 0),
                    axis=(0, 0, 1), **joint) for i, (a, b) in enumerate(zip(links, links[1:]))]
    return Robot('arm', links, joints)


def findings(robot, level=None):
    return [(f.link, f.message) for f in check(robot) if level in (None, f.level)]


def only(robot, level, link, words):
    """Check that there is one finding: of this level, about this link, saying this."""
    found = check(robot)
    assert [(f.level, f.link) for f in found] == [(level, link)], found
    assert words in found[0].message


def random_body(rng):
    """Return the inertial of eight random point masses: physical whatever they are."""
    points, masses = rng.uniform(-0.3, 0.3, (8, 3)), rng.uniform(0.1, 1.0, 8)
    com = masses @ points / masses.sum()
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r))
                  for m, r in zip(masses, points - com))
    return Inertial(masses.sum(), com, inertia)


def test_bodies_made_of_points_are_never_remarked():
    rng = np.random.default_rng(11)
    for _ in range(200):
        assert findings(arm(random_body(rng), random_body(rng))) == []


def test_a_flat_plate_meets_the_triangle_inequality_with_equality_and_passes():
    assert findings(arm(Inertial(1.0, (0, 0, 0), np.diag([0.01, 0.02, 0.03])))) == []


def test_the_verdict_does_not_depend_on_the_axes_of_the_link():
    rng = np.random.default_rng(12)
    for principal, bad in (((0.01, 0.02, 0.029), False), ((0.01, 0.02, 0.031), True),
                           ((-0.01, 0.02, 0.03), True)):
        for _ in range(20):
            R = from_rpy(rng.uniform(-3, 3, 3))
            robot = arm(Inertial(1.0, (0, 0, 0), R @ np.diag(principal) @ R.T))
            assert bool(findings(robot)) is bad


def test_a_negative_mass_is_an_error():
    assert ('link1', 'mass -2 kg is negative') in findings(
        arm(ROD, Inertial(-2.0, (0, 0, 0), np.zeros((3, 3)))), 'error')


def test_a_broken_triangle_inequality_is_a_warning():
    bad = Inertial(1.0, (0, 0, 0), np.diag([0.01, 0.01, 0.05]))
    only(arm(ROD, bad, ROD), 'warning', 'link1', 'triangle inequality')


def test_three_digits_of_round_off_in_the_triangle_are_none_of_our_business():
    assert findings(arm(Inertial(1.0, (0, 0, 0), np.diag([0.0101, 0.0201, 0.03022])))) == []


def test_a_negative_principal_inertia_is_an_error_for_the_body_that_moves():
    bad = Inertial(1.0, (0, 0, 0), np.diag([-0.01, 0.02, 0.02]))
    assert [f.level for f in check(arm(ROD, bad))] == ['error', 'warning']
    with pytest.raises(ModelError, match="link 'link1'.*below zero"):
        enforce(arm(ROD, bad))


def test_a_bad_small_link_fixed_to_a_good_large_one_is_a_warning():
    # as the antennas of TIAGo: together with the base they are a body
    antenna = Inertial(1e-3, (0, 0, 0), np.diag([-1e-6, 2e-6, 2e-6]))
    robot = arm(ROD).with_payload(antenna.mass, antenna.com, antenna.inertia)
    only(robot, 'warning', 'payload', 'not all positive')


def test_round_off_below_zero_is_not_negative():
    assert check(arm(Inertial(1.0, (0.1, 0, 0), np.diag([-1e-19, 0.02, 0.02])))) == []


def test_centres_and_inertias_in_the_wrong_unit_are_warnings():
    millimetres = Inertial(2.0, (200.0, 0, 0), ROD.inertia)
    only(arm(ROD, millimetres), 'warning', 'link1', 'mass centre lies 200 m')
    only(arm(ROD, Inertial(2.0, ROD.com, 1e4 * ROD.inertia)), 'warning', 'link1', 'too large')
    only(arm(ROD, Inertial(2.0, ROD.com, 1e-9 * ROD.inertia)), 'warning', 'link1', 'too small')


def test_an_inertia_that_round_off_takes_is_a_warning_whatever_the_size_of_the_robot():
    far = Inertial(2.0, (0.0, 0.0, 9e4), np.diag([0.021, 0.022, 0.023]))
    for scale in (1.0, 1e-1, 1e-3):                        # of all lengths of the link
        robot = arm(Inertial(2.0, scale * far.com, scale**2 * far.inertia))
        assert any('8e+05 radii of gyration' in message and 'lost in round-off' in message
                   for _, message in findings(robot, 'warning'))
    near = Inertial(2.0, (0.0, 0.0, 3e3), far.inertia)
    assert not any('round-off' in message for _, message in findings(arm(near)))


def test_placeholders_and_point_masses_are_warnings():
    for value in (1.0, 1e-3, 1e-6):
        only(arm(ROD, Inertial(0.5, (0, 0, 0), value * np.eye(3))), 'warning', 'link1',
             'looks like a placeholder')
    only(arm(ROD, Inertial(0.5, (0, 0, 0), np.full((3, 3), 0.001))), 'warning', 'link1',
         'looks like a placeholder')
    assert findings(arm(ROD, Inertial(0.5, (0, 0, 0), 0.0012 * np.eye(3)))) == []
    only(arm(ROD, Inertial(0.5, (0.1, 0, 0), np.zeros((3, 3)))), 'warning', 'link1', 'point mass')


# ---- joints that move nothing ---------------------------------------------------------------


def test_a_joint_that_moves_no_mass_is_an_error_that_names_link_and_joint():
    only(arm(ROD, None), 'error', 'link1', "moves by joint 'joint1', but neither it nor anything")


def test_a_massless_link_whose_fixed_neighbour_has_mass_moves_mass():
    assert findings(arm(ROD, None).with_payload(ROD.mass, ROD.com, ROD.inertia)) == []


def test_a_massless_link_between_massive_ones_is_a_warning():
    only(arm(ROD, None, ROD), 'warning', 'link1', 'no mass of its own')


def test_a_point_on_its_own_axis_has_torques_but_no_accelerations():
    robot = arm(ROD, Inertial(1.0, (0, 0, 0.2), np.zeros((3, 3))))
    assert any('accelerations cannot' in message for _, message in findings(robot, 'warning'))
    # a slider feels the mass wherever it is
    robot = arm(ROD, Inertial(1.0, (0, 0, 0.2), np.zeros((3, 3))), kind='prismatic')
    assert not any('accelerations cannot' in message for _, message in findings(robot))


def test_a_rotor_inertia_is_enough_to_be_accelerated():
    assert findings(arm(ROD, None, armature=0.01)) == []


SPRING = """<robot name="mount"><link name="base"/><link name="plate"/>
  <joint name="mount" type="{kind}"><parent link="base"/><child link="plate"/>
    <axis xyz="0 0 1"/><dynamics damping="0" armature="0.2"/></joint>
  <flexible_joint reference="mount" stiffness="100" {spring}/></robot>"""
POINT = ('<link name="plate"><inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" '
         'ixz="0" iyz="0"/></inertial></link>')


@pytest.mark.parametrize('kind, spring', [
    ('fixed', 'type="revolute" axis="0 0 1"'), ('continuous', 'motor_inertia="0.3"')])
def test_a_spring_that_moves_no_mass_is_an_error_whatever_the_rotor_before_it(kind, spring):
    # loaded without a word, and its deflection accelerated by NaN
    text = SPRING.format(kind=kind, spring=spring)
    with pytest.raises(ModelError, match="spring of joint 'mount'.* neither it nor anything"):
        parse_urdf(text)
    with pytest.warns(KaneDynamicsWarning, match="spring of joint 'mount'.* accelerations cannot"):
        parse_urdf(text.replace('<link name="plate"/>', POINT))


def test_a_massless_follower_is_carried_by_the_mass_of_its_leader():
    robot = arm(ROD, None)
    follower = Joint('joint1', 'revolute', 'link0', 'link1', mimic=Mimic('joint0'))
    assert findings(Robot('arm', robot.links, [robot.joints[0], follower])) == []


def test_a_follower_of_multiplier_zero_does_not_move_and_carries_no_leader():
    # accepted without a word, and the leader accelerated by NaN
    robot = arm(ROD, None)
    still = Joint('joint0', 'revolute', 'base', 'link0', mimic=Mimic('joint1', 0.0))
    only(Robot('arm', robot.links, [still, robot.joints[1]]), 'error', 'link1',
         "moves by joint 'joint1', but neither")


def test_a_floating_base_needs_mass():
    robot = Robot('r', [Link('hull')], floating_base=True)
    only(robot, 'error', 'hull', 'floats, but neither')


# ---- at load --------------------------------------------------------------------------------


@pytest.mark.parametrize('load', [load_urdf, lambda path: parse_urdf(path.read_text())])
def test_loading_warns_once_and_names_every_link(load):
    with pytest.warns(KaneDynamicsWarning) as caught:
        load(example_urdf('allegro_left_hand.urdf'))
    assert len(caught) == 1
    assert caught[0].filename == __file__  # the caller's line, not ours
    message = str(caught[0].message)
    for link in ('palm_link', 'link_3.0', 'link_7.0', 'link_11.0', 'link_15.0'):
        assert repr(link) in message


def test_well_made_robots_load_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for name in ('ur5_robot.urdf', 'panda.urdf', 'xarm7.urdf', 'z1.urdf', 'go2.urdf'):
            load_urdf(example_urdf(name))


def test_an_unphysical_robot_loads_with_a_warning_only_when_asked():
    path = example_urdf('romeo_laas_small.urdf')
    with pytest.raises(ModelError, match="unphysical='warn'") as refusal:
        load_urdf(path)
    for link in ('LHipPitch_link', 'RHipPitch_link', 'l_gripper', 'r_gripper'):
        assert repr(link) in str(refusal.value)
    with pytest.warns(KaneDynamicsWarning, match='LHipPitch_link'):
        assert load_urdf(path, unphysical='warn').n_joints == 33
    with pytest.raises(InputError, match="'refuse' or 'warn'"):
        load_urdf(path, unphysical='ignore')


def test_the_check_of_a_body_agrees_with_the_positive_definiteness_of_its_kinetic_energy():
    # a negative principal inertia is a spin with negative energy: search for one at random
    rng = np.random.default_rng(13)
    verdicts = set()
    for _ in range(100):
        body = random_body(rng)
        least_own = np.linalg.eigvalsh(body.inertia)[0]
        inertia = body.inertia - rng.uniform(0, 1.5) * least_own * np.eye(3)
        robot = arm(Inertial(body.mass, body.com, inertia))
        spins = rng.normal(size=(4000, 3))
        least = min(np.einsum('ni,ij,nj->n', spins, inertia, spins) / (spins**2).sum(1))
        verdicts.add(bool(findings(robot, 'error')))
        if least < 0.0:
            assert findings(robot, 'error')
        if least > 0.02 * abs(inertia).max():  # so far from zero that no direction was missed
            assert not findings(robot, 'error')
    assert verdicts == {True, False}
