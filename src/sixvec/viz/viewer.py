"""Robots in the browser: `robot.view(q)`, `robot.play(path, dt)`, `sixvec view panda`."""

from __future__ import annotations

import atexit
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array
from sixvec.arguments.binding import bound
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.errors import ArgumentError
from sixvec.robot import Robot
from sixvec.verdict import Verdict
from sixvec.viz.contact_arrows import force_arrows, full_length
from sixvec.viz.panel import Panel
from sixvec.viz.path import picture_indices, position, positions, sampled, time_step
from sixvec.viz.player import Player
from sixvec.viz.script import at_end, is_script
from sixvec.viz.server import serve, stop
from sixvec.viz.view_scene import RobotNodes

HOST, PORT = "127.0.0.1", 8080
STARTS = 20
"""Random positions from which closed loops are sought."""

VIEW_ANGLE = np.array([1.1, -1.3, 0.8])
"""The camera position relative to the robot's middle, in sizes of the robot."""

GHOST = 0.3
"""The opacity of a goal."""


class Viewer:
    """A page in the browser with one robot or several, sliders, and an ik target to drag.

    It runs in its own threads until `close()` or the end of the program; `url` is its address.  Only its own page can
    connect, from this machine; with another `host`, everybody who reaches that address can, without a password.
    """

    def __init__(self, *, host: str = HOST, port: int = PORT, browser: bool | None = None) -> None:
        if not (isinstance(port, int) and 0 <= port < 65536):
            raise ArgumentError(f"view: port must be a number from 0 to 65535, not {port!r}")
        self._server = serve(host, port)
        atexit.register(self.close)  # or viser announces the end of its server when the program ends
        self.port = int(self._server.get_port())
        self.url = f"http://{'localhost' if host in (HOST, '0.0.0.0') else host}:{self.port}"
        self.robots: list[Panel] = []
        self.player: Player | None = None
        self._goal: RobotNodes | None = None
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._server.scene.add_grid("/floor", width=4.0, height=4.0, cell_size=0.25, section_size=1.0)
        if browser if browser is not None else sys.stdout.isatty():
            self.open()

    def open(self) -> bool:
        """Open the page in a browser; False if there is none."""
        try:
            return webbrowser.open(self.url)
        except webbrowser.Error:
            return False

    def __repr__(self) -> str:
        return f"<Viewer {self.url}: {', '.join(p.robot.name for p in self.robots) or 'empty'}>"

    def _repr_html_(self) -> str:
        """The page in a notebook; the line below it helps where the kernel runs on another machine."""
        return (
            f'<iframe src="{self.url}" width="100%" height="480" frameborder="0"></iframe>'
            f"<small>Empty? The kernel runs on another machine: forward its port, <code>ssh -L {self.port}:localhost:"
            f"{self.port} MACHINE</code>, and run the cell again. <code>robot.animate(path, 'motion.html')</code> "
            "needs no connection.</small>"
        )

    def add(self, robot: Robot, q: ArrayLike | None = None, base: ArrayLike | None = None) -> Panel:
        """Put a robot into the scene, its world at the pose `base` (4, 4)."""
        start = start_position(robot, q)
        place = None if base is None else real_array("add: base", base, 4, 4, batch=False, finite=True)
        with self._lock:
            nodes = RobotNodes(self._server.scene, robot, f"/robot{len(self.robots)}", place)
            if q is None and place is None:
                start = _above_the_floor(nodes, start)
            zero = None if q is None else lambda: start_position(robot, None)
            panel = Panel(self._server, nodes, start, self._lock, zero)
            self.robots.append(panel)
            self._look_at_all()
        return panel

    def show(self, q: ArrayLike) -> Self:
        """Move the first robot to q."""
        self._first().show(start_position(self._first().robot, q))
        return self

    def play(
        self,
        path: Any,
        dt: float | None = None,
        *,
        loop: bool = False,
        speed: float = 1.0,
        contacts: Sequence[Obstacle] = (),
    ) -> Self:
        """Move the first robot along a path (n, nq), beginning when a page is connected; returns at once.

        Without `dt`, the time step is that of the rollout.  The page gets buttons and sliders for playing, pausing,
        repeating (`loop`), the speed and the time.  With the `contacts` of a rollout their forces are shown; arrows of
        the largest ones, as of impacts, are cut.
        """
        path = sampled(path, dt)
        panel = self._first()
        q = positions(panel.robot, path, "play")
        indices, pause = picture_indices(len(q), time_step(path, dt, "play"), "play")
        speed = positive_number("play: speed", speed)
        arrows = force_arrows(panel.robot, path, contacts, indices) if contacts else None
        full = 0.0 if arrows is None else full_length(arrows[1])

        def show(k: int) -> None:
            if arrows is not None:
                panel.nodes.forces(arrows[0][k], arrows[1][k], full)
            panel.show(q[indices[k]])

        with self._lock:
            if self.player is not None:
                self.player.remove()
            panel.nodes.motion = q[indices]
            panel.nodes.trace()
            self.player = Player(self._server, show, len(indices), pause, self._lock, loop=loop, speed=speed)
        return self

    def goal(self, q: ArrayLike) -> Self:
        """Show where the first robot should go, as a transparent copy at q."""
        first = self._first()
        at = position(first.robot, q, "goal")
        with self._lock:
            if self._goal is None:
                self._goal = RobotNodes(self._server.scene, first.robot, "/goal", first.nodes.base, GHOST)
            self._goal.show(at)
        return self

    def wrenches(self, external: Mapping[str, ArrayLike]) -> Self:
        """Show wrenches (moment; force) on frames of the first robot, in frame axes, as `external=` has them."""
        panel = self._first()
        for frame in external:
            panel.robot.model.frame(frame)
        loads = {f: real_array(f"wrenches: {f}", w, 6, batch=False, finite=True) for f, w in external.items()}
        with self._lock:
            panel.nodes.push(loads)
        return self

    def points(self, centers: Any, values: ArrayLike | None = None, name: str = "workspace") -> Self:
        """Points (n, 3), coloured by values (n,) from dark to bright: a `Workspace`, samples, a path."""
        points = getattr(centers, "centers", centers)
        at = real_array("points: centers", points, "n", 3, batch=False).astype(np.float32)
        values = np.full(len(at), 0.5) if values is None else values
        shade = real_array("points: values", values, len(at), batch=False, why="one for each point")
        span = float(np.ptp(shade)) if len(shade) else 0.0
        shade = (shade - shade.min(initial=np.inf)) / span if span else np.full(len(at), 0.5)
        low, high = np.array([20, 40, 110]), np.array([250, 230, 60])
        colors = (low + shade[:, None] * (high - low)).astype(np.uint8)
        self._server.scene.add_point_cloud(f"/{name}", at, colors, point_size=0.012)
        return self

    def wait(self) -> None:
        """Block until Ctrl-C or `close()`."""
        try:
            while not self._closed.is_set():
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server; the page shows that it is gone."""
        atexit.unregister(self.close)
        if self.player is not None:
            self.player.pause()
        self._closed.set()
        stop(self._server)

    def _first(self) -> Panel:
        if not self.robots:
            raise ArgumentError("the viewer is empty: add(robot) first")
        return self.robots[0]

    def _look_at_all(self) -> None:
        """The camera of pages that are opened from now on."""
        points = np.concatenate([panel.points() for panel in self.robots])
        low, high = points.min(axis=0), points.max(axis=0)
        size = max(float((high - low).max()), *(panel.size for panel in self.robots), 0.2)
        camera = self._server.initial_camera
        camera.look_at = tuple((low + high) / 2)
        camera.position = tuple((low + high) / 2 + 0.9 * size * VIEW_ANGLE)


def start_position(robot: Robot, q: ArrayLike | None) -> Array:
    """A position to show: q, else zero (the middle of ranges without it), with closed loops if they can be closed."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"view needs a Robot, such as sixvec.load gives, not {robot!r}")
    if q is not None:
        return position(robot, q, "view")
    middle = robot.neutral()
    outside = ((middle < robot.lower) | (middle > robot.upper)) & np.isfinite(robot.lower) & np.isfinite(robot.upper)
    middle[outside] = (robot.lower[outside] + robot.upper[outside]) / 2
    if not robot.model.closures:
        return middle
    assembly = robot.assemble(np.concatenate([middle[None], robot.random(0, STARTS)]))
    closed = assembly.q[assembly.verdict == Verdict.SOLVED]
    if not len(closed):
        return middle
    far = np.linalg.norm(robot.difference(middle, closed), axis=-1)
    return np.asarray(closed[int(np.argmin(far))], float)


def _above_the_floor(nodes: RobotNodes, q: Array) -> Array:
    """q with a free base lifted until nothing is below the floor."""
    base = nodes.robot.model.moving[:1]
    if base and base[0].joint.is_free and (low := nodes.lowest(q)) < 0.0:
        q = q.copy()
        q[nodes.robot.model.q_slices[base[0].name].start + 2] -= low
    return q


def view(robot: Robot, q: ArrayLike | None = None, **options: Any) -> Viewer:
    """A robot in the browser; a script prints the address and waits at its end until Ctrl-C, or `close()`.

    Options: `host`, `port`, `browser` (whether to open one; default: on a terminal)."""
    viewer = Viewer(**bound("view", {"host": HOST, "port": PORT, "browser": None}, named=options))
    try:
        viewer.add(robot, q)
    except BaseException:
        viewer.close()
        raise
    if is_script():
        print(f"{robot.name} at {viewer.url}, until Ctrl-C", flush=True)
        at_end(viewer.wait)
    return viewer
