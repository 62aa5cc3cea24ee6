"""Is a differential form the differential of a function?"""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.scalar import Scalar


def exactness_defects(partials: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """∂Aᵢ/∂xⱼ - ∂Aⱼ/∂xᵢ for all i < j: all zero, everywhere, if and only if A₁ dx₁ + … + Aₙ dxₙ is (locally) exact.

    `partials[i][j]` is ∂Aᵢ/∂xⱼ, for example from `sixvec.compiled(…)(form).derivative("x")` or from SymPy's `jacobian`.
    For three variables these are -z, y and -x of the curl.

    The angular velocity in terms of Euler rates fails the test: ω is not the rate of any three coordinates.  This does
    not constrain motion: orientation is holonomic, and R⁻¹ in ω× = Ṙ R⁻¹ is the integrating factor (Bruyninckx §3.9).
    Bruyninckx (3.43), (3.44).

    >>> from sixvec.geometry.orientation import exactness_defects
    >>> exactness_defects([[2.0, 1.0], [1.0, 0.0]])  # d(x² + x y)
    [0.0]
    >>> exactness_defects([[0.0, -1.0], [1.0, 0.0]])  # x dy - y dx
    [-2.0]
    """
    n = len(partials)
    return [partials[i][j] - partials[j][i] for i in range(n) for j in range(i + 1, n)]
