# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the links do, told beside the torque: deflections, and whether their model still holds."""

from __future__ import annotations

import array

import numpy as np

from kane_dynamics.analysis.deflection import DeflectionWatch
from kane_dynamics.dynamics.loop_kernel import bind_formula
from kane_dynamics.kane.scalar import sqrt
from kane_dynamics.model.assembly import tree_of
from kane_dynamics.nodes.diagnostics import WARN
from kane_dynamics.nodes.message_bytes import StateBytes, VectorBytes
from kane_dynamics.nodes.tip_link import tip_link

NEAR = 0.8      # of a model's range: from here on it is looked at closely


class ElasticOutput:
    """Follow the elastic state of a controller's model, whichever it is at the moment.

    Args:
        controller: whose model is a FlexibleTorqueModel (or a Transition between two).
        dynamics: of the arm as its description tells it.
        tip: the link whose displacement is told; empty: the end that most joints carry.
        log: called with (level, text).
    """

    def __init__(self, controller, dynamics, tip, log):
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
        self._places, self._rates = memoryview(self._q), memoryview(self._ed)
        self._watch, weights = DeflectionWatch(robot), _weights(robot)
        self._shares = array.array('d', bytes(8 * len(weights)))        # of the links' ranges
        self._measure = bind_formula(_bounds, [self._e, weights], np.frombuffer(
            self._shares)) if len(weights) else None

    def introduce(self):
        """Log what bends, and how it is computed."""
        for link in self._robot.flexible_links.values():
            self._log('info', link.describe())
        model = self._controller.target_model
        self._log('warning' if model.fallback else 'info', model.fallback or model.describe())
        undamped = [self._robot.mode_names[spring.u_index - self._robot.n_joints]
                    for spring in tree_of(self._robot).springs if spring.damping == 0.0]
        if undamped and model.dynamic:
            self._log('warning', f'{undamped} have no damping: what the model once gets wrong '
                                 'swings on in it for ever; give them <damping>')
        if not model.dynamics.robot.gravity.any():
            self._log('info', 'deflections are told without the sag: no gravity is computed here')

    def look(self):
        """Take over what the links do now, and see whether that is all right."""
        model = self._controller.model
        elastic = model.elastic
        self._places[:], self._rates[:] = memoryview(elastic.q), memoryview(elastic.ed)
        if model.skipped:
            self._count_long(model)
        if self._measure is not None:
            self._measure()
            if max(self._shares) > NEAR:
                self._look_closely()

    def state(self, stamp):
        """Return ~/elastic_states for the moment `stamp` [ns], serialized."""
        return self._state.stamped(stamp)

    def tip(self, stamp):
        """Return ~/tip_deflection for the moment `stamp` [ns], serialized."""
        self._deflect()
        return self._vector.stamped(stamp)

    def _count_long(self, model):
        self.too_long += 1
        if self.too_long == 1:
            self._log('warning', f'a cycle of {1e3 * model.dt:.4g} ms is too long for the lowest '
                                 f'mode ({model.lowest}): the deflection is quasi-static in such '
                                 'cycles')

    def _look_closely(self):
        for message in self._watch.messages(self._q):
            self.last_warning = message
            self._log('warning', message)
        self.out_of_range += self._watch.beyond(self._q)

    def report(self, report, count):
        """Fill a diagnostic Report; count(report, key, number, warning) warns where it grew."""
        model = self._controller.target_model
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
        count(report, 'cycles too long to integrate', self.too_long,
              'cycles were too long for the lowest mode: quasi-static in these')
        count(report, 'cycles out of range', self.out_of_range, self.last_warning)


def _weights(robot):
    """Return (links, n_modes): by which share of a link's range each coordinate moves its tip."""
    rows, first = [], 0
    for link in robot.flexible_links.values():
        if link.body is None:       # segments bend without limit
            first += sum(len(spring.stiffness) for spring in link.segments.springs)
            continue
        row = np.zeros(robot.n_modes)
        size = link.body.n_modes
        row[first:first + size] = (np.linalg.norm(link.body.tip.Phi, axis=0)
                                   / link.body.deflection_range)
        first += size
        rows.append(row)
    return np.array(rows)


def _bounds(e, weights):
    """Return for each link the sum of |e| by its weights: not below its share, to first order."""
    size = [sqrt(each * each) for each in e]
    return [sum(weight * value for weight, value in zip(weights[k:], size))
            for k in range(0, len(weights), len(e))]
