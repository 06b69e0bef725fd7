# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The `feedforward` node: trajectories and joint states in, torques out."""
