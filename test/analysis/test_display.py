# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pages from Python: what they contain, where they go, and that they run in a browser."""

import base64
import html
import json
from pathlib import Path
import re
import stat
import sys
import types
import webbrowser

from browser import attribute, opened
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.display import meshcat_scene
from kane_dynamics.analysis.task_file.read_task import read_task

ROOT = Path(__file__).resolve().parents[2]
Q = np.array([0.2, -0.5, 0.7, 0.1, 0.4, -0.3])


@pytest.fixture(scope='module')
def robot():
    return kd.load_urdf(ROOT / 'urdf' / 'six_axis.urdf')


@pytest.fixture(scope='module')
def solution(robot):
    return kd.simulate(kd.Dynamics(robot, backend='python'), Q, np.zeros(6), duration=0.1, dt=0.01)


@pytest.fixture
def trajectory(robot):
    # the names in another order than in the robot
    names = robot.joint_names[::-1]
    return kd.Trajectory(names, [0.0, 1.0, 2.0], [Q, Q + 0.3, Q])


@pytest.fixture
def tabs(monkeypatch):
    """Return the list of addresses that are opened in a browser; no browser is started."""
    found = []

    def opened_tab(address):
        found.append(address)
        return True

    monkeypatch.setattr(webbrowser, 'open', opened_tab)
    return found


def data_of(page):
    """Return the data in a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page.html, re.DOTALL)[1])


def decoded(channel):
    """Return the values of a channel, to 1/65535 of its range."""
    codes = np.frombuffer(base64.b64decode(channel['d']), '<u2')
    return channel['a'] + (channel['b'] - channel['a']) * codes / 65535.0


def charts_of(page):
    """Return {title: {curve: values}} of a page."""
    return {plot['title']: {curve['name']: decoded(curve['d']) for curve in plot['series']}
            for group in data_of(page)['groups'] for plot in group['plots']}


def test_a_robot_is_shown_at_q(robot, tmp_path):
    page = kd.show(robot, Q, path=tmp_path / 'arm.html')
    assert page.path.read_text(encoding='utf-8') == page.html
    data = data_of(page)
    np.testing.assert_allclose(data['q'], Q)
    assert data['frame'] == robot.tip()
    assert data_of(kd.show(kd.Dynamics(robot), Q, path=page.path)) == data


def test_the_curves_of_a_solution_are_its_samples(solution, tmp_path):
    charts = charts_of(solution.plot(path=tmp_path / 'curves.html'))
    for title, rows in (('Position', solution.q), ('Velocity', solution.qd),
                        ('Effort', solution.tau)):
        for k, name in enumerate(solution.dynamics.robot.joint_names):
            span = np.ptp(rows[:, k])
            np.testing.assert_allclose(charts[title][name], rows[:, k], atol=1e-4 * span + 1e-12)
    energy = solution.energy()
    np.testing.assert_allclose(charts['Energy']['total'], energy.total,
                               atol=1e-4 * np.ptp(energy.total) + 1e-12)


def test_the_arm_in_motion_is_at_the_samples_of_the_solution(solution, tmp_path):
    frames = data_of(solution.show(path=tmp_path / 'motion.html'))['frames']
    q = np.array([decoded(each) for each in frames['q']]).T
    np.testing.assert_allclose(q, solution.q, atol=1e-3)
    tip = solution.dynamics.robot.tip()
    path = solution.dynamics.frame_pose_many(tip, solution.q)[1]
    np.testing.assert_allclose(np.array([decoded(each) for each in frames['path']]).T, path,
                               atol=1e-3)


def test_the_path_of_a_flexible_arm_is_that_of_its_bent_links(tmp_path):
    robot = kd.load_urdf(ROOT / 'urdf' / 'flexible_single_link.urdf')
    q = np.zeros((5, robot.nq))
    q[:, robot.modes_q.start] = np.linspace(0.0, 0.05, 5)
    frames = data_of(kd.show(robot, q, path=tmp_path / 'bent.html'))['frames']
    path = kd.Dynamics(robot, backend='python').frame_pose_many(robot.tip(), q)[1]
    assert np.ptp(path, axis=0).max() > 0.01
    np.testing.assert_allclose(np.array([decoded(each) for each in frames['path']]).T, path,
                               atol=1e-4)


def test_a_trajectory_moves_the_joints_of_its_names(robot, trajectory, tmp_path):
    frames = data_of(trajectory.show(robot, path=tmp_path / 'motion.html'))['frames']
    q = np.array([decoded(each) for each in frames['q']]).T
    np.testing.assert_allclose(q[0], Q[::-1], atol=1e-4)
    np.testing.assert_allclose(q[len(q) // 2], Q[::-1] + 0.3, atol=1e-3)


def test_a_trajectory_is_plotted_without_a_robot(trajectory, tmp_path):
    charts = charts_of(trajectory.plot(path=tmp_path / 'curves.html'))
    ts = np.linspace(0.0, 2.0, len(charts['Velocity']['joint_1']))
    expected = trajectory.sample_many(ts)[1][:, trajectory.joint_names.index('joint_1')]
    np.testing.assert_allclose(charts['Velocity']['joint_1'], expected, atol=1e-4)
    assert 'Effort' not in charts


def test_tasks_and_analyses_are_shown(robot, trajectory, tmp_path):
    task = kd.JointTask(kd.Dynamics(robot, backend='python'),
                        kd.Trajectory(robot.joint_names, [0.0, 1.0], [Q, Q + 0.1]))
    assert task.show(path=tmp_path / 'task.html').title == 'six_axis: task'
    found = kd.analyse(read_task(ROOT / 'examples' / 'tasks' / 'way_points.yaml'),
                       find_speed_factor=False)
    assert 'verdict' in found.show(path=tmp_path / 'report.html').html


def test_velocity_limits_are_drawn_in_both_directions(robot, solution, tmp_path):
    groups = data_of(solution.plot(path=tmp_path / 'c.html'))['groups']
    chart = next(plot for plot in groups[0]['plots'] if plot['title'] == 'Velocity')
    limits = {(limit['of'], limit['value']) for limit in chart['limits']}
    assert limits == {(k, sign * value) for k, value in enumerate(robot.limits.velocity)
                      for sign in (1.0, -1.0)}


def test_a_script_opens_a_private_file_in_a_tab(robot, tabs):
    page = kd.show(robot)
    try:
        assert tabs == [page.path.as_uri()]
        assert stat.S_IMODE(page.path.stat().st_mode) == 0o600
        assert page.path.name.startswith('kane_six_axis_')
    finally:
        page.path.unlink()


def test_with_a_path_no_tab_is_opened(robot, tabs, tmp_path):
    kd.show(robot, path=tmp_path / 'arm.html')
    assert tabs == [] and (tmp_path / 'arm.html').is_file()


def test_without_a_browser_the_path_is_printed(robot, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, 'open', lambda address: False)
    page = kd.show(robot)
    try:
        assert str(page.path) in capsys.readouterr().out
    finally:
        page.path.unlink()


def test_a_notebook_shows_the_page_inline_and_opens_no_tab(robot, tabs, monkeypatch):
    notebook = types.ModuleType('IPython')
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, 'IPython', notebook)
    page = kd.show(robot)
    assert tabs == [] and page.path is None
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', page._repr_html_())
    assert html.unescape(frame[1]) == page.html


def test_a_terminal_of_ipython_opens_a_tab(robot, tabs, monkeypatch):
    shell = types.ModuleType('IPython')
    shell.get_ipython = lambda: types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, 'IPython', shell)
    kd.show(robot).path.unlink()
    assert len(tabs) == 1


def test_pages_run_in_a_browser(robot, solution, trajectory, tmp_path):
    for page, charts in ((kd.show(robot, Q, path=tmp_path / 'a.html'), None),
                         (solution.show(path=tmp_path / 'b.html'), '4'),
                         (trajectory.plot(path=tmp_path / 'c.html'), '3')):
        document = opened(page.html, tmp_path)
        assert attribute(document, 'data-error') is None
        assert attribute(document, 'data-ready') == 'yes'
        assert attribute(document, 'data-charts') == charts


@pytest.mark.parametrize(('call', 'words'), [
    (lambda robot, solution: kd.show(robot, Q[:2]), r'q has shape \(2,\); expected \(6,\)'),
    (lambda robot, solution: kd.show(robot, 'home'), "cannot show str on 'six_axis'"),
    (lambda robot, solution: kd.show(robot, Q * np.nan), 'finite'),
    (lambda robot, solution: kd.show(solution, Q), 'Solution has its own motion'),
    (lambda robot, solution: kd.show(3), 'int is no motion'),
    (lambda robot, solution: kd.plot(robot), 'Robot is no motion'),
    (lambda robot, solution: kd.show(robot, viewer='rviz'), "'page' or 'meshcat', got 'rviz'"),
    (lambda robot, solution: kd.show(robot, kd.Trajectory(['elbow'], [0, 1], [[0], [1]])),
     r"of the joints \['elbow'\]; 'six_axis' has"),
    (lambda robot, solution: kd.show(kd.Trajectory(['elbow'], [0, 1], [[0], [1]])),
     'has no robot'),
])
def test_a_wrong_call_is_an_error_that_says_what_is_expected(robot, solution, call, words, tabs):
    with pytest.raises(kd.InputError, match=words):
        call(robot, solution)
    assert tabs == []


def test_reprs_are_one_short_line(robot, solution, trajectory):
    assert repr(solution) == "Solution('six_axis', 0 ... 0.1 s, 11 samples, rk4)"
    assert repr(trajectory) == 'Trajectory(6 joints, 3 points, 0 ... 2 s, spline)'
    motion = kd.Motion(np.arange(3.0), *np.zeros((3, 3, 6)))
    assert repr(motion) == 'Motion(6 joints, 3 samples, 0 ... 2 s)'


def test_poses_for_meshcat_are_those_of_the_dynamics():
    robot = kd.load_urdf(ROOT / 'urdf' / 'six_axis.urdf', floating_base=True)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    robot = robot.with_base(turn, (0.5, 0.0, 1.0))
    q = robot.neutral()
    q[:7] = (0.1, 0.2, 0.3, *(np.array([0.1, -0.4, 0.2, 0.8]) / np.sqrt(0.85)))
    q[robot.joints_q] = Q
    poses = meshcat_scene.placed_links(robot, q[None])
    dynamics = kd.Dynamics(robot, backend='python')
    for link in ('base_link', robot.tip()):
        R, p = dynamics.frame_pose(link, q)
        np.testing.assert_allclose(poses[link][0, :3, :3], R, atol=1e-12)
        np.testing.assert_allclose(poses[link][0, :3, 3], p, atol=1e-12)


def test_meshcat_shows_the_links_and_plays_the_motion(robot, trajectory):
    pytest.importorskip('meshcat', reason='meshcat is not installed')
    visualizer = trajectory.show(robot, viewer='meshcat')
    try:
        page = visualizer.static_html()
        assert visualizer.url().startswith('http') and len(page) > 100_000
    finally:
        visualizer.window.server_proc.kill()


def test_without_meshcat_the_message_says_what_to_install(robot, monkeypatch):
    monkeypatch.setitem(sys.modules, 'meshcat', None)
    with pytest.raises(kd.MissingDependencyError, match='pip install meshcat'):
        kd.show(robot, viewer='meshcat')
