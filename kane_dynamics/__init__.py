# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of robot arms, rigid and flexible, by Kane's method.

The public names, grouped by room. Each is imported when it is first used, so that
`import kane_dynamics` is quick and a torque does not wait for scipy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = '0.1.0'

_PUBLIC = {
    # errors and warnings
    'exceptions': ['InputError', 'KaneDynamicsError', 'KaneDynamicsWarning',
                   'MissingDependencyError', 'ModelError'],
    # model: what the arm is
    'model.dh': ['DHRow', 'from_dh'],
    'model.locking': ['lock_joints'],
    'model.library.mjcf_reader': ['load_mjcf'],
    'model.robot': ['Robot'],
    'model.library.robot_library': ['load_robot', 'robot_names'],
    'model.structure.links_and_joints': ['Inertial', 'Joint', 'Limits', 'Link', 'Mimic'],
    'model.structure.springs': ['JointSpring', 'LinkSpring'],
    'model.urdf_reader': ['load_urdf', 'parse_urdf'],
    # dynamics: torques, accelerations, matrices, frames
    'dynamics.body_functions': ['Energy'],
    'dynamics.calibration': ['Calibration', 'JointCalibration', 'load_calibration'],
    'dynamics.constraints.closure': ['assemble', 'complete_accelerations', 'complete_speeds'],
    'dynamics.constraints.constrained_dynamics': ['ConstrainedDynamics'],
    'dynamics.constraints.constraints': ['Constraint', 'Loop', 'PointOnSurfaces'],
    'dynamics.constraints.surfaces': ['Cylinder', 'ImplicitSurface', 'MovingSurface', 'Plane',
                                      'Sphere', 'Surface', 'line_surfaces'],
    'dynamics.drives.dc_drive': ['DcDrive'],
    'dynamics.drives.dc_motor': ['DcMotor'],
    'dynamics.drives.drives': ['Drive', 'Drives'],
    'dynamics.drives.gear': ['Gear'],
    'dynamics.drives.hydraulic': ['Crank', 'HydraulicDrive'],
    'dynamics.dynamics': ['Dynamics'],
    'dynamics.friction': ['Friction'],
    'dynamics.oracle.cross_check': ['cross_check'],
    # trajectory: joints in time
    'trajectory.angles': ['position_error', 'shortest_angular_distance'],
    'trajectory.cycle_sampler': ['CycleSampler'],
    'trajectory.effort_fill': ['densify', 'fill_effort'],
    'trajectory.extrema': ['Extrema', 'find_extrema'],
    'trajectory.fourier': ['FourierMotion'],
    'trajectory.from_samples': ['trajectory_from_samples'],
    'trajectory.goal.acceptance': ['ArmState', 'accept_goal'],
    'trajectory.goal.goal': ['TrajectoryGoal'],
    'trajectory.goal.refusal': ['GoalRefusedError', 'RefusalReason'],
    'trajectory.goal.rules': ['GoalRules'],
    'trajectory.goal.tolerances': ['Tolerances'],
    'trajectory.input_shaping': ['Shaper', 'shaped', 'shaper'],
    'trajectory.motion': ['Motion'],
    'trajectory.moves': ['Move', 'plan_move'],
    'trajectory.profiles': ['PROFILES', 'Profile'],
    'trajectory.splice': ['in_sequence', 'spliced'],
    'trajectory.spline': ['quintic_spline_fields', 'spline_velocities'],
    'trajectory.time_scaling': ['largest_alpha', 'largest_alpha_kinematic', 'scale_time'],
    'trajectory.trajectory': ['Trajectory', 'brake', 'hold'],
    'trajectory.trajectory_file': ['trajectory_csv', 'trajectory_json', 'trajectory_yaml'],
    # task: paths in space
    'task.cartesian_task': ['CartesianTask'],
    'task.curvilinear_path': ['Cylindrical', 'Spherical'],
    'task.direction': ['Pointing', 'PointingAngles'],
    'task.finding': ['Finding', 'TaskError'],
    'task.inverse_kinematics': ['NotReachedError', 'inverse_kinematics'],
    'task.joint_path': ['JointLine', 'JointSpline'],
    'task.minimum_time': ['TimedPath', 'minimum_time'],
    'task.orientation': ['AxisRotation', 'DirectionAndSpin', 'EulerAngles', 'Slerp',
                         'ThroughOrientations'],
    'task.path': ['Arc', 'Line', 'WayPoints'],
    'task.task': ['JointTask', 'TaskSequence'],
    # simulation: forward in time
    'simulation.equations.base_motion': ['BaseMotion'],
    'simulation.equations.link_forces': ['LinkForce'],
    'simulation.plant.plant': ['Plant'],
    'simulation.plant.robot_in_time': ['Simulation'],
    'simulation.plant.sensor': ['Sensor'],
    'simulation.setup': ['Setup'],
    'simulation.simulate': ['simulate'],
    'simulation.solution': ['Balance', 'Solution'],
    'simulation.stops': ['Stops'],
    'simulation.time_table': ['TimeTable'],
    # control: torque, cycle by cycle
    'control.control_law': ['ControlLaw'],
    'control.controller': ['Controller'],
    'control.flexible_torque_model': ['FlexibleTorqueModel'],
    'control.monitor.arm_monitor': ['ArmMonitor'],
    'control.monitor.momentum_observer': ['MomentumObserver'],
    'control.monitor.touch_detector': ['ContactDetector'],
    'control.phase': ['Fault', 'Known', 'Phase'],
    'control.torque_model': ['TorqueModel'],
    'control.torque_output': ['TorqueOutput'],
    'control.tracking_watch': ['TrackingWatch'],
    # recorded: from measurements
    'recorded.bags.joint_states': ['JointStates'],
    'recorded.evaluate': ['Evaluation', 'evaluate'],
    'recorded.identify.excitation': ['Excitation', 'ExcitationBounds'],
    'recorded.identify.identification': ['Estimate', 'Identification'],
    'recorded.identify.identifier': ['Identifier'],
    'recorded.identify.payload': ['PayloadEstimate', 'estimate_payload'],
    'recorded.saved_solution': ['save'],
    'recorded.smoothing.smoother': ['Smoother'],
    # analysis: what it means
    'analysis.collision.collision_check': ['Box', 'CollisionReport', 'Surroundings'],
    'analysis.display.page': ['Page'],
    'analysis.display.show': ['plot', 'show'],
    'analysis.pictures.movie': ['write_movie'],
    'analysis.pictures.painter': ['Painter'],
    'analysis.report.evaluation_page': ['evaluation_page'],
    'analysis.report.report_page': ['report_page'],
    'analysis.report.view_page': ['view_page'],
    'analysis.run_file.read_run': ['read_run'],
    'analysis.run_file.run': ['Run', 'RunResult', 'simulate_run'],
    'analysis.study.link_beam': ['beam_of'],
    'analysis.study.study': ['Analysis', 'HeldPayload', 'Study', 'analyse'],
    'analysis.task_file.read_task': ['read_task'],
    'analysis.vibration.deflection': ['DeflectionWatch', 'tip_deflections'],
    'analysis.vibration.linearize': ['linearize'],
    'analysis.vibration.modal_shaper': ['modal_shaper'],
    'analysis.vibration.static_sag': ['static_sag'],
    'analysis.vibration.tip_inversion': ['invert_tip'],
    'analysis.vibration.vibration': ['moving_modes', 'natural_frequencies', 'vibration'],
    'analysis.vukobratovic.influence': ['InfluenceModel'],
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Import a public name from its room."""
    if name not in _HOME:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(f'{__name__}.{_HOME[name]}'), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, '__version__']
