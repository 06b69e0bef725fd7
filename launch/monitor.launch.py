# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the monitor node for an arm whose joint states tell effort."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import (
    Command, LaunchConfiguration, PathJoinSubstitution, PythonExpression)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    """Return the node and its arguments; `ros2 launch ... --show-args` lists them."""
    share = FindPackageShare('kane_dynamics')
    argument = LaunchConfiguration
    arguments = [
        DeclareLaunchArgument(
            'description_file', default_value='',
            description='URDF or xacro file of the arm; empty: another node publishes '
                        'robot_description'),
        DeclareLaunchArgument(
            'params_file', default_value=PathJoinSubstitution([share, 'config', 'monitor.yaml']),
            description='YAML file with the parameters of the node: thresholds, frame, '
                        'calibration_file'),
        DeclareLaunchArgument('namespace', default_value='', description='of the node'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'],
            description='go by /clock'),
        DeclareLaunchArgument(
            'joint_states', default_value='joint_states',
            description='topic on which the robot tells its state'),
        DeclareLaunchArgument('log_level', default_value='info', description='of the node'),
    ]
    parameters = {'use_sim_time': ParameterValue(argument('use_sim_time'), value_type=bool)}
    common = {
        'package': 'kane_dynamics', 'executable': 'monitor', 'name': 'monitor',
        'namespace': argument('namespace'), 'output': 'screen',
        'arguments': ['--ros-args', '--log-level', argument('log_level')],
        'remappings': [('joint_states', argument('joint_states'))]}
    given = PythonExpression(["'", argument('description_file'), "' != ''"])
    # xacro reads plain URDF files as well
    description = ParameterValue(Command(['xacro ', argument('description_file')]),
                                 value_type=str)
    with_file = Node(**common, condition=IfCondition(given), parameters=[
        argument('params_file'), {**parameters, 'robot_description': description}])
    with_topic = Node(**common, condition=UnlessCondition(given), parameters=[
        argument('params_file'), parameters])
    return LaunchDescription([*arguments, with_file, with_topic])
