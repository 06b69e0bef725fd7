# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The URDF files of the example-robot-data wheel."""

import importlib.metadata
from pathlib import Path

# What is refused, and the words that say why. Each was looked at: the file is at fault.
REFUSED = {
    'alex_description/alex_psyonic_hands.urdf': "mimics the unknown joint 'index_q1'",
    'ur_description/ur3.urdf': 'has no link',
    'romeo_description/romeo.urdf': "'LFinger11Link': moves by joint 'LHand', but neither",
    'romeo_description/romeo_laas_small.urdf': "'LHipPitch_link': moves with principal inertias",
}
# Largest relative differences from Pinocchio.
FUNCTIONS = ('inverse', 'mass_matrix', 'forward')
BARS = {'inverse': 1e-12, 'mass_matrix': 1e-12, 'forward': 1e-11}
# Massless links where three axes meet: at some poses M is singular to eight and more digits. There
# accelerations may be off by round-off times cond(M); the last test shows which of the two is.
# All other robots keep to the bar whatever cond(M) is.
NEARLY_SINGULAR = {'human_description/human.urdf', 'icub_description/icub.urdf',
                   'icub_description/icub_reduced.urdf'}


def example_urdfs():
    """Return {short path: path} of every URDF in the example-robot-data wheel, sorted."""
    files = importlib.metadata.files('example-robot-data') or []
    paths = [Path(file.locate()) for file in files if file.suffix == '.urdf']
    return {f'{path.parts[-3]}/{path.name}': path for path in sorted(paths)}


def example_urdf(name):
    """Return the path of one example robot, for instance 'ur5_robot.urdf'."""
    return next(path for path in example_urdfs().values() if path.name == name)
