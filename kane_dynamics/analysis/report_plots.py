# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The curves of a report, as plain data that page/report.js draws."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.analysis.channels import channel, Thinner
from kane_dynamics.dynamics.dc_drive import MotorDemand

ENVELOPE_POINTS = 121
COMPONENTS = ('Fx', 'Fy', 'Fz', 'Mx', 'My', 'Mz')


class Plots:
    """Collect curves and diagrams of an Analysis."""

    def __init__(self, analysis):
        self.analysis, self.motion = analysis, analysis.study.motion
        self._thin = Thinner(self.motion.t)
        self.groups, self.diagrams = [], []

    def data(self):
        """Return {t, groups, diagrams}."""
        self._limits()
        self._motion()
        self._torques()
        self._motors()
        self._loads()
        self._diagrams()
        return {'t': channel(self._thin.t), 'groups': self.groups, 'diagrams': self.diagrams}

    def _group(self, title, *plots):
        plots = [plot for plot in plots if plot is not None]
        if plots:
            self.groups.append({'title': title, 'plots': plots})

    def _plot(self, title, unit, series, limits=(), **more):
        """Return a plot of {name: values (N,)}; limits: (value, name, index of its curve)."""
        if not series:
            return None
        return {'title': title, 'unit': unit,
                'series': [{'name': name, 'd': channel(self._thin(values))}
                           for name, values in series.items()],
                'limits': [{'value': float(value), 'name': name, **(
                    {} if of is None else {'of': of})} for value, name, of in limits
                    if math.isfinite(value)], **more}

    # -- groups ---------------------------------------------------------------------------------

    def _limits(self):
        found = {}
        for check in self.analysis.verdict.checks:
            if check.history is not None and check.kind != 'position':
                past = found.get(check.subject)
                found[check.subject] = check.history if past is None else np.maximum(
                    past, check.history)
        order = [*self.analysis.study.robot.joint_names,
                 *(name for name in found if name not in self.analysis.study.robot.joint_names)]
        series = {name: 100.0 * np.minimum(found[name], 20.0) for name in order if name in found}
        self._group('Use of limits', self._plot(
            'Largest use of any limit', '%', series, [(100.0, 'limit', None)], always=True,
            floor=0, height=210, bad=violations(self.analysis)))

    def _motion(self):
        robot, motion = self.analysis.study.robot, self.motion
        limits = self._joint_limits()
        plots = []
        for slides in (False, True):
            places = [k for k, joint in enumerate(robot.independent_joints)
                      if (joint.kind == 'prismatic') == slides]
            names = [robot.joint_names[k] for k in places]
            unit = 'm' if slides else 'rad'
            for title, rows, suffix, bounds in (
                    ('Position', motion.q, '', (limits.lower, limits.upper)),
                    ('Speed', motion.qd, '/s', (-limits.velocity, limits.velocity)),
                    ('Acceleration', motion.qdd, '/s²', ())):
                marks = [(bound[k], '', number) for bound in bounds
                         for number, k in enumerate(places)]
                plots.append(self._plot(title, unit + suffix, {
                    name: rows[:, k] for name, k in zip(names, places)}, marks))
        tip = self.analysis.tip
        step = np.gradient(tip, motion.t, axis=0) if len(tip) > 2 else np.zeros_like(tip)
        plots.append(self._plot(f'Place of {self.analysis.study.frame}', 'm',
                                dict(zip('xyz', tip.T))))
        plots.append(self._plot(f'Speed of {self.analysis.study.frame}', 'm/s',
                                {'speed': np.linalg.norm(step, axis=1)}))
        self._group('Motion', *plots)

    def _joint_limits(self):
        study = self.analysis.study
        return study.robot.limits if study.limits is None else study.limits

    def _torques(self):
        robot, motion, tau = self.analysis.study.robot, self.motion, self.analysis.loads.tau
        names, limits = robot.joint_names, self._joint_limits()
        plots = []
        for slides in (False, True):
            places = [k for k, joint in enumerate(robot.independent_joints)
                      if (joint.kind == 'prismatic') == slides]
            marks = [(sign * limits.effort[k], '', number) for sign in (1, -1)
                     for number, k in enumerate(places)]
            plots.append(self._plot('Force' if slides else 'Torque', 'N' if slides else 'N m',
                                    {names[k]: tau[:, k] for k in places}, marks, height=220))
        power = tau * motion.qd
        plots.append(self._plot('Power', 'W', {
            **{name: power[:, k] for k, name in enumerate(names)}, 'all': power.sum(axis=1)}))
        kinetic, potential = self.analysis.energy.T
        plots.append(self._plot('Energy', 'J', {
            'kinetic': kinetic, 'potential': potential - potential[0],
            'absolute work so far': _integral(motion.t, np.abs(power).sum(axis=1)),
            'with regeneration': _integral(motion.t, power.sum(axis=1))}))
        self._group('Torque, power, energy', *plots)

    def _motors(self):
        motors = {name: demand for name, demand in self.analysis.demands.items()
                  if isinstance(demand, MotorDemand)}
        drives = self.analysis.study.drives
        plots = []
        for title, unit, field, limit in (('Motor current', 'A', 'current', 'max_current'),
                                          ('Motor voltage', 'V', 'voltage', 'max_voltage'),
                                          ('Electric power', 'W', 'power', None)):
            marks = [] if limit is None else [
                (sign * getattr(drives[name].motor, limit), '', number)
                for sign in (1, -1) for number, name in enumerate(motors)]
            plots.append(self._plot(title, unit, {
                name: getattr(demand, field) for name, demand in motors.items()}, marks))
        others = {name: demand for name, demand in self.analysis.demands.items()
                  if name not in motors}
        for title, unit, field, factor, limit in (
                ('Pressure', 'bar', 'pressure', 1e-5, 'supply_pressure'),
                ('Flow', 'l/min', 'flow', 6e4, None),
                ('Valve current', 'A', 'input', 1.0, 'max_input')):
            marks = [] if limit is None else [
                (sign * factor * getattr(drives[name], limit), '', number)
                for sign in (1, -1) for number, name in enumerate(others)]
            plots.append(self._plot(title, unit, {
                name: factor * getattr(demand, field) for name, demand in others.items()}, marks))
        self._group('Drives', *plots)

    def _loads(self):
        analysis, study = self.analysis, self.analysis.study
        wrenches = analysis.loads.wrenches
        stresses = {link: 1e-6 * found.equivalent for link, found in analysis.stresses.items()}
        marks = [(1e-6 * beam.material.strength / study.safety, '', number)
                 for number, beam in enumerate(study.beams)]
        bent = None
        if analysis.deflection is not None:
            bent = self._plot(f'Deflection of {study.frame}', 'mm', {
                'quasi-static': 1e3 * analysis.deflection.size,
                'with vibration, at most': 1e3 * analysis.bound},
                [(1e3 * study.max_deflection, 'limit', None)], floor=0)
        self._group('Links', self._plot('Equivalent stress', 'MPa', stresses, marks), bent)
        grips = [(f'Grip of {payload.link}', grip)
                 for payload, grip in zip(study.payloads, analysis.grips)]
        self._group(
            'Joint reactions',
            self._plot('Force through each joint', 'N', {
                link: np.linalg.norm(rows[:, :3], axis=1) for link, rows in wrenches.items()}),
            self._plot('Moment through each joint', 'N m', {
                link: np.linalg.norm(rows[:, 3:], axis=1) for link, rows in wrenches.items()}),
            *(self._plot(title, 'N', {'force': np.linalg.norm(grip[:, :3], axis=1)})
              for title, grip in grips),
            *(self._plot(title, 'N m', {'moment': np.linalg.norm(grip[:, 3:], axis=1)})
              for title, grip in grips))
        self._group('Joint reactions by component, in the axes of the link', *(
            self._plot(f'{link}: {what}', unit, dict(zip(COMPONENTS[part], rows[:, part].T)))
            for link, rows in wrenches.items()
            for what, unit, part in (('force', 'N', slice(0, 3)), ('moment', 'N m', slice(3, 6)))))
        self.groups[-1]['folded'] = True

    # -- torque over speed ----------------------------------------------------------------------

    def _diagrams(self):
        study, tau, motion = self.analysis.study, self.analysis.loads.tau, self.motion
        limits = self._joint_limits()
        for k, joint in enumerate(study.robot.independent_joints):
            demand = self.analysis.demands.get(joint.name)
            if isinstance(demand, MotorDemand):
                area, outside = motor_area(study.drives[joint.name].motor, demand)
                self._diagram(f'{joint.name}: motor', demand.speed, demand.torque, area, outside,
                              'speed [rad/s]', 'torque [N m]')
                continue
            slides = joint.kind == 'prismatic'
            v, f = limits.velocity[k], limits.effort[k]
            area = [[-v, -f], [v, -f], [v, f], [-v, f]]
            outside = (np.abs(motion.qd[:, k]) > v) | (np.abs(tau[:, k]) > f)
            self._diagram(joint.name, motion.qd[:, k], tau[:, k],
                          area if math.isfinite(v * f) else [], outside,
                          f'speed [{"m" if slides else "rad"}/s]',
                          f'{"force [N]" if slides else "torque [N m]"}')

    def _diagram(self, title, x, y, area, outside, xname, yname):
        places = np.linspace(0, len(x) - 1, min(len(x), 800)).astype(int)
        self.diagrams.append({
            'title': title, 'x': channel(x[places]), 'y': channel(y[places]),
            't': channel(self.motion.t[places]), 'area': area, 'xname': xname, 'yname': yname,
            'outside': ''.join('1' if each else '0' for each in outside[places])})


def motor_area(motor, demand):
    """Return the corners of what a motor can do, and where (N,) a demand is outside of it."""
    fastest = min(motor.max_speed, motor.max_voltage / motor.back_emf_constant)
    if not math.isfinite(fastest) or not (math.isfinite(motor.max_current)
                                          or math.isfinite(motor.max_voltage)):
        return [], np.zeros(len(demand.speed), dtype=bool)
    speeds = np.linspace(-fastest, fastest, ENVELOPE_POINTS)
    low, high = motor.torque_limits(speeds)
    area = [[float(w), float(m)] for w, m in zip(speeds, high)]
    area += [[float(w), float(m)] for w, m in zip(speeds[::-1], low[::-1])]
    low, high = motor.torque_limits(demand.speed)
    slack = 1e-9 * motor.torque_constant
    outside = ~((demand.torque >= low - slack) & (demand.torque <= high + slack))
    return area, outside


def violations(analysis):
    """Return the stretches of time [[from, to], ...] [s] in which some limit is passed."""
    t = analysis.study.motion.t
    beyond = np.zeros(len(t), dtype=bool)
    for check in analysis.verdict.checks:
        if check.history is not None and not check.passed:
            beyond |= check.history > 1.0
    return [[float(t[a]), float(t[b - 1])] for a, b in stretches(beyond)]


def stretches(mask):
    """Return [(first, behind the last), ...] of the stretches where a mask (N,) is True."""
    steps = np.diff(np.concatenate([[0], mask.astype(int), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()))


def _integral(t, values):
    steps = 0.5 * (values[1:] + values[:-1]) * np.diff(t)
    return np.concatenate([[0.0], np.cumsum(steps)])
