# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the simulator node in place of a robot, with RViz when asked for."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
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
            description='URDF or xacro file of the arm'),
        DeclareLaunchArgument(
            'params_file', default_value=PathJoinSubstitution([share, 'config',
                                                               'simulator.yaml']),
            description='YAML file with the parameters of the simulator'),
        DeclareLaunchArgument('namespace', default_value='', description='of all nodes'),
        DeclareLaunchArgument(
            'publish_clock', default_value='false', choices=['true', 'false'],
            description='give simulated time on /clock; other nodes then use_sim_time'),
        DeclareLaunchArgument(
            'real_time_factor', default_value='1.0',
            description='simulated seconds per second; other than 1 needs publish_clock'),
        DeclareLaunchArgument(
            'commands', default_value='~/commands',
            description='topic of the efforts, std_msgs/Float64MultiArray'),
        DeclareLaunchArgument(
            'rviz', default_value='false', choices=['true', 'false'], description='start RViz'),
    ]
    description = ParameterValue(Command(['xacro ', argument('description_file')]),
                                 value_type=str)
    clock = ParameterValue(argument('publish_clock'), value_type=bool)
    factor = ParameterValue(argument('real_time_factor'), value_type=float)
    simulator = Node(
        package='kane_dynamics', executable='simulator', name='simulator', output='screen',
        namespace=argument('namespace'), remappings=[('~/commands', argument('commands'))],
        parameters=[argument('params_file'), {
            'robot_description': description, 'publish_clock': clock,
            'real_time_factor': factor}])
    publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        namespace=argument('namespace'),
        parameters=[{'robot_description': description, 'use_sim_time': clock}])
    rviz = Node(
        package='rviz2', executable='rviz2', condition=IfCondition(argument('rviz')),
        arguments=['-d', PathJoinSubstitution([share, 'config', 'arm.rviz'])],
        parameters=[{'use_sim_time': clock}])
    return LaunchDescription([*arguments, simulator, publisher, rviz])
