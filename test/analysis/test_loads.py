# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loads of a motion on joints, grips and links, and work; closed forms and Pinocchio."""

from dataclasses import replace
import math

import numpy as np
import pytest
from simulated_arms import six_axis, slider

import kane_dynamics as kd
from kane_dynamics.analysis.study.link_beam import beam_of, flexible_beams, section_beam
from kane_dynamics.analysis.study.link_deflection import tip_deflection, vibration_bound
from kane_dynamics.analysis.study.link_states import link_states
from kane_dynamics.analysis.study.loads import held_wrench, link_stress, loads_of
from kane_dynamics.analysis.study.power import (
    absolute_work, integral, joint_uses, rms, running_integral)
from kane_dynamics.analysis.study.verdict import stress_checks
from kane_dynamics.analysis.vukobratovic.influence import InfluenceModel
from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.material import Material, MATERIALS
from kane_dynamics.model.flexible.section import rectangular_tube, tube
from kane_dynamics.model.flexible.strength import moduli, stress
from kane_dynamics.trajectory.motion import Motion
from kane_dynamics.trajectory.moves import plan_move

G = 9.81
BOOK_TUBE = {'outer_radius': 0.02, 'inner_radius': 0.015}


def motion_of(move, count=2001):
    t = np.linspace(0.0, move.duration, count)
    return Motion(t, *move.sample_many(t))


def swing(count=2001):
    """Return a quick move of the six-axis arm."""
    return motion_of(plan_move(np.array([0.0, -0.5, 0.5, 0.0, 0.5, 0.0]),
                               np.array([0.8, 0.1, -0.2, 0.9, -0.5, 1.0]), duration=0.6,
                               profile='quintic'), count)


# -- joints and grip -----------------------------------------------------------------------------

def test_the_wrench_through_each_joint_is_pinocchio_s():
    pinocchio = pytest.importorskip('pinocchio')
    robot, motion = six_axis(), swing(21)
    loads = loads_of(kd.Dynamics(robot), motion)
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    data = model.createData()
    for k in range(len(motion)):
        pinocchio.rnea(model, data, motion.q[k], motion.qd[k], motion.qdd[k])
        for j, joint in enumerate(robot.independent_joints):
            # joint frames of this arm are those of the links they move
            assert loads.wrenches[joint.child][k] == pytest.approx(data.f[j + 1].vector, abs=1e-9)


def test_the_grip_holds_the_payload_by_the_rates_of_its_momenta():
    robot, motion = six_axis(), swing(6001)
    dyn = kd.Dynamics(robot)
    mass, com = 2.5, np.array([0.03, -0.02, 0.11])
    inertia = np.array([[0.02, 0.001, 0.0], [0.001, 0.015, 0.002], [0.0, 0.002, 0.03]])
    found = held_wrench(link_states(robot, motion)['tool0'], robot.gravity, mass, com, inertia)
    # another method: differences of momentum and angular momentum of the body in space
    R, p = dyn.frame_pose_many('tool0', motion.q)
    w = np.einsum('nij,nj->ni', dyn.frame_jacobian_many('tool0', motion.q)[:, 3:], motion.qd)
    centre = p + R @ com
    h = motion.t[1]
    force = mass * (np.gradient(np.gradient(centre, h, axis=0, edge_order=2), h, axis=0,
                                edge_order=2) - robot.gravity)
    spin = np.einsum('nij,nj->ni', R @ inertia @ R.transpose(0, 2, 1), w)
    moment = np.gradient(spin, h, axis=0, edge_order=2) + np.cross(centre - p, force)
    inside = slice(50, -50)                                 # differences are poor at the ends
    for values, columns in ((force, slice(0, 3)), (moment, slice(3, 6))):
        seen = np.einsum('nji,nj->ni', R, values)[inside]
        # central differences of twice the step: h^2 / 3 of the fourth derivative, about 1e-5
        assert abs(found[inside, columns] - seen).max() < 2e-4 * abs(seen).max()


def test_the_grip_carries_what_the_payload_adds_to_the_last_joint():
    robot, motion = six_axis(), swing(51)
    mass, com, inertia = 2.5, [0.03, -0.02, 0.11], np.diag([0.02, 0.015, 0.03])
    grip = held_wrench(link_states(robot, motion)['tool0'], robot.gravity, mass, com, inertia)
    loaded = robot.with_payload(mass, com, inertia, 'tool0')
    more = (loads_of(kd.Dynamics(loaded), motion).wrenches['flange']
            - loads_of(kd.Dynamics(robot), motion).wrenches['flange'])
    assert np.linalg.norm(more[:, :3], axis=1) == pytest.approx(
        np.linalg.norm(grip[:, :3], axis=1), rel=1e-9)


def test_loads_of_a_flexible_arm_are_refused_with_a_remedy(tmp_path):
    robot = kd.load_urdf('urdf/flexible_single_link.urdf')
    with pytest.raises(kd.InputError, match='rigid'):
        loads_of(kd.Dynamics(robot), None)


# -- stress --------------------------------------------------------------------------------------

def test_the_book_s_tube_bears_the_moment_of_the_notes():
    # Vukobratovic-Potkonjak 1982: tube 0.02/0.015 m, AlMg3, k = 5: 252.8 N m
    tube, material = moduli('tube', BOOK_TUBE), MATERIALS['AlMg3']
    assert tube.A == pytest.approx(5.4978e-4, rel=1e-4)
    assert tube.W_y == pytest.approx(4.2951e-6, rel=1e-4)
    assert tube.W_t == pytest.approx(8.5903e-6, rel=1e-4)
    assert material.strength / 5 * tube.W_y == pytest.approx(252.8, abs=0.05)
    assert material.density * tube.A == pytest.approx(1.48440, rel=1e-4)


@pytest.mark.parametrize(('ratio', 'k'), [
    # Timoshenko and Goodier 1970, art. 109: M = k2 a b^2 tau, three digits
    (1.0, 0.208), (1.5, 0.231), (2.0, 0.246), (3.0, 0.267), (10.0, 0.312)])
def test_a_solid_rectangle_resists_torsion_as_tabulated(ratio, k):
    found = moduli('rectangle', {'width': ratio, 'height': 1.0}).W_t
    assert found / ratio == pytest.approx(k, abs=6e-4)
    assert found == pytest.approx(moduli('rectangle', {'width': 1.0, 'height': ratio}).W_t)


def test_a_rectangular_tube_is_a_rectangle_less_a_rectangle_and_bredt_in_torsion():
    A, I_y, I_z, J = rectangular_tube(0.06, 0.1, 0.004)
    assert A == pytest.approx(0.06 * 0.1 - 0.052 * 0.092)
    assert I_y == pytest.approx((0.06 * 0.1**3 - 0.052 * 0.092**3) / 12)
    assert I_z == pytest.approx((0.1 * 0.06**3 - 0.092 * 0.052**3) / 12)
    # a thin square tube: J = t (side)^3; the book's I_y + I_z is 4/3 times that, too stiff
    thin = rectangular_tube(0.1, 0.1, 1e-4)
    assert thin.J == pytest.approx(1e-4 * 0.0999**3)
    assert (thin.I_y + thin.I_z) / thin.J == pytest.approx(4 / 3, rel=1e-3)
    with pytest.raises(ModelError, match='half'):
        rectangular_tube(0.01, 0.1, 0.005)


def test_stresses_add_where_a_fibre_feels_them_together():
    box = moduli('rectangular_tube', {'width': 0.06, 'height': 0.1, 'wall': 0.004})
    found = stress(box, 1000.0, -40.0, 300.0, -200.0)
    assert found.normal == pytest.approx(1000.0 / box.A + 300.0 / box.W_y + 200.0 / box.W_z)
    assert found.shear == pytest.approx(40.0 / (2 * 0.056 * 0.096 * 0.004))
    assert found.equivalent == pytest.approx(math.sqrt(found.normal**2 + 3 * found.shear**2))
    tube = moduli('tube', BOOK_TUBE)
    assert stress(tube, 0.0, 0.0, 30.0, 40.0).normal == pytest.approx(50.0 / tube.W_y)


def crane(offset=0.0, centre=0.0):
    """Return a level boom of 1.2 m, 6 kg, on a vertical axis, with 10 kg at its end.

    offset, centre: of the 10 kg and of the boom's mass centre, sideways [m].
    """
    return kd.load_urdf(f"""<robot name="crane"><link name="base"/>
      <link name="boom"><inertial><origin xyz="0.6 {centre} 0"/><mass value="6"/><inertia
        ixx="0.01" iyy="0.72" izz="0.72" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="hook"><inertial><origin xyz="0 {offset} 0"/><mass value="10"/><inertia ixx="0.01"
        iyy="0.012" izz="0.013" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="slew" type="revolute"><parent link="base"/><child link="boom"/>
        <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
      <joint name="twist" type="revolute"><parent link="boom"/><child link="hook"/>
        <origin xyz="1.2 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="100" velocity="3"/></joint></robot>""")


def test_a_level_boom_at_rest_bends_by_the_weights_it_carries():
    robot = crane(offset=0.3)
    rest = Motion(np.array([0.0, 1.0]), *np.zeros((3, 2, 2)))
    loads = loads_of(kd.Dynamics(robot), rest)
    beam = beam_of(robot, 'boom', 'tube', BOOK_TUBE, MATERIALS['AlMg3'])
    assert beam.length == pytest.approx(1.2)
    found = link_stress(robot, loads, beam)
    bending = 6 * G * 0.6 + 10 * G * 1.2
    assert found.normal[0] == pytest.approx(bending / beam.moduli.W_y, rel=1e-9)
    assert found.shear[0] == pytest.approx(10 * G * 0.3 / beam.moduli.W_t, rel=1e-9)


def test_the_tip_of_a_beam_is_looked_at_too():
    # counterweight: the moment at the root cancels, the one at the tip does not
    robot = crane(offset=0.0)
    rest = Motion(np.array([0.0]), *np.zeros((3, 1, 2)))
    loads = loads_of(kd.Dynamics(robot), rest)
    wrenches = dict(loads.wrenches)
    wrenches['boom'] = np.zeros((1, 6))
    wrenches['hook'] = np.array([[0, 0, 0, 0, 25.0, 0]])
    beam = beam_of(robot, 'boom', 'tube', BOOK_TUBE, MATERIALS['AlMg3'])
    found = link_stress(robot, replace(loads, wrenches=wrenches), beam)
    assert found.normal[0] == pytest.approx(25.0 / beam.moduli.W_y)


def test_torsion_is_that_of_the_end_with_more_torsion():
    # 10 kg next to the tip, balanced by the boom's own 6 kg: no torsion at the root, all of the
    # bending; at the tip 10 kg x 0.3 m of torsion and no bending
    robot = crane(offset=0.3, centre=-0.5)
    rest = Motion(np.array([0.0]), *np.zeros((3, 1, 2)))
    loads = loads_of(kd.Dynamics(robot), rest)
    material = replace(MATERIALS['AlMg3'], shear_strength=5e6)
    beam = beam_of(robot, 'boom', 'tube', BOOK_TUBE, material)
    found = link_stress(robot, loads, beam)
    torsion = 10 * G * 0.3 / beam.moduli.W_t
    bending = (6 * G * 0.6 + 10 * G * 1.2) / beam.moduli.W_y
    assert found.shear[0] == pytest.approx(torsion, rel=1e-9)
    assert found.normal[0] == pytest.approx(bending, rel=1e-9)
    # not of both at once: they are at different ends
    assert found.equivalent[0] == pytest.approx(bending, rel=1e-9)
    normal, shear = stress_checks(beam, rest.t, found, 2.0)
    assert torsion > 2.5e6 and not shear.passed and shear.value == pytest.approx(torsion)


def test_a_turned_child_hands_its_load_over_in_the_link_s_axes():
    # the hook turned by 90 degrees: a moment about its x is one about the boom's y
    robot = crane(offset=0.3)
    q = np.array([[0.0, math.pi / 2]])
    loads = loads_of(kd.Dynamics(robot), Motion(np.array([0.0]), q, 0 * q, 0 * q))
    beam = beam_of(robot, 'boom', 'tube', BOOK_TUBE, MATERIALS['AlMg3'])
    found = link_stress(robot, loads, beam)
    # the weight now sits 0.3 m back along the boom: no torsion, less bending
    assert found.shear[0] == pytest.approx(0.0, abs=1e-6 * found.normal[0])
    assert found.normal[0] == pytest.approx((6 * G * 0.6 + 10 * G * 0.9) / beam.moduli.W_y)


@pytest.mark.parametrize(('arguments', 'words'), [
    ((six_axis, 'tool0', 'tube', BOOK_TUBE), 'tip'),
    ((six_axis, 'upper_arm', 'rectangle', {'width': 0.1, 'height': 0.2}), 'normal'),
    ((six_axis, 'upper_arm', 'pipe', BOOK_TUBE), 'tube, round'),
    ((six_axis, 'upper_arm', 'tube', {'radius': 1.0}), 'outer_radius'),
    ((six_axis, 'upper_leg', 'tube', BOOK_TUBE), 'upper_arm'),
])
def test_a_section_that_does_not_fit_its_link_is_refused_with_what_is_missing(arguments, words):
    make, *rest = arguments
    with pytest.raises(ValueError) as error:
        beam_of(make(), *rest, MATERIALS['AlMg3'])
    assert words in str(error.value)


# -- work ----------------------------------------------------------------------------------------

def lift(height, duration, profile='triangular'):
    robot = slider(upper=10.0)
    motion = motion_of(plan_move([0.0], [height], duration=duration, profile=profile), 20001)
    return motion, kd.Dynamics(robot).inverse_many(motion.q, motion.qd, motion.qdd)


def test_lifting_and_lowering_costs_twice_the_height_in_absolute_work_and_nothing_net():
    up, tau_up = lift(0.6, 10.0)
    down = Motion(up.t + 10.0, up.q[::-1], -up.qd[::-1], up.qdd[::-1])
    both = Motion(*(np.concatenate(pair) for pair in zip(
        (up.t[:-1], up.q[:-1], up.qd[:-1], up.qdd[:-1]),
        (down.t, down.q, down.qd, down.qdd))))
    tau = np.concatenate([tau_up[:-1], tau_up[::-1]])
    use, = joint_uses(both, tau)
    # so slowly that inertia counts for nothing: 2 kg over 0.6 m
    assert use.absolute_work == pytest.approx(2 * 2 * G * 0.6, rel=1e-3)
    assert use.driving_work == pytest.approx(2 * G * 0.6, rel=1e-3)
    assert use.net_work == pytest.approx(0.0, abs=1e-3)
    assert absolute_work(both.q, tau)[0] == pytest.approx(use.absolute_work, rel=1e-6)


def test_the_book_s_sum_is_the_integral_of_absolute_power():
    # level axis: half m v^2 to speed up, the same to brake
    robot = slider(axis='1 0 0', upper=10.0)
    motion = motion_of(plan_move([0.0], [0.6], duration=0.5, profile='triangular'), 20001)
    tau = kd.Dynamics(robot).inverse_many(motion.q, motion.qd, motion.qdd)
    peak = 2 * 0.6 / 0.5                                    # v_max = 2 L / T
    assert absolute_work(motion.q, tau)[0] == pytest.approx(2 * 0.5 * 2 * peak**2, rel=1e-3)
    use, = joint_uses(motion, tau)
    assert use.driving_work == pytest.approx(0.5 * 2 * peak**2, rel=1e-3)
    assert use.peak_speed == pytest.approx(peak) and use.peak_speed_time == pytest.approx(0.25)
    assert use.peak_torque == pytest.approx(2 * 4 * 0.6 / 0.5**2)
    assert use.rms_torque == pytest.approx(use.peak_torque, rel=1e-3)
    assert use.peak_power == pytest.approx(-use.least_power, rel=1e-3)


def test_root_mean_square_weighs_by_time_not_by_samples():
    t = np.concatenate([np.linspace(0.0, 1.0, 11), np.linspace(1.0, 2.0, 1001)[1:]])
    assert rms(t, np.sin(2 * np.pi * t))**2 == pytest.approx(0.5, abs=2e-2)
    assert rms(t, np.where(t <= 1.0, 3.0, 1.0))**2 == pytest.approx(5.0, rel=1e-2)


def test_integrals_of_a_linear_power_are_exact_at_uneven_times():
    t = np.array([0.0, 0.1, 0.4, 1.0])
    rows = np.column_stack([3.0 * t, 2.0 - t])
    np.testing.assert_allclose(integral(t, rows), [1.5, 1.5])
    np.testing.assert_allclose(running_integral(t, rows),
                               np.column_stack([1.5 * t**2, 2.0 * t - 0.5 * t**2]))


# -- deflection ----------------------------------------------------------------------------------

def cantilever(mass):
    """Return the 1 m tube of the notes (0.02/0.015 m, AlMg3), level, with a mass at its tip."""
    m = 1.48440
    load = f"""<inertial><mass value="{mass}"/><inertia ixx="1e-3" iyy="1.1e-3" izz="1.2e-3"
        ixy="0" ixz="0" iyz="0"/></inertial>""" if mass else ''
    return kd.load_urdf(f"""<robot name="cantilever"><link name="base"/>
      <link name="tube"><inertial><origin xyz="0.5 0 0"/><mass value="{m}"/><inertia ixx="0.0005"
        iyy="{m / 12}" izz="{m / 12}" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="load">{load}</link>
      <joint name="pan" type="revolute"><parent link="base"/><child link="tube"/>
        <axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1e3" velocity="9"/></joint>
      <joint name="grip" type="fixed"><parent link="tube"/><child link="load"/>
        <origin xyz="1 0 0"/></joint></robot>""")


def deflection_of(robot, motion, frame='load'):
    beam = beam_of(robot, 'tube', 'tube', BOOK_TUBE, MATERIALS['AlMg3'])
    return tip_deflection(robot, loads_of(kd.Dynamics(robot), motion), (beam,), frame)


def test_the_notes_cantilever_sags_by_the_exact_values():
    rest = Motion(np.array([0.0]), *np.zeros((3, 1, 1)))
    # w L^4 / 8 EI alone; with 5 kg at the tip 2.4252e-3 more
    assert deflection_of(cantilever(0.0), rest).u[0] == pytest.approx(
        [0, 0, -2.700e-4], abs=1e-7)
    found = deflection_of(cantilever(5.0), rest)
    assert found.u[0] == pytest.approx([0, 0, -2.6952e-3], abs=1e-6)
    EI, w = 7.848e10 * 8.5903e-8, 1.48440 * G
    assert found.phi[0] == pytest.approx([0, 5 * G / (2 * EI) + w / (6 * EI), 0], rel=1e-4)


def test_a_spun_up_cantilever_lags_behind():
    # alpha about z: the tip mass asks for m L alpha across, the tube's own for a part of it
    robot, alpha = cantilever(5.0), 10.0
    motion = Motion(np.array([0.0]), np.zeros((1, 1)), np.zeros((1, 1)), np.array([[alpha]]))
    found = deflection_of(robot, motion)
    EI = 7.848e10 * 8.5903e-8
    # the load's own inertia about z, 1.2e-3 kg m^2, is a moment at the tip
    exact = 5 * alpha / (3 * EI) + 1.4844 * alpha * 11 / 120 / EI + 1.2e-3 * alpha / (2 * EI)
    assert found.u[0, 1] == pytest.approx(-exact, rel=1e-4)


def test_torsion_rotates_a_mass_off_the_axis():
    robot = crane(offset=0.3)
    rest = Motion(np.array([0.0]), *np.zeros((3, 1, 2)))
    beam = beam_of(robot, 'boom', 'tube', BOOK_TUBE, MATERIALS['AlMg3'])
    found = tip_deflection(robot, loads_of(kd.Dynamics(robot), rest), (beam,), 'hook')
    GJ = MATERIALS['AlMg3'].G * 2 * 8.5903e-8
    assert found.phi[0, 0] == pytest.approx(-10 * G * 0.3 * 1.2 / GJ, rel=1e-4)


def test_deflection_agrees_with_influence_coefficients_on_an_arm_in_motion():
    # the beams of <flexible_link>, lumped in 24 pieces: other code, other loads
    robot = kd.load_urdf('urdf/flexible_3r.urdf')
    rigid = robot.rigid()
    q, qd, qdd = np.array([[0.4, -0.5, 0.9]]), np.array([[0.3, -0.4, 0.5]]), np.array(
        [[1.0, 2.0, -1.5]])
    model = InfluenceModel(robot, 24)
    frame = robot.leaves()[-1]
    other = model.quasi_static(q[0], qd[0], qdd[0])[frame]
    loads = loads_of(kd.Dynamics(rigid), Motion(np.array([0.0]), q, qd, qdd))
    # and once more with sections: any tube whose material makes it as stiff and as heavy
    tubes = []
    for beam in flexible_beams(robot):
        section = {'outer_radius': 0.05, 'inner_radius': 0.049}
        A, second, _, J = tube(**section)
        poisson = beam.stiffness['EI_y'] * J / (2 * beam.stiffness['GJ'] * second) - 1
        material = Material(beam.stiffness['EI_y'] / second, poisson,
                            beam.mass / beam.length / A, 1e8)
        tubes.append(section_beam(beam.link, 'tube', section, material, beam.root, beam.tip))
    for beams in (flexible_beams(robot), tubes):
        found = tip_deflection(rigid, loads, beams, frame)
        # 24 pieces: the error of lumping falls with their square
        assert found.u[0] == pytest.approx(other.u, abs=2e-3 * np.linalg.norm(other.u))
        assert found.phi[0] == pytest.approx(other.phi, abs=2e-3 * np.linalg.norm(other.phi))


def test_vibration_adds_at_most_the_jumps_of_the_deflection():
    robot = cantilever(5.0)
    EI = 7.848e10 * 8.5903e-8
    t = np.linspace(0.0, 1.0, 1001)
    for profile, jumps in (('quintic', 0), ('triangular', 3)):
        move = plan_move(np.zeros(1), np.ones(1), duration=1.0, profile=profile)
        motion = Motion(t, *move.sample_many(t))
        found = deflection_of(robot, motion)
        still = Motion(t[:1], motion.q[:1], np.zeros((1, 1)), np.zeros((1, 1)))
        bound = vibration_bound(motion, found.u, deflection_of(robot, still).u[0])
        if jumps == 0:
            assert bound == pytest.approx(found.size, rel=1e-9)
            continue
        # a = 4 rad/s^2 on, turned round, off: 1 + 2 + 1 times its deflection
        one = 4.0 * (5 / 3 + 1.4844 * 11 / 120 + 1.2e-3 / 2) / EI
        assert bound[-1] - found.size[-1] == pytest.approx(4 * one, rel=1e-3)
        assert bound[10] - found.size[10] == pytest.approx(one, rel=1e-3)
        assert bound[600] - found.size[600] == pytest.approx(3 * one, rel=1e-3)
