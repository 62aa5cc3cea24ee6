"""Rotate, drive, rotate: the simplest path of a differential drive between poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ShapeError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.mobile.paths.words import check_poses


@any_arrays_same_dtype
def rotate_drive_rotate(start: ArrayLike, goal: ArrayLike) -> Array:
    """Turn on the spot, drive straight, turn again: (..., 3) = (angle, distance, angle), each angle in (-π, π].

    One of infinitely many solutions.  Forward or backward, whichever turns less.

    >>> from sixvec.mobile import rotate_drive_rotate
    >>> rotate_drive_rotate([0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]).tolist()
    [0.0, -1.0, 0.0]
    """
    a, b, _ = check_poses(start, goal, 1.0)
    if a.shape[-1] == 2:
        raise ShapeError(f"start has shape {a.shape}; a platform that turns on the spot has a heading, (..., 3)")
    d = b[..., :2] - a[..., :2]
    distance = np.hypot(d[..., 0], d[..., 1])
    toward = np.where(distance > 0.0, np.arctan2(d[..., 1], d[..., 0]), a[..., 2])
    last = b[..., 2] if b.shape[-1] == 3 else toward
    plans = []
    for flip in (0.0, np.pi):
        first, second = _wrapped(toward + flip - a[..., 2]), _wrapped(last - toward - flip)
        if b.shape[-1] == 2:
            second = np.zeros_like(first)
        plans.append(np.stack(np.broadcast_arrays(first, distance * (1.0 if flip == 0.0 else -1.0), second), axis=-1))
    turned = [np.abs(p[..., 0]) + np.abs(p[..., 2]) for p in plans]
    return np.where((turned[1] < turned[0])[..., None], plans[1], plans[0])


def _wrapped(angle: Array) -> Array:
    """The equal angle in (-π, π]."""
    return angle - 2.0 * np.pi * np.ceil(angle / (2.0 * np.pi) - 0.5)
