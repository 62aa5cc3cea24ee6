"""Singular values of a Jacobian: rank, condition, null spaces and the inverse that they allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ShapeError
from sixvec.solve.decomposition import rank_of, reciprocals, singular_values, smallest_value
from sixvec.solve.metric import Metric, require_metric
from sixvec.tolerances import RANK


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Result):
    """J = Σ σᵢ tᵢ vᵢᵀ N: joint velocity vᵢ = `rates[..., i]` of size one makes the twist σᵢ `twists[..., i]`.

    In the norms of the metric the twists are orthonormal (tᵢᵀ W tⱼ = δᵢⱼ) and so are the rates (vᵢᵀ N vⱼ = δᵢⱼ);
    J vᵢ = σᵢ tᵢ.  Columns beyond the singular values span the complements: twists that no joint can produce, joint
    velocities without effect (Bruyninckx §5.8.2).  Leading axes are those of the batch.
    """

    values: Array
    """σ, largest first: (..., min(m, nv)), m = 6 unless rows were chosen."""
    twists: Array
    """(..., m, m), one twist per column."""
    rates: Array
    """(..., nv, nv), one joint velocity per column."""
    metric: Metric

    @property
    def smallest(self) -> Array:
        """The last singular value: 0 exactly where the Jacobian does not have full rank.

        >>> s = spectrum(np.eye(6), Metric.from_length(1.0, 6))
        >>> float(s.smallest)
        1.0
        """
        return smallest_value(self.values)

    @property
    def condition(self) -> Array:
        """σ₁/σₖ: 1 where all directions are equally easy (isotropic), infinite where one is lost."""
        if not self.values.shape[-1]:
            return np.full(self.values.shape[:-1], np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.values[..., 0] / self.values[..., -1]
        return np.where(self.values[..., -1] > 0.0, ratio, np.inf)

    def rank(self, tolerance: float = RANK) -> NDArray[np.int_]:
        """How many singular values exceed `tolerance` times the largest."""
        _require_tolerance(tolerance)
        return rank_of(self.values, tolerance)

    def inverse(self, tolerance: float = RANK) -> Array:
        """The weighted pseudo-inverse  J⁺ = Σ vᵢ σᵢ⁻¹ tᵢᵀ W  over the singular values above the tolerance.

        J⁺ t is the smallest joint velocity, in the metric's norm, among those whose twist is nearest to t.  The outer
        product is vᵢ tᵢᵀ (Bruyninckx (5.33) prints it transposed).
        """
        _require_tolerance(tolerance)
        factors, k = reciprocals(self.values, tolerance), self.values.shape[-1]
        dual = np.swapaxes(self.twists[..., :k], -1, -2) @ self.metric.task
        return np.asarray((self.rates[..., :k] * factors[..., None, :]) @ dual)

    def reachable_twists(self, tolerance: float = RANK) -> Array:
        """A basis (m, rank) of the twists that the joints can make; one configuration at a time."""
        return self.twists[:, : self._one(tolerance)]

    def lost_twists(self, tolerance: float = RANK) -> Array:
        """A basis (m, m - rank) of the twists at right angles (in the task weight) to all that the joints can make."""
        return self.twists[:, self._one(tolerance) :]

    def free_wrenches(self, tolerance: float = RANK) -> Array:
        """A basis (m, m - rank) of the wrenches f with Jᵀ f = 0: the structure bears them without any motor.

        They are reciprocal to every twist that the joints can make, whatever the metric; f = W t for a
        lost twist t.
        """
        wrenches = self.metric.task @ self.lost_twists(tolerance)
        return np.asarray(wrenches / np.linalg.norm(wrenches, axis=-2, keepdims=True))

    def internal_motions(self, tolerance: float = RANK) -> Array:
        """A basis (nv, nv - rank) of the joint velocities that leave the frame at rest."""
        return self.rates[:, self._one(tolerance) :]

    def _one(self, tolerance: float) -> int:
        if self.values.ndim != 1:
            raise ShapeError(f"bases are for one configuration; this is a batch of shape {self.values.shape[:-1]}")
        return int(self.rank(tolerance))


def spectrum(J: ArrayLike, metric: Metric) -> Spectrum:
    """The singular value decomposition of Jacobians (..., m, nv) in the norms of a metric.

    A Jacobian that is not finite gives NaN and rank 0 for its own sample.  Bruyninckx (5.32).

    >>> import numpy as np
    >>> import sixvec
    >>> from sixvec.solve import Metric, spectrum
    >>> arm = sixvec.load("panda")
    >>> J = arm.jacobian(arm.random(0, 5), "panda_link8")
    >>> s = spectrum(J, Metric.from_length(0.2, arm.nv))
    >>> s.rank().tolist(), np.allclose(J @ s.inverse(), np.eye(6))
    ([6, 6, 6, 6, 6], True)
    """
    require_metric(metric)
    J = real_array("J", J, "m", "nv")
    U, values, Vt = singular_values(metric.weighted(J))
    # Back from the coordinates in which both norms are Euclidean: t = L⁻ᵀ u, v = K⁻ᵀ w.
    twists = np.linalg.inv(np.swapaxes(metric.task_root, -1, -2)) @ U
    rates = np.linalg.inv(np.swapaxes(metric.joint_root, -1, -2)) @ np.swapaxes(Vt, -1, -2)
    return Spectrum(values, twists, rates, metric)


def _require_tolerance(tolerance: float) -> None:
    if not 0.0 <= tolerance < 1.0:
        raise ArgumentError(f"the tolerance is a part of the largest singular value, in [0, 1), not {tolerance}")
