# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Where all links of a rigid arm are, for many postures at once and without compiling anything."""

from __future__ import annotations

import numpy as np

from kane_dynamics.motion.rotation import turned


def link_poses(robot, q):
    """Return {link: (R (N, 3, 3), p (N, 3) [m])} in the world, for q (N, n_joints)."""
    q = np.asarray(q, dtype=float)
    count = len(q)
    poses = {robot.root: (np.broadcast_to(robot.base_rotation, (count, 3, 3)),
                          np.broadcast_to(robot.base_position, (count, 3)))}
    for joint in robot.joints:
        R, p = poses[joint.parent]
        p, R = p + R @ joint.position, R @ joint.rotation
        leader, ratio, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            leader, ratio, offset = joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset
        if leader in robot.joint_names:
            value = ratio * q[:, robot.joint_index(leader)] + offset
            if joint.kind == 'prismatic':
                p = p + value[:, None] * (R @ joint.axis)
            else:
                R = R @ turned(joint.axis, value)
        poses[joint.child] = (R, p)
    return poses
