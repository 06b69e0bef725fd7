# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parts that the nodes share: life cycle, parameters, clocked loop, diagnostics."""
