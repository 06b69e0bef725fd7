# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robots by name, and from the MJCF files of MuJoCo."""
