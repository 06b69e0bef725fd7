# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Start of the nodes, with a one-line error where ROS 2 is missing.

`ros2 run kane_dynamics NAME` runs the file scripts/NAME, `kane node NAME` the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
import signal
import sys

NODES = ('feedforward', 'simulator', 'monitor')


def start(name: str, arguments: Sequence[str] | None = None) -> int:
    """Run a node or the demo and return its exit code; 2 without ROS 2.

    arguments: of the command line, None: those of this process.
    """
    if arguments is not None:
        sys.argv = [name, *arguments]       # rclpy reads them there
    try:
        module = import_module(f'kane_dynamics.nodes.{name}.__main__')
    except ModuleNotFoundError as error:
        if (error.name or '').startswith('kane_dynamics'):
            raise
        print(f'{name}: the nodes need ROS 2 ({error}); source a distribution, or install its '
              'wheels: pip install "kane_dynamics[ros]"', file=sys.stderr)
        return 2
    except KeyboardInterrupt:       # while loading: no arm moves yet
        signal.signal(signal.SIGINT, signal.SIG_IGN)    # launch sends a second one
        return 0
    return module.main()
