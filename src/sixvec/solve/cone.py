"""The nearest point of a cone, as a quadratic program in the dimension of the space, however many rays it has."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import DegenerateError
from sixvec.solve.quadratic_program import quadratic_program

PADDING = 8
"""Numbers of rays are rounded up to a multiple: programs are compiled for each number of rows."""


def nearest_in_cone(S: Array, b: Array) -> Array:
    """The multiples x ≥ 0 of the rays, the columns of S, for which S x is nearest to b.

    What is missing, r = b - S x, is the nearest point to b of the polar cone  Sᵀ r ≤ 0  (Moreau), and x are the
    multipliers of these rows.

    >>> import numpy as np
    >>> nearest_in_cone(np.eye(2), np.array([3.0, -1.0])).round(12).tolist()
    [3.0, 0.0]
    """
    n, count = S.shape
    rows = np.zeros((-(-count // PADDING) * PADDING, n))
    rows[:count] = S.T
    no_end = np.full(len(rows), np.inf)
    program = quadratic_program(np.eye(n), -b, rows, -no_end, np.where(np.arange(len(rows)) < count, 0.0, no_end))
    if not program:
        raise DegenerateError(f"the nearest point of a cone of {count} rays: {program.verdict}")
    return np.asarray(program.multipliers[:count])
