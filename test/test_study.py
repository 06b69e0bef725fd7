# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: limits found with their time and margin, and the pace that just fits; closed forms."""

from dataclasses import replace
import math

import numpy as np
import pytest
from simulated_arms import six_axis, slider

import kane_dynamics as kd
from kane_dynamics.analysis.link_beam import beam_of
from kane_dynamics.analysis.pace import FASTEST
from kane_dynamics.analysis.sizing import checked, checked_range, checked_total, verdict
from kane_dynamics.analysis.study import analyse, judge, Payload, Study
from kane_dynamics.model.material import MATERIALS
from kane_dynamics.model.parts import LimitArrays
from kane_dynamics.motion import plan_move
from kane_dynamics.motion.recording import Motion

G = 9.81


def study_of_slider(axis='1 0 0', effort=1e9, velocity=1e9, law='triangular', **more):
    """Return 2 kg moved by 0.6 m in 0.5 s."""
    robot = slider(axis=axis, upper=10.0)
    t = np.linspace(0.0, 0.5, 1001)
    motion = Motion(t, *plan_move([0.0], [0.6], duration=0.5, law=law).sample_many(t))
    limits = LimitArrays(*(np.array([value]) for value in (-1.0, 10.0, velocity, effort)))
    return Study('lift', kd.Dynamics(robot), motion, 'block', limits=limits, **more)


# -- checks --------------------------------------------------------------------------------------

def test_a_check_tells_the_worst_moment_the_first_one_and_how_long():
    t = np.linspace(0.0, 1.0, 1001)
    found = checked('joint', 'torque', t, 10.0 * np.sin(2 * np.pi * t), 5.0, 'N m')
    assert not found.passed and found.usage == pytest.approx(2.0)
    assert found.margin == pytest.approx(-1.0)
    assert found.time == pytest.approx(0.25) and abs(found.value) == pytest.approx(10.0)
    assert found.first == pytest.approx(1 / 12, abs=2e-3)   # sin = 1/2
    assert found.share == pytest.approx(2 / 3, abs=5e-3)
    assert 'exceeds' in str(found) and '-100 %' in str(found)


def test_a_limit_that_is_just_reached_holds():
    t = np.linspace(0.0, 1.0, 11)
    assert checked('a', 'speed', t, np.linspace(0.0, 3.0, 11), 3.0, 'rad/s').passed
    assert checked('a', 'speed', t, np.zeros(11), 0.0, 'rad/s').passed
    assert not checked('a', 'speed', t, np.full(11, 1e-6), 0.0, 'rad/s').passed


def test_a_range_is_used_up_at_either_end():
    t = np.array([0.0, 1.0, 2.0])
    found = checked_range('a', 'position', t, np.array([0.0, 1.9, -1.2]), -1.0, 3.0, 'rad')
    assert not found.passed and found.time == 2.0 and found.limit == -1.0
    assert found.usage == pytest.approx(1.1)
    assert checked_range('a', 'position', t, np.array([1.0, 3.0, -1.0]), -1.0, 3.0, 'rad').passed


def test_the_verdict_puts_the_worst_first_but_a_position_within_its_range_last():
    t = np.array([0.0, 1.0])
    one = checked('a', 'torque', t, np.array([0.0, 3.0]), 10.0, 'N m')
    two = checked_range('b', 'position', t, np.array([0.0, 0.9]), -1.0, 1.0, 'rad')
    three = checked_total('c', 'energy', 5.0, 10.0, 'J')
    found = verdict([one, two, three])
    assert [check.subject for check in found.checks] == ['b', 'c', 'a']
    assert found.worst is three and found.passed and found.of('a') == (one,)
    beyond = checked_range('b', 'position', t, np.array([0.0, 1.1]), -1.0, 1.0, 'rad')
    assert verdict([one, beyond]).worst is beyond


# -- pace ----------------------------------------------------------------------------------------

def test_on_a_level_rail_force_grows_with_the_square_of_the_pace():
    peak = 2 * 4 * 0.6 / 0.5**2                             # m a, a = 4 L / T^2
    found = analyse(study_of_slider(effort=100.0))
    assert found.verdict.passed and found.pace.alpha == pytest.approx(
        math.sqrt(100.0 / peak), rel=0.003)
    assert found.pace.binding.kind == 'torque'
    slower = analyse(study_of_slider(effort=10.0))
    assert not slower.verdict.passed and slower.pace.alpha == pytest.approx(
        math.sqrt(10.0 / peak), rel=0.003)
    # and it does fit then
    t = np.linspace(0.0, 0.5 / slower.pace.alpha, 1001)
    move = plan_move([0.0], [0.6], duration=t[-1], law='triangular')
    assert judge(slower.study, Motion(t, *move.sample_many(t))).passed


def test_on_a_vertical_rail_the_weight_is_there_at_any_pace():
    effort, a = 2 * (G + 30.0), 4 * 0.6 / 0.5**2
    found = analyse(study_of_slider('0 0 1', effort))
    assert found.pace.alpha == pytest.approx(math.sqrt(30.0 / a), rel=0.003)
    hopeless = analyse(study_of_slider('0 0 1', 0.9 * 2 * G))
    assert hopeless.pace.alpha == 0.0 and hopeless.pace.binding.kind == 'torque'


def test_speed_limits_the_pace_in_proportion():
    found = analyse(study_of_slider(velocity=3.0))
    assert found.pace.alpha == pytest.approx(3.0 / (2 * 0.6 / 0.5), rel=0.003)
    assert found.pace.binding.kind == 'speed'


def test_without_a_limit_in_reach_the_pace_ends_where_the_search_does():
    found = analyse(study_of_slider())
    assert found.pace.alpha == FASTEST and found.pace.binding is None


def test_no_pace_helps_where_the_way_leaves_the_range():
    study = study_of_slider()
    short = LimitArrays(np.array([0.0]), np.array([0.5]), np.array([9.0]), np.array([9e9]))
    found = analyse(replace(study, limits=short))
    assert found.pace.alpha == 0.0 and found.pace.binding.kind == 'position'
    assert found.verdict.worst.kind == 'position'


# -- all together --------------------------------------------------------------------------------

def loaded_study():
    robot = six_axis()
    t = np.linspace(0.0, 1.0, 501)
    motion = Motion(t, *plan_move(np.array([0.0, 0.2, -0.4, 0.0, 0.5, 0.0]),
                                  np.array([1.2, 0.8, 0.1, 0.9, -0.5, 1.0]), duration=1.0,
                                  law='quintic').sample_many(t))
    payload = Payload('tool0', 3.0, np.array([0.0, 0.0, 0.1]), np.zeros((3, 3)), 60.0, 8.0)
    motor = kd.DcMotor(0.07, 0.35, rotor_inertia=3e-5, max_voltage=48.0, max_current=20.0,
                       continuous_current=6.0, max_speed=800.0, thermal_resistance=2.0,
                       thermal_time=40.0, max_temperature_rise=90.0)
    drives = {name: kd.DcDrive(motor, kd.Gear(100.0, 0.8, max_torque=140.0, rated_torque=60.0))
              for name in robot.joint_names}
    beams = (beam_of(robot, 'upper_arm', 'tube', {'outer_radius': 0.04, 'inner_radius': 0.036},
                     MATERIALS['6082-T6']),)
    loaded = robot.with_payload(3.0, [0.0, 0.0, 0.1], None, 'tool0')
    return Study('swing', kd.Dynamics(loaded, kd.Friction.of(robot)), motion, 'tool0', (payload,),
                 drives, beams, max_energy=300.0, max_deflection=5e-3)


def test_every_limit_that_is_given_is_judged():
    found = analyse(loaded_study())
    kinds = {(check.subject, check.kind) for check in found.verdict.checks}
    for name in found.study.robot.joint_names:
        for kind in ('position', 'speed', 'torque', 'motor current', 'motor voltage',
                     'motor speed', 'gear torque', 'motor current, r.m.s.',
                     'gear torque, r.m.s.', 'winding temperature rise'):
            assert (name, kind) in kinds
    assert {('upper_arm', 'stress'), ('upper_arm', 'torsion stress'), ('tool0', 'grip force'),
            ('tool0', 'grip moment'), ('arm', 'energy'), ('tool0', 'deflection')} <= kinds
    assert not found.verdict.unjudged


def test_numbers_of_the_analysis_follow_from_each_other():
    found = analyse(loaded_study(), pace=False)
    motion, tau = found.study.motion, found.loads.tau
    dyn = found.study.dynamics
    assert tau == pytest.approx(np.array([dyn.inverse(*row) for row in zip(
        motion.q, motion.qd, motion.qdd)]), abs=1e-9)
    # the work of the torques is the energy gained and what friction took
    power = (tau * motion.qd).sum(axis=1)
    lost = (dyn.friction.torque(motion.qd) * motion.qd).sum(axis=1)
    gained = found.energy.sum(axis=1)
    step = motion.t[1]
    work = step * (power.sum() - 0.5 * (power[0] + power[-1]))
    friction = step * (lost.sum() - 0.5 * (lost[0] + lost[-1]))
    # sums by the trapezoidal rule
    assert work - friction == pytest.approx(gained[-1] - gained[0], abs=2e-3 * abs(work))
    assert sum(use.net_work for use in found.uses) == pytest.approx(work, rel=1e-9)
    demand = found.demands['joint_2']
    assert demand.speed == pytest.approx(100.0 * motion.qd[:, 1])
    shaft = found.study.drives['joint_2'].gear.shaft_torque(tau[:, 1], motion.qd[:, 1])
    assert demand.torque == pytest.approx(shaft + 3e-5 * 100.0 * motion.qdd[:, 1])
    assert found.pace.alpha is None
    assert found.tip[-1] == pytest.approx(dyn.frame_pose('tool0', motion.q[-1])[1])


def test_what_is_not_judged_is_said():
    found = analyse(replace(study_of_slider(effort=math.inf), limits=None))
    said = ' '.join(found.verdict.unjudged)
    assert 'no motors are given' in said and 'no sections are given' in said
    infinite = LimitArrays(*(np.array([value]) for value in (-1.0, 10.0, math.inf, math.inf)))
    found = analyse(replace(study_of_slider(), limits=infinite))
    said = ' '.join(found.verdict.unjudged)
    assert 'no torque limit is given for rail' in said and 'no speed limit' in said
