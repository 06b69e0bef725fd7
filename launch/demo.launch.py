# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the simulator, the feedforward node that drives it, and optionally RViz.

Both run in lock-step on simulated time. Send trajectories to /feedforward/joint_trajectory, or let
the demo node send one (demo:=true), print the tracking error, and end. flexible:=true starts a
flexible arm.
"""

from launch import LaunchDescription
from launch.actions import OpaqueFunction, Shutdown
from launch_ros.actions import Node

from kane_dynamics.nodes.launch_parts import (
    argument, log_level, managed_node, namespace, rviz, state_publisher, switch)
from kane_dynamics.nodes.shared_files import shared_file


def generate_launch_description():
    """Return the nodes and their arguments; `ros2 launch ... --show-args` lists them."""
    return LaunchDescription([
        switch('flexible', 'a flexible arm'),
        argument('description_file', 'URDF or xacro file of the arm; empty: six_axis.urdf, or '
                 'flexible_3r.urdf with flexible:=true'),
        argument('params_file', 'YAML file with the parameters of both nodes; empty: demo.yaml, '
                 'or flexible_demo.yaml with flexible:=true'),
        namespace(),
        log_level(),
        switch('demo', 'send a trajectory, print the tracking error, and end'),
        switch('publish_description', 'start robot_state_publisher with the arm', 'true'),
        switch('rviz', 'start RViz'),
        OpaqueFunction(function=nodes),
    ])


def nodes(context):
    """Return the nodes, once the arguments are known."""
    given = context.launch_configurations
    arm, config = (('flexible_3r.urdf', 'flexible_demo.yaml') if given['flexible'] == 'true'
                   else ('six_axis.urdf', 'demo.yaml'))
    given['description_file'] = given['description_file'] or str(shared_file('urdf', arm))
    given['params_file'] = given['params_file'] or str(shared_file('config', config))
    shared = {'namespace': given['namespace']}
    started = [
        managed_node(context, 'simulator', remappings=[('~/effort', 'feedforward/effort')],
                     **shared),
        managed_node(context, 'feedforward', **shared),
        *state_publisher(context, sim_time=True, **shared),
        *rviz(context, sim_time=True, **shared)]
    if given['demo'] == 'true':
        started.append(Node(
            package='kane_dynamics', executable='demo', name='demo', output='screen',
            arguments=['--no-nodes', '--urdf', given['description_file']], on_exit=Shutdown(),
            **shared))
    return started
