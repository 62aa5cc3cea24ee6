"""Euler angles: three turns about coordinate axes, in all 12 sets, about moving or about fixed axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi
from typing import Literal, TypeVar

from sixvec.errors import ArgumentError, DegenerateError, unknown
from sixvec.scalar import Scalar, arctan2, certainly, cos, like, sin, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import ROUNDING

T = TypeVar("T")
Frame = Literal["moving", "fixed"]

SETS = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b and b != c)
"""The 12 sequences of axes in which no two neighbours are equal."""

_TURNS = {"x": Rotation.about_x, "y": Rotation.about_y, "z": Rotation.about_z}
_AXES = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class EulerRates:
    """Time derivatives of the three angles, in the order in which the axes are named."""

    first: Scalar
    second: Scalar
    third: Scalar

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.first, self.second, self.third))


@dataclass(frozen=True, slots=True)
class EulerAngles:
    """Three angles about the axes named in `axes`, the first turn first (Bruyninckx §3.12-§3.14).

        moving: R = R(a₁, α) R(a₂, β) R(a₃, γ)     each axis as rotated by the previous turns
        fixed:  R = R(a₃, γ) R(a₂, β) R(a₁, α)     each axis in its initial direction

    The angles do not form a vector: they have no sum, and the order matters.  Roll, pitch, yaw are "xyz" fixed, which
    equals "zyx" moving in reverse order; Bryant angles are "xyz" moving.

    >>> from sixvec.geometry.orientation import EulerAngles
    >>> from sixvec.spatial import Rotation
    >>> EulerAngles(0.0, 0.0, 0.0, "zxz").as_rotation() == Rotation.identity()
    True
    >>> EulerAngles(0.0, 0.0, 0.0, "zzx")
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: no Euler set "zzx"; did you mean "zyz"? Euler sets: xyx, xyz, xzx, xzy, yxy, yxz, \
yzx, yzy, zxy, zxz, zyx, zyz
    """

    first: Scalar
    second: Scalar
    third: Scalar
    axes: str
    frame: Frame = "moving"

    def __post_init__(self) -> None:
        if self.axes not in SETS:
            raise ArgumentError(unknown("Euler set", self.axes, SETS))
        if self.frame not in ("moving", "fixed"):
            raise ArgumentError(f'Euler angles are about "moving" or "fixed" axes, not "{self.frame}"')

    @classmethod
    def rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> EulerAngles:
        """Roll about x, then pitch about y, then yaw about z, all fixed: R(z, yaw) R(y, pitch) R(x, roll).

        Bruyninckx (3.36).
        """
        return cls(roll, pitch, yaw, "xyz", "fixed")

    @classmethod
    def bryant(cls, first: Scalar, second: Scalar, third: Scalar) -> EulerAngles:
        """About moving x, y and z."""
        return cls(first, second, third, "xyz", "moving")

    @classmethod
    def from_rotation(cls, R: Rotation | PlaneRotation, axes: str, frame: Frame = "moving") -> EulerAngles:
        """The angles of a rotation: first and third in [-π, π]; the second in [0, π] if the first axis appears twice
        ("zxz"), else in [-π/2, π/2].  `other` is the second solution.

        They reproduce R to rounding, also near the singularity, where the individual angles lose digits and only their
        sum or difference is accurate.  Where `singular` holds, the third angle is set to zero, R is reproduced to
        within `ROUNDING`, and the derivatives are finite but meaningless.  Bruyninckx (3.28)-(3.30), (3.37)-(3.39).

        >>> from sixvec.geometry.orientation import EulerAngles
        >>> from sixvec.spatial import Rotation
        >>> EulerAngles.from_rotation(Rotation.about_z(0.5), "zxz")
        EulerAngles(first=0.5, second=0.0, third=0.0, axes='zxz', frame='moving')
        """
        zero = cls(0.0, 0.0, 0.0, axes, frame)
        first, second, third = zero._inward(_angles(R.matrix, zero._inward(axes), zero_first=frame == "fixed"))
        return cls(first, second, third, axes, frame)

    @property
    def proper(self) -> bool:
        """Whether the first axis is also the third."""
        return self.axes[0] == self.axes[2]

    @property
    def singular(self) -> Scalar:
        """Whether first and third axis are parallel: sin β = 0 for proper sets, cos β = 0 for the others."""
        size: Scalar = abs(self._sine())
        return size < ROUNDING

    def other(self) -> EulerAngles:
        """The second solution: (α ± π, -β, γ ± π) for proper sets, (α ± π, ±π - β, γ ± π) for the others.

        >>> from sixvec.geometry.orientation import EulerAngles
        >>> EulerAngles(1.0, 2.0, 0.0, "zxz").other().second
        -2.0
        """
        second = -self.second if self.proper else where(self.second < 0.0, like(self.second, -pi), pi) - self.second
        return EulerAngles(_opposite(self.first), second, _opposite(self.third), self.axes, self.frame)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.first, self.second, self.third))

    def as_rotation(self) -> Rotation:
        """The product of the three elementary rotations.  Bruyninckx (3.25), (3.31), (3.33)."""
        a, b, c = (_TURNS[axis](angle) for axis, angle in self._inward(tuple(zip(self.axes, self))))
        return a @ b @ c

    def turning_axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """The three current axes, in the axes of reference: the columns of E in ω = E (α̇, β̇, γ̇)."""
        i, j, k = self._inward(self.axes)
        first, second, _ = self._inward(tuple(self))
        outer = _TURNS[i](first)
        x, y, z = self._inward((_AXES[i], outer @ _AXES[j], outer @ (_TURNS[j](second) @ _AXES[k])))
        return x, y, z

    def space_velocity(self, rates: EulerRates) -> Vec3:
        """ω in the axes of reference: each angle's rate along its current axis (Bruyninckx §3.16).

        Bruyninckx (3.40).

        >>> from sixvec.geometry.orientation import EulerAngles, EulerRates
        >>> EulerAngles(0.0, 0.0, 0.0, "zxz").space_velocity(EulerRates(1.0, 2.0, 3.0))
        Vec3(x=2.0, y=0.0, z=4.0)
        """
        x, y, z = self.turning_axes()
        w: Vec3 = x * rates.first + y * rates.second + z * rates.third
        return w

    def body_velocity(self, rates: EulerRates) -> Vec3:
        """ω in the body's axes."""
        return self.as_rotation().inv() @ self.space_velocity(rates)

    def rate_from_space(self, w_space: Vec3) -> EulerRates:
        """The rates that give ω, by the dual basis of the turning axes; det E = ± sin β or ± cos β.

        Where `singular` holds, plain numbers raise DegenerateError; other scalars become infinite or NaN.
        Bruyninckx (3.41).
        """
        if certainly(self.singular):
            raise DegenerateError(
                f'"{self.axes}" is singular here: first and third axis are parallel, and no rates turn the body about '
                "the direction perpendicular to all three; use another set, or Quaternion.rate_from_space"
            )
        x, y, z = self.turning_axes()
        yz = y.cross(z)
        k = 1.0 / x.dot(yz)
        return EulerRates(w_space.dot(yz) * k, w_space.dot(z.cross(x)) * k, w_space.dot(x.cross(y)) * k)

    def rate(self, w_body: Vec3) -> EulerRates:
        """The rates that give ω in the body's axes."""
        return self.rate_from_space(self.as_rotation() @ w_body)

    def _sine(self) -> Scalar:
        """The sine of the angle between first and third axis, with sign."""
        return sin(self.second) if self.proper else cos(self.second)

    def _inward(self, three: Sequence[T]) -> tuple[T, ...]:
        """Reordered to the order of the factors in the product, or back."""
        return tuple(three) if self.frame == "moving" else tuple(reversed(three))


def _opposite(angle: Scalar) -> Scalar:
    """The angle plus or minus half a turn, whichever is smaller in size."""
    return angle - where(angle > 0.0, like(angle, pi), -pi)


def _angles(m: Mat3, axes: tuple[str, ...], zero_first: bool) -> tuple[Scalar, Scalar, Scalar]:
    """α, β, γ with m = R(i, α) R(j, β) R(k, γ); at the singularity α or γ is zero.

    With l the axis that is neither i nor j, and e = ±1 the sense of (i, j, l), column i (or l) of m is the image of the
    third axis, which α turns about i: that gives α and β.  Then row j of R(i, -α) m is row j of R(k, γ), which is
    independent of β and well-conditioned everywhere.
    """
    i, j, k = ("xyz".index(axis) for axis in axes)
    l = 3 - i - j
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    r = [tuple(row) for row in m.rows]
    y, x = (r[j][i], -e * r[l][i]) if k == i else (-e * r[j][l], r[l][l])
    singular = x * x + y * y < ROUNDING * ROUNDING
    y = where(singular, 0.0 if zero_first else e * r[l][j], y)
    x = where(singular, 1.0 if zero_first else r[j][j], x)
    size = sqrt(x * x + y * y)
    c, s = x / size, y / size
    sine = where(singular, 0.0, size)
    if k == i:
        second, third_sine = arctan2(sine, r[i][i]), -(e * c * r[j][l] + s * r[l][l])
    else:
        second, third_sine = arctan2(e * r[i][l], sine), e * c * r[j][i] + s * r[l][i]
    third = arctan2(third_sine, c * r[j][j] + e * s * r[l][j])
    return arctan2(y, x), second, third if zero_first else where(singular, 0.0, third)
