# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the size of files and messages, each raised by an environment variable.

A file beyond a limit is refused before it takes memory or time. `doc/limits.md` lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
import os

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show

LARGEST = 10**15     # value of a variable: files beyond it do not exist


@dataclass(frozen=True)
class Limit:
    """A largest number of bytes, elements or samples.

    variable: the environment variable that sets another number. what: the noun that is counted,
    as in 'more than 5000 links of a robot'.
    """

    variable: str
    default: int
    what: str

    @property
    def value(self) -> int:
        """Return the limit in force."""
        text = os.environ.get(self.variable, '')
        if not text:
            return self.default
        if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= LARGEST):
            raise InputError(f'environment variable {self.variable}: expected a whole number up '
                             f'to {LARGEST:.0e}, the largest number of {self.what}, got '
                             f'{show(text)}')
        return int(text)

    @property
    def exceeded(self) -> str:
        """Return the sentence for a message: the limit, and how to raise it."""
        return (f'more than {self.value} {self.what}, the limit; the environment variable '
                f'{self.variable} raises it')


XML_BYTES = Limit('KANE_MAX_XML_BYTES', 32 * 2**20, 'bytes of a robot description')
XML_ELEMENTS = Limit('KANE_MAX_XML_ELEMENTS', 200_000, 'elements of a robot description')
XML_DEPTH = Limit('KANE_MAX_XML_DEPTH', 64, 'levels of nested elements')
XML_ATTRIBUTES = Limit('KANE_MAX_XML_ATTRIBUTES', 64, 'attributes of an element')
XML_VALUE = Limit('KANE_MAX_XML_VALUE', 10_000, 'characters of an attribute')
LINKS = Limit('KANE_MAX_LINKS', 5000, 'links or joints of a robot')
MESH_BYTES = Limit('KANE_MAX_MESH_BYTES', 200_000_000, 'bytes of all meshes of a robot')
MESH_ITEMS = Limit('KANE_MAX_MESH_ITEMS', 4_000_000,
                   'points and triangles of all meshes of a robot, each instance counted')
YAML_BYTES = Limit('KANE_MAX_YAML_BYTES', 4_000_000, 'bytes of a YAML file')
YAML_DEPTH = Limit('KANE_MAX_YAML_DEPTH', 20, 'levels of nested lists and names')
CSV_ROWS = Limit('KANE_MAX_CSV_ROWS', 10_000_000, 'rows of a table')
BAG_CHUNK_BYTES = Limit('KANE_MAX_BAG_CHUNK_BYTES', 2**28,
                        'bytes of a record or an unpacked chunk of an mcap file')
MESSAGE_NAMES = Limit('KANE_MAX_MESSAGE_NAMES', 10_000,
                      'names in a message, or bytes of a name')
TRAJECTORY_POINTS = Limit('KANE_MAX_TRAJECTORY_POINTS', 1_000_000, 'points of a trajectory')
TASK_SAMPLES = Limit('KANE_MAX_TASK_SAMPLES', 2_000_000, 'samples of a task')
SIMULATION_SAMPLES = Limit('KANE_MAX_SIMULATION_SAMPLES', 100_000_000, 'samples of a simulation')
MOVIE_FRAMES = Limit('KANE_MAX_MOVIE_FRAMES', 20_000, 'frames of a movie')
LIMITS = tuple(value for value in list(globals().values()) if isinstance(value, Limit))
