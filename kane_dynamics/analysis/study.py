# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A task for an arm with all that bears it, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.link_deflection import (
    tip_deflection, TipDeflection, vibration_bound)
from kane_dynamics.analysis.link_poses import energies, link_poses
from kane_dynamics.analysis.loads import held_wrench, link_stress, Loads, loads_of
from kane_dynamics.analysis.pace import largest_pace, Pace
from kane_dynamics.analysis.power import joint_uses
from kane_dynamics.analysis.sizing import (
    checked, checked_total, drive_checks, joint_checks, stress_checks, Verdict, verdict)
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.model.parts import LimitArrays
from kane_dynamics.model.robot import Robot
from kane_dynamics.motion.recording import Motion


class Payload(NamedTuple):
    """A body that a link holds: mass [kg], com (3,) [m], inertia (3, 3) [kg m^2], link frame."""

    link: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    max_force: float = math.inf     # that the grip bears [N]
    max_moment: float = math.inf    # about the link's origin [N m]


@dataclass(frozen=True, eq=False)
class Study:
    """An arm, its motion, and the limits that it is judged by.

    dynamics: of the rigid arm with its payloads and friction; motion: of its joints; drives {joint
    name: drive}, beams (`LinkBeam`), payloads: as many as are known; limits: of the joints;
    safety: factor on the strength of links; frame: the link whose path is told.
    """

    name: str
    dynamics: Dynamics
    motion: Motion
    frame: str
    payloads: tuple[Payload, ...] = ()
    drives: dict = field(default_factory=dict)
    beams: tuple = ()
    soft: tuple = ()                    # `StiffBeam`s of the flexible links, for deflection alone
    limits: LimitArrays | None = None
    safety: float = 2.0
    max_energy: float = math.inf        # absolute work of the joints [J]
    max_deflection: float = math.inf    # of the frame, with vibration [m]
    source: str = ''                    # the task file
    folder: str | None = None           # of the URDF, where its meshes are looked for

    @property
    def robot(self) -> Robot:
        """Return the arm with its payloads."""
        return self.dynamics.robot


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a Study came to; arrays are of the N samples of its motion."""

    study: Study
    loads: Loads
    uses: tuple                 # JointUse per joint
    demands: dict               # {joint: MotorDemand or HydraulicDemand}
    stresses: dict              # {link: Stress}
    grips: tuple                # (N, 6) per payload
    tip: np.ndarray             # (N, 3) [m], where the frame goes
    energy: np.ndarray          # kinetic and potential (N, 2) [J]
    verdict: Verdict
    pace: Pace
    deflection: TipDeflection | None = None     # of the frame; None without sections
    bound: np.ndarray | None = None             # of its size with vibration (N,) [m]

    @property
    def absolute_work(self):
        """Return the absolute work of all joints [J]."""
        return sum(use.absolute_work for use in self.uses)


def analyse(study, pace=True):
    """Return the Analysis of a Study; pace: also look how much faster or slower it could be."""
    dynamics, motion = study.dynamics, study.motion
    loads = loads_of(dynamics, motion)
    demands, stresses, grips = _consequences(study, loads)
    deflection, bound = _deflected(study, loads)
    found = _judged(study, loads, demands, stresses, grips, bound)
    found = verdict(found.checks, _unjudged(study))
    return Analysis(
        study, loads, joint_uses(motion, loads.tau), demands, stresses, grips,
        link_poses(study.robot, motion.q)[study.frame][1], energies(study.robot, motion), found,
        largest_pace(motion, lambda faster: judge(study, faster), found) if pace else Pace(None),
        deflection, bound)


def judge(study, motion):
    """Return the Verdict on another motion of the same study."""
    loads = loads_of(study.dynamics, motion)
    bound = _deflected(study, loads)[1] if math.isfinite(study.max_deflection) else None
    return _judged(study, loads, *_consequences(study, loads), bound)


def _deflected(study, loads):
    known = {beam.link for beam in study.beams}
    beams = (*study.beams, *(beam for beam in study.soft if beam.link not in known))
    if not beams:
        return None, None
    motion = loads.motion
    found = tip_deflection(study.robot, loads, beams, study.frame)
    still = np.zeros((1, motion.q.shape[1]))
    rest = loads_of(study.dynamics, Motion(motion.t[:1], motion.q[:1], still, still))
    at_rest = tip_deflection(study.robot, rest, beams, study.frame).u[0]
    return found, vibration_bound(motion, found.u, at_rest)


def _consequences(study, loads):
    motion, names = loads.motion, study.robot.joint_names
    demands = {}
    for name, drive in study.drives.items():
        k = names.index(name)
        demands[name] = drive.demand(motion.t, loads.tau[:, k], motion.q[:, k], motion.qd[:, k],
                                     motion.qdd[:, k])
    stresses = {beam.link: link_stress(study.robot, loads, beam) for beam in study.beams}
    grips = tuple(held_wrench(study.robot, motion, *payload[:4]) for payload in study.payloads)
    return demands, stresses, grips


def _judged(study, loads, demands, stresses, grips, bound):
    motion = loads.motion
    checks = joint_checks(study.robot, motion, loads.tau, study.limits)
    for name, demand in demands.items():
        tau = loads.tau[:, study.robot.joint_names.index(name)]
        checks += drive_checks(name, study.drives[name], motion.t, tau, demand)
    for beam in study.beams:
        checks += stress_checks(beam, motion.t, stresses[beam.link], study.safety)
    for payload, grip in zip(study.payloads, grips):
        for kind, part, limit, unit in (('grip force', grip[:, :3], payload.max_force, 'N'),
                                        ('grip moment', grip[:, 3:], payload.max_moment, 'N m')):
            if math.isfinite(limit):
                checks.append(checked(payload.link, kind, motion.t,
                                      np.linalg.norm(part, axis=1), limit, unit))
    if bound is not None and math.isfinite(study.max_deflection):
        checks.append(checked(study.frame, 'deflection', motion.t, bound, study.max_deflection,
                              'm'))
    if math.isfinite(study.max_energy):
        work = sum(use.absolute_work for use in joint_uses(motion, loads.tau))
        checks.append(checked_total('arm', 'energy', work, study.max_energy, 'J'))
    return verdict(checks)


def _unjudged(study):
    """Return sentences on what cannot be judged, because nobody said what is allowed."""
    robot, limits = study.robot, study.robot.limits if study.limits is None else study.limits
    said = []
    for kind, values in (('torque', limits.effort), ('speed', limits.velocity)):
        names = [name for name, value in zip(robot.joint_names, values)
                 if not math.isfinite(value)]
        if names:
            said.append(f'no {kind} limit is given for {", ".join(names)}')
    without = [name for name in robot.joint_names if name not in study.drives]
    if len(without) == robot.n_joints:
        said.append('no motors are given: drives are judged by the torque and speed limits alone')
    elif without:
        said.append(f'no motor is given for {", ".join(without)}')
    if not study.beams:
        said.append('no sections are given: the strength of links is not judged')
    if not math.isfinite(study.max_deflection):
        said.append('no limit of deflection is given')
    elif not study.beams and not study.soft:
        said.append('no sections are given: the limit of deflection is not judged')
    return said
