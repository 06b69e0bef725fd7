# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""From the simulator node's parameters to an arm, its sensors and their simulation."""

from __future__ import annotations

import warnings

import numpy as np

from kane_dynamics.analysis.static_sag import static_sag
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.motion.plant import Plant
from kane_dynamics.motion.sensor import CHANNELS, Sensor
from kane_dynamics.motion.simulation import Simulation
from kane_dynamics.motion.stops import Stops
from kane_dynamics.nodes.conversions import joint_order, NANOSECONDS


class SimulatorSetup:
    """Read parameters for one arm: lists come in the order of `joints`, arrays leave in the arm's.

    values: {parameter: checked value}, of SCHEMA. period [ns] is whole, so that stamps are exact;
    command_order and arm_order translate.
    """

    def __init__(self, robot, values, calibration=None):
        self._values, self._calibration = values, calibration
        self.joints = values['joints'] or robot.joint_names
        extra = [name for name in self.joints if name not in robot.joint_names]
        if extra:
            raise InputError(f'joints: {robot.name!r} has no moving joint {extra[0]!r}; it has '
                             f'{list(robot.joint_names)}')
        self.arm_order = joint_order(robot.joint_names, self.joints, 'joints')
        self.command_order = joint_order(self.joints, robot.joint_names, 'joints')
        self.period = round(NANOSECONDS / values['update_rate'])
        if values['real_time_factor'] != 1.0 and not values['publish_clock']:
            raise InputError('real_time_factor other than 1 needs publish_clock: true, and '
                             'use_sim_time: true in the other nodes')
        gravity = robot.base_rotation @ np.array(values['gravity'])
        self.robot = robot.with_gravity(gravity)

    def per_joint(self, name, default=0.0):
        """Return a list parameter as an array (n,) in the arm's order; `default` if not set."""
        given, n = self._values[name], self.robot.n_joints
        if len(given) <= 1:
            return np.full(n, given[0] if given else default, dtype=float)
        return np.array(given)[self.arm_order]

    def periods(self, name):
        """Return a time parameter in whole periods; one above zero is never none."""
        seconds = self._values[name]
        return max(round(seconds * NANOSECONDS / self.period), 1) if seconds > 0.0 else 0

    def stops(self):
        """Return the Stops, or None."""
        if not self._values['stops']:
            return None
        return Stops.of(self.robot, self.per_joint('restitution'))

    def friction(self):
        """Return the Friction, or None where nothing rubs."""
        source = self._values['friction']
        if source == 'none':
            return None
        if source == 'urdf' and self._calibration is not None:
            measured = self._calibration.friction(self.robot)
            # true stiction knows no share of the load: what it adds to Coulomb's is left out
            friction = Friction(measured.viscous, measured.coulomb, measured.stiction,
                                measured.stribeck_speed, offset=measured.offset)
        elif source == 'urdf':
            friction = Friction.of(self.robot)
        else:
            stiction = None
            if self._values['friction_parameters.stiction']:
                stiction = self.per_joint('friction_parameters.stiction')
            friction = Friction(
                self.per_joint('friction_parameters.viscous'),
                self.per_joint('friction_parameters.coulomb'), stiction,
                self._values['friction_parameters.stribeck_speed'])
        return friction if friction.acts else None

    def plant(self):
        """Return the Plant, compiled."""
        robot, stops = self.robot, self.stops()
        if self._values['initial_positions']:
            places = self.per_joint('initial_positions')
        else:
            places = np.zeros(robot.n_joints)
            if stops is not None:
                places = np.clip(places, stops.lower, stops.upper)
        q0, qd0 = robot.neutral(), np.zeros(robot.nv)
        first = robot.nq - robot.n_joints - robot.n_modes
        q0[first:first + robot.n_joints] = places
        first = robot.nv - robot.n_joints - robot.n_modes
        qd0[first:first + robot.n_joints] = self.per_joint('initial_velocities')
        limits = robot.limits.effort
        if self._values['effort_limits']:
            limits = self.per_joint('effort_limits')
        plant = Plant(robot, self.period / NANOSECONDS, substeps=self._values['substeps'],
                      method=self._values['method'], friction=self.friction(), stops=stops,
                      effort_limits=limits, q0=q0, qd0=qd0)
        if robot.n_modes and self._values['initial_deflection'] == 'sag':
            with warnings.catch_warnings():     # the node watches the range itself, and logs it
                warnings.simplefilter('ignore', KaneDynamicsWarning)
                plant.start_from(static_sag(plant.dynamics, q0))
        return plant

    def sensor(self):
        """Return the Sensor."""
        noise = {name: self.per_joint(f'sensor.{name}_noise') for name in CHANNELS}
        resolution = {name: self.per_joint(f'sensor.{name}_resolution')
                      for name in ('position', 'velocity')}
        return Sensor(self.robot.n_joints, noise, resolution, self.periods('sensor.delay'),
                      self._values['sensor.seed'])

    def simulation(self, plant):
        """Return the Simulation; under lock-step the arm is braked until its first command."""
        simulation = Simulation(plant, self.sensor(), self.periods('command_delay'))
        self.apply(simulation)
        return simulation

    def apply(self, simulation, changes=None):
        """Write what may change at run time into a Simulation."""
        values = {**self._values, **(changes or {})}
        period = self.period / NANOSECONDS
        simulation.command_timeout = (
            max(round(values['command_timeout'] / period), 1) if values['command_timeout'] else 0)
        simulation.set_reaction(values['without_commands'])
        self.wrench_periods = (
            max(round(values['wrench_timeout'] / period), 1) if values['wrench_timeout'] else 0)
