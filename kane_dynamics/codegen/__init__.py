# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""From recorded equations to fast code: Python, LLVM and C99."""
