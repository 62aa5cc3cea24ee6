"""Poses: `X_AB` is the pose of B in A, and `X_AB @ thing_B` is the same quantity in A's coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, overload

from sixvec.errors import DegenerateError, FrameError
from sixvec.scalar import Scalar, certainly_not, is_finite
from sixvec.spatial import se3
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import EQUAL

T = TypeVar("T", bound="Movable")

_IMMOVABLE = "a pose cannot act on a {}; write X * p for the coordinates of a point and X.rot @ v for a free vector"


class Movable(Protocol):
    """What a pose can act on: a quantity with a rule for changing its coordinates."""

    def moved(self: T, R: Rotation | PlaneRotation, p: Vec3) -> T: ...
    def moved_back(self: T, R: Rotation | PlaneRotation, p: Vec3) -> T: ...


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of frame B in frame A: the rotation `R_AB` and the position of B's origin in A.

    `X @ y` acts on motions, forces and inertias; `X @ Y` composes poses; `X * p` maps a point.
    Bruyninckx (4.1), (4.2), (4.4).

    >>> from sixvec.spatial import Pose, Rotation, Vec3
    >>> lift = Pose(Rotation.identity(), Vec3(0.0, 0.0, 2.0))
    >>> (lift @ lift).pos
    Vec3(x=0.0, y=0.0, z=4.0)
    """

    rot: Rotation | PlaneRotation
    pos: Vec3

    @classmethod
    def identity(cls) -> Pose:
        return cls(Rotation.identity(), Vec3.zero())

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Scalar]]) -> Pose:
        """From the rows of a homogeneous 4x4 matrix, or from the first three of them.

        Plain numbers are checked as in `Rotation.from_matrix`; the position must be finite and a fourth row
        (0, 0, 0, 1).  Batches and symbols are trusted.

        >>> from sixvec.spatial import Pose
        >>> Pose.from_matrix([[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
        Traceback (most recent call last):
        sixvec.errors.DegenerateError: not a rotation: its axes miss unit length or right angles by 3; use \
nearest_rotation(matrix) to correct it
        """
        (a, b, c, x), (d, e, f, y), (g, h, i, z) = matrix[:3]
        for row in matrix[3:]:
            if any(certainly_not(abs(last - k) < EQUAL) for last, k in zip(row, (0.0, 0.0, 0.0, 1.0), strict=True)):
                raise DegenerateError(
                    f"not a pose: its last row is {[*row]}, not [0, 0, 0, 1]; are rows and columns swapped?"
                )
        if not all(map(is_finite, (x, y, z))):
            raise DegenerateError(f"not a pose: its position ({x}, {y}, {z}) is not finite")
        return cls(Rotation(Mat3(a, b, c, d, e, f, g, h, i)).checked(), Vec3(x, y, z))

    @classmethod
    def translation(cls, by: Vec3) -> Pose:
        """A pure translation."""
        return cls(Rotation.identity(), by)

    @classmethod
    def rotation(cls, axis: Vec3, angle: Scalar, point: Vec3 | None = None) -> Pose:
        """The turn by `angle` about the line through `point` (the origin by default) along the unit vector `axis`.

        >>> from sixvec.spatial import Pose, Vec3
        >>> Pose.rotation(Vec3(0.0, 0.0, 1.0), 0.0, Vec3(1.0, 2.0, 3.0)).pos
        Vec3(x=0.0, y=0.0, z=0.0)
        """
        R = Rotation.about(axis, angle)
        return cls(R, Vec3.zero() if point is None else point - R @ point)

    @classmethod
    def exp(cls, t: Motion) -> Pose:
        """The pose reached from the identity by moving with the constant screw twist t for unit time.

        Its six numbers are the canonical coordinates of the first kind (Bruyninckx §4.5); `log` gives them back.
        Convert a pose twist to a screw twist first: the two lead to different poses.  Bruyninckx (4.22).

        >>> from sixvec.spatial import Motion, Pose, Vec3
        >>> Pose.exp(Motion(Vec3.zero(), Vec3(1.0, 2.0, 3.0))).pos
        Vec3(x=1.0, y=2.0, z=3.0)
        """
        if not isinstance(t, Motion):
            raise FrameError(f"exp takes a screw twist as a Motion, not a {type(t).__name__}")
        return cls(*se3.exp(t))

    def log(self) -> Motion:
        """The screw twist that reaches this pose in unit time, by an angle of at most π.

        Precise at every angle, derivatives included; at exactly π both senses of the axis are valid and one is chosen.

        >>> from sixvec.spatial import Pose, Vec3
        >>> Pose.translation(Vec3(1.0, 2.0, 3.0)).log().lin
        Vec3(x=1.0, y=2.0, z=3.0)
        """
        return se3.log(self.rot, self.pos)

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the homogeneous 4x4 matrix.  Bruyninckx (4.1)."""
        rows = zip(self.rot.matrix.rows, self.pos, strict=True)
        return [[*row, x] for row, x in rows] + [[0.0, 0.0, 0.0, 1.0]]

    def inv(self) -> InversePose:
        """(Rᵀ, -Rᵀ p), which is applied without being formed.  Bruyninckx (4.3)."""
        return InversePose(self)

    @overload
    def __matmul__(self, other: InversePose) -> Pose: ...
    @overload
    def __matmul__(self, other: T) -> T: ...
    def __matmul__(self, other: Any) -> Any:
        if not hasattr(other, "moved"):
            raise TypeError(_IMMOVABLE.format(type(other).__name__))
        return other.moved(self.rot, self.pos)

    def __mul__(self, point: Vec3) -> Vec3:
        return self.pos + self.rot @ point

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Pose:
        return Pose(R @ self.rot, p + R @ self.pos)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Pose:
        back = R.inv()
        return Pose(back @ self.rot, back @ (self.pos - p))


@dataclass(frozen=True, slots=True)
class InversePose:
    """`X.inv()`, not multiplied out: the inverse action subtracts the position first, which preserves its zeros."""

    of: Pose

    @property
    def rot(self) -> Rotation | PlaneRotation:
        return self.of.rot.inv()

    @property
    def pos(self) -> Vec3:
        return self.rot @ -self.of.pos

    def inv(self) -> Pose:
        return self.of

    def as_pose(self) -> Pose:
        """The inverse multiplied out: (Rᵀ, -Rᵀ p)."""
        return Pose(self.rot, self.pos)

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the homogeneous 4x4 matrix."""
        return self.as_pose().as_matrix()

    def log(self) -> Motion:
        """The screw twist that reaches this pose in unit time: minus that of the pose."""
        return -self.of.log()

    @overload
    def __matmul__(self, other: InversePose) -> Pose: ...
    @overload
    def __matmul__(self, other: T) -> T: ...
    def __matmul__(self, other: Any) -> Any:
        if not hasattr(other, "moved_back"):
            raise TypeError(_IMMOVABLE.format(type(other).__name__))
        return other.moved_back(self.of.rot, self.of.pos)

    def __mul__(self, point: Vec3) -> Vec3:
        return self.rot @ (point - self.of.pos)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Pose:
        return self.as_pose().moved(R, p)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Pose:
        return self.as_pose().moved_back(R, p)


@dataclass(frozen=True, slots=True)
class FactoredPose:
    """`X_AC = X_AB @ X_BC`, kept as two factors.

    The constant placement of a joint and its plane rotation, applied one after the other, cost far less than
    their product: 4 multiplications for a 3-vector where the placement has right angles.
    """

    outer: Pose | InversePose
    inner: Pose | InversePose

    def inv(self) -> FactoredPose:
        return FactoredPose(self.inner.inv(), self.outer.inv())

    def __matmul__(self, other: T) -> T:
        return self.outer @ (self.inner @ other)
