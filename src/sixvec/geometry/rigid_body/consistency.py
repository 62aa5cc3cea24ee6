"""Physical consistency: whether ten numbers are the inertia of some body."""

from __future__ import annotations

from sixvec.geometry.rigid_body.principal import principal_axes
from sixvec.scalar import Scalar
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import ROUNDING


def pseudo_inertia(body: RigidInertia) -> list[list[Scalar]]:
    """The rows of the symmetric 4x4 matrix ∫ (r; 1) (r; 1)ᵀ dm = [[Σ, mc], [mcᵀ, m]].

    It is positive semidefinite for every distribution of mass, and positive definite unless all mass lies in a
    plane.  Under a change of frame it becomes T J Tᵀ with the homogeneous 4x4 matrix T of the pose.

    >>> from sixvec.geometry.rigid_body import pseudo_inertia
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> pseudo_inertia(RigidInertia(2.0, Vec3(2.0, 0.0, 0.0), Sym3.diagonal(0.0, 2.0, 2.0)))[3]
    [2.0, 0.0, 0.0, 2.0]
    """
    c = body.moment
    rows = zip(body.second_moment.full.rows, c, strict=True)
    return [[*row, m] for row, m in rows] + [[*c, body.mass]]


def inertia_of_pseudo_inertia(J: list[list[Scalar]]) -> RigidInertia:
    """The inverse of `pseudo_inertia`: I = tr(Σ) 1 - Σ.

    >>> from sixvec.geometry.rigid_body import inertia_of_pseudo_inertia
    >>> inertia_of_pseudo_inertia([[1.0, 0.0, 0.0, 0.0], [0.0] * 4, [0.0] * 4, [0.0, 0.0, 0.0, 1.0]]).rot.zz
    1.0
    """
    (xx, xy, xz, cx), (_, yy, yz, cy), (_, _, zz, cz), (*_, mass) = J
    return RigidInertia(mass, Vec3(cx, cy, cz), Sym3(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy))


def central_second_moments(body: RigidInertia) -> Vec3:
    """The eigenvalues of ∫ (r - c)(r - c)ᵀ dm, ascending: variances of the mass, none of which may be negative.

    With principal moments of inertia A ≤ B ≤ C they are (A+B-C)/2, (A+C-B)/2, (B+C-A)/2: the first is the margin
    of the triangle inequality.

    >>> from sixvec.geometry.rigid_body import central_second_moments
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> central_second_moments(RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(3.0, 4.0, 5.0)))
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    a, b, c = principal_axes(body.about_center).moments
    return Vec3((a + b - c) * 0.5, (a + c - b) * 0.5, (b + c - a) * 0.5)


def margin(body: RigidInertia) -> Scalar:
    """The margin of physical consistency of a body of positive mass, in kg m²: its smallest central second moment.

    Negative if inconsistent, and a smooth function of the ten numbers wherever the moments are distinct, so an
    optimiser can keep it positive.

    >>> from sixvec.geometry.rigid_body import margin
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> margin(RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 3.0)))
    -0.5
    """
    return central_second_moments(body).x


def inconsistencies(body: RigidInertia) -> tuple[str, ...]:
    """Why these numbers cannot be the inertia of any distribution of mass; empty if consistent.  Plain numbers only.

    An inertia is consistent if and only if its pseudo-inertia is positive semidefinite: mass ≥ 0, no negative central
    moment of inertia, and the triangle inequality between them.  Point, line and plane masses are consistent.

    >>> from sixvec.geometry.rigid_body import inconsistencies
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> inconsistencies(RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 3.0)))[0]
    'the principal moments of inertia 1, 1 and 3 kg m² violate the triangle inequality: 1 + 1 < 3'
    """
    if not all(-_LARGEST < x < _LARGEST for x in body):
        return (f"not every number is finite: {', '.join(f'{x:.6g}' for x in body)}",)
    if body.mass < 0.0:
        return (f"the mass {body.mass:.6g} kg is negative",)
    if body.mass == 0.0:
        return () if not any(body) else ("a body without mass has a first moment or a moment of inertia",)
    a, b, c = (float(m) for m in principal_axes(body.about_center).moments)
    # The parallel-axis theorem subtracts: the subtracted term determines the rounding.
    slack = ROUNDING * max(abs(a), abs(c), *(abs(m) for m in (body.rot.xx, body.rot.yy, body.rot.zz)))
    moments = f"{a:.6g}, {b:.6g} and {c:.6g} kg m²"
    reasons = []
    if a < -slack:
        reasons.append(f"the principal moments of inertia about the centre of mass, {moments}, are not all positive")
    if a + b - c < -slack:
        reasons.append(f"the principal moments of inertia {moments} violate the triangle inequality: "
                       f"{a:.6g} + {b:.6g} < {c:.6g}")  # fmt: skip
    return tuple(reasons)


_LARGEST = 1e300


def is_physical(body: RigidInertia) -> bool:
    """Whether some distribution of mass has this inertia.  Plain numbers only.

    >>> from sixvec.geometry.rigid_body import is_physical
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> is_physical(RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 2.0)))
    True
    """
    return not inconsistencies(body)
