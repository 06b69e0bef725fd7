# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of many configurations at once, and bound, against single calls."""

from pathlib import Path

import numpy as np
import pytest

import kane_dynamics as kd

ARM = Path(__file__).resolve().parents[2] / 'urdf' / 'six_axis.urdf'


@pytest.mark.parametrize('backend', ['llvm', 'python'])
@pytest.mark.parametrize('frame', ['tool0', 'forearm', 'base_link'])
def test_frames_of_many_configurations_are_those_of_each(frame, backend):
    dyn = kd.Dynamics(kd.load_urdf(ARM), backend=backend)
    q, qd, qdd = np.random.default_rng(5).uniform(-2, 2, (3, 7, 6))
    R, p = dyn.frame_pose_many(frame, q)
    J = dyn.frame_jacobian_many(frame, q)
    a = dyn.frame_acceleration_many(frame, q, qd, qdd)
    bound = np.full((6, 6), np.nan)
    bound_q = np.zeros(6)
    step = dyn.bind('frame_jacobian', bound_q, bound, frame=frame)
    for k in range(len(q)):
        # the same operations in the same order, up to fused multiply-adds in vector code
        assert abs(R[k] - dyn.frame_pose(frame, q[k])[0]).max() < 1e-14
        assert abs(p[k] - dyn.frame_pose(frame, q[k])[1]).max() < 1e-14
        assert abs(J[k] - dyn.frame_jacobian(frame, q[k])).max() < 1e-14
        assert abs(a[k] - dyn.frame_acceleration(frame, q[k], qd[k], qdd[k])).max() < 1e-13
        bound_q[:] = q[k]
        step()
        assert abs(bound - J[k]).max() < 1e-14


def test_an_unknown_frame_is_refused_with_the_names_there_are():
    dyn = kd.Dynamics(kd.load_urdf(ARM))
    with pytest.raises(kd.InputError, match='tool1.*tool0'):
        dyn.frame_pose_many('tool1', np.zeros((2, 6)))
