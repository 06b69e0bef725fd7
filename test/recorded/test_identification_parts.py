# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The pieces of an identification, each against another method."""

from example_robots import example_urdf
import numpy as np
import pytest
from scipy.optimize import minimize

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.recorded.identify.base_parameters import base_parameters
from kane_dynamics.recorded.identify.consistent_fit import ConsistentFit, reference_inertias
from kane_dynamics.recorded.identify.friction_terms import FrictionSpeeds
from kane_dynamics.recorded.identify.identification import covariance
from kane_dynamics.recorded.identify.normal_equations import NormalEquations, ResidualScales
from kane_dynamics.recorded.identify.pseudo_inertia import parameters_of, pseudo_inertia

RNG = np.random.default_rng(11)


def bodies(count):
    """Return pseudo-inertias of random clouds of points."""
    found = []
    for _ in range(count):
        points = np.hstack([RNG.normal(size=(6, 3)) * 0.2, np.ones((6, 1))])
        found.append(points.T @ (points * RNG.uniform(0.1, 1.0, 6)[:, None]))
    return np.array(found)


def test_normal_equations_in_blocks_are_least_squares_on_the_whole():
    n, m, terms, N = 3, 5, 2, 400
    Y, X, y = (RNG.normal(size=shape) for shape in ((N, n, m), (N, n, terms), (N, n)))
    equations = NormalEquations(n, m, terms)
    for k in range(0, N, 77):
        part = slice(k, k + 77)
        equations.add(Y[part], X[part], y[part])
    variances = np.array([0.5, 2.0, 10.0])
    rows = np.zeros((N, n, m + n * terms))
    rows[:, :, :m] = Y
    for j in range(n):
        rows[:, j, m + terms * j:m + terms * (j + 1)] = X[:, j]
    weight = 1.0 / np.sqrt(variances)
    flat = (rows * weight[:, None]).reshape(-1, m + n * terms)
    expected = np.linalg.lstsq(flat, (y * weight).reshape(-1), rcond=None)[0]
    found = np.linalg.solve(*equations.weighted(variances))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    left = y - rows @ found
    assert (equations.free_variances() <= (left**2).mean(0)).all()


@pytest.mark.parametrize('name', ['ur5_robot.urdf', 'panda.urdf', 'ur10_robot.urdf'])
@pytest.mark.parametrize('rotors', [False, True])
def test_base_parameters_span_all_torques_and_no_fewer_would(name, rotors):
    robot = load_urdf(example_urdf(name))
    if 'panda_finger_joint1' in robot.joint_names:
        robot = lock_joints(robot, {'panda_finger_joint1': 0.0})
    dynamics = Dynamics(robot)
    found = base_parameters(dynamics, rotors)
    n = robot.n_joints
    q, qd, qdd = RNG.uniform(-2, 2, (3, 200, n))
    W = dynamics.regressor_many(q, qd, qdd)
    pi = dynamics.inertial_parameters
    if rotors:
        X = np.zeros((200, n, n))
        X[:, range(n), range(n)] = qdd
        W, pi = np.concatenate([W, X], axis=2), np.concatenate([pi, RNG.uniform(0, 1, n)])
    W = W.reshape(-1, W.shape[2])
    np.testing.assert_allclose(W[:, found.independent] @ (found.combination @ pi), W @ pi,
                               atol=1e-8 * np.abs(W @ pi).max())
    # another method: the singular values of the scaled regressor, without columns of round-off
    norms = np.linalg.norm(W, axis=0)
    felt = norms > 1e-8 * norms.max()
    values = np.linalg.svd(W[:, felt] / norms[felt], compute_uv=False)
    assert (values > 1e-8 * values[0]).sum() == found.count
    # a serial arm with a vertical first axis: 43 for the Panda (Gaz et al. 2019)
    if (name, rotors) == ('panda.urdf', False):
        assert found.count == 43
    assert set(found.silent) == set(np.flatnonzero(~felt))


def test_the_fit_is_plain_least_squares_where_that_is_possible():
    J = bodies(2)
    truth = np.concatenate([*(parameters_of(each) for each in J), [0.7, -0.3]])
    fit = ConsistentFit(bodies(2), np.array([0.1, 0.1]), np.array([True, False]))
    rows = RNG.normal(size=(500, 22))
    A = 1e8 * rows.T @ rows        # data far more certain than the prior
    found = fit.solve(A, A @ truth)
    np.testing.assert_allclose(found, truth, atol=1e-5)


def test_the_fit_is_the_minimum_over_all_bodies_that_are_possible():
    reference = bodies(1)
    fit = ConsistentFit(reference, np.array([0.1]), np.array([True]), prior=0.3)
    rows = RNG.normal(size=(30, 11))
    impossible = np.concatenate([parameters_of(bodies(1)[0]), [-2.0]])
    impossible[4:7] *= -1.0
    A = rows.T @ rows
    b = A @ impossible
    found = fit.solve(A, b)
    inverse = np.linalg.inv(reference[0])

    def cost(z):
        # every positive definite J is L L' with a positive diagonal
        L = np.zeros((4, 4))
        L[np.tril_indices(4)] = z[:10]
        L[np.diag_indices(4)] = np.exp(np.diag(L))
        J = L @ L.T
        theta = np.append(parameters_of(J), np.exp(z[10]))
        return (0.5 * theta @ A @ theta - b @ theta
                + 0.3 * (np.trace(inverse @ J) - 2.0 * np.log(np.diag(L)).sum()))

    best = min((minimize(cost, RNG.normal(size=11) * 0.3, method='BFGS', options={
        'maxiter': 5000, 'gtol': 1e-9}) for _ in range(3)), key=lambda each: each.fun)
    L = np.linalg.cholesky(pseudo_inertia(found[:10]))
    L[np.diag_indices(4)] = np.log(np.diag(L))
    mine = cost(np.append(L[np.tril_indices(4)], np.log(found[10])))
    assert mine <= best.fun + 1e-4 * abs(best.fun)
    assert found[10] < 1e-3 and np.linalg.eigvalsh(pseudo_inertia(found[:10]))[0] > 0.0


def test_reference_inertias_are_those_of_the_urdf_made_possible_where_they_are_not():
    good = parameters_of(bodies(1)[0])
    point = np.array([2.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.02, 0.0, 0.0, 0.02])
    found = reference_inertias(np.concatenate([good, point, np.zeros(10)]))
    np.testing.assert_allclose(parameters_of(found[0]), good, rtol=0.02, atol=1e-3)
    assert found[1][3, 3] == 2.0 and (found[1][:3, 3] == [0.2, 0, 0]).all()
    assert (np.linalg.eigvalsh(found) > 0.0).all()


@pytest.mark.parametrize('correlation', [0.0, 0.8])
def test_the_level_of_correlated_residuals_is_that_of_theory(correlation):
    rng = np.random.default_rng(3)
    noise = rng.standard_normal((200_000, 2)) * [1.0, 3.0]
    for k in range(1, len(noise)):
        noise[k] += correlation * noise[k - 1]
    scales = ResidualScales(2)
    t = np.arange(len(noise)) * 0.01
    for k in range(0, len(t), 10_000):
        scales.add(t[k:k + 10_000], noise[k:k + 10_000])
    # an AR(1) process has variance s^2 / (1 - a^2) and s^2 / (1 - a)^2 at frequency zero
    np.testing.assert_allclose(scales.variance, np.array([1.0, 9.0]) / (1 - correlation**2),
                               rtol=0.02)
    np.testing.assert_allclose(scales.level, np.array([1.0, 9.0]) / (1 - correlation)**2,
                               rtol=0.15)


@pytest.mark.parametrize(('v_0', 'v_s'), [(0.003, 0.1), (0.03, 0.2)])
def test_the_speeds_of_friction_are_found_on_the_grid(v_0, v_s):
    rng = np.random.default_rng(4)
    t = np.arange(20_000) * 0.002
    qd = np.stack([np.sin(1.3 * t), 0.4 * np.sin(2.1 * t)], axis=1)
    sign = qd / np.sqrt(qd**2 + v_0**2)
    tau = 3.0 * sign + 2.0 * sign / (1 + (qd / v_s)**2) + 4.0 * qd
    speeds = FrictionSpeeds(2)
    speeds.add(qd, np.gradient(qd, t, axis=0), tau + 0.05 * rng.standard_normal(qd.shape))
    smoothing, stribeck = speeds.choose()
    assert smoothing == v_0 and (stribeck == v_s).all()


def test_variances_are_those_of_the_inverse_and_infinite_where_there_are_no_data():
    rows = RNG.normal(size=(100, 4)) * [1.0, 1e3, 1e-3, 1.0]
    A = rows.T @ rows
    variance, condition = covariance(A)
    np.testing.assert_allclose(variance, np.diag(np.linalg.inv(A)), rtol=1e-8)
    scaled = rows / np.linalg.norm(rows, axis=0)
    assert condition == pytest.approx(np.linalg.cond(scaled))
    rows[:, 3] = 2.0 * rows[:, 0]
    variance, condition = covariance(rows.T @ rows)
    assert np.isinf(variance[[0, 3]]).all() and np.isfinite(variance[[1, 2]]).all()
    assert np.isinf(condition)
    rows[:, 3] = 0.0
    assert np.isinf(covariance(rows.T @ rows)[0][3])
