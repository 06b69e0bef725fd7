# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The charts of an Analysis: use of limits, motion, torque, drives, loads, torque over speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
import math
from typing import Any

import numpy as np

from kane_dynamics.analysis.report.channels import channel, Thinner
from kane_dynamics.analysis.report.charts import (
    Chart, chart, ChartData, ChartGroup, Diagram, group, Limit)
from kane_dynamics.analysis.study.power import running_integral
from kane_dynamics.analysis.study.study import Analysis, Demand, Drive
from kane_dynamics.analysis.study.verdict import COLLISION
from kane_dynamics.dynamics.drives.dc_drive import DcDrive, MotorDemand
from kane_dynamics.dynamics.drives.dc_motor import DcMotor
from kane_dynamics.dynamics.drives.hydraulic import HydraulicDemand, HydraulicDrive
from kane_dynamics.model.structure.links_and_joints import LimitArrays
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray

AREA_POINTS = 121       # along the speed axis, of the area that a motor can reach
DIAGRAM_POINTS = 800
MAX_USE = 20.0          # of a limit, in the chart
COMPONENTS = ('Fx', 'Fy', 'Fz', 'Mx', 'My', 'Mz')


def chart_data(analysis: Analysis) -> ChartData:
    """Return the charts of an Analysis."""
    charts = _Charts(analysis)
    groups = [charts.limits(), charts.motion(), charts.torques(), charts.drives(),
              charts.links(), charts.reactions(), charts.components()]
    return {'t': channel(charts.thin.t), 'breaks': [],
            'groups': [each for each in groups if each['plots']],
            'diagrams': list(charts.diagrams())}


class _Charts:
    """Charts of one Analysis, a method per group."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.study, self.samples = analysis, analysis.study, analysis.study.motion
        self.robot = analysis.study.robot
        self.thin = Thinner(self.samples.t)

    def _chart(self, title: str, unit: str, series: Mapping[str, FloatArray],
               limits: Iterable[Limit] = (), **options: Any) -> Chart:
        """Return a thinned `chart`."""
        return chart(title, unit, {name: self.thin(values) for name, values in series.items()},
                     limits, **options)

    def _joint_limits(self) -> LimitArrays:
        return self.robot.limits if self.study.limits is None else self.study.limits

    def _joints_by_unit(self) -> Iterator[tuple[str, str, list[int]]]:
        """Yield the unit of position and of effort, and the joints (indices) that have them."""
        joints = list(enumerate(self.robot.independent_joints))
        for unit, effort in (('rad', 'N m'), ('m', 'N')):
            yield unit, effort, [k for k, joint in joints if joint.unit == unit]

    # -- groups ---------------------------------------------------------------------------------

    def limits(self) -> ChartGroup:
        """Return the largest use of any limit, for each joint, link and frame."""
        found: dict[str, FloatArray] = {}
        for check in self.analysis.verdict.checks:
            if check.history is not None and check.kind not in ('position', COLLISION):
                before = found.get(check.subject)
                found[check.subject] = check.history if before is None else np.maximum(
                    before, check.history)
        order = dict.fromkeys([*self.robot.joint_names, *found])
        return group('Use of limits', [self._chart(
            'Largest use of any limit', '%',
            {name: 100.0 * np.minimum(found[name], MAX_USE) for name in order if name in found},
            [Limit(100.0, 'limit')], always=True, floor=0, height=210,
            bad=violations(self.analysis))])

    def motion(self) -> ChartGroup:
        """Return position, speed and acceleration of the joints, and the path of the frame."""
        limits, names, samples = self._joint_limits(), self.robot.joint_names, self.samples
        charts = []
        for unit, _, joints in self._joints_by_unit():
            for title, rows, suffix, bounds in (
                    ('Position', samples.q, '', (limits.lower, limits.upper)),
                    ('Speed', samples.qd, '/s', (-limits.velocity, limits.velocity)),
                    ('Acceleration', samples.qdd, '/s²', ())):
                charts.append(self._chart(
                    title, unit + suffix, {names[k]: rows[:, k] for k in joints},
                    [Limit(bound[k], of=number) for bound in bounds
                     for number, k in enumerate(joints)]))
        tip, frame = self.analysis.tip, self.study.frame
        velocity = np.gradient(tip, samples.t, axis=0) if len(tip) > 2 else np.zeros_like(tip)
        charts += [self._chart(f'Position of {frame}', 'm', dict(zip('xyz', tip.T))),
                   self._chart(f'Speed of {frame}', 'm/s', {'speed': _norm(velocity)})]
        return group('Motion', charts)

    def torques(self) -> ChartGroup:
        """Return torque, power and energy of the joints."""
        tau, names, limits = self.analysis.loads.tau, self.robot.joint_names, self._joint_limits()
        charts = [self._chart(
            'Force' if effort == 'N' else 'Torque', effort, {names[k]: tau[:, k] for k in joints},
            _both_signs(limits.effort[joints]), height=220)
            for _, effort, joints in self._joints_by_unit()]
        power = tau * self.samples.qd
        kinetic, potential = self.analysis.energy.T
        charts += [
            self._chart('Power', 'W', {**dict(zip(names, power.T)), 'all': power.sum(axis=1)}),
            self._chart('Energy', 'J', {
                'kinetic': kinetic, 'potential': potential - potential[0],
                'absolute work so far': running_integral(
                    self.samples.t, np.abs(power).sum(axis=1)),
                'net work so far': running_integral(self.samples.t, power.sum(axis=1))})]
        return group('Torque, power, energy', charts)

    def drives(self) -> ChartGroup:
        """Return currents, voltages and powers of motors, pressures and flows of cylinders."""
        motors, cylinders = self._motors(), self._cylinders()
        return group('Drives', [
            self._chart('Motor current', 'A', {
                name: demand.current for name, (_, demand) in motors.items()},
                _both_signs([drive.motor.max_current for drive, _ in motors.values()])),
            self._chart('Motor voltage', 'V', {
                name: demand.voltage for name, (_, demand) in motors.items()},
                _both_signs([drive.motor.max_voltage for drive, _ in motors.values()])),
            self._chart('Electric power', 'W', {
                name: demand.power for name, (_, demand) in motors.items()}),
            self._chart('Pressure', 'bar', {
                name: 1e-5 * demand.pressure for name, (_, demand) in cylinders.items()},
                _both_signs([1e-5 * drive.supply_pressure for drive, _ in cylinders.values()])),
            self._chart('Flow', 'l/min', {
                name: 6e4 * demand.flow for name, (_, demand) in cylinders.items()}),
            self._chart('Valve current', 'A', {
                name: demand.input for name, (_, demand) in cylinders.items()},
                _both_signs([drive.max_input for drive, _ in cylinders.values()]))])

    def _motors(self) -> dict[str, tuple[DcDrive, MotorDemand]]:
        return {name: (drive, demand) for name, drive, demand in self._demands()
                if isinstance(drive, DcDrive) and isinstance(demand, MotorDemand)}

    def _cylinders(self) -> dict[str, tuple[HydraulicDrive, HydraulicDemand]]:
        return {name: (drive, demand) for name, drive, demand in self._demands()
                if isinstance(drive, HydraulicDrive) and isinstance(demand, HydraulicDemand)}

    def _demands(self) -> Iterator[tuple[str, Drive, Demand]]:
        """Yield each joint that has a drive, the drive, and the demand on it."""
        for name, demand in self.analysis.demands.items():
            yield name, self.study.drives[name], demand

    def links(self) -> ChartGroup:
        """Return stresses of links and the deflection of the frame."""
        analysis, study = self.analysis, self.study
        charts = [self._chart(
            'Equivalent stress', 'MPa',
            {link: 1e-6 * found.equivalent for link, found in analysis.stresses.items()},
            [Limit(1e-6 * beam.material.strength / study.safety, of=number)
             for number, beam in enumerate(study.beams)])]
        if analysis.deflection is not None and analysis.bound is not None:
            charts.append(self._chart(f'Deflection of {study.frame}', 'mm', {
                'quasi-static': 1e3 * analysis.deflection.size,
                'with vibration, at most': 1e3 * analysis.bound},
                [Limit(1e3 * study.max_deflection, 'limit')], floor=0))
        return group('Links', charts)

    def _wrenches(self) -> dict[str, FloatArray]:
        """Return {joint: force and moment (N, 6) through it, in the axes of its child link}."""
        return {joint_of(self.analysis, link): rows
                for link, rows in self.analysis.loads.wrenches.items()}

    def reactions(self) -> ChartGroup:
        """Return the sizes of forces and moments through joints and grips."""
        wrenches = self._wrenches()
        grips = [(f'Grip of {payload.link}', rows)
                 for payload, rows in zip(self.study.payloads, self.analysis.grips)]
        return group('Joint reactions', [
            self._chart('Force through each joint', 'N', {
                joint: _norm(rows[:, :3]) for joint, rows in wrenches.items()}),
            self._chart('Moment through each joint', 'N m', {
                joint: _norm(rows[:, 3:]) for joint, rows in wrenches.items()}),
            *(self._chart(title, 'N', {'force': _norm(rows[:, :3])}) for title, rows in grips),
            *(self._chart(title, 'N m', {'moment': _norm(rows[:, 3:])}) for title, rows in grips)])

    def components(self) -> ChartGroup:
        """Return the components of forces and moments through joints."""
        return group('Joint reactions by component, in the axes of the child link', [
            self._chart(f'{joint}: {quantity}', unit,
                        dict(zip(COMPONENTS[part], rows[:, part].T)))
            for joint, rows in self._wrenches().items()
            for quantity, unit, part in (('force', 'N', slice(0, 3)),
                                         ('moment', 'N m', slice(3, 6)))], folded=True)

    # -- torque over speed ----------------------------------------------------------------------

    def diagrams(self) -> Iterator[Diagram]:
        """Yield torque over speed of each motor, or of the joint where it has none."""
        tau, qd, limits, motors = (self.analysis.loads.tau, self.samples.qd,
                                   self._joint_limits(), self._motors())
        for k, joint in enumerate(self.robot.independent_joints):
            if joint.name in motors:
                drive, demand = motors[joint.name]
                area, outside = motor_area(drive.motor, demand)
                yield self._diagram(f'{joint.name}: motor', demand.speed, demand.torque, area,
                                    outside, 'speed [rad/s]', 'torque [N m]')
                continue
            v, f = float(limits.velocity[k]), float(limits.effort[k])
            area = [[-v, -f], [v, -f], [v, f], [-v, f]] if math.isfinite(v * f) else []
            outside = (np.abs(qd[:, k]) > v) | (np.abs(tau[:, k]) > f)
            yield self._diagram(
                joint.name, qd[:, k], tau[:, k], area, outside, f'speed [{joint.unit}/s]',
                f'{"force" if joint.effort_unit == "N" else "torque"} [{joint.effort_unit}]')

    def _diagram(self, title: str, x: FloatArray, y: FloatArray, area: list[list[float]],
                 outside: BoolArray, xname: str, yname: str) -> Diagram:
        rows = np.linspace(0, len(x) - 1, min(len(x), DIAGRAM_POINTS)).astype(int)
        return {'title': title, 'x': channel(x[rows]), 'y': channel(y[rows]),
                't': channel(self.samples.t[rows]), 'area': area, 'xname': xname, 'yname': yname,
                'outside': ''.join('1' if each else '0' for each in outside[rows])}


def joint_of(analysis: Analysis, link: str) -> str:
    """Return the joint whose reaction `analysis.loads.wrenches[link]` is."""
    joint = analysis.study.robot.parent_joint(link)
    return link if joint is None else joint.name


def _norm(rows: FloatArray) -> FloatArray:
    """Return the lengths (N,) of vectors (N, 3)."""
    return np.sqrt((rows * rows).sum(axis=1))


def _both_signs(limits: ArrayLike) -> list[Limit]:
    """Return the limits +- (m,) of m curves."""
    return [Limit(sign * value, of=number) for sign in (1.0, -1.0)
            for number, value in enumerate(np.asarray(limits, dtype=np.float64).tolist())]


def motor_area(motor: DcMotor, demand: MotorDemand) -> tuple[list[list[float]], BoolArray]:
    """Return the corners of the area that a motor can reach, and where (N,) a demand leaves it."""
    assert motor.back_emf_constant is not None      # DcMotor sets it where it is not given
    max_speed = min(motor.max_speed, motor.max_voltage / motor.back_emf_constant)
    if not math.isfinite(max_speed) or not (math.isfinite(motor.max_current)
                                            or math.isfinite(motor.max_voltage)):
        return [], np.zeros(len(demand.speed), dtype=bool)
    speeds = np.linspace(-max_speed, max_speed, AREA_POINTS)
    low, high = motor.torque_limits(speeds)
    area = [[float(w), float(m)] for w, m in zip(speeds, high)]
    area += [[float(w), float(m)] for w, m in zip(speeds[::-1], low[::-1])]
    low, high = motor.torque_limits(demand.speed)
    slack = 1e-9 * motor.torque_constant
    outside = ~((demand.torque >= low - slack) & (demand.torque <= high + slack))
    return area, outside


def violations(analysis: Analysis) -> list[list[float]]:
    """Return the intervals of time [[from, to], ...] [s] in which a limit is exceeded."""
    t = analysis.study.motion.t
    beyond = np.zeros(len(t), dtype=bool)
    for check in analysis.verdict.checks:
        if check.history is not None and not check.passed:
            beyond |= check.history > 1.0
    steps = np.diff(np.concatenate([[0], beyond.astype(int), [0]]))
    return [[float(t[first]), float(t[end - 1])]
            for first, end in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1))]
