# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arms that are timed, from the example-robot-data wheel."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path
import re

PATHS = {'UR5': 'ur_description/urdf/ur5_robot.urdf',
         'Panda': 'panda_description/urdf/panda.urdf',
         'Talos-32': 'talos_data/robots/talos_reduced.urdf'}


def urdf_text(name):
    """Return the URDF of an arm, without geometry; the Panda's fingers are held (7 joints)."""
    ending = PATHS[name]
    found = [each for each in files('example-robot-data') if str(each).endswith(ending)]
    text = Path(found[0].locate()).read_text()
    text = re.sub(r'<(visual|collision)>.*?</\1>', '', text, flags=re.DOTALL)
    if name == 'Panda':
        text = re.sub(r'<mimic[^>]*/>', '', text.replace('type="prismatic"', 'type="fixed"'))
    return text
