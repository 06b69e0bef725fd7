# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The gains of every file in config/: stable for their arm, rate and law, and in motion."""

from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

import kane_dynamics as kd  # noqa: E402  after the question for rclpy
from kane_dynamics.control.arm_loop import arm_loop  # noqa: E402
from kane_dynamics.control.controller import Controller  # noqa: E402
from kane_dynamics.control.phase import VELOCITY  # noqa: E402
from kane_dynamics.nodes.demo import demo  # noqa: E402
from kane_dynamics.nodes.feedforward import settings as feedforward_settings  # noqa: E402
from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup  # noqa: E402
from kane_dynamics.nodes.simulator import settings as simulator_settings  # noqa: E402
from kane_dynamics.nodes.simulator.arm_setup import SimulatorSetup  # noqa: E402
from kane_dynamics.trajectory.trajectory import Trajectory  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FLEXIBLE = 'flexible_demo.yaml'
SHIPPED = ('demo.yaml', FLEXIBLE, 'ros2_control_effort.yaml', 'ros2_control_trajectory.yaml')
RIGID = [name for name in SHIPPED if name != FLEXIBLE]
START = 0.75    # [s] before the motion, in which the torque ramps up


def flat(parameters, prefix=''):
    """Return nested parameters as {'gains.p': ...}."""
    found = {}
    for name, value in parameters.items():
        if isinstance(value, dict):
            found.update(flat(value, f'{prefix}{name}.'))
        else:
            found[prefix + name] = value
    return found


def settings_of(name):
    """Return {'feedback', 'update_rate', 'gains.p', 'gains.d', 'gains.i', ...}; {} without gains.

    Those of joint_trajectory_controller are given as feedforward has them.
    """
    sections = {key.rpartition('/')[2]: section['ros__parameters'] for key, section in
                yaml.safe_load((ROOT / 'config' / name).read_text()).items()}
    if 'joint_trajectory_controller' in sections:
        controller = sections['joint_trajectory_controller']
        gains = [controller['gains'][joint] for joint in controller['joints']]
        return {'mode': 'computed_torque', 'joints': controller['joints'],
                'update_rate': float(sections['controller_manager']['update_rate']),
                **{f'gains.{key}': [each[key] for each in gains] for key in 'pid'}}
    given = {key: value for section in sections.values() for key, value in flat(section).items()
             if key in feedforward_settings.SCHEMA.entries and 'gains' in section}
    if not (np.any(given.get('gains.p', 0.0)) or np.any(given.get('gains.d', 0.0))):
        return {}
    return given


def robot_of(name):
    return kd.load_urdf(ROOT / 'urdf' / (
        'flexible_3r.urdf' if name == FLEXIBLE else 'six_axis.urdf'))


@pytest.fixture(scope='module')
def six_axis_dynamics():
    return kd.Dynamics(robot_of('demo.yaml'), parametric=True)


def loop_of(name, dynamics, delay=1):
    given = settings_of(name)
    return arm_loop(dynamics, given['update_rate'], law=given.get('feedback', 'pd'), delay=delay)


def gains_of(name):
    given = settings_of(name)
    return given['gains.p'], given['gains.d'], given.get('gains.i', 0.0)


def test_every_file_with_gains_is_looked_at():
    found = [path.name for path in sorted((ROOT / 'config').glob('*.yaml'))
             if settings_of(path.name)]
    assert found == sorted(SHIPPED)


@pytest.mark.parametrize('name', RIGID)
def test_gains_are_stable_and_well_damped_everywhere_with_a_margin(name, six_axis_dynamics):
    loop, gains = loop_of(name, six_axis_dynamics), gains_of(name)
    found = loop.stability(*gains)
    # Independent gains damp joint 1 stretched out, where its inertia is 28 times that of the arm
    # upright, which bounds them: no faster than 0.989 whatever the rate. Computed torque is alike
    # everywhere.
    assert found.radius < (0.95 if loop.law == 'inverse_dynamics' else 0.995)
    assert found.damping > 0.3
    np.testing.assert_array_equal(loop.safe_factors(*gains), np.ones(6))
    assert loop.stability(0.0, gains[1]).stable         # d alone damps every gravity hold
    without_delay = loop_of(name, six_axis_dynamics, delay=0).stability(*gains)
    assert without_delay.radius < 0.995 and without_delay.damping > 0.3


@pytest.mark.parametrize('delay', [0, 1])
def test_gains_of_the_flexible_demo_damp_every_mode(delay):
    # links alone are damped by 1 %, the joints free: 0.002 of the slowest mode
    dynamics = kd.Dynamics(robot_of(FLEXIBLE), backend='python')
    loop, gains = loop_of(FLEXIBLE, dynamics, delay), gains_of(FLEXIBLE)
    found, free = loop.stability(*gains), loop.stability(0.0, 0.0)
    assert found.radius < 1.0 - 1e-4
    assert found.damping > 1.2 * free.damping > 0.0


def followed(dynamics, given, delay):
    """Return errors (2, N, n) of positions [rad] and speeds [rad/s] in the motion of the demo.

    The classes behind both nodes, in lock-step; torques act `delay` periods after their state.
    """
    robot, rate = dynamics.robot, given['update_rate']
    settings = feedforward_settings.SCHEMA.read({     # without gains.i
        name: value for name, value in given.items()
        if name in feedforward_settings.SCHEMA.entries})
    setup = SimulatorSetup(robot, simulator_settings.SCHEMA.read({
        'update_rate': rate, 'initial_positions': demo.WAYPOINTS[0],
        'command_delay': delay / rate}))
    simulation = setup.simulation(setup.plant())
    simulation.hold()
    feedforward = FeedforwardSetup(robot, settings)
    controller = Controller(robot.joint_names, feedforward.torque_model(dynamics),
                            lead_time=settings.lead_time, read_state=lambda measured: np.copyto(
                                measured, simulation.measured[:2]))
    feedforward.apply(controller)
    controller.mode = settings.mode
    controller.restart(enabled=True)
    way = Trajectory(robot.joint_names, demo.TIMES, demo.WAYPOINTS, start=START,
                     interpolation='quintic_spline')
    errors = []
    for k in range(round((START + way.times[-1]) * rate)):
        t = k / rate
        controller.cycle(t, VELOCITY)
        if k == 1:
            controller.follow(way)
        simulation.command(controller.tau)
        simulation.advance()
        if t > START:
            errors.append(simulation.measured[:2] - way.sample(t + 1.0 / rate)[:2])
    return np.swapaxes(errors, 0, 1)


@pytest.mark.parametrize('name, delay, position, speed', [
    # friction of the reference is smoothed over 0.01 rad/s, that of the simulated arm is not:
    # where the motion begins, joints stick for a while
    ('ros2_control_effort.yaml', 0, 0.006, 0.1), ('ros2_control_effort.yaml', 1, 0.006, 0.1),
    ('ros2_control_trajectory.yaml', 1, 0.02, 0.2), ('demo.yaml', 0, 1e-4, 0.01)])
def test_the_arm_follows_the_motion_of_the_demo_without_swinging(name, delay, position, speed,
                                                                 six_axis_dynamics):
    errors = followed(six_axis_dynamics, settings_of(name), delay)
    largest = abs(errors).max(axis=1)
    assert (largest[0] < position).all() and (largest[1] < speed).all(), largest
