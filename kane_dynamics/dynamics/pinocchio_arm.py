# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio as another method: the same URDF, read and computed by other people's code.

Pinocchio takes every joint as free and orders them its own way. With x' = G u the speeds of its
joints from ours (a one for each joint, the ratio for a mimic joint),

    tau = G' tau_pin,    M = G' M_pin G,    d tau/d q = G' (d tau/d q)_pin G,

so mimic joints are compared in every function, whichever of them its version knows mimics in.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError, ModelError


class PinocchioArm:
    """Compute what `Dynamics` computes, in the same order of joints, by Pinocchio.

    `pin` is the module (`oracle.py` imports it). It reads the URDF text on its own. `robot` tells
    what a URDF cannot say or what was added since: gravity, the place of the base, rotor inertias,
    links fixed on as a payload.
    """

    def __init__(self, pin, robot, urdf_text):
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

    def inverse(self, q, qd, qdd):
        """Return tau (nv,)."""
        return self.G.T @ self._pin.rnea(self.model, self.data, self._q(q), self.G @ qd,
                                         self.G @ qdd)

    def bias(self, q, qd):
        """Return h (nv,)."""
        return self.G.T @ self._pin.nonLinearEffects(self.model, self.data, self._q(q),
                                                     self.G @ qd)

    def gravity(self, q):
        """Return g (nv,)."""
        return self.G.T @ self._pin.computeGeneralizedGravity(self.model, self.data, self._q(q))

    def mass_matrix(self, q):
        """Return M (nv, nv)."""
        return self._projected(_symmetric(self._pin.crba(self.model, self.data, self._q(q))))

    def forward(self, q, qd, tau):
        """Return qdd (nv,): by articulated bodies, or with mimic joints by solving with M."""
        if self.robot.mimic_joints:
            return np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, qd))
        return self.G.T @ self._pin.aba(self.model, self.data, self._q(q), self.G @ qd,
                                        self.G @ tau)

    def inverse_derivatives(self, q, qd, qdd):
        """Return d tau/d q, d tau/d qd and M, (3, nv, nv)."""
        self._pin.computeRNEADerivatives(self.model, self.data, self._q(q), self.G @ qd,
                                         self.G @ qdd)
        parts = (self.data.dtau_dq, self.data.dtau_dv, _symmetric(self.data.M))
        return np.array([self._projected(part) for part in parts])

    def reactions(self, q, qd, qdd):
        """Return (n_bodies, 6): force and moment through every joint onto its link."""
        self.inverse(q, qd, qdd)
        first = [self._base] if self.robot.floating_base else []
        joints = first + [self._joint_id(joint.name) for joint in self.robot.moving_joints]
        return np.array([self.data.f[joint].vector for joint in joints])

    def energy(self, q, qd):
        """Return the kinetic and potential energy [J], (2,)."""
        # 1/2 u' M u: its computeKineticEnergy leaves the rotors out, or not, by version
        kinetic = 0.5 * qd @ self.mass_matrix(q) @ qd
        potential = self._pin.computePotentialEnergy(self.model, self.data, self._q(q))
        return np.array([kinetic, potential])

    def frame_pose(self, frame, q):
        """Return [R | p] (3, 4) of a link."""
        self._pin.framesForwardKinematics(self.model, self.data, self._q(q))
        return self.data.oMf[self._frame(frame)].homogeneous[:3]

    def frame_jacobian(self, frame, q):
        """Return J (6, nv) of a link's origin, base axes."""
        return self._pin.computeFrameJacobian(
            self.model, self.data, self._q(q), self._frame(frame),
            self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED) @ self.G

    def frame_acceleration(self, frame, q, qd, qdd):
        """Return (6,) acceleration and angular acceleration of a link's origin, base axes."""
        self._pin.forwardKinematics(self.model, self.data, self._q(q), self.G @ qd, self.G @ qdd)
        return self._pin.getFrameClassicalAcceleration(
            self.model, self.data, self._frame(frame),
            self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).vector

    # -- inside -------------------------------------------------------------------------------

    def _map_joints(self, urdf_text):
        """Set G (their nv, our nv) and the places of our joints in their q and v."""
        robot, model = self.robot, self.model
        free = robot.nv - robot.n_joints
        self.G = np.zeros((model.nv, robot.nv))
        self._places, self._base = [], None                # (idx_q, nq, our joint, ratio, offset)
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
            self._places.append((theirs.idx_q, theirs.nq, k, ratio, offset))
        if model.nv != free + len(self._places):
            raise ModelError(f'{robot.name}: the URDF moves {list(model.names)[1:]}, the arm '
                             f'{[joint.name for joint in robot.moving_joints]}; give the text '
                             'that it was loaded from')

    def _mimics(self, urdf_text):
        """Return {mimic joint: (leader, ratio, offset)}, as Pinocchio reads it where it can."""
        found = {joint.name: (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
                 for joint in self.robot.mimic_joints}
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

    def _carry_over(self):
        """Give the model what the robot has besides the URDF."""
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

    def _fix_on(self, joint):
        """Add a link that is fixed to one of the URDF's links."""
        pin, model = self._pin, self.model
        carrier = model.frames[self._frame(joint.parent)]
        place = carrier.placement * pin.SE3(np.array(joint.rotation), np.array(joint.position))
        load = self.robot.link(joint.child).inertial
        if load is not None:
            model.appendBodyToJoint(carrier.parentJoint, pin.Inertia(
                load.mass, np.array(load.com), np.array(load.inertia)), place)
        model.addBodyFrame(joint.child, carrier.parentJoint, place, -1)

    def _projected(self, matrix):
        """Return G' matrix G; without mimics that only puts rows and columns in our order."""
        if self.robot.mimic_joints:
            return self.G.T @ matrix @ self.G
        order = self.G.argmax(axis=0)
        return matrix[np.ix_(order, order)]

    def _joint_id(self, name):
        if not self.model.existJointName(name):
            raise InputError(f'{self.robot.name}: the URDF text has no joint {name!r}, it has '
                             f'{list(self.model.names)[1:]}; give the text that the arm was '
                             'loaded from')
        return self.model.getJointId(name)

    def _frame(self, link):
        return self.model.getFrameId(link, self._pin.FrameType.BODY)

    def _q(self, q):
        """Return their q; a continuous joint has the cosine and sine of its angle there."""
        theirs = np.empty(self.model.nq)
        if self.robot.floating_base:
            first = self.model.joints[self._base].idx_q
            theirs[first:first + 7] = q[:7]
            q = q[7:]
        for place, size, k, ratio, offset in self._places:
            value = ratio * q[k] + offset
            theirs[place:place + size] = (np.cos(value), np.sin(value)) if size == 2 else value
        return theirs


def _symmetric(M):
    """Return a matrix of which Pinocchio fills the upper triangle."""
    return np.triu(M) + np.triu(M, 1).T
