# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Elastic coordinates along a motion of the joints, as programs: x to the next x.

x = [q of the joints, e, ed, edd, a, qd and qdd of the joints, tau of the joints]. `motion` is
[q, qd, qdd] of the joints at the end of a cycle. time = [h, part, left]: a step takes h seconds,
qd and qdd go by this part, linearly, toward those of `motion`, and `left` seconds are left until
then. q is extrapolated back from `motion`: a q that jumps, by a turn or to another goal, has no
intermediate configuration.

The modal rows of Kane's equations hold no torque. With the joints' motion known at the end of a
step they are a system for edd there, and the same evaluation gives the torque:

    c_e(q, e, qd, ed, qdd, edd) = 0,    tau = c_q(q, e, qd, ed, qdd, edd)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.scalar import AnyScalar, Scalars
from kane_dynamics.numerics.time_integration import GENERALIZED_ALPHA

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import ArmModel, RecordedArm
    from kane_dynamics.kane.solve import Factors
    from kane_dynamics.kane.truncated.first_order import UnsymmetricFactors


def elastic_step(arm: RecordedArm, name: str) -> Program:
    """Record a step in time, by generalized-alpha with the equations kept at the end of the step.

    With a, which is carried on and lags edd (Arnold and Bruels 2007):

        (1 - am) a1 + am a0 = (1 - af) edd1 + af edd0
        e1 = e0 + h ed0 + h^2 ((1/2 - beta) a0 + beta a1)
        ed1 = ed0 + h ((1 - gamma) a0 + gamma a1)

    It is stable whatever the highest mode, and damps what the step does not resolve. edd1 comes
    from one Newton step with M + by_rate D + by_position K, which is exact but for the part
    of the bending in weight and spin: a second one does not change the fourth digit of the error.
    """
    am, af, gamma, beta = GENERALIZED_ALPHA
    slope = (1.0 - af) / (1.0 - am)                         # d a1 / d edd1

    def function(model: ArmModel, x: _State, motion: Scalars, time: Scalars) -> list[AnyScalar]:
        h, part, left = time
        q, qd, qdd = x.joints_after(motion, part, left)
        lag = [(af * old - am * a) / (1.0 - am) for old, a in zip(x.edd, x.a)]

        def after(edd: Scalars) -> tuple[list[AnyScalar], list[AnyScalar], list[AnyScalar]]:
            """Return e, ed and a at the end of the step."""
            a1 = [start + slope * new for start, new in zip(lag, edd)]
            e = [e + h * (ed + h * ((0.5 - beta) * a + beta * new))
                 for e, ed, a, new in zip(x.e, x.ed, x.a, a1)]
            ed = [ed + h * ((1.0 - gamma) * a + gamma * new)
                  for ed, a, new in zip(x.ed, x.a, a1)]
            return e, ed, a1

        e, ed, _ = after(x.edd)
        c = arm.loads(model, [*q, *e], [*qd, *ed], [*qdd, *x.edd])
        M = arm.mass(model, [*q, *e])
        change = _factors(arm, model, M, slope * gamma * h, slope * beta * h * h).solve(
            [-value for value in c])
        tau = [c[k] + sum(M[k][j] * change[j] for j in _modes(arm)) for k in range(arm.first_mode)]
        edd = [old + change[j] for old, j in zip(x.edd, _modes(arm))]
        e, ed, a = after(edd)
        return [*q, *e, *ed, *edd, *a, *qd, *qdd, *arm.driven(tau, qd)]
    return _record(arm, name, function)


def elastic_rest(arm: RecordedArm, name: str) -> Program:
    """Record a step toward the deflection by weight and the joints' motion: ed = edd = 0.

    Springs are nearly all the stiffness there is, so that e - K^-1 c_e converges by some digits
    each time; tau is that of the e it begins with.
    """
    stiffness = {spring.u_index: spring.stiffness for spring in arm.tree.springs}
    rest = [0.0] * arm.robot.n_modes

    def function(model: ArmModel, x: _State, motion: Scalars, time: Scalars) -> list[AnyScalar]:
        q, qd, qdd = x.joints_after(motion, time[1], time[2])
        c = arm.loads(model, [*q, *x.e], [*qd, *rest], [*qdd, *rest])
        e = [old - c[j] / stiffness[j] for old, j in zip(x.e, _modes(arm))]
        tau = arm.driven(c[:arm.first_mode], qd)
        return [*q, *e, *rest, *rest, *rest, *qd, *qdd, *tau]
    return _record(arm, name, function)


class _State:
    """The parts of x."""

    def __init__(self, arm: RecordedArm, x: Scalars) -> None:
        m, n = arm.robot.n_modes, arm.robot.n_joints
        self.e, self.ed, self.edd, self.a = (x[n + k * m:n + (k + 1) * m] for k in range(4))
        self._rates = x[n + 4 * m:n + 4 * m + 2 * n]

    def joints_after(self, motion: Scalars, part: AnyScalar, left: AnyScalar) -> tuple[
            list[AnyScalar], list[AnyScalar], list[AnyScalar]]:
        """Return q, qd, qdd of the joints at a part of a cycle, `left` seconds before its end."""
        n = len(motion) // 3
        rates = [old + part * (new - old) for old, new in zip(self._rates, motion[n:])]
        q = [position - left * (speed - 0.5 * left * acceleration)
             for position, speed, acceleration in zip(motion, motion[n:], motion[2 * n:])]
        return q, rates[:n], rates[n:]


def _record(arm: RecordedArm, name: str,
            function: Callable[..., list[AnyScalar]]) -> Program:
    robot = arm.robot
    if robot.floating_base or not robot.n_modes:
        has = 'a floating base' if robot.floating_base else 'no elastic coordinates'
        raise InputError(f'{name}: this is for flexible arms on a fixed base; {robot.name!r} has '
                         f'{has}')
    return arm.record(name, ('elastic', 'motion', 'time'),
                      lambda model, x, motion, time:
                      function(model, _State(arm, x), motion, time),
                      (4 * robot.nv,))


def _modes(arm: RecordedArm) -> range:
    return range(arm.first_mode, arm.nv)


def _factors(arm: RecordedArm, model: ArmModel, M: list[list[AnyScalar]], by_rate: AnyScalar,
             by_position: AnyScalar) -> Factors | UnsymmetricFactors:
    """Return the factors of the modes' M + by_rate D + by_position K."""
    return arm.factors(model, model.with_springs(M, by_rate, by_position), _modes(arm))


PROGRAMS = {record.__name__: record for record in (elastic_step, elastic_rest)}
