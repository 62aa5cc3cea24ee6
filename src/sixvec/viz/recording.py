"""`robot.animate(path, file)`: a motion as a page that plays without a server, or as a picture of its stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sixvec.border import Array
from sixvec.errors import ArgumentError
from sixvec.formats.draft import require_writable, write_file
from sixvec.robot import Robot
from sixvec.viz.path import pictures, positions
from sixvec.viz.server import serve, stop
from sixvec.viz.view_scene import RobotNodes
from sixvec.viz.viewer import VIEW_ANGLE


def animate(robot: Robot, path: Any, file: str | Path, dt: float = 1.0 / 30.0, *, overwrite: bool = False) -> Path:
    """Write a motion: `*.html` plays in any browser, `*.png` shows stages of it side by side.

    Writing the page needs viser; the page is self-contained and needs no server or network.  A file that exists is
    replaced only with `overwrite=True`.
    """
    if not isinstance(file, str | Path):
        raise ArgumentError(f"animate: file must be a path, *.html or *.png, not {file!r}")
    target = Path(file)
    require_writable(target, overwrite=overwrite)
    q = positions(robot, path, "animate")
    shown, pause = pictures(q, dt, "animate")
    if target.suffix.lower() == ".png":
        from sixvec.viz.film import film

        picture = film(robot, q, float(dt))
        write_file(target, picture, overwrite=overwrite)
        return target
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"animate writes *.html or *.png, not {target.name}")
    write_file(target, page(robot, shown, pause).encode(), overwrite=overwrite)
    return target


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
