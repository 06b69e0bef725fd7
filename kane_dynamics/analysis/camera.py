# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A camera that looks at a point, with perspective; the same as that of the pages."""

from __future__ import annotations

import math

import numpy as np

LIGHT = np.array([0.45, -0.5, 0.75]) / math.sqrt(0.45**2 + 0.5**2 + 0.75**2)
FILL = np.array([-0.7, 0.4, 0.2]) / math.sqrt(0.7**2 + 0.4**2 + 0.2**2)
HALF_ANGLE = 0.35       # of view [rad]


class Camera:
    """Project points of space (..., 3) [m] onto an image of width x height pixels."""

    def __init__(self, target, distance, width, height, azimuth=-0.9, elevation=0.42):
        ce, se = math.cos(elevation), math.sin(elevation)
        back = np.array([ce * math.cos(azimuth), ce * math.sin(azimuth), se])
        right = np.cross([0.0, 0.0, 1.0], back)
        right /= np.linalg.norm(right)
        self.axes = np.stack([right, np.cross(back, right), back])
        self.eye = np.asarray(target, dtype=float) + distance * back
        self._scale = 0.5 * height / math.tan(HALF_ANGLE)
        self._centre = np.array([0.5 * width, 0.5 * height])
        self.near = 0.02 * distance

    def project(self, points):
        """Return pixels (..., 2) and depths (...,) [m]; what is behind the eye has none (NaN)."""
        seen = (np.asarray(points) - self.eye) @ self.axes.T
        depth = -seen[..., 2]
        depth = np.where(depth > self.near, depth, np.nan)
        pixels = self._centre + np.stack([seen[..., 0], -seen[..., 1]], axis=-1) * (
            self._scale / depth)[..., None]
        return pixels, depth

    def shade(self, normals):
        """Return the brightness (N,) of faces with unit normals (N, 3), for colours 0 ... 1."""
        key, fill = np.maximum(normals @ LIGHT, 0.0), np.maximum(normals @ FILL, 0.0)
        return 0.34 + 0.11 * (1.0 + normals[:, 2]) + 0.50 * key + 0.12 * fill
