# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an arm can do what a motion asks: one check per limit, and a verdict of them all.

The limitations of Vukobratovic and Potkonjak (1982, 5.2): reach, stress, drives, deflection.
"""

from __future__ import annotations

from dataclasses import dataclass, field
import math

import numpy as np

from kane_dynamics.analysis.power import rms
from kane_dynamics.dynamics.dc_drive import DcDrive, MotorDemand

ROUNDING = 1e-9     # share of a limit that is no violation: plans go exactly to their limits


@dataclass(frozen=True)
class Check:
    """One limit against what a motion makes of it.

    usage: share of the limit at the worst moment (1: exactly there); margin = 1 - usage;
    time [s]: the worst moment, None for what counts over the whole task; first: when the limit is
    passed for the first time, None where it holds; share: part of the samples beyond it; history:
    usage at all samples, None for what counts over the whole task.
    """

    subject: str            # joint, link or frame
    kind: str               # 'torque', 'speed', ...
    value: float
    limit: float
    unit: str
    usage: float
    time: float | None = None
    first: float | None = None
    share: float = 0.0
    history: np.ndarray | None = field(default=None, repr=False, compare=False)

    @property
    def margin(self):
        """Return what is left of the limit, as a share of it; negative where it is passed."""
        return 1.0 - self.usage

    @property
    def passed(self):
        """Return whether the limit holds."""
        return bool(self.usage <= 1.0 + ROUNDING)

    def __str__(self):
        when = '' if self.time is None else f' at t = {self.time:.3f} s'
        verb = 'is within' if self.passed else 'exceeds'
        return (f'{self.subject}: {self.kind} {self.value:.4g} {self.unit} {verb} '
                f'{self.limit:.4g} {self.unit}{when}, margin {100.0 * self.margin:+.0f} %')


@dataclass(frozen=True)
class Verdict:
    """All checks of a task, worst first; `unjudged`: sentences on what no limit was given for."""

    checks: tuple[Check, ...]
    unjudged: tuple[str, ...] = ()

    @property
    def passed(self):
        """Return whether every limit holds."""
        return all(check.passed for check in self.checks)

    @property
    def worst(self):
        """Return the check with the least margin, or None without checks.

        A position within its range is no load: it comes last, however near to the end it is.
        """
        def rank(check):
            return check.kind == 'position' and check.passed
        return min(self.checks, key=rank, default=None)

    def of(self, subject):
        """Return the checks of a joint, link or frame, worst first."""
        return tuple(check for check in self.checks if check.subject == subject)

    def subjects(self):
        """Return {joint, link or frame: its Verdict}, in the order of their worst checks."""
        parts = {name: Verdict(self.of(name))
                 for name in dict.fromkeys(check.subject for check in self.checks)}
        return dict(sorted(parts.items(), key=lambda part: (part[1].passed,
                                                            -part[1].worst.usage)))


def verdict(checks, unjudged=()):
    """Return the Verdict of checks in any order."""
    ordered = sorted(checks, key=lambda check: (-check.usage, check.subject, check.kind))
    return Verdict(tuple(ordered), tuple(unjudged))


def checked(subject, kind, t, values, limit, unit):
    """Return the Check of values (N,) that must stay within +- limit, at times t (N,)."""
    size = np.abs(values)
    k = int(np.argmax(size))
    usage = _share(size, limit)
    beyond = usage > 1.0 + ROUNDING
    return Check(subject, kind, float(values[k]), float(limit), unit, float(usage[k]), float(t[k]),
                 float(t[np.argmax(beyond)]) if beyond.any() else None, float(beyond.mean()),
                 usage)


def checked_range(subject, kind, t, values, lower, upper, unit):
    """Return the Check of values (N,) that must stay between two limits."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    usage = _share(np.abs(values - middle), half)
    k = int(np.argmax(usage))
    beyond = usage > 1.0 + ROUNDING
    return Check(subject, kind, float(values[k]), float(upper if values[k] >= middle else lower),
                 unit, float(usage[k]), float(t[k]),
                 float(t[np.argmax(beyond)]) if beyond.any() else None, float(beyond.mean()),
                 usage)


def checked_total(subject, kind, value, limit, unit):
    """Return the Check of one number for the whole task."""
    usage = float(_share(np.array([abs(value)]), limit)[0])
    return Check(subject, kind, float(value), float(limit), unit, usage)


def _share(size, limit):
    # a limit of zero leaves nothing: whatever is above it is infinitely beyond
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(size > 0.0, size / limit, 0.0)


def joint_checks(robot, motion, tau, limits=None):
    """Return Checks of position, speed and effort against the limits of the URDF.

    limits: `LimitArrays` to use instead; what is infinite is not judged.
    """
    limits = robot.limits if limits is None else limits
    checks = []
    for k, joint in enumerate(robot.independent_joints):
        angle, torque = ('m', 'N') if joint.kind == 'prismatic' else ('rad', 'N m')
        if math.isfinite(limits.lower[k]) and math.isfinite(limits.upper[k]) and (
                joint.kind != 'continuous'):
            checks.append(checked_range(joint.name, 'position', motion.t, motion.q[:, k],
                                        limits.lower[k], limits.upper[k], angle))
        for kind, values, limit, unit in (
                ('speed', motion.qd, limits.velocity[k], f'{angle}/s'),
                ('torque', tau, limits.effort[k], torque)):
            if math.isfinite(limit):
                checks.append(checked(joint.name, kind, motion.t, values[:, k], limit, unit))
    return checks


def drive_checks(name, drive, t, tau, demand):
    """Return Checks of a joint's motor and gear, or cylinder, for what a motion asks of it."""
    if isinstance(demand, MotorDemand) and isinstance(drive, DcDrive):
        return _motor_checks(name, drive, t, tau, demand)
    checks = []
    for kind, values, limit, unit in (
            ('pressure', demand.pressure, drive.supply_pressure, 'Pa'),
            ('valve current', demand.input, drive.max_input, 'A')):
        if math.isfinite(limit):
            checks.append(checked(name, kind, t, values, limit, unit))
    return checks


def _motor_checks(name, drive, t, tau, demand):
    motor, gear = drive.motor, drive.gear
    checks = []
    for kind, values, limit, unit in (
            ('motor current', demand.current, motor.max_current, 'A'),
            ('motor voltage', demand.voltage, motor.max_voltage, 'V'),
            ('motor speed', demand.speed, min(motor.max_speed, gear.max_input_speed), 'rad/s'),
            ('gear torque', tau, gear.max_torque, 'N m')):
        if math.isfinite(limit):
            checks.append(checked(name, kind, t, values, limit, unit))
    for kind, values, limit, unit in (
            ('motor current, r.m.s.', demand.current, motor.continuous_current, 'A'),
            ('gear torque, r.m.s.', tau, gear.rated_torque, 'N m')):
        if math.isfinite(limit):
            checks.append(checked_total(name, kind, rms(t, values), limit, unit))
    if math.isfinite(motor.max_temperature_rise) and motor.thermal_resistance > 0.0:
        # a task that is repeated for long: the steady rise of its mean loss
        rise = motor.thermal_resistance * motor.resistance * rms(t, demand.current)**2
        checks.append(checked_total(name, 'winding temperature rise', rise,
                                    motor.max_temperature_rise, 'K'))
    return checks


def stress_checks(beam, t, found, safety):
    """Return Checks of a LinkBeam's Stress (N,) against its material over a safety factor."""
    strength, shear = beam.material.strength / safety, beam.material.shear_strength / safety
    return [checked(beam.link, 'stress', t, found.equivalent, strength, 'Pa'),
            checked(beam.link, 'torsion stress', t, found.shear, shear, 'Pa')]
