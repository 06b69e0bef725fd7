# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Graph of feedforward, simulator and monitor that is sent raw messages; needs rclpy."""

import os

from command_watch import CommandWatch
from fault_rig import HOME, JOINTS, LIMIT, RATE, SIMULATED, TWO_LINK
from geometry_msgs.msg import WrenchStamped
from node_target import LONGEST_LINE
from ros_graph import Peer, Process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.messages.conversions import set_stamp, trajectory_message

TOPICS = {'joint_states': JointState, 'feedforward/joint_trajectory': JointTrajectory,
          'simulator/commands': Float64MultiArray, 'simulator/wrench': WrenchStamped,
          'robot_description': String, 'clock': Clock}
COMMON = {'model_check.samples': 0, 'diagnostic_updater.period': 0.2}
PARAMETERS = {
    'simulator': {'robot_description_file': str(TWO_LINK), 'update_rate': 100.0,
                  'initial_positions': HOME.tolist(), 'publish_clock': True, **COMMON},
    'feedforward': {'robot_description_file': str(TWO_LINK), 'use_sim_time': True,
                    'update_rate': 100.0, 'mode': 'computed_torque', 'limits.effort': LIMIT,
                    'limits.effort_rate': RATE, 'state_timeout': 0.5, **SIMULATED, **COMMON},
    'monitor': {'diagnostic_updater.period': 0.2}}      # waits for robot_description


def seed_messages():
    """Return [(topic, message)]: valid ones, and some with all fields."""
    def stamped(message, ns):
        set_stamp(message.header.stamp, ns)
        return message
    home = HOME.tolist()
    state = JointState(name=JOINTS, position=home, velocity=[0.0, 0.1], effort=[1.0, 2.0])
    later = [[0.4, 0.5], [0.5, 0.6], [0.6, 0.7]]
    wrench = WrenchStamped()
    wrench.header.frame_id, wrench.wrench.force.x = 'forearm', 5.0
    clock = Clock()
    set_stamp(clock.clock, 10_000_000_000)
    rest = [[0.0, 0.0]] * 3
    return [
        ('joint_states', state),
        ('joint_states', stamped(JointState(name=['gripper', *JOINTS], position=[0.0, *home]),
                                 5_000_000_000)),
        ('feedforward/joint_trajectory', trajectory_message(JOINTS, [1.0, 2.0, 3.0], later)),
        ('feedforward/joint_trajectory', trajectory_message(
            JOINTS, [1.0, 2.0, 3.0], later, rest, rest, rest, stamp=10**10, frame_id='base')),
        ('simulator/commands', Float64MultiArray(data=[15.0, 2.0])),
        ('simulator/wrench', stamped(wrench, 10**10)),
        ('robot_description', String(data=TWO_LINK.read_text())),
        ('clock', clock)]


class MessageGraph:
    """The three nodes as processes, and a peer that sends bytes and watches the torques."""

    def __init__(self):
        space = f'/fuzz_{os.getpid()}'
        remaps = [f'__ns:={space}', f'/clock:={space}/clock', f'/diagnostics:={space}/diagnostics',
                  f'{space}/simulator/effort:={space}/feedforward/effort']
        self.space, self.watch = space, CommandWatch(LIMIT, RATE)
        self.processes = {name: Process(name, parameters, remaps)
                          for name, parameters in PARAMETERS.items()}
        self._read = dict.fromkeys(self.processes, 0)
        self.peer = Peer(f'fuzz_peer_{os.getpid()}')
        node = self.peer.node
        node.create_subscription(Float64MultiArray, f'{space}/feedforward/commands',
                                 self.watch.on_commands, 1000)
        node.create_subscription(JointState, f'{space}/feedforward/effort', self.watch.on_effort,
                                 1000)
        profiles = {'robot_description': qos.LATCHED}
        self._publishers = [node.create_publisher(kind, f'{space}/{topic}',
                                                  profiles.get(topic, 10))
                            for topic, kind in TOPICS.items()]
        try:
            for name in ('simulator', 'feedforward'):
                self.peer.until_active(f'{space}/{name}', self.processes[name])
        except BaseException:
            self.close()
            raise

    def send(self, topic, data):
        """Publish bytes on a topic, wait until the nodes have answered, and judge.

        Return whether the middleware sent the bytes: those of a type of fixed size have a length.
        """
        try:
            self._publishers[topic % len(TOPICS)].publish(data)
        except RuntimeError:        # RCLError
            return False
        for _ in range(2):      # the second answer comes after the message was served
            self.peer.call(SetBool, f'{self.space}/feedforward/enable', again=True, data=True)
            self.peer.call(Trigger, f'{self.space}/simulator/reset', again=True)
            self.peer.state(f'{self.space}/monitor')
        problems, self.watch.problems = self.watch.problems, []
        assert not problems, problems[0]
        for name, process in self.processes.items():
            assert process.process.poll() is None, f'{name} ended: {process.log[-2000:]}'
            log = process.log
            new, self._read[name] = log[self._read[name]:], len(log)
            assert 'Traceback' not in new, f'{name}: {new[-3000:]}'
            for line in new.splitlines():
                assert len(line) < LONGEST_LINE, f'{name}: a line of {len(line)} characters'
                assert line.isprintable(), f'{name}: {line!r}'
        return True

    def close(self):
        """End all."""
        for process in self.processes.values():
            process.end()
        self.peer.close()
