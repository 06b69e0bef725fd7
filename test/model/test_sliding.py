# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Beams and prismatic joints: which pairs a beam of constant length describes; closed forms."""

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.study.link_beam import beam_of, section_beam
from kane_dynamics.analysis.study.link_deflection import tip_deflection
from kane_dynamics.analysis.study.loads import link_stress, loads_of
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.io.marked_yaml import FileError
from kane_dynamics.model.flexible.material import MATERIALS
from kane_dynamics.trajectory.motion import Motion

G, LENGTH, BLOCK = 9.81, 1.2, 3.0
TUBE, ALLOY = {'outer_radius': 0.02, 'inner_radius': 0.015}, MATERIALS['AlMg3']
AREA = np.pi * (TUBE['outer_radius']**2 - TUBE['inner_radius']**2)
EI = ALLOY.E * np.pi / 4 * (TUBE['outer_radius']**4 - TUBE['inner_radius']**4)
PER_LENGTH = ALLOY.density * AREA
MASS = PER_LENGTH * LENGTH


def link(name, mass, com='0 0 0', across=0.012):
    return (f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass!r}"/><inertia '
            f'ixx="0.01" iyy="{across!r}" izz="{across!r}" ixy="0" ixz="0" iyz="0"/></inertial>'
            '</link>')


def joint(name, kind, parent, child, axis='1 0 0', xyz='0 0 0', travel=(0.0, 0.8)):
    lower, upper = travel
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" '
            'effort="1e3" velocity="9"/></joint>')


def arm(*parts, flexible=False):
    """Return the robot of a level boom along x and other parts."""
    soft = f"""<flexible_link reference="boom"><beam length="{LENGTH}"/>
      <section shape="tube" outer_radius="{TUBE['outer_radius']}"
        inner_radius="{TUBE['inner_radius']}" E="{ALLOY.E}" G="{ALLOY.G}"
        density="{ALLOY.density}"/><modes bend_z="2"/></flexible_link>"""
    return kd.load_urdf('<robot name="slides"><link name="base"/>'
                        + link('boom', MASS, f'{LENGTH / 2} 0 0', MASS * LENGTH**2 / 12 + 1e-3)
                        + ''.join(parts) + (soft if flexible else '') + '</robot>')


def beam(robot):
    return beam_of(robot, 'boom', 'tube', TUBE, ALLOY, tip=[LENGTH, 0.0, 0.0])


HINGE = joint('hinge', 'revolute', 'base', 'boom', '0 0 1')
LIFT = link('block', BLOCK)
CARRIAGE = link('carriage', 1.0)
FRAME = '<link name="frame"/>'
WRONG = {
    'a boom slides out of its guide': (
        ("'slide'", 'free length', '0 ... 0.8 m'),
        (joint('slide', 'prismatic', 'base', 'boom'),)),
    'it slides inward, 5 degrees off': (
        ("'slide'", 'free length'),
        (joint('slide', 'prismatic', 'base', 'boom', '-0.9962 0 0.0872'),)),
    'a frame without mass lies between': (
        ("'slide'", 'free length'),
        (FRAME, joint('slide', 'prismatic', 'base', 'frame', '0 1 0'),
         joint('same', 'fixed', 'frame', 'boom').replace(
             '<origin xyz="0 0 0"/>', '<origin xyz="0 0 0" rpy="0 0 1.5707963"/>'))),
    'a carriage runs along the beam': (
        ("'rail'", "'block'", 'position of the load', '0.2 ... 1 m'),
        (HINGE, LIFT, joint('rail', 'prismatic', 'boom', 'block', xyz='0.2 0 0'))),
    'it runs back from the tip, next to the beam': (
        ("'rail'", 'position of the load', '0.4 ... 1.2 m'),
        (HINGE, LIFT, joint('rail', 'prismatic', 'boom', 'block', '-1 0 0', '1.2 0 0.1'))),
    'its rail is a frame on the beam': (
        ("'rail'", 'position of the load'),
        (HINGE, LIFT, FRAME, joint('on', 'fixed', 'boom', 'frame', xyz='0.3 0 0'),
         joint('rail', 'prismatic', 'frame', 'block'))),
}
RIGHT = {
    'the boom moves sideways on a gantry': (joint('slide', 'prismatic', 'base', 'boom', '0 1 0'),),
    'the boom is inclined to its slide': (
        joint('slide', 'prismatic', 'base', 'boom', '0.94 0 0.34'),),
    'the boom is clamped to a carriage': (
        CARRIAGE, joint('slide', 'prismatic', 'base', 'carriage'),
        joint('clamp', 'fixed', 'carriage', 'boom')),
    'the slide has no travel': (
        joint('slide', 'prismatic', 'base', 'boom', travel=(0.3, 0.3)),),
    'a block slides out of the tip': (
        HINGE, LIFT, joint('rail', 'prismatic', 'boom', 'block', xyz=f'{LENGTH} 0 0')),
    'a block slides across the beam': (
        HINGE, LIFT, joint('rail', 'prismatic', 'boom', 'block', '0 0 1', '0.6 0 0')),
    'the slide is beyond another joint': (
        HINGE, LIFT, CARRIAGE, joint('wrist', 'revolute', 'boom', 'carriage', '0 1 0', '1.2 0 0'),
        joint('rail', 'prismatic', 'carriage', 'block')),
}


@pytest.mark.parametrize(('words', 'parts'), WRONG.values(), ids=WRONG)
def test_a_beam_whose_length_depends_on_a_joint_is_refused_with_joint_and_reason(words, parts):
    with pytest.raises(kd.ModelError) as error:
        arm(*parts, flexible=True)
    for word in ('boom', *words):
        assert word in str(error.value), str(error.value)
    robot = arm(*parts)
    if robot.parent_joint('boom').kind == 'fixed':
        return      # sections are of links that a moving joint carries
    with pytest.raises(kd.InputError) as error:
        beam(robot)
    for word in ("section of 'boom'", *words):
        assert word in str(error.value), str(error.value)


def test_a_beam_built_by_hand_is_refused_where_its_stress_is_computed():
    robot = arm(joint('slide', 'prismatic', 'base', 'boom'))
    rest = Motion(np.array([0.0]), *np.zeros((3, 1, 1)))
    by_hand = section_beam('boom', 'tube', TUBE, ALLOY, np.zeros(3), np.array([LENGTH, 0.0, 0.0]))
    with pytest.raises(kd.InputError, match="section of 'boom'.*'slide'"):
        link_stress(robot, loads_of(kd.Dynamics(robot), rest), by_hand)


def test_a_task_file_names_the_line_of_the_sliding_section(tmp_path):
    file = tmp_path / 'task.yaml'
    file.write_text('task: {move: [0.1], posture: zero, duration: 1}\nsections:\n  boom: {shape: '
                    'tube, outer_radius: 20 mm, inner_radius: 15 mm, material: AlMg3,\n    '
                    'tip: [1.2, 0, 0]}\n')
    robot = arm(joint('slide', 'prismatic', 'base', 'boom'))
    with pytest.raises(FileError, match=r"task.yaml:3: sections.boom: .*'slide'.*free length"):
        read_task(file, robot.to_urdf())


@pytest.mark.parametrize('parts', RIGHT.values(), ids=RIGHT)
def test_a_beam_of_constant_length_is_accepted_beside_a_prismatic_joint(parts):
    robot = arm(*parts, flexible=True)
    assert robot.flexible_links['boom'].beam.length == LENGTH
    if robot.parent_joint('boom').kind != 'fixed':
        assert beam(robot.rigid()).length == pytest.approx(LENGTH)


@pytest.mark.parametrize('q', [0.0, 0.5])
def test_a_gantry_beam_sags_by_the_closed_form_wherever_it_stands(q):
    robot = arm(*RIGHT['the boom moves sideways on a gantry'], LIFT,
                joint('grip', 'fixed', 'boom', 'block', xyz=f'{LENGTH} 0 0'), flexible=True)
    # w L^4 / 8 EI + F L^3 / 3 EI
    sag = PER_LENGTH * G * LENGTH**4 / (8 * EI) + BLOCK * G * LENGTH**3 / (3 * EI)
    rigid = robot.rigid()
    still = Motion(np.array([0.0]), np.array([[q]]), *np.zeros((2, 1, 1)))
    found = tip_deflection(rigid, loads_of(kd.Dynamics(rigid), still), (beam(rigid),), 'block')
    assert found.u[0] == pytest.approx([0.0, 0.0, -sag], rel=1e-9, abs=1e-15)
    dyn = kd.Dynamics(robot, backend='python')
    bent = kd.static_sag(dyn, [q])
    assert kd.tip_deflections(robot, bent)['boom'].vector[2] == pytest.approx(-sag, rel=2e-3)


@pytest.mark.parametrize('q', [0.0, 0.3, 0.8])
def test_a_block_drawn_out_of_the_tip_loads_it_with_force_and_moment(q):
    robot = arm(*RIGHT['a block slides out of the tip'])
    still = Motion(np.array([0.0]), np.array([[0.0, q]]), *np.zeros((2, 1, 2)))
    found = tip_deflection(robot, loads_of(kd.Dynamics(robot), still), (beam(robot),), 'block')
    F = BLOCK * G
    # at the tip F L^3 / 3 EI + F q L^2 / 2 EI, and its rotation carries the block over q
    slope = PER_LENGTH * G * LENGTH**3 / 6 + F * LENGTH**2 / 2 + F * q * LENGTH
    sag = (PER_LENGTH * G * LENGTH**4 / 8 + F * LENGTH**3 / 3 + F * q * LENGTH**2 / 2
           + q * slope) / EI
    assert found.u[0, 2] == pytest.approx(-sag, rel=1e-9)


LEANING = """<robot name="slider"><link name="base"/>
  <link name="beam"><inertial><origin xyz="0.4 0 0"/><mass value="0.8"/>
    <inertia ixx="0.001" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="load"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="beam"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="slider" type="prismatic"><parent link="beam"/><child link="load"/>
    <origin xyz="0.8 0 0"/><axis xyz="-0.6 0.8 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <flexible_link reference="beam">
    <beam length="0.8" mass_per_length="1" EI_z="60" polar_inertia_per_length="0.001"/>
    <modes bend_y="1" shapes="clamped_free"/></flexible_link></robot>"""


def test_a_slider_that_is_locked_on_a_flexible_link_keeps_its_guide_on_the_beam():
    # its axis leans along the beam: the locked joint rode on another station, torques off by 1e-3
    robot = kd.load_urdf(LEANING)
    locked = kd.lock_joints(robot, {'slider': 0.2})
    assert locked.link_names[-2:] == ('slider_guide', 'load')
    q, qd, qdd = [0.3, 0.2, 0.01], [1.0, 0.0, -0.4], [2.0, 0.0, 0.5]
    torque = kd.Dynamics(robot, backend='python').inverse(q, qd, qdd)
    kept = [0, 2]
    np.testing.assert_allclose(
        kd.Dynamics(locked, backend='python').inverse(*(np.array(x)[kept] for x in (q, qd, qdd))),
        torque[kept], rtol=1e-12)
