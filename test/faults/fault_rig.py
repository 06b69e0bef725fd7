# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A feedforward node on wall time, the robot that it drives, and the tools to disturb both."""

import contextlib
import itertools
import math
import mmap
import os
from pathlib import Path
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

from command_watch import CommandWatch
from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
from rcl_interfaces.srv import SetParameters
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from ros_graph import NodeRig, Peer, Process, ROOT, wait
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool

from kane_dynamics.nodes.common.qos import LATCHED
from kane_dynamics.nodes.messages.conversions import set_stamp, trajectory_message

JOINTS = ['shoulder', 'elbow']
HOME = np.array([0.3, 0.4])
LIMIT, RATE = [40.0, 20.0], [200.0, 100.0]      # [N m], [N m/s]
TWO_LINK = ROOT / 'urdf' / 'two_link.urdf'
STATE_TIMEOUT = 0.5     # [s]
PARAMETERS = {
    'update_rate': 200.0, 'mode': 'computed_torque', 'gains.p': [50.0], 'gains.d': [5.0],
    'armature': [1.0],      # rotors with which these gains are stable
    'limits.effort': LIMIT, 'limits.effort_rate': RATE, 'state_timeout': STATE_TIMEOUT,
    'ramp_time': 0.1, 'fault_hold_time': 0.4, 'zero_ramp_time': 0.2, 'model_check.samples': 0,
    'diagnostic_updater.period': 0.05}
# for the simulated arm, which has no rotors: stable with the delays of a busy machine, too
SIMULATED = {'gains.p': [20.0, 4.0], 'gains.d': [6.0, 0.5], 'armature': [0.0]}
LONG = 120.0    # [s] to wait: a busy machine makes the suite slower, not wrong
DEEP = 5000     # torques that may wait: the watch must not miss one where the machine stalls
_NUMBERS = itertools.count(1)


class CannotRunError(Exception):
    """A row that this machine cannot run, with the reason."""


class DisturbedError(Exception):
    """A run in which the machine itself held up the states: it says nothing about the row."""


def gravity(q):
    """Return the closed form for two rods of 2 kg, 0.5 m and 1.2 kg, 0.4 m in a vertical plane."""
    g, first, second = 9.81, math.cos(q[0]), math.cos(q[0] + q[1])
    elbow = 1.2 * 0.2 * g * second
    return np.array([(2.0 * 0.25 + 1.2 * 0.5) * g * first + elbow, elbow])


class PlayedRobot:
    """A thread that publishes an arm at rest at 200 Hz; `offset` [s] is added to its stamps."""

    def __init__(self, peer, topic):
        self.q, self.offset, self.silent, self._running = HOME.copy(), 0.0, False, True
        self._publisher = peer.node.create_publisher(JointState, topic, 10)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while self._running:
            if not self.silent:
                self.publish(self.q, self.offset)
            time.sleep(0.005)

    def publish(self, q, offset=0.0, names=JOINTS):
        """Publish one state at rest."""
        message = JointState(name=list(names), position=[float(x) for x in q],
                             velocity=[0.0] * len(q))
        set_stamp(message.header.stamp, time.time_ns() + round(offset * 1e9))
        self._publisher.publish(message)

    def close(self):
        """End the thread."""
        self._running = False
        self._thread.join()


class SettableClock:
    """The system clock of the processes that are started with its environment."""

    def __init__(self, folder):
        if shutil.which('gcc') is None:
            raise CannotRunError('gcc is not installed: the clock of a process cannot be set')
        library, path = Path(folder, 'set_clock.so'), Path(folder, 'offset')
        subprocess.run(['gcc', '-shared', '-fPIC', '-O1', '-o', str(library),
                        str(Path(__file__).with_name('set_clock.c')), '-ldl'], check=True)
        path.write_bytes(bytes(8))
        with path.open('r+b') as file:
            self._offset = mmap.mmap(file.fileno(), 8)
        self.environment = {'LD_PRELOAD': str(library), 'KANE_CLOCK': str(path)}

    def set(self, seconds):
        """Set the clock to so many seconds from the true time."""
        self._offset[:] = struct.pack('<q', round(seconds * 1e9))


class FaultRig(NodeRig):
    """The node, its robot and the watch on its commands.

    simulated: the robot is a simulator node instead of a PlayedRobot. environment: of the node.
    """

    def __init__(self, simulated=False, environment=None, inside=None):
        space = f'/faults{next(_NUMBERS)}_{os.getpid()}'
        self.space, self.node = space, f'{space}/feedforward'
        self._scratch = tempfile.TemporaryDirectory(prefix='kane_faults_')
        self.clock = None
        if not simulated:
            with contextlib.suppress(CannotRunError):
                self.clock = SettableClock(self._scratch.name)
        self._environment = {**(self.clock.environment if self.clock else {}),
                             **(environment or {})}
        self._inside = inside
        self._parameters = {**PARAMETERS, **(SIMULATED if simulated else {}), **{
            f'qos_overrides.{self.node}/{topic}.publisher.depth': DEEP
            for topic in ('commands', 'effort')}}
        self.peer = Peer(f'peer{space[1:]}')
        self.watch, self.diagnostics, self.states = CommandWatch(LIMIT, RATE), [], []
        self._phases = []       # in their order, since the last that was waited for
        self.largest_gap, self._arrival = 0.0, time.monotonic()     # [s] of joint_states here
        self._subscribe()
        # made once: an executor that spins ends where an entity is destroyed
        self.parameter_clients = [self.peer.node.create_client(
            SetParameters, f'{self.node}/set_parameters', qos_profile=QoSProfile(depth=1000))
            for _ in range(2)]
        self.simulator = self.robot = self.process = None
        try:
            self.start_node()
            if simulated:
                self.start_simulator()
            else:
                self.robot = PlayedRobot(self.peer, f'{space}/joint_states')
            self.until(lambda: self.states, 'joint_states')
        except BaseException:
            self.close()
            raise

    def _subscribe(self):
        node, space = self.peer.node, self.space
        node.create_subscription(Float64MultiArray, f'{self.node}/commands',
                                 self.watch.on_commands, DEEP)
        node.create_subscription(JointState, f'{self.node}/effort', self.watch.on_effort, DEEP)
        node.create_subscription(DiagnosticArray, f'{space}/diagnostics', self._on_diagnostics,
                                 100)
        node.create_subscription(JointState, f'{space}/joint_states', self._on_state,
                                 qos_profile_sensor_data)

    def _on_diagnostics(self, message):
        self.diagnostics.append(message)
        del self.diagnostics[:-200]
        if self.phase and (not self._phases or self._phases[-1] != self.phase):
            self._phases.append(self.phase)

    def _on_state(self, message):
        now = time.monotonic()
        self.largest_gap = max(self.largest_gap, now - self._arrival)
        self.states, self._arrival = [message], now

    # -- processes -------------------------------------------------------------------------------

    def _remaps(self):
        return [f'__ns:={self.space}', f'/diagnostics:={self.space}/diagnostics']

    def start_node(self):
        """Start the feedforward node, with the description on its topic."""
        if self.process is not None:
            self.watch.restart()
        self.process = Process('feedforward', self._parameters, self._remaps(),
                               environment=self._environment, inside=self._inside)
        self.describe(TWO_LINK.read_text())
        self.process.wait_for_log(']: active', LONG)

    def start_simulator(self):
        """Start the simulator node."""
        self.simulator = Process(
            'simulator', {'robot_description_file': str(TWO_LINK), 'update_rate': 200.0,
                          'initial_positions': HOME.tolist(), 'model_check.samples': 0,
                          'command_timeout': STATE_TIMEOUT, 'diagnostic_updater.period': 0.05},
            [*self._remaps(), f'{self.space}/simulator/commands:={self.node}/commands'])
        self.simulator.wait_for_log(']: active', LONG)

    def describe(self, text):
        """Publish a robot_description."""
        self.peer.publish(String(data=text), f'{self.space}/robot_description', LATCHED)

    def close(self):
        """End all; return the exit code of the node."""
        if self.robot is not None:
            self.robot.close()
        code = None
        for process in filter(None, (self.process, self.simulator)):
            if process.process.poll() is None:
                process.process.send_signal(signal.SIGCONT)
            code = process.end() if code is None else code or process.end()
        self.peer.close()
        self._scratch.cleanup()
        return code

    # -- orders and states -----------------------------------------------------------------------

    def go(self):
        """Send a slow goal and wait until its torque differs from that of the rest."""
        self.largest_gap, rest = 0.0, self.watch.tau.copy()
        self.peer.publish(trajectory_message(JOINTS, [20.0], [HOME + 1.5]),
                          f'{self.node}/joint_trajectory')

        def moved():
            if self.phase in ('FAULT', 'ZERO'):
                self.disturbed()
            return np.abs(self.watch.tau - rest).max() > 0.5
        self.until(moved, 'the motion')
        self._phases.clear()
        self.watch.recent.clear()

    def disturbed(self):
        """Raise where the states came late here, too."""
        if self.largest_gap > 0.3 * STATE_TIMEOUT:
            raise DisturbedError(f'no joint_states for {self.largest_gap:.2f} s')

    def enable(self, on=True):
        """Call ~/enable; return the response."""
        return self.peer.call(SetBool, f'{self.node}/enable', again=True, data=on)

    def until(self, condition, what):
        """Wait for a condition while the node lives."""
        def held():
            assert self.process.process.poll() is None, f'the node ended: {self.process.log}'
            return condition()
        wait(held, what, lambda: f'phase {self.phase}, torque {self.watch.tau}\n'
                                 f'{self.process.log[-3000:]}', LONG)

    @property
    def torque_status(self):
        """Return {key: value} of the newest report on the torque, {} without."""
        for message in reversed(self.diagnostics):
            for status in message.status:
                if status.name.endswith('feedforward: Torque'):
                    return {each.key: each.value for each in status.values}
        return {}

    @property
    def phase(self):
        """Return the phase of the controller by the newest report."""
        return self.torque_status.get('phase', '')

    @property
    def q(self):
        """Return the newest measured positions."""
        return np.array(self.states[-1].position)

    def until_phase(self, *phases):
        """Wait for a phase that is reported from now on."""
        self.diagnostics.clear()
        self.until(lambda: self.phase in phases, f'phase {" or ".join(phases)}')

    def _until_passed(self, phase, torque, what):
        """Wait for a phase and a torque, which may be over when the reports of them arrive."""
        self.until(lambda: phase in self._phases, f'phase {phase}')
        del self._phases[:self._phases.index(phase) + 1]
        self.until(lambda: any(np.allclose(tau, torque(), atol=1e-3)
                               for tau in list(self.watch.recent)), what)

    def until_held(self):
        """Wait for the gravity hold of a fault."""
        self._until_passed('FAULT', lambda: gravity(self.q), 'the gravity hold')

    def until_zero(self):
        """Wait for the end of the torque."""
        self._until_passed('ZERO', lambda: [0.0, 0.0], 'no torque')
        self.watch.recent.clear()

    def until_running(self):
        """Drop a trajectory, enable the node and wait for the hold of its mode."""
        self.enable(False)
        self.diagnostics.clear()

        def running():
            if self.phase and self.phase != 'RUNNING':      # also where states came late again
                self.enable()
                self.diagnostics.clear()
                return False
            return self.phase and np.allclose(self.watch.tau, gravity(self.q), atol=0.05)
        self.until(running, 'the torque of the mode')

    def for_a_while(self, seconds):
        """Let time pass; the node must live."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.process.poll() is None, self.process.log
            time.sleep(0.01)

    def until_quiet(self, seconds=0.5):
        """Wait until no torque arrives for a time; those under way may still come."""
        last, since = self.watch.messages, time.monotonic()

        def quiet():
            nonlocal last, since
            if self.watch.messages != last:
                last, since = self.watch.messages, time.monotonic()
            return time.monotonic() - since > seconds
        wait(quiet, 'an end of the torques', lambda: self.process.log)

    def require_going_on(self):
        """Require new torques in the running mode."""
        stamp = self.watch.stamp
        self.until(lambda: self.watch.stamp != stamp, 'new torques')
        self.until_phase('RUNNING', 'FAULT', 'ZERO')
        if self.phase != 'RUNNING':
            self.disturbed()
        assert self.phase == 'RUNNING', f'{self.phase}\n{self.process.log[-2000:]}'

    def signal_node(self, number):
        """Send a signal to the node."""
        self.process.process.send_signal(number)

    def begin(self):
        """Start a repetition: the mode runs at HOME, and the watch is empty."""
        if self.robot is not None:      # as it may have been left by a run that was disturbed
            self.robot.offset, self.robot.silent = 0.0, False
            if self.clock is not None:
                self.clock.set(0.0)
        self.until_running()
        self._phases.clear()
        self.watch.recent.clear()
        self.watch.problems.clear()

    def judge(self):
        """Raise where a torque broke an invariant, or the node failed."""
        assert not self.watch.problems, self.watch.problems[:3]
        assert 'Traceback' not in self.process.log, self.process.log[-4000:]
