"""All joint positions that reach a pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.lazy import lazy
from sixvec.tolerances import EQUAL

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Result):
    """One solution for each pose: positions (..., nq), NaN where there is none, and whether there is one (...)."""

    q: Array
    solved: Mask


@dataclass(frozen=True, eq=False)
class Solutions(Result):
    """The result of a closed form; every array has the batch axes of the poses first, then one axis of solutions.

    >>> import sixvec
    >>> from sixvec.ik.closed_form import closed_form
    >>> robot = sixvec.load("puma560")
    >>> pose = robot.pose([0.1, 0.8, -1.0, 0.3, 0.7, 0.2], "link6")
    >>> found = closed_form(robot, "link6")(pose)
    >>> found.q.shape, int(found.valid.sum()), int(found.within_limits.sum())
    ((8, 6), 8, 4)
    """

    q: Array
    """(..., n, nq): joint positions; NaN if the pose is invalid or a root was found twice."""
    error: Array
    """(..., n): pose error of each, √(position² + orientation²); NaN for a repeated solution."""
    reached: Array
    """(..., n): 1 if the error is rounding, otherwise 0."""
    limits: tuple[Array, Array]
    """Of the joints, lower and upper."""
    angular: Mask
    """(nq,): which coordinates are angles."""

    @classmethod
    def made(cls, q: Array, error: Array, reached: Array, limits: tuple[Array, Array], angular: Mask) -> Solutions:
        """A faster constructor, which matters if a call takes microseconds in total."""
        new = object.__new__(cls)
        fields = {"q": q, "error": error, "reached": reached, "limits": limits, "angular": angular}
        object.__setattr__(new, "__dict__", fields)
        return new

    @property
    def valid(self) -> Mask:
        """(..., n): which reach the pose, ignoring limits."""
        return np.asarray(self.reached > 0.5)

    @lazy
    def least_squares(self) -> Mask:
        """(..., n): which miss the pose and are nearest misses of the subproblems."""
        return np.asarray(np.isfinite(self.error) & ~self.valid)

    @lazy
    def within_limits(self) -> Mask:
        """(..., n): which reach the pose within the limits of all joints."""
        with np.errstate(invalid="ignore"):
            inside = (self.q >= self.limits[0] - EQUAL) & (self.q <= self.limits[1] + EQUAL)
        return np.asarray(self.valid & inside.all(-1))

    @lazy
    def count(self) -> Array:
        """(...,): how many reach the pose."""
        return np.asarray(self.valid.sum(-1))

    def nearest(self, q: ArrayLike, *, limits: bool = True) -> Nearest:
        """The solution nearest to q (..., nq) in joint space.

        Angles are shifted by full turns to the nearest value within the limits.
        """
        usable = self.within_limits if limits else self.valid
        goal = np.asarray(q, float)[..., None, :]
        close = self._turned_towards(goal, limits)
        gap = np.abs(close - goal).max(-1)
        best = np.where(usable, gap, np.inf).argmin(-1)
        chosen = np.take_along_axis(close, best[..., None, None], -2)[..., 0, :]
        solved = np.asarray(usable.any(-1))
        return Nearest(np.where(solved[..., None], chosen, np.nan), solved)

    def _turned_towards(self, goal: Array, limits: bool) -> Array:
        """All solutions, angles moved by whole turns towards `goal` as far as the limits allow."""
        turn = 2.0 * np.pi
        with np.errstate(invalid="ignore"):
            turns = np.where(self.angular, np.round((goal - self.q) / turn), 0.0)
            if limits:
                period = np.where(self.angular, turn, 1.0)
                least = np.ceil((self.limits[0] - EQUAL - self.q) / period)
                most = np.floor((self.limits[1] + EQUAL - self.q) / period)
                turns = np.where(self.angular & (least <= most), np.clip(turns, least, most), 0.0)
        return np.asarray(self.q + turn * turns)
