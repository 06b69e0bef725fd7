# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison with Pinocchio sees what is wrong and carries over what a URDF cannot say."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
import sys

from example_robots import example_urdf
import numpy as np
import pytest
from random_arms import chain, rotation, tree

from kane_dynamics import Dynamics, Friction, InputError, load_urdf, MissingDependencyError
from kane_dynamics.dynamics.oracle import cross_check as oracle
from kane_dynamics.dynamics.oracle.cross_check import cross_check, FUNCTIONS, pinocchio_arm
from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.structure.links_and_joints import Inertial

pytest.importorskip('pinocchio', reason='the oracle is Pinocchio')

URDF = Path(__file__).parents[2] / 'urdf'
TURNED = rotation(np.random.default_rng(1))
ARMS = {
    'one joint': chain('R', 50),
    'armature': chain('RPR', 51, armature=True),
    'mimics and armature': tree('RRPRR', [0, 1, 2, 2, 4], 52, armature=True,
                                mimics={2: (0, 0.3, 0.1), 4: (1, -2.0, 0.2)}),
    'continuous joints': chain('CRC', 53),
    'a continuous mimic': tree('CRC', [0, 1, 1], 54, mimics={2: (0, -0.5, 0.3)}),
    'gravity aslant': chain('RPR', 55, gravity=(3.0, -4.0, 8.0)),
    'no gravity': chain('RPR', 56, gravity=(0.0, 0.0, 0.0)),
    'a base on the wall': chain('FRR', 57, base_rotation=TURNED, base_position=(1.0, 2.0, 3.0)),
    'a floating base': tree('RPR', [0, 1, 0], 58, floating_base=True, armature=True),
    'a floating base, placed': tree('RR', [0, 0], 59, floating_base=True, base_rotation=TURNED,
                                    base_position=(1.0, 2.0, 3.0)),
    'a floating joint in the file': load_urdf("""<robot name="drone"><link name="world"/>
        <link name="hull"><inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>
          <inertia ixx="1" iyy="2" izz="2" ixy="0.1" ixz="0" iyz="0"/></inertial></link>
        <link name="arm"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>
          <inertia ixx="0.1" iyy="0.12" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="free" type="floating"><origin xyz="1 2 3" rpy="0.3 0.4 0.5"/>
          <parent link="world"/><child link="hull"/></joint>
        <joint name="swing" type="continuous"><origin xyz="0 0 -0.2"/><axis xyz="0 1 0"/>
          <parent link="hull"/><child link="arm"/></joint></robot>"""),
}


@pytest.mark.parametrize('name', ARMS)
def test_every_function_agrees_for_what_a_urdf_cannot_say(name):
    report = cross_check(Dynamics(ARMS[name]), samples=20, seed=3)
    compared = [row.function for row in report.comparisons]
    assert set(FUNCTIONS) - {'inverse_derivatives'} < set(compared)
    assert {'inverse_by_q', 'inverse_by_qd'} < set(compared)
    # two algorithms in doubles, cond(M) taken off: a few hundred roundings, a derivative that is
    # small compared to the torques a few thousand
    assert report.passes(1e-12), str(report)
    assert report.error('inverse') < 1e-13 and report.error('mass_matrix') < 1e-13


@pytest.mark.parametrize('parametric', [False, True])
def test_a_payload_is_carried_over_to_the_text_that_has_none(parametric):
    path = example_urdf('ur5_robot.urdf')
    arm = Dynamics(load_urdf(path), parametric=parametric)
    loaded = arm.with_payload(3.0, (0.02, -0.05, 0.1), np.diag([0.01, 0.02, 0.015]), 'tool0')
    report = cross_check(loaded, path.read_text(), samples=20)
    assert report.passes(1e-13), str(report)
    # and the load is felt: the bare arm's torques are others
    bare = pinocchio_arm(arm.robot, path.read_text())
    q = np.ones(6)
    assert np.abs(loaded.gravity(q) - bare.gravity(q)).max() > 1.0


def test_pinocchios_own_mimic_joints_give_the_same_torques():
    pin = oracle.pinocchio()
    path = example_urdf('panda.urdf')
    try:
        model = pin.buildModelFromUrdf(str(path), True)
    except Exception as error:
        pytest.skip(f'this Pinocchio reads no mimic joints: {error}')
    robot = load_urdf(path)
    assert model.nv == robot.nv == 8 and [name for name in model.names][1:9] == [
        *robot.joint_names]
    rng = np.random.default_rng(4)
    dynamics = Dynamics(robot)
    for q, qd, qdd in rng.uniform(-1, 1, (20, 3, 8)):
        expected = pin.rnea(model, model.createData(), q, qd, qdd)
        np.testing.assert_allclose(dynamics.inverse(q, qd, qdd), expected, rtol=0,
                                   atol=1e-13 * np.abs(expected).max())


# -- it sees what is wrong --------------------------------------------------------------------

def heavier(robot):
    link = robot.links[3]
    load = link.inertial
    return robot.with_inertial(link.name, Inertial(load.mass * (1 + 1e-7), load.com, load.inertia))


def shifted(robot):
    link = robot.links[3]
    load = link.inertial
    return robot.with_inertial(link.name, Inertial(load.mass, load.com + 1e-7, load.inertia))


def longer(robot):
    joint = robot.joints[2]
    return replace(robot, joints=tuple(
        replace(each, position=each.position + 1e-7) if each.name == joint.name else each
        for each in robot.joints))


def mirrored(robot):
    return replace(robot, joints=tuple(
        replace(each, axis=-each.axis) if each.name == 'joint_1' else each
        for each in robot.joints))


@pytest.mark.parametrize('change', [heavier, shifted, longer, mirrored])
def test_a_small_mistake_in_the_arm_is_seen(change):
    robot = chain('RPRR', 61)
    text = robot.to_urdf()
    assert cross_check(Dynamics(robot), text, 10, functions=['inverse']).passes(1e-12)
    report = cross_check(Dynamics(change(robot)), text, 10, functions=['inverse', 'forward'])
    assert report.error('inverse') > 1e-9 and report.error('forward') > 1e-9
    assert not report.passes(1e-10)


def test_a_nan_is_the_largest_error_there_is():
    class Broken(Dynamics):
        def mass_matrix_many(self, q, out=None, threads=1):
            M = super().mass_matrix_many(q, out, threads)
            M[3, 1, 0] = np.nan
            return M
    report = cross_check(Broken(chain('RR', 62)), samples=5, functions=['mass_matrix'])
    assert report.max == np.inf and not report.passes(1e300)


def test_the_text_of_another_arm_is_refused_by_name():
    robot = chain('RR', 63)
    with pytest.raises(InputError, match="no joint 'joint_0'.*'shoulder'"):
        cross_check(Dynamics(robot), (URDF / 'two_link.urdf').read_text())
    more = tree('RRR', [0, 1, 1], 63)
    with pytest.raises(ModelError, match='joint_2'):
        cross_check(Dynamics(robot), more.to_urdf())
    with pytest.raises(ModelError, match='Pinocchio refuses'):
        cross_check(Dynamics(robot), 'no xml at all')


# -- the report -------------------------------------------------------------------------------

def test_friction_is_compared_alone_and_the_rest_without_it():
    robot = chain('RPR', 64)
    friction = Friction(viscous=[1.0, 2.0, 3.0], coulomb=[4.0, 5.0, 6.0], load=[0.1, 0.0, 0.2])
    report = cross_check(Dynamics(robot, friction), samples=20)
    assert report.comparisons[-1].function == 'friction' and 'friction' in report.note
    assert report.passes(1e-12), str(report)


def test_flexible_links_are_held_stiff_and_the_report_says_so():
    path = URDF / 'flexible_3r.urdf'
    dynamics = Dynamics(load_urdf(path))
    assert dynamics.robot.n_modes > 0
    report = cross_check(dynamics, path.read_text(), samples=10, functions=['inverse', 'forward'])
    assert f'{dynamics.robot.n_modes} elastic coordinates' in str(report)
    assert report.passes(1e-12)


def test_the_table_names_every_function_with_its_largest_error():
    report = cross_check(Dynamics(chain('RR', 65)), samples=7, seed=5,
                         functions=['inverse', 'gravity'])
    lines = str(report).splitlines()
    assert lines[0].startswith('random_65: 7 random states (seed 5) against Pinocchio ')
    assert f'{report.error("inverse"):.1e}' in lines[-2] and 'inverse' in lines[-2]
    assert f'{report.error("gravity"):.1e}' in lines[-1]
    assert report.max == max(report.error('inverse'), report.error('gravity'))
    with pytest.raises(InputError, match="'forward' was not compared"):
        report.error('forward')
    with pytest.raises(FrozenInstanceError):
        report.samples = 3


def test_an_ill_conditioned_arm_is_excused_for_accelerations_only():
    # a wrist without inertia to speak of: M is singular to ten digits
    heavy, light = Inertial(5.0, [0.2, 0.1, 0.3], np.eye(3)), Inertial(
        1e-9, [0.0, 0.0, 0.0], 1e-11 * np.eye(3))
    robot = chain('RRR', 66).with_inertial('link_1', heavy).with_inertial(
        'link_2', heavy).with_inertial('link_3', light)
    report = cross_check(Dynamics(robot), samples=20)
    row = next(row for row in report.comparisons if row.function == 'forward')
    assert row.condition > 1e9
    assert row.beyond_round_off <= 1e-12
    assert report.error('inverse') < 1e-13


def test_the_same_seed_gives_the_same_values_and_another_seed_others():
    dynamics = Dynamics(chain('RPR', 67))
    first, again, other = (cross_check(dynamics, samples=5, seed=seed, functions=['inverse'])
                           for seed in (1, 1, 2))
    assert first == again and first.max != other.max


@pytest.mark.parametrize('arguments, words', [
    ({'functions': ['torque']}, "'torque'.* are unknown; there are"),
    ({'functions': []}, 'there are'), ({'samples': 0}, 'at least 1'),
    ({'samples': np.nan}, 'at least 1, got nan')])
def test_bad_questions_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        cross_check(Dynamics(chain('R', 68)), **arguments)


def test_an_arm_without_motion_is_refused():
    with pytest.raises(InputError, match='nothing moves'):
        cross_check(Dynamics(chain('F', 69)))


def test_without_pinocchio_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    with pytest.raises(MissingDependencyError, match='pip install pin'):
        cross_check(Dynamics(chain('R', 70)))
