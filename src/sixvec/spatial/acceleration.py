"""The field of accelerations of a moving rigid body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.rotation import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class AccelerationField:
    """Angular velocity ω, angular acceleration α, and acceleration `lin` of the body-fixed point at the origin.

    Every point r of the body then accelerates with  a(r) = lin + U r,  U = α× + ω× ω×: the second-order tensor of
    Bruyninckx 4.10.1.  It is the ordinary ("classical") acceleration; the linear *velocity* never enters, which is
    why recursions on it need fewer operations than those on the spatial acceleration  (α; lin - ω × v).
    """

    ang_velocity: Vec3
    ang: Vec3
    lin: Vec3

    @classmethod
    def at_rest(cls, lin: Vec3) -> AccelerationField:
        """A body that does not turn and accelerates with `lin`."""
        return cls(Vec3.zero(), Vec3.zero(), lin)

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
        """The same rigid motion at the frame that stands at (R, p), in its axes."""
        back = R.inv()
        return AccelerationField(back @ self.ang_velocity, back @ self.ang, back @ (self.lin + self.tensor @ p))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> AccelerationField:
        """The inverse of `moved_back`."""
        back = R.inv()
        return self.moved_back(back, back @ -p)
