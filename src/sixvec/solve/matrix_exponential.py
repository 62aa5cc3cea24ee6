"""The exponential of square matrices, in batches."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

DEGREE = 13
LARGEST = 5.4
"""The 1-norm up to which the approximant of this degree is exact to rounding (Higham 2005, Table 2.3: 5.37)."""

_COEFFICIENTS = [
    math.factorial(2 * DEGREE - k) / (math.factorial(k) * math.factorial(DEGREE - k)) for k in range(DEGREE + 1)
]
"""Of the diagonal Padé approximant, times (2 m)!/m!; they are whole numbers."""


def matrix_exponential(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(A) of matrices (..., n, n), by a Padé approximant of exp(A / 2ˢ) and s squarings.

    >>> matrix_exponential(np.array([[0.0, np.pi / 2], [-np.pi / 2, 0.0]])).round(12) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    A = np.asarray(A, np.float64)
    size = np.abs(A).sum(axis=-2).max(axis=-1, initial=0.0)
    finite = np.isfinite(size)
    A = np.where(finite[..., None, None], A, 0.0)
    power = np.ceil(np.log2(np.maximum(np.where(finite, size, 0.0) / LARGEST, 1.0))).astype(int)
    A = A * np.exp2(-power.astype(float))[..., None, None]
    square, term = A @ A, np.broadcast_to(np.eye(A.shape[-1]), A.shape)
    even = odd = np.zeros_like(A)
    for k in range(0, DEGREE, 2):
        even, odd = even + _COEFFICIENTS[k] * term, odd + _COEFFICIENTS[k + 1] * term
        term = term @ square
    odd = A @ odd
    X = np.asarray(np.linalg.solve(even - odd, even + odd), np.float64)
    for k in range(int(power.max(initial=0))):
        X = np.where((k < power)[..., None, None], X @ X, X)
    return np.where(finite[..., None, None], X, np.nan)
