# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A node as a process: an executor in a thread, an orderly end on SIGINT and SIGTERM."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import traceback

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.nodes.node_help import node_help
from kane_dynamics.pipe import quiet_pipe

SWITCH_INTERVAL = 2e-4  # [s]: Python's 5 ms would let the executor hold up a 1 kHz loop


@quiet_pipe()
def run(make_node, arguments=None):
    """Spin make_node() until a signal or a shutdown of ROS; return the exit code."""
    name = make_node.__name__.lower()
    if arguments is None:
        words = sys.argv[1:sys.argv.index('--ros-args') if '--ros-args' in sys.argv else None]
        if '-h' in words or '--help' in words:
            print(node_help(make_node))
            return 0
        if words:
            print(f'{name}: {words[0]!r} is not understood; parameters are '
                  'given as --ros-args -p NAME:=VALUE, and --help lists them', file=sys.stderr)
            return 2
    # Signals are taken here and not by rclpy: the node must still publish to bring the arm to
    # rest, which it could not do once the context is shut down.
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:       # of rcl: a file or an argument that it does not understand
        print(f'{name}: ROS does not take these arguments: {str(error).partition(", at /")[0]}',
              file=sys.stderr)
        return 2
    try:
        node = make_node()
    except KaneDynamicsError as error:
        rclpy.logging.get_logger('kane_dynamics').fatal(str(error))
        rclpy.try_shutdown()
        return 1
    sys.setswitchinterval(SWITCH_INTERVAL)
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def spin():
        while not ended.is_set():
            try:
                executor.spin()
                break  # it was shut down
            except ExternalShutdownException:
                break
            except Exception:  # of a callback: rclpy would end the node, and drop the arm
                if ended.is_set():  # or of the executor, which is being shut down
                    break
                node.get_logger().error(f'a callback failed: {traceback.format_exc()}')
        ended.set()

    spinner = threading.Thread(target=spin, name='executor', daemon=True)
    spinner.start()
    while not ended.wait(0.2):  # short, because a signal only interrupts between waits
        pass
    node.finish()
    executor.shutdown()
    spinner.join(timeout=2.0)
    if node.state in ('active', 'inactive', 'unconfigured') and rclpy.ok():
        node.trigger_shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


def freeze_garbage():
    """Take all that lives out of later garbage collections, so that they are short."""
    gc.collect()
    gc.freeze()
