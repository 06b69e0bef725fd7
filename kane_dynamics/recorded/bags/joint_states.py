# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The joint states of a bag, ordered by joint name, in blocks of Samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import get_args, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import CdrError
from kane_dynamics.io.text import clean, PATH, show_names
from kane_dynamics.numerics.array_types import BoolArray, FloatArray, IntArray
from kane_dynamics.recorded.bags.ledger import Ledger
from kane_dynamics.recorded.bags.message_arrays import Bytes, FIELDS, Layout
from kane_dynamics.recorded.bags.source import BagSource, Message, Topic
from kane_dynamics.recorded.bags.stamp_order import StampOrder
from kane_dynamics.trajectory.motion import Samples

TYPE = 'sensor_msgs/msg/JointState'
DIGEST = 'RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e'
MEMBERS = ('header', 'name', *FIELDS)
CHUNK = 8192          # messages decoded at once
LATEST = 2**63 - 1    # [ns]: the time of a damaged message may be any number

Clock: TypeAlias = Literal['auto', 'header', 'bag']
CLOCKS: tuple[Clock, ...] = get_args(Clock)
Effort: TypeAlias = Literal['needed', 'if there']
Indices: TypeAlias = NDArray[np.intp]


class JointStates:
    """Iterate over the `Samples` of a bag; each pass reads it again and fills a new `ledger`.

    Args:
        path: a bag; see `BagSource`.
        joint_names: the wanted joints, in the order of the arrays.
        topic: its name; None: the one with JointStates, or /joint_states among several.
        rename: {name or beginning of a name in the bag: its replacement}.
        clock: 'header': time is header.stamp; 'bag': the time of recording; 'auto': header.stamp
            unless the first ones are zero.
        effort: whether messages without effort are left out ('needed') or used ('if there').
        progress: called with the number of messages read so far.
    """

    def __init__(self, path: str | Path, joint_names: Sequence[str], topic: str | None = None,
                 rename: Mapping[str, str] | None = None, clock: Clock = 'auto',
                 effort: Effort = 'needed',
                 progress: Callable[[int], None] | None = None) -> None:
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
        self.start: int | None = None      # [ns]: t is zero at the first stamp that was used
        self._begin_pass()

    def _begin_pass(self) -> None:
        self.ledger = Ledger()
        # joint names of a message -> indices of the wanted joints, or why there are none
        self._orders: dict[tuple[str, ...], Indices | tuple[str, str]] = {}
        self._layouts: dict[int, list[Layout]] = {}         # by the length of the message
        self._by_header = {'header': True, 'bag': False}.get(self._clock)
        self._has_velocity: bool | None = None
        self._first_time = 0                # [ns] of the recording
        self._times = np.zeros(0, np.int64)     # [ns] of the messages of this chunk
        self._number = 0                    # of the first message of this chunk

    @property
    def count(self) -> int:
        """Return the number of messages on the topic by the bag's own count."""
        return self.topic.count

    def __iter__(self) -> Iterator[Samples]:
        self._begin_pass()
        ledger, order = self.ledger, StampOrder(self.ledger)
        stream = self.source.messages(self.topic.name)
        while chunk := list(islice(stream, CHUNK)):
            self._number = ledger.read
            ledger.read += len(chunk)
            if not self._number:
                self._first_time = chunk[0][0]
            for begins, stamps, numbers in order.pieces(*self._decoded(chunk)):
                ledger.used += len(stamps)
                yield self._samples(begins, stamps, numbers)
            self.progress(ledger.read)
        for note in self.source.notes:
            ledger.note(note)
        if not ledger.used:
            raise InputError(self._nothing())

    def _samples(self, begins: bool, stamps: IntArray, numbers: FloatArray) -> Samples:
        if self.start is None:
            self.start = int(stamps[0])
        n = len(self.joint_names)
        position, velocity, effort = (numbers[:, k * n:(k + 1) * n] for k in range(3))
        t: FloatArray = (stamps - self.start) * np.float64(1e-9)
        return Samples(t, position,
                       velocity if self._has_velocity else None,
                       effort if self._effort_needed or not np.isnan(effort).any() else None,
                       begins)

    # -- bytes to numbers ------------------------------------------------------------------------

    def _decoded(self, chunk: list[Message]
                 ) -> tuple[Callable[[int], str], IntArray, FloatArray]:
        """Return the usable messages: their positions in words, stamps (M,), numbers (M, 3 n)."""
        n, size = len(self.joint_names), len(chunk)
        self._times = np.fromiter((min(time, LATEST) for time, _ in chunk), np.int64, size)
        stamps, numbers = np.zeros(size, np.int64), np.full((size, 3 * n), np.nan)
        good = np.zeros(size, bool)
        lengths = np.fromiter((len(data) for _, data in chunk), np.int64, size)
        sizes, counts = np.unique(lengths, return_counts=True)
        for length in sizes[np.argsort(-counts)]:      # the most frequent kind sets the rule
            indices = np.flatnonzero(lengths == length)
            joined = b''.join([chunk[index][1] for index in indices])
            rows = np.frombuffer(joined, np.uint8).reshape(len(indices), -1)
            while len(indices):
                layout = self._layout(chunk[indices[0]][1], indices[:1])
                if layout is None:
                    indices, rows = indices[1:], rows[1:]
                    continue
                alike = layout.matches(rows)
                self._take(layout, indices[alike], rows[alike], stamps, numbers, good)
                indices, rows = indices[~alike], rows[~alike]
        return self._finite(stamps, numbers, good)

    def _layout(self, data: bytes, index: Indices) -> Layout | None:
        known = self._layouts.setdefault(len(data), [])
        for layout in known:
            if layout.matches(np.frombuffer(data, np.uint8)[None])[0]:
                return layout
        try:
            layout = Layout(data)
        except CdrError as error:
            self._leave_out('that cannot be decoded', index, str(error))
            return None
        if len(known) < 20:     # publishers are few; a stream of new names is not kept
            known.append(layout)
        return layout

    def _take(self, layout: Layout, indices: Indices, rows: Bytes, stamps: IntArray,
              numbers: FloatArray, good: BoolArray) -> None:
        """Put the numbers of messages with one layout into their rows."""
        order = self._joint_order(layout.names)
        if isinstance(order, tuple):
            reason, detail = order
            self._leave_out(reason, indices, detail)
            return
        stamps[indices] = layout.stamps(rows)
        n = len(self.joint_names)
        for k, field in enumerate(FIELDS):
            values = layout.numbers(rows, field)
            if values is not None:
                numbers[indices, k * n:(k + 1) * n] = values[:, order]
                continue
            if field == 'position' or field == 'effort' and self._effort_needed:
                self._leave_out(f'without {field}', indices, f'joints {show_names(layout.names)}')
                return
        if self._has_velocity is None:
            self._has_velocity = layout.counts['velocity'] > 0
        if layout.counts['velocity'] == 0 and self._has_velocity:
            self._leave_out('without velocity, which others have', indices)
            return
        if not self._has_velocity:
            numbers[indices, n:2 * n] = 0.0
        good[indices] = True

    def _finite(self, stamps: IntArray, numbers: FloatArray, good: BoolArray
                ) -> tuple[Callable[[int], str], IntArray, FloatArray]:
        """Return the rows whose numbers are finite, with stamps by the chosen clock."""
        n = len(self.joint_names)
        checked = numbers if self._effort_needed else numbers[:, :2 * n]
        finite = np.isfinite(checked).all(axis=1)
        bad = np.flatnonzero(good & ~finite)
        if len(bad):
            column = int(np.argmax(~np.isfinite(checked[bad[0]])))
            self._leave_out('with numbers that are not finite', bad,
                            f'{FIELDS[column // n]} of {self.joint_names[column % n]!r} is '
                            f'{checked[bad[0], column]}')
        keep = np.flatnonzero(good & finite)
        if self._by_header is None and len(keep):
            self._by_header = bool(stamps[keep[:2]].any())
            if not self._by_header:
                self.ledger.note('header stamps are zero: the time of recording is used')
        if self._by_header is False:
            stamps = self._times
        return lambda k: self._position(keep[k]), stamps[keep], numbers[keep]

    # -- names -----------------------------------------------------------------------------------

    def _renamed(self, name: str) -> str:
        if name in self._rename:
            return self._rename[name]
        for old, new in self._rename.items():
            if old and name.startswith(old):
                return new + name[len(old):]
        return name

    def _joint_order(self, names: tuple[str, ...]) -> Indices | tuple[str, str]:
        """Return the indices of the wanted joints in names, or the (reason, detail) for none."""
        known = self._orders.get(names)
        if known is not None:
            return known
        renamed = [self._renamed(name) for name in names]
        missing = [name for name in self.joint_names if name not in renamed]
        twice = [name for name in self.joint_names if renamed.count(name) > 1]
        if twice:
            known = 'with a joint named twice', f'{twice[0]!r} in {show_names(names)}'
        elif len(missing) == len(self.joint_names):
            known = 'of other joints', show_names(names)
        elif missing:
            known = 'with joints missing', f'{missing} not in {show_names(names)}'
        else:
            known = np.array([renamed.index(name) for name in self.joint_names], dtype=np.intp)
        if len(self._orders) < 1000:
            self._orders[names] = known
        return known

    # -- text ------------------------------------------------------------------------------------

    def _position(self, index: int) -> str:
        seconds = (self._times[index] - self._first_time) * 1e-9
        return f'message {self._number + int(index) + 1} ({seconds:.3f} s into the bag)'

    def _leave_out(self, reason: str, indices: Indices, detail: str = '') -> None:
        self.ledger.leave_out(reason, len(indices), self._position(indices[0]), detail)

    def _nothing(self) -> str:
        joints = sorted({name for names in self._orders for name in names})
        text = (f'{self.source.path}: no message of {clean(self.topic.name, PATH)} can be used '
                f'for the joints {list(self.joint_names)}')
        if joints:
            text += f'; the bag names {show_names(joints, 400)}'
            missing = [name for name in self.joint_names if name not in map(self._renamed, joints)]
            if missing:
                text += (f'. Missing: {missing}. If they have another name in the bag, use '
                         '--rename OLD=NEW; if they did not move, --lock JOINT=POSITION')
        return '\n  '.join([text, *self.ledger.lines()[1:]])


def _check_definition(topic: Topic, path: str | Path) -> None:
    """Refuse a JointState that is not the one of common_interfaces."""
    if topic.digest and topic.digest != DIGEST or (
            not topic.digest and topic.definition and not _same_members(topic.definition)):
        raise InputError(f'{path}: {clean(topic.name, PATH)} has the type {TYPE}, but not as '
                         'common_interfaces defines it; its bytes cannot be read')


def _same_members(definition: str) -> bool:
    own = definition.split('=' * 80)[0]
    members = [line.split('#')[0].split()[1] for line in own.splitlines()
               if len(line.split('#')[0].split()) == 2]
    return 'module ' in own or members == list(MEMBERS)    # IDL has its own grammar
