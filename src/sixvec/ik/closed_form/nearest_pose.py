"""Matrices that are poses up to rounding, made into poses."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.rigid_poses import require_poses


def nearest_poses(X: Array, what: str) -> Array:
    """Poses (..., 4, 4) with their rotations made orthonormal, or an error for those that are too far from one.

    The polar factor U Vᵀ of R = U Σ Vᵀ is the rotation nearest to R in the Frobenius norm (N. J. Higham, SIAM J. Sci.
    Stat. Comput. 7(4), 1986).  NaN passes and makes only its own sample NaN.

    >>> X = np.eye(4)
    >>> X[0, 1] = 5e-7
    >>> R = nearest_poses(X, "pose")[:3, :3]
    >>> bool(abs(R @ R.T - np.eye(3)).max() < 1e-15), float(R[0, 1].round(9))
    (True, 2.5e-07)
    """
    require_poses(X, what)
    R = X[..., :3, :3]
    finite = np.isfinite(R).all(axis=(-2, -1), keepdims=True)
    U, _, Vt = np.linalg.svd(np.where(finite, R, np.eye(3)))
    nearest = np.array(X)
    nearest[..., :3, :3] = np.where(finite, U @ Vt, np.nan)
    nearest[..., 3, :] = np.where(np.isnan(X[..., 3, :]).any(axis=-1, keepdims=True), np.nan, [0.0, 0.0, 0.0, 1.0])
    return nearest
