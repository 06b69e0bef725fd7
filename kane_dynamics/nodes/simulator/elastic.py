# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Elastic state of the simulated arm: topics, markers, range checks, diagnostics."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from kane_dynamics.analysis.vibration.deflection import DeflectionWatch, tip_deflections
from kane_dynamics.analysis.vibration.vibration import natural_frequencies
from kane_dynamics.nodes.common.arm import tip_link
from kane_dynamics.nodes.common.diagnostics import Recently, Report
from kane_dynamics.nodes.common.optional_publishers import OptionalPublishers
from kane_dynamics.nodes.messages.conversions import JointStateWriter, set_stamp
from kane_dynamics.nodes.simulator.bent_markers import BentMarkers

if TYPE_CHECKING:
    from kane_dynamics.nodes.simulator.node import Simulator
    from kane_dynamics.nodes.simulator.settings import SimulatorSettings
    from kane_dynamics.simulation.plant.plant import Plant

TOPICS = ((JointState, '~/elastic_states'), (Vector3Stamped, '~/tip_deflection'),
          (MarkerArray, '~/markers'))
CHECK_PERIOD = 5e-3     # [s] of simulated time between two checks of the deflections


class SimulatorElastic:
    """Publisher of the elastic state of a Simulator's arm, with warnings of large deflections.

    A rigid arm has no such topics. Messages without subscribers are not computed.
    """

    def __init__(self, node: Simulator) -> None:
        self._node = node
        self.plant: Plant | None = None     # of a flexible arm
        self._timer: Any = None
        self._markers: BentMarkers | None = None
        self._publishers = OptionalPublishers(node, TOPICS)

    def configure(self, plant: Plant, settings: SimulatorSettings) -> None:
        """Prepare for an arm in its initial state."""
        robot = plant.robot
        self.plant = plant if robot.n_modes else None
        self._publishers.advertise(self.plant is not None)
        if self.plant is None:
            return
        self.tip_link = tip_link(robot, settings.tip_link)
        self._writer = JointStateWriter(robot.mode_names)
        self._writer.message.effort = []
        self._vector, self._tip = Vector3Stamped(), np.zeros(3)
        self._vector.header.frame_id = robot.root
        self._deflect = plant.dynamics.bind('frame_deflection', plant.q, self._tip,
                                            frame=self.tip_link)
        self._markers, self._rate = None, settings.markers.rate
        if self._rate:
            self._markers = BentMarkers(robot, settings.markers.exaggeration)
        self._interval = max(round(CHECK_PERIOD / plant.period), 1)
        self.restart()
        for link in robot.flexible_links.values():
            self._node.get_logger().info(link.describe())
        low, high = natural_frequencies(plant.dynamics, plant.q)[[0, -1]]
        self._node.get_logger().info(
            f'{robot.n_modes} elastic coordinates, {low:.4g} ... {high:.4g} Hz with joints locked '
            f'at the start, where the deflection of the tip {self.tip_link!r} is '
            f'{1e3 * self.tip():.3g} mm')

    def restart(self) -> None:
        """Reset the range checks."""
        if self.plant is not None:
            self._watch = DeflectionWatch(self.plant.robot)
            self._since = 0             # periods
            self.out_of_range, self.last_warning = 0, ''
            self.largest = dict.fromkeys(tip_deflections(self.plant.robot, self.plant.q), 0.0)

    def start(self) -> None:
        """Start publishing markers, at a rate of wall time."""
        if self.plant is not None and self._markers is not None:
            self._timer = self._node.create_timer(
                1.0 / self._rate, self._draw, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def stop(self) -> None:
        """Stop publishing markers."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def tip(self) -> float:
        """Return the distance [m] of the tip from its position on the undeformed arm."""
        self._deflect()
        return float(np.linalg.norm(self._tip))

    def publish(self, stamp: int) -> None:
        """Publish the elastic state with a stamp [ns]; check the deflections periodically."""
        if self.plant is None:
            return
        states, tip, _ = self._publishers.publishers
        if states.get_subscription_count():
            robot = self.plant.robot
            self._writer.position[:] = self.plant.q[robot.modes_q]
            self._writer.velocity[:] = self.plant.qd[robot.modes_v]
            states.publish(self._writer.stamped(stamp))
        if tip.get_subscription_count():
            self._deflect()
            vector = self._vector.vector
            vector.x, vector.y, vector.z = self._tip.tolist()
            set_stamp(self._vector.header.stamp, stamp)
            tip.publish(self._vector)
        if self._since % self._interval == 0:
            self._check_range(self.plant)
        self._since += 1

    def _check_range(self, plant: Plant) -> None:
        q = plant.q
        found = tip_deflections(plant.robot, q)
        for link, each in found.items():
            self.largest[link] = max(self.largest[link], each.size / each.allowed)
        if all(each.in_range for each in found.values()):
            return
        self.out_of_range += 1
        for message in self._watch.messages(q):
            self.last_warning = message
            self._node.get_logger().warning(message)

    def _draw(self) -> None:
        (_, _, publisher), node = self._publishers.publishers, self._node
        if self.plant is None or self._markers is None or not publisher.get_subscription_count():
            return
        with node.lock:
            if not (node.active and node.pacer.started):
                return
            q, stamp = self.plant.q.copy(), node.pacer.stamp(node.k)
        publisher.publish(self._markers.at(q, stamp))

    def report(self, report: Report, recently: Recently) -> None:
        """Add the deflections to a diagnostic Report."""
        if self.plant is None:
            return
        report.add('elastic coordinates', self.plant.robot.n_modes)
        report.add('tip link', self.tip_link)
        report.add('tip deflection [m]', self.tip())
        for link, fraction in self.largest.items():
            report.add(f'largest deflection of {link}, fraction of its range', fraction)
        recently.count(report, 'checks out of range', self.out_of_range, self.last_warning)
