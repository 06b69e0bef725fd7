# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Deflections of flexible links, and the range within which their model is valid."""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING
import warnings

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsWarning
from kane_dynamics.model.deflection_range import out_of_range, tip_displacements
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


class Deflection(NamedTuple):
    """Displacement of the tip of a bent link from its position when straight."""

    vector: FloatArray   # (3,) in the link frame [m]
    length: float        # of the link [m]
    allowed: float       # up to here the model is accurate to about one per cent [m]

    @property
    def size(self) -> float:
        """Return the distance [m]."""
        return float(np.linalg.norm(self.vector))

    @property
    def in_range(self) -> bool:
        """Return whether the model is valid."""
        return self.size <= self.allowed


def tip_deflections(robot: Robot, q: FloatArray) -> dict[str, Deflection]:
    """Return {link: Deflection} of the modal links at q (nq,); segments have no limit."""
    bodies = {name: link.body for name, link in robot.flexible_links.items()}
    return {name: Deflection(vector, body.length, body.deflection_range)
            for name, vector in tip_displacements(robot, q).items()
            if (body := bodies[name]) is not None}


class DeflectionWatch:
    """Warn once per link when its deflection leaves the range of its model."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._warned: set[str] = set()

    def messages(self, q: FloatArray) -> list[str]:
        """Return a sentence for each link that is newly out of range at q (nq,)."""
        found = []
        for name, deflection in tip_deflections(self._robot, q).items():
            # NaN is out of range too
            if name not in self._warned and not deflection.in_range:
                self._warned.add(name)
                found.append(out_of_range(name, deflection.size, deflection.length,
                                          deflection.allowed))
        return found

    def beyond(self, q: FloatArray) -> bool:
        """Return whether a link is out of range at q (nq,), warned of before or not."""
        return not all(deflection.in_range
                       for deflection in tip_deflections(self._robot, q).values())

    def check(self, q: FloatArray) -> None:
        """Warn of each link that is newly out of range at q (nq,)."""
        for message in self.messages(q):
            warnings.warn(message, KaneDynamicsWarning, stacklevel=2)
