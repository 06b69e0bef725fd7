# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the feedforward node for an arm, and robot_state_publisher beside it when asked for."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import Command, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    """Return the nodes and their arguments; `ros2 launch ... --show-args` lists them."""
    share = FindPackageShare('kane_dynamics')
    argument = LaunchConfiguration
    arguments = [
        DeclareLaunchArgument(
            'description_file', default_value=PathJoinSubstitution([share, 'urdf',
                                                                    'six_axis.urdf']),
            description='URDF or xacro file of the arm, as far as no other node publishes it'),
        DeclareLaunchArgument(
            'params_file', default_value=PathJoinSubstitution([share, 'config',
                                                               'feedforward.yaml']),
            description='YAML file with the parameters of the node'),
        DeclareLaunchArgument('namespace', default_value='', description='of all nodes'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'],
            description='go by /clock'),
        DeclareLaunchArgument(
            'mode', default_value='feedforward',
            choices=['feedforward', 'computed_torque', 'gravity', 'hold'],
            description='what the torque is computed from'),
        DeclareLaunchArgument(
            'commands', default_value='~/commands',
            description='topic of the effort controller, e.g. /effort_controller/commands'),
        DeclareLaunchArgument(
            'joint_states', default_value='joint_states',
            description='topic on which the robot tells its state'),
        DeclareLaunchArgument(
            'publish_description', default_value='true', choices=['true', 'false'],
            description='start robot_state_publisher with the file; false: another node '
                        'publishes robot_description'),
        DeclareLaunchArgument('log_level', default_value='info', description='of the node'),
    ]
    sim_time = ParameterValue(argument('use_sim_time'), value_type=bool)
    # xacro reads plain URDF files as well
    description = ParameterValue(Command(['xacro ', argument('description_file')]),
                                 value_type=str)
    publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        namespace=argument('namespace'), condition=IfCondition(argument('publish_description')),
        parameters=[{'robot_description': description, 'use_sim_time': sim_time}],
        remappings=[('joint_states', argument('joint_states'))])
    common = {
        'package': 'kane_dynamics', 'executable': 'feedforward', 'name': 'feedforward',
        'namespace': argument('namespace'), 'output': 'screen',
        'arguments': ['--ros-args', '--log-level', argument('log_level')],
        'remappings': [('~/commands', argument('commands')),
                       ('joint_states', argument('joint_states'))]}
    parameters = {'use_sim_time': sim_time, 'mode': argument('mode')}
    with_file = Node(
        **common, condition=IfCondition(argument('publish_description')),
        parameters=[argument('params_file'), {**parameters, 'robot_description': description}])
    with_topic = Node(
        **common, condition=UnlessCondition(argument('publish_description')),
        parameters=[argument('params_file'), parameters])
    return LaunchDescription([*arguments, publisher, with_file, with_topic])
