# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How far flexible links bend, and whether that is within the range of their model."""

from __future__ import annotations

from typing import NamedTuple
import warnings

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsWarning


class Deflection(NamedTuple):
    """Where the tip of a bent link is, against where it would be straight."""

    vector: np.ndarray   # (3,) in the link frame [m]
    length: float        # of the link [m]
    allowed: float       # the model is good to about one per cent up to here [m]

    @property
    def size(self):
        """Return the distance [m]."""
        return float(np.linalg.norm(self.vector))

    @property
    def in_range(self):
        """Return whether the model still holds."""
        return self.size <= self.allowed


def tip_deflections(robot, q):
    """Return {link: Deflection} of the modal links at q (nq,); segments bend without limit."""
    q = np.asarray(q, dtype=float)
    found, first = {}, robot.nq - robot.n_modes
    for name, link in robot.flexible_links.items():
        if link.body is None:
            first += sum(len(spring.stiffness) for spring in link.segments.springs)
            continue
        eta = q[first:first + link.body.n_modes]
        first += link.body.n_modes
        found[name] = Deflection(link.body.tip_deflection(eta), link.beam.length,
                                 link.body.deflection_range)
    return found


class DeflectionWatch:
    """Look at q now and then and warn, once per link, when it bends beyond its model."""

    def __init__(self, robot):
        self._robot, self._warned = robot, set()

    def messages(self, q):
        """Return a sentence for each link that is newly out of range at q (nq,)."""
        said = []
        for name, deflection in tip_deflections(self._robot, q).items():
            # NaN is out of range too
            if name not in self._warned and not deflection.in_range:
                self._warned.add(name)
                said.append(
                    f'link {name!r} bends by {deflection.size:.3g} m, '
                    f'{deflection.size / deflection.length:.1%} of its length; its model is good '
                    f'to about 1 % up to {deflection.allowed:.3g} m: use <model order="3">, or '
                    '<segments> for larger bending')
        return said

    def beyond(self, q):
        """Return whether a link is out of range at q (nq,), told of before or not."""
        return not all(deflection.in_range
                       for deflection in tip_deflections(self._robot, q).values())

    def check(self, q):
        """Warn of each link that is newly out of range at q (nq,)."""
        for message in self.messages(q):
            warnings.warn(message, KaneDynamicsWarning, stacklevel=2)
