"""What `Robot.distance` and `Robot.distances` return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import alike
from sixvec.kernels.portable import library_of
from sixvec.lazy import lazy


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Result):
    """The smallest gap of each state, negative where shapes overlap, and between what it is.

    `pair` (...) is an index into `pairs`, which holds two names each: frames of the robot, or a frame and an obstacle.
    `points` (..., 2, 3) are the nearest points, that of the first name first; where shapes overlap, the
    ends of the shortest displacement that separates them.  `normal` (..., 3) is a unit vector from the first to the
    second.  They are computed when first asked for.  `gradient` (..., nv) is the derivative of the gap with respect to
    the tangent coordinates of q, if it was requested.
    """

    distance: Any
    pair: Any
    gradient: Any
    pairs: tuple[tuple[str, str], ...] = field(repr=False)
    witness: Callable[..., Any] | None = field(repr=False)

    array_part: ClassVar[str] = "distance"

    @property
    def points(self) -> Any:
        return self._nearest[0]

    @property
    def normal(self) -> Any:
        return self._nearest[1]

    @lazy
    def _nearest(self) -> tuple[Any, ...]:
        assert self.witness is not None
        witness: tuple[Any, ...] = self.witness()
        if library_of(self.distance) in (None, "numpy", "cupy"):  # arrays of CuPy are computed on the device
            return witness
        return tuple(alike(self.distance, x)[1] for x in witness)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.distance, dtype=dtype, copy=copy)

    def __reduce__(self) -> Any:
        known = Computed(self.points, self.normal)
        return Distance, (self.distance, self.pair, self.gradient, self.pairs, known)

    def __repr__(self) -> str:
        gaps = np.asarray(self.distance)
        if gaps.ndim or not gaps.size:
            return f"<Distance: {gaps.shape} states, smallest {gaps.min(initial=np.inf):.4g} m>"
        between = " and ".join(self.pairs[int(self.pair)]) if int(self.pair) >= 0 else "nothing"
        return f"<Distance: {float(gaps):.4g} m between {between}>"


@dataclass(frozen=True, eq=False)
class Computed:
    """Nearest points and normals that are known, of a result that was pickled."""

    points: Any
    normal: Any

    def __call__(self) -> tuple[Any, Any]:
        return self.points, self.normal


@dataclass(frozen=True, eq=False, repr=False)
class Distances(Result):
    """The smallest gap of every pair of names: `distance` (..., pairs), in the order of `pairs`.

    >>> import numpy as np
    >>> from sixvec.distance import Distances
    >>> Distances(np.array([0.2, 0.1]), (("hand", "table"), ("wrist", "table"))).shape
    (2,)
    """

    distance: Any
    pairs: tuple[tuple[str, str], ...] = field(repr=False)

    array_part: ClassVar[str] = "distance"

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.distance.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.distance, dtype=dtype, copy=copy)

    def __getitem__(self, index: Any) -> Any:
        return self.distance[index]

    def __len__(self) -> int:
        return len(self.distance)
