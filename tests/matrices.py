"""6-D algebra as plain NumPy arrays, angular part first: written out a second time, to check the first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def spatial_inertia(ten: Iterable[float]) -> np.ndarray:
    """The 6x6 matrix [[I, c×], [-c×, m 1]] from mass, first moment and rotational inertia about the origin."""
    m, cx, cy, cz, xx, xy, xz, yy, yz, zz = ten
    rot = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    cross = np.array([[0.0, -cz, cy], [cz, 0.0, -cx], [-cy, cx, 0.0]])
    return np.block([[rot, cross], [-cross, m * np.eye(3)]])


def cross_force(V: np.ndarray, F: np.ndarray) -> np.ndarray:
    """V ×* F = (ω × n + v × f; ω × f), row by row."""
    (w, v), (n, f) = np.split(V, 2, axis=1), np.split(F, 2, axis=1)
    return np.concatenate([np.cross(w, n) + np.cross(v, f), np.cross(w, f)], axis=1)


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix-vector products A x of a batch."""
    return np.einsum("nij,nj->ni", A, x)


def transpose(A: np.ndarray) -> np.ndarray:
    return A.transpose(0, 2, 1)


def unskew(W: np.ndarray) -> np.ndarray:
    """The vectors w of the skew-symmetric matrices w×."""
    return np.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], axis=1) * 0.5


def hat(V: np.ndarray) -> np.ndarray:
    """The 4x4 matrix X⁻¹ Ẋ of a velocity in body coordinates."""
    wx, wy, wz, x, y, z = V
    return np.array([[0.0, -wz, wy, x], [wz, 0.0, -wx, y], [-wy, wx, 0.0, z], [0.0, 0.0, 0.0, 0.0]])
