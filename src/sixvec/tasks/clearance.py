"""What a stack keeps clear: pairs of shapes whose gap must stay above a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sixvec.arguments import Array, number_from_zero
from sixvec.distance.nearest_pairs import PairSearch
from sixvec.distance.robot_distance import comparison, moving_shapes, placed_robot
from sixvec.distance.shapes import CollisionShape
from sixvec.distance.world import Obstacle, World
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import spanning_tree
from sixvec.robot import Robot
from sixvec.scalar import Scalar, where
from sixvec.solve.active_set import UNBOUNDED, larger_of, smaller_of
from sixvec.spatial.linear import dot
from sixvec.tasks.closest import Closest, Gap, Pair, has_closed_form
from sixvec.tasks.velocity_limits import braking_speed

MOST_ROWS = 40
"""With fewer pairs of shapes each has a row; otherwise each pair of frames, or only the nearest so many pairs."""

MOST_PAIRS = 400
"""Pairs of shapes whose gaps are written out in one program."""

APPROACH = 0.5
"""The part of what is left above the margin that one step may use up.  A straight approach never ends below it, because
what its curve adds is of second order."""

RETURN = 0.5
"""The part of the largest possible speed of a pair at which it returns to the margin."""


@dataclass(frozen=True, eq=False)
class Clearance:
    """The pairs of shapes of a robot, and of a robot and a world, whose gaps must stay above a margin."""

    robot: Robot
    world: World | None
    margin: float
    obstacles: tuple[Obstacle, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "obstacles", () if self.world is None else self.world.obstacles)
        if self.world is not None and self.world.clouds:
            raise ArgumentError(f"Stack: clearance to clouds of points ({self.world.clouds[0].name}) is not supported; "
                                "represent them by spheres or boxes")  # fmt: skip
        if not self.pairs:
            raise ArgumentError(f"Stack: clearance has no pair: no shapes of {self.robot.name} that joints move are "
                                "compared with others; robot.collision_pairs has the reasons")  # fmt: skip

    @classmethod
    def of(cls, robot: Robot, clearance: Any) -> Clearance:
        """From (world, margin)."""
        if not isinstance(clearance, tuple | list) or len(clearance) != 2:
            raise ArgumentError(f"Stack: clearance is a pair (world, margin), not {clearance!r}")
        world, margin = clearance
        if world is not None and not isinstance(world, World):
            raise ArgumentError(f"Stack: clearance: world must be a sixvec.World or None, not a {type(world).__name__}")
        return cls(robot, world, number_from_zero("Stack: clearance: margin", margin, "m"))

    @property
    def is_current(self) -> bool:
        """Whether the world still has the same obstacles; they may have moved."""
        if self.world is None:
            return True
        now = self.world.obstacles
        return not self.world.clouds and len(now) == len(self.obstacles) and all(map(_is, now, self.obstacles))

    @lazy
    def shapes(self) -> tuple[CollisionShape, ...]:
        return comparison(self.robot).shapes

    @lazy
    def others(self) -> tuple[CollisionShape, ...]:
        return tuple(o.shape for o in self.obstacles)

    @lazy
    def pairs(self) -> dict[tuple[str, str], list[Pair]]:
        """Pairs of shapes by the names of their frames, or of a frame and an obstacle."""
        result = {names: list(between) for names, between in comparison(self.robot).between.items()}
        n = len(self.shapes)
        for i in moving_shapes(placed_robot(self.robot)).tolist():
            for k, o in enumerate(self.obstacles):
                result.setdefault((self.shapes[i].frame, o.name), []).append((i, n + k))
        return result

    @lazy
    def is_written_out(self) -> bool:
        """Whether the gaps are computed within the program of a step."""
        everything = (*self.shapes, *self.others)
        pairs = [pair for between in self.pairs.values() for pair in between]
        is_short = len(pairs) <= MOST_PAIRS and (len(pairs) <= MOST_ROWS or len(self.pairs) <= MOST_ROWS)
        return is_short and all(has_closed_form(everything[i], everything[j]) for i, j in pairs)

    @lazy
    def groups(self) -> list[tuple[str, list[Pair]]]:
        """For each row of a program that is written out its name and its pairs of shapes."""
        each = sum(map(len, self.pairs.values())) <= MOST_ROWS
        return [
            (f"{a}–{b}: clearance", group)
            for (a, b), between in self.pairs.items()
            for group in ([[pair] for pair in between] if each else [between])
        ]

    @lazy
    def search(self) -> PairSearch:
        """The nearest pairs where they cannot be written out."""
        return PairSearch(placed_robot(self.robot), self.others, self.pairs, MOST_ROWS)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.groups) if self.is_written_out else self.search.count

    @lazy
    def names(self) -> tuple[str, ...]:
        """The names of rows, or of the pairs to which the rows of a search refer."""
        if self.is_written_out:
            return tuple(name for name, _ in self.groups)
        return tuple(f"{a}–{b}: clearance" for a, b in self.pairs)

    def poses(self) -> list[Array]:
        """Where the obstacles are now."""
        return [np.asarray(o.pose) for o in self.obstacles]

    def gaps(self, model: Model, q: Any, poses: Sequence[Any]) -> list[Gap]:
        """The gaps of all rows that are written out."""
        tree = spanning_tree(canonical(model))
        return Closest(self.shapes, self.others).gaps(tree, q, poses, [group for _, group in self.groups])


def _is(a: Any, b: Any) -> bool:
    return a is b


def clearance_bounds(
    gaps: Sequence[Gap], margin: float, lower: Sequence[Scalar], upper: Sequence[Scalar], acceleration: Any, dt: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Lower bounds of the velocities of gaps, and those that remain where the first contradict others.

    Above the margin a gap may shrink so that it ends there, with limits of acceleration early enough to brake; below it
    the gap grows.  What always remains possible is to stop, or to brake as hard as `lower` and `upper` allow.
    """
    requested: list[Scalar] = []
    possible: list[Scalar] = []
    braking = [where(low > 0.0, low, where(high < 0.0, high, 0.0)) for low, high in zip(lower, upper, strict=True)]
    lower = [larger_of(low, -UNBOUNDED) for low in lower]  # infinity times zero is not a number
    upper = [smaller_of(high, UNBOUNDED) for high in upper]
    for gap in gaps:
        remaining = gap.size - margin
        closing = APPROACH * remaining / dt
        if np.isfinite(acceleration).all():
            most = sum((abs(x) * float(a) for x, a in zip(gap.row, acceleration, strict=True)), 0.0)
            stopping = braking_speed(remaining, 0.5 * most, dt)
            closing = where(stopping < closing, stopping, closing)
        fastest = dot([where(x > 0.0, high, low) for x, low, high in zip(gap.row, lower, upper, strict=True)], gap.row)
        opening = -remaining / dt
        opening = where(opening < RETURN * fastest, opening, RETURN * fastest)
        bound = where(remaining > 0.0, -closing, opening)
        braked = dot(gap.row, braking)
        requested.append(bound)
        possible.append(where(bound < braked, bound, braked))
    return requested, possible
