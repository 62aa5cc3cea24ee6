"""6x6 matrices with typed domain and range: motions or forces to motions or forces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sixvec.errors import FrameError
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.pose import InversePose, Pose

From = TypeVar("From", Motion, Force)
To = TypeVar("To", Motion, Force)


@dataclass(frozen=True, slots=True)
class SixMatrix(Generic[From, To]):
    """A linear map from `source` (Motion or Force) to `target`, as four 3x3 blocks, angular part first.

        [ang']   [aa  al] [ang]
        [lin'] = [la  ll] [lin]

    The kinds are Python classes, not numbers: they cost nothing in compiled code, and a matrix rejects a vector of
    the other kind.  A transform maps Motion to Motion (or Force to Force), an inertia or stiffness Motion to Force,
    a compliance Force to Motion.  Featherstone Table 1; Bruyninckx §2.7.3 to §2.7.6 and §4.2.3.

    >>> from sixvec.spatial import Force, Motion, Vec3, six_matrix
    >>> spin = Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> six_matrix.crm(spin) @ Motion(Vec3(1.0, 0.0, 0.0), Vec3.zero())
    Motion(ang=Vec3(x=0.0, y=1.0, z=0.0), lin=Vec3(x=0.0, y=0.0, z=0.0))
    >>> six_matrix.crm(spin) @ Force.zero()
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: this matrix maps Motion to Motion and was given a Force
    """

    aa: Mat3
    al: Mat3
    la: Mat3
    ll: Mat3
    source: type[From]
    target: type[To]

    def __iter__(self) -> Iterator[list[Scalar]]:
        """The six rows."""
        return iter(_rows(self.aa, self.al) + _rows(self.la, self.ll))

    def __matmul__(self, v: From) -> To:
        if type(v) is not self.source:
            raise FrameError(f"this matrix maps {self._signature} and was given a {type(v).__name__}")
        return self.target(self.aa @ v.ang + self.al @ v.lin, self.la @ v.ang + self.ll @ v.lin)

    def product(self, first: SixMatrix[Any, From]) -> SixMatrix[Any, To]:
        """The matrix product: `first`, then this one (`@` is kept for acting on vectors)."""
        if first.target is not self.source:
            raise FrameError(f"cannot apply a map {self._signature} after a map {first._signature}")
        return SixMatrix(
            self.aa.product(first.aa) + self.al.product(first.la),
            self.aa.product(first.al) + self.al.product(first.ll),
            self.la.product(first.aa) + self.ll.product(first.la),
            self.la.product(first.al) + self.ll.product(first.ll),
            first.source,
            self.target,
        )

    @property
    def T(self) -> SixMatrix[Any, Any]:
        """The transpose, which maps the dual of the target to the dual of the source.

        Xᵀ of a transform of motions acts on forces; the transpose of an inertia is an inertia.
        """
        return SixMatrix(self.aa.T, self.la.T, self.al.T, self.ll.T, _dual(self.target), _dual(self.source))

    @property
    def spatial_transpose(self) -> SixMatrix[Any, Any]:
        """Xˢ = Δ Xᵀ Δ; for a transform of motions it is the inverse (Bruyninckx §2.7.5).  Bruyninckx (2.31), (2.32)."""
        return SixMatrix(self.ll.T, self.al.T, self.la.T, self.aa.T, self.source, self.target)

    def __add__(self, other: SixMatrix[From, To]) -> SixMatrix[From, To]:
        if (self.source, self.target) != (other.source, other.target):
            raise FrameError(f"cannot add a map {self._signature} and a map {other._signature}")
        blocks = (self.aa + other.aa, self.al + other.al, self.la + other.la, self.ll + other.ll)
        return SixMatrix(*blocks, self.source, self.target)

    def __neg__(self) -> SixMatrix[From, To]:
        return self * -1.0

    def __sub__(self, other: SixMatrix[From, To]) -> SixMatrix[From, To]:
        return self + -other

    def __mul__(self, k: Scalar) -> SixMatrix[From, To]:
        return SixMatrix(self.aa * k, self.al * k, self.la * k, self.ll * k, self.source, self.target)

    __rmul__ = __mul__

    @property
    def linear_first(self) -> list[list[Scalar]]:
        """The six rows for vectors written linear part first: Δ M Δ.  Bruyninckx (5.13)."""
        swapped = SixMatrix(self.ll, self.la, self.al, self.aa, self.source, self.target)
        return list(swapped)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> SixMatrix[From, To]:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.

        With X the transform of the target and Y that of the source it is X M Y⁻¹: an inertia or stiffness becomes
        X* M X⁻¹ (Bruyninckx §4.12.6 and §4.13.1), a transform X M X⁻¹.
        """
        there = _transform(R, p, self.target)
        back = _transform(R.inv(), R.inv() @ -p, self.source)
        return there.product(self.product(back))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> SixMatrix[From, To]:
        """From coordinates of A to those of B."""
        back = R.inv()
        return self.moved(back, back @ -p)

    @property
    def _signature(self) -> str:
        return f"{self.source.__name__} to {self.target.__name__}"


def identity(kind: type[From]) -> SixMatrix[From, From]:
    """The map that changes nothing."""
    return SixMatrix(_one(), Mat3.zero(), Mat3.zero(), _one(), kind, kind)


def motion_transform(X: Pose | InversePose) -> SixMatrix[Motion, Motion]:
    """`X @` on motions as a matrix: S = [R 0; p× R  R], also written Ad.

    It is the screw transform of Bruyninckx §2.7.3; its determinant is 1 and S(X Y) = S(X) S(Y).  Bruyninckx (2.27).

    >>> from sixvec.spatial import Pose
    >>> motion_transform(Pose(Rotation.identity(), Vec3(0.0, 0.0, 2.0))).la @ Vec3(1.0, 0.0, 0.0)
    Vec3(x=0.0, y=2.0, z=0.0)
    """
    return _transform(X.rot, X.pos, Motion)


def force_transform(X: Pose | InversePose) -> SixMatrix[Force, Force]:
    """`X @` on forces as a matrix: S* = S⁻ᵀ = [R  p× R; 0  R].  Rodriguez-Kreutz (3.1)-(3.3)."""
    return _transform(X.rot, X.pos, Force)


def _transform(R: Rotation | PlaneRotation, p: Vec3, kind: type[From]) -> SixMatrix[From, From]:
    lever = Mat3.cross_matrix(p).product(R.matrix)
    if kind is Motion:
        return SixMatrix(R.matrix, Mat3.zero(), lever, R.matrix, kind, kind)
    return SixMatrix(R.matrix, lever, Mat3.zero(), R.matrix, kind, kind)


def crm(v: Motion) -> SixMatrix[Motion, Motion]:
    """`v ×` on motions as a matrix: [ω× 0; v× ω×], also written ad (Featherstone's crm; Lynch-Park ch. 9).

    Lynch-Park (9.29), (9.30).

    >>> v = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> crm(v) @ v == Motion.zero()
    True
    """
    w = Mat3.cross_matrix(v.ang)
    return SixMatrix(w, Mat3.zero(), Mat3.cross_matrix(v.lin), w, Motion, Motion)


def crf(v: Motion) -> SixMatrix[Force, Force]:
    """`v ×*` on forces as a matrix: crf(v) = -crm(v)ᵀ = [ω× v×; 0 ω×]; the transpose of ad is -crf.

    Lynch-Park (9.26), (9.31).
    """
    w = Mat3.cross_matrix(v.ang)
    return SixMatrix(w, Mat3.cross_matrix(v.lin), Mat3.zero(), w, Force, Force)


def rotx(angle: Scalar) -> SixMatrix[Motion, Motion]:
    """The transform of *coordinates* to a frame turned by `angle` about x (Featherstone Table 1).

    It is the transpose of the rotation that turns the frame: rotx(θ) = motion_transform(X.inv()), X the turn.
    """
    c, s = cos(angle), sin(angle)
    return _turned(Mat3(1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c))


def roty(angle: Scalar) -> SixMatrix[Motion, Motion]:
    """As `rotx`, about y."""
    c, s = cos(angle), sin(angle)
    return _turned(Mat3(c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c))


def rotz(angle: Scalar) -> SixMatrix[Motion, Motion]:
    """As `rotx`, about z."""
    c, s = cos(angle), sin(angle)
    return _turned(Mat3(c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0))


def _turned(E: Mat3) -> SixMatrix[Motion, Motion]:
    return SixMatrix(E, Mat3.zero(), Mat3.zero(), E, Motion, Motion)


def xlt(r: Vec3) -> SixMatrix[Motion, Motion]:
    """The transform of coordinates to a frame whose origin is at `r`: [1 0; -r× 1]."""
    return SixMatrix(_one(), Mat3.zero(), -Mat3.cross_matrix(r), _one(), Motion, Motion)


def mcI(mass: Scalar, center: Vec3, rot: Sym3) -> SixMatrix[Motion, Force]:
    """The inertia from mass, centre of mass c and rotational inertia about c: [I - m c× c×, m c×; -m c×, m 1].

    >>> mcI(2.0, Vec3(0.0, 0.0, 1.0), Sym3.diagonal(0.1, 0.1, 0.1)).aa.xx
    2.1
    """
    return inertia_matrix(RigidInertia.from_center_of_mass(mass, center, rot))


def inertia_matrix(inertia: RigidInertia) -> SixMatrix[Motion, Force]:
    """A rigid inertia as a matrix: [I  (m c)×; -(m c)×  m 1], with I about the origin.

    Bruyninckx (4.83); Lynch-Park (9.23); Rodriguez-Kreutz (2.15).
    """
    h = Mat3.cross_matrix(inertia.moment)
    return SixMatrix(inertia.rot.full, h, -h, _one() * inertia.mass, Motion, Force)


def XtoV(X: SixMatrix[Motion, Motion]) -> Motion:
    """The motion that carries frame A onto frame B in unit time, approximately, from the transform A to B.

        v = ½ (X23 - X32, X31 - X13, X12 - X21, X53 - X62, X61 - X43, X42 - X51)

    It is invariant, v = X v, so it is the same in both frames, and its relative error falls with the square of
    the angle; `Pose.log` is exact.  Featherstone Table 1.  Featherstone (15).

    >>> XtoV(xlt(Vec3(1.0, 2.0, 3.0))).lin
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    E, B = X.aa, X.la
    return Motion(
        Vec3(E.yz - E.zy, E.zx - E.xz, E.xy - E.yx) * 0.5,
        Vec3(B.yz - B.zy, B.zx - B.xz, B.xy - B.yx) * 0.5,
    )


def _rows(left: Mat3, right: Mat3) -> list[list[Scalar]]:
    return [[*a, *b] for a, b in zip(left.rows, right.rows, strict=True)]


def _one() -> Mat3:
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def _dual(kind: type[Motion] | type[Force]) -> Any:
    return Force if kind is Motion else Motion
