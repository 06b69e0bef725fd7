# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The pages, in a real browser: verdict first, every curve drawn, the arm where Kane puts it."""

import json
import os
from pathlib import Path
import re
import tempfile
import textwrap

from browser import attribute, opened, screenshot
from example_robots import example_urdf
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.report.arm_scene import arm_scene, joint_sliders
from kane_dynamics.analysis.report.channels import channel, Thinner
from kane_dynamics.analysis.report.report_page import report_page
from kane_dynamics.analysis.report.view_page import view_page
from kane_dynamics.analysis.study.study import analyse
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.commands.cli import main

ROOT = Path(__file__).parents[2]
ARM = ROOT / 'urdf' / 'six_axis.urdf'
TASK = """\
    name: "pick </script><script>document.body.dataset.pwned = 1</script> & <b>place</b>"
    payload: {mass: 3, link: tool0, grip: {force: 100}}
    motors:
      default:
        motor: {torque_constant: 0.07, resistance: 0.35, max_voltage: 48, max_current: 20}
        gear: {ratio: 100, efficiency: 0.8}
    sections: {upper_arm: {shape: tube, outer_radius: 40 mm, inner_radius: 36 mm, material: S355}}
    limits: {joints: {joint_1: {speed: SPEED}}}
    task: {move: {joint_1: 1, joint_2: 0.5, joint_3: -0.5}, posture: zero, duration: 1}
    """


def study(tmp_path, speed='3'):
    path = tmp_path / 'task.yaml'
    path.write_text(textwrap.dedent(TASK).replace('SPEED', speed))
    return analyse(read_task(path, ARM))


@pytest.fixture(scope='module')
def page(tmp_path_factory):
    """Return the Analysis and the page of a task that the arm can do."""
    found = study(tmp_path_factory.mktemp('task'))
    return found, report_page(found)


@pytest.fixture(scope='module')
def bad_page(tmp_path_factory):
    """Return the Analysis and the page of a task that the arm cannot do."""
    found = study(tmp_path_factory.mktemp('task'), '1')
    return found, report_page(found)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


# -- the page as text ----------------------------------------------------------------------------

def test_the_verdict_comes_first_and_says_yes_or_no(page, bad_page):
    for (found, text), word in ((page, 'YES'), (bad_page, 'NO')):
        body = text[text.index('<body'):]
        first = re.sub(r'<[^>]*>', ' ', body[:body.index('</section>')]).split()
        assert first[0] == word
        assert body.index('id="verdict"') < body.index('<table')
    _, text = bad_page
    banner = text[text.index('id="verdict"'):text.index('class="facts"')]
    # 1.875 rad/s at half time, by the quintic profile, against 1 rad/s
    assert 'joint_1' in banner and '1.875 rad/s' in banner and '0.500 s' in banner
    assert 'Slowed down to 53 %' in banner


def test_the_page_asks_nothing_of_the_network(page):
    assert not re.search(r'(src|href)\s*=', page[1]) and '@import' not in page[1]
    assert 'http' not in re.sub(r'id="data">.*?</script>', '', page[1], flags=re.DOTALL).replace(
        'http-equiv', '')


def test_a_page_of_five_seconds_stays_below_a_megabyte(tmp_path):
    path = tmp_path / 'task.yaml'
    path.write_text('task: {move: {joint_1: 1}, posture: zero, duration: 5}\n')
    found = analyse(read_task(path, ARM), find_speed_factor=False)
    assert len(found.study.motion) == 5001
    assert len(report_page(found)) < 1_000_000


def test_tables_can_be_read_without_any_program(page):
    found, text = page
    plain = re.sub(r'<script.*?</script>', '', text, flags=re.DOTALL)
    for name in found.study.robot.joint_names:
        assert f'<td>{name}</td>' in plain
    assert f'{found.uses[1].peak_torque:.4g} N m' in plain
    assert 'upper_arm' in plain and 'MPa' in plain


# -- data ----------------------------------------------------------------------------------------

def test_thinning_keeps_peaks_and_ends():
    t = np.linspace(0.0, 10.0, 100_001)
    values = np.sin(t)
    values[54_321], values[54_400] = 7.0, -9.0
    thin = Thinner(t)
    kept = thin(values)
    assert len(kept) == len(thin.t) <= 2000
    assert kept.max() == 7.0 and kept.min() == -9.0
    assert thin.t[0] == 0.0 and thin.t[-1] == 10.0 and (np.diff(thin.t) > 0).all()
    assert abs(thin.t[np.argmax(kept)] - t[54_321]) < 0.01
    short = np.linspace(0.0, 1.0, 50)
    assert Thinner(short)(short) is short


def test_the_browser_reads_the_numbers_that_python_wrote(page, tmp_path):
    found, text = page
    script = """const d = JSON.parse(document.getElementById('data').textContent);
        const plot = d.groups.flatMap((g) => g.plots).find((p) => p.title === 'Torque');
        document.body.dataset.seen = JSON.stringify(
          plot.series.map((s) => [...Plots.decode(s.d)]));
        """
    seen = np.array(json.loads(attribute(opened(text, tmp_path, script), 'data-seen'))).T
    assert seen.shape == found.loads.tau.shape
    step = np.ptp(found.loads.tau, axis=0) / 65535
    assert (abs(seen - found.loads.tau) <= 0.51 * step + 1e-12).all()


def test_a_constant_signal_survives():
    assert channel(np.full(3, 2.5))['a'] == 2.5
    assert channel(np.zeros(0))['d'] == ''


# -- in the browser ------------------------------------------------------------------------------

def test_the_page_opens_draws_every_chart_and_runs_no_text_of_the_file(page, tmp_path):
    found, text = page
    document = opened(text, tmp_path)
    assert attribute(document, 'data-error') is None
    assert attribute(document, 'data-ready') == 'yes'
    assert attribute(document, 'data-webgl') == 'yes'
    assert attribute(document, 'data-pwned') is None
    data = data_of(text)
    charts = sum(len(group['plots']) for group in data['groups']) + len(data['diagrams'])
    assert attribute(document, 'data-charts') == str(charts)
    assert document.count('<canvas') == charts + 1
    assert 'pick &lt;/script&gt;' in document


def test_clocks_sliders_and_checks_move_together(bad_page, tmp_path):
    found, text = bad_page
    script = """const button = document.querySelector('.checks button.bad');
        const slider = document.getElementById('time'), now = document.getElementById('now');
        const before = slider.value; slider.value = 0.2; slider.dispatchEvent(new Event('input'));
        const at = now.textContent;
        button.click();
        document.body.dataset.seen = JSON.stringify([before, at, now.textContent]);
        """
    before, moved, clicked = json.loads(attribute(opened(text, tmp_path, script), 'data-seen'))
    # it opens at the worst instant, and goes back there when its check is clicked
    assert float(before) == pytest.approx(found.verdict.worst.time, abs=1e-3)
    assert moved == '0.200 s' and clicked == f'{found.verdict.worst.time:.3f} s'


def test_the_picture_is_green_or_red_and_shows_an_arm(page, bad_page, tmp_path):
    image = pytest.importorskip('PIL.Image')
    for (_, text), colour in ((page, 'green'), (bad_page, 'red')):
        with image.open(screenshot(text, tmp_path)) as picture:
            pixels = np.asarray(picture.convert('RGB')).astype(int)
        word = pixels[20:120, 20:180].reshape(-1, 3)
        r, g, b = word.T
        strong = (g - r > 60).sum() if colour == 'green' else (r - g > 100).sum()
        assert strong > 300, f'the banner is not {colour}'
        stage = pixels[230:600, 40:680].reshape(-1, 3)
        # the payload is an orange ball, the links are grey, the floor is light
        assert ((stage[:, 0] - stage[:, 2]) > 80).sum() > 300
        assert len(np.unique(stage // 8, axis=0)) > 60


# -- kane view -----------------------------------------------------------------------------------

def test_the_page_of_an_arm_goes_to_a_private_file_and_follows_no_link(tmp_path, monkeypatch,
                                                                       capsys):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    victim = tmp_path / 'victim'
    victim.write_text('precious')
    (tmp_path / 'kane_view_two_link.html').symlink_to(victim)
    paths = []
    for _ in range(2):
        assert main(['view', str(ROOT / 'urdf' / 'two_link.urdf'), '--no-browser']) == 0
        paths.append(Path(capsys.readouterr().out.removeprefix('written: ').strip()))
    assert victim.read_text() == 'precious'
    assert paths[0] != paths[1] and all(path.parent == tmp_path for path in paths)
    assert all(path.read_text().endswith('</html>\n') for path in paths)
    if os.name == 'posix':
        assert all(path.stat().st_mode & 0o077 == 0 for path in paths)


def seen_poses(states, tmp_path):
    """Return the poses of all links, as the browser has them, for [(robot, q), ...]."""
    scenes = json.dumps([[arm_scene(robot), q.tolist()] for robot, q in states])
    script = f"""document.body.dataset.seen = JSON.stringify({scenes}.map(([scene, q]) =>
        Arm.poses(scene, q).map(({{R, p}}) => [...R, ...p])));"""
    document = opened(view_page(*states[0]), tmp_path, script)
    assert attribute(document, 'data-error') is None
    return [np.array(rows) for rows in json.loads(attribute(document, 'data-seen'))]


def random_state(robot, seed):
    rng = np.random.default_rng(seed)
    q = robot.neutral()
    for row in joint_sliders(robot):
        q[row['q']] = 0.5 * rng.uniform(row['low'], row['high'])
    return q


def mixed_arm():
    """Return an arm with segments, an elastic joint, a slide and a joint that follows another."""
    beam = ('<beam root="0 0 0" axis="1 0 0" normal="0 0 1" length="1" mass_per_length="0.9" '
            'EI_y="50" EI_z="70" GJ="40" polar_inertia_per_length="1e-3"/>')
    link = ('<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia '
            'ixx="0.01" iyy="0.09" izz="0.095" ixy="0" ixz="0" iyz="0"/></inertial></link>')
    joint = ('<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin '
             'xyz="{4}" rpy="0.1 0.2 0.3"/><axis xyz="{5}"/><limit lower="-1" upper="1" '
             'effort="9" velocity="9"/>{6}</joint>')
    return kd.load_urdf(
        '<robot name="mixed"><link name="base"/>' + ''.join(link.format(x) for x in 'abcd')
        + joint.format('one', 'revolute', 'base', 'a', '0 0 1', '0 0 1', '')
        + joint.format('two', 'prismatic', 'a', 'b', '1 0 0', '0 1 0', '')
        + joint.format('three', 'revolute', 'b', 'c', '1 0 0', '1 1 0', '<mimic joint="one" '
                       'multiplier="-0.5" offset="0.2"/>')
        + joint.format('four', 'revolute', 'a', 'd', '0.7 0 0', '0 1 0', '')
        + f'<flexible_link reference="a">{beam}<segments count="3"/></flexible_link>'
        '<flexible_joint reference="two" stiffness="500" damping="1" motor_inertia="0.1"/>'
        '</robot>')


def test_the_browser_puts_links_where_kane_s_equations_do(tmp_path):
    robots = [kd.load_urdf(ROOT / 'urdf' / f'{name}.urdf') for name in (
        'six_axis', 'kane_levinson_arm', 'stanford_arm', 'flexible_six_axis', 'flexible_3r',
        'padilla_two_link')]
    robots += [mixed_arm(), kd.lock_joints(mixed_arm(), {'two': 0.3})]
    states = [(robot, random_state(robot, seed)) for seed, robot in enumerate(robots)]
    for (robot, q), poses in zip(states, seen_poses(states, tmp_path)):
        dyn = kd.Dynamics(robot, backend='python')
        names = [each['name'] for each in arm_scene(robot)['links']]
        for link in robot.links:
            R, p = dyn.frame_pose(link.name, q)
            row = poses[names.index(link.name)]
            # the page has six digits of lengths and directions
            assert row[9:] == pytest.approx(p, abs=2e-5), (robot.name, link.name)
            assert row[:9] == pytest.approx(R.ravel(), abs=2e-5), (robot.name, link.name)


def test_a_bent_link_is_drawn_along_its_centre_line(tmp_path):
    robot = kd.load_urdf(ROOT / 'urdf' / 'flexible_single_link.urdf')
    q = random_state(robot, 5)
    script = """const d = JSON.parse(document.getElementById('data').textContent);
        const k = d.scene.links.findIndex((link) => link.flex);
        document.body.dataset.seen = JSON.stringify(Arm.centreline(d.scene, k, d.q));"""
    seen = json.loads(attribute(opened(view_page(robot, q), tmp_path, script), 'data-seen'))
    name, flexible = next(iter(robot.flexible_links.items()))
    line = flexible.centerline(q[robot.nq - robot.n_modes:])
    assert np.array(seen) == pytest.approx(line, abs=1e-6)
    assert abs(line[-1, 1:]).max() > 0.01                   # and it does bend


def test_sliders_move_the_arm(tmp_path):
    robot = kd.load_urdf(ARM)
    script = """const input = document.querySelectorAll('#sliders input')[1];
        const pose = document.getElementById('pose'), before = pose.textContent;
        input.value = 0.5; input.dispatchEvent(new Event('input'));
        document.body.dataset.seen = JSON.stringify([before, pose.textContent]);"""
    before, after = json.loads(attribute(opened(view_page(robot), tmp_path, script), 'data-seen'))
    q = np.zeros(6)
    q[1] = 0.5
    dyn = kd.Dynamics(robot, backend='python')
    for text, joints in ((before, np.zeros(6)), (after, q)):
        position = [float(word) for word in text.split(':')[1].split('m;')[0].split()]
        assert position == pytest.approx(dyn.frame_pose('tool0', joints)[1], abs=3e-3)


def test_the_whole_arm_is_visible_next_to_the_panel(tmp_path):
    script = """const d = JSON.parse(document.getElementById('data').textContent);
        const canvas = document.getElementById('arm'), panel = document.querySelector('.panel');
        const view = new Arm.View(canvas, d.scene, {q: d.q, inset: () => panel.offsetWidth});
        view.draw();
        const m = view.camera.matrix, r = d.scene.radius, [x, y, z] = d.scene.centre;
        const row = (p, k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k];
        const on = (p) => [row(p, 0) / row(p, 3), row(p, 1) / row(p, 3)], ball = [];
        for (let a = 0; a < 6.28; a += 0.1) for (let b = -1.5; b < 1.6; b += 0.1) {
          const c = r * Math.cos(b);
          ball.push(on([x + c * Math.cos(a), y + c * Math.sin(a), z + r * Math.sin(b)]));
        }
        const free = 1 - 2 * panel.offsetWidth / canvas.clientWidth;
        document.body.dataset.seen = JSON.stringify([on(d.scene.centre)[0] - (free - 1) / 2,
          Math.min(...ball.map((p) => p[0])), Math.max(...ball.map((p) => p[0])) - free,
          Math.max(...ball.map((p) => Math.abs(p[1])))]);"""
    for size in ('1280,800', '900,900'):
        page = opened(view_page(kd.load_urdf(ARM)), tmp_path, script, size)
        assert attribute(page, 'data-error') is None
        off, left, right, height = json.loads(attribute(page, 'data-seen'))
        assert abs(off) < 1e-9 and left > -1.0 and right < 0.0 and height < 1.0, size


def test_an_arm_whose_limits_leave_out_zero_is_shown_within_them():
    robot = kd.load_urdf(example_urdf('kinova.urdf'))
    q = json.loads(re.search(r'"q":(\[[^]]*\]),"frame"', view_page(robot))[1])
    assert (np.array(q) >= robot.limits.lower).all() and (np.array(q) <= robot.limits.upper).all()
    assert max(q) > 0.5


def test_sliders_of_modes_have_their_units():
    robot = mixed_arm()
    units = {row['name']: row['unit'] for row in joint_sliders(robot)}
    assert units['one'] == 'rad' and units['two'] == 'm' and units['two/deflection'] == 'm'
    assert {units[name] for name in robot.mode_names if name.startswith('a/')} == {'rad'}
    units = {row['name']: row['unit'] for row in joint_sliders(
        kd.load_urdf(ROOT / 'urdf' / 'flexible_3r.urdf'))}
    assert units['upper_arm/bend_y_1'] == 'm' and units['upper_arm/torsion_1'] == 'rad'


def test_the_page_of_an_arm_needs_matching_coordinates():
    robot = kd.load_urdf(ARM)
    with pytest.raises(kd.InputError, match='expected'):
        view_page(robot, np.zeros(5))
    with pytest.raises(kd.InputError, match='tool0'):
        view_page(robot, frame='hand')
