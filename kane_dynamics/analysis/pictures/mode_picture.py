# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Picture of the lowest vibration modes of an arm, at rest and at both ends of each vibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.pictures.arm_lines import ArmLines
from kane_dynamics.analysis.pictures.figure_file import new_figure, save_picture
from kane_dynamics.analysis.vibration.vibration import Vibration
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray

MAX_MODES = 6        # in one picture
SIZE = 0.12          # largest displacement in the picture, as a fraction of the arm's extent
SMALL = 1e-5         # [m or rad] step to find the directions of motion
VIEWS = (('side: x, z', 0, 2), ('front: y, z', 1, 2), ('top: x, y', 0, 1))
VISIBLE = 0.05       # fraction of the largest size; views that show less are left out
REST, BENT, BACK = '#8a8f98', '#c2410c', '#e9b49a'


def picture_of_modes(robot: Robot, found: Vibration, path: str | Path,
                     most: int = MAX_MODES) -> None:
    """Write the picture of a Vibration to a file; the ending of its name gives the format."""
    lines = ArmLines(robot)
    rest = _flat(lines.at(found.q))
    count = min(most, len(found.squares))
    motions = [_motion(lines, found.q, found.shapes[:, k]) for k in range(count)]
    views = _views(rest, motions)
    figure = new_figure(3.0 * count, 3.0 * len(views) + 0.4)
    panels = figure.subplots(len(views), count, squeeze=False)
    for row, (title, a, b) in zip(panels, views):
        for k, panel in enumerate(row):
            for sign, colour, width in ((0, REST, 1.5), (-1, BACK, 1.2), (1, BENT, 2.0)):
                for points, motion in zip(rest, motions[k]):
                    bent = points + sign * motion
                    panel.plot(bent[:, a], bent[:, b], color=colour, lw=width,
                               solid_capstyle='round')
            panel.set_aspect('equal', adjustable='datalim')
            panel.margins(0.1)
            panel.tick_params(labelsize=7)
        row[0].set_ylabel(f'{title} [m]', fontsize=9)
    for k, panel in enumerate(panels[0]):
        panel.set_title(f'{k + 1}: {found.frequencies[k]:.4g} Hz', fontsize=10)
    figure.suptitle(f'{robot.name}, joints {found.joints}: at rest (grey) and at both ends of '
                    'each vibration (dark, light), enlarged', fontsize=10)
    save_picture(figure, path)


def _flat(pose: Mapping[str, Iterable[FloatArray]]) -> list[FloatArray]:
    return [points for parts in pose.values() for points in parts]


def _motion(lines: ArmLines, q: FloatArray, shape: FloatArray) -> list[FloatArray]:
    """Return the displacement of each point in a vibration, enlarged to be visible.

    To first order: enlarged coordinates would enlarge the foreshortening, too.
    """
    along = shape
    if len(q) != len(shape):                               # a floating base is drawn at rest
        along = np.concatenate([np.zeros(7), shape[6:]])
    small = SMALL / max(abs(along).max(), 1e-300)
    forth, back = (_flat(lines.at(q + sign * small * along)) for sign in (1, -1))
    motion = [a - b for a, b in zip(forth, back)]
    largest = max(abs(part).max() for part in motion)
    extent = np.ptp(np.vstack(forth), axis=0).max()
    return [part * (SIZE * extent / max(largest, 1e-300)) for part in motion]


def _views(rest: Sequence[FloatArray],
           motions: Sequence[Sequence[FloatArray]]) -> list[tuple[str, int, int]]:
    """Return the views that show motion: two of three for a spatial arm, one for a planar one."""
    moved = np.max([abs(np.vstack(motion)).max(axis=0) for motion in motions], axis=0)
    size = moved + np.ptp(np.vstack(rest), axis=0)
    shown = [view for view in VIEWS
             if min(size[view[1]], size[view[2]]) > VISIBLE * size.max()]
    return shown[:2] or [max(VIEWS, key=lambda view: size[view[1]] + size[view[2]])]
