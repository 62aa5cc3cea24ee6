"""Ten unconstrained numbers for every physically consistent inertia (Rucker and Wensing, IEEE RA-L 7(2), 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.inertial_parameter import NAMES, inertia_of
from sixvec.arguments import Array, real_array
from sixvec.errors import DegenerateError
from sixvec.geometry.rigid_body.consistency import inertia_of_pseudo_inertia, pseudo_inertia
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import compiled

LOGARITHMS = 4
"""The first entries of θ are logarithms of entries of U."""


@compiled("entries[10] -> parameters[10]")
def _from_entries(entries: Any) -> Any:
    """π of J = U Uᵀ with U = scale [[x, xy, xz, cx], [0, y, yz, cy], [0, 0, z, cz], [0, 0, 0, 1]]."""
    scale, x, y, z, xy, yz, xz, cx, cy, cz = entries
    U = [[x, xy, xz, cx], [0.0, y, yz, cy], [0.0, 0.0, z, cz], [0.0, 0.0, 0.0, 1.0]]
    size = scale * scale
    J = [[size * sum((U[i][k] * U[j][k] for k in range(4)), 0.0) for j in range(4)] for i in range(4)]
    return [*inertia_of_pseudo_inertia(J)]


_derivative = _from_entries.derivative("entries")


def _entries(theta: Array) -> Array:
    return np.concatenate([np.exp(theta[..., :LOGARITHMS]), theta[..., LOGARITHMS:]], axis=-1)


@any_arrays_same_dtype
def from_log_cholesky(theta: ArrayLike) -> Array:
    """Inertial parameters (..., 10) of θ = (α, d1, d2, d3, s12, s23, s13, t1, t2, t3); any ten numbers are allowed.

    The pseudo-inertia  ∫ (r; 1)(r; 1)ᵀ dm = U Uᵀ  of the result is positive definite, so every result is a physically
    consistent inertia, and each of these has exactly one θ.  Mass is e^2α, and t is its centre of mass.

    >>> from sixvec.identification import from_log_cholesky
    >>> from_log_cholesky([0.0] * 10)[:5].tolist()
    [1.0, 0.0, 0.0, 0.0, 2.0]
    """
    return np.asarray(_from_entries(_entries(real_array("theta", theta))))


def from_log_cholesky_derivative(theta: ArrayLike) -> Array:
    """∂π/∂θ (..., 10, 10)."""
    entries = _entries(real_array("theta", theta))
    slopes: Array = _derivative(entries)
    slopes[..., :LOGARITHMS] *= entries[..., None, :LOGARITHMS]  # d e^x = e^x dx
    return slopes


@any_arrays_same_dtype
def log_cholesky(parameters: ArrayLike) -> Array:
    """θ of inertial parameters (..., 10): the inverse of `from_log_cholesky`.

    >>> from sixvec.identification import log_cholesky
    >>> log_cholesky([1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0]).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    array = real_array("parameters", parameters, len(NAMES))
    rows = array.reshape(-1, len(NAMES))
    J = np.array([pseudo_inertia(inertia_of(row.tolist())) for row in rows]).reshape(-1, 4, 4)
    try:
        L = np.linalg.cholesky(J[:, ::-1, ::-1])  # U Uᵀ of J is L Lᵀ of J with rows and columns reversed
    except np.linalg.LinAlgError:
        bad = [i for i, Ji in enumerate(J) if np.linalg.eigvalsh(Ji).min() <= 0.0]
        raise DegenerateError(
            f"inertia {bad[0] if bad else 0} is not that of a body with volume: its pseudo-inertia is not positive "
            "definite (a point, line or plane of mass, or no possible body at all)"
        ) from None
    U = L[:, ::-1, ::-1]
    scale = U[:, 3, 3]
    U = U / scale[:, None, None]
    theta = [np.log(scale), *(np.log(U[:, i, i]) for i in range(3)), U[:, 0, 1], U[:, 1, 2], U[:, 0, 2], *U[:, :3, 3].T]
    return np.stack(theta, axis=-1).reshape(array.shape) + 0.0  # + 0.0 turns -0.0 into 0.0
