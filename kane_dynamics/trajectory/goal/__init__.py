# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory goals: validation by the rules of joint_trajectory_controller."""
