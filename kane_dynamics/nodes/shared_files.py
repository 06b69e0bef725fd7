# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Data files of the package: arms in urdf/, parameters and the view of RViz in config/."""

from __future__ import annotations

from pathlib import Path
import sys

from kane_dynamics.exceptions import KaneDynamicsError


def shared_file(folder: str, name: str) -> Path:
    """Return the path of a file in the source tree or in an installation."""
    roots = [Path(__file__).parents[2]]
    try:
        from ament_index_python.packages import get_package_share_directory
        roots.append(Path(get_package_share_directory('kane_dynamics')))
    except (ImportError, LookupError, OSError):     # not a ROS installation
        pass
    roots.append(Path(sys.prefix, 'share', 'kane_dynamics'))
    for root in roots:
        if (root / folder / name).is_file():
            return root / folder / name
    raise KaneDynamicsError(f'{folder}/{name} is in none of {[str(root) for root in roots]}; '
                            'reinstall the package')
