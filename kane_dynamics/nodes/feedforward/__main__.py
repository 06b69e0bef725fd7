# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run as `python -m kane_dynamics.nodes.feedforward`."""

import sys

from kane_dynamics.nodes.feedforward.node import main

if __name__ == '__main__':
    sys.exit(main())
