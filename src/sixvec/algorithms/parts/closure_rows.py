"""Closure equations: one scalar equation on the pose between the two frames for every motion the closure prevents.

X is the pose X_AB of the second frame B in the first frame A, V the velocity of B against A in A's coordinates, and C
the derivative of V in these coordinates.  Every row has its error, zero where the closure holds, and the exact
derivative of that error, so that an iteration converges from open loops.  Its second derivative is
exact where the loop is closed, which is where dynamics is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol, cast

from sixvec.errors import ModelError
from sixvec.model.joints import Joint
from sixvec.model.joints.axis import z_to
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.scalar import Scalar, arctan2
from sixvec.spatial import Motion, Pose, Vec3, so3
from sixvec.tolerances import EQUAL

AXES = (X_AXIS, Y_AXIS, Z_AXIS)
_SIX = 6


class Acceleration(NamedTuple):
    """The state of a closure: pose, velocity, its derivative C, and the part Ja of it due to joint accelerations."""

    X: Pose
    V: Motion
    C: Motion
    Ja: Motion


class Row(Protocol):
    """One scalar equation of a closure; its name begins with "turn" if it is about an angle."""

    def error(self, X: Pose) -> Scalar: ...

    def rate(self, X: Pose, V: Motion) -> Scalar: ...

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar: ...

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        """The change of `rate` at this V when B is displaced by dX."""
        ...

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        """The change of  rate(X, Ja) + second(X, V, C - Ja)  when X, V and C change; exact where the loop is closed."""
        ...

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Along:
    """u · p: the origins are apart along u, which is fixed in A."""

    u: Vec3

    def error(self, X: Pose) -> Scalar:
        return self.u.dot(X.pos)

    def rate(self, X: Pose, V: Motion) -> Scalar:
        return self.u.dot(V.at(X.pos))

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar:
        return self.u.dot(C.at(X.pos) + V.ang.cross(V.at(X.pos)))

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        return self.u.dot(V.ang.cross(dX.at(X.pos)))

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        p, dp = at.X.pos, dX.at(at.X.pos)
        turned = dV.ang.cross(at.V.at(p)) + at.V.ang.cross(dV.at(p) + at.V.ang.cross(dp))
        return self.u.dot(dC.at(p) + at.C.ang.cross(dp) + turned)

    @property
    def name(self) -> str:
        return axis_name(self.u)


@dataclass(frozen=True, slots=True)
class _Velocity:
    """A part of the velocity of B against A along u; the position is not constrained."""

    u: Vec3
    vector: ClassVar[str]

    def error(self, X: Pose) -> Scalar:
        return 0.0

    def rate(self, X: Pose, V: Motion) -> Scalar:
        return self.u.dot(getattr(V, self.vector))

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar:
        return self.u.dot(getattr(C, self.vector))

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        return 0.0

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        return self.u.dot(getattr(dC, self.vector))


class Shift(_Velocity):
    """u · v: the velocity of the origin along u."""

    __slots__ = ()
    vector = "lin"

    @property
    def name(self) -> str:
        return axis_name(self.u)


class Spin(_Velocity):
    """u · ω: B turns against A about u."""

    __slots__ = ()
    vector = "ang"

    @property
    def name(self) -> str:
        return f"turn about {axis_name(self.u)}"


@dataclass(frozen=True, slots=True)
class Between:
    """u · R w - u · w: the cosine between u, fixed in A, and w, fixed in B, minus that of the neutral position."""

    u: Vec3
    w: Vec3

    def error(self, X: Pose) -> Scalar:
        return self.u.dot(X.rot @ self.w) - self.u.dot(self.w)

    def rate(self, X: Pose, V: Motion) -> Scalar:
        return self.u.dot(V.ang.cross(X.rot @ self.w))

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar:
        w = X.rot @ self.w
        return self.u.dot(C.ang.cross(w) + V.ang.cross(V.ang.cross(w)))

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        return self.u.dot(V.ang.cross(dX.ang.cross(X.rot @ self.w)))

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        w = at.X.rot @ self.w
        dw, spin = dX.ang.cross(w), at.V.ang
        turned = dV.ang.cross(spin.cross(w)) + spin.cross(dV.ang.cross(w) + spin.cross(dw))
        return self.u.dot(dC.ang.cross(w) + at.C.ang.cross(dw) + turned)

    @property
    def name(self) -> str:
        return f"turn about {axis_name(self.w.cross(self.u))}"


@dataclass(frozen=True, slots=True)
class Turn:
    """u · log R: how far B is turned against A about u."""

    u: Vec3

    def error(self, X: Pose) -> Scalar:
        return self.u.dot(so3.log(X.rot))

    def rate(self, X: Pose, V: Motion) -> Scalar:
        return self.u.dot(so3.left_jacobian_inverse(so3.log(X.rot)) @ V.ang)

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar:
        return self.u.dot(C.ang)

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        return self.u.dot(V.ang.cross(dX.ang)) * 0.5

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        return self.u.dot(dC.ang) + self.rate_slope(at.X, at.Ja, dX)

    @property
    def name(self) -> str:
        return f"turn about {axis_name(self.u)}"


@dataclass(frozen=True, slots=True)
class Thread:
    """u · p - pitch φ: B off the thread; φ, from -π to π, is the twist of R about u (swing removed)."""

    u: Vec3
    pitch: float

    def error(self, X: Pose) -> Scalar:
        s, c = self._sine_and_cosine(lambda e: X.rot @ e)
        return self.u.dot(X.pos) - arctan2(s, c) * self.pitch

    def rate(self, X: Pose, V: Motion) -> Scalar:
        s, c = self._sine_and_cosine(lambda e: X.rot @ e)
        ds, dc = self._sine_and_cosine(lambda e: V.ang.cross(X.rot @ e))  # linear in R, and Ṙ = ω × R
        return self.u.dot(V.at(X.pos)) - (c * ds - s * dc) / (s * s + c * c) * self.pitch

    def second(self, X: Pose, V: Motion, C: Motion) -> Scalar:
        return self.u.dot(C.at(X.pos) + V.ang.cross(V.at(X.pos))) - self.u.dot(C.ang) * self.pitch

    def rate_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        return Along(self.u).rate_slope(X, V, dX) - self._twist_slope(X, V, dX) * self.pitch

    def second_slope(self, at: Acceleration, dX: Motion, dV: Motion, dC: Motion) -> Scalar:
        turned = self.u.dot(dC.ang) + self._twist_slope(at.X, at.Ja, dX)
        return Along(self.u).second_slope(at, dX, dV, dC) - turned * self.pitch

    def _twist_slope(self, X: Pose, V: Motion, dX: Motion) -> Scalar:
        """The change of the rate of the twist: (c ds - s dc) / (s² + c²), of sine and cosine and their rates."""
        (s, c), (ds, dc), (s1, c1), (ds1, dc1) = (
            self._sine_and_cosine(R)
            for R in (
                lambda e: X.rot @ e,
                lambda e: V.ang.cross(X.rot @ e),
                lambda e: dX.ang.cross(X.rot @ e),
                lambda e: V.ang.cross(dX.ang.cross(X.rot @ e)),
            )
        )
        squared = s * s + c * c
        rate = (c * ds - s * dc) / squared
        return (c1 * ds + c * ds1 - s1 * dc - s * dc1 - rate * 2.0 * (s * s1 + c * c1)) / squared

    @property
    def name(self) -> str:
        return f"thread along {axis_name(self.u)}"

    def _sine_and_cosine(self, R: Callable[[Vec3], Vec3]) -> tuple[Scalar, Scalar]:
        """Both times twice the squared cosine of half the swing: u · vee(R - Rᵀ) and tr R - u · R u."""
        turned = [R(e) for e in AXES]
        s = sum(self.u.dot(e.cross(x)) for e, x in zip(AXES, turned, strict=True))
        return s, sum(e.dot(x) for e, x in zip(AXES, turned, strict=True)) - self.u.dot(R(self.u))


def axis_name(u: Vec3) -> str:
    """A direction as text: "x", "-y", or its components.

    >>> axis_name(Vec3(0.0, -1.0, 0.0)), axis_name(Vec3(0.6, 0.0, 0.8))
    ('-y', '(0.6, 0, 0.8)')
    """
    numbers = [float(x) for x in u]
    size = max(map(abs, numbers)) or 1.0
    for axis, letter in zip(AXES, "xyz", strict=True):
        if all(abs(abs(x) / size - a) < 1e-9 for x, a in zip(numbers, axis, strict=True)):
            return letter if u.dot(axis) > 0 else f"-{letter}"
    return f"({', '.join(f'{x:.4g}' for x in numbers)})"


def rows_of(joint: Joint) -> tuple[Row, ...]:
    """The 6 - nv equations of a joint that closes a loop, rotations before translations.

    They follow from the joint's screws at its neutral position: the axes of its rotations, the directions of its
    translations, and a thread where one screw has both.  A joint whose motions violate these equations cannot close
    a loop.

    >>> from sixvec.model.joints import Spherical, Universal
    >>> len(rows_of(Universal())), rows_of(Spherical())[2]
    (4, Along(u=Vec3(x=0.0, y=0.0, z=1.0)))
    """
    return _rows(cast("Hashable", joint))


@lru_cache(maxsize=256)
def _rows(joint: Any) -> tuple[Row, ...]:
    threads = [s for s in joint.screws if s.ang != Vec3.zero() and s.lin != Vec3.zero()]
    slides = [s.ang if s in threads else s.lin for s in joint.screws if s.lin != Vec3.zero()]
    rows = (
        *_rotation_rows(joint.rotation_axes),
        *(Along(u) for u in _orthogonal(slides)),
        *(Thread(s.ang, s.ang.dot(s.lin)) for s in threads),
    )
    if len(rows) + joint.nv != _SIX or not _allow(rows, joint):
        raise ModelError(f"a {joint.kind} joint cannot close a loop: no equations for its motions are known")
    return rows


def _rotation_rows(axes: tuple[Vec3, ...]) -> tuple[Row, ...]:
    """The equations of a joint that turns about these axes, the first fixed in A and the last in B."""
    match axes:
        case ():
            return tuple(Turn(u) for u in AXES)
        case (axis,):  # no turn about the two directions across it
            x, y = _across(axis)
            return Between(-y, axis), Between(x, axis)
        case (first, second):
            return (Between(first, second),)
    return ()


def _orthogonal(directions: list[Vec3]) -> tuple[Vec3, ...]:
    """Unit vectors orthogonal to at most two directions, and to each other."""
    match directions:
        case []:
            return AXES
        case [u]:
            return _across(u)
        case [u, w]:
            return (u.cross(w),)
    return ()


def _across(axis: Vec3) -> tuple[Vec3, Vec3]:
    R = z_to(axis)
    return R @ X_AXIS, R @ Y_AXIS


def _allow(rows: tuple[Row, ...], joint: Joint) -> bool:
    """Whether the errors of the rows vanish wherever the joint can move its body."""
    moved = [joint.integrate(joint.neutral(), [0.3 * (k + 1) * sign for k in range(joint.nv)]) for sign in (1.0, -0.7)]
    return all(abs(row.error(joint.pose(q))) < EQUAL for row in rows for q in moved)
