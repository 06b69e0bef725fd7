# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robots by name: the files they are read from, and messages that say what to install."""

from pathlib import Path
import sys

from example_robots import example_urdf
import pytest

import kane_dynamics as kd
from kane_dynamics.model.library import robot_library
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes

URDF = Path(__file__).resolve().parents[2] / 'urdf'
MJCF = """<?xml version="1.0"?>
<!-- <robot> in a comment -->
<mujoco model="swing"><worldbody><body><joint name="hinge"/><geom size="0.1"/></body></worldbody>
</mujoco>"""

pytestmark = pytest.mark.filterwarnings('ignore::kane_dynamics.KaneDynamicsWarning')


@pytest.mark.parametrize(('name', 'file'), [
    ('panda', 'panda.urdf'), ('ur5', 'ur5_robot.urdf'), ('ur10', 'ur10_robot.urdf'),
    ('ur3', 'ur3_robot.urdf'), ('kinova', 'kinova.urdf'), ('xarm7', 'xarm7.urdf'),
    ('ur5_gripper', 'ur5_gripper.urdf')])
def test_a_name_is_the_file_of_example_robot_data(name, file):
    assert robot_library.robot_file(name) == example_urdf(file)
    assert name in kd.robot_names()


def test_a_robot_by_name_is_the_robot_of_its_file():
    assert kd.load_robot('panda').to_urdf() == kd.load_urdf(example_urdf('panda.urdf')).to_urdf()


def test_two_files_of_one_name_are_known_by_their_packages():
    assert {'anymal_b_simple', 'anymal_c_simple'} <= set(kd.robot_names())


def test_meshes_of_a_robot_by_name_are_found():
    robot = kd.load_robot('ur5')
    meshes = RobotMeshes(robot.folder)
    files = [visual.filename for link in robot.links for visual in link.visuals
             if visual.kind == 'mesh']
    assert len(files) > 6 and all(file.startswith('package://') for file in files)
    assert all(meshes.parts(file) for file in files)


def test_a_path_is_read_by_its_root_element(tmp_path):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    path = tmp_path / 'model.xml'
    path.write_text(MJCF, encoding='utf-8')
    assert kd.load_robot(path).joint_names == ('hinge',)
    path.write_text((URDF / 'two_link.urdf').read_text(encoding='utf-8'), encoding='utf-8')
    assert kd.load_robot(str(path)).name == 'two_link'


def test_gravity_and_floating_base_reach_the_reader(tmp_path):
    robot = kd.load_robot(URDF / 'two_link.urdf', gravity=(0, 0, -1.62), floating_base=True)
    assert robot.gravity.tolist() == [0.0, 0.0, -1.62] and robot.floating_base
    path = tmp_path / 'model.xml'
    path.write_text(MJCF, encoding='utf-8')
    with pytest.raises(kd.InputError, match='freejoint'):
        kd.load_robot(path, floating_base=True)


def test_an_unknown_name_gets_near_names_and_the_list():
    with pytest.raises(kd.ModelError, match="'pandas'; did you mean 'panda'.*Known are .*'a1'"):
        kd.load_robot('pandas')


def test_without_any_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(robot_library, '_examples', dict)
    monkeypatch.setattr(robot_library, '_descriptions', dict)
    with pytest.raises(kd.ModelError, match="'panda'.*pip install example-robot-data.*"
                       'pip install robot_descriptions'):
        kd.load_robot('panda')
    assert kd.robot_names() == ()


@pytest.fixture
def descriptions(monkeypatch, tmp_path):
    """Return the folder of a package robot_descriptions with the modules of some robots."""
    folder = tmp_path / 'robot_descriptions'
    folder.mkdir()
    (folder / '__init__.py').touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.split('.')[0] == 'robot_descriptions']:
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in [name for name in sys.modules if name.split('.')[0] == 'robot_descriptions']:
        del sys.modules[name]


def test_robot_descriptions_provides_urdf_or_else_mjcf(descriptions, tmp_path):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    model = tmp_path / 'swing.xml'
    model.write_text(MJCF, encoding='utf-8')
    urdf = URDF / 'two_link.urdf'
    for name, text in {'planar': f'URDF_PATH = {str(urdf)!r}',
                       'planar_mj': f'MJCF_PATH = {str(model)!r}',
                       'swing': "XACRO_PATH = 'swing.xacro'",
                       'swing_mj': f'MJCF_PATH = {str(model)!r}'}.items():
        (descriptions / f'{name}_description.py').write_text(text, encoding='utf-8')
    assert kd.load_robot('planar').name == 'two_link'
    assert kd.load_robot('planar_mj').name == kd.load_robot('swing').name == 'swing'
    assert {'planar', 'planar_mj', 'swing', 'swing_mj'} <= set(kd.robot_names())


def test_a_download_that_fails_is_an_error_with_its_reason(descriptions):
    (descriptions / 'far_description.py').write_text(
        "raise ConnectionError('no network')", encoding='utf-8')
    with pytest.raises(kd.ModelError, match='far_description: ConnectionError: no network'):
        kd.load_robot('far')
