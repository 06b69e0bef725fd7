# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What was used of a recording and what was left out, why, and where it first happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Entry:
    """One reason: how many messages, and the place and detail of the first."""

    count: int
    place: str
    detail: str


class Ledger:
    """Count messages by what became of them; `lines` tells it."""

    def __init__(self):
        self.read = 0
        self.used = 0
        self.entries = {}     # reason -> Entry, in order of appearance
        self.notes = []       # damage, resets and other things worth knowing

    def leave_out(self, reason, count, place, detail=''):
        """Count messages that are not used."""
        entry = self.entries.get(reason)
        if entry is None:
            self.entries[reason] = Entry(count, place, detail)
        else:
            entry.count += count

    def note(self, text):
        """Remember a sentence, once."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def left_out(self):
        """Return the number of messages that were read but not used."""
        return sum(entry.count for entry in self.entries.values())

    @property
    def clean(self):
        """Return whether all was used and nothing was odd."""
        return not self.entries and not self.notes

    def lines(self):
        """Return the account as text, one line per reason."""
        lines = [f'used {self.used} of {self.read} messages']
        for reason, entry in self.entries.items():
            detail = f': {entry.detail}' if entry.detail else ''
            messages = 'message' if entry.count == 1 else 'messages'
            lines.append(f'left out {entry.count} {messages} {reason}, first at {entry.place}'
                         + detail)
        return lines + self.notes
