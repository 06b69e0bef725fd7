# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of generated arms (lock, load, other inertias) commute with rebuilding their URDF."""

from direct_dynamics import DirectDynamics, interpreted
from generated_arms import holds_for, load_quietly
import numpy as np
from test_equations_of_motion import close, ROUND_OFF, size_of_terms

import kane_dynamics as kd
from kane_dynamics.dynamics.programs.registry import program
from kane_dynamics.dynamics.recorded_arm import RecordedArm
from kane_dynamics.numerics.rotations import from_rpy


SHAPES = 1e-8      # of an eigenvector of 48 beam elements, where its load changes by round-off


def rebuilt(robot):
    """Return the robot that is read from the URDF that it is written as."""
    again = load_quietly(robot.to_urdf(), gravity=robot.gravity, floating_base=robot.floating_base)
    return again.with_base(robot.base_rotation, robot.base_position)


def accuracy(robot):
    """Return how well a robot is known that is rebuilt with other round-off."""
    return SHAPES if robot.flexible_links else ROUND_OFF


def same_torques(arm, one, other):
    """Assert that two robots have the same names, torques, M and energies at the arm's state."""
    tolerance = accuracy(one)
    assert (one.joint_names, one.mode_names) == (other.joint_names, other.mode_names)
    assert one.link_names == other.link_names
    q, qd, qdd = arm.state
    first, second = DirectDynamics(one), DirectDynamics(other)
    size = max(1.0, size_of_terms(first, q, qd, qdd))
    close(second.inverse(q, qd, qdd), first.inverse(q, qd, qdd), tolerance * size)
    close(second.mass_matrix(q), first.mass_matrix(q), tolerance * size)
    close(second.energy(q, qd), first.energy(q, qd), 10.0 * tolerance * size)


@holds_for()
def test_written_urdf_reads_back_as_the_same_arm(arm):
    robot = arm.robot
    again = rebuilt(robot)
    same_torques(arm, robot, again)
    for name in ('damping', 'friction', 'armature'):
        close(getattr(again.reflected, name), getattr(robot.reflected, name), 1e-14)
    for name in ('lower', 'upper', 'velocity', 'effort'):
        np.testing.assert_array_equal(getattr(again.limits, name), getattr(robot.limits, name))


@holds_for()
def test_locked_joints_stand_still(arm):
    # the arm whose locked joints have no speed, and the rebuilt URDF of the locked arm
    robot, (q, qd, qdd) = arm.robot, arm.state
    chosen = [name for name in robot.joint_names if arm.rng.random() < 0.5]
    first = robot.joints_q.start
    # shapes and damping of beams depend on the pose of what they carry: those of zero stay
    bends = bool(robot.flexible_links)
    values = {name: 0.0 if bends else q[first + robot.joint_index(name)] for name in chosen}
    locked = kd.lock_joints(robot, values)
    kept = [k for k, name in enumerate(coordinates(robot)) if name not in chosen]
    shift = robot.nq - robot.nv
    for k, name in enumerate(coordinates(robot)):
        if name in chosen:
            qd[k] = qdd[k] = 0.0
            q[k + shift] = values[name]
    whole, part = DirectDynamics(robot), DirectDynamics(locked)
    at = [np.delete(x, [k + more for k in range(robot.nv) if k not in kept])
          for x, more in ((q, shift), (qd, 0), (qdd, 0))]
    size = max(1.0, size_of_terms(whole, q, qd, qdd))
    tolerance = accuracy(robot) * size
    close(part.inverse(*at), whole.inverse(q, qd, qdd)[kept], tolerance)
    close(part.mass_matrix(at[0]), whole.mass_matrix(q)[np.ix_(kept, kept)], tolerance)
    again = DirectDynamics(rebuilt(locked))
    close(again.inverse(*at), part.inverse(*at), tolerance)


def coordinates(robot):
    """Return a name for each generalized speed."""
    return [*range(6 if robot.floating_base else 0), *robot.joint_names, *robot.mode_names]


@holds_for()
def test_payload_is_a_link_written_into_the_urdf(arm):
    robot, rng = arm.robot, arm.rng
    link = robot.link_names[rng.integers(len(robot.link_names))]
    mass, com = 0.5 + rng.random(), rng.uniform(-0.3, 0.3, 3)
    inertia = np.diag([0.02, 0.03, 0.04])
    loaded = robot.with_payload(mass, com, inertia, link=link, name='load')
    place, centre = (com, np.zeros(3)) if link in robot.flexible_links else (np.zeros(3), com)
    text = arm.text.replace('</robot>', (
        f'<link name="load"><inertial><origin xyz="{_text(centre)}"/><mass value="{mass!r}"/>'
        '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="load_joint" type="fixed"><parent link="{link}"/><child link="load"/>'
        f'<origin xyz="{_text(place)}"/></joint></robot>'))
    options = arm.options
    written = load_quietly(text, gravity=options.gravity, floating_base=options.floating_base)
    same_torques(arm, loaded, written.with_base(from_rpy(options.base_rpy), options.base_position))
    if not robot.extensions:
        # a body at the end of J: tau rises by J' (its inertia forces), Newton and Euler
        q, qd, qdd = arm.state
        bare, full = DirectDynamics(robot), DirectDynamics(loaded)
        R, _ = bare.frame_pose(link, q)
        (_, w), (a, alpha) = (np.split(x, 2) for x in (
            bare.frame_velocity(link, q, qd), bare.frame_acceleration(link, q, qd, qdd)))
        c, I = R @ com, R @ inertia @ R.T  # noqa: E741
        force = mass * (a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - robot.gravity)
        moment = I @ alpha + np.cross(w, I @ w) + np.cross(c, force)
        size = max(1.0, size_of_terms(full, q, qd, qdd))
        close(full.inverse(q, qd, qdd) - bare.inverse(q, qd, qdd),
              bare.frame_jacobian(link, q).T @ np.concatenate([force, moment]),
              10.0 * ROUND_OFF * size)


def _text(values):
    return ' '.join(repr(float(value)) for value in values)


@holds_for(flexible=False, most_joints=3)
def test_parametric_program_computes_arms_of_other_inertias_and_gravity(arm):
    robot, (q, qd, qdd) = arm.robot, arm.state
    other = robot.with_gravity(arm.rng.uniform(-9.0, 9.0, 3))
    for link in robot.links:
        if link.inertial is not None and arm.rng.random() < 0.7:
            m, com = arm.rng.uniform(0.1, 3.0), arm.rng.uniform(-0.5, 0.5, 3)
            other = other.with_inertial(link.name, kd.Inertial(m, com, np.diag([0.2, 0.3, 0.4])))
    same_torques(arm, other, rebuilt(other))
    parametric = RecordedArm(robot, arm.friction, parametric=True)
    assert parametric.fits(other)
    tau = interpreted(program(parametric, 'inverse'), q, qd, qdd, parametric.parameters(other))
    fresh = DirectDynamics(other, arm.friction)
    close(tau, fresh.inverse(q, qd, qdd),
          ROUND_OFF * max(1.0, size_of_terms(fresh, q, qd, qdd)))
    energies = interpreted(program(parametric, 'energy'), q, qd, parametric.parameters(other))
    close(energies, fresh.energy(q, qd), ROUND_OFF * max(1.0, abs(energies).max()) * 10.0)
