"""The motions of one joint that go farthest in a given time, within limits of speed, acceleration and jerk, on scalars.

All motions between two moving states that take the same time and keep the limits form a convex set, and the distance
is linear on it.  A duration is possible if the goal lies between the least and the largest distance, and a mean of the
two motions that go so far arrives there: these two are all there is to know.

By Pontryagin's principle the farthest motion has an acceleration that rises to x, falls to y and rises to its value
at the end; it stays at the limits of acceleration, and the motion cruises at the limit of speed.  The speeds at the
ends give y² - x², where squares beyond the limits stand for the time there, and so the motions are one family in x.
Its order in time is chosen such that |y| ≥ |x|.  Duration grows with x, and the derivative of the distance with respect
to it is, with the speed v where the acceleration starts to fall from x to y,

    v + x (x - y) / (2 j),

which falls and then grows with x.  So distance grows, falls and grows: there are few durations at which it is that of
the goal, and they follow by halving intervals.  Where all accelerations of a motion have one sign, there may be
a gap: durations that are too long to go straight on, and too short to turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tolerances import EQUAL, ROUNDING

HALVINGS = 54
"""Of an interval of accelerations, down to its last bit."""

NEVER = 1e300
"""Seconds, for durations that are not blocked."""

BLOCKED = 4
"""Intervals of durations in which all motions fall short: before the first, and up to three later ones."""

SIDES = (1.0, -1.0)

STEEPEST = 2.0 - 3.0**0.5
"""x / y at which the distance grows least with the duration."""


@dataclass(frozen=True)
class Goal:
    """A distance to travel between two states, and the limits."""

    distance: Scalar
    v0: Scalar
    a0: Scalar
    v1: Scalar
    a1: Scalar
    speed: Scalar
    most: Scalar
    jerk: Scalar

    def turned(self, side: Scalar) -> Goal:
        """The same, seen from the positive or the negative side."""
        distance, v0, a0, v1, a1 = (side * x for x in (self.distance, self.v0, self.a0, self.v1, self.a1))
        return Goal(distance, v0, a0, v1, a1, self.speed, self.most, self.jerk)

    @property
    def growth(self) -> Scalar:
        """x² - y² of the farthest motions."""
        return self.jerk * (self.v1 - self.v0) + 0.5 * (self.a0 * self.a0 - self.a1 * self.a1)

    def backwards(self, is_reversed: Scalar) -> Goal:
        """The same distance with the states in reverse order, where 1 ≤ `is_reversed`."""
        pairs = ((self.v0, self.v1), (self.a0, -self.a1), (self.v1, self.v0), (self.a1, -self.a0))
        v0, a0, v1, a1 = (where(is_reversed > 0.5, other, one) for one, other in pairs)
        return Goal(self.distance, v0, a0, v1, a1, self.speed, self.most, self.jerk)


@dataclass(frozen=True)
class Phases:
    """Seconds in which the acceleration rises, stays, falls to zero, falls below it, stays and rises."""

    rising: Scalar
    high: Scalar
    falling: Scalar
    below: Scalar
    low: Scalar
    last: Scalar
    duration: Scalar
    distance: Scalar


def halved(low: Scalar, high: Scalar, is_beyond: Callable[[Scalar], Scalar]) -> Scalar:
    """The place between two at which a condition starts to hold (1 and not 0); the last place before it."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        beyond = is_beyond(middle) > 0.5
        low, high = where(beyond, low, middle), where(beyond, middle, high)
    return low


def _larger(x: Scalar, y: Scalar) -> Scalar:
    return where(x > y, x, y)


class Farthest:
    """The family of the farthest motions to a goal, in which 1 ≤ `is_reversed` where time runs backwards.

    It begins with x from `first` to `before`, where accelerations of one sign end, goes on from `after`, and ends with
    `top`, which reaches the limit of speed.
    """

    def __init__(self, goal: Goal) -> None:
        growth = goal.growth
        rounding = ROUNDING * (goal.a0 * goal.a0 + goal.a1 * goal.a1 + goal.jerk * (abs(goal.v0) + abs(goal.v1)))
        rises = where(goal.a0 < 0.0, 0.0, goal.a1)  # without a difference, either order has |y| = |x|
        self.drop = where(abs(growth) > rounding, abs(growth), 0.0)
        self.is_reversed = where(where(self.drop > 0.0, growth, rises) > 0.0, 1.0, 0.0)
        self.goal = goal = goal.backwards(self.is_reversed)
        rest = goal.a1 * goal.a1 - self.drop
        self.gap = where(goal.a1 < 0.0, where(rest > rounding, sqrt(_larger(rest, 0.0)), 0.0), 0.0)
        self.after = _larger(goal.a0, self.gap)
        longer = goal.a0 * goal.a0 > self.gap * self.gap - rounding
        goes_straight = where(goal.a0 < 0.0, where(longer, 1.0, 0.0), 0.0) > 0.5
        self.first = where(goes_straight, goal.a0, self.after)
        self.before = where(goes_straight, _larger(-self.gap, goal.a0), self.after)
        self.is_cut = where(goes_straight, where(self.gap > 0.0, 1.0, 0.0), 0.0)
        square = goal.jerk * (goal.speed - goal.v0) + 0.5 * goal.a0 * goal.a0
        self.top = _larger(sqrt(_larger(square, 0.0)), self.after)

    def phases(self, x: Scalar) -> Phases:
        goal = self.goal
        square = x * x
        fall = square + self.drop
        highest, lowest = where(x > goal.most, goal.most, x), sqrt(fall)
        lowest = -where(lowest > goal.most, goal.most, lowest)
        limit, share = goal.most * goal.most, 1.0 / (goal.jerk * goal.most)
        high = where(x > goal.most, (square - limit) * share, 0.0)
        low = _larger((fall - limit) * share, 0.0)
        rising, last = (_larger((x - a) / goal.jerk, 0.0) for x, a in ((highest, goal.a0), (goal.a1, lowest)))
        over = _larger(highest, 0.0)
        falling, below = over / goal.jerk, _larger((highest - over - lowest) / goal.jerk, 0.0)
        distance, v = self._risen(goal.v0, goal.a0, rising)
        distance, v = distance + high * (v + 0.5 * highest * high), v + highest * high
        # the rest is seen from the end
        end, v1 = self._risen(goal.v1, -goal.a1, last)
        end, v1 = end + low * (v1 - 0.5 * lowest * low), v1 - lowest * low
        fallen = falling + below
        middle = fallen * (v + fallen * (0.5 * highest - goal.jerk * fallen / 6.0))
        time = rising + high + fallen + low + last
        return Phases(rising, high, falling, below, low, last, time, distance + middle + end)

    def _risen(self, v: Scalar, a: Scalar, time: Scalar) -> tuple[Scalar, Scalar]:
        """Distance and speed after the acceleration has risen for a time."""
        jerk = self.goal.jerk
        return time * (v + time * (0.5 * a + jerk * time / 6.0)), v + time * (a + 0.5 * jerk * time)

    def growth(self, x: Scalar) -> Scalar:
        """The derivative of the distance with respect to the duration, times the jerk."""
        goal, most = self.goal, self.goal.most
        highest, lowest = where(x > most, most, x), sqrt(x * x + self.drop)
        lowest = where(lowest > most, most, lowest)
        return goal.jerk * goal.v0 - 0.5 * goal.a0 * goal.a0 + x * x + 0.5 * highest * lowest

    @cached_property
    def turns(self) -> tuple[Scalar, Scalar, Scalar]:
        """x where the distance starts to fall and to grow again, and where it grows after the gap."""
        goal = self.goal
        limit = goal.most * goal.most
        least, share = sqrt(self.drop), STEEPEST / (1.0 - STEEPEST**2) ** 0.5
        flat = -share * least
        at_limit, edge = -0.25 * goal.most, -sqrt(_larger(limit - self.drop, 0.0))
        flat = where(flat * flat + self.drop > limit, where(at_limit < edge, at_limit, edge), flat)
        flat = _larger(where(flat > self.before, self.before, flat), self.first)

        def grows(x: Scalar) -> Scalar:
            return where(self.growth(x) < 0.0, 0.0, 1.0)

        falling = halved(self.first, flat, lambda x: 1.0 - grows(x))
        return falling, halved(flat, self.before, grows), halved(self.after, self.top, grows)


def blocked(goal: Goal) -> list[tuple[Scalar, Scalar]]:
    """Intervals of durations in which all motions fall short, from -1 if they are the first; (NEVER, NEVER) if there
    are fewer."""
    motions = Farthest(goal)
    goal = motions.goal

    def is_far(x: Scalar) -> Scalar:
        return where(motions.phases(x).distance < goal.distance, 0.0, 1.0)

    def is_near(x: Scalar) -> Scalar:
        return 1.0 - is_far(x)

    def arrives(phases: Phases) -> Scalar:
        slack = EQUAL * (abs(goal.distance) + phases.duration * (abs(goal.v0) + abs(goal.v1)))
        return where(phases.distance < goal.distance - slack, 0.0, 1.0) > 0.5

    falls, grows, rest = motions.turns
    at = [motions.phases(x) for x in (falls, grows, motions.before, motions.after, rest, motions.top)]
    one, two, three, four, five = (arrives(phases) for phases in at[:-1])

    def when(low: Scalar, high: Scalar, condition: Callable[[Scalar], Scalar]) -> Scalar:
        return motions.phases(halved(low, high, condition)).duration

    missing = goal.distance - at[-1].distance
    cruise = at[-1].duration + missing / goal.speed
    last = where(missing > 0.0, cruise, when(rest, motions.top, is_far))
    first = -1.0 + 0.0 * goal.v1
    intervals = [(where(one, first, NEVER), where(one, when(motions.first, falls, is_far), NEVER))]
    since = where(one, when(falls, grows, is_near), first)
    again = where(two, 0.0, where(three, 1.0, 0.0)) > 0.5
    intervals.append((where(again, since, NEVER), where(again, when(grows, motions.before, is_far), NEVER)))
    since = where(three, at[2].duration, since)
    turned = where(four, motions.is_cut, 0.0) > 0.5
    intervals.append((where(turned, since, NEVER), where(turned, at[3].duration, NEVER)))
    since = where(four, when(motions.after, rest, is_near), since)
    intervals.append((where(five, NEVER, since), where(five, NEVER, last)))
    return intervals


def farthest(goal: Goal, duration: Scalar) -> tuple[list[Scalar], Scalar]:
    """Seconds of the seven phases of the farthest motion of a duration, and its distance; the acceleration rises in the
    first and the last, falls in the third and the fifth, and stays in between."""
    motions = Farthest(goal)

    def is_late(x: Scalar) -> Scalar:
        return where(motions.phases(x).duration > duration, 1.0, 0.0)

    gap = [motions.phases(x).duration for x in (motions.before, motions.after)]
    straight = duration < 0.5 * (gap[0] + gap[1])
    low, high = where(straight, motions.first, motions.after), where(straight, motions.before, motions.top)
    end = motions.phases(high)
    at = motions.phases(where(end.duration > duration, halved(low, high, is_late), high))
    cruise = _larger(duration - at.duration, 0.0)
    times = [at.rising, at.high, at.falling, cruise, at.below, at.low, at.last]
    times = [where(motions.is_reversed > 0.5, y, x) for x, y in zip(times, times[::-1], strict=True)]
    return times, at.distance + where(straight, 0.0, cruise * goal.speed)


def mean(goal: Goal, duration: Scalar) -> tuple[list[list[Scalar]], Scalar, Scalar]:
    """Phases of the motions of a duration that go farthest and least far, the share of the second one in the mean that
    arrives, and by how much that misses the goal."""
    (far, most), (near, least) = (farthest(goal.turned(side), duration) for side in SIDES)
    span = most + least
    share = (most - goal.distance) / where(span > 0.0, span, 1.0)
    inside = where(share < 0.0, 0.0, where(share > 1.0, 1.0, share))
    return [far, near], inside, abs((share - inside) * span)


PORTS = tuple(Port(name, ()) for name in ("distance", "v0", "a0", "v1", "a1", "speed", "most", "jerk"))

RISES = (1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0)
"""Which way the acceleration goes in the phases of a farthest motion."""


@cache
def blocked_kernel() -> CompiledFunction:
    """The durations in which no motion goes far enough to a side."""

    def durations(side: Scalar, *inputs: Scalar) -> tuple[Scalar, ...]:
        return tuple(x for interval in blocked(Goal(*inputs).turned(side)) for x in interval)

    names = [f"{end} {k}" for k in range(BLOCKED) for end in ("begin", "end")]
    return _function(durations, (Port("side", ()), *PORTS), names)


@cache
def mean_kernel() -> CompiledFunction:
    """The motion of given duration, as a mean of two."""

    def motion(*inputs: Scalar) -> tuple[Scalar, ...]:
        two, share, missing = mean(Goal(*inputs[:-1]), inputs[-1])
        return *(x for phases in two for x in phases), share, missing

    phases = [f"{name} {k}" for name in ("far", "near") for k in range(len(RISES))]
    return _function(motion, (*PORTS, Port("duration", ())), [*phases, "share", "missing"])


def _function(function: Callable[..., object], ports: tuple[Port, ...], outputs: Sequence[str]) -> CompiledFunction:
    compiled = CompiledFunction(function, ports, tuple(Port(name, ()) for name in outputs))
    compiled.needs_double = True
    return compiled
