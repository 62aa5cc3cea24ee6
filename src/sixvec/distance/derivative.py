"""Distances of torch and JAX arrays that need derivatives: that of a gap is its gradient at the nearest points.

The gap is continued as gap + gradient · (q ⊖ q₀) around the state q₀, whose numbers are constants; so the chain rule
covers every joint.  Derivatives of the gradient would be those of q ⊖ q₀ alone, as if the normal were constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.result import Distance
from sixvec.distance.robot_distance import distance, pairs_of
from sixvec.kernels.portable import interop, library_of

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class FollowedDistance(Distance):
    """A distance with a derivative: its nearest points and normals are arrays of the same computation."""

    nearest: Any = ()

    @property
    def _nearest(self) -> tuple[Any, ...]:
        return tuple(self.nearest)


def followed(robot: Robot, q: Any, world: Any, gradient: bool) -> Distance | None:
    """`Robot.distance` with a derivative of its gap; None where the library does not know the numbers of q."""
    library = interop(str(library_of(q)))

    def nearest(states: Array) -> tuple[Array, ...]:
        nearest = distance(robot, states, world, True)
        slope = np.where(np.isinf(nearest.distance)[..., None], 0.0, nearest.gradient)  # there is nothing to be near to
        return nearest.distance, nearest.pair, slope, nearest.points, nearest.normal

    shapes = ((), (), (robot.nv,), (2, 3), (3,))
    constants = library.evaluated(nearest, shapes, (float, np.int64, float, float, float), q)
    if constants is None:
        return None
    gap, pair, slope, points, normal = constants
    change = robot.difference(library.constant_of(q), q)
    names = pairs_of(robot, "distance", world)
    distances = gap + (slope * change).sum(-1)
    return FollowedDistance(distances, pair, slope if gradient else None, names, None, (points, normal))
