# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Control law: the torque of each mode from a reference and a measured state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, get_args, Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.codegen.formula import bind_formula
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.trajectory.angles import shortest_angular_distance

if TYPE_CHECKING:
    from kane_dynamics.control.torque_model import TorqueModel, Transition

Mode: TypeAlias = Literal['feedforward', 'computed_torque', 'gravity', 'hold']
Feedback: TypeAlias = Literal['pd', 'inverse_dynamics']
MODES, FEEDBACKS = get_args(Mode), get_args(Feedback)
CLOSED_LOOP = ('computed_torque', 'gravity', 'hold')   # modes that need joint_states
WITH_GAINS = ('computed_torque', 'hold')               # modes with feedback of position errors
FOLLOWING = ('feedforward', 'computed_torque')         # modes that follow trajectories


class ControlLaw:
    """Fill tau (n,) with the torque of a mode, in arrays made once.

    measured (2, n): q, qd; reference (3, n): r_q, r_qd, r_qdd; error (2, n): e, ed, reference -
    measured; lead (3, n): l_q, l_qd, l_qdd, the reference a lead time later, or the reference
    itself; effort (n,): that of the trajectory. The caller writes measured, reference, lead and
    effort.

    feedforward       tau = scale id(l_q, l_qd, l_qdd) + effort
    computed_torque   pd:                tau = scale id(l_q, l_qd, l_qdd) + p e + d ed + effort
                      inverse_dynamics:  tau = id(q, qd, l_qdd + p e + d ed) + effort
    gravity           tau = g(q)
    hold              as computed_torque, the reference being a fixed position
    with id the inverse dynamics, rotors and friction (at l_qd) included.

    Args:
        joint_names: the n joints.
        model: a TorqueModel of them.
        continuous: names of the joints without position limits, whose errors wrap.
        leads: whether `lead` is an array of its own.
    """

    def __init__(self, joint_names: Sequence[str], model: TorqueModel | Transition,
                 continuous: Collection[str] = (), leads: bool = False) -> None:
        n = len(joint_names)
        self.measured, self.error, self.gains = (np.zeros((2, n)) for _ in range(3))
        self.q, self.qd = self.measured
        self.e, self.ed = self.error
        self.p, self.d = self.gains
        self.reference = np.zeros((3, n))
        self.r_q, self.r_qd, self.r_qdd = self.reference
        self.lead = np.zeros((3, n)) if leads else self.reference
        self.tau, self.effort, self._wanted, self._zeros = (np.zeros(n) for _ in range(4))
        self._subtract = bind_formula(_differences, [self.reference[:2], self.measured],
                                      self.error)
        self._add_feedback = bind_formula(
            _with_feedback, [self.tau, self.gains, self.error], self.tau)
        self._want = bind_formula(
            _with_feedback, [self.lead[2], self.gains, self.error], self._wanted)
        self._wrapping = np.flatnonzero([name in continuous for name in joint_names])
        self.adds_effort = False
        self.set_feedback('pd', 0.0, 0.0)
        self.connect(model)

    def set_feedback(self, kind: Feedback, p: ArrayLike, d: ArrayLike,
                     scale: float = 1.0) -> None:
        """Set the kind of feedback, its gains (n,) and the scale of the feedforward."""
        self.feedback: Feedback = kind
        self.scale = scale
        self.p[:], self.d[:] = p, d
        self.uses_velocity = kind == 'inverse_dynamics' or bool(self.d.any())

    def connect(self, model: TorqueModel | Transition) -> None:
        """Compute with another TorqueModel or Transition from now on."""
        tau, (l_q, l_qd, l_qdd) = self.tau, self.lead
        self._of_reference = model.bound(l_q, l_qd, l_qdd, l_qd, tau)
        self._of_measured = model.bound(self.q, self.qd, self._wanted, l_qd, tau)
        self._of_rest = model.bound(self.q, self.qd, self._wanted, self._zeros, tau)
        self._gravity_measured = model.bound_gravity(self.q, tau)
        self._gravity_reference = model.bound_gravity(self.r_q, tau)

    def errors(self) -> None:
        """Fill e and ed; those of continuous joints wrap to within half a turn."""
        self._subtract()
        wrapping = self._wrapping
        if len(wrapping):
            self.e[wrapping] = shortest_angular_distance(self.q[wrapping], self.r_q[wrapping])

    def compute(self, mode: Mode) -> None:
        """Fill tau for a mode; a mode with feedback needs `errors` first."""
        if mode == 'gravity':
            self._gravity_measured()
            return
        if mode == 'feedforward':
            self._feed_forward()
        elif self.feedback == 'pd':
            self._feed_forward()
            self._add_feedback()
        else:
            self._want()
            self._of_measured()
        if self.adds_effort:
            np.add(self.tau, self.effort, out=self.tau)

    def _feed_forward(self) -> None:
        self._of_reference()
        if self.scale != 1.0:
            np.multiply(self.tau, self.scale, out=self.tau)

    def compute_hold(self, measured: bool, damped: bool) -> None:
        """Fill tau with gravity at the measured or the reference configuration, with damping."""
        if not damped:
            (self._gravity_measured if measured else self._gravity_reference)()
            return
        np.multiply(self.d, self.qd, out=self._wanted)
        np.negative(self._wanted, out=self._wanted)
        if self.feedback == 'pd':
            self._gravity_measured()
            np.add(self.tau, self._wanted, out=self.tau)
        else:
            self._of_rest()     # the gains are accelerations per error


def _differences(a: list[Any], b: list[Any]) -> list[Any]:
    """Return a - b, entry by entry."""
    return [x - y for x, y in zip(a, b)]


def _with_feedback(values: list[Any], gains: list[Any], error: list[Any]) -> list[Any]:
    """Return values + p e + d ed."""
    n = len(values)
    return [values[j] + gains[j] * error[j] + gains[n + j] * error[n + j] for j in range(n)]
