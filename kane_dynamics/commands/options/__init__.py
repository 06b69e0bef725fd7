# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Options that commands share: the arm, the task file, the bag, numbers with units."""
