# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible links and joints: beams, sections, mode shapes, modal constants, segments."""
