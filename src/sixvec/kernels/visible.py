"""How a robot is shown: in the browser, in files, and as a table of checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from sixvec.robot import Robot
    from sixvec.verify import Verification
    from sixvec.viz.viewer import Viewer


class Visible:
    """The methods of `Robot` that show it."""

    def view(self, q: Any = None, **options: Any) -> Viewer:
        """Open the robot in the browser at q (nq,): `sixvec.viz.viewer`.  Needs viser: `pip install 'sixvec[view]'`.

        The page has sliders with the limits, frames, inertia ellipsoids, the centre of mass, Jacobian and weights as
        arrows, and a target to drag for inverse kinematics.  Options are `host`, `port` and `browser`.

        >>> import sixvec
        >>> viewer = sixvec.load("panda").view(port=0, browser=False)
        >>> viewer.close()
        """
        from sixvec.viz.viewer import view

        return view(cast("Robot", self), q, **options)

    def play(self, path: Any, dt: float, **options: Any) -> Viewer:
        """Show a path (n, nq), a rollout or a track in the browser, in real time: `sixvec.viz.viewer`.

        >>> import sixvec
        >>> arm = sixvec.load("planar_2r")
        >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=5)
        >>> viewer = arm.play(swing, 0.01, port=0, browser=False)
        >>> viewer.close()
        """
        from sixvec.viz.path import pictures, positions
        from sixvec.viz.viewer import view

        robot = cast("Robot", self)
        q = positions(robot, path, "play")
        pictures(q, dt, "play")  # refuses dt before a server is started
        return view(robot, q[0], **options).play(q, dt)

    def animate(self, path: Any, file: str | Path, dt: float = 1.0 / 30.0, *, overwrite: bool = False) -> Path:
        """Write a path (n, nq), a rollout or a track as a page that plays without a server, or as a picture.

        `*.html` is self-contained (writing it needs viser), `*.png` shows stages side by side.  A file that exists is
        replaced only with `overwrite=True`.

        >>> import sixvec, tempfile
        >>> arm = sixvec.load("planar_2r")
        >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=50)
        >>> arm.animate(swing, Path(tempfile.mkdtemp()) / "swing.png", 0.01).name
        'swing.png'
        """
        from sixvec.viz.recording import animate

        return animate(cast("Robot", self), path, file, dt, overwrite=overwrite)

    def verify(self, *, samples: int = 20, peers: bool = True) -> Verification:
        """Checks of numbers, identities, loops and the results of other libraries, as a table: `sixvec.verify`.

        >>> import sixvec
        >>> bool(sixvec.load("planar_2r").verify(peers=False))
        True
        """
        from sixvec.verify import verify

        return verify(cast("Robot", self), samples=samples, peers=peers)
