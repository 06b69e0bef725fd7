# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tip deflections of modal links, and the range in which their model is accurate to about 1 %.

Links of <segments> have no such range: they bend by any angle.
"""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING
import warnings

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsWarning
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.tree_of_robot import elastic_slices
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_body import FlexibleBody


class RangeExit(NamedTuple):
    """A link that leaves the range of its model in a motion; lengths in [m]."""

    link: str
    time: float         # of the first sample beyond the range [s]
    deflection: float   # of the tip at that sample
    largest: float      # of all samples
    length: float       # of the link
    allowed: float      # deflection up to which the model is accurate to about 1 %

    def __str__(self) -> str:
        later = f' (up to {self.largest:.3g} m later)' if self.largest > self.deflection else ''
        return (f'{out_of_range(self.link, self.deflection, self.length, self.allowed)}; first at '
                f't = {self.time:.4g} s{later}')


def tip_displacements(robot: Robot, q: ArrayLike) -> dict[str, FloatArray]:
    """Return {link: (..., 3) [m] in its frame} of the modal links at q (..., nq)."""
    elastic = np.asarray(q, dtype=float)[..., robot.modes_q]
    slices = elastic_slices(robot)
    found = {}
    for name, body in _modal_bodies(robot).items():
        found[name] = body.tip_deflection(elastic[..., slices[name]])
    return found


def range_exits(robot: Robot, t: ArrayLike, q: ArrayLike) -> tuple[RangeExit, ...]:
    """Return a RangeExit for each link beyond its range at samples t (N,) [s], q (N, nq)."""
    found = []
    t = np.asarray(t, dtype=float)
    bodies = _modal_bodies(robot)
    for name, vectors in tip_displacements(robot, q).items():
        body, size = bodies[name], np.linalg.norm(vectors, axis=1)
        beyond = ~(size <= body.deflection_range)           # NaN is beyond too
        if beyond.any():
            k = int(np.argmax(beyond))
            found.append(RangeExit(name, float(t[k]), float(size[k]), float(size.max()),
                                   body.length, body.deflection_range))
    return tuple(found)


def warn_of(what: str, exits: tuple[RangeExit, ...], stacklevel: int = 2) -> None:
    """Issue a KaneDynamicsWarning for each RangeExit; what: the computation that found it."""
    for each in exits:
        warnings.warn(f'{what}: {each}', KaneDynamicsWarning, stacklevel=stacklevel + 1)


def out_of_range(link: str, size: float, length: float, allowed: float) -> str:
    """Return the message about a link bent by `size`, beyond the `allowed` deflection [m]."""
    return (f'link {link!r} bends by {size:.3g} m, {size / length:.1%} of its length; its model '
            f'is good to about 1 % up to {allowed:.3g} m: use <model order="3">, or <segments> '
            'for larger bending')


def _modal_bodies(robot: Robot) -> dict[str, FlexibleBody]:
    return {name: link.body for name, link in robot.flexible_links.items()
            if link.body is not None}
