# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""`kane new`: task files that can be analysed at once, and the schema of all task files."""

import json
from pathlib import Path
import re
import textwrap

import jsonschema
import pytest
import yaml

from kane_dynamics.analysis.study.study import analyse
from kane_dynamics.analysis.task_file.new_task import SCHEMA_FILE
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.analysis.task_file.schema import task_schema
from kane_dynamics.analysis.task_file.space_steps import ORIENTATIONS, SPACE
from kane_dynamics.analysis.task_file.steps import STEPS
from kane_dynamics.commands.cli import main
from kane_dynamics.io.marked_yaml import FileError, Marked

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / 'examples' / 'tasks').glob('*.yaml'))
SIX_AXIS = str(ROOT / 'urdf' / 'six_axis.urdf')
# names that no example has; the readers need not accept the values
FURTHER = """
gravity: [0, 0, -9.81]
base: {rpy: [0, 0, 0], position: [0, 0, 0]}
payload: [{mass: 1, link: tool0, grip: {force: 1 N}}]
motors: {joint_1: {motor: {voltage: 24, stall_torque: 1, no_load_speed: 1}, gear: {ratio: 2}},
         joint_2: {cylinder: {piston_area: 1}, crank: {a: 1, b: 1, offset: 0}}}
sections: {upper_arm: {shape: round, radius: 1 mm,
           material: {E: 1e9, poisson: 0.3, density: 1, strength: 1}}}
limits: {joints: {joint_1: {upper: 2}}, energy: 5}
collision: {floor: none, boxes: {table: {size: [1, 1, 1], position: [9, 0, 0]}}}
task: [{hold: 1, posture: zero}]
"""


@pytest.fixture(scope='module')
def validator():
    schema = task_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.stem)
def test_every_example_fits_the_schema(path, validator):
    validator.validate(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize('text', [
    'payload: {mass: 1}', 'task: {waypoints: [zero, zero]}', 'task: {move: zero}\npayloat: 1',
    'task: {move: zero, law: cubical}', 'task: {line: {to: [0, 1]}}', 'task: []',
    'task: {move: zero, orientation: keep}', 'task: {line: {by: [0, 0, 1]}, orientation: stay}',
    'task: {hold: 1}\nlimits: {joints: {joint_1: {speed: [1]}}}', 'task: {hold: 1}\nmotors: 3'])
def test_the_schema_refuses_what_the_reader_refuses(text, validator):
    assert list(validator.iter_errors(yaml.safe_load(text)))


def alternatives(node, schema):
    """Yield a schema and all that it refers to or leaves open."""
    if '$ref' in node:
        node = schema['$defs'][node['$ref'].rsplit('/', 1)[1]]
    yield node
    for each in node.get('anyOf', ()):
        yield from alternatives(each, schema)


def at(path, schema):
    """Return the schemas at a path of the file, such as task[2].line."""
    nodes = list(alternatives(schema, schema))
    for name, index in re.findall(r'([^.\[\]]+)|\[(\d+)\]', path):
        found = []
        for node in nodes:
            if index:
                found += [node['items']] if 'items' in node else []
            elif name in node.get('properties', {}):
                found.append(node['properties'][name])
            elif isinstance(node.get('additionalProperties'), dict):
                found.append(node['additionalProperties'])
        nodes = [each for node in found for each in alternatives(node, schema)]
    return nodes


def test_the_names_of_the_schema_are_those_that_the_readers_accept(tmp_path, monkeypatch):
    schema, seen, fields = task_schema(), [], Marked.fields
    kinds = {name: f'{{{name}: {{}}, duration: 1, posture: zero}}' for name in SPACE}
    turns = [f'{{line: {{by: [0, 0, 1 mm]}}, posture: zero, duration: 1, orientation: {{{name}: '
             f'[0, 0, 0]}}}}' for name in ORIENTATIONS]

    def recorded(self, known, required=()):
        seen.append((self.path, tuple(known)))
        return fields(self, known, required)

    monkeypatch.setattr(Marked, 'fields', recorded)
    for path in EXAMPLES:
        read_task(path)
    for text in (FURTHER, *(f'task: {step}\n' for step in (*kinds.values(), *turns))):
        (tmp_path / 'task.yaml').write_text(textwrap.dedent(text))
        try:
            read_task(tmp_path / 'task.yaml', SIX_AXIS)
        except FileError:
            pass                # of a value; the names were asked for before
    compared = set()
    for path, known in seen:
        if any(re.search(r'joint|shoulder|_link$|upper_arm', name) for name in known
               if name != 'joints'):
            continue            # joints and links of the arm
        own = [set(node['properties']) for node in at(path, schema) if 'properties' in node]
        assert set(known) in own, f'{path}: the reader knows {known}, the schema {own}'
        compared.add(re.sub(r'\[\d+\]', '', path))
    assert compared >= {'', 'payload', 'payload.grip', 'task', 'limits', 'base', *(
        f'task.{kind}' for kind in SPACE if kind != 'line'), 'task.line', 'task.orientation'}


def test_every_step_and_orientation_is_in_the_schema():
    schema = task_schema()
    required = [node['required'] for node in schema['$defs']['step']['anyOf']]
    assert sorted(required) == sorted([name] for name in STEPS)
    kinds = [node['required'][0] for node in schema['$defs']['orientation']['anyOf']
             if 'required' in node]
    assert set(kinds) == set(ORIENTATIONS)


@pytest.mark.parametrize('arm, more', [
    (SIX_AXIS, []), ('panda', ['--lock', 'panda_finger_joint1=20mm']),
    (str(ROOT / 'urdf' / 'two_link.urdf'), [])])
def test_a_new_task_can_be_analysed_and_fits_the_schema(arm, more, tmp_path, monkeypatch, capsys,
                                                        validator):
    monkeypatch.chdir(tmp_path)
    assert main(['new', 'task', arm, *more, '-o', 'task.yaml']) == 0
    text = Path('task.yaml').read_text()
    assert text.startswith(f'# yaml-language-server: $schema={SCHEMA_FILE}\n')
    assert json.loads(Path(SCHEMA_FILE).read_text()) == task_schema()
    validator.validate(yaml.safe_load(text))
    assert all(len(line) < 120 for line in text.splitlines())
    found = analyse(read_task('task.yaml'), find_speed_factor=False)
    positions = [check for check in found.verdict.checks if check.kind == 'position']
    assert all(check.passed for check in positions)
    assert all(name in text for name in found.study.robot.joint_names)
    # the comments are valid, too: all of them but the prose
    active = re.sub(r'^# (?=( *(- \{|limits|joints|energy|motors|default|motor:|gear|sections|'
                    r'\w+:$|\{shape|friction|gravity|base)))', '', text, flags=re.M)
    if len(found.study.robot.joint_names) >= 6:
        active = active.replace('\n- {line', '\n  - {line')
        validator.validate(yaml.safe_load(active.replace('friction: none          #',
                                                         'friction: none #')))
    assert main(['new', 'task', arm, *more, '-o', 'task.yaml']) == 2
    assert 'exists already' in capsys.readouterr().err


def test_new_schema_needs_no_arm_and_new_task_needs_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['new', 'schema']) == 0 and Path(SCHEMA_FILE).exists()
    assert main(['new', 'task']) == 2
    assert 'needs the arm' in capsys.readouterr().err
