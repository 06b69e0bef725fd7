# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of how well an arm followed: joint errors, and what its tip does meanwhile."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.picture_file import new_figure, save_picture

COLOURS = ('#8a8f98', '#2563a8', '#c2410c', '#15803d')
SMALLEST = 1e-8     # [rad] in the picture: below is nothing


def picture_of_tracking(title, runs, path):
    """Write the picture to a file; the ending of its name says which format.

    runs: (name, t (N,) [s], error (N,) of the worst joint [rad], tip (N, 3) deflection [m], end
    of the motion [s]).
    """
    figure = new_figure(9.0, 6.5)
    errors, tips = figure.subplots(2, 1, sharex=True)
    along = _main_direction(np.vstack([tip for _, _, _, tip, _ in runs]))
    for (name, t, error, tip, end), colour in zip(runs, COLOURS):
        errors.semilogy(t, np.maximum(error, SMALLEST), color=colour, lw=1.2, label=name)
        tips.plot(t, 1e3 * (tip @ along), color=colour, lw=1.2)
        for panel in (errors, tips):
            panel.axvline(end, color=colour, lw=0.8, ls=':')
    errors.set_ylabel('worst joint error [rad]')
    errors.legend(ncols=2, fontsize=9)
    tips.set_ylabel('tip deflection, main direction [mm]')
    tips.set_xlabel('time [s]; dotted: the end of each motion')
    for panel in (errors, tips):
        panel.grid(alpha=0.3)
    figure.suptitle(title, fontsize=11)
    save_picture(figure, path)


def _main_direction(rows):
    """Return the unit vector (3,) along which rows (N, 3) vary most."""
    return np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][0]
