# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Readers of files under attack: a KaneDynamicsError that names the file, or a right result."""

from functools import cached_property
import shutil

from target import ROOT, Target   # first: it sets the path of the others

from bag_files import JOINTS, wave_messages, write_bag   # noqa: I100
from mesh_targets import Collada, Glb, Obj, Ply, Stl, trimesh
from mutations import mutated_bytes, mutated_text
import numpy as np
from robot_targets import FlexibleUrdf, Mjcf, mujoco, Urdf, Xacro, xacro

import kane_dynamics as kd
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.io.csv_table import read_table

MESSAGES = 60       # of a bag


class Calibration(Target):
    """Files of `kane identify`."""

    ending = '.yaml'

    @cached_property
    def seeds(self):
        robot = kd.load_urdf(ROOT / 'urdf' / 'two_link.urdf')
        joint = kd.JointCalibration(0.2, 0.3, -0.1, 0.4, 0.05, 0.1, 0.02)
        body = kd.Inertial(1.5, (0.1, 0.0, 0.2), np.diag([0.02, 0.03, 0.04]))
        moved = robot.moving_joints[-1].child
        return [kd.Calibration('two link', dict.fromkeys(robot.joint_names, joint),
                               {moved: body}, {'old': 0.3}, 0.02, {'rms': 0.1}).to_yaml().encode()]

    def read(self, data):
        self.path.write_bytes(data)
        found = kd.load_calibration(self.path)
        text = found.to_yaml()
        self.path.write_text(text, encoding='utf-8')
        again = kd.load_calibration(self.path)
        assert again.joints == found.joints and again.locked == found.locked, text


class Task(Target):
    """Task files of `kane analyze`, with the arm beside them."""

    ending = '.yaml'

    @cached_property
    def seeds(self):
        shutil.copy(ROOT / 'urdf' / 'two_link.urdf', self.folder)
        return [b"""arm: two_link.urdf
payload: {mass: 3 kg, com: [0, 0, 80 mm]}
limits: {safety: 3, energy: 200 J}
rate: 50 Hz
task:
  - way_points: [[0, 0], [90 deg, 0.1], [0.2, 0.3]]
    duration: 2 s
  - hold: 0.5 s
""", b"""arm: two_link.urdf
gravity: [0, 0, -9.81]
base: {rpy: [0, 0, 10 deg], position: [0, 0, 1 m]}
rate: 50 Hz
task:
  way_points: [[0, 0], [1, 0.5]]
  duration: 1 s
"""]

    def read(self, data):
        self.path.write_bytes(data)
        study = read_task(self.path)
        assert np.isfinite(study.motion.q).all()


class Csv(Target):
    """Tables of samples."""

    ending = '.csv'

    @cached_property
    def seeds(self):
        rows = [f'{0.1 * k!r},{0.3 * k!r},{-0.2 * k!r}' for k in range(20)]
        return ['\n'.join(['t,shoulder,elbow', *rows, '']).encode(),
                '\n'.join(['time,shoulder.q,elbow.q,shoulder.qd,elbow.qd', '0,1,2,3,4',
                           '1,1,2,3,4', '']).encode()]

    def read(self, data):
        self.path.write_bytes(data)
        t, *tables = read_table(self.path, ['shoulder', 'elbow'])
        assert (np.diff(t) > 0.0).all() and all(
            np.isfinite(table).all() and table.shape == (len(t), 2) for table in tables)


class Bag(Target):
    """A bag of joint states, byte by byte; a message that is lost is reported."""

    mutated = staticmethod(mutated_bytes)
    storage = ''

    @cached_property
    def bag(self):
        """Return the folder of the whole bag."""
        return write_bag(self.folder / 'bag', wave_messages(MESSAGES), self.storage)

    @cached_property
    def seeds(self):
        """Return the bytes of its storage file."""
        return [next(self.bag.glob(f'*{self.ending}')).read_bytes()]

    def read(self, data):
        """Read the joint states of a storage file."""
        self.path.write_bytes(data)
        self.read_bag(self.path)

    def read_bag(self, path):
        """Read the joint states of a bag."""
        states = kd.JointStates(path, JOINTS, '/joint_states')
        used = sum(len(block.t) for block in states)
        assert used == states.ledger.used
        lines = states.ledger.lines()
        assert used >= MESSAGES or not states.ledger.clean, f'{used} used: {lines}'


class SqliteBag(Bag):
    """A bag in SQLite."""

    ending, storage = '.db3', 'sqlite3'


class McapBag(Bag):
    """A bag in MCAP."""

    ending, storage = '.mcap', 'mcap'


class Metadata(Bag):
    """metadata.yaml of a whole bag."""

    mutated, ending, storage = staticmethod(mutated_text), '', 'mcap'
    place = 'bag'

    @cached_property
    def seeds(self):
        """Return the text of metadata.yaml."""
        return [(self.bag / 'metadata.yaml').read_bytes()]

    def read(self, data):
        """Read the joint states of the folder."""
        _ = self.seeds                      # before the first text is written over it
        (self.bag / 'metadata.yaml').write_bytes(data)
        self.read_bag(self.bag)


TARGETS = {'urdf': Urdf, 'flexible_urdf': FlexibleUrdf, 'xacro': Xacro, 'mjcf': Mjcf, 'task': Task,
           'calibration': Calibration, 'csv': Csv, 'sqlite_bag': SqliteBag, 'mcap_bag': McapBag,
           'metadata': Metadata, 'stl': Stl, 'obj': Obj, 'collada': Collada, 'ply': Ply,
           'glb': Glb}
for name, needed in (('xacro', xacro), ('mjcf', mujoco), ('ply', trimesh), ('glb', trimesh)):
    if needed is None:
        del TARGETS[name]
