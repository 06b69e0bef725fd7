# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Find friction, rotors and inertias of an arm in bags, or the payload that it holds.

kane identify recording --urdf arm.urdf -o arm.dynamics.yaml
kane identify recording --urdf arm.urdf --calibration arm.dynamics.yaml --payload tool0
"""

from itertools import chain
import math
from pathlib import Path
from textwrap import fill
import warnings

import numpy as np

from kane_dynamics.analysis.evaluate import evaluate
from kane_dynamics.analysis.identify import Identifier, PARTS
from kane_dynamics.analysis.payload import estimate_payload
from kane_dynamics.commands.bag_options import (
    add_arm_options, add_bag_options, load_model, number, Recording)
from kane_dynamics.dynamics.calibration import load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning


def add_arguments(parser):
    """Add what the command takes."""
    parser.add_argument('bags', nargs='+', metavar='BAG', help='rosbag2 folders, .db3 or .mcap')
    add_arm_options(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write FILE; default: the name of the URDF and ".dynamics.yaml"')
    parser.add_argument('--force', action='store_true', help='write over an existing FILE')
    parser.add_argument('--fit', default=','.join(PARTS), metavar='PARTS',
                        help=f'what is fitted, some of {",".join(PARTS)} (default: all)')
    parser.add_argument('--stribeck', action='store_true', help='friction rises at low speed')
    parser.add_argument('--load', action='store_true', help='friction grows with the load')
    parser.add_argument('--smoothing-speed', type=float, metavar='V',
                        help='within which Coulomb friction grows [rad/s]; default: the best of a '
                        'few')
    parser.add_argument('--prior', type=float, default=1.0, metavar='N',
                        help='how many samples the inertias of the URDF count as, default 1')
    parser.add_argument('--split', type=float, default=0.7, metavar='PART',
                        help='the first part of each bag is for the fit, the rest judges it; '
                        'default 0.7; 1: judge on the same data')
    parser.add_argument('--payload', metavar='LINK',
                        help='find the load that LINK holds; the arm itself is as --calibration '
                        'and --urdf tell')
    add_bag_options(parser)


def run(arguments):
    """Print what was found and how good it is; write the calibration."""
    if not 0.1 <= arguments.split <= 1.0:
        raise InputError(f'--split must be 0.1 ... 1, got {arguments.split}')
    model = load_model(arguments)
    recordings = [Recording(bag, model.robot, arguments, f'reading {Path(bag).name}')
                  for bag in arguments.bags]
    if arguments.payload:
        print(estimate_payload(model, arguments.payload, _All(recordings)).describe())
        _print_accounts(recordings)
        return 0
    output = Path(arguments.output or Path(arguments.urdf).with_suffix('').name + '.dynamics.yaml')
    if output.exists() and not arguments.force:
        raise InputError(f'{output} exists already; name another with -o, or use --force')
    fit = _All(recordings)
    fit.split(arguments.split)
    judge = _All(recordings, fit.bounds, after=True) if arguments.split < 1.0 else fit
    identifier = Identifier(
        model.robot, tuple(part for part in arguments.fit.split(',') if part), arguments.stribeck,
        arguments.load, arguments.smoothing_speed, arguments.prior)
    before = evaluate(Dynamics(model.robot), judge)
    for remark in before.remarks():
        warnings.warn(remark, KaneDynamicsWarning, stacklevel=1)
    found = identifier.fit(fit, _locked(arguments))
    judged = evaluate(found.calibration.dynamics(model.robot), judge)
    facts = _facts(arguments, recordings, found, judged)
    found.calibration.facts.update(facts)
    _report(found, judged, before, arguments)
    _print_accounts(recordings)
    found.calibration.save(output)
    print(f'written: {output}')
    return 0


def _locked(arguments):
    """Return {joint: position} of what stood still, by option or by an earlier calibration."""
    earlier = load_calibration(arguments.calibration).locked if arguments.calibration else {}
    return {**{name: number(value, '--lock') for name, value in arguments.lock}, **earlier}


class _All:
    """The motion of several bags one after the other, cut in time; read as often as needed."""

    def __init__(self, recordings, bounds=None, after=False):
        self._recordings, self.bounds, self._after = recordings, bounds, after

    def split(self, part):
        """Cut each bag where `part` of its usable samples have passed."""
        self.bounds = []
        for recording in self._recordings:
            times = np.concatenate([motion.t for motion in recording] or [np.zeros(0)])
            if not len(times):
                raise InputError('\n  '.join([f'{recording.path}: nothing is left to fit',
                                              *recording.account()]))
            place = math.ceil(part * len(times))
            self.bounds.append(float(times[place]) if place < len(times) else math.inf)

    def __iter__(self):
        bounds = self.bounds or [math.inf] * len(self._recordings)
        return chain.from_iterable(
            (part for motion in recording
             if len(part := motion.between(*((bound, math.inf) if self._after
                                             else (-math.inf, bound)))))
            for recording, bound in zip(self._recordings, bounds))


def _print_accounts(recordings):
    for recording in recordings:
        print('\n'.join('# ' + line for line in recording.account()))


def _facts(arguments, recordings, found, judged):
    return {
        'bags': [Path(bag).name for bag in arguments.bags],
        'bandwidth_hz': recordings[0].smoother.bandwidth,
        'fitted': arguments.fit.split(','), 'samples': found.count,
        'condition_number': found.condition if math.isfinite(found.condition) else 'infinite',
        'judged_rmse': dict(zip(judged.joint_names, map(float, judged.rmse))),
        'three_sigma': {each.name: 3.0 * each.sigma for each in found.friction
                        if math.isfinite(each.sigma)},
        'not_told_by_the_data': [str(each) for each in found.untold]}


def _report(found, judged, before, arguments):
    _print_friction(found)
    if found.base:
        told = [each for each in found.base if each.told]
        print(f'\nbase parameters, intervals of three standard deviations: {len(told)} of '
              f'{len(found.base)} are told by the data [kg, kg m, kg m^2]')
        for each in told:
            print(f'  {each}')
    if found.untold:
        print(f'\nnot told by the data ({len(found.untold)}); they stay near what the URDF says, '
              'or at zero (figures and intervals: under facts in the file)')
        first = [each.name.split(' ')[0] for each in found.untold]     # of a sum: its first part
        print(fill(', '.join(first), 96, initial_indent='  ', subsequent_indent='  ',
                   break_long_words=False))
    print(f'\ncondition number of the data, columns scaled to one length: {found.condition:.3g}')
    where = 'the same data' if arguments.split == 1.0 else 'data that the fit has not seen'
    print(f'\njudged on {where}: {judged.count} samples')
    print(judged.table())
    shares = ', '.join(
        f'{name} {new / old:.2f}' for name, new, old, rms in zip(
            judged.joint_names, judged.rmse, before.rmse, before.rms)
        if old > 1e-4 * rms)               # less is no error to take a share of
    if shares:
        print(f'RMSE over that of the bare URDF: {shares}')


def _print_friction(found):
    rows = {}
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
    print('Coulomb friction turns round within '
          f'{found.calibration.smoothing_speed:g} rad/s of rest')
