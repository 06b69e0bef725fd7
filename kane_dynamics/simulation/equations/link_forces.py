# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Forces and moments on links as functions of time: grinding, screwing, spray reactions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import vector

Axes: TypeAlias = Literal['base', 'link']
AXES = get_args(Axes)
WrenchFunction: TypeAlias = 'Callable[[float], ArrayLike]'


@dataclass(frozen=True, eq=False)
class LinkForce:
    """A force and a moment on a link.

    wrench: (6,) force [N] and moment [N m], or a function of time t [s] that returns them; point:
    (3,) [m] in the link's frame where the force acts; axes: in which the wrench is given, those of
    the base or of the link.
    """

    link: str
    wrench: ArrayLike | WrenchFunction
    point: ArrayLike = (0.0, 0.0, 0.0)
    axes: Axes = 'base'

    def __post_init__(self) -> None:
        if self.axes not in AXES:
            raise InputError(f'force on {self.link!r}: axes must be one of {list(AXES)}, got '
                             f'{self.axes!r}')
        object.__setattr__(self, 'point', vector(self.point, f'force on {self.link!r}: point'))
        if not callable(self.wrench):
            object.__setattr__(self, 'wrench', _wrench(self.wrench, self.link, None))

    def at(self, t: float) -> FloatArray:
        """Return the wrench (6,) at time t [s]."""
        if callable(self.wrench):
            return _wrench(self.wrench(t), self.link, t)
        return np.asarray(self.wrench)


class LinkForces:
    """The generalized forces of LinkForces on an arm, in arrays bound once to its q."""

    def __init__(self, dynamics: Dynamics, forces: Sequence[LinkForce], q: FloatArray) -> None:
        self._terms = []
        for force in forces:
            if not isinstance(force, LinkForce):
                raise InputError(f'link_forces: expected LinkForce, got {type(force).__name__}')
            dynamics.robot.link(force.link)                 # raises with the names there are
            J, pose = np.zeros((6, dynamics.robot.nv)), np.zeros((3, 4))
            steps = (dynamics.bind('frame_jacobian', q, J, frame=force.link),
                     dynamics.bind('frame_pose', q, pose, frame=force.link))
            self._terms.append((force, J, pose, steps))

    def fill(self, t: float, out: FloatArray) -> None:
        """Fill out (nv,) with the sum of J' w at time t [s] and the present q.

        With r from the origin of the link to the point: J_v' f + J_w' (m + r x f).
        """
        out[:] = 0.0
        for force, J, pose, steps in self._terms:
            for step in steps:
                step()
            R = pose[:, :3]
            f, m = force.at(t).reshape(2, 3) if force.axes == 'base' else (
                force.at(t).reshape(2, 3) @ R.T)
            r = R @ np.asarray(force.point, dtype=float)
            out += J[:3].T @ f + J[3:].T @ (m + np.cross(r, f))


def _wrench(values: ArrayLike, link: str, t: float | None) -> FloatArray:
    when = '' if t is None else f' at t = {t:g} s'
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f'force on {link!r}{when}: expected 6 numbers, force and moment, got '
                         f'{type(values).__name__}') from None
    if found.shape != (6,) or not np.isfinite(found).all():
        raise InputError(f'force on {link!r}{when}: expected 6 finite numbers, force and moment, '
                         f'got {found.tolist()}')
    return found
