# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The demo on the wall clock when one of its processes stands still for a while.

How far the arm strays is physics, and is computed without a clock: the classes behind both nodes,
period by period. That the nodes brake, say so and go on is logic, and is asked of processes; on a
machine that stalls them again at will, these may stray as far as the stops.
"""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from ros_graph import wait  # noqa: E402  after the question for rclpy
from simulated_arms import six_axis  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.control.controller import Controller  # noqa: E402
from kane_dynamics.control.phase import Known  # noqa: E402
from kane_dynamics.control.stall_grace import GRACE, SHORTEST_STALL, StallGrace  # noqa: E402
from kane_dynamics.nodes.demo import demo  # noqa: E402
from kane_dynamics.nodes.demo.demo_graph import DemoGraph, NODES  # noqa: E402
from kane_dynamics.nodes.feedforward import settings as feedforward_settings  # noqa: E402
from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup  # noqa: E402
from kane_dynamics.nodes.messages.conversions import nanoseconds  # noqa: E402
from kane_dynamics.nodes.simulator import settings as simulator_settings  # noqa: E402
from kane_dynamics.nodes.simulator.arm_setup import SimulatorSetup  # noqa: E402
from kane_dynamics.nodes.simulator.pacers import MOST_AT_ONCE  # noqa: E402

STALL = 0.3     # [s]
AFTER = 1.5     # [s] of the motion, in the middle of its fastest part
ROBOT = six_axis()
# [rad] (n,): nearer to its goal than this, the friction of a joint holds out against its feedback.
# A tenth more, because gravity is compensated where the goal is: 40 N m/rad beside 1000.
NEAR = 1.1 * kd.Friction.of(ROBOT).coulomb / demo.GAINS['p']


def settings(module, parameters):
    """Return the parameters of a node as it reads them; use_sim_time is one of rclpy."""
    return module.SCHEMA.read({name: value for name, value in parameters.items()
                               if name != 'use_sim_time'})


@pytest.fixture(scope='module')
def parts():
    """Give the period, the simulation, and what makes a controller for it, as in the demo."""
    simulator, feedforward = demo.parameters(ROBOT, lock_step=False)
    setup = SimulatorSetup(ROBOT, settings(simulator_settings, simulator))
    simulation = setup.simulation(setup.plant())
    feedforward = FeedforwardSetup(ROBOT, settings(feedforward_settings, feedforward))
    model = feedforward.torque_model(kd.Dynamics(ROBOT, parametric=True))

    def controller():
        simulation.reset()
        made = Controller(ROBOT.joint_names, model, lead_time=feedforward.settings.lead_time,
                          read_state=lambda measured: np.copyto(
                              measured, simulation.measured[:2]))
        feedforward.apply(made)
        made.mode = feedforward.settings.mode
        made.restart(enabled=True)
        made.cycle(0.0, Known.VELOCITY)
        return made
    return setup.period * 1e-9, simulation, controller


def errors(parts, name, after):
    """Return times (N,) [s] and what the arm is off (N, n) [rad] when a node stands still."""
    period, simulation, make = parts
    controller, way = make(), demo.trajectory(ROBOT.joint_names)
    controller.follow(way)
    k, lost, t, times, found = 0, 0, 0.0, [], []
    while t < way.times[-1] + 1.0:
        t = (k + lost) * period
        if name == 'simulator' and not lost and t >= after:
            # it catches up with what it may, under the last command, and gives up the rest
            for _ in range(MOST_AT_ONCE):
                simulation.advance()
            k, lost = k + MOST_AT_ONCE, round(STALL / period) - MOST_AT_ONCE
            continue
        works = name == 'simulator' or not after <= t < after + STALL
        if works:
            controller.cycle(t, Known.VELOCITY)
        simulation.advance()
        if works:           # on the wall clock a torque acts in the next period
            simulation.command(controller.tau)
        k += 1
        times.append((k + lost) * period)
        found.append(abs(simulation.measured[0] - way.sample(times[-1])[0]))
    return np.array(times), np.array(found)


@pytest.mark.parametrize('after', [0.5, AFTER, 1.85, 2.7, 3.2])
@pytest.mark.parametrize('name', NODES)
def test_an_arm_strays_no_further_than_its_way_goes_on_meanwhile(parts, name, after):
    simulation, way = parts[1], demo.trajectory(ROBOT.joint_names)
    timeouts = simulation.timeouts
    t, error = errors(parts, name, after)
    assert simulation.timeouts == timeouts + 1              # braked, once
    # Brakes after 20 ms, on the way: then it stands while the way goes on. It comes back without
    # swinging beyond, as the gains damp it well.
    brakes = demo.parameters(ROBOT, lock_step=False)[0]['command_timeout']
    passed = way.sample_many(np.linspace(after, after + STALL + brakes, 100))[0]
    travel = np.ptp(passed, axis=0)
    assert 0.1 < travel.max() < 0.6
    assert (error.max(axis=0) <= travel + NEAR).all()
    assert error.max() > 0.5 * travel.max()
    assert (error[t > after + STALL + 1.0].max(axis=0) <= NEAR).all()
    assert error[t < after].max() <= 1e-3


@pytest.mark.ros
@pytest.mark.parametrize('name', NODES)
def test_nodes_of_which_one_stood_still_brake_say_so_and_reach_the_end(name):
    way = demo.trajectory(ROBOT.joint_names)
    with DemoGraph(int(os.environ['ROS_DOMAIN_ID']), ROBOT.joint_names) as graph:
        graph.start(*demo.parameters(ROBOT, lock_step=False))
        start, states = graph.send(way, 0.5), graph._states
        wait(lambda: nanoseconds(states[-1].header.stamp) > start + AFTER * 1e9, 'the motion')
        process = graph._processes[NODES.index(name)]
        process.send_signal(signal.SIGSTOP)
        if name == 'feedforward':
            wait(lambda: len({tuple(each.position) for each in states[-50:]}) == 1,
                 'an arm that does not move by a bit')
        else:
            time.sleep(STALL)
        process.send_signal(signal.SIGCONT)
        end = way.sample(way.times[-1])[0]
        wait(lambda: nanoseconds(states[-1].header.stamp) > start + way.times[-1] * 1e9
             and (abs(np.array(states[-1].position) - end) <= NEAR).all(), 'the end of the way',
             lambda: f'{states[-1]}, expected {end}; {graph.incidents()}, {graph._log(name)}')
        incidents = graph.incidents()
    words = 'the arm was braked' if name == 'feedforward' else 'were given up'
    assert any(words in each for each in incidents), incidents
    assert not any('feedforward gave up' in each for each in incidents), incidents


def test_only_a_process_that_stood_still_and_had_fresh_states_is_excused_and_not_for_long():
    period = 2_000_000
    grace, now = StallGrace(period * 1e-9), 0
    for _ in range(5):
        now += period
        assert not grace.excuses(now, fresh=True)
    now += period
    assert not grace.excuses(now, fresh=False)       # the sender is late, not this process
    now += period
    assert not grace.excuses(now, fresh=True)
    now += SHORTEST_STALL + 1
    for _ in range(GRACE // period):
        assert grace.excuses(now, fresh=False)
        now += period
    assert not grace.excuses(now, fresh=False)
    now += SHORTEST_STALL + 1                           # again, without a fresh state in between
    assert not grace.excuses(now, fresh=False)
    assert not grace.excuses(now, fresh=True)
    now += SHORTEST_STALL + 1
    grace.note(now)                                     # the other thread looks first
    assert grace.excuses(now + 1, fresh=False)
