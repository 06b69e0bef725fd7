# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Broken pipes: a quiet end when the reader of stdout is gone (`kane info arm.urdf | head`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
import sys


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """End a block, or a decorated function, quietly when the reader of stdout is gone."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()      # here: at exit, a failure would print a traceback
    except BrokenPipeError:
        # Python flushes the buffer at exit: give it somewhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
