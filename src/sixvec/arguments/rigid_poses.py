"""Poses given as arrays: the check of every argument that is a pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError

ROTATION_DEVIATION = 2e-6
"""How far the columns of a rotation may be from orthonormal: matrices in float32 or of six decimals pass."""

MEASURED_DEVIATION = 1e-3
"""How far measured rotations may be from orthonormal: four printed decimals pass, a wrong scale does not."""


_LAST_ROW = [0.0, 0.0, 0.0, 1.0]


def require_rotations(poses: NDArray[Any], what: str, deviation: float = ROTATION_DEVIATION) -> None:
    """Raise an error that names the first pose (..., 4, 4), or rotation (..., 3, 3), not orthonormal up to `deviation`.

    NaN passes: it makes its own sample NaN.

    >>> require_rotations(np.diag([1.0, 1.0, -1.0]), "R")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: R is not a rotation: it is a mirror image; ...
    """
    R = poses[..., :3, :3]
    if poses.ndim == 2 and _is_rotation(R.tolist(), deviation):  # on so few numbers, NumPy takes ten times longer
        return
    with np.errstate(invalid="ignore", over="ignore"):
        x, y, z = (R[..., k] for k in range(3))  # products of columns: matmul and det are slow on many small matrices
        across = np.stack([(a * b).sum(axis=-1) for a, b in ((x, y), (y, z), (z, x))])
        lengths = np.stack([(a * a).sum(axis=-1) for a in (x, y, z)]) - 1.0
        off = np.maximum(np.abs(across).max(axis=0), np.abs(lengths).max(axis=0))
        mirrored = sum(x[..., i] * (y[..., j] * z[..., k] - y[..., k] * z[..., j])
                       for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))) < 0.0  # fmt: skip
        bad = (off > deviation) | mirrored
    if not bad.any():
        return
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    why = f"deviates by {off[where]:.2g} from orthonormal" if off[where] > deviation else "is a mirror image"
    raise ArgumentError(
        f"{what}{list(where) if where else ''} is not a rotation: it {why}; "
        "sixvec.geometry.orientation finds the nearest rotation"
    )


def _is_rotation(R: list[list[float]], deviation: float) -> bool:
    (a, b, c), (d, e, f), (g, h, i) = R
    return (
        abs(a * a + d * d + g * g - 1.0) <= deviation
        and abs(b * b + e * e + h * h - 1.0) <= deviation
        and abs(c * c + f * f + i * i - 1.0) <= deviation
        and abs(a * b + d * e + g * h) <= deviation
        and abs(b * c + e * f + h * i) <= deviation
        and abs(c * a + f * d + i * g) <= deviation
        and a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) >= 0.0
    )


def require_poses(poses: NDArray[Any], what: str) -> None:
    """Raise an error for matrices (..., 4, 4) without a rotation or with a last row other than 0 0 0 1; NaN passes."""
    require_rotations(poses, what)
    if poses.ndim == 2 and poses[3].tolist() == _LAST_ROW:
        return
    off = np.abs(poses[..., 3, :] - [0.0, 0.0, 0.0, 1.0]).max(axis=-1) > ROTATION_DEVIATION
    if off.any():
        at = [int(i) for i in np.argwhere(off)[0]]
        raise ArgumentError(f"{what}{at or ''} is not a pose: its last row must be 0 0 0 1")
