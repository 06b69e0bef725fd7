# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Methods show(), plot() and save() of results from rooms below those that do it.

A Solution or a Trajectory cannot import `analysis.display`, which imports them. Their methods ask
the public names of the package when they are called, as a user would: this file alone may do so
(test/project/test_imports.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TYPE_CHECKING

if TYPE_CHECKING:
    from kane_dynamics.analysis.display.page import Page
    from kane_dynamics.model.robot import Robot


class Plotted:
    """A result with curves over time."""

    def plot(self, path: str | Path | None = None) -> Page:
        """Show the curves in a browser tab or in Jupyter, or write them to path; see `plot`."""
        import kane_dynamics
        result: Any = self      # one of the classes that derive from this one
        return kane_dynamics.plot(result, path=path)


class Shown(Plotted):
    """A result that knows its robot."""

    def show(self, path: str | Path | None = None, frame: str | None = None,
             viewer: Literal['page', 'meshcat'] = 'page') -> object:
        """Show the robot in motion with its curves; see `show`."""
        import kane_dynamics
        result: Any = self
        return kane_dynamics.show(result, path=path, frame=frame, viewer=viewer)


class Saved(Shown):
    """A result that can be written to a file."""

    def save(self, path: str | Path) -> Path:
        """Write all samples as .csv, .npz or, without an ending, as a rosbag2; see `save`."""
        import kane_dynamics
        result: Any = self
        return kane_dynamics.save(result, path)


class ShownOnRobot(Plotted):
    """A motion of joints that belongs to no robot."""

    def show(self, robot: Robot, path: str | Path | None = None, frame: str | None = None,
             viewer: Literal['page', 'meshcat'] = 'page') -> object:
        """Show the robot in this motion, with its curves; see `show`."""
        import kane_dynamics
        motion: Any = self
        return kane_dynamics.show(robot, motion, path=path, frame=frame, viewer=viewer)
