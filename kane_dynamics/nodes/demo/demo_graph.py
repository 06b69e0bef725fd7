# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""ROS graph of the demo: the processes of both nodes, and a node that records their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory
import yaml

from kane_dynamics.control.phase import Fault
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.nodes.messages.conversions import joint_order, nanoseconds, trajectory_message
from kane_dynamics.numerics.array_types import FloatArray, IntArray

if TYPE_CHECKING:
    from typing_extensions import Self

    from kane_dynamics.trajectory.trajectory import Trajectory

PATIENCE = 60.0     # [s] of wall time without progress of the nodes
WORK = 2.0          # [s] of CPU time that count as progress of a node that is not active yet
NODES = ('simulator', 'feedforward')
# keys of the nodes' diagnostics that count stalls of the machine
FAULTS = 'faults: '     # prefix of the fault counts of the feedforward node
INCIDENTS = {'periods given up': 'periods of the simulator were given up',
             'timeouts': 'commands timed out and the arm was braked',
             FAULTS + Fault.STATE_LOST.value: 'joint_states timed out and feedforward gave up'}


class DemoGraph:
    """A graph of nodes that follow a trajectory, with the joint states that were received.

    domain: ROS domain of the graph, on this machine only; None: the existing graph.
    """

    def __init__(self, domain: int | None, joint_names: Sequence[str],
                 verbose: bool = False) -> None:
        self._joint_names, self._verbose = joint_names, verbose
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = tempfile.TemporaryDirectory(prefix='kane_demo_')
        self._environment = dict(os.environ)
        if domain is not None:
            self._environment.update(ROS_DOMAIN_ID=str(domain),
                                     ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
            os.environ.update(self._environment)           # for this process's own context
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node('kane_demo', context=self._context)
        self._states: list[JointState] = []
        self._node.create_subscription(JointState, 'joint_states', self._states.append,
                                       QoSProfile(depth=1000))
        self._seconds = 0                       # of the trajectory, that were reported
        self._before: dict[str, int] = {}       # counts when a trajectory was sent
        # name of a status -> (time of arrival [s], {key: value})
        self._diagnostics: dict[str, tuple[float, dict[str, str]]] = {}
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._sender = self._node.create_publisher(JointTrajectory,
                                                   'feedforward/joint_trajectory', 10)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGINT)
        for process in self._processes:
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
        self._executor.shutdown()
        self._thread.join(5.0)
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)
        self._folder.cleanup()

    def start(self, simulator: Mapping[str, Any], feedforward: Mapping[str, Any]) -> None:
        """Start both nodes with their parameters {name: value}."""
        for name, parameters in zip(NODES, (simulator, feedforward)):
            path = Path(self._folder.name, f'{name}.yaml')
            path.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
            log = None if self._verbose else Path(self._folder.name, f'{name}.log').open('w')
            self._processes.append(subprocess.Popen(
                [sys.executable, '-m', f'kane_dynamics.nodes.{name}', '--ros-args',
                 '--params-file', str(path), '-r', '/simulator/effort:=/feedforward/effort'],
                stdout=log, stderr=subprocess.STDOUT if log else None, env=self._environment))

    def _wait(self, condition: Callable[[], object], what: str,
              progress: Callable[[], int] | None = None) -> None:
        """Wait for a condition; raise after PATIENCE without progress, however slow it is.

        progress: returns a number that changes while the nodes work; default: their start-up.
        """
        progress = progress or self._start_up
        last, until = progress(), time.monotonic() + PATIENCE
        while not condition():
            for name, process in zip(NODES, self._processes):
                if process.poll() is not None:
                    raise KaneDynamicsError(f'the {name} node ended: {self._log(name)}')
            now = progress()
            if now != last:
                last, until = now, time.monotonic() + PATIENCE
            elif time.monotonic() > until:
                raise KaneDynamicsError(' '.join([
                    f'waiting for {what}: no progress within {PATIENCE:g} s;',
                    ', '.join(f'{name} is {self._lifecycle_state(name)}' for name in NODES) + '.',
                    *filter(None, map(self._log, NODES))]))
            time.sleep(0.005)

    def _start_up(self) -> int:
        """Return a number that grows while the nodes compile: CPU time, in steps of WORK."""
        return sum(int(cpu_time(process.pid) / WORK) for name, process in zip(
            NODES, self._processes) if self._lifecycle_state(name) != 'active')

    def _lifecycle_state(self, name: str) -> str:
        """Return the lifecycle state of a node by its diagnostics."""
        full_name = f'{self._node.get_namespace()}/{name}'.lstrip('/')
        _, values = self._diagnostics.get(f'{full_name}: Loop', (0.0, {}))
        return values.get('lifecycle state', 'not on /diagnostics')

    def _log(self, name: str) -> str:
        path = Path(self._folder.name, f'{name}.log')
        return path.read_text(errors='replace')[-2000:] if path.exists() else ''

    def _on_diagnostics(self, message: Any) -> None:
        for status in message.status:
            self._diagnostics[status.name] = (
                time.monotonic(), {each.key: each.value for each in status.values})

    def incidents(self) -> tuple[str, ...]:
        """Return the stalls of the machine since `send`, as texts.

        Waits for the next diagnostics. Raises for a fault that a stall does not explain.
        """
        asked = time.monotonic()
        self._wait(lambda: all(self._diagnostics.get(f'{name}: Loop', (0.0, {}))[0] > asked
                               for name in NODES), 'the diagnostics')
        found = []
        for key, count in self._counts().items():
            count -= self._before.get(key, 0)
            if count and key in INCIDENTS:
                found.append(f'{INCIDENTS[key]} ({count})')
            elif count:
                raise KaneDynamicsError(f'feedforward gave up: {key[len(FAULTS):]} '
                                        + self._log('feedforward'))
        return tuple(found)

    def _counts(self) -> dict[str, int]:
        """Return {key: count} of the last diagnostics of the nodes."""
        return {key: int(value) for _, values in self._diagnostics.values()
                for key, value in values.items() if key in INCIDENTS or key.startswith(FAULTS)}

    def _last_stamp(self) -> int:
        return nanoseconds(self._states[-1].header.stamp)

    def send(self, trajectory: Trajectory, lead: float) -> int:
        """Send a Trajectory that starts `lead` [s] after the newest state; return its start [ns].

        Waits until the nodes drive the arm: until the states carry torque.
        """
        self._wait(self._sender.get_subscription_count, 'the feedforward node')
        self._wait(lambda: self._states and np.any(self._states[-1].effort), 'torque')
        start, self._before = self._last_stamp() + round(lead * 1e9), self._counts()
        self._sender.publish(trajectory_message(
            trajectory.joint_names, trajectory.times + 1e-3, trajectory.positions,
            trajectory.velocities, trajectory.accelerations, stamp=start - 1_000_000))
        return start

    def _reported(self, start: int, end: int) -> int:
        """Return the last stamp [ns]; print each simulated second from start to end."""
        now = self._last_stamp()
        seconds, duration = (now - start) // 1_000_000_000, (end - start) * 1e-9
        if self._seconds < seconds <= duration:
            self._seconds = seconds
            print(f'  simulated {seconds} of {duration:g} s', flush=True)
        return now

    def follow(self, start: int, end: int) -> tuple[IntArray, FloatArray]:
        """Return stamps (N,) [ns] and positions (N, n) of the states from start to end [ns]."""
        self._seconds = 0
        self._wait(lambda: self._reported(start, end) >= end, 'the end of the trajectory',
                   progress=self._last_stamp)
        states = [each for each in list(self._states)
                  if start <= nanoseconds(each.header.stamp) <= end]
        order = joint_order(self._joint_names, states[0].name, 'joint_states')
        return (np.array([nanoseconds(each.header.stamp) for each in states]),
                np.array([each.position for each in states])[:, order])


def cpu_time(pid: int) -> float:
    """Return the CPU time [s] of a process by /proc; 0 on systems without it."""
    try:
        *_, fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')
    except OSError:
        return 0.0
    user, system = fields.split()[11:13]        # fields 14 and 15 of proc(5)
    return (int(user) + int(system)) / os.sysconf('SC_CLK_TCK')
