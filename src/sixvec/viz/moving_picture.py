"""Films of a motion as GIF and MP4, and its stages side by side as PNG."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import ArgumentError, OutputError
from sixvec.robot import Robot
from sixvec.viz.path import picture_indices
from sixvec.viz.raster import camera, moved, painted, require_pillow, surface
from sixvec.viz.strip_chart import StripChart

RATE = 20.0
"""Pictures per second; GIF counts in hundredths of a second."""

WIDTH = HEIGHT = 400
"""Pixels of a picture of the robot."""

COLORS = 96
"""Of the palette of a GIF."""

STAGES = 5


def gif(robot: Robot, q: Array, dt: float, chart: StripChart | None = None) -> bytes:
    """A film that repeats, of positions (n, nq) `dt` seconds apart."""
    rows, pause = picture_indices(len(q), dt, "animate", RATE)
    images = [*_pictures(robot, q, rows, dt, chart)]
    palette = images[len(images) // 2].quantize(COLORS)
    images = [image.quantize(palette=palette, dither=0) for image in images]
    film = io.BytesIO()
    duration = max(1, round(100.0 * pause)) * 10
    images[0].save(film, "gif", save_all=True, append_images=images[1:], duration=duration, loop=0)
    return film.getvalue()


def mp4(robot: Robot, q: Array, dt: float, chart: StripChart | None = None) -> bytes:
    """A film by the program ffmpeg, of positions (n, nq) `dt` seconds apart."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise ArgumentError("animate: *.mp4 needs the program ffmpeg on the PATH; *.gif and *.html do without")
    rows, pause = picture_indices(len(q), dt, "animate", RATE)
    images = [*_pictures(robot, q, rows, dt, chart)]
    width, height = images[0].size
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-framerate", f"{1.0 / pause:.6g}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        # yuv420p is the format that browsers play.
        command = [ffmpeg, "-loglevel", "error", *raw, "-i", "-", "-pix_fmt", "yuv420p", str(file)]
        done = subprocess.run(command, input=b"".join(i.tobytes() for i in images), capture_output=True, check=False)
        if done.returncode or not file.exists():
            raise OutputError(f"animate: ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")
        return file.read_bytes()


def stages(robot: Robot, q: Array, dt: float) -> bytes:
    """Up to `STAGES` positions of a path (n, nq) with their times side by side, on the same scale, as a PNG."""
    rows = np.unique(np.linspace(0, len(q) - 1, min(STAGES, len(q))).round().astype(int))
    images = [*_pictures(robot, q, rows, dt, None)]
    from PIL import Image

    strip = Image.new("RGB", (WIDTH * len(images), HEIGHT), (255, 255, 255))
    for k, image in enumerate(images):
        strip.paste(image, (k * WIDTH, 0))
    picture = io.BytesIO()
    strip.save(picture, "png")
    return picture.getvalue()


def _pictures(robot: Robot, q: Array, rows: Any, dt: float, chart: StripChart | None) -> Iterator[Any]:
    """A picture per row of positions with its time; the view includes the whole motion."""
    require_pillow()
    from PIL import Image, ImageDraw

    shape = surface(robot)
    corners = [moved(shape, poses) for poses in robot.poses(q[rows])]
    corner_points = np.concatenate(corners)
    view, floor = camera(corner_points, WIDTH, HEIGHT), _floor(corner_points)
    for each, row in zip(corners, rows, strict=True):
        image = painted(shape, each, view, floor)
        ImageDraw.Draw(image).text((12, 10), f"{row * dt:.2f} s", fill=(90, 90, 90), font_size=14)
        if chart is not None:
            both = Image.new("RGB", (WIDTH + chart.width, HEIGHT), (255, 255, 255))
            both.paste(image, (0, 0))
            both.paste(chart.picture(row * dt), (WIDTH, 0))
            image = both
        yield image


def _floor(points: Array) -> float:
    """The height of the floor: that of the world, unless the motion is far above it or below."""
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    return 0.0 if low - (high - low) / 2 <= 0.0 <= high else low
