# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service of every topic, chosen as ros2_control and robot_state_publisher do."""

from __future__ import annotations

from rclpy.qos import (
    DurabilityPolicy, HistoryPolicy, qos_profile_sensor_data, QoSProfile, ReliabilityPolicy)
from rclpy.qos_overriding_options import QoSOverridingOptions

# Best effort receives reliable and best-effort publishers; reliable would miss the latter in
# silence (moveit2#1190).
STATE_IN = qos_profile_sensor_data

# What a command, a state or a goal is sent and taken with: rclcpp's SystemDefaultsQoS.
RELIABLE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE)

# robot_description: the last text is kept for those who come later.
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL)

# /clock, as rclpy's own subscription of it: the newest, without waiting.
CLOCK = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.VOLATILE)


def overridable():
    """Return the options that let parameters `qos_overrides.<topic>...` change a profile."""
    return QoSOverridingOptions.with_default_policies()
