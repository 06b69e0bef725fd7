# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS graph of simulator and feedforward for the demo: processes, and a node that watches."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory
import yaml

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.nodes.conversions import joint_order, nanoseconds, trajectory_message
from kane_dynamics.nodes.phases import Fault

PATIENCE = 60.0     # [s] of wall time for what takes a few
NODES = ('simulator', 'feedforward')
# what the nodes count on /diagnostics when the machine keeps them from their work
FAULTS = 'faults: '     # how the feedforward node's counts of faults begin
INCIDENTS = {'periods given up': 'periods of the simulator were given up',
             'timeouts': 'commands stayed away and the arm was braked',
             FAULTS + Fault.STATE_LOST.value: 'joint_states stayed away and feedforward gave up'}


class DemoGraph:
    """Start nodes, send them a trajectory, and keep what joint_states tell.

    domain: ROS domain of the graph, on this machine only; None: the graph that is there.
    """

    def __init__(self, domain, joint_names, verbose=False):
        self._joint_names, self._verbose = joint_names, verbose
        self._processes, self._folder = [], tempfile.TemporaryDirectory(prefix='kane_demo_')
        self._environment = dict(os.environ)
        if domain is not None:
            self._environment.update(ROS_DOMAIN_ID=str(domain),
                                     ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
            os.environ.update(self._environment)           # for this process's own context
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node('kane_demo', context=self._context)
        self._states = []
        self._node.create_subscription(JointState, 'joint_states', self._states.append,
                                       QoSProfile(depth=1000))
        self._before = {}           # what was counted when a trajectory was sent
        self._diagnostics = {}      # name of a status -> (when it came, {key: value})
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._sender = self._node.create_publisher(JointTrajectory,
                                                   'feedforward/joint_trajectory', 10)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
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

    def start(self, simulator, feedforward):
        """Start both nodes with their parameters {name: value}."""
        for name, parameters in zip(NODES, (simulator, feedforward)):
            path = Path(self._folder.name, f'{name}.yaml')
            path.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
            log = None if self._verbose else Path(self._folder.name, f'{name}.log').open('w')
            self._processes.append(subprocess.Popen(
                [sys.executable, '-m', f'kane_dynamics.nodes.{name}', '--ros-args',
                 '--params-file', str(path), '-r', '/simulator/effort:=/feedforward/effort'],
                stdout=log, stderr=subprocess.STDOUT if log else None, env=self._environment))

    def _wait(self, condition, what):
        until = time.monotonic() + PATIENCE
        while not condition():
            for name, process in zip(NODES, self._processes):
                if process.poll() is not None:
                    raise KaneDynamicsError(f'the {name} node ended: {self._log(name)}')
            if time.monotonic() > until:
                raise KaneDynamicsError(f'{what} did not come within {PATIENCE:g} s; '
                                        + ' '.join(map(self._log, NODES)))
            time.sleep(0.005)

    def _log(self, name):
        path = Path(self._folder.name, f'{name}.log')
        return path.read_text(errors='replace')[-2000:] if path.exists() else ''

    def _on_diagnostics(self, message):
        for status in message.status:
            self._diagnostics[status.name] = (
                time.monotonic(), {each.key: each.value for each in status.values})

    def incidents(self):
        """Return what kept the nodes from their work since `send`, as texts.

        Waits for their next reports. Raises for a fault that no machine explains.
        """
        asked = time.monotonic()
        self._wait(lambda: all(self._diagnostics.get(f'{name}: Loop', (0.0,))[0] > asked
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

    def _counts(self):
        """Return {key: number} of what the nodes count, as they told last."""
        return {key: int(value) for _, values in self._diagnostics.values()
                for key, value in values.items() if key in INCIDENTS or key.startswith(FAULTS)}

    def _last_stamp(self):
        return nanoseconds(self._states[-1].header.stamp)

    def send(self, trajectory, lead):
        """Send a Trajectory to begin `lead` seconds after the newest state; return when [ns].

        Waits until the arm is driven: until the states move on and carry torque.
        """
        self._wait(self._sender.get_subscription_count, 'the feedforward node')
        self._wait(lambda: self._states and np.any(self._states[-1].effort), 'torque')
        start, self._before = self._last_stamp() + round(lead * 1e9), self._counts()
        self._sender.publish(trajectory_message(
            trajectory.joint_names, trajectory.times + 1e-3, trajectory.positions,
            trajectory.velocities, trajectory.accelerations, stamp=start - 1_000_000))
        return start

    def follow(self, start, end):
        """Return stamps (N,) [ns] and positions (N, n) of the states from start to end [ns]."""
        self._wait(lambda: self._last_stamp() >= end, 'the end of the trajectory')
        states = [each for each in list(self._states)
                  if start <= nanoseconds(each.header.stamp) <= end]
        order = joint_order(self._joint_names, states[0].name, 'joint_states')
        return (np.array([nanoseconds(each.header.stamp) for each in states]),
                np.array([each.position for each in states])[:, order])
