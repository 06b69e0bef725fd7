# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""`kane evaluate`: its errors, its bag, its page, and real arms."""

import json
from pathlib import Path
import re
import shutil

from bag_files import real_bag
from browser import attribute, opened
from example_robots import example_urdf
import numpy as np
import pytest
from recorded_arms import pinocchio_torques, record, sines

import kane_dynamics as kd
from kane_dynamics.analysis.report.evaluation_page import evaluation_page
from kane_dynamics.commands.cli import main
from kane_dynamics.exceptions import InputError
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.recorded.evaluate import Envelope, evaluate, Evaluation
from kane_dynamics.recorded.identify.conclusion import conclude_evaluation
from kane_dynamics.recorded.residual_causes import ResidualCauses
from kane_dynamics.trajectory.motion import Motion

ROOT = Path(__file__).resolve().parents[2]
UR5 = example_urdf('ur5_robot.urdf')
NAMES = ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint',
         'wrist_2_joint', 'wrist_3_joint')


@pytest.fixture(scope='module')
def ur5_bag(tmp_path_factory):
    """Return a bag of 20 s at 125 Hz whose efforts are Pinocchio's, and its contents."""
    t, q, qd, qdd = sines(6, 20.0, 125.0)
    tau = pinocchio_torques(UR5, q, qd, qdd)
    # joints in another order than the arm's, as drivers have them
    order = [2, 1, 0, 3, 4, 5]
    path = record(tmp_path_factory.mktemp('bags') / 'ur5', [NAMES[k] for k in order], t,
                  q[:, order], qd[:, order], tau[:, order])
    return path, t, tau


def json_of(capsys, *arguments):
    """Return the JSON that `kane evaluate` prints."""
    capsys.readouterr()
    assert main(['evaluate', *map(str, arguments), '--json']) == 0
    return json.loads(capsys.readouterr().out)


def blocks(*arrays, size=77):
    for k in range(0, len(arrays[0]), size):
        yield tuple(array[k:k + size] for array in arrays)


def test_errors_in_blocks_are_those_of_the_whole():
    rng = np.random.default_rng(1)
    t = np.arange(1000) * 0.01
    measured = rng.normal(size=(1000, 3)) * [1.0, 10.0, 0.1] + [1e4, 0.0, -3.0]
    model = measured + rng.normal(size=(1000, 3)) * [0.1, 2.0, 0.1]
    found = Evaluation(('a', 'b', 'c'))
    for block in blocks(t, measured, model):
        found.add(*block)
    error = measured - model
    np.testing.assert_allclose(found.rms, np.sqrt((measured**2).mean(0)))
    np.testing.assert_allclose(found.rmse, np.sqrt((error**2).mean(0)))
    np.testing.assert_allclose(found.normalized, found.rmse / found.rms)
    # an effort of 1e4 +- 1 costs 4 of the 16 digits
    np.testing.assert_allclose(found.r2, 1 - (error**2).sum(0) / (
        (measured - measured.mean(0))**2).sum(0), rtol=1e-9)
    rows = np.abs(error).argmax(0)
    np.testing.assert_array_equal(found.worst_time, t[rows])
    np.testing.assert_array_equal(found.worst, error[rows, range(3)])


def test_a_constant_effort_has_no_r2_and_no_effort_no_fraction():
    found = Evaluation(('a', 'b'))
    found.add(np.arange(5.0), np.tile([3.0, 0.0], (5, 1)), np.ones((5, 2)))
    assert np.isnan(found.r2).all() and np.isnan(found.normalized[1])
    assert found.table().splitlines()[1].split()[6] == '-'


def test_a_model_torque_that_is_no_number_is_an_error_with_its_joint_and_time():
    found = Evaluation(('a', 'b'))
    with pytest.raises(InputError, match="nan for 'b' at 2.000 s"):
        found.add(np.arange(5.0), np.ones((5, 2)), np.array([[1, 1.0]] * 2 + [[1, np.nan]] * 3))


def test_torques_of_another_program_are_explained_to_the_filters_accuracy(capsys, ur5_bag):
    path, t, tau = ur5_bag
    found = json_of(capsys, path, '--urdf', UR5, '--no-bag', '--no-page')
    for j, row in enumerate(found['joints']):
        inner = tau[24:-24, j]     # the ends that are left out
        assert row['joint'] == NAMES[j] and row['unit'] == 'N m'
        # 1 - H of the 10 Hz filter at 0.9 Hz is 5e-7; the bag holds positions to 1e-16
        assert row['rmse'] < 1e-4 * max(row['rms'], 0.01) and row['r2'] > 1.0 - 1e-6
        assert row['rms'] == pytest.approx(np.sqrt((inner**2).mean()), rel=1e-3)
    assert found['count'] == len(t) - 48


def test_the_bag_holds_measured_and_model_efforts_side_by_side(capsys, ur5_bag, tmp_path):
    path, t, tau = ur5_bag
    output = tmp_path / 'out'
    assert main(['evaluate', str(path), '--urdf', str(UR5), '-o', str(output)]) == 0
    measured, = JointStates(output, NAMES, topic='/model/joint_states')
    with pytest.raises(InputError, match='without position'):
        list(JointStates(output, NAMES, topic='/joint_states'))     # effort only
    np.testing.assert_allclose(measured.effort, tau[24:-24], atol=2e-3)
    assert f'{output}.html' in capsys.readouterr().out
    page = (tmp_path / 'out.html').read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert [plot['title'] for plot in data['groups'][0]['plots']] == list(NAMES)
    assert 'wrist_3_joint' in page and 'half power at 10 Hz' in page


def test_nothing_is_overwritten_and_a_failure_leaves_nothing_behind(capsys, ur5_bag, tmp_path,
                                                                    monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = str(ur5_bag[0])
    for _ in range(2):
        assert main(['evaluate', path, '--urdf', str(UR5)]) == 0
    assert {each.name for each in tmp_path.iterdir()} == {
        'ur5_evaluated', 'ur5_evaluated.html', 'ur5_evaluated_2', 'ur5_evaluated_2.html'}
    assert main(['evaluate', path, '--urdf', str(UR5), '-o', 'bad', '--from', '100']) == 2
    assert 'no samples to compare' in capsys.readouterr().err
    assert main(['evaluate', path, '--urdf', str(UR5), '-o', 'bad', '--rename', 'elbow=x']) == 2
    assert "Missing: ['elbow_joint']" in capsys.readouterr().err
    assert not (tmp_path / 'bad').exists() and not (tmp_path / 'bad.html').exists()


def test_a_part_in_time_can_be_chosen(capsys, ur5_bag):
    found = json_of(capsys, ur5_bag[0], '--urdf', UR5, '--no-bag', '--no-page', '--from', '5',
                    '--to', '7')
    assert found['count'] == 250
    assert all(5.0 <= row['worst_time'] < 7.0 for row in found['joints'])


@pytest.mark.parametrize('scale, words', [
    (1.0, None), (0.05, ': the effort is 0.05 times the torque of the model'),
    (1e3, ': the effort is 1e+03 times the'), (-1.0, ': the effort has the opposite sign'),
    (0.0, 'every effort is zero')])
def test_efforts_that_are_no_torques_are_reported_with_a_likely_cause(scale, words, ur5_bag):
    _, t, tau = ur5_bag
    found = Evaluation(NAMES)
    found.add(t, scale * tau, tau + 1e-3)
    if words is None:
        assert found.remarks() == []
    else:
        remark, = found.remarks()
        assert words in remark and (NAMES[1] in remark or not scale)


def test_another_arm_is_reported_and_so_are_positions_in_degrees(capsys, ur5_bag, tmp_path):
    _, t, tau = ur5_bag
    _, q, qd, _ = sines(6, 20.0, 125.0)
    path = record(tmp_path / 'degrees', NAMES, t, np.rad2deg(q), np.rad2deg(qd), tau)
    found = json_of(capsys, path, '--urdf', UR5, '--no-bag', '--no-page')
    assert any('were positions recorded in degrees?' in line and NAMES[1] in line
               for line in found['account'])
    assert any('is this the URDF of the arm?' in line for line in found['remarks'])
    whole = json_of(capsys, ur5_bag[0], '--urdf', UR5, '--no-bag', '--no-page')
    assert not whole['remarks'] and not any('degrees' in line for line in whole['account'])


def test_friction_of_the_urdf_counts_when_it_is_asked_for(capsys, tmp_path):
    path = example_urdf('panda.urdf')
    t, q, qd, qdd = sines(7, 10.0, 100.0)
    tau = np.zeros_like(q)
    names = [f'panda_joint{k}' for k in range(1, 8)]
    bag = record(tmp_path / 'bag', names, t, q, qd, tau)
    common = (bag, '--urdf', path, '--lock', 'panda_finger_joint1=0.01', '--no-bag', '--no-page')
    plain, friction = (json_of(capsys, *common, *more)['joints']
                       for more in ((), ('--friction', 'urdf')))
    assert all(a['rmse'] != b['rmse'] for a, b in zip(plain, friction))


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--rename', 'x'], 'expected NAME=VALUE'), (['--lock', 'elbow_joint=much'], 'much'),
    (['--bandwidth', '0'], 'bandwidth must be positive'), (['--speeds', 'guess'], 'guess'),
    (['--bandwidth', '60'], 'use 31.2 Hz or less'), (['--topic', '/none'], "no topic '/none'"),
    (['--calibration', 'absent.yaml'], 'absent.yaml: cannot be read')])
def test_wrong_options_are_refused_with_the_reason(capsys, ur5_bag, arguments, words):
    try:
        code = main(['evaluate', str(ur5_bag[0]), '--urdf', str(UR5), '--no-bag', '--no-page',
                     *arguments])
    except SystemExit as exit_:
        code = exit_.code
    assert code == 2 and words in capsys.readouterr().err


def test_velocities_that_lie_are_refused_and_positions_used_on_request(capsys, tmp_path):
    t, q, qd, qdd = sines(6, 10.0, 125.0)
    bag = record(tmp_path / 'bag', NAMES, t, q, 0.0 * qd, pinocchio_torques(UR5, q, qd, qdd))
    arguments = ['evaluate', str(bag), '--urdf', str(UR5), '--no-bag', '--no-page']
    assert main(arguments) == 2
    assert 'contradict the positions' in capsys.readouterr().err
    found = json_of(capsys, *arguments[1:], '--speeds', 'position')
    assert all(row['r2'] > 0.9999 for row in found['joints'])


# -- conclusions ---------------------------------------------------------------------------------


def ur5_motion(seed=2):
    t, *state = sines(6, 20.0, 100.0, seed)
    return t, state


@pytest.mark.parametrize('friction, mass, grade, words, step', [
    (False, 0.0, 'GOOD', 'Largest error', ''),
    (True, 0.0, 'POOR', 'follow the velocity and its sign: friction', 'kane identify'),
    (True, 40.0, 'POOR', 'the masses are not those of this arm', 'a missing payload')])
def test_an_evaluation_concludes_with_a_cause_and_a_next_step(friction, mass, grade, words, step):
    robot = kd.load_urdf(example_urdf('ur5_robot.urdf'))
    t, state = ur5_motion()
    dry = kd.Friction(viscous=np.full(6, 20.0), coulomb=np.full(6, 30.0)) if friction else None
    arm = kd.Dynamics(robot.with_payload(mass, (0, 0, 0.1), link='tool0') if mass else robot, dry)
    found = evaluate(kd.Dynamics(robot), [Motion(t, *state, arm.inverse_many(*state))])
    conclusion = conclude_evaluation(found, 'kane identify bag')
    assert conclusion.grade == grade and words in ' '.join(conclusion.more)
    assert step in conclusion.next_step and bool(step) == bool(conclusion.next_step)
    assert conclusion.lines()[0].startswith(f'{grade}: RMSE ')


def test_causes_explain_what_was_added_and_nothing_else():
    t, (_, qd, qdd) = ur5_motion()
    model = np.sin(t)[:, None] * np.arange(1.0, 7.0)
    for cause, error in (('rotor inertia', 0.3 * qdd), ('offset', np.full_like(qd, 2.0)),
                         ('scale', 0.5 * model), ('friction', 3.0 * qd + np.sign(qd))):
        found = ResidualCauses(6)
        found.add(qd[:700], qdd[:700], model[:700], error[:700])
        found.add(qd[700:], qdd[700:], model[700:], error[700:])
        assert (found.explained([cause]) > 0.99).all()
        others = [each for each in ('rotor inertia', 'offset', 'scale') if each != cause]
        assert all((found.explained([each]) < 0.3).all() for each in others)
        np.testing.assert_allclose(found.squares, (error**2).sum(axis=0))


# -- real arms ------------------------------------------------------------------------------------


def test_the_panda_bag_is_met_by_the_urdf_alone(capsys):
    found = json_of(capsys, real_bag('panda'), '--urdf', example_urdf('panda.urdf'), '--rename',
                    'fer_=panda_', '--lock', 'panda_finger_joint1=0', '--no-bag', '--no-page')
    rmse = [row['rmse'] for row in found['joints']]
    assert (np.array(rmse) <= [0.9, 1.9, 1.9, 2.2, 0.7, 0.6, 0.4]).all()


def test_the_ur10_bag_shows_how_much_friction_a_bare_urdf_misses(capsys):
    found = json_of(capsys, real_bag('ur10'), '--urdf', example_urdf('ur10_robot.urdf'),
                    '--no-bag', '--no-page')
    assert found['conclusion']['grade'] == 'POOR'
    assert 'follow the velocity and its sign: friction' in found['conclusion']['more'][1]
    assert 'kane identify' in found['conclusion']['next']
    page = (ROOT / 'doc' / 'recorded_motion.md').read_text(encoding='utf-8')
    assert all(f'\n  {line}\n' in page for line in found['conclusion']['more'])
    # the values of notes/ros.md section 4, which used another filter: rounded to 0.1 N m there
    np.testing.assert_allclose([row['rmse'] for row in found['joints']],
                               [21.5, 22.2, 16.7, 6.1, 4.1, 5.7], rtol=0.02)


def test_the_ur10_bag_is_not_of_a_ur5(capsys):
    found = json_of(capsys, real_bag('ur10'), '--urdf', UR5, '--no-bag', '--no-page')
    assert 'the masses are not those of this arm' in found['conclusion']['more'][-1]
    assert 'check --urdf' in found['conclusion']['next']


def test_the_code_of_the_document_runs(monkeypatch, tmp_path):
    (tmp_path / 'urdf').mkdir()
    shutil.copy(ROOT / 'urdf' / 'two_link.urdf', tmp_path / 'urdf')
    monkeypatch.chdir(tmp_path)
    text = (ROOT / 'doc' / 'recorded_motion.md').read_text(encoding='utf-8')
    code, names = text.split('```python\n')[1].split('```')[0], {}
    exec(compile(code, 'recorded_motion.md', 'exec'), names)
    assert np.isfinite(names['tau']).all() and names['dynamics'].friction.coulomb[0] == 0.4


# -- pictures -------------------------------------------------------------------------------------


def test_an_envelope_keeps_the_extremes_of_a_long_signal():
    rng = np.random.default_rng(2)
    t = np.arange(100_000) * 0.002
    rows = rng.normal(size=(len(t), 2))
    envelope = Envelope(rows.shape[1], bins=100)
    for block in blocks(t, rows, size=1234):
        envelope.add(*block)
    assert 100 <= len(envelope.t) <= 200
    assert envelope.low.min() == rows.min() and envelope.high.max() == rows.max()
    width = envelope.t[1] - envelope.t[0]
    for k in (0, 50, len(envelope.t) - 1):
        # a sample within a rounding of the edge may fall to either side
        inside = rows[(t >= envelope.t[k] + 1e-9) & (t < envelope.t[k] + width - 1e-9)]
        assert (envelope.low[k] <= inside.min(0)).all()
        assert (envelope.high[k] >= inside.max(0)).all()


def evaluation(names, t, unit='N m'):
    """Return the Evaluation of a model that is always 0.5 below the measured effort."""
    found = Evaluation(names, [unit] * len(names))
    measured = np.outer(np.sin(t), 1.0 + np.arange(len(names)))
    found.add(t, measured, measured - 0.5)
    return found


EVIL = '<script>document.body.dataset.pwned = 1</script>'


def evil_page():
    return evaluation_page(EVIL, evaluation([EVIL], np.arange(3.0), EVIL), [EVIL])


def test_names_from_outside_do_not_become_html():
    text = evil_page()
    assert EVIL not in text and text[:text.index('id="data"')].count('&lt;script') >= 4


def test_names_from_outside_do_not_run_in_a_browser(tmp_path):
    document = opened(evil_page(), tmp_path)
    assert attribute(document, 'data-error') is None
    assert attribute(document, 'data-pwned') is None
    assert attribute(document, 'data-charts') == '1'


def test_a_chart_of_one_sample_is_drawn_all_the_same(tmp_path):
    page = opened(evaluation_page('one', evaluation(['a', 'b'], np.array([1.0])), []), tmp_path)
    assert attribute(page, 'data-error') is None and attribute(page, 'data-ready') == 'yes'
    assert page.count('<canvas') == 2


def test_curves_of_the_page_pass_through_the_efforts_and_break_at_gaps(tmp_path):
    # 12 s with a gap of 3 s
    t = np.concatenate([np.arange(0.0, 5.0, 0.01), np.arange(8.0, 12.0, 0.01)])
    text = evaluation_page('gap', evaluation(['a', 'b'], t), [])
    script = """const d = JSON.parse(document.getElementById('data').textContent);
        document.body.dataset.seen = JSON.stringify([d.breaks, [...Plots.decode(d.t)],
          ...d.groups[0].plots.map((p) => p.series.map((s) => [...Plots.decode(s.d)]))]);"""
    breaks, times, *joints = json.loads(attribute(opened(text, tmp_path, script), 'data-seen'))
    times = np.array(times)
    assert len(breaks) == 1
    assert times[breaks[0] - 1] < 5.02 and times[breaks[0]] > 7.98
    for j, (measured, model, error) in enumerate(joints):
        # within the width of a bin
        assert np.array(measured) == pytest.approx((j + 1) * np.sin(times), abs=0.03 * (j + 1))
        assert np.array(measured) - 0.5 == pytest.approx(np.array(model), abs=1e-3)
        assert error == pytest.approx(np.full(len(times), 0.5), abs=1e-9)


def test_all_curves_are_drawn_at_once_in_their_colours(tmp_path):
    colours = {'measured': (37, 99, 235), 'model': (220, 38, 38), 'error': (5, 150, 105)}
    script = f"""const [c] = document.querySelectorAll('canvas'), g = c.getContext('2d');
        const pixels = g.getImageData(0, 0, c.width, c.height).data;
        const near = (k, colour) => pixels[k + 3] > 0
          && colour.every((value, j) => Math.abs(pixels[k + j] - value) < 10);
        document.body.dataset.seen = JSON.stringify({list(map(list, colours.values()))}.map(
          (colour) => {{
            let count = 0;
            for (let k = 0; k < pixels.length; k += 4) count += near(k, colour);
            return count;
          }}));"""
    text = evaluation_page('run', evaluation(['a'], np.arange(0.0, 5.0, 0.01)), [])
    seen = json.loads(attribute(opened(text, tmp_path, script), 'data-seen'))
    assert min(seen) > 500, dict(zip(colours, seen))
