"""How a robot is shown: in the browser, in files, and as a table of checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sixvec.arguments.binding import named_arguments

if TYPE_CHECKING:
    from sixvec.analysis.verify import Verification
    from sixvec.robot import Robot
    from sixvec.viz.viewer import Viewer


class Visible:
    """The methods of `Robot` that show it."""

    def view(self, q: Any = None, **options: Any) -> Viewer:
        """Open the robot in the browser at q (nq,): `sixvec.viz.viewer`.  Needs the extra `view`.

        The page has sliders with the limits, frames, inertia ellipsoids, the centre of mass, Jacobian and weights as
        arrows, and a target to drag for inverse kinematics.  Options are `host`, `port` and `browser`.  A script prints
        the address and waits at its end until Ctrl-C, or `close()`.

        >>> import sixvec
        >>> viewer = sixvec.load("panda").view(port=0, browser=False)
        >>> viewer.close()
        """
        from sixvec.viz.viewer import view

        return view(cast("Robot", self), q, **options)

    @named_arguments
    def play(
        self,
        path: Any,
        dt: float | None = None,
        *,
        loop: bool = False,
        speed: float = 1.0,
        contacts: Sequence[Any] = (),
        **options: Any,
    ) -> Viewer:
        """Show a path (n, nq), a rollout or a track in the browser: `sixvec.viz.viewer`.

        Positions are `dt` seconds apart; a rollout knows its time step.  The motion begins when a page is connected
        and can be paused, repeated and slowed there.  With the `contacts` of a rollout their forces are shown.  Other
        options are those of `view`.

        >>> import sixvec
        >>> arm = sixvec.load("planar_2r")
        >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=5)
        >>> viewer = arm.play(swing, port=0, browser=False)
        >>> viewer.close()
        """
        from sixvec.viz.path import positions, time_step
        from sixvec.viz.viewer import view

        robot = cast("Robot", self)
        q = positions(robot, path, "play")
        step = time_step(path, dt, "play")  # before a server is started
        viewer = view(robot, q[0], **options)
        try:
            return viewer.play(path, step, loop=loop, speed=speed, contacts=contacts)
        except BaseException:
            viewer.close()
            raise

    @named_arguments
    def animate(
        self,
        path: Any,
        file: str | Path,
        dt: float | None = None,
        *,
        what: str | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write a path (n, nq), a rollout or a track as a film or a picture, which notebooks show.

        `*.html` plays in any browser without a server (writing it needs viser), `*.gif` and `*.mp4` are films
        (Pillow; for mp4 also the program ffmpeg), `*.png` shows stages side by side.  Positions are `dt` seconds apart:
        by default the time step of a rollout, otherwise 1/30 s.  In a film of a rollout, `what="position"`, "velocity"
        or "torque" adds a chart.  A file that exists is replaced only with `overwrite=True`.

        >>> import sixvec, tempfile
        >>> arm = sixvec.load("planar_2r")
        >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=50)
        >>> arm.animate(swing, f"{tempfile.mkdtemp()}/swing.gif", what="torque").name
        'swing.gif'
        """
        from sixvec.viz.recording import animate

        return animate(cast("Robot", self), path, file, dt, what=what, overwrite=overwrite)

    def verify(self, *, samples: int = 20, peers: bool = True) -> Verification:
        """Checks of numbers, identities, loops and other libraries' results, as a table: `sixvec.analysis.verify`.

        >>> import sixvec
        >>> bool(sixvec.load("planar_2r").verify(peers=False))
        True
        """
        from sixvec.analysis.verify import verify

        return verify(cast("Robot", self), samples=samples, peers=peers)
