# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of Vukobratovic and Potkonjak 1982 that need none of its lost pictures."""

import math
from pathlib import Path
import sys

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.vukobratovic.criterion import (
    averaging_factor, combined, disjunction, efficiency)

sys.path.insert(0, str(Path(__file__).parents[2] / 'examples'))
import combined_criterion  # noqa: E402, I100  they live next to the package
import four_structures  # noqa: E402
import influence_coefficients  # noqa: E402
import spray_arm  # noqa: E402


# -- combined criterion --------------------------------------------------------------------------

@pytest.mark.parametrize(('d', 'r'), combined_criterion.FACTORS.items())
def test_every_finite_row_of_the_table_of_averaging_factors_follows(d, r):
    # to the four digits of the print. The row 0.375 is 1.1e-4 off before rounding: its factor is
    # 0.2605, not 0.2612 (also by an integration with 30 digits)
    assert abs(round(disjunction(r), 4) - d) < 1.0001e-4
    if d != 0.375:
        assert disjunction(r) == pytest.approx(d, abs=2.5e-5)
        assert averaging_factor(d) == pytest.approx(r, abs=2e-4)


def test_the_degree_is_that_of_the_mean_over_the_whole_square():
    # the definition (5.2), by sums over the square instead of along its edge
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    for r in (-3.51, -0.5, 0.6194, 3.9293):
        mean = sum(wa * wb * combined(a, b, r) for a, wa in zip(x, w) for b, wb in zip(x, w))
        assert disjunction(r) == pytest.approx(3.0 * mean - 1.0, abs=3e-4)
    assert disjunction(0.0) == pytest.approx(3.0 * (2.0 / 3.0)**2 - 1.0, abs=1e-9)


def test_the_efficiencies_of_the_six_arms_are_the_printed_ones():
    for (_, _, g_t, g_e), found in zip(combined_criterion.ARMS,
                                       combined_criterion.efficiencies()):
        assert found == pytest.approx((g_t, g_e), abs=1e-12)
    # beyond the worst and the best
    assert efficiency(11.0, 10.0, 5.0) == 0.0 and efficiency(4.0, 10.0, 5.0) == 1.0


@pytest.mark.parametrize(('r', 'expected'), [
    (-9.06, (0.108, 0.2159, 0.4306, 0.5, 0.3238, 0.0216)),
    (-3.51, (0.1218, 0.2431, 0.4583, 0.5, 0.3603, 0.0244)),
    (-0.7203, (0.202, 0.3387, 0.4827, 0.5, 0.43, 0.0482)), (1.0, (0.5,) * 6)])
def test_the_combined_efficiencies_are_those_of_the_notes(r, expected):
    found = [combined(*pair, r) for pair in combined_criterion.efficiencies()]
    assert found == pytest.approx(expected, abs=6e-5)


def test_the_mean_runs_from_the_smaller_to_the_larger_without_overflow():
    for a, b in ((0.9, 0.1), (0.02, 0.98), (0.5, 0.5)):
        powers = [-math.inf, -1000.0, -9.0, -1e-8, 0.0, 1e-8, 1.0, 9.0, 1000.0, math.inf]
        values = [combined(a, b, r) for r in powers]
        assert values[0] == min(a, b) and values[-1] == max(a, b)
        assert all(x <= y + 1e-9 for x, y in zip(values, values[1:]))
        assert values[4] == pytest.approx(math.sqrt(a * b), rel=1e-9)
    assert combined(0.0, 0.8, -1.0) == 0.0 and combined(0.0, 0.8, 1.0) == 0.4
    assert combined(0.2, 0.8, -5.0, weight=1.0) == 0.2
    assert combined(0.3, 0.6, 2.0, 0.25) == pytest.approx(
        math.sqrt(0.25 * 0.09 + 0.75 * 0.36))
    with pytest.raises(kd.InputError, match='0 to 1'):
        combined(1.2, 0.5, 1.0)
    with pytest.raises(kd.InputError, match='0 to 1'):
        averaging_factor(1.5)


# -- spray arm and four structures ---------------------------------------------------------------

def test_the_guides_of_the_spray_arm_weigh_what_the_book_says():
    masses = [mass for _, mass in spray_arm.guides()]
    printed = [mass for _, _, mass, _ in spray_arm.GUIDES]
    # 25.5 is printed with three digits
    assert masses == pytest.approx(printed, abs=0.065)
    assert masses[1:] == pytest.approx(printed[1:], abs=0.005)


def test_the_book_s_energies_have_the_form_that_weight_and_inertia_give_them():
    expected = {'I': (65.57, 18558, 24.48, 5533), 'II': (63.27, 16454, 29.83, 8303),
                'III': (29.42, 17457, 45.7, 11479), 'IV': (49.25, 11626, 37.14, 4739)}
    for structure, values in expected.items():
        found, residual = four_structures.book_fit(structure)
        assert residual < 0.125                              # printed to 0.1 J
        assert found == pytest.approx(values, rel=2e-3)


def test_four_arms_keep_the_book_s_order_and_form_and_the_cylindrical_one_its_values():
    radii, times = (0.04, 0.025, 0.014), (10.0, 6.2, 3.4)
    grid = np.array([(R, T) for R in radii for T in times]).T
    tables = {name: four_structures.energies(name, radii, times) for name in ('III', 'IV', 'II',
                                                                              'I')}
    order = np.array(list(tables.values()))
    assert (np.diff(order, axis=0) > 0.0).all()              # at every R and T
    for table in tables.values():
        _, residual = four_structures.fitted(*grid, table.ravel())
        assert residual < 0.001 * table.max()
    (a, b, _, _), _ = four_structures.fitted(*grid, tables['III'].ravel())
    (book_a, book_b, _, _), _ = four_structures.book_fit('III')
    assert a == pytest.approx(book_a, abs=0.05) and b == pytest.approx(book_b, rel=2e-3)


# -- the examples --------------------------------------------------------------------------------

def test_the_example_of_influence_coefficients_tends_to_the_closed_form_from_the_safe_side(capsys):
    influence_coefficients.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[5:]]
    book = np.array([row[-4:] for row in rows[:4]], float)
    modes = np.array(rows[4][-4:], float)
    exact = np.array(rows[5][-3:], float)
    assert np.all(np.diff(book[:, :2], axis=0) < 0.0) and np.all(book[:, :2] >= exact[:2])
    # lumping half and half: a third too much with one piece, less by the square of the pieces
    np.testing.assert_allclose(book[:, 0] / exact[0] - 1, [1 / 3, 1 / 12, 1 / 48, 1 / 192],
                               atol=2e-4)                                   # four digits printed
    np.testing.assert_allclose(modes[:3], exact, rtol=1e-3)                 # four modes
    assert book[3, 3] == pytest.approx(modes[3], rel=1e-3)


@pytest.mark.parametrize('example', [combined_criterion, spray_arm])
def test_the_examples_of_the_book_print_printed_next_to_computed(example, capsys):
    example.main()
    text = capsys.readouterr().out
    assert 'printed' in text and ('computed' in text or 'd of r' in text)
