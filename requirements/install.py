# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Make .venv and put one set of pinned requirements into it: python3 install.py demo|test|...

With nothing but the standard library, no root and no question asked. The second time nothing is
done: a stamp in .venv remembers what was installed, from which files, for which Python.

Where a ROS 2 distribution is sourced, its rclpy, messages and numpy are used: .venv then sees the
distribution's Python packages, takes from the registry only what they lack, and never replaces
numpy, which the distribution's compiled messages were built for.

uv installs the packages where it is installed itself, else pip.
"""

import hashlib
import importlib.util
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / '.venv'
VENV_PYTHON = VENV / 'bin' / 'python'
OLDEST_PYTHON = (3, 10)
# What distributions have too old: to install the package itself, and to read opaque pointers.
NEWER_THAN_THEIRS = ('setuptools', 'llvmlite')
LARGE = 10.0        # [MB] of a file whose download is reported


def say(text):
    """Print one line that tells what is going on."""
    print(f'[kane_dynamics] {text}', flush=True)


def stop(text):
    """End the program with a line that tells what is wrong and what to do."""
    sys.exit(f'[kane_dynamics] {text}')


def ros_distribution():
    """Return the name of the ROS 2 distribution whose rclpy this Python imports, or None."""
    if not (os.environ.get('ROS_DISTRO') or os.environ.get('AMENT_PREFIX_PATH')):
        return None
    name = os.environ.get('ROS_DISTRO', 'unnamed')
    # In a process of its own: an import can fail in many ways, a crash among them.
    done = subprocess.run([sys.executable, '-c', 'import rclpy'], capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ['no reason given'])[-1]
        say(f'ROS 2 {name} is sourced, but {sys.executable} cannot import rclpy ({why}); '
            'using wheels')
        return None
    return name


def files_of(name):
    """Return the path of a set's file and of the files that it includes, in order."""
    path = HERE / f'{name}.txt'
    if not path.is_file() or name == 'constraints':
        known = sorted(p.stem for p in HERE.glob('*.txt') if p.stem != 'constraints')
        stop(f'no set of requirements is called {name!r}; there are {", ".join(known)}')
    included = re.findall(r'^-r (\w+)\.txt$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return [path] + [p for inner in included for p in files_of(inner)]


def requirements_of(files):
    """Return the requirement lines of the files, as {normal name: [lines]}."""
    found = {}
    for path in files:
        for line in path.read_text(encoding='utf-8').splitlines():
            match = re.match(r'[A-Za-z0-9][\w.-]*', line)
            if match:
                name = re.sub(r'[-_.]+', '-', match.group()).lower()
                found.setdefault(name, []).append(line)
    return found


def digest(*parts):
    """Return a short fingerprint of texts and files."""
    text = hashlib.sha256()
    for part in parts:
        text.update(part.read_bytes() if isinstance(part, Path) else str(part).encode())
    return text.hexdigest()[:16]


def read(path):
    """Return a file's text, empty where there is none."""
    return path.read_text(encoding='utf-8') if path.is_file() else ''


def make_venv(distribution):
    """Make .venv anew, unless it was made by this Python and for the same kind of ROS."""
    stamp = VENV / 'made-by.stamp'
    made_by = digest(sys.version, sys.base_prefix, distribution)
    if read(stamp) == made_by and VENV_PYTHON.exists():
        return
    if VENV.exists():
        # Only what venv made is removed; half-made ones (stopped by hand) included.
        if not (VENV / 'pyvenv.cfg').is_file():
            stop(f'{VENV} is there and is no virtual environment: move it away')
        shutil.rmtree(VENV)
    say('making .venv (Python {}.{}.{}, {})'.format(
        *sys.version_info[:3],
        f'on top of ROS 2 {distribution}' if distribution else 'no ROS 2 sourced'))
    command = [sys.executable, '-m', 'venv', str(VENV)]
    if distribution:
        command.append('--system-site-packages')
    commands = [command]
    if importlib.util.find_spec('ensurepip') is None:  # Debian without python3-venv
        command.append('--without-pip')
        commands.append([sys.executable, '-m', 'pip', '--python', str(VENV_PYTHON),
                         'install', '-qq', 'pip'])
    for command in commands:
        if subprocess.run(command).returncode:
            stop('python3 -m venv failed; on Debian or Ubuntu: sudo apt install python3-venv')
    stamp.write_text(made_by, encoding='utf-8')


def pip_install(*arguments, hidden=()):
    """Install into .venv with its progress shown; end the program where that fails."""
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    # PIP_USER in a person's settings would ask for an install outside .venv.
    command = [str(VENV_PYTHON), '-m', 'pip', '--disable-pip-version-check', 'install',
               '--progress-bar', 'off', *map(str, arguments)]
    with subprocess.Popen(command, env={**environment, 'PIP_USER': '0'}, cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, errors='replace') as pip:
        report_progress(pip.stdout)
    if pip.returncode:
        stop('pip failed, see above; the next try goes on from what is installed')


def report_progress(lines):
    """Print what pip does, from the lines that it prints: one line on a terminal."""
    terminal = sys.stdout.isatty()
    found, shown = 0, ''

    def show(text):
        nonlocal shown
        if terminal:
            print(f'\r[kane_dynamics] {text:<70.70}', end='', flush=True)
        shown = text

    for line in lines:
        word, _, rest = line.strip().partition(' ')
        if word == 'Collecting':
            found += 1
            show(f'{found} packages found; {rest.split()[0]}')
        elif word in ('Downloading', 'Using') and '(' in rest:
            name, _, size = rest.rpartition('(')
            show(f'{found} packages found; {word.lower()} {name.split("/")[-1].strip()[:40]} '
                 f'({size.rstrip(")")})')
            if not terminal and word == 'Downloading' and size.rstrip(')').endswith('MB') and (
                    float(size.split()[0]) >= LARGE):
                say(f'downloading {name.split("-")[0].strip()} ({size}')
        elif line.startswith('Installing collected packages'):
            show(f'installing {line.count(",") + 1} packages')
            if not terminal:
                say(shown)
        elif word == 'ERROR:':
            print(line, end='', file=sys.stderr)
    if terminal and shown:
        print()


def uv_install(*arguments):
    """Install into .venv with uv, which shows its progress; return whether that succeeded."""
    uv = shutil.which('uv')
    return uv is not None and not subprocess.run(
        [uv, 'pip', 'install', '--python', str(VENV_PYTHON), *map(str, arguments)],
        cwd=ROOT).returncode


def install_wheels(name):
    """Install a set exactly as pinned."""
    pinned = ('-r', HERE / f'{name}.txt', '-c', HERE / 'constraints.txt')
    # pip has settings, such as another index, that uv does not read
    if not uv_install(*pinned):
        pip_install(*pinned)


def install_beside_ros(files):
    """Install of a set what the distribution lacks, its numpy kept as it is."""
    from importlib import metadata
    wanted, kept = [], []
    for name, lines in requirements_of(files).items():
        if name.startswith('ros-'):
            continue
        if name == 'pin':  # its wheel needs numpy 2, the distribution's messages need their own
            found = importlib.util.find_spec('pinocchio') is not None
            say('pinocchio: ' + (
                'from the distribution' if found else
                'not there; what compares with it is skipped (ros-<distribution>-pinocchio)'))
            continue
        try:
            if name in NEWER_THAN_THEIRS:
                raise metadata.PackageNotFoundError
            kept.append(f'{name} {metadata.version(name)}')
        except metadata.PackageNotFoundError:
            wanted += lines
    say('from the distribution: ' + (', '.join(kept) or 'nothing'))
    with tempfile.TemporaryDirectory() as place:
        numpy = Path(place) / 'numpy.txt'
        numpy.write_text(f'numpy=={metadata.version("numpy")}\n', encoding='utf-8')
        pip_install(*wanted, '-c', numpy)


def main(name):
    """Bring .venv to the state that a set of requirements asks for."""
    if sys.version_info < OLDEST_PYTHON:
        stop('Python {}.{} or newer is needed, and {} is {}.{}; name another one: '
             'make PYTHON=python3.12 ...'.format(
                 *OLDEST_PYTHON, sys.executable, *sys.version_info[:2]))
    files = files_of(name)
    packaged = 'setuptools' in requirements_of(files)
    distribution = ros_distribution()
    make_venv(distribution)
    about_package = [ROOT / 'setup.py', ROOT / 'setup.cfg', ROOT / 'pyproject.toml']
    stamp = VENV / f'{name}.stamp'
    state = digest(*files, HERE / 'constraints.txt', Path(__file__),
                   *(about_package if packaged else []))
    if read(stamp) == state:
        return
    began = time.monotonic()
    say(f'installing requirements/{name}.txt into .venv (once)')
    if distribution:
        install_beside_ros(files)
    else:
        install_wheels(name)
    if packaged:
        say('installing kane_dynamics itself, editable (.venv/bin/kane)')
        # PYTHONPATH would put an older setuptools before the pinned one.
        pip_install('--no-deps', '--no-build-isolation', '-e', ROOT, hidden=['PYTHONPATH'])
    stamp.write_text(state, encoding='utf-8')
    say(f'.venv is ready after {time.monotonic() - began:.0f} s, {megabytes(VENV):.0f} MB')


def megabytes(folder):
    """Return the size of the files in a folder [MB]."""
    return 1e-6 * sum(path.lstat().st_size for path in folder.rglob('*') if not path.is_dir())


if __name__ == '__main__':
    if len(sys.argv) != 2:
        stop('usage: python3 requirements/install.py first|demo|test|bench|lint|doc')
    main(sys.argv[1])
