# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The kinematics of a bent beam to third order, against direct integration and known values."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.flexible_body import flexible_body
from kane_dynamics.model.flexible.modal_constants import stations
from kane_dynamics.model.flexible.mode_shapes import mode_shapes

UNIT = {'mass_per_length': 1.0, 'EI_y': 1.0, 'EI_z': 1.0, 'GJ': 1.0, 'EA': 1.0,
        'polar_inertia_per_length': 1.0}
RHO, L = 1.33937, 0.9144       # link 1 of Padilla 1989, with EI = 114 N m^2


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rod(modes, eta, x):
    """Return displacement and rotation vector at x by integrating R' = R [k]x, r' = (1+e) R e1."""
    y = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    edges = np.append(modes.edges[modes.edges < x], x)
    for a, b in zip(edges[:-1], edges[1:]):
        # Inside an element curvature and strain are linear in s: two values define them.
        fields = modes.fields([a + (b - a) / 3, b - (b - a) / 3])
        strains = np.column_stack([fields.curvature @ eta, fields.strain @ eta])

        def rates(s, y):
            t = 3 * (s - a) / (b - a) - 1
            *k, e = strains[0] + t * (strains[1] - strains[0])
            R = y[:9].reshape(3, 3)
            return np.concatenate([(R @ skew(k)).ravel(), (1 + e) * R[:, 0]])
        y = solve_ivp(rates, (a, b), y, method='DOP853', rtol=1e-12, atol=1e-14).y[:, -1]
    return y[9:] - [x, 0, 0], Rotation.from_matrix(y[:9].reshape(3, 3)).as_rotvec()


@pytest.mark.parametrize('x', [0.77, 1.3])
def test_remainders_fall_as_the_second_third_and_fourth_power(x):
    beam = Beam(1.3, [0.0, 1.3], {'mass_per_length': [2, 1], 'EI_y': [1, 1], 'EI_z': [2, 1],
                                  'GJ': [1, 1], 'EA': [1, 1],
                                  'polar_inertia_per_length': [1, 1]})
    modes = mode_shapes(beam, {'bend_y': 2, 'bend_z': 2, 'torsion': 2, 'stretch': 1},
                        'clamped_free', elements=12)
    first, second, third = (stations(modes, [x], level)[0] for level in (0, 2, 3))
    direction = np.random.default_rng(5).uniform(-1, 1, modes.count)
    remainders = []
    for size in (0.04, 0.02):
        d, psi = rod(modes, size * direction, x)
        remainders.append([np.linalg.norm(exact - model(size * direction))
                           for exact, name in ((d, 'displacement'), (psi, 'rotation'))
                           for model in (getattr(s, name) for s in (first, second, third))])
    orders = np.log2(np.divide(*remainders))
    # The next power still shows at this size: a tenth.
    np.testing.assert_allclose(orders, [2, 3, 4, 2, 3, 4], atol=0.12)


def test_each_pair_of_families_has_its_second_order_terms():
    # The Hessian of the integrated rod, by second differences along e_i, e_j and e_i + e_j.
    modes = mode_shapes(Beam.uniform(1.0, **UNIT),
                        {'bend_y': 1, 'bend_z': 1, 'torsion': 1, 'stretch': 1}, 'clamped_free',
                        elements=6)
    station = stations(modes, [1.0])[0]
    step = 1e-2

    def second(v):
        plus, minus = rod(modes, step * v, 1.0), rod(modes, -step * v, 1.0)
        return np.add(plus, minus) / step**2      # (d, psi): both vanish at eta = 0

    e = np.eye(4)
    for i in range(4):
        for j in range(i + 1):
            d, psi = (second(e[i] + e[j]) - second(e[i]) - second(e[j])) / 2
            np.testing.assert_allclose(station.Gam[:, i, j], d, atol=1e-3)    # step^2 times f_4
            np.testing.assert_allclose(station.Lam[:, i, j], psi, atol=1e-3)


def clamped_free(count, **beam):
    """Return modes of one plane and the factors to Padilla's: int phi^2 = l, phi(l) = +-2."""
    modes = mode_shapes(Beam.uniform(**beam), {'bend_y': count}, 'clamped_free')
    return modes, 2.0 * (-1.0) ** np.arange(count)


def test_padilla_modal_integrals():
    # Padilla 1989, App. B as recomputed in the notes: E, F, H, the upper rows of C(l1), eta, mu
    # (the thesis's own diagonal of mu is wrong; the right one is the notes', 5.1).
    modes, scale = clamped_free(4, length=L, mass_per_length=RHO, EI_z=114.0)
    body = flexible_body(modes, attachments=[L], node_count=16)
    pair = np.outer(scale, scale)
    m, x = (np.array([getattr(n, key) for n in body.nodes]) for key in ('mass', 'x'))
    Phi, beta = (np.array([getattr(n, key) for n in body.nodes]) for key in ('Phi', 'Gam'))
    close = {'rtol': 1e-5, 'atol': 1e-6}     # printed to six digits; the fourth mode to 4e-6
    np.testing.assert_allclose(scale * (m @ Phi[:, 1]), [.958946, .531450, .311600, .222774],
                               **close)
    np.testing.assert_allclose(scale * ((m * x) @ Phi[:, 1]),
                               [.637019, .101648, .036303, .018525], rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(scale**2 * body.stiffness,
                               [1843.30, 72393.95, 567580.3, 2179528.6], rtol=1e-5)
    tip = body.attachments[0]
    C = pair * (-tip.Gam[0] + 0.0762 * np.outer(tip.Psi[2], tip.Psi[2]))
    np.testing.assert_allclose(C[np.triu_indices(4)], [
        5.773586, -10.469668, 8.248862, -12.728235, 43.783916, -38.123383, 34.017360,
        106.991190, -70.446206, 200.355635], **close)
    eta = -pair * np.einsum('g,gij->ij', m * x, beta[:, 0])
    np.testing.assert_allclose(eta[np.triu_indices(4)], [
        1.461503, -.839981, -.970443, -.669203, 7.934011, .207477, -3.566202,
        21.872910, 4.010066, 44.157753], **close)
    mu = -pair * np.einsum('g,gij->ij', m, beta[:, 0])
    np.testing.assert_allclose(mu[np.triu_indices(4)], [
        2.103987, -.565643, -1.435918, -1.169454, 11.581724, 2.531483, -4.879840,
        33.420112, 11.168055, 68.922782], **close)


def test_foreshortening_of_the_first_mode_has_its_closed_form():
    # beta_11(l) = sigma k (2 + sigma k l); per unit tip displacement a quarter of it.
    modes, _ = clamped_free(1, length=1.0, mass_per_length=1.0, EI_z=1.0)
    k, sigma = 1.87510407, 0.734095514
    Gam = stations(modes, [1.0])[0].Gam
    assert Gam[0, 0, 0] == pytest.approx(-sigma * k * (2 + sigma * k) / 4, rel=1e-7)
    assert not Gam[1:].any()


def test_southwell_coefficients_of_the_spinning_cantilever():
    modes, _ = clamped_free(3, length=1.0, mass_per_length=1.0, EI_z=1.0)
    body = flexible_body(modes, node_count=16)
    K = -sum(n.mass * n.x * n.Gam[0] for n in body.nodes)
    K = K / np.sqrt(np.outer(modes.mass, modes.mass))
    known = [[1.193336, -0.685855, -0.792379], [-0.685855, 6.478225, 0.169408],
             [-0.792379, 0.169408, 17.859520]]
    np.testing.assert_allclose(abs(K), np.abs(known), rtol=1e-5)


def test_spin_raises_the_first_frequency_as_tabulated():
    # The notes (b): flap of a uniform cantilever, gamma = 0 ... 12; six modes are high by 2e-4.
    modes, _ = clamped_free(6, length=1.0, mass_per_length=1.0, EI_z=1.0)
    body = flexible_body(modes, node_count=13)
    M = sum(n.mass * np.outer(n.Phi[1], n.Phi[1]) for n in body.nodes)
    K_geo = -sum(n.mass * n.x * n.Gam[0] for n in body.nodes)
    for gamma, flap, lag in [(0, 3.5160, 3.5160), (2, 4.1373, 3.6218), (5, 6.4495, 4.0739),
                             (8, 9.2568, 4.6571), (12, 13.1702, 5.4271)]:
        K = np.diag(body.stiffness) + gamma**2 * K_geo
        w = np.sqrt(eigh(K, M, eigvals_only=True))[0]
        assert w == pytest.approx(flap, rel=3e-4)
        assert np.sqrt(eigh(K - gamma**2 * M, M, eigvals_only=True))[0] == pytest.approx(
            lag, rel=1.3e-3)


@pytest.mark.parametrize(('count', 'load'), [(1, 7.8697), (6, 7.8375)])
def test_column_buckles_under_its_own_weight(count, load):
    # rho g l^3 / EI: one mode and six modes of the notes; Greenhill's 7.837.
    modes, _ = clamped_free(count, length=1.0, mass_per_length=1.0, EI_z=1.0)
    body = flexible_body(modes, node_count=16)
    G = -sum(n.mass * n.Gam[0] for n in body.nodes)
    assert 1 / eigh(G, np.diag(body.stiffness), eigvals_only=True)[-1] == pytest.approx(
        load, rel=2e-5)


@pytest.mark.parametrize(('count', 'tip', 'weight'), [
    # n bending + n torsion modes; the notes' 3.8. Classical 4.0126 (Prandtl 1899) and 12.85.
    (2, 4.505, 13.72), (3, 4.048, 13.03), (4, 4.017, 12.90), (6, 4.0129, 12.859)])
def test_lateral_buckling_of_a_deep_cantilever(count, tip, weight):
    # The strong plane is stiff; the dead load along z does work in the second order only.
    for kind, load in (('craig_bampton', tip), ('clamped_free', weight)):
        modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': count, 'torsion': count}, kind)
        body = flexible_body(modes, node_count=16)
        Gam = (body.tip.Gam[2] if kind == 'craig_bampton'
               else sum(n.mass * n.Gam[2] for n in body.nodes))
        critical = 1 / eigh(Gam, np.diag(body.stiffness), eigvals_only=True)[-1]
        assert critical == pytest.approx(load, rel=4e-4)


def test_lateral_buckling_needs_more_than_foreshortening():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 2, 'torsion': 2}, 'clamped_free')
    assert not stations(modes, [1.0], 1)[0].Gam[2].any()
    assert stations(modes, [1.0], 2)[0].Gam[2].any()


@pytest.mark.parametrize(('force', 'level', 'torsion', 'row'), [
    # The notes' 3.8: EI_z = 1, EI_y = 4, GJ = 0.8, dead tip force (F_y, F_z): x, y, z, twist.
    ((.2, .8), 1, 2, (-.00533, .06667, .06667, 0.0)),
    ((.2, .8), 2, 2, (-.00547, .06800, .06701, .01296)),
    ((.2, .8), 3, 3, (-.00537, .06699, .06653, .01255)),
    ((.4, 1.6), 2, 1, (-.02251, .13884, .13484, .05364)),
    ((.4, 1.6), 3, 3, (-.02202, .13579, .13235, .05068)),
])
def test_two_plane_bending_twists_the_beam(force, level, torsion, row):
    beam = Beam.uniform(1.0, **{**UNIT, 'EI_y': 4.0, 'GJ': 0.8})
    modes = mode_shapes(beam, {'bend_y': 2, 'bend_z': 2, 'torsion': torsion}, 'craig_bampton')
    tip = stations(modes, [1.0], level)[0]
    f = np.array([0.0, *force])
    found = minimize(lambda eta: 0.5 * eta @ (modes.stiffness * eta) - f @ tip.displacement(eta),
                     np.zeros(modes.count), method='BFGS', options={'gtol': 1e-9})
    R = Rotation.from_rotvec(tip.rotation(found.x)).as_matrix()
    got = [*tip.displacement(found.x), (R[2, 1] - R[1, 2]) / 2]
    np.testing.assert_allclose(got, row, atol=1.5e-5)    # the table prints five decimals


def test_planar_bending_folds_to_one_axis_exactly():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 3})
    tip = stations(modes, [1.0], 3)[0]
    assert not tip.Psi[:2].any() and not tip.Phi[[0, 2]].any()
    assert not tip.Gam[1:].any() and not tip.Lam.any() and not tip.Cubpsi.any()
    assert not tip.Cub[[0, 2]].any()
    x, w = np.polynomial.legendre.leggauss(60)
    v = modes.fields((x + 1) / 2).rotation[:, 2]
    cubic = -np.einsum('g,gi,gj,gk->ijk', w / 2, v, v, v)      # Cub_y = -int v' v' v'
    np.testing.assert_allclose(tip.Cub[1], cubic, rtol=1e-4, atol=1e-4)


def test_equal_planes_do_not_leave_round_off_in_the_rotation():
    # Lam_x of the same shape in y and z is 1/2 int (v'w'' - w'v'') = 0.
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 2, 'bend_z': 2})
    Lam = stations(modes, [1.0])[0].Lam
    assert Lam[0, 0, 2] == Lam[0, 1, 3] == 0.0
    assert Lam[0, 0, 3] == pytest.approx(-Lam[0, 1, 2]) != 0.0
    alone = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 1, 'bend_z': 1})
    assert not stations(alone, [0.4, 1.0])[1].Lam.any()


def test_small_shapes_keep_their_terms():
    # Zeroing by one absolute threshold deleted real terms of small modes; scale one family down.
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 1, 'torsion': 1})
    small = dataclasses.replace(modes, dofs=(modes.dofs[0] * 1e-9, modes.dofs[1] * 1e6))
    Gam, tiny = (stations(m, [1.0])[0].Gam for m in (modes, small))
    np.testing.assert_allclose(tiny[0, 0, 0], Gam[0, 0, 0] * 1e-18, rtol=1e-12)
    np.testing.assert_allclose(tiny[2, 0, 1], Gam[2, 0, 1] * 1e-3, rtol=1e-12)


def test_tensors_are_symmetric_in_their_modes():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT),
                        {'bend_y': 2, 'bend_z': 1, 'torsion': 1, 'stretch': 1})
    station = stations(modes, [0.6], 3)[0]
    for T in (station.Gam, station.Lam):
        np.testing.assert_allclose(T, T.transpose(0, 2, 1), rtol=1e-14)
    for T in (station.Cub, station.Cubpsi):
        for order in ((0, 2, 1, 3), (0, 3, 2, 1)):
            np.testing.assert_allclose(T, T.transpose(order), rtol=1e-12, atol=1e-14)


def test_stations_in_one_call_equal_stations_one_by_one():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 2, 'bend_z': 1, 'torsion': 1})
    together = stations(modes, [0.9, 0.0, 0.31, 1.0], 3)
    for station in together:
        alone = stations(modes, [station.x], 3)[0]
        for name in ('Phi', 'Psi', 'Gam', 'Lam', 'Cub', 'Cubpsi'):
            np.testing.assert_allclose(getattr(station, name), getattr(alone, name),
                                       rtol=1e-11, atol=1e-13)
    assert not together[1].Gam.any() and not together[1].Cub.any()   # the clamped root


def test_levels_drop_what_they_do_not_hold():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 1, 'bend_z': 2, 'torsion': 1})
    zero, one, two, three = (stations(modes, [1.0], level)[0] for level in range(4))
    assert not zero.Gam.any() and not zero.Lam.any()
    assert one.Gam[0].any() and not one.Gam[1:].any() and not one.Lam.any()
    assert (one.Gam[0] == two.Gam[0]).all() and two.Lam.any() and two.Cub is None
    assert (three.Gam == two.Gam).all() and three.Cub.any()


def test_wrong_levels_and_places_are_refused():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 1})
    with pytest.raises(ModelError, match=r'level: expected one of \(0, 1, 2, 3\), got 4'):
        stations(modes, [1.0], 4)
    with pytest.raises(ModelError, match='x = 1.5 m lies outside the beam'):
        stations(modes, [1.5])
