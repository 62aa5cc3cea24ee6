"""How small is zero, how near is equal: five tolerances for the whole library, each with its reason.

A constant elsewhere decides something else; docs/tolerances.md says for each of them why none of these fits.
"""

from __future__ import annotations

RANK = 1e-9
"""Singular values, pivots and other measures of independence below this fraction of the largest count as zero.

Well above the rounding of a Jacobian, well below what a mechanism can be built or measured to.
"""

EQUAL = 1e-9
"""Two numbers that are meant to be equal may differ by this: a fraction of their size, or metres and radians.

Symmetric entries of a matrix, axes that are parallel, a position at its limit: far above rounding, which numbers from a
file or from another computation have, and far below a mistake in typing.
"""

ROUNDING = 1e-12
"""A difference below this fraction of its terms is the rounding of some hundred operations."""

CLOSED = 1e-12
"""Loops that are open by less, in radians or as a fraction of the mechanism's size, are closed.

The best that Newton's method reaches: the rounding of the positions themselves.
"""

DRAWN = 1e-6
"""Dimensions in drawings and files have six decimals: a fraction of the size, or metres and radians."""
