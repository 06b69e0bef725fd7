# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""LLVM text, statement by statement: literals, types and fresh names."""

from __future__ import annotations

import struct


def number(value: float) -> str:
    """Return a float as an exact LLVM literal."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


def kind_of(width: int) -> str:
    """Return the LLVM type of one number or of a vector of them."""
    return 'double' if width == 1 else f'<{width} x double>'


def suffix(width: int) -> str:
    """Return that type as the names of LLVM's functions have it."""
    return 'f64' if width == 1 else f'v{width}f64'


class Lines:
    """Collect statements and hand out fresh names; numbers are doubles, or vectors of `width`."""

    def __init__(self, width: int = 1) -> None:
        self.lines: list[str] = []
        self._count = 0
        self.width, self.kind = width, kind_of(width)
        self.sincos_widths: set[int] = set()      # of the sines and cosines that were asked for

    def put(self, text: str) -> None:
        """Add a line."""
        self.lines.append('  ' + text)

    def let(self, text: str) -> str:
        """Add an assignment to a fresh name and return the name."""
        self._count += 1
        name = f'%v{self._count}'
        self.put(f'{name} = {text}')
        return name

    def arithmetic(self, op: str, a: str, b: str) -> str:
        """Add a double-precision operation."""
        return self.let(f'{op} contract {self.kind} {a}, {b}')

    def floor(self, a: str) -> str:
        """Add a rounding toward minus infinity."""
        return self.let(f'call {self.kind} @llvm.floor.{suffix(self.width)}({self.kind} {a})')

    def number(self, value: float) -> str:
        """Return a literal, the same in each entry of a vector."""
        each = number(value)
        return each if self.width == 1 else f'<{", ".join([f"double {each}"] * self.width)}>'
