"""Displacements of a rigid body: finite, infinitesimal, as a screw, and their commutator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.orientation.euler import EulerAngles, Frame
from sixvec.geometry.rigid_body.twist import CentralAxis
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import length, nonzero
from sixvec.spatial.pose import Pose
from sixvec.spatial.six_matrix import SixMatrix, crm, identity
from sixvec.spatial.vector import Vec3

NO_TURN = 1e-15
"""Angle below which a displacement is a translation: the rounding error of a rotation matrix."""


@dataclass(frozen=True, slots=True)
class FiniteDisplacement:
    """Euler angles and coordinates x, y, z of the origin: the "finite displacement twist" (Bruyninckx §4.1.7).

    It includes its Euler set, and it is not a vector: displacements compose as poses and have no sum.
    Bruyninckx (4.5).

    >>> from sixvec.geometry.orientation import EulerAngles
    >>> from sixvec.geometry.rigid_body import FiniteDisplacement
    >>> from sixvec.spatial import Vec3
    >>> FiniteDisplacement(EulerAngles.rpy(0.0, 0.0, 0.0), Vec3(1.0, 2.0, 3.0)).as_pose().pos
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    angles: EulerAngles
    pos: Vec3

    @classmethod
    def from_pose(cls, X: Pose, axes: str, frame: Frame = "moving") -> FiniteDisplacement:
        """With the angles of `EulerAngles.from_rotation`, which documents the singularity of the set."""
        return cls(EulerAngles.from_rotation(X.rot, axes, frame), X.pos)

    def as_pose(self) -> Pose:
        return Pose(self.angles.as_rotation(), self.pos)


@dataclass(frozen=True, slots=True)
class SecondKindCoordinates:
    """Canonical coordinates of the second kind: turns about moving x, y, z, then three shifts (Bruyninckx §4.5.1).

        X = R(x, α) R(y, β) R(z, γ) Tr(x, a) Tr(y, b) Tr(z, c),   so that R is Bryant's and p = R (a, b, c).

    They inherit the singularity of Bryant's angles at β = ± π/2.  Those of the first kind are `Pose.log`.

    >>> from sixvec.geometry.orientation import EulerAngles
    >>> from sixvec.geometry.rigid_body import SecondKindCoordinates
    >>> from sixvec.spatial import Vec3
    >>> SecondKindCoordinates(EulerAngles.bryant(0.0, 0.0, 0.0), Vec3(1.0, 2.0, 3.0)).as_pose().pos
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    angles: EulerAngles
    shifts: Vec3

    @classmethod
    def from_pose(cls, X: Pose) -> SecondKindCoordinates:
        return cls(EulerAngles.from_rotation(X.rot, "xyz", "moving"), X.rot.inv() @ X.pos)

    def as_pose(self) -> Pose:
        """Turns about the moving x, y and z axes, then shifts along them.  Bruyninckx (4.23), (4.24)."""
        R = self.angles.as_rotation()
        return Pose(R, R @ self.shifts)


@dataclass(frozen=True, slots=True)
class InfinitesimalDisplacement:
    """t_Δ = (δ; d): a displacement so small that its square is negligible; these add (Bruyninckx §4.1.8).

    >>> from sixvec.geometry.rigid_body import InfinitesimalDisplacement
    >>> from sixvec.spatial import Motion, Vec3
    >>> InfinitesimalDisplacement(Motion(Vec3(0.0, 0.0, 1e-3), Vec3.zero())).as_matrix()[1]
    [0.001, 1.0, -0.0, 0.0]
    """

    motion: Motion
    """The displacement of a twist in a short time: t Δt."""

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Scalar]]) -> InfinitesimalDisplacement:
        """From the rows of T_Δ = 1 + [δ×  d; 0  0]; the skew part of its rotation is used."""
        return cls(Motion.from_matrix(matrix))

    @classmethod
    def between(cls, X: Pose, Y: Pose) -> InfinitesimalDisplacement:
        """The small displacement, in fixed coordinates, from X to Y: Y X⁻¹ = T_Δ, to first order."""
        return cls.from_matrix((Y @ X.inv()).as_matrix())

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self.motion)

    def __add__(self, other: InfinitesimalDisplacement) -> InfinitesimalDisplacement:
        if not isinstance(other, InfinitesimalDisplacement):
            raise FrameError(
                f"cannot add an InfinitesimalDisplacement and a {type(other).__name__}; a twist times dt adds"
            )
        return InfinitesimalDisplacement(self.motion + other.motion)

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of T_Δ = 1 + [δ×  d; 0  0].  Bruyninckx (4.6)."""
        rows = self.motion.as_matrix()
        return [[x + 1.0 if i == j else x for j, x in enumerate(row)] for i, row in enumerate(rows)]

    def as_six_matrix(self) -> SixMatrix[Motion, Motion]:
        """S_Δ = 1 + [δ× 0; d× δ×]: its effect on the coordinates of screws (Bruyninckx §2.7.6)."""
        return identity(Motion) + crm(self.motion)

    def as_pose(self) -> Pose:
        """A proper pose that agrees to first order: exp t_Δ."""
        return Pose.exp(self.motion)

    def axis(self) -> CentralAxis:
        """The screw axis of the displacement."""
        return CentralAxis.of_motion(self.motion)


@dataclass(frozen=True, slots=True)
class ScrewDisplacement:
    """Chasles: every displacement is a turn about a line and a shift along it (Bruyninckx §4.8).

    The line passes through `point`, its point nearest to the origin, along the unit vector `direction`; `angle` is in
    radians, `shift` a length.

    >>> from sixvec.geometry.rigid_body import chasles
    >>> from sixvec.spatial import Pose, Vec3
    >>> quarter = chasles(Pose.rotation(Vec3(0.0, 0.0, 1.0), 1.5, point=Vec3(1.0, 0.0, 0.0)))
    >>> round(quarter.point.x, 12), round(quarter.angle, 12), quarter.shift
    (1.0, 1.5, 0.0)
    """

    point: Vec3
    direction: Vec3
    angle: Scalar
    shift: Scalar

    @property
    def pitch(self) -> Scalar:
        """Shift per radian; undefined for a translation."""
        if certainly(self.angle == 0.0):
            raise DegenerateError("a translation has infinite pitch; use `shift` and `direction`")
        return self.shift / self.angle

    def as_motion(self) -> Motion:
        """The screw twist with this displacement in unit time."""
        w = self.direction * self.angle
        return Motion(w, self.point.cross(w) + self.direction * self.shift)

    def as_pose(self) -> Pose:
        return Pose.exp(self.as_motion())


def chasles(X: Pose) -> ScrewDisplacement:
    """The screw displacement of a pose, with an angle in [0, π].

    A translation (angle below `NO_TURN`) has the angle 0, the direction of its shift, and the origin as its point; the
    true axis tends to infinity as the angle tends to zero.  The identity has no direction: plain numbers raise an
    error, other scalars get a zero direction.
    """
    t = X.log()
    w, v = t.ang, t.lin
    square = w.dot(w)
    turns = square > NO_TURN**2
    arrow = Vec3.of(where(turns, a, b) for a, b in zip(w, v, strict=True))
    size = length(arrow)
    if certainly(size == 0.0):
        raise DegenerateError("the identity has no screw axis; every line would do")
    e = arrow * (1.0 / nonzero(size))
    point = w.cross(v) * (1.0 / where(turns, square, 1.0))
    nearest = Vec3.of(where(turns, a, 0.0) for a in point)
    return ScrewDisplacement(nearest, e, where(turns, size, 0.0), e.dot(v))


def commutator(X: Pose, Y: Pose) -> Pose:
    """X Y X⁻¹ Y⁻¹: the identity if and only if the two displacements commute."""
    return X @ Y @ X.inv() @ Y.inv()


def commute(X: Pose, Y: Pose, angle: float = 1e-12, distance: float = 1e-12) -> bool:
    """Whether two displacements commute, to within an angle and a distance at the origin (Bruyninckx §4.1.9).

    A turn and a shift commute if they have the same line, as do two screws on one line; in general displacements do
    not.  For plain numbers; other scalars use `commutator`.

    >>> from sixvec.geometry.rigid_body import commute
    >>> from sixvec.spatial import Pose, Vec3
    >>> turn, z = Pose.rotation(Vec3(0.0, 0.0, 1.0), 1.0), Vec3(0.0, 0.0, 1.0)
    >>> commute(turn, Pose.translation(z)), commute(turn, Pose.translation(Vec3(1.0, 0.0, 0.0)))
    (True, False)
    """
    gap = commutator(X, Y).log()
    return bool(length(gap.ang) < angle) and bool(length(gap.lin) < distance)
