# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Verdict on a motion: one check per limit of the arm.

The limitations of Vukobratovic and Potkonjak (1982, 5.2): reach, stress, drives, deflection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
import math
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.collision.collision_check import CollisionReport
from kane_dynamics.analysis.study.power import rms
from kane_dynamics.dynamics.drives.dc_drive import DcDrive, MotorDemand
from kane_dynamics.dynamics.drives.hydraulic import HydraulicDemand, HydraulicDrive
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.analysis.study.link_beam import SectionBeam
    from kane_dynamics.analysis.study.loads import BeamStress
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.links_and_joints import LimitArrays
    from kane_dynamics.trajectory.motion import Motion

COLLISION = 'collision'
ROUNDING = 1e-9     # excess that passes, as a fraction of the limit: plans use limits fully


@dataclass(frozen=True)
class Check:
    """The use of one limit by a motion.

    usage: fraction of the limit at the worst instant; margin = 1 - usage; both infinite where the
    value is not a finite number, which fails. lower, upper: the interval, where the limits are not
    +- limit. time [s]: the worst instant, None for values of the
    whole task; first [s]: when the limit is exceeded for the first time, None where it holds;
    fraction: of the samples beyond the limit; history (N,): usage at all samples, None for values
    of the whole task.
    """

    subject: str            # joint, link or frame
    kind: str               # 'torque', 'speed', ...
    value: float
    limit: float
    unit: str
    usage: float
    time: float | None = None
    first: float | None = None
    fraction: float = 0.0
    history: FloatArray | None = field(default=None, repr=False, compare=False)
    lower: float | None = None
    upper: float | None = None

    @property
    def margin(self) -> float:
        """Return the unused fraction of the limit; negative where it is exceeded."""
        return 1.0 - self.usage

    @property
    def passed(self) -> bool:
        """Return whether the limit holds; False where it cannot be computed."""
        return bool(self.usage <= 1.0 + ROUNDING)

    @property
    def reason(self) -> str | None:
        """Return why the check cannot be computed; None where it can."""
        if math.isfinite(self.value):
            return None
        kind = 'not a number' if math.isnan(self.value) else 'infinite'
        return f'cannot be computed: {kind}{self._when}'

    @property
    def _when(self) -> str:
        return '' if self.time is None else f' at t = {self.time:.3f} s'

    def __str__(self) -> str:
        if self.reason is not None:
            return f'{self.subject}: {self.kind} {self.reason}'
        if self.kind == COLLISION:
            return f'{self.subject} collide, at most {1e3 * self.value:.0f} mm deep{self._when}'
        verb = 'is within' if self.passed else 'exceeds'
        allowed = f'{self.limit:.4g}' if self.lower is None or self.upper is None else (
            f'[{self.lower:.4g}, {self.upper:.4g}]')
        return (f'{self.subject}: {self.kind} {self.value:.4g} {self.unit} {verb} '
                f'{allowed} {self.unit}{self._when}, margin {100.0 * self.margin:+.0f} %')


@dataclass(frozen=True)
class Verdict:
    """All checks of a task, worst first; `unjudged`: sentences on missing limits."""

    checks: tuple[Check, ...]
    unjudged: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether every limit holds."""
        return all(check.passed for check in self.checks)

    @property
    def computed(self) -> bool:
        """Return whether every check has a finite value."""
        return all(check.reason is None for check in self.checks)

    @property
    def worst(self) -> Check | None:
        """Return the check with the least margin, or None without checks.

        A position within its range is no load and comes last, however close to its limit.
        """
        return next(iter(self.tightest), None)

    @property
    def tightest(self) -> list[Check]:
        """Return all checks, the least margin first; positions within their range come last."""
        return sorted(self.checks, key=lambda check: check.kind == 'position' and check.passed)

    def of(self, subject: str) -> tuple[Check, ...]:
        """Return the checks of a joint, link or frame, worst first."""
        return tuple(check for check in self.checks if check.subject == subject)

    def subjects(self) -> dict[str, Verdict]:
        """Return {joint, link or frame: its Verdict}, in the order of their worst checks."""
        parts = {name: Verdict(self.of(name))
                 for name in dict.fromkeys(check.subject for check in self.checks)}

        def rank(part: tuple[str, Verdict]) -> tuple[bool, float]:
            worst = part[1].worst
            return part[1].passed, 0.0 if worst is None else -worst.usage
        return dict(sorted(parts.items(), key=rank))


def verdict(checks: Iterable[Check], unjudged: Iterable[str] = ()) -> Verdict:
    """Return the Verdict of checks in any order."""
    def rank(check: Check) -> tuple[float, float, str, str]:
        depth = check.value if check.kind == COLLISION else 0.0
        return -check.usage, -depth, check.subject, check.kind
    ordered = sorted(checks, key=rank)
    return Verdict(tuple(ordered), tuple(unjudged))


def within(subject: str, kind: str, t: FloatArray, values: FloatArray, limit: float,
           unit: str) -> Check:
    """Return the Check of values (N,) that must stay within +- limit, at times t (N,)."""
    size = np.abs(values)
    k = int(np.argmax(size))
    return _check(subject, kind, t, float(values[k]), limit, unit, _usage(size, limit), k)


def within_range(subject: str, kind: str, t: FloatArray, values: FloatArray, lower: float,
                 upper: float, unit: str) -> Check:
    """Return the Check of values (N,) that must stay between two limits."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    usage = _usage(np.abs(values - middle), half)
    k = int(np.argmax(usage))
    limit = lower if values[k] < middle else upper
    check = _check(subject, kind, t, float(values[k]), limit, unit, usage, k)
    return replace(check, lower=float(lower), upper=float(upper))


def total_within(subject: str, kind: str, value: float, limit: float, unit: str) -> Check:
    """Return the Check of one number for the whole task."""
    usage = float(_usage(np.array([abs(value)]), limit)[0])
    return Check(subject, kind, float(value), float(limit), unit, usage)


def _check(subject: str, kind: str, t: FloatArray, value: float, limit: float, unit: str,
           usage: FloatArray, k: int) -> Check:
    """Return the Check of the value at the worst sample k, with the usage (N,) of all samples."""
    beyond = usage > 1.0 + ROUNDING
    return Check(subject, kind, value, float(limit), unit, float(usage[k]), float(t[k]),
                 float(t[np.argmax(beyond)]) if beyond.any() else None, float(beyond.mean()),
                 usage)


def _usage(size: FloatArray, limit: float) -> FloatArray:
    # infinite above a limit of zero, and where the value is not a finite number
    with np.errstate(divide='ignore', invalid='ignore'):
        usage = np.where(size == 0.0, 0.0, size / limit)
    return np.where(np.isfinite(size), usage, np.inf)


def collision_checks(report: CollisionReport) -> list[Check]:
    """Return a failed Check per pair of links that collide; its value is the depth [m]."""
    return [Check(pair.names, COLLISION, -pair.distance, 0.0, 'm', math.inf, pair.time, pair.first,
                  float(pair.colliding.mean()), np.where(pair.colliding, math.inf, 0.0))
            for pair in report.collisions]


def joint_checks(robot: Robot, motion: Motion, tau: FloatArray,
                 limits: LimitArrays | None = None) -> list[Check]:
    """Return Checks of position, speed and effort against the limits of the URDF.

    limits: used instead; infinite ones are not checked.
    """
    limits = robot.limits if limits is None else limits
    checks = []
    for k, joint in enumerate(robot.independent_joints):
        if math.isfinite(limits.lower[k]) and math.isfinite(limits.upper[k]):
            checks.append(within_range(joint.name, 'position', motion.t, motion.q[:, k],
                                       limits.lower[k], limits.upper[k], joint.unit))
        for kind, values, limit, unit in (
                ('speed', motion.qd, limits.velocity[k], f'{joint.unit}/s'),
                ('torque', tau, limits.effort[k], joint.effort_unit)):
            # a value that is not a finite number fails even without a limit
            if math.isfinite(limit) or not np.isfinite(values[:, k]).all():
                checks.append(within(joint.name, kind, motion.t, values[:, k], limit, unit))
    return checks


def drive_checks(name: str, drive: DcDrive | HydraulicDrive, t: FloatArray, tau: FloatArray,
                 demand: MotorDemand | HydraulicDemand) -> list[Check]:
    """Return Checks of a joint's motor and gear, or cylinder, under the demand of a motion."""
    if isinstance(demand, MotorDemand) and isinstance(drive, DcDrive):
        return _motor_checks(name, drive, t, tau, demand)
    checks = []
    if isinstance(demand, HydraulicDemand) and isinstance(drive, HydraulicDrive):
        for kind, values, limit, unit in (
                ('pressure', demand.pressure, drive.supply_pressure, 'Pa'),
                ('valve current', demand.input, drive.max_input, 'A')):
            if math.isfinite(limit):
                checks.append(within(name, kind, t, values, limit, unit))
    return checks


def _motor_checks(name: str, drive: DcDrive, t: FloatArray, tau: FloatArray,
                  demand: MotorDemand) -> list[Check]:
    motor, gear = drive.motor, drive.gear
    checks = []
    for kind, values, limit, unit in (
            ('motor current', demand.current, motor.max_current, 'A'),
            ('motor voltage', demand.voltage, motor.max_voltage, 'V'),
            ('motor speed', demand.speed, min(motor.max_speed, gear.max_input_speed), 'rad/s'),
            ('gear torque', tau, gear.max_torque, 'N m')):
        if math.isfinite(limit):
            checks.append(within(name, kind, t, values, limit, unit))
    for kind, values, limit, unit in (
            ('motor current, r.m.s.', demand.current, motor.continuous_current, 'A'),
            ('gear torque, r.m.s.', tau, gear.rated_torque, 'N m')):
        if math.isfinite(limit):
            checks.append(total_within(name, kind, float(rms(t, values)), limit, unit))
    if math.isfinite(motor.max_temperature_rise) and motor.thermal_resistance > 0.0:
        # a task that is repeated for long: the steady rise of its mean loss
        rise = motor.thermal_resistance * motor.resistance * float(rms(t, demand.current))**2
        checks.append(total_within(name, 'winding temperature rise', rise,
                                   motor.max_temperature_rise, 'K'))
    return checks


def stress_checks(beam: SectionBeam, t: FloatArray, found: BeamStress,
                  safety: float) -> list[Check]:
    """Return Checks of a BeamStress against the strength of the material / safety factor."""
    strength, shear = beam.material.strength, beam.material.shear_strength
    assert shear is not None       # Material sets it where it is not given
    return [within(beam.link, 'stress', t, found.equivalent, strength / safety, 'Pa'),
            within(beam.link, 'torsion stress', t, found.shear, shear / safety, 'Pa')]
