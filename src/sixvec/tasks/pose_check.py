"""The check of poses that are targets of many samples, as a compiled function."""

from __future__ import annotations

from typing import Any

from sixvec.arguments import Array
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION, require_poses
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import where
from sixvec.solve.active_set import larger_of
from sixvec.spatial.linear import dot


def require_target_poses(poses: Array, name: str) -> None:
    """`require_poses`, ten times faster for batches of correct ones."""
    if poses.ndim < 3 or not bool((deviation(poses) <= ROTATION_DEVIATION).all()):
        require_poses(poses, name)


def _deviation(X: Any) -> Any:
    """By how much a matrix is not a pose: columns that are not orthonormal, a mirror image, another last row."""
    columns = [[X[i][j] for i in range(3)] for j in range(3)]
    off: Any = 0.0
    for i in range(3):
        for j in range(i + 1):
            off = larger_of(off, abs(dot(columns[i], columns[j]) - float(i == j)))
    for x, y in zip(X[3], (0.0, 0.0, 0.0, 1.0), strict=True):
        off = larger_of(off, abs(x - y))
    (a, b, c), (d, e, f), (g, h, i) = columns
    volume = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    size = sum((x for row in X for x in row), 0.0)
    return where(volume > 0.0, where(abs(size) < 1e300, off, 1.0), 1.0)


deviation = CompiledFunction(_deviation, (Port("X", (4, 4)),), (Port("off", ()),), "deviation of a pose")
deviation.needs_double = True
