# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot for real-time loops: arm, contact, sensors and delays."""
