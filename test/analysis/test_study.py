# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: limits with time and margin, and the largest speed factor; closed forms."""

from dataclasses import replace
import json
import math

import numpy as np
import pytest
from simulated_arms import six_axis, slider

import kane_dynamics as kd
from kane_dynamics.analysis.report.report_page import report_page
from kane_dynamics.analysis.study.link_beam import beam_of, section_beam
from kane_dynamics.analysis.study.loads import loads_of
from kane_dynamics.analysis.study.speed_factor import FASTEST
from kane_dynamics.analysis.study.study import analyse, HeldPayload, judge, Study
from kane_dynamics.analysis.study.verdict import total_within, verdict, within, within_range
from kane_dynamics.commands.analyze import as_json, text
from kane_dynamics.model.flexible.material import MATERIALS
from kane_dynamics.model.structure.links_and_joints import LimitArrays
from kane_dynamics.trajectory.motion import Motion
from kane_dynamics.trajectory.moves import plan_move

G = 9.81


def study_of_slider(axis='1 0 0', effort=1e9, velocity=1e9, profile='triangular', **more):
    """Return 2 kg moved by 0.6 m in 0.5 s."""
    robot = slider(axis=axis, upper=10.0)
    t = np.linspace(0.0, 0.5, 1001)
    motion = Motion(t, *plan_move([0.0], [0.6], duration=0.5, profile=profile).sample_many(t))
    limits = LimitArrays(*(np.array([value]) for value in (
        -1.0, 10.0, velocity, effort, math.inf, math.inf)))
    return Study(name='lift', dynamics=kd.Dynamics(robot), motion=motion, frame='block',
                 limits=limits, **more)


# -- checks --------------------------------------------------------------------------------------

def test_a_check_has_the_worst_instant_the_first_one_and_the_fraction_beyond():
    t = np.linspace(0.0, 1.0, 1001)
    found = within('joint', 'torque', t, 10.0 * np.sin(2 * np.pi * t), 5.0, 'N m')
    assert not found.passed and found.usage == pytest.approx(2.0)
    assert found.margin == pytest.approx(-1.0)
    assert found.time == pytest.approx(0.25) and abs(found.value) == pytest.approx(10.0)
    assert found.first == pytest.approx(1 / 12, abs=2e-3)   # sin = 1/2
    assert found.fraction == pytest.approx(2 / 3, abs=5e-3)
    assert 'exceeds' in str(found) and '-100 %' in str(found)


def test_a_limit_that_is_just_reached_holds():
    t = np.linspace(0.0, 1.0, 11)
    assert within('a', 'speed', t, np.linspace(0.0, 3.0, 11), 3.0, 'rad/s').passed
    assert within('a', 'speed', t, np.zeros(11), 0.0, 'rad/s').passed
    assert not within('a', 'speed', t, np.full(11, 1e-6), 0.0, 'rad/s').passed


@pytest.mark.parametrize(('broken', 'word'), [
    (math.nan, 'not a number'), (math.inf, 'infinite'), (-math.inf, 'infinite')])
def test_a_check_that_cannot_be_computed_fails_with_its_reason(broken, word):
    t = np.linspace(0.0, 1.0, 11)
    values = np.linspace(0.0, 0.5, 11)
    values[4:6] = broken
    for found in (within('a', 'speed', t, values, 3.0, 'rad/s'),
                  within('a', 'speed', t, values, math.inf, 'rad/s'),
                  within_range('a', 'position', t, values, -1.0, 3.0, 'rad')):
        assert not found.passed and found.time == found.first == 0.4
        assert found.fraction == pytest.approx(2 / 11)
        assert found.reason == f'cannot be computed: {word} at t = 0.400 s'
        assert found.reason in str(found)
        # also among others, whatever their order
        good = within('b', 'speed', t, t, 3.0, 'rad/s')
        for checks in ((good, found), (found, good)):
            assert verdict(checks).worst is found and not verdict(checks).computed
    total = total_within('arm', 'energy', broken, 5.0, 'J')
    assert not total.passed and total.reason == f'cannot be computed: {word}'
    assert within('a', 'speed', t, t, 3.0, 'rad/s').reason is None


@pytest.mark.parametrize('effort', [1e9, math.inf])
def test_a_motion_without_a_torque_is_answered_with_no_in_page_terminal_and_json(effort):
    study = study_of_slider(effort=effort)
    qdd = study.motion.qdd.copy()
    qdd[300] = math.nan
    found = analyse(replace(study, motion=replace(study.motion, qdd=qdd)))
    assert not found.verdict.passed and found.speed_factor.alpha is None
    reason = 'cannot be computed: not a number at t = 0.150 s'
    lines = text(found).splitlines()
    assert lines[0].startswith('NO: “lift” cannot be judged')
    row, = (line for line in lines if line.startswith('  FAIL'))
    assert 'rail' in row and row.endswith(reason)
    data = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert data['passed'] is False
    check, = (check for check in data['checks'] if not check['passed'])
    assert check['reason'] == reason and check['value'] is None and check['kind'] == 'torque'
    page = report_page(found)
    assert '<div class="word">NO</div>' in page and page.count(reason) == 2


def test_a_range_is_used_up_at_either_end():
    t = np.array([0.0, 1.0, 2.0])
    found = within_range('a', 'position', t, np.array([0.0, 1.9, -1.2]), -1.0, 3.0, 'rad')
    assert not found.passed and found.time == 2.0 and found.limit == -1.0
    assert found.usage == pytest.approx(1.1)
    assert within_range('a', 'position', t, np.array([1.0, 3.0, -1.0]), -1.0, 3.0, 'rad').passed


def test_the_verdict_puts_the_worst_first_but_a_position_within_its_range_last():
    t = np.array([0.0, 1.0])
    one = within('a', 'torque', t, np.array([0.0, 3.0]), 10.0, 'N m')
    two = within_range('b', 'position', t, np.array([0.0, 0.9]), -1.0, 1.0, 'rad')
    three = total_within('c', 'energy', 5.0, 10.0, 'J')
    found = verdict([one, two, three])
    assert [check.subject for check in found.checks] == ['b', 'c', 'a']
    assert found.worst is three and found.passed and found.of('a') == (one,)
    beyond = within_range('b', 'position', t, np.array([0.0, 1.1]), -1.0, 1.0, 'rad')
    assert verdict([one, beyond]).worst is beyond


# -- speed factor ------------------------------------------------------------------------------

@pytest.mark.parametrize('factor', [0.3, 1.7])
def test_loads_at_another_speed_are_those_of_the_faster_motion(factor):
    study = loaded_study()
    loads = loads_of(study.dynamics, study.motion)
    found = loads.at_speed(study.dynamics, factor)
    # the same move planned for the other duration
    t = np.linspace(0.0, 1.0 / factor, len(study.motion))
    move = plan_move(study.motion.q[0], study.motion.q[-1], duration=t[-1], profile='quintic')
    expected = loads_of(study.dynamics, Motion(t, *move.sample_many(t)))
    np.testing.assert_allclose(found.motion.t, t, atol=1e-12)
    np.testing.assert_allclose(found.tau, expected.tau, atol=1e-8)
    for link, wrench in expected.wrenches.items():
        np.testing.assert_allclose(found.wrenches[link], wrench, atol=1e-8)
    for link, states in expected.links.items():
        for mine, theirs in zip(found.links[link], states):
            np.testing.assert_allclose(mine, theirs, atol=1e-8)


def test_loads_at_rest_are_those_of_a_motion_that_stands_still():
    study = loaded_study()
    found = loads_of(study.dynamics, study.motion).at_rest(study.dynamics)
    q, still = study.motion.q[:1], np.zeros((1, study.robot.n_joints))
    expected = loads_of(study.dynamics, Motion(np.zeros(1), q, still, still))
    np.testing.assert_allclose(found.tau, expected.tau, atol=1e-12)
    for link, states in expected.links.items():
        for mine, theirs in zip(found.links[link], states):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)


def test_on_a_level_rail_force_grows_with_the_square_of_the_speed():
    peak = 2 * 4 * 0.6 / 0.5**2                             # m a, a = 4 L / T^2
    found = analyse(study_of_slider(effort=100.0))
    assert found.verdict.passed and found.speed_factor.alpha == pytest.approx(
        math.sqrt(100.0 / peak), rel=0.003)
    assert found.speed_factor.binding.kind == 'torque'
    slower = analyse(study_of_slider(effort=10.0))
    assert not slower.verdict.passed and slower.speed_factor.alpha == pytest.approx(
        math.sqrt(10.0 / peak), rel=0.003)
    # and it does fit then
    t = np.linspace(0.0, 0.5 / slower.speed_factor.alpha, 1001)
    move = plan_move([0.0], [0.6], duration=t[-1], profile='triangular')
    assert judge(slower.study, Motion(t, *move.sample_many(t))).passed


def test_on_a_vertical_rail_the_weight_is_there_at_any_speed():
    effort, a = 2 * (G + 30.0), 4 * 0.6 / 0.5**2
    found = analyse(study_of_slider('0 0 1', effort))
    assert found.speed_factor.alpha == pytest.approx(math.sqrt(30.0 / a), rel=0.003)
    hopeless = analyse(study_of_slider('0 0 1', 0.9 * 2 * G))
    assert hopeless.speed_factor.alpha == 0.0 and hopeless.speed_factor.binding.kind == 'torque'


def test_speed_limits_the_speed_factor_in_proportion():
    found = analyse(study_of_slider(velocity=3.0))
    assert found.speed_factor.alpha == pytest.approx(3.0 / (2 * 0.6 / 0.5), rel=0.003)
    assert found.speed_factor.binding.kind == 'speed'


def test_without_a_limit_in_reach_the_factor_ends_where_the_search_does():
    found = analyse(study_of_slider())
    assert found.speed_factor.alpha == FASTEST and found.speed_factor.binding is None


def test_no_speed_factor_helps_where_the_path_leaves_the_range():
    study = study_of_slider()
    short = LimitArrays(*(np.array([value]) for value in (
        0.0, 0.5, 9.0, 9e9, math.inf, math.inf)))
    found = analyse(replace(study, limits=short))
    assert found.speed_factor.alpha == 0.0 and found.speed_factor.binding.kind == 'position'
    assert found.verdict.worst.kind == 'position'


# -- all together --------------------------------------------------------------------------------

def loaded_study():
    robot = six_axis()
    t = np.linspace(0.0, 1.0, 501)
    motion = Motion(t, *plan_move(np.array([0.0, 0.2, -0.4, 0.0, 0.5, 0.0]),
                                  np.array([1.2, 0.8, 0.1, 0.9, -0.5, 1.0]), duration=1.0,
                                  profile='quintic').sample_many(t))
    payload = HeldPayload('tool0', 3.0, np.array([0.0, 0.0, 0.1]), np.zeros((3, 3)), 60.0, 8.0)
    motor = kd.DcMotor(0.07, 0.35, rotor_inertia=3e-5, max_voltage=48.0, max_current=20.0,
                       continuous_current=6.0, max_speed=800.0, thermal_resistance=2.0,
                       thermal_time=40.0, max_temperature_rise=90.0)
    drives = {name: kd.DcDrive(motor, kd.Gear(100.0, 0.8, max_torque=140.0, rated_torque=60.0))
              for name in robot.joint_names}
    beams = (beam_of(robot, 'upper_arm', 'tube', {'outer_radius': 0.04, 'inner_radius': 0.036},
                     MATERIALS['6082-T6']),)
    loaded = robot.with_payload(3.0, [0.0, 0.0, 0.1], None, 'tool0')
    return Study(name='swing', dynamics=kd.Dynamics(loaded, kd.Friction.of(robot)), motion=motion,
                 frame='tool0', payloads=(payload,), drives=drives, beams=beams, max_energy=300.0,
                 max_deflection=5e-3)


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
    found = analyse(loaded_study(), find_speed_factor=False)
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
    assert found.speed_factor.alpha is None
    assert found.tip[-1] == pytest.approx(dyn.frame_pose('tool0', motion.q[-1])[1])


def test_a_study_refuses_a_section_heavier_than_its_link_however_it_was_built():
    study = study_of_slider()
    bar = section_beam('block', 'round', {'radius': 0.2}, MATERIALS['S355'], np.zeros(3),
                       np.array([0.0, 0.0, 0.5]))
    assert bar.mass > study.robot.link('block').inertial.mass
    with pytest.raises(kd.InputError, match="section of 'block': it weighs .* correct"):
        analyse(replace(study, beams=(bar,)))


def test_a_section_of_a_link_that_a_spring_pulls_is_refused():
    study = study_of_slider()
    bar = section_beam('block', 'round', {'radius': 0.001}, MATERIALS['S355'], np.zeros(3),
                       np.array([0.0, 0.0, 0.5]))
    analyse(replace(study, beams=(bar,)))
    ends = ((study.robot.root, (0.0, 0.3, 0.0)), ('block', (0.0, 0.0, 0.5)))
    pulled = study.robot.with_springs(kd.LinkSpring(stiffness=100.0, ends=ends))
    with pytest.raises(kd.InputError, match="section of 'block': a spring between links acts"):
        analyse(replace(study, dynamics=kd.Dynamics(pulled), beams=(bar,)))


def test_missing_limits_are_reported():
    found = analyse(replace(study_of_slider(effort=math.inf), limits=None))
    said = ' '.join(found.verdict.unjudged)
    assert 'no motors are given' in said and 'no sections are given' in said
    infinite = LimitArrays(*(np.array([value]) for value in (
        -1.0, 10.0, math.inf, math.inf, math.inf, math.inf)))
    found = analyse(replace(study_of_slider(), limits=infinite))
    said = ' '.join(found.verdict.unjudged)
    assert 'no torque limit is given for rail' in said and 'no speed limit' in said
