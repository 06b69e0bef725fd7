# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Models of Padilla 1989, to compare: Kane's equations truncated to first order."""
