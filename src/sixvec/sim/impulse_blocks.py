"""The blocks of contacts, stops and joint friction of a robot: how many there are, and which joints move their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.algorithms.parts.places import Places
from sixvec.constraints.contacts.block_sweeps import Block, Kind
from sixvec.constraints.contacts.contact import Contact, Obstacle, Stop, stopped
from sixvec.constraints.contacts.pair import touches
from sixvec.constraints.contacts.rows import contact_jacobian, turning_rows
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.model import Model
from sixvec.model.coupling import is_coupled
from sixvec.model.geom import HalfSpace
from sixvec.robot import Robot
from sixvec.scalar import where

SAMPLES = 6
"""Random positions: they show which joints move which rows, and which points always coincide."""

SAME = 1e-12
"""Rows of two points that differ by less than this fraction at all of them are of one point."""

ROUND = (Sphere, Capsule)
"""Shapes with one point, or two that do not change."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a contact: its obstacle, its place among the points of it, and its block."""

    obstacle: int
    index: int
    block: Block


class ImpulseBlocks:
    """Those of points, then of stops, then of the joints with friction, `rubbing`.

    `driven` are the coordinates with a known motion, `together` the sets of those that loops and wheels move together.
    """

    def __init__(
        self, robot: Robot, model: Model, tree: Model, obstacles: Sequence[Obstacle], rubbing: Sequence[int],
        driven: Sequence[int], together: Sequence[frozenset[int]],
    ) -> None:  # fmt: skip
        self.model, self.tree, self.obstacles, self.rubbing = model, tree, tuple(obstacles), rubbing
        self.driven, self._together = driven, together
        self._blocks_of: dict[tuple[int, int], int] = {}
        self.points = self._described(robot)
        self.stops = [k for k, c in enumerate(self.obstacles) if isinstance(c, Stop)]
        single: list[tuple[Kind, int]] = [("stop", stopped(model, self.obstacles[k])[1]) for k in self.stops]  # type: ignore[arg-type]
        single += [("friction", i) for i in rubbing]
        self.blocks = [p.block for p in self.points] + [self.single(kind, i) for kind, i in single]

    @property
    def contacts_of_points(self) -> list[Contact]:
        """The contacts of the blocks of points, in their order."""
        return [self.obstacles[p.obstacle] for p in self.points]  # type: ignore[misc]

    @property
    def places(self) -> list[tuple[int | None, int]]:
        """For each point, stop and joint with friction, in the order of the obstacles: its block, and its rows."""
        found: list[tuple[int | None, int]] = []
        at = len(self.points)
        for k, c in enumerate(self.obstacles):
            if isinstance(c, Stop):
                found.append((at + self.stops.index(k), 1))
            else:
                found += [(self._blocks_of.get((k, i)), 3) for i in range(c.points)]
        first = at + len(self.stops)
        return found + [(first + i, 1) for i in range(len(self.rubbing))]

    @property
    def count_of_gaps(self) -> int:
        return len(self.places) - len(self.rubbing)

    def placed(self, p: Sequence[Any], gaps: Sequence[Any], far: float) -> tuple[list[Any], list[Any]]:
        """The impulses along normal and tangents of all points, of stops and joints, and the gaps of all but these.

        Points that coincide share one block: it is that of the first, and the others have none.
        """
        starts, end = [], 0
        for b in self.blocks:
            starts.append(end)
            end += b.rows
        impulses: list[Any] = []
        distances: list[Any] = []
        taken: set[int] = set()
        for n, width in self.places:
            mine = n is not None and n not in taken
            core = self.blocks[n].core if n is not None and mine else 0
            values = [p[starts[n] + i] if i < core else 0.0 for i in range(width)]  # type: ignore[index]
            if n is not None and self.blocks[n].kind == "stop":  # both stops push
                values = [where(x < 0.0, -x, x) for x in values]
            impulses += values
            distances.append(far if n is None else gaps[n] if n < len(gaps) else 0.0)
            taken |= {n} if n is not None else set()
        return impulses, distances[: self.count_of_gaps]

    def single(self, kind: Kind, i: int) -> Block:
        """The block of a stop or of the friction of a joint."""
        return Block(kind, self._below(i), shifted=bool(self.driven))

    def _below(self, i: int) -> tuple[int, ...]:
        """The joints in the whitened row of a joint velocity: those on its path, and those that move with them."""
        path = set(self._path(i))
        return tuple(sorted(path.union(*(c for c in self._together if c & path))))

    def _path(self, i: int) -> tuple[int, ...]:
        model = self.tree
        for b in model.moving:
            at = range(*model.v_slices[b.name].indices(model.nv))
            if not is_coupled(model) and i in at:
                path = [k for c in model.path(b.name) for k in range(*model.v_slices[c.name].indices(model.nv))]
                return tuple(sorted(k for k in path if k <= i or k in at))
        return tuple(range(model.nv))

    def _described(self, robot: Robot) -> list[Point]:
        """Points and their blocks, as far as they differ from each other."""
        positions = robot.random(0, SAMPLES).T
        places = Places(self.tree, list(positions))
        found: list[Point] = []
        seen: list[tuple[int, Any, Any]] = []
        for k, c in enumerate(self.obstacles):
            if not isinstance(c, Contact):
                continue
            first, second = places.pose(c.frame) @ c.placement, places.pose(c.to) @ c.on_placement
            for index, touch in enumerate(touches(c.shape, first, c.on, second)):
                jacobian, turning = contact_jacobian(places, touch, c)
                rows = np.array([[np.broadcast_to(x, SAMPLES) for x in row] for row in (*jacobian, *turning)])
                size = np.abs(rows).max(initial=0.0)
                if size == 0.0:
                    continue
                count = len(found)
                if isinstance(c.on, HalfSpace) or isinstance(c.shape, HalfSpace):
                    laws = (c.friction, c.spin, c.roll, c.restitution, c.dimension)
                    gap = np.broadcast_to(touch.gap, SAMPLES)[None, None]
                    content = np.concatenate([gap, rows.reshape(1, -1, SAMPLES)], axis=1)
                    twins = (n for n, x, y in seen if x == laws and _is_same(y, content, size))
                    count = next(twins, count)
                    if count == len(found):
                        seen.append((count, laws, content))
                self._blocks_of[k, index] = count
                if count < len(found):
                    continue
                found.append(Point(k, index, self._block(c, rows, size)))
        return found

    def _block(self, c: Contact, rows: Any, size: float) -> Block:
        moves = np.abs(rows).max(axis=2) > SAME * size
        if not isinstance(c.shape, ROUND) or not isinstance(c.on, (*ROUND, HalfSpace)):
            moves[:] = moves.any(axis=0)  # points of faces and edges may be others elsewhere
        columns = {j for i in np.flatnonzero(moves.any(axis=0)) for j in self._below(int(i))}
        slides = int(moves[1:3].any(axis=1).sum()) if c.friction else 0
        if slides == 1 and not moves[1].any():
            slides = 2  # the tangents are used in their order
        turns = turning_rows(c)
        spins = int(turns >= 1 and c.spin > 0.0 and bool(moves[3].any()))
        rolls = 2 if turns == 3 and c.roll > 0.0 and moves[4:6].any() else 0
        return Block("contact", tuple(sorted(columns)), 1 + slides, spins, rolls, bool(self.driven))


def _is_same(x: Any, y: Any, size: float) -> bool:
    return bool(x.shape == y.shape and np.abs(x - y).max() < SAME * (1.0 + size))
