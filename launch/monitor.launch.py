# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the monitor node for an arm whose joint states have effort."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from kane_dynamics.nodes.launch_parts import common_arguments, managed_node, robot_arguments


def generate_launch_description():
    """Return the node and its arguments; `ros2 launch ... --show-args` lists them."""
    return LaunchDescription([
        *common_arguments('monitor.yaml'),
        *robot_arguments(),
        OpaqueFunction(function=nodes),
    ])


def nodes(context):
    """Return the node, once the arguments are known."""
    given = context.launch_configurations
    return [managed_node(context, 'monitor', parameters=['use_sim_time'],
                         namespace=given['namespace'],
                         remappings=[('joint_states', given['joint_states'])])]
