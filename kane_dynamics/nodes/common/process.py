# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Process of a node: --help, an executor in a thread, orderly shutdown on SIGINT and SIGTERM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import gc
from importlib import import_module
import signal
import sys
import threading
import traceback
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.broken_pipe import quiet_pipe
from kane_dynamics.io.text import clean, TRACE
from kane_dynamics.nodes.common.delivery import wait_for_delivery
from kane_dynamics.nodes.common.managed_node import ManagedNode
from kane_dynamics.nodes.common.parameter_files import unmatched_files
from kane_dynamics.nodes.common.polled_subscription import not_taken

SWITCH_INTERVAL = 2e-4  # [s]: Python's 5 ms would let the executor delay a 1 kHz loop

USAGE = """usage: {name} [--help] [--ros-args ...]

{what}

for example:
  ros2 run kane_dynamics {name} --ros-args -p robot_description_file:=arm.urdf
  ros2 run kane_dynamics {name} --ros-args --params-file config/{name}.yaml

parameters and their defaults (doc/{name}.md also describes topics and services):
{parameters}"""


class SteadyExecutor(SingleThreadedExecutor):
    """An executor that goes on after a message that could not be taken.

    If the middleware fails to hand a message over, for lack of memory or because its bytes are
    damaged, rclpy leaves the callback group of the subscription occupied: neither services nor
    messages of the node would be served again. Here the failure is raised as that of the callback.
    A time on /clock that rclpy does not accept is refused.
    """

    def _make_handler(self, entity: Any, node: Any, take_from_wait_list: Any) -> Any:
        def take(entity: Any) -> Any:
            async def serve() -> None:
                if failure is not None:
                    raise failure
                try:
                    await callback()
                except ValueError as error:
                    if getattr(entity, 'msg_type', None) is not Clock:
                        raise
                    raise InputError(f'{entity.topic_name}: time refused: {error}') from None
            callback: Any = None
            failure: InputError | None = None
            try:
                callback = take_from_wait_list(entity)
            except Exception as error:
                failure = not_taken(entity, error)
            return None if callback is None and failure is None else serve
        return super()._make_handler(entity, node, take)


@quiet_pipe()
def run(node_class: Callable[[], ManagedNode[Any]], arguments: Sequence[str] | None = None) -> int:
    """Create a node and spin it until a signal or a shutdown of ROS; return the exit code."""
    name = node_class.__name__.lower()
    if arguments is None:
        words = sys.argv[1:sys.argv.index('--ros-args') if '--ros-args' in sys.argv else None]
        if '-h' in words or '--help' in words:
            print(node_help(node_class))
            return 0
        if words:
            print(f'{name}: {words[0]!r} is not understood; set parameters with '
                  '--ros-args -p NAME:=VALUE; --help lists them', file=sys.stderr)
            return 2
    # Signals are handled here and not by rclpy, which would shut the context down before the node
    # has published the torques that bring the arm to rest.
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:       # of rcl: an invalid file or argument
        print(f'{name}: ROS rejects these arguments: {str(error).partition(", at /")[0]}',
              file=sys.stderr)
        return 2
    try:
        node = node_class()
    except KaneDynamicsError as error:
        # the node does not exist: log through another one with its name and remappings
        rclpy.create_node(name, enable_rosout=False,
                          start_parameter_services=False).get_logger().fatal(clean(error))
        rclpy.try_shutdown()
        return 1
    for warning in unmatched_files(sys.argv if arguments is None else arguments,
                                   node.get_fully_qualified_name()):
        node.get_logger().warning(warning)
    sys.setswitchinterval(SWITCH_INTERVAL)
    executor = SteadyExecutor()
    executor.add_node(node)

    def spin() -> None:
        while not ended.is_set():
            try:
                executor.spin()
                break  # it was shut down
            except ExternalShutdownException:
                break
            except KaneDynamicsError as error:
                node.get_logger().error(clean(error), throttle_duration_sec=1.0)
            except Exception:  # of a callback: rclpy would end the node, and the arm would fall
                if ended.is_set():  # or of the executor while it shuts down
                    break
                trace = clean(traceback.format_exc(), TRACE, lines=True)
                node.get_logger().error(f'a callback failed: {trace}', throttle_duration_sec=1.0)
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
    if rclpy.ok():
        for topic in wait_for_delivery(node):
            node.get_logger().warning(
                f'{topic}: a subscriber has not acknowledged the last messages; the process ends')
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


def freeze_garbage() -> None:
    """Exclude all live objects from later garbage collections, to keep these short."""
    gc.collect()
    gc.freeze()


def node_help(node_class: Callable[[], ManagedNode[Any]]) -> str:
    """Return the --help text of a node class, whose module holds the SCHEMA of its parameters."""
    module = import_module(node_class.__module__)
    what, *_ = (module.__doc__ or '').splitlines()
    return USAGE.format(name=node_class.__name__.lower(), what=what,
                        parameters=module.SCHEMA.text())
