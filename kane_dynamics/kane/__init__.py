# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How the arm moves: Kane's equations, stated once."""
