"""Poses: `X_AB` is the pose of B in A, and `X_AB @ thing_B` is the same thing in A's coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sixvec.scalar import Scalar
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

T = TypeVar("T", bound="Movable")


class Movable(Protocol):
    """Anything that a pose can act on knows how its coordinates change."""

    def moved(self: T, R: Rotation | PlaneRotation, p: Vec3) -> T: ...
    def moved_back(self: T, R: Rotation | PlaneRotation, p: Vec3) -> T: ...


@dataclass(frozen=True, slots=True)
class Pose:
    """Where frame B stands in frame A: the rotation `R_AB` and the position of B's origin in A.

    `X @ y` acts on motions, forces and inertias; `X @ Y` composes poses; `X * p` maps a point.

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
        """From the rows of a homogeneous 4x4 matrix."""
        (a, b, c, x), (d, e, f, y), (g, h, i, z) = matrix[:3]
        return cls(Rotation(Mat3(a, b, c, d, e, f, g, h, i)), Vec3(x, y, z))

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the homogeneous 4x4 matrix."""
        rows = zip(self.rot.matrix.rows, self.pos, strict=True)
        return [[*row, x] for row, x in rows] + [[0.0, 0.0, 0.0, 1.0]]

    def inv(self) -> InversePose:
        return InversePose(self)

    def __matmul__(self, other: T) -> T:
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
    """`X.inv()`, not multiplied out: going back subtracts the position first, which keeps its zeros."""

    of: Pose

    @property
    def rot(self) -> Rotation | PlaneRotation:
        return self.of.rot.inv()

    @property
    def pos(self) -> Vec3:
        return self.rot @ -self.of.pos

    def inv(self) -> Pose:
        return self.of

    def __matmul__(self, other: T) -> T:
        return other.moved_back(self.of.rot, self.of.pos)


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
