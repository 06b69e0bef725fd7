# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The command `kane`: tables, exit status, errors in one line."""

from importlib import import_module
import json
import math
from pathlib import Path
import runpy
import shlex
import shutil
import subprocess
import sys

import pytest

import kane_dynamics as kd
from kane_dynamics.commands.cli import COMMANDS, main, Parser

URDF = Path(__file__).parents[2] / 'urdf'
SIX_AXIS = str(URDF / 'six_axis.urdf')


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(['--help'])
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    for name, text in COMMANDS.items():
        assert name in printed and text in printed


@pytest.mark.parametrize('command', COMMANDS)
def test_every_command_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([command, '--help'])
    assert stopped.value.code == 0
    assert f'usage: kane {command}' in capsys.readouterr().out


@pytest.mark.parametrize('command', COMMANDS)
def test_the_examples_in_the_help_of_a_command_can_be_parsed(command):
    module = import_module(f'kane_dynamics.commands.{command}')
    examples = [line for line in module.__doc__.splitlines()[1:] if line]
    assert examples
    parser = Parser.of_module(f'kane {command}', module)
    for line in examples:
        words = shlex.split(line, comments=True)
        assert words[:2] == ['kane', command] and line in parser.format_help()
        parser.parse_args(words[2:])


def test_without_a_command_the_commands_are_listed(capsys):
    assert main([]) == 2
    assert capsys.readouterr().out.count('\n  ') > len(COMMANDS)


@pytest.mark.parametrize('arguments', [['help', 'modes'], ['modes', '--help']])
def test_help_of_a_command_can_be_asked_for_in_two_ways(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 0
    assert 'usage: kane modes' in capsys.readouterr().out


@pytest.mark.parametrize('arguments, words', [
    (['infos'], "there is no command 'infos'; did you mean 'info'?"),
    (['zzz'], "there is no command 'zzz'"),
    (['info', SIX_AXIS, '--gravty', '0', '0', '1'], 'did you mean --gravity?'),
    (['export', 'c99'], 'urdf'),
    (['export', 'rust', SIX_AXIS], "'rust'"),
    (['evaluate', 'recording'], '--urdf')])
def test_a_slip_of_the_pen_is_told_in_one_line_with_what_may_be_meant(arguments, words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    printed = capsys.readouterr()
    assert words in printed.err and printed.err.count('\n') == 1 and not printed.out
    assert '(see `kane' in printed.err


def test_info_names_every_joint_and_link(capsys):
    assert main(['info', SIX_AXIS]) == 0
    printed = capsys.readouterr().out
    for name in ('joint_1', 'joint_6', 'forearm', 'tool0', '23.15 kg'):
        assert name in printed


def test_info_tells_the_frequencies_of_flexible_links(capsys):
    path = URDF / 'flexible_six_axis.urdf'
    assert main(['info', str(path)]) == 0
    printed = capsys.readouterr().out
    assert "flexible link 'forearm'" in printed and 'bend_y_1' in printed
    robot = kd.load_urdf(path)
    first = kd.natural_frequencies(kd.Dynamics(robot, backend='python'))[0]
    assert f'the arm at zero, joints locked: {first:.4g}, ' in printed


def test_check_agrees_with_pinocchio_and_says_so(capsys):
    assert main(['check', SIX_AXIS, '--samples', '50']) == 0
    printed = capsys.readouterr().out
    assert 'inverse' in printed and 'agrees' in printed


def test_check_fails_where_the_tolerance_is_below_round_off(capsys):
    assert main(['check', SIX_AXIS, '--samples', '50', '--tolerance', '1e-18']) == 1
    assert 'DIFFERS' in capsys.readouterr().out


def test_count_prints_the_operations_of_dynamics(capsys):
    from kane_dynamics import Dynamics, load_urdf
    count = Dynamics(load_urdf(SIX_AXIS)).operation_count('inverse')
    assert main(['count', SIX_AXIS]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines()
               if line.startswith('inverse '))
    assert row.split()[1:3] == [str(count.mul), str(count.add)]


def test_exported_python_runs_without_this_package(tmp_path, capsys):
    from kane_dynamics import Dynamics, load_urdf
    assert main(['export', 'python', SIX_AXIS, '-o', str(tmp_path)]) == 0
    module = runpy.run_path(str(tmp_path / 'arm.py'))
    state = [0.1 * k for k in range(18)]
    expected = Dynamics(load_urdf(SIX_AXIS)).inverse(state[:6], state[6:12], state[12:])
    got = module['inverse'](state[:6], state[6:12], state[12:])
    assert got == pytest.approx(expected.tolist(), rel=1e-13, abs=1e-13)
    assert 'kane_dynamics' not in {name.split('.')[0] for name in module
                                   if not name.startswith('__')}


def test_exported_c_names_its_files(tmp_path, capsys):
    assert main(['export', 'c99', SIX_AXIS, '-o', str(tmp_path), '--prefix', 'my_arm']) == 0
    assert {path.name for path in tmp_path.iterdir()} == {'my_arm.h', 'my_arm.c'}
    assert 'my_arm.c' in capsys.readouterr().out


@pytest.mark.parametrize('arguments, words', [
    (['info', 'nowhere.urdf'], 'no such file'),
    (['info', str(URDF)], 'is a folder'),
    (['export', 'c99', SIX_AXIS, '--prefix', '9'], 'not a C name'),
    (['export', 'c99', SIX_AXIS, '-o', SIX_AXIS], 'kane export: ' + SIX_AXIS + ': file exists'),
    (['count', SIX_AXIS, '--functions', 'torque'], "no function 'torque'")])
def test_errors_are_one_line_on_stderr_without_a_traceback(arguments, words, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert words in printed.err and printed.err.count('\n') == 1
    assert printed.err.startswith(f'kane {arguments[0]}: ')


def test_a_reader_that_stops_reading_is_no_error():
    done = subprocess.run(
        f'{sys.executable} -m kane_dynamics info {SIX_AXIS} | head -1', shell=True,
        capture_output=True, text=True, cwd=URDF.parent)
    assert 'six_axis' in done.stdout and done.stderr == ''


def test_info_shows_an_arm_that_no_one_can_build_and_says_so_by_its_status(tmp_path, capsys):
    text = (URDF / 'two_link.urdf').read_text()
    path = tmp_path / 'bad.urdf'
    path.write_text(text.replace('<mass value="1.2"/>', '<mass value="-1.2"/>'))
    assert path.read_text() != text
    assert main(['info', str(path)]) == 1
    printed = capsys.readouterr()
    assert 'elbow' in printed.out and 'error' in printed.out and printed.err == ''
    assert main(['count', str(path)]) == 2


def test_check_says_what_is_missing_without_pinocchio(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    assert main(['check', SIX_AXIS, '--samples', '5']) == 2
    printed = capsys.readouterr()
    assert 'pip install pin' in printed.err and printed.err.count('\n') == 1


def test_check_compares_the_functions_asked_for(capsys):
    assert main(['check', SIX_AXIS, '--samples', '20', '--functions', 'gravity']) == 0
    printed = capsys.readouterr().out
    assert 'gravity' in printed and 'inverse' not in printed


def test_count_sets_the_arm_beside_the_literature(capsys):
    assert main(['count', SIX_AXIS]) == 0
    printed = capsys.readouterr().out
    # table 1 of Angeles, Ma and Rojas 1989 at n = 6
    for author, mul, add in (('Hollerbach 1980', '2195', '1719'), ('Luh', '852', '738'),
                             ('Walker and Orin', '800', '595'), ('Khalil', '538', '478'),
                             ('Angeles', '521', '435')):
        row = next(line for line in printed.splitlines() if line.startswith(author))
        assert row.split()[-2:] == [mul, add]


def test_exported_frames_are_of_the_link_asked_for(tmp_path, capsys):
    from kane_dynamics import Dynamics, load_urdf
    arguments = ['export', 'python', SIX_AXIS, '-o', str(tmp_path), '--functions', 'frame_pose']
    assert main([*arguments, '--frame', 'tool0']) == 0
    pose = runpy.run_path(str(tmp_path / 'arm.py'))['frame_pose']([0.1] * 6)
    R, p = Dynamics(load_urdf(SIX_AXIS)).frame_pose('tool0', [0.1] * 6)
    assert [row[3] for row in pose] == pytest.approx(p.tolist(), abs=1e-15)
    assert [row[:3] for row in pose] == [pytest.approx(row, abs=1e-15) for row in R.tolist()]
    assert main([*arguments, '--frame', 'nowhere']) == 2
    assert "'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize('command', ['info', 'view', 'check', 'count', 'modes', 'export'])
def test_a_gripper_can_be_locked_in_every_command_on_an_arm(command):
    module = import_module(f'kane_dynamics.commands.{command}')
    arguments = [*(['c99'] if command == 'export' else []), 'panda', '--lock', 'finger=0.02']
    parsed = Parser.of_module(f'kane {command}', module).parse_args(arguments)
    assert parsed.urdf == 'panda' and parsed.lock == [('finger', '0.02')]


def test_info_takes_a_robot_by_name_and_locks_its_finger(capsys):
    assert main(['info', 'panda', '--lock', 'panda_finger_joint1=0.02']) == 0
    assert '7 joints' in capsys.readouterr().out
    assert main(['info', 'pandas']) == 2
    assert "did you mean 'panda'" in capsys.readouterr().err


def test_check_compares_a_locked_arm_and_an_mjcf_file(tmp_path, capsys):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    locked = ['panda', '--lock', 'panda_finger_joint1=0.02']
    path = tmp_path / 'arm.xml'
    path.write_text("""<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1"/>
        <body pos="0.3 0 0"><joint axis="0 0 1" pos="0.1 0 0"/><geom size="0.1"/></body></body>
        </worldbody></mujoco>""", encoding='utf-8')
    for arm in (locked, [str(path)]):
        assert main(['check', *arm, '--samples', '5', '--functions', 'inverse', 'forward']) == 0
        assert 'agrees' in capsys.readouterr().out


@pytest.mark.parametrize('words', [
    ['0', '-45deg', '90', 'deg', '0', '34.377°', '0'],
    ['0', '-0.7853981633974483', '1.5707963267948966', '0', '0.6', '0']])
def test_positions_on_the_command_line_may_carry_their_unit(words, tmp_path):
    page = tmp_path / 'arm.html'
    assert main(['view', SIX_AXIS, '--q', *words, '-o', str(page), '--no-browser']) == 0
    data = page.read_text().split('id="data">')[1].split('</script>')[0]
    q = json.loads(data)['q']
    assert q == pytest.approx([0, -math.pi / 4, math.pi / 2, 0, 0.6, 0], abs=1e-5)


@pytest.mark.parametrize('arguments, words', [
    (['view', SIX_AXIS, '--q', '0', '90', '0', '0', '0', '0'],
     "--q: joint_2: '90': 90 rad is 14.3 turns; did you mean 90 deg?"),
    (['view', SIX_AXIS, '--q', '90mm'], "--q has 1 number; 'six_axis' has 6 joints"),
    (['info', SIX_AXIS, '--lock', 'joint_2=20mm'], "--lock joint_2: '20mm': unit 'mm' does not"),
    (['info', str(URDF / 'six_axes.urdf')], "did you mean 'six_axis.urdf'?"),
    (['analyze', str(URDF.parent / 'examples' / 'tasks' / 'pick_and_place.yml')],
     "did you mean 'pick_and_place.yaml'?")])
def test_a_wrong_unit_or_file_name_is_answered_with_the_likely_one(arguments, words, capsys):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_prismatic_joint_is_locked_in_millimetres(capsys):
    assert main(['info', 'panda', '--lock', 'panda_finger_joint1=20mm']) == 0
    assert 'panda_finger_joint1' in capsys.readouterr().out


@pytest.mark.parametrize('words, found', [
    (['kane', 'ex'], {'export', 'excite'}),
    (['kane', 'analyze', '--no-'], {'--no-page', '--no-speed-factor'}),
    (['kane', 'evaluate', '--speeds', ''], {'auto', 'measured', 'position'}),
    (['kane', 'node', ''], {'feedforward', 'simulator', 'monitor'})])
def test_bash_completes_commands_options_and_choices(words, found, tmp_path, capsys):
    bash = shutil.which('bash')
    if bash is None:
        pytest.skip('bash is not installed')
    assert main(['completion', 'bash']) == 0
    (tmp_path / 'kane.bash').write_text(capsys.readouterr().out)
    done = subprocess.run([bash, '-c', 'source "$1"; COMP_WORDS=("${@:2}"); '
                           'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kane; echo "${COMPREPLY[@]}"',
                           'bash', str(tmp_path / 'kane.bash'), *words],
                          capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == found and not done.stderr


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_a_completion_script_names_every_command_and_option(shell, capsys):
    assert main(['completion', shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert all(option in script for option in ('urdf-out', 'no-speed-factor', 'lock'))
    if shutil.which(shell):
        check = subprocess.run([shell, '-n'], input=script, capture_output=True, text=True)
        assert check.returncode == 0, check.stderr
