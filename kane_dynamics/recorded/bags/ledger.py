# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Account of a recording: how many messages were used, and which were left out and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Entry:
    """A reason to leave messages out: their number, and the position and detail of the first."""

    count: int
    position: str
    detail: str


class Ledger:
    """Count the messages that were read, used and left out; collect notes."""

    def __init__(self) -> None:
        self.read = 0
        self.used = 0
        self.entries: dict[str, Entry] = {}     # by reason, in order of appearance
        self.notes: list[str] = []              # damage, resets of the clock and so on

    def leave_out(self, reason: str, count: int, position: str, detail: str = '') -> None:
        """Count messages that are not used."""
        entry = self.entries.get(reason)
        if entry is None:
            self.entries[reason] = Entry(count, position, detail)
        else:
            entry.count += count

    def note(self, text: str) -> None:
        """Add a sentence, once."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def left_out(self) -> int:
        """Return the number of messages that were read but not used."""
        return sum(entry.count for entry in self.entries.values())

    @property
    def clean(self) -> bool:
        """Return whether every message was used and there are no notes."""
        return not self.entries and not self.notes

    def lines(self) -> list[str]:
        """Return the account as text, one line per reason."""
        lines = [f'used {self.used} of {self.read} messages']
        for reason, entry in self.entries.items():
            detail = f': {entry.detail}' if entry.detail else ''
            messages = 'message' if entry.count == 1 else 'messages'
            lines.append(f'left out {entry.count} {messages} {reason}, first at {entry.position}'
                         + detail)
        return lines + self.notes
