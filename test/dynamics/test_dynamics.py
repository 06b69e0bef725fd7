# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The calling surface: right against Pinocchio, strict with arguments, the same in every form."""

import copy
import gc
import inspect
import pickle
import sys
from threading import Barrier, Thread

from example_robots import example_urdf
import numpy as np
import pytest
from random_arms import chain, state, tree

import kane_dynamics as kd
from kane_dynamics.codegen import cpython_abi
from kane_dynamics.dynamics.oracle.cross_check import cross_check, pinocchio, pinocchio_arm

MANY = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'regressor', 'reactions')
TAKES = {'inverse': 3, 'forward': 3, 'mass_matrix': 1, 'bias': 2, 'gravity': 1,
         'inverse_derivatives': 3, 'regressor': 3, 'reactions': 3, 'momentum': 2,
         'mass_centre': 1, 'energy': 2}


@pytest.fixture(scope='module')
def robot():
    """Return an arm with every kind of joint."""
    return chain('RPC', 71, gravity=(1.0, 2.0, -9.0))


MADE = {}     # compiled once, used by many tests


@pytest.fixture(params=['llvm', 'llvm through ctypes', 'python'])
def any_form(request, monkeypatch):
    """Return Dynamics made in each of the three ways there are to run a program."""
    if request.param == 'llvm through ctypes':
        monkeypatch.setattr(cpython_abi, 'usable', lambda: False)

    def make(robot, fresh=False, **options):
        key = (request.param, robot.name, *sorted(options))
        if key not in MADE or fresh:
            MADE[key] = kd.Dynamics(robot, backend=request.param.split()[0], **options)
        return MADE[key]
    return make


def asked(dynamics, name, arrays):
    """Return a function's result as an array."""
    return np.array(getattr(dynamics, name)(*arrays[:TAKES[name]]))


# -- right ------------------------------------------------------------------------------------

@pytest.mark.parametrize('name, floating', [
    ('ur5_robot.urdf', False), ('ur5_robot.urdf', True), ('panda.urdf', False),
    ('kinova.urdf', False)])
def test_every_function_agrees_with_pinocchio(name, floating):
    path = example_urdf(name)
    dynamics = kd.Dynamics(kd.load_urdf(path, floating_base=floating))
    report = cross_check(dynamics, path.read_text(), samples=50)
    # Kinova's axes nearly meet: the feet of common normals lose three digits
    assert report.passes(1e-12), str(report)


def test_every_form_agrees_with_pinocchio(any_form, robot):
    for arm in (robot, tree('RPR', [0, 1, 0], 72, floating_base=True)):
        report = cross_check(any_form(arm), samples=20)
        assert report.passes(1e-12), str(report)


def test_momentum_and_mass_centre_are_pinocchios(robot):
    for arm in (robot, tree('RPR', [0, 1, 0], 73, floating_base=True)):
        dynamics, theirs = kd.Dynamics(arm), pinocchio_arm(arm)
        pin, model, data = pinocchio(), theirs.model, theirs.data
        rng = np.random.default_rng(73)
        q, qd, _ = state(arm, rng)
        pin.computeCentroidalMomentum(model, data, theirs._q(q), theirs.G @ qd)
        linear, angular = data.hg.linear, data.hg.angular
        got, centre = dynamics.momentum(q, qd), dynamics.mass_centre(q)
        np.testing.assert_allclose(centre, data.com[0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(got[:3], linear, rtol=0, atol=1e-14 * np.abs(linear).max())
        about_origin = angular + np.cross(data.com[0], linear)
        np.testing.assert_allclose(got[3:], about_origin, rtol=0,
                                   atol=1e-13 * np.abs(about_origin).max())


def test_the_regressor_is_pinocchios_and_its_parameters_too(robot):
    dynamics, theirs = kd.Dynamics(robot), pinocchio_arm(robot)
    pin = pinocchio()
    q, qd, qdd = state(robot, np.random.default_rng(74))
    Y = theirs.G.T @ pin.computeJointTorqueRegressor(
        theirs.model, theirs.data, theirs._q(q), theirs.G @ qd, theirs.G @ qdd)
    np.testing.assert_allclose(dynamics.regressor(q, qd, qdd), Y, rtol=0,
                               atol=1e-13 * np.abs(Y).max())
    parameters = np.concatenate([inertia.toDynamicParameters()
                                 for inertia in list(theirs.model.inertias)[1:]])
    np.testing.assert_allclose(dynamics.inertial_parameters, parameters, rtol=0, atol=1e-15)
    np.testing.assert_allclose(Y @ parameters, dynamics.inverse(q, qd, qdd), rtol=0, atol=1e-12)


def test_derivatives_of_forward_are_pinocchios(robot):
    dynamics, theirs = kd.Dynamics(robot), pinocchio_arm(robot)
    q, qd, tau = state(robot, np.random.default_rng(75))
    expected = pinocchio().computeABADerivatives(
        theirs.model, theirs.data, theirs._q(q), theirs.G @ qd, theirs.G @ tau)
    for got, want in zip(dynamics.forward_derivatives(q, qd, tau), expected):
        want = np.triu(want) + np.triu(want, 1).T if want is expected[2] else want
        np.testing.assert_allclose(got, theirs.G.T @ want @ theirs.G, rtol=0,
                                   atol=1e-12 * np.abs(want).max())


@pytest.mark.parametrize('floating', [False, True])
def test_derivatives_are_differences_of_the_torques(floating):
    arm = tree('RPR', [0, 1, 0], 76, floating_base=floating, armature=True)
    friction = kd.Friction(viscous=[1.0, 2.0, 0.5], coulomb=[0.5, 0.3, 0.2],
                           smoothing_speed=0.5)
    dynamics = kd.Dynamics(arm, friction)
    q, qd, qdd = state(arm, np.random.default_rng(76))
    by_q, by_qd, M = dynamics.inverse_derivatives(q, qd, qdd)
    h = 1e-6
    for k, unit in enumerate(np.eye(arm.nv)):
        plus, minus = (dynamics.inverse(moved(arm, q, s * unit), qd, qdd) for s in (h, -h))
        # central differences: h^2 and round-off over h
        np.testing.assert_allclose(by_q[:, k], (plus - minus) / (2 * h), rtol=0, atol=1e-6)
        plus, minus = (dynamics.inverse(q, qd + s * unit, qdd) for s in (h, -h))
        np.testing.assert_allclose(by_qd[:, k], (plus - minus) / (2 * h), rtol=0, atol=1e-6)
    np.testing.assert_allclose(M, dynamics.mass_matrix(q), rtol=1e-14)


def moved(arm, q, shift):
    """Return q displaced; a floating base in its own frame."""
    if not arm.floating_base:
        return q + shift
    from scipy.spatial.transform import Rotation
    R = Rotation.from_quat(q[3:7])
    return np.concatenate([q[:3] + R.apply(shift[:3]),
                           (R * Rotation.from_rotvec(shift[3:6])).as_quat(), q[7:] + shift[6:]])


def test_frames_move_as_their_poses_do(robot):
    dynamics = kd.Dynamics(robot)
    q, qd, qdd = state(robot, np.random.default_rng(77))
    for link in robot.link_names:
        velocity = dynamics.frame_velocity(link, q, qd)
        np.testing.assert_allclose(velocity, dynamics.frame_jacobian(link, q) @ qd, rtol=0,
                                   atol=1e-14)
        h = 1e-6
        path = [(q + s * qd + 0.5 * s * s * qdd, qd + s * qdd) for s in (h, -h)]
        (R_plus, p_plus), (R_minus, p_minus) = (dynamics.frame_pose(link, x) for x, _ in path)
        np.testing.assert_allclose(velocity[:3], (p_plus - p_minus) / (2 * h), rtol=0, atol=1e-9)
        spin = (R_plus - R_minus) / (2 * h) @ dynamics.frame_pose(link, q)[0].T
        np.testing.assert_allclose(velocity[3:], [spin[2, 1], spin[0, 2], spin[1, 0]], rtol=0,
                                   atol=1e-9)
        plus, minus = (dynamics.frame_velocity(link, x, v) for x, v in path)
        np.testing.assert_allclose(dynamics.frame_acceleration(link, q, qd, qdd),
                                   (plus - minus) / (2 * h), rtol=0, atol=1e-8)


@pytest.mark.parametrize('floating', [False, True])
def test_wrenches_on_links_are_pinocchios_external_forces(floating):
    arm = tree('RPRF', [0, 1, 1, 3], 78, floating_base=floating)
    dynamics, theirs = kd.Dynamics(arm), pinocchio_arm(arm)
    pin, rng = pinocchio(), np.random.default_rng(78)
    q, qd, qdd = state(arm, rng)
    wrenches = {'link_2': rng.normal(size=6), 'link_4': rng.normal(size=6)}
    forces = [pin.Force.Zero() for _ in range(theirs.model.njoints)]
    pin.framesForwardKinematics(theirs.model, theirs.data, theirs._q(q))
    for link, wrench in wrenches.items():
        frame = theirs.model.frames[theirs._frame(link)]
        pose = theirs.data.oMf[theirs._frame(link)]
        aligned = pin.Force(pose.rotation.T @ wrench[:3], pose.rotation.T @ wrench[3:])
        forces[frame.parentJoint] += frame.placement.act(aligned)
    expected = theirs.G.T @ pin.rnea(theirs.model, theirs.data, theirs._q(q), theirs.G @ qd,
                                     theirs.G @ qdd, forces)
    tau = dynamics.inverse(q, qd, qdd, wrenches=wrenches)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    np.testing.assert_allclose(dynamics.forward(q, qd, tau, wrenches=wrenches), qdd, rtol=0,
                               atol=1e-11)
    out = np.empty(arm.nv)
    assert dynamics.inverse(q, qd, qdd, out, wrenches=wrenches) is out
    np.testing.assert_array_equal(out, tau)


def test_a_prescribed_base_motion_is_that_of_a_floating_base():
    fixed, free = (chain('RPR', 79, floating_base=floating) for floating in (False, True))
    rng = np.random.default_rng(79)
    q, qd, qdd = state(fixed, rng)
    w, alpha, a = rng.normal(size=(3, 3))
    # in the base's own axes, at rest in place: ud of a floating base is a - w x v with v = 0
    floating_q = np.concatenate([free.neutral()[:7], q])
    tau = kd.Dynamics(free).inverse(floating_q, np.concatenate([np.zeros(3), w, qd]),
                                    np.concatenate([a, alpha, qdd]))
    dynamics, base = kd.Dynamics(fixed), np.concatenate([w, alpha, a])
    got = dynamics.inverse(q, qd, qdd, base=base)
    np.testing.assert_allclose(got, tau[6:], rtol=0, atol=1e-13 * np.abs(tau).max())
    np.testing.assert_allclose(dynamics.forward(q, qd, got, base=base), qdd, rtol=0, atol=1e-11)
    with pytest.raises(kd.InputError, match='the base of .* floats'):
        kd.Dynamics(free).inverse(floating_q, np.zeros(9), np.zeros(9), base=base)


def test_gravity_is_inverse_at_rest_and_bias_inverse_without_acceleration(any_form, robot):
    dynamics, (q, qd, qdd) = any_form(robot), state(robot, np.random.default_rng(80))
    rest = np.zeros(3)
    tau = dynamics.inverse(q, qd, qdd)
    size = np.abs(tau).max()
    for got, expected in ((dynamics.gravity(q), dynamics.inverse(q, rest, rest)),
                          (dynamics.bias(q, qd), dynamics.inverse(q, qd, rest)),
                          (dynamics.mass_matrix(q) @ qdd + dynamics.bias(q, qd), tau)):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14 * size)
    np.testing.assert_allclose(dynamics.forward(q, qd, tau), qdd, rtol=0, atol=1e-11)


def test_an_arm_on_which_nothing_moves_has_empty_answers(any_form):
    dynamics = any_form(chain('F', 81))
    for name in ('inverse', 'forward', 'mass_matrix', 'gravity', 'inverse_derivatives'):
        assert asked(dynamics, name, [[], [], []]).size == 0
    assert dynamics.energy([], []).total == 0.0
    assert dynamics.frame_pose('link_1', [])[0].shape == (3, 3)
    with pytest.raises(kd.InputError, match='nothing that moves has mass'):
        dynamics.mass_centre([])


# -- arrays in and out ------------------------------------------------------------------------

def test_lists_integers_and_other_floats_are_numbers_too(any_form, robot):
    dynamics = any_form(robot)
    expected = dynamics.inverse(np.array([1.0, 0.0, 2.0]), np.zeros(3), np.ones(3))
    strided = np.array([1.0, 9.0, 0.0, 9.0, 2.0])[::2]
    for q in ([1, 0, 2], (1.0, 0.0, 2.0), np.array([1, 0, 2]), np.array([1, 0, 2], np.float32),
              strided, np.array([1.0, 0.0, 2.0], '>f8')):
        for _ in range(2):                                 # the second call meets compiled code
            np.testing.assert_array_equal(dynamics.inverse(q, np.zeros(3), [1, 1, 1]), expected)


@pytest.mark.parametrize('name', sorted(set(TAKES) - {'energy'}))   # that is a named tuple
def test_out_is_filled_and_returned(any_form, robot, name):
    dynamics, arrays = any_form(robot), state(robot, np.random.default_rng(82))
    expected = asked(dynamics, name, arrays)
    for _ in range(2):
        out = np.full(expected.shape, np.nan)
        assert getattr(dynamics, name)(*arrays[:TAKES[name]], out) is out
        np.testing.assert_array_equal(out, expected)
        out = np.full(expected.shape, np.nan)
        assert getattr(dynamics, name)(*arrays[:TAKES[name]], out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_out_may_be_one_of_the_inputs(any_form, robot):
    dynamics = any_form(robot)
    for name in ('inverse', 'forward', 'bias', 'gravity'):
        for k in range(TAKES[name]):
            arrays = [np.array(x) for x in state(robot, np.random.default_rng(83))]
            expected = asked(dynamics, name, arrays)
            got = getattr(dynamics, name)(*arrays[:TAKES[name]], arrays[k])
            assert got is arrays[k]
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize('name', ['inverse', 'forward'])
@pytest.mark.parametrize('base', [None, np.arange(9.0)])
def test_out_may_be_one_of_the_inputs_under_wrenches(any_form, robot, name, base):
    dynamics = any_form(robot)
    for k in range(3):
        arrays = [np.array(x) for x in state(robot, np.random.default_rng(83))]
        more = {'wrenches': {'link_3': np.array([10.0, -20.0, 30.0, 4.0, -5.0, 6.0])},
                'base': base}
        expected = getattr(dynamics, name)(*arrays, **more)
        got = getattr(dynamics, name)(*arrays, arrays[k], **more)
        assert got is arrays[k]
        np.testing.assert_array_equal(got, expected)


def test_inputs_are_left_alone(any_form, robot):
    dynamics, arrays = any_form(robot), state(robot, np.random.default_rng(84))
    kept = copy.deepcopy(arrays)
    for array in arrays:
        array.flags.writeable = False
    for name in TAKES:
        asked(dynamics, name, arrays)
    for array, copied in zip(arrays, kept):
        np.testing.assert_array_equal(array, copied)


def test_results_are_new_arrays_every_time(any_form, robot):
    dynamics = any_form(robot)
    first = [dynamics.gravity(np.zeros(3)) for _ in range(3)]
    first[0][:] = 7.0
    assert not np.shares_memory(first[1], first[2]) and first[1][0] != 7.0


FROZEN = np.zeros(3)
FROZEN.flags.writeable = False


@pytest.mark.parametrize('out, words', [
    (np.zeros(4), r'out has shape \(4,\), expected \(3,\)'),
    (np.zeros((1, 3)), r'out has shape \(1, 3\)'),
    (np.zeros(3, np.float32), 'must be a float64 numpy array, got float32'),
    ([0.0, 0.0, 0.0], 'must be a float64 numpy array, got list'),
    (np.zeros(6)[::2], 'must be contiguous'), (FROZEN, 'is read-only')])
def test_an_unfit_out_is_refused_and_nothing_changes(any_form, robot, out, words):
    dynamics = any_form(robot)
    for _ in range(2):
        with pytest.raises(kd.InputError, match=words):
            dynamics.inverse(np.ones(3), np.ones(3), np.ones(3), out)
        assert not np.any(out)
        dynamics.inverse(np.ones(3), np.ones(3), np.ones(3))


@pytest.mark.parametrize('value, words', [
    (np.zeros(2), r"inverse: qd has shape \(2,\), expected \(3,\) for 'random_71' with joints "
                  r"\['joint_0', 'joint_1', 'joint_2'\]"),
    (np.zeros((3, 1)), r'qd has shape \(3, 1\)'), (0.0, r'qd has shape \(\)'),
    (['a', 'b', 'c'], 'qd is not an array of numbers'), ([[1.0], [1.0, 2.0]], 'qd'),
    (np.zeros(3) + 1j, 'qd is not an array of numbers'), (None, 'qd has shape')])
def test_an_unfit_argument_is_named_with_what_was_expected(any_form, robot, value, words):
    dynamics = any_form(robot)
    for _ in range(2):
        with pytest.raises(kd.InputError, match=words):
            dynamics.inverse(np.zeros(3), value, np.zeros(3))
        dynamics.inverse(np.zeros(3), np.zeros(3), np.zeros(3))


def test_the_wrong_number_of_arguments_is_a_type_error_as_in_python(any_form, robot):
    dynamics, zeros = any_form(robot), np.zeros(3)
    for _ in range(2):
        for arguments, keywords in (((zeros, zeros), {}), ((zeros,) * 6, {}),
                                    ((zeros,) * 3, {'result': zeros}), ((), {})):
            with pytest.raises(TypeError, match='argument'):
                dynamics.inverse(*arguments, **keywords)
        dynamics.inverse(zeros, zeros, zeros)


def test_a_nan_that_comes_in_comes_out(any_form, robot):
    dynamics, (q, qd, qdd) = any_form(robot), state(robot, np.random.default_rng(85))
    for k, array in enumerate((q, qd, qdd)):
        spoiled = [np.array(x) for x in (q, qd, qdd)]
        spoiled[k][2] = np.nan
        assert np.isnan(dynamics.inverse(*spoiled)).any()
        assert np.isnan(dynamics.forward(*spoiled)).any()
        assert np.isnan(dynamics.inverse_many(*([x] for x in spoiled))).any()
    for bad in (np.inf, -np.inf):
        assert np.isnan(dynamics.gravity([bad, 0.0, 0.0])).any()
        assert np.isnan(dynamics.gravity_many([[bad, 0.0, 0.0]])).any()


MASKED = np.ma.masked_invalid([0.1, np.nan, 0.3])


def test_masked_arrays_are_refused_wherever_they_come_in(any_form, robot):
    # numpy.asarray would take what lies under the mask for numbers
    dynamics, zeros, rows = any_form(robot), np.zeros(3), np.zeros((1, 3))
    masked_wrench = np.ma.masked_equal([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1.0)
    for _ in range(2):                                     # the second call meets compiled code
        for call in (
                lambda: dynamics.inverse(zeros, MASKED, zeros),
                lambda: dynamics.forward(zeros, zeros, MASKED),
                lambda: dynamics.forward(zeros, zeros, MASKED, wrenches={'link_3': np.ones(6)}),
                lambda: dynamics.inverse(zeros, zeros, zeros, wrenches={'link_3': masked_wrench}),
                lambda: dynamics.inverse(zeros, zeros, zeros, base=np.ma.zeros(9)),
                lambda: dynamics.hybrid(zeros, zeros, MASKED),
                lambda: dynamics.inverse_many(rows, rows, np.ma.array(rows)),
                lambda: dynamics.frame_pose('link_3', MASKED),
                lambda: dynamics.rollout(zeros, zeros, MASKED, 1e-3, 2),
                lambda: dynamics.inverse(zeros, zeros, zeros, out=np.ma.zeros(3)),
                lambda: dynamics.gravity_many(rows, out=np.ma.zeros((1, 3))),
                lambda: dynamics.bind('gravity', np.ma.zeros(3), zeros)):
            with pytest.raises(kd.InputError, match='masked array'):
                call()
        dynamics.inverse(zeros, zeros, zeros)
        dynamics.forward(zeros, zeros, zeros)


# -- many samples, bound calls ----------------------------------------------------------------

@pytest.mark.parametrize('count', [0, 1, 7, 8, 63, 64, 65, 200, 1025])
def test_many_samples_are_the_samples_one_by_one(any_form, robot, count):
    dynamics, arrays = any_form(robot), state(robot, np.random.default_rng(86), count)
    for name in MANY:
        got = getattr(dynamics, f'{name}_many')(*arrays[:TAKES[name]])
        one = asked(dynamics, name, [np.ones(3)] * 3)
        assert got.shape == (count, *one.shape)
        rows = range(0, count, max(1, count // 20))
        for k in rows:
            expected = asked(dynamics, name, [array[k] for array in arrays])
            # the same operations; vectors may fuse others than scalars do
            np.testing.assert_allclose(got[k], expected, rtol=0,
                                       atol=1e-13 * (1.0 + np.abs(expected).max()))


def test_threads_share_the_rows_and_change_nothing(any_form, robot):
    dynamics, arrays = any_form(robot), state(robot, np.random.default_rng(87), 301)
    alone = dynamics.inverse_many(*arrays)
    for threads in (2, 3, 400):
        np.testing.assert_array_equal(dynamics.inverse_many(*arrays, threads=threads), alone)


def test_rows_may_be_filled_in_place_and_come_in_any_memory_order(any_form, robot):
    dynamics, (q, qd, qdd) = any_form(robot), state(robot, np.random.default_rng(88), 90)
    expected = dynamics.inverse_many(q, qd, qdd)
    out = np.empty((90, 3))
    assert dynamics.inverse_many(np.asfortranarray(q), qd[::-1][::-1], qdd.tolist(), out) is out
    np.testing.assert_array_equal(out, expected)
    assert dynamics.inverse_many(q, qd, qdd, out=q) is q
    np.testing.assert_array_equal(q, expected)


def overlapping(array, shape, shift):
    """Return copies of an array and of an output that lies `shift` numbers behind its start."""
    size = int(np.prod(shape))
    memory = np.zeros(2 * array.size + 2 * size)
    start = array.size + size
    inside = memory[start:start + array.size].reshape(array.shape)
    inside[:] = array
    out = memory[start + shift:start + shift + size].reshape(shape)
    assert np.shares_memory(inside, out)
    return inside, out


def shifts(array, out):
    """Return where an output may begin to overlap an input: at every number of a row and rows."""
    row, far = array.shape[-1], max(array.size, out.size)
    steps = {0, *range(1, row + 1), out[:1].size, 8 * row, 9 * row + 1, far // 2}
    return sorted({sign * step for step in steps for sign in (1, -1)
                   if (step < array.size if sign > 0 else step < out.size)})


FRAMED = {'frame_jacobian': 1, 'frame_velocity': 2, 'frame_acceleration': 3,
          'frame_deflection': 1}


@pytest.mark.parametrize('name', [*sorted(set(TAKES) - {'energy'}), *FRAMED])
def test_out_may_overlap_an_input_in_any_way(any_form, name):
    # a floating base: q, qd and results are of different lengths
    robot = tree('RP', [0, 0], 74, floating_base=True)
    dynamics, frame = any_form(robot), ('link_2',) if name in FRAMED else ()
    arrays = state(robot, np.random.default_rng(89))[:{**TAKES, **FRAMED}[name]]
    function = getattr(dynamics, name)
    expected = np.array(function(*frame, *arrays))
    for k, array in enumerate(arrays):
        for shift in shifts(array, expected):
            given = list(arrays)
            given[k], out = overlapping(array, expected.shape, shift)
            np.testing.assert_array_equal(function(*frame, *given, out=out), expected)
            given[k], out = overlapping(array, expected.shape, shift)
            dynamics.bind(name, *given, out, frame=frame[0] if frame else None)()
            np.testing.assert_array_equal(out, expected)


MANY_FRAMED = ('frame_jacobian', 'frame_acceleration')


def test_every_function_with_an_out_is_tried_with_overlaps():
    takes_out = {name for name, method in inspect.getmembers(kd.Dynamics, inspect.isfunction)
                 if 'out' in inspect.signature(method).parameters and not name.startswith('_')}
    assert takes_out == {*TAKES, *FRAMED, *(f'{name}_many' for name in (*MANY, *MANY_FRAMED))
                         } - {'energy'}


@pytest.mark.parametrize('name', [*MANY, *MANY_FRAMED])
def test_out_of_many_samples_may_overlap_an_input_in_any_way(any_form, name):
    # more rows than a block of either backend
    robot = tree('RP', [0, 0], 74, floating_base=True)
    dynamics, frame = any_form(robot), ('link_2',) if name in FRAMED else ()
    arrays = state(robot, np.random.default_rng(90), 1100)[:{**TAKES, **FRAMED}[name]]
    function = getattr(dynamics, f'{name}_many')
    expected = function(*frame, *arrays)
    for k, array in enumerate(arrays):
        for shift in shifts(array, expected):
            given = list(arrays)
            given[k], out = overlapping(array, expected.shape, shift)
            function(*frame, *given, out=out, threads=1 + shift % 3)
            np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize('arguments, words', [
    ((np.zeros((4, 3)), np.zeros((5, 3)), np.zeros((4, 3))), r'qd has shape \(5, 3\), expected '
                                                             r'\(4, 3\): a row per sample'),
    ((np.zeros((4, 2)),) * 3, r'q has shape \(4, 2\), expected \(4, 3\)'),
    ((np.zeros(3),) * 3, r'q has shape \(3,\), expected \(N, 3\)'),
    ((1.0, 2.0, 3.0), r'q has shape \(\), expected \(N, 3\)'),
    ((np.zeros((3, 9)),) * 3, r'q has shape \(3, 9\), expected .*; transpose it'),
    (('abc', np.zeros((1, 3)), np.zeros((1, 3))), 'q is not an array of numbers'),
    ((np.zeros((4, 3)),) * 3 + (np.zeros((4, 2)),), 'out has shape')])
def test_unfit_rows_are_refused(any_form, robot, arguments, words):
    with pytest.raises(kd.InputError, match=words):
        any_form(robot).inverse_many(*arguments)


def test_a_bound_step_reads_and_writes_its_arrays(any_form, robot):
    dynamics = any_form(robot)
    q, qd, qdd = (np.array(x) for x in state(robot, np.random.default_rng(89)))
    tau, M = np.empty(3), np.empty((3, 3))
    step, weigh = dynamics.bind('inverse', q, qd, qdd, tau), dynamics.bind('mass_matrix', q, M)
    for value in (0.1, -0.4):
        q[1] = value
        assert step() is None and weigh() is None
        np.testing.assert_array_equal(tau, dynamics.inverse(q, qd, qdd))
        np.testing.assert_array_equal(M, dynamics.mass_matrix(q))


def test_a_bound_step_keeps_its_arrays_and_code_alive(any_form, robot):
    tau = np.empty(3)
    expected = kd.Dynamics(robot).gravity(np.ones(3))
    step = any_form(robot, fresh=True).bind('gravity', np.ones(3), tau)
    MADE.clear()
    gc.collect()
    np.ones((1000, 3)) + np.zeros((1000, 3))               # what freed memory would be reused for
    step()
    np.testing.assert_allclose(tau, expected, rtol=1e-14)


@pytest.mark.parametrize('arrays, words', [
    ((np.zeros(3),) * 3, r"takes 3 input arrays \['q', 'qd', 'qdd'\] and the output array, got 3"),
    ((np.zeros(3), np.zeros(3), np.zeros(2), np.zeros(3)), r'qdd has shape \(2,\)'),
    ((np.zeros(3), [0.0] * 3, np.zeros(3), np.zeros(3)), 'qd must be a float64 numpy array'),
    ((np.zeros(3), np.zeros(3), np.zeros(3), FROZEN), 'the output is read-only'),
    ((np.zeros(6)[::2], np.zeros(3), np.zeros(3), np.zeros(3)), 'q must be contiguous')])
def test_arrays_that_cannot_be_bound_are_refused(any_form, robot, arrays, words):
    with pytest.raises(kd.InputError, match=words):
        any_form(robot).bind('inverse', *arrays)


# -- other arms, other places to run ----------------------------------------------------------

def test_a_parametric_arm_takes_payloads_and_gravity_without_compiling(any_form, robot):
    base = any_form(robot, parametric=True)
    arrays = state(robot, np.random.default_rng(90))
    for name in TAKES:
        np.testing.assert_allclose(asked(base, name, arrays),
                                   asked(kd.Dynamics(robot), name, arrays), rtol=0, atol=1e-12)
    compiled = set(base._kernels)
    loaded = robot.with_payload(2.0, (0.1, 0.0, 0.2), np.diag([0.1, 0.2, 0.2])).with_gravity(
        (0.0, 5.0, 0.0))
    other = base.with_robot(loaded)
    for name in TAKES:
        np.testing.assert_allclose(asked(other, name, arrays),
                                   asked(kd.Dynamics(loaded), name, arrays), rtol=0, atol=1e-12)
    assert other._kernels is base._kernels and set(other._kernels) == compiled
    np.testing.assert_allclose(asked(base, 'inverse', arrays),     # the first one is what it was
                               asked(kd.Dynamics(robot), 'inverse', arrays), rtol=0, atol=1e-12)


@pytest.mark.parametrize('other, words', [
    (chain('RP', 71), r"joints \['joint_0', 'joint_1'\] are not the compiled"),
    (chain('RPC', 91), 'sit elsewhere'), (chain('RPR', 71, floating_base=True), 'sit elsewhere')])
def test_compiled_code_is_not_run_for_another_geometry(robot, other, words):
    with pytest.raises(kd.InputError, match=words):
        kd.Dynamics(robot, parametric=True).with_robot(other)


def test_other_rotors_need_other_code():
    from dataclasses import replace
    robot = chain('RR', 92)
    geared = replace(robot, joints=[replace(joint, armature=0.1) for joint in robot.joints])
    with pytest.raises(kd.InputError, match='other rotors'):
        kd.Dynamics(robot, parametric=True).with_robot(geared)
    np.testing.assert_allclose(kd.Dynamics(robot).with_robot(geared).mass_matrix([0.1, 0.2]),
                               kd.Dynamics(robot).mass_matrix([0.1, 0.2]) + 0.1 * np.eye(2),
                               rtol=1e-15)


@pytest.mark.parametrize('parametric', [False, True])
def test_a_payload_is_a_heavier_last_link(robot, parametric):
    dynamics = kd.Dynamics(robot, parametric=parametric)
    point = dynamics.with_payload(2.0, (0.1, 0.2, 0.3))
    q, qd, qdd = state(robot, np.random.default_rng(93))
    extra = point.gravity(q) - dynamics.gravity(q)
    R, p = dynamics.frame_pose('link_3', q)
    J = dynamics.frame_jacobian('link_3', q)
    arm = R @ np.array([0.1, 0.2, 0.3])
    weight = 2.0 * robot.gravity
    expected = -J.T @ np.concatenate([weight, np.cross(arm, weight)])
    np.testing.assert_allclose(extra, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    assert point.robot.total_mass == pytest.approx(robot.total_mass + 2.0)


def test_dynamics_travel_in_pickles_and_copies(any_form, robot):
    friction = kd.Friction(viscous=[1.0] * 3, coulomb=[2.0] * 3)
    dynamics = any_form(robot, friction=friction, parametric=True)
    arrays = state(robot, np.random.default_rng(94))
    expected = asked(dynamics, 'inverse', arrays)
    for twin in (pickle.loads(pickle.dumps(dynamics)), copy.deepcopy(dynamics),
                 copy.copy(dynamics)):
        assert twin.backend == dynamics.backend and twin.parametric
        np.testing.assert_array_equal(asked(twin, 'inverse', arrays), expected)


def test_threads_that_ask_first_at_the_same_time_all_get_the_answer(any_form, robot):
    dynamics, arrays = any_form(robot, fresh=True), state(robot, np.random.default_rng(95))
    expected = {name: asked(kd.Dynamics(robot), name, arrays) for name in TAKES}
    start, wrong = Barrier(8), []

    def ask():
        start.wait()
        for _ in range(20):
            for name in TAKES:
                got = asked(dynamics, name, arrays)
                if not np.allclose(got, expected[name], rtol=1e-13, atol=1e-13):
                    wrong.append((name, got))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_llvmlite_everything_runs_in_python(robot, monkeypatch):
    for name in [name for name in sys.modules if name.split('.')[0] == 'llvmlite']:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, 'kane_dynamics.codegen.llvm', raising=False)
    monkeypatch.setitem(sys.modules, 'llvmlite', None)
    dynamics = kd.Dynamics(robot)
    assert dynamics.backend == 'python' and "backend='python'" in repr(dynamics)
    q, qd, qdd = state(robot, np.random.default_rng(96))
    np.testing.assert_allclose(dynamics.forward(q, qd, dynamics.inverse(q, qd, qdd)), qdd,
                               rtol=0, atol=1e-11)
    with pytest.raises(kd.MissingDependencyError, match='pip install llvmlite'):
        kd.Dynamics(robot, backend='llvm')


def test_memory_of_arms_and_results_is_given_back(robot):
    dynamics = kd.Dynamics(robot)
    q = np.ones(3)
    out = np.empty(3)
    dynamics.gravity(q)
    held, references = sys.getrefcount(out), sys.getrefcount(q)
    for _ in range(1000):
        dynamics.gravity(q)
        dynamics.gravity(q, out)
        dynamics.gravity(q, out=out)
        with pytest.raises(kd.InputError):
            dynamics.gravity(q[:2])
    assert sys.getrefcount(out) == held and sys.getrefcount(q) == references
    # engines are freed once each: a second free would end this process
    for _ in range(3):
        kd.Dynamics(robot).prepare('gravity').gravity_many(np.zeros((2, 3)))
        gc.collect()


# -- words ------------------------------------------------------------------------------------

def test_compiled_functions_explain_themselves(robot):
    dynamics = kd.Dynamics(robot)
    dynamics.inverse(np.zeros(3), np.zeros(3), np.zeros(3))
    dynamics.inverse(np.zeros(3), np.zeros(3), np.zeros(3))
    assert list(inspect.signature(dynamics.inverse).parameters)[:4] == ['q', 'qd', 'qdd', 'out']
    assert 'Return the torques' in dynamics.inverse.__doc__
    np.testing.assert_array_equal(
        dynamics.inverse(q=np.zeros(3), qd=np.zeros(3), qdd=np.zeros(3)),
        dynamics.inverse(np.zeros(3), np.zeros(3), np.zeros(3)))


@pytest.mark.parametrize('call, words', [
    (lambda d: d.frame_pose('tool', np.zeros(3)), r"no link or frame 'tool' in 'random_71'; "
                                                  r"there are \['link_0', 'link_1'"),
    (lambda d: d.frame_pose(np.zeros(3), 'link_1'), 'frame_pose: the name of a link .* ndarray'),
    (lambda d: d.operation_count('torque'), r"no function 'torque'; there are \['bias'"),
    (lambda d: d.bind('torque'), "no function 'torque'"),
    (lambda d: d.inverse_many(*[np.zeros((1, 3))] * 3, threads=0), 'at least 1, got 0'),
    (lambda d: d.inverse_many(*[np.zeros((1, 3))] * 3, threads=2.5),
     'inverse_many: threads must be a whole number of at least 1, got 2.5'),
    (lambda d: d.gravity_many(np.zeros((1, 3)), threads=None), 'threads must be .* got None'),
    (lambda d: d.rollout(*[np.zeros(3)] * 3, 1e-3, 2.5), 'steps must be a whole number .* 2.5'),
    (lambda d: d.rollout(*[np.zeros(3)] * 3, 1e-3, -1), 'steps must be .* at least 0, got -1'),
    (lambda d: d.stepper(1e-3, free=np.ones(2)), r'free has shape \(2,\), expected \(3,\)'),
    (lambda d: d.stepper(1e-3, free=[1, 1, 1]), 'free must be a float64 numpy array, got list'),
    (lambda d: d.forward(*[np.zeros(3)] * 2, 1.0, wrenches={'link_3': np.ones(6)}),
     r'forward: tau has shape \(\), expected \(3,\)'),
    (lambda d: d.with_payload(2.0, link='link_3'), r'com is missing, the mass centre \(3,\)'),
    (lambda d: d.robot.with_payload(2.0), r'com is missing, the mass centre \(3,\)'),
    (lambda d: d.inverse(*[np.zeros(3)] * 3, wrenches={'link_3': [1.0]}), r'\(6,\): force, then'),
    (lambda d: d.inverse(*[np.zeros(3)] * 3, wrenches={'x': np.zeros(6)}), "no link or frame 'x'"),
    (lambda d: kd.Dynamics(d.robot, backend='gpu'), r"'gpu' is unknown; there are \['auto'"),
    (lambda d: kd.Dynamics('arm.urdf'), 'needs a Robot, got str; make one with kane_dynamics'),
    (lambda d: kd.Dynamics(d.robot, kd.Friction([1.0], [1.0])), 'friction is for 1 joints')])
def test_a_mistake_is_named_with_a_way_out(robot, call, words):
    with pytest.raises(kd.InputError, match=words):
        call(kd.Dynamics(robot))


def test_preparing_returns_the_arm_ready(robot):
    dynamics = kd.Dynamics(robot)
    assert dynamics.prepare('inverse', 'gravity') is dynamics
    assert set(dynamics._kernels) == {('inverse', None), ('gravity', None)}
    assert repr(dynamics) == f"Dynamics('random_71', nv=3, backend={dynamics.backend!r})"
