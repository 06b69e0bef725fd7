# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a program does when nobody reads its output any more, as in `kane info arm.urdf | head`."""

from contextlib import contextmanager
import os
import sys


@contextmanager
def quiet_pipe():
    """Let a block, or a decorated function, end quietly when the reader of stdout has gone."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()      # here: what fails when Python ends is told as a traceback
    except BrokenPipeError:
        # what is still in the buffer has to go somewhere when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
