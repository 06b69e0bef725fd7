# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the simulator, the feedforward node that drives it, and RViz when asked for.

Both run in lock-step on simulated time. Send trajectories to /feedforward/joint_trajectory, or let
the demo node send one (demo:=true), tell how well the arm followed, and end. With flexible:=true
the arm is one that bends.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import (
    Command, LaunchConfiguration, PathJoinSubstitution, PythonExpression)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    """Return the nodes and their arguments; `ros2 launch ... --show-args` lists them."""
    share = FindPackageShare('kane_dynamics')
    argument = LaunchConfiguration

    def if_flexible(yes, no):
        return PythonExpression(
            [f'"{yes}" if "', argument('flexible'), f'" == "true" else "{no}"'])
    arguments = [
        DeclareLaunchArgument(
            'flexible', default_value='false', choices=['true', 'false'],
            description='an arm that bends'),
        DeclareLaunchArgument(
            'description_file', default_value=PathJoinSubstitution(
                [share, 'urdf', if_flexible('flexible_3r.urdf', 'six_axis.urdf')]),
            description='URDF or xacro file of the arm'),
        DeclareLaunchArgument(
            'params_file', default_value=PathJoinSubstitution(
                [share, 'config', if_flexible('flexible_demo.yaml', 'demo.yaml')]),
            description='YAML file with the parameters of both nodes'),
        DeclareLaunchArgument(
            'demo', default_value='false', choices=['true', 'false'],
            description='send a trajectory, tell the tracking error, and end'),
        DeclareLaunchArgument(
            'rviz', default_value='false', choices=['true', 'false'], description='start RViz'),
    ]
    description = ParameterValue(Command(['xacro ', argument('description_file')]),
                                 value_type=str)
    described = {'robot_description': description}
    simulator = Node(
        package='kane_dynamics', executable='simulator', name='simulator', output='screen',
        remappings=[('~/effort', '/feedforward/effort')],
        parameters=[argument('params_file'), described])
    feedforward = Node(
        package='kane_dynamics', executable='feedforward', name='feedforward', output='screen',
        parameters=[argument('params_file'), described])
    publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        parameters=[{**described, 'use_sim_time': True}])
    rviz = Node(
        package='rviz2', executable='rviz2', condition=IfCondition(argument('rviz')),
        arguments=['-d', PathJoinSubstitution([share, 'config', 'arm.rviz'])],
        parameters=[{'use_sim_time': True}])
    demo = Node(
        package='kane_dynamics', executable='demo', name='demo', output='screen',
        condition=IfCondition(argument('demo')), on_exit=Shutdown(),
        arguments=['--no-nodes', '--urdf', argument('description_file')])
    return LaunchDescription([*arguments, simulator, feedforward, publisher, rviz, demo])
