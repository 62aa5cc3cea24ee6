"""Principal axes: the frame in which a symmetric 3x3 matrix, such as a rotational inertia, is diagonal."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.scalar import Scalar, like, sqrt, where
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import Rotation
from sixvec.spatial.vector import Vec3

SAME_MOMENT = 1e-15
"""Moments that differ by less than this fraction of their sum are equal: the difference is rounding."""

_NEWTON_STEPS = 4
"""From the straight-line guess (error at most 0.02) four steps reach the last bit: 2e-2, 3e-4, 6e-8, 3e-15, 0."""


@dataclass(frozen=True, slots=True)
class PrincipalAxes:
    """S = R diag(moments) Rᵀ: the columns of `rot` are the axes, right-handed; moments ascend.

    >>> principal_axes(Sym3.diagonal(3.0, 1.0, 2.0)).moments
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    rot: Rotation
    moments: Vec3


@dataclass(frozen=True, slots=True)
class PrincipalFrame:
    """A body reduced to its mass, its centroidal principal frame and its three central moments of inertia."""

    mass: Scalar
    pose: Pose
    moments: Vec3


def principal_axes(S: Sym3) -> PrincipalAxes:
    """Eigenvectors and eigenvalues of a symmetric 3x3 matrix, without iteration to convergence.

    With mean q = tr S / 3 and spread p, the eigenvalues of B = (S - q)/p are the roots of β³ - 3β - 2h = 0, where
    h = det B / 2 lies in [-1, 1].  The outermost one on the side of h's sign is at least √3 away from the other
    two, so root and eigenvector have full precision and smooth derivatives; the remaining 2x2 problem in the
    perpendicular plane is solved exactly.

    *Repeated moments.*  Where two moments agree within `SAME_MOMENT` any axes in their plane are principal: the ones
    returned diagonalise S to rounding and are not continuous there (no choice is).  Their derivative grows without
    bound near that point and is finite exactly there, where the rotation within the plane is left out.  A matrix with
    three equal moments keeps its own axes.  The moments themselves are accurate everywhere.  The sign of an axis is
    arbitrary; a diagonal matrix with ascending entries gives the identity.

    Cost: 350 operations.  Bruyninckx §4.12.4.

    >>> from sixvec.geometry.rigid_body import principal_axes
    >>> from sixvec.spatial import Sym3
    >>> axes = principal_axes(Sym3(2.0, 1.0, 0.0, 2.0, 0.0, 5.0))
    >>> [round(m, 12) for m in axes.moments]
    [1.0, 3.0, 5.0]
    """
    trace = S.xx + S.yy + S.zz
    mean = trace * (1.0 / 3.0)
    D = Sym3(S.xx - mean, S.xy, S.xz, S.yy - mean, S.yz, S.zz - mean)
    floor = (SAME_MOMENT * trace) * (SAME_MOMENT * trace)
    floor = floor + like(floor, _TINY)
    across = D.xy * D.xy + D.xz * D.xz + D.yz * D.yz
    pp = (D.xx * D.xx + D.yy * D.yy + D.zz * D.zz + across + across) * (1.0 / 6.0)
    same = pp < floor
    B = D * where(same, 0.0, 1.0 / sqrt(where(same, 1.0, pp)))
    h = _determinant(B) * 0.5
    lowest = h < 0.0
    sign = where(lowest, like(h, -1.0), 1.0)
    n = _null_vector(B * sign, _largest_root(h * sign))
    low, high = _plane_axes(D, n, floor)
    axes = _pick(lowest, n, low), _pick(lowest, low, high), _pick(lowest, high, n)
    return PrincipalAxes(Rotation(Mat3.from_rows(*axes).T), Vec3.of(a.dot(S @ a) for a in axes))


_TINY = 1e-280
"""Keeps the comparison with the lower bound strict for the zero matrix; entries below 1e-140 count as zero."""


def _determinant(S: Sym3) -> Scalar:
    xx, xy, xz, yy, yz, zz = S
    return xx * (yy * zz - yz * yz) - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy)


def _largest_root(h: Scalar) -> Scalar:
    """β in [√3, 2] with β³ - 3β = 2h for h in [0, 1]: 2 cos(arccos(h)/3), but smooth up to h = 1."""
    beta = 1.7320508075688772 + 0.2679491924311228 * h
    for _ in range(_NEWTON_STEPS):
        beta = beta - (beta * (beta * beta - 3.0) - 2.0 * h) / (3.0 * (beta * beta - 1.0))
    return beta


def _null_vector(B: Sym3, beta: Scalar) -> Vec3:
    """The unit eigenvector of B at its simple eigenvalue β: the longest column of the adjugate of B - β.

    That adjugate is k n nᵀ with k ≥ 3, so its longest column has at least length 1.
    """
    xx, xy, xz, yy, yz, zz = B.xx - beta, B.xy, B.xz, B.yy - beta, B.yz, B.zz - beta
    x = Vec3(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy)
    y = Vec3(x.y, xx * zz - xz * xz, xy * xz - yz * xx)
    z = Vec3(x.z, y.z, xx * yy - xy * xy)
    longest = _pick(x.x > y.y, _pick(x.x > z.z, x, z), _pick(y.y > z.z, y, z))
    unit: Vec3 = longest * (1.0 / longest.norm())
    return unit


def _plane_axes(D: Sym3, n: Vec3, floor: Scalar) -> tuple[Vec3, Vec3]:
    """The eigenvectors perpendicular to n with the lower and the higher eigenvalue, right-handed with n."""
    u, w = _across(n)
    Du, Dw = D @ u, D @ w
    d, b = (u.dot(Du) - w.dot(Dw)) * 0.5, u.dot(Dw)
    rr = d * d + b * b
    same = rr < floor
    r = sqrt(where(same, 1.0, rr))
    # The lower eigenvalue lies at the angle φ with (cos 2φ, sin 2φ) = -(d, b)/r; half angles without cancellation.
    x, y = where(same, 1.0, -d / r), where(same, 0.0, -b / r)
    side = where(y < 0.0, like(y, -1.0), 1.0)
    major = sqrt((1.0 + where(x < 0.0, -x, x)) * 0.5)
    minor = y / (2.0 * major)
    c, s = where(x < 0.0, side * minor, major), where(x < 0.0, side * major, minor)
    low = u * c + w * s
    return low, n.cross(low)


def _across(n: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors that make a right-handed frame with the unit vector n (Duff et al., JCGT 6(1), 2017).

    The largest coordinate of n plays the role of z, so that coordinate axes give coordinate axes.
    """
    p, q, r = _largest_of(n, Vec3(n.y, n.z, n.x), Vec3(n.z, n.x, n.y), n)
    a = -1.0 / (1.0 + r)
    u, w = Vec3(1.0 + p * p * a, p * q * a, -p), Vec3(p * q * a, 1.0 + q * q * a, -q)
    return _unturned(n, u), _unturned(n, w)


def _unturned(n: Vec3, v: Vec3) -> Vec3:
    return _largest_of(n, Vec3(v.z, v.x, v.y), Vec3(v.y, v.z, v.x), v)


def _largest_of(n: Vec3, x: Vec3, y: Vec3, z: Vec3) -> Vec3:
    """One of three, by the largest coordinate of n."""
    xx, yy, zz = n.x * n.x, n.y * n.y, n.z * n.z
    return _pick(xx > yy, _pick(xx > zz, x, z), _pick(yy > zz, y, z))


def _pick(condition: Scalar, yes: Vec3, no: Vec3) -> Vec3:
    return Vec3.of(where(condition, a, b) for a, b in zip(yes, no, strict=True))


def principal_frame(body: RigidInertia) -> PrincipalFrame:
    """The centre of mass, the principal axes, and the three central moments of inertia.

    The body is reproduced by  `pose @ RigidInertia.from_center_of_mass(mass, 0, diag(moments))`.

    >>> from sixvec.geometry.rigid_body import principal_frame
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 1.0), Sym3.diagonal(0.1, 0.2, 0.3))
    >>> principal_frame(body).pose.pos
    Vec3(x=0.0, y=0.0, z=1.0)
    """
    axes = principal_axes(body.about_center)
    return PrincipalFrame(body.mass, Pose(axes.rot, body.center), axes.moments)
