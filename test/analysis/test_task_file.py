# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Task files: their meaning in numbers, and the line of every mistake in them."""

import math
from pathlib import Path
import re
import textwrap

from example_robots import example_urdf, example_urdfs
import numpy as np
import pytest
from recorded_arms import record, sines

import kane_dynamics as kd
from kane_dynamics.analysis.study.study import analyse
from kane_dynamics.analysis.task_file import read_task as task_file
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.io.csv_table import read_table, write_table
from kane_dynamics.io.marked_yaml import FileError, parse_yaml
from kane_dynamics.io.units import parse

ARM = Path(__file__).parents[2] / 'urdf' / 'six_axis.urdf'
SIX_LINES = """\
payload: {mass: 2 kg, link: tool0}
task:
  way_points:
    - [0, -90 deg, 90 deg, -90 deg, -90 deg, 0]
    - [90 deg, -60 deg, 60 deg, -90 deg, -90 deg, 0]
  duration: 2
"""
MOVE = 'task: {move: [0.1, 0, 0, 0, 0, 0], posture: zero, duration: 1}\n'


def study_of(tmp_path, text, arm=ARM, **more):
    path = tmp_path / 'task.yaml'
    path.write_text(textwrap.dedent(text))
    return read_task(path, arm, **more)


# -- meaning of a file ---------------------------------------------------------------------------

def test_six_lines_are_enough_for_an_arm_of_the_wheel(tmp_path):
    assert len(SIX_LINES.splitlines()) == 6
    found = analyse(study_of(tmp_path, SIX_LINES, example_urdf('ur5_robot.urdf')))
    assert found.verdict.passed and len(found.study.motion) == 2001
    assert found.speed_factor.alpha > 1.0
    q = found.study.motion.q
    assert q[0] == pytest.approx([0, -math.pi / 2, math.pi / 2, -math.pi / 2, -math.pi / 2, 0])
    assert q[-1] == pytest.approx([math.pi / 2, -math.pi / 3, math.pi / 3, -math.pi / 2,
                                   -math.pi / 2, 0])
    # the payload is in the torques: at rest its weight is held
    tau = found.loads.tau[0]
    bare = kd.Dynamics(kd.load_urdf(example_urdf('ur5_robot.urdf'))).gravity(q[0])
    lever = (tau - bare)[1] / (2 * 9.81)
    assert 0.1 < abs(lever) < 0.9


PANDA_LINES = """\
arm: panda
lock: {panda_finger_joint1: 20 mm}
task:
  way_points: [[0, -0.5, 0, -2, 0, 1.6, 0], [0.3, -0.5, 0, -2, 0, 1.6, 0]]
  duration: 2 s
"""


@pytest.mark.filterwarnings('ignore::kane_dynamics.KaneDynamicsWarning')
def test_an_arm_by_name_with_a_locked_gripper_has_the_joints_of_the_arm(tmp_path):
    study = study_of(tmp_path, PANDA_LINES, None)
    assert study.robot.joint_names == tuple(f'panda_joint{k}' for k in range(1, 8))
    # the finger is where it was locked: 20 mm along its axis from the hand
    finger = study.robot.joint('panda_finger_joint1')
    assert finger.kind == 'fixed' and finger.position[1] == pytest.approx(0.02)
    other = study_of(tmp_path, PANDA_LINES, None, locked={'panda_finger_joint1': 0.01})
    assert other.robot.joint('panda_finger_joint1').position[1] == pytest.approx(0.01)


@pytest.mark.filterwarnings('ignore::kane_dynamics.KaneDynamicsWarning')
@pytest.mark.parametrize(('line', 'words'), [
    ('lock: {panda_finger: 0}', "task.yaml:2: lock: unknown name 'panda_finger'"),
    ('lock: {panda_joint1: 20 mm}', "task.yaml:2: lock.panda_joint1: '20 mm'")])
def test_a_wrong_lock_is_refused_with_its_line(tmp_path, line, words):
    text = PANDA_LINES.replace('lock: {panda_finger_joint1: 20 mm}', line)
    with pytest.raises(FileError, match=words):
        study_of(tmp_path, text, None)


@pytest.mark.parametrize('name', ['panda.urdf', 'ur10_robot.urdf', 'kinova.urdf',
                                  'z1.urdf'])
def test_one_line_of_motion_works_on_other_arms_of_the_wheel(tmp_path, name):
    robots = [path for path in example_urdfs().values() if path.name == name]
    if not robots:
        pytest.skip(f'the installed example-robot-data has no {name}')
    robot = kd.load_urdf(robots[0])
    first = robot.joint_names[0]
    found = analyse(study_of(tmp_path, f'task: {{move: {{{first}: 0.5}}, posture: zero, '
                                       'duration: 2}', robots[0]), find_speed_factor=False)
    assert found.verdict.checks and np.isfinite(found.loads.tau).all()


def test_parts_are_read_with_their_units(tmp_path):
    study = study_of(tmp_path, """\
        name: everything at once
        gravity: [0, 0, -1.62]
        friction: none
        frame: flange
        rate: 0.5 kHz
        payload: {mass: 500 g, link: tool0, com: [0, 0, 80 mm], inertia: [1, 2, 3],
                  grip: {force: 60, moment: 5}}
        motors:
          default: &small
            motor: {torque_constant: 30 mNm/A, resistance: 0.5, rotor_inertia: 33 g cm^2,
                    max_speed: 6000 rpm, inductance: 0.1 mH}
            gear: {ratio: 100, efficiency: 80 %}
          joint_2:
            motor: {voltage: 48, stall_torque: 5, no_load_speed: 500}
            gear: {ratio: 120}
          joint_3: {<<: *small, gear: {ratio: 50}}
        sections:
          upper_arm: {shape: tube, outer_radius: 48 mm, inner_radius: 44 mm, material: 6082-T6}
          wrist_roll: {shape: rectangular_tube, width: 60 mm, height: 90 mm, wall: 3 mm,
                       normal: [0, 0, 1], material: {E: 70 GPa, poisson: 0.3, density: 2.7 g/cm^3,
                       strength: 200 MPa}}
        task: {move: {joint_1: 30 deg}, posture: zero, duration: 500 ms, law: triangular}
        limits: {safety: 3, energy: 1 kJ, joints: {joint_1: {speed: 90 deg/s, torque: 20}}}
        """)
    assert study.name == 'everything at once' and study.frame == 'flange'
    assert study.robot.gravity == pytest.approx([0, 0, -1.62])
    assert study.dynamics.friction is None and study.robot.total_mass == pytest.approx(
        kd.load_urdf(ARM).total_mass + 0.5)
    payload, = study.payloads
    assert payload.mass == 0.5 and payload.com == pytest.approx([0, 0, 0.08])
    assert payload.max_force == 60 and payload.inertia == pytest.approx(np.diag([1, 2, 3]))
    one = study.drives['joint_1']
    assert one.motor.torque_constant == pytest.approx(0.03)
    assert one.motor.rotor_inertia == pytest.approx(3.3e-6)
    assert one.motor.max_speed == pytest.approx(200 * math.pi)
    assert one.gear.efficiency == pytest.approx(0.8)
    assert study.drives['joint_2'].motor.torque_limits(0.0)[1] == pytest.approx(5.0)
    assert study.drives['joint_3'].gear.ratio == 50
    assert study.drives['joint_3'].motor == one.motor and len(study.drives) == 6
    upper, wrist = study.beams
    assert upper.length == pytest.approx(0.42) and wrist.material.strength == 2e8
    assert study.limits.velocity[0] == pytest.approx(math.pi / 2)
    assert study.limits.effort[0] == 20 and study.limits.effort[1] == 150
    assert study.safety == 3 and study.max_energy == 1000
    motion = study.motion
    assert len(motion) == 251 and motion.t[-1] == 0.5
    # triangular: v_max = 2 L / T
    assert motion.qd[:, 0].max() == pytest.approx(2 * math.radians(30) / 0.5, rel=1e-3)


def test_steps_follow_one_another_from_where_the_last_one_ended(tmp_path):
    study = study_of(tmp_path, """\
        task:
          - {move: {joint_2: 0.4, joint_3: -0.9}, posture: {joint_5: 0.7}, duration: 1}
          - {hold: 0.2}
          - {line: {by: [0, 0.1, 0]}, orientation: keep, duration: 1.0}
          - {move: zero, speed: 50 %}
        """)
    motion, dyn = study.motion, kd.Dynamics(study.robot)
    at = {t: int(np.argmin(abs(motion.t - t))) for t in (1.0, 1.2, 2.2)}
    assert motion.q[at[1.0]] == pytest.approx([0, 0.4, -0.9, 0, 0.7, 0], abs=1e-9)
    assert motion.q[at[1.2]] == pytest.approx(motion.q[at[1.0]], abs=1e-12)
    R0, p0 = dyn.frame_pose('tool0', motion.q[at[1.2]])
    R1, p1 = dyn.frame_pose('tool0', motion.q[at[2.2]])
    assert p1 - p0 == pytest.approx([0, 0.1, 0], abs=1e-6) and R1 == pytest.approx(R0, abs=1e-6)
    assert motion.q[-1] == pytest.approx(np.zeros(6), abs=1e-12)
    limits = study.robot.limits.velocity
    assert (abs(motion.qd[at[2.2] + 1:]).max(axis=0) <= 0.5 * limits * (1 + 1e-9)).all()


def test_a_move_keeps_the_acceleration_and_jerk_limits_of_the_urdf(tmp_path):
    # the quintic has its peaks in closed form: 10/sqrt(3) L/T^2 and 60 L/T^3
    def longest(limits):
        text = Path(ARM).read_text().replace('<robot', '<robot version="1.2"', 1)
        path = tmp_path / 'arm.urdf'
        path.write_text(text.replace('<limit ', f'<limit {limits} '))
        study = study_of(tmp_path, 'task: {move: [0.6, 0, 0, 0, 0, 0], posture: zero, '
                                   'speed: 100 %}', path)
        return study.motion.t[-1]
    assert longest('acceleration="0.5"') == pytest.approx(
        math.sqrt(10 / math.sqrt(3) * 0.6 / 0.5), abs=2e-3)
    assert longest('jerk="0.8"') == pytest.approx((60 * 0.6 / 0.8) ** (1 / 3), abs=2e-3)


def test_samples_come_from_a_table_and_go_into_one(tmp_path):
    study = study_of(tmp_path, 'task: {move: [0.5, 0.2, 0.1, 0, 0, 0], posture: zero, '
                               'duration: 1}')
    motion, names = study.motion, study.robot.joint_names
    columns = {'t': motion.t}
    for field in ('q', 'qd', 'qdd'):
        for k, name in enumerate(names):
            columns[f'{name}.{field}'] = getattr(motion, field)[:, k]
    write_table(tmp_path / 'run.csv', columns)
    again = study_of(tmp_path, 'task: {samples: run.csv}').motion
    for field in ('q', 'qd', 'qdd'):
        # nine digits are written
        assert getattr(again, field) == pytest.approx(getattr(motion, field), abs=2e-8)
    write_table(tmp_path / 'bare.csv', {'time': motion.t[::20], **{
        name: motion.q[::20, k] for k, name in enumerate(names)}})
    smooth = study_of(tmp_path, 'task: {samples: bare.csv}').motion
    assert abs(smooth.q - motion.q).max() < 1e-5


def test_a_bag_is_read_without_the_command_and_follows_the_recorded_motion(tmp_path):
    pytest.importorskip('rosbags')
    robot = kd.load_urdf(ARM)
    t, q, qd, qdd = sines(6, 4.0, 250.0)
    record(tmp_path / 'run', robot.joint_names, t, q, qd, np.zeros_like(q))
    motion = study_of(tmp_path, 'task: {bag: run}\nrate: 250\n').motion
    # smoothing takes samples from both ends
    first = int(np.argmin(abs(q - motion.q[0]).max(axis=1)))
    count = len(motion)
    assert 0.9 * len(t) < count <= len(t)
    rows = slice(first, first + count - 1)      # a Trajectory is at rest at its end
    for found, exact, error in ((motion.q, q, 1e-5), (motion.qd, qd, 1e-3),
                                (motion.qdd, qdd, 5e-2)):
        assert abs(found[:-1] - exact[rows]).max() < error
    with pytest.raises(FileError, match='task.yaml:2: task.bag: .*other'):
        study_of(tmp_path, 'rate: 250\ntask: {bag: run, topic: /other}\n')


def test_numbers_may_carry_their_unit():
    assert parse('90 deg', 'rad') == pytest.approx(math.pi / 2)
    assert parse('1e-3', 's') == 1e-3                       # plain YAML would take it for a text
    assert parse('3000rpm', 'rad/s') == pytest.approx(100 * math.pi)
    assert parse('12 N*m', 'N m') == 12 and parse('-5 %', '') == -0.05
    assert parse('inf', 's') == math.inf
    for text in ('60°', '60 degrees', '60 degree', '60deg', '60 º'):
        assert parse(text, 'rad') == math.radians(60)
    assert parse('−90°/s', 'rad/s') == -math.pi / 2         # U+2212, as word processors write it
    assert {parse(text, 'N m') for text in ('2 Nm', '2 N·m', '2 N⋅m', '2N m', '2 N*m')} == {2.0}
    assert parse('4 μH', 'H') == parse('4 µH', 'H') == 4e-6     # the letter and the sign
    with pytest.raises(ValueError, match='in m'):
        parse('3 inch', 'm')


def test_an_angle_beyond_a_turn_needs_its_unit():
    assert parse('6.2832', 'rad') == 6.2832 and parse('-30 rad', 'rad') == -30
    assert parse('30', 'rad/s') == 30
    with pytest.raises(ValueError, match='-30 rad is 4.8 turns; did you mean -30 deg'):
        parse('-30', 'rad')
    with pytest.raises(ValueError, match='expected a number'):
        parse('fast', 'm/s')


@pytest.mark.parametrize('frame, kept', [
    ('', True), ('frame: forearm\n  point: [0.3, 0.1, 0.1]', False)])
def test_six_joints_keep_the_orientation_on_a_path_unless_the_file_says_otherwise(
        tmp_path, frame, kept):
    start = '[0, 20 deg, -40 deg, 10 deg, 60 deg, 0]'
    study = study_of(tmp_path, 'task:\n  line: {by: [0, 30 mm, 20 mm]}\n  duration: 1\n'
                     f'  posture: {start}\n  {frame}\n')
    first, last = (study.dynamics.frame_pose('tool0', study.motion.q[k])[0] for k in (0, -1))
    assert (abs(last - first).max() < 1e-9) == kept


def test_seven_joints_on_a_path_are_asked_for_one_spare_in_the_words_of_the_file(tmp_path):
    with pytest.raises(FileError) as error:
        study_of(tmp_path, 'lock: {panda_finger_joint1: 0}\ntask:\n'
                 '  line: {by: [0, 50 mm, 0]}\n  duration: 1\n'
                 '  posture: [0, -45 deg, 0, -135 deg, 0, 90 deg, 45 deg]\n',
                 'panda')
    assert error.value.line == 3 and '`spare: {panda_joint7: frozen}`' in str(error.value)
    assert 'orientation' not in str(error.value)


# -- mistakes ------------------------------------------------------------------------------------

MISTAKES = [
    # text, line, words
    ('', 1, 'empty'),
    ('task: [1, 2', 1, 'not YAML'),
    ('task:\n  - a: b\n c: d\n', 3, 'not YAML'),
    ('payload: {mass: 1}\n', 1, 'task missing'),
    (MOVE + 'payloat: {mass: 1}\n', 2, "did you mean 'payload'"),
    (MOVE + 'name: a\nname: b\n', 3, 'second time; first in line 2'),
    (MOVE + 'payload: {mass: heavy}\n', 2, 'expected a number in kg'),
    (MOVE + 'payload: {mass: 3 m}\n', 2, "unit 'm' does not fit"),
    (MOVE + 'payload: {mass: -1}\n', 2, 'must not be negative'),
    (MOVE + 'payload:\n  mass: 1\n  link: tool\n', 4, "did you mean 'tool0'"),
    (MOVE + 'payload: {mass: 1, com: [0, 0]}\n', 2, 'expected 3 numbers, got 2'),
    (MOVE + 'payload: {mass: 1, inertia: [1, 2]}\n', 2, '3 numbers (ixx iyy izz) or 6'),
    (MOVE + 'payload: {mass: .nan}\n', 2, 'expected a number'),
    (MOVE + 'payload: 5\n', 2, 'names with values'),
    ('task:\n  move: [0, 0, 0]\n  posture: zero\n  duration: 1\n', 2, 'expected 6 numbers'),
    ('task:\n  move: zero\n  duration: 1\n', 2, 'start of the motion'),
    ('task:\n  move: zero\n  posture: {joint_9: 1}\n  duration: 1\n', 3, 'joint_1'),
    ('task:\n  move: zero\n  posture: zero\n', 2, "give 'duration'"),
    ('task:\n  move: zero\n  posture: zero\n  duration: 0\n', 4, 'more than 0 s'),
    ('task:\n  move: zero\n  posture: zero\n  duration: 1\n  law: cubical\n', 5,
     "did you mean 'cubic'"),
    ('task:\n  go: here\n', 2, 'expected one of way_points'),
    ('task: []\n', 1, 'no step'),
    ('task:\n  - hold: 1\n    posture: zero\n  - move: zero\n    line: [1, 2, 3]\n', 4,
     'got move, line'),
    ('task:\n  way_points: [[0, 0, 0, 0, 0, 0]]\n  duration: 1\n', 2,
     'two or more configurations'),
    ('task:\n  way_points:\n    - zero\n    - zero\n  duration: 1\n', 4,
     'the same configuration'),
    ('task:\n  way_points:\n    - zero\n    - {joint_1: 1}\n  times: [0, 1, 2]\n', 5,
     'expected 2 numbers'),
    ('task:\n  way_points:\n    - zero\n    - {joint_1: 1}\n  times: [0, 0]\n', 5, 'increase'),
    ('task:\n  line: {to: [5, 0, 0]}\n  posture: {joint_5: 0.7}\n  orientation: keep\n'
     '  duration: 1\n', 2, 'reach'),
    ('task:\n  line: {to: [5, 0]}\n  posture: zero\n  duration: 1\n', 2, '3 numbers'),
    ('task:\n  line: [0.4, 0, 0.4]\n  posture: {joint_5: 0.7}\n  duration: 1\n'
     '  spare: {joint_6: frozen}\n', 2, '`spare: {joint_4: frozen, joint_5: frozen}`'),
    ('task:\n  waypoints: [zero]\n', 2, "did you mean 'way_points'?"),
    ('task:\n  lin: [0.4, 0, 0.4]\n', 2, "did you mean 'line'?"),
    ('task:\n  duration: 1\n  PTP: zero\n', 2, "did you mean 'move'?"),
    ('task:\n  move: [0, -30, 60 deg, 0, 0, 0]\n  posture: zero\n  duration: 1\n', 2,
     "task.move[2]: '-30': -30 rad is 4.8 turns; did you mean -30 deg?"),
    (MOVE + 'limits: {joints: {joint_1: {upper: 170}}}\n', 2, 'did you mean 170 deg?'),
    ('task:\n  line: [0.4, 0, 0.4]\n  posture: zero\n  duration: 1\n  orientation: stay\n', 5,
     'keep'),
    ('task:\n  samples: nowhere.csv\n', 2, 'nowhere.csv'),
    ('task:\n  posture: zero\n  duration: 1\n  move:\n    joint_1: 1e200 rad\n', 5, 'up to 1e+30'),
    ('task:\n  posture: zero\n  duration: 1\n  move:\n    joint_1: 2e6 rad\n', 5,
     'at most 1e+06 rad, got 2e+06'),
    ('task:\n  posture: [0, -1e308 rad, 0, 0, 0, 0]\n  hold: 1\n', 2, 'up to 1e+30'),
    ('task:\n  posture: [0, -1e7 rad, 0, 0, 0, 0]\n  hold: 1\n', 2, 'at least -1e+06 rad'),
    ('task:\n  bag: recording\n', 2, 'does not exist'),
    (MOVE + 'motors:\n  joint_7:\n    motor: {resistance: 1}\n', 3, 'joint_1, joint_2'),
    (MOVE + 'motors:\n  joint_1:\n    motor: {resistance: 1}\n', 4, 'torque_constant missing'),
    (MOVE + 'motors:\n  joint_1:\n    motor: {resistance: 1, torque_constant: 1}\n'
     '    gear: {ratio: 100, efficiency: 80}\n', 5, '0.85'),
    (MOVE + 'motors:\n  joint_1:\n    gear: {ratio: 100}\n', 4, "expected 'motor'"),
    (MOVE + 'motors:\n  joint_1:\n    motor: {voltage: 24, stall_torque: 1, no_load_speed: 1,\n'
     '            resistance: 1}\n', 5, 'follows from'),
    (MOVE + 'motors:\n  joint_1:\n    cylinder: {piston_area: 1}\n', 4, 'is a hinge'),
    (MOVE + 'sections:\n  upper_arm: {outer_radius: 1}\n', 3, 'shape missing'),
    (MOVE + 'sections:\n  upper_arm: {shape: tube, outer_radius: 1, inner_radius: 2,\n'
     '              material: S355}\n', 3, 'smaller than'),
    (MOVE + 'sections:\n  upper_arm: {shape: tube, outer_radius: 2, inner_radius: 1}\n', 3,
     'AlMg3, 6082-T6, S355'),
    (MOVE + 'sections:\n  upper_arm: {shape: rectangle, width: 2, height: 1, material: S355}\n',
     3, "needs 'normal'"),
    (MOVE + 'limits:\n  safety: 0\n', 3, 'more than zero'),
    (MOVE + 'limits:\n  joints:\n    joint_1: {torque: -5}\n', 4, 'at least zero'),
    (MOVE + 'limits:\n  joints:\n    joint_1: {lower: 1, upper: 0}\n', 4, 'above upper'),
    (MOVE + 'rate: 1e9\n', 1, 'lower rate'),
    (MOVE + 'rate: 10\n', 1, 'fewer than 20 samples'),
    ('task:\n  - {hold: 1, posture: zero}\n  - move: [1, 0, 0, 0, 0, 0]\n    duration: 1 ms\n', 3,
     'rate of 2e+04 Hz'),
    ('task:\n  way_points:\n    - zero\n    - {joint_1: 1}\n    - zero\n  times: [0, 1, 1.001]\n',
     2, 'a motion of 0.001 s'),
    (MOVE + 'friction: some\n', 2, 'urdf, none'),
    (MOVE + 'frame: hand\n', 2, 'tool0'),
    (MOVE + 'gravity: down\n', 2, 'expected a list'),
    (MOVE + 'base: {position: [1e30, 0, 0]}\n', 2, 'base_position: expected finite numbers'),
]


@pytest.mark.parametrize(('text', 'line', 'words'), MISTAKES,
                         ids=[f'{k}' for k in range(len(MISTAKES))])
def test_a_mistake_is_reported_with_its_line(tmp_path, text, line, words):
    with pytest.raises(FileError) as error:
        study_of(tmp_path, text)
    assert error.value.line == line, str(error.value)
    assert words in str(error.value) and str(error.value).startswith(f'task.yaml:{line}: ')


def test_a_section_heavier_than_its_link_is_refused_with_both_masses(tmp_path):
    # a solid bar of 200 mm radius, 0.42 m long: pi 0.2^2 0.42 2700 = 142.5 kg in a link of 6.5 kg
    text = MOVE + 'sections:\n  upper_arm: {shape: round, radius: %s, material: 6082-T6}\n'
    with pytest.raises(FileError) as error:
        study_of(tmp_path, text % '200 mm')
    said = str(error.value)
    line = 1 + ARM.read_text().splitlines().index('      <mass value="6.5"/>')
    assert said.startswith("task.yaml:3: sections.upper_arm: section of 'upper_arm'")
    for words in ('142.5 kg', '6.5 kg', f'six_axis.urdf:{line}', 'correct the mass'):
        assert words in said, said
    # the radius that makes it as heavy as its link is the border
    radius = math.sqrt(6.5 / (math.pi * 0.42 * 2700))
    study_of(tmp_path, text % f'{radius} m')
    with pytest.raises(FileError, match='6.519 kg'):
        study_of(tmp_path, text % f'{radius * math.sqrt(1.003)} m')
    # and a link that the file gives no mass
    with pytest.raises(FileError, match='no <inertial>'):
        study_of(tmp_path, MOVE + 'sections:\n  tool0: {shape: round, radius: 1 mm, '
                                  'tip: [0, 0, 0.1], material: S355}\n')


def test_a_missing_arm_is_reported(tmp_path):
    with pytest.raises(FileError, match='task.yaml:1: no arm'):
        study_of(tmp_path, MOVE, arm=None)
    with pytest.raises(FileError, match='task.yaml:2: arm: .*does not exist'):
        study_of(tmp_path, MOVE + 'arm: nowhere.urdf\n', arm=None)
    (tmp_path / 'bad.urdf').write_text('<robot name="a"><link/></robot>')
    with pytest.raises(FileError, match='task.yaml:2: arm: '):
        study_of(tmp_path, MOVE + 'arm: bad.urdf\n', arm=None)


def test_a_rotor_is_not_counted_twice(tmp_path):
    urdf = ARM.read_text().replace('<dynamics damping="2" friction="3"/>',
                                   '<dynamics damping="2" friction="3" armature="0.5"/>', 1)
    robot = kd.load_urdf(urdf)
    if robot.joint('joint_1').armature == 0.0:
        pytest.skip('this reader of URDF takes no armature from <dynamics>')
    with pytest.raises(FileError, match='twice'):
        study_of(tmp_path, MOVE + 'motors:\n  joint_1:\n    motor: {torque_constant: 1, '
                                  'resistance: 1, rotor_inertia: 1}\n', arm=urdf)


def test_hostile_yaml_constructs_nothing_and_does_not_blow_up(tmp_path):
    with pytest.raises(FileError):
        study_of(tmp_path, 'task: !!python/object/apply:os.system ["true"]\n')
    bomb = 'a: &a [x, x, x, x, x, x, x, x, x]\n' + ''.join(
        f'{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n'
        for a, b in zip('abcdefghi', 'bcdefghij'))
    with pytest.raises(FileError, match='unknown name'):
        study_of(tmp_path, bomb + MOVE)
    with pytest.raises(FileError, match='more than 20 levels of nested'):
        parse_yaml('[' * 5000)
    (tmp_path / 'task.yaml').write_bytes(b'task: \xff\xfe\n')
    with pytest.raises(FileError, match='task.yaml:1: not UTF-8'):
        read_task(tmp_path / 'task.yaml', ARM)


@pytest.mark.parametrize(('text', 'words'), [
    ('q\n0\n', "no column 't'"),
    ('t,joint_1\n0,1\n1,2\n', 'no column for joint_2'),
    ('t,a,b\n0,1,2\n0,1,2\n', 'times must increase'),
    ('t,a,b\n0,1,2\n1,x,2\n', ":3: column 'a'"),
    ('t,a,b\n0,1,2\n1,1\n', ":3: column 'b'"),
    ('t,a,b\n0,1,2\n1,nan,2\n', ':3:'),
    ('t,a,b\n0,1,2\n1,1e200,2\n', ":3: column 'a' is 1e+200; expected at most 1e+06"),
    ('t,a,b,a.qd,b.qd\n0,1,2,3,4\n1,1,2,3,1e99\n', ":3: column 'b.qd' is 1e+99"),
    ('t,a,b\n0,1,2\n', 'two rows'),
    ('t,a,b,a\n0,1,2,3\n', 'come twice'),
    ('t,a,b,a.qd\n0,1,2,3\n1,1,2,3\n', 'not for b.qd'),
    ('', "no column 't'"),
])
def test_a_mistake_in_a_table_is_reported_with_its_row(tmp_path, text, words):
    path = tmp_path / 'table.csv'
    path.write_text(text)
    names = ('joint_1', 'joint_2') if 'joint' in text else ('a', 'b')
    with pytest.raises(kd.InputError) as error:
        read_table(path, names)
    assert words in str(error.value)


# -- examples ------------------------------------------------------------------------------------

TASKS = Path(__file__).parents[2] / 'examples' / 'tasks'
IMPOSSIBLE = ('too_fast', 'too_heavy')
EXAMPLES = [path for path in sorted(TASKS.glob('*.yaml')) if path.stem not in IMPOSSIBLE]
CLASSES = {'a1_position': 'A1', 'a2_cylindrical': 'A2', 'a3_spherical': 'A3',
           'b1_direction': 'C3', 'c1_orientation': 'C1', 'c2_spin': 'C2',
           'c3_direction_and_joint': 'C3', 'wrist_split': 'C1 + wrist'}


def test_an_example_that_fails_says_so_and_its_remedy_works(tmp_path):
    path = next(path for path in EXAMPLES if path.stem == 'screwdriving')
    text = path.read_text()
    assert 'The answer is NO' in text and '2.5 s for the turn instead of 1 s' in text
    found = analyse(read_task(path), find_speed_factor=False)
    failed, = (check for check in found.verdict.checks if not check.passed)
    assert (failed.subject, failed.kind) == ('panda_joint7', 'speed')
    assert f'{abs(failed.value):.1f} rad/s, and its limit is {failed.limit:g} rad/s' in text
    (tmp_path / 'slower.yaml').write_text(text.replace('duration: 1 s', 'duration: 2.5 s'))
    assert analyse(read_task(tmp_path / 'slower.yaml'), find_speed_factor=False).verdict.passed


@pytest.mark.parametrize('path', [path for path in EXAMPLES if path.stem != 'screwdriving'],
                         ids=lambda path: path.stem)
def test_the_arm_can_do_every_example(path, monkeypatch):
    tasks = []
    read = task_file.read_motion
    monkeypatch.setattr(task_file, 'read_motion',
                        lambda *given: tasks.append(read(*given)) or tasks[-1])
    found = analyse(read_task(path), find_speed_factor=False)
    assert found.verdict.passed, found.verdict.worst
    # classes of Vukobratovic and Potkonjak 1982, 3.4
    assert getattr(tasks[0], 'kind', None) == CLASSES.get(path.stem)


@pytest.mark.parametrize('name', IMPOSSIBLE)
def test_an_example_that_fails_passes_with_the_remedy_in_its_comment(name, tmp_path):
    text = (TASKS / f'{name}.yaml').read_text().replace('../../urdf/six_axis.urdf', str(ARM))
    before, after = re.search(r'^# Remedy: .*Replace `(.*?)` with `(.*?)`', text, re.M).groups()
    body = text[text.index('arm:'):]
    assert body.count(before) == 1
    for given, passed in ((body, False), (body.replace(before, after), True)):
        found = analyse(study_of(tmp_path, given), find_speed_factor=False)
        assert found.verdict.passed == passed


def test_there_is_an_example_for_every_class_of_task():
    assert {path.stem for path in EXAMPLES} >= {*CLASSES, 'way_points', 'samples', 'minimum_time'}


def test_minimum_time_uses_the_limits_that_it_may(tmp_path):
    study = study_of(tmp_path, 'task: {move: {joint_1: 1, joint_2: 0.5}, posture: zero, '
                               'duration: minimum, use: 80 %}')
    found = analyse(study, find_speed_factor=False)
    usage = max(check.usage for check in found.verdict.checks if check.kind != 'position')
    # limits hold at the grid of the path, samples lie between
    assert usage == pytest.approx(0.8, abs=0.01)
    slower = study_of(tmp_path, 'task: {move: {joint_1: 1, joint_2: 0.5}, posture: zero, '
                                'duration: minimum, use: 40 %}')
    assert slower.motion.t[-1] > study.motion.t[-1]
