# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Closed surfaces of triangles for tests: their volume, and STL files of them."""

import struct

import numpy as np


def volume(triangles):
    """Return the enclosed volume, by the divergence theorem; positive when normals point out."""
    a, b, c = triangles.transpose(1, 0, 2)
    return float(np.einsum('ni,ni->', a, np.cross(b, c)) / 6.0)


def binary_stl(triangles):
    """Return the bytes of a binary STL file of triangles (T, 3, 3)."""
    rows = b''.join(struct.pack('<12fH', 0, 0, 0, *corner.ravel(), 0) for corner in triangles)
    return b'\0' * 80 + struct.pack('<I', len(triangles)) + rows
