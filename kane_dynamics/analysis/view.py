# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A page to look at an arm from all sides and to move its joints, bent links included."""

from __future__ import annotations

from html import escape

import numpy as np

from kane_dynamics.analysis.arm_picture import arm_picture, joint_sliders
from kane_dynamics.analysis.report import assembled
from kane_dynamics.exceptions import InputError

BUTTONS = (('start', 'posture'), ('zero', 'zero'), ('front', 'front'), ('side', 'side'),
           ('top', 'top'), ('reset', 'fit'), ('axes', 'axes'), ('bones', 'skeleton'),
           ('swing', 'modes'))


def view_page(robot, q=None, folder=None, frame=None):
    """Return the text of the page of a Robot at q (nq,), one file without network.

    q: by default zero, or the nearest within the joints' limits. folder: of the URDF, for its
    meshes; frame: the link whose place is told, by default the end of the arm.
    """
    first = robot.nq - robot.n_modes - robot.n_joints
    joints = slice(first, first + robot.n_joints)
    if q is None:
        q = robot.neutral()
        q[joints] = np.clip(q[joints], robot.limits.lower, robot.limits.upper)
    q = np.array(q, dtype=float)
    if q.shape != (robot.nq,):
        raise InputError(f'q has shape {q.shape}, expected ({robot.nq},)')
    frame = robot.tip() if frame is None else robot.link(frame).name
    posture = q[joints]
    data = {'scene': arm_picture(robot, folder=folder, postures=posture[None]),
            'sliders': joint_sliders(robot), 'q': [float(value) for value in q], 'frame': frame}
    bends = ', '.join(robot.flexible_links)
    body = (
        '<div class="whole"><canvas id="arm"></canvas></div><div class="card panel">'
        f'<h1>{escape(robot.name)}</h1><div class="soft" id="pose"></div>'
        + (f'<div class="soft">bends: {escape(bends)}</div>' if bends else '')
        + '<div class="buttons">' + ''.join(
            f'<button type="button" id="{key}">{escape(text)}</button>' for key, text in BUTTONS)
        + '</div><div id="sliders"></div></div>'
        '<div class="hint">drag: turn; shift or right drag: move; wheel: nearer; double click: '
        'fit</div>')
    return assembled(robot.name, body, data, ('arm.js', 'view.js'), 'view')
