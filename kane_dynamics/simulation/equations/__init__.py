# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equations: free, driven, constrained, in contact, on a moving base."""
