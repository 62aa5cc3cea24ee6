"""Motions through positions at given times: recorded ones, rollouts, and those of other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.motion.cubic import cubic_pieces, with_slopes
from sixvec.motion.joint_motion import JointMotion
from sixvec.motion.path import Path
from sixvec.robot import Robot
from sixvec.sim.timed import Timed


@dataclass(frozen=True, eq=False, repr=False)
class Interpolated(Result, JointMotion):
    """A motion through positions at given times, with cubics in between."""

    robot: Robot
    duration: Any
    path: Path

    def q(self, t: ArrayLike) -> Any:
        """Positions at times t: (..., m, nq)."""
        return self.path.q(self._inside(t)[0])

    def v(self, t: ArrayLike) -> Array:
        """Velocities at times t."""
        return self._at_rest_outside(self.path.dq, t)

    def a(self, t: ArrayLike) -> Array:
        """Accelerations at times t."""
        return self._at_rest_outside(self.path.ddq, t)

    def _inside(self, t: ArrayLike) -> tuple[Array, Array]:
        t = real_array("t", t)
        last = self.path.length if t.ndim == 0 else np.asarray(self.path.length)[..., None]
        inside = np.clip(t, 0.0, last)
        return inside, np.asarray(inside == t)

    def _at_rest_outside(self, function: Any, t: ArrayLike) -> Array:
        inside, same = self._inside(t)
        return np.asarray(np.where(same[..., None], function(inside), 0.0))

    def __repr__(self) -> str:
        longest = float(np.max(self.duration, initial=0.0))
        return f"<Interpolated: {self.path.knots.shape[-1]} positions in {longest:.4g} s>"


def interpolate(
    robot: Robot, t: ArrayLike | Timed, q: ArrayLike | None = None, v: ArrayLike | None = None
) -> Interpolated:
    """The motion through positions q (..., m, nq) at increasing times t (m,), or through the states of a rollout; it
    starts at the first of them.

    With velocities v (..., m, nv) cubics join positions and velocities, as after a rollout; without, accelerations are
    continuous.

    >>> import sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("planar_2r")
    >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=50)
    >>> motion.interpolate(arm, swing)
    <Interpolated: 50 positions in 0.49 s>
    """
    if robot.nq != robot.nv:
        raise ArgumentError(
            f"interpolate: {robot.name} has joints with quaternions, whose coordinates are not numbers to interpolate"
        )
    if isinstance(t, Timed):
        if t.t is None or q is not None:
            raise ArgumentError("interpolate: give times and positions, or a rollout that has a time step")
        return interpolate(robot, t.t, t.q, t.v)
    if q is None:
        raise ArgumentError("interpolate needs positions q (..., m, nq) at the times t (m,), or a rollout")
    q = real_array("interpolate: q", q, "positions ≥ 2", robot.nq, finite=True)
    t = real_array("interpolate: t", t, q.shape[-2], finite=True, why="one for each position")
    if not (np.diff(t, axis=-1) > 0.0).all():
        raise ArgumentError("interpolate: times must increase")
    places = np.ascontiguousarray(np.broadcast_to(t - t[..., :1], q.shape[:-1]))
    if v is None:
        path = Path(robot, places, cubic_pieces(places, q, "not-a-knot"), smooth=2)
    else:
        slopes = np.broadcast_to(real_array("interpolate: v", v, q.shape[-2], robot.nv, finite=True), q.shape)
        path = Path(robot, places, with_slopes(places, q, slopes), smooth=1)
    return Interpolated(robot, path.length, path)
