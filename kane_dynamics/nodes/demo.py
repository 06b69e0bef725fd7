# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The demo: simulator and feedforward in one ROS graph, and how well the arm follows.

A trajectory is sent to the feedforward node, which drives the simulator; the error is what
`joint_states` tell against the trajectory. Then the same again with the same PD gains and a
controller that takes the arm for weightless and free of friction: PD alone. An arm that bends is
driven in four ways instead: see `flexible_demo`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import sys
from typing import NamedTuple

import numpy as np

import kane_dynamics as kd
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.motion.trajectory import Trajectory
from kane_dynamics.nodes.demo_graph import DemoGraph
from kane_dynamics.nodes.flexible_demo import demonstrate, tell
from kane_dynamics.nodes.shared_files import shared_file
from kane_dynamics.pipe import quiet_pipe

LOCK_STEP_RATE, WALL_RATE = 1000.0, 500.0       # [Hz]
BARS = {'lock-step': 1e-4, 'wall clock': 1e-3}  # [rad], largest error with feedforward
WORSE = 20.0                                    # times, at least, without it
GAINS = {'p': [1000.0, 1000.0, 600.0, 50.0, 50.0, 5.0],     # [N m/rad]
         'd': [40.0, 40.0, 20.0, 0.5, 0.5, 0.02]}           # [N m s/rad]
WAY = [[0.0, -0.8, 1.2, 0.0, 0.6, 0.0], [0.8, -0.2, 0.6, 0.5, 0.9, 1.0],
       [-0.4, 0.4, 1.0, -0.5, 0.2, -0.6], [0.0, -0.8, 1.2, 0.0, 0.6, 0.0]]     # [rad]
TIMES = [0.0, 1.2, 2.6, 4.0]                    # [s]


class Tracking(NamedTuple):
    """How well an arm followed: largest and RMS error [rad], per joint the largest, samples.

    incidents: what kept the nodes from their work, as texts.
    """

    largest: float
    rms: float
    by_joint: np.ndarray
    samples: int
    incidents: tuple = ()


def trajectory(joint_names):
    """Return the way of the demo: four postures, smooth to the fourth derivative."""
    return Trajectory(joint_names, TIMES, WAY, interpolation='quintic_spline')


def weightless(robot, share=1e-9):
    """Return the robot with a share of its masses and inertias: what PD alone believes."""
    for link in robot.links:
        if link.inertial is not None:
            inertial = link.inertial
            robot = robot.with_inertial(link.name, kd.Inertial(
                share * inertial.mass, inertial.com, share * inertial.inertia))
    return robot


def parameters(robot, lock_step, feedforward=True):
    """Return the parameters of the simulator and of the feedforward node."""
    rate = LOCK_STEP_RATE if lock_step else WALL_RATE
    simulator = {'robot_description': robot.to_urdf(), 'update_rate': rate,
                 'lock_step': lock_step, 'initial_positions': WAY[0],
                 # feedback torque that is held while the controller stands still throws a light
                 # wrist about: the brakes come first
                 'command_timeout': 0.02}
    controller = {
        'robot_description': robot.to_urdf(), 'use_sim_time': lock_step, 'update_rate': 100.0,
        'trigger': 'joint_states', 'mode': 'computed_torque', 'feedback': 'pd',
        'gains.p': GAINS['p'], 'gains.d': GAINS['d'], 'ramp_time': 0.0,
        # to the middle of the period in which the torque acts; on the wall clock that is the next
        'lead_time': (0.5 if lock_step else 1.5) / rate,
        # the simulated joints have a true Coulomb friction: nearly a sign
        'friction.smoothing_speed': 1e-4, 'publish_trajectory_with_effort': False,
        # an arm whose simulator stands still does not move: no need to give up
        'state_timeout': 2.0}
    if not feedforward:
        controller.update({'robot_description': weightless(robot).to_urdf(),
                           'friction.viscous': [0.0], 'friction.coulomb': [0.0],
                           'model_check.samples': 0})
    return simulator, controller


def track(graph, joint_names, lead=0.5, asks=False):
    """Send the trajectory through a DemoGraph; return the Tracking of the arm.

    asks: ask the nodes what kept them from their work; in lock-step nothing can.
    """
    way = trajectory(joint_names)
    start = graph.send(way, lead)
    stamps, positions = graph.follow(start, start + round(way.times[-1] * 1e9))
    wanted = way.sample_many((stamps - start) * 1e-9)[0]
    error = abs(positions - wanted)
    return Tracking(float(error.max()), float(np.sqrt((error**2).mean())), error.max(axis=0),
                    len(stamps), graph.incidents() if asks else ())


def run_case(robot, lock_step, feedforward, domain, verbose=False):
    """Start both nodes, follow the trajectory, end them; return the Tracking."""
    with DemoGraph(domain, joint_names=robot.joint_names, verbose=verbose) as graph:
        graph.start(*parameters(robot, lock_step, feedforward))
        return track(graph, robot.joint_names, asks=not lock_step)


def report(results, print=print):
    """Print the results side by side; return whether nothing is other than expected.

    results: lists of (time, with feedforward, PD alone), two Trackings. What a machine that
    stalled may have spoiled is not judged: it says nothing of the nodes.
    """
    print(f'{"time":<12}{"feedforward + PD":>24}{"PD alone":>24}{"times worse":>14}')
    print(f'{"":<12}{"largest / RMS [rad]":>24}{"largest / RMS [rad]":>24}')
    well = True
    for time, with_it, without in results:
        worse, small = without.largest / with_it.largest, with_it.largest <= BARS[time]
        cells = [f'{each.largest:.2e} / {each.rms:.2e}' for each in (with_it, without)]
        print(f'{time:<12}{cells[0]:>24}{cells[1]:>24}{worse:>14.0f}')
        told = small or not with_it.incidents       # of the arm with feedforward
        for text, good, judged in (
                (f'feedforward + PD at most {BARS[time]:g} rad', small, told),
                (f'PD alone at least {WORSE:g} times worse', worse >= WORSE,
                 told and not without.incidents)):
            verdict = 'not judged, the machine stalled' if not judged else 'yes' if good else 'NO'
            print(f'  {text}: {verdict}')
            well = well and (good or not judged)
        for name, each in (('feedforward + PD', with_it), ('PD alone', without)):
            if each.incidents:
                print(f'  the machine stalled during {name}: {"; ".join(each.incidents)}')
    return well


@quiet_pipe()
def main(arguments=None):
    """Run the demo; return the exit code: 0 where the arm followed as well as it should."""
    from rclpy.utilities import remove_ros_args
    parser = argparse.ArgumentParser(prog='demo', description=__doc__.splitlines()[0])
    parser.add_argument('--urdf', type=Path, help='six-axis arm; default: six_axis.urdf')
    parser.add_argument('--flexible', action='store_true',
                        help='an arm that bends, flexible_3r.urdf, driven in four ways')
    parser.add_argument('--picture', type=Path, help='of the flexible demo: .png or .svg to write')
    parser.add_argument('--time', choices=['lock-step', 'wall', 'both'], default='both',
                        help='simulated time in lock-step, the wall clock, or both')
    parser.add_argument('--no-nodes', action='store_true',
                        help='use /simulator and /feedforward that run already; report once')
    parser.add_argument('--domain', type=int, default=1 + os.getpid() % 100,
                        help='ROS domain of the nodes that are started, on this machine only')
    parser.add_argument('--verbose', action='store_true', help='show what the nodes log')
    given = parser.parse_args(remove_ros_args(
        sys.argv if arguments is None else ['demo', *arguments])[1:])
    try:
        robot = kd.load_urdf(given.urdf or shared_file(
            'urdf', 'flexible_3r.urdf' if given.flexible else 'six_axis.urdf'))
        if given.picture and not robot.n_modes:
            raise KaneDynamicsError('--picture is of the flexible demo; add --flexible')
        if given.no_nodes:
            print('looking for /feedforward and /simulator ...', flush=True)
        if robot.n_modes and given.no_nodes:
            tell(robot)
            return 0
        if robot.n_modes:
            return 0 if demonstrate(robot, given.domain, given.picture, given.verbose) else 1
        if robot.n_joints != len(WAY[0]):
            raise KaneDynamicsError(f'{robot.name!r} has {robot.n_joints} joints; the demo drives '
                                    f'an arm with {len(WAY[0])}, or one that bends')
        if given.no_nodes:
            with DemoGraph(None, robot.joint_names) as graph:
                found = track(graph, robot.joint_names, lead=1.0)
            print(f'largest error {found.largest:.2e} rad, RMS {found.rms:.2e} rad, '
                  f'{found.samples} samples')
            return 0
        results = []
        for time in {'both': list(BARS), 'wall': ['wall clock']}.get(given.time, [given.time]):
            print(f'{time}: following for {TIMES[-1]:g} s, twice ...', flush=True)
            results.append((time, *(
                run_case(robot, time == 'lock-step', feedforward, given.domain, given.verbose)
                for feedforward in (True, False))))
    except KaneDynamicsError as error:
        print(f'demo: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('demo: interrupted', file=sys.stderr)
        return 2
    return 0 if report(results) else 1


if __name__ == '__main__':
    sys.exit(main())
