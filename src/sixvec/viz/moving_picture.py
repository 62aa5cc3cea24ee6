"""Films of a motion as GIF and MP4, drawn by matplotlib."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.border import Array
from sixvec.errors import ArgumentError
from sixvec.robot import Robot
from sixvec.viz.robot_drawing import draw_robot
from sixvec.viz.scene import Figure, include, require_matplotlib, scene

RATE = 20.0
"""Pictures per second: each takes about a tenth of a second to draw, and GIF counts in hundredths."""

SIZE, DOTS = 4.0, 100
"""Inches of a side, and pixels per inch."""


def gif(robot: Robot, q: Array, dt: float) -> bytes:
    """A film that repeats, of positions (n, nq) `dt` seconds apart."""
    require_matplotlib()
    from PIL import Image  # which matplotlib needs

    rows, pause = sampled(len(q), dt)
    images = [Image.fromarray(_pixels(figure)).quantize() for figure in _figures(robot, q[rows], rows * dt)]
    film = io.BytesIO()
    duration = max(1, round(100.0 * pause)) * 10
    images[0].save(film, "gif", save_all=True, append_images=images[1:], duration=duration, loop=0)
    return film.getvalue()


def mp4(robot: Robot, q: Array, dt: float) -> bytes:
    """A film by the program ffmpeg, of positions (n, nq) `dt` seconds apart."""
    require_matplotlib()
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise ArgumentError("animate: *.mp4 needs the program ffmpeg on the PATH; *.gif and *.html do without")
    rows, pause = sampled(len(q), dt)
    rate: Any = 1.0 / pause
    writer = FFMpegWriter(fps=rate, extra_args=["-pix_fmt", "yuv420p"])  # the format that browsers play
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        for k, figure in enumerate(_figures(robot, q[rows], rows * dt)):
            if k == 0:
                writer.setup(figure, file, DOTS)
            writer.grab_frame()
        writer.finish()
        return file.read_bytes()


def sampled(count: int, dt: float) -> tuple[Any, float]:
    """Which positions are drawn, at equal times, and the time between them.

    >>> sampled(6, 0.02)
    (array([0, 2, 4, 5]), 0.04)
    """
    every = max(1, round(1.0 / (RATE * dt)))
    return np.unique(np.r_[np.arange(0, count, every), count - 1]), every * dt


def _figures(robot: Robot, q: Array, t: Any) -> Iterator[Figure]:
    """One figure, drawn anew for each position: the view includes the whole motion."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(SIZE, SIZE), dpi=DOTS)
    points = robot.poses(q)[..., :3, 3].reshape(-1, 3)
    for each, time in zip(q, t, strict=True):
        figure.clear()
        ax = scene(figure)
        draw_robot(robot, each, ax)
        include(ax, points, True)
        ax.set_title(f"{time:.2f} s", fontsize=9)
        yield figure


def _pixels(figure: Figure) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
