"""The twist of a moving pose, and the central axis of a six-vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar, certainly, like, where
from sixvec.spatial.force import Force
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import length, nonzero
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


def twist_of_pose_rate(X: Pose, rate: Sequence[Sequence[Scalar]]) -> Motion:
    """The screw twist (ω; ṗ + p × ω) of a body at X = (R, p), from the rows of Ẋ: the matrix Ẋ X⁻¹ = [ω×  v; 0  0].

    It holds for the world's axes and the body point at the world's origin.  `Tagged` distinguishes the three kinds of
    twists (Bruyninckx §4.2.2): the pose twist (ω; ṗ) is this one `at_point` of the body's origin, the body twist
    (Rᵀ ω; Rᵀ ṗ) is X⁻¹ of it.  Bruyninckx (4.11).

    >>> from sixvec.geometry.rigid_body import twist_of_pose_rate
    >>> from sixvec.spatial import Pose
    >>> rate = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]]
    >>> twist_of_pose_rate(Pose.identity(), rate)
    Motion(ang=Vec3(x=0.0, y=0.0, z=1.0), lin=Vec3(x=0.0, y=0.0, z=0.5))
    """
    spin = Mat3.from_rows(*(Vec3.of(row[:3]) for row in rate[:3])).product(X.rot.matrix.T)
    w = Vec3(spin.zy - spin.yz, spin.xz - spin.zx, spin.yx - spin.xy) * 0.5
    return Motion(w, Vec3.of(row[3] for row in rate[:3]) - w.cross(X.pos))


def pose_rate(V: Motion, X: Pose) -> list[list[Scalar]]:
    """The rows of Ẋ, the derivative of the homogeneous matrix of a body at X: [ω× R  ω × p + v; 0  0].

    Bruyninckx (4.9).

    >>> from sixvec.geometry.rigid_body import pose_rate
    >>> from sixvec.spatial import Motion, Pose, Vec3
    >>> pose_rate(Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()), Pose.translation(Vec3(2.0, 0.0, 0.0)))[1]
    [1.0, 0.0, 0.0, 2.0]
    """
    turning = Mat3.cross_matrix(V.ang).product(X.rot.matrix)
    return [[*row, x] for row, x in zip(turning.rows, V.at(X.pos), strict=True)] + [[0.0, 0.0, 0.0, 0.0]]


@dataclass(frozen=True, slots=True)
class CentralAxis:
    """The axis of a twist or wrench with its invariants: Chasles' and Poinsot's axis in one type.

    `vector` is ω or f, `along` the part of the velocity or moment that is parallel to it, and `point` the point of the
    axis nearest to the origin.  All motions and forces are  (vector; along + point × vector)  in that order; nothing is
    normalised.  Where the vector is zero (a translation, a couple) no axis exists: `point` is the origin, `along`
    contains everything, and the pitch is infinite.  Bruyninckx §2.6.1, §4.2.2, §4.4 and §4.8.

    >>> from sixvec.geometry.rigid_body import CentralAxis
    >>> from sixvec.spatial import Motion, Vec3
    >>> axis = CentralAxis.of_motion(Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, -2.0, 3.0)))
    >>> axis.point.x, axis.vector.z, axis.along.z
    (1.0, 2.0, 3.0)
    """

    point: Vec3
    vector: Vec3
    along: Vec3

    @classmethod
    def of_motion(cls, t: Motion) -> CentralAxis:
        """The instantaneous screw axis: ω, and the velocity along it."""
        return cls.of_screw(Screw.from_motion(t))

    @classmethod
    def of_force(cls, f: Force) -> CentralAxis:
        """Poinsot's central axis: f, and the moment along it."""
        return cls.of_screw(Screw.from_force(f))

    @classmethod
    def of_screw(cls, s: Screw) -> CentralAxis:
        """Common to both: p = d × m / d², along = (d·m / d²) d."""
        vector, moment = s.direction, s.moment
        square = vector.dot(vector)
        k = 1.0 / nonzero(square)
        along = vector * (vector.dot(moment) * k)
        exists = square > 0.0
        along = Vec3.of(where(exists, a, m) for a, m in zip(along, moment, strict=True))
        return cls(vector.cross(moment) * k, vector, along)

    @property
    def magnitude(self) -> Scalar:
        """|ω| or |f|."""
        return length(self.vector)

    @property
    def pitch(self) -> Scalar:
        """Advance per radian, or moment per force: h = vector · along / |vector|², a length.

        Infinite for a translation or couple.  A zero six-vector has no pitch: an error on plain numbers, NaN on others.

        >>> from sixvec.geometry.rigid_body import CentralAxis
        >>> from sixvec.spatial import Motion, Vec3
        >>> CentralAxis.of_motion(Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, 0.0, 3.0))).pitch
        1.5
        """
        square, along_square = self.vector.dot(self.vector), self.along.dot(self.along)
        if certainly(square == 0.0) and certainly(along_square == 0.0):
            raise DegenerateError("a zero twist or wrench has no pitch; test for it first")
        infinite = where(along_square > 0.0, like(along_square, math.inf), math.nan)
        return where(square > 0.0, self.vector.dot(self.along) / nonzero(square), infinite)

    def direction(self) -> Vec3:
        """The unit vector along the axis; of a translation or couple, that of `along`."""
        vv, aa = self.vector.dot(self.vector), self.along.dot(self.along)
        if certainly(vv == 0.0) and certainly(aa == 0.0):
            raise DegenerateError("a zero twist or wrench has no direction; test for it first")
        turns = vv > 0.0
        arrow = Vec3.of(where(turns, v, a) for v, a in zip(self.vector, self.along, strict=True))
        unit: Vec3 = arrow * (1.0 / nonzero(length(arrow)))
        return unit

    def as_screw(self) -> Screw:
        return Screw(self.vector, self.along + self.point.cross(self.vector))

    def as_motion(self) -> Motion:
        return self.as_screw().as_motion()

    def as_force(self) -> Force:
        return self.as_screw().as_force()

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> CentralAxis:
        """From coordinates of B to those of A; the point becomes the one nearest to A's origin."""
        return CentralAxis.of_screw(self.as_screw().moved(R, p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> CentralAxis:
        return CentralAxis.of_screw(self.as_screw().moved_back(R, p))


@dataclass(frozen=True, slots=True)
class ScrewInvariants:
    """ω·ω and ω·v of a motion, f·f and f·n of a force."""

    square: Scalar
    product: Scalar


def invariants(x: Motion | Force) -> ScrewInvariants:
    """Invariants under a change of frame: (ω·ω, ω·v) of a motion, (f·f, f·n) of a force (Bruyninckx §4.4).

    >>> from sixvec.geometry.rigid_body import invariants
    >>> from sixvec.spatial import Motion
    >>> invariants(Motion.of([1.0, 2.0, 2.0, 3.0, 0.0, 0.0]))
    ScrewInvariants(square=9.0, product=3.0)
    """
    vector = x.ang if isinstance(x, Motion) else x.lin
    return ScrewInvariants(vector.dot(vector), x.ang.dot(x.lin))
