# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Links and joints, the topology they form, and the tree of moving bodies."""
