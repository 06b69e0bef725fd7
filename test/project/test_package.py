# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the code agrees with the code: package.xml, setup.py, requirements, headers."""

import ast
import configparser
import os
from pathlib import Path
import re
import runpy
import shutil
import subprocess
import sys
from unittest import mock
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = 'kane_dynamics'
HEADER = ('# Copyright 2026 The kane_dynamics authors\n'
          '# SPDX-License-Identifier: Apache-2.0\n')
SHARED_FOLDERS = ('launch', 'config', 'urdf')
# Python package -> rosdep key of what setup.py requires.
ROSDEP = {'numpy': 'python3-numpy', 'scipy': 'python3-scipy', 'pyyaml': 'python3-yaml'}
NO_ROSDEP_KEY = {'llvmlite'}


@pytest.fixture(scope='module')
def setup_arguments():
    """Return the keyword arguments that setup.py hands to setuptools."""
    setuptools = pytest.importorskip('setuptools')
    with mock.patch.object(setuptools, 'setup') as setup:
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            runpy.run_path('setup.py')
        finally:
            os.chdir(before)
    setup.assert_called_once()
    return setup.call_args.kwargs


@pytest.fixture(scope='module')
def manifest():
    """Return the root element of package.xml."""
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def python_files():
    """Return every Python file of the repository that people wrote."""
    folders = [PACKAGE, 'test', 'benchmark', 'examples', 'launch', 'requirements', 'doc']
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob('*.py'))]
    return [ROOT / 'setup.py', *files]


def normal(requirement):
    """Return the normal form of a requirement's name (PEP 503)."""
    return re.sub(r'[-_.]+', '-', re.match(r'[\w.-]+', requirement).group()).lower()


def pinned(path):
    """Return the lines of a requirements file that name a package."""
    lines = (line.split('#')[0].strip() for line in path.read_text(encoding='utf-8').splitlines())
    return [line for line in lines if line and not line.startswith('-r ')]


def test_package_xml_is_format_3_for_ament_python(manifest):
    assert manifest.get('format') == '3'
    assert manifest.findtext('name') == PACKAGE
    assert manifest.findtext('export/build_type') == 'ament_python'
    assert manifest.findtext('license') == 'Apache-2.0'
    assert (ROOT / manifest.find('license').get('file')).is_file()
    named = [(e.tag, e.text) for e in manifest if e.tag.endswith('depend')]
    assert len(named) == len(set(named))


def test_one_version_everywhere(manifest, setup_arguments):
    version = manifest.findtext('version')
    assert setup_arguments['version'] == version
    assert f'\nversion: {version}\n' in (ROOT / 'CITATION.cff').read_text(encoding='utf-8')
    init = ast.parse((ROOT / PACKAGE / '__init__.py').read_text(encoding='utf-8'))
    stated = [node.value.value for node in init.body if isinstance(node, ast.Assign)
              and ast.unparse(node.targets[0]) == '__version__']
    assert stated == [version]


def test_maintainer_and_name_agree(manifest, setup_arguments):
    assert setup_arguments['name'] == PACKAGE
    assert setup_arguments['maintainer_email'] == manifest.find('maintainer').get('email')
    assert setup_arguments['license'] == manifest.findtext('license')


def test_required_python_packages_have_their_rosdep_key(manifest, setup_arguments):
    keys = {e.text for e in manifest if e.tag in ('depend', 'exec_depend')}
    required = {normal(line) for line in setup_arguments['install_requires']}
    assert required - set(ROSDEP) == NO_ROSDEP_KEY
    assert {ROSDEP[name] for name in required & set(ROSDEP)} <= keys


def test_messages_that_nodes_import_are_dependencies(manifest):
    keys = {e.text for e in manifest if e.tag in ('depend', 'exec_depend')}
    for path in sorted((ROOT / PACKAGE / 'nodes').rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ImportFrom) and re.search(r'\.(msg|srv|action)$',
                                                              node.module or ''):
                assert node.module.split('.')[0] in keys, f'{path.name}:{node.lineno}'


def test_every_shared_file_is_installed(setup_arguments):
    installed = {source: target for target, files in setup_arguments['data_files']
                 for source in files}
    assert installed.pop('package.xml') == f'share/{PACKAGE}'
    marker = installed.pop(f'resource/{PACKAGE}')
    assert marker == 'share/ament_index/resource_index/packages'
    installed = {source: target for source, target in installed.items()
                 if target != f'lib/{PACKAGE}'}     # checked below
    present = {path.relative_to(ROOT).as_posix() for folder in SHARED_FOLDERS
               for path in (ROOT / folder).rglob('*')
               if path.is_file() and '__pycache__' not in path.parts}
    assert set(installed) == present
    for source, target in installed.items():
        assert target == f'share/{PACKAGE}/{Path(source).parent.as_posix()}'


def test_every_room_is_a_package(setup_arguments):
    rooms = {'.'.join(path.parent.relative_to(ROOT).parts)
             for path in (ROOT / PACKAGE).rglob('*.py')}
    assert set(setup_arguments['packages']) == rooms


def test_every_command_leads_to_a_main_function(setup_arguments):
    commands = setup_arguments['entry_points']['console_scripts']
    assert 'kane = kane_dynamics.commands.cli:main' in commands
    for command in commands:
        module, function = command.split('=')[1].strip().split(':')
        path = ROOT.joinpath(*module.split('.'))
        path = path / '__init__.py' if path.is_dir() else path.with_suffix('.py')
        tree = ast.parse(path.read_text(encoding='utf-8'))
        assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, command


def test_scripts_go_where_ros2_run_looks(setup_arguments):
    scripts = dict(setup_arguments['data_files'])[f'lib/{PACKAGE}']
    assert sorted(scripts) == [f'scripts/{name}' for name in (
        'demo', 'feedforward', 'monitor', 'simulator')]
    for script in scripts:
        path = ROOT / script
        assert os.access(path, os.X_OK) and f"start('{path.name}')" in path.read_text()
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / 'setup.cfg')
    assert config['install']['install_scripts'] == f'$base/lib/{PACKAGE}'
    assert config['develop']['script_dir'] == f'$base/lib/{PACKAGE}'


def test_every_python_file_carries_the_licence():
    bare = [path.relative_to(ROOT).as_posix() for path in python_files()
            if not path.read_text(encoding='utf-8').removeprefix(
                '#!/usr/bin/env python3\n').startswith(HEADER)]
    assert bare == []


def test_every_requirement_is_pinned_in_one_place():
    seen = {}
    for path in sorted((ROOT / 'requirements').glob('*.txt')):
        for line in pinned(path):
            pin, _, marker = (part.strip() for part in line.partition(';'))
            assert re.fullmatch(r'[A-Za-z0-9][\w.-]*==[\w.]+', pin), f'{path.name}: {line}'
            seen.setdefault((normal(pin), marker), []).append(path.name)
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}


def test_every_extra_is_among_the_pinned_requirements(setup_arguments):
    tested = {normal(line) for path in (ROOT / 'requirements').glob('*.txt')
              for line in pinned(path)}
    asked = {normal(line) for lines in [setup_arguments['install_requires'],
                                        *setup_arguments['extras_require'].values()]
             for line in lines}
    assert asked <= tested


def copy_of_the_source(place):
    """Return a copy of the repository to build in, so that the tree stays clean."""
    unwanted = shutil.ignore_patterns('.*', '__pycache__', 'build', 'install', 'log', '*.egg-info')
    return shutil.copytree(ROOT, place, ignore=unwanted)


def run(*command, **options):
    """Return what a command printed; fail with its errors where it failed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          **options)
    assert done.returncode == 0, f'{command}\n{done.stdout}\n{done.stderr}'
    return done.stdout


def test_a_wheel_holds_the_package_and_puts_kane_on_the_path(
        tmp_path, monkeypatch, setup_arguments):
    pytest.importorskip('setuptools', '70.1', 'setuptools 70.1 or newer is needed to build')
    pytest.importorskip('pip')
    source = copy_of_the_source(tmp_path / 'source')
    pip = [sys.executable, '-m', 'pip', '--disable-pip-version-check']
    run(*pip, 'wheel', '--no-deps', '--no-build-isolation', '-w', tmp_path, source)
    [wheel] = tmp_path.glob('*.whl')
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    written = {path.relative_to(source).as_posix() for path in (source / PACKAGE).rglob('*')
               if path.is_file()}
    assert {name for name in names if name.startswith(f'{PACKAGE}/')} == written

    # A sourced overlay has the package on PYTHONPATH: pip would find it installed already.
    metadata = tmp_path / 'overlay' / f'{PACKAGE}-{setup_arguments["version"]}.dist-info'
    metadata.mkdir(parents=True)
    (metadata / 'METADATA').write_text(
        f'Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {setup_arguments["version"]}\n')
    monkeypatch.setenv('PYTHONPATH', str(metadata.parent))
    clean = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}

    home = tmp_path / 'venv'
    run(sys.executable, '-m', 'venv', '--without-pip', home)
    run(*pip, '--python', home / 'bin' / 'python', 'install', '--no-deps', '--no-index', wheel,
        env=clean)
    assert (home / 'share' / PACKAGE / 'package.xml').is_file()
    assert (home / 'bin' / 'kane').is_file()
    # the nodes are where ros2 run looks, and their names are not on the PATH
    for name in ('demo', 'feedforward', 'monitor', 'simulator'):
        assert os.access(home / 'lib' / PACKAGE / name, os.X_OK)
        assert not (home / 'bin' / name).exists()
    # numpy and the rest come from where the tests run; kane_dynamics from the wheel alone.
    import numpy
    environment = {**os.environ, 'PYTHONPATH': str(Path(numpy.__file__).parents[1])}
    where = run(home / 'bin' / 'python', '-c', 'import kane_dynamics as k; print(k.__file__)',
                cwd=tmp_path, env=environment)
    assert Path(where.strip()).is_relative_to(home)
    assert 'usage' in run(home / 'bin' / 'kane', '--help', cwd=tmp_path, env=environment).lower()
