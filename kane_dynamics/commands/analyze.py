# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Check whether an arm can perform a task: motor, joint and link limits, with their margins.

kane analyze task.yaml                             # the task file names the arm
kane analyze arm.urdf task.yaml -o report.html --csv --bag
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import json
from pathlib import Path
from typing import Any

import numpy as np

from kane_dynamics.analysis.report.html_parts import quantity
from kane_dynamics.analysis.report.tables import allowed, headline, margin
from kane_dynamics.analysis.study.study import analyse, Analysis
from kane_dynamics.commands.options.task_options import add_task, load_study, plain_name
from kane_dynamics.dynamics.drives.dc_drive import MotorDemand
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import require_folder, write_text
from kane_dynamics.io.marked_yaml import ImpossibleError
from kane_dynamics.io.text import clean, counted, PATH
from kane_dynamics.numerics.array_types import FloatArray

TIGHTEST = 5        # checks that are printed
MOST_FAILED = 20    # more failed checks than these are counted
YES, NO = 0, 1      # exit status: the arm can do the task, or cannot


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_task(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='page to write; default: the name of the task and .html')
    parser.add_argument('--csv', metavar='FILE', nargs='?', const='',
                        help='write all samples as CSV; default: the name of the page and .csv')
    parser.add_argument('--bag', metavar='FOLDER', nargs='?', const='',
                        help='write all samples as a rosbag2; default: the name of the page')
    parser.add_argument('--movie', metavar='FILE', help='write a movie: .mp4 or .gif')
    parser.add_argument('--no-speed-factor', action='store_true',
                        help='do not compute how much faster or slower the task could run')
    parser.add_argument('--no-page', action='store_true', help='print the verdict, write no page')
    parser.add_argument('--all', action='store_true',
                        help=f'print all checks and notes; default: the {TIGHTEST} tightest '
                        'checks, and those that fail')
    parser.add_argument('--json', action='store_true', help='print the verdict as JSON')


def run(arguments: Namespace) -> int:
    """Print the verdict and write the files."""
    page = Path(arguments.output or f'{plain_name(Path(arguments.task).stem)}.html')
    _check_outputs(arguments, page)
    try:
        study = load_study(arguments)
    except ImpossibleError as error:
        return _impossible(arguments, error, page)
    found = analyse(study, find_speed_factor=not arguments.no_speed_factor)
    written: list[Path] = []
    if not arguments.no_page:
        from kane_dynamics.analysis.report.report_page import report_page
        write_text(page, report_page(found, _version()))
        written.append(page)
    if arguments.csv is not None:
        from kane_dynamics.io.csv_table import write_table
        path = Path(arguments.csv or page.with_suffix('.csv'))
        write_table(path, columns(found))
        written.append(path)
    if arguments.bag is not None:
        path = Path(arguments.bag or page.with_suffix(''))
        _write_bag(path, found)
        written.append(path)
    if arguments.movie:
        from kane_dynamics.commands.animate import film
        written.append(film(study, arguments.movie))
    print(json.dumps(as_json(found), indent=1) if arguments.json else
          text(found, arguments.all))
    if not arguments.json:
        for path in written:
            print(f'written: {path}')
    return YES if found.verdict.passed else NO


def _check_outputs(arguments: Namespace, page: Path) -> None:
    """Refuse files that cannot be written, before the work."""
    for path in (None if arguments.no_page else page, arguments.csv or None, arguments.bag or None,
                 arguments.movie):
        if path is not None:
            require_folder(path)
    if arguments.movie:
        from kane_dynamics.analysis.pictures.movie import check_movie
        check_movie(arguments.movie)
    bag = None if arguments.bag is None else Path(arguments.bag or page.with_suffix(''))
    if bag is not None and bag.exists():
        raise InputError(f'{bag} exists already; name another folder with --bag, or remove it')


def _impossible(arguments: Namespace, error: ImpossibleError, page: Path) -> int:
    """Report a task that is out of the arm's reach."""
    name = clean(Path(arguments.task).stem.replace('_', ' '), PATH)
    if not arguments.no_page:
        from kane_dynamics.analysis.report.report_page import impossible_page
        write_text(page, impossible_page(name, str(error)))
    if arguments.json:
        print(json.dumps({'task': name, 'passed': False, 'reason': str(error)}, indent=1))
        return NO
    print(f'NO: The arm cannot do “{name}”: it does not get there.\n  {error}')
    if not arguments.no_page:
        print(f'written: {page}')
    return NO


def text(found: Analysis, every: bool = False) -> str:
    """Return the verdict for a terminal: the checks that fail and the tightest ones, or all."""
    word, sentence, more = headline(found)
    tightest = found.verdict.tightest
    failed = sum(not check.passed for check in tightest)
    shown = tightest if every else tightest[:max(TIGHTEST, min(failed, MOST_FAILED))]
    lines = [f'{word}: {sentence}', *(f'  {each}' for each in more),
             *(f'  {each}' for each in found.scope.sentences()[word == 'YES':])]
    if shown:
        rows = [(check, quantity(check.value, check.unit), allowed(check)) for check in shown]
        widths = [max(map(len, column)) for column in (
            [check.subject for check in shown], [check.kind for check in shown],
            ['largest', *(value for _, value, _ in rows)],
            ['allowed', *(limit for _, _, limit in rows)])]
        lines += ['', f'       {"where":<{widths[0]}}  {"what":<{widths[1]}}  '
                  f'{"largest":>{widths[2]}}     {"allowed":>{widths[3]}}   margin  when']
        for check, value, limit in rows:
            when = check.reason or (
                'whole task' if check.time is None else f't = {check.time:.3f} s')
            lines.append(f'  {"ok  " if check.passed else "FAIL"} {check.subject:<{widths[0]}}  '
                         f'{check.kind:<{widths[1]}}  {value:>{widths[2]}}  of '
                         f'{limit:>{widths[3]}} {margin(check):>8}  {when}')
    hidden, more_fail = len(tightest) - len(shown), max(failed - len(shown), 0)
    if hidden:
        state = f'{more_fail} of them fail' if more_fail else 'all ok'
        lines.append(f'  {counted(hidden, "more check")}, {state}: --all lists them')
    if every:
        lines += [f'  note: {each}' for each in (*found.verdict.unjudged,
                                                 *found.collisions.notes())]
    return '\n'.join(lines)


def as_json(found: Analysis) -> dict[str, Any]:
    """Return the verdict as data for JSON."""
    names = ('subject', 'kind', 'value', 'limit', 'lower', 'upper', 'unit', 'usage', 'margin',
             'passed', 'time', 'first', 'reason')
    return {'task': found.study.name, 'arm': found.study.robot.name,
            'passed': found.verdict.passed, 'speed_factor': found.speed_factor.alpha,
            'absolute_work': _plain(found.absolute_work),
            'checks': [{**{name: _plain(getattr(check, name)) for name in names},
                        'fraction': check.fraction} for check in found.verdict.checks],
            'scope': {'checked': list(found.scope.checked),
                      'not_checked': found.scope.unchecked},
            'unjudged': list(found.verdict.unjudged), 'collisions': _collisions_json(found)}


def _collisions_json(found: Analysis) -> dict[str, Any]:
    report = found.collisions
    return {'checked': bool(report.pairs),
            'passed': not report.collisions if report.pairs else None,
            'pairs': [{'names': [pair.one, pair.other], 'distance': pair.distance,
                       'time': pair.time, 'first': pair.first} for pair in report.pairs],
            'left_out': [list(pair) for pair in report.left_out],
            'not_checked': list(report.not_checked)}


def _plain(value: Any) -> str | bool | float | None:
    return value if value is None or isinstance(value, (str, bool)) else (
        float(value) if np.isfinite(value) else None)


def columns(found: Analysis) -> dict[str, FloatArray]:
    """Return {title: (N,)} of all quantities along the motion."""
    study, motion = found.study, found.study.motion
    table = {'t': motion.t}
    for k, name in enumerate(study.robot.joint_names):
        table.update({f'{name}.q': motion.q[:, k], f'{name}.qd': motion.qd[:, k],
                      f'{name}.qdd': motion.qdd[:, k], f'{name}.tau': found.loads.tau[:, k],
                      f'{name}.power': found.loads.tau[:, k] * motion.qd[:, k]})
    for name, demand in found.demands.items():
        prefix = f'{name}.motor' if isinstance(demand, MotorDemand) else f'{name}.cylinder'
        table.update({f'{prefix}.{field}': values for field, values in demand._asdict().items()})
    for link, rows in found.loads.wrenches.items():
        table.update({f'{link}.{part}': rows[:, k]
                      for k, part in enumerate(('fx', 'fy', 'fz', 'mx', 'my', 'mz'))})
    for link, stress in found.stresses.items():
        table.update({f'{link}.normal_stress': stress.normal, f'{link}.shear_stress': stress.shear,
                      f'{link}.equivalent_stress': stress.equivalent})
    for payload, rows in zip(study.payloads, found.grips):
        table.update({f'grip.{payload.link}.{part}': rows[:, k]
                      for k, part in enumerate(('fx', 'fy', 'fz', 'mx', 'my', 'mz'))})
    table.update({f'{study.frame}.{axis}': found.tip[:, k] for k, axis in enumerate('xyz')})
    table.update({'kinetic_energy': found.energy[:, 0], 'potential_energy': found.energy[:, 1]})
    return table


def _write_bag(path: Path, found: Analysis) -> None:
    """Write joint states, motors as joint states, wrenches and the path of the tip."""
    from kane_dynamics.recorded.bags.message_arrays import encode_stamped, STAMPED_TYPES
    from kane_dynamics.recorded.bags.writer import BagWriter
    study, motion = found.study, found.study.motion
    # from 1 s on: nodes take a stamp of zero for none, and use their own clock instead
    stamps = np.round((motion.t + 1.0) * 1e9).astype(np.int64)
    with BagWriter(path) as writer:
        writer.write_joint_states('/joint_states', study.robot.joint_names, stamps,
                                  position=motion.q, velocity=motion.qd, effort=found.loads.tau)
        motors = {name: demand for name, demand in found.demands.items()
                  if isinstance(demand, MotorDemand)}
        for topic, field in (('/motor_states', 'torque'), ('/motor_currents', 'current'),
                             ('/motor_voltages', 'voltage')):
            if motors:
                writer.write_joint_states(
                    topic, tuple(motors), stamps,
                    velocity=np.column_stack([each.speed for each in motors.values()]),
                    effort=np.column_stack([getattr(each, field) for each in motors.values()]))
        root = study.robot.root
        streams = [(f'/reactions/{plain_name(link)}', link, rows)
                   for link, rows in found.loads.wrenches.items()]
        streams += [(f'/grip/{plain_name(payload.link)}', payload.link, rows)
                    for payload, rows in zip(study.payloads, found.grips)]
        streams.append((f'/path/{plain_name(study.frame)}', root, found.tip))
        for topic, frame, rows in streams:
            writer.add_topic(topic, STAMPED_TYPES[rows.shape[1]])
            for stamp, data in zip(stamps.tolist(), encode_stamped(stamps, frame, rows)):
                writer.write(topic, stamp, data)


def _version() -> str:
    import kane_dynamics
    return kane_dynamics.__version__
