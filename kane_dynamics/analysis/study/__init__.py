# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The study of one arm and one task: loads, motors, limits and the verdict."""
