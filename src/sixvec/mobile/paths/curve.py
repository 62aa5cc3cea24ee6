"""A path of lines and arcs of one radius: the result of Dubins and Reeds-Shepp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array, whole_number
from sixvec.arguments.result import Result
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import alike, any_arrays_same_dtype, differentiable, values_of
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.mobile.odometry import arc
from sixvec.mobile.planar import PlanarTwist
from sixvec.scalar import Scalar, where
from sixvec.tolerances import EQUAL

SEGMENTS = 5
"""The largest number of segments of a shortest path."""

TURN_OF = {"L": 1.0, "S": 0.0, "R": -1.0}


@lru_cache(1)
def _walk() -> CompiledFunction:
    """The pose at a distance s, of parts in radii: turns are angles, of any radius to the same precision."""

    def at(
        start: Sequence[Scalar],
        parts: Sequence[Scalar],
        turns: Sequence[Scalar],
        radius: Scalar,
        end: Scalar,
        s: Scalar,
    ) -> Any:
        pose, inside = list(start), s < end  # the end is that of all parts, whatever s lost in metres
        for part, turn in zip(parts, turns, strict=True):
            size = abs(part) * radius
            here = where(s < 0.0, 0.0, s)
            share = where(here < size, here / where(here < size, size, 1.0), 1.0)
            share = where(inside, share, 1.0)
            pose = arc(pose, PlanarTwist(turn, radius, 0.0), part * share)
            s = s - size
        return pose

    n = SEGMENTS
    inputs = (
        Port("start", (3,)), Port("parts", (n,)), Port("turns", (n,)), Port("radius", ()), Port("end", ()),
        Port("s", ()),
    )  # fmt: skip
    return CompiledFunction(at, inputs, (Port("pose", (3,)),))


@lru_cache
def _turns(alphabet: tuple[str, ...]) -> CompiledFunction:
    """From the number of a word to its turns: 1 to the left, -1 to the right, 0 for a line."""
    rows = [[TURN_OF[x] for x in word.ljust(SEGMENTS, "S")] for word in alphabet]

    def turns(number: Scalar) -> Any:
        selected: list[Scalar] = list(rows[0])
        for k, row in enumerate(rows[1:]):
            selected = [where(number > k + 0.5, x, y) for x, y in zip(row, selected, strict=True)]
        return selected

    return CompiledFunction(turns, (Port("number", ()),), (Port("turns", (SEGMENTS,)),))


@dataclass(frozen=True)
class Plan(Result):
    """What determines paths, in double precision, whatever that of the path: rounded headings end elsewhere."""

    solve: Callable[..., Any]
    """Start, goal, radius to length, parts in radii, number of the word."""
    alphabet: tuple[str, ...]
    """The letters of each word, by its index."""
    start: Any
    goal: Any
    radius: Any
    length: Any

    @lazy
    def solution(self) -> tuple[Any, Any]:
        """The signed parts in radii, angles for turns, and the number of the word."""
        _, parts, number = self.solve(self.start, self.goal, self.radius)
        return parts, number

    @lazy
    def segments(self) -> Any:
        """The parts in metres."""
        parts, radius = alike(self.solution[0], self.radius)
        return parts * radius[..., None]

    @lazy
    def turns(self) -> Any:
        return _turns(self.alphabet)(self.solution[1])

    @lazy
    def curvature(self) -> Any:
        turns, radius = alike(self.turns, self.radius)
        return turns / radius[..., None]

    @lazy
    def way(self) -> tuple[Any, ...]:
        """Start, parts, turns, radius and length."""
        return self.start, self.solution[0], self.turns, self.radius, self.length

    def poses(self, distance: ArrayLike) -> Array:
        """The poses (..., 3) at distances (...) along the paths; NaN where a distance is not finite."""
        distance = real_array("distance", distance)
        poses = np.asarray(_walk()(*map(values_of, self.way), distance))
        return np.where(np.isfinite(distance)[..., None], poses, np.nan)

    def samples(self, lengths: Array) -> Array:
        """The poses (..., n, 3) at n fractions of the length of each path."""
        start, parts, turns, radius, length = map(values_of, self.way)
        distance = lengths * length[..., None]
        vectors, numbers = (x[..., None, :] for x in (start, parts, turns)), (x[..., None] for x in (radius, length))
        poses = np.asarray(_walk()(*vectors, *numbers, distance))
        return np.where(np.isfinite(distance)[..., None], poses, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class CurvePath(Result):
    """Shortest paths from `start` to `goal` (..., 3), their `length` (...), and, on request, their segments.

    >>> from sixvec.mobile import dubins
    >>> path = dubins([0.0, 0.0, 0.0], [4.0, 2.0, 0.0], 1.0)
    >>> str(path.words), round(float(path.length), 6)
    ('LSR', 4.511299)
    >>> path.samples(3).round(6).tolist()
    [[0.0, 0.0, 0.0], [2.0, 1.0, 0.523599], [4.0, 2.0, 0.0]]
    """

    start: Array
    goal: Array
    radius: Array
    length: Array
    plan: Plan
    gears: bool
    """Whether the platform can drive backward, so that words have signs."""

    @property
    def segments(self) -> Array:
        """Signed lengths (..., 5) of the segments, in metres, negative for backward; those at the end may be zero."""
        return segments(self.length, self.plan)

    @property
    def curvature(self) -> Array:
        """Signed curvatures (..., 5) of the segments, 1/m, positive to the left."""
        return curvature(self.length, self.plan)

    @property
    def words(self) -> NDArray[np.str_]:
        """The letters of each path, as strings: L and R for turns, S for a line; with gears "L+R-S-…"."""
        parts, known = (values_of(x) for x in self.plan.solution)
        number = np.where(np.isnan(known), 0, known).astype(int)
        flat = parts.reshape(-1, SEGMENTS)
        letters = [self.plan.alphabet[k] for k in number.ravel().tolist()]
        words = [_word(word, s, self.gears) for word, s in zip(letters, flat, strict=True)]
        return np.array(words).reshape(number.shape)[()]

    @lazy
    def _is_double(self) -> bool:
        return isinstance(self.length, np.ndarray | np.floating) and self.length.dtype == np.float64

    def at(self, distance: ArrayLike) -> Array:
        """The poses (..., 3) at a distance (...) along the path, in metres."""
        if self._is_double and type(distance) in (float, np.ndarray):
            return self.plan.poses(distance)
        return at(self.length, self.plan, distance)

    def samples(self, n: int) -> Array:
        """n poses (..., n, 3), evenly spaced along each path, both ends included."""
        whole_number("n, the number of samples,", n, 2)  # a path has at least its two ends
        fraction = np.linspace(0.0, 1.0, n)
        return self.plan.samples(fraction) if self._is_double else samples(self.length, self.plan, fraction.tolist())

    def __repr__(self) -> str:
        if np.ndim(self.length) == 0:
            return f"<CurvePath: {self.words}, {float(values_of(self.length)):.6g} m>"
        return f"<CurvePath: {np.size(values_of(self.length))} paths>"


# Of paths of any library and precision, those of their length.


@any_arrays_same_dtype
@differentiable(lambda length, plan: plan.segments)
def segments(length: Any, plan: Plan) -> Array:
    return np.array(values_of(plan.segments))


@any_arrays_same_dtype
@differentiable(lambda length, plan: plan.curvature)
def curvature(length: Any, plan: Plan) -> Array:
    return np.array(values_of(plan.curvature))


@any_arrays_same_dtype
@differentiable(lambda length, plan, distance: _walk()(*alike(*plan.way, distance, length)[:6]))
def at(length: Any, plan: Plan, distance: Any) -> Array:
    return plan.poses(distance)


def _followed(length: Any, plan: Plan, fraction: Any) -> Any:
    """The poses at fractions of the length, where derivatives are needed."""
    *way, radius, length, fraction = alike(*plan.way, fraction, length)[:6]
    numbers = (radius[..., None], length[..., None])
    return _walk()(*(x[..., None, :] for x in way), *numbers, fraction * length[..., None])


@any_arrays_same_dtype
@differentiable(_followed)
def samples(length: Any, plan: Plan, fraction: Any) -> Array:
    return plan.samples(np.array(fraction))


def _word(letters: str, segments: Array, gears: bool) -> str:
    if not gears:
        return letters
    return "".join(x + ("-" if s < 0.0 else "+") for x, s in zip(letters, segments, strict=False) if abs(s) > EQUAL)
