# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Generated code: the same results in every language, few operations, no foreign text."""

import ast
from concurrent.futures import ThreadPoolExecutor
import ctypes
import io
from pathlib import Path
import re
import runpy
import shutil
import subprocess
import tokenize
from typing import get_args

from example_robots import example_urdf
import numpy as np
import pytest
from random_arms import chain, state, tree

from kane_dynamics import Dynamics, KaneDynamicsWarning, load_urdf, ModelError
from kane_dynamics.codegen import llvm_batch, llvm_text
from kane_dynamics.codegen.c99 import c99_source
from kane_dynamics.codegen.llvm import compiled, LlvmKernel
from kane_dynamics.codegen.lump import lump
from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.python import python_source, PythonKernel
from kane_dynamics.codegen.python_module import python_module
from kane_dynamics.codegen.reframe import reframe
from kane_dynamics.dynamics import compiled_functions
from kane_dynamics.dynamics.programs import elastic as elastic_programs
from kane_dynamics.dynamics.programs.body import FRAME_FUNCTIONS
from kane_dynamics.dynamics.programs.registry import FunctionName, PROGRAMS
from kane_dynamics.dynamics.programs.step import METHODS, StepMethod
from kane_dynamics.kane.scalar import cos, sin

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parents[1] / 'golden'
FRAMES = ('frame_pose', 'frame_jacobian', 'frame_velocity', 'frame_acceleration')
ARM = tree('RPCR', [0, 1, 2, 1], 101, (1.0, 2.0, -9.0), armature=True,
           mimics={3: (0, 0.5, 0.2)})

GCC = ['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic']
needs_gcc = pytest.mark.skipif(shutil.which('gcc') is None, reason='gcc is not installed')


@pytest.fixture(scope='module')
def programs():
    """Return all programs of an arm with branches, a slider, a mimic and rotors: a rigid one."""
    dynamics = Dynamics(ARM, backend='python')
    names = [name for name in PROGRAMS if name not in elastic_programs.PROGRAMS]
    return [*(dynamics.program(name) for name in names),
            *(dynamics.program(name, 'link_4') for name in FRAMES)]


def inputs_of(program, rng, count=None):
    """Return random input arrays; times are short and positive."""
    shape = () if count is None else (count,)
    return [np.abs(rng.uniform(0.001, 0.01, each.size)) if each.name == 'dt'
            else rng.uniform(-2.0, 2.0, (each.size,) if each.shared else (*shape, each.size))
            for each in program.inputs]


def filled(kernel, arrays):
    out = np.full(len(kernel.program.outputs), np.nan)
    kernel.fill(arrays, out)
    return out


def close(got, expected):
    # the same operations but for fused ones, and another sine: round-off of the largest entry
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * (1 + np.abs(expected).max()))


# -- the same in every language ---------------------------------------------------------------

def test_machine_code_computes_what_python_computes(programs):
    rng = np.random.default_rng(1)
    for program in programs:
        arrays = inputs_of(program, rng)
        close(filled(LlvmKernel(program), arrays), filled(PythonKernel(program), arrays))


@pytest.mark.parametrize('kernel_class', [PythonKernel, LlvmKernel])
def test_batches_compute_what_single_calls_compute(programs, kernel_class):
    rng = np.random.default_rng(2)
    for program in programs:
        kernel = kernel_class(program)
        arrays = inputs_of(program, rng, 70)
        out = np.full((70, len(program.outputs)), np.nan)
        kernel.fill_many(arrays, out)
        for row in (0, 5, 63, 64, 69):
            one = [array if each.shared else array[row]
                   for each, array in zip(program.inputs, arrays)]
            close(out[row], filled(kernel, one))


def test_an_exported_module_computes_what_python_computes(programs, tmp_path):
    path = tmp_path / 'arm.py'
    path.write_text(python_module(programs, ARM), encoding='ascii')
    module = runpy.run_path(str(path))
    rng = np.random.default_rng(3)
    for program in programs:
        arrays = inputs_of(program, rng)
        got = np.array(module[program.name](*(array.tolist() for array in arrays)))
        assert got.shape == program.shape
        np.testing.assert_array_equal(got.reshape(-1), filled(PythonKernel(program), arrays))
    assert module['JOINT_NAMES'] == ARM.joint_names
    assert (module['NQ'], module['NV']) == (ARM.nq, ARM.nv)
    with pytest.raises(ValueError, match='unpack'):
        module['gravity']([0.0] * (ARM.nq + 1))


@needs_gcc
def test_c_computes_what_python_computes_and_may_write_over_its_inputs(programs, tmp_path):
    header, source = c99_source(programs, ARM)
    (tmp_path / 'arm.h').write_text(header, encoding='ascii')
    (tmp_path / 'arm.c').write_text(source, encoding='ascii')
    subprocess.run([*GCC, '-O1', '-shared', '-fPIC', 'arm.c', '-o', 'arm.so', '-lm'],
                   cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / 'arm.so'))
    rng = np.random.default_rng(4)
    for program in programs:
        function = getattr(library, f'arm_{program.name}')
        arrays = inputs_of(program, rng)
        expected = filled(PythonKernel(program), arrays)
        out = np.full(len(program.outputs), np.nan)
        function(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, out)))
        # gcc fuses nothing and calls the same libm: the same operations in the same order
        np.testing.assert_allclose(out, expected, rtol=1e-14, atol=1e-14 * np.abs(expected).max())
        if len(expected) <= arrays[0].size:
            place = arrays[0][:len(expected)]
            function(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, place)))
            np.testing.assert_array_equal(place, out)


@pytest.mark.parametrize('kernel_class', [PythonKernel, LlvmKernel])
def test_a_result_may_lie_where_an_input_does(kernel_class):
    # each output is an input at another index: writing early would spoil what is read late
    program = record('turn', [Input('x', 3)], lambda x: [x[2], x[0], x[1] + x[0]], (3,))
    x = np.array([1.0, 2.0, 3.0])
    kernel_class(program).fill([x], x)
    np.testing.assert_array_equal(x, [3.0, 1.0, 3.0])


def test_threads_that_share_a_kernel_do_not_disturb_each_other():
    dynamics = Dynamics(ARM)
    states = state(ARM, np.random.default_rng(5), 200)
    expected = np.array([dynamics.inverse(*row) for row in zip(*states)])
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            got = list(pool.map(lambda row: dynamics.inverse(*row), zip(*states)))
            np.testing.assert_array_equal(got, expected)


# -- the sine that vectorizes -----------------------------------------------------------------

@pytest.fixture(scope='module')
def sine_and_cosine():
    """Return a function of (N,) angles: sines and cosines by the compiled code."""
    program = record('pair', [Input('x', 1)], lambda x: [sin(x[0]), cos(x[0])], (2,))
    kernel = LlvmKernel(program)
    # five angles of one sample: four in a vector and one alone
    five = LlvmKernel(record('five', [Input('x', 5)], lambda x: [
        each for angle in x for each in (sin(angle), cos(angle))], (5, 2)))

    def evaluate(angles):
        out = np.empty((len(angles), 2))
        kernel.fill_many([np.ascontiguousarray(angles).reshape(-1, 1)], out)
        together = np.empty((5, 2))
        for k in range(0, len(angles) - 4, max(1, len(angles) // 50)):
            five.fill([angles[k:k + 5]], together)
            np.testing.assert_array_equal(together, out[k:k + 5])
        return out.T
    return evaluate


@pytest.mark.parametrize('reach', [1.0, 10.0, 1e3, 1e6, 1.5e6, 1e8, 1e15, 1e18, 1e22, 1e300])
def test_sine_and_cosine_are_right_to_the_last_digit_or_so(sine_and_cosine, reach):
    angles = np.random.default_rng(6).uniform(-reach, reach, 20000)
    quarters = np.round(angles[:2000] / (np.pi / 2)) * (np.pi / 2)   # where one of them vanishes
    angles = np.concatenate([angles, quarters, np.nextafter(quarters, np.inf)])
    sine, cosine = sine_and_cosine(angles)
    exact_sine, exact_cosine = np.sin(np.longdouble(angles)), np.cos(np.longdouble(angles))
    # absolute: what is lost near a zero of the sine is the round-off of the angle itself
    assert np.abs(sine - exact_sine).max() < 2.5e-16
    assert np.abs(cosine - exact_cosine).max() < 2.5e-16
    assert np.abs(sine**2 + cosine**2 - 1.0).max() < 5e-16


def test_sine_and_cosine_need_no_fused_products():
    program = record('pair', [Input('x', 1)], lambda x: [sin(x[0]), cos(x[0])], (2,))
    engine = compiled(llvm_text.sample_function(program).replace(' contract ', ' '))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        engine.get_function_address('sample'))
    angles = np.random.default_rng(9).uniform(-1.2e6, 1.2e6, 20000)
    out = np.empty((len(angles), 2))
    for angle, row in zip(angles, out):
        function(angle[None].ctypes.data, row.ctypes.data)
    exact = np.array([np.sin(np.longdouble(angles)), np.cos(np.longdouble(angles))]).T
    assert np.abs(out - exact).max() < 2.5e-16


def test_far_angles_leave_near_ones_beside_them_as_they_are(sine_and_cosine):
    rng = np.random.default_rng(7)
    near = rng.uniform(-4.0, 4.0, 400)
    mixed = np.where(rng.random(400) < 0.3, near * 10.0**rng.uniform(6, 300, 400), near)
    expected = np.array([np.sin(np.longdouble(mixed)), np.cos(np.longdouble(mixed))], float)
    np.testing.assert_allclose(sine_and_cosine(mixed), expected, rtol=0, atol=2.5e-16)
    kept = mixed == near
    assert 0 < kept.sum() < 400
    np.testing.assert_array_equal(np.array(sine_and_cosine(mixed))[:, kept],
                                  np.array(sine_and_cosine(near))[:, kept])


@needs_gcc
def test_all_languages_agree_wherever_a_joint_has_turned_to(tmp_path):
    dynamics = Dynamics(load_urdf(ROOT / 'urdf' / 'six_axis.urdf'))
    program = dynamics.program('inverse')
    rng = np.random.default_rng(8)
    q, qd, qdd = rng.uniform(-3.0, 3.0, (3, 60, 6))
    q *= 10.0**rng.integers(0, 23, (60, 6))
    header, source = c99_source([program], dynamics.robot)
    (tmp_path / 'arm.h').write_text(header)
    (tmp_path / 'arm.c').write_text(source)
    subprocess.run([*GCC, '-O1', '-shared', '-fPIC', 'arm.c', '-o', 'arm.so', '-lm'],
                   cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / 'arm.so')).arm_inverse
    (tmp_path / 'arm.py').write_text(python_module([program], dynamics.robot))
    exported = runpy.run_path(str(tmp_path / 'arm.py'))['inverse']
    python, out = Dynamics(dynamics.robot, backend='python'), np.empty(6)
    many, columns = dynamics.inverse_many(q, qd, qdd), python.inverse_many(q, qd, qdd)
    for k, row in enumerate(zip(q, qd, qdd)):
        function(*(ctypes.c_void_p(array.ctypes.data) for array in (*row, out)))
        expected = python.inverse(*row)
        size = np.abs(expected).max()
        for found in (out, exported(*row), dynamics.inverse(*row), many[k], columns[k]):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * size)


def test_sine_and_cosine_of_no_number_are_no_numbers(sine_and_cosine):
    sine, cosine = sine_and_cosine(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]))
    assert np.isnan(sine[:3]).all() and np.isnan(cosine[:3]).all()
    np.testing.assert_array_equal(sine[3:], 0.0)
    np.testing.assert_array_equal(cosine[3:], 1.0)


def test_machine_code_lets_a_nan_through_every_operation():
    for operation in (lambda x: x + 1.0, lambda x: x * x, lambda x: 1.0 - x, lambda x: 1.0 / x,
                      lambda x: x.sqrt(), lambda x: -x, sin, cos, lambda x: x - x * 1.5):
        kernel = LlvmKernel(record('f', [Input('x', 1)], lambda x: [operation(x[0])], (1,)))
        assert np.isnan(filled(kernel, [np.array([np.nan])])).all()


# -- few operations ---------------------------------------------------------------------------

@pytest.mark.parametrize('n', [3, 6, 7, 10, 20, 30])
@pytest.mark.parametrize('seed', [111, 112])
def test_a_general_arm_of_n_revolute_joints_takes_86_n_less_121_products(n, seed):
    arm = chain('R' * n, seed, gravity=(1.0, -2.0, -9.0))
    count = Dynamics(arm, backend='python').program('inverse').operation_count
    # Angeles, Ma and Rojas 1989, (58) and (59): 105 n - 109 and 90 n - 105
    assert (count.mul, count.add) == (86 * n - 121, 75 * n - 114)
    assert count.div == count.sqrt == 0 and count.sincos == n


def test_the_first_angle_counts_only_when_gravity_sees_it():
    aslant = chain('RRR', 113, gravity=(1.0, -2.0, -9.0))
    count = Dynamics(aslant, backend='python').program('inverse').operation_count
    free = Dynamics(aslant.with_gravity((0, 0, 0)), backend='python').program('inverse')
    assert free.operation_count.mul < count.mul
    assert free.operation_count.sincos == 2


def test_ur5_takes_no_more_than_153_products_and_131_sums():
    dynamics = Dynamics(load_urdf(example_urdf('ur5_robot.urdf')), backend='python')
    count = dynamics.program('inverse').operation_count
    assert count.mul <= 153 and count.add <= 131


def test_forward_dynamics_of_a_long_chain_grows_linearly():
    counts = [Dynamics(chain('R' * n, 114), backend='python').program('forward').operation_count
              for n in (20, 30, 40)]
    products, sums = [c.mul for c in counts], [c.add for c in counts]
    assert products[2] - products[1] == products[1] - products[0]
    assert sums[2] - sums[1] == sums[1] - sums[0]
    assert counts[2].div == 39                             # a pivot a joint, the tip's is known


def test_a_short_arm_is_solved_by_the_shorter_of_two_methods():
    from kane_dynamics.dynamics.programs import torque as torque_programs
    for kinds in ('RRR', 'R' * 6, 'R' * 10):
        arm = Dynamics(chain(kinds, 115), backend='python')._arm
        recursive = arm.record('f', ('q', 'u', 'tau'), torque_programs._recursively(arm),
                               (arm.nv,)).operation_count
        by_matrix = arm.record('f', ('q', 'u', 'tau'), arm.accelerations,
                               (arm.nv,)).operation_count
        chosen = torque_programs.forward(arm, 'forward').operation_count
        assert chosen.mul + chosen.add == min(recursive.mul + recursive.add,
                                              by_matrix.mul + by_matrix.add)


def test_short_frames_leave_one_angle_of_a_constant_rotation():
    short = reframe(chain('RRRRRR', 116).tree)
    for body in short.bodies[1:]:
        # modified Denavit-Hartenberg: R_PB = Rx(alpha) Rz(theta), the origin on x
        np.testing.assert_allclose(body.C[0], [1.0, 0.0, 0.0], atol=1e-15)
        np.testing.assert_allclose(body.C[:, 0], [1.0, 0.0, 0.0], atol=1e-15)


def test_quarter_turns_are_exact_and_free():
    from kane_dynamics import from_dh
    solid = (1.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4]))
    arm = from_dh([(0.0, 0.0, 0.3, 0.0), (np.pi / 2, 0.1, 0.0, np.pi / 2),
                   (0.0, 0.5, 0.0, -np.pi / 2)], inertials=[solid] * 3)
    for body in reframe(arm.tree).bodies[:2]:
        assert set(np.abs(body.C).ravel()) == {0.0, 1.0}
        assert body.offset == 0.0


def test_what_a_joint_cannot_feel_is_moved_to_its_parent():
    reduced = lump(reframe(chain('RPR', 117).tree))
    for body in reduced.bodies:
        if body.kind == 'revolute':
            assert body.m == body.h[2] == body.S[2, 2] == 0.0
        else:
            assert not body.S.any()


# -- only ours --------------------------------------------------------------------------------

HOSTILE = 'a]=1,(b)|#define[c]//@:d+e-f'


def renamed(text):
    """Return an arm whose names are as bad as the loader lets through."""
    return load_urdf(text.replace('"two_link"', f'"{HOSTILE}"').replace(
        '"shoulder"', f'"{HOSTILE}"').replace('"forearm"', f'"x{HOSTILE}"'))


def test_generated_text_has_no_word_that_is_not_ours():
    ours = re.compile(r'(z|q|u|ud|tau|base|p|x|dt|ud_joints)\d+\Z')
    for name in ('inverse', 'forward', 'mass_matrix', 'energy'):
        text = python_source(Dynamics(renamed((ROOT / 'urdf/two_link.urdf').read_text()))
                             .program(name))
        words = {token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                 if token.type == tokenize.NAME}
        assert {word for word in words if not ours.match(word)} <= {
            'def', 'return', 'sin', 'cos', 'sqrt', name}


def test_exported_python_is_the_same_code_whatever_the_names_are():
    text = (ROOT / 'urdf/two_link.urdf').read_text()
    modules = []
    for robot in (load_urdf(text), renamed(text)):
        dynamics = Dynamics(robot, backend='python')
        module = ast.parse(python_module([dynamics.program('inverse')], robot))
        assert ast.literal_eval(module.body[2].value) == robot.joint_names
        modules.append(ast.dump(ast.Module(module.body[3:], [])))
    assert modules[0] == modules[1]


@needs_gcc
def test_exported_c_is_the_same_code_whatever_the_names_are(tmp_path):
    text = (ROOT / 'urdf/two_link.urdf').read_text()
    bare = []
    for robot in (load_urdf(text), renamed(text)):
        dynamics = Dynamics(robot, backend='python')
        header, source = c99_source([dynamics.program('inverse')], robot)
        assert all(ord(letter) < 128 for letter in header + source)
        (tmp_path / 'arm.h').write_text(header)
        (tmp_path / 'arm.c').write_text(source)
        done = subprocess.run([*GCC, '-E', '-P', 'arm.c'], cwd=tmp_path, capture_output=True,
                              text=True, check=True)
        bare.append(done.stdout[done.stdout.index('void arm_inverse'):])
    assert bare[0] == bare[1]


def test_machine_code_text_holds_no_name_of_the_robot():
    robot = renamed((ROOT / 'urdf/two_link.urdf').read_text())
    program = Dynamics(robot).program('inverse')
    text = llvm_text.sample_function(program) + llvm_batch.batch_functions(program, 0)
    assert HOSTILE not in text and 'define[c]' not in text and '//' not in text


def test_numbers_that_leave_the_range_are_refused_by_name():
    with pytest.raises(ModelError, match='f: products of masses and lengths leave the range'):
        record('f', [Input('x', 1)], lambda x: [x[0] * 1e200 * 1e200], (1,))


def test_each_engine_frees_its_own_machine():
    # two engines on one target machine would free it twice, which ends the process
    program = record('f', [Input('x', 1)], lambda x: [x[0] + 1.0], (1,))
    text = llvm_text.sample_function(program)
    for _ in range(3):
        engine = compiled(text)
        assert engine.get_function_address('sample') != 0
        del engine


# -- kept texts -------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ['two_link.py.txt', 'two_link.c', 'two_link.h', 'two_link.ll'])
def test_the_generated_code_of_a_small_arm_is_what_it_was(name, request):
    dynamics = Dynamics(load_urdf(ROOT / 'urdf' / 'two_link.urdf'), backend='python')
    programs = [dynamics.program(each) for each in ('inverse', 'mass_matrix', 'gravity')]
    header, source = c99_source(programs, dynamics.robot, 'two_link')
    text = {'two_link.py.txt': python_module(programs, dynamics.robot), 'two_link.h': header,
            'two_link.c': source,
            'two_link.ll': llvm_text.sample_function(programs[0]) + '\n'}[name]
    path = GOLDEN / name
    if request.config.getoption('--update-golden'):
        path.write_text(text, encoding='ascii')
    assert path.read_text(encoding='ascii') == text, (
        f'pytest --update-golden {Path(__file__).name} rewrites it: look at the difference')


def test_the_types_of_names_list_all_functions_and_methods():
    assert {*get_args(FunctionName)} == {*PROGRAMS, *FRAME_FUNCTIONS}
    assert {*get_args(StepMethod)} == {*METHODS}


# -- very long arms ---------------------------------------------------------------------------

@pytest.mark.parametrize('joints, backend, warns', [
    (70, 'llvm', True), (70, 'python', False), (20, 'llvm', False)])
def test_long_compilation_is_announced_with_its_size(joints, backend, warns, monkeypatch, recwarn):
    # before the compiler starts, which is not run here
    monkeypatch.setattr(compiled_functions, 'kernel_class', lambda backend: PythonKernel)
    arm = Dynamics(chain('R' * joints, 80), backend=backend)
    count = arm.operation_count('forward')
    messages = [str(each.message) for each in recwarn if each.category is KaneDynamicsWarning]
    assert [str(count.mul + count.add + count.div) in each for each in messages] == [True] * warns
    assert all("forward of 'random_80'" in each and "backend='python'" in each
               for each in messages)
