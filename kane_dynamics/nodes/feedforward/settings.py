# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the feedforward node: its parameters, in the order of doc/feedforward.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from kane_dynamics.control.control_law import Feedback, Mode
from kane_dynamics.nodes.common.arm import CalibrationFile, ModelCheckSettings, TipLink
from kane_dynamics.nodes.common.message_limits import TrajectoryLimits
from kane_dynamics.nodes.common.node_parameters import NodeSettings
from kane_dynamics.nodes.common.parameters import DAY, Floats, Names, Parameter, Schema
from kane_dynamics.trajectory.goal.rules import InterpolationMethod, LeadIn, PositionsOnly

Trigger: TypeAlias = Literal['timer', 'joint_states']
Elasticity: TypeAlias = Literal['dynamic', 'quasi_static', 'rigid']
PER_JOINT: dict[str, Any] = {'lengths': ('joints',), 'runtime': True}
TORQUE = 'N m or N'
SPEED = 'rad/s or m/s'


@dataclass(frozen=True)
class GainSettings:
    """Gains of the feedback."""

    p: Annotated[Floats, Parameter(
        'proportional gain of the position error; in 1/s^2 with `feedback: inverse_dynamics`',
        unit='N m/rad or N/m', low=0.0, **PER_JOINT)] = (0.0,)
    d: Annotated[Floats, Parameter(
        'gain of the velocity error, also the damping of a gravity hold; in 1/s with `feedback: '
        'inverse_dynamics`', unit='N m s/rad or N s/m', low=0.0, **PER_JOINT)] = (0.0,)


@dataclass(frozen=True)
class PayloadSettings:
    """Load that the arm carries."""

    mass: Annotated[float, Parameter(
        'mass of a load fixed to `payload.link`', unit='kg', low=0.0, runtime=True)] = 0.0
    com: Annotated[Floats, Parameter(
        'center of mass of the load in the frame of the link', unit='m', lengths=(3,),
        runtime=True)] = (0.0, 0.0, 0.0)
    inertia: Annotated[Floats, Parameter(
        'ixx ixy ixz iyy iyz izz of the load about its center of mass', unit='kg m^2',
        lengths=(6,), runtime=True)] = (0.0,) * 6
    link: Annotated[str, Parameter(
        'link that carries the load; optional for an arm with a single end link',
        runtime=True)] = ''


@dataclass(frozen=True)
class FrictionSettings:
    """Friction of the joints."""

    viscous: Annotated[Floats, Parameter(
        'viscous coefficient; not set: that of the calibration, or `<dynamics damping>` of the '
        'URDF', unit='N m s/rad or N s/m', low=0.0, **PER_JOINT)] = ()
    coulomb: Annotated[Floats, Parameter(
        'Coulomb friction; not set: that of the calibration, or `<dynamics friction>` of the URDF',
        unit=TORQUE, low=0.0, **PER_JOINT)] = ()
    stiction: Annotated[Floats, Parameter(
        'breakaway friction; not set: equal to coulomb', unit=TORQUE, low=0.0, **PER_JOINT)] = ()
    stribeck_speed: Annotated[Floats, Parameter(
        'speed at which half of the difference between stiction and coulomb is gone', unit=SPEED,
        above=0.0, **PER_JOINT)] = (0.1,)
    smoothing_speed: Annotated[float, Parameter(
        'speed below which Coulomb friction is linear', unit=SPEED, above=0.0,
        runtime=True)] = 0.01
    load: Annotated[Floats, Parameter(
        'fraction of the transmitted torque that the gears add to coulomb; not set: none', low=0.0,
        high=0.999, **PER_JOINT)] = ()
    offset: Annotated[Floats, Parameter(
        'constant torque; not set: none', unit=TORQUE, **PER_JOINT)] = ()


@dataclass(frozen=True)
class LimitSettings:
    """Limits of the torque."""

    effort: Annotated[Floats, Parameter(
        'largest torque; not set: `<limit effort>` of the URDF; inf: no limit', unit=TORQUE,
        above=0.0, infinite=True, **PER_JOINT)] = ()
    effort_rate: Annotated[Floats, Parameter(
        'largest rate of change of the torque; not set: no limit', unit='N m/s or N/s', above=0.0,
        **PER_JOINT)] = ()


@dataclass(frozen=True)
class ConstraintSettings:
    """Tolerances, named as joint_trajectory_controller's constraints."""

    trajectory: Annotated[Floats, Parameter(
        'largest position error along the trajectory, if joint_states are received; the arm '
        'holds when it is exceeded; 0: no limit', unit='rad or m', low=0.0, **PER_JOINT)] = (0.0,)
    goal: Annotated[Floats, Parameter(
        'largest position error at the end; 0: no limit', unit='rad or m', low=0.0,
        **PER_JOINT)] = (0.0,)
    goal_time: Annotated[float, Parameter(
        'time after the end of a trajectory within which the goal must be reached, else the arm '
        'holds; 0: no limit', unit='s', low=0.0, high=DAY, runtime=True)] = 0.0
    stopped_velocity_tolerance: Annotated[float, Parameter(
        'largest velocity at the end; 0: no limit', unit=SPEED, low=0.0, runtime=True)] = 0.01
    max_deceleration_on_cancel: Annotated[Floats, Parameter(
        'deceleration to a stop when a goal is cancelled, timed out or given up; not set: '
        'immediate hold', unit='rad/s^2 or m/s^2', above=0.0, **PER_JOINT)] = ()


@dataclass(frozen=True)
class FeedforwardSettings(NodeSettings):
    """The parameters of the feedforward node."""

    message_limits: TrajectoryLimits = TrajectoryLimits()

    # -- loop
    update_rate: Annotated[float, Parameter(
        'control cycles per second; with `trigger: joint_states` the rate of the watchdog, to be '
        'set to the rate of `joint_states`. The gain check uses it', unit='Hz', low=0.1,
        high=5000.0, why_fixed='the loop runs at this rate')] = 250.0
    trigger: Annotated[Trigger, Parameter(
        'run a cycle at a fixed rate, or when joint_states arrive')] = 'timer'
    realtime_priority: Annotated[int, Parameter(
        'SCHED_FIFO priority to request; 0: default scheduling', low=0, high=99)] = 0
    mode: Annotated[Mode, Parameter(
        'control law: torque of the reference alone; with feedback; gravity compensation at the '
        'measured configuration; or position hold', runtime=True)] = 'feedforward'
    feedback: Annotated[Feedback, Parameter(
        'computed_torque: add p e + d de/dt to the torque of the reference, or to its '
        'acceleration before inverse dynamics of the measured state', runtime=True)] = 'pd'
    feedforward_scale: Annotated[float, Parameter(
        'factor of the feedforward torque; 0: feedback alone, for comparison', low=0.0, high=1.0,
        runtime=True)] = 1.0
    lead_time: Annotated[float, Parameter(
        'the feedforward torque is that of the reference this much later than the stamp, for the '
        'delay to the motors plus half the period for which a torque is held. Errors are '
        'computed at the stamp', unit='s', low=0.0, high=0.1,
        why_fixed='a change is a step in torque')] = 0.0
    enable_on_activate: Annotated[bool, Parameter(
        'enable torque at activation; false waits for the service `~/enable`')] = True

    # -- joints
    joints: Annotated[Names, Parameter(
        'joints in the order of `~/commands` and of every list below; not set: all joints in the '
        'order of the URDF. Must be the same order as in the parameter `joints` of the effort '
        'controller')] = ()
    locked_joints: Annotated[Names, Parameter(
        'joints of the URDF that are not in `joints`, such as those of a gripper; they are rigid '
        'parts of the arm')] = ()
    locked_positions: Annotated[Floats, Parameter(
        'positions of the locked joints: one value for all or one per joint',
        unit='rad or m')] = ()
    gains: GainSettings = GainSettings()
    gain_check: Annotated[Literal['refuse', 'warn'], Parameter(
        'reaction to gains that are unstable in discrete time, for the mass matrix within the '
        'joint limits at `update_rate` with a delay of one period', runtime=True)] = 'refuse'

    # -- model
    calibration_file: CalibrationFile = ''
    robot_compensates_gravity: Annotated[bool, Parameter(
        'whether the robot itself adds gravity torque; if true, this node computes none',
        why_fixed='a change is a step in torque')] = False
    gravity: Annotated[Floats, Parameter(
        'gravity vector in the axes of the root link; rotate it for an arm on a wall',
        unit='m/s^2', lengths=(3,), low=-100.0, high=100.0, runtime=True)] = (0.0, 0.0, -9.81)
    payload: PayloadSettings = PayloadSettings()
    friction: FrictionSettings = FrictionSettings()
    armature: Annotated[Floats, Parameter(
        'rotor inertia reflected through the gears, added to that of the URDF',
        unit='kg m^2 or kg', low=0.0, **PER_JOINT)] = (0.0,)
    transition_time: Annotated[float, Parameter(
        'duration over which a change of payload, friction, armature or gravity takes effect',
        unit='s', low=0.0, high=60.0, runtime=True)] = 1.0
    model_check: ModelCheckSettings = ModelCheckSettings()

    # -- elastic
    elastic: Annotated[Elasticity, Parameter(
        'flexible links and joints: deflection integrated along the motion; static '
        'deflection under weight and inertial loads; or rigid',
        why_fixed='the model is compiled for it')] = 'dynamic'
    tip_link: TipLink = ''

    # -- safety
    limits: LimitSettings = LimitSettings()
    state_timeout: Annotated[float, Parameter(
        'age at which joint_states are stale, from their stamp, or from their arrival if the '
        'stamp is zero', unit='s', above=0.0, high=60.0, runtime=True)] = 0.1
    ramp_time: Annotated[float, Parameter(
        'duration of the torque ramp after enabling, disabling, a fault or a change of mode',
        unit='s', low=0.0, high=5.0, runtime=True)] = 0.5
    fault_hold_time: Annotated[float, Parameter(
        'duration of the gravity hold at the last known configuration when the state is lost; '
        'inf: no end', unit='s', low=0.0, infinite=True, runtime=True)] = 2.0
    zero_ramp_time: Annotated[float, Parameter(
        'duration of the ramp to zero torque after `fault_hold_time`', unit='s', low=0.0,
        high=60.0, runtime=True)] = 2.0
    clock_jump_threshold: Annotated[float, Parameter(
        'a larger clock jump is a fault; with use_sim_time also any jump backward', unit='s',
        low=1e-3, high=3600.0)] = 0.5

    # -- trajectory
    allow_partial_joints_goal: Annotated[bool, Parameter(
        'accept goals that do not name all joints; the others hold, or continue their motion',
        runtime=True)] = False
    allow_integration_in_goal_trajectories: Annotated[bool, Parameter(
        'accept points without positions and integrate their velocities or accelerations',
        runtime=True)] = False
    allow_nonzero_velocity_at_trajectory_end: Annotated[bool, Parameter(
        'accept goals with a nonzero velocity at the last point', runtime=True)] = False
    allow_trajectory_replacement: Annotated[bool, Parameter(
        'keep the current trajectory until the new one starts, and join them there',
        runtime=True)] = True
    interpolate_from_desired_state: Annotated[bool, Parameter(
        'start the lead-in at the last reference instead of the measured state',
        runtime=True)] = False
    interpolation_method: Annotated[InterpolationMethod, Parameter(
        'interpolation between points; none: step to the next point', runtime=True)] = 'splines'
    positions_only: Annotated[PositionsOnly, Parameter(
        'goals without velocities: a C2 spline from the start state; a C2 spline through the '
        'points with a cubic lead-in; or straight lines, with zero acceleration (and inertial '
        'torque)', runtime=True)] = 'spline'
    lead_in: Annotated[LeadIn, Parameter(
        'segment from the start state to the first point: by the fields of the point, or without '
        'a step in torque', runtime=True)] = 'fields'
    policy_frequency: Annotated[float, Parameter(
        'rate of points without times; 0: such goals are refused', unit='Hz', low=0.1,
        high=10_000.0, or_zero=True, runtime=True)] = 0.0
    trajectory_effort: Annotated[Literal['refuse', 'add'], Parameter(
        'reaction to goals with effort, which may already include the torque computed here',
        runtime=True)] = 'refuse'
    cmd_timeout: Annotated[float, Parameter(
        'time after the end of a trajectory at which the measured position is held; 0: the last '
        'point is held. Ignored unless longer than `constraints.goal_time`', unit='s', low=0.0,
        high=DAY, runtime=True)] = 0.0
    check_position_limits: Annotated[bool, Parameter(
        'refuse goals that leave the position limits of the URDF, also between points',
        runtime=True)] = True
    check_velocity_limits: Annotated[bool, Parameter(
        'refuse goals that exceed the velocity limits of the URDF', runtime=True)] = True
    max_jump: Annotated[float, Parameter(
        'refuse a goal whose first point is due at once and further away than this; 0: no check',
        unit='rad or m', low=0.0, runtime=True)] = 0.1
    effort_limit_reaction: Annotated[Literal['warn', 'refuse'], Parameter(
        'reaction to a goal whose torques exceed the limits', runtime=True)] = 'warn'
    constraints: ConstraintSettings = ConstraintSettings()
    action_monitor_rate: Annotated[float, Parameter(
        'rate of the feedback of the action `~/follow_joint_trajectory`', unit='Hz', low=0.1,
        high=1000.0)] = 20.0
    state_publish_rate: Annotated[float, Parameter(
        'rate of `~/controller_state`; 0: not published', unit='Hz', low=0.1, high=1000.0,
        or_zero=True)] = 50.0

    # -- effort
    publish_trajectory_with_effort: Annotated[bool, Parameter(
        'publish `~/joint_trajectory_with_effort` for every accepted goal', runtime=True)] = True
    effort_tolerance: Annotated[float, Parameter(
        'points are added until the error of linear interpolation between the efforts is smaller',
        unit=TORQUE, above=0.0, runtime=True)] = 0.1
    effort_min_interval: Annotated[float, Parameter(
        'shortest time between added points', unit='s', low=1e-6, high=60.0, runtime=True)] = 1e-3
    effort_max_points: Annotated[int, Parameter(
        'largest number of points; a goal that needs more keeps its own points', low=2,
        high=10_000_000, runtime=True)] = 100_000


SCHEMA = Schema(FeedforwardSettings)

if __name__ == '__main__':      # the table of doc/feedforward.md
    print(SCHEMA.markdown(), end='')
