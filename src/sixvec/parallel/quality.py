"""Quality of poses: dexterity, stiffness and accuracy of the platform."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import any_arrays_same_dtype, values_of
from sixvec.parallel.maps import are_dead
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Branch
from sixvec.tolerances import RANK


@dataclass(frozen=True, eq=False)
class PoseQuality(Result):
    """One value of each measure for every pose; at singular poses 0, 0 and infinity."""

    dexterity: Array
    """Smallest over largest singular value of the rods' lines, moments about the middle of the
    platform's pivots, divided by the size of the platform: 0 to 1."""
    stiffness: Array
    """N/m: stiffness of the platform's origin in its softest direction, actuators as springs; of a platform that only
    turns N m/rad, about its softest axis."""
    accuracy: Array
    """Largest displacement of the platform's origin for an error of the actuators of norm one: m/m or m/rad; of a
    platform that only turns its largest rotation, rad/m or rad/rad."""

    def __repr__(self) -> str:
        dexterity = values_of(self.dexterity)
        return f"<PoseQuality of {dexterity.size} poses, dexterity {_span(dexterity)}>"


@any_arrays_same_dtype
def quality(mechanism: ParallelRobot, X: ArrayLike, stiffness: ArrayLike = 1.0, branch: Branch = None) -> PoseQuality:
    """The quality of poses X.  `stiffness` is that of the actuators, N/m or N m/rad, one for all or one for each.

    With Gᵀ t = q̇ an error δq of the actuators moves the platform by G⁻ᵀ δq (least squares for redundant legs), of
    which the largest singular value of the linear part is the accuracy.  The compliance is (G K Gᵀ)⁻¹; the largest
    eigenvalue of its linear block is that of the softest direction.

    >>> from sixvec.parallel import Delta, quality
    >>> good = quality(Delta(0.2, 0.05, 0.25, 0.6), [0.0, 0.0, -0.5], stiffness=100.0)
    >>> bool(0.0 < good.dexterity < 1.0), float(good.accuracy.round(2))
    (True, 0.27)
    """
    k = number_for_each("stiffness", stiffness, mechanism.n, "actuators", positive=True)
    X = mechanism.space.checked(X, "quality: X")
    A, gain = (np.asarray(x) for x in mechanism.run_map("lines", X, branch=branch))
    T = mechanism.twist_shift(X)
    A = np.swapaxes(T, -1, -2) @ A
    scaled = mechanism._scale[:, None] * A
    finite = np.isfinite(scaled).all(axis=(-1, -2)) & np.isfinite(gain).all(axis=-1)
    U, values, Vt = np.linalg.svd(np.where(finite[..., None, None], scaled, 0.0), full_matrices=False)
    m = mechanism.space.freedoms
    least = values[..., m - 1] if mechanism.n >= m else np.zeros(values.shape[:-1])
    regular = finite & (least > RANK * np.maximum(values[..., 0], mechanism.leverage))
    dexterity = np.where(regular, least / np.where(regular, values[..., 0], 1.0), 0.0)
    # Shifts of the platform's origin by the rods' errors, and those by the actuators' gain times them.
    inverse = Vt.swapaxes(-1, -2) / np.where(regular[..., None], values, 1.0)[..., None, :] @ U.swapaxes(-1, -2)
    twists = T @ (inverse * mechanism._scale).swapaxes(-1, -2)
    shift = twists[..., _first(mechanism) :, :] * gain[..., None, :]
    dead = are_dead(mechanism, gain).any(axis=-1)
    accuracy = np.linalg.norm(np.where(regular[..., None, None], shift, 0.0), ord=2, axis=(-2, -1))
    stiff = _softest(mechanism, A, gain, k, T, regular & ~dead)
    finite_pose = np.isfinite(X).all(axis=tuple(range(-len(mechanism.space.port.shape), 0)))
    answers = dexterity, stiff, np.where(regular, accuracy, np.inf)
    return PoseQuality(*(np.where(finite_pose, x, np.nan) for x in answers))


def _softest(mechanism: ParallelRobot, A: Array, gain: Array, k: Array, T: Array, regular: Array) -> Array:
    """One over the largest eigenvalue of the linear block of (G K Gᵀ)⁻¹, zero at singular poses."""
    if not regular.any():
        return np.zeros(regular.shape)
    safe = np.where(regular[..., None, None], A, np.eye(*A.shape[-2:]))
    G = mechanism._scale[:, None] * safe / np.where(regular[..., None], gain, 1.0)[..., None, :]
    shift = T * mechanism._scale
    compliance = shift @ np.linalg.inv(G * k @ G.swapaxes(-1, -2)) @ shift.swapaxes(-1, -2)
    compliance = np.where(regular[..., None, None], compliance, np.eye(mechanism.space.freedoms))
    first = _first(mechanism)
    return np.asarray(np.where(regular, 1.0 / np.linalg.eigvalsh(compliance[..., first:, first:])[..., -1], 0.0))


def _first(mechanism: ParallelRobot) -> int:
    """The first component of a twist that counts: linear velocities, if there are any."""
    return 0 if mechanism.space.only_turns else mechanism.space.turns


def _span(x: Array) -> str:
    return f"{x.min(initial=np.inf):.3g} to {x.max(initial=-np.inf):.3g}"
