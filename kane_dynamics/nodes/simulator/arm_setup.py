# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arm of the simulator node: plant, sensors and simulation from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING
import warnings

import numpy as np

from kane_dynamics.analysis.vibration.static_sag import static_sag
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.io.text import show
from kane_dynamics.nodes.common.arm import JointLists
from kane_dynamics.nodes.simulator.settings import SimulatorSettings
from kane_dynamics.simulation.plant.plant import Plant
from kane_dynamics.simulation.plant.robot_in_time import Simulation
from kane_dynamics.simulation.plant.sensor import Sensor
from kane_dynamics.simulation.stops import Stops

if TYPE_CHECKING:
    from kane_dynamics.dynamics.calibration import Calibration
    from kane_dynamics.model.robot import Robot


class SimulatorSetup:
    """The settings of the simulator applied to one arm.

    Lists of settings are in the order of `joints`, arrays in the order of the arm; command_order
    and arm_order are the indices from one to the other. period [ns] is an integer, so that stamps
    are exact.

    Args:
        robot: the arm, calibrated.
        settings: the SimulatorSettings.
        calibration: its friction is that of `friction: urdf`, or None.
    """

    def __init__(self, robot: Robot, settings: SimulatorSettings,
                 calibration: Calibration | None = None) -> None:
        self._settings, self._calibration = settings, calibration
        extra = [name for name in settings.joints if name not in robot.joint_names]
        if extra:
            raise InputError(f'joints: {robot.name!r} has no moving joint {show(extra[0])}; it '
                             f'has {list(robot.joint_names)}')
        self._lists = JointLists(settings.joints, robot.joint_names)
        self.joints = self._lists.names
        self.arm_order, self.command_order = self._lists.arm_order, self._lists.command_order
        self.period = round(NANOSECONDS / settings.update_rate)
        if settings.real_time_factor != 1.0 and not settings.publish_clock:
            raise InputError('real_time_factor other than 1 requires publish_clock: true, and '
                             'use_sim_time: true in the other nodes')
        gravity = robot.base_rotation @ np.array(settings.gravity)
        self.robot = robot.with_gravity(gravity)

    def changed(self, settings: SimulatorSettings) -> SimulatorSetup:
        """Return the same arm with other settings."""
        return SimulatorSetup(self.robot, settings, self._calibration)

    def periods(self, seconds: float) -> int:
        """Return a duration [s] in whole periods, at least 1 if it is positive."""
        return max(round(seconds * NANOSECONDS / self.period), 1) if seconds > 0.0 else 0

    @property
    def wrench_periods(self) -> int:
        """Return the number of periods for which a wrench acts; 0: until the next one."""
        return self.periods(self._settings.wrench_timeout)

    def stops(self) -> Stops | None:
        """Return the Stops, or None."""
        if not self._settings.stops:
            return None
        return Stops.of(self.robot, self._lists.array(self._settings.restitution))

    def friction(self) -> Friction | None:
        """Return the Friction, or None if there is none."""
        source, given = self._settings.friction, self._settings.friction_parameters
        if source == 'none':
            return None
        if source == 'urdf' and self._calibration is not None:
            measured = self._calibration.friction(self.robot)
            # the stick-slip friction of the plant has no load-dependent term
            friction = Friction(measured.viscous, measured.coulomb, measured.stiction,
                                measured.stribeck_speed, offset=measured.offset)
        elif source == 'urdf':
            friction = Friction.of(self.robot)
        else:
            array = self._lists.array
            friction = Friction(
                array(given.viscous), array(given.coulomb),
                array(given.stiction) if given.stiction else None,
                array((given.stribeck_speed,)))
        return friction if friction.acts else None

    def plant(self) -> Plant:
        """Return the Plant, compiled."""
        robot, settings, stops = self.robot, self._settings, self.stops()
        if settings.initial_positions:
            positions = self._lists.array(settings.initial_positions)
        else:
            positions = np.zeros(robot.n_joints)
            if stops is not None:
                positions = np.clip(positions, stops.lower, stops.upper)
        q0, qd0 = robot.neutral(), np.zeros(robot.nv)
        q0[robot.joints_q] = positions
        qd0[robot.joints_v] = self._lists.array(settings.initial_velocities)
        limits = self._lists.array(settings.effort_limits, robot.limits.effort)
        plant = Plant(robot, self.period / NANOSECONDS, substeps=settings.substeps,
                      method=settings.method, friction=self.friction(), stops=stops,
                      effort_limits=limits, q0=q0, qd0=qd0)
        if robot.n_modes and settings.initial_deflection == 'sag':
            with warnings.catch_warnings():     # the node checks the range itself
                warnings.simplefilter('ignore', KaneDynamicsWarning)
                plant.start_from(static_sag(plant.dynamics, q0))
        return plant

    def sensor(self) -> Sensor:
        """Return the Sensor."""
        given, array = self._settings.sensor, self._lists.array
        noise = {'position': array(given.position_noise), 'velocity': array(given.velocity_noise),
                 'effort': array(given.effort_noise)}
        resolution = {'position': array(given.position_resolution),
                      'velocity': array(given.velocity_resolution)}
        return Sensor(self.robot.n_joints, noise, resolution, self.periods(given.delay),
                      given.seed)

    def simulation(self, plant: Plant) -> Simulation:
        """Return the Simulation of a Plant with the sensors and the command delay."""
        simulation = Simulation(plant, self.sensor(), self.periods(self._settings.command_delay))
        self.apply(simulation)
        return simulation

    def apply(self, simulation: Simulation) -> None:
        """Set the run-time settings of a Simulation."""
        simulation.command_timeout = self.periods(self._settings.command_timeout)
        simulation.set_reaction(self._settings.without_commands)
