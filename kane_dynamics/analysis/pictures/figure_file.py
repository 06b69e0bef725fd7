# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of matplotlib and their files; the ending of the file name gives the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.io.files import whole_file

ENDINGS = ('.png', '.svg', '.pdf', '.jpg')

Figure: TypeAlias = Any         # of matplotlib, which is optional


def check_picture(path: str | Path) -> None:
    """Raise for a file name that no picture can be written to; to be called before long work."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f'{path}: expected a picture file, one of {", ".join(ENDINGS)}')


def new_figure(width: float, height: float) -> Figure:
    """Return an empty Figure [inches], its parts laid out without overlap."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as MatplotlibFigure
    except ImportError as error:
        raise MissingDependencyError('a picture needs matplotlib: pip install matplotlib '
                                     f'({error})') from None
    figure = MatplotlibFigure(figsize=(width, height), layout='constrained')
    FigureCanvasAgg(figure)
    return figure


def save_picture(figure: Figure, path: str | Path) -> None:
    """Write a Figure to a file."""
    check_picture(path)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110)
