# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of two bags: the same messages in the same order, bit by bit."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

from kane_dynamics.io.text import clean, PATH
from kane_dynamics.recorded.bags.source import BagSource


def compare_bags(first_path: str | Path, second_path: str | Path,
                 topics: Iterable[str] | None = None) -> list[str]:
    """Return sentences on the differences; none where all bytes are the same.

    topics: which ones; None: all that either bag has. Times of recording are not compared, stamps
    within messages are.
    """
    first, second = BagSource(first_path), BagSource(second_path)
    names = [{topic.name for topic in bag.topics} for bag in (first, second)]
    wanted = sorted(names[0] | names[1]) if topics is None else list(topics)
    found: list[str] = []
    for topic in wanted:
        absent = [str(bag.path) for bag, known in zip((first, second), names)
                  if topic not in known]
        if absent:
            found.append(f'{clean(topic, PATH)} is missing in {" and ".join(absent)}')
            continue
        found += _differences(topic, first, second)
    return found + [f'{bag.path}: {note}' for bag in (first, second) for note in bag.notes]


def _differences(topic: str, first: BagSource, second: BagSource) -> list[str]:
    different, where, counts = 0, 0, [0, 0]         # where: the number of the first that differs
    name = clean(topic, PATH)
    pairs = zip_longest(first.messages(topic), second.messages(topic))
    for number, (left, right) in enumerate(pairs, 1):
        counts[0] += left is not None
        counts[1] += right is not None
        if left is None or right is None:
            where = where or number
        elif left[1] != right[1]:
            different += 1
            where = where or number
    if counts[0] != counts[1]:
        return [f'{name}: {counts[0]} messages against {counts[1]}; the first difference is '
                f'message {where}']
    if different:
        return [f'{name}: {different} of {counts[0]} messages differ, the first is message '
                f'{where}']
    return []
