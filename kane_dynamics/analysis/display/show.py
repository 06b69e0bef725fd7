# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Show robots, motions and results from Python."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.analysis.display.motion_page import curves_page, motion_page
from kane_dynamics.analysis.display.page import in_notebook, Page
from kane_dynamics.analysis.display.shown_motion import (
    configurations, shown_motion, ShownMotion)
from kane_dynamics.analysis.report.report_page import report_page
from kane_dynamics.analysis.report.view_page import view_page
from kane_dynamics.analysis.study.study import Analysis
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show as quoted
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.simulation.solution import Solution
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.motion import Motion
from kane_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    import meshcat

Viewer: TypeAlias = Literal['page', 'meshcat']
Moving: TypeAlias = Solution | Trajectory | Task | Motion


def show(subject: Robot | Dynamics | Solution | Task | Analysis,
         q: ArrayLike | Trajectory | Task | Motion | None = None, *,
         path: str | Path | None = None, frame: str | None = None,
         viewer: Viewer = 'page') -> Page | meshcat.Visualizer:
    """
    Show a robot, a motion or a result, in a browser tab or inline in Jupyter.

    subject: a Robot or Dynamics at q, or moving along q; a Solution, a task or an Analysis.
    q: (nq,) or the joints alone (n_joints,) [rad or m], default: zero, or the nearest within the
    limits; for a motion a Trajectory, a task, a Motion or rows (N, nq), shown at 60 Hz.
    path: write the page there instead. frame: the link whose pose or path is shown, default: the
    tool frame. viewer: 'page', one HTML file, or 'meshcat' (needs the package meshcat).

    Returns the Page (in a script it has been opened, in Jupyter it is shown as the value of a
    cell), or the meshcat Visualizer.
    """
    if viewer not in get_args(Viewer):
        raise InputError(f"viewer: expected 'page' or 'meshcat', got {quoted(viewer)}")
    robot = subject.robot if isinstance(subject, Dynamics) else subject
    if isinstance(robot, Analysis):
        if viewer == 'page':
            return _delivered(Page(robot.study.name, report_page(robot)), path)
        return _in_meshcat(shown_motion(robot.study.motion, robot.study.robot))
    if not isinstance(robot, Robot):
        if q is not None:
            raise InputError(f'q is for a Robot; a {type(subject).__name__} has its own motion')
        return _moving(shown_motion(robot), path, frame, viewer)
    if isinstance(q, (Trajectory, Task, Motion, Solution)) or (
            q is not None and np.ndim(q) == 2):
        return _moving(shown_motion(q, robot), path, frame, viewer)
    start = None if q is None else configurations(robot, q)[0]
    if viewer == 'meshcat':
        return _in_meshcat(shown_motion([robot.neutral() if start is None else start], robot))
    return _delivered(Page(robot.name, view_page(robot, start, robot.folder or None, frame)), path)


def plot(subject: Moving | Analysis, *, path: str | Path | None = None) -> Page:
    """
    Plot a result over time, in a browser tab or inline in Jupyter.

    subject: a Solution, a Trajectory, a task, a Motion or an Analysis. path: write the page there
    instead. Returns the Page; see `show`.
    """
    if isinstance(subject, Analysis):
        return _delivered(Page(subject.study.name, report_page(subject)), path)
    motion = shown_motion(subject)
    return _delivered(Page(motion.title, curves_page(motion)), path)


def _moving(motion: ShownMotion, path: str | Path | None, frame: str | None,
            viewer: Viewer) -> Page | meshcat.Visualizer:
    if motion.robot is None or motion.q is None:
        raise InputError(f'the {motion.title} has no robot: show(robot, motion), or plot(motion)')
    if viewer == 'meshcat':
        return _in_meshcat(motion)
    frame = motion.robot.tip() if frame is None else motion.robot.link(frame).name
    return _delivered(Page(motion.title, motion_page(motion, motion.robot, motion.q, frame)), path)


def _in_meshcat(motion: ShownMotion) -> meshcat.Visualizer:
    from kane_dynamics.analysis.display.meshcat_scene import meshcat_scene
    assert motion.robot is not None and motion.q is not None
    return meshcat_scene(motion.robot, motion.t, motion.q)


def _delivered(page: Page, path: str | Path | None) -> Page:
    """Return the page, written to path or else opened, unless a notebook will show it."""
    if path is not None:
        page.save(path)
    elif not in_notebook():
        page.open()
    return page
