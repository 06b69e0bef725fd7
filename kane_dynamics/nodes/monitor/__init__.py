# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The `monitor` node: external torques and contact from joint states."""
