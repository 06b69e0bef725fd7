# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Say whether an arm can do a task: a page with the verdict first, CSV and a bag of everything.

kane analyze task.yaml                             # the task file names the arm
kane analyze arm.urdf task.yaml -o report.html --csv --bag
"""

import json
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.report_tables import headline, quantity
from kane_dynamics.analysis.study import analyse
from kane_dynamics.commands.task_options import add_task, load_study, plain_name
from kane_dynamics.dynamics.dc_drive import MotorDemand
from kane_dynamics.model.marked_yaml import ImpossibleError

YES, NO = 0, 1      # exit status: the arm can do it; it cannot


def add_arguments(parser):
    """Add what the command takes."""
    add_task(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='the page; default: the name of the task and .html')
    parser.add_argument('--csv', metavar='FILE', nargs='?', const='',
                        help='write all samples as a table; default name: as the page')
    parser.add_argument('--bag', metavar='FOLDER', nargs='?', const='',
                        help='write all samples as a rosbag2; default name: as the page')
    parser.add_argument('--movie', metavar='FILE', help='write a movie too: .mp4 or .gif')
    parser.add_argument('--no-pace', action='store_true',
                        help='do not look how much faster or slower the task could be')
    parser.add_argument('--no-page', action='store_true', help='print the verdict only')
    parser.add_argument('--json', action='store_true', help='print the verdict as JSON')


def run(arguments):
    """Print the verdict and write what was asked for."""
    page = Path(arguments.output or f'{plain_name(Path(arguments.task).stem)}.html')
    try:
        study = load_study(arguments)
    except ImpossibleError as error:
        return _impossible(arguments, error, page)
    found = analyse(study, pace=not arguments.no_pace)
    written = []
    if not arguments.no_page:
        from kane_dynamics.analysis.report import report_page
        page.write_text(report_page(found, _version()), encoding='utf-8')
        written.append(page)
    if arguments.csv is not None:
        from kane_dynamics.analysis.table_file import write_table
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
    print(json.dumps(as_json(found), indent=1) if arguments.json else text(found))
    if not arguments.json:
        for path in written:
            print(f'written: {path}')
    return YES if found.verdict.passed else NO


def _impossible(arguments, error, page):
    """Tell of a task that the arm does not reach: that is an answer too."""
    name = Path(arguments.task).stem.replace('_', ' ')
    if not arguments.no_page:
        from kane_dynamics.analysis.report import impossible_page
        page.write_text(impossible_page(name, str(error)), encoding='utf-8')
    if arguments.json:
        print(json.dumps({'task': name, 'passed': False, 'reason': str(error)}, indent=1))
        return NO
    print(f'NO: The arm cannot do “{name}”: it does not get there.\n  {error}')
    if not arguments.no_page:
        print(f'written: {page}')
    return NO


def text(found):
    """Return the verdict for a terminal."""
    word, sentence, more = headline(found)
    lines = [f'{word}: {sentence}', *(f'  {each}' for each in more), '',
             f'       {"where":<22} {"what":<26} {"largest":>14}    {"allowed":>12}   margin  '
             'when']
    for own in found.verdict.subjects().values():
        for check in own.checks:
            when = 'whole task' if check.time is None else f't = {check.time:.3f} s'
            lines.append(f'  {"ok  " if check.passed else "FAIL"} {check.subject:<22} '
                         f'{check.kind:<26} {quantity(check.value, check.unit):>14} of '
                         f'{quantity(check.limit, check.unit):>12} {100 * check.margin:>+6.0f} %  '
                         f'{when}')
    lines += [f'  note: {each}' for each in found.verdict.unjudged]
    return '\n'.join(lines)


def as_json(found):
    """Return the verdict as plain data."""
    names = ('subject', 'kind', 'value', 'limit', 'unit', 'usage', 'margin', 'passed', 'time',
             'first', 'share')
    return {'task': found.study.name, 'arm': found.study.robot.name,
            'passed': found.verdict.passed, 'pace': found.pace.alpha,
            'absolute_work': found.absolute_work,
            'checks': [{name: _plain(getattr(check, name)) for name in names}
                       for check in found.verdict.checks],
            'unjudged': list(found.verdict.unjudged)}


def _plain(value):
    return value if value is None or isinstance(value, (str, bool)) else (
        float(value) if np.isfinite(value) else None)


def columns(found):
    """Return {title: (N,)} of everything that is known along the motion."""
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


def _write_bag(path, found):
    """Write joint states, motors as joint states, wrenches and the way of the tip."""
    from kane_dynamics.bags.wrench_cdr import encode_stamped, TYPES
    from kane_dynamics.bags.writer import BagWriter
    study, motion = found.study, found.study.motion
    # from 1 s on: a stamp of zero says "none", and nodes would go by their own clock instead
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
            writer.add_topic(topic, TYPES[rows.shape[1]])
            for stamp, data in zip(stamps.tolist(), encode_stamped(stamps, frame, rows)):
                writer.write(topic, stamp, data)


def _version():
    import kane_dynamics
    return kane_dynamics.__version__
