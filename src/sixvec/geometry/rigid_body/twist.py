"""Velocities of a body in the three kinds that Bruyninckx §4.2.2 keeps apart, and the central axis of a six-vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar, certainly, like, where
from sixvec.spatial.force import Force
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import length, nonzero
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.tagged import OfOneKind
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class ScrewTwist(OfOneKind):
    """(ω; v₀): world axes, and the velocity of the body-fixed point that is at the world origin now.

    With X = (R, p) the pose of the body in the world it is the matrix  Ẋ X⁻¹ = [ω×  v₀; 0  0],  v₀ = ṗ + p × ω.
    Changing the body's frame leaves it; changing the world frame moves it as a Motion (`X @ twist`).  It is the only
    kind from which `exp` and the screw axis may be taken as they are.

    >>> spin = ScrewTwist(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> spin.as_pose_twist(Pose.translation(Vec3(2.0, 0.0, 0.0)))
    PoseTwist(ang=Vec3(x=0.0, y=0.0, z=1.0), lin=Vec3(x=0.0, y=2.0, z=0.0))
    """

    ang: Vec3
    lin: Vec3

    @classmethod
    def from_motion(cls, motion: Motion) -> ScrewTwist:
        return cls(motion.ang, motion.lin)

    @classmethod
    def from_pose_rate(cls, X: Pose, rate: Sequence[Sequence[Scalar]]) -> ScrewTwist:
        """From a pose and the rows of the derivative of its homogeneous matrix: Ẋ X⁻¹."""
        rows = [Vec3.of(row[:3]) for row in rate[:3]]
        spin = Mat3.from_rows(*rows).product(X.rot.matrix.T)
        w = Vec3(spin.zy - spin.yz, spin.xz - spin.zx, spin.yx - spin.xy) * 0.5
        return cls(w, Vec3.of(row[3] for row in rate[:3]) - w.cross(X.pos))

    def pose_rate(self, X: Pose) -> list[list[Scalar]]:
        """The rows of Ẋ, the derivative of the homogeneous matrix of a body at X: [ω× R  ω × p + v₀; 0  0]."""
        turning = Mat3.cross_matrix(self.ang).product(X.rot.matrix)
        moving = zip(turning.rows, self.motion.at(X.pos), strict=True)
        return [[*row, x] for row, x in moving] + [[0.0, 0.0, 0.0, 0.0]]

    @property
    def motion(self) -> Motion:
        return Motion(self.ang, self.lin)

    def as_pose_twist(self, X: Pose) -> PoseTwist:
        """For a body whose frame is at X: (ω; v₀ + ω × p)."""
        return PoseTwist(self.ang, self.motion.at(X.pos))

    def as_body_twist(self, X: Pose) -> BodyTwist:
        """For a body whose frame is at X: X⁻¹ t."""
        return BodyTwist(*_parts(X.inv() @ self.motion))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> ScrewTwist:
        """In another world frame."""
        return ScrewTwist(*_parts(self.motion.moved(R, p)))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> ScrewTwist:
        return ScrewTwist(*_parts(self.motion.moved_back(R, p)))


@dataclass(frozen=True, slots=True)
class PoseTwist(OfOneKind):
    """(ω; ṗ): world axes, and the velocity of the origin of the body's frame.

    Changing the world frame only turns both parts, `X @ twist` is blkdiag(R, R) t; changing the body's frame shifts
    the reference point.  It does not say where the screw axis is: that takes the pose.
    """

    ang: Vec3
    lin: Vec3

    def as_screw_twist(self, X: Pose) -> ScrewTwist:
        """For a body whose frame is at X: (ω; ṗ + p × ω)."""
        return ScrewTwist(self.ang, self.lin + X.pos.cross(self.ang))

    def as_body_twist(self, X: Pose) -> BodyTwist:
        """Both parts in the body's axes: (Rᵀ ω; Rᵀ ṗ)."""
        back = X.rot.inv()
        return BodyTwist(back @ self.ang, back @ self.lin)

    def with_reference_point(self, r: Vec3) -> PoseTwist:
        """The twist of another frame of the same body, whose origin is at r (world axes) from the present one."""
        return PoseTwist(self.ang, self.lin + self.ang.cross(r))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> PoseTwist:
        """In another world frame; its position does not matter."""
        return PoseTwist(R @ self.ang, R @ self.lin)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> PoseTwist:
        back = R.inv()
        return PoseTwist(back @ self.ang, back @ self.lin)


@dataclass(frozen=True, slots=True)
class BodyTwist(OfOneKind):
    """(Rᵀ ω; Rᵀ ṗ): axes and origin of the body's own frame; the matrix  X⁻¹ Ẋ.

    It is the same in every world frame; another frame of the body moves it as a Motion (`with_body_frame`).
    """

    ang: Vec3
    lin: Vec3

    @property
    def motion(self) -> Motion:
        return Motion(self.ang, self.lin)

    def as_screw_twist(self, X: Pose) -> ScrewTwist:
        """For a body whose frame is at X: X t."""
        return ScrewTwist(*_parts(X @ self.motion))

    def as_pose_twist(self, X: Pose) -> PoseTwist:
        """Both parts in the world's axes."""
        return PoseTwist(X.rot @ self.ang, X.rot @ self.lin)

    def with_body_frame(self, X_BC: Pose) -> BodyTwist:
        """The body twist with respect to another frame C of the same body: X_BC⁻¹ t."""
        return BodyTwist(*_parts(X_BC.inv() @ self.motion))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> BodyTwist:
        raise FrameError("a BodyTwist is the same in every world frame; use with_body_frame or as_screw_twist")

    moved_back = moved


@dataclass(frozen=True, slots=True)
class CentralAxis:
    """The axis of a twist or wrench with what is invariant about it: Chasles' and Poinsot's axis in one.

    `vector` is ω or f, `along` the part of the velocity or moment that is parallel to it, and `point` the point of the
    axis nearest to the origin.  All motions and forces are  (vector; along + point × vector)  in that order; nothing is
    normalised.  Where the vector is zero (a translation, a couple) no axis exists: `point` is the origin, `along` holds
    everything, and the pitch is infinite.  Bruyninckx §2.6.1, §4.2.2, §4.4 and §4.8.

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
        """The common part of both: p = d × m / d², along = (d·m / d²) d."""
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

        Infinite for a translation or couple.  A zero six-vector has none: an error on plain numbers, NaN on others.

        >>> CentralAxis.of_motion(Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, 0.0, 3.0))).pitch
        1.5
        """
        square, rest = self.vector.dot(self.vector), self.along.dot(self.along)
        if certainly(square == 0.0) and certainly(rest == 0.0):
            raise DegenerateError("a zero twist or wrench has no pitch; test for it first")
        infinite = where(rest > 0.0, like(rest, math.inf), math.nan)
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


def invariants(x: Motion | Force) -> tuple[Scalar, Scalar]:
    """What no change of frame changes: (ω·ω, ω·v) of a motion, (f·f, f·n) of a force (Bruyninckx §4.4).

    >>> invariants(Motion.of([1.0, 2.0, 2.0, 3.0, 0.0, 0.0]))
    (9.0, 3.0)
    """
    vector = x.ang if isinstance(x, Motion) else x.lin
    return vector.dot(vector), x.ang.dot(x.lin)


def _parts(m: Motion) -> tuple[Vec3, Vec3]:
    return m.ang, m.lin
