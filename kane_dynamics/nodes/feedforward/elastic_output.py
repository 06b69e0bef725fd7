# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Elastic state of the feedforward model: serialized messages, range checks, diagnostics."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.vibration.deflection import DeflectionWatch
from kane_dynamics.codegen.formula import bind_formula
from kane_dynamics.control.flexible_torque_model import FlexibleTorqueModel
from kane_dynamics.kane.scalar import sqrt
from kane_dynamics.model.tree_of_robot import elastic_slices
from kane_dynamics.nodes.common.arm import tip_link
from kane_dynamics.nodes.common.diagnostics import Recently, Report, WARN
from kane_dynamics.nodes.messages.message_bytes import StateBytes, VectorBytes
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.control.controller import Controller
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

NEAR = 0.8      # fraction of a model's range beyond which the exact check runs


class ElasticOutput:
    """The elastic state of a controller's current model.

    Args:
        controller: a Controller with a FlexibleTorqueModel, or a Transition between two.
        dynamics: the Dynamics of the arm as described.
        tip: the link whose deflection is published; '': the tip of the robot.
        log: called with (level, text).
    """

    def __init__(self, controller: Controller, dynamics: Dynamics, tip: str,
                 log: Callable[[str, str], object]) -> None:
        self._robot = robot = dynamics.robot
        self.tip_link = tip_link(robot, tip)
        self.too_long = self.out_of_range = 0       # cycles
        self.last_warning = ''
        self._controller, self._log = controller, log
        self._q, self._tip = np.zeros(robot.nq), np.zeros(3)
        self._e, self._ed = self._q[-robot.n_modes:], np.zeros(robot.n_modes)
        self._deflect = dynamics.bind('frame_deflection', self._q, self._tip, frame=self.tip_link)
        self._state = StateBytes(robot.mode_names, self._e, self._ed)
        self._vector = VectorBytes(robot.root, self._tip)
        self._q_view, self._ed_view = self._q.data, self._ed.data
        self._watch, weights = DeflectionWatch(robot), _weights(robot)
        self._fractions = array.array('d', bytes(8 * len(weights)))     # of the links' ranges
        self._measure = bind_formula(_bounds, [self._e, weights], np.frombuffer(
            self._fractions)) if len(weights) else None

    def introduce(self) -> None:
        """Log the flexible links and the method of their computation."""
        for link in self._robot.flexible_links.values():
            self._log('info', link.describe())
        model = self._target_model()
        self._log('warning' if model.fallback else 'info', model.fallback or model.describe())
        undamped = [self._robot.mode_names[spring.u_index - self._robot.n_joints]
                    for spring in self._robot.tree.springs if spring.damping == 0.0]
        if undamped and model.dynamic:
            self._log('warning', f'{undamped} have no damping, so errors of the model never '
                                 'decay; add <damping>')
        if not model.dynamics.robot.gravity.any():
            self._log('info', 'deflections exclude the static sag: this node computes no gravity')

    def look(self) -> None:
        """Copy the current elastic state and check it against the range of the link models."""
        model = self._controller.model
        elastic = model.elastic
        assert elastic is not None
        self._q_view[:], self._ed_view[:] = elastic.q.data, elastic.ed.data
        if model.skipped:
            self._count_long(model.dt, model.lowest)
        if self._measure is not None:
            self._measure()
            if max(self._fractions) > NEAR:
                self._check_range()

    def state(self, stamp: int) -> bytes:
        """Return the serialized ~/elastic_states with a stamp [ns]."""
        return self._state.stamped(stamp)

    def tip(self, stamp: int) -> bytes:
        """Return the serialized ~/tip_deflection with a stamp [ns]."""
        self._deflect()
        return self._vector.stamped(stamp)

    def _target_model(self) -> FlexibleTorqueModel:
        model = self._controller.target_model
        assert isinstance(model, FlexibleTorqueModel)
        return model

    def _count_long(self, dt: float, lowest: str) -> None:
        self.too_long += 1
        if self.too_long == 1:
            self._log('warning', f'a cycle of {1e3 * dt:.4g} ms is too long for the lowest '
                                 f'mode ({lowest}): such cycles use the quasi-static '
                                 'deflection')

    def _check_range(self) -> None:
        for message in self._watch.messages(self._q):
            self.last_warning = message
            self._log('warning', message)
        self.out_of_range += self._watch.beyond(self._q)

    def report(self, report: Report, recently: Recently) -> None:
        """Fill a diagnostic Report."""
        model = self._target_model()
        report.add('elastic', 'dynamic' if model.dynamic else 'quasi_static')
        report.add('lowest and highest mode [Hz]', '{:.4g} {:.4g}'.format(*model.range_hz))
        report.add('tip link', self.tip_link)
        with self._controller.lock:
            self._deflect()
            report.add('tip deflection [m]', float(np.linalg.norm(self._tip)))
        if model.fallback:
            report.say(WARN, model.fallback)
        if model.dynamic:
            report.add('integration step [ms]', 1e3 * model.elastic.longest_step)
        recently.count(report, 'cycles too long to integrate', self.too_long,
                       'cycles were too long for the lowest mode: quasi-static deflection')
        recently.count(report, 'cycles out of range', self.out_of_range, self.last_warning)


def _weights(robot: Robot) -> FloatArray:
    """Return (links, n_modes): tip deflection per unit coordinate as a fraction of the range."""
    rows = []
    for name, columns in elastic_slices(robot).items():
        link = robot.flexible_links[name]
        if link.segments is not None:       # segments have no range
            continue
        row = np.zeros(robot.n_modes)
        _, body = link.modal
        row[columns] = np.linalg.norm(body.tip.Phi, axis=0) / body.deflection_range
        rows.append(row)
    return np.array(rows)


def _bounds(e: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return for each link the weighted sum of |e|, a bound of its fraction to first order."""
    size = [sqrt(each * each) for each in e]
    return [sum(weight * value for weight, value in zip(weights[k:], size))
            for k in range(0, len(weights), len(e))]
