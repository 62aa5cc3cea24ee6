"""A robot of spheres among obstacles on a CUDA device: the steps of `sphere_world`, one launch per obstacle.

A loop in one launch would hold all centres of a state in shared memory, which has no room for those of an arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.distance.gaps import closed_gap
from sixvec.distance.part import Details, Nearest
from sixvec.kernels.devices import namespace

if TYPE_CHECKING:
    from sixvec.distance.sphere_world import SphereWorld


def nearest_on_device(world: SphereWorld, q: Any) -> Nearest:
    """The nearest obstacle of each state, with arrays of CuPy."""
    xp, kernels = namespace(q), world.kernels
    centres, *start = kernels.placing(q)
    gap, code = _after_all(world, "nearest", start, centres)
    number = xp.where(code >= 0.0, code, 0.0).astype(np.intp)
    obstacle, sphere = number // len(kernels.which), number % len(kernels.which)
    which = xp.asarray(kernels.ordered)[sphere]
    frame = np.zeros(len(world.robot.shapes), np.intp)
    frame[kernels.which] = world.frame

    def details() -> Details:
        column = [i for _, spheres in kernels.by_radius for i in spheres]
        centre = centres[xp.arange(len(q)), xp.asarray(column)[sphere]]
        normal, first, second = _points(world, centre, which, obstacle)
        bodies = xp.asarray(world.robot.body_numbers.astype(float), q.dtype)[which]
        both = xp.stack([bodies, xp.full_like(bodies, -1.0)], axis=1)
        return xp.stack([first, second], axis=1), normal, world.robot.gradient(q, both, first, normal)

    return Nearest(gap, xp.asarray(frame)[which] * len(world.obstacles) + obstacle, details)


def clear_on_device(world: SphereWorld, q: Any, margin: float) -> Any:
    """Whether all gaps of each state are larger than a margin."""
    centres, balls, start = world.kernels.placing_balls(q)
    (least,) = _after_all(world, "clear", [start], centres, balls, np.array(margin, q.dtype))
    return least > 0.0


def _after_all(world: SphereWorld, purpose: str, start: Sequence[Any], *constants: Any) -> Sequence[Any]:
    """The state after all obstacles."""
    state, xp, dtype = start, namespace(*start), start[0].dtype
    for (kind, _), rows in zip(world.counts, world.arrays(dtype), strict=True):
        for row in xp.asarray(rows):
            outputs = world.kernels.steps[purpose, kind](*state, *constants, row)
            state = outputs if isinstance(outputs, tuple) else (outputs,)
    return state


def _points(world: SphereWorld, centre: Any, which: Any, obstacle: Any) -> tuple[Any, Any, Any]:
    """The normal and the nearest points of spheres (n,) with these centres and obstacles (n,)."""
    xp, dtype, n = namespace(centre), centre.dtype, len(centre)
    X = xp.concatenate([xp.broadcast_to(xp.asarray(np.eye(3).ravel(), dtype), (n, 9)), centre], axis=1)
    radius = xp.asarray([s.radius for s in world.robot.shapes], dtype)[which]
    sizes = radius[:, None] * xp.asarray([1.0, 0.0, 0.0], dtype)
    rows = xp.asarray(world.rows, dtype)[obstacle]
    kinds = [kind for kind, _ in world.counts]
    kind_of = xp.asarray([kinds.index(o.kind) for o in world.obstacles])[obstacle][:, None]
    normal = first = second = xp.full_like(centre, np.nan)
    for number, kind in enumerate(kinds):
        _, *nearest = closed_gap(("sphere", kind))(X, rows[:, :12], sizes, rows[:, 12:15])
        chosen = kind_of == number
        normal, first, second = (xp.where(chosen, x, y) for x, y in zip(nearest, (normal, first, second), strict=True))
    return normal, first, second
