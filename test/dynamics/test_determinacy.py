# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Accelerations of arms with massless links: computed where determined, refused elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from random_arms import chain, state, tree

import kane_dynamics as kd

ONE_ARM = chain('RR', 70, floating_base=True).with_inertial('link_0', None)
# a shaft in two joints about one axis, its middle part massless
SHAFT = chain('RR', 71).with_inertial('link_1', None)
SHAFT = replace(SHAFT, joints=(SHAFT.joints[0], replace(
    SHAFT.joints[1], rotation=np.eye(3), position=np.zeros(3), axis=SHAFT.joints[0].axis)))


@pytest.mark.parametrize('function', ['forward', 'step_semi_implicit', 'step_midpoint'])
@pytest.mark.parametrize('arm, who', [
    (ONE_ARM, "the floating base with 'joint_0' can move .* link 'link_0' a mass"),
    (SHAFT, "'joint_0' with 'joint_1' can move .* link 'link_1' a mass")])
def test_motion_of_no_mass_is_refused_with_joint_link_and_remedy(function, arm, who):
    dyn = kd.Dynamics(arm, backend='python')
    q, qd, qdd = state(arm, np.random.default_rng(1))
    M = dyn.mass_matrix(q)
    assert abs(np.linalg.det(M / np.abs(M).max())) < 1e-15     # it is so
    assert np.isfinite(dyn.inverse(q, qd, qdd)).all()           # torques are defined
    with pytest.raises(kd.ModelError, match=f'{function} divides by .* {who} and an inertia'):
        dyn.prepare(function)


def test_simulation_of_a_floating_arm_with_a_massless_base_is_refused():
    with pytest.raises(kd.ModelError, match="link 'link_0' a mass"):
        kd.simulate(kd.Dynamics(ONE_ARM, backend='python'), ONE_ARM.neutral(), np.zeros(8),
                    duration=0.1, dt=0.01)


def with_rotor(arm):
    """Return the arm with rotor inertia in its first joint."""
    return replace(arm, joints=(replace(arm.joints[0], armature=0.1), *arm.joints[1:]))


@pytest.mark.parametrize('arm', [
    chain('RR', 70, floating_base=True), with_rotor(ONE_ARM), with_rotor(SHAFT),
    tree('RR', [0, 0], 72, floating_base=True).with_inertial('link_0', None),
    chain('RR', 71).with_inertial('link_1', None)],
    ids=['base with mass', 'rotor at the base', 'rotor of the shaft', 'massless base of two arms',
         'massless link between two directions'])
def test_forward_undoes_inverse_where_every_motion_moves_mass(arm):
    dyn = kd.Dynamics(arm, backend='python')
    q, qd, qdd = state(arm, np.random.default_rng(2))
    found = dyn.forward(q, qd, dyn.inverse(q, qd, qdd))
    condition = np.linalg.cond(dyn.mass_matrix(q))
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-14 * condition)
