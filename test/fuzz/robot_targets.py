# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of robots under attack; torques beside those of Pinocchio and MuJoCo."""

from functools import cached_property
import warnings
import zlib

from direct_dynamics import DirectDynamics
import numpy as np
from target import ROOT, Target

import kane_dynamics as kd
from kane_dynamics.dynamics.oracle.pinocchio_arm import PinocchioArm

try:        # here, so that the processes of a run share them
    import mujoco
    from mujoco_models import MujocoModel
except ImportError:
    mujoco = None
try:
    import pinocchio
    import xacro
except ImportError:
    pinocchio = xacro = None

TORQUES = 1e-9          # of the largest torque: ours beside that of another program
REBUILT = 1e-7          # the same, of an arm that was written and read back
LARGEST_ARM = 12        # speeds of an arm whose torques are computed
SEEDS = ROOT / 'test' / 'fuzz' / 'seeds'


def random_state(robot):
    """Return q, qd, qdd of a robot, small in its elastic coordinates."""
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.nq))
    q[robot.modes_q] *= 0.01
    if robot.floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, qd[:robot.nv], qdd[:robot.nv]


def assert_same(dynamics, q, ours, theirs, tolerance, words):
    """Assert that torques agree, relative to the largest torque or mass."""
    difference = abs(ours - theirs).max()
    if difference > tolerance * abs(ours).max():
        size = abs(ours).max() + abs(dynamics.mass_matrix(q)).max() + 1e-6
        assert difference <= tolerance * size, f'{words}: {ours.tolist()}, {theirs.tolist()}'


class Urdf(Target):
    """URDF text of rigid arms."""

    ending = '.urdf'
    share = 20.0
    names = ('two_link', 'kane_levinson_arm', 'stanford_arm', 'six_axis')
    often = 20              # of so many texts, one begins with a large arm
    rebuilt_often = 4       # of so many accepted texts, one is written and read back
    flexible = False

    @cached_property
    def seeds(self):
        """Return the texts of small arms."""
        files = sorted(SEEDS.glob('*.urdf'))
        files += sorted((ROOT / 'test' / 'properties' / 'kept').glob('*.urdf'))
        return self._fitting(files)

    @cached_property
    def large_seeds(self):
        """Return the texts of arms of six joints."""
        return self._fitting([ROOT / 'urdf' / f'{name}.urdf' for name in self.names])

    def _fitting(self, files):
        texts = [path.read_bytes() for path in files]
        return [text for text in texts if (b'<flexible_' in text) == self.flexible]

    def chosen(self, rng):
        """Return a small arm, once in a while a large one."""
        return rng.choice(self.seeds if rng.randrange(self.often) else self.large_seeds)

    def read(self, data):
        """Compare the torques of an accepted text; write it and read it back now and then."""
        with warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter('always')
            robot = kd.parse_urdf(data, name=self.path.name)
        for remark in remarks:
            warnings.warn_explicit(remark.message, None, remark.filename, remark.lineno)
        if not 0 < robot.nv <= LARGEST_ARM:
            return
        q, qd, qdd = random_state(robot)
        dynamics = DirectDynamics(robot)
        tau = dynamics.inverse(q, qd, qdd)
        assert np.isfinite(tau).all(), f'torques {tau}'
        if zlib.crc32(data) % self.rebuilt_often == 0:
            again = kd.parse_urdf(robot.to_urdf(), floating_base=robot.floating_base,
                                  name=self.path.name, unphysical='warn')
            assert_same(dynamics, q, tau, DirectDynamics(again).inverse(q, qd, qdd), REBUILT,
                        'torques, and those of the arm that was written and read back')
        if pinocchio is not None and not robot.extensions and not remarks:
            try:
                theirs = PinocchioArm(pinocchio, robot, data.decode())
            except (UnicodeDecodeError, kd.KaneDynamicsError):
                return          # Pinocchio refuses the text
            assert_same(dynamics, q, tau, theirs.inverse(q, qd, qdd), TORQUES,
                        'torques, and those of Pinocchio')


class FlexibleUrdf(Urdf):
    """URDF text of arms with flexible links and joints."""

    share = 4.0
    names = ('flexible_single_link', 'padilla_two_link')
    flexible = True
    rebuilt_often = 10


class Xacro(Target):
    """Xacro files: macros, properties and expressions."""

    ending = '.urdf.xacro'

    @cached_property
    def seeds(self):
        """Return a file with a macro, properties and a condition."""
        return [b"""<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="length" value="0.5"/>
<xacro:macro name="part" params="name mass:=1.0 *origin">
<link name="${name}"><inertial><xacro:insert_block name="origin"/><mass value="${mass * 2}"/>
<inertia ixx="${mass / 12}" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</xacro:macro>
<link name="base"/>
<xacro:part name="a" mass="${length}"><origin xyz="${length / 2} 0 0"/></xacro:part>
<xacro:if value="${length &gt; 0.2}">
<joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
</xacro:if>
</robot>
"""]

    def read(self, data):
        """Compute torques of an accepted file."""
        self.path.write_bytes(data)
        robot = kd.load_urdf(self.path)
        if 0 < robot.nv <= LARGEST_ARM:
            rest = np.zeros(robot.nv)
            assert np.isfinite(DirectDynamics(robot).inverse(robot.neutral(), rest, rest)).all()


class Mjcf(Target):
    """MJCF files; torques beside those of mj_inverse."""

    ending = '.xml'
    share = 2.0

    @cached_property
    def seeds(self):
        """Return an arm with several joints per body, and a floating body with mimic joints."""
        return [b"""<mujoco model="arm">
<compiler angle="radian"/>
<option gravity="0.3 -0.2 -9.7"/>
<default><joint armature="0.05" damping="0.7"/><geom density="900"/></default>
<worldbody>
<body name="upper" pos="0 0 0.2" quat="0.9 0.1 -0.3 0.2">
<joint name="yaw" axis="0 0 1" ref="0.6" range="-2 2"/>
<joint name="pitch" axis="0 1 0.2" pos="0.02 0 -0.03"/>
<geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.03"/>
<body name="fore" pos="0.4 0 0.1">
<joint name="lift" type="slide" axis="1 0 1" ref="-0.1" pos="9 9 9" range="0 0.5"/>
<inertial pos="0.1 0.02 0" mass="2" fullinertia="0.02 0.03 0.04 0.001 0.002 -0.003"/>
<site name="tool" pos="0.2 0 0" euler="0 0.5 0"/>
</body>
</body>
</worldbody>
</mujoco>
""", b"""<mujoco>
<worldbody>
<body name="trunk" pos="0 0 1"><freejoint/><geom size="0.2 0.1 0.1" type="box"/>
<body name="left" pos="0.2 0 0"><joint name="a" axis="0 1 0" armature="0.01"/>
<geom type="capsule" size="0.02 0.1" pos="0 0 -0.1"/></body>
<body name="right" pos="-0.2 0 0"><joint name="b" axis="0 1 1" frictionloss="0.1"/>
<geom type="capsule" size="0.02 0.1" pos="0 0 -0.1"/></body></body>
</worldbody>
<equality><joint joint1="b" joint2="a" polycoef="0.1 0.5 0 0 0"/></equality>
<actuator><motor joint="a" gear="3" forcerange="-5 5"/></actuator>
</mujoco>
"""]

    def read(self, data):
        """Compare the torques of an accepted file."""
        self.path.write_bytes(data)
        robot = kd.load_mjcf(self.path)
        if mujoco is None or not 0 < robot.nv <= LARGEST_ARM:
            return
        q, qd, qdd = random_state(robot)
        damping = robot.reflected.damping
        dynamics = DirectDynamics(robot, kd.Friction(damping, np.zeros_like(damping)))
        tau = dynamics.inverse(q, qd, qdd)
        assert np.isfinite(tau).all(), f'torques {tau}'
        assert_same(dynamics, q, tau, MujocoModel(self.path).inverse(robot, q, qd, qdd), TORQUES,
                    'torques, and those of mj_inverse')
