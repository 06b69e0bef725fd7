# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The robot arm of Kane and Levinson's book 1985 obeys the book's equations and SymPy's.

Geometry and equations are those of Exercises 3.15, 11.7 and 11.8 of the book; the numbers are our
own, since neither the 2004 paper that simulates the arm nor this project has the book's.
"""

import importlib
from pathlib import Path
import sys
import warnings

import numpy as np
import pytest

import kane_dynamics as kd

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'examples'))
arm = importlib.import_module('kane_levinson_arm')

LA, LP, LB = 0.3, 0.8, 0.4
P1, P2, P3 = 0.1, 0.15, 0.5
MA, MB, MC, MD = 30.0, 18.0, 12.0, 8.0
B, C = (1.2, 1.2, 0.15), (0.9, 0.9, 0.05)
A1 = 2.0
D = np.array([[0.30, 0.05, 0.03], [0.05, 0.36, -0.04], [0.03, -0.04, 0.20]])
G = 9.81


@pytest.fixture(scope='module')
def dyn():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        return kd.Dynamics(kd.load_urdf(arm.URDF))


@pytest.fixture(scope='module')
def sympy_equations():
    """Return f(q, u) -> M (3, 3), right-hand side (3,) of M ud = rhs without drives, by SymPy."""
    sympy = pytest.importorskip('sympy')
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols('q1:4'), me.dynamicsymbols('u1:4')
    E = me.ReferenceFrame('E')
    A = E.orientnew('A', 'Axis', [q[0], E.x])
    B_ = A.orientnew('B', 'Axis', [q[1], A.y])
    A.set_ang_vel(E, u[0] * A.x)
    B_.set_ang_vel(A, u[1] * A.y)
    O = me.Point('O')  # noqa: E741  the book's letter
    O.set_vel(E, 0)
    star = {'A': O.locatenew('A*', LA * A.z)}
    hinge = O.locatenew('P', LP * A.z)
    star['B'] = hinge.locatenew('B*', LB * B_.z)
    star['C'] = star['B'].locatenew('C*', q[2] * B_.z)
    star['D'] = star['C'].locatenew('D*', P1 * B_.x + P2 * B_.y + P3 * B_.z)
    star['A'].v2pt_theory(O, E, A)
    hinge.v2pt_theory(O, E, A)
    star['B'].v2pt_theory(hinge, E, B_)
    for name in 'CD':
        star[name].set_vel(B_, u[2] * B_.z)
        star[name].v1pt_theory(star['B'], E, B_)
    tensors = {'A': me.inertia(A, A1, 0, 0), 'B': me.inertia(B_, *B), 'C': me.inertia(B_, *C),
               'D': me.inertia(B_, D[0, 0], D[1, 1], D[2, 2], D[0, 1], D[1, 2], D[0, 2])}
    masses = {'A': MA, 'B': MB, 'C': MC, 'D': MD}
    bodies = [me.RigidBody(name, star[name], A if name == 'A' else B_, masses[name],
                           (tensors[name], star[name])) for name in 'ABCD']
    weights = [(star[name], -masses[name] * G * E.x) for name in 'ABCD']
    rates = [speed - coordinate.diff() for speed, coordinate in zip(u, q)]
    method = me.KanesMethod(E, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, weights)
    f = sympy.lambdify([*q, *u], [method.mass_matrix, method.forcing], cse=True)

    def evaluate(q, u):
        M, right = f(*q, *u)
        return M, right[:, 0]
    return evaluate


def states(count=20):
    rng = np.random.default_rng(1985)
    for _ in range(count):
        yield rng.uniform([-3, -3, -0.5], [3, 3, 1.5]), *rng.uniform(-2, 2, (2, 3))


def test_sympys_kanes_method_gives_the_same_equations(dyn, sympy_equations):
    for q, qd, qdd in states():
        M, right = sympy_equations(q, qd)
        np.testing.assert_allclose(dyn.mass_matrix(q), M, rtol=0, atol=1e-13)  # up to 200 kg m^2
        np.testing.assert_allclose(dyn.bias(q, qd), -right, rtol=0, atol=1e-12)  # up to 1000 N m
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), M @ qdd - right, rtol=0, atol=1e-11)
        np.testing.assert_allclose(dyn.forward(q, qd, np.zeros(3)), np.linalg.solve(M, right),
                                   rtol=1e-11, atol=1e-11)


def test_the_equations_of_exercise_11_7_hold(dyn):
    # the book's X_rs = -M_rs and Y_r = h_r - drive_r
    for q, _, _ in states():
        c, s = np.cos(q[1]), np.sin(q[1])
        along, reach = LB + q[2], LP + (LB + q[2]) * c         # of C* behind P; of C* from the hub
        M = dyn.mass_matrix(q)
        assert M[2, 2] == pytest.approx(MC + MD)
        assert M[1, 2] == pytest.approx(-MD * P1)
        assert M[0, 2] == pytest.approx(MD * P2 * c)
        assert M[0, 1] == pytest.approx(D[0, 1] * c + D[1, 2] * s
                                        - MD * (P2 * s * (along + P3) + P2 * c * P1))
        assert M[1, 1] == pytest.approx(B[1] + C[1] + D[1, 1] + MB * LB ** 2 + MC * along ** 2
                                        + MD * ((along + P3) ** 2 + P1 ** 2))
        turned = np.array([c, 0, s])  # the vertical in B's axes
        assert M[0, 0] == pytest.approx(
            A1 + turned @ (np.diag(B) + np.diag(C) + D) @ turned + MA * LA ** 2
            + MB * (LP + LB * c) ** 2 + MC * reach ** 2
            + MD * ((reach - P1 * s + P3 * c) ** 2 + P2 ** 2))
        held = [0, G * ((MB * LB + MC * along + MD * (along + P3)) * c - MD * P1 * s),
                G * (MC + MD) * s]
        np.testing.assert_allclose(dyn.gravity(q), held, rtol=0, atol=1e-12)


def test_the_equations_uncouple_as_exercise_11_8_says(dyn):
    # D* on the line B* C*, and the principal axes of D parallel to B's: M is diagonal
    robot = dyn.robot
    place = robot.joint('D_fixed').position
    aligned = kd.Inertial(MD, -place * [1, 1, 0], np.diag(np.diag(D)))
    other = kd.Dynamics(robot.with_inertial('D', aligned), backend='python')
    for q, _, _ in states(5):
        M = other.mass_matrix(q)
        np.testing.assert_allclose(M, np.diag(np.diag(M)), rtol=0, atol=1e-14)
        assert abs(dyn.mass_matrix(q) - np.diag(np.diag(dyn.mass_matrix(q)))).max() > 0.5


def test_pinocchio_agrees_on_the_file(dyn):
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromUrdf(str(arm.URDF))
    data = model.createData()
    for q, qd, qdd in states():
        tau = pinocchio.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=0, atol=1e-11)


def test_the_arm_answers_as_2004_describes(dyn):
    # "a rapid increase, a slight overshoot followed by a steady value", over 15 s
    solution = arm.simulate(dyn)
    rise, overshoot, left = arm.answers(solution.t, solution.q)
    assert (rise < 3).all()
    assert (overshoot > 0.1).all() and (overshoot < 10).all()
    assert (left < 1e-5).all()


def test_springs_and_motion_lose_what_the_dampers_take(dyn):
    solution = arm.simulate(dyn)
    stored = np.array([arm.stored(dyn, q, qd) for q, qd in zip(solution.q, solution.qd)])
    power = solution.qd ** 2 @ arm.BETA
    taken = np.cumsum((power[:-1:2] + 4 * power[1::2] + power[2::2]) * 0.005 / 3)
    assert stored[0] > 80  # J
    # Simpson's rule leaves 1e-5 J with steps of 10 ms, so a sixteenth with these of 5 ms
    np.testing.assert_allclose(stored[2::2] + taken, stored[0], rtol=0, atol=1e-6)


def test_without_drives_energy_stays_and_so_does_the_turn_about_the_vertical(dyn):
    q0, qd0 = np.array([0.0, 0.3, 0.2]), np.array([1.0, 0.5, 0.2])
    fall = kd.simulate(dyn, q0, qd0, duration=0.5, method='DOP853', rtol=1e-12, atol=1e-12)
    energy = [dyn.energy(q, qd).total for q, qd in zip(fall.q, fall.qd)]
    vertical = [dyn.mass_matrix(q)[0] @ qd for q, qd in zip(fall.q, fall.qd)]  # q1 is ignorable
    assert np.ptp(energy) < 1e-9 and np.ptp(vertical) < 1e-9
    assert vertical[0] == pytest.approx(dyn.momentum(q0, qd0)[5])


def test_kutta_and_mersons_step_follows_the_tolerance(dyn):
    tolerances = (1e-5, 1e-7, 1e-9)
    exact = arm.simulate(dyn)
    errors = [abs(arm.simulate(dyn, 0.005, 'kutta_merson', each).q - exact.q).max()
              for each in tolerances]
    counts = [len(arm.simulate(dyn, None, 'kutta_merson', each).t) for each in tolerances]
    # a settling arm forgets the errors of its steps, so few of them add up
    assert all(error < 30 * tolerance for error, tolerance in zip(errors, tolerances))
    assert errors[0] > 3 * errors[1] and errors[1] > 3 * errors[2]
    # an error of h^5 per step: a hundredth of it takes 100^(1/5) = 2.5 times the steps
    assert 1.5 < counts[1] / counts[0] < 4.5 and 1.5 < counts[2] / counts[1] < 4.5


def test_the_example_prints_published_next_to_computed(capsys, dyn):
    arm.main([])
    text = capsys.readouterr().out
    assert text.count('published') == 3 and text.count('computed') == 3
