# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Foreign text stays within its line and its length, wherever the commands show it."""

import ast
from pathlib import Path
import random

import pytest

from kane_dynamics.commands.cli import main
from kane_dynamics.dynamics.calibration import FORMAT, load_calibration
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.io.text import clean, LINE, NAMES, show, show_names, WORD
from kane_dynamics.io.units import parse
from kane_dynamics.trajectory.goal.acceptance import accept_goal
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.goal.tolerances import Tolerances

ARM = Path(__file__).parents[2] / 'urdf' / 'two_link.urdf'
HOSTILE = '\x1b[2J\r\n[FATAL] forged\u202e\u2028\x07\0\x9b'
MANY = [f'{k:04}' + 'x' * 96 for k in range(5000)]


def strings():
    rng = random.Random(1)
    pool = [*map(chr, range(32)), *'aé関🦾\u0301\x7f\x9b\u200b\u202e\u2028\ud800\U000e0001\'"\\']
    for _ in range(2000):
        yield ''.join(rng.choice(pool) for _ in range(rng.randrange(200)))


def test_cleaned_text_is_printable_in_one_line_and_short():
    for text in strings():
        for most in (10, 60, 1000):
            cleaned = clean(text, most)
            assert cleaned.isprintable() and len(cleaned) <= most
    assert clean('Gelenk_ü 関節 🦾') == 'Gelenk_ü 関節 🦾'       # people's own languages stay
    assert clean('a\nb\x1bc', lines=True) == 'a\nb\\x1bc'
    assert len(clean('x' * 5_000_000)) == LINE


def test_a_shown_value_reads_back_unless_it_was_shortened():
    cut = 0
    for text in strings():
        shown = show(text)
        assert shown.isprintable() and len(shown) <= WORD + 5
        if shown.endswith('...' + shown[0]):
            cut += 1
        else:
            assert ast.literal_eval(shown) == text
    assert 0 < cut < 2000
    assert show('x' * 100) == repr('x' * WORD + '...')
    assert show(3) == '3' and show(['a']) == "['a']" and len(show([HOSTILE] * 100)) <= WORD


def test_names_are_listed_until_they_are_too_many():
    assert show_names(['a', 'b']) == "['a', 'b']" and show_names([]) == '[]'
    listed = show_names(MANY)
    assert len(listed) <= NAMES + WORD + 40 and listed.endswith('... (5000 in all)]')


@pytest.mark.parametrize('names', [
    [HOSTILE, 'shoulder', 'elbow'], ['shoulder', 'elbow', *MANY], MANY, [HOSTILE * 1000],
    ['shoulder', 'shoulder'], ['shoulder']], ids=range(6))
def test_refusals_of_goals_are_printable_and_short(names):
    joints = ('shoulder', 'elbow')
    with pytest.raises(KaneDynamicsError) as goal:
        accept_goal(TrajectoryGoal(names, [1.0], [[0.0] * len(names)]), joints, 0.0, GoalRules())
    with pytest.raises(KaneDynamicsError) as tolerance:
        Tolerances.of(joints).asked([(name + 'x', 1.0, 1.0, 1.0) for name in names])
    for error in (goal, tolerance):
        assert str(error.value).isprintable() and len(str(error.value)) < 340


def test_a_unit_that_does_not_fit_is_shown_escaped():
    with pytest.raises(ValueError, match=r"unit '\\x1b\[2J") as error:
        parse(f'3 {HOSTILE * 100}', 'm')
    assert str(error.value).isprintable() and len(str(error.value)) < 200


# -- commands ------------------------------------------------------------------------------------

MOVE = 'task: {move: [0.1, 0], posture: zero, duration: 1}\n'
YAML_HOSTILE = '"\\x1b[2J\\r\\n[FATAL] forged\\u202e\\a\\x9b"'


def analyzed(tmp_path, capsys, text, *options):
    """Return what `kane analyze` prints about a task file, and its exit status."""
    (tmp_path / 'task.yaml').write_text(text)
    status = main(['analyze', *options, str(tmp_path / 'task.yaml'), '--no-page',
                   '--no-speed-factor'])
    out, error = capsys.readouterr()
    return out + error, status


def assert_harmless(printed):
    assert printed and printed.replace('\n', '').isprintable()
    assert not [line for line in printed.splitlines() if line.startswith('[FATAL]')]
    assert max(map(len, printed.splitlines())) < 1000


def test_the_name_of_a_task_is_printed_escaped(tmp_path, capsys):
    printed, status = analyzed(tmp_path, capsys, f'name: {YAML_HOSTILE}\n{MOVE}', str(ARM))
    assert_harmless(printed)
    assert '\\x1b[2J\\r\\n[FATAL] forged\\u202e' in printed and status in (0, 1)


@pytest.mark.parametrize(('text', 'words'), [
    (f'arm: {YAML_HOSTILE}\n{MOVE}', 'task.yaml:1: arm:'),
    (f'arm: {"x" * 300}.urdf\n{MOVE}', 'task.yaml:1: arm:'),
    (f'arm: "a\\0b"\n{MOVE}', 'task.yaml:1: arm:'),
    (f'{YAML_HOSTILE}: 1\n{MOVE}', 'task.yaml:1: unknown name'),
    (f'payload: {{mass: 1, {YAML_HOSTILE}: {{}}}}\n{MOVE}', 'unknown name'),
    (f'payload: {{mass: 3 {YAML_HOSTILE[1:-1]}}}\n{MOVE}', 'task.yaml:1:'),
    (f'task: {{{YAML_HOSTILE}: 1}}\n', 'expected one of'),
    (f'task: {{samples: {YAML_HOSTILE}}}\n', 'task.yaml:1: task.samples:'),
    (f'task: {{samples: {"x" * 300}.csv}}\n', 'task.yaml:1: task.samples:'),
    (f'task: {{bag: {YAML_HOSTILE}}}\n', 'task.yaml:1: task.bag:'),
    (f'task: {{bag: {"x" * 300}}}\n', 'task.yaml:1: task.bag:'),
])
def test_what_a_task_file_holds_is_printed_escaped_with_its_line(tmp_path, capsys, text, words):
    arm = () if text.startswith('arm:') else (str(ARM),)
    printed, status = analyzed(tmp_path, capsys, text, *arm)
    assert_harmless(printed)
    assert words in printed and status == 2


@pytest.mark.parametrize('titles', [
    HOSTILE.replace('\n', ''), f'"{HOSTILE}",t', f'"{HOSTILE}","{HOSTILE}"', ','.join(MANY),
    't,shoulder,"elbow\n[FATAL]"'])
def test_the_titles_of_a_table_are_printed_escaped(tmp_path, capsys, titles):
    (tmp_path / 'table.csv').write_text(titles.replace('\0', '') + '\n1,2,3\n')
    printed, status = analyzed(tmp_path, capsys, 'task: {samples: table.csv}\n', str(ARM))
    assert_harmless(printed)
    assert 'table.csv:1:' in printed and status == 2


def test_a_calibration_with_names_of_no_joint_is_refused_with_its_line(tmp_path):
    path = tmp_path / 'arm.yaml'
    head = f'format: {FORMAT}\n'
    for text, line in ((f'robot: {YAML_HOSTILE}\njoints: {{a: {{}}}}\n', 2),
                       (f'robot: r\njoints: {{{YAML_HOSTILE}: {{}}}}\n', 3),
                       (f'robot: r\njoints: {{a: {{}}}}\nlocked: {{{YAML_HOSTILE}: 1}}\n', 4)):
        path.write_text(head + text)
        with pytest.raises(KaneDynamicsError, match=f'arm.yaml:{line}: .* is not a name') as error:
            load_calibration(path)
        assert str(error.value).isprintable()


def test_a_file_name_that_the_system_refuses_is_printed_escaped(capsys):
    for name in ('x' * 300 + '.urdf', '\x1b[2J\n[FATAL] forged.urdf', 'a\0b.urdf'):
        assert main(['info', name]) == 2
        assert_harmless(capsys.readouterr().err)
