# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start the feedforward node for an arm, optionally with robot_state_publisher."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from kane_dynamics.control.control_law import MODES
from kane_dynamics.nodes.launch_parts import (
    argument, common_arguments, managed_node, parameter, robot_arguments, state_publisher, switch)


def generate_launch_description():
    """Return the nodes and their arguments; `ros2 launch ... --show-args` lists them."""
    return LaunchDescription([
        *common_arguments('feedforward.yaml'),
        *robot_arguments(),
        parameter('mode', 'control law', MODES),
        argument('commands', 'topic of the effort controller, e.g. /effort_controller/commands',
                 '~/commands'),
        argument('trajectory_with_effort', 'topic on which joint_trajectory_controller takes '
                 'goals, e.g. /joint_trajectory_controller/joint_trajectory',
                 '~/joint_trajectory_with_effort'),
        switch('publish_description', 'start robot_state_publisher with description_file'),
        OpaqueFunction(function=nodes),
    ])


def nodes(context):
    """Return the nodes, once the arguments are known."""
    given = context.launch_configurations
    remappings = [('joint_states', given['joint_states']), ('~/commands', given['commands']),
                  ('~/joint_trajectory_with_effort', given['trajectory_with_effort'])]
    shared = {'namespace': given['namespace'], 'remappings': remappings}
    return [
        managed_node(context, 'feedforward', parameters=['mode', 'use_sim_time'], **shared),
        *state_publisher(context, sim_time=given['use_sim_time'] == 'true', **shared)]
