# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Springs on joints and between links: closed forms, MuJoCo, and files that are refused."""

from pathlib import Path

import numpy as np
import pytest

import kane_dynamics as kd

MASS, LENGTH, CENTRE = 3.0, 0.8, 0.5


def pendulum(springs='', extension=''):
    """Return a pendulum about y, hanging along -z at q = 0, with springs."""
    return kd.load_urdf(f"""<robot name="pendulum"><link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 {-CENTRE}"/><mass value="{MASS}"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0"/></joint>
{springs}{extension}</robot>""")


def test_a_spring_without_free_length_balances_a_pendulum_everywhere():
    # from a point h above the pivot to the point r behind it, k h r = m g c (Carwardine 1932)
    h, r = 0.4, 0.25
    stiffness = MASS * 9.81 * CENTRE / (h * r)
    robot = pendulum(f'<spring stiffness="{stiffness!r}"><end link="base" xyz="0 0 {h}"/>'
                     f'<end link="rod" xyz="0 0 {-r}"/></spring>')
    arm = kd.Dynamics(robot)
    for q in np.linspace(-3.0, 3.0, 13):
        np.testing.assert_allclose(arm.gravity([q]), 0.0, atol=1e-13 * stiffness)
    energies = [sum(arm.energy([q], [0.0])[1:]) for q in np.linspace(-3.0, 3.0, 13)]
    assert np.ptp(energies) < 1e-12 * max(energies)


def test_a_joint_spring_is_the_torque_of_its_law():
    arm, plain = (kd.Dynamics(pendulum(springs)) for springs in (
        '<spring joint="hinge" stiffness="7" rest="0.3" preload="2"/>', ''))
    for q in (-1.0, 0.3, 2.0):
        np.testing.assert_allclose(arm.inverse([q], [0.5], [1.0])
                                   - plain.inverse([q], [0.5], [1.0]), 2.0 + 7.0 * (q - 0.3))
        assert arm.energy([q], [0.0]).strain == pytest.approx(
            2.0 * (q - 0.3) + 3.5 * (q - 0.3)**2)


def test_the_pull_of_a_spring_between_links_is_part_of_the_reactions():
    # a vertical spring above a hanging rod carries a part of its weight, the hinge the rest
    robot = pendulum('<spring stiffness="50" rest="0.5" preload="4">'
                     '<end link="base" xyz="0 0 1"/><end link="rod"/></spring>')
    F = kd.Dynamics(robot).reactions([0.0], [0.0], [0.0])[0]
    tension = 4.0 + 50.0 * (1.0 - 0.5)
    np.testing.assert_allclose(F, [0, 0, MASS * 9.81 - tension, 0, 0, 0], atol=1e-12)


def test_a_spring_on_a_flexible_joint_acts_on_the_link():
    robot = pendulum('<spring joint="hinge" stiffness="7" rest="0.3"/>',
                     '<flexible_joint reference="hinge" stiffness="40" motor_inertia="0.1"/>')
    q, deflection = 0.4, 0.2
    weight = MASS * 9.81 * CENTRE * np.sin(q + deflection)
    load = weight + 7.0 * (q + deflection - 0.3)
    np.testing.assert_allclose(kd.Dynamics(robot).gravity([q, deflection]),
                               [load, load + 40.0 * deflection])


def test_a_locked_motor_leaves_the_spring_on_the_deflection():
    robot = pendulum('<spring joint="hinge" stiffness="7" rest="0.3"/>',
                     '<flexible_joint reference="hinge" stiffness="40" motor_inertia="0.1"/>')
    locked = kd.Dynamics(kd.lock_joints(robot, {'hinge': 0.4}))
    np.testing.assert_allclose(locked.gravity([0.2]), kd.Dynamics(robot).gravity([0.4, 0.2])[1:])
    assert not kd.lock_joints(robot.rigid(), {'hinge': 0.4}).springs


def test_springs_survive_writing_and_rigid():
    robot = pendulum('<spring joint="hinge" stiffness="7" rest="0.3"/><spring preload="-200">'
                     '<end link="base" xyz="0 0.1 1"/><end link="rod" xyz="0 0 -0.2"/></spring>')
    assert kd.parse_urdf(robot.to_urdf()).springs == robot.springs == robot.rigid().springs
    assert len(robot.springs) == 2 and not robot.with_springs().springs


@pytest.mark.parametrize('method', ['rk4', 'midpoint', 'DOP853'])
def test_energy_is_conserved_with_springs(method):
    robot = pendulum('<spring joint="hinge" stiffness="7" rest="0.3"/>'
                     '<spring stiffness="60" rest="0.3"><end link="base" xyz="0.5 0 0.2"/>'
                     '<end link="rod" xyz="0 0 -0.4"/></spring>')
    arm = kd.Dynamics(robot)
    solution = kd.simulate(arm, [1.0], [0.0], duration=2.0, dt=1e-3, method=method)
    # at dt = 1 ms, or rtol = 1e-8
    most = {'rk4': 1e-9, 'midpoint': 1e-5, 'DOP853': 1e-6}[method]
    assert solution.balance().relative_drift < most


def test_springs_are_those_of_mujoco():
    # a spatial tendon between two sites, and the spring of a joint
    mujoco = pytest.importorskip('mujoco')
    model = mujoco.MjModel.from_xml_string("""<mujoco><compiler angle="radian"/><worldbody>
<site name="a" pos="0.3 0.1 0.5"/>
<body name="one" pos="0 0 0.2"><joint name="j1" axis="0 1 0" stiffness="9" springref="0.4"/>
<inertial pos="0 0 0.2" mass="2" diaginertia="0.1 0.1 0.02"/>
<body name="two" pos="0 0 0.5"><joint name="j2" axis="1 0 0"/><site name="b" pos="0.1 0 0.3"/>
<inertial pos="0 0 0.2" mass="1" diaginertia="0.05 0.05 0.01"/></body></body></worldbody>
<tendon><spatial stiffness="150" springlength="0.25"><site site="a"/><site site="b"/></spatial>
</tendon></mujoco>""")
    robot = kd.load_urdf("""<robot name="two"><link name="base"/>
<link name="one"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
<inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="one"/>
<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/></joint>
<joint name="j2" type="continuous"><parent link="one"/><child link="two"/>
<origin xyz="0 0 0.5"/><axis xyz="1 0 0"/></joint>
<spring joint="j1" stiffness="9" rest="0.4"/>
<spring stiffness="150" rest="0.25"><end link="base" xyz="0.3 0.1 0.5"/>
<end link="two" xyz="0.1 0 0.3"/></spring></robot>""")
    data, arm = mujoco.MjData(model), kd.Dynamics(robot)
    for q, qd, qdd in np.random.default_rng(0).uniform(-2.0, 2.0, (10, 3, 2)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(arm.inverse(q, qd, qdd), data.qfrc_inverse, atol=1e-11)


@pytest.mark.parametrize('spring, message', [
    ('<spring joint="hinge"/>', '<text>:6: <spring>: spring: it has neither'),
    ('<spring joint="elbow" stiffness="1"/>',
     "<text>:6: spring on joint 'elbow': there is no such moving"),
    ('<spring stiffness="1"><end link="rod"/></spring>', 'got 1 of these'),
    ('<spring stiffness="1"><end link="rod"/><end link="arm"/></spring>', "no link 'arm'"),
    ('<spring stiffness="1"><end link="rod"/><end link="rod" xyz="0 0 1"/></spring>',
     'one rigid body'),
    ('<spring joint="hinge" stiffness="-1"/>', 'stiffness: expected 0 to'),
    ('<spring joint="hinge" stifness="1"/>', "unknown attribute 'stifness'")])
def test_a_spring_that_cannot_be_is_refused(spring, message):
    with pytest.raises(kd.ModelError, match=message):
        pendulum(spring)


def test_a_spring_on_a_beam_is_refused_with_a_remedy():
    robot = kd.load_urdf('urdf/flexible_six_axis.urdf')
    beam = next(iter(robot.flexible_links))
    with pytest.raises(kd.ModelError, match='massless link on a fixed joint'):
        robot.with_springs(kd.LinkSpring(ends=(('base_link', (0, 0, 1)), (beam, (0, 0, 0))),
                                         stiffness=100.0))


def test_the_springs_of_the_page_are_read():
    root = Path(__file__).resolve().parents[2]
    page = (root / 'doc' / 'springs.md').read_text(encoding='utf-8')
    springs = page.split('```xml\n')[1].split('```')[0]
    text = (root / 'urdf' / 'six_axis.urdf').read_text(encoding='utf-8')
    robot = kd.parse_urdf(text.replace('</robot>', springs + '</robot>'))
    assert [spring.preload for spring in robot.springs] == [0.0, 50.0, -300.0]
