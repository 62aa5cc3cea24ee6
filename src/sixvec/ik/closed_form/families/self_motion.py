"""Singular solutions, and whether they are points of a continuous family: the arm moves while its tool is at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.distinct_solutions import angle_gap
from sixvec.ik.closed_form.families.polish import error_and_jacobian, polished

SINGULAR = 1e-7
"""Least singular value, lengths in arm sizes: rounding displaces a double root by 1e-8."""

STRIDE = 0.05
"""Radians along the null space; polishing returns from there to a root of any multiplicity up to six."""

TRIES = 12
"""Directions tried where the null space has several dimensions."""


def least_singular_value(chain: SerialChain, X: Array, q: Array) -> Array:
    """(k,): of the Jacobian at positions (k, 6) for poses (k, 4, 4)."""
    return np.asarray(np.linalg.svd(error_and_jacobian(chain, X, q)[1], compute_uv=False)[:, -1])


def on_a_family(chain: SerialChain, X: Array, q: Array) -> NDArray[np.bool_]:
    """(k,): which solutions (k, 6) can move while their pose is fixed."""
    on_family = np.zeros(len(q), bool)
    if not len(q):
        return on_family
    _, sigma, Vt = np.linalg.svd(error_and_jacobian(chain, X, q)[1])
    null = sigma < SINGULAR
    rng = np.random.default_rng(0)
    for attempt in range(TRIES):
        k = np.flatnonzero(~on_family & (null.sum(-1) > (0 if attempt == 0 else 1)))
        if not len(k):
            continue
        along = np.einsum("ki,kij->kj", np.where(null[k], rng.normal(size=(len(k), 6)), 0.0), Vt[k])
        stride = STRIDE * along / np.abs(along).max(-1, keepdims=True)
        there, good = polished(chain, X[k], q[k] + stride)
        gap = angle_gap(there, q[k])
        on_family[k] = good & (gap > STRIDE / 3.0) & (gap < STRIDE * 3.0)
    return on_family
