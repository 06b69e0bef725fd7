# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments and nodes that the launch files share.

All arguments are checked before the first process starts, because a launch that fails halfway
leaves its processes running. An argument for a parameter is empty by default, so that it does not
override the user's params_file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch.substitutions import Command
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
import yaml

from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.nodes.shared_files import shared_file


# -- arguments -----------------------------------------------------------------------------------


def argument(name: str, description: str, default: object = '',
             choices: Sequence[str] | None = None) -> DeclareLaunchArgument:
    """Return the declaration of an argument."""
    return DeclareLaunchArgument(name, default_value=str(default), description=description,
                                 choices=choices)


def switch(name: str, description: str, default: str = 'false') -> DeclareLaunchArgument:
    """Return the declaration of an argument that is true or false."""
    return argument(name, description, default, ['true', 'false'])


def parameter(name: str, description: str, choices: Sequence[str] = ()) -> DeclareLaunchArgument:
    """Return the declaration of an argument that sets a parameter of a node."""
    return argument(name, f'{description}; empty: as in params_file', '',
                    ['', *choices] if choices else None)


def common_arguments(config: str, arm: str = '') -> list[DeclareLaunchArgument]:
    """Return the arguments of every node; config, arm: default files of this package."""
    return [
        argument('description_file', 'URDF or xacro file of the arm; empty: the topic '
                 'robot_description, unless params_file names one',
                 arm and shared_file('urdf', arm)),
        argument('params_file', 'YAML file with the parameters', shared_file('config', config)),
        namespace(),
        log_level(),
    ]


def namespace() -> DeclareLaunchArgument:
    """Return the declaration of the argument namespace."""
    return argument('namespace', 'namespace of all nodes')


def log_level() -> DeclareLaunchArgument:
    """Return the declaration of the argument log_level."""
    return argument('log_level', 'log level: debug, info, warn, error or fatal', 'info')


def robot_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments of a node that runs with a robot: its time and its states."""
    return [
        parameter('use_sim_time', 'follow /clock', ['true', 'false']),
        argument('joint_states', 'topic of the joint states of the robot', 'joint_states'),
    ]


# -- nodes ---------------------------------------------------------------------------------------


def managed_node(context: LaunchContext, name: str, parameters: Iterable[str] = (),
                 **keywords: Any) -> Node:
    """Return a node of this package.

    parameters: the arguments that set parameters of the node. keywords: those of `Node`.
    """
    given = context.launch_configurations
    values: dict[str, Any] = {
        each: yaml.safe_load(given[each]) for each in parameters if given[each]}
    if given['description_file']:
        values['robot_description_file'] = ParameterValue(
            _given_file(context, 'description_file'), value_type=str)
    return Node(
        package='kane_dynamics', executable=name, name=name, output='screen',
        parameters=[_given_file(context, 'params_file'), *([values] if values else [])],
        arguments=['--ros-args', '--log-level', given['log_level']], **keywords)


def state_publisher(context: LaunchContext, sim_time: bool, **keywords: Any) -> list[Node]:
    """Return [robot_state_publisher], or [] if not requested; sim_time: it follows /clock."""
    given = context.launch_configurations
    if given['publish_description'] == 'false':
        return []
    _require('robot_state_publisher', 'publish_description:=false')
    if not given['description_file']:
        raise InputError('publish_description:=true requires description_file:=<URDF or xacro>')
    # xacro also reads plain URDF files
    text = Command(['xacro ', quote(_given_file(context, 'description_file'))]).perform(context)
    return [Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        parameters=[{'robot_description': ParameterValue(text, value_type=str),
                     'use_sim_time': sim_time}], **keywords)]


def rviz(context: LaunchContext, sim_time: bool, **keywords: Any) -> list[Node]:
    """Return [RViz] with the view of config/arm.rviz, or [] if not requested."""
    given = context.launch_configurations
    if given['rviz'] == 'false':
        return []
    _require('rviz2', 'rviz:=false')
    return [Node(
        package='rviz2', executable='rviz2',
        arguments=['-d', str(shared_file('config', 'arm.rviz'))],
        parameters=[{'use_sim_time': sim_time}], **keywords)]


def _given_file(context: LaunchContext, name: str) -> str:
    """Return the absolute path of an argument as text."""
    path = Path(context.launch_configurations[name]).expanduser()
    if not path.is_file():
        raise InputError(f'{name}:={path}: no such file')
    return str(path.absolute())


def _require(package: str, otherwise: str) -> None:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        raise MissingDependencyError(
            f'{package} is not installed; install it with apt install '
            f'ros-$ROS_DISTRO-{package.replace("_", "-")}, or launch with {otherwise}') from None
