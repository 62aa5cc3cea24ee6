"""The rotation nearest to a matrix that is not orthonormal."""

from __future__ import annotations

from math import sqrt as root

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.quaternion import Quaternion, fourfold_products, pivot_column
from sixvec.spatial.rotation import VANISHING_SQUARE, Rotation
from sixvec.tolerances import ROUNDING

SQUARINGS = 24
"""The dominant eigenvector is found by raising a matrix to the power 2²⁴: enough for relative gaps above 3e-6."""


def nearest_rotation(m: Mat3) -> Rotation:
    """The rotation with the least squared difference |R - m|² of all entries (orthonormalisation, Bruyninckx §3.7).

    |R - m|² = |m|² + 3 - 2 trace(Rᵀ m), and the trace is a quadratic form qᵀ K q of the quaternion (Davenport), so q is
    the eigenvector of the largest eigenvalue of K; repeated squaring of K + c finds it without branches.  In terms of
    m = U Σ Vᵀ the result is U diag(1, 1, ±1) Vᵀ with determinant +1, also where m is a reflection.

    It is unique if σ₂ > σ₃, or if det m > 0 and σ₂ > 0; elsewhere plain numbers raise DegenerateError, and in a batch
    or a trace some rotation near m is returned.  Precision is that of the problem, 1e-16 |m| / (σ₂ ± σ₃).

    >>> from sixvec.geometry.orientation import nearest_rotation
    >>> from sixvec.spatial import Mat3, Rotation
    >>> nearest_rotation(Mat3(2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.5)) == Rotation.identity()
    True
    """
    size = sum((a * a for a in m), 0.0)
    none = size < VANISHING_SQUARE
    bound = where(none, 1.0, root(3.0) * sqrt(where(none, 1.0, size)))  # no eigenvalue of K is larger
    B = _with_unit_trace(fourfold_products(m, bound))
    for _ in range(SQUARINGS):
        B = _with_unit_trace(_squared(B))
    if certainly(_trace(_squared(B)) < 1.0 - ROUNDING):
        raise DegenerateError(
            "several rotations are equally near to this matrix, whose rank or symmetry is too low; "
            "use Rotation.from_axes or Rotation.from_noa with the directions that are known"
        )
    column, _ = pivot_column(B)
    return Quaternion(*column).normalized().as_rotation()


def _squared(B: list[list[Scalar]]) -> list[list[Scalar]]:
    """B² of a symmetric matrix."""
    return [[sum((a * b for a, b in zip(row, column)), 0.0) for column in B] for row in B]


def _trace(B: list[list[Scalar]]) -> Scalar:
    return sum((B[i][i] for i in range(4)), 0.0)


def _with_unit_trace(B: list[list[Scalar]]) -> list[list[Scalar]]:
    k = 1.0 / _trace(B)
    return [[a * k for a in row] for row in B]
