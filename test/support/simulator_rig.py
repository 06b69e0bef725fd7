# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A simulator node in a process, and the peer that drives it."""

import itertools

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
import numpy as np
from ros_graph import NodeRig, Peer, Process, wait
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from std_srvs.srv import SetBool, Trigger

from kane_dynamics.nodes.messages.conversions import nanoseconds, set_stamp

_COUNT = itertools.count()
FIRST = 1_000_000_000       # [ns]: simulated time begins at 1 s


class SimulatorRig(NodeRig):
    """A simulator node in a namespace of its own: commands in, states out."""

    def __init__(self, robot, parameters, active=True):
        space = f'/rig_{next(_COUNT)}'
        self.node, self.names = f'{space}/simulator', list(robot.joint_names)
        self.process = Process('simulator', {'robot_description': robot.to_urdf(), **parameters},
                               remaps=[f'__ns:={space}'])
        self.peer = Peer(f'peer_{space[1:]}')
        self.states = self.peer.listen(JointState, f'{space}/joint_states', 10_000)
        self.clocks = self.peer.listen(Clock, '/clock', 10_000)
        self.diagnostics = self.peer.listen(DiagnosticArray, '/diagnostics')
        try:
            if active:
                self.peer.until_active(self.node, self.process)
        except BaseException:
            self.close()
            raise

    # -- commands --------------------------------------------------------------------------------

    def command(self, tau, label=None):
        """Publish a Float64MultiArray on ~/commands."""
        message = Float64MultiArray(data=[float(x) for x in tau])
        if label is not None:
            message.layout.dim = [MultiArrayDimension(label=label, size=len(tau), stride=1)]
        self.peer.publish(message, f'{self.node}/commands')

    def effort(self, tau, stamp=0, names=None):
        """Publish a JointState on ~/effort, stamped [ns]."""
        message = JointState(name=names or self.names, effort=[float(x) for x in tau])
        set_stamp(message.header.stamp, stamp)
        self.peer.publish(message, f'{self.node}/effort', 10_000)

    def push(self, link, force, moment=(0.0, 0.0, 0.0)):
        """Publish a WrenchStamped on ~/wrench."""
        message = WrenchStamped()
        message.header.frame_id = link
        for part, values in ((message.wrench.force, force), (message.wrench.torque, moment)):
            part.x, part.y, part.z = (float(x) for x in values)
        self.peer.publish(message, f'{self.node}/wrench')

    def pause(self, on):
        """Call ~/pause."""
        return self.peer.call(SetBool, f'{self.node}/pause', again=True, data=on)

    def trigger(self, service):
        """Call ~/step or ~/reset."""
        return self.peer.call(Trigger, f'{self.node}/{service}')

    # -- states ----------------------------------------------------------------------------------

    def wait_for_states(self, count):
        """Wait until so many states came in all."""
        wait(lambda: len(self.states) >= count, f'{count} joint_states',
             lambda: f'{len(self.states)} came\n{self.process.log}')

    def wait_for_stamp(self, ns):
        """Wait for the state of a moment [ns] or later."""
        wait(lambda: self.states and stamp_of(self.states[-1]) >= ns, f'the state at {ns} ns',
             lambda: self.process.log)

    def arrays(self):
        """Return stamps (N,) [ns] and (N, 3, n) positions, velocities, efforts, by stamp."""
        by_stamp = {stamp_of(each): each for each in self.states}
        stamps = sorted(by_stamp)
        return np.array(stamps), np.array(
            [[by_stamp[ns].position, by_stamp[ns].velocity, by_stamp[ns].effort] for ns in stamps])


def stamp_of(message):
    """Return a message's stamp [ns]."""
    return nanoseconds(message.header.stamp)
