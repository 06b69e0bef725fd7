# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of robots, motions and results from Python: a browser tab, Jupyter, meshcat."""
