# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms where other programs know the answer: rigid, segmented, with elastic joints."""

import functools
import re

from flexible_arms import beam_robot, changed, free_motion, integrate, load, random_state, URDF
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.model.deflection_range import tip_displacements

ARMS = ('padilla_two_link', 'flexible_single_link', 'flexible_3r', 'flexible_six_axis')


def pinocchio_model(name):
    pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    model = pinocchio.buildModelFromUrdf(str(URDF / f'{name}.urdf'))
    return pinocchio, model, model.createData()


def state_for(pinocchio, model, q):
    """Return q as Pinocchio writes it: continuous joints as cosine and sine."""
    theirs = pinocchio.neutral(model)
    for k in range(1, model.njoints):
        joint = model.joints[k]
        angle = q[joint.idx_v]
        theirs[joint.idx_q:joint.idx_q + joint.nq] = (
            angle if joint.nq == 1 else (np.cos(angle), np.sin(angle)))
    return theirs


@pytest.mark.parametrize('name', ARMS)
def test_rigid_arm_of_the_same_file_is_pinocchios(name):
    pinocchio, model, data = pinocchio_model(name)
    dyn = kd.Dynamics(changed(name).rigid(), backend='python')
    rng = np.random.default_rng(3)
    for _ in range(10):
        q, qd, qdd = rng.uniform(-3, 3, (3, model.nv))
        tau = pinocchio.rnea(model, data, state_for(pinocchio, model, q), qd, qdd)
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=1e-12,
                                   atol=1e-12 * abs(tau).max())


@pytest.mark.parametrize('name', ARMS)
def test_unbent_flexible_arm_has_the_torques_of_pinocchio(name):
    # modes held at zero: every mass point, slice and rest of the beam adds up to the <inertial>
    pinocchio, model, data = pinocchio_model(name)
    dyn = kd.Dynamics(changed(name), backend='python')
    joints = model.nv
    state = np.zeros((3, dyn.robot.nv))
    state[:, :joints] = np.random.default_rng(4).uniform(-3, 3, (3, joints))
    q, qd, qdd = state[:, :joints]
    tau = pinocchio.rnea(model, data, state_for(pinocchio, model, q), qd, qdd)
    np.testing.assert_allclose(dyn.inverse(*state)[:joints], tau, rtol=1e-12,
                               atol=1e-12 * abs(tau).max())


def stiffened(name, factor):
    """Return an arm of urdf/ with all elastic moduli multiplied."""
    def times(match):
        return f'{match[1]}="{float(match[2]) * factor!r}"'
    text = (URDF / f'{name}.urdf').read_text(encoding='utf-8')
    return load(re.sub(r'\b(E|G|EI_z)="([^"]*)"', times, text))


@pytest.mark.parametrize('name', ARMS)
def test_arm_a_million_times_as_stiff_is_rigid(name):
    pinocchio, model, data = pinocchio_model(name)
    robot = stiffened(name, 1e6)
    dyn = kd.Dynamics(robot, backend='python')
    joints, rng = robot.n_joints, np.random.default_rng(6)
    q, qd, qdd = rng.uniform(-1, 1, (3, joints))
    tau = pinocchio.rnea(model, data, state_for(pinocchio, model, q), qd, qdd)
    # the links bend until they follow the motion: quasi-static modal coordinates
    state = np.concatenate([q, np.zeros(robot.n_modes)])
    speeds = np.concatenate([qd, np.zeros(robot.n_modes)])
    accelerations = np.concatenate([qdd, np.zeros(robot.n_modes)])
    K = np.concatenate([link.body.stiffness for link in robot.flexible_links.values()])
    for _ in range(10):
        state[joints:] -= dyn.inverse(state, speeds, accelerations)[joints:] / K
    np.testing.assert_allclose(dyn.inverse(state, speeds, accelerations)[:joints], tau, rtol=0,
                               atol=1e-5 * abs(tau).max())


def test_payload_on_a_flexible_link_rides_where_its_mass_centre_is():
    beam = {'length': 1.0, 'mass_per_length': 1.0, 'EI_z': 1.0}
    bare = beam_robot(beam, '<modes bend_y="2"/>', joint='fixed')
    loaded = bare.with_payload(1.0, (1.0, 0.0, 0.0), np.diag([1e-12] * 3), link='beam')
    expected = beam_robot(beam, '<modes bend_y="2"/>', joint='fixed', tip=(1.0, 1e-12))
    got, want = (kd.natural_frequencies(kd.Dynamics(robot, backend='python'))
                 for robot in (loaded, expected))
    np.testing.assert_allclose(got, want, rtol=1e-9)
    assert 2 * np.pi * got[0] == pytest.approx(1.5573, abs=1e-4)     # tip mass = beam mass


def test_payload_at_run_time_keeps_the_modes_that_were_compiled():
    # one compiled program, another load: the same arm but for the choice of shapes
    robot = changed('flexible_3r')
    compiled = kd.Dynamics(robot, backend='python', parametric=True)
    load_of = (0.8, (0.0, 0.0, 0.05), np.diag([1e-3] * 3))
    shared = compiled.with_payload(*load_of, link='tool0')
    fresh = kd.Dynamics(robot.with_payload(*load_of, link='tool0'), backend='python')
    state = np.zeros((3, robot.nv))
    state[:, :3] = np.random.default_rng(1).normal(size=(3, 3))
    np.testing.assert_allclose(shared.inverse(*state)[:3], fresh.inverse(*state)[:3], rtol=1e-12)
    got, want = (kd.natural_frequencies(dyn)[:4] for dyn in (shared, fresh))
    np.testing.assert_allclose(got, want, rtol=2e-3)


def test_robot_of_a_payload_at_run_time_has_the_shapes_that_were_compiled():
    # the compiled program against one recorded for this load, bent, and the robot's own kinematics
    robot = changed('flexible_3r')
    load_of = (0.8, (0.0, 0.0, 0.05), np.diag([1e-3] * 3))
    shared = kd.Dynamics(robot, backend='python', parametric=True).with_payload(
        *load_of, link='tool0')
    loaded = robot.with_payload(*load_of, link='tool0')
    q, qd, qdd = random_state(robot, 3)
    tau = shared.inverse(q, qd, qdd)
    same = kd.Dynamics(loaded.with_shapes_of(robot), backend='python')
    np.testing.assert_allclose(same.inverse(q, qd, qdd), tau, rtol=0, atol=1e-12 * abs(tau).max())
    other = kd.Dynamics(loaded, backend='python').inverse(q, qd, qdd)
    assert abs(other - tau).max() > 1e-3 * abs(tau).max()          # q means other deflections
    np.testing.assert_array_equal(shared.robot.tree.stiffness, robot.tree.stiffness)
    np.testing.assert_array_equal(shared.robot.tree.damping, robot.tree.damping)
    for link, deflection in tip_displacements(shared.robot, q).items():
        np.testing.assert_array_equal(deflection, tip_displacements(robot, q)[link])
    again = shared.with_payload(0.1, (0.0, 0.0, 0.0), link='tool0')
    np.testing.assert_array_equal(again.robot.tree.stiffness, robot.tree.stiffness)


@pytest.mark.parametrize('shapes', ['tip_loaded', 'craig_bampton'])
def test_both_choices_of_shapes_sag_as_the_beam_under_its_payload(shapes):
    # w = g (m L^3 / 3 + mu L^4 / 8) / EI of Euler and Bernoulli; m = 0.75 kg + 0.25 kg
    text = (URDF / 'flexible_single_link.urdf').read_text().replace(
        '<modes bend_y="3"', f'<modes bend_y="3" shapes="{shapes}"')
    robot = kd.parse_urdf(text, gravity=(0.0, -1.0, 0.0))
    expected = ((0.75 + 0.25) / 3 + 0.5 / 8) / 100
    compiled = kd.Dynamics(robot, backend='python', parametric=True)
    for dyn in (compiled.with_payload(0.75, (0, 0, 0), link='tip'),
                kd.Dynamics(robot.with_payload(0.75, (0, 0, 0), link='tip'), backend='python')):
        sag = dyn.frame_deflection('tip', kd.static_sag(dyn, np.zeros(1)))
        assert -sag[1] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize('name', ARMS)
def test_written_file_is_the_same_flexible_arm(name):
    robot = changed(name)
    again = load(robot.to_urdf())
    assert again.mode_names == robot.mode_names
    got, want = (kd.natural_frequencies(kd.Dynamics(each, backend='python'))
                 for each in (again, robot))
    np.testing.assert_allclose(got, want, rtol=1e-9)


# ---- segments -------------------------------------------------------------------------------

UNIT = {'length': 1.0, 'mass_per_length': 1.0, 'EI_z': 1.0}


@pytest.mark.parametrize(('count', 'tolerance'), [(8, 4e-3), (16, 1e-3)])
def test_segmented_cantilever_has_the_frequencies_of_its_beam(count, tolerance):
    robot = beam_robot(UNIT, f'<segments count="{count}"/>', joint='fixed')
    dyn = kd.Dynamics(robot, backend='python')
    got = 2 * np.pi * kd.natural_frequencies(dyn)
    assert got[0] == pytest.approx(1.87510407**2, rel=tolerance)
    # springs at mid-element, the notes' table: C w1, C w2
    table = {8: (3.52866, 22.3115)}.get(count)
    if table:
        np.testing.assert_allclose(got[:2], table, rtol=1e-5)


PENDULUM = {'length': 1.0, 'mass_per_length': 0.5, 'EI_z': 10.0}
P1 = {   # tip (x, y) of the flexible pendulum by ANCF, 16 elements, 1 ms
    0.2: (0.9576, -0.2883), 0.4: (0.4320, -0.9019), 0.6: (-0.5746, -0.8185),
    0.8: (-0.9797, -0.2003), 1.0: (-1.0000, -0.0053), 1.2: (-0.9222, -0.3868),
    1.4: (-0.2661, -0.9640), 1.6: (0.6967, -0.7174), 1.8: (0.9914, -0.1308),
    2.0: (0.9995, -0.0315)}


def fallen(robot, times, rtol=1e-8):
    """Return the tip (x, y) at times of a pendulum released horizontal from rest."""
    dyn = kd.Dynamics(robot)
    run = integrate(free_motion(dyn), np.zeros(2 * robot.nv), 0.0, max(times), rtol=rtol,
                    atol=rtol * 1e-2, t_eval=sorted(times))[0]
    return np.array([dyn.frame_pose('tip', x[:robot.nv])[1][:2] for x in run.y.T])


@pytest.mark.parametrize('inside', [
    '<modes bend_y="3"/>', '<modes bend_y="2"/><model order="3"/>', '<segments count="16"/>'])
def test_flexible_pendulum_falls_as_the_exact_beam_does(inside):
    robot = beam_robot(PENDULUM, inside, gravity=(0.0, -9.81, 0.0), tip=(1e-9, 1e-12))
    got = fallen(robot, P1)
    np.testing.assert_allclose(got, list(P1.values()), rtol=0, atol=5e-4)


def test_segments_follow_a_rope_like_beam_that_no_mode_could():
    # P2b: deflections as large as the link; ANCF, 32 elements; N = 16 within 0.012 up to 0.8 s
    beam = {'length': 1.2, 'mass_per_length': 9.972, 'EI_z': 0.08505}
    robot = beam_robot(beam, '<segments count="16"/>', gravity=(0.0, -9.81, 0.0),
                       tip=(1e-9, 1e-12))
    reference = {0.1: (1.1924, -0.0491), 0.2: (1.1420, -0.1966), 0.3: (1.0108, -0.4394),
                 0.4: (0.7372, -0.7792), 0.5: (0.0465, -1.1769), 0.6: (-0.5823, -0.9152),
                 0.7: (-0.9298, -0.6981), 0.8: (-1.0858, -0.4999)}
    np.testing.assert_allclose(fallen(robot, reference, 1e-7), list(reference.values()), rtol=0,
                               atol=0.012)


def test_segments_and_modes_agree_in_space():
    # the spatial arm with eight segments per link against its modes: locked frequencies
    modal = kd.Dynamics(changed('flexible_3r'), backend='python')
    cut = kd.Dynamics(changed('flexible_3r', ('<modes [^>]*/>', '<segments count="6"/>')),
                      backend='python')
    assert cut.robot.nv == 3 + 2 * 6 * 3
    rest = np.array([0.2, 0.5, -0.9])
    got = [kd.natural_frequencies(dyn, rest)[:4] for dyn in (modal, cut)]
    np.testing.assert_allclose(got[1], got[0], rtol=0.012)


# ---- flexible joints ------------------------------------------------------------------------

INERTIA, MOTOR, STIFFNESS, DAMPING = 0.3, 0.05, 120.0, 0.4


@functools.cache
def elastic_joint(damping=DAMPING, kind='continuous'):
    """Return a rigid wheel (or slider) behind a spring and a motor."""
    return load(f"""<robot name="wheel"><link name="base"/>
      <link name="wheel"><inertial><mass value="{INERTIA if kind == 'prismatic' else 2.0}"/>
        <inertia ixx="0.2" iyy="0.2" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="{kind}"><parent link="base"/><child link="wheel"/>
        <axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
      <flexible_joint reference="j" stiffness="{STIFFNESS}" damping="{damping}"
        motor_inertia="{MOTOR}"/></robot>""", gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize('kind', ['continuous', 'prismatic'])
def test_elastic_joint_is_the_oscillator_of_two_masses(kind):
    robot = elastic_joint(0.0, kind)
    assert robot.mode_names == ('j/deflection',)
    dyn = kd.Dynamics(robot, backend='python')
    # locked: the motor is held; free: both swing against each other
    locked, free = (kd.natural_frequencies(dyn, joints=joints)[0] for joints in ('locked', 'free'))
    assert 2 * np.pi * locked == pytest.approx(np.sqrt(STIFFNESS / INERTIA), rel=1e-9)
    assert 2 * np.pi * free == pytest.approx(
        np.sqrt(STIFFNESS * (1 / INERTIA + 1 / MOTOR)), rel=1e-9)


def test_motor_step_of_an_elastic_joint_has_its_closed_form():
    # constant torque on the motor from rest: the centre of inertia accelerates evenly, and the
    # deflection (link minus motor) is a damped oscillation about its steady value
    dyn = kd.Dynamics(elastic_joint(), backend='python')
    torque, T = 2.0, 0.7
    run = integrate(free_motion(dyn, lambda t, q, qd: np.array([torque, 0.0])), np.zeros(4), 0.0,
                    T, rtol=1e-11, atol=1e-13)[0]
    motor, deflection = run.y[:2, -1]
    reduced = INERTIA * MOTOR / (INERTIA + MOTOR)
    w = np.sqrt(STIFFNESS / reduced)
    zeta = DAMPING / (2 * np.sqrt(STIFFNESS * reduced))
    wd = w * np.sqrt(1 - zeta**2)
    steady = -torque * reduced / MOTOR / STIFFNESS
    expected = steady * (1 - np.exp(-zeta * w * T) * (
        np.cos(wd * T) + zeta * w / wd * np.sin(wd * T)))
    assert deflection == pytest.approx(expected, abs=1e-10)
    centre = torque * T**2 / 2 / (INERTIA + MOTOR)
    assert (MOTOR * motor + INERTIA * (motor + deflection)) / (INERTIA + MOTOR) == (
        pytest.approx(centre, abs=1e-10))


def test_hybrid_of_an_elastic_joint_turns_the_motor_and_lets_the_link_follow():
    dyn = kd.Dynamics(elastic_joint(), backend='python')
    q, qd = np.array([0.3, 0.02]), np.array([1.0, -0.5])
    tau, qdd = dyn.hybrid(q, qd, np.array([2.0]))
    spring = STIFFNESS * q[1] + DAMPING * qd[1]
    assert INERTIA * (qdd[0] + qdd[1]) == pytest.approx(-spring, rel=1e-12)
    assert tau[0] == pytest.approx(MOTOR * 2.0 - spring, rel=1e-12)
