# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The examples with flexible links: what they print is so."""

from pathlib import Path
import re
import runpy
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import kane_dynamics as kd

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
WING = SimpleNamespace(**runpy.run_path(str(EXAMPLES / 'wing_divergence.py')))


def test_plate_has_the_mass_that_the_paper_prints():
    # 0.124 kg for each of four links: how the chord was found
    assert WING.MASS * WING.SPAN / 4 == pytest.approx(0.124, abs=5e-4)


def test_divergence_speed_of_the_chain_tends_to_the_closed_form():
    speeds = [WING.divergence_speed(kd.Dynamics(WING.wing(n), backend='python')) for n in (2, 4)]
    exact = WING.closed_form_speed()
    assert exact == pytest.approx(116.5, abs=0.1)
    errors = 1 - np.array(speeds) / exact
    assert 0 < errors[1] < 0.01 and np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)
    # springs at the start of each link, as the paper has them: softer, 103 m/s
    assert WING.first_order_speed() == pytest.approx(103.0, abs=0.1)


def test_first_order_chain_diverges_where_its_softest_twist_says():
    # by its matrices: springs GJ/h in a row, lift q c e a h on each link
    n, h = 4, WING.SPAN / 4
    K = WING.GJ / h * (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[-1, -1] = WING.GJ / h
    lift = h * WING.CHORD * WING.CHORD / 4 * 2 * np.pi
    speed = np.sqrt(2 * np.linalg.eigvalsh(K)[0] / lift / WING.AIR)
    assert WING.first_order_speed() == pytest.approx(speed, rel=1e-12)


def test_wing_is_stable_at_60_and_unstable_near_its_divergence_speed():
    dyn = kd.Dynamics(WING.wing())
    assert WING.growth(dyn, 60.0)[0] < 0.0 < WING.growth(dyn, 100.0)[0]
    solution = WING.blown(dyn, 60.0, duration=0.2)
    t, _, twist = WING.history(dyn, solution)
    assert t[-1] == pytest.approx(0.2) and np.degrees(abs(twist).max()) < 1.0
    solution = WING.blown(dyn, 100.0)
    t, _, twist = WING.history(dyn, solution)
    assert t[-1] < 0.2 and abs(twist[-1]) == pytest.approx(WING.FAR, rel=1e-3)


@pytest.mark.slow
def test_padilla_example_prints_which_models_break_down(capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['padilla_manoeuvres.py'])
    runpy.run_path(str(EXAMPLES / 'padilla_manoeuvres.py'), run_name='__main__')
    text = capsys.readouterr().out
    assert len(re.findall('full +- +ends', text)) == 5
    assert len(re.findall('ruthless +completes.* ends', text)) == 5
    assert len(re.findall(' consistent .* breaks down', text)) == 3
    assert len(re.findall(' inconsistent +fails +breaks down', text)) == 3     # as published
    assert len(re.findall(' inconsistent .* ends', text)) == 2
    assert '-                 ends at 0.2626, 0.8727; links bend by 4.89%' in text
    pairs = re.findall(r'(\d[\d.]*) / (\d[\d.]*)', text)
    assert len(pairs) == 40
    for published, computed in pairs:       # rounded in print; 120.8 is 120.747
        digits = len(published.partition('.')[2])
        assert abs(float(published) - float(computed)) < 0.6 * 10.0**-digits


PAGE = (EXAMPLES.parent / 'doc' / 'flexible.md').read_text(encoding='utf-8')


def test_code_of_the_page_on_flexible_links_runs(monkeypatch):
    monkeypatch.chdir(EXAMPLES.parent)
    code = '\n'.join(re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL))
    names = {}
    exec(compile(code, 'doc/flexible.md', 'exec'), names)
    assert names['Q'].shape == (501, 13) and names['quiet'].duration > 0.5


def test_element_of_the_page_on_flexible_links_is_read():
    element = re.search(r'```xml\n(.*?)```', PAGE, re.DOTALL).group(1)
    joint = re.search(r'`(<flexible_joint .*?/>)`', PAGE).group(1).replace('elbow', 'shoulder')
    robot = kd.load_urdf(f"""<robot name="page"><link name="base"/><link name="upper_arm">
      <inertial><origin xyz="0.4572 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.2"
      izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper_arm"/>
      </joint>{element}{joint}</robot>""")
    assert robot.mode_names[-1] == 'shoulder/deflection' and robot.n_modes == 6
