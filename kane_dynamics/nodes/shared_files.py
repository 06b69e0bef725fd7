# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The files that come with the package: arms in urdf/, parameters and RViz's view in config/."""

from pathlib import Path
import sys

from kane_dynamics.exceptions import KaneDynamicsError


def shared_file(folder, name):
    """Return the path of a file: of the source tree, or where it was installed."""
    places = [Path(__file__).parents[2]]
    try:
        from ament_index_python.packages import get_package_share_directory
        places.append(Path(get_package_share_directory('kane_dynamics')))
    except (ImportError, LookupError, OSError):     # not a ROS installation
        pass
    places.append(Path(sys.prefix, 'share', 'kane_dynamics'))
    for place in places:
        if (place / folder / name).is_file():
            return place / folder / name
    raise KaneDynamicsError(f'{folder}/{name} is in none of {[str(place) for place in places]}; '
                            'install the package anew')
