# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rotors and friction bound for control loops, against `Friction.torque` in numpy."""

import numpy as np
import pytest

from kane_dynamics.dynamics.friction import Friction, Transmission

N = 4
RNG = np.random.default_rng(12)
ALL = {'viscous': RNG.uniform(0.1, 5.0, N), 'coulomb': RNG.uniform(0.1, 3.0, N),
       'stiction': RNG.uniform(3.0, 5.0, N), 'stribeck_speed': RNG.uniform(0.02, 0.2, N),
       'smoothing_speed': 0.003, 'offset': RNG.normal(size=N), 'load': RNG.uniform(0.0, 0.4, N)}


def frictions():
    """Return frictions with all and with few of their parts."""
    yield Friction(**ALL)
    yield Friction(viscous=ALL['viscous'], coulomb=ALL['coulomb'])
    yield Friction(viscous=np.zeros(N), coulomb=ALL['coulomb'], smoothing_speed=1e-4)
    yield Friction(**{**ALL, 'stiction': None, 'offset': None})
    yield None


@pytest.mark.parametrize('friction', list(frictions()))
@pytest.mark.parametrize('armature', [None, [0.3, 0.0, 1.5, 0.01]])
def test_loops_and_batches_add_rotors_and_friction(friction, armature):
    qd, qdd, tau = np.random.default_rng(3).normal(size=(3, 500, N)) * [[[0.1]], [[1.0]], [[10.0]]]
    qd[:3] = 0.0
    tau[5] = 0.0
    expected = tau + (0.0 if armature is None else np.array(armature) * qdd)
    if friction is not None:
        expected = expected + friction.torque(qd, expected)
    transmission = Transmission(N, friction, armature)
    assert transmission.acts == (friction is not None or armature is not None)
    many = tau.copy()
    transmission.add(qd, qdd, many)
    np.testing.assert_allclose(many, expected, rtol=1e-13, atol=1e-13)
    v, a, t = np.zeros((3, N))
    step = transmission.bind(v, a, t)
    for row in range(20):
        v[:], a[:], t[:] = qd[row], qdd[row], tau[row]
        step()
        np.testing.assert_allclose(t, expected[row], rtol=1e-13, atol=1e-13)


def test_no_rows_are_no_work():
    none = np.zeros((0, N))
    Transmission(N, Friction(**ALL)).add(none, none, none)     # does not raise
    assert none.shape == (0, N)
