# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The executables of the nodes: where ROS 2 is missing, they say so in one line."""

from importlib import import_module
import signal
import sys


def _start(name):
    """Return the exit code of a node; 2 without ROS 2."""
    try:
        module = import_module(f'kane_dynamics.nodes.{name}')
    except ModuleNotFoundError as error:
        if (error.name or '').startswith('kane_dynamics'):
            raise
        print(f'{name}: the nodes need ROS 2 ({error}); source a distribution, or install it as '
              'wheels: pip install "kane_dynamics[ros]"', file=sys.stderr)
        return 2
    except KeyboardInterrupt:       # while it loads: there is nothing yet to bring to rest
        signal.signal(signal.SIGINT, signal.SIG_IGN)    # from launch comes a second one
        return 0
    return module.main()


def feedforward():
    """Run the feedforward node."""
    return _start('feedforward')


def simulator():
    """Run the simulator node."""
    return _start('simulator')


def monitor():
    """Run the monitor node."""
    return _start('monitor')


def demo():
    """Run the demo of the nodes."""
    return _start('demo')
