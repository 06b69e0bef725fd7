# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the simulator node instead of a robot, optionally with RViz."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from kane_dynamics.nodes.launch_parts import (
    argument, common_arguments, managed_node, parameter, rviz, state_publisher, switch)


def generate_launch_description():
    """Return the nodes and their arguments; `ros2 launch ... --show-args` lists them."""
    return LaunchDescription([
        *common_arguments('simulator.yaml', arm='six_axis.urdf'),
        parameter('publish_clock', 'simulated time on /clock; other nodes then use_sim_time',
                  ['true', 'false']),
        parameter('real_time_factor', 'simulated seconds per second; other than 1 needs '
                  'publish_clock'),
        argument('commands', 'topic of the efforts, std_msgs/Float64MultiArray', '~/commands'),
        switch('publish_description', 'start robot_state_publisher with the arm', 'true'),
        switch('rviz', 'start RViz'),
        OpaqueFunction(function=nodes),
    ])


def nodes(context):
    """Return the nodes, once the arguments are known."""
    given = context.launch_configurations
    shared = {'namespace': given['namespace'], 'sim_time': given['publish_clock'] == 'true'}
    return [
        managed_node(context, 'simulator', parameters=['publish_clock', 'real_time_factor'],
                     namespace=given['namespace'],
                     remappings=[('~/commands', given['commands'])]),
        *state_publisher(context, **shared), *rviz(context, **shared)]
