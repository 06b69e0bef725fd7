# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Measure how well the nodes keep their time; leave the machine alone meanwhile.

    python3 benchmark/node_rates.py --seconds 60

Two processes: the node, and this one, which plays the robot and listens. Periods come from the
stamps of every message that the node sent, computing times from its diagnostics.

What the machine itself takes away is measured beside it: a bare Python thread with the same
deadlines and no ROS, a bare pipe to another process and back. They take turns with the node every
few seconds, the node being stopped meanwhile, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
PARTS = ('rates', 'latency', 'start', 'goal', 'simulator')
TURN = 5.0      # [s] that node and bare thread run in turn; DDS gives a stopped node up after 20

from bare_machine import bare_latency, bare_turn  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.nodes.common.polled_subscription import Listener, Polled  # noqa: E402
from kane_dynamics.nodes.messages.conversions import JointStateWriter, nanoseconds  # noqa: E402
from kane_dynamics.nodes.messages.trajectory_cdr import encode  # noqa: E402


class NodeProcess:
    """A node of this package in a process of its own."""

    def __init__(self, name, urdf, remaps=(), **parameters):
        self.name = name
        self._log = tempfile.NamedTemporaryFile('w+', suffix='.log')
        command = [sys.executable, '-m', f'kane_dynamics.nodes.{name}', '--ros-args',
                   '-p', f'robot_description_file:={urdf}']
        for key, value in parameters.items():
            command += ['-p', f'{key.replace("__", ".")}:={value}']
        for remap in remaps:
            command += ['-r', remap]
        self.started = time.time()
        self.process = subprocess.Popen(
            command, stdout=self._log, stderr=subprocess.STDOUT,
            env={**os.environ, 'PYTHONPATH': str(ROOT)})

    def log(self):
        """Return what the node has said."""
        return Path(self._log.name).read_text()

    def start_time(self):
        """Return the seconds from the start of the process to its activation."""
        until = time.monotonic() + 60.0
        while time.monotonic() < until:
            found = re.search(rf'\[INFO\] \[([0-9.]+)\] \[{self.name}\]: active', self.log())
            if found:
                return float(found.group(1)) - self.started
            time.sleep(0.02)
        raise RuntimeError(self.log())

    def cpu(self):
        """Return the processor time [s] that the node has used."""
        fields = Path(f'/proc/{self.process.pid}/stat').read_text().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def pause(self, paused):
        """Stop the node, or let it go on."""
        self.process.send_signal(signal.SIGSTOP if paused else signal.SIGCONT)

    def close(self):
        """End it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20.0)


class Bench(NodeProcess):
    """The feedforward node in a process, and a node here that plays its robot."""

    def __init__(self, urdf, **parameters):
        self.robot = kd.load_urdf(urdf)
        super().__init__('feedforward', urdf, **parameters)
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('bench', context=self.context)
        self.efforts, self.diagnostics, self.filled = [], [], []
        # an executor would take half a core at 1 kHz, and 0.4 ms of each latency
        self._listener = Listener(self.node, self.node.create_subscription(
            JointState, '/feedforward/effort', self._on_effort, 100, callback_group=Polled()))
        self._listener.start()
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self.diagnostics.append, 10)
        self.node.create_subscription(
            JointTrajectory, '/feedforward/joint_trajectory_with_effort',
            lambda data: self.filled.append((time.time_ns(), len(data))), 10, raw=True)
        self.states = self.node.create_publisher(JointState, '/joint_states', 10)
        self.goals = self.node.create_publisher(JointTrajectory, '/feedforward/joint_trajectory',
                                                10)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._spinner = threading.Thread(target=self._executor.spin, daemon=True)
        self._spinner.start()

    def _on_effort(self, message):
        self.efforts.append((nanoseconds(message.header.stamp), time.time_ns()))

    def publish_states(self, rate, seconds, q):
        """Publish the pose q at a rate [Hz] for a time [s]."""
        writer = JointStateWriter(self.robot.joint_names)
        writer.position[:] = q
        t0 = time.perf_counter()
        for k in range(1, int(rate * seconds)):
            time.sleep(max(t0 + k / rate - time.perf_counter(), 0.0))
            self.states.publish(writer.stamped(time.time_ns()))

    def wait(self, condition, seconds=30.0):
        """Wait for a condition."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise RuntimeError(self.log())
            time.sleep(0.01)

    def send(self, data):
        """Send a serialized goal."""
        self.wait(lambda: self.goals.get_subscription_count() > 0)
        time.sleep(0.5)      # the other side's discovery
        self.goals.publish(data)

    def loop_values(self):
        """Return the figures of the newest report on the loop."""
        for array in reversed(self.diagnostics):
            for status in array.status:
                if status.name == 'feedforward: Loop':
                    return {each.key: each.value for each in status.values}
        return {}

    def close(self):
        """End both."""
        super().close()
        self._listener.stop()
        self._executor.shutdown()
        self._spinner.join(5.0)
        rclpy.shutdown(context=self.context)


def motion(robot, seconds, count):
    """Return the serialized goal of a slow motion of all joints, as long as a run."""
    t = np.linspace(0.0, seconds, count)
    phase = np.outer(t * 1.5, np.ones(robot.n_joints))
    fade = np.minimum(np.minimum(t, seconds - t), 1.0)[:, None] ** 2
    q = 0.2 * np.sin(phase) * fade
    return encode(robot.joint_names, t, [q, None, None, None])


def rates(urdf, rate, seconds):
    """Run at a rate, in turn with a bare thread; return both rows of the table."""
    bench = Bench(urdf, update_rate=float(rate), max_jump=0.0)
    turns = max(round(seconds / TURN), 1)
    turn, passed, cpu = seconds / turns, 0.0, 0.0
    node, bare = [], []         # stamps [ns] of each turn
    try:
        bench.start_time()
        bench.send(motion(bench.robot, 2.0 * seconds + 2.0 * turns + 2.0, 200))
        bench.wait(lambda: bench.efforts)
        time.sleep(1.0)
        for _ in range(turns):
            bench.pause(True)
            bare.append(bare_turn(rate, turn))
            bench.pause(False)
            time.sleep(0.5)     # until it has caught up with what it missed
            bench.efforts.clear()
            begin, used = time.time_ns(), bench.cpu()
            time.sleep(turn)
            end, cpu = time.time_ns(), cpu + bench.cpu() - used
            passed += (end - begin) * 1e-9
            time.sleep(0.2)     # for the last of them to arrive
            stamps = np.array([stamp for stamp, _ in bench.efforts], dtype=np.int64)
            node.append(stamps[(stamps >= begin) & (stamps < end)])
        time.sleep(1.2)
        values = bench.loop_values()
        computed = [f'{1e3 * float(values[f"compute time {name} [ms]"]):.0f}'
                    for name in ('median', 'p99')]
        return ([f'{rate} Hz, timer', *kept(node, rate, passed), *computed,
                 f'{100.0 * cpu / passed:.0f} %'],
                [f'{rate} Hz, bare thread in turn', *kept(bare, rate, seconds), '-', '-', '-'])
    finally:
        bench.pause(False)
        bench.close()


def kept(turns, rate, seconds):
    """Return the cycles kept within so many seconds and the period errors [ms], as cells.

    turns: stamps [ns] of the cycles of each turn.
    """
    count = sum(map(len, turns))
    errors = 1e3 * np.abs(np.concatenate([np.diff(each) for each in turns]) * 1e-9 - 1.0 / rate)
    return [f'{100.0 * count / (seconds * rate):.2f} %', f'{np.median(errors):.3f}',
            f'{np.percentile(errors, 99):.3f}', f'{errors.max():.2f}']


def latency(urdf, rate, seconds):
    """Return median and p99 [ms] from a state's stamp to the receipt of its torque."""
    bench = Bench(urdf, trigger='joint_states', mode='computed_torque', update_rate=rate,
                  gains__p='[20.0]', gains__d='[2.0]')
    try:
        bench.start_time()
        q = np.zeros(bench.robot.n_joints)
        bench.publish_states(rate, 2.0, q)
        bench.efforts.clear()
        bench.publish_states(rate, seconds, q)
        delays = np.array([arrival - stamp for stamp, arrival in bench.efforts]) * 1e-6
        return len(delays) / (rate * seconds), np.median(delays), np.percentile(delays, 99)
    finally:
        bench.close()


def large_goal(urdf, repeats=5):
    """Return the times [ms] from sending 10 000 points to receiving them with effort."""
    bench = Bench(urdf, max_jump=0.0, check_position_limits=False,
                  check_velocity_limits=False)
    try:
        bench.start_time()
        data = motion(bench.robot, 100.0, 10_000)
        times = []
        for _ in range(repeats):
            bench.filled.clear()
            bench.send(data)
            sent = time.time_ns()
            bench.wait(lambda: bench.filled)
            times.append((bench.filled[0][0] - sent) * 1e-6)
        return times
    finally:
        bench.close()


def simulator_load(urdf, rate, seconds, commanded):
    """Return the part of a core that the simulator takes, with or without commands at its rate."""
    node = NodeProcess('simulator', urdf, update_rate=float(rate))
    context = rclpy.Context()
    rclpy.init(context=context)
    sender = rclpy.create_node('bench', context=context)
    publisher = sender.create_publisher(Float64MultiArray, '/simulator/commands', 10)
    message = Float64MultiArray(data=[0.0] * kd.load_urdf(urdf).n_joints)
    try:
        node.start_time()
        time.sleep(1.0)         # for discovery
        used, t0 = node.cpu(), time.perf_counter()
        for k in range(1, int(rate * seconds)):
            time.sleep(max(t0 + k / rate - time.perf_counter(), 0.0))
            if commanded:
                publisher.publish(message)
        return (node.cpu() - used) / (time.perf_counter() - t0)
    finally:
        node.close()
        sender.destroy_node()
        rclpy.shutdown(context=context)


def example(name):
    """Return the path of a robot of the wheel example-robot-data."""
    import importlib.metadata
    files = importlib.metadata.files('example-robot-data') or []
    return next(str(file.locate()) for file in files if file.name == name)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=60.0, help='of each run')
    parser.add_argument('--urdf', default=example('ur5_robot.urdf'), help='six-axis arm')
    parser.add_argument('--seven', default=example('xarm7.urdf'), help='arm of the large goal')
    parser.add_argument('--only', choices=PARTS)
    options = parser.parse_args()
    wanted = [options.only] if options.only else PARTS
    print(f'load average {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, '
          f'{Path(options.urdf).name}')
    if 'rates' in wanted:
        print('\n| loop | cycles kept | period error median [ms] | p99 | max | compute median '
              '[us] | p99 | CPU |\n|---|---|---|---|---|---|---|---|')
        for rate in (500, 1000):
            for row in rates(options.urdf, rate, options.seconds):
                print('| ' + ' | '.join(row) + ' |', flush=True)
    if 'latency' in wanted:
        seconds = min(options.seconds, 20.0)
        before = bare_latency(500, seconds / 2.0)
        answered, median, p99 = latency(options.urdf, 500, seconds)
        after = bare_latency(500, seconds / 2.0)
        print(f'\ntrigger joint_states at 500 Hz, computed torque: state stamp -> torque received '
              f'median {median:.2f} ms, p99 {p99:.2f} ms ({100.0 * answered:.1f} % answered)')
        print('bare pipe there and back at 500 Hz, before and after: median '
              f'{before[0]:.2f}, {after[0]:.2f} ms, p99 {before[1]:.2f}, {after[1]:.2f} ms')
    if 'start' in wanted:
        times = []
        for _ in range(5):
            bench = Bench(options.urdf)
            times.append(bench.start_time())
            bench.close()
        print(f'\nprocess start -> active: median {np.median(times):.2f} s, largest '
              f'{max(times):.2f} s of {len(times)}')
    if 'goal' in wanted:
        times = large_goal(options.seven)
        print(f'\n10 000 points x 7 joints: sent -> received with effort, median '
              f'{np.median(times):.0f} ms, largest {max(times):.0f} ms of {len(times)}')
    if 'simulator' in wanted:
        seconds = min(options.seconds, 20.0)
        with_commands, without = (100.0 * simulator_load(options.urdf, 1000, seconds, commanded)
                                  for commanded in (True, False))
        print(f'\nsimulator at 1 kHz: {with_commands:.0f} % of a core with commands at 1 kHz, '
              f'{without:.0f} % without')


if __name__ == '__main__':
    main()
