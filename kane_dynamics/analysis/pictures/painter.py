# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Images of an arm in motion, drawn without a display: a camera and a painter."""

from __future__ import annotations

from collections.abc import Iterable
import math
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.analysis.collision.collision_check import Surroundings
from kane_dynamics.analysis.pictures.arm_solid import ArmSolid
from kane_dynamics.analysis.study.study import HeldPayload
from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.validation import vector

LIGHT = np.array([0.45, -0.5, 0.75]) / math.sqrt(0.45**2 + 0.5**2 + 0.75**2)
FILL = np.array([-0.7, 0.4, 0.2]) / math.sqrt(0.7**2 + 0.4**2 + 0.2**2)
HALF_ANGLE = 0.35       # of view [rad]
BACK, GRID, SHADOW = (243, 246, 249), (205, 211, 219), (214, 219, 226)
DONE, TO_COME, TEXT = (37, 99, 235), (172, 184, 199), (75, 85, 99)
OVERSAMPLING = 2        # pixels drawn per pixel of the image, in both directions
MAX_PATH_POINTS = 400   # of the frame
EXTENT_SAMPLES = 40     # of a motion, that the picture is made to fit

Image: TypeAlias = Any          # of Pillow, which has no types
Pixel: TypeAlias = tuple[float, float]
Colour: TypeAlias = tuple[int, ...]


class Camera:
    """Perspective projection of points (..., 3) [m] onto an image of width x height pixels.

    It is the camera of the pages (page/arm.js) at their start.
    """

    def __init__(self, target: ArrayLike, distance: float, width: int, height: int,
                 azimuth: float = -0.9, elevation: float = 0.42) -> None:
        ce, se = math.cos(elevation), math.sin(elevation)
        back = np.array([ce * math.cos(azimuth), ce * math.sin(azimuth), se])
        right = np.cross([0.0, 0.0, 1.0], back)
        right /= np.linalg.norm(right)
        self.axes = np.stack([right, np.cross(back, right), back])
        self.eye = np.asarray(target, dtype=np.float64) + distance * back
        self._scale = 0.5 * height / math.tan(HALF_ANGLE)
        self._centre = np.array([0.5 * width, 0.5 * height])
        self.near = 0.02 * distance

    @classmethod
    def between(cls, eye: FloatArray, target: FloatArray, width: int, height: int) -> Camera:
        """Return the camera at `eye` (3,) [m] that looks at `target` (3,) [m]."""
        back = eye - target
        distance = float(np.linalg.norm(back))
        if not np.hypot(back[0], back[1]) > 1e-6 * distance:
            raise InputError('camera: it must not be straight above or below its target, at '
                             f'{target.tolist()}; got {eye.tolist()}')
        return cls(target, distance, width, height, math.atan2(back[1], back[0]),
                   math.asin(back[2] / distance))

    def project(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return pixels (..., 2) and depths (...,) [m]; NaN for points behind the eye."""
        seen = (points - self.eye) @ self.axes.T
        depth = -seen[..., 2]
        depth = np.where(depth > self.near, depth, np.nan)
        pixels = self._centre + np.stack([seen[..., 0], -seen[..., 1]], axis=-1) * (
            self._scale / depth)[..., None]
        return pixels, depth

    def shade(self, normals: FloatArray) -> FloatArray:
        """Return the brightness (N,) of faces with unit normals (N, 3), for colours 0 ... 1."""
        key, fill = np.maximum(normals @ LIGHT, 0.0), np.maximum(normals @ FILL, 0.0)
        return 0.34 + 0.11 * (1.0 + normals[:, 2]) + 0.50 * key + 0.12 * fill


class Painter:
    """Draw an arm into images.

    robot: the arm; q (N, nq): its motion, which the images are made to fit; frame: the link whose
    path is drawn, or None; folder: of the URDF, to resolve its mesh files. camera, target: where
    the eye is and what it looks at (3,) [m]; None: so that the motion fits.
    """

    def __init__(self, robot: Robot, q: ArrayLike, width: int = 800, height: int = 600,
                 frame: str | None = None, folder: str | Path | None = None, title: str = '',
                 payloads: Iterable[HeldPayload] = (),
                 surroundings: Surroundings = Surroundings(), camera: ArrayLike | None = None,
                 target: ArrayLike | None = None) -> None:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise MissingDependencyError(
                'pictures are drawn with Pillow: pip install pillow') from None
        self._image, self._draw, self._font = Image, ImageDraw, ImageFont
        if not (16 <= width <= 4096 and 16 <= height <= 4096):
            raise InputError(f'a picture must be 16 to 4096 pixels wide and high, got {width} x '
                             f'{height}')
        self.size = (width - width % 2, height - height % 2)    # MP4 needs even numbers
        q = np.atleast_2d(np.asarray(q, dtype=np.float64))
        self._solid = ArmSolid(robot, q[:: max(1, len(q) // EXTENT_SAMPLES)], folder, payloads,
                               surroundings)
        centre, radius, self._ground = self._solid.extent
        self._large = (OVERSAMPLING * self.size[0], OVERSAMPLING * self.size[1])
        look = centre if target is None else vector(target, 'target')
        self._camera = Camera(look, 3.05 * radius, *self._large) if camera is None else (
            Camera.between(vector(camera, 'camera'), look, *self._large))
        self._radius, self._title = radius, title
        self._path_rows = np.linspace(0, len(q) - 1, min(len(q), MAX_PATH_POINTS)).astype(int)
        self._path = None if frame is None else self._solid.path(frame, q[self._path_rows])
        self._backdrop = self._ground_grid(centre)

    def _ground_grid(self, centre: FloatArray) -> Image:
        image = self._image.new('RGB', self._large, BACK)
        pen = self._draw.Draw(image)
        step = 10.0 ** round(math.log10(self._radius / 5.0))
        x, y = np.round(centre[:2] / step) * step
        for k in range(-10, 11):
            for line in (((x + k * step, y - 10 * step), (x + k * step, y + 10 * step)),
                         ((x - 10 * step, y + k * step), (x + 10 * step, y + k * step))):
                ends = np.array([(*line[0], self._ground), (*line[1], self._ground)])
                # in pieces: the one behind the eye is left out
                points, _ = self._camera.project(np.linspace(ends[0], ends[1], 41))
                for a, b in zip(points[:-1], points[1:]):
                    if np.isfinite(a).all() and np.isfinite(b).all():
                        pen.line([tuple(a), tuple(b)], fill=GRID, width=OVERSAMPLING)
        return image

    def draw(self, q: ArrayLike, number: int | None = None, label: str = '') -> Image:
        """Return the image at q (nq,); number: of rows of the motion before it."""
        image = self._backdrop.copy()
        pen = self._draw.Draw(image)
        triangles, colours = self._solid.triangles(q)
        flat = triangles - (triangles[..., 2:] - self._ground) / LIGHT[2] * LIGHT
        for shadow in self._on_screen(flat)[0]:
            pen.polygon(shadow, fill=SHADOW)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]
        toward = np.einsum('ni,ni->n', normals, self._camera.eye - triangles[:, 0])
        seen = toward > 0.0
        shades = np.clip(self._camera.shade(normals[seen])[:, None] * colours[seen], 0, 255)
        corners, depths, kept = self._on_screen(triangles[seen])
        items: list[tuple[float, list[Pixel], Colour]] = [
            (depth, corner, tuple(shade))
            for depth, corner, shade in zip(depths, corners, shades[kept].astype(int).tolist())]
        items += self._path_pieces(number)
        items.sort(key=lambda item: -item[0])
        for _, points, colour in items:
            if len(points) == 3:
                pen.polygon(points, fill=colour, outline=colour)
            else:
                pen.line(points, fill=colour, width=2 * OVERSAMPLING)
        image = image.reduce(OVERSAMPLING)
        self._write(image, label)
        return image

    def _on_screen(self, triangles: FloatArray,
                   ) -> tuple[list[list[Pixel]], list[float], IntArray]:
        """Return corners in pixels, depths and indices of the triangles before the eye."""
        pixels, depth = self._camera.project(triangles)
        kept = np.flatnonzero(np.isfinite(depth).all(axis=1))
        return ([[tuple(point) for point in corner] for corner in pixels[kept].tolist()],
                depth[kept].mean(axis=1).tolist(), kept)

    def _path_pieces(self, number: int | None) -> list[tuple[float, list[Pixel], Colour]]:
        if self._path is None:
            return []
        done = -1 if number is None else int(np.searchsorted(self._path_rows, number))
        pixels, depth = self._camera.project(self._path)
        return [(0.5 * (depth[k] + depth[k + 1]), [tuple(pixels[k]), tuple(pixels[k + 1])],
                 DONE if k < done else TO_COME)
                for k in range(len(pixels) - 1)
                if np.isfinite(depth[k]) and np.isfinite(depth[k + 1])]

    def _write(self, image: Image, label: str) -> None:
        try:
            font = self._font.load_default(size=max(11, self.size[1] // 36))
        except (TypeError, OSError):                       # an old Pillow, or without fonts
            font = self._font.load_default()
        pen = self._draw.Draw(image)
        pen.text((12, 10), self._title, fill=TEXT, font=font)
        pen.text((12, self.size[1] - 12), label, fill=TEXT, font=font, anchor='ls')
