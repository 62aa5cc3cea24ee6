"""How far shapes move on a motion, in compiled programs: the bounds of `levers` on scalars."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.distance.levers import LEAST_WAY, Levers
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.tolerances import ROUNDING


class WaysOfShapes:
    """Bounds for each shape from the sizes of all joint velocities and the travel of joints that slide."""

    def __init__(self, levers: Levers, sizes: Sequence[Scalar], travel: Sequence[Scalar]) -> None:
        self._levers, self._sizes, self._travel = levers, sizes, travel
        model = levers.model
        self._paths: list[tuple[int, ...]] = []
        for frame in levers.frames:
            bodies = model.path(model.frame(frame).body)
            self._paths.append(tuple(k for b in bodies for k in range(*model.v_slices[b.name].indices(model.nv))))
        self._sums: dict[tuple[int, int], Scalar] = {}

    def alone(self, i: int) -> Scalar:
        """The way of a shape."""
        return self._after(i, 0)

    def between(self, i: int, j: int) -> Scalar:
        """The way of two shapes due to the joints between them."""
        common = self._common(i, j)
        return self._after(i, common) + self._after(j, common)

    def of_groups(self, first: Sequence[int], second: Sequence[int]) -> Scalar:
        """The longest way of two shapes of two bodies, one of each."""
        common = self._common(first[0], second[0])
        return self.longest(first, common) + self.longest(second, common)

    def longest(self, members: Sequence[int], common: int = 0) -> Scalar:
        """The longest way of shapes of one body, due to the joints after the first few."""
        ways = [self._after(i, common) for i in members]
        result = ways[0]
        for way in ways[1:]:
            result = where(way > result, way, result)
        return result

    def _common(self, i: int, j: int) -> int:
        """How many joint velocities move both."""
        a, b = self._paths[i], self._paths[j]
        return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))

    def _after(self, i: int, common: int) -> Scalar:
        """The way of a shape due to all but the first joint velocities of its path."""
        path = self._paths[i]
        if common >= len(path):
            return 0.0
        if (i, common) not in self._sums:
            self._sums[i, common] = self._arm(i, path[common]) * self._sizes[path[common]] + self._after(i, common + 1)
        return self._sums[i, common]

    def _arm(self, i: int, k: int) -> Scalar:
        x = self._levers
        arm: Scalar = float(x.fixed[i, k])
        for b, travel in enumerate(self._travel):
            arm = arm + travel * float(x.below[b, i, k] * x.turning[k])
        return arm


def shortest(best: Scalar, candidates: Sequence[tuple[Scalar, float, Scalar]]) -> Scalar:
    """The smallest of `best` and of how long gaps last: squared distances of cores, radii, and ways."""
    inside: Scalar = 1.0
    for square, radii, way in candidates:
        reach = radii + best * way + ROUNDING
        beyond = square - reach * reach
        inside = where(beyond < inside, beyond, inside)
    least = best
    for square, radii, way in candidates:
        lasts = (sqrt(square) - (radii + ROUNDING)) / (way + LEAST_WAY)
        least = where(lasts < least, lasts, least)
    return guard(inside < 0.0, least, best)
