# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motion in time: trajectories and the goals they come from, profiles, splines, scaling.

Trajectory      points of joints in time and the motion through them; hold: one that rests
accept          a Goal becomes a Trajectory, by Rules, from a State; or GoalRefusedError (Reason)
spliced         one trajectory until a time, then another; in_sequence: one after the other
brake           the way to a stop from a moving state
Tolerances      how far the arm may be from its trajectory
position_error  desired - measured, the short way round for continuous joints
find_extrema    the largest position, velocity or acceleration of a trajectory, and when
fill_effort     a trajectory with torques at its points, densified; densify: any function of time
Law, LAWS       laws of motion from point to point; plan_move: the fastest Move within limits
sampled         a table of samples as a smooth trajectory
scale_time      the same path faster or slower; largest_alpha, largest_alpha_kinematic: how fast
shaped          a trajectory that leaves no vibration, by a Shaper; shaper: ZV, ZVD or EI
spline_velocities, quintic_spline_fields   what makes the joins of way-points smooth

CartesianTask   a point along a path, a frame turned as wanted, by a law; TaskError, Finding
JointTask       a motion of joints as a task; TaskSequence: one task after the other
Line, Arc, WayPoints, Cylindrical, Spherical                  paths of a point
Turn, Slerp, EulerAngles, DirectionAndSpin, ThroughOrientations    orientations of a frame
Pointing, PointingAngles                                      directions of one axis of a frame
JointLine, JointSpline                                        paths of all joints
inverse_kinematics                                            a posture for a place
assemble        a closed mechanism's posture; complete_speeds, complete_accelerations: the rest
BaseMotion      a base that moves as prescribed
minimum_time    a joint path in the shortest time within torque, speed and acceleration limits
"""

from kane_dynamics.motion.acceptance import accept, State
from kane_dynamics.motion.angles import position_error, shortest_angular_distance
from kane_dynamics.motion.assembly import (
    assemble, complete_accelerations, complete_speeds)
from kane_dynamics.motion.base_motion import BaseMotion
from kane_dynamics.motion.braking import brake
from kane_dynamics.motion.cartesian_task import CartesianTask
from kane_dynamics.motion.densification import densify, fill_effort
from kane_dynamics.motion.direction import Pointing, PointingAngles
from kane_dynamics.motion.extrema import Extrema, find_extrema
from kane_dynamics.motion.goal import Goal
from kane_dynamics.motion.inverse_kinematics import inverse_kinematics, NotReachedError
from kane_dynamics.motion.joint_path import JointLine, JointSpline
from kane_dynamics.motion.minimum_time import minimum_time, TimedPath
from kane_dynamics.motion.moves import Move, plan_move
from kane_dynamics.motion.orientation import (
    DirectionAndSpin, EulerAngles, Slerp, ThroughOrientations, Turn)
from kane_dynamics.motion.path import Arc, Line, WayPoints
from kane_dynamics.motion.path_coordinates import Cylindrical, Spherical
from kane_dynamics.motion.profiles import Law, LAWS
from kane_dynamics.motion.refusal import GoalRefusedError, Reason
from kane_dynamics.motion.replacement import in_sequence, spliced
from kane_dynamics.motion.rules import Rules
from kane_dynamics.motion.samples import sampled
from kane_dynamics.motion.scaling import largest_alpha, largest_alpha_kinematic, scale_time
from kane_dynamics.motion.shaping import shaped, Shaper, shaper
from kane_dynamics.motion.spline import quintic_spline_fields, spline_velocities
from kane_dynamics.motion.task import JointTask, TaskSequence
from kane_dynamics.motion.task_error import Finding, TaskError
from kane_dynamics.motion.tolerances import Tolerances
from kane_dynamics.motion.trajectory import hold, Trajectory

__all__ = [
    'Arc', 'BaseMotion', 'CartesianTask', 'Cylindrical', 'DirectionAndSpin', 'EulerAngles',
    'Extrema', 'Finding', 'Goal', 'GoalRefusedError', 'JointLine', 'JointSpline', 'JointTask',
    'LAWS', 'Law', 'Line', 'Move', 'NotReachedError', 'Pointing', 'PointingAngles', 'Reason',
    'Rules', 'Shaper', 'Slerp', 'Spherical', 'State', 'TaskError', 'TaskSequence',
    'ThroughOrientations', 'TimedPath', 'Tolerances', 'Trajectory', 'Turn', 'WayPoints',
    'accept', 'assemble', 'brake', 'complete_accelerations', 'complete_speeds', 'densify',
    'fill_effort', 'find_extrema', 'hold', 'in_sequence', 'inverse_kinematics',
    'largest_alpha', 'largest_alpha_kinematic', 'minimum_time', 'plan_move', 'position_error',
    'quintic_spline_fields', 'sampled', 'scale_time', 'shaped', 'shaper',
    'shortest_angular_distance', 'spliced', 'spline_velocities']
