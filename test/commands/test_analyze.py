# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""kane analyze, animate and view from the shell: what they print, write and return."""

import csv
import json
from pathlib import Path
import re

from example_robots import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.movie import write_movie
from kane_dynamics.analysis.pictures.painter import Painter
from kane_dynamics.analysis.task_file.equipment import (
    CATALOGUE, CYLINDER, GEAR, JOINT_LIMITS, MATERIAL, MOTOR)
from kane_dynamics.analysis.task_file.new_task import SCHEMA_FILE
from kane_dynamics.analysis.task_file.read_task import TOP
from kane_dynamics.analysis.task_file.space_steps import COMMON, ORIENTATIONS
from kane_dynamics.analysis.task_file.steps import STEPS
from kane_dynamics.commands.cli import main
from kane_dynamics.model.flexible.material import MATERIALS
from kane_dynamics.model.flexible.section import SHAPES
from kane_dynamics.trajectory.profiles import PROFILES

ROOT = Path(__file__).parents[2]
ARM = str(ROOT / 'urdf' / 'six_axis.urdf')
TASK = """\
name: lift
payload: {mass: 3, link: tool0}
motors: {joint_2: {motor: {torque_constant: 0.07, resistance: 0.35}, gear: {ratio: 100}}}
sections: {upper_arm: {shape: tube, outer_radius: 40 mm, inner_radius: 36 mm, material: S355}}
task: {move: {joint_1: 1, joint_2: 0.5}, posture: {joint_5: 0.5}, duration: 1.0}
rate: 200
"""


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Return the name of a task file in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'lift.yaml').write_text(TASK)
    return 'lift.yaml'


def test_analyze_says_yes_writes_a_page_and_returns_zero(task, capsys):
    assert main(['analyze', ARM, task]) == 0
    said = capsys.readouterr().out
    assert said.startswith('YES: The arm can do “lift” within torque, speed and position limits')
    assert 'written: lift.html' in said and 'joint_2' in said and 'torque' in said
    assert 'Not checked: motors: no limit given; deflection: no limit given' in said
    assert Path('lift.html').read_text().startswith('<!DOCTYPE html>')


def test_the_terminal_shows_the_five_tightest_checks_and_all_on_request(task, capsys):
    assert main(['analyze', ARM, task, '--no-page', '--no-speed-factor', '--json']) == 0
    checks = json.loads(capsys.readouterr().out)['checks']
    assert main(['analyze', ARM, task, '--no-page', '--no-speed-factor']) == 0
    said = capsys.readouterr().out
    loads = [check for check in checks if check['kind'] != 'position']
    rows = [line.split() for line in said.splitlines() if line.startswith('  ok')]
    assert [row[1] for row in rows] == [check['subject'] for check in loads[:5]]
    assert f'{len(checks) - 5} more checks, all ok: --all lists them' in said
    assert main(['analyze', ARM, task, '--no-page', '--no-speed-factor', '--all']) == 0
    said = capsys.readouterr().out
    assert said.count('  ok   ') == len(checks) and 'note: no motor is given for' in said
    position = next(check for check in checks if check['kind'] == 'position')
    assert f' [{position["lower"]:.4g}, {position["upper"]:.4g}] rad ' in said


def test_the_scope_stands_beside_the_verdict_in_json_and_on_the_page(task, capsys):
    assert main(['analyze', ARM, task, '--json']) == 0
    said = json.loads(capsys.readouterr().out)
    scope = said['scope']
    assert scope['checked'][:4] == ['torque', 'speed', 'position', 'strength of links']
    assert said['collisions']['checked'] == ('collisions' in scope['checked'])
    assert said['collisions']['checked'] != ('collisions' in scope['not_checked'])
    banner = Path('lift.html').read_text().split('id="verdict"')[1].split('</section>')[0]
    assert 'Not checked: ' in banner


@pytest.mark.parametrize('arguments, words', [
    (['animate', 'nowhere.yaml', '-o', 'task.avi'], 'task.avi: expected a movie file'),
    (['animate', 'nowhere.yaml', '--size', 'big'], '--size is WIDTHxHEIGHT'),
    (['animate', 'nowhere.yaml', '--fps', '0'], 'fps must be above 0'),
    (['analyze', 'nowhere.yaml', '--movie', 'task.avi'], 'task.avi: expected a movie file'),
    (['analyze', 'nowhere.yaml', '-o', 'no/where.html'], 'there is no folder no;'),
    (['analyze', 'nowhere.yaml', '--bag', '.'], '. exists already'),
    (['export', 'c99', 'nowhere.urdf', '--functions', 'frame_pose'],
     'frame_pose needs --frame LINK'),
    (['export', 'python', 'nowhere.urdf', '--prefix', '1a'], 'not a Python name')])
def test_options_are_checked_before_any_file_is_read(arguments, words, capsys, tmp_path,
                                                     monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_analyze_says_no_and_returns_one(task, capsys):
    Path(task).write_text(TASK.replace('mass: 3', 'mass: 60'))
    assert main(['analyze', ARM, task, '--no-page']) == 1
    said = capsys.readouterr().out
    assert said.startswith('NO: ') and 'FAIL joint_2' in said
    assert not Path('lift.html').exists()


def test_a_mistake_in_the_file_returns_two_and_its_line(task, capsys):
    Path(task).write_text(TASK.replace('duration', 'duratoin'))
    assert main(['analyze', ARM, task]) == 2
    said = capsys.readouterr().err
    assert "kane analyze: lift.yaml:5: task: unknown name 'duratoin'; did you mean" in said
    assert main(['analyze', ARM, 'nowhere.yaml']) == 2
    assert 'nowhere.yaml' in capsys.readouterr().err


def test_a_place_out_of_reach_is_an_answer_with_its_place(task, capsys):
    Path(task).write_text('task: {line: {to: [3, 0, 0.5]}, orientation: keep, duration: 1,\n'
                          '       posture: {joint_5: 0.7}}\n')
    assert main(['analyze', ARM, task]) == 1
    said = capsys.readouterr().out
    assert said.startswith('NO: ') and 'lift.yaml:1: task: ' in said and ' m' in said
    page = Path('lift.html').read_text()
    assert '>NO</div>' in page and 'does not get there' in page
    assert main(['analyze', ARM, task, '--json', '--no-page']) == 1
    assert json.loads(capsys.readouterr().out)['passed'] is False


def test_the_task_file_may_name_the_arm(task, capsys):
    Path(task).write_text(TASK + f'arm: {ARM}\n')
    assert main(['analyze', task, '--json', '--no-page', '--no-speed-factor']) == 0
    said = json.loads(capsys.readouterr().out)
    assert said['arm'] == 'six_axis' and said['passed'] and said['speed_factor'] is None
    worst = said['checks'][0]
    assert worst['margin'] == pytest.approx(1.0 - worst['usage'])


def test_the_table_holds_everything_and_can_be_a_task_again(task):
    assert main(['analyze', ARM, task, '--csv']) == 0
    with open('lift.csv', newline='') as stream:
        titles, *rows = csv.reader(stream)
    table = dict(zip(titles, np.array(rows, dtype=float).T))
    dyn = kd.Dynamics(kd.load_urdf(ARM).with_payload(3.0, (0, 0, 0), link='tool0'),
                      kd.Friction.of(kd.load_urdf(ARM)))
    names = dyn.robot.joint_names
    q, qd, qdd, tau = (np.column_stack([table[f'{name}.{field}'] for name in names])
                       for field in ('q', 'qd', 'qdd', 'tau'))
    # nine digits are written
    assert dyn.inverse_many(q, qd, qdd) == pytest.approx(tau, abs=1e-5)
    assert {'joint_2.motor.current', 'upper_arm.equivalent_stress', 'grip.tool0.fz', 'flange.mz',
            'tool0.x', 'kinetic_energy'} <= set(table)
    Path('again.yaml').write_text(f'arm: {ARM}\ntask: {{samples: lift.csv}}\nrate: 200\n')
    assert main(['analyze', 'again.yaml', '--no-page']) == 0


def test_the_bag_holds_joint_states_motors_wrenches_and_the_way(task, capsys):
    pytest.importorskip('rosbags')
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import get_typestore, Stores
    assert main(['analyze', ARM, task, '--bag', 'out', '--csv', 'out.csv']) == 0
    seen = {}
    with AnyReader([Path('out')], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        for connection, stamp, data in reader.messages():
            seen.setdefault(connection.topic, []).append(
                (stamp, reader.deserialize(data, connection.msgtype)))
    with open('out.csv', newline='') as stream:
        titles, *rows = csv.reader(stream)
    table = dict(zip(titles, np.array(rows, dtype=float).T))
    assert {'/joint_states', '/motor_states', '/motor_currents', '/reactions/flange',
            '/grip/tool0', '/path/tool0'} <= set(seen)
    count = len(table['t'])
    assert all(len(messages) == count for messages in seen.values())
    stamp, state = seen['/joint_states'][40]
    # from 1 s on: nodes take a stamp of zero for none, and a replay would not be the original
    assert stamp == round((1.0 + table['t'][40]) * 1e9) == (
        state.header.stamp.sec * 10**9 + state.header.stamp.nanosec)
    assert state.effort[1] == pytest.approx(table['joint_2.tau'][40], rel=1e-8)
    _, wrench = seen['/reactions/flange'][40]
    assert wrench.header.frame_id == 'flange'
    assert wrench.wrench.torque.y == pytest.approx(table['flange.my'][40], rel=1e-8)
    _, point = seen['/path/tool0'][40]
    assert point.point.z == pytest.approx(table['tool0.z'][40], rel=1e-8)
    # a recording is a task, too
    Path('replay.yaml').write_text(f'arm: {ARM}\ntask: {{bag: out, topic: /joint_states}}\n'
                                   'rate: 200\n')
    assert main(['analyze', 'replay.yaml', '--no-page', '--no-speed-factor']) in (0, 1)
    # of which messages are lost with a line
    metadata = Path('out', 'metadata.yaml')
    metadata.write_text(metadata.read_text().replace(f'message_count: {count}',
                                                     f'message_count: {count + 7}'))
    capsys.readouterr()
    assert main(['analyze', 'replay.yaml', '--no-page', '--no-speed-factor']) in (0, 1)
    assert (f'out: 7 of the {count + 7} messages that it counts on /joint_states are lost'
            in capsys.readouterr().err)


def test_movies_have_the_frames_of_their_time(task, capsys):
    image = pytest.importorskip('PIL.Image')
    assert main(['animate', ARM, task, '-o', 'lift.gif', '--size', '160x120', '--fps', '20']) == 0
    with image.open('lift.gif') as movie:
        assert movie.size == (160, 120) and movie.n_frames == 21
        first = np.asarray(movie.convert('RGB')).astype(int)
        movie.seek(20)
        last = np.asarray(movie.convert('RGB')).astype(int)
    assert (abs(last - first).max(axis=2) > 60).sum() > 200     # the arm has moved
    ffmpeg = pytest.importorskip('imageio_ffmpeg')
    assert main(['animate', ARM, task, '-o', 'lift.mp4', '--size', '160x120', '--speed', '0.5',
                 '--fps', '20']) == 0
    frames, seconds = ffmpeg.count_frames_and_secs('lift.mp4')
    assert frames == 41 and seconds == pytest.approx(2.05, abs=0.06)
    capsys.readouterr()
    assert main(['animate', ARM, task, '-o', 'lift.avi']) == 2
    assert '.gif, .mp4' in capsys.readouterr().err
    assert main(['animate', ARM, task, '--size', 'big']) == 2
    assert '800x600' in capsys.readouterr().err


def test_a_movie_without_ffmpeg_says_what_to_do(task, monkeypatch, capsys):
    pytest.importorskip('PIL.Image')
    monkeypatch.setattr('shutil.which', lambda name: None)
    monkeypatch.setitem(__import__('sys').modules, 'imageio_ffmpeg', None)
    assert main(['animate', ARM, task, '-o', 'lift.mp4', '--size', '64x48']) == 2
    assert 'pip install imageio-ffmpeg' in capsys.readouterr().err


def test_a_bent_arm_can_be_filmed(tmp_path):
    pytest.importorskip('PIL.Image')
    robot = kd.load_urdf(ROOT / 'urdf' / 'flexible_single_link.urdf')
    t = np.linspace(0.0, 0.2, 5)
    q = np.zeros((5, robot.nq))
    q[:, robot.n_joints] = 0.05 * np.sin(20 * t)
    painter = Painter(robot, q, 160, 120)
    assert write_movie(tmp_path / 'bend.gif', painter, t, q, fps=20) == 5
    straight, bent = (np.asarray(painter.draw(each)).astype(int) for each in (q[0], q[2]))
    assert (abs(straight - bent).max(axis=2) > 60).sum() > 50


def test_view_writes_a_page_of_any_arm(tmp_path, capsys):
    path = tmp_path / 'arm.html'
    assert main(['view', str(example_urdf('ur5_robot.urdf')), '-o', str(path), '--no-browser',
                 '--q', '0', '-1', '1', '0', '0', '0']) == 0
    assert f'written: {path}' in capsys.readouterr().out
    text = path.read_text()
    assert 'wrist_3_joint' in text and '"mesh"' in text       # its meshes are inside
    bad = tmp_path / 'bad.urdf'           # no torque comes of it, but it can be looked at
    bad.write_text(Path(ARM).read_text().replace('<mass value="2"/>', '<mass value="-2"/>'))
    assert main(['view', str(bad), '-o', str(path), '--no-browser']) == 0
    assert 'mass -2 kg is negative' in capsys.readouterr().err
    assert main(['view', ARM, '--q', '1', '-o', str(path), '--no-browser']) == 2
    assert "'joint_1', 'joint_2'" in capsys.readouterr().err


# -- documentation -------------------------------------------------------------------------------

PAGE = (ROOT / 'doc' / 'analyze.md').read_text()


def test_the_task_file_and_the_program_in_the_documentation_work(tmp_path, monkeypatch):
    text, header = re.findall(r'```yaml\n(.*?)```', PAGE, re.DOTALL)
    assert header == f'# yaml-language-server: $schema={SCHEMA_FILE}\n'
    (tmp_path / 'task.yaml').write_text(text)
    assert len(text.splitlines()) == 6
    for arm in (example_urdf('ur5_robot.urdf'), ROOT / 'urdf' / 'six_axis.urdf'):
        assert main(['analyze', str(arm), str(tmp_path / 'task.yaml'), '--no-page',
                     '--no-speed-factor']) == 0
    monkeypatch.chdir(ROOT)
    program, = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
    exec(compile(program, 'doc/analyze.md', 'exec'), {})


@pytest.mark.parametrize('words', [['arm.urdf'], ['task.yaml', 'arm.urdf'],
                                   ['task.yaml', 'arm.urdf.xacro']])
def test_an_arm_in_the_place_of_the_task_is_told_as_such(words, capsys):
    assert main(['analyze', *words]) == 2
    assert 'is an arm; a task file, YAML, comes last' in capsys.readouterr().err


def test_every_name_of_task_files_is_documented():
    described = set(re.findall(r'[\w-]+', PAGE))
    names = {*TOP, *MOTOR, *CATALOGUE, *GEAR, *CYLINDER, *MATERIAL, *JOINT_LIMITS, *STEPS, *COMMON,
             *ORIENTATIONS, *SHAPES, *MATERIALS, *PROFILES,
             *(name for _, each in SHAPES.values() for name in each)}
    assert names - {'jerk'} <= described, names - described
