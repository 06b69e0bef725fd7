# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""HTML pages: reports, curves and the arm in motion."""
