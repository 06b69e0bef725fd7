# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions along a motion.

Between two samples that are looked at, no point of one body moves farther relative to the other
than the distance between them, or than RESOLUTION where they are closer: no collision is missed
but one that is shallower than that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
import math
from typing import Any, NamedTuple

import numpy as np

from kane_dynamics.analysis.collision.coal_pair import CoalBody, CoalPair, load_coal
from kane_dynamics.analysis.collision.collision_bodies import (
    Bodies, bodies_of, Body, box_part, Poses, stands_on_base)
from kane_dynamics.exceptions import MissingDependencyError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import BoolArray, FloatArray

RESOLUTION = 1e-3       # [m]
FLOOR = 'floor'
CHUNK = 256             # samples of the floor check at once


class Box(NamedTuple):
    """An obstacle that stands still: sizes x, y, z [m] and pose in the world."""

    name: str
    size: tuple[float, float, float]
    rotation: FloatArray        # (3, 3)
    position: FloatArray        # (3,) [m], of its centre


@dataclass(frozen=True, eq=False, kw_only=True)
class Surroundings:
    """What an arm can collide with.

    floor: height [m] of the floor above the mounting plane, z = 0 of the root link; None: 0,
    where the arm stands on that plane; -inf: no floor. ignored: pairs of names of links, boxes
    and 'floor' that are not checked.
    """

    floor: float | None = None
    boxes: tuple[Box, ...] = ()
    ignored: frozenset[frozenset[str]] = frozenset()


class PairDistance(NamedTuple):
    """The smallest distance of two links, or of a link and the floor or a box.

    distance [m]: at least; negative where they collide: at most so deep. time [s]: of the smallest
    distance; first [s]: of the first collision, None without one; colliding (N,): by sample.
    """

    one: str
    other: str
    distance: float
    time: float
    first: float | None
    colliding: BoolArray

    @property
    def names(self) -> str:
        """Return both names."""
        return f'{self.one} and {self.other}'


@dataclass(frozen=True, eq=False, kw_only=True)
class CollisionReport:
    """The result of a collision check; pairs: closest first.

    left_out: pairs that are not checked because they touch in the reference configuration.
    not_checked: sentences on collisions that are not checked, and why.
    """

    pairs: tuple[PairDistance, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    not_checked: tuple[str, ...] = ()

    @property
    def collisions(self) -> tuple[PairDistance, ...]:
        """Return the pairs that collide, the first collision first."""
        found = [pair for pair in self.pairs if pair.first is not None]
        return tuple(sorted(found, key=lambda pair: pair.first or 0.0))

    def summary(self) -> str:
        """Return the result in a sentence or two."""
        if not self.pairs:
            return ' '.join(('Collisions are not checked.', *self.not_checked))
        sentences = []
        if not self.collisions:
            closest = self.pairs[0]
            sentences.append(f'No collision; closest: {closest.names}, at least '
                             f'{1e3 * closest.distance:.0f} mm at {closest.time:.3f} s.')
        return ' '.join((*sentences, *self.not_checked))

    def notes(self) -> list[str]:
        """Return sentences on pairs that are left out."""
        if not self.left_out:
            return []
        return ['Collisions of these pairs are not checked, because they touch in the reference '
                'configuration: ' + ', '.join(f'{a} and {b}' for a, b in self.left_out) + '.']


def check_collisions(robot: Robot, t: FloatArray, poses: Mapping[str, Poses],
                     reference: Mapping[str, Poses], surroundings: Surroundings,
                     folder: str | None = None) -> CollisionReport:
    """Return the CollisionReport of a motion.

    t (N,) [s]; poses: {link: (R (N, 3, 3), p (N, 3))} along it; reference: the same for N = 1, a
    configuration without collisions: links that touch there are left out, as links that a joint
    connects are. folder: of the URDF, to resolve its mesh files.
    """
    found = bodies_of(robot, reference, folder)
    notes = [f'{link} is not checked for collisions: {reason}.'
             for link, reason in found.missing.items()]
    if not found.bodies:
        return CollisionReport(not_checked=(
            *notes, f'{robot.name} has no collision shapes and no visuals.'))
    check = _Check(robot, t, poses, reference, surroundings)
    floor = surroundings.floor
    if floor is None and not stands_on_base(robot, reference):
        notes.append(f'Collisions with the floor are not checked: {robot.name} reaches far below '
                     'z = 0 of its root link; give the height of the floor.')
    elif floor != -math.inf:
        check.floor(found, floor or 0.0)
    try:
        coal = load_coal()
    except MissingDependencyError as error:
        notes.append(f'Collisions between links{" and with boxes" * bool(surroundings.boxes)} '
                     f'are not checked: {error}.')
    else:
        check.bodies(coal, found)
    return CollisionReport(pairs=tuple(sorted(check.pairs, key=lambda pair: pair.distance)),
                           left_out=tuple(check.left_out), not_checked=tuple(notes))


class _Check:
    """The check of one motion."""

    def __init__(self, robot: Robot, t: FloatArray, poses: Mapping[str, Poses],
                 reference: Mapping[str, Poses], surroundings: Surroundings) -> None:
        self._robot, self._t, self._poses = robot, t, poses
        self._reference, self._surroundings = reference, surroundings
        self.pairs: list[PairDistance] = []
        self.left_out: list[tuple[str, str]] = []

    def _ignored(self, one: Body, other: Body | None) -> bool:
        names = [FLOOR] if other is None else [part.link for part in other.parts]
        return any(frozenset((part.link, name)) in self._surroundings.ignored
                   for part in one.parts for name in names)

    # -- floor ----------------------------------------------------------------------------------

    def floor(self, found: Bodies, height: float) -> None:
        """Compare the lowest point of each moving body with the floor."""
        root = next((body for body in found.bodies if body.fixed), None)
        for body in found.bodies:
            if body.fixed or self._ignored(body, None):
                continue
            pose, still = (_relative(poses[self._robot.root], poses[body.frame])
                           for poses in (self._poses, self._reference))
            first = root is None or (root.frame, body.frame) in found.adjacent
            if first and _heights(body, *still).min() < height:
                self.left_out.append((body.name, FLOOR))
                continue
            rows = _rows(_travel(body, *pose))
            heights = _heights(body, pose[0][rows], pose[1][rows]) - height
            self.pairs.append(self._pair(body.name, FLOOR, rows, heights))

    # -- bodies ---------------------------------------------------------------------------------

    def bodies(self, coal: Any, found: Bodies) -> None:
        """Compare all pairs of bodies that no joint connects, and the bodies with the boxes."""
        known = {body.frame: CoalBody(coal, body) for body in found.bodies}
        for one, other in combinations(found.bodies, 2):
            if (one.frame, other.frame) in found.adjacent or self._ignored(one, other):
                continue
            pair = CoalPair(coal, known[one.frame], known[other.frame])
            R, p = _relative(self._reference[one.frame], self._reference[other.frame])
            if pair.distance(R[0], p[0], inside=True)[0] < 0.0:
                self.left_out.append((one.name, other.name))
                continue
            self._search(pair, other, *_relative(self._poses[one.frame],
                                                 self._poses[other.frame]))
        for box in self._surroundings.boxes:
            block = Body('', (box_part(box.name, box.size, box.rotation, box.position),), True)
            solid = CoalBody(coal, block)
            for body in found.bodies:
                if not body.fixed and not self._ignored(block, body):
                    self._search(CoalPair(coal, solid, known[body.frame]), body,
                                 *self._poses[body.frame])

    def _search(self, pair: CoalPair, second: Body, R: FloatArray, p: FloatArray) -> None:
        """Find the smallest distance of a pair; R (N, 3, 3), p (N, 3): of the second in the first.

        A sample is passed over where the travel since the last one looked at is shorter than what
        its distance exceeds the smallest one by: it cannot be closer.
        """
        travel = _travel(second, R, p)
        rows, distances = [], []
        closest, best, k = ('', ''), math.inf, 0
        while True:
            d, a, b = pair.distance(R[k], p[k], inside=k == 0)
            rows.append(k)
            distances.append(d)
            if d < best:
                best, closest = d, (a.link, b.link)
            if k == len(travel) - 1:
                break
            step = max(d - max(best, 0.0), RESOLUTION)
            k = min(max(k + 1, int(np.searchsorted(travel, travel[k] + step))), len(travel) - 1)
        self.pairs.append(self._pair(*closest, np.array(rows), np.array(distances)))

    def _pair(self, one: str, other: str, rows: Any, distances: FloatArray) -> PairDistance:
        """Return the PairDistance of distances (n,) at the samples `rows` (n,)."""
        k = int(np.argmin(distances))
        hit = distances < 0.0
        # between two samples that are looked at: as at the first of them
        colliding = np.repeat(hit, np.diff([*rows.tolist(), len(self._t)]))
        first = float(self._t[rows[np.argmax(hit)]]) if hit.any() else None
        return PairDistance(one, other, float(distances[k]), float(self._t[rows[k]]), first,
                            colliding)


def _relative(one: Poses, other: Poses) -> Poses:
    """Return the poses of the second body in the frame of the first."""
    inverse = np.swapaxes(one[0], -1, -2)
    return inverse @ other[0], np.einsum('nij,nj->ni', inverse, other[1] - one[1])


def _travel(body: Body, R: FloatArray, p: FloatArray) -> FloatArray:
    """Return (N,) [m]: no point of a body has moved farther between two samples.

    The centre c of a sphere about the body moves by |dc|; a point at the distance r from it by
    2 r sin(angle / 2) = r |dR| / sqrt(2), with Frobenius' norm, relative to the centre.
    """
    centre, radius = body.sphere()
    path = R @ centre + p
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1) + radius / math.sqrt(
        2.0) * np.linalg.norm(np.diff(R, axis=0), axis=(1, 2))
    return np.concatenate([[0.0], np.cumsum(steps)])


def _rows(travel: FloatArray) -> Any:
    """Return samples between which the travel is at most RESOLUTION, or that are neighbours."""
    cells = np.floor(travel / RESOLUTION)
    return np.unique(np.concatenate([[0], np.flatnonzero(np.diff(cells)) + 1, [len(travel) - 1]]))


def _heights(body: Body, R: FloatArray, p: FloatArray) -> FloatArray:
    """Return the heights (N,) [m] of a body's lowest point above z = 0; R, p: its poses."""
    heights = np.full(len(R), math.inf)
    for part in body.parts:
        points = _hull(part.in_body())
        for rows in (slice(k, k + CHUNK) for k in range(0, len(R), CHUNK)):
            low = (R[rows, 2] @ points.T).min(axis=1) + p[rows, 2] - part.radius
            heights[rows] = np.minimum(heights[rows], low)
    return heights


def _hull(points: FloatArray) -> FloatArray:
    """Return the corners of the convex hull of points (V, 3), where there are many."""
    if len(points) < CHUNK:
        return points
    from scipy.spatial import ConvexHull, QhullError
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:      # flat
        return points
