# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the feedforward node, in the order in which its document lists them."""

from __future__ import annotations

from kane_dynamics.motion.rules import INTERPOLATION_METHODS, LEAD_INS, POSITIONS_ONLY
from kane_dynamics.nodes import calibrated_arm, tip_link
from kane_dynamics.nodes.parameters import Parameter, Schema

MODES = ('feedforward', 'computed_torque', 'gravity', 'hold')
FEEDBACKS = ('pd', 'inverse_dynamics')
TRIGGERS = ('timer', 'joint_states')
ELASTICITIES = ('dynamic', 'quasi_static', 'rigid')
PER_JOINT = {'lengths': ('joints',), 'runtime': True}
TORQUE = 'N m or N'
SPEED = 'rad/s or m/s'

LOOP = Schema(
    Parameter('update_rate', 'float', 250.0, 'cycles per second; with `trigger: joint_states` the '
              'rate of the watchdog', unit='Hz', above=0.0, high=5000.0,
              why_fixed='the loop runs at it'),
    Parameter('trigger', 'str', 'timer', 'compute at a fixed rate, or when joint_states arrive',
              choices=TRIGGERS),
    Parameter('realtime_priority', 'int', 0, 'ask for SCHED_FIFO at this priority; 0 does not',
              low=0, high=99),
    Parameter('mode', 'str', 'feedforward', 'what the torque is: of the reference alone; with '
              'feedback; holding the measured pose against gravity; or holding a position',
              choices=MODES, runtime=True),
    Parameter('feedback', 'str', 'pd', 'computed_torque: add p e + d de/dt to the torque of the '
              'reference, or to its acceleration before inverse dynamics of the measured state',
              choices=FEEDBACKS, runtime=True),
    Parameter('feedforward_scale', 'float', 1.0, 'share of the torque of the reference that is '
              'given; 0 leaves feedback alone, to compare', low=0.0, high=1.0, runtime=True),
    Parameter('lead_time', 'float', 0.0, 'the torque is that of the reference so much later than '
              'its stamp: half a period for a torque that is held for one, and the way to the '
              'motors. Errors are taken at the stamp', unit='s', low=0.0, high=0.1,
              why_fixed='a step in torque'),
    Parameter('enable_on_activate', 'bool', True, 'give torque as soon as the node is active; '
              'false waits for the service `~/enable`'),
)

JOINTS = Schema(
    Parameter('joints', 'strs', (), 'the joints in the order of `~/commands` and of every list '
              'below; not set: all, in the order of the URDF. Must be the order of the effort '
              "controller's own parameter"),
    Parameter('locked_joints', 'strs', (), 'joints that are in the URDF but not in `joints`, such '
              'as a gripper: they count as part of the arm, at rest'),
    Parameter('locked_positions', 'floats', (), 'where they are; one value for all or one each',
              unit='rad or m'),
    Parameter('gains.p', 'floats', (0.0,), 'of the position error; 1/s^2 with `feedback: '
              'inverse_dynamics`', unit='N m/rad or N/m', low=0.0, **PER_JOINT),
    Parameter('gains.d', 'floats', (0.0,), 'of the velocity error, and the damping of every '
              'gravity hold; 1/s with `feedback: inverse_dynamics`', unit='N m s/rad or N s/m',
              low=0.0, **PER_JOINT),
)

ELASTIC = Schema(
    Parameter('elastic', 'str', 'dynamic', 'flexible links and joints: integrated along the '
              'motion; bent as weight and motion bend them, without inertia of their own; or '
              'taken as rigid', choices=ELASTICITIES, why_fixed='the model is compiled for it'),
) + tip_link.SCHEMA

MODEL = calibrated_arm.SCHEMA + Schema(
    Parameter('robot_compensates_gravity', 'bool', False, 'true where the robot adds gravity '
              'torque by itself: then none is computed here', why_fixed='a step in torque'),
    Parameter('gravity', 'floats', (0.0, 0.0, -9.81), 'in the axes of the root link: turn it for '
              'an arm on a wall', unit='m/s^2', lengths=(3,), low=-100.0, high=100.0,
              runtime=True),
    Parameter('payload.mass', 'float', 0.0, 'of a load fixed to `payload.link`', unit='kg',
              low=0.0, runtime=True),
    Parameter('payload.com', 'floats', (0.0, 0.0, 0.0), 'mass centre in the frame of the link',
              unit='m', lengths=(3,), runtime=True),
    Parameter('payload.inertia', 'floats', (0.0,) * 6, 'ixx ixy ixz iyy iyz izz about the mass '
              'centre', unit='kg m^2', lengths=(6,), runtime=True),
    Parameter('payload.link', 'str', '', 'the link that holds it; may be left out when the arm '
              'has one end', runtime=True),
    Parameter('friction.viscous', 'floats', (), 'not set: that of the calibration, or '
              '`<dynamics damping>` of the URDF',
              unit='N m s/rad or N s/m', low=0.0, **PER_JOINT),
    Parameter('friction.coulomb', 'floats', (), 'not set: that of the calibration, or '
              '`<dynamics friction>` of the URDF',
              unit=TORQUE, low=0.0, **PER_JOINT),
    Parameter('friction.stiction', 'floats', (), 'breakaway level; not set: as coulomb',
              unit=TORQUE, low=0.0, **PER_JOINT),
    Parameter('friction.stribeck_speed', 'floats', (0.1,), 'where stiction has half gone',
              unit=SPEED, above=0.0, **PER_JOINT),
    Parameter('friction.smoothing_speed', 'float', 0.01, 'within it Coulomb friction grows '
              'linearly', unit=SPEED, above=0.0, runtime=True),
    Parameter('friction.load', 'floats', (), 'share of the transmitted torque that gears add to '
              'coulomb; not set: none', low=0.0, high=0.999, **PER_JOINT),
    Parameter('friction.offset', 'floats', (), 'torque at any speed; not set: none', unit=TORQUE,
              **PER_JOINT),
    Parameter('armature', 'floats', (0.0,), 'rotor inertia behind the gears, on top of the '
              'URDF', unit='kg m^2 or kg', low=0.0, **PER_JOINT),
    Parameter('transition_time', 'float', 1.0, 'over which a change of payload, friction, '
              'armature or gravity takes effect', unit='s', low=0.0, high=60.0, runtime=True),
    Parameter('model_check.tolerance', 'float', 1e-6, 'largest relative difference from '
              'Pinocchio, where it is installed; beyond it the node is not configured',
              above=0.0),
    Parameter('model_check.samples', 'int', 20, 'random states to compare at; 0 compares none',
              low=0, high=10_000),
)

SAFETY = Schema(
    Parameter('limits.effort', 'floats', (), 'torques are cut to it; not set: `<limit effort>` '
              'of the URDF; inf: no limit', unit=TORQUE, above=0.0, infinite=True, **PER_JOINT),
    Parameter('limits.effort_rate', 'floats', (), 'torques change at most so fast; not set: no '
              'limit', unit='N m/s or N/s', above=0.0, **PER_JOINT),
    Parameter('state_timeout', 'float', 0.1, 'joint_states further from now are stale; counted '
              'from their stamp, or from arrival where it is zero', unit='s', above=0.0,
              runtime=True),
    Parameter('ramp_time', 'float', 0.5, 'of torque when enabled, disabled, faulted or when the '
              'mode changes', unit='s', low=0.0, high=5.0, runtime=True),
    Parameter('fault_hold_time', 'float', 2.0, 'how long gravity is held at the last known pose '
              'when the state is lost; inf: for good', unit='s', low=0.0, infinite=True,
              runtime=True),
    Parameter('zero_ramp_time', 'float', 2.0, 'from there to no torque', unit='s', low=0.0,
              runtime=True),
    Parameter('clock_jump_threshold', 'float', 0.5, 'a jump of time beyond it is a fault; under '
              'use_sim_time also any jump back', unit='s', above=0.0),
)

TRAJECTORY = Schema(
    Parameter('allow_partial_joints_goal', 'bool', False, 'take goals that do not name all '
              'joints; the others hold, or go on as they were', runtime=True),
    Parameter('allow_integration_in_goal_trajectories', 'bool', False, 'take points without '
              'positions and integrate their velocities or accelerations', runtime=True),
    Parameter('allow_nonzero_velocity_at_trajectory_end', 'bool', False, 'take goals whose last '
              'point moves', runtime=True),
    Parameter('allow_trajectory_replacement', 'bool', True, 'keep the current trajectory until '
              'the new one starts, and join them there', runtime=True),
    Parameter('interpolate_from_desired_state', 'bool', False, 'lead in from the last reference '
              'instead of the measured state', runtime=True),
    Parameter('interpolation_method', 'str', 'splines', 'between points, or the next point as it '
              'stands', choices=INTERPOLATION_METHODS, runtime=True),
    Parameter('positions_only', 'str', 'spline', 'goals without velocities: a C2 spline from the '
              'start state; one through the points alone with a cubic lead-in; or straight lines, '
              'whose accelerations (and inertial torques) are zero', choices=POSITIONS_ONLY,
              runtime=True),
    Parameter('lead_in', 'str', 'fields', 'from the start state to the first point: by the fields '
              'that it carries, or without a step in torque', choices=LEAD_INS, runtime=True),
    Parameter('policy_frequency', 'float', 0.0, 'times of points that come without times; 0 '
              'refuses them', unit='Hz', low=0.0, runtime=True),
    Parameter('trajectory_effort', 'str', 'refuse', 'goals that carry effort: it may already hold '
              'the torque that is computed here', choices=('refuse', 'add'), runtime=True),
    Parameter('cmd_timeout', 'float', 0.0, 'after the end of a trajectory, hold the measured '
              'position; 0 keeps the last point. Ignored unless longer than '
              '`constraints.goal_time`', unit='s', low=0.0, runtime=True),
    Parameter('check_position_limits', 'bool', True, 'refuse goals that leave the position '
              'limits of the URDF, also between points', runtime=True),
    Parameter('check_velocity_limits', 'bool', True, 'refuse goals that exceed the velocity '
              'limits of the URDF', runtime=True),
    Parameter('max_jump', 'float', 0.1, 'refuse a goal whose first point is due at once and '
              'further away than this; 0 does not look', unit='rad or m', low=0.0, runtime=True),
    Parameter('effort_limit_reaction', 'str', 'warn', 'to a goal whose torques exceed the '
              'limits', choices=('warn', 'refuse'), runtime=True),
    Parameter('constraints.trajectory', 'floats', (0.0,), 'largest position error on the way, '
              'where joint_states come; beyond it the arm holds; 0: none', unit='rad or m',
              low=0.0, **PER_JOINT),
    Parameter('constraints.goal', 'floats', (0.0,), 'largest position error at the end; 0: none',
              unit='rad or m', low=0.0, **PER_JOINT),
    Parameter('constraints.goal_time', 'float', 0.0, 'how long after its end a trajectory may '
              'still reach its goal; beyond it the arm holds; 0: for ever', unit='s', low=0.0,
              runtime=True),
    Parameter('constraints.stopped_velocity_tolerance', 'float', 0.01, 'velocity at the end '
              'that counts as rest; 0: any', unit=SPEED, low=0.0, runtime=True),
    Parameter('constraints.max_deceleration_on_cancel', 'floats', (), 'when a goal is cancelled, '
              'timed out or given up, each joint slows down at it, then holds; not set: holds at '
              'once', unit='rad/s^2 or m/s^2', above=0.0, **PER_JOINT),
    Parameter('action_monitor_rate', 'float', 20.0, 'feedback of the action `~/'
              'follow_joint_trajectory`', unit='Hz', above=0.0, high=1000.0),
    Parameter('state_publish_rate', 'float', 50.0, 'of `~/controller_state`; 0: none', unit='Hz',
              low=0.0, high=1000.0),
)

EFFORT = Schema(
    Parameter('publish_trajectory_with_effort', 'bool', True, 'publish '
              '`~/joint_trajectory_with_effort` for every accepted goal', runtime=True),
    Parameter('effort_tolerance', 'float', 0.1, 'points are added until straight lines between '
              'the efforts err by less', unit=TORQUE, above=0.0, runtime=True),
    Parameter('effort_min_interval', 'float', 1e-3, 'between added points', unit='s', above=0.0,
              runtime=True),
    Parameter('effort_max_points', 'int', 100_000, 'a goal that would need more keeps its own '
              'points', low=2, high=10_000_000, runtime=True),
)

SCHEMA = LOOP + JOINTS + MODEL + ELASTIC + SAFETY + TRAJECTORY + EFFORT

if __name__ == '__main__':      # the table of doc/feedforward.md
    from kane_dynamics.nodes import managed_node
    print((managed_node.SCHEMA + SCHEMA).markdown(), end='')
