"""Λ = (J M⁻¹ Jᵀ)⁻¹ where the inverse exists, and a defined result where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.solve.decomposition import singular_values

Singular = Literal["truncated", "damped"]
SINGULAR: tuple[Singular, ...] = get_args(Singular)

TASK_INERTIA_TOLERANCE = 1e-7
"""Singular values of J M^-½ below this fraction of the largest count as zero.  Λ contains their inverse squares: beyond
this the largest entries of Λ would have no correct digit."""


@dataclass(frozen=True, eq=False, repr=False)
class SpectralInverse(Result):
    """The inverse of A Aᵀ, and its rank."""

    inverse: Array
    """(..., m, m)"""
    rank: NDArray[np.int_]
    """How many directions have a singular value above the tolerance."""
    values: Array
    """The singular values of A, largest first."""


@any_arrays_same_dtype
def spectral_inverse(
    A: ArrayLike, *, singular: Singular = "truncated", tolerance: float = TASK_INERTIA_TOLERANCE, damping: float = 0.0
) -> SpectralInverse:
    """(A Aᵀ)⁻¹ from the singular values of A (..., m, n): the product, whose condition is the square, is not formed.

    "truncated": Σ uᵢ uᵢᵀ / σᵢ² over the σᵢ above `tolerance` times the largest: the pseudo-inverse; lost directions
    have no inertia and no effect.  It is discontinuous where the rank changes.  "damped": Σ uᵢ uᵢᵀ / (σᵢ² + damping²),
    which is continuous, at most 1/damping², and slightly inaccurate everywhere.

    >>> from sixvec.solve import spectral_inverse
    >>> spectral_inverse([[2.0, 0.0], [0.0, 0.0]]).inverse.tolist()
    [[0.25, 0.0], [0.0, 0.0]]
    >>> spectral_inverse([[2.0, 0.0], [0.0, 0.0]], singular="damped", damping=1.0).inverse.round(12).tolist()
    [[0.2, 0.0], [0.0, 1.0]]
    """
    if singular not in SINGULAR:
        raise ArgumentError(unknown("treatment", singular, SINGULAR, "singular="))
    if not 0.0 <= tolerance < 1.0:
        raise ArgumentError(f"tolerance is {tolerance}; it is a part of the largest singular value, in [0, 1)")
    if singular == "damped" and not damping > 0.0:
        raise ArgumentError(f'damping is {damping}; singular="damped" needs a positive one')
    if singular != "damped" and damping != 0.0:
        raise ArgumentError(f'damping is {damping}, but singular="{singular}" does not damp; give singular="damped"')
    U, sigma, _ = singular_values(A)
    m = U.shape[-1]
    sigma = np.concatenate([sigma, np.zeros((*sigma.shape[:-1], m - sigma.shape[-1]))], axis=-1)
    sigma = np.where(np.isnan(sigma).any(axis=-1, keepdims=True), np.nan, sigma)
    nonzero = sigma > tolerance * sigma.max(axis=-1, keepdims=True, initial=0.0)
    if singular == "damped":
        gains = 1.0 / (sigma**2 + damping**2)
    else:
        gains = np.where(nonzero, 1.0 / np.where(nonzero, sigma, 1.0) ** 2, np.where(np.isnan(sigma), np.nan, 0.0))
    return SpectralInverse((U * gains[..., None, :]) @ np.swapaxes(U, -1, -2), nonzero.sum(axis=-1), sigma)
