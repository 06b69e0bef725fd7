# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files that a URDF names: found, read with their colours, and reduced."""
