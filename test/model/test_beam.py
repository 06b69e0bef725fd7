# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Beams and their modes, against closed forms and transcendental equations."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.mode_shapes import family_matrices, Load, mode_shapes

UNIT = {'mass_per_length': 1.0, 'EI_y': 1.0, 'EI_z': 1.0, 'GJ': 1.0, 'EA': 1.0,
        'polar_inertia_per_length': 1.0}
LAMBDA = np.array([1.87510407, 4.69409113, 7.85475744, 10.99554073])  # Padilla 1989, section 4


def point(mass, x=1.0, com=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0)):
    return Load(x, mass, np.array(com), np.diag(inertia))


def loaded_cantilever(m, c, J, count, EI=1.0, rho=1.0, L=1.0):
    """Return the frequencies [rad/s] of a cantilever with a tip body, by its equation.

    V = a (cosh - cos) + b (sinh - sin); EI V''(L) = w^2 (m c V + (J + m c^2) V'),
    EI V'''(L) = -w^2 (m V + m c V').
    """
    def determinant(k):
        w2 = EI * k**4 / rho
        # Columns: the two functions; rows: value, V', V'', V''' at L, divided by cosh.
        s = np.cosh(k * L)
        C, S, c_, s_ = 1.0, np.tanh(k * L), np.cos(k * L) / s, np.sin(k * L) / s
        V = np.array([[C - c_, S - s_], [k*(S + s_), k*(C - c_)],
                      [k**2*(C + c_), k**2*(S + s_)], [k**3*(S - s_), k**3*(C + c_)]])
        moment = EI * V[2] - w2 * (m*c*V[0] + (J + m*c**2) * V[1])
        force = EI * V[3] + w2 * (m*V[0] + m*c*V[1])
        return moment[0] * force[1] - moment[1] * force[0]
    grid = np.linspace(0.05, 40.0, 8000) / L
    values = np.array([determinant(k) for k in grid])
    roots = [brentq(determinant, a, b, xtol=1e-15, rtol=1e-14) for a, b, u, v
             in zip(grid[:-1], grid[1:], values[:-1], values[1:]) if u * v < 0.0]
    return np.sqrt(EI / rho) * np.array(roots[:count])**2


def test_cantilever_frequencies_are_the_roots_of_cos_cosh():
    modes = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 4, 'bend_z': 4}, 'clamped_free')
    # 64 Hermite elements: error (lambda h)^4 / 2880 in lambda; 3e-7 in the fourth.
    for plane in (slice(0, 4), slice(4, 8)):
        np.testing.assert_allclose(np.sqrt(modes.frequencies[plane]), LAMBDA, rtol=4e-7)
    assert modes.names[3:5] == ('bend_y_4', 'bend_z_1')


def test_frequency_error_falls_with_the_fourth_power_of_the_element():
    beam = Beam.uniform(1.0, **UNIT)
    exact = brentq(lambda x: np.cos(x) + 1 / np.cosh(x), 7.0, 8.5, xtol=1e-14)**2
    runs = [mode_shapes(beam, {'bend_y': 3}, 'clamped_free', elements=n) for n in (8, 16)]
    error = [modes.frequencies[2] / exact - 1 for modes in runs]
    assert np.log2(error[0] / error[1]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize(('m', 'c', 'J'), [
    (1.0, 0.0, 0.0), (0.5, 0.1, 0.02), (20.0, 0.0, 0.0), (3.0, 0.3, 0.5)])
def test_tip_loaded_frequencies_are_the_roots_of_the_characteristic_equation(m, c, J):
    beam = Beam.uniform(1.0, **UNIT)
    load = point(m, com=(c, 0.0, 0.0), inertia=(0.0, J, J))
    modes = mode_shapes(beam, {'bend_y': 4, 'bend_z': 4}, loads=[load])
    exact = loaded_cantilever(m, c, J, 4)
    np.testing.assert_allclose(modes.frequencies[:4], exact, rtol=4e-6)
    np.testing.assert_allclose(modes.frequencies[4:], exact, rtol=4e-6)


def test_payload_case_d_of_the_notes():
    # Clamped link, L = 1, EI = 10, 0.5 kg/m; the notes' values come from their own equation.
    beam = Beam.uniform(1.0, mass_per_length=0.5, EI_z=10.0)
    for m, J, row in [(0.0, 0.0, (15.72410, 98.54124, 275.91833)),
                      (0.25, 0.0, (9.01716, 75.58544, 231.21355)),
                      (0.25, 0.005, (8.88848, 59.94201, 144.65149))]:
        modes = mode_shapes(beam, {'bend_y': 3}, loads=[point(m, inertia=(0, 0, J))])
        np.testing.assert_allclose(modes.frequencies, row, rtol=2e-6)
    stiff = Beam.uniform(1.0, mass_per_length=0.5, EI_z=100.0)      # the notes' case FF2
    modes = mode_shapes(stiff, {'bend_y': 3}, loads=[point(0.25)])
    np.testing.assert_allclose(modes.frequencies, [28.5148, 239.022, 731.163], rtol=3e-6)


def test_offset_of_a_load_counts_in_the_plane_that_feels_it():
    # A centre off the axis by y turns with v' but does not move with it: only its inertia grows.
    beam = Beam.uniform(1.0, **UNIT)
    aside = mode_shapes(beam, {'bend_y': 2, 'bend_z': 2}, loads=[point(1.0, com=(0, 0.3, 0))])
    np.testing.assert_allclose(aside.frequencies[:2], loaded_cantilever(1, 0, 0.09, 2), rtol=1e-6)
    np.testing.assert_allclose(aside.frequencies[2:], loaded_cantilever(1, 0, 0, 2), rtol=1e-6)


def test_wedge_has_the_classical_frequencies():
    # Thickness falls linearly to an edge at the tip: Kirchhoff 1879, 5.3151 15.2072 30.0198.
    # Thin, so that rotary inertia (relative effect 1e-5) stays below the tolerance.
    t = 0.001
    beam = Beam(1.0, [0.0, 1.0], {'width': [1.0, 1.0], 'height': [t, t * 1e-6],
                                  'E': [12 / t**3] * 2, 'density': [1 / t] * 2}, 'rectangle')
    frequencies = mode_shapes(beam, {'bend_z': 3}, 'clamped_free').frequencies
    np.testing.assert_allclose(frequencies, [5.3151, 15.2072, 30.0198], rtol=2e-5)


def test_linear_stations_make_the_same_wedge_in_the_limit():
    # EI ~ (1 - x)^3 by chords between many stations approaches the wedge from above.
    x = np.linspace(0.0, 1.0, 81)
    beam = Beam(1.0, x, {'mass_per_length': 1 - x, 'EI_z': (1 - x)**3})
    frequencies = mode_shapes(beam, {'bend_y': 2}, 'clamped_free').frequencies
    np.testing.assert_allclose(frequencies, [5.3151, 15.2072], rtol=1e-3)
    assert (frequencies > [5.3150, 15.2070]).all()


def test_stepped_beam_agrees_with_the_two_piece_closed_form():
    # Stiff first half, soft second half, tip force: v = F [int (1-x)^2 / EI].
    beam = Beam(1.0, [0.0, 0.5, 0.5, 1.0],
                {'mass_per_length': [1, 1, 1, 1], 'EI_z': [4.0, 4.0, 1.0, 1.0]})
    K, _, _ = family_matrices(beam, beam.mesh(10), 'bend_y')
    tip = np.linalg.inv(K)[-2, -2]
    assert tip == pytest.approx((1 - 0.125) / 3 / 4 + 0.125 / 3, rel=1e-10)


def test_torsion_and_stretch_have_the_closed_form_frequencies():
    beam = Beam.uniform(2.0, mass_per_length=3.0, EA=12.0, GJ=5.0, polar_inertia_per_length=0.2)
    modes = mode_shapes(beam, {'torsion': 3, 'stretch': 3}, 'clamped_free')
    odd = np.array([1, 3, 5]) * np.pi / 2 / 2.0
    np.testing.assert_allclose(modes.frequencies[:3], odd * np.sqrt(5.0 / 0.2), rtol=2e-6)
    np.testing.assert_allclose(modes.frequencies[3:], odd * np.sqrt(12.0 / 3.0), rtol=2e-6)


def test_torsion_with_a_tip_inertia_obeys_its_equation():
    # x tan x = (beam inertia) / (tip inertia), x = w L sqrt(Ip / GJ).
    beam = Beam.uniform(1.0, mass_per_length=1.0, GJ=1.0, polar_inertia_per_length=1.0)
    modes = mode_shapes(beam, {'torsion': 2}, loads=[point(0.0, inertia=(0.4, 0, 0))])
    f = lambda x: 0.4 * x * np.sin(x) - np.cos(x)  # noqa: E731
    exact = [brentq(f, 0.1, 1.5), brentq(f, 3.0, 4.6)]
    np.testing.assert_allclose(modes.frequencies, exact, rtol=1e-7)


def test_rotary_inertia_lowers_the_frequency_as_rayleigh_says():
    # First order: dw/w = -1/2 (rI / m) int v'^2 / int v^2; int v'^2 / int v^2 = 4.6478 (L = 1).
    plain = mode_shapes(Beam.uniform(1.0, **UNIT), {'bend_y': 1}, 'clamped_free').frequencies[0]
    heavy = mode_shapes(Beam.uniform(1.0, rotary_inertia_z_per_length=1e-4, **UNIT),
                        {'bend_y': 1}, 'clamped_free').frequencies[0]
    assert (plain - heavy) / plain == pytest.approx(0.5e-4 * 4.6478, rel=1e-3)


def test_craig_bampton_is_exact_in_statics_for_any_tip_load():
    beam = Beam(1.5, [0.0, 0.6, 1.5], {'mass_per_length': [2, 1, 1], 'EI_z': [9.0, 4.0, 2.0]})
    modes = mode_shapes(beam, {'bend_y': 2}, 'craig_bampton', [point(1.0, x=1.5)])
    tip = modes.fields([1.5])
    shape = np.stack([tip.displacement[0, 1], tip.rotation[0, 2]])     # (v, v') per mode
    flexibility = shape @ np.diag(1 / modes.stiffness) @ shape.T
    # Closed form by Castigliano: int [a, 1]' [a, 1] / EI with a = L - x, on a fine rule.
    x, w = np.polynomial.legendre.leggauss(60)
    exact = np.zeros((2, 2))
    for a, b in ((0.0, 0.6), (0.6, 1.5)):
        s, ws = a + (b - a) * (x + 1) / 2, (b - a) * w / 2
        arm = np.stack([1.5 - s, np.ones_like(s)])
        exact += np.einsum('g,ig,jg->ij', ws / beam.at(s)['EI_z'], arm, arm)
    # Hermite cubics do not hold the exact shape of a tapered beam: 48 elements, 1e-7.
    np.testing.assert_allclose(flexibility, exact, rtol=1e-6)


def test_craig_bampton_does_not_depend_on_the_payload():
    beam = Beam.uniform(1.0, **UNIT)
    light, heavy = (mode_shapes(beam, {'bend_y': 3}, 'craig_bampton', [point(m)])
                    for m in (0.1, 50.0))
    x = np.linspace(0.0, 1.0, 40)
    both = np.hstack([m.fields(x).displacement[:, 1] for m in (light, heavy)])
    assert np.linalg.matrix_rank(both, tol=1e-8) == 3


def test_two_tip_loaded_modes_beat_six_clamped_free_ones():
    # Against the characteristic equation, body ten times the beam; Ritz: always from above.
    m, c, J = 10.0, 0.1, 0.3
    beam = Beam.uniform(1.0, **UNIT)
    load = point(m, com=(c, 0, 0), inertia=(0, J, J))
    exact = loaded_cantilever(m, c, J, 2)
    _, _, M = family_matrices(beam, beam.mesh(96), 'bend_y', [load])
    K, _, _ = family_matrices(beam, beam.mesh(96), 'bend_y')
    errors = {}
    for kind, count in (('tip_loaded', 2), ('clamped_free', 6)):
        modes = mode_shapes(beam, {'bend_y': count}, kind, [load], elements=96)
        V = np.array(modes.dofs).T[2:]
        w = np.sqrt(eigh(V.T @ K @ V, V.T @ M @ V, eigvals_only=True))[:2]
        errors[kind] = w / exact - 1
    assert (errors['tip_loaded'] > -1e-8).all()
    assert (errors['tip_loaded'] < 1e-6).all()
    assert (errors['clamped_free'] > 1e-3).all()


def test_modes_of_one_family_are_orthogonal():
    beam = Beam(1.0, [0.0, 1.0], {'mass_per_length': [2, 1], 'EI_z': [3, 1]})
    load = point(2.0, com=(0.1, 0, 0), inertia=(0, 0, 0.1))
    for kind in ('tip_loaded', 'craig_bampton', 'clamped_free'):
        modes = mode_shapes(beam, {'bend_y': 4}, kind, [load])
        K, M, loaded = family_matrices(beam, modes.edges, 'bend_y', [load])
        V = np.array(modes.dofs).T[2:]
        M = M if kind == 'clamped_free' else loaded
        for matrix in (V.T @ K @ V, V.T @ M @ V):
            scale = np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
            assert abs(matrix / scale - np.eye(4)).max() < 1e-8   # cond(K) 1e7 of 1e-16
        np.testing.assert_allclose(modes.stiffness, np.diag(V.T @ K @ V), rtol=1e-9)


def test_largest_displacement_of_every_mode_is_one_and_the_tip_moves_up():
    beam = Beam.uniform(1.0, **UNIT)
    modes = mode_shapes(beam, {'bend_y': 4, 'torsion': 2}, loads=[point(1000.0)])
    x = modes.edges
    fields = modes.fields(x)
    assert abs(fields.displacement[:, 1, :4]).max(0) == pytest.approx(1.0)
    assert abs(fields.rotation[:, 0, 4:]).max(0) == pytest.approx(1.0)
    assert (fields.displacement[-1, 1, :4] >= 0.0).all()
    assert modes.sizes.max() < 20.0      # unit tip displacement would give slopes of thousands


def test_load_inside_the_span_counts_where_it_sits():
    # Massless beam, one mass at half length: w^2 = 3 EI / (m a^3).
    beam = Beam.uniform(1.0, mass_per_length=0.0, EI_z=1.0)
    modes = mode_shapes(beam, {'bend_y': 1}, loads=[point(2.0, x=0.5)])
    assert modes.frequencies[0]**2 == pytest.approx(3 / 2 / 0.125, rel=1e-8)


def test_modes_without_inertia_are_refused_with_the_number_there_are():
    beam = Beam.uniform(1.0, mass_per_length=0.0, EI_z=1.0, GJ=1.0)
    load = point(1.0, inertia=(0, 0, 0.1))
    assert mode_shapes(beam, {'bend_y': 2}, loads=[load]).count == 2
    with pytest.raises(ModelError, match='only 2 of these modes have inertia'):
        mode_shapes(beam, {'bend_y': 3}, loads=[load])
    with pytest.raises(ModelError, match='only 0 .*polar_inertia_per_length'):
        mode_shapes(beam, {'torsion': 1}, loads=[load])


def test_a_family_without_stiffness_is_refused():
    with pytest.raises(ModelError, match='bend_z="1" needs EI_y'):
        mode_shapes(Beam.uniform(1.0, mass_per_length=1.0, EI_z=1.0), {'bend_z': 1})


def test_mass_points_of_a_uniform_beam_are_gauss_legendre():
    x, m = Beam.uniform(2.0, mass_per_length=3.0).mass_points(7)
    t, w = np.polynomial.legendre.leggauss(7)
    np.testing.assert_allclose(x, t + 1, rtol=1e-13)
    np.testing.assert_allclose(m, 3 * w, rtol=1e-12)


def test_mass_points_carry_the_moments_of_a_stepped_taper():
    # Two straight pieces with a jump; int x^k dm by hand up to degree 2 K - 1 = 5.
    beam = Beam(2.0, [0.0, 0.5, 0.5, 2.0], {'mass_per_length': [4.0, 3.0, 1.0, 0.2]})
    x, m = beam.mass_points(3)
    for k in range(6):
        exact = np.polyval(np.polyint([-2.0, 4.0] + [0.0] * k), 0.5)
        second = np.polyint(np.polymul([-0.8 / 1.5, 1 + 0.4 / 1.5], [1.0] + [0.0] * k))
        exact += np.polyval(second, 2.0) - np.polyval(second, 0.5)
        assert (m * x**k).sum() == pytest.approx(exact, rel=1e-12)
    assert (m > 0.0).all() and (x > 0.0).all() and (x < 2.0).all()


@pytest.mark.parametrize(('kind', 'count', 'nodes', 'error'), [
    # The notes' table 3.3: worst relative error over the retained frequencies, beam with a tip
    # mass of its own mass (tip_loaded) or bare (clamped_free), printed to one or two digits.
    ('tip_loaded', 2, 3, 2.6e-2), ('tip_loaded', 2, 4, 2.8e-3), ('tip_loaded', 2, 5, 1.2e-4),
    ('tip_loaded', 2, 6, 4e-6), ('clamped_free', 2, 4, 1e-2), ('clamped_free', 2, 5, 6e-4),
    ('tip_loaded', 3, 7, 1.5e-4), ('clamped_free', 3, 7, 7e-4), ('tip_loaded', 4, 9, 1.6e-4),
    ('tip_loaded', 1, 3, 6e-5), ('clamped_free', 1, 3, 7e-4)])
def test_number_of_mass_points_needed(kind, count, nodes, error):
    beam = Beam.uniform(1.0, mass_per_length=1.0, EI_z=1.0)
    loads = [point(1.0)] if kind == 'tip_loaded' else []
    modes = mode_shapes(beam, {'bend_y': count}, kind, loads)
    x, m = beam.mass_points(nodes)
    Phi = modes.fields(x).displacement[:, 1]
    M = (Phi.T * m) @ Phi
    for load in loads:
        tip = modes.fields([1.0]).displacement[0, 1]
        M += load.mass * np.outer(tip, tip)
    w = np.sqrt(eigh(np.diag(modes.stiffness), M, eigvals_only=True))
    assert abs(w / modes.frequencies - 1).max() == pytest.approx(error, rel=0.15, abs=1e-6)


def test_moments_of_a_beam_agree_with_a_fine_sum():
    beam = Beam(1.2, [0.0, 1.2], {'outer_radius': [0.03, 0.02], 'inner_radius': [0.02, 0.01],
                                  'E': [7e10] * 2, 'density': [2700.0] * 2}, 'tube')
    n = 20000
    x = (np.arange(n) + 0.5) * 1.2 / n
    at = beam.at(x)
    dm = at['mass_per_length'] * 1.2 / n
    m, h, S = beam.moments()
    assert m == pytest.approx(dm.sum(), rel=1e-8)
    assert h[0] == pytest.approx((dm * x).sum(), rel=1e-8)
    assert S[0, 0] == pytest.approx((dm * x**2).sum(), rel=1e-8)
    # int y^2 dm of the slices: half the polar inertia of a round section.
    assert S[1, 1] == pytest.approx(
        (at['polar_inertia_per_length'] / 2).sum() * 1.2 / n, rel=1e-8)


def test_tapered_tube_keeps_its_true_section_between_stations():
    beam = Beam(1.0, [0.0, 1.0], {'outer_radius': [0.03, 0.01], 'inner_radius': [0.02, 0.005],
                                  'E': [7e10] * 2, 'density': [2700.0] * 2}, 'tube')
    assert beam.at(0.5)['EI_y'] == pytest.approx(
        7e10 * np.pi / 4 * (0.02**4 - 0.0125**4), rel=1e-13)


@pytest.mark.parametrize(('stations', 'words'), [
    ([0.0, 1.2], 'station x = 1.2 m lies outside the beam'),
    ([-0.1, 1.0], 'lies outside the beam'),
    ([0.0, 0.9], 'first at 0 and the last at the length 1 m'),
    ([0.0, 0.7, 0.5, 1.0], 'ascending'),
    ([0.0, 1.0, 1.0], 'steps only inside'),
    ([0.0, np.nan, 1.0], 'finite'),
])
def test_impossible_stations_are_refused(stations, words):
    with pytest.raises(ModelError, match=words):
        Beam(1.0, stations, {'mass_per_length': np.ones(len(stations))})


@pytest.mark.parametrize(('values', 'words'), [
    ({'mass_per_length': -1.0}, 'mass_per_length: expected at least 0 kg/m .*got -1'),
    ({'mass_per_length': 1.0, 'EI_y': -5.0}, 'EI_y: expected at least 0 N m'),
    ({'mass_per_length': 1.0, 'stiffness': 5.0}, "unknown property 'stiffness'; known: mass_per"),
    ({'EI_y': 1.0}, 'mass_per_length is missing'),
    ({'mass_per_length': np.inf}, 'expected a finite number'),
])
def test_impossible_properties_are_refused(values, words):
    with pytest.raises(ModelError, match=words):
        Beam.uniform(1.0, **values)
    with pytest.raises(ModelError, match='length'):
        Beam.uniform(0.0, mass_per_length=1.0)
