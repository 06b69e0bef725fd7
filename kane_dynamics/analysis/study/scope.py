# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Scope of a verdict: which limits were checked, which were not, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from typing import NamedTuple, TYPE_CHECKING

from kane_dynamics.analysis.study.verdict import Check

if TYPE_CHECKING:
    from kane_dynamics.analysis.study.study import Study

# topic in sentences -> words that the kinds of its checks begin with
TOPICS: Mapping[str, tuple[str, ...]] = {
    'torque': ('torque',), 'speed': ('speed',), 'position': ('position',),
    'motors': ('motor', 'gear', 'winding', 'pressure', 'valve'),
    'strength of links': ('stress', 'torsion'), 'grip': ('grip',), 'deflection': ('deflection',),
    'energy': ('energy',), 'collisions': ('collision', 'self-collision')}
LIMITS = ('torque', 'speed', 'position')        # of joints: 'torque, speed and position limits'
OPTIONAL = ('grip', 'energy')       # where the task names no such limit, there is nothing to say


class Scope(NamedTuple):
    """The topics of a verdict: those that were checked, and {topic: reason} of the others."""

    checked: tuple[str, ...]
    unchecked: dict[str, str]

    @property
    def within(self) -> str:
        """Return the checked topics, 'torque, speed and position limits, motors'; '' for none."""
        limits = [name for name in self.checked if name in LIMITS]
        rest = [name for name in self.checked if name not in LIMITS]
        return _listed([f'{_listed(limits)} limits'] * bool(limits) + rest)

    @property
    def missing(self) -> str:
        """Return the unchecked topics with their reasons, 'collisions; motors: none given'."""
        return '; '.join(f'{topic}: {reason}' for topic, reason in self.unchecked.items())

    def sentences(self) -> list[str]:
        """Return what was checked and what was not."""
        found = [f'Checked: {self.within}.'] if self.checked else []
        return found + ([f'Not checked: {self.missing}.'] if self.unchecked else [])


def scope_of(study: Study, checks: Iterable[Check], collisions: bool = False) -> Scope:
    """Return the Scope of the checks of a Study; collisions: whether they were checked."""
    kinds = {check.kind for check in checks}
    checked = tuple(topic for topic, words in TOPICS.items()
                    if any(kind.startswith(words) for kind in kinds)
                    or topic == 'collisions' and collisions)
    reasons = _reasons(study)
    return Scope(checked, {topic: reasons[topic] for topic in TOPICS
                           if topic in reasons and topic not in checked})


def _reasons(study: Study) -> dict[str, str]:
    """Return {topic: why it may be unchecked}."""
    reasons = dict.fromkeys((topic for topic in TOPICS if topic not in OPTIONAL), 'no limit given')
    reasons['collisions'] = 'not checked'
    reasons['motors'] = 'none given' if not study.drives else 'no limit given'
    if not study.beams:
        reasons['strength of links'] = 'no sections given'
    if math.isfinite(study.max_deflection) and not study.all_beams:
        reasons['deflection'] = 'no sections given'
    return reasons


def _listed(words: list[str]) -> str:
    """Return 'a', 'a and b', 'a, b and c'."""
    return ' and '.join([', '.join(words[:-1]), words[-1]] if len(words) > 1 else words)
