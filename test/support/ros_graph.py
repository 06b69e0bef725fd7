# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of this package as processes, and a test that talks to them over a real middleware.

Most tests hold the time: the node runs under use_sim_time, and a test publishes /clock and
joint_states step by step and waits for each answer. A slow machine makes them slower, not wrong.
"""

import itertools
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import ChangeState, GetState
import numpy as np
from rcl_interfaces.srv import GetParameters, SetParameters
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory
import yaml

from kane_dynamics.nodes.messages.conversions import nanoseconds, set_stamp

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0    # [s] to wait for what must come; far more than it takes on a busy machine


class Process:
    """A node in a process of its own, started as `python -m kane_dynamics.nodes.<module>`.

    environment: variables to add; inside: the folder of its log, default: that for such files.
    """

    def __init__(self, module, parameters=None, remaps=(), name=None, arguments=(),
                 environment=None, inside=None):
        self.folder = tempfile.TemporaryDirectory(prefix='kane_node_', dir=inside)
        self.log_path = Path(self.folder.name, 'log.txt')
        command = [sys.executable, '-m', f'kane_dynamics.nodes.{module}', '--ros-args']
        if parameters:
            path = Path(self.folder.name, 'parameters.yaml')
            path.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
            command += ['--params-file', str(path)]
        if name:
            command += ['-r', f'__node:={name}']
        for remap in remaps:
            command += ['-r', remap]
        command += list(arguments)
        environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(
            [str(ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]), **(environment or {})}
        self._log = self.log_path.open('w')
        self.process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT,
                                        env=environment, cwd=self.folder.name)

    @property
    def log(self):
        """Return what the process wrote so far."""
        return self.log_path.read_text(errors='replace')

    def wait_for_log(self, text, patience=PATIENCE):
        """Wait until the process wrote a text."""
        wait(lambda: text in self.log or self.process.poll() is not None, f'log {text!r}',
             lambda: self.log, patience)
        assert text in self.log, self.log

    def end(self, number=signal.SIGINT, timeout=PATIENCE):
        """Send a signal and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f'the process did not end on signal {number}:\n{self.log}')
        finally:
            self._log.close()


def wait(condition, what, details=lambda: '', patience=PATIENCE):
    """Wait for a condition, or fail with the name of what did not come, and details."""
    until = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < until, f'{what} did not come within {patience} s\n{details()}'
        time.sleep(0.002)


class Peer:
    """The test's own node, spun in a thread; keeps every message of the topics it listens to."""

    def __init__(self, name='test_peer'):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node(name, context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()
        self._publishers, self._clients, self._subscriptions = {}, {}, []

    def close(self):
        """End the node and its thread."""
        self._executor.shutdown()
        self._thread.join(5.0)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def listen(self, kind, topic, qos=10):
        """Return the list that messages of a topic are added to."""
        messages = []
        self._subscriptions.append(
            self.node.create_subscription(kind, topic, messages.append, qos))
        return messages

    def until_connected(self):
        """Wait until every topic that is listened to has a publisher, and it knows of us."""
        for each in self._subscriptions:
            wait(each.get_publisher_count, f'a publisher of {each.topic_name}')
        time.sleep(0.2)     # the publishers discover us later; nothing reports it

    def publish(self, message, topic, qos=10):
        """Publish, once someone listens."""
        key = (type(message), topic)
        if key not in self._publishers:
            self._publishers[key] = publisher = self.node.create_publisher(*key, qos)
            wait(lambda: publisher.get_subscription_count() > 0, f'a subscriber of {topic}')
        self._publishers[key].publish(message)

    def call(self, kind, service, again=False, **fields):
        """Return the response of a service.

        DDS drops the response to a client that the server has not discovered yet, as on a busy
        machine just after the start. again: repeat the request every 2 s, where that does no harm.
        """
        client = self._client(kind, service)
        futures, asked = [], -np.inf

        def answered():
            nonlocal asked
            if not futures or again and time.monotonic() - asked > 2.0:
                futures.append(client.call_async(kind.Request(**fields)))
                asked = time.monotonic()
            return any(future.done() for future in futures)
        wait(answered, f'the answer of {service}')
        return next(future for future in futures if future.done()).result()

    def _client(self, kind, service):
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
        assert self._clients[service].wait_for_service(PATIENCE), f'no service {service}'
        return self._clients[service]

    def set_parameters(self, node, **values):
        """Set parameters of a node one by one; return the results in order.

        Double underscores in the keywords stand for dots.
        """
        parameters = [Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
                      for name, value in values.items()]
        return self.call(SetParameters, f'{node}/set_parameters', again=True,
                         parameters=parameters).results

    def get_parameter(self, node, name):
        """Return a parameter's value message."""
        return self.call(GetParameters, f'{node}/get_parameters', again=True,
                         names=[name]).values[0]

    def state(self, node):
        """Return the lifecycle state of a node."""
        return self.call(GetState, f'{node}/get_state', again=True).current_state.label

    def change_state(self, node, transition):
        """Ask for a lifecycle transition by name; return whether it succeeded."""
        request, before = ChangeState.Request(), self.state(node)
        request.transition.label = transition
        client = self._client(ChangeState, f'{node}/change_state')
        while True:
            future = client.call_async(request)
            try:
                wait(future.done, f'the answer to {transition}', patience=10.0)
                return future.result().success
            except AssertionError:
                if self.state(node) != before:
                    return True     # only the response was lost, see `call`

    def until_active(self, node, process):
        """Wait until a node is active."""
        def active():
            assert process.process.poll() is None, process.log
            return self.state(node) == 'active'
        wait(active, f'{node} active', lambda: process.log)


class NodeRig:
    """A node in a process and the peer that talks to it; its log is printed where a test fails.

    Children set node (its full name), process, peer and diagnostics (a list of messages).
    """

    def close(self):
        """End the process and the peer; return the exit code."""
        code = self.process.end()
        self.peer.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print(self.process.log)
        self.close()

    def topics(self):
        """Return the names of the topics that the node publishes below its own name."""
        space, _, name = self.node.rpartition('/')
        return {topic.removeprefix(self.node + '/') for topic, _ in
                self.peer.node.get_publisher_names_and_types_by_node(name, space)}

    def status(self, part, after=True):
        """Return (level, message, values) of a diagnostic status that was made from now on."""
        begin = len(self.diagnostics) if after else 0
        name = f'{self.node.lstrip("/")}: {part}'

        def found():
            return [status for array in self.diagnostics[begin:] for status in array.status
                    if status.name == name]
        wait(found, f'diagnostics {name!r}', lambda: self.process.log)
        status = found()[-1]
        return status.level[0], status.message, {each.key: each.value for each in status.values}


class FeedforwardRig(NodeRig):
    """A feedforward node in a process, and the peer that plays its robot and its user.

    Each has a namespace of its own, /clock and /diagnostics included, so that several may live at
    the same time.
    """

    _numbers = itertools.count(1)

    def __init__(self, joint_names, parameters, simulated=True, active=True, namespace=None):
        self.namespace = namespace or f'/rig{next(self._numbers)}'
        self.node, self.joint_names = f'{self.namespace}/feedforward', list(joint_names)
        node = self.node
        if simulated:
            parameters = {'use_sim_time': True, **parameters}
        self.process = Process('feedforward', parameters, [
            f'__ns:={self.namespace}', f'/clock:={self.namespace}/clock',
            f'/diagnostics:={self.namespace}/diagnostics'])
        self.peer = Peer(f'peer_{self.namespace[1:]}')
        self.commands = self.peer.listen(Float64MultiArray, f'{node}/commands', 100)
        self.efforts = self.peer.listen(JointState, f'{node}/effort', 100)
        self.filled = self.peer.listen(JointTrajectory, f'{node}/joint_trajectory_with_effort')
        self.diagnostics = self.peer.listen(DiagnosticArray, f'{self.namespace}/diagnostics')
        self.t = 0
        try:
            if active:
                self.peer.until_active(node, self.process)
                self.peer.until_connected()
            if active and simulated:
                self.until_clocked()
        except BaseException:
            self.close()
            raise

    # -- time and states -----------------------------------------------------------------------

    def clock(self, ns):
        """Set the simulated time."""
        self.t = ns
        message = Clock()
        set_stamp(message.clock, ns)
        self.peer.publish(message, f'{self.namespace}/clock')

    def until_clocked(self, ns=1_000_000_000):
        """Set the time until the node has it: its first messages may be lost to discovery."""
        def reported():
            self.clock(ns)
            time.sleep(0.05)
            return any(nanoseconds(array.header.stamp) == ns for array in self.diagnostics)
        wait(reported, '/clock at the node', lambda: self.process.log)

    def send_state(self, q, qd=None, stamp=None, names=None):
        """Publish a JointState."""
        message = JointState(name=names or self.joint_names, position=[float(x) for x in q])
        if qd is not None:
            message.velocity = [float(x) for x in qd]
        set_stamp(message.header.stamp, self.t if stamp is None else stamp)
        self.peer.publish(message, f'{self.namespace}/joint_states')

    def step(self, q, qd=None, dt=0.01, again=1.0):
        """Go dt [s] on with a state (`trigger: joint_states`); return the torques, joint by joint.

        Time and states go best effort: what is lost is sent again. Only what comes from now on is
        an answer: after a jump back in time the same moment was answered before.
        """
        t, begin = self.t + round(dt * 1e9), len(self.efforts)
        qd = np.zeros(len(self.joint_names)) if qd is None else qd
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.clock(t)
            self.send_state(q, qd)
            try:
                return self.effort_at(self.t, patience=again, begin=begin)
            except AssertionError:
                continue
        raise AssertionError(f'no torque for {self.t} ns\n{self.process.log}')

    def effort_at(self, ns, patience=PATIENCE, begin=0):
        """Return the effort (n,) that was published for a moment, among those from `begin` on."""
        def found():
            return [each for each in reversed(self.efforts[begin:])
                    if nanoseconds(each.header.stamp) == ns]
        wait(found, f'effort at {ns} ns', lambda: self.process.log, patience)
        return np.array(found()[0].effort)

    def run(self, seconds, q, qd=None, dt=0.01):
        """Step for a time at a constant state; return the torques of the last step."""
        for _ in range(round(seconds / dt)):
            tau = self.step(q, qd, dt)
        return tau

    def idle(self, seconds, dt=0.01, pace=0.01):
        """Let time pass without states; the node's watchdog cycles by its timer."""
        for _ in range(round(seconds / dt)):
            self.clock(self.t + round(dt * 1e9))
            time.sleep(pace)

    # -- orders --------------------------------------------------------------------------------

    def send(self, message):
        """Publish a JointTrajectory goal."""
        self.peer.publish(message, f'{self.node}/joint_trajectory')

    def enable(self, on):
        """Call ~/enable; return the response."""
        return self.peer.call(SetBool, f'{self.node}/enable', again=True, data=on)
