"""Torques along a path, on scalars: linear in s̈ and ṡ², apart from gravity and friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.model import Model
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tolerances import ROUNDING

Scalars = Sequence[Scalar]


@dataclass(frozen=True, eq=False)
class Place:
    """Torques at a place: a s̈ + b ṡ² + gravity; the direction of each joint (-1, 0 or 1) and the bound of its viscous
    friction."""

    a: Scalars
    b: Scalars
    gravity: Scalars
    direction: Scalars
    drag: Scalars

    def flat(self) -> list[Scalar]:
        return [*self.a, *self.b, *self.gravity, *self.direction, *self.drag]

    @classmethod
    def of(cls, numbers: Scalars) -> Place:
        n = len(numbers) // len(cls.__dataclass_fields__)
        return cls(*(numbers[k * n : (k + 1) * n] for k in range(len(cls.__dataclass_fields__))))


@dataclass(frozen=True, eq=False)
class Torques:
    """The model, and the viscous and the dry friction of its joints."""

    model: Model
    viscous: Sequence[float]
    dry: Sequence[float]

    def place(self, path: Sequence[Scalars], fastest: Scalars) -> Place:
        """Where the path has these q, q' and q''; viscous friction is at the largest speed of the limits."""
        q, d, e = path
        zero = [0.0] * len(d)
        gravity, with_d, with_e = (list(inverse_dynamics(self.model, q, *x)) for x in ((zero, zero), (zero, d), (d, e)))
        drag: list[Scalar] = list(zero)
        if any(self.viscous):
            square = largest_square(d, fastest)
            drag = [c * sqrt(square * x * x) for c, x in zip(self.viscous, d, strict=True)]
        a, b = ([x - g for x, g in zip(tau, gravity, strict=True)] for tau in (with_d, with_e))
        return Place(a, b, gravity, directions(d) if any(self.dry) else zero, drag)

    def rows(self, place: Place, turning: Scalars, most: Scalars, share: Scalar) -> list[list[Scalar]]:
        """Rows a, b, lower and upper; `turning` marks joints that turn nearby, where dry friction has the worse sign,
        and bounds are reduced to a share."""
        lower, upper = [], []
        for g, sign, drag, dry, turns, top in zip(
            place.gravity, place.direction, place.drag, self.dry, turning, most, strict=True
        ):
            held = g + dry * where(turns > 0.5, 0.0, sign) if dry else g
            room = top - drag - dry * where(turns > 0.5, 1.0, 0.0) if dry else top - drag
            low, high = -room - held, room - held
            lower.append(share * where(low > 0.0, 0.0, low))
            upper.append(share * where(high < 0.0, 0.0, high))
        return [list(place.a), list(place.b), lower, upper]

    def turning(self, before: Scalars, after: Scalars) -> list[Scalar]:
        """Which joints change their direction between two places."""
        if not any(self.dry):
            return [0.0] * len(before)
        return [where(x * y < 0.0, 1.0, 0.0) for x, y in zip(before, after, strict=True)]

    def overload(self, place: Place, most: Scalars) -> tuple[Scalar, Scalar]:
        """The joint whose gravity exceeds its limit most, and by how much."""
        largest: Scalar = -most[0]
        which: Scalar = 0.0 * most[0]
        for i, (g, top) in enumerate(zip(place.gravity, most, strict=True)):
            over = abs(g) - top
            which = where(over > largest, float(i), which)
            largest = where(over > largest, over, largest)
        return which, largest

    def ratios(
        self, path: Sequence[Scalars], u: Scalar, x: Scalar, turning: Scalars, most: Scalars, least: float
    ) -> list[Scalar]:
        """The part of each torque that is for motion, relative to what is left for it.

        Slower motion needs less for inertia, but not for gravity and dry friction; drag is kept as it is.
        """
        q, d, e = path
        zero = [0.0] * len(d)
        rate = sqrt(where(x > 0.0, x, 0.0))
        v = [rate * y for y in d]
        gravity = list(inverse_dynamics(self.model, q, zero, zero))
        tau = inverse_dynamics(self.model, q, v, [y * u + z * x for y, z in zip(d, e, strict=True)])
        signs = directions(d)
        ratios = []
        for full, g, sign, speed, turns, top, dry, viscous in zip(
            tau, gravity, signs, v, turning, most, self.dry, self.viscous, strict=True
        ):
            moving = full - g
            side = where(moving < 0.0, -1.0, 1.0)
            constant = g
            if dry:
                constant = constant + dry * where(turns > 0.5, side, sign)
            if viscous:
                constant = constant + viscous * speed
            free = top - side * constant
            free = where(free > least * top, free, least * top)
            ratios.append(abs(moving) / free)
        return ratios


def largest_square(d: Scalars, fastest: Scalars) -> Scalar:
    """The largest ṡ² by the speeds of the joints."""
    top, bottom = 1.0, 0.0
    for rate, v in zip(d, fastest, strict=True):
        square = v * v
        sooner = square * bottom < top * (rate * rate)
        top, bottom = where(sooner, square, top), where(sooner, rate * rate, bottom)
    return top / where(bottom > 0.0, bottom, 1.0)


def directions(d: Scalars) -> list[Scalar]:
    """1, -1, or 0 for joints that are still, but for rounding."""
    size: Scalar = 0.0 * d[0]
    for x in d:
        size = size + abs(x)
    small = ROUNDING * size
    return [where(x > small, 1.0, where(x < -small, -1.0, 0.0)) for x in d]
