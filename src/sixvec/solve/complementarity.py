"""Linear complementarity problems by pivoting: exact up to rounding, one at a time."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array, require_shape
from sixvec.tolerances import ROUNDING

PIVOTS = 50
"""Pivots per variable, at most; one or two are usual."""


def complementary_solution(M: Array, q: Array) -> Array:
    """z ≥ 0 with  w = M z + q ≥ 0  and  z · w = 0, by Lemke's method; NaN if it ends on a ray.

    For copositive M, which includes contacts with friction, a ray means that there is no solution.  Ties are broken by
    the lexicographic rule, which prevents cycling.

    >>> import numpy as np
    >>> complementary_solution(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])).round(12).tolist()
    [1.333333333333, 2.333333333333]
    """
    M, q = np.asarray(M, float), np.asarray(q, float)
    n = len(q)
    require_shape("M", M, n, n, batch=False, why=f"q has {n} entries")
    if not n or q.min() >= 0.0:
        return np.zeros(n)
    # columns: w (n), z (n), the artificial variable, q; rows: the basis, starting with w
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = np.arange(n)
    artificial = 2 * n
    row = int(np.lexsort([*(T[:, k] for k in reversed(range(n))), q])[0])
    entering = artificial
    for _ in range(PIVOTS * (n + 1)):
        leaving = int(basis[row])
        T[row] /= T[row, entering]
        others = np.arange(n) != row
        T[others] -= np.outer(T[others, entering], T[row])
        basis[row] = entering
        if leaving == artificial:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, -1]
            return np.maximum(z[n : 2 * n], 0.0)
        entering = leaving + n if leaving < n else leaving - n
        column = T[:, entering]
        open_rows = np.flatnonzero(column > ROUNDING * np.abs(column).max(initial=1.0))
        if not open_rows.size:
            return np.full(n, np.nan)
        ratios = T[open_rows, -1] / column[open_rows]
        least = ratios.min()
        near = open_rows[ratios <= least + ROUNDING * (1.0 + abs(least))]
        if (basis[near] == artificial).any():  # prefer the pivot that terminates
            row = int(near[basis[near] == artificial][0])
        else:
            tied = T[near, :n] / column[near, None]
            row = int(near[np.lexsort(tied.T[::-1])[0]])
    return np.full(n, np.nan)
