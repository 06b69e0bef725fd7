# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: translation between messages and the rest of the package, no physics."""
