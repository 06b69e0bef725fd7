# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and movies of arms, and the meshes they are drawn from."""
