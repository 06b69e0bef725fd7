# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A reader under attack: a KaneDynamicsError that names its source, or a right result."""

from functools import cached_property
import os
from pathlib import Path
import shutil
import sys
import tempfile
import warnings

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / 'test' / 'support'), str(ROOT / 'test' / 'fuzz')]
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

from mutations import mutated_text   # noqa: E402, I100

import kane_dynamics as kd   # noqa: E402

LONGEST = 10_000    # characters of a refusal


class Target:
    """One reader: seeds that it accepts, and a check of what it makes of mutated ones.

    share: of the time of a run, relative to those of the other targets.
    """

    mutated = staticmethod(mutated_text)
    ending = ''
    share = 1.0

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix='fuzz'))
        self.path = self.folder / f'fuzz{self.ending}'

    def close(self):
        """Remove what was written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @cached_property
    def seeds(self):
        """Return the [bytes] that mutations begin with."""
        raise NotImplementedError

    def chosen(self, rng):
        """Return one of the seeds."""
        return rng.choice(self.seeds)

    def read(self, data):
        """Read data; raise a KaneDynamicsError that names `place`, or check the result."""
        raise NotImplementedError

    @property
    def place(self):
        """Return the text that every refusal must hold."""
        return self.path.name

    def check(self, data):
        """Return 'refused' or 'read'; raise an AssertionError where the invariant is broken."""
        with warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter('always', kd.KaneDynamicsWarning)
            try:
                self.read(data)
            except kd.KaneDynamicsError as error:
                message = str(error)
                assert self.place in message, f'names no place: {message!r}'
                _assert_harmless(message)
                return 'refused'
        for remark in remarks:
            _assert_harmless(str(remark.message))
        return 'read'


def _assert_harmless(message):
    assert message.replace('\n', '').isprintable(), f'not printable: {message!r}'
    assert len(message) < LONGEST, f'{len(message)} characters: {message[:200]!r}'
