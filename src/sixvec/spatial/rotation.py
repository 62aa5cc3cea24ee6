"""Rotations: `R_AB @ v_B = v_A`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, arctan2, certainly, certainly_not, cos, sin, sqrt, where
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import EQUAL

SINGLE_TOLERANCE = 1e-5
"""The same for numbers in float32."""

VANISHING_SQUARE = 1e-200
"""A squared length below this is zero: the sine of an angle too small for a rotation matrix to represent."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation as its 3x3 matrix, whose columns are the axes of B in A's coordinates.

    Bruyninckx (2.21), (3.2), (3.12).

    >>> from sixvec.spatial import Rotation, Vec3
    >>> R = Rotation.about(Vec3(0.0, 0.0, 1.0), 0.0)
    >>> R @ Vec3(1.0, 2.0, 3.0)
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    matrix: Mat3

    @classmethod
    def identity(cls) -> Rotation:
        return cls(Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))

    @classmethod
    def about(cls, axis: Vec3, angle: Scalar) -> Rotation:
        """Turn by `angle` about the unit vector `axis` (Rodrigues' formula R = 1 + s a× + (1 - c) a× a×).

        Bruyninckx (3.46).
        """
        c, s = cos(angle), sin(angle)
        u = axis * (1.0 - c)
        matrix = Mat3(
            c + axis.x * u.x, axis.x * u.y - axis.z * s, axis.x * u.z + axis.y * s,
            axis.y * u.x + axis.z * s, c + axis.y * u.y, axis.y * u.z - axis.x * s,
            axis.z * u.x - axis.y * s, axis.z * u.y + axis.x * s, c + axis.z * u.z,
        )  # fmt: skip
        return cls(matrix)

    @classmethod
    def from_rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Roll about x, then pitch about y, then yaw about z, all axes fixed (the URDF convention).

        Bruyninckx (3.36).
        """
        x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
        return cls.about(z, yaw) @ cls.about(y, pitch) @ cls.about(x, roll)

    @classmethod
    def about_x(cls, angle: Scalar) -> Rotation:
        """Turn by `angle` about x: y towards z (Bruyninckx §3.4).

        Bruyninckx (3.3), (3.4).

        >>> from sixvec.spatial import Rotation
        >>> Rotation.about_x(0.0) == Rotation.identity()
        True
        """
        c, s = cos(angle), sin(angle)
        return cls(Mat3(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c))

    @classmethod
    def about_y(cls, angle: Scalar) -> Rotation:
        """Turn by `angle` about y: z towards x, hence +sin in row x (Bruyninckx §3.4).  Bruyninckx (3.5)."""
        c, s = cos(angle), sin(angle)
        return cls(Mat3(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c))

    @classmethod
    def about_z(cls, angle: Scalar) -> Rotation:
        """Turn by `angle` about z: x towards y (Bruyninckx §3.4).  Bruyninckx (3.5)."""
        c, s = cos(angle), sin(angle)
        return cls(Mat3(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))

    @classmethod
    def from_matrix(cls, rows: Sequence[Sequence[Scalar]]) -> Rotation:
        """From the three rows of a matrix that already is a rotation: RᵀR = 1 and det R = +1 (Bruyninckx §3.2, §3.7).

        Plain numbers are checked (`deviation` against `EQUAL`; NaN fails), batches and symbols are trusted.

        >>> from sixvec.spatial import Rotation
        >>> Rotation.from_matrix([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        Traceback (most recent call last):
        sixvec.errors.DegenerateError: not a rotation but a left-handed frame, det = -1; swap two axes or flip one
        """
        (a, b, c), (d, e, f), (g, h, i) = rows
        return cls(Mat3(a, b, c, d, e, f, g, h, i)).checked()

    @classmethod
    def from_axes(cls, x: Vec3, y: Vec3, z: Vec3) -> Rotation:
        """`R_AB` from the unit axes of B in A's coordinates: they are its columns (direction cosines, Bruyninckx §3.2).

        Bruyninckx (3.1).

        >>> from sixvec.spatial import Rotation
        >>> Rotation.from_axes(*Rotation.identity().axes) == Rotation.identity()
        True
        """
        return cls(Mat3.from_rows(x, y, z).T).checked()

    @classmethod
    def from_noa(cls, opening: Vec3, approach: Vec3) -> Rotation:
        """The frame of a gripper: columns n = o × a, o, a (Bruyninckx §3.3).

        `opening` o is the direction in which the jaws open, `approach` a the direction in which the hand moves forward;
        both are unit vectors at right angles, the normal n makes the frame right-handed.

        >>> from sixvec.spatial import Rotation, Vec3
        >>> Rotation.from_noa(Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)) == Rotation.identity()
        True
        """
        return cls.from_axes(opening.cross(approach), opening, approach)

    @property
    def axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """The axes of B in A's coordinates.  Bruyninckx (3.6)."""
        return self.matrix.T.rows

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the 3x3 matrix.

        >>> from sixvec.spatial import Rotation
        >>> Rotation.identity().as_matrix()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        return [[*row] for row in self.matrix.rows]

    def determinant(self) -> Scalar:
        """det R: +1 for a rotation, -1 for a mirror."""
        x, y, z = self.matrix.rows
        return x.dot(y.cross(z))

    def deviation(self) -> Scalar:
        """How far the matrix is from a rotation, √(|RᵀR - 1|² + (det R - 1)²): zero for rotations only.

        The six conditions RᵀR = 1 also hold for mirrors, whose determinant is -1 (Bruyninckx §3.6, §3.7).
        Bruyninckx (3.10).

        >>> from sixvec.spatial import Rotation
        >>> Rotation.identity().deviation()
        0.0
        """
        gap = self.matrix.T.product(self.matrix) - Rotation.identity().matrix
        excess = self.determinant() - 1.0
        return sqrt(sum((a * a for a in gap), excess * excess))

    def checked(self) -> Rotation:
        """The rotation itself; raises DegenerateError if it certainly is not a rotation.

        >>> from sixvec.spatial import Rotation
        >>> Rotation.identity().checked() == Rotation.identity()
        True
        """
        if certainly(self.determinant() < 0.0):
            size = f"det = {self.determinant():.3g}"
            raise DegenerateError(f"not a rotation but a left-handed frame, {size}; swap two axes or flip one")
        if certainly_not(self.deviation() < tolerance_of(self.matrix.xx)):
            raise DegenerateError(
                f"not a rotation: its axes miss unit length or right angles by {self.deviation():.1g}; "
                "use nearest_rotation(matrix) to correct it"
            )
        return self

    def inv(self) -> Rotation:
        """R⁻¹ = Rᵀ.  Bruyninckx (3.7)-(3.9), (3.13), (3.14)."""
        return Rotation(self.matrix.T)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Rotation | PlaneRotation) -> Rotation: ...
    def __matmul__(self, other: Vec3 | Rotation | PlaneRotation) -> Vec3 | Rotation:
        if isinstance(other, Vec3):
            return self.matrix @ other
        if not isinstance(other, Rotation | PlaneRotation):
            return NotImplemented
        return Rotation(self.matrix.product(other.matrix))

    def similar(self, S: Rotation | PlaneRotation) -> Rotation:
        """`S⁻¹ R S`: the same turn, expressed in the axes of S (similarity transform, Bruyninckx §3.20).

        Angle and eigenvalues are unchanged, the axis becomes S⁻¹ e; and exp(S⁻¹ A S) = S⁻¹ exp(A) S.
        Bruyninckx (3.52).
        """
        return S.inv() @ self @ S

    def angle(self) -> Scalar:
        """The angle of the equivalent single turn, in [0, π]: tan θ = |axial part of R| / ((trace R - 1)/2).

        The arc tangent keeps full precision at 0 and π, where the arc cosine of Bruyninckx §3.18.2 loses half the
        digits.  Its derivative is discontinuous at 0 and π, where it is set to zero.  Bruyninckx (3.48).

        >>> from sixvec.spatial import Rotation
        >>> Rotation.about_x(3.0).angle()
        3.0
        """
        skew, m = axial(self.matrix), self.matrix
        ss = skew.dot(skew)
        none = ss < VANISHING_SQUARE
        sine = where(none, 0.0, sqrt(where(none, 1.0, ss)))
        return arctan2(sine, 0.5 * (m.xx + m.yy + m.zz - 1.0))

    def distance(self, other: Rotation | PlaneRotation) -> Scalar:
        """The angle of R⁻¹ S, in [0, π]: the speed from one to the other in unit time (Bruyninckx §3.22).

        It is a bi-invariant metric: multiplying both by the same rotation, on either side, does not change it.

        >>> from sixvec.spatial import Rotation
        >>> round(Rotation.about_z(0.25).distance(Rotation.about_z(1.0)), 12)
        0.75
        """
        return (self.inv() @ other).angle()

    def rate(self, w_body: Vec3) -> Mat3:
        """Ṙ = R [ω×] of a body that turns with ω in its own axes."""
        return self.matrix.product(Mat3.cross_matrix(w_body))

    def rate_from_space(self, w_space: Vec3) -> Mat3:
        """Ṙ = [ω×] R of a body that turns with ω in the axes of reference (Bruyninckx §3.9).

        Bruyninckx (3.20).

        >>> from sixvec.spatial import Rotation, Vec3
        >>> Rotation.identity().rate_from_space(Vec3(0.0, 0.0, 2.0)) @ Vec3(1.0, 0.0, 0.0)
        Vec3(x=0.0, y=2.0, z=0.0)
        """
        return Mat3.cross_matrix(w_space).product(self.matrix)

    def body_velocity(self, rate: Mat3) -> Vec3:
        """ω in the body's axes: the skew part of Rᵀ Ṙ = [ω×]."""
        return axial(self.matrix.T.product(rate))

    def space_velocity(self, rate: Mat3) -> Vec3:
        """ω in the axes of reference: the skew part of Ṙ Rᵀ = [ω×] (Bruyninckx §3.9).

        It is not the derivative of any three coordinates of R.  Bruyninckx (3.20).

        >>> from sixvec.spatial import Rotation, Vec3
        >>> R, w = Rotation.about_x(0.3), Vec3(1.0, 0.0, 0.0)
        >>> R.space_velocity(R.rate_from_space(w))
        Vec3(x=1.0, y=0.0, z=0.0)
        """
        return axial(rate.product(self.matrix.T))

    def turn(self, m: Mat3) -> Mat3:
        """`R m Rᵀ`: a matrix given in B's axes, expressed in A's."""
        return self.matrix.product(m).product(self.matrix.T)

    def turn_symmetric(self, m: Sym3) -> Sym3:
        """`R m Rᵀ` for symmetric m; only the six entries that are needed."""
        x, y, z = self.matrix.product(m.full).rows
        rx, ry, rz = self.matrix.rows
        return Sym3(x.dot(rx), x.dot(ry), x.dot(rz), y.dot(ry), y.dot(rz), z.dot(rz))


@dataclass(frozen=True, slots=True)
class PlaneRotation:
    """A rotation about +z by the angle whose cosine and sine are given.

    Most joints rotate this way, and it costs far less than a general rotation: 4 multiplications for a vector;
    8 for a symmetric matrix, because in `R m Rᵀ` the trace of the xy-block is invariant and its deviator turns by twice
    the angle.

    >>> from sixvec.spatial import PlaneRotation, Vec3
    >>> PlaneRotation(0.0, 1.0) @ Vec3(1.0, 0.0, 0.0)
    Vec3(x=0.0, y=1.0, z=0.0)
    """

    c: Scalar
    s: Scalar

    @property
    def matrix(self) -> Mat3:
        return Mat3(self.c, -self.s, 0.0, self.s, self.c, 0.0, 0.0, 0.0, 1.0)

    def inv(self) -> PlaneRotation:
        return PlaneRotation(self.c, -self.s)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Rotation | PlaneRotation) -> Rotation: ...
    def __matmul__(self, other: Vec3 | Rotation | PlaneRotation) -> Vec3 | Rotation:
        if isinstance(other, Vec3):
            return Vec3(self.c * other.x - self.s * other.y, self.s * other.x + self.c * other.y, other.z)
        if not isinstance(other, Rotation | PlaneRotation):
            return NotImplemented
        return Rotation(self.matrix.product(other.matrix))

    def turn(self, m: Mat3) -> Mat3:
        """`R m Rᵀ`."""
        ss, cs = self.s * self.s, self.c * self.s
        difference, sum_ = m.xx - m.yy, m.xy + m.yx
        t = ss * difference + cs * sum_
        u = cs * difference - ss * sum_
        column, row = self @ Vec3(m.xz, m.yz, m.zz), self @ Vec3(m.zx, m.zy, m.zz)
        return Mat3(m.xx - t, m.xy + u, column.x, m.yx + u, m.yy + t, column.y, row.x, row.y, m.zz)

    def turn_symmetric(self, m: Sym3) -> Sym3:
        """`R m Rᵀ` for symmetric m."""
        full = self.turn(m.full)
        return Sym3(full.xx, full.xy, full.xz, full.yy, full.yz, full.zz)


def tolerance_of(x: Scalar) -> float:
    """How far the length of a unit vector may be from one, in the precision of x.

    >>> tolerance_of(1.0)
    1e-09
    """
    return SINGLE_TOLERANCE if str(getattr(x, "dtype", "")) == "float32" else EQUAL


def axial(m: Mat3) -> Vec3:
    """a with a× = (m - mᵀ)/2: the skew part of a matrix as a vector."""
    return Vec3(m.zy - m.yz, m.xz - m.zx, m.yx - m.xy) * 0.5
