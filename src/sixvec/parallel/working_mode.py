"""Actuator positions of a pose, with the branch of each leg."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array, require_shape
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import alike, values_of
from sixvec.kernels.portable import library_of
from sixvec.parallel.leg import Leg


@dataclass(frozen=True, eq=False)
class WorkingMode(Result):
    """Actuator positions and the branch of each leg.  NumPy treats it as the array of positions."""

    q: Array
    branch: Array
    """(..., n): 0 or 1 for each leg; always 0 for legs with one position."""
    array_part: ClassVar[str] = "q"

    @property
    def leg(self) -> NDArray[np.int_]:
        """(...): the first leg that cannot reach its pivot, or -1; its q is NaN."""
        lost = np.isnan(values_of(self.q))
        return np.where(lost.any(axis=-1), lost.argmax(axis=-1), -1)

    @property
    def solved(self) -> NDArray[np.bool_]:
        return np.asarray(self.leg < 0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(values_of(self.q), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        reached, count = int((self.leg < 0).sum()), math.prod(self.leg.shape)
        return f"<WorkingMode q {tuple(self.q.shape)}, {reached} of {count} reached>"


def spread(branch: Any, q: Any) -> Any:
    """The branches of every sample, in NumPy or as traced."""
    if isinstance(branch, np.ndarray):
        return np.broadcast_to(branch.astype(np.int8), tuple(q.shape))
    return ((branch > 0.5) | (q != q) & (q == q)) * 1


def traced(robot: Any, X: Any, branch: Any, axes: int) -> tuple[Any, Any]:
    """Poses, with `axes` batch axes, and branches as compiled functions of any library take them.

    Poses are NaN where branches, whose numbers are not known if they are traced, do not exist.
    """
    if library_of(branch) in (None, "numpy"):
        return X, robot._branch(branch).tolist()
    legs = robot.legs
    require_shape("branch", branch, len(legs), why="0 or 1 for each leg")
    off = [branch[..., k] * (branch[..., k] - (leg.branches - 1)) != 0 for k, leg in enumerate(legs)]
    X, unknown = alike(X, 0.0 / (sum(1.0 * x for x in off) == 0))
    return X + unknown[(..., *[None] * axes)], branch


def wrapped(x: Array, legs: tuple[Leg, ...]) -> Array:
    """Differences of actuator positions, of angles within half a turn."""
    turns = np.array([leg.angular for leg in legs])
    return np.asarray(np.where(turns, (x + math.pi) % (2.0 * math.pi) - math.pi, x))
