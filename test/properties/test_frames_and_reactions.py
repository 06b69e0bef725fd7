# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of generated arms move as their poses do; joints carry what hangs on them."""

from dataclasses import replace

from direct_dynamics import DirectDynamics
from generated_arms import holds_for
from motion_differences import along_speeds, derivative, moved
import numpy as np
from test_equations_of_motion import close, DIFFERENCES, ROUND_OFF, size_of_terms

import kane_dynamics as kd

FAR = 10.0      # [m, m/s, m/s^2]: no frame of a generated arm is farther or faster


def a_frame(arm):
    """Return the name of one frame, segments of flexible links included."""
    frames = sorted(arm.robot.tree.frames)
    return frames[arm.rng.integers(len(frames))]


def spin_of(R, rate):
    """Return the angular velocity of a rotation R from its rate of change."""
    spin = rate @ R.T
    return 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0],
                           spin[1, 0] - spin[0, 1]])


@holds_for()
def test_jacobian_has_the_partial_velocities_of_the_pose(arm):
    dynamics, robot, (q, qd, _) = DirectDynamics(arm.robot), arm.robot, arm.state
    frame = a_frame(arm)
    R, p = dynamics.frame_pose(frame, q)
    J = dynamics.frame_jacobian(frame, q)
    close(R @ R.T, np.eye(3), ROUND_OFF)
    poses = along_speeds(robot, q, lambda at: np.column_stack(dynamics.frame_pose(frame, at)))
    columns = [[*rate[:, 3], *spin_of(R, rate[:, :3])] for rate in poses]
    close(J, np.reshape(columns, (robot.nv, 6)).T, DIFFERENCES * FAR)
    close(dynamics.frame_velocity(frame, q, qd), J @ qd, ROUND_OFF * FAR * FAR)


@holds_for()
def test_acceleration_of_a_frame_is_the_rate_of_its_velocity(arm):
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot), arm.robot, arm.state
    frame = a_frame(arm)
    rate = derivative(lambda t: dynamics.frame_velocity(
        frame, moved(robot, q, qd, qdd, t), qd + t * qdd))
    close(dynamics.frame_acceleration(frame, q, qd, qdd), rate,
          DIFFERENCES * FAR * max(1.0, abs(rate).max()))


@holds_for()
def test_deflection_of_a_frame_is_measured_from_the_undeformed_arm(arm):
    dynamics, (q, _, _) = DirectDynamics(arm.robot), arm.state
    frame = a_frame(arm)
    straight = q.copy()
    straight[arm.robot.modes_q] = 0.0
    expected = dynamics.frame_pose(frame, q)[1] - dynamics.frame_pose(frame, straight)[1]
    close(dynamics.frame_deflection(frame, q), expected, ROUND_OFF * FAR)
    if frame in arm.robot.link_names:
        rigid = DirectDynamics(arm.robot.rigid())
        close(dynamics.frame_pose(frame, straight)[1],
              rigid.frame_pose(frame, q[:rigid.robot.nq])[1], ROUND_OFF * FAR)


@holds_for(flexible=False)
def test_reactions_of_rigid_arms_are_sums_over_free_bodies(arm):
    # Newton and Euler, link by link as the URDF describes them, about the origin of the joint
    robot, (q, qd, qdd) = arm.robot.with_springs(), arm.state
    dynamics = DirectDynamics(robot)
    wrenches = {}
    for link in robot.links:
        if link.inertial is not None:
            R, p = dynamics.frame_pose(link.name, q)
            (_, w), (a, alpha) = (np.split(part, 2) for part in (
                dynamics.frame_velocity(link.name, q, qd),
                dynamics.frame_acceleration(link.name, q, qd, qdd)))
            c, inertia = R @ link.inertial.com, R @ link.inertial.inertia @ R.T
            force = link.inertial.mass * (
                a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - robot.gravity)
            moment = inertia @ alpha + np.cross(w, inertia @ w)
            wrenches[link.name] = (p + c, force, moment)
    reactions = dynamics.reactions(q, qd, qdd)
    assert len(reactions) == len(dynamics.body_links)
    size = size_of_terms(dynamics, q, qd, qdd) + FAR * robot.total_mass
    for head, (F, N) in zip(dynamics.body_links, reactions.reshape(-1, 2, 3)):
        R, p = dynamics.frame_pose(head, q)
        beyond = {head}
        for joint in robot.joints:
            if joint.parent in beyond:
                beyond.add(joint.child)
        loads = [wrenches[name] for name in beyond if name in wrenches]
        close(R @ F, sum((force for _, force, _ in loads), np.zeros(3)), ROUND_OFF * size, head)
        close(R @ N, sum((moment + np.cross(at - p, force) for at, force, moment in loads),
                         np.zeros(3)), ROUND_OFF * size * FAR, head)


@holds_for()
def test_reactions_are_the_torques_of_six_locked_joints_in_their_place(arm):
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot), arm.robot, arm.state
    heads = [joint for joint in robot.moving_joints]
    if not heads:
        return
    cut = heads[arm.rng.integers(len(heads))]
    measured = DirectDynamics(with_six_joints(robot, cut))
    # their coordinates, at zero, stand before those of the joints beyond them
    places = [measured.robot.joint_index(f'cut_{k}') for k in range(6)]
    places = np.array(places) + (6 if robot.floating_base else 0)
    tau = measured.inverse(*(
        np.insert(values, [place + shift - k for k, place in enumerate(sorted(places))], 0.0)
        for values, shift in zip((q, qd, qdd), (robot.nq - robot.nv, 0, 0))))
    row = dynamics.body_links.index(cut.child)
    close(dynamics.reactions(q, qd, qdd)[row], tau[places],
          ROUND_OFF * (FAR * size_of_terms(dynamics, q, qd, qdd) + FAR * robot.total_mass))


def with_six_joints(robot, joint):
    """Return the robot with three sliders and three hinges, all locked, behind a joint."""
    links = tuple(kd.Link(f'part_{k}') for k in range(6))
    names = [link.name for link in links] + [joint.child]
    locked = kd.Limits(0.0, 0.0)
    inserted = [kd.Joint(f'cut_{k}', 'prismatic' if k < 3 else 'revolute', names[k], names[k + 1],
                         axis=np.eye(3)[k % 3], limits=locked) for k in range(6)]
    joints = []
    for each in robot.joints:
        joints += [replace(joint, child=names[0]), *inserted] if each is joint else [each]
    return replace(robot, links=robot.links + links, joints=tuple(joints))
