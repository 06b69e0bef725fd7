# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The joint states of a bag, ordered by joint name, in blocks of Samples."""

from __future__ import annotations

from itertools import islice

import numpy as np

from kane_dynamics.bags.joint_state_cdr import Layout, NoJointState
from kane_dynamics.bags.ledger import Ledger
from kane_dynamics.bags.source import BagSource
from kane_dynamics.bags.stamp_order import StampOrder
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.recording import Samples

TYPE = 'sensor_msgs/msg/JointState'
DIGEST = 'RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e'
MEMBERS = ('header', 'name', 'position', 'velocity', 'effort')
CHUNK = 8192          # messages that are decoded at once
LATEST = 2**63 - 1   # [ns]: a damaged file may tell of any time
CLOCKS = ('auto', 'header', 'bag')


class JointStates:
    """Iterate over the `Samples` of a bag; each pass reads it anew and fills a new `ledger`.

    Args:
        path: a bag; see `BagSource`.
        joint_names: the joints that are wanted, in the order of the arrays.
        topic: which topic; None: the one with JointStates, or /joint_states among several.
        rename: {name or beginning of a name in the bag: what to put in its place}.
        clock: 'header': time is header.stamp; 'bag': the time of recording; 'auto': header.stamp
            unless the first ones are zero.
        effort: whether messages without effort are useless ('needed') or welcome ('if there').
        progress: called with the number of messages read so far.
    """

    def __init__(self, path, joint_names, topic=None, rename=None, clock='auto', effort='needed',
                 progress=None):
        if clock not in CLOCKS:
            raise InputError(f'clock {clock!r} is not one of {list(CLOCKS)}')
        self.source = BagSource(path)
        self.joint_names = tuple(joint_names)
        self.topic = self.source.topic(topic, TYPE)
        _check_definition(self.topic, path)
        self._rename = dict(rename or {})
        self._clock, self._effort_needed = clock, effort == 'needed'
        self.progress = progress or (lambda count: None)
        self.ledger = Ledger()
        self.start = None      # [ns] that t counts from: the first stamp that was used

    @property
    def count(self):
        """Return the number of messages on the topic, as the bag tells it."""
        return self.topic.count

    def __iter__(self):
        self.ledger = ledger = Ledger()
        self._orders, self._layouts = {}, {}
        self._header = {'header': True, 'bag': False}.get(self._clock)
        self._order = StampOrder(ledger)
        self._first_time, self._has_velocity = None, None
        stream = self.source.messages(self.topic.name)
        while chunk := list(islice(stream, CHUNK)):
            first = ledger.read
            ledger.read += len(chunk)
            if self._first_time is None:
                self._first_time = chunk[0][0]
            for begins, rows in self._order.pieces(*self._decoded(chunk, first)):
                ledger.used += len(rows[0])
                yield self._samples(begins, rows)
            self.progress(ledger.read)
        for note in self.source.notes:
            ledger.note(note)
        if not ledger.used:
            raise InputError(self._nothing())

    def _samples(self, begins, rows):
        stamps, numbers = rows
        if self.start is None:
            self.start = int(stamps[0])
        n = len(self.joint_names)
        position, velocity, effort = (numbers[:, k * n:(k + 1) * n] for k in range(3))
        return Samples((stamps - self.start) * 1e-9, position,
                       velocity if self._has_velocity else None,
                       effort if self._effort_needed or not np.isnan(effort).any() else None,
                       begins)

    # -- bytes to numbers ------------------------------------------------------------------------

    def _decoded(self, chunk, first):
        """Return places (M,), stamps (M,) [ns] and numbers (M, 3 n) of the usable messages."""
        n, size = len(self.joint_names), len(chunk)
        times = np.fromiter((min(time, LATEST) for time, _ in chunk), np.int64, size)
        self._times, self._number = times, first
        stamps, numbers = np.zeros(size, np.int64), np.full((size, 3 * n), np.nan)
        good = np.zeros(size, bool)
        lengths = np.fromiter((len(data) for _, data in chunk), np.int64, size)
        kinds, counts = np.unique(lengths, return_counts=True)
        for length in kinds[np.argsort(-counts)]:      # what most messages are sets the rule
            places = np.flatnonzero(lengths == length)
            joined = b''.join([chunk[place][1] for place in places])
            rows = np.frombuffer(joined, np.uint8).reshape(len(places), -1)
            while len(places):
                layout = self._layout(chunk[places[0]][1], places[0])
                if layout is None:
                    places, rows = places[1:], rows[1:]
                    continue
                alike = layout.matches(rows)
                self._take(layout, places[alike], rows[alike], stamps, numbers, good)
                places, rows = places[~alike], rows[~alike]
        return self._finite(stamps, numbers, good)

    def _layout(self, data, place):
        for layout in self._layouts.get(len(data), ()):
            if layout.matches(np.frombuffer(data, np.uint8)[None])[0]:
                return layout
        try:
            layout = Layout(data)
        except NoJointState as error:
            self._leave_out('that cannot be decoded', [place], str(error))
            return None
        known = self._layouts.setdefault(len(data), [])
        if len(known) < 20:     # publishers are few; a stream of new names is not kept
            known.append(layout)
        return layout

    def _take(self, layout, places, rows, stamps, numbers, good):
        """Put the numbers of messages with one layout into their rows."""
        order, complaint = self._joint_order(layout.names)
        if order is None:
            reason, detail = complaint
            self._leave_out(reason, places, detail)
            return
        stamps[places] = layout.stamps(rows)
        n = len(self.joint_names)
        for k, field in enumerate(('position', 'velocity', 'effort')):
            values = layout.numbers(rows, field)
            if values is not None:
                numbers[places, k * n:(k + 1) * n] = values[:, order]
                continue
            if field == 'position' or field == 'effort' and self._effort_needed:
                self._leave_out(f'without {field}', places, f'joints {list(layout.names)}')
                return
        if self._has_velocity is None:
            self._has_velocity = layout.counts['velocity'] > 0
        if layout.counts['velocity'] == 0 and self._has_velocity:
            self._leave_out('without velocity, which others have', places)
            return
        if not self._has_velocity:
            numbers[places, n:2 * n] = 0.0
        good[places] = True

    def _finite(self, stamps, numbers, good):
        """Return the rows whose numbers are finite, with stamps by the chosen clock."""
        n = len(self.joint_names)
        checked = numbers if self._effort_needed else numbers[:, :2 * n]
        finite = np.isfinite(checked).all(axis=1)
        bad = np.flatnonzero(good & ~finite)
        if len(bad):
            column = int(np.argmax(~np.isfinite(checked[bad[0]])))
            field = ('position', 'velocity', 'effort')[column // n]
            self._leave_out('with numbers that are not finite', bad,
                            f'{field} of {self.joint_names[column % n]!r} is '
                            f'{checked[bad[0], column]}')
        keep = np.flatnonzero(good & finite)
        if self._header is None and len(keep):
            self._header = bool(stamps[keep[:2]].any())
            if not self._header:
                self.ledger.note('header stamps are zero: the time of recording is used')
        if self._header is False:
            stamps = self._times
        return _Places(self, keep), stamps[keep], numbers[keep]

    # -- names -----------------------------------------------------------------------------------

    def _renamed(self, name):
        if name in self._rename:
            return self._rename[name]
        for old, new in self._rename.items():
            if old and name.startswith(old):
                return new + name[len(old):]
        return name

    def _joint_order(self, names):
        """Return the places of the wanted joints in names, or None and (reason, detail)."""
        known = self._orders.get(names)
        if known is not None:
            return known
        renamed = [self._renamed(name) for name in names]
        missing = [name for name in self.joint_names if name not in renamed]
        twice = [name for name in self.joint_names if renamed.count(name) > 1]
        if twice:
            known = None, ('with a joint named twice', f'{twice[0]!r} in {list(names)}')
        elif len(missing) == len(self.joint_names):
            known = None, ('of other joints', f'{list(names)}')
        elif missing:
            known = None, ('with joints missing', f'{missing} not in {list(names)}')
        else:
            known = np.array([renamed.index(name) for name in self.joint_names]), None
        if len(self._orders) < 1000:
            self._orders[names] = known
        return known

    # -- messages --------------------------------------------------------------------------------

    def _place(self, place):
        seconds = (self._times[place] - self._first_time) * 1e-9
        return f'message {self._number + int(place) + 1} ({seconds:.3f} s into the bag)'

    def _leave_out(self, reason, places, detail=''):
        self.ledger.leave_out(reason, len(places), self._place(places[0]), detail)

    def _nothing(self):
        joints = sorted({name for names in self._orders for name in names})
        text = (f'{self.source.path}: no message of {self.topic.name} can be used for the joints '
                f'{list(self.joint_names)}')
        if joints:
            text += f'; the bag names {joints}'
            missing = [name for name in self.joint_names if name not in map(self._renamed, joints)]
            if missing:
                text += (f'. Missing: {missing}. If they have another name in the bag, use '
                         '--rename OLD=NEW; if they stood still, --lock JOINT=POSITION')
        return '\n  '.join([text, *self.ledger.lines()[1:]])


class _Places:
    """Tell the place of the k-th usable message of a chunk."""

    def __init__(self, states, keep):
        self._states, self._keep = states, keep

    def __call__(self, k):
        return self._states._place(self._keep[k])


def _check_definition(topic, path):
    """Refuse a JointState that is not the one of common_interfaces."""
    if topic.digest and topic.digest != DIGEST or (
            not topic.digest and topic.definition and not _same_members(topic.definition)):
        raise InputError(f'{path}: {topic.name} carries a {TYPE} of another definition than that '
                         'of common_interfaces; its bytes cannot be read')


def _same_members(definition):
    own = definition.split('=' * 80)[0]
    members = [line.split('#')[0].split()[1] for line in own.splitlines()
               if len(line.split('#')[0].split()) == 2]
    return 'module ' in own or members == list(MEMBERS)    # IDL has its own grammar
