# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Small arms with closed forms, and MuJoCo as another simulator, for the tests of motion."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import kane_dynamics as kd

# the moments about x and z are others than about y, the axis that counts, as those of a real body
LINK = """<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/><inertia ixx="{4}"
 iyy="{3}" izz="{5}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>
 <origin xyz="{4}"/><axis xyz="{5}"/><limit lower="{6}" upper="{7}" effort="1e3" velocity="1e3"/>
 </joint>"""


def link(name, com, mass, inertia):
    """Return the URDF text of a link."""
    return LINK.format(name, com, mass, inertia, 1.1 * inertia, 0.3 * inertia)


def pendulum(lower=-3.0, upper=3.0):
    """Return a pendulum of 2 kg, its centre 0.5 m below the pivot, I = 0.1 kg m^2 about it."""
    return kd.load_urdf('<robot name="pendulum"><link name="base"/>' + link(
        'bob', '0 0 -0.5', 2.0, 0.1) + JOINT.format(
            'pivot', 'revolute', 'base', 'bob', '0 0 0', '0 1 0', lower, upper) + '</robot>')


def slider(axis='0 0 1', lower=0.0, upper=100.0):
    """Return 2 kg on a straight rail."""
    return kd.load_urdf('<robot name="slider"><link name="base"/>' + link(
        'block', '0 0 0', 2.0, 0.01) + JOINT.format(
            'rail', 'prismatic', 'base', 'block', '0 0 0', axis, lower, upper) + '</robot>')


def double_pendulum(lower=-3.0, upper=3.0):
    """Return two links of 2 kg and 1 kg with strong inertial coupling."""
    return kd.load_urdf(
        '<robot name="double_pendulum"><link name="base"/>'
        + link('upper', '0 0 -0.25', 2.0, 0.02) + link('lower', '0 0 -0.2', 1.0, 0.01)
        + JOINT.format('one', 'revolute', 'base', 'upper', '0 0 0', '0 1 0', lower, upper)
        + JOINT.format('two', 'revolute', 'upper', 'lower', '0 0 -0.5', '0 1 0', lower, upper)
        + '</robot>')


def tumbling_body(inertia=(0.2, 0.2, 0.1), gravity=(0.0, 0.0, -9.81)):
    """Return a free body of 3 kg with these central moments of inertia."""
    xx, yy, zz = inertia
    return kd.load_urdf(
        '<robot name="top"><link name="body"><inertial><mass value="3"/><inertia '
        f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        gravity=gravity, floating_base=True)


def six_axis():
    """Return the package's own six-axis arm."""
    return kd.load_urdf(str(Path(__file__).parents[2] / 'urdf' / 'six_axis.urdf'))


class MujocoArm:
    """The same arm in MuJoCo, stepped by its RK4 under held torques: no contact, no limits."""

    def __init__(self, robot, timestep, damping=False):
        import mujoco
        self._mujoco = mujoco
        root = ElementTree.fromstring(robot.to_urdf())
        for link in root.iter('link'):
            for visual in link.findall('visual'):
                link.remove(visual)
        for joint in root.iter('joint'):
            for limit in joint.findall('limit'):           # stops and effort bounds
                joint.remove(limit)
            if not damping:
                for friction in joint.findall('dynamics'):
                    joint.remove(friction)
            if joint.get('type') == 'revolute':
                joint.set('type', 'continuous')
        extra = ElementTree.SubElement(root, 'mujoco')
        ElementTree.SubElement(extra, 'compiler', balanceinertia='false', boundmass='0',
                               boundinertia='0', discardvisual='true', fusestatic='true')
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, 'unicode'))
        self.model.opt.gravity[:] = robot.gravity
        self.model.opt.timestep = timestep
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.disableflags |= (mujoco.mjtDisableBit.mjDSBL_CONTACT
                                        | mujoco.mjtDisableBit.mjDSBL_LIMIT)
        self.data = mujoco.MjData(self.model)
        self.names = [self.model.joint(k).name for k in range(self.model.njnt)]
        assert self.names == list(robot.joint_names)

    def set(self, q, qd):
        """Put the arm into a state."""
        self.data.qpos[:], self.data.qvel[:] = q, qd
        self._mujoco.mj_forward(self.model, self.data)

    def step(self, tau, count=1):
        """Step under torques tau, held; return q and qd."""
        self.data.qfrc_applied[:] = tau
        for _ in range(count):
            self._mujoco.mj_step(self.model, self.data)
        return self.data.qpos.copy(), self.data.qvel.copy()


def random_state(robot, rng, speed=1.0):
    """Return joint positions within 80 % of the limits and speeds up to `speed`."""
    middle = np.clip(robot.limits.lower, -3, 3), np.clip(robot.limits.upper, -3, 3)
    q = 0.5 * (middle[0] + middle[1]) + 0.4 * (middle[1] - middle[0]) * rng.uniform(
        -1, 1, robot.n_joints)
    return q, speed * rng.uniform(-1, 1, robot.n_joints)
