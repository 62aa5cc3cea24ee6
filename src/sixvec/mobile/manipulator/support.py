"""Wheels as supports: their loads, the zero-moment point, and the tip-over margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype, values_of
from sixvec.lazy import lazy
from sixvec.mobile.ball_wheel import touching
from sixvec.mobile.platform import Platform
from sixvec.solve.decomposition import pseudo_inverse
from sixvec.solve.quadratic_program import quadratic_program
from sixvec.tolerances import EQUAL, ROUNDING

_GRID = 1e-12
"""The same for the coordinates of points, which become whole numbers: products of those are exact."""


@dataclass(frozen=True, eq=False, repr=False)
class Support(Result):
    """How the ground supports a platform; batch axes first."""

    loads: Array
    """N on each wheel (..., wheels), upward, never negative; NaN where the platform tips over."""
    point: Array
    """The zero-moment point (..., 2) on the platform, where a single vertical force is equivalent."""
    margin: Array
    """Metres from that point to the nearest edge of the polygon of wheels, negative outside (tipping over)."""
    names: tuple[str, ...]
    lifted: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """The wheels (..., wheels) that leave the ground; where the platform tips over, those that are not on the edge that
    it tips over."""

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the platform stays on its wheels, of which some may lift."""
        return np.asarray(values_of(self.margin) > 0.0)

    def lifted_names(self, index: Any = ()) -> tuple[str, ...]:
        """The wheels of one sample that leave the ground."""
        return tuple(n for n, up in zip(self.names, values_of(self.lifted)[index], strict=False) if up)

    def __repr__(self) -> str:
        if self.margin.ndim == 0:
            word = "stable" if self.stable else "tips over"
            lifted = f", {', '.join(self.lifted_names())} lifted" if self.lifted_names() else ""
            return f"<Support: {word}, margin {float(self.margin):.3g} m{lifted}>"
        return f"<Support: {int(self.stable.sum())} of {self.stable.size} stable>"


@dataclass(frozen=True)
class SupportPolygon:
    """The convex polygon of the points where wheels touch the ground; at least three that are not collinear.

    A caster counts at its pivot; its contact is never further away from it than its offset.

    >>> from sixvec.mobile.manipulator import SupportPolygon
    >>> SupportPolygon(("a", "b", "c"), ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))).points[1]
    (1.0, 0.0)
    """

    names: tuple[str, ...]
    points: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, platform: Platform) -> SupportPolygon:
        places = {touching(w): (w.x, w.y) for w in platform.wheels}
        return cls(tuple(places), tuple(places.values()))

    def __post_init__(self) -> None:
        if len(self._hull) < 3:
            raise DegenerateError(
                f"the wheels {', '.join(self.names)} do not carry a platform: a support needs three points that are "
                "not in line; add a caster"
            )

    @lazy
    def _middle(self) -> tuple[Array, float]:
        """The centre of the points, and their size."""
        p = np.array(self.points, float).reshape(-1, 2)
        middle = p.mean(axis=0) if len(p) else np.zeros(2)
        return middle, float(np.abs(p - middle).max(initial=0.0))

    @lazy
    def _hull(self) -> tuple[int, ...]:
        """The points at the corners, counter-clockwise: a monotone chain on whole numbers (Andrew 1979)."""
        middle, size = self._middle
        if not size > 0.0:
            return ()
        p = np.array(self.points, float)
        grid = [tuple(int(x) for x in row) for row in np.rint((p - middle) / (size * _GRID))]
        order = sorted({g: k for k, g in reversed([*enumerate(grid)])}.values(), key=lambda k: grid[k])
        hull = [*_chain(order, grid)[:-1], *_chain(order[::-1], grid)[:-1]]
        return tuple(_without_flat(hull, p, EQUAL * size))

    def corners(self) -> Array:
        """The corners (n, 2), counter-clockwise."""
        return np.array([self.points[k] for k in self._hull])

    @any_arrays_same_dtype
    def bears(self, wrench: ArrayLike) -> Support:
        """The support for the wrench (..., 6) that the ground applies to the platform, about its origin on the ground.

        For three wheels the loads are unique; more wheels share the load like springs of equal stiffness that push and
        do not pull: a wheel that would have to be held down lifts.
        """
        w = real_array("wrench", wrench, 6, why="a wrench is (moment; force)")
        mx, my, fz = w[..., 0], w[..., 1], w[..., 5]
        with np.errstate(divide="ignore", invalid="ignore"):
            point = np.stack([-my / fz, mx / fz], axis=-1)
        a = self.corners()
        edge = np.roll(a, -1, axis=0) - a
        inward = np.stack([-edge[:, 1], edge[:, 0]], axis=-1) / np.linalg.norm(edge, axis=-1, keepdims=True)
        distance = ((point[..., None, :] - a) * inward).sum(axis=-1)
        margin = np.where(fz > 0.0, distance.min(axis=-1), np.where(np.isnan(fz), np.nan, -np.inf))
        loads = self._loads(point, fz, margin)
        lifted = loads <= ROUNDING * fz[..., None]
        tips = (margin <= 0.0)[..., None]
        lifted = np.where(tips, ~self._on_edges[distance.argmin(axis=-1)] | ~(fz > 0.0)[..., None], lifted)
        return Support(loads, point, margin, self.names, lifted)

    @lazy
    def _on_edges(self) -> NDArray[np.bool_]:
        """The wheels on each edge (edges, wheels)."""
        p, a = np.array(self.points, float), self.corners()
        edge = np.roll(a, -1, axis=0) - a
        along = edge / np.linalg.norm(edge, axis=-1, keepdims=True)
        d = p - a[:, None]
        off = np.abs(along[:, None, 0] * d[..., 1] - along[:, None, 1] * d[..., 0])
        return np.asarray(off <= EQUAL * self._middle[1])

    def _loads(self, point: Array, fz: Array, margin: Array) -> Array:
        """Loads with their sum fz at `point`, none negative; NaN where there are none."""
        middle, size = self._middle
        x, y = ((np.array(self.points, float) - middle) / size).T
        E = np.stack([np.ones_like(x), x, y])
        place = (point - middle) / size
        share = np.concatenate([np.ones((*fz.shape, 1)), place], axis=-1)
        loads = (pseudo_inverse(E) @ share[..., None])[..., 0]
        with np.errstate(invalid="ignore"):
            stands = margin > 0.0
            some_pull = stands & (loads < 0.0).any(axis=-1)
        if some_pull.any():
            n, values = len(x), np.concatenate([np.zeros((int(some_pull.sum()), len(x))), share[some_pull]], axis=-1)
            most = values + np.where(np.arange(n + 3) < n, np.inf, 0.0)
            loads[some_pull] = np.maximum(quadratic_program(np.eye(n), np.zeros(n), E, values, most).x, 0.0)
        return np.where(stands[..., None], np.abs(loads) * fz[..., None], np.nan)  # no negative zero


def _chain(order: list[int], grid: list[Any]) -> list[int]:
    """The lower half of the corners, from the first point to the last: every point is added and dropped once."""
    chain: list[int] = []
    for k in order:
        while len(chain) > 1 and _turn(*(grid[i] for i in (chain[-2], chain[-1], k))) <= 0:
            chain.pop()
        chain.append(k)
    return chain


def _turn(a: Any, b: Any, c: Any) -> Any:
    """Twice the area of a triangle, positive if counter-clockwise; exact for whole numbers."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _without_flat(hull: list[int], p: Array, least: float) -> list[int]:
    """The corners that are further than `least` from the line through their neighbours."""
    k = 0
    while k < len(hull) and len(hull) > 2:
        before, here, after = (p[hull[(k + i) % len(hull)]] for i in (-1, 0, 1))
        if abs(_turn(before, here, after)) <= least * np.linalg.norm(after - before):
            del hull[k]
        else:
            k += 1
    return hull
