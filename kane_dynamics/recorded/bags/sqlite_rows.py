# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 databases: missing messages by their numbers, and how to recover a damaged file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import sqlite3
from urllib.parse import quote

from kane_dynamics.io.text import clean, PATH

MAGIC = b'SQLite format 3\x00'
QUERY = """SELECT COUNT(*), MAX(id), TOTAL(topic_id IN (SELECT id FROM topics))
    FROM messages NOT INDEXED"""


def missing_rows(path: Path) -> list[str]:
    """Return sentences about lost messages; none where the database is whole.

    rosbag2 numbers the messages of a file from 1 on: a gap in the numbers is a message that is
    lost, or that was deleted.
    """
    try:
        uri = f'file:{quote(str(path))}?immutable=1'
        with closing(sqlite3.connect(uri, uri=True)) as database:
            count, last, known = database.execute(QUERY).fetchone()
    except sqlite3.Error as error:
        return [f'{path.name}: damaged: {clean(error, PATH)}']
    found = []
    if isinstance(last, int) and last > count:
        found.append(f'{path.name}: its messages are numbered from 1 to {last}, but only {count} '
                     f'are there: {last - count} messages are lost, or were deleted')
    if known < count:
        found.append(f'{path.name}: {count - known:.0f} messages are lost: they belong to no '
                     'topic')
    return found


def recovery_commands(name: str) -> tuple[str, str]:
    """Return two shell commands that write what is left of a database to recovered.db3.

    The first one works with every sqlite3. The second one finds rows that the first one misses,
    but needs a sqlite3 with .recover: Debian 12's answers "SQL logic error".
    """
    return (f"sqlite3 {name} .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 recovered.db3",
            f'sqlite3 {name} .recover | sqlite3 recovered.db3')


def refusal(path: Path, reason: str) -> str:
    """Return why a database is refused, and how to recover what is left of it."""
    with open(path, 'rb') as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return 'this is no sqlite3 file'
    dump, recover = recovery_commands(path.name)
    return (f'SQLite cannot read it ({reason}); recover what is left of it with `{dump}`, or, '
            f'with the sqlite3 of sqlite.org, `{recover}`, and use recovered.db3')
