# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Page of an arm in 3D, with a slider for each joint and each mode of its flexible links."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.report.arm_scene import arm_scene, joint_sliders
from kane_dynamics.analysis.report.html_parts import page_of
from kane_dynamics.analysis.study.link_states import link_poses
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

# (element of page/view.js, label)
BUTTONS = (('start', 'start'), ('zero', 'zero'), ('front', 'front'), ('side', 'side'),
           ('top', 'top'), ('reset', 'fit'), ('axes', 'axes'), ('bones', 'skeleton'),
           ('swing', 'modes'))


def view_page(robot: Robot, q: ArrayLike | None = None, folder: str | Path | None = None,
              frame: str | None = None) -> str:
    """Return the text of the page of a Robot at q (nq,); one file, no network.

    q: by default zero, or the nearest within the joints' limits. folder: of the URDF, to resolve
    its mesh files; frame: the link whose pose is shown, by default the end of the arm.
    """
    start = _neutral(robot) if q is None else np.array(q, dtype=np.float64)
    if start.shape != (robot.nq,):
        raise InputError(f'q has shape {start.shape}, expected ({robot.nq},)')
    poses = link_poses(robot.rigid(), start[None, robot.joints_q])
    data = {'scene': arm_scene(robot, poses, folder=folder), 'sliders': joint_sliders(robot),
            'q': start.tolist(), 'frame': robot.tip() if frame is None else robot.link(frame).name}
    flexible = ', '.join(robot.flexible_links)
    body = (
        '<div class="whole"><canvas id="arm"></canvas></div><div class="card panel">'
        f'<h1>{escape(robot.name)}</h1><div class="soft" id="pose"></div>'
        + (f'<div class="soft">flexible links: {escape(flexible)}</div>' if flexible else '')
        + '<div class="buttons">' + ''.join(
            f'<button type="button" id="{key}">{escape(text)}</button>' for key, text in BUTTONS)
        + '</div><div id="sliders"></div></div>'
        '<div class="hint">drag: rotate; shift or right drag: pan; wheel: zoom; double-click: fit'
        '</div>')
    return page_of(robot.name, body, data, ('arm.js', 'view.js'), 'view')


def _neutral(robot: Robot) -> FloatArray:
    """Return the neutral configuration (nq,) with the joints moved into their limits."""
    q = robot.neutral()
    q[robot.joints_q] = np.clip(q[robot.joints_q], robot.limits.lower, robot.limits.upper)
    return q
