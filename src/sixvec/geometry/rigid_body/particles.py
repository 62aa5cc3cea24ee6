"""The inertia of particles and of continuous bodies with a density."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

from sixvec.scalar import Scalar, cos, sin, sqrt
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.vector import Vec3

Density: TypeAlias = Callable[[Vec3], Scalar]
"""Mass per volume at a point."""

Region: TypeAlias = Callable[[Scalar, Scalar, Scalar], tuple[Vec3, Scalar]]
"""A chart of a solid: it maps (s, t, u) of the unit cube to a point and to the volume per unit of s t u."""


def particle_inertia(mass: Scalar, at: Vec3) -> RigidInertia:
    """One particle: mass m, first moment m r and inertia m (r² 1 - r rᵀ).

    >>> particle_inertia(2.0, Vec3(3.0, 0.0, 0.0)).rot.zz
    18.0
    """
    return RigidInertia.from_center_of_mass(mass, at, Sym3.zero())


def inertia_of_particles(particles: Iterable[tuple[Scalar, Vec3]]) -> RigidInertia:
    """Σ over (mass, position): m = Σ mᵢ, m c = Σ mᵢ rᵢ, I = Σ mᵢ (rᵢ² 1 - rᵢ rᵢᵀ).  Bruyninckx §4.12.1, §4.12.3.

    Particles at one point or on one line have an inertia that is only positive *semi*definite.
    Bruyninckx (4.53), (4.70).

    >>> from sixvec.geometry.rigid_body import inertia_of_particles
    >>> from sixvec.spatial import Vec3
    >>> dumbbell = inertia_of_particles([(1.0, Vec3(2.0, 0.0, 0.0)), (3.0, Vec3(-2.0, 0.0, 0.0))])
    >>> dumbbell.center.x, dumbbell.rot.xx, dumbbell.rot.zz
    (-1.0, 0.0, 16.0)
    """
    return sum((particle_inertia(mass, at) for mass, at in particles), RigidInertia.zero())


def inertia_of_density(density: Density, region: Region, points: int = 8) -> RigidInertia:
    """∫ ρ(r) (1, r, r² 1 - r rᵀ) dV by Gauss-Legendre quadrature with `points`³ points.  Bruyninckx §4.12.1, §4.12.3.

    Exact when, along each of the region's three coordinates, the density times the volume factor times r rᵀ is a
    polynomial of a degree below 2 `points`; else the error falls exponentially for smooth densities.  Where the
    density jumps, divide the region there and add the inertias.  Bruyninckx (4.55), (4.56), (4.70).

    >>> from sixvec.geometry.rigid_body import box_region, inertia_of_density
    >>> from sixvec.spatial import Vec3
    >>> linear = inertia_of_density(lambda r: 6.0 * r.x, box_region(Vec3.zero(), Vec3(1.0, 1.0, 1.0)), points=2)
    >>> round(linear.mass, 12), round(linear.center.x, 12)
    (3.0, 0.666666666667)
    """
    total = RigidInertia.zero()
    rule = gauss_legendre(points)
    for s, ws in rule:
        for t, wt in rule:
            for u, wu in rule:
                at, volume = region(s, t, u)
                total = total + particle_inertia(density(at) * volume * (ws * wt * wu), at)
    return total


def box_region(lower: Vec3, upper: Vec3) -> Region:
    """The box between two opposite corners.

    >>> from sixvec.geometry.rigid_body import box_region
    >>> from sixvec.spatial import Vec3
    >>> box_region(Vec3.zero(), Vec3(1.0, 2.0, 3.0))(0.5, 0.5, 0.5)
    (Vec3(x=0.5, y=1.0, z=1.5), 6.0)
    """
    size = upper - lower
    volume = size.x * size.y * size.z
    return lambda s, t, u: (lower + Vec3(size.x * s, size.y * t, size.z * u), volume)


def cylinder_region(radius: Scalar, length: Scalar) -> Region:
    """The cylinder about z, centred on the origin, in the coordinates radius, angle, height.

    >>> import math
    >>> from sixvec.geometry.rigid_body import cylinder_region, inertia_of_density
    >>> round(inertia_of_density(lambda r: 1.0, cylinder_region(1.0, 2.0)).mass, 12) == round(2.0 * math.pi, 12)
    True
    """

    def region(s: Scalar, t: Scalar, u: Scalar) -> tuple[Vec3, Scalar]:
        r, angle = radius * s, 2.0 * math.pi * t
        return Vec3(r * cos(angle), r * sin(angle), length * (u - 0.5)), 2.0 * math.pi * radius * r * length

    return region


def ball_region(radius: Scalar) -> Region:
    """The ball about the origin, in the coordinates radius, sine of the latitude, longitude.

    >>> from sixvec.geometry.rigid_body import ball_region, inertia_of_density
    >>> ball = inertia_of_density(lambda r: 1.0, ball_region(1.0), points=16)
    >>> round(ball.rot.xx / ball.mass, 9)
    0.4
    """

    def region(s: Scalar, t: Scalar, u: Scalar) -> tuple[Vec3, Scalar]:
        r, z, angle = radius * s, 2.0 * t - 1.0, 2.0 * math.pi * u
        across = 2.0 * sqrt(t * (1.0 - t))
        at = Vec3(r * across * cos(angle), r * across * sin(angle), r * z)
        return at, 4.0 * math.pi * radius * r * r

    return region


@cache
def gauss_legendre(points: int) -> tuple[tuple[float, float], ...]:
    """Nodes and weights on [0, 1]: exact for polynomials of a degree below 2 `points`.

    The nodes are the roots of the Legendre polynomial, by Newton's method from Chebyshev's points.

    >>> from sixvec.geometry.rigid_body import gauss_legendre
    >>> gauss_legendre(1)
    ((0.5, 1.0),)
    """
    rule = []
    for i in range(points):
        x = math.cos(math.pi * (i + 0.75) / (points + 0.5))
        for _ in range(100):
            value, slope = _legendre(points, x)
            step = value / slope
            x -= step
            if abs(step) < 1e-15:
                break
        slope = _legendre(points, x)[1]
        rule.append((0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope)))
    return tuple(rule)


def _legendre(n: int, x: float) -> tuple[float, float]:
    """P_n(x) and its derivative, for n ≥ 1 and |x| < 1."""
    before, now = 1.0, x
    for k in range(2, n + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, n * (before - x * now) / (1.0 - x * x)
