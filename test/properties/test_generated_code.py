# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of generated arms compute the same in every language; `out` may overlap anything."""

import ctypes
from functools import lru_cache
from pathlib import Path
import shutil
import subprocess
import tempfile

from direct_dynamics import DirectDynamics, interpreted
from generated_arms import arms, holds_for
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from random_arms import chain
from test_equations_of_motion import close, ROUND_OFF, size_of_inverse, size_of_terms

import kane_dynamics as kd
from kane_dynamics.codegen.c99 import c99_source
from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.codegen.python_module import python_module
from kane_dynamics.dynamics.programs.registry import program
from kane_dynamics.dynamics.recorded_arm import RecordedArm

FUNCTIONS = {'inverse': 3, 'mass_matrix': 1, 'energy': 2, 'reactions': 3, 'forward': 3,
             'gravity': 1, 'bias': 2, 'momentum': 2}


def filled(kernel, arrays):
    """Return what a kernel computes."""
    out = np.empty(kernel.program.shape)
    kernel.fill(arrays, out.reshape(-1))
    return out


def chosen(arm, names=tuple(FUNCTIONS)):
    """Return the name of a function, its arguments and the size of its terms."""
    q, qd, qdd = arm.state
    name = names[arm.rng.integers(len(names))]
    direct = DirectDynamics(arm.robot, arm.friction)
    size = max(1.0, size_of_terms(direct, q, qd, qdd))
    if name == 'forward':       # of a torque that some acceleration needs
        qdd = direct.inverse(q, qd, qdd)
        size *= size_of_inverse(direct.mass_matrix(q))
    return name, (q, qd, qdd)[:FUNCTIONS[name]], size, direct


@holds_for(most_joints=2, truncated=True)
def test_recorded_programs_compute_what_the_equations_do(arm):
    # recording folds constants and shares expressions: none of that changes a value
    name, arguments, size, direct = chosen(arm)
    if ROUND_OFF * size < 0.1:
        recorded = program(RecordedArm(arm.robot, arm.friction), name)
        close(interpreted(recorded, *arguments).ravel(),
              np.ravel(getattr(direct, name)(*arguments)), 10.0 * ROUND_OFF * size, name)


@holds_for(most_joints=2, truncated=True)
def test_python_text_and_module_compute_the_recorded_program(arm):
    name, arguments, size, _ = chosen(arm)
    if not np.isfinite(size):
        return
    recorded = program(RecordedArm(arm.robot, arm.friction), name)
    expected = interpreted(recorded, *arguments)
    np.testing.assert_array_equal(filled(PythonKernel(recorded), arguments), expected)
    module = {}
    exec(python_module([recorded], arm.robot), module)     # generated names and numbers only
    np.testing.assert_array_equal(
        np.reshape(module[name](*(x.tolist() for x in arguments)), recorded.shape), expected)


@holds_for(most_joints=1, truncated=True)
def test_machine_code_computes_the_recorded_program(arm):
    pytest.importorskip('llvmlite')
    from kane_dynamics.codegen.llvm import LlvmKernel
    name, arguments, size, _ = chosen(arm, ('inverse', 'mass_matrix', 'energy'))
    recorded = program(RecordedArm(arm.robot, arm.friction), name)
    expected = interpreted(recorded, *arguments)
    kernel = LlvmKernel(recorded)
    close(filled(kernel, arguments), expected, ROUND_OFF * size, name)
    if arm.seed % 4 == 0:       # the loop over rows is compiled by itself
        rows = [np.array([x, x, x]) for x in arguments]
        many = np.empty((3, expected.size))
        kernel.fill_many(rows, many, 1)
        close(many, [expected.ravel()] * 3, ROUND_OFF * size, f'{name}_many')


@pytest.mark.skipif(shutil.which('gcc') is None, reason='gcc is not installed')
@settings(max_examples=8)       # of 25 arms: one run of gcc takes longer than an arm
@given(st.lists(arms(most_joints=1, truncated=True), min_size=25, max_size=25))
def test_exported_c_computes_the_recorded_program(some):
    with tempfile.TemporaryDirectory() as folder:
        folder, cases = Path(folder), []
        for k, arm in enumerate(some):
            name, arguments, size, _ = chosen(arm, ('inverse', 'mass_matrix'))
            recorded = program(RecordedArm(arm.robot, arm.friction), name)
            header, source = c99_source([recorded], arm.robot, f'arm{k}')
            (folder / f'arm{k}.h').write_text(header)
            (folder / f'arm{k}.c').write_text(source)
            cases.append((f'arm{k}_{name}', recorded, arguments, size))
        (folder / 'all.c').write_text(''.join(f'#include "arm{k}.c"\n' for k in range(len(some))))
        subprocess.run(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-O0',
                        '-shared', '-fPIC', 'all.c', '-o', 'all.so', '-lm'], cwd=folder,
                       check=True)
        library = ctypes.CDLL(str(folder / 'all.so'))
        for name, recorded, arguments, size in cases:
            out = np.empty(recorded.shape)
            getattr(library, name)(*(ctypes.c_void_p(x.ctypes.data) for x in (*arguments, out)))
            close(out, interpreted(recorded, *arguments), ROUND_OFF * size, name)


# ---- overlapping arrays ---------------------------------------------------------------------

OVERLAPPING = {'inverse': 'qvv', 'forward': 'qvv', 'bias': 'qv', 'gravity': 'q',
               'mass_matrix': 'q', 'inverse_derivatives': 'qvv', 'regressor': 'qvv',
               'reactions': 'qvv', 'momentum': 'qv', 'mass_centre': 'q', 'frame_jacobian': 'q',
               'frame_velocity': 'qv', 'frame_acceleration': 'qvv', 'frame_deflection': 'q'}


@lru_cache
def small_arm(backend, floating, parametric):
    """Return the Dynamics of a small arm, compiled once."""
    return kd.Dynamics(chain('RP', 5, floating_base=floating), backend=backend,
                       parametric=parametric)


@given(name=st.sampled_from(sorted(OVERLAPPING)), floating=st.booleans(),
       backend=st.sampled_from(['llvm', 'python']), parametric=st.booleans(),
       many=st.booleans(), again=st.booleans(), seed=st.integers(0, 2**16),
       offsets=st.tuples(*[st.integers(0, 12)] * 4))
def test_out_may_overlap_the_inputs_in_any_way(name, floating, backend, parametric, many, again,
                                               seed, offsets):
    dynamics = small_arm(backend, floating, parametric)
    sizes = [dynamics.robot.nq if kind == 'q' else dynamics.robot.nv for kind in OVERLAPPING[name]]
    frame = ['link_2'] if name.startswith('frame') else []
    many = many and hasattr(dynamics, f'{name}_many')
    call = getattr(dynamics, f'{name}_many' if many else name)
    rows = 3 if many else 1
    memory = np.random.default_rng(seed).normal(size=2000)
    inputs = [memory[at:at + rows * size] for at, size in zip(offsets, sizes)]
    inputs = [x.reshape(rows, -1) if many else x for x in inputs]
    expected = call(*frame, *(x.copy() for x in inputs))
    out = memory[offsets[3]:offsets[3] + expected.size].reshape(expected.shape)
    if again:           # the compiled entry replaces the method after its first call
        call = getattr(dynamics, f'{name}_many' if many else name)
    before = memory.copy()
    assert call(*frame, *inputs, out) is out
    np.testing.assert_array_equal(out, expected)
    memory[offsets[3]:offsets[3] + expected.size] = before[
        offsets[3]:offsets[3] + expected.size]
    np.testing.assert_array_equal(memory, before)       # nothing else was written
