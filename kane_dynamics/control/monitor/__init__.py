# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""External torques and contact, estimated from joint states."""
