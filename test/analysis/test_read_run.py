# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run files: Nie's round trip, phases, outputs of `kane simulate`, and errors with their line."""

from pathlib import Path

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.commands.cli import main
from kane_dynamics.io.csv_table import write_table
from kane_dynamics.io.marked_yaml import FileError

ROOT = Path(__file__).resolve().parents[2]
SIX_AXIS = ROOT / 'urdf' / 'six_axis.urdf'
START = 'start: {q: [0, -0.8, 1.2, 0, 0.6, 0]}\n'


def run_file(folder, text, arm=SIX_AXIS):
    """Write a run file and return its path."""
    path = folder / 'run.yaml'
    path.write_text(f'arm: {arm}\n{text}', encoding='utf-8')
    return path


def nie_motion(t):
    """Return q, qd, qdd (N, 6) of the motion of Nie 1988, ch. III: T = 2 s, cycloidal."""
    omega = np.pi
    shape = np.pi / 6.0 * np.array([1.0, -0.5, 1.0, 1.0, 1.0, 1.0])
    q = np.outer(t - np.sin(omega * t) / omega, shape) + [0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0]
    return (q, np.outer(1.0 - np.cos(omega * t), shape),
            np.outer(omega * np.sin(omega * t), shape))


def test_nies_torques_from_a_table_give_his_motion_back(tmp_path):
    # AUTOTF to AUTOQ/ANGLE: 1 ms table, 1 s, of an arm whose open-loop motion is unstable
    arm = kd.Dynamics(kd.load_urdf(ROOT / 'urdf' / 'intelledex_605.urdf', gravity=[0, 9.81, 0]))
    t = np.linspace(0.0, 1.0, 1001)
    q, qd, qdd = nie_motion(t)
    tau = arm.inverse_many(q, qd, qdd)
    np.testing.assert_allclose(tau[-1], [-5.564076171, 19.198651918, -24.073269193, -3.808923643,
                                         0.007523806, -0.004509062], atol=1e-9)
    titles = ','.join(f'{name}.tau' for name in arm.robot.joint_names)
    rows = '\n'.join(','.join(map(repr, row)) for row in np.column_stack([t, tau]).tolist())
    (tmp_path / 'torques.csv').write_text(f't,{titles}\n{rows}\n', encoding='utf-8')
    errors = {}
    for kind in ('hold', 'linear', 'cubic'):
        path = run_file(tmp_path, 'gravity: [0, 9.81, 0]\nstart: {q: [0, 90 deg, 0, 0, 0, 0]}\n'
                        f'torque: {{table: torques.csv, interpolation: {kind}}}\n'
                        'duration: 1 s\nstep: 1 ms\n', ROOT / 'urdf' / 'intelledex_605.urdf')
        errors[kind] = abs(kd.simulate_run(kd.read_run(path)).q - q).max()
    assert errors['cubic'] < 1e-8 < errors['linear'] < 2e-4 < errors['hold'] < 1e-3


def test_a_payload_is_carried_between_its_times_only(tmp_path):
    path = run_file(tmp_path, START + 'friction: none\npayload: {mass: 2 kg, com: [0, 0, 0.1], '
                    'from: 0.1 s, until: 0.2 s}\nduration: 0.3 s\n')
    run = kd.read_run(path)
    result = kd.simulate_run(run)
    assert [round(float(each.t[0]), 6) for each in result.phases] == [0.0, 0.1, 0.2]
    loaded = run.dynamics.with_payload(2.0, (0.0, 0.0, 0.1))
    for k, (phase, dyn) in enumerate(zip(result.phases, (run.dynamics, loaded, run.dynamics))):
        np.testing.assert_allclose(phase.accelerations(), dyn.forward_many(
            phase.q, phase.qd, phase.tau), atol=1e-9)
        if k:
            np.testing.assert_array_equal(phase.q[0], result.phases[k - 1].q[-1])
            np.testing.assert_array_equal(phase.qd[0], result.phases[k - 1].qd[-1])
        assert phase.balance().relative_drift < 1e-8
    assert not result.remarks


def test_a_controller_follows_the_steps_of_a_task(tmp_path):
    path = run_file(tmp_path, START + """friction: none
torque: {controller: {feedback: inverse_dynamics, p: 400, d: 40,
                      follow: [{move: {joint_1: 30 deg}, duration: 0.4 s}, {hold: 0.1 s}]}}
duration: 0.5 s
""")
    result = kd.simulate_run(kd.read_run(path))
    np.testing.assert_allclose(result.q[-1], [np.pi / 6, -0.8, 1.2, 0.0, 0.6, 0.0], atol=1e-7)


def test_voltages_drive_the_motors(tmp_path):
    # a motor against its own friction: the current settles where torque and back-EMF balance
    path = run_file(tmp_path, """gravity: [0, 0, 0]
lock: {joint_2: 0, joint_3: 0, joint_4: 0, joint_5: 0, joint_6: 0}
friction: none
motors: {joint_1: {motor: {torque_constant: 0.1, resistance: 1, viscous: 0.01},
                   gear: {ratio: 1}}}
inputs: {constant: {joint_1: 2}}
duration: 400 s
step: 1 s
method: DOP853
""")
    result = kd.simulate_run(kd.read_run(path))
    # (K/R) U = (K^2/R + b) qd
    assert result.qd[-1, 0] == pytest.approx(0.1 * 2.0 / (0.1**2 + 0.01), rel=1e-6)


def test_springs_forces_and_constraints_are_those_of_python(tmp_path):
    path = run_file(tmp_path, START + """friction: none
springs: [{joint: joint_2, stiffness: 50, rest: 10 deg}]
forces: [{link: tool0, force: [5, 0, 0], from: 0.05 s}]
constraints: [{link: tool0, plane: {point: [0, 0, 0.5], normal: [0, 0, 1]}}]
duration: 0.1 s
""")
    run = kd.read_run(path)
    result = kd.simulate_run(run)
    height = run.dynamics.frame_pose_many('tool0', result.q)[1][:, 2]
    np.testing.assert_allclose(height, 0.5, atol=1e-10)     # assembled onto the plane
    assert run.dynamics.robot.springs == (
        kd.JointSpring(joint='joint_2', stiffness=50.0, rest=np.radians(10.0)),)
    (force,) = run.setup.link_forces
    np.testing.assert_array_equal([force.at(0.04)[0], force.at(0.05)[0]], [0.0, 5.0])


def test_prescribed_joints_and_a_stop_condition(tmp_path):
    path = run_file(tmp_path, START + """friction: none
motion: {joints: [joint_1], follow: {move: {joint_1: 1}, duration: 1 s}}
stop: [{joint: joint_1, above: 0.5}]
duration: 1 s
""")
    result = kd.simulate_run(kd.read_run(path))
    assert result.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert result.remarks == [f'stopped at t = {result.t[-1]:.6g} s: joint_1 above 0.5 rad']


def test_a_step_that_is_too_long_is_reported(tmp_path):
    path = run_file(tmp_path, START + 'duration: 0.5 s\nstep: 5 ms\n')
    assert any('energy balance' in each for each in kd.simulate_run(kd.read_run(path)).remarks)


def test_a_link_pressed_beyond_its_buckling_load_is_reported():
    # a vertical beam with a mass on top: with k = d f/d e < 0 deflections grow without bound
    robot = kd.load_urdf('urdf/flexible_single_link.urdf')
    from kane_dynamics.analysis.vibration.stiffness_loss import effective_stiffness
    arm = kd.Dynamics(robot)
    q = robot.neutral()
    zero = np.zeros(robot.nv)
    light, _ = effective_stiffness(kd.Dynamics(robot.with_gravity([0, 0, 0])), q, zero)
    modes = np.sort(np.array([value**2 for value in arm.locked_frequencies()]))
    assert light == pytest.approx(modes[0], rel=1e-6)


def test_the_command_writes_page_tables_and_bag(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_file(tmp_path, START + 'friction: none\nduration: 0.05 s\n')
    pytest.importorskip('rosbags')
    assert main(['simulate', 'run.yaml', '--csv', '--npz', '--bag']) == 0
    printed = capsys.readouterr().out
    for name in ('run.html', 'run.csv', 'run.npz', 'run'):
        assert f'written: {name}' in printed
    assert 'unexplained' in printed and 'Balance, 0 to 0.05 s' in Path('run.html').read_text()
    solution = kd.simulate_run(kd.read_run('run.yaml')).phases[0]
    with np.load('run.npz') as saved:
        np.testing.assert_array_equal(saved['q'], solution.q)
        np.testing.assert_array_equal(saved['joint_2.qd'], solution.qd[:, 1])
        assert tuple(saved['joint_names']) == solution.dynamics.robot.joint_names
    names = solution.dynamics.robot.joint_names
    blocks = list(kd.JointStates('run', names))
    np.testing.assert_array_equal(np.concatenate([each.position for each in blocks]), solution.q)
    # the CSV is a motion for a task file, and its torques a table for another run
    table = run_file(tmp_path, START + 'friction: none\ntorque: {table: run.csv}\n'
                     'duration: 0.05 s\n')
    np.testing.assert_allclose(kd.simulate_run(kd.read_run(table)).q, solution.q, atol=1e-8)
    recorded = run_file(tmp_path, START + 'friction: none\ntorque: {bag: run}\n'
                        'duration: 0.05 s\n')
    np.testing.assert_allclose(kd.simulate_run(kd.read_run(recorded)).q, solution.q, atol=1e-8)


def test_a_solution_saves_itself(tmp_path):
    arm = kd.Dynamics(kd.load_urdf(SIX_AXIS))
    solution = kd.simulate(arm, np.zeros(6), np.zeros(6), duration=0.01, dt=1e-3)
    path = solution.save(tmp_path / 'fall.csv')
    header = path.read_text(encoding='utf-8').splitlines()[0].split(',')
    assert header[:4] == ['t', 'joint_1.q', 'joint_1.qd', 'joint_1.tau']
    with pytest.raises(kd.InputError, match='written as .csv, as .npz'):
        solution.save(tmp_path / 'fall.xlsx')


@pytest.mark.parametrize('text, line, message', [
    ('duration: 1 s\ntorqe: {}\n', 3, "did you mean 'torque'?"),
    ('duration: 1 kg\n', 2, 'duration: .1 kg.'),
    ('duration: 1 s\ntorque: {constant: [1, 2]}\n', 3, 'expected 6 numbers'),
    ('duration: 1 s\ntorque: {table: none.csv}\n', 3, 'does not exist'),
    ('duration: 1 s\ntorque: {"a\\u202e\\nb": 1}\n', 3, r'got a\\u202e\\nb$'),
    ('duration: 1 s\nforces: [{link: tool, force: [1, 0, 0]}]\n', 3, "did you mean 'tool0'"),
    ('duration: 1 s\nmethod: rk5\n', 3, "did you mean 'rk4'"),
    ('duration: 1 s\npayload: {mass: 1 kg, from: 2 s, until: 1 s}\n', 3, 'more than 2 s'),
    ('duration: 1 s\nsprings: [{joint: joint_2}]\n', 3, 'neither stiffness nor preload'),
    ('duration: 1 s\nstop: [{joint: joint_1}]\n', 3, "'above', 'below'"),
    ('start: {q: [0]}\nduration: 1 s\n', 2, 'expected 6 numbers')])
def test_errors_name_the_line_and_a_remedy(tmp_path, text, line, message):
    with pytest.raises(FileError, match=message) as caught:
        kd.read_run(run_file(tmp_path, text))
    assert caught.value.line == line


def test_a_table_of_forces_acts_over_time(tmp_path):
    t = np.linspace(0.0, 1.0, 11)
    write_table(tmp_path / 'push.csv', {'t': t, 'fx': t**3, **dict.fromkeys(
        ('fy', 'fz', 'mx', 'my', 'mz'), 0.0 * t)})
    path = run_file(tmp_path, 'forces: [{link: tool0, table: push.csv}]\nduration: 0.1 s\n')
    (force,) = kd.read_run(path).setup.link_forces
    assert force.at(0.33)[0] == pytest.approx(0.33**3, abs=1e-9)


def test_the_run_file_of_the_page_is_read(tmp_path):
    page = (ROOT / 'doc' / 'simulate.md').read_text(encoding='utf-8')
    text = page.split('```yaml\n')[1].split('```')[0].replace(
        '../../urdf/six_axis.urdf', str(SIX_AXIS))
    (tmp_path / 'run.yaml').write_text(text, encoding='utf-8')
    run = kd.read_run(tmp_path / 'run.yaml')
    assert run.setup.duration == 1.3 and run.payloads[0].start == 1.0
