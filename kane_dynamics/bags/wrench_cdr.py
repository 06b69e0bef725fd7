# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""geometry_msgs/msg/WrenchStamped and PointStamped as bytes (CDR), thousands at once."""

from __future__ import annotations

import numpy as np

TYPES = {6: 'geometry_msgs/msg/WrenchStamped', 3: 'geometry_msgs/msg/PointStamped'}
HEADER = 4          # bytes of encapsulation, which alignment does not count


def encode_stamped(stamps, frame, rows):
    """Return a list of N messages: a header and the numbers of each row.

    stamps (N,) [ns]; frame: header.frame_id; rows (N, 6), force and torque, or (N, 3), a point.
    """
    rows = np.ascontiguousarray(rows, dtype='<f8')
    text = frame.encode() + b'\0'
    at = HEADER + 12 + len(text)
    numbers = HEADER + -(-(at - HEADER) // 8) * 8          # numbers of 8 bytes are aligned to 8
    data = np.zeros((len(rows), numbers + 8 * rows.shape[1]), dtype=np.uint8)
    data[:, 1] = 1                                          # little-endian
    stamps = np.asarray(stamps, dtype=np.int64)
    data[:, 4:8] = (stamps // 10**9).astype('<i4').view(np.uint8).reshape(-1, 4)
    data[:, 8:12] = (stamps % 10**9).astype('<u4').view(np.uint8).reshape(-1, 4)
    data[:, 12:16] = np.frombuffer(np.uint32(len(text)).astype('<u4').tobytes(), np.uint8)
    data[:, 16:16 + len(text)] = np.frombuffer(text, np.uint8)
    data[:, numbers:] = rows.view(np.uint8).reshape(len(rows), -1)
    return [row.tobytes() for row in data]
