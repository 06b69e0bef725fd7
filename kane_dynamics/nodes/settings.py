# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""From the feedforward node's parameters to models, rules, limits and gains."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.rules import Rules
from kane_dynamics.motion.tolerances import Tolerances
from kane_dynamics.nodes.conversions import joint_order
from kane_dynamics.nodes.flexible_torque_model import FlexibleTorqueModel
from kane_dynamics.nodes.torque_model import split_joints, TorqueModel

MODEL_PARAMETERS = ('gravity', 'payload.', 'friction.', 'armature')  # how their names begin


class Settings:
    """Read parameters for one arm: lists come in the order of `joints`, arrays leave in the arm's.

    Args:
        robot: the arm as its description tells it.
        values: a mapping of parameter names to checked values.
        calibration: what was measured of the arm, where parameters leave it open, or None.
    """

    def __init__(self, robot, values, calibration=None):
        self.robot, self._calibration = robot, calibration
        if robot.floating_base:
            raise InputError(f'{robot.name!r} has a floating base; this node computes the torques '
                             'of arms on a fixed one')
        self.active, self.locked = split_joints(
            robot, values['joints'], values['locked_joints'], values['locked_positions'])
        self.command_joints = values['joints'] or self.active
        # places of the arm's joints in `joints`, and the other way round
        self._into = joint_order(self.active, self.command_joints, 'joints')
        self.command_order = None       # where it is the arm's own
        if tuple(self.command_joints) != self.active:
            self.command_order = joint_order(self.command_joints, self.active, 'joints')
        self.continuous = tuple(name for name in self.active
                                if robot.joint(name).kind == 'continuous')
        self._places = [robot.joint_index(name) for name in self.active]

    def per_joint(self, values, name, default=0.0):
        """Return a list parameter as an array (n,) in the arm's order; `default` if not set."""
        given = values[name]
        if not given:
            return np.broadcast_to(np.asarray(default, dtype=float), (len(self.active),)).copy()
        if len(given) == 1:
            return np.full(len(self.active), given[0])
        if len(given) != len(self.active):
            raise InputError(f'{name} has {len(given)} values for the {len(self.active)} joints '
                             f'{list(self.command_joints)}')
        return np.array(given)[self._into]

    def limit(self, field):
        """Return a limit of the URDF (n,): lower, upper, velocity or effort."""
        return getattr(self.robot.limits, field)[self._places]

    def effort_limits(self, values):
        """Return the largest torques and their largest rates, each (n,)."""
        return (self.per_joint(values, 'limits.effort', self.limit('effort')),
                self.per_joint(values, 'limits.effort_rate', np.inf))

    def friction(self, values):
        """Return the Friction of the active joints."""
        if self._calibration is not None:
            return self._calibrated_friction(values)
        joints = [self.robot.joint(name) for name in self.active]
        optional = {name: self.per_joint(values, f'friction.{name}')
                    for name in ('stiction', 'offset', 'load') if values[f'friction.{name}']}
        return Friction(
            viscous=self.per_joint(values, 'friction.viscous', [each.damping for each in joints]),
            coulomb=self.per_joint(values, 'friction.coulomb', [each.friction for each in joints]),
            stribeck_speed=self.per_joint(values, 'friction.stribeck_speed'),
            smoothing_speed=values['friction.smoothing_speed'], **optional)

    def _calibrated_friction(self, values):
        """Return the measured Friction with what the parameters set in its place."""
        measured, places = self._calibration.friction(self.robot), self._places
        figures = {name: None if getattr(measured, name) is None else
                   getattr(measured, name)[places]
                   for name in ('viscous', 'coulomb', 'stiction', 'offset', 'load')}
        figures.update({name: self.per_joint(values, f'friction.{name}') for name in figures
                        if values[f'friction.{name}']})
        return Friction(**figures, stribeck_speed=measured.stribeck_speed[places],
                        smoothing_speed=measured.smoothing_speed)

    def torque_model(self, values, dynamics):
        """Return the TorqueModel that the parameters ask for; `dynamics` is parametric."""
        robot = self.robot
        if values['robot_compensates_gravity']:
            robot = robot.with_gravity((0.0, 0.0, 0.0))
        else:
            # the parameter is told in the axes of the root link, Robot.gravity in the world's
            robot = robot.with_gravity(robot.base_rotation @ np.array(values['gravity']))
        if values['payload.mass'] > 0.0:
            xx, xy, xz, yy, yz, zz = values['payload.inertia']
            robot = robot.with_payload(
                values['payload.mass'], values['payload.com'],
                [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], values['payload.link'] or None)
        try:
            dynamics = dynamics.with_robot(robot)
        except InputError as error:
            if not robot.n_modes:
                raise
            raise InputError(f'payload.link {values["payload.link"]!r} bends, and a load on it '
                             'is another arm: make it a link on a fixed joint in the URDF, or '
                             f'name a link beyond it ({error})') from None
        parts = (dynamics, self.active, self.locked, self.friction(values),
                 self.per_joint(values, 'armature'))
        if not robot.n_modes:
            return TorqueModel(*parts)
        return FlexibleTorqueModel(
            *parts, dynamic=values['elastic'] == 'dynamic', period=1.0 / values['update_rate'],
            regular=values['trigger'] == 'timer')

    def rules(self, values, check_jump=True):
        """Return the Rules of acceptance."""
        same = ('allow_partial_joints_goal', 'allow_integration_in_goal_trajectories',
                'allow_nonzero_velocity_at_trajectory_end', 'allow_trajectory_replacement',
                'interpolation_method', 'positions_only', 'lead_in', 'policy_frequency')
        positions, velocities = values['check_position_limits'], values['check_velocity_limits']
        return Rules(
            **{name: values[name] for name in same},
            allow_effort=values['trajectory_effort'] == 'add', continuous=self.continuous,
            lower=self.limit('lower') if positions else None,
            upper=self.limit('upper') if positions else None,
            velocity=self.limit('velocity') if velocities else None,
            max_jump=values['max_jump'] if check_jump and values['max_jump'] > 0.0 else None)

    def tolerances(self, values):
        """Return the Tolerances on the way and at the goal."""
        return Tolerances.of(
            self.active, self.per_joint(values, 'constraints.trajectory'),
            self.per_joint(values, 'constraints.goal'), values['constraints.goal_time'],
            values['constraints.stopped_velocity_tolerance'])

    def apply(self, values, controller):
        """Write gains, limits, times and tolerances into a Controller."""
        p, d = self.per_joint(values, 'gains.p'), self.per_joint(values, 'gains.d')
        limit, rate = self.effort_limits(values)
        deceleration = 'constraints.max_deceleration_on_cancel'
        if 0.0 < values['cmd_timeout'] <= values['constraints.goal_time']:
            controller.log('warning', f'cmd_timeout {values["cmd_timeout"]} s is ignored: it must '
                           f'be longer than constraints.goal_time '
                           f'{values["constraints.goal_time"]} s')
        with controller.lock:
            law, output = controller.law, controller.output
            feedback = values['feedback'], values['feedforward_scale']
            if (feedback != (law.feedback, law.scale) or (law.gains != (p, d)).any()
                    or (output.limit != limit).any()):
                output.start_ramp(values['ramp_time'])
            law.set_feedback(values['feedback'], p, d, values['feedforward_scale'])
            output.set_limits(limit, rate)
            controller.watch.set_defaults(self.tolerances(values), values['cmd_timeout'])
            controller.deceleration = (
                self.per_joint(values, deceleration) if values[deceleration] else None)
            for name in ('ramp_time', 'fault_hold_time', 'zero_ramp_time', 'transition_time'):
                setattr(controller, name, values[name])


def model_key(values):
    """Return what tells two TorqueModels of an arm apart; a payload without mass is none."""
    names = (name for name in values if name.startswith(MODEL_PARAMETERS))
    return tuple((name, values[name]) for name in names
                 if values['payload.mass'] > 0.0 or not name.startswith('payload.'))
