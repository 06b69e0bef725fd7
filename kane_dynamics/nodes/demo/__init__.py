# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The demo: `simulator` and `feedforward` in one ROS graph."""
