# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of arms that tests make: a smooth motion, torques of another program, noise."""

import numpy as np
import pinocchio

from kane_dynamics.recorded.bags.writer import BagWriter


def sines(n, duration, rate, seed=0, amplitude=0.6, top=0.9):
    """Return t (N,) and q, qd, qdd (N, n): sums of five sines below `top` Hz."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(duration * rate)) / rate
    w = 2 * np.pi * rng.uniform(0.1, top, (5, n))
    phase = rng.uniform(0, 2 * np.pi, (5, n))
    size = amplitude * rng.uniform(0.3, 1.0, (5, n)) / np.sqrt(w)
    angle = t[:, None, None] * w + phase
    return (t, (size * np.sin(angle)).sum(1), (size * w * np.cos(angle)).sum(1),
            (-size * w**2 * np.sin(angle)).sum(1))


def pinocchio_torques(path, q, qd, qdd):
    """Return the torques (N, n) that Pinocchio computes for a URDF: a path, or its text."""
    build = (pinocchio.buildModelFromXML if str(path).startswith('<')
             else pinocchio.buildModelFromUrdf)
    model = build(str(path))
    data = model.createData()
    return np.array([pinocchio.rnea(model, data, *row) for row in zip(q, qd, qdd)])


def record(path, names, t, q, qd, effort, start=1_700_000_000_000_000_000, storage='sqlite3'):
    """Write a bag of joint states."""
    stamps = start + np.round(t * 1e9).astype(np.int64)
    with BagWriter(path, storage) as writer:
        writer.write_joint_states('/joint_states', names, stamps, position=q, velocity=qd,
                                  effort=effort)
    return path
