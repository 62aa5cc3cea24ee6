"""Torques along a path, on scalars: linear in s̈ and ṡ², apart from gravity and friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.model import Model
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tolerances import ROUNDING

Scalars = Sequence[Scalar]

WITHOUT_FRICTION = 3
"""Numbers of a place for each joint: the first fields."""

ALLOWED = 5e-4
"""The part of its limit by which gravity and dry friction may exceed it between points, and then as much again is left
for motion: the motions are slow there, and within a thousandth of the limit."""


@dataclass(frozen=True, eq=False)
class Place:
    """Torques at a place: a s̈ + b ṡ² + gravity; the direction of each joint (-1, 0 or 1) and the bound of its viscous
    friction."""

    a: Scalars
    b: Scalars
    gravity: Scalars
    direction: Scalars
    drag: Scalars


@dataclass(frozen=True, eq=False)
class Torques:
    """The model, and the viscous and the dry friction of its joints."""

    model: Model
    viscous: Sequence[float]
    dry: Sequence[float]

    @property
    def has_friction(self) -> bool:
        return any(self.dry) or any(self.viscous)

    @property
    def numbers(self) -> int:
        """Of a place, for each joint."""
        return len(fields(Place)) if self.has_friction else WITHOUT_FRICTION

    def flat(self, place: Place) -> list[Scalar]:
        """These numbers, one kind after the other."""
        parts = [place.a, place.b, place.gravity, place.direction, place.drag]
        return [x for part in parts[: self.numbers] for x in part]

    def read(self, numbers: Scalars) -> Place:
        """The place with these numbers."""
        n = len(self.dry)
        parts = [numbers[k : k + n] for k in range(0, len(numbers), n)]
        return Place(*parts, *[[0.0] * n] * (len(fields(Place)) - len(parts)))

    def place(self, path: Sequence[Scalars], reach: Scalar) -> Place:
        """Where the path has these q, q' and q''; viscous friction is at most that with ṡ² = `reach`."""
        q, d, e = path
        zero = [0.0] * len(d)
        gravity, with_d, with_e = (list(inverse_dynamics(self.model, q, *x)) for x in ((zero, zero), (zero, d), (d, e)))
        drag: list[Scalar] = list(zero)
        if any(self.viscous):
            rate = sqrt(reach)
            drag = [c * abs(x) * rate if c else 0.0 for c, x in zip(self.viscous, d, strict=True)]
        a, b = ([x - g for x, g in zip(tau, gravity, strict=True)] for tau in (with_d, with_e))
        return Place(a, b, gravity, directions(d) if self.has_friction else zero, drag)

    def rows(self, place: Place, turning: Scalars, most: Scalars, share: Scalar) -> list[list[Scalar]]:
        """Rows a, b, lower and upper; `turning` marks joints that turn nearby, where friction has the worse sign, and
        bounds are reduced to a share.  Elsewhere viscous friction, between zero and its bound, opposes the motion."""
        lower, upper = [], []
        for g, sign, drag, dry, viscous, turns, top in zip(
            place.gravity, place.direction, place.drag, self.dry, self.viscous, turning, most, strict=True
        ):
            held = g + dry * where(turns > 0.5, 0.0, sign) if dry else g
            room = top - dry * where(turns > 0.5, 1.0, 0.0) if dry else top
            low, high = -room - held, room - held
            if viscous:
                low = low + where(turns > 0.5, drag, where(sign > 0.0, 0.0, drag))
                high = high - where(turns > 0.5, drag, where(sign < 0.0, 0.0, drag))
            lower.append(share * where(low > 0.0, 0.0, low))
            upper.append(share * where(high < 0.0, 0.0, high))
        return [list(place.a), list(place.b), lower, upper]

    def turning(self, before: Scalars, after: Scalars) -> list[Scalar]:
        """Which joints change their direction between two places."""
        if not self.has_friction:
            return [0.0] * len(before)
        return [where(x * y < 0.0, 1.0, 0.0) for x, y in zip(before, after, strict=True)]

    def overload(self, place: Place, most: Scalars) -> tuple[Scalar, Scalar]:
        """The joint whose gravity and dry friction exceed its limit most, and by how much."""
        largest: Scalar = -most[0]
        which: Scalar = 0.0 * most[0]
        for i, (g, sign, dry, top) in enumerate(zip(place.gravity, place.direction, self.dry, most, strict=True)):
            over = abs(g + dry * sign if dry else g) - top
            which = where(over > largest, float(i), which)
            largest = where(over > largest, over, largest)
        return which, largest

    def ratios(
        self, path: Sequence[Scalars], u: Scalar, x: Scalar, turning: Scalars, most: Scalars
    ) -> tuple[list[Scalar], list[Scalar]]:
        """The part of each torque that is for motion, relative to what is left for it; and by which part of its limit
        gravity and dry friction exceed it.

        Motion that is slower by a factor k needs k² times less for inertia, and k times less against viscous friction.
        """
        q, d, e = path
        zero = [0.0] * len(d)
        rate = sqrt(where(x > 0.0, x, 0.0))
        v = [rate * y for y in d]
        gravity = list(inverse_dynamics(self.model, q, zero, zero))
        tau = inverse_dynamics(self.model, q, v, [y * u + z * x for y, z in zip(d, e, strict=True)])
        signs = directions(d)
        ratios, overs = [], []
        for full, g, sign, speed, turns, top, dry, viscous in zip(
            tau, gravity, signs, v, turning, most, self.dry, self.viscous, strict=True
        ):
            moving, least = full - g, ALLOWED * top
            side = where(moving < 0.0, -1.0, 1.0)
            if viscous:
                ahead = where(speed < 0.0, -1.0, 1.0)
                room, back = (_left(x, g, dry, x * sign, turns, top) for x in (ahead, -ahead))
                ratio = _against_drag(ahead * moving, viscous * abs(speed), room, back, least)
            else:
                ratio = abs(moving) / _left(side, g, dry, side * sign, turns, top)
            ratios.append(ratio)
            overs.append(abs(g + dry * sign if dry else g) / top - 1.0)
        return ratios, overs


def _left(side: Scalar, g: Scalar, dry: float, sign: Scalar, turns: Scalar, top: Scalar) -> Scalar:
    """What gravity and dry friction leave of a torque on one side, or the least that counts."""
    free = top - side * g - dry * where(turns > 0.5, 1.0, sign) if dry else top - side * g
    return where(free > ALLOWED * top, free, ALLOWED * top)


def _against_drag(moving: Scalar, drag: Scalar, ahead: Scalar, back: Scalar, least: Scalar) -> Scalar:
    """By what square of a factor a motion must be slower: `moving` and `drag` act ahead, with what is left there, and
    what is left of the torque that acts back."""
    free = ahead - drag
    both = (moving + drag) / ahead
    square = where(both > 0.0, both * both, 0.0)
    with_inertia = moving / where(free > least, free, least)
    square = where(moving > 0.0, where(with_inertia < square, with_inertia, square), square)
    alone = (drag / ahead) * (drag / ahead)  # slower motion has less of the inertia that helps against drag
    square = where(moving < 0.0, where(both > 1.0, alone, square), square)
    braking = (-moving - drag) / back
    return where(braking > square, braking, square)


def directions(d: Scalars) -> list[Scalar]:
    """1, -1, or 0 for joints that are still, but for rounding."""
    size: Scalar = 0.0 * d[0]
    for x in d:
        size = size + abs(x)
    small = ROUNDING * size
    return [where(x > small, 1.0, where(x < -small, -1.0, 0.0)) for x in d]
