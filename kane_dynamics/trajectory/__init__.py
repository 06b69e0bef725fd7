# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Joint motion as a function of time: trajectories, profiles, splines, time scaling."""
