# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robots by name, from the packages of descriptions that are installed, and from any file.

example-robot-data has its files in the wheel. robot_descriptions clones a git repository when a
robot is first asked for, and keeps it.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import distribution, PackageNotFoundError
from importlib.util import find_spec
import os
from pathlib import Path
from pkgutil import iter_modules
from xml.parsers import expat

from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.io.text import clean, PATH, show, show_names
from kane_dynamics.model.inertia_checks import Unphysical
from kane_dynamics.model.library.mjcf_reader import load_mjcf
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.numerics.array_types import ArrayLike

ENDINGS = ('.urdf', '.xacro', '.xml')
EARTH = (0.0, 0.0, -9.81)       # [m/s^2]
HEAD_BYTES = 65_536             # of a file, in which its root element begins
EXAMPLES, DESCRIPTIONS = 'example-robot-data', 'robot_descriptions'
INSTALL = (f"'pip install {EXAMPLES}' (arms, hands, legged robots) or 'pip install "
           f"{DESCRIPTIONS}' (more robots, each downloaded on first use)")


def load_robot(robot: str | Path, gravity: ArrayLike | None = None, floating_base: bool = False,
               unphysical: Unphysical = 'refuse') -> Robot:
    """
    Return a Robot by name ('panda', 'ur5', ...) or from a URDF, xacro or MJCF file.

    robot: one of `robot_names`, or a path; an XML file whose root is <mujoco> is MJCF.
    gravity: (3,) in the world's axes [m/s^2]; None: that of an MJCF file, else (0, 0, -9.81).
    floating_base, unphysical: see `load_urdf`; in MJCF a <freejoint> makes the base float.
    """
    path = robot_file(robot)
    if not is_mjcf(path):
        return load_urdf(path, EARTH if gravity is None else gravity, floating_base, unphysical)
    if floating_base:
        raise InputError(f'{clean(path.name, PATH)}: floating_base is for URDF files; in MJCF add '
                         'a <freejoint/> to the body')
    return load_mjcf(path, gravity, unphysical)


def robot_names() -> tuple[str, ...]:
    """Return the names that `load_robot` knows, of the packages that are installed."""
    return tuple(sorted({*_examples(), *_descriptions()}))


def robot_file(robot: str | Path) -> Path:
    """Return the path of a robot's file: the path itself, or that of a known name."""
    if not isinstance(robot, (str, Path)):
        raise InputError(f'expected the name of a robot or the path of a file, got '
                         f'{type(robot).__name__}')
    path = Path(robot).expanduser()
    if isinstance(robot, Path) or len(path.parts) > 1 or path.suffix in ENDINGS or path.is_file():
        return path
    examples = _examples()
    return examples[robot] if robot in examples else _described(robot)


def is_mjcf(path: Path) -> bool:
    """Return whether the root element of a file is <mujoco>; the reader reports other faults."""
    tags: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: tags.append(tag)
    try:
        with path.open('rb') as file:
            parser.Parse(file.read(HEAD_BYTES))
    except (OSError, ValueError, expat.ExpatError):
        pass
    return tags[:1] == ['mujoco']


def _examples() -> dict[str, Path]:
    """Return {name: path} of the URDF files in example-robot-data.

    The name is that of the file without '_robot'. Where two packages have a file of one name, it
    is that of the package without '_description'.
    """
    by_stem: dict[str, list[Path]] = {}
    paths = (path for folder in _example_folders() for path in folder.glob('*/*/*.urdf'))
    for path in sorted(paths):
        by_stem.setdefault(path.stem.removesuffix('_robot'), []).append(path)
    found = {}
    for stem, same in by_stem.items():
        packages = {path.parts[-3].removesuffix('_description'): path for path in same}
        found.update(packages if len(packages) > 1 else {stem: same[-1]})
    return found


def _example_folders() -> list[Path]:
    """Return the folders of robots in the wheel or the sourced ROS distribution."""
    share = Path('share', EXAMPLES, 'robots')
    prefixes = [Path(prefix) for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(
        os.pathsep) if prefix]
    try:
        prefixes.insert(0, Path(str(distribution(EXAMPLES).locate_file('cmeel.prefix'))))
    except PackageNotFoundError:
        pass
    return [prefix / share for prefix in prefixes if (prefix / share).is_dir()][:1]


def _descriptions() -> dict[str, list[str]]:
    """Return {name: [module, ...]} of robot_descriptions; of two modules, URDF is the first."""
    spec = find_spec(DESCRIPTIONS)
    if spec is None:
        return {}
    modules = sorted(module.name for module in iter_modules(spec.submodule_search_locations)
                     if module.name.endswith('_description') and module.name[0] != '_')
    found: dict[str, list[str]] = {}
    for module in modules:
        name = module.removesuffix('_description')
        found.setdefault(name, []).insert(0, module)
        if name.endswith('_mj'):
            found.setdefault(name.removesuffix('_mj'), []).append(module)
    return found


def _described(name: str) -> Path:
    """Return the file of a robot in robot_descriptions, which downloads it on first use."""
    modules = _descriptions().get(name)
    if modules is None:
        raise _unknown(name)
    reasons = []
    for module in modules:
        try:
            described = import_module(f'{DESCRIPTIONS}.{module}')
        except Exception as error:      # of git, of the network, of many types
            reasons.append(f'{module}: {type(error).__name__}: {clean(error, PATH)}')
            continue
        for attribute in ('URDF_PATH', 'MJCF_PATH'):
            if hasattr(described, attribute):
                return Path(getattr(described, attribute))
        reasons.append(f'{module}: xacro with arguments; expand it with xacro and load the URDF')
    raise ModelError(f'{name!r}: {DESCRIPTIONS} has no file for it: ' + '; '.join(reasons))


def _unknown(name: str) -> ModelError:
    """Return the error for a name that no installed package has."""
    names = robot_names()
    shown = f'no file and no known robot is called {show(name)}'
    if not names:
        return ModelError(f'{shown}; robots by name need {INSTALL}')
    near = get_close_matches(name, names, 3)
    meant = f'; did you mean {" or ".join(map(repr, near))}?' if near else ''
    absent = [package for package, there in ((EXAMPLES, _examples()),
                                             (DESCRIPTIONS, _descriptions())) if not there]
    more = f'; for more robots pip install {absent[0]}' if absent else ''
    return ModelError(f'{shown}{meant} Known are {show_names(names, 40)}{more}')
