"""The fastest motions of one joint between moving states, within limits of speed, acceleration and jerk, on scalars.

A motion changes its speed from v0 to a constant one, cruises, and changes it to v1.  Each change is as fast as the
limits allow: the acceleration rises, stays and falls, in three phases of constant jerk.  With σ the side to which the
straight change from v0 to v1 misses the goal, the cruising speed lies beyond both speeds on that side.  The distance
grows with it once it has the sign of σ, so that it follows by halving an interval; before, a few steps look for the
first place.

A motion that starts with an acceleration in the direction in which its speed must change need not lose all of it: if
the straight change only has to take a little longer, it is eased, and the acceleration falls in part before it rises.

A motion of given duration T has one cruising speed, too, at equal duration distance grows with it, or it cruises at
v0 and at v1, or its change is eased.  Not every T beyond the shortest one is possible, since a moving joint cannot
wait: there is one interval of durations, at most, that are too long for the slowest motion that does not turn back, and
too short for one that does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tolerances import ROUNDING

HALVINGS = 54
"""Of an interval of speeds, down to its last bit."""

PLACES = 24
"""Speeds of the wrong sign at which the first one that reaches the goal is looked for."""

NEVER = 1e300
"""Seconds, for durations that are not blocked."""


@dataclass(frozen=True)
class Change:
    """A change of speed in three phases: durations of rising, constant and falling acceleration, the side of it, and
    the distance on the way."""

    rising: Scalar
    steady: Scalar
    falling: Scalar
    side: Scalar
    distance: Scalar

    @property
    def duration(self) -> Scalar:
        return self.rising + self.steady + self.falling


def change(v0: Scalar, a0: Scalar, v1: Scalar, most: Scalar, jerk: Scalar) -> Change:
    """The fastest change from speed v0 with acceleration a0 to speed v1 with none."""
    side = where(v1 < v0 + a0 * abs(a0) / (2.0 * jerk), -1.0, 1.0)
    a = side * a0
    square = jerk * side * (v1 - v0) + 0.5 * a * a
    peak = sqrt(where(square > 0.0, square, 0.0))
    top = where(peak > most, most, peak)
    rising, falling = (top - a) / jerk, top / jerk
    rising = where(rising > 0.0, rising, 0.0)
    steady = where(peak > most, (square - most * most) / (jerk * most), 0.0)
    first = v0 * rising + side * rising * rising * (0.5 * a + jerk * rising / 6.0)
    v = v0 + side * rising * (a + 0.5 * jerk * rising)
    second = steady * (v + 0.5 * side * top * steady)
    v = v + side * top * steady
    third = falling * (v + side * falling * (0.5 * top - jerk * falling / 6.0))
    return Change(rising, steady, falling, side, first + second + third)


@dataclass(frozen=True)
class Goal:
    """A distance to travel between two speeds, and the limits; `turned` is the same, seen from the other side."""

    distance: Scalar
    v0: Scalar
    a0: Scalar
    v1: Scalar
    speed: Scalar
    most: Scalar
    jerk: Scalar

    def turned(self, side: Scalar) -> Goal:
        return Goal(
            side * self.distance, side * self.v0, side * self.a0, side * self.v1, self.speed, self.most, self.jerk
        )

    @property
    def without_acceleration(self) -> Scalar:
        """The speed that is reached when the acceleration ends as soon as it can."""
        return self.v0 + self.a0 * abs(self.a0) / (2.0 * self.jerk)

    def changes(self, v: Scalar) -> tuple[Change, Change]:
        """To the cruising speed v, and from it, seen backwards."""
        return (
            change(self.v0, self.a0, v, self.most, self.jerk),
            change(self.v1, 0.0 * self.v1, v, self.most, self.jerk),
        )

    def eased(self, share: Scalar) -> tuple[Scalar, Change]:
        """The straight change of speed whose acceleration first falls by a share: the time of falling, and the rest."""
        falling = share * abs(self.a0) / self.jerk
        v, a, _ = self._after(falling)
        return falling, change(v, a, self.v1, self.most, self.jerk)

    def _after(self, falling: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Speed, acceleration and distance after the acceleration has fallen for a time."""
        jerk = where(self.a0 > 0.0, -self.jerk, self.jerk)
        v = self.v0 + falling * (self.a0 + 0.5 * jerk * falling)
        return v, self.a0 + jerk * falling, falling * (self.v0 + falling * (0.5 * self.a0 + jerk * falling / 6.0))

    def eased_travelled(self, share: Scalar) -> tuple[Scalar, Scalar]:
        """Duration and distance of such a change."""
        falling, rest = self.eased(share)
        return falling + rest.duration, self._after(falling)[2] + rest.distance

    @property
    def can_ease(self) -> Scalar:
        """1 where the straight change of speed needs more acceleration of the side that there is at the start: then it
        may have less in between."""
        more = (self.v1 - self.without_acceleration) * where(self.a0 < 0.0, -1.0, 1.0)
        return where(more > 0.0, where(abs(self.a0) > 0.0, 1.0, 0.0), 0.0)

    def travelled(self, v: Scalar) -> tuple[Scalar, Scalar]:
        """Duration and distance of both changes."""
        first, last = self.changes(v)
        return first.duration + last.duration, first.distance + last.distance


def halved(low: Scalar, high: Scalar, is_beyond: Callable[[Scalar], Scalar]) -> Scalar:
    """The place between two at which a condition starts to hold (1 and not 0); the last place before it."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        beyond = is_beyond(middle) > 0.5
        low, high = where(beyond, low, middle), where(beyond, middle, high)
    return low


def side_of(goal: Goal) -> Scalar:
    """To which side the straight change of speed misses the goal."""
    straight = change(goal.v0, goal.a0, goal.v1, goal.most, goal.jerk)
    return where(goal.distance < straight.distance, -1.0, 1.0)


def shortest(goal: Goal) -> Scalar:
    """The duration of the fastest motion to a goal on the positive side."""
    start = goal.without_acceleration
    start = where(goal.v1 > start, goal.v1, start)
    first = where(start > 0.0, start, 0.0)

    def is_far(v: Scalar) -> Scalar:
        return where(goal.travelled(v)[1] < goal.distance, 0.0, 1.0)

    # below zero the distance may grow and shrink: the first speed that reaches the goal
    low, high, open_ = first, where(first > goal.speed, first, goal.speed), where(start < 0.0, 1.0, 0.0)
    for k in range(1, PLACES + 1):
        at = start * (1.0 - k / PLACES)
        reached = open_ * is_far(at) > 0.5
        low = where(reached, start * (1.0 - (k - 1) / PLACES), low)
        high = where(reached, at, high)
        open_ = where(reached, 0.0, open_)
    duration, distance = goal.travelled(goal.speed)
    cruising = duration + (goal.distance - distance) / goal.speed
    fastest = where(distance < goal.distance, cruising, goal.travelled(halved(low, high, is_far))[0])
    eased = eased_to(goal)
    return where(eased < fastest, eased, fastest)


def eased_to(goal: Goal) -> Scalar:
    """The duration of the first eased change of speed that reaches the goal; NEVER if none does."""
    can_ease = where(goal.a0 < 0.0, goal.can_ease, 0.0)

    def is_far(share: Scalar) -> Scalar:
        return where(goal.eased_travelled(share)[1] < goal.distance, 0.0, 1.0)

    low, high, open_ = 0.0 * goal.v1, 0.0 * goal.v1, can_ease
    for k in range(1, PLACES + 1):
        reached = open_ * is_far(k / PLACES + 0.0 * goal.v1) > 0.5
        low = where(reached, (k - 1) / PLACES, low)
        high = where(reached, k / PLACES, high)
        open_ = where(reached, 0.0, open_)
    share = halved(low, high, is_far)
    return where(high > 0.0, goal.eased_travelled(share)[0], NEVER)


def blocked(goal: Goal) -> tuple[Scalar, Scalar]:
    """Durations between which the slowest motion overshoots a goal on the positive side, (NEVER, NEVER) if there are
    none.

    The slowest motion of a duration dips to a low speed; as long as that is positive, waiting longer means going
    farther.
    """
    top = goal.without_acceleration
    top = where(goal.v1 < top, goal.v1, top)

    def overshoots(v: Scalar) -> Scalar:
        return where(goal.travelled(v)[1] > goal.distance, 1.0, 0.0)

    still = 0.0 * goal.v1
    begins = halved(top, still, overshoots)
    ends = halved(-goal.speed, still, overshoots)
    slowest, far = goal.travelled(-goal.speed)
    end = where(far > goal.distance, slowest + (far - goal.distance) / goal.speed, goal.travelled(ends)[0])
    exists = where(top > 0.0, overshoots(still), 0.0) > 0.5

    def eased_overshoots(share: Scalar) -> Scalar:
        return where(goal.eased_travelled(share)[1] > goal.distance, 1.0, 0.0)

    whole = 1.0 + still
    eases = where(goal.a0 > 0.0, goal.can_ease, 0.0) * eased_overshoots(whole)
    eased = goal.eased_travelled(halved(still, whole, eased_overshoots))[0]
    begin = where(eases > 0.5, eased, goal.travelled(begins)[0])
    return where(exists, begin, NEVER), where(exists, end, NEVER)


def cruising_speed(goal: Goal, duration: Scalar) -> Scalar:
    """The speed at which a motion of this duration cruises."""
    start = goal.without_acceleration
    higher, lower = where(goal.v1 > start, goal.v1, start), where(goal.v1 > start, start, goal.v1)
    above, below = where(higher > goal.speed, higher, goal.speed), where(lower < -goal.speed, lower, -goal.speed)

    def is_late(v: Scalar) -> Scalar:
        return where(goal.travelled(v)[0] > duration, 1.0, 0.0)

    fastest = where(is_late(above) > 0.5, halved(higher, above, is_late), above)
    slowest = where(is_late(below) > 0.5, halved(lower, below, is_late), below)

    def is_far(v: Scalar) -> Scalar:
        time, distance = goal.travelled(v)
        return where(distance + v * (duration - time) > goal.distance, 1.0, 0.0)

    return halved(slowest, fastest, is_far)


def _cruising_once(goal: Goal, duration: Scalar) -> list[Scalar]:
    """Durations and jerks of the seven phases with one cruising speed."""
    first, last = goal.changes(cruising_speed(goal, duration))
    cruise = duration - first.duration - last.duration
    cruise = where(cruise > 0.0, cruise, 0.0)
    up, down, zero = first.side * goal.jerk, last.side * goal.jerk, 0.0 * goal.jerk
    times = [first.rising, first.steady, first.falling, cruise, last.falling, last.steady, last.rising]
    return [*times, up, zero, -up, zero, -down, zero, down]


def _cruising_twice(goal: Goal, duration: Scalar) -> list[Scalar]:
    """Whether a motion can cruise at its first and at its last speed, and its phases.

    Motions of the same duration with one cruising speed between these two would take longer.
    """
    v, ramp = goal.without_acceleration, abs(goal.a0) / goal.jerk
    start = ramp * (goal.v0 + goal.a0 * ramp / 3.0)
    straight = change(v, 0.0 * v, goal.v1, goal.most, goal.jerk)
    remaining = duration - ramp - straight.duration
    difference = v - goal.v1
    missing = goal.distance - start - straight.distance - goal.v1 * remaining
    before = missing / where(difference * difference > 0.0, difference, 1.0)
    valid = where(before < 0.0, 0.0, where(before > remaining, 0.0, where(difference * difference > 0.0, 1.0, 0.0)))
    up, zero = straight.side * goal.jerk, 0.0 * goal.jerk
    back = where(goal.a0 > 0.0, -goal.jerk, goal.jerk)
    times = [ramp, before, straight.rising, straight.steady, straight.falling, remaining - before, zero]
    return [valid, *times, back, zero, up, zero, -up, zero, zero]


def _easing(goal: Goal, duration: Scalar) -> list[Scalar]:
    """Whether an eased change of speed, and then cruising at the last speed, reaches the goal, and its phases."""
    side = where(goal.a0 < 0.0, -1.0, 1.0)

    def missing(share: Scalar) -> Scalar:
        time, distance = goal.eased_travelled(share)
        return side * (distance + goal.v1 * (duration - time) - goal.distance)

    def is_short(share: Scalar) -> Scalar:
        return where(missing(share) > 0.0, 0.0, 1.0)

    none = 0.0 * goal.v1
    share = halved(none, 1.0 + none, is_short)
    falling, rest = goal.eased(share)
    remaining = duration - falling - rest.duration
    valid = goal.can_ease * where(missing(none) < 0.0, 0.0, is_short(1.0 + none))
    valid = where(remaining < -ROUNDING * duration, 0.0, valid)
    up = rest.side * goal.jerk
    times = [falling, rest.rising, rest.steady, rest.falling, where(remaining > 0.0, remaining, 0.0), none, none]
    return [valid, *times, -side * goal.jerk, up, none, -up, none, none, none]


PORTS = tuple(Port(name, ()) for name in ("distance", "v0", "a0", "v1", "speed", "most", "jerk"))


@cache
def durations_kernel() -> CompiledFunction:
    """The shortest duration, and those between which no motion exists."""

    def durations(*inputs: Scalar) -> tuple[Scalar, ...]:
        goal = Goal(*inputs)
        goal = goal.turned(side_of(goal))
        return shortest(goal), *blocked(goal)

    return _function(durations, PORTS, ("shortest", "begins", "ends"))


@cache
def phases_kernel() -> CompiledFunction:
    """Durations and jerks of the seven phases of a motion of given duration."""

    def phases(*inputs: Scalar) -> tuple[Scalar, ...]:
        goal, duration = Goal(*inputs[:-1]), inputs[-1]
        cruising = _cruising_once(goal, duration)
        for valid, *others in (_cruising_twice(goal, duration), _easing(goal, duration)):
            cruising = [where(valid > 0.5, y, x) for x, y in zip(cruising, others, strict=True)]
        return tuple(cruising)

    names = [f"{what} {k}" for what in ("time", "jerk") for k in range(7)]
    return _function(phases, (*PORTS, Port("duration", ())), tuple(names))


def _function(function: Callable[..., object], ports: tuple[Port, ...], outputs: tuple[str, ...]) -> CompiledFunction:
    compiled = CompiledFunction(function, ports, tuple(Port(name, ()) for name in outputs))
    compiled.needs_double = True
    return compiled
