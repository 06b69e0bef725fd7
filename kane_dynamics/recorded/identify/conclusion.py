# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Conclusions of an evaluation and of an identification: a grade, a sentence and a next step."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.io.text import counted
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.evaluate import Evaluation
from kane_dynamics.recorded.identify.identification import Identification
from kane_dynamics.recorded.residual_causes import Cause

Grade: TypeAlias = Literal['GOOD', 'FAIR', 'POOR', 'NOT JUDGED']

# mean over the joints of RMSE / RMS
GOOD, FAIR = 0.2, 0.5
VISIBLE = 0.3       # a cause that explains this fraction of the squared error is named
# An error that friction and rotors leave, as a fraction of the effort of the joint with
# the largest torque: the masses are then not those of the arm.
ANOTHER_ARM = 0.3
FEW = 0.5           # of the base parameters: fewer identifiable ones need a better excitation
SENTENCES: dict[Cause, str] = {
    'friction': 'follow the velocity and its sign: friction',
    'rotor inertia': 'follow the acceleration: rotor inertia',
    'offset': 'are constant: an offset of the sensor',
    'scale': 'follow the torque itself: masses, a payload, or units of the effort',
    'load': 'follow the load and the sign of the velocity: friction that grows with the load'}


@dataclass(frozen=True)
class Conclusion:
    """The answer of a command: grade, one sentence, further sentences, and what to do next."""

    grade: Grade
    sentence: str
    more: tuple[str, ...] = ()
    next_step: str = ''

    def lines(self) -> list[str]:
        """Return the answer for a terminal, the verdict in the first line."""
        return [f'{self.grade}: {self.sentence}', *(f'  {each}' for each in self.more),
                *([f'  Next: {self.next_step}'] if self.next_step else [])]

    def as_json(self) -> dict[str, object]:
        """Return the answer as data for JSON."""
        return {'grade': self.grade, 'sentence': self.sentence, 'more': list(self.more),
                'next': self.next_step}


def conclude_evaluation(found: Evaluation, command: str, calibrated: bool = False) -> Conclusion:
    """Return the Conclusion of an Evaluation; command: `kane identify ...`, the next step."""
    if not found.rms.any():
        return Conclusion('NOT JUDGED', 'Every effort is zero: the driver reports none.')
    grade = _grade(found)
    sentence = (f'RMSE {summed(found)} of an effort of {summed(found, found.rms)} '
                f'({_sum_of(found)}); {100.0 * _mean_error(found):.0f} % per joint on average.')
    causes = _causes(found)
    more = [_named(cause, fraction, joints) for cause, fraction, joints in causes]
    if _is_another_arm(found):
        return Conclusion(grade, sentence, (
            *more, f'Even with friction and rotor inertia fitted, {_heaviest(found)} misses '
            f'{100.0 * _left(found):.0f} % of its effort: the masses are not those of this arm.'),
            'check --urdf, a missing payload, --gravity (mounting), and the units of the effort')
    if grade == 'GOOD' and not causes:
        return Conclusion(grade, sentence, (_largest(found),))
    if calibrated:
        step = ('identify again with --load or --stribeck' if any(
            cause in ('friction', 'load') for cause, _, _ in causes) else
            'identify again with a longer or faster recording')
        return Conclusion(grade, sentence, (_largest(found), *more), step)
    return Conclusion(grade, sentence, (_largest(found), *more), command)


def conclude_identification(found: Identification, before: Evaluation, after: Evaluation,
                            seen: bool, excite: str, use: str) -> Conclusion:
    """Return the Conclusion of an Identification.

    before, after: of the model of the URDF and of the fit, on the same data; seen: whether the
    fit used these data; excite, use: commands for the next step.
    """
    where = 'on the data of the fit' if seen else 'on unseen data'
    identified = sum(each.identified for each in found.base)
    parameters = (f'{identified} of {len(found.base)} base parameters are identifiable'
                  if found.base else 'friction and rotors only: inertias are those of the URDF')
    sentence = (f'RMSE {where} {summed(after)} instead of {summed(before)} ({_sum_of(after)}); '
                f'{parameters}.')
    more = (_largest(after), *(_named(*cause) for cause in _causes(after)))
    grade = _grade(after)
    if _mean_error(after) > 0.9 * _mean_error(before) and _mean_error(before) > 0.01:
        return Conclusion('POOR' if grade != 'GOOD' else grade, sentence, more,
                          'the fit changes little: check the URDF, the sign and the units of the '
                          'effort, and the length of the recording')
    if found.base and (identified < FEW * len(found.base) or not math.isfinite(found.condition)):
        return Conclusion(grade, sentence, more, f'{use}; for more identifiable parameters, '
                          f'record the motion of `{excite}`')
    if any(cause == 'load' for cause, _, _ in _causes(after)):
        return Conclusion(grade, sentence, more, 'identify again with --load')
    return Conclusion(grade, sentence, more, use)


def summed(found: Evaluation, values: FloatArray | None = None) -> str:
    """Return the sum over the joints of a value per joint, by default the RMSE, with its unit."""
    values = found.rmse if values is None else values
    sums: dict[str, float] = {}
    for unit, value in zip(found.units, values):
        sums[unit] = sums.get(unit, 0.0) + float(value)
    return ' and '.join(f'{value:.3g} {unit}' for unit, value in sums.items())


def _sum_of(found: Evaluation) -> str:
    count = len(found.joint_names)
    return 'one joint' if count == 1 else f'sum of {counted(count, "joint")}'


def _mean_error(found: Evaluation) -> float:
    """Return the mean over the joints of RMSE / RMS."""
    errors = found.normalized[np.isfinite(found.normalized)]
    return float(errors.mean()) if len(errors) else 0.0


def _grade(found: Evaluation) -> Grade:
    mean = _mean_error(found)
    return 'GOOD' if mean <= GOOD else 'FAIR' if mean <= FAIR else 'POOR'


def _largest(found: Evaluation) -> str:
    j = int(np.nanargmax(np.where(np.isfinite(found.normalized), found.normalized, -1.0)))
    return (f'Largest error: {found.joint_names[j]}, RMSE {found.rmse[j]:.3g} {found.units[j]}, '
            f'{100.0 * found.normalized[j]:.0f} % of its effort.')


def _causes(found: Evaluation) -> list[tuple[Cause, float, list[str]]]:
    """Return (cause, fraction of the squared error, joints) that are visible, largest first."""
    big = found.normalized > 0.5 * GOOD         # of small errors the cause does not matter
    causes = []
    for cause in SENTENCES:
        fractions = found.causes.explained([cause])
        own = big & (fractions > VISIBLE)
        if own.any():
            squares = found.causes.squares / np.maximum(found.rms, 1e-300)**2
            causes.append((cause, float((fractions * squares)[own].sum() / squares[own].sum()),
                           [found.joint_names[j] for j in np.flatnonzero(own)]))
    # a cause that explains no more than a stronger one of the same joints repeats it
    causes.sort(key=lambda each: -each[1])
    return [each for k, each in enumerate(causes)
            if not any(set(each[2]) <= set(other[2]) for other in causes[:k])]


def _named(cause: Cause, fraction: float, joints: list[str]) -> str:
    which = ', '.join(joints[:3]) + (' and others' if len(joints) > 3 else '')
    return f'Errors of {which} {SENTENCES[cause]} ({100.0 * fraction:.0f} % of the squared error).'


def _is_another_arm(found: Evaluation) -> bool:
    return _left(found) > ANOTHER_ARM


def _left(found: Evaluation) -> float:
    """Return RMSE / RMS of the heaviest joint after friction and rotor are fitted."""
    j = found.joint_names.index(_heaviest(found))
    explained = found.causes.explained(['friction', 'rotor inertia'])[j]
    return float(found.normalized[j] * math.sqrt(1.0 - explained))


def _heaviest(found: Evaluation) -> str:
    """Return the joint with the largest measured effort."""
    return found.joint_names[int(np.argmax(found.rms))]
