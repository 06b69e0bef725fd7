# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulator node tells of links and joints that bend."""

from __future__ import annotations

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from kane_dynamics.analysis.deflection import DeflectionWatch, tip_deflections
from kane_dynamics.analysis.modal import natural_frequencies
from kane_dynamics.nodes import qos
from kane_dynamics.nodes.bent_markers import BentMarkers
from kane_dynamics.nodes.conversions import JointStateWriter, set_stamp
from kane_dynamics.nodes.tip_link import tip_link

LOOK = 5e-3     # [s] of simulated time between two looks at the range of the models


class SimulatorElastic:
    """Publish the elastic state of a Simulator's arm, and warn where its model does not hold.

    Nothing for an arm that does not bend. What nobody listens to is not computed.
    """

    def __init__(self, node):
        self._node, self.plant, self._timer = node, None, None
        self._publishers = {
            topic: node.create_lifecycle_publisher(
                kind, f'~/{topic}', qos.RELIABLE, qos_overriding_options=qos.overridable())
            for kind, topic in ((JointState, 'elastic_states'), (Vector3Stamped, 'tip_deflection'),
                                (MarkerArray, 'markers'))}

    def configure(self, plant, values):
        """Prepare for an arm, which stands at its start."""
        robot = plant.robot
        self.plant = plant if robot.n_modes else None
        if self.plant is None:
            return
        self.tip_link = tip_link(robot, values['tip_link'])
        self._writer = JointStateWriter(robot.mode_names)
        self._writer.message.effort = []
        self._vector, self._tip = Vector3Stamped(), np.zeros(3)
        self._vector.header.frame_id = robot.root
        self._deflect = plant.dynamics.bind('frame_deflection', plant.q, self._tip,
                                            frame=self.tip_link)
        self._markers, self._rate = None, values['markers.rate']
        if self._rate:
            self._markers = BentMarkers(robot, values['markers.exaggeration'])
        self._interval = max(round(LOOK / plant.period), 1)
        self.restart()
        for link in robot.flexible_links.values():
            self._node.get_logger().info(link.describe())
        low, high = natural_frequencies(plant.dynamics, plant.q)[[0, -1]]
        self._node.get_logger().info(
            f'{robot.n_modes} elastic coordinates, {low:.4g} ... {high:.4g} Hz with joints locked '
            f'at the start, where the tip {self.tip_link!r} is {1e3 * self.tip():.3g} mm from '
            'where the straight arm would have it')

    def restart(self):
        """Begin to watch anew."""
        if self.plant is not None:
            self._watch = DeflectionWatch(self.plant.robot)
            self._since = 0             # periods
            self.out_of_range, self.last_warning = 0, ''
            self.largest = dict.fromkeys(tip_deflections(self.plant.robot, self.plant.q), 0.0)

    def start(self):
        """Draw while the node is active, at a rate of the wall clock, which eyes go by."""
        if self.plant is not None and self._markers is not None:
            self._timer = self._node.create_timer(
                1.0 / self._rate, self._draw, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def stop(self):
        """End it."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def tip(self):
        """Return how far the tip is from where the straight arm would have it [m]."""
        self._deflect()
        return float(np.linalg.norm(self._tip))

    def publish(self, stamp):
        """Publish the state of the moment `stamp` [ns]; look at the models now and then."""
        if self.plant is None:
            return
        states, tip = self._publishers['elastic_states'], self._publishers['tip_deflection']
        if states.get_subscription_count():
            n = self.plant.robot.n_modes
            self._writer.position[:] = self.plant.q[-n:]
            self._writer.velocity[:] = self.plant.qd[-n:]
            states.publish(self._writer.stamped(stamp))
        if tip.get_subscription_count():
            self._deflect()
            vector = self._vector.vector
            vector.x, vector.y, vector.z = self._tip.tolist()
            set_stamp(self._vector.header.stamp, stamp)
            tip.publish(self._vector)
        if self._since % self._interval == 0:
            self._look()
        self._since += 1

    def _look(self):
        q = self.plant.q
        found = tip_deflections(self.plant.robot, q)
        for link, each in found.items():
            self.largest[link] = max(self.largest[link], each.size / each.allowed)
        if all(each.in_range for each in found.values()):
            return
        self.out_of_range += 1
        for message in self._watch.messages(q):
            self.last_warning = message
            self._node.get_logger().warning(message)

    def _draw(self):
        publisher, node = self._publishers['markers'], self._node
        if not publisher.get_subscription_count():
            return
        with node.lock:
            if node.pacer is None or node.pacer.origin is None:
                return
            q, stamp = self.plant.q.copy(), node.pacer.stamp(node.k)
        publisher.publish(self._markers.at(q, stamp))

    def report(self, report, count):
        """Add to a diagnostic Report; count(report, key, number, warning) warns where it grew."""
        if self.plant is None:
            return
        report.add('elastic coordinates', self.plant.robot.n_modes)
        report.add('tip link', self.tip_link)
        report.add('tip deflection [m]', self.tip())
        for link, share in self.largest.items():
            report.add(f'largest deflection of {link}, of its range', share)
        count(report, 'looks out of range', self.out_of_range, self.last_warning)
