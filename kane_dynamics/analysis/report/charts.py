# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Charts of a page as plain data, drawn by page/plots.js."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from typing import NamedTuple, TypedDict

from kane_dynamics.analysis.report.channels import Channel, channel
from kane_dynamics.numerics.array_types import FloatArray


class Limit(NamedTuple):
    """A dashed line; of: index of the curve that it limits, None: all curves."""

    value: float
    name: str = ''
    of: int | None = None


class Curve(TypedDict):
    """A named signal at the common times of a page."""

    name: str
    d: Channel


class Chart(TypedDict):
    """Curves over time with their limits."""

    title: str
    unit: str
    series: list[Curve]
    limits: list[dict[str, float | str | None]]
    always: bool                # the axis includes the limits even where no curve is near them
    floor: float | None         # lower end of the axis
    height: int                 # [pixels]
    bad: list[list[float]]      # intervals of time to shade, [[from, to], ...] [s]


class ChartGroup(TypedDict):
    """Charts below a heading; folded: opened by a click; wide: one chart per row."""

    title: str
    plots: list[Chart]
    folded: bool
    wide: bool


class Diagram(TypedDict):
    """A curve in the plane, such as torque over speed, and the area that it should stay in."""

    title: str
    x: Channel
    y: Channel
    t: Channel
    area: list[list[float]]     # corners [x, y]
    xname: str
    yname: str
    outside: str                # '1' for each sample outside of the area, else '0'


class ChartData(TypedDict):
    """All charts of a page; breaks: indices of t where the curves begin again after a gap."""

    t: Channel
    breaks: list[int]
    groups: list[ChartGroup]
    diagrams: list[Diagram]


def chart(title: str, unit: str, series: Mapping[str, FloatArray], limits: Iterable[Limit] = (),
          *, always: bool = False, floor: float | None = None, height: int = 170,
          bad: list[list[float]] | None = None) -> Chart:
    """Return the Chart of {name: values (N,)}; limits that are not finite are left out."""
    return {'title': title, 'unit': unit,
            'series': [{'name': name, 'd': channel(values)} for name, values in series.items()],
            'limits': [{**limit._asdict(), 'value': float(limit.value)}
                       for limit in limits if math.isfinite(limit.value)],
            'always': always, 'floor': floor, 'height': height, 'bad': bad or []}


def group(title: str, charts: Iterable[Chart], *, folded: bool = False,
          wide: bool = False) -> ChartGroup:
    """Return the ChartGroup of the charts that have curves."""
    return {'title': title, 'plots': [each for each in charts if each['series']],
            'folded': folded, 'wide': wide}
