# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The house plan of the imports, read from the source text: which room may use what."""

import ast
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = 'kane_dynamics'

# A room imports from the rooms before it, never from one after it or beside it.
ORDER = [('exceptions', 'pipe'), ('model',), ('kane',), ('codegen',), ('dynamics',), ('motion',),
         ('analysis',), ('bags',), ('nodes',), ('commands', 'cli'), ('__main__',)]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# These are the outermost, so they may use the public names as any user does.
OUTSIDE = ('nodes', 'commands', 'cli', '__main__')

# Third-party packages and the files that may import them, as patterns of paths in the package.
EVERYWHERE = {'numpy', 'scipy'}
ONLY_HERE = {
    'yaml': ['model/*', 'motion/*', 'analysis/*', 'nodes/*', 'bags*', 'commands/*'],
    'xacro': ['model/*'],
    'llvmlite': ['codegen/llvm*.py'],
    'pinocchio': ['dynamics/oracle.py'],
    'matplotlib': ['analysis/picture_file.py'],
    'PIL': ['analysis/animate.py'],
    'imageio_ffmpeg': ['analysis/animate.py'],
    'rosbags': ['bags*'],
}
ROS = ['nodes/*']
# optional: asked for when used
LAZY = {'pinocchio', 'matplotlib', 'PIL', 'imageio_ffmpeg', 'rosbags', 'xacro'}


def is_ros(name):
    """Return whether a top-level module comes from ROS: a client library or message types."""
    return (name in ('rclpy', 'launch', 'launch_ros', 'builtin_interfaces', 'std_srvs', 'tf2_ros',
                     'ament_index_python') or name.endswith(('_msgs', '_interfaces')))


def imported(tree, module):
    """Yield (node, absolute dotted name, at the module's top level?) for each import of a file."""
    in_functions = {
        inner for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(outer)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ''
            if node.level:
                base = '.'.join(module[:len(module) - node.level] + base.split('.')).strip('.')
            names = [f'{base}.{alias.name}' for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called in ('__import__', 'import_module', 'importlib.import_module'):
                names = [node.args[0].value]
        for name in names:
            yield node, name, node not in in_functions


def complaints(path, text):
    """Return what is wrong with the imports of a file; path is relative to the package."""
    path = PurePosixPath(path)
    room = path.parts[0].removesuffix('.py')
    module = [PACKAGE, *path.with_suffix('').parts]
    found = []
    if room not in RANK and room != '__init__':
        return [f'{path}: room {room!r} has no place in the order of imports; give it one in '
                f'ORDER: {" -> ".join(", ".join(rooms) for rooms in ORDER)}']
    for node, name, at_top in imported(ast.parse(text), module):
        where = f'{path}:{node.lineno}'
        top = name.split('.')[0]
        if top == PACKAGE:
            used = name.split('.')[1] if '.' in name else ''
            if room == '__init__':
                if used in OUTSIDE:
                    found.append(f'{where}: the public names must not load {used!r}')
            elif used not in RANK:
                if room not in OUTSIDE:
                    found.append(f'{where}: {room!r} imports {name!r} through the front door '
                                 'of the package; name the module that defines it')
            elif used != room and RANK[used] >= RANK[room]:
                found.append(f'{where}: {room!r} imports {name!r}, but imports go one way: '
                             f'{" -> ".join(", ".join(rooms) for rooms in ORDER)}')
            continue
        if top in sys.stdlib_module_names or top in EVERYWHERE:
            continue
        homes = ROS if is_ros(top) else ONLY_HERE.get(top)
        if homes is None:
            found.append(f'{where}: {top!r} is no dependency of this package '
                         f'(numpy, scipy, {", ".join(ONLY_HERE)} are)')
        elif not any(fnmatch(str(path), home) for home in homes):
            found.append(f'{where}: {top!r} belongs in {", ".join(homes)} only')
        elif top in LAZY and at_top:
            found.append(f'{where}: {top!r} is optional; import it in the function that uses it')
    return found


def dangers(path, text):
    """Return where a file could turn outside text into code."""
    path = PurePosixPath(path)
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        # Generated text is built from numbers and fixed words there, and is run there only.
        if called in ('eval', 'exec', 'compile') and path.parts[0] != 'codegen':
            found.append(f'{path}:{node.lineno}: {called}() outside of codegen/')
        if called in ('yaml.load', 'yaml.unsafe_load', 'yaml.full_load', 'pickle.load',
                      'pickle.loads', 'os.system'):
            found.append(f'{path}:{node.lineno}: {called}() obeys what a file says')
    return found


def sources():
    """Return the package's files as {path relative to the package: text}."""
    base = ROOT / PACKAGE
    return {path.relative_to(base).as_posix(): path.read_text(encoding='utf-8')
            for path in sorted(base.rglob('*.py'))}


def test_imports_go_one_way_and_each_dependency_stays_in_its_room():
    files = sources()
    assert files, f'no source found below {ROOT / PACKAGE}'
    found = [line for path, text in files.items() for line in complaints(path, text)]
    assert not found, '\n' + '\n'.join(found)


def test_no_text_from_a_file_becomes_code():
    found = [line for path, text in sources().items() for line in dangers(path, text)]
    assert not found, '\n' + '\n'.join(found)


@pytest.mark.parametrize(('path', 'text', 'word'), [
    ('model/robot.py', 'from kane_dynamics.dynamics.dynamics import Dynamics', 'one way'),
    ('model/robot.py', 'from ..kane import equations', 'one way'),
    ('model/robot.py', 'def f():\n    import kane_dynamics.motion.spline', 'one way'),
    ('nodes/loop.py', 'from kane_dynamics import cli', 'one way'),
    ('kane/equations.py', 'from kane_dynamics import Robot', 'front door'),
    ('kane/equations.py', 'import kane_dynamics as kd', 'front door'),
    ('__init__.py', 'from kane_dynamics.nodes.loop import Loop', 'public names'),
    ('gadgets/robot.py', 'import math', 'no place'),
    ('dynamics/dynamics.py', 'import llvmlite.binding', 'only'),
    ('dynamics/dynamics.py', 'import importlib\nimportlib.import_module("llvmlite")', 'only'),
    ('dynamics/dynamics.py', 'from matplotlib import pyplot', 'only'),
    ('motion/trajectory.py', 'from trajectory_msgs.msg import JointTrajectory', 'only'),
    ('cli.py', 'import rclpy', 'only'),
    ('dynamics/oracle.py', 'import pinocchio', 'in the function'),
    ('motion/simulate.py', 'import numba', 'no dependency'),
])
def test_a_wrong_import_is_named(path, text, word):
    found = complaints(path, text)
    assert len(found) == 1 and path in found[0] and word in found[0]


@pytest.mark.parametrize(('path', 'text'), [
    ('dynamics/dynamics.py', 'from ..model.robot import Robot\nfrom .friction import Friction'),
    ('dynamics/oracle.py', 'def load():\n    import pinocchio\n    return pinocchio'),
    ('codegen/llvm_types.py', 'from llvmlite import ir'),
    ('nodes/loop.py', 'import kane_dynamics as kd\nimport rclpy\nfrom sensor_msgs.msg import X'),
    ('cli.py', 'import kane_dynamics as kd\nfrom kane_dynamics.analysis import report'),
    ('__init__.py', 'from kane_dynamics.model.robot import Robot'),
])
def test_a_right_import_is_let_through(path, text):
    assert complaints(path, text) == []


@pytest.mark.parametrize('text', ['eval(text)', 'exec(text)', 'yaml.load(stream)'])
def test_a_dangerous_call_is_named(text):
    assert len(dangers('model/urdf.py', text)) == 1


def test_import_of_the_package_loads_nothing_optional():
    optional = ['rclpy', 'sensor_msgs', 'pinocchio', 'matplotlib', 'rosbags', 'xacro']
    program = ('import sys, kane_dynamics\n'
               f'print([name for name in {optional} if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', program], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == '[]'
