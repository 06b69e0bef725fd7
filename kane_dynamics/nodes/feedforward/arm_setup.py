# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arm of the feedforward node: models, rules, limits and gains from its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.control.arm_loop import arm_loop
from kane_dynamics.control.control_law import WITH_GAINS
from kane_dynamics.control.flexible_torque_model import FlexibleTorqueModel
from kane_dynamics.control.torque_model import split_joints, TorqueModel
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import LINE, show_names
from kane_dynamics.nodes.common.arm import JointLists
from kane_dynamics.nodes.feedforward.settings import FeedforwardSettings
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.goal.tolerances import Tolerances

if TYPE_CHECKING:
    from kane_dynamics.control.controller import Controller
    from kane_dynamics.dynamics.calibration import Calibration
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot


class FeedforwardSetup:
    """The settings of the feedforward node applied to one arm.

    Lists of settings are in the order of `joints`, arrays in the order of the arm.

    Args:
        robot: the arm, calibrated.
        settings: the FeedforwardSettings.
        calibration: friction where the settings have none, or None.
    """

    def __init__(self, robot: Robot, settings: FeedforwardSettings,
                 calibration: Calibration | None = None) -> None:
        self.robot, self.settings, self._calibration = robot, settings, calibration
        if robot.floating_base:
            raise InputError(f'{robot.name!r} has a floating base; this node needs an arm with a '
                             'fixed base')
        self.active, self.locked = split_joints(
            robot, settings.joints, settings.locked_joints, settings.locked_positions)
        self._lists = JointLists(settings.joints, self.active)
        self.command_joints = self._lists.names
        self.command_order = None       # None: the order of the arm
        if self.command_joints != self.active:
            self.command_order = self._lists.command_order
        self.continuous = tuple(name for name in self.active
                                if robot.joint(name).kind == 'continuous')
        self._indices = [robot.joint_index(name) for name in self.active]

    def changed(self, settings: FeedforwardSettings) -> FeedforwardSetup:
        """Return the same arm with other settings."""
        return FeedforwardSetup(self.robot, settings, self._calibration)

    def describe(self) -> str:
        """Return the joints in their order and the source of the gravity torque, as text."""
        compensates = self.settings.robot_compensates_gravity
        gravity = 'no gravity torque' if compensates else (
            f'gravity torque for {list(self.settings.gravity)} m/s^2 in the axes of '
            f'{self.robot.root!r}')
        return (f'{self.robot.name!r}: joints {show_names(self.command_joints, LINE)} in this '
                f'order; robot_compensates_gravity is {compensates}: this node computes {gravity}')

    def gains(self) -> tuple[FloatArray, FloatArray]:
        """Return the gains p and d of the feedback, each (n,)."""
        return self._lists.array(self.settings.gains.p), self._lists.array(self.settings.gains.d)

    def armature(self) -> FloatArray:
        """Return the rotor inertias to add (n,)."""
        return self._lists.array(self.settings.armature)

    def limit(self, field: str) -> FloatArray:
        """Return a limit of the URDF (n,): lower, upper, velocity or effort."""
        return getattr(self.robot.limits, field)[self._indices]

    def effort_limits(self) -> tuple[FloatArray, FloatArray]:
        """Return the limits of the torques and of their rates, each (n,)."""
        limits = self.settings.limits
        return (self._lists.array(limits.effort, self.limit('effort')),
                self._lists.array(limits.effort_rate, np.inf))

    def friction(self) -> Friction:
        """Return the Friction of the active joints."""
        given, array = self.settings.friction, self._lists.array
        optional = {name: array(values) for name, values in (
            ('stiction', given.stiction), ('offset', given.offset), ('load', given.load))
            if values}
        if self._calibration is not None:
            return self._calibrated_friction(self._calibration, optional)
        against = self.robot.reflected
        return Friction(
            viscous=array(given.viscous, against.damping[self._indices]),
            coulomb=array(given.coulomb, against.friction[self._indices]),
            stribeck_speed=array(given.stribeck_speed), smoothing_speed=given.smoothing_speed,
            **optional)

    def _calibrated_friction(self, calibration: Calibration,
                             optional: dict[str, FloatArray]) -> Friction:
        """Return the calibrated Friction, overridden by the settings that are set."""
        given, array, indices = self.settings.friction, self._lists.array, self._indices
        measured = calibration.friction(self.robot)
        terms: dict[str, Any] = {
            name: None if term is None else term[indices] for name, term in (
                ('stiction', measured.stiction), ('offset', measured.offset),
                ('load', measured.load))}
        return Friction(
            viscous=array(given.viscous, measured.viscous[indices]),
            coulomb=array(given.coulomb, measured.coulomb[indices]),
            stribeck_speed=measured.stribeck_speed[indices],
            smoothing_speed=measured.smoothing_speed, **{**terms, **optional})

    def torque_model(self, dynamics: Dynamics) -> TorqueModel:
        """Return the TorqueModel of the settings; `dynamics` is parametric."""
        robot, settings, payload = self.robot, self.settings, self.settings.payload
        if settings.robot_compensates_gravity:
            robot = robot.with_gravity((0.0, 0.0, 0.0))
        else:
            # the parameter is in the axes of the root link, Robot.gravity in those of the world
            robot = robot.with_gravity(robot.base_rotation @ np.array(settings.gravity))
        if payload.mass > 0.0:
            xx, xy, xz, yy, yz, zz = payload.inertia
            robot = robot.with_payload(
                payload.mass, payload.com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
                payload.link or None)
        try:
            dynamics = dynamics.with_robot(robot)
        except InputError as error:
            if not robot.n_modes:
                raise
            raise InputError(f'payload.link {payload.link!r} is flexible, and a load on it '
                             'changes its mode shapes: add the load to the URDF as a link on a '
                             f'fixed joint, or name a rigid link ({error})') from None
        parts = (dynamics, self.active, self.locked, self.friction(), self.armature())
        if not robot.n_modes:
            return TorqueModel(*parts)
        return FlexibleTorqueModel(
            *parts, dynamic=settings.elastic == 'dynamic', period=1.0 / settings.update_rate,
            regular=settings.trigger == 'timer')

    def check_gains(self, model: TorqueModel, log: Callable[[str, str], object],
                    refuse: bool = True) -> None:
        """Refuse gains that are unstable with a TorqueModel; warn of poor damping.

        log: called with (level, text). refuse: False only warns of unstable gains.
        """
        settings, (p, d) = self.settings, self.gains()
        if not (p.any() or d.any()):
            return
        try:
            loop = arm_loop(model.dynamics, settings.update_rate, active=self.active,
                            locked=self.locked, viscous=self.friction().viscous,
                            armature=self.armature(), law=settings.feedback)
            level, text = loop.judge(self.active, p, d)
        except InputError as error:     # no gains stabilize this arm
            level, text = 'error', str(error)
        if not level:
            return
        text += ('. If the URDF lacks the rotor inertias of the drives, set armature'
                 + ('; update_rate must be the rate of joint_states'
                    if settings.trigger == 'joint_states' else ''))
        if level == 'error' and refuse and settings.gain_check == 'refuse':
            raise InputError(text)
        log('warning', text)

    def warn_without_feedback(self, log: Callable[[str, str], object]) -> None:
        """Warn of joints without position feedback; log: called with (level, text)."""
        mode, (p, _) = self.settings.mode, self.gains()
        if mode in WITH_GAINS and not p.all():
            joints = [name for name, gain in zip(self.active, p) if gain == 0.0]
            log('warning', f'gains.p is 0 for {joints}: {mode!r} gives them no feedback of '
                           'position, so they drift from their reference; set gains.p and '
                           'gains.d, or use the mode feedforward or gravity')

    def rules(self, check_jump: bool = True) -> GoalRules:
        """Return the GoalRules of acceptance."""
        given = self.settings
        positions, velocities = given.check_position_limits, given.check_velocity_limits
        return GoalRules(
            allow_partial_joints_goal=given.allow_partial_joints_goal,
            allow_integration_in_goal_trajectories=given.allow_integration_in_goal_trajectories,
            allow_nonzero_velocity_at_trajectory_end=(
                given.allow_nonzero_velocity_at_trajectory_end),
            allow_trajectory_replacement=given.allow_trajectory_replacement,
            allow_effort=given.trajectory_effort == 'add',
            interpolation_method=given.interpolation_method, positions_only=given.positions_only,
            lead_in=given.lead_in, policy_frequency=given.policy_frequency,
            continuous=self.continuous,
            lower=self.limit('lower') if positions else None,
            upper=self.limit('upper') if positions else None,
            velocity=self.limit('velocity') if velocities else None,
            max_jump=given.max_jump if check_jump and given.max_jump > 0.0 else None)

    def tolerances(self) -> Tolerances:
        """Return the Tolerances along the trajectory and at the goal."""
        given = self.settings.constraints
        return Tolerances.of(
            self.active, self._lists.array(given.trajectory), self._lists.array(given.goal),
            given.goal_time, given.stopped_velocity_tolerance)

    def apply(self, controller: Controller) -> None:
        """Set gains, limits, times and tolerances of a Controller."""
        settings, (p, d), (limit, rate) = self.settings, self.gains(), self.effort_limits()
        goal_time = settings.constraints.goal_time
        deceleration = settings.constraints.max_deceleration_on_cancel
        if 0.0 < settings.cmd_timeout <= goal_time:
            controller.log('warning', f'cmd_timeout {settings.cmd_timeout} s is ignored: it must '
                                      f'be longer than constraints.goal_time {goal_time} s')
        with controller.lock:
            law, output = controller.law, controller.output
            feedback = settings.feedback, settings.feedforward_scale
            if (feedback != (law.feedback, law.scale) or (law.gains != (p, d)).any()
                    or (output.limit != limit).any()):
                output.start_ramp(settings.ramp_time)
            law.set_feedback(settings.feedback, p, d, settings.feedforward_scale)
            output.set_limits(limit, rate)
            controller.watch.set_defaults(self.tolerances(), settings.cmd_timeout)
            controller.deceleration = self._lists.array(deceleration) if deceleration else None
            controller.ramp_time = settings.ramp_time
            controller.fault_hold_time = settings.fault_hold_time
            controller.zero_ramp_time = settings.zero_ramp_time
            controller.transition_time = settings.transition_time


def same_model(a: FeedforwardSettings, b: FeedforwardSettings) -> bool:
    """Return whether two settings give the same TorqueModel; a payload without mass is none."""
    return ((a.gravity, a.friction, a.armature) == (b.gravity, b.friction, b.armature)
            and (a.payload == b.payload or a.payload.mass == b.payload.mass == 0.0))


def same_gains(a: FeedforwardSettings, b: FeedforwardSettings) -> bool:
    """Return whether two settings have the same feedback and the same reaction to its check."""
    return (a.gains, a.gain_check, a.feedback) == (b.gains, b.gain_check, b.feedback)


def same_loop(a: FeedforwardSettings, b: FeedforwardSettings) -> bool:
    """Return whether `check_gains` has the same result for two settings."""
    return same_gains(a, b) and (a.payload, a.friction.viscous, a.armature) == (
        b.payload, b.friction.viscous, b.armature)
