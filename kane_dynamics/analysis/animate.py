# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Movies of an arm in motion: GIF by Pillow, MP4 by ffmpeg; drawn here, no display needed.

Abdelaziz, Helaly and Atta (2004) made films of their simulations from key frames; here each frame
is the arm at its moment: shapes of the URDF, bent links bent, the way of the tip.
"""

from __future__ import annotations

import math
from pathlib import Path
import shutil
import subprocess

import numpy as np

from kane_dynamics.analysis.arm_solid import ArmSolid
from kane_dynamics.analysis.camera import Camera, LIGHT
from kane_dynamics.exceptions import InputError, MissingDependencyError

BACK, GRID, SHADOW = (243, 246, 249), (205, 211, 219), (214, 219, 226)
DONE, TO_COME, TEXT = (37, 99, 235), (172, 184, 199), (75, 85, 99)
SMOOTH = 2              # pixels drawn per pixel kept, each way
MOST_FRAMES = 20_000
WAY_POINTS = 400        # of the tip
ENDINGS = ('.gif', '.mp4')


class Painter:
    """Draw an arm at postures q (nq,) into images (height, width, 3).

    robot: the arm; q (N, nq): all that shall be seen; frame: the link whose way is drawn, or None;
    folder: of the URDF, for its meshes.
    """

    def __init__(self, robot, q, width=800, height=600, frame=None, folder=None, title='',
                 payloads=()):
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise MissingDependencyError(
                'pictures are drawn with Pillow: pip install pillow') from None
        self._image, self._draw, self._font = Image, ImageDraw, ImageFont
        if not (16 <= width <= 4096 and 16 <= height <= 4096):
            raise InputError(f'a picture is 16 to 4096 pixels wide and high, got {width} x '
                             f'{height}')
        self.size = (width - width % 2, height - height % 2)    # MP4 wants even numbers
        q = np.atleast_2d(np.asarray(q, dtype=float))
        self._solid = ArmSolid(robot, folder, payloads)
        centre, radius, self._ground = self._solid.extent(q[:: max(1, len(q) // 40)])
        self._camera = Camera(centre, 3.05 * radius, SMOOTH * self.size[0], SMOOTH * self.size[1])
        self._radius, self._title = radius, title
        self._places = np.linspace(0, len(q) - 1, min(len(q), WAY_POINTS)).astype(int)
        self._path = None if frame is None else self._solid.path(frame, q[self._places])
        self._backdrop = self._empty(centre)

    def _empty(self, centre):
        image = self._image.new('RGB', (SMOOTH * self.size[0], SMOOTH * self.size[1]), BACK)
        pen = self._draw.Draw(image)
        step = 10.0 ** round(math.log10(self._radius / 5.0))
        x, y = np.round(centre[:2] / step) * step
        for k in range(-10, 11):
            for line in (((x + k * step, y - 10 * step), (x + k * step, y + 10 * step)),
                         ((x - 10 * step, y + k * step), (x + 10 * step, y + k * step))):
                ends = np.array([(*line[0], self._ground), (*line[1], self._ground)])
                # in pieces: the part behind the eye is left out
                points, _ = self._camera.project(np.linspace(*ends, 41))
                for a, b in zip(points[:-1], points[1:]):
                    if np.isfinite(a).all() and np.isfinite(b).all():
                        pen.line([tuple(a), tuple(b)], fill=GRID, width=SMOOTH)
        return image

    def draw(self, q, number=None, label=''):
        """Return the image of a posture; number: how many of the postures q are behind."""
        image = self._backdrop.copy()
        pen = self._draw.Draw(image)
        triangles, colours = self._solid.triangles(q)
        flat = triangles - (triangles[..., 2:] - self._ground) / LIGHT[2] * LIGHT
        for corners in self._on_screen(flat)[0]:
            pen.polygon(corners, fill=SHADOW)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]
        toward = np.einsum('ni,ni->n', normals, self._camera.eye - triangles[:, 0])
        seen = toward > 0.0
        shades = np.clip(self._camera.shade(normals[seen])[:, None] * colours[seen], 0, 255)
        corners, depths, kept = self._on_screen(triangles[seen])
        items = [(depth, corner, tuple(shade)) for depth, corner, shade in zip(
            depths, corners, shades[kept].astype(int).tolist())]
        items += self._way(number)
        items.sort(key=lambda item: -item[0])
        for _, points, colour in items:
            if len(points) == 3:
                pen.polygon(points, fill=colour, outline=colour)
            else:
                pen.line(points, fill=colour, width=2 * SMOOTH)
        image = image.reduce(SMOOTH)
        self._write(image, label)
        return image

    def _on_screen(self, triangles):
        """Return corners as lists of pixels, depths, and which of the triangles these are."""
        pixels, depth = self._camera.project(triangles)
        kept = np.flatnonzero(np.isfinite(depth).all(axis=1))
        return ([[tuple(point) for point in corner] for corner in pixels[kept].tolist()],
                depth[kept].mean(axis=1).tolist(), kept)

    def _way(self, number):
        if self._path is None:
            return []
        number = -1 if number is None else np.searchsorted(self._places, number)
        pixels, depth = self._camera.project(self._path)
        return [(0.5 * (depth[k] + depth[k + 1]), [tuple(pixels[k]), tuple(pixels[k + 1])],
                 DONE if k < number else TO_COME)
                for k in range(len(pixels) - 1)
                if np.isfinite(depth[k]) and np.isfinite(depth[k + 1])]

    def _write(self, image, label):
        try:
            font = self._font.load_default(size=max(11, self.size[1] // 36))
        except (TypeError, OSError):                       # an old Pillow, or one without fonts
            font = self._font.load_default()
        pen = self._draw.Draw(image)
        pen.text((12, 10), self._title, fill=TEXT, font=font)
        pen.text((12, self.size[1] - 12), label, fill=TEXT, font=font, anchor='ls')


def write_movie(path, painter, t, q, fps=25, pace=1.0, progress=None):
    """Write the motion q (N, nq) at t (N,) [s] as .gif or .mp4, by the ending of the name.

    fps: frames per second; pace: 0.5 shows it half as fast. progress(k, count) is called for each
    frame.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f'{path.name}: a movie is one of {", ".join(ENDINGS)}')
    if not (0.0 < fps <= 100.0 and pace > 0.0):
        raise InputError('fps must be above 0 and at most 100, pace positive; '
                         f'got {fps} and {pace}')
    count = max(2, int(round((t[-1] - t[0]) / pace * fps)) + 1)
    if count > MOST_FRAMES:
        raise InputError(f'{count} frames are too many; take fewer per second, or a higher pace')
    moments = np.linspace(t[0], t[-1], count)
    places = np.clip(np.searchsorted(t, moments), 0, len(t) - 1)

    def images():
        for k, (moment, place) in enumerate(zip(moments, places)):
            yield painter.draw(q[place], int(place), f'{moment:.2f} s')
            if progress is not None:
                progress(k + 1, count)
    if path.suffix.lower() == '.gif':
        some = [painter.draw(q[place], int(place)) for place in places[[0, count // 2, -1]]]
        _write_gif(path, images(), fps, some)
    else:
        _write_mp4(path, images(), fps, painter.size)
    return count


def _write_gif(path, images, fps, some):
    """Write frames in one palette, that of `some` of them side by side."""
    width, height = some[0].size
    mosaic = some[0].resize((width, height * len(some)))
    for k, image in enumerate(some):
        mosaic.paste(image, (0, k * height))
    palette = mosaic.quantize(160)
    frames = [image.quantize(palette=palette, dither=0) for image in images]
    frames[0].save(path, save_all=True, append_images=frames[1:], loop=0, optimize=False,
                   duration=max(20, round(1000.0 / fps)))


def _write_mp4(path, images, fps, size):
    command = [ffmpeg(), '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s',
               f'{size[0]}x{size[1]}', '-r', f'{fps:g}', '-i', '-', '-c:v', 'libx264', '-pix_fmt',
               'yuv420p', '-crf', '20', '-movflags', '+faststart', str(path.resolve())]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for image in images:
            process.stdin.write(image.tobytes())
        process.stdin.close()
    except BrokenPipeError:
        pass                                               # ffmpeg says below why it stopped
    problem = process.stderr.read().decode(errors='replace').strip()
    if process.wait() != 0:
        raise InputError(f'{path.name}: ffmpeg could not write it: {problem[-300:]}')


def ffmpeg():
    """Return the path of ffmpeg: on the system's path, or that of the imageio-ffmpeg wheel."""
    found = shutil.which('ffmpeg')
    if found:
        return found
    try:
        import imageio_ffmpeg
        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise MissingDependencyError(
            'MP4 needs ffmpeg: pip install imageio-ffmpeg, or install ffmpeg; .gif needs none of '
            'it') from None
