# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Calibrated arms keep their digits: joints and axes off their nominal directions by a little."""

from pathlib import Path
import warnings
import xml.etree.ElementTree as ElementTree

from example_robots import BARS, example_urdfs, FUNCTIONS, NEARLY_SINGULAR, REFUSED
import numpy as np
import pytest

from kane_dynamics import Dynamics, KaneDynamicsWarning, load_urdf
from kane_dynamics.codegen.reframe import choose_frames, reframe
from kane_dynamics.dynamics.oracle.cross_check import cross_check

pytest.importorskip('pinocchio', reason='the oracle of this file is Pinocchio')

TILTS = (1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2)   # [rad]
OURS = Path(__file__).parents[2] / 'urdf'
SOME = {name: example_urdfs()[name] for name in (
    'ur_description/ur5_robot.urdf', 'panda_description/panda.urdf',
    'kinova_description/kinova.urdf', 'double_pendulum_description/double_pendulum.urdf',
    'finger_edu_description/finger_edu.urdf')}
SOME['six_axis.urdf'] = OURS / 'six_axis.urdf'
ALL = {**{name: path for name, path in example_urdfs().items() if name not in REFUSED},
       **{path.name: path for path in sorted(OURS.glob('*.urdf'))}}


def tilted(path, tilt, what='rpy', seed=0):
    """Return the text of a URDF with normal errors [rad] on every joint's rpy or axis."""
    rng = np.random.default_rng(seed)
    root = ElementTree.fromstring(path.read_bytes())
    tag, key, default = {'rpy': ('origin', 'rpy', '0 0 0'), 'axis': ('axis', 'xyz', '1 0 0')}[what]
    for joint in root.findall('joint'):
        element = joint.find(tag)
        if element is None:
            element = ElementTree.SubElement(joint, tag)
        nominal = np.array([float(word) for word in element.get(key, default).split()])
        values = nominal + tilt * rng.standard_normal(3)
        element.set(key, ' '.join(repr(float(value)) for value in values))
    return ElementTree.tostring(root, encoding='unicode')


def largest_errors(texts, name, floating=False, samples=20):
    """Return {function: largest error against Pinocchio}, each held against its bar."""
    errors = dict.fromkeys(FUNCTIONS, 0.0)
    for text in texts:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', KaneDynamicsWarning)
            robot = load_urdf(text, floating_base=floating)
        if robot.nv == 0:
            continue
        report = cross_check(Dynamics(robot, backend='python'), text, samples,
                             functions=FUNCTIONS)
        for row in report.comparisons:
            singular = name in NEARLY_SINGULAR
            assert (row.beyond_round_off if singular else row.error) <= BARS[row.function], report
            if not (singular and row.function == 'forward'):
                errors[row.function] = max(errors[row.function], row.error)
    return errors


def recorded(record_property, what, errors):
    """Print and record the largest errors."""
    listed = ', '.join(f'{function} {error:.1e}' for function, error in errors.items())
    print(f'{what}: {listed}')
    record_property('figure', f'{what}, largest error against Pinocchio: {listed}')


def test_joints_tilted_by_their_calibration_agree_with_pinocchio(record_property):
    errors = [largest_errors((tilted(path, tilt) for tilt in TILTS), name)
              for name, path in SOME.items()]
    recorded(record_property, f'{len(SOME)} arms with joints tilted by 1e-7 to 1e-2 rad',
             {function: max(each[function] for each in errors) for function in FUNCTIONS})


@pytest.mark.slow
def test_axes_tilted_against_their_frames_agree_with_pinocchio(record_property):
    tilts = (1e-10, 1e-9, 1e-8, *TILTS)
    errors = [largest_errors((tilted(path, tilt, 'axis') for tilt in tilts), name)
              for name, path in SOME.items()]
    recorded(record_property, f'{len(SOME)} arms with axes tilted by 1e-10 to 1e-2 rad',
             {function: max(each[function] for each in errors) for function in FUNCTIONS})


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'floating'), [
    (name, floating) for name in sorted(ALL) for floating in (False, True)
    # our own arms stand on a massless base: floating, M is singular
    if not (floating and (OURS / name).exists())],
    ids=lambda value: {False: 'fixed', True: 'floating'}.get(value, value))
def test_any_robot_with_tilted_joints_agrees_with_pinocchio(name, floating, record_property):
    errors = largest_errors((tilted(ALL[name], tilt) for tilt in TILTS), name, floating, 100)
    recorded(record_property, f'{name}, {"floating" if floating else "fixed"}', errors)


@pytest.mark.parametrize('tilt', [0.0, *TILTS, 0.1])
@pytest.mark.parametrize('name', sorted(SOME))
def test_no_origin_moves_farther_along_its_axis_than_three_link_lengths(name, tilt):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        robot = load_urdf(tilted(SOME[name], tilt)).with_base(position=(0.0, 0.0, 4000.0))
    tree = robot.tree
    reach = sum(np.linalg.norm(body.p) for body in tree.bodies if body.parent >= 0)
    assert max(abs(t) for _, t in choose_frames(tree)) <= 3.0 * reach


@pytest.mark.parametrize('tilt', [1e-8, 1e-7, 1e-6, 2e-6, 1e-5, 1e-3])
@pytest.mark.parametrize('name', sorted(SOME))
def test_constant_rotations_of_short_frames_are_rotations(name, tilt):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', KaneDynamicsWarning)
        robot = load_urdf(tilted(SOME[name], tilt))
    for body in reframe(robot.tree).bodies:
        # zeros are set up to 1e-14, ones up to 1e-15
        np.testing.assert_allclose(body.C @ body.C.T, np.eye(3), rtol=0, atol=2e-14)
