# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Identify friction, rotor and link inertias of an arm from bags, or the payload it holds.

kane identify recording --urdf arm.urdf -o arm.dynamics.yaml --urdf-out calibrated.urdf
kane identify recording --urdf arm.urdf --calibration arm.dynamics.yaml --payload tool0
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import chain
import json
import math
from pathlib import Path
from textwrap import fill
from typing import Any
import warnings

import numpy as np

from kane_dynamics.analysis.report.identification_page import identification_page
from kane_dynamics.commands.options.bag_options import (
    add_arm_options, add_bag_options, load_model, RecordedArm, Recording)
from kane_dynamics.dynamics.calibrated_urdf import calibrated_urdf
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.io.files import require_folder, write_text
from kane_dynamics.io.progress import Progress
from kane_dynamics.model.library.robot_library import is_mjcf, robot_file
from kane_dynamics.model.urdf_source import read_source
from kane_dynamics.recorded.evaluate import evaluate, Evaluation
from kane_dynamics.recorded.identify.conclusion import conclude_identification, Conclusion
from kane_dynamics.recorded.identify.identification import Estimate, Identification
from kane_dynamics.recorded.identify.identifier import Identifier, MOST_READINGS, PARTS
from kane_dynamics.recorded.identify.payload import estimate_payload
from kane_dynamics.trajectory.motion import Motion


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('bags', nargs='+', metavar='BAG',
                        help='rosbag2 folder, .db3 or .mcap file')
    add_arm_options(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='calibration to write; default: the name of the URDF and '
                        '".dynamics.yaml"; the page has the same name and .html')
    parser.add_argument('--urdf-out', metavar='FILE',
                        help='also write the URDF with the identified inertias, friction and '
                        'rotors')
    parser.add_argument('--no-page', action='store_true', help='write no page')
    parser.add_argument('--json', action='store_true', help='print the results as JSON')
    parser.add_argument('--force', action='store_true', help='overwrite existing files')
    parser.add_argument('--fit', default=','.join(PARTS), metavar='PARTS',
                        help=f'parameters to fit, default all: {",".join(PARTS)}')
    parser.add_argument('--stribeck', action='store_true',
                        help='fit the Stribeck effect: friction that rises at low speed')
    parser.add_argument('--load', action='store_true',
                        help='fit friction that grows with the load')
    parser.add_argument('--smoothing-speed', type=float, metavar='V',
                        help='Coulomb friction is smoothed within +-V [rad/s]; default: the best '
                        'of several values')
    parser.add_argument('--prior', type=float, default=1.0, metavar='N',
                        help='weight of the inertias of the URDF, in samples, default 1')
    parser.add_argument('--split', type=float, default=0.7, metavar='X',
                        help='fraction of each bag for the fit, the rest validates it; default '
                        '0.7; 1: validate on the same data')
    parser.add_argument('--payload', metavar='LINK',
                        help='identify the payload at LINK instead, with the arm of --urdf and '
                        '--calibration')
    add_bag_options(parser)


def run(arguments: Namespace) -> int:
    """Print the conclusion, the parameters and their validation; write the files."""
    if not 0.1 <= arguments.split <= 1.0:
        raise InputError(f'--split must be 0.1 ... 1, got {arguments.split}')
    output = Path(arguments.output or Path(arguments.urdf).with_suffix('').name + '.dynamics.yaml')
    page = None if arguments.no_page else output.with_suffix('').with_suffix('.html')
    if not arguments.payload:
        _require_free(arguments, output, page)
    arm = load_model(arguments)
    robot = arm.dynamics.robot
    identifier = None if arguments.payload else Identifier(
        robot, tuple(part for part in arguments.fit.split(',') if part), arguments.stribeck,
        arguments.load, arguments.smoothing_speed, arguments.prior)
    recordings = [Recording(bag, robot, arguments, f'reading {Path(bag).name}', errors=True)
                  for bag in arguments.bags]
    with Progress(1.0, 'identifying') as bar:
        data = _All(recordings, bar)
        if identifier is None:
            bar.reach(0.0, f'identifying the payload at {arguments.payload}')
            described = estimate_payload(arm.dynamics, arguments.payload, data).describe()
        else:
            before, found, after = _identify(arguments, identifier, arm, data)
    if identifier is None:
        print(described)
        _print_accounts(recordings)
        return 0
    for remark in before.remarks():
        warnings.warn(remark, KaneDynamicsWarning, stacklevel=1)
    conclusion = conclude_identification(
        found, before, after, arguments.split == 1.0, f'kane excite {arguments.urdf}',
        f'kane evaluate {arguments.bags[0]} --urdf {arguments.urdf} --calibration {output}, or '
        'parameter calibration_file of the nodes')
    found.calibration.facts.update(_facts(arguments, recordings, found, after))
    lines = [line for recording in recordings for line in recording.account()]
    written = _write(arguments, found, arm, output, page, identification_page(
        robot.name, conclusion, found, before, after, lines))
    if arguments.json:
        print(json.dumps({'conclusion': conclusion.as_json(), 'before': before.rows(),
                          'after': after.rows(), 'account': lines,
                          **found.calibration.facts}, indent=1))
        return 0
    _report(conclusion, found, after, before, arguments)
    _print_accounts(recordings)
    for line in written:
        print(f'written: {line}')
    return 0


def _require_free(arguments: Namespace, output: Path, page: Path | None) -> None:
    """Refuse files that exist already or have no folder, before the work."""
    for path in (output, page, arguments.urdf_out and Path(arguments.urdf_out)):
        if path:
            require_folder(path)
            if path.exists() and not arguments.force:
                raise InputError(f'{path} exists already; name another with '
                                 f'{"--urdf-out" if path == arguments.urdf_out else "-o"}, or '
                                 'use --force')


def _identify(arguments: Namespace, identifier: Identifier, arm: RecordedArm,
              data: _All) -> tuple[Evaluation, Identification, Evaluation]:
    """Return the evaluation of the URDF, the fit, and its evaluation on unseen data."""
    robot = arm.dynamics.robot
    data.expect(MOST_READINGS + 3)
    data.split(arguments.split)
    validation = data.after() if arguments.split < 1.0 else data
    before = evaluate(Dynamics(robot), validation)
    found = identifier.fit(data, arm.locked)
    return before, found, evaluate(found.calibration.dynamics(robot), validation)


class _All:
    """The motion of several bags one after the other, cut in time; may be iterated repeatedly.

    The readings, of which a number is expected, move one progress bar.
    """

    def __init__(self, recordings: Sequence[Recording], bar: Progress,
                 bounds: Sequence[float] = (), after: bool = False,
                 readings: list[int] | None = None) -> None:
        self._recordings, self._bar, self._after = recordings, bar, after
        self.bounds = list(bounds)      # [s] in each bag
        self._readings = [0, 1] if readings is None else readings    # begun, expected

    def expect(self, readings: int) -> None:
        """Set the number of readings of the data at which the progress bar is full."""
        self._readings[1] = readings

    def after(self) -> _All:
        """Return the data behind the cuts."""
        return _All(self._recordings, self._bar, self.bounds, True, self._readings)

    def split(self, fraction: float) -> None:
        """Cut each bag after this fraction of its usable samples."""
        self.bounds = []
        for recording, motions in zip(self._recordings, self._motions()):
            times = np.concatenate([motion.t for motion in motions] or [np.zeros(0)])
            if not len(times):
                raise InputError('\n  '.join([f'{recording.path}: no samples to fit',
                                              *recording.account()]))
            index = math.ceil(fraction * len(times))
            self.bounds.append(float(times[index]) if index < len(times) else math.inf)

    def _motions(self) -> Iterator[Iterator[Motion]]:
        """Yield the motions of each bag; one reading of the data."""
        self._readings[0] += 1
        begun, expected = self._readings
        count = len(self._recordings)
        for k, recording in enumerate(self._recordings):
            recording.watch = lambda part, k=k: self._bar.reach(min(
                (begun - 1 + (k + part) / count) / expected, 1.0))
            yield iter(recording)

    def __iter__(self) -> Iterator[Motion]:
        bounds = self.bounds or [math.inf] * len(self._recordings)
        return chain.from_iterable(
            (part for motion in motions
             if len(part := motion.between(*((bound, math.inf) if self._after
                                             else (-math.inf, bound)))))
            for motions, bound in zip(self._motions(), bounds))


def _write(arguments: Namespace, found: Identification, arm: RecordedArm, output: Path,
           page: Path | None, html: str) -> list[str]:
    """Write the files; return a line on each."""
    found.calibration.save(output, arguments.force)
    written = [f'{output} (for kane evaluate and the nodes)']
    if page is not None:
        write_text(page, html, arguments.force)
        written.append(f'{page} (curves before and after, parameters with intervals)')
    if arguments.urdf_out:
        file = robot_file(arguments.urdf)
        text, missing = calibrated_urdf(
            found.calibration, arm.dynamics.robot, None if is_mjcf(file) else read_source(file)[0])
        write_text(arguments.urdf_out, text, arguments.force)
        written.append(f'{arguments.urdf_out} (URDF with inertias, friction, rotors'
                       + (f'; not in it: {", ".join(missing)}' if missing else '') + ')')
    return written


def _print_accounts(recordings: Sequence[Recording]) -> None:
    for recording in recordings:
        print('\n'.join('# ' + line for line in recording.account()))


def _facts(arguments: Namespace, recordings: Sequence[Recording], found: Identification,
           validated: Evaluation) -> dict[str, Any]:
    return {
        'bags': [Path(bag).name for bag in arguments.bags],
        'bandwidth_hz': recordings[0].smoother.bandwidth,
        'fitted': arguments.fit.split(','), 'samples': found.count,
        'condition_number': found.condition if math.isfinite(found.condition) else 'infinite',
        'validation_rmse': dict(zip(validated.joint_names, map(float, validated.rmse))),
        'three_sigma': {each.name: 3.0 * each.sigma for each in found.friction
                        if math.isfinite(each.sigma)},
        'not_identifiable': [str(each) for each in found.unidentified]}


def _report(conclusion: Conclusion, found: Identification, validated: Evaluation,
            before: Evaluation, arguments: Namespace) -> None:
    print('\n'.join(conclusion.lines()))
    where = 'the same data' if arguments.split == 1.0 else 'data that were not used for the fit'
    print(f'\nvalidated on {where}: {validated.count} samples')
    print(validated.table({'RMSE of the URDF alone': before.rmse}))
    print()
    _print_friction(found)
    if found.base:
        identified = [each for each in found.base if each.identified]
        print(f'\n{len(identified)} of {len(found.base)} base parameters are identifiable from '
              'the data; with intervals of three standard deviations [kg, kg m, kg m^2]')
        for each in identified:
            print(f'  {each}')
    missing = found.unidentified
    if missing:
        print(f'\nnot identifiable from the data ({len(missing)}); they stay near the values of '
              'the URDF, or at zero (values and intervals: under facts in the file)')
        first = [each.name.split(' ')[0] for each in missing]     # of a sum: its first part
        print(fill(', '.join(first), 96, initial_indent='  ', subsequent_indent='  ',
                   break_long_words=False))
    print(f'\ncondition number of the scaled regressor: {found.condition:.3g}')


def _print_friction(found: Identification) -> None:
    rows: dict[str, dict[str, Estimate]] = {}
    for each in found.friction:
        term, _, joint = each.name[:-1].partition('(')
        rows.setdefault(joint, {})[term] = each
    if not rows:
        return
    titles = list(next(iter(rows.values())))
    width = max(len(name) for name in rows)
    print(f'friction ({found.count} samples), intervals of three standard deviations '
          '[N m, N m s/rad; N, N s/m]')
    print(f'{"joint":<{width}}' + ''.join(f'  {title:>11}{"":12}' for title in titles).rstrip())
    for joint, terms in rows.items():
        print(f'{joint:<{width}}' + ''.join(
            f'  {terms[title].value:11.4g} +- {3.0 * terms[title].sigma:<8.2g}'
            for title in titles).rstrip())
    print('Coulomb friction is smoothed within '
          f'+-{found.calibration.smoothing_speed:g} rad/s')
