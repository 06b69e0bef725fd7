# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Executables of the nodes: --help and unknown arguments."""

from importlib import import_module
import os
from pathlib import Path
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

ROOT = Path(__file__).parents[2]
NODES = ('feedforward', 'simulator', 'monitor')


def started(node, *arguments):
    return subprocess.run([sys.executable, '-m', f'kane_dynamics.nodes.{node}', *arguments],
                          capture_output=True, text=True, cwd=ROOT, timeout=60)


@pytest.mark.parametrize('node', NODES)
def test_help_of_a_node_names_every_parameter_with_its_meaning_and_ends(node):
    done = started(node, '--help')
    assert done.returncode == 0 and not done.stderr
    schema = import_module(f'kane_dynamics.nodes.{node}.settings').SCHEMA
    words = ' '.join(done.stdout.split())
    for each in schema.entries.values():
        assert f' {each.name}: ' in words and each.description in words
    assert all(len(line) < 100 for line in done.stdout.splitlines())
    assert f'doc/{node}.md' in words and (ROOT / 'doc' / f'{node}.md').exists()
    assert f'config/{node}.yaml' in words and (ROOT / 'config' / f'{node}.yaml').exists()


@pytest.mark.parametrize('words', [
    ['scripts/monitor'], ['-m', 'kane_dynamics', 'node', 'monitor']])
def test_a_node_is_started_by_ros2_run_and_by_kane(words):
    done = subprocess.run([sys.executable, *words, '--help'], capture_output=True, text=True,
                          cwd=ROOT, env={**os.environ, 'PYTHONPATH': str(ROOT)}, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith('usage: monitor ')
    assert done.stdout == started('monitor', '--help').stdout


@pytest.mark.parametrize('node', NODES)
def test_a_parameter_without_ros_args_is_refused_and_not_left_unheard(node):
    done = started(node, 'robot_description_file:=arm.urdf')
    assert done.returncode == 2 and not done.stdout
    assert "'robot_description_file:=arm.urdf' is not understood" in done.stderr
    assert '--ros-args -p NAME:=VALUE' in done.stderr


@pytest.mark.parametrize('name', [*NODES, 'demo'])
def test_an_executable_without_ros_says_what_is_missing(name):
    code = ("import sys; sys.modules['rclpy'] = sys.modules['sensor_msgs'] = None\n"
            f'from kane_dynamics.nodes.executables import start\nsys.exit(start({name!r}))')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2 and done.stderr.count('\n') == 1
    assert f'{name}: the nodes need ROS 2' in done.stderr
    assert 'kane_dynamics[ros]' in done.stderr


@pytest.mark.parametrize('name', NODES)
def test_ctrl_c_while_a_node_loads_ends_it_quietly(name):
    code = ('import sys\nfrom kane_dynamics.nodes import executables\n'
            'def interrupted(name):\n    raise KeyboardInterrupt\n'
            f'executables.import_module = interrupted\nsys.exit(executables.start({name!r}))')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and done.stderr == ''


@pytest.mark.parametrize('command', [
    *(f'kane_dynamics.nodes.{node} --help' for node in (*NODES, 'demo')),
    'kane_dynamics --help', 'kane_dynamics analyze --help',
    'kane_dynamics info urdf/six_axis.urdf'])
@pytest.mark.parametrize('unbuffered', ['', '1'])
def test_a_reader_that_has_gone_is_no_error(command, unbuffered):
    with subprocess.Popen([sys.executable, '-m', *command.split()], text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, 'PYTHONUNBUFFERED': unbuffered}) as program:
        program.stdout.close()
        output = program.stderr.read()
    assert program.returncode == 0 and output == ''


@pytest.mark.parametrize('arguments', [
    ['--params-file', 'README.md'], ['--params-file', 'nowhere.yaml'], ['--log-level', 'loud']])
def test_what_ros_does_not_understand_is_told_without_a_traceback(arguments):
    done = started('feedforward', '--ros-args', *arguments)
    assert done.returncode == 2 and 'Traceback' not in done.stderr
    assert '\nfeedforward: ' in done.stderr and arguments[1] in done.stderr


def test_parameters_of_the_wrong_kind_are_told_together():
    done = started('simulator', '--ros-args', '-p', 'publish_clock:=3', '-p', 'substeps:=many',
                   '-p', 'update_rate:=-1')
    assert done.returncode == 1 and 'Traceback' not in done.stderr
    for words in ('publish_clock must be true or false, got 3',
                  "substeps must be a whole number, got 'many'",
                  'update_rate must be 0.1 .. 5000 Hz'):
        assert words in done.stderr
