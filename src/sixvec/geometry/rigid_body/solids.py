"""Standard solids: volume and inertia of bodies with uniform density.

Every solid has its own documented frame; place it with `X @ solid.inertia(mass)`.  Shells and hollow solids are
written without differences of equal powers, so a wall of zero thickness is as accurate as a thick one.  Each formula is
compared with a numerical integral in tests/geometry/rigid_body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Protocol

from sixvec.errors import ModelError
from sixvec.scalar import Scalar, certainly, is_finite, sqrt
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.vector import Vec3


class _Sizes:
    """Checks that lengths are not negative: an error on plain numbers; NaN fails too."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            for size in value if isinstance(value, Vec3) else (value,):
                if certainly(size < 0.0) or not is_finite(size):
                    raise ModelError(f"{self}: {f.name} must be a finite length, zero or more")


class _Hollow(_Sizes):
    """Checks that `inner` is not larger than `outer`."""

    __slots__ = ()

    outer: Scalar
    inner: Scalar

    def __post_init__(self) -> None:
        _Sizes.__post_init__(self)
        if certainly(self.inner > self.outer):
            raise ModelError(f"{self}: it is inside out, its inner radius is larger than its outer")


class Solid(Protocol):
    """A shape of uniform density.

    >>> from sixvec.geometry.rigid_body import Box, Solid
    >>> from sixvec.spatial import Vec3
    >>> solid: Solid = Box(Vec3(1.0, 1.0, 1.0))
    >>> solid.inertia(6.0).rot.xx
    1.0
    """

    @property
    def volume(self) -> Scalar:
        """Cubic metres; zero for shells of zero thickness, for which only `inertia(mass)` is meaningful."""
        ...

    def inertia(self, mass: Scalar) -> RigidInertia:
        """The inertia about the origin of the solid's frame."""
        ...


def uniform(solid: Solid, density: Scalar) -> RigidInertia:
    """A solid of given density, in kg/m³.

    >>> from sixvec.geometry.rigid_body import Box, uniform
    >>> from sixvec.spatial import Vec3
    >>> uniform(Box(Vec3(1.0, 2.0, 3.0)), 10.0).mass
    60.0
    """
    return solid.inertia(solid.volume * density)


def _central(mass: Scalar, xx: Scalar, yy: Scalar, zz: Scalar) -> RigidInertia:
    """A body with its frame at the centre of mass along its axes of symmetry, from inertias per mass."""
    return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(xx * mass, yy * mass, zz * mass))


@dataclass(frozen=True, slots=True)
class Box(_Sizes):
    """A box with edges of lengths `size`, centred on the origin.

    >>> from sixvec.geometry.rigid_body import Box
    >>> from sixvec.spatial import Vec3
    >>> Box(Vec3(1.0, 2.0, 3.0)).inertia(12.0).rot.zz
    5.0
    """

    size: Vec3

    @property
    def volume(self) -> Scalar:
        return self.size.x * self.size.y * self.size.z

    def inertia(self, mass: Scalar) -> RigidInertia:
        xx, yy, zz = (a * a * (1.0 / 12.0) for a in self.size)
        return _central(mass, yy + zz, xx + zz, xx + yy)


@dataclass(frozen=True, slots=True)
class Ellipsoid(_Sizes):
    """An ellipsoid with the given semi-axes, centred on the origin.

    >>> from sixvec.geometry.rigid_body import Ellipsoid
    >>> from sixvec.spatial import Vec3
    >>> round(Ellipsoid(Vec3(1.0, 2.0, 3.0)).inertia(5.0).rot.zz, 12)  # m (a² + b²) / 5
    5.0
    """

    semi_axes: Vec3

    @property
    def volume(self) -> Scalar:
        a = self.semi_axes
        return a.x * a.y * a.z * (4.0 / 3.0 * math.pi)

    def inertia(self, mass: Scalar) -> RigidInertia:
        xx, yy, zz = (a * a * 0.2 for a in self.semi_axes)
        return _central(mass, yy + zz, xx + zz, xx + yy)


@dataclass(frozen=True, slots=True)
class Sphere(_Sizes):
    """A ball centred on the origin.

    >>> from sixvec.geometry.rigid_body import Sphere
    >>> Sphere(1.0).inertia(5.0).rot.xx
    2.0
    """

    radius: Scalar

    @property
    def volume(self) -> Scalar:
        return self.radius * self.radius * self.radius * (4.0 / 3.0 * math.pi)

    def inertia(self, mass: Scalar) -> RigidInertia:
        k = self.radius * self.radius * 0.4
        return _central(mass, k, k, k)


@dataclass(frozen=True, slots=True)
class HollowSphere(_Hollow):
    """A ball with a concentric spherical hole; equal radii give the thin shell with 2/3 m r².

    I = 2/5 m (R⁵ - r⁵)/(R³ - r³), with the common factor R - r divided out.

    >>> from sixvec.geometry.rigid_body import HollowSphere
    >>> round(HollowSphere(1.0, 1.0).inertia(3.0).rot.xx, 12)
    2.0
    """

    outer: Scalar
    inner: Scalar

    @property
    def volume(self) -> Scalar:
        R, r = self.outer, self.inner
        return (R - r) * (R * R + R * r + r * r) * (4.0 / 3.0 * math.pi)

    def inertia(self, mass: Scalar) -> RigidInertia:
        R, r = self.outer, self.inner
        RR, rr, Rr = R * R, r * r, R * r
        k = (RR * RR + RR * Rr + RR * rr + Rr * rr + rr * rr) / (RR + Rr + rr) * 0.4
        return _central(mass, k, k, k)


@dataclass(frozen=True, slots=True)
class Hemisphere(_Sizes):
    """The half ball z ≥ 0; the origin is the centre of its flat face and the centre of mass at z = 3/8 r.

    >>> from sixvec.geometry.rigid_body import Hemisphere
    >>> round(Hemisphere(0.8).inertia(1.0).center.z, 12)
    0.3
    """

    radius: Scalar

    @property
    def volume(self) -> Scalar:
        return self.radius * self.radius * self.radius * (2.0 / 3.0 * math.pi)

    def inertia(self, mass: Scalar) -> RigidInertia:
        k = self.radius * self.radius * mass * 0.4
        return RigidInertia(mass, Vec3(0.0, 0.0, self.radius * mass * 0.375), Sym3.diagonal(k, k, k))


@dataclass(frozen=True, slots=True)
class Cylinder(_Sizes):
    """A cylinder about z, centred on the origin; length 0 gives a disc, radius 0 a thin rod.

    >>> from sixvec.geometry.rigid_body import Cylinder
    >>> Cylinder(1.0, 0.0).inertia(4.0).rot
    Sym3(xx=1.0, xy=0.0, xz=0.0, yy=1.0, yz=0.0, zz=2.0)
    """

    radius: Scalar
    length: Scalar

    @property
    def volume(self) -> Scalar:
        return self.radius * self.radius * self.length * math.pi

    def inertia(self, mass: Scalar) -> RigidInertia:
        return HollowCylinder(self.radius, 0.0, self.length).inertia(mass)


@dataclass(frozen=True, slots=True)
class HollowCylinder(_Hollow):
    """A tube about z, centred on the origin, without lids; equal radii give the thin shell, length 0 a ring.

    >>> from sixvec.geometry.rigid_body import HollowCylinder
    >>> round(HollowCylinder(1.0, 0.5, 2.0).inertia(4.0).rot.zz, 12)  # m (R² + r²) / 2
    2.5
    """

    outer: Scalar
    inner: Scalar
    length: Scalar

    @property
    def volume(self) -> Scalar:
        return (self.outer - self.inner) * (self.outer + self.inner) * self.length * math.pi

    def inertia(self, mass: Scalar) -> RigidInertia:
        rr = self.outer * self.outer + self.inner * self.inner
        across = rr * 0.25 + self.length * self.length * (1.0 / 12.0)
        return _central(mass, across, across, rr * 0.5)


@dataclass(frozen=True, slots=True)
class Cone(_Sizes):
    """A cone about z: base of the given radius in the plane z = 0, tip at z = height, centre of mass at height/4.

    >>> from sixvec.geometry.rigid_body import Cone
    >>> Cone(1.0, 4.0).inertia(10.0).center.z
    1.0
    """

    radius: Scalar
    height: Scalar

    @property
    def volume(self) -> Scalar:
        return self.radius * self.radius * self.height * (math.pi / 3.0)

    def inertia(self, mass: Scalar) -> RigidInertia:
        rr, hh = self.radius * self.radius, self.height * self.height
        across = (rr * 0.15 + hh * 0.1) * mass
        moment = Vec3(0.0, 0.0, self.height * mass * 0.25)
        return RigidInertia(mass, moment, Sym3.diagonal(across, across, rr * mass * 0.3))


@dataclass(frozen=True, slots=True)
class ConicalShell(_Sizes):
    """The thin side of a cone, without base: rim of the given radius in the plane z = 0, tip at z = height.

    >>> from sixvec.geometry.rigid_body import ConicalShell
    >>> round(ConicalShell(1.0, 3.0).inertia(2.0).center.z, 12)  # a third of the height
    1.0
    """

    radius: Scalar
    height: Scalar

    @property
    def volume(self) -> Scalar:
        return 0.0

    @property
    def area(self) -> Scalar:
        return self.radius * sqrt(self.radius * self.radius + self.height * self.height) * math.pi

    def inertia(self, mass: Scalar) -> RigidInertia:
        rr, hh = self.radius * self.radius, self.height * self.height
        across = (rr * 0.25 + hh * (1.0 / 6.0)) * mass
        moment = Vec3(0.0, 0.0, self.height * mass * (1.0 / 3.0))
        return RigidInertia(mass, moment, Sym3.diagonal(across, across, rr * mass * 0.5))


@dataclass(frozen=True, slots=True)
class Capsule(_Sizes):
    """A cylinder about z with half balls on both ends, centred on the origin; `length` is the cylinder's alone.

    >>> from sixvec.geometry.rigid_body import Capsule
    >>> round(Capsule(0.05, 0.3).inertia(2.0).rot.zz, 6)
    0.002409
    """

    radius: Scalar
    length: Scalar

    @property
    def volume(self) -> Scalar:
        return self.radius * self.radius * (self.length + self.radius * (4.0 / 3.0)) * math.pi

    def inertia(self, mass: Scalar) -> RigidInertia:
        r, h = self.radius, self.length
        in_cylinder = h / (h + r * (4.0 / 3.0))  # share of the volume
        middle = Cylinder(r, h).inertia(mass * in_cylinder)
        # Both half balls as one ball, separated by h/2: m (2/5 r² + 2·3/8 r·h/2 + h²/4) across.
        caps = mass * (1.0 - in_cylinder)
        across = caps * (r * r * 0.4 + r * h * 0.375 + h * h * 0.25)
        ends = RigidInertia(caps, Vec3.zero(), Sym3.diagonal(across, across, caps * r * r * 0.4))
        return middle + ends


@dataclass(frozen=True, slots=True)
class Torus(_Sizes):
    """A ring about z, centred on the origin: a tube of radius `tube` about a circle of radius `ring` ≥ `tube`.

    >>> from sixvec.geometry.rigid_body import Torus
    >>> round(Torus(1.0, 0.2).inertia(1.0).rot.zz, 12)  # m (R² + ¾ r²)
    1.03
    """

    ring: Scalar
    tube: Scalar

    def __post_init__(self) -> None:
        _Sizes.__post_init__(self)
        if certainly(self.tube > self.ring):
            raise ModelError(f"{self}: the tube is thicker than its ring and cuts itself")

    @property
    def volume(self) -> Scalar:
        return self.ring * self.tube * self.tube * (2.0 * math.pi * math.pi)

    def inertia(self, mass: Scalar) -> RigidInertia:
        RR, rr = self.ring * self.ring, self.tube * self.tube
        across = RR * 0.5 + rr * 0.625
        return _central(mass, across, across, RR + rr * 0.75)
