# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Beams that spin and beams that carry weight: stiffening, softening, buckling, twist."""

import functools

from flexible_arms import beam_robot, integrate, led_motion
import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigh
from scipy.optimize import brentq

import kane_dynamics as kd
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.mode_shapes import mode_shapes, Spin

UNIT = {'length': 1.0, 'mass_per_length': 1.0, 'EI_y': 1.0, 'EI_z': 1.0}


@functools.cache
def spinning(modes, tip='', root=0.0):
    robot = beam_robot(UNIT, modes, tip=tip, root=root)
    return kd.Dynamics(robot, backend='python')


def frequencies(dyn, speed):
    """Return the in-plane (lag) and out-of-plane (flap) frequencies [rad/s] at a spin about z."""
    n = dyn.robot.n_modes
    q, qd = np.zeros(n + 1), np.zeros(n + 1)
    qd[0] = speed
    K, M = kd.moving_modes(dyn, q, qd).stiffness, dyn.mass_matrix(q)[1:, 1:]
    half = n // 2
    found = []
    for plane in (slice(0, half), slice(half, n)):      # bend_y is in plane, bend_z out of it
        squares = np.linalg.eigvals(np.linalg.solve(M[plane, plane], K[plane, plane]))
        found.append(np.sqrt(np.sort(squares.real)))
    # the planes do not couple
    np.testing.assert_allclose(K[:half, half:], 0.0, atol=1e-7)
    return found


# gamma: flap 1-3, lag 1-3, by finite elements with consistent mass (and Wright et al. 1982)
TABLE = {
    0: (3.5160, 22.0345, 61.6972, 3.5160, 22.0345, 61.6972),
    1: (3.6816, 22.1810, 61.8418, 3.5432, 22.1585, 61.8337),
    2: (4.1373, 22.6149, 62.2732, 3.6218, 22.5263, 62.2411),
    3: (4.7973, 23.3203, 62.9850, 3.7435, 23.1265, 62.9135),
    4: (5.5850, 24.2733, 63.9668, 3.8977, 23.9415, 63.8416),
    5: (6.4495, 25.4461, 65.2051, 4.0739, 24.9500, 65.0131),
    6: (7.3604, 26.8091, 66.6839, 4.2632, 26.1290, 66.4134),
    8: (9.2568, 29.9954, 70.2930, 4.6571, 28.9089, 69.8363),
    10: (11.2023, 33.6404, 74.6493, 5.0490, 32.1197, 73.9765),
    12: (13.1702, 37.6031, 79.6145, 5.4271, 35.6370, 78.7049)}


def exact_frequencies(gamma, count=22):
    """Return flap 1-3 and lag 1-3 of the beam by another method: Ritz with many polynomials.

    v = x^2 (c_0 P_0 + c_1 P_1 + ...): K + gamma^2 K_g in flap, K + gamma^2 (K_g - M) in lag, with
    the tension (1 - x^2) / 2 in K_g.
    """
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    P = [np.polynomial.Legendre.basis(k, domain=[0, 1]) for k in range(count)]
    p, dp, ddp = (np.array([each.deriv(d)(x) if d else each(x) for each in P]) for d in range(3))
    v, slope, bend = x**2 * p, 2 * x * p + x**2 * dp, 2 * p + 4 * x * dp + x**2 * ddp
    M, K, K_g = v * w @ v.T, bend * w @ bend.T, slope * (w * (1 - x**2) / 2) @ slope.T
    squares = [eigh(K + gamma**2 * stiffening, M, eigvals_only=True)[:3]
               for stiffening in (K_g, K_g - M)]
    return np.sqrt(np.concatenate(squares))


def test_tabulated_frequencies_are_those_of_the_beam():
    for gamma, expected in TABLE.items():
        # four decimals, the last of one entry one too high
        np.testing.assert_allclose(exact_frequencies(gamma), expected, rtol=0, atol=6e-5)


@pytest.mark.parametrize(('modes', 'error'), [(5, 6.84e-4), (6, 3.40e-4)])
def test_spinning_cantilever_has_the_tabulated_flap_and_lag_frequencies(modes, error):
    # bar: 1e-3 with at most six modes; the shapes are made for one spin within the range
    text = f'<modes bend_y="{modes}" bend_z="{modes}" nodes="12" spin="8"/>'
    dyn, worst = spinning(text), 0.0
    for gamma in TABLE:
        lag, flap = frequencies(dyn, gamma)
        exact = exact_frequencies(gamma)
        got = np.array([*flap[:3], *lag[:3]])
        np.testing.assert_allclose(got, exact, rtol=1e-3)
        worst = max(worst, abs(got / exact - 1).max())
    assert worst == pytest.approx(error, rel=0.02)


def test_shapes_at_rest_add_up_slowly_to_those_of_a_fast_spin():
    # Six of them: within 1e-3 up to gamma 10. At 12 the first lag errs by 1.19e-3, its square
    # being a small difference of large ones; that is Ritz, not quadrature or the reference.
    dyn = spinning('<modes bend_y="6" bend_z="6" shapes="clamped_free" nodes="12"/>')
    for gamma in TABLE:
        lag, flap = frequencies(dyn, gamma)
        errors = np.array([*flap[:3], *lag[:3]]) / exact_frequencies(gamma) - 1
        if gamma == 12:
            assert errors[3] == pytest.approx(1.189e-3, rel=0.01)
            errors[3] = 0.0
        assert abs(errors).max() < 1e-3


def test_hub_radius_stiffens_further():
    dyn = spinning('<modes bend_y="6" bend_z="6" spin="8" nodes="12"/>', root=1.0)
    for gamma, flap in ((1, (3.8888, 22.3750, 62.0431)), (2, (4.8337, 23.3660, 63.0676)),
                        (5, (8.9404, 29.3528, 69.7607)), (12, (19.7215, 51.0701, 98.5268))):
        np.testing.assert_allclose(frequencies(dyn, gamma)[1][:3], flap, rtol=1e-3)


def test_tip_mass_stiffens_further():
    # a tip mass as heavy as the beam
    tip_loaded = spinning('<modes bend_y="3" bend_z="3"/>', tip=(1.0, 1e-12))
    np.testing.assert_allclose(frequencies(tip_loaded, 0)[1], (1.5573, 16.2501, 50.8958),
                               rtol=3e-4)
    clamped = spinning('<modes bend_y="6" bend_z="6" shapes="clamped_free" nodes="12"/>',
                       tip=(1.0, 1e-12))
    for gamma, flap in ((2, 2.6696), (5, 5.5219)):
        assert frequencies(clamped, gamma)[1][0] == pytest.approx(flap, rel=1e-3)
    # shapes of the loaded link in its spin: all three frequencies, also where it is extreme
    spun = spinning('<modes bend_y="6" bend_z="6" spin="8" nodes="12"/>', tip=(1.0, 1e-12))
    for gamma, flap in ((2, (2.6696, 18.1910, 53.1220)), (5, (5.5219, 26.0415, 63.5223)),
                        (12, (12.4814, 50.8594, 104.0910))):
        np.testing.assert_allclose(frequencies(spun, gamma)[1][:3], flap, rtol=1e-3)


def test_spin_of_the_shapes_is_for_bending_modes_and_changes_no_physics():
    # six shapes for any spin: the frequencies at rest stay; torsion and stretch shapes do too
    still, spun = (spinning(f'<modes bend_y="6" bend_z="6" {more} nodes="12"/>')
                   for more in ('', 'spin="6"'))
    for a, b in zip(frequencies(still, 0), frequencies(spun, 0)):
        np.testing.assert_allclose(a[:3], b[:3], rtol=1e-4)
    beam = Beam.uniform(1.0, mass_per_length=1.0, EI_z=1.0, GJ=1.0, EA=1e3,
                        polar_inertia_per_length=1e-3)
    counts = {'bend_y': 1, 'torsion': 2, 'stretch': 1}
    at_rest, turning = (mode_shapes(beam, counts, spin=Spin(speed)) for speed in (0.0, 5.0))
    np.testing.assert_array_equal(at_rest.stiffness[1:], turning.stiffness[1:])
    assert turning.stiffness[0] != pytest.approx(at_rest.stiffness[0], rel=1e-3)
    with pytest.raises(kd.ModelError, match='<modes>: spin is for tip_loaded and clamped_free'):
        beam_robot(UNIT, '<modes bend_y="2" shapes="craig_bampton" spin="3"/>')
    with pytest.raises(kd.ModelError, match='spin: expected at least 0, got -3'):
        beam_robot(UNIT, '<modes bend_y="2" spin="-3"/>')


@pytest.mark.parametrize(('modes', 'values'), [
    # in-plane fundamental at W = 1, 2, 3, 5, 10 (Padilla 1989, eq. 3.3.1.4, recomputed)
    (1, (3.54340, 3.62432, 3.75531, 4.14678, 5.62992)),
    (6, (3.54324, 3.62180, 3.74353, 4.07403, 5.05185))])
def test_few_modes_stiffen_a_little_too_much(modes, values):
    dyn = spinning(f'<modes bend_y="{modes}" bend_z="{modes}" shapes="clamped_free" nodes="12"/>')
    got = [frequencies(dyn, W)[0][0] for W in (1, 2, 3, 5, 10)]
    np.testing.assert_allclose(got, values, rtol=0, atol=2e-5)


def test_weight_along_the_beam_buckles_it_at_the_textbook_load():
    # rho g l^3 / EI = 7.8697 with one clamped-free mode, 7.837 exact
    for modes, load, tolerance in ((1, 7.8697, 1e-4), (6, 7.8375, 1e-3)):
        text = f'<modes bend_y="{modes}" shapes="clamped_free" nodes="14"/>'
        stable = []
        for g in (load - tolerance, load + tolerance):
            robot = beam_robot(UNIT, text, joint='fixed', gravity=(-g, 0.0, 0.0))
            found = kd.vibration(kd.Dynamics(robot, backend='python'), np.zeros(modes))
            stable.append(found.squares[0] > 0.0)
        assert stable == [True, False]


def test_unstable_pose_has_no_frequency_but_a_warning():
    robot = beam_robot(UNIT, '<modes bend_y="2"/>', joint='fixed', gravity=(-9.0, 0.0, 0.0))
    with pytest.warns(kd.KaneDynamicsWarning, match='1 of 2 elastic modes buckle'):
        found = kd.natural_frequencies(kd.Dynamics(robot, backend='python'), np.zeros(2))
    assert np.isnan(found[0]) and found[1] > 0.0


# ---- spin-up (a) ----------------------------------------------------------------------------

SPUN = {'length': 10.0, 'mass_per_length': 1.2, 'EI_z': 1.4e4}


def spin_up(t):
    """Return q, qd, qdd of the base of Kane, Ryan and Banerjee 1987: 6 rad/s after 15 s."""
    if t > 15.0:
        return np.array([6.0 * t - 45.0]), np.array([6.0]), np.zeros(1)
    k, w = 0.4, 2 * np.pi / 15.0
    return (np.array([k * (t**2 / 2 + (np.cos(w * t) - 1) / w**2)]),
            np.array([k * (t - np.sin(w * t) / w)]), np.array([k * (1 - np.cos(w * t))]))


@functools.cache
def spun_up(model, until=20.0):
    text = '<modes bend_y="3" shapes="clamped_free" nodes="8"/>'
    robot = beam_robot(SPUN, text, model=model)
    dyn = kd.Dynamics(robot)
    rate, torque = led_motion(dyn, spin_up)
    times = (0.0, 15.0, until) if until > 15.0 else (0.0, until)
    runs = integrate(rate, np.zeros(6), *times, rtol=1e-8, atol=1e-10, dense_output=True)
    body = robot.flexible_links['beam'].body

    def tip(t):
        x = (runs[0] if t <= 15.0 else runs[1]).sol(t)
        return body.tip_deflection(x[:3])
    return tip, lambda t: torque(t, runs[0].sol(t))[0]


@pytest.mark.parametrize(('model', 'peak', 'rows'), [
    # geometrically exact: -0.5738 (ANCF, 16 elements), v(5) v(7.5) v(10) -.46856 -.55903 -.36266
    ('<model order="2"/>', -0.57593, (-0.46937, -0.56104, -0.36368)),
    ('<model order="3"/>', -0.57364, (-0.46845, -0.55881, -0.36243))])
def test_spin_up_reaches_its_peak_and_comes_to_rest(model, peak, rows):
    tip, torque = spun_up(model)
    v = np.array([tip(t)[1] for t in np.linspace(0.0, 15.0, 1501)])
    assert v.min() == pytest.approx(peak, abs=5e-4)        # the bar; the notes' digits:
    assert v.min() == pytest.approx(peak, abs=3e-5)
    assert np.argmin(v) * 0.01 == pytest.approx(6.765, abs=0.02)
    np.testing.assert_allclose([tip(t)[1] for t in (5.0, 7.5, 10.0)], rows, rtol=0, atol=3e-5)
    late = np.array([tip(t)[1] for t in np.linspace(16.0, 20.0, 801)])
    assert abs(late).max() < 4e-3 and abs(late.mean()) < 1e-3    # steady: straight
    assert max(torque(t) for t in np.linspace(0, 15, 751)) == pytest.approx(320.65, abs=0.15)


def test_third_order_is_as_good_as_the_exact_beam():
    tip, _ = spun_up('<model order="3"/>')
    v = np.array([tip(t)[1] for t in np.linspace(0.0, 15.0, 1501)])
    assert v.min() == pytest.approx(-0.5738, abs=5e-4)
    # the tip comes nearer by 0.0188 m (ANCF)
    assert tip(6.76)[0] == pytest.approx(-0.01882, abs=2e-4)


def test_without_stiffening_the_spun_beam_runs_away():
    tip, _ = spun_up('<model>inconsistent</model>', 10.0)
    np.testing.assert_allclose([tip(t)[1] for t in (5.0, 7.5, 10.0)],
                               (-0.52184, -1.46454, -72.007), rtol=2e-5)


def test_stretch_mode_extends_the_spinning_beam():
    # steady extension rho A w^2 L^3 / (3 EA) = 5.142857e-4; one mode holds 98.6 % of it
    beam = {**SPUN, 'EA': 2.8e7}
    robot = beam_robot(beam, '<modes bend_y="1" stretch="1" shapes="clamped_free"/>')
    dyn = kd.Dynamics(robot, backend='python')
    q, qd = np.zeros(3), np.array([6.0, 0.0, 0.0])
    for _ in range(20):                         # the modal force vanishes
        q[2] -= dyn.inverse(q, qd, np.zeros(3))[2] / dyn.inverse_derivatives(
            q, qd, np.zeros(3))[0][2, 2]
    tip = robot.flexible_links['beam'].body.tip_deflection(q[1:])
    assert tip[0] == pytest.approx(5.07e-4, abs=1e-6)


# ---- lateral buckling, twist ----------------------------------------------------------------

# EI_weak = GJ = L = 1; the strong plane is stiff, its deflection nothing
FLAT = {'length': 1.0, 'mass_per_length': 1.0, 'EI_y': 1e7, 'EI_z': 1.0, 'GJ': 1.0,
        'polar_inertia_per_length': 1.0}


def lateral_load(modes, tip):
    """Return the load along the beam's z at which the flat cantilever moves sideways and twists.

    The strong plane does not give, so K = K_0 + g K_1 exactly: singular first at the lowest g.
    """
    beam = dict(FLAT, mass_per_length=1e-9 if tip else 1.0)
    counts = f'bend_y="{modes}" bend_z="1" torsion="{modes}"'
    robot = beam_robot(beam, f'<modes {counts} shapes="clamped_free" nodes="{2 * modes + 4}"/>',
                       joint='fixed', gravity=(0.0, 0.0, -1.0), tip=(1.0, 1e-12) if tip else '')
    dyn = kd.Dynamics(robot, backend='python')
    h = 1e-4 * np.eye(robot.nq)
    K = np.array([(dyn.gravity(row) - dyn.gravity(-row)) / 2e-4 for row in h])
    K_0 = np.diag(robot.flexible_links['beam'].body.stiffness)
    return 1 / np.linalg.eigvals(-np.linalg.solve(K_0, K - K_0)).real.max()


def classical_load(modes, tip):
    """Return the same load by Ritz on the functional of the textbooks, in the same shapes.

    int (v''^2 + phi'^2) / 2 - P phi (1 - x) v'' (tip load) or - q phi (1 - x)^2 / 2 v'' (weight)
    is stationary; v: clamped-free bending, phi = sin((k - 1/2) pi x).
    """
    x, w = np.polynomial.legendre.leggauss(80)
    x, w = (x + 1) / 2, w / 2
    bend, twist, rate = [], [], []
    for k in range(modes):
        root = brentq(lambda z: np.cos(z) + 1 / np.cosh(z), k * np.pi + 1.5, k * np.pi + 2.0)
        ratio = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
        bend.append(np.cosh(root * x) + np.cos(root * x)
                    - ratio * (np.sinh(root * x) + np.sin(root * x)))
        wave = (k + 0.5) * np.pi
        twist.append(np.sin(wave * x))
        rate.append(wave * np.cos(wave * x))
    bend, twist, rate = np.array(bend), np.array(twist), np.array(rate)
    couple = (bend * (w * (1 - x if tip else (1 - x)**2 / 2))) @ twist.T
    none = np.zeros((modes, modes))
    K = np.block([[bend * w @ bend.T, none], [none, rate * w @ rate.T]])
    return 1 / np.linalg.eigvals(np.linalg.solve(K, np.block([[none, couple],
                                                              [couple.T, none]]))).real.max()


@pytest.mark.parametrize(('tip', 'load', 'classical'), [(True, 4.017, 4.0126),
                                                        (False, 12.90, 12.85)])
def test_flat_cantilever_buckles_sideways(tip, load, classical):
    # Prandtl 1899 / Timoshenko: classical; 4 bending and 4 torsion modes come this near
    got = lateral_load(4, tip)
    assert got == pytest.approx(load, rel=5e-4)
    assert got == pytest.approx(classical, rel=5e-3)
    assert got == pytest.approx(classical_load(4, tip), rel=1e-5)      # 4.01539, 12.8976


ROD = {'length': 1.0, 'mass_per_length': 1e-9, 'EI_y': 4.0, 'EI_z': 1.0, 'GJ': 0.8,
       'polar_inertia_per_length': 1e-9}


def rod(force):
    """Return tip displacement and twist of the exact rod under a dead tip force: Kirchhoff.

    R' = R [kappa]x, r' = R e1, EI kappa' + kappa x EI kappa + e1 x R'f = 0, clamped, free moment.
    """
    stiffness = np.array([ROD['GJ'], ROD['EI_y'], ROD['EI_z']])[:, None]

    def rate(s, y):
        R, m = y[:9].reshape(3, 3, -1), y[12:15]
        kappa = m / stiffness
        skew = np.zeros((3, 3, y.shape[1]))
        skew[0, 1], skew[0, 2], skew[1, 2] = -kappa[2], kappa[1], -kappa[0]
        skew -= np.swapaxes(skew, 0, 1)
        local = np.einsum('jis,j->is', R, force)
        m_rate = -np.cross(kappa, m, axis=0) - np.cross(np.array([1.0, 0, 0])[:, None], local,
                                                        axis=0)
        return np.concatenate([np.einsum('ijs,jks->iks', R, skew).reshape(9, -1), R[:, 0], m_rate])

    def ends(a, b):
        return np.concatenate([a[:9] - np.eye(3).ravel(), a[9:12], b[12:15]])
    s = np.linspace(0, 1, 21)
    start = np.zeros((15, 21))
    start[:9] = np.eye(3).reshape(9, 1)
    start[9] = s
    found = solve_bvp(rate, ends, s, start, tol=1e-8)
    assert found.success
    R, r = found.y[:9, -1].reshape(3, 3), found.y[9:12, -1]
    return np.array([*(r - [1, 0, 0]), (R[2, 1] - R[1, 2]) / 2])


@pytest.mark.filterwarnings('ignore:link .beam. bends')        # on purpose, by up to 14 %
@pytest.mark.parametrize(('force', 'printed'), [
    ((0.2, 0.8), (-0.00537, 0.06702, 0.06654, 0.01260)),
    ((0.4, 1.6), (-0.02202, 0.13604, 0.13248, 0.05140))])
def test_bending_in_two_planes_twists_the_link_like_the_exact_rod(force, printed):
    exact = rod(np.array([0.0, *force]))
    np.testing.assert_allclose(exact, printed, rtol=0, atol=2e-5)
    # twist: second order within 3 % where the link bends by 7 %, third order also at 14 %
    for order, torsion, tolerance in ((2, 2 if force[0] < 0.3 else 1, 0.045), (3, 3, 0.015)):
        text = f'<modes bend_y="2" bend_z="2" torsion="{torsion}" shapes="craig_bampton"/>'
        robot = beam_robot(ROD, text, joint='fixed', model=f'<model order="{order}"/>',
                           tip=(1.0, 1e-12), gravity=(0.0, *force))
        dyn = kd.Dynamics(robot, backend='python')
        R, p = dyn.frame_pose('tip', kd.static_sag(dyn, np.zeros(robot.nq)))
        twist = (R[2, 1] - R[1, 2]) / 2
        assert twist == pytest.approx(exact[3], rel=0.03 if force[0] < 0.3 else tolerance)
        np.testing.assert_allclose(p - [1, 0, 0], exact[:3], rtol=0.03 if order == 2 else 2e-3)


@pytest.mark.filterwarnings('ignore:link .beam. bends')
@pytest.mark.parametrize('family', ['bend_y', 'bend_z'])
def test_foreshortening_alone_knows_no_twist(family):
    # one plane only: no twist, at any order
    text = '<modes bend_y="2" bend_z="2" torsion="2" shapes="craig_bampton"/>'
    force = (0.0, 0.4, 0.0) if family == 'bend_y' else (0.0, 0.0, 1.6)
    robot = beam_robot(ROD, text, joint='fixed', tip=(1.0, 1e-12), gravity=force)
    dyn = kd.Dynamics(robot, backend='python')
    q = kd.static_sag(dyn, np.zeros(6))
    assert abs(q[4:]).max() < 1e-12 and abs(q[:4]).max() > 0.1
