# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files and configurations use names that exist; where launch_ros is there, they run."""

import ast
import importlib.util
import os
from pathlib import Path
import signal
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: the schemas are in the nodes')

from ros_graph import PATIENCE, Peer, wait  # noqa: E402
from std_msgs.msg import String  # noqa: E402
import yaml  # noqa: E402

from kane_dynamics.nodes import feedforward_parameters, managed_node  # noqa: E402
from kane_dynamics.nodes import monitor_parameters, simulator_parameters  # noqa: E402
from kane_dynamics.nodes.qos import LATCHED  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
LAUNCH_FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
CONFIGS = sorted((ROOT / 'config').glob('*.yaml'))
SCHEMAS = {'feedforward': managed_node.SCHEMA + feedforward_parameters.SCHEMA,
           'simulator': managed_node.SCHEMA + simulator_parameters.SCHEMA,
           'monitor': managed_node.SCHEMA + monitor_parameters.SCHEMA}
FOREIGN = ('controller_manager', 'effort_controller', 'joint_trajectory_controller')
OF_RCLPY = ('use_sim_time',)
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
        if section in FOREIGN:
            continue
        node = path.stem if section == '/**' else section
        check(node, content['ros__parameters'])


@pytest.mark.parametrize('path', CONFIGS, ids=lambda path: path.name)
def test_an_effort_controllers_joints_are_those_of_the_node(path):
    sections = yaml.safe_load(path.read_text())
    orders = [content['ros__parameters']['joints'] for content in sections.values()
              if 'joints' in content['ros__parameters']]
    assert all(order == orders[0] for order in orders)


def calls(tree, name):
    """Yield {keyword: node} of the calls of a function in a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == name:
            yield {keyword.arg: keyword.value for keyword in node.keywords}, node.args


def strings(tree):
    return [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)]


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_a_launch_file_uses_what_exists(path):
    tree = ast.parse(path.read_text())
    assert 'generate_launch_description' in {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    declared = {args[0].value for _, args in calls(tree, 'DeclareLaunchArgument')}
    used = {args[0].value for _, args in calls(tree, 'argument')}
    assert used == declared     # nothing undeclared is read, nothing declared is idle
    for keywords, _ in calls(tree, 'DeclareLaunchArgument'):
        assert 'description' in keywords
    for name in strings(tree):
        if name.endswith(('.yaml', '.rviz')):
            assert (ROOT / 'config' / name).is_file(), name
        if name.endswith('.urdf'):
            assert (ROOT / 'urdf' / name).is_file(), name


@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_parameters_and_executables_of_a_launch_file_exist(path):
    tree = ast.parse(path.read_text())
    scripts = (ROOT / 'setup.py').read_text()
    known = {name for schema in SCHEMAS.values() for name in schema.entries} | {*OF_RCLPY}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [key.value for key in node.keys if key is not None]
            if 'package' in keys:       # the keywords of a Node, shared by two
                assert f"'{node.values[keys.index('executable')].value} = " in scripts
            else:
                assert set(keys) <= known, set(keys) - known
    for keywords, _ in calls(tree, 'Node'):
        if 'package' in keywords and keywords['package'].value == 'kane_dynamics':
            assert f"'{keywords['executable'].value} = " in scripts


@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
@pytest.mark.parametrize('path', LAUNCH_FILES, ids=lambda path: path.name)
def test_a_launch_file_makes_its_description(path):
    program = (
        'import importlib.util, sys\n'
        'spec = importlib.util.spec_from_file_location("file", sys.argv[1])\n'
        'module = importlib.util.module_from_spec(spec)\n'
        'spec.loader.exec_module(module)\n'
        'description = module.generate_launch_description()\n'
        'print(len(description.entities))\n')
    done = subprocess.run([sys.executable, '-c', program, str(path)], capture_output=True,
                          text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 5


def installed(package):
    """Return whether an ament prefix holds a package."""
    from ament_index_python.packages import get_package_prefix, PackageNotFoundError
    try:
        return bool(get_package_prefix(package))
    except (PackageNotFoundError, LookupError, OSError):
        return False


@pytest.mark.ros
@pytest.mark.skipif(not HAS_LAUNCH, reason=NO_LAUNCH)
@pytest.mark.parametrize(('file', 'arguments', 'nodes'), [
    ('feedforward.launch.py', ['publish_description:=false', 'mode:=gravity'], ['feedforward']),
    ('simulation.launch.py', [], ['simulator']),
    ('monitor.launch.py', [f'description_file:={ROOT / "urdf" / "six_axis.urdf"}'], ['monitor']),
    ('demo.launch.py', [], ['simulator', 'feedforward']),
])
def test_launched_nodes_become_active(file, arguments, nodes):
    missing = [each for each in ('kane_dynamics', 'robot_state_publisher') if not installed(each)]
    if missing:
        pytest.skip(f'not in an ament prefix: {missing}')
    peer = Peer('launch_test')
    launched = subprocess.Popen([sys.executable, '-c', LAUNCHER, str(ROOT / 'launch' / file),
                                 *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        if 'publish_description:=false' in arguments:
            text = (ROOT / 'urdf' / 'six_axis.urdf').read_text()
            peer.publish(String(data=text), '/robot_description', LATCHED)
        for node in nodes:
            wait(lambda: peer.state(f'/{node}') == 'active', f'{node} active')
    finally:
        launched.send_signal(signal.SIGINT)
        assert launched.wait(PATIENCE) == 0, launched.stdout.read().decode()
        peer.close()
