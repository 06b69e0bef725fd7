# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robot models: an immutable `Robot` from URDF, xacro or Denavit-Hartenberg tables."""
