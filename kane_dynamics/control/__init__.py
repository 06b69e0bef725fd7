# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque, cycle by cycle, without ROS: controller, control law, torque model and limits."""
