# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of motions: curves over time, and with a robot the arm in motion on the same clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

import numpy as np

from kane_dynamics.analysis.display.shown_motion import ShownMotion
from kane_dynamics.analysis.report.arm_scene import arm_scene, joint_sliders
from kane_dynamics.analysis.report.channels import channel, Thinner
from kane_dynamics.analysis.report.charts import Chart, chart, ChartData, group, Limit
from kane_dynamics.analysis.report.html_parts import page_of, player
from kane_dynamics.analysis.study.link_states import link_poses
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Joint
from kane_dynamics.numerics.array_types import FloatArray

MAX_FRAMES = 1500
EXTENT_SAMPLES = 50         # of a motion, that the picture is made to fit
HINT = ('<footer>Drag over a curve to zoom, double-click to reset; click a name to hide its '
        'curve.{}</footer>')
# quantity of a motion -> title, unit from that of the position, and field of the limits
QUANTITIES: tuple[tuple[str, str, Callable[[Joint], str], tuple[str, ...]], ...] = (
    ('position', 'Position', lambda joint: joint.unit, ('lower', 'upper')),
    ('velocity', 'Velocity', lambda joint: f'{joint.unit}/s', ('velocity',)),
    ('acceleration', 'Acceleration', lambda joint: f'{joint.unit}/s²', ()),
    ('effort', 'Effort', lambda joint: joint.effort_unit, ('effort',)))
UNITS = {'position': 'rad or m', 'velocity': 'rad/s or m/s', 'acceleration': 'rad/s² or m/s²',
         'effort': 'N m or N'}


def curves_page(motion: ShownMotion) -> str:
    """Return the text of a page with the curves of a motion."""
    body = f'<h1>{escape(motion.title)}</h1><div id="curves"></div>{HINT.format("")}'
    return page_of(motion.title, body, {**_chart_data(motion)}, ('plots.js', 'curves.js'))


def motion_page(motion: ShownMotion, robot: Robot, q: FloatArray, frame: str) -> str:
    """Return the text of a page with the robot in motion, q (N, nq), and its curves.

    frame: the link whose path is drawn.
    """
    joints = q[:, robot.joints_q]
    rows = slice(None, None, max(1, len(q) // EXTENT_SAMPLES))
    frames = np.unique(np.linspace(0, len(q) - 1, min(len(q), MAX_FRAMES)).astype(np.int64))
    path = _path(robot, q[frames], frame)
    data = {**_chart_data(motion), 'bad': [], 'start': float(motion.t[0]),
            'scene': arm_scene(robot, link_poses(robot.rigid(), joints[rows]),
                               folder=robot.folder or None),
            'frames': {'t': channel(motion.t[frames]),
                       'q': [channel(each) for each in q[frames].T],
                       'path': [channel(each) for each in path.T]}}
    more = ' Drag the arm to rotate it.'
    if robot.floating_base:
        more += ' The base floats, but is drawn at rest.'
    facts = ''.join(f'<h2>{escape(title)}</h2><pre>{escape(text)}</pre>'
                    for title, text in motion.facts)
    body = (f'<h1>{escape(motion.title)}</h1>{player()}<div id="curves"></div>{facts}'
            f'{HINT.format(more)}')
    return page_of(motion.title, body, data, ('plots.js', 'arm.js', 'report.js'))


def _path(robot: Robot, q: FloatArray, frame: str) -> FloatArray:
    """Return the positions (N, 3) [m] of a frame at q (N, nq), a floating base at rest."""
    if robot.n_modes and not robot.floating_base:
        return Dynamics(robot).frame_pose_many(frame, q)[1]
    return link_poses(robot.rigid(), q[:, robot.joints_q])[frame][1]


def _chart_data(motion: ShownMotion) -> ChartData:
    thin = Thinner(motion.t)
    charts = [each for quantity in QUANTITIES for each in _joint_charts(motion, thin, *quantity)]
    groups = [group('Joints', charts)]
    if motion.robot is not None and motion.q is not None and motion.robot.n_modes:
        groups.append(group('Elastic coordinates', _mode_charts(motion.robot, motion.q, thin)))
    if motion.energies is not None:
        energies = {name: thin(values) for name, values in motion.energies._asdict().items()
                    if name != 'strain' or values.any()}
        energies['total'] = thin(motion.energies.total)
        groups.append(group('Energy', [chart('Energy', 'J', energies)], wide=True))
    for name, title, unit, curves in motion.more:
        groups.append(group(name, [chart(title, unit, {
            each: thin(values) for each, values in curves.items()})], wide=True))
    return {'t': channel(thin.t), 'breaks': [], 'groups': groups, 'diagrams': []}


def _joint_charts(motion: ShownMotion, thin: Thinner, quantity: str, title: str,
                  unit_of: Callable[[Joint], str], bounds: tuple[str, ...]) -> Iterator[Chart]:
    """Yield a chart of a quantity of all joints, or of a robot one for each unit, with limits."""
    values: FloatArray | None = getattr(motion, quantity)
    if values is None:
        return
    names, robot = list(motion.joint_names), motion.robot
    if robot is None:
        yield chart(title, UNITS[quantity], {name: thin(values[:, k])
                                             for k, name in enumerate(names)})
        return
    units = {name: unit_of(robot.joint(name)) for name in names}
    for unit in dict.fromkeys(units.values()):
        chosen = [name for name in names if units[name] == unit]
        limits = [Limit(sign * getattr(robot.limits, bound)[robot.joint_index(name)], '', k)
                  for k, name in enumerate(chosen) for bound in bounds
                  for sign in ((1.0,) if quantity == 'position' else (1.0, -1.0))]
        yield chart(title, unit, {name: thin(values[:, names.index(name)]) for name in chosen},
                    limits)


def _mode_charts(robot: Robot, q: FloatArray, thin: Thinner) -> Iterator[Chart]:
    """Yield a chart of the elastic coordinates of each unit."""
    rows = [row for row in joint_sliders(robot) if row['mode']]
    for unit in dict.fromkeys(row['unit'] for row in rows):
        yield chart('Deflection', unit, {row['name']: thin(q[:, row['q']]) for row in rows
                                         if row['unit'] == unit})
