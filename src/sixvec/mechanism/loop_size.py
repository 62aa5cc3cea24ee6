"""The size of a loop, in metres: what its tolerances are fractions of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sixvec.model.body import Body, Frame
from sixvec.model.closure import Closure
from sixvec.model.held_frame import Held
from sixvec.model.model import Model
from sixvec.spatial import Rotation, Vec3
from sixvec.tolerances import EQUAL

SHORT = 0.01
"""A way around a loop of turning axes that is shorter than this fraction of its bodies is rounding: the axes meet in
one point."""

PARALLEL = 0.01
"""The sine of the angle between axes below which they are parallel: no rounding of dimensions makes them meet."""


def loop_sizes(model: Model, constraints: tuple[Any, ...]) -> tuple[float, ...]:
    """For each closure or held frame the way from joint to joint around it; the extent of its bodies if that is short.

    0 for gears, and for loops of points without extent.

    >>> from sixvec.model.robots import BUILT_IN
    >>> bars = BUILT_IN["four_bar"]()
    >>> [round(size, 6) for size in loop_sizes(bars, bars.closures)]
    [0.34]
    """
    return tuple(_size(model, c) if isinstance(c, Closure | Held) else 0.0 for c in constraints)


def _size(model: Model, c: Closure | Held) -> float:
    ends = (c.first, c.second) if isinstance(c, Closure) else (c.frame, c.to)
    frames = [model.frame(name) for name in ends if name is not None]
    branches = _branches(model, frames)
    way = _way(branches, frames)
    extent = max((x for branch in branches for b in branch for x in _extents(model, b)), default=0.0)
    if way < SHORT * extent and _may_meet(branches):
        return extent
    return way if way > EQUAL else 0.0


def _branches(model: Model, frames: list[Frame]) -> list[list[Body]]:
    """The bodies from the one that both ways start from, which is left out."""
    paths = [model.path(frame.body) for frame in frames]
    shared = {b.name for b in paths[0]} & {b.name for b in paths[-1]} if len(paths) > 1 else set()
    return [[b for b in path if b.name not in shared] for path in paths]


def _way(branches: list[list[Body]], frames: list[Frame]) -> float:
    """From joint to joint, or from the root to a held frame."""
    ways = [
        [*(b.placement.pos for b in branch), frame.placement.pos]
        for branch, frame in zip(branches, frames, strict=True)
    ]
    # Where the loop is on the body that both ways start from does not matter.
    first = [way[0] for way in ways] if len(ways) == 1 else [ways[0][0] - ways[1][0]]
    return sum(_norm(p) for p in (*first, *(p for way in ways for p in way[1:])))


def _may_meet(branches: list[list[Body]]) -> bool:
    """Whether all joints turn, and not all about parallel axes."""
    axes: list[Vec3] = []
    for branch in branches:
        R = Rotation.identity()
        for b in branch:
            R = R @ b.placement.rot
            if b.joint.nv and not b.joint.rotation_axes:
                return False
            axes += [R @ axis for axis in b.joint.rotation_axes]
    return any(_norm(axes[0].cross(axis)) > PARALLEL for axis in axes[1:])


def _extents(model: Model, b: Body) -> Iterator[float]:
    """How far a body reaches from its joint: its mass, its frames and the joints that it carries."""
    mass, turning = b.inertia.mass, (b.inertia.rot.xx, b.inertia.rot.yy, b.inertia.rot.zz)
    if all(isinstance(x, int | float) for x in (mass, *turning)) and mass > 0.0:
        yield math.sqrt(max(*turning, 0.0) / mass)
    yield from (_norm(f.placement.pos) for f in model.frames if f.body == b.name)
    yield from (_norm(child.placement.pos) for child in model.children(b.name))


def _norm(p: Any) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in p))
