# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded motion: bags, smoothing, identification, and evaluation of a model."""
