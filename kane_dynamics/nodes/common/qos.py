# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service of every topic, as in ros2_control and robot_state_publisher."""

from __future__ import annotations

from rclpy.qos import (
    DurabilityPolicy, HistoryPolicy, qos_profile_sensor_data, QoSProfile, ReliabilityPolicy)
from rclpy.qos_overriding_options import QoSOverridingOptions

# A best-effort subscription receives from reliable and best-effort publishers; a reliable one
# silently receives nothing from the latter (moveit2#1190).
STATE_IN = qos_profile_sensor_data

# Commands, states and goals: rclcpp's SystemDefaultsQoS.
RELIABLE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE)

# Services: rclpy's default keeps ten requests and silently drops the others.
SERVICE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1000, reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE)

# robot_description: the last message is kept for late subscribers.
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL)


def overridable() -> QoSOverridingOptions:
    """Return the options with which parameters `qos_overrides.<topic>...` change a profile."""
    return QoSOverridingOptions.with_default_policies()
