# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Files are there as a whole or not at all, whatever ends the process that writes them."""

import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import textwrap

from bag_files import JOINTS, wave, wave_messages, write_bag
import numpy as np
import pytest

from kane_dynamics.analysis.report import html_parts
from kane_dynamics.commands.cli import main
from kane_dynamics.exceptions import InputError
from kane_dynamics.io import csv_table as table_file
from kane_dynamics.io.files import whole_file, whole_folder, write_text
from kane_dynamics.recorded.bags.source import BagSource
from kane_dynamics.recorded.bags.writer import BagWriter, STORAGES

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / 'urdf' / 'two_link.urdf'


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# -- one file ------------------------------------------------------------------------------------

def test_a_file_is_replaced_when_it_is_complete_and_not_before(tmp_path):
    path = tmp_path / 'table.csv'
    path.write_text('old')
    with whole_file(path) as temporary:
        temporary.write_text('new')
        assert path.read_text() == 'old'
        assert temporary.parent == tmp_path and temporary.suffix == '.csv'
    assert path.read_text() == 'new' and names(tmp_path) == ['table.csv']


@pytest.mark.parametrize('error', [ValueError, KeyboardInterrupt, SystemExit])
def test_an_interrupt_leaves_the_old_file_or_none(tmp_path, error):
    for path in (tmp_path / 'old', tmp_path / 'none'):
        (tmp_path / 'old').write_text('old')
        with pytest.raises(error), whole_file(path) as temporary:
            temporary.write_text('ne')
            raise error
        assert names(tmp_path) == ['old'] and (tmp_path / 'old').read_text() == 'old'


@pytest.mark.skipif(os.name != 'posix', reason='permissions, links and devices of POSIX')
def test_permissions_links_and_devices_are_as_with_open(tmp_path):
    path = tmp_path / 'file'
    before = os.umask(0o027)
    try:
        write_text(path, 'a')
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    (tmp_path / 'link').symlink_to('file')
    write_text(tmp_path / 'link', 'b')
    assert path.read_text() == 'b' and (tmp_path / 'link').is_symlink()
    assert path.stat().st_mode & 0o777 == 0o604
    write_text(os.devnull, 'c')
    assert not Path(os.devnull).is_file()
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, 'd')


@pytest.mark.skipif(os.name != 'posix', reason='permissions of POSIX')
def test_temporary_files_are_private_and_cannot_be_foreseen(tmp_path):
    before = os.umask(0)
    try:
        with whole_file(tmp_path / 'a.csv') as first, whole_file(tmp_path / 'a.csv') as second:
            assert first != second and len(first.name) > len('.a..csv') + 15
            assert [path.stat().st_mode & 0o777 for path in (first, second)] == [0o600] * 2
        with whole_folder(tmp_path / 'bag') as folder:
            folder.mkdir()
            assert folder.parent.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    assert (tmp_path / 'a.csv').stat().st_mode & 0o777 == 0o666
    assert (tmp_path / 'bag').stat().st_mode & 0o777 == 0o777


def test_an_error_names_the_file_that_was_asked_for(tmp_path, capsys):
    with pytest.raises(FileNotFoundError) as error:
        write_text(tmp_path / 'nowhere' / 'x.txt', '')
    assert error.value.filename == str(tmp_path / 'nowhere' / 'x.txt')
    assert main(['view', str(URDF), '--no-browser', '-o', str(tmp_path / 'no' / 'x.html')]) == 2
    assert capsys.readouterr().err == (
        f'kane view: {tmp_path / "no" / "x.html"}: no such file or directory\n')


@pytest.mark.parametrize('links', [True, False])
def test_a_file_that_must_not_exist_goes_to_who_comes_first(tmp_path, monkeypatch, links):
    if not links:               # a file system without hard links
        monkeypatch.setattr(os, 'link', lambda *_: os.rename(tmp_path / 'nowhere', tmp_path))
    path = tmp_path / 'file'
    with pytest.raises(InputError, match='exists already: another process wrote it meanwhile'):
        with whole_file(path, overwrite=False) as temporary:
            temporary.write_text('second')
            write_text(path, 'first', overwrite=False)
    assert path.read_text() == 'first' and names(tmp_path) == ['file']
    with pytest.raises(InputError, match='file exists already; name another one'):
        write_text(path, 'third', overwrite=False)


def test_processes_that_write_the_same_file_do_not_mix(tmp_path):
    program = textwrap.dedent("""\
        import sys
        from kane_dynamics.io.files import write_text
        for _ in range(100):
            write_text(sys.argv[1], sys.argv[2] * 300_000)
        """)
    path = tmp_path / 'file'
    writers = [subprocess.Popen([sys.executable, '-c', program, str(path), letter], cwd=ROOT)
               for letter in 'ab']
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            text = path.read_text()
            seen.add((len(text), *set(text)))
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {(300_000, 'a'), (300_000, 'b')} and seen
    assert names(tmp_path) == ['file']


# -- a folder ------------------------------------------------------------------------------------

def test_a_folder_appears_when_it_is_complete(tmp_path):
    path = tmp_path / 'new' / 'bag'
    with whole_folder(path) as temporary:
        temporary.mkdir()
        (temporary / 'bag.db3').write_text('x')
        assert temporary.name == 'bag' and not path.exists()
    assert names(path) == ['bag.db3'] and names(path.parent) == ['bag']
    with pytest.raises(InputError, match='exists already'), whole_folder(path):
        pass
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / 'other') as temporary:
        temporary.mkdir()
        raise KeyboardInterrupt
    assert names(tmp_path) == ['new']


@pytest.mark.parametrize('storage', STORAGES)
def test_of_two_processes_that_write_a_bag_one_wins_and_the_other_says_so(tmp_path, storage):
    t, q, qd, tau = wave(50)
    stamps = np.round(t * 1e9).astype(np.int64) + 10**18
    path = tmp_path / 'bag'
    first, second = BagWriter(path, storage), BagWriter(path, storage)
    with pytest.raises(InputError, match='bag exists already: another process wrote it meanwhile'):
        with second:
            second.write_joint_states('/slow', JOINTS, stamps, position=q)
            with first:
                first.write_joint_states('/quick', JOINTS, stamps, position=q)
    source = BagSource(path)
    assert [(topic.name, topic.count) for topic in source.topics] == [('/quick', 50)]
    assert not source.notes and names(tmp_path) == ['bag']


# -- commands that are interrupted ---------------------------------------------------------------

class Killer:
    """Call a function, but send this process a signal first; again and again."""

    def __init__(self, function, number):
        self._function, self._number, self.calls = function, number, 0

    def __call__(self, *arguments, **keywords):
        self.calls += 1
        os.kill(os.getpid(), self._number)
        return self._function(*arguments, **keywords)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder to work in, with a bag and a task."""
    write_bag(tmp_path / 'bag', wave_messages(400))
    (tmp_path / 'task.yaml').write_text(
        'task: {move: [0.1, 0], posture: zero, duration: 1}\n')
    monkeypatch.chdir(tmp_path)
    # a shell's background jobs inherit SIGINT as ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield tmp_path
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != 'posix', reason='signals of POSIX')
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
@pytest.mark.parametrize(('command', 'module', 'name'), [
    (['evaluate', 'bag', '--urdf', str(URDF)], BagWriter, 'write_joint_states'),
    (['evaluate', 'bag', '--urdf', str(URDF), '--storage', 'mcap'], BagWriter,
     'write_joint_states'),
    (['evaluate', 'bag', '--urdf', str(URDF), '--no-bag'], os, 'fsync'),
    (['analyze', str(URDF), 'task.yaml', '--no-page', '--csv', 'table.csv'], table_file,
     '_quoted'),
    (['analyze', str(URDF), 'task.yaml', '--bag', '--no-page'], BagWriter, 'write'),
    (['analyze', str(URDF), 'task.yaml'], os, 'fsync'),
    (['animate', str(URDF), 'task.yaml', '--size', '40x30', '-o', 'x.gif'], os, 'fsync'),
    (['excite', str(URDF), '--steps', '3'], os, 'fsync'),
    (['identify', 'bag', '--urdf', str(URDF), '--fit', 'friction', '-o', 'x.yaml'], os, 'fsync'),
    (['export', 'c99', str(URDF), '-o', '.'], os, 'fsync'),
    (['modes', str(ROOT / 'urdf' / 'flexible_3r.urdf'), '--linearize', 'x.npz'], os, 'fsync'),
    (['view', str(URDF), '-o', 'x.html', '--no-browser'], html_parts, 'escape'),
])
def test_a_command_that_is_interrupted_leaves_no_file_and_no_traceback(
        folder, monkeypatch, capsys, number, command, module, name):
    if command[0] == 'animate':
        pytest.importorskip('PIL', reason='Pillow is not installed')
    before = names(folder)
    killer = Killer(getattr(module, name), number)
    monkeypatch.setattr(module, name, lambda *a, **k: killer(*a, **k))
    handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    assert main(command) == 2
    assert killer.calls == 1 and names(folder) == before
    assert capsys.readouterr().err.endswith(f'kane {command[0]}: interrupted\n')
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == handlers


@pytest.mark.skipif(os.name != 'posix', reason='signals of POSIX')
def test_signals_after_the_first_do_not_stop_the_clearing_up(folder, monkeypatch, capsys):
    import shutil
    killer = Killer(BagWriter.write_joint_states, signal.SIGTERM)
    again = [Killer(shutil.rmtree, signal.SIGTERM), Killer(shutil.rmtree, signal.SIGINT)]
    monkeypatch.setattr(BagWriter, 'write_joint_states', lambda *a, **k: killer(*a, **k))
    monkeypatch.setattr(shutil, 'rmtree', lambda *a, **k: [each(*a, **k) for each in again])
    before = names(folder)
    assert main(['evaluate', 'bag', '--urdf', str(URDF)]) == 2
    assert [each.calls for each in again] == [1, 1] and names(folder) == before


@pytest.mark.skipif(os.name != 'posix', reason='signals of POSIX')
def test_sigterm_ends_a_command_with_its_status_and_a_line(folder):
    # a bag that takes long: the process is known to be at work when its temporary folder is there
    write_bag(folder / 'long', wave_messages(60_000))
    process = subprocess.Popen(
        [sys.executable, '-m', 'kane_dynamics', 'evaluate', 'long', '--urdf', str(URDF)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT)})
    while process.poll() is None and not list(folder.glob('.long_evaluated.*/*/*')):
        pass
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 2 and error.endswith('kane evaluate: interrupted\n'), error
    assert 'Traceback' not in error
    assert names(folder) == ['bag', 'long', 'task.yaml']


@pytest.mark.parametrize('started', [
    ['-m', 'kane_dynamics'],
    ['-c', 'import sys; from kane_dynamics.commands.cli import main; sys.exit(main())']])
def test_an_interrupt_during_imports_is_no_traceback(tmp_path, started):
    (tmp_path / 'numpy.py').write_text('raise KeyboardInterrupt\n')
    done = subprocess.run(
        [sys.executable, *started, 'info', str(URDF)], capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), str(ROOT)])})
    assert (done.returncode, done.stdout, done.stderr) == (2, '', 'kane info: interrupted\n')


def test_signals_that_were_ignored_stay_so(folder, monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)       # as under nohup
    try:
        killer = Killer(table_file._quoted, signal.SIGINT)
        monkeypatch.setattr(table_file, '_quoted', killer)
        assert main(['analyze', str(URDF), 'task.yaml', '--no-page', '--csv', 'x.csv']) in (0, 1)
        assert killer.calls > 1 and (folder / 'x.csv').exists()
    finally:
        signal.signal(signal.SIGINT, before)


# -- all of the package --------------------------------------------------------------------------

# modules that write otherwise, and why that is no file of a user
OTHERWISE = {'io/files.py': 'it is the helper itself',
             'nodes/demo/demo_graph.py': 'parameters and logs, in a private temporary folder'}
WRITES = re.compile(r"""\bopen\([^)]*['"][wax]b?\+?['"]|\.write_(text|bytes)\(|"""
                    r"""\.save(fig|z)?\(""")


def test_every_file_is_written_by_the_helpers():
    package = ROOT / 'kane_dynamics'
    found = {}
    for path in sorted(package.rglob('*.py')):
        text = path.read_text(encoding='utf-8')
        lines = [line.strip() for line in text.splitlines()
                 if WRITES.search(line)]
        if lines and not re.search(r'whole_file|whole_folder|import .*write_text', text):
            found[path.relative_to(package).as_posix()] = lines
    saved_elsewhere = {name for name, lines in found.items()
                       if all(re.search(r'(page|calibration|kane_dynamics)\.save\(', line)
                              for line in lines)}      # those use the helpers
    assert set(found) - saved_elsewhere == set(OTHERWISE) - {'io/files.py'}
