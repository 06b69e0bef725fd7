# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of robot arms, rigid and flexible, by Kane's method."""

from kane_dynamics.dynamics.dynamics import Dynamics, Energy
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import (
    InputError, KaneDynamicsError, KaneDynamicsWarning, MissingDependencyError, ModelError)
from kane_dynamics.model.dh import from_dh
from kane_dynamics.model.robot import Inertial, Robot
from kane_dynamics.model.urdf import load_urdf

__all__ = ['Dynamics', 'Energy', 'Friction', 'Inertial', 'InputError', 'KaneDynamicsError',
           'KaneDynamicsWarning', 'MissingDependencyError', 'ModelError', 'Robot', 'from_dh',
           'load_urdf']

__version__ = '0.1.0'
