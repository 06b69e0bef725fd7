# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Movies of an arm in motion: GIF by Pillow, MP4 by ffmpeg.

Abdelaziz, Helaly and Atta (2004) made films of their simulations from key frames; here each frame
is drawn from the motion itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
import shutil
import subprocess

import numpy as np

from kane_dynamics.analysis.pictures.painter import Image, Painter
from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.io.files import whole_file
from kane_dynamics.io.limits import MOVIE_FRAMES
from kane_dynamics.numerics.array_types import FloatArray

ENDINGS = ('.gif', '.mp4')


def write_movie(path: str | Path, painter: Painter, t: FloatArray, q: FloatArray,
                fps: float = 25, speed: float = 1.0,
                progress: Callable[[int, int], object] | None = None) -> int:
    """Write the motion q (N, nq) at t (N,) [s] as .gif or .mp4; return the number of frames.

    fps: frames per second; speed: of playback, 0.5 is half as fast. progress(k, count) is called
    after each frame.
    """
    path = Path(path)
    check_movie(path, fps, speed)
    count = max(2, int(round((t[-1] - t[0]) / speed * fps)) + 1)
    if count > MOVIE_FRAMES.value:
        raise InputError(f'{count} frames: lower fps, or raise speed; {MOVIE_FRAMES.exceeded}')
    times = np.linspace(t[0], t[-1], count)
    rows = np.clip(np.searchsorted(t, times), 0, len(t) - 1)

    def images() -> Iterator[Image]:
        for k, (time, row) in enumerate(zip(times, rows)):
            yield painter.draw(q[row], int(row), f'{time:.2f} s')
            if progress is not None:
                progress(k + 1, count)
    with whole_file(path) as temporary:
        if path.suffix.lower() == '.gif':
            some = [painter.draw(q[row], int(row)) for row in rows[[0, count // 2, -1]]]
            _write_gif(temporary, images(), fps, some)
        else:
            _write_mp4(temporary, images(), fps, painter.size, path.name)
    return count


def check_movie(path: str | Path, fps: float = 25, speed: float = 1.0) -> None:
    """Raise for a movie that cannot be written; to be called before long work."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f'{path.name}: expected a movie file, one of {", ".join(ENDINGS)}')
    if not (0.0 < fps <= 100.0 and speed > 0.0):
        raise InputError('fps must be above 0 and at most 100, speed positive; '
                         f'got {fps} and {speed}')
    if ending == '.mp4':
        ffmpeg()


def _write_gif(path: Path, images: Iterable[Image], fps: float, some: Sequence[Image]) -> None:
    """Write frames in one palette, which is made from `some` of them."""
    width, height = some[0].size
    mosaic = some[0].resize((width, height * len(some)))
    for k, image in enumerate(some):
        mosaic.paste(image, (0, k * height))
    palette = mosaic.quantize(160)
    frames = [image.quantize(palette=palette, dither=0) for image in images]
    frames[0].save(path, save_all=True, append_images=frames[1:], loop=0, optimize=False,
                   duration=max(20, round(1000.0 / fps)))


def _write_mp4(path: Path, images: Iterable[Image], fps: float, size: tuple[int, int],
               name: str) -> None:
    command = [ffmpeg(), '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s',
               f'{size[0]}x{size[1]}', '-r', f'{fps:g}', '-i', '-', '-c:v', 'libx264', '-pix_fmt',
               'yuv420p', '-crf', '20', '-movflags', '+faststart', str(path.resolve())]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None     # they are pipes
    try:
        for image in images:
            process.stdin.write(image.tobytes())
        process.stdin.close()
    except BrokenPipeError:
        pass                                               # the reason is read below
    except BaseException:                                  # ffmpeg would write the rest
        process.kill()
        process.wait()
        raise
    problem = process.stderr.read().decode(errors='replace').strip()
    if process.wait() != 0:
        raise InputError(f'{name}: ffmpeg could not write it: {problem[-300:]}')


def ffmpeg() -> str:
    """Return the path of ffmpeg: on the system's path, or that of the imageio-ffmpeg wheel."""
    found = shutil.which('ffmpeg')
    if found:
        return found
    try:
        import imageio_ffmpeg
        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise MissingDependencyError(
            'MP4 needs ffmpeg: pip install imageio-ffmpeg, or install ffmpeg; .gif does not need '
            'it') from None
