# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The flexible demo: both nodes over a real middleware, four ways to drive an arm that bends."""

import re

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from ros_graph import ROOT  # noqa: E402  after the question for rclpy
from test_demo_graph import run_demo  # noqa: E402
import yaml  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.nodes.demo import flexible_demo  # noqa: E402

NUMBER = r'\s+(\d\S*)'


@pytest.fixture(scope='module')
def dyn():
    return kd.Dynamics(kd.load_urdf(ROOT / 'urdf' / 'flexible_3r.urdf'))


@pytest.mark.ros
@pytest.mark.slow
def test_flexible_feedforward_tracks_a_thousand_times_better_and_shaping_calms_the_tip(tmp_path):
    picture = tmp_path / 'demo.png'
    done = run_demo('--flexible', '--picture', str(picture))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {}
    for name in ('PD alone', 'rigid feedforward', 'flexible feedforward', 'flexible, shaped'):
        row = rf'^{name}{NUMBER}{NUMBER} /{NUMBER}{NUMBER}{NUMBER}$'
        found = re.search(row, done.stdout, re.M)
        assert found, done.stdout
        rows[name] = [float(value) for value in found.groups()]
    print(done.stdout)
    time, largest, rms, swing, _ = zip(*rows.values())
    assert time == (0.5, 0.5, 0.5, pytest.approx(0.789, abs=2e-3))
    # joint errors against rigid feedforward under the same gains; the issue asks for ten times
    for errors in (largest, rms):
        assert errors[0] > errors[1] >= 1000.0 * errors[2] and errors[3] < 1.5 * errors[2]
    # exact torque for the joints leaves the tip swinging; the shaped motion does not
    assert swing[2] > 10.0 and swing[3] < 0.01 * swing[2]
    assert picture.read_bytes().startswith(b'\x89PNG') and picture.stat().st_size > 20_000


def run_of(name, error, amplitude):
    """Return a Run with a constant joint error and a tip that swings along (3, 0, 4)."""
    t = np.linspace(0.0, 2.0, 2001)
    tip = np.outer(amplitude * np.sin(40.0 * t), [0.6, 0.0, 0.8])
    return flexible_demo.Run(name, 1.0, t, np.full((2001, 3), error), tip, tip + 1.0)


def test_report_measures_and_judges_by_the_bar():
    names = [case.name for case in flexible_demo.CASES]
    errors, amplitudes = (0.5, 0.02, 0.001, 0.001), (0.1, 0.01, 0.02, 1e-4)
    runs = [run_of(*each) for each in zip(names, errors, amplitudes)]
    assert runs[1].largest == runs[1].rms == 0.02
    assert runs[2].swing == pytest.approx(0.04, rel=1e-3)      # peak to peak of 20 mm
    lines = []
    assert flexible_demo.report(runs, 10.0, lines.append)
    assert '20 (largest) and 20 (RMS) times smaller' in lines[-1] and '200 times less' in lines[-1]
    assert not flexible_demo.report(runs, 25.0, lines.append)
    assert 'expected >= 25' in lines[-1]


def test_configuration_of_the_launch_file_is_that_of_the_demo(dyn):
    sections = yaml.safe_load((ROOT / 'config' / 'flexible_demo.yaml').read_text())
    simulator, feedforward = (sections[f'/**/{name}']['ros__parameters']
                              for name in ('simulator', 'feedforward'))
    way = flexible_demo.motion_of(dyn.robot)
    assert simulator['initial_positions'] == way.start
    assert simulator['update_rate'] == feedforward['update_rate'] == flexible_demo.RATE
    for name, values in zip('pd', flexible_demo.gains(dyn)):
        np.testing.assert_allclose(feedforward['gains'][name], values, rtol=0.01)


def test_motion_keeps_to_the_limits_of_the_arm(dyn):
    limits = dyn.robot.limits
    for shaped in (False, True):
        way = flexible_demo.trajectory(dyn, shaped)
        q, qd, qdd = way.sample_many(np.linspace(0.0, way.times[-1], 500))[:3]
        assert (abs(qd) <= limits.velocity).all()
        assert (q >= limits.lower).all() and (q <= limits.upper).all()
        np.testing.assert_allclose([q[0], q[-1]], flexible_demo.motion_of(dyn.robot)[:2],
                                   atol=1e-12)
        assert abs(qd[[0, -1]]).max() < 1e-12 and abs(qdd[[0, -1]]).max() < 1e-9


def test_an_arm_without_a_motion_is_refused_with_those_that_have_one():
    with pytest.raises(kd.InputError, match=r"no motion for 'flexible_single_link'.*flexible_3r"):
        flexible_demo.motion_of(kd.load_urdf(ROOT / 'urdf' / 'flexible_single_link.urdf'))
