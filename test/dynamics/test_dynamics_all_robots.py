# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Every robot of the example-robot-data wheel that loads, against Pinocchio at 1000 states."""

import warnings

from example_robots import BARS, example_urdfs, FUNCTIONS, NEARLY_SINGULAR, REFUSED
import numpy as np
import pytest

from kane_dynamics import Dynamics, KaneDynamicsWarning, load_urdf
from kane_dynamics.dynamics.oracle.cross_check import cross_check, pinocchio_arm, random_states
from kane_dynamics.kane import equations
from kane_dynamics.kane.mass_matrix import mass_matrix

pytest.importorskip('pinocchio', reason='the oracle of this file is Pinocchio')

SAMPLES = 1000
# machine code of a humanoid takes seconds to compile: above this many speeds the same programs
# run as Python over numpy blocks (test_program.py holds the two against each other)
LARGE = 9
REPORTS = {}

CASES = [(name, floating) for name in sorted(set(example_urdfs()) - set(REFUSED))
         for floating in (False, True)]


@pytest.mark.parametrize('name, floating', CASES,
                         ids=[f'{name}-{"floating" if f else "fixed"}' for name, f in CASES])
def test_torques_mass_matrix_and_accelerations_agree_with_pinocchio(name, floating):
    path = example_urdfs()[name]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        robot = load_urdf(path, floating_base=floating)
    if robot.nv == 0:
        assert not floating                                # a drone: only its base moves
        return
    dynamics = Dynamics(robot, backend='python' if robot.nv > LARGE else 'llvm')
    report = cross_check(dynamics, path.read_text(), SAMPLES, functions=FUNCTIONS)
    REPORTS[name, floating] = report
    for row in report.comparisons:
        error = row.beyond_round_off if name in NEARLY_SINGULAR else row.error
        assert error <= BARS[row.function], str(report)


@pytest.mark.parametrize('name', ['talos_data/talos_reduced.urdf',
                                  'g1_description/g1_29dof_rev_1_0.urdf'])
def test_machine_code_of_a_humanoid_agrees_with_pinocchio(name):
    path = example_urdfs()[name]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        dynamics = Dynamics(load_urdf(path), backend='llvm')
    report = cross_check(dynamics, path.read_text(), SAMPLES, functions=['inverse'])
    assert report.error('inverse') <= BARS['inverse'], str(report)


def test_at_least_sixty_robots_were_compared(record_property):
    if len(REPORTS) < len(CASES) - 10:
        pytest.skip('only some of the comparisons above were run')
    title = ''.join(f'{function:>13}' for function in FUNCTIONS)
    print(f'{"base":<10}{"robot":<62}{title}')
    for (name, floating), report in sorted(REPORTS.items()):
        errors = ''.join(f'{report.error(function):>13.1e}' for function in FUNCTIONS)
        print(f'{"floating" if floating else "fixed":<10}{name:<62}{errors}')
    for function in FUNCTIONS:
        error, where = max((report.error(function), name) for (name, _), report in REPORTS.items()
                           if name not in NEARLY_SINGULAR)
        record_property('figure', f'{function}, {len(REPORTS)} robots and bases, {SAMPLES} states '
                        f'each, largest error: {error:.1e} ({where})')
    assert len({name for name, _ in REPORTS}) >= 60


@pytest.mark.parametrize('name', sorted(NEARLY_SINGULAR - {'icub_description/icub.urdf'}))
def test_where_pinocchio_differs_most_forty_digits_side_with_us(name, monkeypatch):
    mpmath = pytest.importorskip('mpmath', reason='the oracle of this test is mpmath')
    path = example_urdfs()[name]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        robot = load_urdf(path, floating_base=True)
    rng = np.random.default_rng(0)
    q, qd, tau = random_states(robot, 300, rng)
    ours = Dynamics(robot, backend='python').forward_many(q, qd, tau)
    arm = pinocchio_arm(robot, path.read_text())
    theirs = np.array([arm.forward(*row) for row in zip(q, qd, tau)])
    worst = np.argmax(np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max(axis=1))

    # the reference kernel, run on numbers of 40 digits: the same states, no round-off to speak of
    monkeypatch.setattr(equations, 'sin', mpmath.sin)
    monkeypatch.setattr(equations, 'cos', mpmath.cos)
    with mpmath.workdps(40):
        x, u = ([mpmath.mpf(float(value)) for value in row] for row in (q[worst], qd[worst]))
        moving = robot.tree
        bias, _ = equations.kane(moving, x, u, [0.0] * robot.nv, list(robot.gravity))
        right = [mpmath.mpf(float(t)) - h for t, h in zip(tau[worst], bias)]
        exact = mpmath.lu_solve(mpmath.matrix(mass_matrix(moving, x)), mpmath.matrix(right))
        exact = np.array([float(value) for value in exact])
    errors = [np.abs(found[worst] - exact).max() / np.abs(exact).max() for found in (ours, theirs)]
    assert errors[0] <= errors[1]
