# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sections: from dimensions to stiffness and mass per length."""

import numpy as np
import pytest

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.section import rectangle, section_properties, solid_round, tube


def test_tube_has_the_handbook_constants():
    A, I_y, I_z, J = tube(0.02, 0.015)
    assert A == pytest.approx(np.pi * (0.02**2 - 0.015**2), rel=1e-14)
    assert I_y == I_z == pytest.approx(np.pi * (0.04**4 - 0.03**4) / 64, rel=1e-14)
    assert J == pytest.approx(np.pi * (0.04**4 - 0.03**4) / 32, rel=1e-14)


def test_solid_round_is_a_tube_without_a_bore():
    assert solid_round(0.01) == pytest.approx(tube(0.01, 0.0), rel=1e-15)
    assert solid_round(0.01).I_y == pytest.approx(np.pi * 0.01**4 / 4, rel=1e-14)


def test_thin_tube_tends_to_the_wall_formula():
    # J = 2 pi r^3 t, to second order in t / r about the middle radius.
    r, t = 0.05, 0.0005
    assert tube(r + t / 2, r - t / 2).J == pytest.approx(2 * np.pi * r**3 * t, rel=(t / r)**2)


@pytest.mark.parametrize(('ratio', 'beta'), [
    # Timoshenko and Goodier 1970, table in art. 109: J = beta a b^3, printed to three digits;
    # the square's 0.1406 is 0.140577 by the series.
    (1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (5.0, 0.291), (10.0, 0.312)])
def test_rectangle_has_the_tabulated_torsion_constant(ratio, beta):
    assert rectangle(ratio, 1.0).J / ratio == pytest.approx(beta, abs=6e-4)


def test_rectangle_torsion_agrees_with_a_poisson_solution():
    # Prandtl: laplacian(phi) = -2, phi = 0 on the edge, J = 2 int phi dA. A double sine series is
    # another expansion than the tanh series of the code.
    a, b = 1.7, 1.0
    m = np.arange(1, 1200, 2)
    M, N = np.meshgrid(m, m)
    J = 2 * (128 * a * b / np.pi**6 / (M**2 * N**2 * ((M / a)**2 + (N / b)**2))).sum()
    assert rectangle(a, b).J == pytest.approx(J, rel=1e-8)   # the double series' own tail


def test_rectangle_does_not_care_which_side_is_long_in_torsion():
    assert rectangle(0.3, 0.1).J == rectangle(0.1, 0.3).J


def test_width_is_along_y_and_height_along_z():
    # A plank on the flat: width 0.1 along y, height 0.01 along z; it bends easily along z (EI_y).
    properties = section_properties('rectangle', {'width': 0.1, 'height': 0.01}, 70e9, 2700.0)
    assert properties['EI_y'] == pytest.approx(70e9 * 0.1 * 0.01**3 / 12, rel=1e-14)
    assert properties['EI_z'] == pytest.approx(70e9 * 0.01 * 0.1**3 / 12, rel=1e-14)
    assert properties['EI_y'] < properties['EI_z']


def test_properties_are_material_times_geometry():
    p = section_properties('tube', {'outer_radius': 0.02, 'inner_radius': 0.015},
                           E=7.848e10, G=2.9e10, density=2700.0)
    A, I_y, I_z, J = tube(0.02, 0.015)
    assert p['EA'] == 7.848e10 * A
    assert p['GJ'] == 2.9e10 * J
    assert p['mass_per_length'] == 2700.0 * A
    assert p['polar_inertia_per_length'] == 2700.0 * (I_y + I_z)


def test_slice_inertia_agrees_with_a_sum_over_its_area():
    width, height, n = 0.06, 0.02, 400
    y, z = np.meshgrid((np.arange(n) + 0.5) / n * width - width / 2,
                       (np.arange(n) + 0.5) / n * height - height / 2)
    dm = 1000.0 * width * height / n**2
    p = section_properties('rectangle', {'width': width, 'height': height}, 1.0, 1000.0)
    # The midpoint sum of y^2 is low by 1/n^2.
    assert p['rotary_inertia_y_per_length'] == pytest.approx((z**2).sum() * dm, rel=1e-5)
    assert p['rotary_inertia_z_per_length'] == pytest.approx((y**2).sum() * dm, rel=1e-5)


@pytest.mark.parametrize(('shape', 'dimensions', 'words'), [
    ('tube', {'outer_radius': 0.01, 'inner_radius': 0.02}, 'smaller than outer_radius'),
    ('tube', {'outer_radius': 0.01}, 'a tube has outer_radius, inner_radius'),
    ('tube', {'outer_radius': 0.01, 'inner_radius': -0.02}, 'inner_radius must be positive'),
    ('round', {'radius': 0.0}, 'radius must be positive'),
    ('hexagon', {}, 'known: tube, round, rectangle'),
])
def test_impossible_sections_are_refused(shape, dimensions, words):
    with pytest.raises(ModelError, match=words):
        section_properties(shape, dimensions, 1.0, 1.0)
