# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of a Robot and of MuJoCo's mj_inverse, at the same random states."""

import numpy as np

from kane_dynamics import Dynamics, Friction


class MujocoModel:
    """A compiled MJCF file without contacts, limits, dry friction and equalities."""

    def __init__(self, path):
        import mujoco
        self._mujoco, self.model = mujoco, mujoco.MjModel.from_xml_path(str(path))
        bits = mujoco.mjtDisableBit
        self.model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_ACTUATION)
        self.data = mujoco.MjData(self.model)
        self.rest = self._rest()

    def _rest(self):
        """Return qpos0, with the joints that equalities lock where these hold them."""
        model, joint = self.model, int(self._mujoco.mjtEq.mjEQ_JOINT)
        qpos, locked = model.qpos0.copy(), set()
        equalities = [k for k in range(model.neq)
                      if model.eq_active0[k] and model.eq_type[k] == joint]
        for k in equalities * len(equalities):      # a follower may come before its leader
            first, second = model.eq_obj1id[k], model.eq_obj2id[k]
            c, address = model.eq_data[k, :5], model.jnt_qposadr[first]
            if second < 0 or not c[1:].any():
                qpos[address] = model.qpos0[address] + c[0]
            elif second in locked:
                leader = model.jnt_qposadr[second]
                qpos[address] = model.qpos0[address] + np.polynomial.polynomial.polyval(
                    qpos[leader] - model.qpos0[leader], c)
            else:
                continue
            locked.add(first)
        return qpos

    def address(self, robot, name):
        """Return the indices of a joint of the robot in qpos and qvel."""
        names = [self.model.joint(j).name or f'joint_{j}' for j in range(self.model.njnt)]
        j = names.index(name)
        return self.model.jnt_qposadr[j], self.model.jnt_dofadr[j]

    def inverse(self, robot, q, u, ud):
        """Return the torques (nv,) of mj_inverse on the coordinates of the robot.

        qvel = G u, qacc = G ud + g'; by virtual work tau = G' qfrc_inverse.
        """
        data = self.data
        data.qpos[:] = self.rest
        G, drift = np.zeros((self.model.nv, robot.nv)), np.zeros(self.model.nv)
        for joint in robot.joints:
            if joint.kind == 'floating':
                a, v = self.address(robot, joint.name)
                x, y, z, w = q[3:7]
                data.qpos[a:a + 7] = (*q[:3], w, x, y, z)
                R = np.zeros(9)
                self._mujoco.mju_quat2Mat(R, data.qpos[a + 3:a + 7])
                R = R.reshape(3, 3)
                # MuJoCo: velocity of the origin in world axes, ours in the axes of the base
                G[v:v + 3, :3], G[v + 3:v + 6, 3:6] = R, np.eye(3)
                drift[v:v + 3] = R @ np.cross(u[3:6], u[:3])
            elif joint.kind != 'fixed':
                a, v = self.address(robot, joint.name)
                leader, ratio, offset = (joint.name, 1.0, 0.0) if joint.mimic is None else (
                    joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
                k = robot.joint_index(leader)
                data.qpos[a] = ratio * q[robot.joints_q][k] + offset
                G[v, robot.joints_v.start + k] = ratio
        data.qvel[:], data.qacc[:] = G @ u, G @ ud + drift
        self._mujoco.mj_inverse(self.model, data)
        return G.T @ data.qfrc_inverse


def largest_difference(path, robot, samples=10, seed=0):
    """Return the largest difference of torques relative to the largest torque or 1 N m."""
    model, rng = MujocoModel(path), np.random.default_rng(seed)
    viscous = Friction(robot.reflected.damping, 0.0 * robot.reflected.friction)
    dynamics = Dynamics(robot, viscous, backend='python')
    found = 0.0
    for _ in range(samples):
        q, (u, ud) = robot.neutral(), rng.uniform(-1.0, 1.0, (2, robot.nv))
        q[robot.joints_q] = rng.uniform(-1.0, 1.0, robot.n_joints)
        if robot.floating_base:
            q[:7] = rng.normal(size=7)
            q[3:7] /= np.linalg.norm(q[3:7])
        expected = model.inverse(robot, q, u, ud)
        difference = abs(dynamics.inverse(q, u, ud) - expected).max()
        found = max(found, difference / max(1.0, abs(expected).max()))
    return found
