# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of an arm by Pinocchio, from the same URDF: an independent method.

Pinocchio takes every joint as free and has its own order. With x' = G u the speeds of its
joints from ours (a one for each joint, the ratio for a mimic joint),

    tau = G' tau_pin,    M = G' M_pin G,    d tau/d q = G' (d tau/d q)_pin G,

so mimic joints are compared in every function, also in those where its version has none.
"""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.links_and_joints import Joint


class PinocchioArm:
    """Compute what `Dynamics` computes, in the same order of joints, by Pinocchio.

    `pin` is the module (`cross_check.py` imports it). It reads the URDF text on its own. `robot`
    gives what a URDF cannot hold or what was added since: gravity, the pose of the base, rotor
    inertias, links fixed on as a payload.
    """

    def __init__(self, pin: Any, robot: Robot, urdf_text: str) -> None:
        self._pin, self.robot = pin, robot
        roots = [] if not robot.floating_base or robot.base != robot.root else [
            pin.JointModelFreeFlyer()]
        try:
            self.model = pin.buildModelFromXML(urdf_text, *roots)
        except Exception as error:  # urdfdom and Boost raise many kinds
            raise ModelError(f'{robot.name}: Pinocchio refuses the URDF: {error}') from None
        self._map_joints(urdf_text)
        self._carry_over()
        self.data = self.model.createData()

    # -- the functions, one sample each -------------------------------------------------------

    def inverse(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return tau (nv,)."""
        return self.G.T @ self._pin.rnea(self.model, self.data, self._q(q), self.G @ qd,
                                         self.G @ qdd)

    def bias(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return h (nv,)."""
        return self.G.T @ self._pin.nonLinearEffects(self.model, self.data, self._q(q),
                                                     self.G @ qd)

    def gravity(self, q: FloatArray) -> FloatArray:
        """Return g (nv,)."""
        return self.G.T @ self._pin.computeGeneralizedGravity(self.model, self.data, self._q(q))

    def mass_matrix(self, q: FloatArray) -> FloatArray:
        """Return M (nv, nv)."""
        return self._projected(_symmetric(self._pin.crba(self.model, self.data, self._q(q))))

    def forward(self, q: FloatArray, qd: FloatArray, tau: FloatArray) -> FloatArray:
        """Return qdd (nv,): by articulated bodies, or with mimic joints by solving with M."""
        if self.robot.mimic_joints:
            return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, qd)), float)
        return self.G.T @ self._pin.aba(self.model, self.data, self._q(q), self.G @ qd,
                                        self.G @ tau)

    def inverse_derivatives(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return d tau/d q, d tau/d qd and M, (3, nv, nv)."""
        self._pin.computeRNEADerivatives(self.model, self.data, self._q(q), self.G @ qd,
                                         self.G @ qdd)
        parts = (self.data.dtau_dq, self.data.dtau_dv, _symmetric(self.data.M))
        return np.array([self._projected(part) for part in parts])

    def reactions(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return (n_bodies, 6): force and moment through every joint onto its link."""
        self.inverse(q, qd, qdd)
        first = [self._base] if self.robot.floating_base else []
        joints = first + [self._joint_id(joint.name) for joint in self.robot.moving_joints]
        return np.array([self.data.f[joint].vector for joint in joints])

    def energy(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return the kinetic and potential energy [J], (2,)."""
        # 1/2 u' M u: its computeKineticEnergy leaves the rotors out, or not, by version
        kinetic = 0.5 * qd @ self.mass_matrix(q) @ qd
        potential = self._pin.computePotentialEnergy(self.model, self.data, self._q(q))
        return np.array([kinetic, potential])

    def frame_pose(self, frame: str, q: FloatArray) -> FloatArray:
        """Return [R | p] (3, 4) of a link."""
        self._pin.framesForwardKinematics(self.model, self.data, self._q(q))
        return self.data.oMf[self._frame(frame)].homogeneous[:3]

    def frame_jacobian(self, frame: str, q: FloatArray) -> FloatArray:
        """Return J (6, nv) of a link's origin, base axes."""
        J = self._pin.computeFrameJacobian(
            self.model, self.data, self._q(q), self._frame(frame),
            self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        return J.reshape(6, -1) @ self.G       # the bindings return (6,) for a single joint

    def frame_acceleration(self, frame: str, q: FloatArray, qd: FloatArray,
                           qdd: FloatArray) -> FloatArray:
        """Return (6,) acceleration and angular acceleration of a link's origin, base axes."""
        self._pin.forwardKinematics(self.model, self.data, self._q(q), self.G @ qd, self.G @ qdd)
        return self._pin.getFrameClassicalAcceleration(
            self.model, self.data, self._frame(frame),
            self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).vector

    # -- inside -------------------------------------------------------------------------------

    def _map_joints(self, urdf_text: str) -> None:
        """Set G (their nv, our nv) and the indices of our joints in their q and v."""
        robot, model = self.robot, self.model
        free = robot.nv - robot.n_joints
        self.G = np.zeros((model.nv, robot.nv))
        # per joint: idx_q, nq, our joint, ratio, offset
        self._joints: list[tuple[int, int, int, float, float]] = []
        self._base = 0                                     # their joint of a floating base
        if robot.floating_base:
            ours = [joint.name for joint in robot.joints if joint.kind == 'floating']
            self._base = self._joint_id(ours[0]) if ours else 1
            first = model.joints[self._base].idx_v
            self.G[first:first + 6, :6] = np.eye(6)
        mimics = self._mimics(urdf_text)
        for joint in robot.moving_joints:
            theirs = model.joints[self._joint_id(joint.name)]
            leader, ratio, offset = mimics.get(joint.name, (joint.name, 1.0, 0.0))
            k = robot.joint_index(leader)
            self.G[theirs.idx_v, free + k] = ratio
            self._joints.append((theirs.idx_q, theirs.nq, k, ratio, offset))
        if model.nv != free + len(self._joints):
            raise ModelError(f'{robot.name}: the URDF moves {list(model.names)[1:]}, the arm '
                             f'{[joint.name for joint in robot.moving_joints]}; give the text '
                             'that it was loaded from')

    def _mimics(self, urdf_text: str | None) -> dict[str, tuple[str, float, float]]:
        """Return {mimic joint: (leader, ratio, offset)}, as Pinocchio reads it where it can."""
        found = {joint.name: (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
                 for joint in self.robot.moving_joints if joint.mimic is not None}
        try:
            model = self._pin.buildModelFromXML(urdf_text, True)
            pairs = list(zip(model.mimicking_joints, model.mimicked_joints))
        except (AttributeError, RuntimeError, TypeError, ValueError):
            return found                                   # a version that reads no mimic joints
        followers = {follower for follower, _ in pairs}
        for follower, leader in pairs:
            if leader not in followers:                    # a chain stays resolved as we do it
                joint = model.joints[follower].extract()
                found[model.names[follower]] = (model.names[leader], joint.scaling, joint.offset)
        return found

    def _carry_over(self) -> None:
        """Add to the model what the robot has in addition to the URDF."""
        pin, robot, model = self._pin, self.robot, self.model
        model.gravity.linear = np.array(robot.gravity)
        base = pin.SE3(np.array(robot.base_rotation), np.array(robot.base_position))
        for i in range(1, model.njoints):
            if model.parents[i] == 0:
                model.jointPlacements[i] = base * model.jointPlacements[i]
        for frame in model.frames:
            if frame.parentJoint == 0:
                frame.placement = base * frame.placement
        for joint in robot.moving_joints:
            model.armature[model.joints[self._joint_id(joint.name)].idx_v] = joint.armature
        for joint in robot.joints:
            if joint.kind == 'fixed' and not model.existFrame(joint.child, pin.FrameType.BODY):
                self._fix_on(joint)

    def _fix_on(self, joint: Joint) -> None:
        """Add a link that is fixed to one of the URDF's links."""
        pin, model = self._pin, self.model
        carrier = model.frames[self._frame(joint.parent)]
        placement = carrier.placement * pin.SE3(np.array(joint.rotation), np.array(joint.position))
        load = self.robot.link(joint.child).inertial
        if load is not None:
            model.appendBodyToJoint(carrier.parentJoint, pin.Inertia(
                load.mass, np.array(load.com), np.array(load.inertia)), placement)
        model.addBodyFrame(joint.child, carrier.parentJoint, placement, -1)

    def _projected(self, matrix: FloatArray) -> FloatArray:
        """Return G' matrix G; without mimics that only puts rows and columns in our order."""
        if self.robot.mimic_joints:
            return self.G.T @ matrix @ self.G
        order = self.G.argmax(axis=0)
        return matrix[np.ix_(order, order)]

    def _joint_id(self, name: str) -> int:
        if not self.model.existJointName(name):
            raise InputError(f'{self.robot.name}: the URDF text has no joint {name!r}, it has '
                             f'{list(self.model.names)[1:]}; give the text that the arm was '
                             'loaded from')
        return self.model.getJointId(name)

    def _frame(self, link: str | None) -> int:
        return self.model.getFrameId(link, self._pin.FrameType.BODY)

    def _q(self, q: FloatArray) -> FloatArray:
        """Return their q; a continuous joint has the cosine and sine of its angle there."""
        theirs = np.empty(self.model.nq)
        if self.robot.floating_base:
            first = self.model.joints[self._base].idx_q
            theirs[first:first + 7] = q[:7]
            q = q[7:]
        for first, size, k, ratio, offset in self._joints:
            value = ratio * q[k] + offset
            theirs[first:first + size] = (np.cos(value), np.sin(value)) if size == 2 else value
        return theirs


def _symmetric(M: FloatArray) -> FloatArray:
    """Return a matrix of which Pinocchio fills the upper triangle."""
    return np.triu(M) + np.triu(M, 1).T
