"""A motion along a path: s as a function of time, with constant s̈ in each interval of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import values_of
from sixvec.kernels.devices import namespace
from sixvec.lazy import lazy
from sixvec.motion.joint_motion import JointMotion, at_times, with_friction
from sixvec.motion.limits import Bounds
from sixvec.motion.maximum_velocity import maximum_velocity
from sixvec.motion.path import Path
from sixvec.robot import Robot
from sixvec.verdict import Verdict, tally

if TYPE_CHECKING:
    from sixvec.viz.scene import Axes


class Fault(IntEnum):
    """Why a path cannot be travelled."""

    END = 1
    START = 2
    ROW = 3
    LOAD = 4


SENTENCES = {
    Fault.END: "the speed at the end cannot be reached",
    Fault.START: "the speed at the start is larger than any from which the path can be travelled",
    Fault.ROW: "at s = {s:.4g} {name} excludes standing still",
    Fault.LOAD: "at s = {s:.4g} {joint} needs {needed:.4g} to move slowly, and has {most:.4g}",
}


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Result, JointMotion):
    """A motion along a path: `duration`, a `verdict`, and functions of time.

    SOLVED, or INFEASIBLE where the joints cannot even move slowly within their limits, or cannot have the speeds that
    were requested at the ends: `reason` says where and why.  At the points of the grid (..., points + 1), `s` is the
    position on the path, `speed` its rate, `times` when it is reached, and `largest` the largest rate from which the
    rest of the path can be travelled.  `numbers` (..., points) say which of the limits in `names` is reached in each
    interval, and `faults` what `reason` puts into words.
    """

    path: Path
    duration: Any
    verdict: NDArray[np.int8]
    s: Array
    speed: Array
    largest: Array
    times: Array
    numbers: Array
    faults: Array
    bounds: Bounds

    @property
    def names(self) -> tuple[str, ...]:
        """Of all limits."""
        return self.bounds.names(self.robot)

    @property
    def limiting(self) -> NDArray[Any]:
        """The names of the limits that are reached in each interval (..., points)."""
        return np.asarray(np.array(self.names, object)[values_of(self.numbers)])

    @property
    def reason(self) -> NDArray[Any]:
        """Why a path cannot be travelled; empty for those that can."""
        faults = values_of(self.faults)
        reasons = np.full(faults.shape[:-1], "", object)
        for k in np.ndindex(reasons.shape):
            kind, s, row, needed, most = faults[k].tolist()
            if kind:
                reasons[k] = SENTENCES[Fault(int(kind))].format(
                    s=s, name=self.names[int(row)], joint=self.names[int(row)].partition(":")[0], needed=needed,
                    most=most,
                )  # fmt: skip
        return np.asarray(reasons, object)

    @lazy
    def highest(self) -> Any:
        """The maximum velocity curve at the points (..., points + 1): the largest rates that the limits allow at each
        place by itself."""
        return maximum_velocity(self.path, values_of(self.s), values_of(self.speed), self.bounds)

    @property
    def robot(self) -> Robot:  # type: ignore[override]
        return self.path.robot

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        longest = float(np.max(self.duration, initial=0.0))
        return f"<TimedPath: {tally(self.verdict)}, {longest:.4g} s{' at most' if np.ndim(self.duration) else ''}>"

    def plot_phase(self, ax: Axes | None = None) -> Axes:
        """The rate ṡ over s, below the largest one from which the rest of the path can be travelled and the maximum
        velocity curve; returns the axes.

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

    def q(self, t: ArrayLike) -> Any:
        """Positions at times t, (m,) for all paths or (..., m) for each: (..., m, nq)."""
        s, _, _ = self._along(t)
        return self._shaped(self.path.q(s), t)

    def v(self, t: ArrayLike) -> Any:
        """Velocities at times t."""
        s, rate, _ = self._along(t)
        return self._shaped(self.path.dq(s) * rate[..., None], t)

    def a(self, t: ArrayLike) -> Any:
        """Accelerations at times t."""
        s, rate, u = self._along(t)
        return self._shaped(self.path.dq(s) * u[..., None] + self.path.ddq(s) * (rate**2)[..., None], t)

    def tau(self, t: ArrayLike) -> Any:
        """Joint forces at times t, friction of the joints included; where the motion starts or stops, dry friction is
        that of the motion just after or before."""
        s, rate, u = self._along(t)
        slope = self.path.dq(s)
        v, a = slope * rate[..., None], slope * u[..., None] + self.path.ddq(s) * (rate**2)[..., None]
        moves = ((rate > 0.0) | (u != 0.0))[..., None]
        forces = self.robot.inverse_dynamics(self.path.q(s), v, a)
        return self._shaped(with_friction(self.robot, forces, v, slope * moves), t)

    def _shaped(self, x: Any, t: Any) -> Any:
        return x[..., 0, :] if np.ndim(t) == 0 else x

    def _along(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """s, ṡ and s̈ at times; before the start and after the end the motion rests there."""
        at = at_times(t, self.path.batch, self.times)
        xp, points = namespace(self.times), self.times
        k = (at[..., None] >= points[..., None, 1:-1]).sum(axis=-1)

        def of(x: Any) -> Any:
            return xp.take_along_axis(xp.broadcast_to(x, (*at.shape[:-1], x.shape[-1])), k, axis=-1)

        duration = xp.diff(points, axis=-1)
        u = xp.diff(self.speed, axis=-1) / xp.where(duration > 0.0, duration, 1.0)
        after = xp.clip(at - of(points[..., :-1]), 0.0, of(duration))
        rate, slope = of(self.speed[..., :-1]), of(u)
        s = of(self.s[..., :-1]) + after * (rate + 0.5 * slope * after)
        outside = (at < 0.0) | (at > points[..., -1:])
        return s, xp.where(outside, 0.0, rate + slope * after), xp.where(outside, 0.0, slope)
