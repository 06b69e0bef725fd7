# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of robot arms, rigid and flexible, by Kane's method."""

from importlib import import_module

from kane_dynamics.dynamics.dynamics import Dynamics, Energy
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import (
    InputError, KaneDynamicsError, KaneDynamicsWarning, MissingDependencyError, ModelError)
from kane_dynamics.model.dh import from_dh
from kane_dynamics.model.robot import Inertial, Robot
from kane_dynamics.model.urdf import load_urdf

# what only some programs need is imported when it is first asked for: `import kane_dynamics` stays
# quick, and a torque does not wait for scipy
_LATER = {
    'ArmMonitor': 'motion.arm_monitor',
    'Calibration': 'dynamics.calibration',
    'ContactDetector': 'motion.contact_detector',
    'Identifier': 'analysis.identify',
    'JointCalibration': 'dynamics.calibration',
    'JointStates': 'bags.joint_states',
    'MomentumObserver': 'motion.momentum_observer',
    'Smoother': 'motion.smoothing',
    'estimate_payload': 'analysis.payload',
    'evaluate': 'analysis.evaluate',
    'load_calibration': 'dynamics.calibration',
    'lock_joints': 'model.locking',
    'Crank': 'dynamics.hydraulic',
    'DcDrive': 'dynamics.dc_drive',
    'DcMotor': 'dynamics.dc_motor',
    'Drives': 'dynamics.actuators',
    'Gear': 'dynamics.gear',
    'HydraulicDrive': 'dynamics.hydraulic',
    'DeflectionWatch': 'analysis.deflection',
    'InfluenceModel': 'analysis.influence',
    'invert_tip': 'motion.inversion',
    'linearize': 'analysis.linearize',
    'modal_shaper': 'analysis.modal_shaper',
    'moving_modes': 'analysis.modal',
    'natural_frequencies': 'analysis.modal',
    'static_sag': 'analysis.static_sag',
    'tip_deflections': 'analysis.deflection',
    'vibration': 'analysis.modal',
    'BaseMotion': 'motion.base_motion',
    'CartesianTask': 'motion.cartesian_task',
    'ConstrainedDynamics': 'dynamics.constrained',
    'Loop': 'dynamics.constraints',
    'PointOnSurfaces': 'dynamics.constraints',
    'Solution': 'motion.solution',
    'Stops': 'motion.stops',
    'inverse_kinematics': 'motion.inverse_kinematics',
    'minimum_time': 'motion.minimum_time',
    'simulate': 'motion.simulate',
}

__all__ = ['Dynamics', 'Energy', 'Friction', 'Inertial', 'InputError', 'KaneDynamicsError',
           'KaneDynamicsWarning', 'MissingDependencyError', 'ModelError', 'Robot', 'from_dh',
           'load_urdf', *_LATER]

__version__ = '0.1.0'


def __getattr__(name):
    """Import a public name of a later room."""
    if name not in _LATER:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(f'{__name__}.{_LATER[name]}'), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})
