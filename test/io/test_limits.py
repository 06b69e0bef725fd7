# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Every limit refuses what is beyond it, names itself and is raised by its variable."""

import os
from pathlib import Path
import subprocess
import sys
import textwrap
import tracemalloc

from bag_files import JOINTS, STORE, wave_messages
import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.movie import write_movie
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.io.cdr import Reader
from kane_dynamics.io.csv_table import read_table
from kane_dynamics.io.limits import Limit, LIMITS, XML_BYTES
from kane_dynamics.io.marked_yaml import parse_yaml, read_yaml
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.recorded.bags.damaged_mcap import DamagedMcap
from kane_dynamics.recorded.bags.source import BagSource
from kane_dynamics.recorded.bags.unpacking import bound_rosbags
from kane_dynamics.simulation.setup import Setup
from kane_dynamics.trajectory.goal.goal import read_points, TrajectoryGoal

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'doc' / 'limits.md'
ARM = ROOT / 'urdf' / 'two_link.urdf'
ROBOT = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">' \
    '<parent link="a"/><child link="b"/></joint></robot>'
MJCF = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
TABLE = 't,shoulder,elbow\n' + ''.join(f'{k},0,0\n' for k in range(5))
TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'


def table():
    """Return the table of doc/limits.md."""
    return ''.join(f'| `{limit.variable}` | {limit.default:_} | {limit.what} |\n'.replace(
        f'{limit.default:_}', f'{limit.default:_}'.replace('_', ' ')) for limit in LIMITS)


def test_the_page_lists_every_limit(request):
    text = PAGE.read_text(encoding='utf-8')
    head = '| variable | default | counts |\n|---|---|---|\n'
    before, rest = text.split(head)
    shown, after = rest.split('<!-- /limits -->')
    if request.config.getoption('--update-golden'):
        PAGE.write_text(f'{before}{head}{table()}<!-- /limits -->{after}', encoding='utf-8')
        return
    assert shown == table(), 'run pytest --update-golden test/io/test_limits.py'
    assert f'```text\narm.urdf: {XML_BYTES.exceeded}\n```' in text


def written(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def mesh(folder):
    """Draw a triangle; raise where it is left out."""
    written(folder, 'a.obj', TRIANGLE)
    meshes = RobotMeshes(folder)
    if meshes.mesh('a.obj', None) is None:
        raise kd.InputError(f'a.obj: {meshes.missing["a.obj"]}')


def mcap(folder):
    """Read a packed bag; raise what is noted."""
    path = folder / 'bag'
    if not path.exists():
        writer = Writer(path, version=8, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            connection = writer.add_connection('/joint_states', 'sensor_msgs/msg/JointState',
                                               typestore=STORE)
            for time, data in wave_messages(20):
                writer.write(connection, time, data)
    states = kd.JointStates(path, JOINTS, '/joint_states')
    for _ in states:
        pass
    if not states.ledger.clean:
        raise kd.InputError('\n'.join(states.ledger.lines()))


def goal(_):
    read_points(TrajectoryGoal(JOINTS, np.arange(1.0, 6.0), np.zeros((5, 2))))


def movie(folder):
    pytest.importorskip('PIL', reason='Pillow is not installed')

    class Painter:
        def draw(self, *_):
            from PIL import Image
            return Image.new('RGB', (4, 4))
    write_movie(folder / 'a.gif', Painter(), np.array([0.0, 1.0]), np.zeros((2, 2)), fps=5)


def mjcf(folder):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    kd.load_mjcf(written(folder, 'a.xml', MJCF))


# what is read, by the variable of its limit: all of it is within 5 or more of that
READ = {
    'KANE_MAX_XML_BYTES': lambda folder: kd.load_urdf(written(folder, 'a.urdf', ROBOT)),
    'KANE_MAX_XML_ELEMENTS': lambda folder: kd.parse_urdf(ROBOT),
    'KANE_MAX_XML_DEPTH': lambda folder: kd.parse_urdf(ROBOT),
    'KANE_MAX_XML_ATTRIBUTES': lambda folder: kd.parse_urdf(ROBOT),
    'KANE_MAX_XML_VALUE': lambda folder: kd.parse_urdf(ROBOT),
    'KANE_MAX_LINKS': lambda folder: kd.parse_urdf(ROBOT),
    'KANE_MAX_MESH_BYTES': mesh,
    'KANE_MAX_MESH_ITEMS': mesh,
    'KANE_MAX_YAML_BYTES': lambda folder: read_yaml(written(folder, 'a.yaml', 'a: 1\n')),
    'KANE_MAX_YAML_DEPTH': lambda folder: parse_yaml('a: [[1]]\n'),
    'KANE_MAX_CSV_ROWS': lambda folder: read_table(written(folder, 'a.csv', TABLE), JOINTS),
    'KANE_MAX_BAG_CHUNK_BYTES': mcap,
    'KANE_MAX_MESSAGE_NAMES': lambda folder: Reader(
        b'\0\1\0\0' + b'\5\0\0\0' + b'abcd\0' + bytes(7)).text(),
    'KANE_MAX_TRAJECTORY_POINTS': goal,
    'KANE_MAX_TASK_SAMPLES': lambda folder: read_task(written(
        folder, 'task.yaml', 'rate: 20\ntask: {move: [0.1, 0], posture: zero, duration: 1}\n'),
        ARM),
    'KANE_MAX_SIMULATION_SAMPLES': lambda folder: Setup(
        q0=np.zeros(2), qd0=np.zeros(2), duration=1.0, dt=0.1, method='rk4'),
    'KANE_MAX_MOVIE_FRAMES': movie,
}


def test_every_limit_is_tested():
    assert set(READ) == {limit.variable for limit in LIMITS}


@pytest.mark.parametrize('variable', READ)
def test_a_limit_refuses_with_its_number_and_its_variable(tmp_path, monkeypatch, variable):
    READ[variable](tmp_path)
    monkeypatch.setenv(variable, '1')
    with pytest.raises(kd.KaneDynamicsError, match=rf'more than 1 .*{variable} raises it'):
        READ[variable](tmp_path)
    monkeypatch.setenv(variable, '1000000')
    READ[variable](tmp_path)


def test_a_large_mjcf_file_is_refused(tmp_path, monkeypatch):
    mjcf(tmp_path)
    monkeypatch.setenv('KANE_MAX_XML_BYTES', '20')
    with pytest.raises(kd.ModelError, match='a.xml: more than 20 .*KANE_MAX_XML_BYTES raises it'):
        mjcf(tmp_path)


@pytest.mark.parametrize('text', ['x', '-1', '1e6', '\x1b[2J', '9' * 30, '٣'])
def test_a_variable_that_is_no_number_is_refused(monkeypatch, text):
    monkeypatch.setenv('KANE_MAX_LINKS', text)
    with pytest.raises(kd.InputError, match='KANE_MAX_LINKS: expected a whole number') as error:
        kd.parse_urdf(ROBOT)
    assert str(error.value).isprintable() and len(str(error.value)) < 300


def test_an_empty_variable_is_none(monkeypatch):
    monkeypatch.setenv('KANE_MAX_NONE', '')
    assert Limit('KANE_MAX_NONE', 7, 'things').value == 7


def test_merges_of_merges_in_yaml_take_no_exponential_time():
    # 2^60 merges by brute force; a cycle without an end
    text = 'a0: &a0 {x: 1, y: 2}\n' + ''.join(
        f'a{k}: &a{k} {{<<: [*a{k - 1}, *a{k - 1}], x: {k}, z{k}: 1}}\n' for k in range(1, 61))
    found = parse_yaml(text).entries()['a60'].entries()
    assert len(found) == 62 and found['x'].text() == '60' and found['y'].text() == '2'
    assert parse_yaml('a: &a {<<: *a, b: 1}\n').entries()['a'].entries()['b'].text() == '1'


def test_merged_names_keep_their_precedence():
    # own names, then the first of a list, then its merges (yaml.org/type/merge)
    text = 'x: &x {k: x, l: x}\na: &a {<<: *x, k: a}\nb: &b {<<: *x, k: b, m: b}\n'
    found = parse_yaml(text + 'top: {<<: [*a, *b], m: top}\n').entries()['top'].entries()
    assert {name: value.text() for name, value in found.items()} == {
        'k': 'a', 'l': 'x', 'm': 'top'}


@pytest.mark.parametrize('name', ['zstd', 'lz4'])
def test_a_chunk_unpacks_to_what_it_claims_and_no_further(name):
    pack = {'zstd': _zstd, 'lz4': _lz4}[name]
    unpack, data = bound_rosbags()[name], os.urandom(5000) * 20
    assert unpack(pack(data), len(data)) == data
    assert unpack(pack(data) + pack(data), 2 * len(data)) == 2 * data       # two frames
    assert len(unpack(pack(data)[:-100], len(data))) < len(data)            # cut
    with pytest.raises(kd.InputError, match='more than the 99999 bytes that it claims'):
        unpack(pack(data), 99_999)
    bomb = pack(bytes(100_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(kd.InputError, match='more than the 1000 bytes'):
            unpack(bomb, 1000)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def _zstd(data):
    return pytest.importorskip('backports.zstd').compress(data)


def _lz4(data):
    return pytest.importorskip('lz4.frame').compress(data)


@pytest.mark.skipif(sys.platform != 'linux', reason='address space is limited on Linux')
def test_a_bag_that_unpacks_to_gigabytes_is_read_within_little_memory(tmp_path):
    # a chunk of a whole bag is replaced by 400 MB of zeros in 13 kB, its claimed size kept
    mcap(tmp_path)
    file = next((tmp_path / 'bag').glob('*.mcap'))
    data = file.read_bytes()
    frame = data.index(b'\x28\xb5\x2f\xfd')          # the magic number of zstd
    packed = int.from_bytes(data[frame - 8:frame], 'little')
    bomb = _zstd(bytes(400_000_000))
    head = frame - 8 - 4 - len(b'zstd') - 4 - 8 - 8 - 8 - 9     # of the record of the chunk
    assert data[head] == 6
    length = int.from_bytes(data[head + 1:head + 9], 'little') + len(bomb) - packed
    file.write_bytes(data[:head + 1] + length.to_bytes(8, 'little') + data[head + 9:frame - 8]
                     + len(bomb).to_bytes(8, 'little') + bomb + data[frame + packed:])
    program = textwrap.dedent("""\
        import resource, sys
        import kane_dynamics as kd, kane_dynamics.recorded.bags.source, rosbags.rosbag2
        pages = int(open('/proc/self/statm').read().split()[0])
        most = pages * resource.getpagesize() + 200_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            states = kd.JointStates(sys.argv[1], ('shoulder', 'elbow'), '/joint_states')
            assert sum(len(block.t) for block in states) == 0
            print('\\n'.join(states.ledger.lines()))
        except kd.KaneDynamicsError as error:
            print(error)
        """)
    done = subprocess.run([sys.executable, '-c', program, str(file)], capture_output=True,
                          text=True, cwd=ROOT, env={**os.environ, 'OPENBLAS_NUM_THREADS': '1'})
    assert done.returncode == 0 and 'Traceback' not in done.stderr, done.stderr
    assert 'more than' in done.stdout and 'MemoryError' not in done.stdout, done.stdout


def test_damaged_bags_are_bounded_alike(tmp_path, monkeypatch):
    mcap(tmp_path)
    file = next((tmp_path / 'bag').glob('*.mcap'))
    monkeypatch.setenv('KANE_MAX_BAG_CHUNK_BYTES', '100')
    assert 'KANE_MAX_BAG_CHUNK_BYTES raises it' in DamagedMcap(file).damage
    assert BagSource(tmp_path / 'bag').topics
