# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files and configurations use names that exist; where launch_ros is there, they run."""

import ast
import importlib.util
from pathlib import Path
import re
import signal
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: the schemas are in the nodes')

from ros_graph import PATIENCE, Peer, wait  # noqa: E402
from std_msgs.msg import String  # noqa: E402
import yaml  # noqa: E402

from kane_dynamics.nodes.common.qos import LATCHED  # noqa: E402
from kane_dynamics.nodes.feedforward import settings as feedforward_settings  # noqa: E402
from kane_dynamics.nodes.monitor import settings as monitor_settings  # noqa: E402
from kane_dynamics.nodes.simulator import settings as simulator_settings  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LAUNCH_FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
PARTS = (ROOT / 'kane_dynamics' / 'nodes' / 'launch_parts.py').read_text()
CONFIGS = sorted((ROOT / 'config').glob('*.yaml'))
SCHEMAS = {'feedforward': feedforward_settings.SCHEMA, 'simulator': simulator_settings.SCHEMA,
           'monitor': monitor_settings.SCHEMA}
FOREIGN = ('controller_manager', 'effort_controller', 'joint_trajectory_controller')
OF_RCLPY = ('use_sim_time',)
SIX_AXIS = f'description_file:={ROOT / "urdf" / "six_axis.urdf"}'
HAS_LAUNCH = importlib.util.find_spec('launch_ros') is not None
NO_LAUNCH = 'launch_ros is not installed (it is on no package registry): source a ROS distribution'
LAUNCHER = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service = LaunchService()
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]),
    launch_arguments=[tuple(each.split(':=')) for each in sys.argv[2:]])]))
sys.exit(service.run())
"""


def flat(values, prefix=''):
    """Return {dotted name: value} of nested parameters."""
    found = {}
    for key, value in values.items():
        name = f'{prefix}{key}'
        found.update(flat(value, f'{name}.') if isinstance(value, dict) else {name: value})
    return found


def check(node, parameters):
    """Check names and values of parameters against a node's schema."""
    for name, value in flat(parameters).items():
        if name in OF_RCLPY:
            continue
        assert name in SCHEMAS[node].entries, f'{node} has no parameter {name}'
        SCHEMAS[node].entries[name].checked(value)


@pytest.mark.parametrize('path', CONFIGS, ids=lambda path: path.name)
def test_configured_parameters_exist_and_are_in_range(path):
    sections = yaml.safe_load(path.read_text())
    for section, content in sections.items():
        # a section without a wildcard would be ignored in every namespace but one
        assert section.startswith('/**'), section
        node = path.stem if section == '/**' else section.removeprefix('/**/')
        if node not in FOREIGN:
            check(node, content['ros__parameters'])


@pytest.mark.parametrize('path', CONFIGS, ids=lambda path: path.name)
def test_an_effort_controllers_joints_are_those_of_the_node(path):
    sections = yaml.safe_load(path.read_text())
    orders = [content['ros__parameters']['joints'] for content in sections.values()
              if 'joints' in content['ros__parameters']]
    assert all(order == orders[0] for order in orders)


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_a_launch_file_starts_and_reads_what_exists(path):
    text = path.read_text()
    started = re.findall(r"managed_node\(\s*context, '(\w+)'(?:, parameters=\[([^]]*)\])?", text)
    assert started
    for node, parameters in started:
        assert (ROOT / 'scripts' / node).is_file()
        assert {*re.findall(r'\w+', parameters)} <= {*SCHEMAS[node].entries, *OF_RCLPY}
    for name in re.findall(r"'(\w+\.(?:yaml|rviz|urdf))'", text + PARTS):
        folder = 'urdf' if name.endswith('.urdf') else 'config'
        assert (ROOT / folder / name).is_file(), name


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_every_node_of_a_launch_file_is_in_the_namespace_that_is_given(path):
    # found without launch: `namespace` is declared, and every call that makes a node is given it
    tree = ast.parse(path.read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [ast.unparse(call.func) for call in calls]
    assert 'namespace' in names or 'common_arguments' in names
    makers = [call for call, name in zip(calls, names)
              if name in ('managed_node', 'state_publisher', 'rviz', 'Node')]
    assert makers
    shared = [ast.unparse(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)
              and ast.unparse(node.targets[0]) in ('shared', 'place')]
    for call in makers:
        words = {each.arg: ast.unparse(each.value) for each in call.keywords}
        given = words.get('namespace') or (words[None] in ('shared', 'place') and shared[0])
        assert "given['namespace']" in given, ast.unparse(call)


def test_topics_that_the_document_tells_to_remap_are_arguments_of_the_launch_file():
    text = (ROOT / 'launch' / 'feedforward.launch.py').read_text()
    remapped = dict(re.findall(r"\('([~\w/]+)', given\['(\w+)'\]\)", text))
    assert remapped == {'joint_states': 'joint_states', '~/commands': 'commands',
                        '~/joint_trajectory_with_effort': 'trajectory_with_effort'}
    # the launch files that comments in config/ name can be launched
    declared = set(re.findall(r"\b(?:argument|switch|parameter)\('(\w+)'", PARTS + text))
    for path in CONFIGS:
        for argument in re.findall(r'(\w+):=', path.read_text()):
            assert argument in declared, f'{path.name}: {argument}'


def test_no_argument_is_idle_and_none_is_read_that_is_not_declared():
    text = PARTS + ''.join(path.read_text() for path in LAUNCH_FILES)
    declared = set(re.findall(r"\b(?:argument|switch|parameter)\('(\w+)'", text))
    read = set(re.findall(r"(?:given\[|given\.get\(|given_file\(context, )'(\w+)'", text))
    read |= {name for listed in re.findall(r"parameters=\[('[^]]*')\]", text)
             for name in re.findall(r'\w+', listed)}
    assert declared == read


@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_every_argument_of_a_launch_file_is_described_and_has_a_default(path):
    from launch.launch_description_sources import get_launch_description_from_python_launch_file
    arguments = get_launch_description_from_python_launch_file(str(path)).get_launch_arguments()
    assert {'description_file', 'params_file', 'namespace', 'log_level'} <= {
        each.name for each in arguments}
    for each in arguments:
        assert each.description and each.default_value is not None, each.name


def installed(package):
    """Return whether an ament prefix holds a package."""
    from ament_index_python.packages import get_package_prefix, PackageNotFoundError
    try:
        return bool(get_package_prefix(package))
    except (PackageNotFoundError, LookupError, OSError):
        return False


class Launched:
    """A launch file in a process of its own, and a peer that talks to its nodes."""

    def __init__(self, file, *arguments):
        if not installed('kane_dynamics'):
            pytest.skip('kane_dynamics is not in an ament prefix: build it with colcon')
        self.process = subprocess.Popen(
            [sys.executable, '-c', LAUNCHER, str(ROOT / 'launch' / file), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.peer = Peer('launch_test')

    def __enter__(self):
        return self

    def until_active(self, node):
        wait(lambda: self.peer.state(node) == 'active', f'{node} active')

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=PATIENCE)[0]
        self.peer.close()
        assert self.process.returncode == 0 and 'Traceback' not in said, said


@pytest.mark.ros
@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
@pytest.mark.parametrize(('file', 'arguments', 'nodes'), [
    ('feedforward.launch.py', [SIX_AXIS, 'mode:=gravity'], ['feedforward']),
    ('simulation.launch.py', ['publish_description:=false'], ['simulator']),
    ('monitor.launch.py', [SIX_AXIS], ['monitor']),
    ('demo.launch.py', ['publish_description:=false'], ['simulator', 'feedforward']),
])
def test_launched_nodes_become_active_and_end_quietly(file, arguments, nodes):
    with Launched(file, *arguments) as launched:
        for node in nodes:
            launched.until_active(f'/{node}')


@pytest.mark.ros
@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
def test_a_parameter_file_of_ones_own_counts_unless_an_argument_is_given(tmp_path):
    path = tmp_path / 'my arm.yaml'
    path.write_text(yaml.safe_dump({'/**': {'ros__parameters': {
        'mode': 'gravity', 'ramp_time': 0.25, 'use_sim_time': True}}}))
    with Launched('feedforward.launch.py', f'params_file:={path}', 'namespace:=left',
                  'use_sim_time:=false') as launched:
        text = (ROOT / 'urdf' / 'six_axis.urdf').read_text()
        launched.peer.publish(String(data=text), '/left/robot_description', LATCHED)
        launched.until_active('/left/feedforward')
        values = [launched.peer.get_parameter('/left/feedforward', name)
                  for name in ('mode', 'ramp_time', 'use_sim_time')]
    assert values[0].string_value == 'gravity' and values[1].double_value == 0.25
    assert values[2].bool_value is False


@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
@pytest.mark.parametrize(('file', 'arguments', 'words'), [
    ('feedforward.launch.py', ['params_file:=no.yaml'], 'params_file:=no.yaml: no such file'),
    ('monitor.launch.py', ['description_file:=no.urdf'], 'description_file:=no.urdf: no such'),
    ('feedforward.launch.py', ['publish_description:=true'], 'requires description_file:='),
    ('demo.launch.py', ['flexible:=perhaps'], 'perhaps'),
    ('feedforward.launch.py', ['mode:=banana'], 'banana'),
    ('simulation.launch.py', ['rviz:=true', 'publish_description:=false'],
     'rviz2 is not installed'),
])
def test_what_cannot_be_launched_is_told_before_anything_starts(file, arguments, words):
    missing = {'rviz:=true': 'rviz2', 'publish_description:=true': 'robot_state_publisher'}
    for package in (missing[each] for each in arguments if each in missing):
        if installed(package) == ('not installed' in words):
            pytest.skip(f'{package} is {"" if installed(package) else "not "}installed here')
    done = subprocess.run([sys.executable, '-c', LAUNCHER, str(ROOT / 'launch' / file),
                           *arguments], capture_output=True, text=True, timeout=PATIENCE)
    said = done.stdout + done.stderr
    assert done.returncode == 1 and words in said, said
    assert 'process started' not in said, said
