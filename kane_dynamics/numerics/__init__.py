# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations, validation of numbers and arrays, and small solvers."""
