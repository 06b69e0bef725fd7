# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Forces within bounds: the solver against trying every case."""

from itertools import product

import numpy as np
import pytest

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.box_lcp import HIGH, INSIDE, LOW, solve_box_lcp


def by_trying(A, b, low, high):
    """Return the x that fits, from all 3^n guesses of which x is at which bound."""
    for guess in product((INSIDE, LOW, HIGH), repeat=len(b)):
        side = np.array(guess)
        x = np.where(side == LOW, low, np.where(side == HIGH, high, 0.0))
        if not np.isfinite(x).all():
            continue
        inside = side == INSIDE
        if inside.any():
            x[inside] = np.linalg.solve(
                A[np.ix_(inside, inside)], -(b + A[:, ~inside] @ x[~inside])[inside])
        w = A @ x + b
        if ((x >= low - 1e-9) & (x <= high + 1e-9)).all() and (w[side == LOW] >= -1e-9).all() and (
                w[side == HIGH] <= 1e-9).all():
            return x
    raise AssertionError('no guess fits')


@pytest.mark.parametrize('seed', range(40))
def test_solution_is_the_one_that_trying_every_case_finds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    root = rng.normal(size=(n, n + 1))
    scale = np.exp(2.0 * rng.normal(size=n))
    A = scale[:, None] * (root @ root.T) * scale          # joints of very different inertia
    b = scale * rng.normal(size=n)
    low, high = -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
    low[rng.random(n) < 0.2], high[rng.random(n) < 0.2] = -np.inf, np.inf
    x, w, side = solve_box_lcp(A, b, low, high)
    assert x == pytest.approx(by_trying(A, b, low, high), abs=1e-7)
    assert w == pytest.approx(A @ x + b, abs=1e-9 * abs(b).max() + 1e-9)
    assert ((x == low) == (side == LOW)).all() and ((x == high) == (side == HIGH)).all()


def test_forty_coupled_forces_are_found_and_minimize_their_energy():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(40, 41))
    A, b, bound = root @ root.T, rng.normal(size=40), np.full(40, 0.02)
    x, w, _ = solve_box_lcp(A, b, -bound, bound)
    assert (abs(x) <= bound).all() and ((abs(x) < bound) <= (abs(w) < 1e-9)).all()
    for _ in range(50):                                    # nothing in the box is better
        y = np.clip(x + 0.01 * rng.normal(size=40), -bound, bound)
        assert 0.5 * y @ A @ y + b @ y >= 0.5 * x @ A @ x + b @ x


def test_zero_width_bounds_and_zero_drive_stay_put():
    x, w, side = solve_box_lcp(np.eye(3), np.array([0.0, 1.0, -1.0]), np.zeros(3), np.zeros(3))
    assert (x == 0.0).all() and (w == [0.0, 1.0, -1.0]).all() and side[0] == INSIDE


def test_what_has_no_solution_is_said():
    with pytest.raises(KaneDynamicsError, match='positive definite'):
        solve_box_lcp(np.array([[-1.0]]), np.array([-1.0]), np.zeros(1), np.full(1, np.inf))
