"""The inertia of MJCF's shapes as thin shells, where a geom says shellinertia="true": its density is then kg/m²."""

from __future__ import annotations

import math
from collections.abc import Callable

from sixvec.spatial import RigidInertia, Sym3, Vec3

THOMSEN = 1.6075
"""The exponent of K. Thomsen's formula for the area of an ellipsoid, off by at most 1.1 %."""

LAYER = 1e-6
"""Metres: the thickness of an ellipsoid's shell."""


def shell_inertia(kind: str, size: tuple[float, ...], density: float, mass: float | None) -> RigidInertia:
    """The inertia of the surface of a shape about its centre; `size` contains radii and half lengths.

    Cylinders have lids.  An ellipsoid follows MuJoCo: the area by Thomsen's formula, the mass in the layer
    between this ellipsoid and one with axes a micrometre longer, whose thickness varies.

    >>> shell_inertia("sphere", (0.5,), 1.0, 3.0).rot.xx
    0.5
    """
    area, xx, yy, zz = SHELLS[kind](*size)
    m = density * area if mass is None else mass
    return RigidInertia(m, Vec3.zero(), Sym3.diagonal(m * xx, m * yy, m * zz))


Shell = tuple[float, float, float, float]
"""The area, and the moments per unit of mass."""


def _sphere(r: float) -> Shell:
    moment = 2.0 / 3.0 * r * r
    return 4.0 * math.pi * r * r, moment, moment, moment


def _box(a: float, b: float, c: float) -> Shell:
    """Three pairs of faces: across a face ∫x² is a² of its mass, along it a²/3."""
    faces = (8.0 * b * c, 8.0 * c * a, 8.0 * a * b)
    area = sum(faces)
    squares = [
        h * h * (face + (area - face) / 3.0) / area for h, face in zip((a, b, c), faces, strict=True)
    ]  # mean x², y², z²
    return area, squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]


def _cylinder(r: float, h: float) -> Shell:
    tube, lids = 4.0 * math.pi * r * h, 2.0 * math.pi * r * r
    area = tube + lids
    across = (tube * (r * r / 2.0 + h * h / 3.0) + lids * (r * r / 4.0 + h * h)) / area
    return area, across, across, (tube * r * r + lids * r * r / 2.0) / area


def _capsule(r: float, h: float) -> Shell:
    """A tube and two half spheres, whose centres of mass are r/2 beyond its ends."""
    tube, ends = 4.0 * math.pi * r * h, 4.0 * math.pi * r * r
    area = tube + ends
    # For a half sphere ∫z² about its own plane is r²/3 of its mass, so at distance h: h² + 2·h·r/2 + r²/3.
    squares = tube * h * h / 3.0 + ends * (h * h + h * r + r * r / 3.0)
    radial = tube * r * r / 2.0 + ends * r * r / 3.0
    return area, (squares + radial) / area, (squares + radial) / area, 2.0 * radial / area


def _ellipsoid(a: float, b: float, c: float) -> Shell:
    pairs = ((a * b) ** THOMSEN + (b * c) ** THOMSEN + (c * a) ** THOMSEN) / 3.0
    outer, inner = (_solid_ellipsoid(a + t, b + t, c + t) for t in (LAYER, 0.0))
    volume, *moments = (x - y for x, y in zip(outer, inner, strict=True))
    xx, yy, zz = (moment / volume for moment in moments)
    return 4.0 * math.pi * pairs ** (1.0 / THOMSEN), xx, yy, zz


def _solid_ellipsoid(a: float, b: float, c: float) -> Shell:
    """Volume and moments of the solid, all over 4π/3."""
    volume = a * b * c
    xx, yy, zz = (volume * (s * s + t * t) / 5.0 for s, t in ((b, c), (c, a), (a, b)))
    return volume, xx, yy, zz


SHELLS: dict[str, Callable[..., Shell]] = {
    "sphere": _sphere,
    "box": _box,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}
