"""The field of accelerations of a moving rigid body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixvec.scalar import Scalar
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation, axial
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.pose import Pose


@dataclass(frozen=True, slots=True)
class AccelerationField:
    """Angular velocity ω, angular acceleration α, and acceleration `lin` of the body-fixed point at the origin.

    Every point r of the body then accelerates with  a(r) = lin + U r,  U = α× + ω× ω×: the second-order tensor of
    Bruyninckx §4.10.1.  It is the ordinary ("classical") acceleration.  The linear *velocity* does not appear in it, so
    recursions on it need fewer operations than those on the spatial acceleration  (α; lin - ω × v).
    """

    ang_velocity: Vec3
    ang: Vec3
    lin: Vec3

    @classmethod
    def at_rest(cls, lin: Vec3) -> AccelerationField:
        """A body that accelerates with `lin` and does not rotate."""
        return cls(Vec3.zero(), Vec3.zero(), lin)

    @classmethod
    def from_motion(cls, V: Motion, rate: Motion) -> AccelerationField:
        """From a velocity V = (ω; v) and the derivative of its six numbers: a = dv/dt + ω × v at the origin.

        >>> from sixvec.spatial import AccelerationField, Motion, Vec3
        >>> merry_go_round = AccelerationField.from_motion(Motion(Vec3(0.0, 0.0, 2.0), Vec3.zero()), Motion.zero())
        >>> merry_go_round.at(Vec3(3.0, 0.0, 0.0)).x
        -12.0
        """
        return cls(V.ang, rate.ang, rate.lin + V.ang.cross(V.lin))

    @classmethod
    def from_pose_rates(
        cls, X: Pose, rate: Sequence[Sequence[Scalar]], second: Sequence[Sequence[Scalar]]
    ) -> AccelerationField:
        """From a pose and the rows of the first two derivatives of its homogeneous matrix: Ẍ X⁻¹ = [U  a; 0  0]."""
        back = X.rot.matrix.T
        spin, U = (Mat3.from_rows(*(Vec3.of(row[:3]) for row in rows[:3])).product(back) for rows in (rate, second))
        return cls(axial(spin), axial(U), Vec3.of(row[3] for row in second[:3]) - U @ X.pos)

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of Ẍ X⁻¹ = [U  a; 0  0], which maps a point (r; 1) to its acceleration (r̈; 0)."""
        return [[*row, x] for row, x in zip(self.tensor.rows, self.lin, strict=True)] + [[0.0, 0.0, 0.0, 0.0]]

    def pose_second_rate(self, X: Pose) -> list[list[Scalar]]:
        """The rows of Ẍ, the second derivative of the homogeneous matrix of a body at X: [U R  p̈; 0  0].

        Bruyninckx (4.32).
        """
        turning = self.tensor.product(X.rot.matrix)
        return [[*row, x] for row, x in zip(turning.rows, self.at(X.pos), strict=True)] + [[0.0, 0.0, 0.0, 0.0]]

    def at(self, r: Vec3) -> Vec3:
        """The acceleration of the body-fixed point at r:  a + U r, where ω × (ω × r) is the centripetal part.

        Bruyninckx (4.30).
        """
        return self.lin + self.tensor @ r

    def rate(self, v: Vec3) -> Motion:
        """The derivative (α; a - ω × v) of the six numbers of the velocity (ω; v): the spatial acceleration."""
        return Motion(self.ang, self.lin - self.ang_velocity.cross(v))

    @property
    def tensor(self) -> Mat3:
        """U = α× + ω× ω×."""
        w, a = self.ang_velocity, self.ang
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        return Mat3(
            -(yy + zz), xy - a.z, xz + a.y,
            xy + a.z, -(xx + zz), yz - a.x,
            xz - a.y, yz + a.x, -(xx + yy),
        )  # fmt: skip

    def then(self, vJ: Motion, aJ: Motion) -> AccelerationField:
        """This field, plus a motion relative to it: a joint that moves with velocity vJ and acceleration aJ = d vJ/dt.

        Both are given in the moving body's coordinates; the terms with 2 ω and ω are Coriolis' acceleration.
        """
        w = self.ang_velocity
        return AccelerationField(
            w + vJ.ang,
            self.ang + aJ.ang + w.cross(vJ.ang),
            self.lin + aJ.lin + (w + w + vJ.ang).cross(vJ.lin),
        )

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> AccelerationField:
        """The same rigid motion at the frame with pose (R, p), in its axes."""
        back = R.inv()
        return AccelerationField(back @ self.ang_velocity, back @ self.ang, back @ (self.lin + self.tensor @ p))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> AccelerationField:
        """The inverse of `moved_back`."""
        back = R.inv()
        return self.moved_back(back, back @ -p)
