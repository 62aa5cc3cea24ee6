"""A robot of spheres and capsules, compared with itself: states are arrays of NumPy, or of CuPy on a CUDA device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.levers import Ways
from sixvec.distance.part import Details, Names, Nearest, Reach
from sixvec.distance.round_kernels import RoundKernels
from sixvec.kernels.devices import namespace
from sixvec.lazy import lazy


class RoundSelf:
    """All pairs in one program."""

    def __init__(self, kernels: RoundKernels) -> None:
        self.kernels = kernels
        self.names: Names = tuple(kernels.by_frames)

    @lazy
    def _pair_of_code(self) -> NDArray[np.intp]:
        number = {pair: k for k, between in enumerate(self.kernels.by_frames.values()) for pair in between}
        return np.array([number[int(i), int(j)] for i, j in (some[0] for some in self.kernels.ordered)], np.intp)

    def nearest(self, q: Array) -> Nearest:
        gap, code = self.kernels.nearest(q)
        index = code.astype(np.intp)

        def details() -> Details:
            table = self.kernels.table if type(q) is np.ndarray else namespace(q).asarray(self.kernels.table)
            witness: Any = self.kernels.witness(q, table[index].astype(q.dtype, copy=False))
            points, normal, gradient = witness
            return points, normal, gradient

        pairs = self._pair_of_code if type(q) is np.ndarray else namespace(q).asarray(self._pair_of_code)
        return Nearest(gap, pairs[index], details)

    def each(self, q: Array) -> Array:
        gaps: Array = self.kernels.each(q)
        return gaps

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        """Whether each pair of frames overlaps (n, pairs)."""
        return np.asarray(self.each(q) < 0.0)

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        one = (1,) if len(q) == 1 else ()  # the call stub takes arguments of equal batch axes
        clear: NDArray[np.bool_] = self.kernels.clear(q, np.full(one, margin, q.dtype)) > 0.0
        return clear

    def reach(self, ways: Ways) -> Reach:
        """As `Part.reach`."""

        def reach(q: Array, motion: NDArray[np.intp], most: Array) -> Array:
            reached: Array = self.kernels.reach(q, ways.sizes[motion], ways.travel[motion], most)
            return reached

        return reach
