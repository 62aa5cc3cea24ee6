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
from sixvec.tolerances import EQUAL, ROUNDING

HALVINGS = 54
"""Of an interval of speeds, down to its last bit."""

PLACES = 24
"""Speeds of the wrong sign at which the first one that reaches the goal is looked for."""

THIRDS = 24
"""Of an interval of speeds, in the search for the largest distance."""

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


def change(v0: Scalar, a0: Scalar, v1: Scalar, most: Scalar, jerk: Scalar, a1: Scalar = 0.0) -> Change:
    """The fastest change from speed v0 with acceleration a0 to speed v1 with acceleration a1."""
    side = where(v1 < v0 + (a0 + a1) * abs(a1 - a0) / (2.0 * jerk), -1.0, 1.0)
    a, last = side * a0, side * a1
    square = jerk * side * (v1 - v0) + 0.5 * (a * a + last * last)
    peak = sqrt(where(square > 0.0, square, 0.0))
    top = where(peak > most, most, peak)
    rising, falling = (top - a) / jerk, (top - last) / jerk
    rising, falling = where(rising > 0.0, rising, 0.0), where(falling > 0.0, falling, 0.0)
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
    a1: Scalar
    speed: Scalar
    most: Scalar
    jerk: Scalar

    def turned(self, side: Scalar) -> Goal:
        distance, v0, a0, v1, a1 = (side * x for x in (self.distance, self.v0, self.a0, self.v1, self.a1))
        return Goal(distance, v0, a0, v1, a1, self.speed, self.most, self.jerk)

    @property
    def backwards(self) -> Goal:
        """The same distance with the speeds in reverse order."""
        return Goal(self.distance, self.v1, -self.a1, self.v0, -self.a0, self.speed, self.most, self.jerk)

    @property
    def without_acceleration(self) -> Scalar:
        """The speed that is reached when the acceleration ends as soon as it can."""
        return self.v0 + self.a0 * abs(self.a0) / (2.0 * self.jerk)

    @property
    def last_speed(self) -> Scalar:
        """The speed from which the acceleration at the end is reached as soon as it can."""
        return self.backwards.without_acceleration

    @property
    def straight(self) -> Change:
        return change(self.v0, self.a0, self.v1, self.most, self.jerk, self.a1)

    def changes(self, v: Scalar) -> tuple[Change, Change]:
        """To the cruising speed v, and from it, seen backwards."""
        return (
            change(self.v0, self.a0, v, self.most, self.jerk),
            change(self.v1, -self.a1, v, self.most, self.jerk),
        )

    def eased(self, share: Scalar) -> tuple[Scalar, Change]:
        """The straight change of speed whose acceleration first falls by a share: the time of falling, and the rest."""
        falling = share * abs(self.a0) / self.jerk
        v, a, _ = self._after(falling)
        return falling, change(v, a, self.v1, self.most, self.jerk, self.a1)

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
        more = self.straight.side * where(self.a0 < 0.0, -1.0, 1.0)
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


def shortest(goal: Goal) -> Scalar:
    """The duration of the fastest motion that first turns to the positive side; NEVER if none arrives."""
    start, end = goal.without_acceleration, goal.last_speed
    start = where(end > start, end, start)
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
    peak = _arriving(goal, *goal.travelled(halved(low, high, is_far)))
    fastest = where(distance < goal.distance, cruising, peak)
    for each in (goal, goal.backwards):
        eased = eased_to(each)
        fastest = where(eased < fastest, eased, fastest)
    return fastest


def _arriving(goal: Goal, duration: Scalar, distance: Scalar) -> Scalar:
    """The duration of a motion that goes so far, NEVER if it misses the goal."""
    missed = abs(distance - goal.distance) - EQUAL * (abs(goal.distance) + goal.speed * duration)
    return where(missed > 0.0, NEVER, duration)


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
    arriving = _arriving(goal, *goal.eased_travelled(halved(low, high, is_far)))
    return where(high > 0.0, arriving, NEVER)


def blocked(goal: Goal) -> tuple[Scalar, Scalar]:
    """Durations between which the slowest motion overshoots a goal on the positive side, (NEVER, NEVER) if there are
    none.

    The slowest motion of a duration dips to a low speed.  At first, waiting longer means going farther, until the dip
    is deep.
    """
    top, end = goal.without_acceleration, goal.last_speed
    top = where(end < top, end, top)

    def overshoots(v: Scalar) -> Scalar:
        return where(goal.travelled(v)[1] > goal.distance, 1.0, 0.0)

    still = 0.0 * goal.v1
    deep, high = still, where(top > 0.0, top, still)
    for _ in range(THIRDS):  # the dip with which the slowest motion goes farthest
        one, other = deep + (high - deep) / 3.0, high - (high - deep) / 3.0
        rises = goal.travelled(one)[1] < goal.travelled(other)[1]
        deep, high = where(rises, one, deep), where(rises, high, other)
    begins = halved(top, deep, overshoots)
    ends = halved(-goal.speed, deep, overshoots)
    slowest, far = goal.travelled(-goal.speed)
    end = where(far > goal.distance, slowest + (far - goal.distance) / goal.speed, goal.travelled(ends)[0])
    exists = where(top > 0.0, overshoots(deep), 0.0) > 0.5

    def eased_overshoots(share: Scalar) -> Scalar:
        return where(goal.eased_travelled(share)[1] > goal.distance, 1.0, 0.0)

    whole = 1.0 + still
    eases = where(goal.a0 > 0.0, goal.can_ease, 0.0) * eased_overshoots(whole)
    eased = goal.eased_travelled(halved(still, whole, eased_overshoots))[0]
    begin = where(eases > 0.5, eased, goal.travelled(begins)[0])
    return where(exists, begin, NEVER), where(exists, end, NEVER)


def extreme_speeds(goal: Goal, duration: Scalar) -> tuple[Scalar, Scalar]:
    """The lowest and the highest speed at which a motion of this duration cruises."""
    start, end = goal.without_acceleration, goal.last_speed
    higher, lower = where(end > start, end, start), where(end > start, start, end)
    above, below = where(higher > goal.speed, higher, goal.speed), where(lower < -goal.speed, lower, -goal.speed)

    def is_late(v: Scalar) -> Scalar:
        return where(goal.travelled(v)[0] > duration, 1.0, 0.0)

    fastest = where(is_late(above) > 0.5, halved(higher, above, is_late), above)
    return where(is_late(below) > 0.5, halved(lower, below, is_late), below), fastest


def _cruising_at(goal: Goal, v: Scalar, duration: Scalar) -> list[Scalar]:
    """Durations and jerks of the seven phases with this cruising speed."""
    first, last = goal.changes(v)
    cruise = duration - first.duration - last.duration
    cruise = where(cruise > 0.0, cruise, 0.0)
    up, down, zero = first.side * goal.jerk, last.side * goal.jerk, 0.0 * goal.jerk
    times = [first.rising, first.steady, first.falling, cruise, last.falling, last.steady, last.rising]
    return [*times, up, zero, -up, zero, -down, zero, down]


def _cruising_once(goal: Goal, duration: Scalar) -> list[Scalar]:
    """The phases with the one cruising speed that leads to the goal."""

    def is_far(v: Scalar) -> Scalar:
        time, distance = goal.travelled(v)
        return where(distance + v * (duration - time) > goal.distance, 1.0, 0.0)

    return _cruising_at(goal, halved(*extreme_speeds(goal, duration), is_far), duration)


def _cruising_twice(goal: Goal, duration: Scalar) -> list[Scalar]:
    """Whether a motion can cruise at its first and at its last speed, and its phases.

    Motions of the same duration with one cruising speed between these two would take longer.
    """
    v, ramp, v1, last_ramp = (
        goal.without_acceleration,
        abs(goal.a0) / goal.jerk,
        goal.last_speed,
        abs(goal.a1) / goal.jerk,
    )
    ramps = ramp * (goal.v0 + goal.a0 * ramp / 3.0) + last_ramp * (goal.v1 - goal.a1 * last_ramp / 3.0)
    straight = change(v, 0.0 * v, v1, goal.most, goal.jerk)
    remaining = duration - ramp - last_ramp - straight.duration
    difference = v - v1
    missing = goal.distance - ramps - straight.distance - v1 * remaining
    before = missing / where(difference * difference > 0.0, difference, 1.0)
    valid = where(before < 0.0, 0.0, where(before > remaining, 0.0, where(difference * difference > 0.0, 1.0, 0.0)))
    up, zero = straight.side * goal.jerk, 0.0 * goal.jerk
    back, ahead = where(goal.a0 > 0.0, -goal.jerk, goal.jerk), where(goal.a1 > 0.0, goal.jerk, -goal.jerk)
    times = [ramp, before, straight.rising, straight.steady, straight.falling, remaining - before, last_ramp]
    return [valid, *times, back, zero, up, zero, -up, zero, ahead]


def _easing(goal: Goal, duration: Scalar) -> list[Scalar]:
    """Whether an eased change of speed, and then cruising at the last speed, reaches the goal, and its phases.

    A change to an acceleration of the same side as at the start never loses all of it, and does not cruise.
    """
    side, none = where(goal.a0 < 0.0, -1.0, 1.0), 0.0 * goal.v1
    keeps = goal.a0 * goal.a1 > 0.0
    ramp = where(keeps, 0.0, abs(goal.a1) / goal.jerk)
    way = goal.distance - ramp * (goal.v1 - goal.a1 * ramp / 3.0)
    v1, a1 = where(keeps, goal.v1, goal.last_speed), where(keeps, goal.a1, 0.0)
    change_alone, cruise = Goal(way, goal.v0, goal.a0, v1, a1, goal.speed, goal.most, goal.jerk), where(keeps, 0.0, v1)

    def missing(share: Scalar) -> Scalar:
        time, distance = change_alone.eased_travelled(share)
        return side * (distance + cruise * (duration - ramp - time) - way)

    def is_short(share: Scalar) -> Scalar:
        return where(missing(share) > 0.0, 0.0, 1.0)

    falling, rest = change_alone.eased(halved(none, 1.0 + none, is_short))
    remaining = duration - ramp - falling - rest.duration
    valid = change_alone.can_ease * where(missing(none) < 0.0, 0.0, is_short(1.0 + none))
    valid = where(remaining < -ROUNDING * duration, 0.0, valid)
    valid = where(keeps, where(remaining > EQUAL * duration, 0.0, valid), valid)
    up, ahead = rest.side * goal.jerk, where(goal.a1 > 0.0, goal.jerk, -goal.jerk)
    remaining = where(keeps, 0.0, where(remaining > 0.0, remaining, 0.0))
    times = [falling, rest.rising, rest.steady, rest.falling, remaining, ramp, none]
    return [valid, *times, -side * goal.jerk, up, none, -up, none, ahead, none]


def _easing_at_the_end(goal: Goal, duration: Scalar) -> list[Scalar]:
    """The same for the end: the phases of the motion with the speeds in reverse order."""
    valid, *phases = _easing(goal.backwards, duration)
    return [valid, *phases[6::-1], *phases[:6:-1]]


PORTS = tuple(Port(name, ()) for name in ("distance", "v0", "a0", "v1", "a1", "speed", "most", "jerk"))


PHASES = tuple(f"{what} {k}" for what in ("time", "jerk") for k in range(7))


@cache
def durations_kernel() -> CompiledFunction:
    """The shortest duration of motions that first turn to a side, and those between which none exists."""

    def durations(side: Scalar, *inputs: Scalar) -> tuple[Scalar, ...]:
        goal = Goal(*inputs).turned(side)
        return shortest(goal), *blocked(goal)

    return _function(durations, (Port("side", ()), *PORTS), ("shortest", "begins", "ends"))


@cache
def phases_kernel() -> CompiledFunction:
    """Durations and jerks of the seven phases of a motion of given duration."""

    def phases(*inputs: Scalar) -> tuple[Scalar, ...]:
        goal, duration = Goal(*inputs[:-1]), inputs[-1]
        cruising = _cruising_once(goal, duration)
        for valid, *others in (part(goal, duration) for part in (_cruising_twice, _easing, _easing_at_the_end)):
            cruising = [where(valid > 0.5, y, x) for x, y in zip(cruising, others, strict=True)]
        return tuple(cruising)

    return _function(phases, (*PORTS, Port("duration", ())), PHASES)


@cache
def extremes_kernel() -> CompiledFunction:
    """The phases of the motions of given duration that go least far and farthest."""

    def extremes(*inputs: Scalar) -> tuple[Scalar, ...]:
        goal, duration = Goal(*inputs[:-1]), inputs[-1]
        return tuple(x for v in extreme_speeds(goal, duration) for x in _cruising_at(goal, v, duration))

    names = [f"{which} {name}" for which in ("nearest", "farthest") for name in PHASES]
    return _function(extremes, (*PORTS, Port("duration", ())), tuple(names))


def _function(function: Callable[..., object], ports: tuple[Port, ...], outputs: tuple[str, ...]) -> CompiledFunction:
    compiled = CompiledFunction(function, ports, tuple(Port(name, ()) for name in outputs))
    compiled.needs_double = True
    return compiled
