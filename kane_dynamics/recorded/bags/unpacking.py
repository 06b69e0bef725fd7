# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Chunks of mcap files unpacked within their claimed size.

rosbags unpacks a chunk to any size: 1 MB of zstd can become 30 GB. `bound_rosbags` gives it the
bounded functions of this module.
"""

from __future__ import annotations

from collections.abc import Callable
import sys
from typing import Any, TypeAlias

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.limits import BAG_CHUNK_BYTES

Unpacker: TypeAlias = Callable[[bytes, int], bytes]     # packed bytes, claimed size -> bytes


def bound_rosbags() -> dict[str, Unpacker]:
    """Return {compression: function}, which rosbags uses from now on."""
    from rosbags.rosbag2 import storage_mcap
    table: dict[str, Unpacker] = storage_mcap.DECOMPRESSORS
    table.update(lz4=_lz4, zstd=_zstd)
    return table


def _lz4(data: bytes, size: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor
    return _unpacked(LZ4FrameDecompressor, data, size)


def _zstd(data: bytes, size: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return _unpacked(ZstdDecompressor, data, size)


def _unpacked(make: Callable[[], Any], data: bytes, size: int) -> bytes:
    """Return the bytes of one or more frames; raise where they are more than the claimed size."""
    if size > BAG_CHUNK_BYTES.value:
        raise InputError(f'a chunk claims {size} bytes: {BAG_CHUNK_BYTES.exceeded}')
    parts, left = [], size + 1
    while data and left > 0:
        unpacker = make()
        while left > 0 and not unpacker.eof:
            part = unpacker.decompress(data, max_length=left)
            parts.append(part)
            left -= len(part)
            data = b''
            if not part and unpacker.needs_input:
                break               # it is cut
        data = unpacker.unused_data or b''
    if left <= 0:
        raise InputError(f'a chunk unpacks to more than the {size} bytes that it claims')
    return b''.join(parts)
