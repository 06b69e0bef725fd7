# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The `simulator` node: efforts in, simulated joint states out."""
