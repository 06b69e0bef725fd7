# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motion in time: trajectories and the goals they come from, profiles, splines, scaling."""
