# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing: YAML and XML with line numbers, units, CSV tables, text for people."""
