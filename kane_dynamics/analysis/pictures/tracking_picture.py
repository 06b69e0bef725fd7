# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Picture of the tracking of an arm: joint errors and the deflection of its tip over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.pictures.figure_file import new_figure, save_picture
from kane_dynamics.numerics.array_types import FloatArray

COLOURS = ('#8a8f98', '#2563a8', '#c2410c', '#15803d')
MIN_ERROR = 1e-8    # [rad] of the logarithmic axis


class TrackingRun(NamedTuple):
    """A run: t (N,) [s], error (N,) of the worst joint [rad], tip deflection (N, 3) [m]."""

    name: str
    t: FloatArray
    error: FloatArray
    tip: FloatArray
    end: float          # of the motion [s]


def picture_of_tracking(title: str, runs: Sequence[TrackingRun], path: str | Path) -> None:
    """Write the picture of some runs to a file; the ending of its name gives the format."""
    figure = new_figure(9.0, 6.5)
    errors, tips = figure.subplots(2, 1, sharex=True)
    along = _main_direction(np.vstack([run.tip for run in runs]))
    for run, colour in zip(runs, COLOURS):
        errors.semilogy(run.t, np.maximum(run.error, MIN_ERROR), color=colour, lw=1.2,
                        label=run.name)
        tips.plot(run.t, 1e3 * (run.tip @ along), color=colour, lw=1.2)
        for panel in (errors, tips):
            panel.axvline(run.end, color=colour, lw=0.8, ls=':')
    errors.set_ylabel('worst joint error [rad]')
    errors.legend(ncols=2, fontsize=9)
    tips.set_ylabel('tip deflection, main direction [mm]')
    tips.set_xlabel('time [s]; dotted: end of each motion')
    for panel in (errors, tips):
        panel.grid(alpha=0.3)
    figure.suptitle(title, fontsize=11)
    save_picture(figure, path)


def _main_direction(rows: FloatArray) -> FloatArray:
    """Return the unit vector (3,) along which rows (N, 3) vary most."""
    return np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][0]
