"""A robot of spheres and capsules, compared with itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.part import Details, Names, Nearest
from sixvec.distance.round_kernels import RoundKernels
from sixvec.lazy import lazy


class RoundSelf:
    """All pairs in one program."""

    def __init__(self, kernels: RoundKernels) -> None:
        self.kernels = kernels
        self.names: Names = tuple(kernels.by_frames)

    @lazy
    def _pair_of_code(self) -> NDArray[np.intp]:
        number = {pair: k for k, between in enumerate(self.kernels.by_frames.values()) for pair in between}
        return np.array([number[int(i), int(j)] for i, j in self.kernels.ordered], np.intp)

    def nearest(self, q: Array) -> Nearest:
        gap, code = self.kernels.nearest.call(q)
        index = _whole(code)

        def details() -> Details:
            found: Any = self.kernels.witness.call(q, self.kernels.table.astype(q.dtype, copy=False)[index])
            points, normal, gradient = found
            return points, normal, gradient

        return Nearest(gap, self._pair_of_code[index], details)

    def each(self, q: Array) -> Array:
        found: Array = self.kernels.each.call(q)
        return found

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        """Whether each pair of frames overlaps (n, pairs)."""
        return np.asarray(self.each(q) < 0.0)

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        least: Array = self.kernels.clear.call(q, q.dtype.type(margin))
        return np.asarray(least > 0.0)


def _whole(code: Array) -> NDArray[np.intp]:
    """Codes of kernels as indices; those of states that are NaN are the first."""
    return np.where(code >= 0.0, code, 0.0).astype(np.intp)
