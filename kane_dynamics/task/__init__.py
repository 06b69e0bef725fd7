# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motion in space: paths, orientations, inverse kinematics, minimum-time motion."""
