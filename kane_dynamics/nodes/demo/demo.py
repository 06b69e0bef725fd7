# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Demo: tracking errors of the simulator driven by the feedforward node.

A trajectory is sent to the feedforward node, which drives the simulator; the tracking error is the
difference of `joint_states` from the trajectory. A second run has the same PD gains without
feedforward (PD alone). A flexible arm is driven by four methods instead: see `flexible_demo`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
import sys
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

import kane_dynamics as kd
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.io.broken_pipe import quiet_pipe
from kane_dynamics.io.text import clean, TRACE
from kane_dynamics.nodes.demo.demo_graph import DemoGraph
from kane_dynamics.nodes.demo.flexible_demo import demonstrate, demonstrate_running
from kane_dynamics.nodes.demo.options import add_arguments, LIMITS
from kane_dynamics.nodes.shared_files import shared_file
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

LOCK_STEP_RATE, WALL_RATE = 1000.0, 500.0       # [Hz]
WORSE = 20.0                                    # smallest ratio of the errors without and with
GAINS = {'p': [1000.0, 1000.0, 600.0, 50.0, 50.0, 5.0],     # [N m/rad]
         'd': [40.0, 40.0, 20.0, 0.5, 0.5, 0.02]}           # [N m s/rad]
WAYPOINTS = [[0.0, -0.8, 1.2, 0.0, 0.6, 0.0], [0.8, -0.2, 0.6, 0.5, 0.9, 1.0],
             [-0.4, 0.4, 1.0, -0.5, 0.2, -0.6], [0.0, -0.8, 1.2, 0.0, 0.6, 0.0]]    # [rad]
TIMES = [0.0, 1.2, 2.6, 4.0]                    # [s]


class Verdict(IntEnum):
    """Exit codes of the demo; 2 if it could not run."""

    AS_EXPECTED = 0
    MISSED = 1
    NOT_JUDGED = 3      # because the machine stalled


class Tracking(NamedTuple):
    """Tracking errors of an arm: largest, RMS and largest per joint [rad]; number of samples.

    incidents: stalls of the machine during the run, as texts.
    """

    largest: float
    rms: float
    by_joint: FloatArray
    samples: int
    incidents: tuple[str, ...] = ()


ANSWERS = {Verdict.AS_EXPECTED: 'yes', Verdict.MISSED: 'NO',
           Verdict.NOT_JUDGED: 'not judged, the machine stalled'}


def trajectory(joint_names: Sequence[str]) -> Trajectory:
    """Return the trajectory of the demo: a C4 spline through four configurations."""
    return Trajectory(joint_names, TIMES, WAYPOINTS, interpolation='quintic_spline')


def parameters(robot: Robot, lock_step: bool,
               feedforward: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of the simulator and of the feedforward node."""
    rate = LOCK_STEP_RATE if lock_step else WALL_RATE
    simulator = {'robot_description': robot.to_urdf(), 'update_rate': rate,
                 'lock_step': lock_step, 'initial_positions': WAYPOINTS[0],
                 # feedback torque held during a stall of the controller would accelerate the light
                 # wrist: the brakes act first
                 'command_timeout': 0.02}
    controller = {
        'robot_description': robot.to_urdf(), 'use_sim_time': lock_step, 'update_rate': rate,
        'trigger': 'joint_states', 'mode': 'computed_torque', 'feedback': 'pd',
        'feedforward_scale': float(feedforward),
        'gains.p': GAINS['p'], 'gains.d': GAINS['d'], 'ramp_time': 0.0,
        # to the middle of the period in which the torque acts, the next one on the wall clock
        'lead_time': (0.5 if lock_step else 1.5) / rate,
        # the simulated joints have Coulomb friction with stick-slip: almost a sign function
        'friction.smoothing_speed': 1e-4, 'publish_trajectory_with_effort': False,
        # the arm of a stalled simulator does not move: no fault
        'state_timeout': 2.0}
    return simulator, controller


def track(graph: DemoGraph, joint_names: Sequence[str], lead: float = 0.5,
          stalls: bool = False) -> Tracking:
    """Send the trajectory through a DemoGraph; return the Tracking of the arm.

    stalls: ask the nodes for stalls of the machine, which have no effect in lock-step.
    """
    reference = trajectory(joint_names)
    start = graph.send(reference, lead)
    stamps, positions = graph.follow(start, start + round(reference.times[-1] * 1e9))
    error = abs(positions - reference.sample_many((stamps - start) * 1e-9)[0])
    return Tracking(float(error.max()), float(np.sqrt((error**2).mean())), error.max(axis=0),
                    len(stamps), graph.incidents() if stalls else ())


def run_case(robot: Robot, lock_step: bool, feedforward: bool, domain: int,
             verbose: bool = False) -> Tracking:
    """Start both nodes, follow the trajectory, stop the nodes; return the Tracking."""
    with DemoGraph(domain, joint_names=robot.joint_names, verbose=verbose) as graph:
        graph.start(*parameters(robot, lock_step, feedforward))
        return track(graph, robot.joint_names, stalls=not lock_step)


def report(results: Iterable[tuple[str, Tracking, Tracking]],
           print: Callable[[str], object] = print) -> Verdict:
    """Print a table of the results; return the worst verdict.

    results: tuples of (time, Tracking with feedforward, Tracking of PD alone). A bad result is not
    judged if the machine stalled, because the nodes are not its cause.
    """
    print(f'{"time":<12}{"feedforward + PD":>24}{"PD alone":>24}{"times worse":>14}')
    print(f'{"":<12}{"largest / RMS [rad]":>24}{"largest / RMS [rad]":>24}')
    verdicts = []
    for time, with_it, without in results:
        worse, small = without.largest / with_it.largest, with_it.largest <= LIMITS[time]
        cells = [f'{each.largest:.2e} / {each.rms:.2e}' for each in (with_it, without)]
        print(f'{time:<12}{cells[0]:>24}{cells[1]:>24}{worse:>14.0f}')
        valid = small or not with_it.incidents      # of the run with feedforward
        for text, good, judged in (
                (f'feedforward + PD at most {LIMITS[time]:g} rad', small, valid),
                (f'PD alone at least {WORSE:g} times worse', worse >= WORSE,
                 valid and not without.incidents)):
            verdicts.append(Verdict.NOT_JUDGED if not judged
                            else Verdict.AS_EXPECTED if good else Verdict.MISSED)
            print(f'  {text}: {ANSWERS[verdicts[-1]]}')
        for name, each in (('feedforward + PD', with_it), ('PD alone', without)):
            if each.incidents:
                print(f'  the machine stalled during {name}: {"; ".join(each.incidents)}')
    if Verdict.MISSED in verdicts:
        return Verdict.MISSED
    if Verdict.NOT_JUDGED in verdicts:
        print('the demo is not judged: run it again when the machine is less busy, or with '
              '--time lock-step, which stalls do not affect')
        return Verdict.NOT_JUDGED
    return Verdict.AS_EXPECTED


def _judge(largest: float, tolerance: float) -> Verdict:
    """Print whether the largest error [rad] is within the tolerance; return the verdict."""
    verdict = Verdict.AS_EXPECTED if largest <= tolerance else Verdict.MISSED
    print(f'at most {tolerance:g} rad: {ANSWERS[verdict]}')
    return verdict


@quiet_pipe()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return the exit code: a Verdict, or 2."""
    from rclpy.utilities import remove_ros_args
    parser = argparse.ArgumentParser(
        prog='demo', description=(__doc__ or '').splitlines()[0],
        epilog='Exit code: 0 errors as expected, 1 larger, 2 could not run, 3 not judged because '
        'the machine stalled (wall clock only).')
    add_arguments(parser)
    return run(parser.parse_args(remove_ros_args(
        sys.argv if arguments is None else ['demo', *arguments])[1:]))


def run(given: argparse.Namespace) -> int:
    """Run the demo with the options of `add_arguments`; return the exit code."""
    try:
        robot = kd.load_urdf(given.urdf or shared_file(
            'urdf', 'flexible_3r.urdf' if given.flexible else 'six_axis.urdf'))
        if given.picture and not robot.n_modes:
            raise KaneDynamicsError('--picture requires a flexible arm; add --flexible')
        if given.no_nodes:
            print('looking for feedforward and simulator ...', flush=True)
        if robot.n_modes and given.no_nodes:
            return _judge(demonstrate_running(robot), given.tolerance)
        if robot.n_modes:
            return 0 if demonstrate(robot, given.domain, given.picture, given.verbose) else 1
        if robot.n_joints != len(WAYPOINTS[0]):
            raise KaneDynamicsError(f'{robot.name!r} has {robot.n_joints} joints; the demo needs '
                                    f'an arm with {len(WAYPOINTS[0])}, or a flexible one')
        if given.no_nodes:
            with DemoGraph(None, robot.joint_names) as graph:
                found = track(graph, robot.joint_names, lead=1.0)
            print(f'largest error {found.largest:.2e} rad, RMS {found.rms:.2e} rad, '
                  f'{found.samples} samples')
            return _judge(found.largest, given.tolerance)
        results = []
        for time in {'both': list(LIMITS), 'wall': ['wall clock']}.get(given.time, [given.time]):
            print(f'{time}: following for {TIMES[-1]:g} s, twice ...', flush=True)
            results.append((time, *(
                run_case(robot, time == 'lock-step', feedforward, given.domain, given.verbose)
                for feedforward in (True, False))))
    except KaneDynamicsError as error:
        print(f'demo: {clean(error, TRACE, lines=True)}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('demo: interrupted', file=sys.stderr)
        return 2
    return report(results)
