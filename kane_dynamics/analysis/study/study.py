# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A task with its arm and limits (`Study`), and the result of checking it (`Analysis`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import math
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.analysis.collision.collision_check import (
    check_collisions, CollisionReport, Surroundings)
from kane_dynamics.analysis.study.link_beam import LinkBeam, SectionBeam
from kane_dynamics.analysis.study.link_deflection import (
    tip_deflection, TipDeflection, vibration_bound)
from kane_dynamics.analysis.study.link_states import energies, link_poses
from kane_dynamics.analysis.study.loads import (
    BeamStress, held_wrench, link_stress, Loads, loads_of)
from kane_dynamics.analysis.study.power import joint_uses, JointUse
from kane_dynamics.analysis.study.scope import Scope, scope_of
from kane_dynamics.analysis.study.speed_factor import largest_speed_factor, SpeedFactor
from kane_dynamics.analysis.study.verdict import (
    Check, collision_checks, drive_checks, joint_checks, stress_checks, total_within, Verdict,
    verdict, within)
from kane_dynamics.dynamics.drives.dc_drive import DcDrive, MotorDemand
from kane_dynamics.dynamics.drives.hydraulic import HydraulicDemand, HydraulicDrive
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.shown import Shown
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import LimitArrays
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.motion import Motion

Drive: TypeAlias = DcDrive | HydraulicDrive
Demand: TypeAlias = MotorDemand | HydraulicDemand


class HeldPayload(NamedTuple):
    """A body that a link holds: mass [kg], com (3,) [m], inertia (3, 3) [kg m^2], link frame."""

    link: str
    mass: float
    com: FloatArray
    inertia: FloatArray
    max_force: float = math.inf     # of the grip [N]
    max_moment: float = math.inf    # of the grip, about the link's origin [N m]


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """An arm, its motion, and the limits that it is checked against.

    dynamics: of the rigid arm with its payloads and friction; motion: of its joints; frame: the
    link whose path is reported; limits: of the joints, those of the robot if None; safety: factor
    on the strength of links.
    """

    name: str
    dynamics: Dynamics
    motion: Motion
    frame: str
    payloads: tuple[HeldPayload, ...] = ()
    drives: Mapping[str, Drive] = field(default_factory=dict)     # {joint: drive}
    beams: tuple[SectionBeam, ...] = ()
    flexible_beams: tuple[LinkBeam, ...] = ()   # of the flexible links, for deflection alone
    limits: LimitArrays | None = None
    safety: float = 2.0
    max_energy: float = math.inf        # absolute work of the joints [J]
    max_deflection: float = math.inf    # of the frame, with vibration [m]
    source: str = ''                    # the task file
    folder: str | None = None           # of the URDF, to resolve its mesh files
    surroundings: Surroundings = Surroundings()

    def __repr__(self) -> str:
        return f'Study({self.name!r}, {self.robot!r}, {self.motion!r})'

    @property
    def robot(self) -> Robot:
        """Return the arm with its payloads."""
        return self.dynamics.robot

    @property
    def all_beams(self) -> tuple[LinkBeam, ...]:
        """Return a beam per link: with its section where it is known."""
        known = {beam.link for beam in self.beams}
        return (*self.beams, *(beam for beam in self.flexible_beams if beam.link not in known))


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis(Shown):
    """The result of a Study; arrays are of the N samples of its motion."""

    study: Study
    loads: Loads
    uses: tuple[JointUse, ...]          # per joint
    demands: dict[str, Demand]          # {joint: demand on its drive}
    stresses: dict[str, BeamStress]     # {link: stress}
    grips: tuple[FloatArray, ...]       # (N, 6) per payload
    tip: FloatArray                     # (N, 3) [m], path of the frame
    energy: FloatArray                  # kinetic and potential (N, 2) [J]
    verdict: Verdict
    speed_factor: SpeedFactor
    collisions: CollisionReport
    deflection: TipDeflection | None = None     # of the frame; None without beams
    bound: FloatArray | None = None             # of its size with vibration (N,) [m]

    def __repr__(self) -> str:
        failed = sum(not check.passed for check in self.verdict.checks)
        return (f'Analysis({self.study.name!r}, {len(self.verdict.checks)} checks, '
                f'{failed} failed)')

    @property
    def scope(self) -> Scope:
        """Return which limits the verdict covers, and which it does not."""
        return scope_of(self.study, self.verdict.checks, bool(self.collisions.pairs))

    @property
    def absolute_work(self) -> float:
        """Return the absolute work of all joints [J]."""
        return sum(use.absolute_work for use in self.uses)


class _Effects(NamedTuple):
    """Effects of the Loads of a motion on drives, links and grips."""

    demands: dict[str, Demand]
    stresses: dict[str, BeamStress]
    grips: tuple[FloatArray, ...]
    deflection: TipDeflection | None
    bound: FloatArray | None


def analyse(study: Study, find_speed_factor: bool = True) -> Analysis:
    """Return the Analysis of a Study.

    find_speed_factor: also search for the largest factor of the speed within all limits.
    """
    loads = loads_of(study.dynamics, study.motion)
    sag = _sag(study, loads)
    effects = _effects(study, loads, sag)
    collisions = _collisions(study, loads)
    found = verdict([*_checks(study, loads, effects), *collision_checks(collisions)],
                    _unjudged(study))
    factor = SpeedFactor(None)
    if find_speed_factor and found.computed:
        limited = sag if math.isfinite(study.max_deflection) else None
        factor = largest_speed_factor(
            study.dynamics, loads, lambda scaled: _judged(study, scaled, limited), found)
    return Analysis(
        study=study, loads=loads, uses=joint_uses(study.motion, loads.tau),
        tip=loads.links[study.robot.link(study.frame).name].p,
        energy=energies(study.robot, study.motion, loads.links),
        verdict=found, speed_factor=factor, collisions=collisions, **effects._asdict())


def _collisions(study: Study, loads: Loads) -> CollisionReport:
    """Return the CollisionReport of the motion.

    Links that touch at q = 0, or at the nearest q within the limits, are not checked.
    """
    robot = study.robot
    reference = np.clip(np.zeros(robot.n_joints), robot.limits.lower, robot.limits.upper)
    return check_collisions(
        robot, study.motion.t, {name: (state.R, state.p) for name, state in loads.links.items()},
        link_poses(robot, reference[None]), study.surroundings, study.folder)


def judge(study: Study, motion: Motion) -> Verdict:
    """Return the Verdict on another motion of the same study, collisions not included."""
    loads = loads_of(study.dynamics, motion)
    sag = _sag(study, loads) if math.isfinite(study.max_deflection) else None
    return _judged(study, loads, sag)


def _judged(study: Study, loads: Loads, sag: FloatArray | None) -> Verdict:
    return verdict(_checks(study, loads, _effects(study, loads, sag)))


def _sag(study: Study, loads: Loads) -> FloatArray | None:
    """Return the displacement (3,) [m] of the frame at rest, before the motion; None: no beams."""
    if not study.all_beams:
        return None
    rest = loads.at_rest(study.dynamics)
    return tip_deflection(study.robot, rest, study.all_beams, study.frame).u[0]


def _effects(study: Study, loads: Loads, sag: FloatArray | None) -> _Effects:
    """Return the effects of Loads; the deflection only where the sag (3,) is given."""
    motion, robot = loads.motion, study.robot
    demands = {}
    for name, drive in study.drives.items():
        k = robot.joint_index(name)
        demands[name] = drive.demand(motion.t, loads.tau[:, k], motion.q[:, k], motion.qd[:, k],
                                     motion.qdd[:, k])
    stresses = {beam.link: link_stress(robot, loads, beam) for beam in study.beams}
    grips = tuple(held_wrench(loads.links[robot.link(payload.link).name], robot.gravity,
                              payload.mass, payload.com, payload.inertia)
                  for payload in study.payloads)
    if sag is None:
        return _Effects(demands, stresses, grips, None, None)
    deflection = tip_deflection(robot, loads, study.all_beams, study.frame)
    return _Effects(demands, stresses, grips, deflection,
                    vibration_bound(motion, deflection.u, sag))


def _checks(study: Study, loads: Loads, effects: _Effects) -> list[Check]:
    """Return the Checks of all limits that are given."""
    motion = loads.motion
    checks = joint_checks(study.robot, motion, loads.tau, study.limits)
    for name, demand in effects.demands.items():
        tau = loads.tau[:, study.robot.joint_index(name)]
        checks += drive_checks(name, study.drives[name], motion.t, tau, demand)
    for beam in study.beams:
        checks += stress_checks(beam, motion.t, effects.stresses[beam.link], study.safety)
    for payload, grip in zip(study.payloads, effects.grips):
        for kind, part, limit, unit in (('grip force', grip[:, :3], payload.max_force, 'N'),
                                        ('grip moment', grip[:, 3:], payload.max_moment, 'N m')):
            if math.isfinite(limit):
                size = np.asarray(np.linalg.norm(part, axis=1), dtype=np.float64)
                checks.append(within(payload.link, kind, motion.t, size, limit, unit))
    if effects.bound is not None and math.isfinite(study.max_deflection):
        checks.append(within(study.frame, 'deflection', motion.t, effects.bound,
                             study.max_deflection, 'm'))
    if math.isfinite(study.max_energy):
        work = sum(use.absolute_work for use in joint_uses(motion, loads.tau))
        checks.append(total_within('arm', 'energy', work, study.max_energy, 'J'))
    return checks


def _unjudged(study: Study) -> list[str]:
    """Return sentences on limits that are not given and therefore not checked."""
    robot, limits = study.robot, study.robot.limits if study.limits is None else study.limits
    notes = []
    for kind, values in (('torque', limits.effort), ('speed', limits.velocity)):
        names = [name for name, value in zip(robot.joint_names, values)
                 if not math.isfinite(value)]
        if names:
            notes.append(f'no {kind} limit is given for {", ".join(names)}')
    without = [name for name in robot.joint_names if name not in study.drives]
    if len(without) == robot.n_joints:
        notes.append('no motors are given: drives are judged by the torque and speed limits alone')
    elif without:
        notes.append(f'no motor is given for {", ".join(without)}')
    if not study.beams:
        notes.append('no sections are given: the strength of links is not judged')
    if not math.isfinite(study.max_deflection):
        notes.append('no limit of deflection is given')
    elif not study.all_beams:
        notes.append('no sections are given: the limit of deflection is not judged')
    return notes
