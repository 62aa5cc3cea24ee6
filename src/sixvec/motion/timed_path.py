"""A motion along a path: s as a function of time, with constant s̈ in each interval of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.motion.joint_motion import JointMotion, at_times
from sixvec.motion.path import Path
from sixvec.robot import Robot
from sixvec.verdict import Verdict, tally

if TYPE_CHECKING:
    from sixvec.viz.scene import Axes


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Result, JointMotion):
    """A motion along a path: `duration`, a `verdict`, and functions of time.

    SOLVED, or INFEASIBLE where the joints cannot even be at rest within their limits, or cannot have the speeds that
    were requested at the ends: `reason` says where and why.  At the points of the grid (..., points + 1), `s` is the
    position on the path, `speed` its rate, `times` when it is reached, and `largest` the largest rate from which the
    rest of the path can be travelled.  `limiting` (..., points) are the names of the limits that are reached in each
    interval.
    """

    path: Path
    duration: Any
    verdict: NDArray[np.int8]
    s: Array
    speed: Array
    largest: Array
    times: Array
    limiting: NDArray[Any]
    reason: NDArray[Any]

    @property
    def robot(self) -> Robot:  # type: ignore[override]
        return self.path.robot

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        longest = float(np.max(self.duration, initial=0.0))
        return f"<TimedPath: {tally(self.verdict)}, {longest:.4g} s{' at most' if np.ndim(self.duration) else ''}>"

    def plot_phase(self, ax: Axes | None = None) -> Axes:
        """The rate ṡ over s, below the largest one from which the rest of the path can be travelled; returns the axes.

        >>> import sixvec as sv
        >>> from matplotlib.figure import Figure
        >>> from sixvec import motion
        >>> path = motion.spline(sv.load("planar_2r"), [[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
        >>> fast = motion.time_optimal(path, velocity=2.0, acceleration=4.0, torque=None)
        >>> fast.plot_phase(Figure().subplots()).get_xlabel()
        's'
        """
        from sixvec.viz.phase_plane import draw_phase

        return draw_phase(self, ax)

    def q(self, t: ArrayLike) -> Array:
        """Positions at times t, (m,) for all paths or (..., m) for each: (..., m, nq)."""
        s, _, _ = self._along(t)
        return self._shaped(self.path.q(s), t)

    def v(self, t: ArrayLike) -> Array:
        """Velocities at times t."""
        s, rate, _ = self._along(t)
        return self._shaped(self.path.dq(s) * rate[..., None], t)

    def a(self, t: ArrayLike) -> Array:
        """Accelerations at times t."""
        s, rate, u = self._along(t)
        return self._shaped(self.path.dq(s) * u[..., None] + self.path.ddq(s) * (rate**2)[..., None], t)

    def _shaped(self, x: Array, t: ArrayLike) -> Array:
        return np.asarray(x[..., 0, :] if np.ndim(t) == 0 else x)

    def _along(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """s, ṡ and s̈ at times; before the start and after the end the motion rests there."""
        at = at_times(t, self.path.batch)
        points = self.times
        k = (at[..., None] >= points[..., None, 1:-1]).sum(axis=-1)

        def of(x: Array) -> Array:
            return np.take_along_axis(np.broadcast_to(x, (*at.shape[:-1], x.shape[-1])), k, axis=-1)

        duration = np.diff(points, axis=-1)
        u = np.diff(self.speed, axis=-1) / np.where(duration > 0.0, duration, 1.0)
        after = np.clip(at - of(points[..., :-1]), 0.0, of(duration))
        rate, slope = of(self.speed[..., :-1]), of(u)
        s = of(self.s[..., :-1]) + after * (rate + 0.5 * slope * after)
        outside = (at < 0.0) | (at > points[..., -1:])
        return s, np.where(outside, 0.0, rate + slope * after), np.where(outside, 0.0, slope)
