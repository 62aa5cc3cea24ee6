"""Wheels as supports: their loads, the zero-moment point, and the tip-over margin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.border import Array, real_array
from sixvec.errors import DegenerateError
from sixvec.kernels.in_kind import kept_kind, values_of
from sixvec.linear.decomposition import pseudo_inverse
from sixvec.mobile.platform import Platform

_FLAT = 1e-9
"""m²: twice the area of a degenerate triangle."""


@dataclass(frozen=True, eq=False, repr=False)
class Support:
    """How the ground supports a platform; batch axes first."""

    loads: Array
    """N on each wheel (..., wheels), upward; negative if a wheel would have to be held down."""
    point: Array
    """The zero-moment point (..., 2) on the platform, where a single vertical force is equivalent."""
    margin: Array
    """Metres from that point to the nearest edge of the polygon of wheels, negative outside (tipping over)."""
    names: tuple[str, ...]

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the platform stays on its wheels."""
        return np.asarray(values_of(self.margin) > 0.0)

    def __repr__(self) -> str:
        if self.margin.ndim == 0:
            return f"<Support: {'stable' if self.stable else 'tips over'}, margin {float(self.margin):.3g} m>"
        return f"<Support: {int(self.stable.sum())} of {self.stable.size} stable>"


@dataclass(frozen=True)
class SupportPolygon:
    """The convex polygon of the points where wheels touch the ground; at least three that are not collinear.

    A caster counts at its pivot; its contact is never further away from it than its offset.

    >>> SupportPolygon(("a", "b", "c"), ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))).points[1]
    (1.0, 0.0)
    """

    names: tuple[str, ...]
    points: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, platform: Platform) -> SupportPolygon:
        return cls(tuple(w.name for w in platform.wheels), tuple((w.x, w.y) for w in platform.wheels))

    def __post_init__(self) -> None:
        p = np.array(self.points).reshape(-1, 2)
        if len(p) < 3 or np.linalg.norm(np.cross(*_spread(p))) < _FLAT:
            raise DegenerateError(
                f"the wheels {', '.join(self.names)} do not carry a platform: a support needs three points that are "
                "not in line; add a caster"
            )

    def corners(self) -> Array:
        """The corners (n, 2), counter-clockwise, by gift wrapping."""
        p = np.unique(np.array(self.points), axis=0)
        hull = [int(np.lexsort((p[:, 1], p[:, 0]))[0])]
        while True:
            here = p[hull[-1]]
            best = 0 if hull[-1] else 1
            for k in range(len(p)):
                turn = (p[best] - here)[0] * (p[k] - here)[1] - (p[best] - here)[1] * (p[k] - here)[0]
                further = np.linalg.norm(p[k] - here) > np.linalg.norm(p[best] - here)
                if k != hull[-1] and (turn < 0.0 or (turn == 0.0 and further)):
                    best = k
            if best == hull[0]:
                return np.asarray(p[hull])
            hull.append(best)

    @kept_kind
    def bears(self, wrench: ArrayLike) -> Support:
        """The support for the wrench (..., 6) that the ground applies to the platform, about its origin on the ground.

        For three wheels the loads are unique; more wheels share the load like springs of equal stiffness.
        """
        w = real_array("wrench", wrench, 6, why="a wrench is (moment; force)")
        mx, my, fz = w[..., 0], w[..., 1], w[..., 5]
        with np.errstate(divide="ignore", invalid="ignore"):
            point = np.stack([-my / fz, mx / fz], axis=-1)
        x, y = np.array(self.points).T
        A = np.stack([np.ones_like(x), y, -x])
        loads = (pseudo_inverse(A) @ np.stack([fz, mx, my], axis=-1)[..., None])[..., 0]
        a = self.corners()
        edge = np.roll(a, -1, axis=0) - a
        inward = np.stack([-edge[:, 1], edge[:, 0]], axis=-1) / np.linalg.norm(edge, axis=-1, keepdims=True)
        distance = ((point[..., None, :] - a) * inward).sum(axis=-1).min(axis=-1)
        margin = np.where(fz > 0.0, distance, np.where(np.isnan(fz), np.nan, -np.inf))
        return Support(loads, point, margin, self.names)


def _spread(p: Array) -> tuple[Array, Array]:
    """The two edges from the first point that span the most, in space."""
    d = np.column_stack([p[1:] - p[0], np.zeros(len(p) - 1)])
    first = d[np.argmax(np.linalg.norm(d, axis=-1))]
    return first, d[np.argmax(np.linalg.norm(np.cross(first, d), axis=-1))]
