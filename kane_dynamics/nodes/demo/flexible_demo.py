# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible demo: a fast motion of a flexible arm, driven by four methods.

PD alone, with the torque of the rigid arm, with that of the flexible arm, and the latter along the
input-shaped motion: the same gains and the same simulated arm, in lock-step. Exact torque for the
joints does not prevent vibration of the tip; input shaping does, but the motion takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TYPE_CHECKING

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.qos import QoSProfile

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.figure_file import check_picture
from kane_dynamics.analysis.pictures.tracking_picture import picture_of_tracking, TrackingRun
from kane_dynamics.analysis.vibration.modal_shaper import modal_shaper
from kane_dynamics.exceptions import InputError, KaneDynamicsError, MissingDependencyError
from kane_dynamics.nodes.common.arm import tip_link
from kane_dynamics.nodes.demo.demo_graph import DemoGraph
from kane_dynamics.nodes.messages.conversions import nanoseconds
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.input_shaping import shaped
from kane_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

RATE = 2000.0       # [Hz] of simulated time
LEAD, REST = 0.5, 1.0   # [s] before and after the motion
DAMPED, FAST = 0.3, 60.0    # see `gains`


class DemoMotion(NamedTuple):
    """A motion from rest to rest, and the expected benefit of flexible feedforward."""

    start: list[float]      # [rad]
    end: list[float]        # [rad]
    time: float             # [s]
    better: float           # least ratio of the joint errors (largest, RMS), rigid to flexible


MOTIONS = {
    'flexible_3r': DemoMotion([0.0, 0.6, -1.0], [0.75, 0.85, -0.7], 0.5, 1000.0),
    'flexible_six_axis': DemoMotion([0.0, -0.8, 1.2, 0.0, 0.6, 0.0],
                                    [0.8, -0.2, 0.6, 0.5, 0.9, 1.0], 0.6, 20.0)}


class Case(NamedTuple):
    """A method to drive the arm: parameters of the feedforward node, and input shaping or not."""

    name: str
    settings: dict[str, Any]
    shaped: bool = False


CASES = (Case('PD alone', {'elastic': 'rigid', 'feedforward_scale': 0.0}),
         Case('rigid feedforward', {'elastic': 'rigid'}),
         Case('flexible feedforward', {'elastic': 'dynamic'}),
         Case('flexible, shaped', {'elastic': 'dynamic'}, shaped=True))


class Run(NamedTuple):
    """A recorded motion: times t (N,) from its start [s], and N rows each."""

    name: str
    end: float              # of the motion [s]
    t: FloatArray
    error: FloatArray       # (N, n) of the joints [rad]
    deflection: FloatArray  # (N, 3) of the tip [m]
    tip: FloatArray         # (N, 3) position of the tip [m]

    @property
    def largest(self) -> float:
        """Return the largest joint error during the motion [rad]."""
        return float(abs(self.error[self.t <= self.end]).max())

    @property
    def rms(self) -> float:
        """Return the RMS joint error during the motion [rad]."""
        return float(np.sqrt((self.error[self.t <= self.end]**2).mean()))

    @property
    def swing(self) -> float:
        """Return the residual vibration of the tip after the motion, peak to peak [m]."""
        after = self.tip[self.t > self.end]
        after = after - after.mean(axis=0)
        return float(np.ptp(after @ np.linalg.svd(after, full_matrices=False)[2][0]))


class FlexibleGraph(DemoGraph):
    """A DemoGraph that also records the tip deflection of the simulator."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._tips: list[Vector3Stamped] = []
        self._node.create_subscription(Vector3Stamped, 'simulator/tip_deflection',
                                       self._tips.append, QoSProfile(depth=1000))

    def deflections(self) -> dict[int, tuple[float, float, float]]:
        """Return {stamp [ns]: (3,) deflection of the tip [m]} of the messages received."""
        return {nanoseconds(each.header.stamp): (each.vector.x, each.vector.y, each.vector.z)
                for each in list(self._tips)}


def motion_of(robot: Robot) -> DemoMotion:
    """Return the DemoMotion of an arm."""
    if robot.name not in MOTIONS:
        raise InputError(f'the flexible demo has no motion for {robot.name!r}; it has motions for '
                         f'{list(MOTIONS)}')
    return MOTIONS[robot.name]


def trajectory(dyn: Dynamics, with_shaper: bool) -> Trajectory:
    """Return the motion of an arm, optionally shaped for the two lowest modes at its end."""
    start, end, time, _ = motion_of(dyn.robot)
    rest = np.zeros((2, len(start)))
    straight = Trajectory(dyn.robot.joint_names, [0.0, time], [start, end], rest, rest)
    return shaped(straight, modal_shaper(dyn, [end], 'zvd', count=2)) if with_shaper else straight


def gains(dyn: Dynamics) -> tuple[FloatArray, FloatArray]:
    """Return gains p (n,) [N m/rad] and d (n,) [N m s/rad] that are stable for the arm.

    A joint accelerates the near part of the arm directly, the rest only through flexible links. A
    sampled damping d is stable up to 2 inertia / period of the near part. So d is DAMPED times
    inertia / period, but at most what damps the whole arm at FAST [rad/s].
    """
    masses = [dyn.mass_matrix(kd.static_sag(dyn, q)) for q in motion_of(dyn.robot)[:2]]
    n = dyn.robot.n_joints
    near = np.min([1.0 / np.diag(np.linalg.inv(M))[:n] for M in masses], axis=0)
    whole = np.min([np.diag(M)[:n] for M in masses], axis=0)
    d = np.minimum(DAMPED * near * RATE, 1.4 * FAST * whole)
    return np.minimum(FAST * d, FAST**2 * whole), d


def parameters(dyn: Dynamics, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of the simulator and of the feedforward node."""
    text, (p, d) = dyn.robot.to_urdf(), gains(dyn)
    simulator = {'robot_description': text, 'update_rate': RATE, 'lock_step': True,
                 'initial_positions': motion_of(dyn.robot).start, 'command_timeout': 0.5,
                 'model_check.samples': 0}
    controller = {
        'robot_description': text, 'use_sim_time': True, 'update_rate': RATE,
        'trigger': 'joint_states', 'mode': 'computed_torque', 'feedback': 'pd',
        'gains.p': p.tolist(), 'gains.d': d.tolist(), 'ramp_time': 0.0,
        'friction.smoothing_speed': 1e-4, 'publish_trajectory_with_effort': False,
        'lead_time': 0.5 / RATE,    # to the middle of the period in which the torque acts
        'model_check.samples': 0, **case.settings}
    return simulator, controller


def follow(graph: FlexibleGraph, dyn: Dynamics, name: str, with_shaper: bool = False,
           lead: float = LEAD) -> Run:
    """Send the motion through a FlexibleGraph; return the Run."""
    robot, reference = dyn.robot, trajectory(dyn, with_shaper)
    start, end = graph.send(reference, lead), float(reference.times[-1])
    stamps, positions = graph.follow(start, start + round((end + REST) * 1e9))
    deflections = graph.deflections()
    seen = [k for k, stamp in enumerate(stamps) if stamp in deflections]
    if len(seen) < 0.5 * (end + REST) * RATE:
        raise KaneDynamicsError(f'{name}: only {len(seen)} states have a tip deflection')
    stamps, positions = stamps[seen], positions[seen]
    deflection = np.array([deflections[stamp] for stamp in stamps])
    t = (stamps - start).astype(float) * 1e-9
    _, straight = kd.Dynamics(robot.rigid()).frame_pose_many(tip_link(robot, ''), positions)
    error = positions - reference.sample_many(t)[0]
    return Run(name, end, t, error, deflection, straight + deflection)


def report(runs: Sequence[Run], expected: float, print: Callable[[str], object] = print) -> bool:
    """Print a table of the runs; return whether the benefit is at least `expected`."""
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
          + f'; with input shaping, the tip vibrates {calmer:.0f} times less')
    return well


def demonstrate_running(robot: Robot) -> float:
    """Print the tracking errors of the running nodes; return the largest error [rad]."""
    dyn = kd.Dynamics(robot)
    with FlexibleGraph(None, robot.joint_names) as graph:
        found = follow(graph, dyn, 'these nodes', lead=1.0)
    print(f'largest joint error {found.largest:.2e} rad, RMS {found.rms:.2e} rad; vibration of '
          f'the tip after the end {1e3 * found.swing:.3f} mm')
    return found.largest


def demonstrate(robot: Robot, domain: int, picture: Path | None = None,
                verbose: bool = False) -> bool:
    """Run all cases; return whether the result is as expected."""
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
                f'{robot.name}: four methods with the same PD gains',
                [TrackingRun(run.name, run.t, abs(run.error).max(axis=1), run.deflection, run.end)
                 for run in runs], picture)
            print(f'picture: {picture}')
        except MissingDependencyError as error:
            print(f'no picture: {error}')
    return report(runs, motion_of(robot).better)
