# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the launch files share: common arguments, and nodes made from what was given.

Everything is checked before the first process starts: where a launch fails halfway, what it has
started runs on. An argument that stands for a parameter is empty unless it is given, so that it
does not overrule the user's own params_file.
"""

from pathlib import Path
from shlex import quote

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from launch.actions import DeclareLaunchArgument
from launch.substitutions import Command
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
import yaml

from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.nodes.shared_files import shared_file


# -- arguments -----------------------------------------------------------------------------------


def argument(name, description, default='', choices=None):
    """Return the declaration of an argument."""
    return DeclareLaunchArgument(name, default_value=str(default), description=description,
                                 choices=choices)


def switch(name, description, default='false'):
    """Return the declaration of an argument that is true or false."""
    return argument(name, description, default, ['true', 'false'])


def parameter(name, description, choices=()):
    """Return the declaration of an argument that stands for a parameter of a node."""
    return argument(name, f'{description}; empty: as in params_file', '',
                    ['', *choices] if choices else None)


def common_arguments(config, arm=''):
    """Return what every node is started with; config, arm: files of this package, the defaults."""
    return [
        argument('description_file', 'URDF or xacro file of the arm; empty: the topic '
                 'robot_description, unless params_file names one',
                 arm and shared_file('urdf', arm)),
        argument('params_file', 'YAML file with the parameters', shared_file('config', config)),
        argument('namespace', 'of all nodes'),
        log_level(),
    ]


def log_level():
    """Return the declaration of the argument log_level."""
    return argument('log_level', 'of the nodes: debug, info, warn, error or fatal', 'info')


def robot_arguments():
    """Return what a node beside a robot is started with: its time, its states."""
    return [
        parameter('use_sim_time', 'go by /clock', ['true', 'false']),
        argument('joint_states', 'topic on which the robot tells its state', 'joint_states'),
    ]


# -- nodes ---------------------------------------------------------------------------------------


def managed_node(context, name, parameters=(), **keywords):
    """Return a node of this package, which configures and activates itself.

    parameters: the arguments that stand for parameters of the node. keywords: go to `Node`.
    """
    given = context.launch_configurations
    values = {each: yaml.safe_load(given[each]) for each in parameters if given[each]}
    if given['description_file']:
        values['robot_description_file'] = ParameterValue(
            _given_file(context, 'description_file'), value_type=str)
    return Node(
        package='kane_dynamics', executable=name, name=name, output='screen',
        parameters=[_given_file(context, 'params_file'), *([values] if values else [])],
        arguments=['--ros-args', '--log-level', given['log_level']], **keywords)


def state_publisher(context, sim_time, **keywords):
    """Return [robot_state_publisher], [] unless it is asked for; sim_time: it goes by /clock."""
    given = context.launch_configurations
    if given['publish_description'] == 'false':
        return []
    _require('robot_state_publisher', 'publish_description:=false')
    if not given['description_file']:
        raise InputError('publish_description:=true needs description_file:=<URDF or xacro>')
    # xacro reads plain URDF files as well
    text = Command(['xacro ', quote(_given_file(context, 'description_file'))]).perform(context)
    return [Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        parameters=[{'robot_description': ParameterValue(text, value_type=str),
                     'use_sim_time': sim_time}], **keywords)]


def rviz(context, sim_time, **keywords):
    """Return [RViz] with the view of config/arm.rviz, [] unless it is asked for."""
    given = context.launch_configurations
    if given['rviz'] == 'false':
        return []
    _require('rviz2', 'rviz:=false')
    return [Node(
        package='rviz2', executable='rviz2',
        arguments=['-d', str(shared_file('config', 'arm.rviz'))],
        parameters=[{'use_sim_time': sim_time}], **keywords)]


def _given_file(context, name):
    """Return the absolute path that an argument gives, as text."""
    path = Path(context.launch_configurations[name]).expanduser()
    if not path.is_file():
        raise InputError(f'{name}:={path}: no such file')
    return str(path.absolute())


def _require(package, otherwise):
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        raise MissingDependencyError(
            f'{package} is not installed; install it with apt install '
            f'ros-$ROS_DISTRO-{package.replace("_", "-")}, or launch with {otherwise}') from None
