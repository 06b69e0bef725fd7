# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run as `python -m kane_dynamics.nodes.monitor`."""

import sys

from kane_dynamics.nodes.monitor.node import main

if __name__ == '__main__':
    sys.exit(main())
