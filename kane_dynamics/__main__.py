# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run the command `kane` as `python -m kane_dynamics`."""

from kane_dynamics.commands.cli import main

if __name__ == '__main__':
    raise SystemExit(main())
