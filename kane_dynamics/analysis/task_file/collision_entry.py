# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The entry `collision` of a task file: the floor, boxes, and pairs that are not checked."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.analysis.collision.collision_check import Box, FLOOR, Surroundings
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.rotations import from_rpy

NO_FLOOR = 'none'


def read_surroundings(marked: Marked, robot: Robot) -> Surroundings:
    """Return the Surroundings of the entry.

    collision:
      floor: -0.8 m                 # above the mounting plane of the base; none: no floor
      boxes: {table: {size: [1, 1, 50 mm], position: [0.5, 0, 0.2], rpy: [0, 0, 0]}}
      ignore: [[tool0, table]]      # pairs of links, boxes and 'floor'
    """
    entries = marked.fields(('floor', 'boxes', 'ignore'))
    boxes = tuple(_box(name, value, robot)
                  for name, value in entries['boxes'].entries().items()) if (
        'boxes' in entries) else ()
    floor: float | None = None
    if 'floor' in entries:
        given = entries['floor']
        floor = -math.inf if given.is_text and given.text() == NO_FLOOR else given.number('m')
    known = (*robot.link_names, *(box.name for box in boxes), FLOOR)
    ignored = frozenset(_pair(each, known) for each in entries['ignore'].items()) if (
        'ignore' in entries) else frozenset()
    return Surroundings(floor=floor, boxes=boxes, ignored=ignored)


def _box(name: str, marked: Marked, robot: Robot) -> Box:
    if name in (*robot.link_names, FLOOR):
        marked.fail(f'{name!r} is the name of a link or of the floor; give the box another name')
    entries = marked.fields(('size', 'position', 'rpy'), ('size', 'position'))
    x, y, z = entries['size'].numbers(3, 'm')
    if min(x, y, z) <= 0.0:
        entries['size'].fail(f'expected three lengths above zero, got {[x, y, z]}')
    rpy = entries['rpy'].numbers(3, 'rad') if 'rpy' in entries else (0.0, 0.0, 0.0)
    return Box(name, (x, y, z), from_rpy(rpy), np.array(entries['position'].numbers(3, 'm')))


def _pair(marked: Marked, known: tuple[str, ...]) -> frozenset[str]:
    names = [each.text(known) for each in marked.items()]
    if len(set(names)) != 2:
        marked.fail(f'expected two different names, got {names}')
    return frozenset(names)
