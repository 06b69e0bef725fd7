# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The house plan of the imports, read from the source text: which room may use what."""

import ast
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from statistics import median
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = 'kane_dynamics'

# A room imports from the rooms before it, never from one after it or beside it.
ORDER = [('exceptions',), ('io',), ('numerics',), ('model',), ('kane',), ('codegen',),
         ('dynamics',), ('trajectory',), ('task',), ('simulation',), ('control',), ('recorded',),
         ('analysis',), ('nodes',), ('commands',), ('__main__',)]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# These are the outermost, so they may use the public names as any user does.
OUTSIDE = ('nodes', 'commands', '__main__')
# Methods of lower rooms that display their object: they use the public names when called.
DISPLAYED = 'io/shown.py'
# Folders stay small enough to be read as a list.
MOST_MODULES, MEDIAN_MODULES, MOST_LINES = 18, 8, 320
SHORT_LINES, MOST_SHORT = 40, 20

# Third-party packages and the files that may import them, as patterns of paths in the package.
EVERYWHERE = {'numpy', 'scipy'}
ONLY_HERE = {
    'yaml': ['io/*', 'recorded/*', 'analysis/*', 'nodes/*', 'trajectory/*', 'commands/*',
             'dynamics/*'],
    'xacro': ['model/urdf_source.py'],
    'mujoco': ['model/library/mjcf_model.py'],
    'robot_descriptions': ['model/library/robot_library.py'],
    'llvmlite': ['codegen/llvm*.py'],
    'pinocchio': ['dynamics/oracle/*'],
    'matplotlib': ['analysis/pictures/figure_file.py'],
    'PIL': ['analysis/pictures/painter.py'],
    'imageio_ffmpeg': ['analysis/pictures/movie.py'],
    'rosbags': ['recorded/bags/*'],
    'trimesh': ['model/meshes/mesh_reader.py'],
    'fast_simplification': ['model/meshes/mesh_reduction.py'],
    'coal': ['analysis/collision/coal_pair.py'],
    'lz4': ['recorded/bags/unpacking.py'],
    'backports': ['recorded/bags/unpacking.py'],       # of zstd, before Python 3.14
    'compression': ['recorded/bags/unpacking.py'],
    'meshcat': ['analysis/display/meshcat_scene.py'],
}
ROS = ['nodes/*']
# optional: asked for when used
LAZY = {'pinocchio', 'matplotlib', 'PIL', 'imageio_ffmpeg', 'rosbags', 'xacro', 'mujoco',
        'robot_descriptions', 'meshcat', 'trimesh', 'fast_simplification', 'coal', 'lz4',
        'backports', 'compression'}


def is_ros(name):
    """Return whether a top-level module comes from ROS: a client library or message types."""
    return (name in ('rclpy', 'launch', 'launch_ros', 'builtin_interfaces', 'std_srvs', 'tf2_ros',
                     'ament_index_python') or name.endswith(('_msgs', '_interfaces')))


def imported(tree, module):
    """Yield (node, absolute dotted name, at the module's top level?) for each import of a file.

    What only type checkers import, under `if TYPE_CHECKING:`, does not count.
    """
    in_functions = {
        inner for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(outer)}
    for_types = {
        inner for outer in ast.walk(tree)
        if isinstance(outer, ast.If) and ast.unparse(outer.test) == 'TYPE_CHECKING'
        for statement in outer.body for inner in ast.walk(statement)}
    for node in ast.walk(tree):
        names = []
        if node in for_types:
            continue
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
                if room not in OUTSIDE and (str(path) != DISPLAYED or at_top):
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
    ('model/robot.py', 'def f():\n    import kane_dynamics.trajectory.spline', 'one way'),
    ('nodes/loop.py', 'from kane_dynamics import commands', 'one way'),
    ('kane/equations.py', 'from kane_dynamics import Robot', 'front door'),
    ('kane/equations.py', 'import kane_dynamics as kd', 'front door'),
    ('io/shown.py', 'import kane_dynamics as kd', 'front door'),
    ('io/text.py', 'def f():\n    import kane_dynamics', 'front door'),
    ('__init__.py', 'from kane_dynamics.nodes.loop import Loop', 'public names'),
    ('gadgets/robot.py', 'import math', 'no place'),
    ('dynamics/dynamics.py', 'import llvmlite.binding', 'only'),
    ('dynamics/dynamics.py', 'import importlib\nimportlib.import_module("llvmlite")', 'only'),
    ('dynamics/dynamics.py', 'from matplotlib import pyplot', 'only'),
    ('trajectory/trajectory.py', 'from trajectory_msgs.msg import JointTrajectory', 'only'),
    ('commands/cli.py', 'import rclpy', 'only'),
    ('dynamics/oracle/arm.py', 'import pinocchio', 'in the function'),
    ('simulation/simulate.py', 'import numba', 'no dependency'),
])
def test_a_wrong_import_is_named(path, text, word):
    found = complaints(path, text)
    assert len(found) == 1 and path in found[0] and word in found[0]


@pytest.mark.parametrize(('path', 'text'), [
    ('dynamics/dynamics.py', 'from ..model.robot import Robot\nfrom .friction import Friction'),
    ('dynamics/oracle/arm.py', 'def load():\n    import pinocchio\n    return pinocchio'),
    ('codegen/llvm_types.py', 'from llvmlite import ir'),
    ('nodes/loop.py', 'import kane_dynamics as kd\nimport rclpy\nfrom sensor_msgs.msg import X'),
    ('commands/cli.py', 'import kane_dynamics as kd\nfrom kane_dynamics.analysis import report'),
    ('__init__.py', 'from kane_dynamics.model.robot import Robot'),
    ('io/shown.py', 'def show(self):\n    import kane_dynamics\n    kane_dynamics.show(self)'),
])
def test_a_right_import_is_let_through(path, text):
    assert complaints(path, text) == []


def folder_imports(files):
    """Return {folder: {folders it imports}} of {path: text}, sub-rooms apart from their rooms."""
    folders = {str(PurePosixPath(path).parent) for path in files}
    edges = {folder: set() for folder in folders}
    for path, text in files.items():
        path = PurePosixPath(path)
        module = [PACKAGE, *path.with_suffix('').parts]
        for _, name, _ in imported(ast.parse(text), module):
            parts = name.split('.')
            if parts[0] != PACKAGE:
                continue
            # the longest prefix that is a module or a folder of the package
            for end in range(len(parts), 0, -1):
                target = '/'.join(parts[1:end]) or '.'
                if f'{target}.py' in files:
                    target = str(PurePosixPath(target).parent)
                elif target not in folders:
                    continue
                if target != str(path.parent):
                    edges[str(path.parent)].add(target)
                break
    return edges


def modules_loaded(files):
    """Return {path: the modules of the package that its import loads}, `__init__.py` left out."""
    direct = {}
    for path, text in files.items():
        module = [PACKAGE, *PurePosixPath(path).with_suffix('').parts]
        names = [name.split('.')[1:] for _, name, at_top in imported(ast.parse(text), module)
                 if at_top and name.startswith(f'{PACKAGE}.')]
        # `from package.module import name` and `from package import module`
        ends = {f'{"/".join(parts[:end])}.py' for parts in names
                for end in (len(parts), len(parts) - 1)}
        direct[path] = ends & files.keys()
    loaded = {}
    for path in files:
        found, left = set(), [path]
        while left:
            last = left.pop()
            if last not in found:
                found.add(last)
                left += direct[last]
        loaded[path] = found - {path}
    return loaded


def test_a_module_loads_few_others(record_property):
    # `import kane_dynamics.motion.recording`, two dataclasses, once loaded 90
    loaded = modules_loaded(modules())
    counts = {path: len(found) for path, found in loaded.items()
              if path.split('/')[0] not in OUTSIDE}
    record_property('figure', f'a module before nodes/ loads {median(counts.values()):g} others '
                    f'(median), at most {max(counts.values())}')
    assert median(counts.values()) <= 12
    assert not {path: count for path, count in counts.items()
                if path.split('/')[0] in ('io', 'numerics', 'kane', 'codegen') and count > 15}


def test_the_modules_that_an_import_loads_are_those_found_in_the_text():
    for path in ('control/controller.py', 'recorded/bags/joint_states.py'):
        name = f'{PACKAGE}.{path[:-3].replace("/", ".")}'
        done = subprocess.run(
            [sys.executable, '-c', f'import sys, {name}\nprint(*sys.modules)'],
            cwd=ROOT, capture_output=True, text=True, check=True)
        expected = {f'{PACKAGE}.{each[:-3].replace("/", ".")}'
                    for each in {path} | modules_loaded(modules())[path]}
        files = {f'{PACKAGE}.{each[:-3].replace("/", ".")}' for each in modules()}
        assert files & set(done.stdout.split()) == expected


def in_cycles(edges):
    """Return the folders that lie on a cycle of imports or lead to one; [] where there is none."""
    left = {folder: set(used) for folder, used in edges.items()}
    while True:
        free = [folder for folder, used in left.items() if not used & left.keys()]
        if not free:
            return sorted(left)
        for folder in free:
            del left[folder]


def test_no_two_folders_import_each_other():
    files = {path: text for path, text in sources().items() if '/' in path}
    assert in_cycles(folder_imports(files)) == []


def test_folders_that_import_each_other_are_found():
    files = {'io/__init__.py': '', 'io/text.py': 'from kane_dynamics.model.robot import Robot',
             'model/__init__.py': '', 'model/robot.py': 'from kane_dynamics.io import text',
             'kane/__init__.py': '', 'kane/mass.py': 'from kane_dynamics.model.robot import Robot'}
    assert folder_imports(files)['io'] == {'model'}
    assert in_cycles(folder_imports(files)) == ['io', 'kane', 'model']
    del files['io/text.py']
    assert in_cycles(folder_imports(files)) == []


def modules():
    """Return {path: text} of the package without `__init__.py` and `__main__.py`."""
    return {path: text for path, text in sources().items()
            if PurePosixPath(path).name not in ('__init__.py', '__main__.py')}


def test_folders_and_files_stay_readable():
    files = modules()
    sizes = Counter(str(PurePosixPath(path).parent) for path in files)
    too_large = {folder: size for folder, size in sizes.items() if size > MOST_MODULES}
    assert not too_large
    assert median(sizes.values()) <= MEDIAN_MODULES
    lines = {path: text.count('\n') for path, text in files.items()}
    assert not {path: count for path, count in lines.items()
                if count > MOST_LINES}
    short = sorted(path for path, count in lines.items() if count < SHORT_LINES)
    assert len(short) <= MOST_SHORT, short


def test_every_folder_says_in_one_line_what_is_inside():
    for path, text in sources().items():
        if PurePosixPath(path).name == '__init__.py':
            first = (ast.get_docstring(ast.parse(text)) or '').splitlines()[:1]
            assert first and first[0].endswith('.'), f'{path}: expected a line of docstring'
    base = ROOT / PACKAGE
    for folder in base.rglob('*'):
        if folder.is_dir() and any(folder.glob('*.py')):
            assert (folder / '__init__.py').is_file(), folder


BLOCKED = """
import importlib, importlib.abc, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.split('.')[0]
        if top in ('rclpy', 'launch', 'launch_ros', 'builtin_interfaces', 'std_srvs') or (
                top.endswith(('_msgs', '_interfaces'))):
            raise ModuleNotFoundError(f'{name} is blocked', name=top)

sys.meta_path.insert(0, Refuse())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_everything_before_the_nodes_imports_without_ros():
    names = [f'{PACKAGE}.{path[:-3].replace("/", ".")}' for path in modules()
             if path.split('/')[0] not in ('nodes', 'commands')]
    assert f'{PACKAGE}.control.controller' in names
    done = subprocess.run([sys.executable, '-c', BLOCKED, *names], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('text', ['eval(text)', 'exec(text)', 'yaml.load(stream)'])
def test_a_dangerous_call_is_named(text):
    assert len(dangers('model/urdf_reader.py', text)) == 1


def test_import_of_the_package_loads_nothing_optional():
    optional = ['rclpy', 'sensor_msgs', 'pinocchio', 'matplotlib', 'rosbags', 'xacro', 'mujoco',
                'robot_descriptions', 'meshcat', 'trimesh', 'fast_simplification', 'coal']
    program = ('import sys, kane_dynamics\n'
               f'print([name for name in {optional} if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', program], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == '[]'
