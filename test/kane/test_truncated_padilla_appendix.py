# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of Padilla 1989, appendix C, written out, against the same model here.

With the corrections of its print: factor L1 in C.2 (2), phi_j' for psi_j and the like, the square
in C.3 (2), and mu by quadrature (the thesis's program has its diagonal wrong).
"""

from flexible_arms import padilla
import numpy as np
import pytest

import kane_dynamics as kd

L, B1, B21, B22, BT = 0.9144, 0.0762, 0.0762, 0.0127, 0.0508
RHO = (1.33937, 0.669685)
EI = (114.0, 14.0)
ELBOW, TIP, JA, JB, JC = 14.0, 2.0, 0.01, 0.03, 0.01
LAMBDA = np.array([1.875104068711961, 4.694091132974174])      # cos l cosh l = -1


class Beam:
    """Modal integrals of a clamped-free link, shapes of unit tip displacement (thesis: 2)."""

    def __init__(self, rho, EI, offset):
        t, w = np.polynomial.legendre.leggauss(80)
        x, w = L * (t + 1) / 2, L * w / 2
        phi, slope = zip(*(shape(k, x) for k in LAMBDA))
        self.phi, slope = np.array(phi), np.array(slope)
        tip, tip_slope = zip(*(shape(k, np.array([L])) for k in LAMBDA))
        self.tip, self.slope = np.array(tip)[:, 0], np.array(tip_slope)[:, 0]
        self.E, self.F = rho * self.phi @ w, rho * self.phi @ (w * x)
        self.G = rho * (self.phi * w) @ self.phi.T
        self.H = EI * np.diag((LAMBDA / L)**4) * L / 4
        whole = (slope * w) @ slope.T                          # beta(l) = int phi' phi'
        # by parts: mu = int rho (l - x) phi' phi', eta = int rho (l^2 - x^2)/2 phi' phi'
        self.mu = rho * (slope * w * (L - x)) @ slope.T
        self.eta = rho * (slope * w * (L**2 - x**2) / 2) @ slope.T
        self.A = self.tip + offset * self.slope
        self.C = whole + offset * np.outer(self.slope, self.slope)
        self.m, self.a, self.inertia = rho * L, rho * L**2 / 2, rho * L**3 / 3


def shape(root, x):
    k = root / L
    sigma = (np.sinh(root) - np.sin(root)) / (np.cosh(root) + np.cos(root))

    def y(x):
        return np.cosh(k * x) - np.cos(k * x) - sigma * (np.sinh(k * x) - np.sin(k * x))
    slope = k * (np.sinh(k * x) + np.sin(k * x) - sigma * (np.cosh(k * x) - np.cos(k * x)))
    tip = y(L)                  # 2 or -2; here every mode goes up at the tip
    return y(x) / tip, slope / tip


def appendix_c(x, xd, xdd):
    """Return the generalized forces (6,) and M (6, 6) for theta, beta, q_1, q_2, p_1, p_2."""
    one, two = Beam(RHO[0], EI[0], B21), Beam(RHO[1], EI[1], BT)
    L1, L2 = B1 + L + B21, B22 + L + BT
    q, p, qd, pd = x[2:4], x[4:], xd[2:4], xd[4:]
    c, s = np.cos(x[1]), np.sin(x[1])
    alpha, alpha_d = one.slope @ q, one.slope @ qd
    ct, st = c - s * alpha, s + c * alpha                      # of beta + alpha, linear
    total = two.m + ELBOW + TIP
    co1 = two.a + B22 * two.m + TIP * L2
    co3, co4 = one.A + L1 * one.slope, two.E + TIP * two.A
    k1, k2 = co1 * s, co1 * c
    Aq, Aqd = one.A @ q, one.A @ qd
    Pp, Pd = co4 @ p, co4 @ pd
    J2 = two.inertia + JC + 2 * two.a * B22 + two.m * B22**2 + TIP * L2**2
    row = two.F + B22 * two.E + two.slope * JC + TIP * two.A * L2

    def columns(q, p, Aq, Pp, ct):
        """Return the columns of theta and beta, with or without deflections."""
        M12 = J2 + k1 * Aq - L1 * s * Pp + L1 * co1 * ct
        M11 = (J2 + JA + JB + one.inertia + 2 * one.a * B1 + one.m * B1**2 + total * L1**2
               + 2 * (M12 - J2))
        first = (one.F + B1 * one.E + one.slope * (JB + J2) + one.A * total * L1
                 + one.slope * k1 * Aq - co3 * s * Pp + k1 * one.C @ q + co3 * co1 * ct)
        second = one.slope * J2 - one.A * s * Pp + k1 * one.C @ q + one.A * co1 * ct
        third = (row + co4 * s * Aq - L1 * s * two.mu @ p - TIP * L1 * s * two.C @ p
                 + co4 * L1 * ct)
        return (np.concatenate([[M11, M12], first, third]),
                np.concatenate([[M12, J2], second, row]))
    M = np.zeros((6, 6))
    M[:, 0], M[:, 1] = columns(q, p, Aq, Pp, ct)
    none = np.zeros(2)
    still = columns(none, none, 0.0, 0.0, c)
    M[0, 2:], M[1, 2:] = still[0][2:], still[1][2:]
    co5 = np.outer(one.slope, one.A)
    M[2:4, 2:4] = (np.outer(one.slope, one.slope) * (JB + J2) + np.outer(one.A, one.A) * total
                   + one.G + (co5 + co5.T) * k2)
    M[2:4, 4:] = np.outer(one.slope, row) + np.outer(one.A, co4) * c
    M[4:, 2:4] = M[2:4, 4:].T
    M[4:, 4:] = np.outer(two.slope, two.slope) * JC + two.G + TIP * np.outer(two.A, two.A)
    w, rate = xd[0], xd[0] + xd[1]
    twice = 2 * rate * alpha_d
    X = -k2 * Aq + L1 * c * Pp + L1 * co1 * st
    F1 = (rate**2 - w**2) * X + twice * L1 * k1 - 2 * w * k1 * Aqd + 2 * rate * L1 * s * Pd
    F2 = -w**2 * X - 2 * w * k1 * Aqd
    Fq = (w**2 * ((one.G - one.eta - B1 * one.mu) @ q + total * (one.A * Aq - L1 * one.C @ q)
                  + one.slope * (k2 * Aq - L1 * c * Pp - L1 * co1 * st))
          + rate**2 * (one.A * c * Pp - k2 * one.C @ q + one.A * co1 * st)
          + twice * one.A * k1 - 2 * w * one.slope * k1 * Aqd + 2 * rate * one.A * s * Pd)
    Fp = (-w**2 * (-co4 * c * Aq + TIP * L1 * c * two.C @ p + L1 * c * two.mu @ p
                   + L1 * co4 * st)
          + rate**2 * ((two.G - two.eta - B22 * two.mu) @ p
                       + TIP * (two.A * (two.A @ p) - L2 * two.C @ p))
          - 2 * w * co4 * s * Aqd)
    F = np.concatenate([[F1, F2], Fq, Fp])
    spring = np.concatenate([[0.0, 0.0], one.H @ q, two.H @ p])
    return M @ xdd + spring - F, M


def dynamics(model):
    # 14 mass points: their quadrature then agrees with the integrals to 1e-9
    robot = padilla('<modes bend_y="2" shapes="clamped_free" nodes="14"/>', model, 0)
    return kd.Dynamics(robot, backend='python')


def test_modal_integrals_are_those_of_appendix_b():
    # link 1 of the thesis, whose shapes are twice as large: E, F once, the others squared
    one = Beam(RHO[0], EI[0], B21)
    sign = np.array([1, -1])          # the second mode of the thesis goes down at the tip
    np.testing.assert_allclose(2 * one.E * sign, (0.958946, 0.531450), atol=1e-6)
    np.testing.assert_allclose(2 * one.F * sign, (0.637019, 0.101648), atol=1e-6)
    np.testing.assert_allclose(4 * np.diag(one.H), (1843.30, 72393.95), rtol=1e-5)
    signs = np.outer(sign, sign)
    np.testing.assert_allclose(4 * one.C * signs, [[5.773586, -10.469668],
                                                   [-10.469668, 43.783916]], rtol=1e-6)
    np.testing.assert_allclose(4 * one.eta * signs, [[1.461503, -0.839981],
                                                     [-0.839981, 7.934011]], rtol=1e-6)
    # diag(mu): 2.103987 and 11.581724; printed are 0.742933 and 8.510827
    np.testing.assert_allclose(4 * one.mu * signs, [[2.103987, -0.565643],
                                                    [-0.565643, 11.581724]], rtol=1e-6)


@pytest.mark.parametrize('seed', range(4))
def test_consistent_model_is_appendix_c(seed):
    rng = np.random.default_rng(seed)
    x, xd, xdd = rng.normal(size=(3, 6))
    expected, M = appendix_c(x, xd, xdd)
    dyn = dynamics('<model>consistent</model>')
    np.testing.assert_allclose(dyn.mass_matrix(x), M, rtol=0, atol=1e-7 * abs(M).max())
    np.testing.assert_allclose(dyn.inverse(x, xd, xdd), expected, rtol=0,
                               atol=1e-6 * abs(expected).max())


def test_full_model_is_appendix_c_where_the_links_hardly_bend():
    rng = np.random.default_rng(9)
    x, xd, xdd = rng.normal(size=(3, 6))
    dyn = dynamics('')
    errors = []
    for size in (1e-3, 1e-4):
        small = np.array([1.0, 1.0, *[size] * 4])
        expected, _ = appendix_c(x * small, xd * small, xdd * small)
        errors.append(abs(dyn.inverse(x * small, xd * small, xdd * small) - expected).max())
    # what appendix C leaves out is of second order
    assert errors[0] < 1e-2 and np.log10(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
