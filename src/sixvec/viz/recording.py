"""`robot.animate(path, file)`: a motion as a page that plays without a server, a film, or a picture of its stages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.formats.draft import require_writable, write_file
from sixvec.robot import Robot
from sixvec.viz.joint_path import joint_strip
from sixvec.viz.moving_picture import gif, mp4, stages
from sixvec.viz.notebook import Film
from sixvec.viz.path import pictures, positions, sampled, time_step
from sixvec.viz.server import serve, stop
from sixvec.viz.view_scene import RobotNodes
from sixvec.viz.viewer import VIEW_ANGLE

DEFAULT_STEP = 1.0 / 30.0
"""Seconds between positions that say nothing about time."""


def animate(
    robot: Robot,
    path: Any,
    file: str | Path,
    dt: float | None = None,
    *,
    what: str | None = None,
    overwrite: bool = False,
) -> Film:
    """Write a motion: `*.html` plays in any browser, `*.gif` and `*.mp4` are films, `*.png` shows stages of it.

    Writing the page needs viser; the page is self-contained and needs no server or network.  The others need Pillow,
    and `*.mp4` the program ffmpeg.  Without `dt` it is that of the rollout, or 1/30 s.  In a film, `what="position"`,
    "velocity" or "torque" adds a chart of the joints of a rollout.  A file that exists is replaced only with
    `overwrite=True`.
    """
    if not isinstance(file, str | Path):
        raise ArgumentError(f"animate: file must be a path, {_KINDS}, not {file!r}")
    target = Film(file)
    suffix = target.suffix.lower()
    if suffix not in WRITERS:
        raise ArgumentError(f"animate writes {_KINDS}, not {target.name}")
    if what is not None and suffix not in FILMS:
        raise ArgumentError(f"animate: what={what!r} adds a chart to *.gif and *.mp4, not to {target.name}")
    require_writable(target, overwrite=overwrite)
    path = sampled(path, dt)
    q, step = positions(robot, path, "animate"), time_step(path, dt, "animate", DEFAULT_STEP)
    more = {} if what is None else {"chart": joint_strip(robot, path, step, what)}
    write_file(target, WRITERS[suffix](robot, q, step, **more), overwrite=overwrite)
    return target


def _page(robot: Robot, q: Array, dt: float) -> bytes:
    return page(robot, *pictures(q, dt, "animate")).encode()


FILMS = {".gif": gif, ".mp4": mp4}
WRITERS: dict[str, Callable[..., bytes]] = {".html": _page, ".htm": _page, ".png": stages, **FILMS}
_KINDS = "*.html, *.gif, *.mp4 or *.png"


def page(robot: Robot, q: Array, dt: float) -> str:
    """A page that plays positions (n, nq), `dt` seconds each."""
    server = serve("127.0.0.1", 0)
    try:
        server.scene.add_grid("/floor", width=4.0, height=4.0, cell_size=0.25, section_size=1.0)
        nodes = RobotNodes(server.scene, robot, "/robot")
        nodes.show(q[0])
        points = robot.poses(np.asarray(q))[..., :3, 3].reshape(-1, 3)
        middle, size = (points.min(axis=0) + points.max(axis=0)) / 2, float(np.ptp(points, axis=0).max())
        server.initial_camera.look_at = tuple(middle)
        server.initial_camera.position = tuple(middle + 0.9 * max(size, 0.2) * VIEW_ANGLE)
        serializer = server.get_scene_serializer()
        for each in q:
            nodes.show(each)
            serializer.insert_sleep(dt)
        return str(serializer.as_html())
    finally:
        stop(server)
