# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `kane`, one file each: add_arguments(parser) and run(arguments)."""
