"""Positions of a robot for what it should reach: inverse kinematics and closed loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from numpy.typing import ArrayLike

from sixvec.arguments.binding import bound
from sixvec.arguments.progress import progress
from sixvec.errors import CallError
from sixvec.kernels.any_arrays import any_arrays
from sixvec.kernels.devices import on_devices

if TYPE_CHECKING:
    from sixvec.ik.assembly import Assembly
    from sixvec.ik.solution import Solution
    from sixvec.ik.track import Track
    from sixvec.robot import Robot


OBSTACLES = frozenset(("avoid", "clearance", "collision", "collisions", "obstacles", "world"))
"""Options of `ik` in other libraries."""

MANY = 10_000
"""Number of problems, or of numbers over time, above which progress is shown."""


class Positions:
    """The methods of `Robot` that search for positions: `sixvec.ik`."""

    @any_arrays
    @on_devices()
    def ik(
        self,
        pose: ArrayLike,
        frame: str,
        q0: ArrayLike | None = None,
        method: Literal["auto", "closed_form", "numerical"] = "auto",
        limits: bool = True,
        swivel: ArrayLike | None = None,
        **options: Any,
    ) -> Solution:
        """Joint positions that put a frame at a pose (..., 4, 4): closed form if there is one, otherwise numerical.

        Of several solutions within the limits, the one nearest to `q0` is returned (default: the middle of the ranges).
        The result has a verdict for each pose: solved, or the reason why not.  An arm of seven joints with spherical
        shoulder and wrist takes a `swivel` angle (...), about the line from shoulder to wrist; without one, the angle
        is chosen like the rest.  If limits forbid the angle, the verdict is "at limit" and no other angle is used.
        `options` are those of `sixvec.ik.solve`, which also accepts tasks other than poses: a `posture=` (nq) attracts
        redundant joints and has no effect on an arm without redundancy.  `sixvec.ik.closed_form.closed_form` gives all
        solutions.  Bruyninckx (5.2).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> answer = robot.ik(robot.pose(robot.random(0, 10), "panda_link8"), "panda_link8")
        >>> print(answer)
        10 solved
        >>> answer.q.shape
        (10, 7)
        """
        from sixvec.ik.choose import ik

        if "all" in options:
            raise CallError(
                f"ik gives one position; all of them: sixvec.ik.closed_form.closed_form(robot, {frame!r})(pose)"
            )
        if named := OBSTACLES & {*options}:
            raise CallError(
                f"ik has no argument {min(named)!r}: it knows no obstacles; sixvec.tasks.Stack(robot, *tasks, "
                "clearance=(world, gap)) moves towards poses and keeps a gap, robot.is_clear(q, world) checks solutions"
            )
        count = math.prod(getattr(pose, "shape", ())[:-2])
        with progress(f"inverse kinematics of {count} poses", count >= MANY):
            return ik(cast("Robot", self), pose, frame, q0, method, limits, swivel, **options)

    @any_arrays
    @on_devices()
    def track(self, q0: ArrayLike, poses: ArrayLike, frame: str, **options: Any) -> Track:
        """Joint positions (..., n, nq) that take a frame along poses (..., n, 4, 4) from `q0`: `sixvec.ik.track`.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> q0 = robot.random(0)
        >>> path = numpy.repeat(robot.pose(q0, "panda_link8")[None], 50, axis=0)
        >>> path[:, 0, 3] += numpy.linspace(0.0, 0.05, 50)
        >>> print(robot.track(q0, path, "panda_link8"))
        50 solved, no branch switch, largest jump 0.01
        """
        from sixvec.ik.track import OPTIONS, track

        chosen = bound("track", OPTIONS, named=options, also=("q0", "poses", "frame"))
        count = math.prod(getattr(poses, "shape", ())[:-2])
        with progress(f"tracking {count} poses", count >= MANY):
            return track(cast("Robot", self), q0, poses, frame, **chosen)

    @any_arrays
    @on_devices()
    def assemble(
        self, q: ArrayLike, fixed: Sequence[str] = (), hold: Mapping[Any, Any] | None = None, **options: Any
    ) -> Assembly:
        """Positions near q (..., nq) with closed loops, frames in `hold` kept in place: `sixvec.ik.assembly`.

        >>> import sixvec
        >>> sixvec.load("four_bar").assemble([0.7, 0.0, 1.0], fixed=["drive"])
        <Assembly: 1 of 1 closed>
        """
        from sixvec.ik.assembly import assemble

        return assemble(cast("Robot", self), q, fixed, hold, **options)
