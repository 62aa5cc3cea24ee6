"""A pose followed while the actuators move: the assembly mode is kept, or its loss is reported."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import spheres
from sixvec.parallel.rod_lines import orientation, rod_forces

FINEST = 1e-6
"""Fraction of a step between two given positions below which a mode counts as lost."""
JUMP = 0.1
"""Largest error of a prediction, in radians and sizes of the platform, that is still the same mode."""


@dataclass(frozen=True, eq=False)
class ModeTrack(Result):
    """Poses (k, …) along actuator positions; `switch` is the first position that was not reached in the mode, or -1.

    From there on poses are NaN: the mode ends at a singularity between `switch` - 1 and `switch`, where the
    platform may continue on either of two branches.
    """

    poses: Array
    switch: int
    fraction: float
    """How far between positions `switch` - 1 and `switch` the mode could be followed."""
    label: str
    """The sign of the determinant of the rods' lines, constant along the whole path."""
    q: Array
    """The given actuator positions, (k, n)."""

    @property
    def kept(self) -> bool:
        return self.switch < 0

    def __repr__(self) -> str:
        end = "kept" if self.kept else f"lost between positions {self.switch - 1} and {self.switch}"
        return f"<ModeTrack of {len(self.poses)} poses: mode {self.label} {end}>"


@any_arrays_same_dtype
def track(mechanism: ParallelRobot, q: ArrayLike, X0: ArrayLike) -> ModeTrack:
    """Follow the pose from X0 along actuator positions q (k, n), in steps as short as the mode needs.

    Every step is predicted by the velocity; Newton's result is accepted if it is near the prediction and on the same
    side of the singularities, otherwise the step is halved.

    >>> import numpy as np
    >>> from sixvec.parallel import Planar3RPR, track
    >>> mechanism = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
    >>> q = mechanism.inverse_position(np.linspace([1.0, 1.0, 0.0], [1.5, 1.2, 0.2], 5))
    >>> track(mechanism, q, [1.0, 1.0, 0.0])
    <ModeTrack of 5 poses: mode + kept>
    """
    q = real_array("track: q", q, "k ≥ 1", mechanism.n, batch=False, why="one row of positions after the other")
    if mechanism.n != mechanism.space.freedoms:
        raise DegenerateError(f"track needs exactly {mechanism.space.freedoms} legs, not {mechanism.n}")
    form, start = mechanism.normal, mechanism.space.one(X0, "track: X0")
    tracked = _tracked(form.robot, form.positions(q), form.pose(start))
    return replace(tracked, poses=mechanism.space.as_user_pose(form.user_pose(tracked.poses)), q=q)


def _tracked(mechanism: ParallelRobot, q: Array, X0: Array) -> ModeTrack:
    """The same in the robot's normal form, with poses in the form of kernels."""
    first = mechanism.forward_position(q[0], X0)
    poses = np.full((len(q), *mechanism.space.port.shape), np.nan)
    if not first:
        return ModeTrack(poses, 0, 0.0, "", q)
    here = poses[0] = mechanism.space.checked(first.pose, "pose")
    side = _side(mechanism, here, q[0])
    for k in range(1, len(q)):
        here, done = _followed(mechanism, here, q[k - 1], q[k], side)
        if done < 1.0:
            return ModeTrack(poses, k, done, _name(side), q)
        poses[k] = here
    return ModeTrack(poses, -1, 1.0, _name(side), q)


def _followed(mechanism: ParallelRobot, X: Array, start: Array, end: Array, side: float) -> tuple[Array, float]:
    """The pose at the end of a straight path of the actuators, or where it was lost."""
    at, length = 0.0, 1.0
    while at < 1.0:
        length = min(length, 1.0 - at)
        q = start + (end - start) * (at + length)
        guess = _predicted(mechanism, X, q)
        nearest = mechanism.forward_position(q, guess) if np.isfinite(guess).all() else None
        if nearest is not None and nearest:
            pose = mechanism.space.checked(nearest.pose, "pose")
            if _distance(mechanism, guess, pose) < JUMP and side * _side(mechanism, pose, q) > 0.0:
                X, at, length = pose, at + length, 2.0 * length
                continue
        length = 0.5 * length
        if length < FINEST:
            return X, at
    return X, 1.0


def _predicted(mechanism: ParallelRobot, X: Array, q: Array) -> Array:
    """The pose that closes the legs at q to first order."""
    ahead, radius = (np.asarray(x) for x in spheres(mechanism.legs)(q))
    rows = np.asarray(rod_forces(tuple(leg.platform for leg in mechanism.legs), mechanism.space)(X, ahead))
    lengths = np.linalg.norm(rows[:, mechanism.space.turns :], axis=-1)
    if not np.isfinite(rows).all() or np.linalg.cond(rows) > 1e12:
        return np.full_like(X, np.nan)
    twist = np.linalg.solve(rows / lengths[:, None], radius - lengths)
    return np.asarray(mechanism.space.moved(X.tolist(), [float(x) for x in twist]), float)


def _distance(mechanism: ParallelRobot, X: Array, Y: Array) -> float:
    """Largest change of an entry, lengths in sizes of the platform."""
    size = np.full(X.shape, 1.0)
    if X.shape == (4, 4):
        size[:3, 3] = mechanism.size
    elif mechanism.space.turns == 1:
        size[:2] = mechanism.size
    else:
        size[:] = mechanism.size
    return float((np.abs(X - Y) / size).max())


def _side(mechanism: ParallelRobot, X: Array, q: Array) -> float:
    return float(orientation(mechanism, X, np.asarray(spheres(mechanism.legs)(q)[0])))


def _name(side: float) -> str:
    return "+" if side > 0.0 else "-"
