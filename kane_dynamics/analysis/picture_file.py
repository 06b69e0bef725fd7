# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A matplotlib figure and the file that it goes to; the ending of its name says which format."""

from __future__ import annotations

from pathlib import Path

from kane_dynamics.exceptions import InputError, MissingDependencyError

ENDINGS = ('.png', '.svg', '.pdf', '.jpg')


def check_picture(path):
    """Refuse a file name that no picture can be written to; ask before long work."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f'{path}: a picture is one of {", ".join(ENDINGS)}')


def new_figure(width, height):
    """Return an empty Figure [inches], its parts laid out without overlap."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError('a picture needs matplotlib: pip install matplotlib '
                                     f'({error})') from None
    figure = Figure(figsize=(width, height), layout='constrained')
    FigureCanvasAgg(figure)
    return figure


def save_picture(figure, path):
    """Write a Figure to a file."""
    check_picture(path)
    figure.savefig(path, dpi=110)
