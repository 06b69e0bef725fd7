# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Hermite polynomials against SciPy's piecewise polynomials with given derivatives."""

import numpy as np
from numpy.polynomial import polynomial
import pytest
from scipy.interpolate import BPoly

from kane_dynamics.numerics.polynomials import cubic_hermite, quintic_hermite


@pytest.mark.parametrize(('make', 'given'), [(cubic_hermite, 2), (quintic_hermite, 3)])
@pytest.mark.parametrize('h', [1e-3, 1.0, 40.0])
def test_segments_are_those_that_scipy_makes_of_the_derivatives_at_both_ends(make, given, h):
    ends = np.random.default_rng(5).normal(size=(2, given))     # q, qd (and qdd) at either end
    ends[1, 0] = ends[0, 0] + 0.3 * h
    slope = (ends[1, 0] - ends[0, 0]) / h
    higher = make(slope, *ends[:, 1:].T.ravel(), h)
    x = np.linspace(0.0, h, 11)
    found = polynomial.polyval(x, [*ends[0, :2], *higher])
    expected = BPoly.from_derivatives([0.0, h], ends)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11 * abs(expected).max())
