# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions along a motion: links with each other, with the floor and with obstacles."""
