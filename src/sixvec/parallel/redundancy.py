"""More legs than freedoms: load distribution, internal forces, and twists from speeds that disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each
from sixvec.errors import ArgumentError
from sixvec.parallel.maps import without_singular
from sixvec.parallel.space import Bounds
from sixvec.solve.decomposition import weight_factor
from sixvec.solve.quadratic_program import quadratic_program
from sixvec.tolerances import EQUAL, RANK
from sixvec.verdict import Verdict


def distributed(
    A: Array, gain: Array, w: Array, weight: ArrayLike | None, limits: Bounds, scale: Array, leverage: float = 0.0
) -> Array:
    """Actuator forces that apply the wrench: argmin τᵀ K⁻¹ τ with A (τ / gain) = w, within limits if given.

    τ = K Gᵀ (G K Gᵀ)⁻¹ w = F (G F)⁺ w with K = F Fᵀ (Bruyninckx (8.31)), from singular values.  Columns of A are unit
    forces, so that a leg with zero gain carries any load without its actuator.
    """
    n = A.shape[-1]
    F = np.swapaxes(weight_factor(weight, n, "leg"), -1, -2)
    B = scale[:, None] * (A @ (F / _sized(gain)[..., :, None]))
    right = scale * w
    if limits is not None:
        return _within(A, gain, F, right, scale, limits)
    finite = np.asarray(np.isfinite(B).all(axis=(-1, -2)))
    values = np.linalg.svd(np.where(finite[..., None, None], B, 0.0), compute_uv=False)
    singular = finite & ((values[..., -1] < RANK * values[..., 0]) | _no_moment(A, scale, leverage))
    inverse = np.linalg.pinv(np.where(finite[..., None, None], B, 0.0), RANK)
    tau = (F @ (inverse @ right[..., None]))[..., 0]
    tau = np.where(finite[..., None], tau, np.nan)
    return without_singular(tau, np.broadcast_to(singular, tau.shape[:-1]), "inverse_force",
                            "because the legs cannot hold every wrench")  # fmt: skip


def nearest_twist(
    A: Array, gain: Array, qd: Array, scale: Array, gain_sizes: Array, leverage: float = 0.0
) -> tuple[Array, Array]:
    """t (..., m) of least |Gᵀ t - q̇|, G = A / gain, NaN where a leg cannot reach; and which poses lack rank.

    A leg of zero gain has an infinite weight: its rod holds the platform whatever its actuator does.
    """
    rows = np.swapaxes(A, -1, -2) * scale
    finite = np.isfinite(rows).all(axis=(-1, -2)) & np.isfinite(gain).all(axis=-1)
    values = np.linalg.svd(np.where(finite[..., None, None], rows, 0.0), compute_uv=False)
    singular = finite & (values[..., -1] < RANK * np.maximum(values[..., 0], leverage))
    usable = (finite & ~singular)[..., None]
    rows = np.where(usable[..., None], rows, np.eye(*rows.shape[-2:]))
    gain = np.where(usable, gain, 1.0)
    weight = 1.0 / np.maximum(np.abs(gain), RANK * gain_sizes)
    Q, R = np.linalg.qr(weight[..., None] * rows)
    right = np.swapaxes(Q, -1, -2) @ (weight * gain * qd)[..., None]
    t = np.where(finite[..., None], scale * np.linalg.solve(R, right)[..., 0], np.nan)
    return t, np.broadcast_to(singular, t.shape[:-1])


def internal_forces(G: Array, scale: Array, tolerance: float = RANK) -> Array:
    """An orthonormal basis (n, n - rank) of the actuator forces without effect on the platform, for one pose.

    Bruyninckx (8.29).
    """
    _, values, Vt = np.linalg.svd(scale[:, None] * G)
    return np.asarray(Vt[int((values > tolerance * values.max()).sum()) :].T)


def _no_moment(A: Array, scale: Array, leverage: float) -> Any:
    """Where a platform that only turns is not held about some axis, compared with the leverage of its pivots."""
    if not leverage:
        return False
    rows = scale[:, None] * A
    finite = np.isfinite(rows).all(axis=(-1, -2))
    values = np.linalg.svd(np.where(finite[..., None, None], rows, 0.0), compute_uv=False)
    return values[..., -1] < RANK * leverage


def _sized(gain: Array) -> Array:
    """Gains without zeros: the column of G of a leg with zero gain is infinite."""
    return np.where(np.abs(gain) < 1e-300, 1e-300, gain)


def _bounds(limits: Any, n: int) -> tuple[Array, Array]:
    """Smallest and largest forces of all legs."""
    try:
        low, high = limits
    except (TypeError, ValueError):
        raise ArgumentError(f"inverse_force: limits are {limits!r}; give (smallest, largest) forces") from None
    pairs = (("smallest", low), ("largest", high))
    low, high = (number_for_each(f"inverse_force: the {name} force", x, n, "legs") for name, x in pairs)
    if (bad := ~(low <= high)).any():
        k = int(bad.argmax())
        raise ArgumentError(f"inverse_force: limits {low[k]} … {high[k]} of leg {k} leave no force")
    return low, high


def _within(A: Array, gain: Array, F: Array, right: Array, scale: Array, limits: tuple[Any, Any]) -> Array:
    n = A.shape[-1]
    low, high = _bounds(limits, n)
    batch = np.broadcast_shapes(A.shape[:-2], right.shape[:-1])
    G = np.broadcast_to(scale[:, None] * A / gain[..., None, :], (*batch, *A.shape[-2:]))
    right = np.broadcast_to(right, (*batch, len(scale)))
    weighted = np.linalg.inv(F)
    H = np.swapaxes(weighted, -1, -2) @ weighted
    size = np.abs(H).max(axis=(-1, -2), keepdims=True)
    ends = [np.concatenate([np.broadcast_to(x, (*batch, n)), right], -1) for x in (low, high)]
    program = quadratic_program(H / size, np.zeros(n), G, *ends)
    tau = np.clip(program.x, low, high)
    miss = np.abs((G @ tau[..., None])[..., 0] - right).max(axis=-1)
    failed = miss > EQUAL * np.maximum(np.abs(right).max(axis=-1), 1.0)
    tau = np.where((program.verdict == Verdict.INVALID)[..., None], np.nan, tau)
    return without_singular(tau, failed, "inverse_force", "because no forces within the limits hold the wrench")
