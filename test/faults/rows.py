# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The faults, one function each, with the documented reaction; the source of doc/faults.md."""

from collections.abc import Callable
from dataclasses import dataclass
import os
from pathlib import Path
import random
import resource
import signal
import subprocess
import tempfile
import time

from fault_rig import CannotRunError, FaultRig, gravity, HOME, JOINTS, TWO_LINK
import numpy as np
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros_graph import wait
from sensor_msgs.msg import JointState

from kane_dynamics.nodes.messages.conversions import set_stamp, trajectory_message


@dataclass(frozen=True)
class Row:
    """A fault: how it is caused, what the commands do, how operation returns."""

    name: str
    run: Callable[[FaultRig], None]
    fault: str
    commands: str
    afterwards: str
    rig: str            # 'played', 'simulated', or 'own': the function makes it
    slow: bool = False


ROWS: dict[str, Row] = {}


def row(fault, commands, afterwards, rig='played', slow=False):
    """Add a function to ROWS."""
    def add(function):
        ROWS[function.__name__] = Row(function.__name__, function, fault, commands, afterwards,
                                      rig, slow)
        return function
    return add


HOLD_ZERO = ('ramp to a gravity hold after `state_timeout`; ramp to zero after `fault_hold_time`')
ENABLE = 'gravity hold when states return; `~/enable` starts the mode'
GOES_ON = 'the trajectory goes on'

# -- processes -----------------------------------------------------------------------------------


@row('the node is stopped for 0.5 s (SIGSTOP, SIGCONT)',
     'none while it is stopped; then at most `limits.effort_rate` times 0.1 s from the last',
     'the trajectory goes on, at the time that has passed')
def node_stopped(rig):
    rig.go()
    rig.signal_node(signal.SIGSTOP)
    rig.until_quiet()
    rig.signal_node(signal.SIGCONT)
    rig.require_going_on()


@row('the node is killed (SIGKILL) and started again',
     'none; the simulator brakes after `command_timeout`. The new process ramps up from zero',
     'at once, as a hold at the measured position', rig='simulated', slow=True)
def node_killed(rig):
    rig.signal_node(signal.SIGKILL)
    rig.process.process.wait()

    def braked():
        return any(value.value.startswith('no commands: brake') for message in rig.diagnostics
                   for status in message.status if status.name.endswith('simulator: Commands')
                   for value in status.values if value.key == 'driven by')
    rig.diagnostics.clear()
    wait(braked, 'the brake of the simulator')
    rig.until_quiet()
    rig.start_node()
    rig.until(lambda: np.allclose(rig.watch.tau, gravity(rig.q), atol=0.05), 'the hold')


@row('the robot driver is stopped (SIGSTOP, SIGCONT)', HOLD_ZERO, ENABLE, rig='simulated')
def robot_stopped(rig):
    rig.simulator.process.send_signal(signal.SIGSTOP)
    try:
        rig.until_held()
        rig.until_zero()
    finally:
        rig.simulator.process.send_signal(signal.SIGCONT)
    rig.until_held()


@row('the robot driver is killed (SIGKILL) and started again', HOLD_ZERO, ENABLE,
     rig='simulated', slow=True)
def robot_killed(rig):
    rig.simulator.end(signal.SIGKILL)
    rig.until_held()
    rig.until_zero()
    rig.start_simulator()
    rig.until_held()


# -- messages ------------------------------------------------------------------------------------


@row('`joint_states` end', HOLD_ZERO, ENABLE)
def states_end(rig):
    rig.go()
    rig.robot.silent = True
    rig.until_held()
    rig.until_zero()
    assert not rig.enable().success
    rig.robot.silent = False
    rig.until_held()


@row('stamps of `joint_states` are 10 s old', HOLD_ZERO, ENABLE)
def stamps_stale(rig):
    rig.go()
    rig.robot.offset = -10.0
    rig.until_held()
    rig.until_zero()
    rig.robot.offset = 0.0
    rig.until_held()


@row('stamps of `joint_states` are 10 s in the future', HOLD_ZERO + '; the states are counted',
     ENABLE)
def stamps_future(rig):
    rig.go()
    rig.robot.offset = 10.0
    rig.until_held()
    rig.until_zero()
    assert int(rig.status('Joint states')[2]['from the future']) > 0
    rig.robot.offset = 0.0
    rig.until_held()


@row('a second publisher of `joint_states` contradicts the first (0.2 rad apart)',
     'the newest state counts: the torque changes with each, within limits and rate', GOES_ON)
def states_contradict(rig):
    rig.go()
    for _ in range(100):
        rig.robot.publish(HOME + 0.2)
        time.sleep(0.007)
    rig.require_going_on()


@row('flood of `joint_states`: 10 000 valid messages as fast as possible', GOES_ON, '-')
def states_flood(rig):
    rig.go()
    for _ in range(10_000):
        rig.robot.publish(HOME)
    rig.require_going_on()


@row('flood of `joint_states` with 5000 names of 100 characters each',
     'refused and counted; ' + GOES_ON, '-')
def names_flood(rig):
    rig.go()
    names = [f'{k:04}' + 'x' * 96 for k in range(5000)]
    message = JointState(name=names, position=[0.0] * len(names))
    set_stamp(message.header.stamp, time.time_ns())
    before = int(rig.status('Joint states')[2]['refused'])
    for _ in range(40):
        rig.peer.publish(message, f'{rig.space}/joint_states')
        time.sleep(0.01)
    rig.until(lambda: int(rig.status('Joint states')[2]['refused']) > before, 'refusals')
    rig.require_going_on()
    assert max(map(len, rig.process.log.splitlines())) < 1500


@row('flood of goals: 500 invalid ones', 'refused and counted; ' + GOES_ON, '-')
def goals_flood(rig):
    rig.go()
    before = int(rig.status('Trajectories')[2]['refused'])
    bad = trajectory_message(['wrist\x1b[2J'], [1.0], [[0.0]])
    for _ in range(500):
        rig.peer.publish(bad, f'{rig.node}/joint_trajectory')
    rig.until(lambda: int(rig.status('Trajectories')[2]['refused']) > before, 'refusals')
    rig.require_going_on()
    assert '\x1b' not in rig.process.log


@row('another `robot_description` while the node is active',
     'refused and counted; ' + GOES_ON, 'clean up and configure the node to load it')
def description_swapped(rig):
    rig.go()
    before = int(rig.status('Model')[2]['descriptions refused'])
    for text in (TWO_LINK.read_text().replace('mass value="2"', 'mass value="20"'),
                 'no XML', '<robot>' * 1000):
        rig.describe(text)
    rig.until(lambda: int(rig.status('Model')[2]['descriptions refused']) > before, 'refusals')
    rig.require_going_on()


@row('storm of 200 parameter changes, valid and invalid, from two clients',
     'each is answered; every change ramps within limits and rate', GOES_ON)
def parameters_storm(rig):
    rig.go()
    rng = random.Random(1)
    usual = {'gains.p': [50.0], 'gains.d': [5.0], 'feedforward_scale': 1.0, 'payload.mass': 0.0,
             'mode': 'computed_torque', 'feedback': 'pd', 'ramp_time': 0.1}
    choices = {
        'gains.p': ([20.0], [60.0, 40.0], [-1.0], [1.0, 2.0, 3.0], [float('nan')]),
        'gains.d': ([4.0], [6.0, 5.0], [1e300], [float('inf')]),
        'feedforward_scale': (0.0, 0.5, 2.0), 'payload.mass': (0.0, 0.5, -1.0),
        'mode': ('computed_torque', 'gravity', 'hold', 'dance'), 'feedback': ('pd', 'pid'),
        'ramp_time': (0.05, 0.2, 1e300), 'update_rate': (100.0,), 'no_such': (1.0,)}
    answers, clients = [], rig.parameter_clients
    for k in range(200):
        name = rng.choice(list(choices))
        answers.append(clients[k % 2].call_async(SetParameters.Request(parameters=[
            Parameter(name, value=rng.choice(choices[name])).to_parameter_msg()])))
        time.sleep(0.002)
    rig.until(lambda: all(each.done() for each in answers), 'all answers')
    outcomes = {each.result().results[0].successful for each in answers}
    assert outcomes == {True, False}
    for name, value in usual.items():
        result, = rig.peer.set_parameters(rig.node, **{name.replace('.', '__'): value})
        assert result.successful, result.reason
    rig.require_going_on()


# -- clock ---------------------------------------------------------------------------------------


def jump(rig, seconds):
    """Set the clock of the machine, for the node and the robot; and back."""
    if rig.clock is None:
        raise CannotRunError('gcc is not installed: the clock of a process cannot be set')
    for offset in (seconds, 0.0):
        rig.go()
        rig.clock.set(offset)
        rig.robot.offset = offset
        rig.until_held()
        rig.until_running()


@row('the system clock is set back by 5 s', 'ramp to a gravity hold',
     '`~/enable` starts the mode, once states of the new time have arrived')
def clock_back(rig):
    jump(rig, -5.0)


@row('the system clock is set forward by 5 s', 'ramp to a gravity hold',
     '`~/enable` starts the mode, once states of the new time have arrived')
def clock_forward(rig):
    jump(rig, 5.0)


# -- machine -------------------------------------------------------------------------------------


@row('the disk of the logs is full', 'the trajectory goes on; log lines are lost',
     'an orderly end with exit code 0', rig='own', slow=True)
def disk_full(rig):
    with tempfile.TemporaryDirectory(prefix='kane_disk_') as folder:
        mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]
        if subprocess.run(mount, capture_output=True).returncode:
            raise CannotRunError('mounting a small disk needs root')
        try:
            rig = FaultRig(environment={'ROS_LOG_DIR': folder}, inside=folder)
            try:
                rig.begin()
                rig.go()
                with open(Path(folder, 'fill'), 'wb', buffering=0) as file:
                    fill(file)
                bad = trajectory_message(['wrist'], [1.0], [[0.0]])
                for _ in range(30):
                    rig.peer.publish(bad, f'{rig.node}/joint_trajectory')
                    rig.peer.set_parameters(rig.node, feedforward_scale=2.0)
                    time.sleep(0.05)
                with open(Path(folder, 'fill'), 'ab', buffering=0) as file:
                    fill(file)
                rig.require_going_on()
                rig.judge()
            finally:
                code = rig.close()
            assert code == 0, f'exit code {code}'
        finally:
            subprocess.run(['umount', '-l', folder], check=True)


def fill(file):
    """Write until the disk is full."""
    for size in (65536, 1):
        try:
            while True:
                file.write(bytes(size))
        except OSError:
            continue


@row('memory cannot be allocated (RLIMIT_AS 16 MB above the present size) while goals of 100 000 '
     'points and a description of 9 MB arrive', 'what does not fit is refused; '
     'the node gives torque within limits and rate', 'at once, when there is memory again',
     rig='own', slow=True)
def memory_short(rig):
    rig = FaultRig()
    try:
        rig.begin()
        rig.go()
        pid = rig.process.process.pid
        size = int(Path(f'/proc/{pid}/statm').read_text().split()[0]) * os.sysconf('SC_PAGE_SIZE')
        free = resource.prlimit(pid, resource.RLIMIT_AS)
        resource.prlimit(pid, resource.RLIMIT_AS, (size + 2**24, free[1]))
        count = 100_000
        times = 1.0 + 1e-3 * np.arange(count)
        large = trajectory_message(JOINTS, times, HOME + 0.1 * np.sin(times)[:, None] * [1.0, 1.0])
        for _ in range(3):
            rig.peer.publish(large, f'{rig.node}/joint_trajectory')
            rig.describe('<robot>' + ' ' * 9_000_000 + '</robot>')
            rig.for_a_while(0.7)
        resource.prlimit(pid, resource.RLIMIT_AS, free)
        rig.begin()
        rig.judge()
    finally:
        rig.close()


@row('the network goes down for 1.5 s: neither states nor discovery (interface down in a network '
     'namespace, no shared memory)', HOLD_ZERO, ENABLE, rig='network', slow=True)
def network_lost(rig):
    rig.watch.lossy = True
    rig.go()
    subprocess.run(['ip', 'link', 'set', 'lo', 'down'], check=True)
    time.sleep(1.5)
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
    rig.until_held()
