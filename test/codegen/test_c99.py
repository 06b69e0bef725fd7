# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""C99 source: compiles without a warning, computes what Dynamics does, holds no foreign text."""

import ctypes
from pathlib import Path
import shutil
import subprocess

import numpy as np
import pytest
from random_arms import chain

from kane_dynamics import Dynamics, InputError, load_urdf
from kane_dynamics.codegen.c99 import c99_source
from kane_dynamics.codegen.python import plain_text

URDF = Path(__file__).parents[2] / 'urdf'
STRICT = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-O1']
SHAPES = {'inverse': ('q', 'v', 'v'), 'forward': ('q', 'v', 'v'), 'mass_matrix': ('q',),
          'bias': ('q', 'v'), 'gravity': ('q',)}

needs_gcc = pytest.mark.skipif(shutil.which('gcc') is None, reason='gcc is not installed')


def compiled(dynamics, names, folder, prefix='arm'):
    header, source = c99_source([dynamics.program(name) for name in names], dynamics.robot, prefix)
    (folder / f'{prefix}.h').write_text(header)
    (folder / f'{prefix}.c').write_text(source)
    subprocess.run(['gcc', *STRICT, '-shared', '-fPIC', f'{prefix}.c', '-o', 'arm.so', '-lm'],
                   cwd=folder, check=True)
    return ctypes.CDLL(str(folder / 'arm.so'))


@needs_gcc
@pytest.mark.parametrize('urdf, floating', [
    ('six_axis', False), ('six_axis', True), ('stanford_arm', False), ('flexible_3r', False)])
def test_c_computes_what_dynamics_computes(urdf, floating, tmp_path):
    dynamics = Dynamics(load_urdf(URDF / f'{urdf}.urdf', floating_base=floating))
    library = compiled(dynamics, SHAPES, tmp_path)
    rng = np.random.default_rng(3)
    robot = dynamics.robot
    q = robot.neutral()
    q[-robot.n_joints - robot.n_modes:] = 0.3 * rng.normal(size=robot.n_joints + robot.n_modes)
    if robot.n_modes:
        q[-robot.n_modes:] *= 0.01      # millimetres: links that bend, not such as break
    arrays = {'q': q, 'v': rng.normal(size=robot.nv)}
    for name, kinds in SHAPES.items():
        inputs = [arrays[kind] for kind in kinds]
        expected = getattr(dynamics, name)(*inputs)
        out = np.empty(expected.size)
        getattr(library, f'arm_{name}')(*(ctypes.c_void_p(array.ctypes.data)
                                          for array in (*inputs, out)))
        # the same operations but for fused ones: round-off, times cond(M) for forward
        tolerance = 1e-14 if name != 'forward' else 1e-9
        assert np.abs(out - expected.ravel()).max() <= tolerance * np.abs(expected).max(), name


@needs_gcc
def test_c_of_an_arm_without_coordinates_compiles_too(tmp_path):
    # arrays without an element are not C: `double out[0]`
    robot = load_urdf('<robot name="still"><link name="base"/><link name="tool"/><joint name="f" '
                      'type="fixed"><parent link="base"/><child link="tool"/></joint></robot>')
    assert robot.nv == 0
    compiled(Dynamics(robot), SHAPES, tmp_path)


@needs_gcc
def test_hostile_names_stay_in_comments_and_cannot_leave_them(tmp_path):
    # load_urdf refuses stars and quotes already; what it lets through must not matter either
    assert plain_text('*/ int evil; /*\n"') == '?? int evil? ????'
    text = (URDF / 'two_link.urdf').read_text().replace('"shoulder"', '"a//(b)#define c=1|[d]"')
    robot = load_urdf(text)
    assert robot.joint_names[0] == 'a//(b)#define c=1|[d]'
    dynamics = Dynamics(robot)
    header, source = c99_source([dynamics.program('inverse')], robot)
    assert '#define c' not in header + source and '//' not in header + source
    compiled(dynamics, ['inverse'], tmp_path)


@pytest.mark.parametrize('prefix', ['', '1arm', 'a-b', 'arm;', 'a' * 40, 'ärm'])
def test_a_prefix_that_is_no_c_name_is_refused(prefix):
    dynamics = Dynamics(load_urdf(URDF / 'two_link.urdf'))
    with pytest.raises(InputError, match='not a C name'):
        c99_source([dynamics.program('inverse')], dynamics.robot, prefix)


def test_the_banner_lists_joint_order_and_operations():
    dynamics = Dynamics(load_urdf(URDF / 'six_axis.urdf'))
    header, _ = c99_source([dynamics.program('inverse')], dynamics.robot)
    for k, name in enumerate(dynamics.robot.joint_names):
        assert f'{k}: {name}' in header
    assert str(dynamics.operation_count('inverse')) in header
    assert '#define ARM_NV 6' in header


def test_the_text_of_a_long_chain_grows_as_its_operations_do():
    # 60 joints did not end within minutes; inverse grows linearly, M with the square
    sizes = {}
    for joints in (30, 60):
        arm = Dynamics(chain('R' * joints, 5), backend='python')
        for name in ('inverse', 'mass_matrix'):
            _, source = c99_source([arm.program(name)], arm.robot)
            sizes[name, joints] = len(source)
    assert sizes['inverse', 60] < 2.2 * sizes['inverse', 30]
    assert sizes['mass_matrix', 60] < 4.4 * sizes['mass_matrix', 30]
