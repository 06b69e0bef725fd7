# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Two bags compared topic by topic: the same messages in the same order, to the last bit."""

from __future__ import annotations

from itertools import zip_longest

from kane_dynamics.bags.source import BagSource


def compare_bags(first, second, topics=None):
    """Return a list of sentences about what differs; empty where all bytes are the same.

    topics: which ones; None: all that either bag has. Times of recording do not count: stamps
    within messages do.
    """
    first, second = BagSource(first), BagSource(second)
    names = [{topic.name for topic in bag.topics} for bag in (first, second)]
    wanted = sorted(names[0] | names[1]) if topics is None else list(topics)
    found = []
    for topic in wanted:
        absent = [str(bag.path) for bag, known in zip((first, second), names)
                  if topic not in known]
        if absent:
            found.append(f'{topic} is missing in {" and ".join(absent)}')
            continue
        found += _differences(topic, first, second)
    return found + [f'{bag.path}: {note}' for bag in (first, second) for note in bag.notes]


def _differences(topic, first, second):
    different, where, counts = 0, None, [0, 0]
    for number, pair in enumerate(zip_longest(first.messages(topic), second.messages(topic)), 1):
        for k, message in enumerate(pair):
            counts[k] += message is not None
        if None in pair or pair[0][1] != pair[1][1]:
            different += None not in pair
            where = where or number
    if counts[0] != counts[1]:
        return [f'{topic}: {counts[0]} messages against {counts[1]}; the first difference is '
                f'message {where}']
    if different:
        return [f'{topic}: {different} of {counts[0]} messages differ, the first is message '
                f'{where}']
    return []
