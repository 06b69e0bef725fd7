# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What motion and torque mean: vibration, task studies, reports and pictures."""
