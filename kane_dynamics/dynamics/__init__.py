# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The calling surface: torques, accelerations, matrices and frames of one arm."""
