"""Denavit-Hartenberg coordinates of a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, arctan2, certainly_not, cos, like, sin, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.norm import PARALLEL_SINE, nonzero, root
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import Rotation
from sixvec.spatial.vector import Vec3

TwistSense = Literal["z_onto_line", "line_onto_z"]


@dataclass(frozen=True, slots=True)
class DHLine:
    """A directed line by four numbers, measured from the z-axis along the common normal u = (cos α, sin α, 0).

    d ≥ 0 is the distance, h the height of the common normal on z, α its azimuth about z from x, and θ the rotation
    about u that turns z onto the line (`twist="z_onto_line"`, the sense of the Denavit-Hartenberg frames):
        point (d cos α, d sin α, h),  direction (sin α sin θ, -cos α sin θ, cos θ).
    With `twist="line_onto_z"` θ has the other sign, as defined by Bruyninckx §2.5.3.  Note the letters: most other
    authors swap α and θ.

    No four numbers describe all lines without a singularity.  Here every line parallel to z is singular, and the
    numbers are discontinuous near it; `HRLine` is regular there.  A line that intersects z (d = 0) has two sets of
    coordinates, (α, θ) and (α + π, -θ); `from_line` returns the one with a positive rotation from z to the line.

    >>> from sixvec.geometry import DHLine, Line, Point
    >>> from sixvec.spatial import Vec3
    >>> DHLine.from_line(Line(Point(0.0, 3.0, 5.0), Vec3(1.0, 0.0, 0.0)))
    DHLine(d=3.0, h=5.0, alpha=1.5707963267948966, theta=1.5707963267948966, twist='z_onto_line')
    """

    d: Scalar
    h: Scalar
    alpha: Scalar
    theta: Scalar
    twist: TwistSense = "z_onto_line"

    @classmethod
    def from_line(cls, line: Line, twist: TwistSense = "z_onto_line") -> DHLine:
        """The coordinates of a line whose direction may have any length.

        With ρ² = e_x² + e_y² and m = p × e:
            ±d = -m_z / ρ,  h = m·(z × e) / ρ²,  ±u = z × e / ρ,  ±θ = arctan2(ρ, e_z).
        A line within 1e-14 rad of ±z raises an error on plain numbers; in arrays and traced code it has h = 0, the
        azimuth of `line.point`, and θ = 0 or π.
        """
        e, p = line.direction, line.point
        rho2, ee = e.x * e.x + e.y * e.y, e.dot(e)
        slanted = rho2 > ee * (PARALLEL_SINE * PARALLEL_SINE)
        if certainly_not(slanted):
            raise DegenerateError(
                "a line parallel to z has no unique common normal with it, hence no Denavit-Hartenberg coordinates; "
                "use HRLine, PCLine or Plücker coordinates"
            )
        rho = sqrt(where(slanted, rho2, 1.0))
        signed_d = (p.y * e.x - p.x * e.y) / rho
        h = p.z - e.z * (p.x * e.x + p.y * e.y) / where(slanted, rho2, 1.0)
        side = where(signed_d < 0.0, like(signed_d, -1.0), 1.0)
        u_x, u_y = where(slanted, -e.y * side, p.x), where(slanted, e.x * side, p.y)
        # A line along the z-axis itself has no azimuth either; arctan2(0, 1) keeps the derivative finite.
        off_axis = u_x * u_x + u_y * u_y > 0.0
        theta = arctan2(where(slanted, rho, 0.0), where(ee > 0.0, e.z, 1.0)) * where(slanted, side, 1.0)
        return cls(
            where(slanted, signed_d * side, root(p.x * p.x + p.y * p.y)),
            where(slanted, h, 0.0),
            arctan2(where(off_axis, u_y, 0.0), where(off_axis, u_x, 1.0)),
            theta if twist == "z_onto_line" else -theta,
            twist,
        )

    def as_line(self) -> Line:
        """The line with unit direction, at the foot of the common normal."""
        frame = self.frame()
        m = frame.rot.matrix
        return Line(Point.of(frame.pos), Vec3(m.xz, m.yz, m.zz))

    def frame(self) -> Pose:
        """The frame with z on the line and x on the common normal: R(Z, α) Tr(Z, h) Tr(X, d) R(X, θ).

        Its x-axis always intersects the world's z-axis at a right angle, so four numbers suffice.  Bruyninckx §5.3.1.
        """
        theta = self.theta if self.twist == "z_onto_line" else -self.theta
        ca, sa, ct, st = cos(self.alpha), sin(self.alpha), cos(theta), sin(theta)
        rotation = Rotation(Mat3(ca, -sa * ct, sa * st, sa, ca * ct, -ca * st, 0.0, st, ct))
        return Pose(rotation, Vec3(self.d * ca, self.d * sa, self.h))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.d, self.h, self.alpha, self.theta))

    @staticmethod
    def conditioning(line: Line) -> Scalar:
        """The sine of the angle to z: 1 where the coordinates are best, 0 where they do not exist.

        A change ε of the line changes the coordinates by about ε over this number.
        """
        e = line.direction
        return root((e.x * e.x + e.y * e.y) / nonzero(e.dot(e)))
