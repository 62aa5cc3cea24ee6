"""Solutions of the closure over the complex numbers as poses of the platform."""

from __future__ import annotations

from typing import Any

from sixvec.kernels.function import compiled
from sixvec.parallel.space import Spatial
from sixvec.scalar import Scalar
from sixvec.spatial import Pose, Quaternion, Vec3
from sixvec.spatial.linear import eliminate
from sixvec.spatial.norm import largest_size

CORRECTIONS = 2
"""Newton's steps on the real pose: the solution is already exact, only its frames have changed."""


@compiled("y[14] size middle[3] inner[3] centre[6,3] pivot[6,3] radius[6] -> X[4,4] error start[4,4]")
def real_pose(y: Any, size: Scalar, middle: Any, inner: Any, centre: Any, pivot: Any, radius: Any) -> Any:
    """The real part of a solution as a pose of base and platform, corrected; the largest error of a leg, and the
    pose before the corrections.

    Solutions are in lengths of the mechanism, between the middles of the pivots.  A real rotation has a quaternion of
    length 1 that is real.
    """
    space = Spatial()
    R = Quaternion.of(y[0:8:2]).normalized().as_rotation()
    position = Vec3(*y[8::2]) * size + Vec3.of(middle) - R @ Vec3.of(inner)
    start = X = Pose(R, position).as_matrix()
    for _ in range(CORRECTIONS):
        rows, errors, _ = _lines(space, X, centre, pivot, radius)
        X = space.moved(X, [x for (x,) in eliminate(rows, [[-e] for e in errors])])
    return X, largest_size(_lines(space, X, centre, pivot, radius)[2]), start


def _lines(space: Spatial, X: Any, centre: Any, pivot: Any, radius: Any) -> tuple[Any, Any, list[Scalar]]:
    """Rows, the errors of half the squared lengths, and those of the lengths."""
    rows, errors, misses = [], [], []
    for c, b, r in zip(centre, pivot, radius, strict=True):
        arm = Vec3.of(b)
        d = space.pivot(X, arm) - Vec3.of(c)
        rows.append(space.force(X, arm, d, "local_world_aligned"))
        errors.append((d.dot(d) - r * r) * 0.5)
        misses.append(d.norm() - r)
    return rows, errors, misses
