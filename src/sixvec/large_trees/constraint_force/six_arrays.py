"""3-D and 6-D vector algebra on arrays with one row per body."""

from __future__ import annotations

from sixvec.large_trees.constraint_force.namespace import Array, Namespace


def times(A: Array, x: Array) -> Array:
    """A x, row by row."""
    return (A @ x[..., None])[..., 0]


def transposed(xp: Namespace, A: Array) -> Array:
    """Aᵀ, row by row."""
    return xp.swapaxes(A, -1, -2)


def cross(xp: Namespace, a: Array, b: Array) -> Array:
    """a × b of rows of three.

    >>> import numpy as np
    >>> cross(np, np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    return xp.roll(a, -1, -1) * xp.roll(b, 1, -1) - xp.roll(a, 1, -1) * xp.roll(b, -1, -1)


def skew(xp: Namespace, a: Array) -> Array:
    """[a]×, the matrices of a × ·."""
    nothing = a[:, 0] * 0.0
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    rows = ((nothing, -z, y), (z, nothing, -x), (-y, x, nothing))
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


def turn_less_identity(xp: Namespace, spin: Array, angle: Array) -> Array:
    """exp(K angle) - 1 by Rodrigues' formula, of K = [unit axis]× (n, 3, 3) and angles (n, 1, 1); 0 for K = 0.

    The caller adds the identity, which it has on the right device.
    """
    half = xp.sin(0.5 * angle)
    return xp.sin(angle) * spin + 2.0 * half * half * (spin @ spin)


def turned(xp: Namespace, R: Array, columns: Array) -> Array:
    """Columns of 6-vectors (n, 6, k) in axes turned by R."""
    return xp.concatenate([R @ columns[:, :3], R @ columns[:, 3:]], 1)


def motion_transform(xp: Namespace, R: Array, r: Array) -> Array:
    """X_BP (n, 6, 6), which maps motions from the parent's coordinates to the body's; (R, r) is the pose of B in P."""
    back = transposed(xp, R)
    above = xp.concatenate([back, back * 0.0], 2)
    below = xp.concatenate([-(back @ skew(xp, r)), back], 2)
    return xp.concatenate([above, below], 1)
