# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""doc/trajectories.md says what is: its program runs, and the claims that it names are tests."""

import contextlib
import io
from pathlib import Path
import re

from kane_dynamics.trajectory.goal.refusal import RefusalReason
from kane_dynamics.trajectory.profiles import PROFILES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'doc' / 'trajectories.md').read_text(encoding='utf-8')


def test_the_program_of_the_document_prints_what_the_document_shows():
    program = re.search(r'```python\n(.*?)```', TEXT, re.S).group(1)
    shown = re.search(r'```text\n(.*?)```', TEXT, re.S).group(1)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, 'doc/trajectories.md', 'exec'), {})
    assert printed.getvalue() == shown


def test_every_law_has_its_row_with_its_peaks():
    for name, make in PROFILES.items():
        row = next(line for line in TEXT.splitlines() if line.startswith(f'| `{name}`'))
        velocity, acceleration, jerk = (cell.strip() for cell in row.split('|')[2:5])
        profile = make()
        scope = {'r': getattr(profile, 'ramp', 0.0), 'j': getattr(profile, 'jerk', 0.0)}
        assert abs(number(velocity, scope) - profile.peak_velocity) < 1e-12
        assert abs(number(acceleration, scope) - profile.peak_acceleration) < 1e-12
        if jerk != 'steps':
            assert abs(number(jerk.split(',')[0], scope) - profile.peak_jerk) < 1e-9


def number(cell, scope):
    """Return the value of a cell as the table writes it: 1/(r(1-r)), 10/sqrt(3), 4 pi^2."""
    text = re.sub(r'(?<=[\drj)])\s*(?=[\(rjp])', '*', cell.replace('^', '**'))
    return eval(text, {'sqrt': lambda x: x ** 0.5, 'pi': 3.141592653589793, **scope})


def test_every_reason_of_refusal_can_happen_in_a_test():
    tests = (ROOT / 'test' / 'trajectory' / 'test_acceptance.py').read_text(encoding='utf-8')
    assert not [reason for reason in RefusalReason if f'RefusalReason.{reason.name},' not in tests]
