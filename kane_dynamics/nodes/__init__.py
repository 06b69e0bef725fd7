# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2: messages, parameters and time on one side, kane_dynamics on the other; no physics."""
