# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The flexible demo: a quick motion of an arm that bends, driven in four ways, side by side.

PD alone, with the torque of the rigid arm, with that of the flexible one, and the latter along the
input-shaped motion: the same gains, the same simulated arm, in lock-step. Exact torque for the
joints does not keep the tip from swinging; shaping does, and takes longer.
"""

from __future__ import annotations

from typing import NamedTuple

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.qos import QoSProfile

import kane_dynamics as kd
from kane_dynamics.analysis.modal_shaper import modal_shaper
from kane_dynamics.analysis.picture_file import check_picture
from kane_dynamics.analysis.tracking_picture import picture_of_tracking
from kane_dynamics.exceptions import InputError, KaneDynamicsError, MissingDependencyError
from kane_dynamics.motion.shaping import shaped
from kane_dynamics.motion.trajectory import Trajectory
from kane_dynamics.nodes.conversions import nanoseconds
from kane_dynamics.nodes.demo_graph import DemoGraph
from kane_dynamics.nodes.tip_link import tip_link

RATE = 2000.0       # [Hz] of simulated time
LEAD, REST = 0.5, 1.0   # [s] before and after the motion
DAMPED, FAST = 0.3, 60.0    # see `gains`


class Way(NamedTuple):
    """A motion from rest to rest, and how much better than rigid feedforward flexible must do."""

    start: list             # [rad]
    end: list               # [rad]
    time: float             # [s]
    better: float           # times smaller, at least, are its joint errors, largest and RMS


WAYS = {'flexible_3r': Way([0.0, 0.6, -1.0], [0.75, 0.85, -0.7], 0.5, 1000.0),
        'flexible_six_axis': Way([0.0, -0.8, 1.2, 0.0, 0.6, 0.0], [0.8, -0.2, 0.6, 0.5, 0.9, 1.0],
                                 0.6, 20.0)}


class Case(NamedTuple):
    """A way to drive the arm: what the feedforward node is told, and whether motion is shaped."""

    name: str
    settings: dict
    shaped: bool = False


CASES = (Case('PD alone', {'elastic': 'rigid', 'feedforward_scale': 0.0}),
         Case('rigid feedforward', {'elastic': 'rigid'}),
         Case('flexible feedforward', {'elastic': 'dynamic'}),
         Case('flexible, shaped', {'elastic': 'dynamic'}, shaped=True))


class Run(NamedTuple):
    """What the arm did: times (N,) from the start of the motion [s], and N rows beside them."""

    name: str
    end: float              # of the motion [s]
    t: np.ndarray
    error: np.ndarray       # (N, n) of the joints [rad]
    deflection: np.ndarray  # (N, 3) of the tip from the straight arm [m]
    tip: np.ndarray         # (N, 3) its position [m]

    @property
    def largest(self):
        """Return the largest joint error during the motion [rad]."""
        return float(abs(self.error[self.t <= self.end]).max())

    @property
    def rms(self):
        """Return the RMS joint error during the motion [rad]."""
        return float(np.sqrt((self.error[self.t <= self.end]**2).mean()))

    @property
    def swing(self):
        """Return how far the tip still swings after the motion, peak to peak [m]."""
        after = self.tip[self.t > self.end]
        after = after - after.mean(axis=0)
        return float(np.ptp(after @ np.linalg.svd(after, full_matrices=False)[2][0]))


class FlexibleGraph(DemoGraph):
    """A DemoGraph that also keeps what the simulator tells of the tip."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self._tips = []
        self._node.create_subscription(Vector3Stamped, 'simulator/tip_deflection',
                                       self._tips.append, QoSProfile(depth=1000))

    def deflections(self):
        """Return {stamp [ns]: (3,) deflection of the tip [m]}, as far as it was told."""
        return {nanoseconds(each.header.stamp): (each.vector.x, each.vector.y, each.vector.z)
                for each in list(self._tips)}


def way_of(robot):
    """Return the Way of an arm."""
    if robot.name not in WAYS:
        raise InputError(f'the flexible demo has no motion for {robot.name!r}; it has some for '
                         f'{list(WAYS)}')
    return WAYS[robot.name]


def motion(dyn, with_shaper):
    """Return the Trajectory: from rest to rest, shaped for the two lowest modes at its end."""
    start, end, time, _ = way_of(dyn.robot)
    rest = np.zeros((2, len(start)))
    straight = Trajectory(dyn.robot.joint_names, [0.0, time], [start, end], rest, rest)
    return shaped(straight, modal_shaper(dyn, [end], 'zvd', count=2)) if with_shaper else straight


def gains(dyn):
    """Return p (n,) [N m/rad] and d (n,) [N m s/rad] that the drives of the arm can have.

    A joint accelerates what is near it at once and the rest of the arm only through bending links;
    a damping d that is told once per period is stable up to 2 inertia / period of the near part.
    DAMPED of inertia / period, then, but not more than damps the whole arm at FAST [rad/s].
    """
    poses = [kd.static_sag(dyn, pose) for pose in way_of(dyn.robot)[:2]]
    masses, n = [dyn.mass_matrix(q) for q in poses], dyn.robot.n_joints
    near = np.min([1.0 / np.diag(np.linalg.inv(M))[:n] for M in masses], axis=0)
    whole = np.min([np.diag(M)[:n] for M in masses], axis=0)
    d = np.minimum(DAMPED * near * RATE, 1.4 * FAST * whole)
    return np.minimum(FAST * d, FAST**2 * whole), d


def parameters(dyn, case):
    """Return the parameters of the simulator and of the feedforward node."""
    text, (p, d) = dyn.robot.to_urdf(), gains(dyn)
    simulator = {'robot_description': text, 'update_rate': RATE, 'lock_step': True,
                 'initial_positions': way_of(dyn.robot).start, 'command_timeout': 0.5,
                 'model_check.samples': 0}
    controller = {
        'robot_description': text, 'use_sim_time': True, 'update_rate': 100.0,
        'trigger': 'joint_states', 'mode': 'computed_torque', 'feedback': 'pd',
        'gains.p': p.tolist(), 'gains.d': d.tolist(), 'ramp_time': 0.0,
        'friction.smoothing_speed': 1e-4, 'publish_trajectory_with_effort': False,
        'lead_time': 0.5 / RATE,    # to the middle of the period in which the torque acts
        'model_check.samples': 0, **case.settings}
    return simulator, controller


def follow(graph, dyn, name, with_shaper=False, lead=LEAD):
    """Send the motion through a FlexibleGraph; return the Run."""
    robot, way = dyn.robot, motion(dyn, with_shaper)
    start, end = graph.send(way, lead), float(way.times[-1])
    stamps, positions = graph.follow(start, start + round((end + REST) * 1e9))
    deflections = graph.deflections()
    seen = [k for k, stamp in enumerate(stamps) if stamp in deflections]
    if len(seen) < 0.5 * (end + REST) * RATE:
        raise KaneDynamicsError(f'{name}: only {len(seen)} states came with a tip deflection')
    stamps, positions = stamps[seen], positions[seen]
    deflection = np.array([deflections[stamp] for stamp in stamps])
    t = (stamps - start) * 1e-9
    _, straight = kd.Dynamics(robot.rigid()).frame_pose_many(tip_link(robot, ''), positions)
    return Run(name, end, t, positions - way.sample_many(t)[0], deflection, straight + deflection)


def report(runs, expected, print=print):
    """Print the runs side by side; return whether flexible feedforward is `expected` better."""
    print(f'{"":<22}{"motion":>8}{"joint error":>22}{"tip swing":>12}{"deflection":>12}')
    print(f'{"":<22}{"[s]":>8}{"largest / RMS [rad]":>22}{"p-p [mm]":>12}{"[mm]":>12}')
    for run in runs:
        deflection = 1e3 * np.linalg.norm(run.deflection, axis=1).max()
        print(f'{run.name:<22}{run.end:>8.3f}{f"{run.largest:.2e} / {run.rms:.2e}":>22}'
              f'{1e3 * run.swing:>12.3f}{deflection:>12.2f}')
    by_name = {run.name: run for run in runs}
    rigid, flexible = by_name['rigid feedforward'], by_name['flexible feedforward']
    better = rigid.largest / flexible.largest, rigid.rms / flexible.rms
    calmer = flexible.swing / by_name['flexible, shaped'].swing
    well = min(better) >= expected
    print('flexible against rigid feedforward: joint errors {:.0f} (largest) and {:.0f} (RMS) '
          'times smaller'.format(*better) + ('' if well else f'; expected >= {expected:g}')
          + f'; shaped, the tip swings {calmer:.0f} times less')
    return well


def tell(robot):
    """Print how well the arm of the nodes that run already follows."""
    dyn = kd.Dynamics(robot)
    with FlexibleGraph(None, robot.joint_names) as graph:
        found = follow(graph, dyn, 'these nodes', lead=1.0)
    print(f'largest joint error {found.largest:.2e} rad, RMS {found.rms:.2e} rad; the tip swings '
          f'{1e3 * found.swing:.3f} mm after the end')


def demonstrate(robot, domain, picture=None, verbose=False):
    """Run all cases; return whether the result is as it should be."""
    if picture is not None:
        check_picture(picture)
    dyn, runs = kd.Dynamics(robot), []
    for case in CASES:
        print(f'{robot.name}, lock-step at {RATE:g} Hz: {case.name} ...', flush=True)
        with FlexibleGraph(domain, joint_names=robot.joint_names, verbose=verbose) as graph:
            graph.start(*parameters(dyn, case))
            runs.append(follow(graph, dyn, case.name, case.shaped))
    if picture is not None:
        try:
            picture_of_tracking(
                f'{robot.name}: the same PD gains, four ways to drive it',
                [(run.name, run.t, abs(run.error).max(axis=1), run.deflection, run.end)
                 for run in runs], picture)
            print(f'picture: {picture}')
        except MissingDependencyError as error:
            print(f'no picture: {error}')
    return report(runs, way_of(robot).better)
