# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Generated rigid arms against Pinocchio, which reads the same URDF text by itself."""

from direct_dynamics import DirectDynamics
from generated_arms import holds_for
import numpy as np
import pytest
from test_equations_of_motion import close, ROUND_OFF, size_of_terms

from kane_dynamics.dynamics.oracle.pinocchio_arm import PinocchioArm

pinocchio = pytest.importorskip('pinocchio', reason='the oracle of this file is Pinocchio')


@holds_for(flexible=False)
def test_torques_and_frames_of_rigid_arms_are_those_of_pinocchio(arm):
    robot, (q, qd, qdd) = arm.robot.with_springs(), arm.state
    if not robot.nv:
        return
    ours, theirs = DirectDynamics(robot), PinocchioArm(pinocchio, robot, arm.text)
    size = max(1.0, size_of_terms(ours, q, qd, qdd))
    for name, arguments in (('inverse', (q, qd, qdd)), ('bias', (q, qd)), ('gravity', (q,)),
                            ('mass_matrix', (q,))):
        close(getattr(ours, name)(*arguments), getattr(theirs, name)(*arguments),
              ROUND_OFF * size, name)
    close(ours.energy(q, qd)[:2], theirs.energy(q, qd), 10.0 * ROUND_OFF * size)
    frame = robot.link_names[arm.rng.integers(len(robot.links))]
    close(np.column_stack(ours.frame_pose(frame, q)), theirs.frame_pose(frame, q),
          10.0 * ROUND_OFF, frame)
    close(ours.frame_jacobian(frame, q), theirs.frame_jacobian(frame, q), 10.0 * ROUND_OFF, frame)
    close(ours.frame_acceleration(frame, q, qd, qdd),
          theirs.frame_acceleration(frame, q, qd, qdd), 1000.0 * ROUND_OFF, frame)
    close(ours.reactions(q, qd, qdd), theirs.reactions(q, qd, qdd),
          10.0 * ROUND_OFF * (size + robot.total_mass))
