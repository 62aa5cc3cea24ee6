"""Whether muscles or cables can produce every joint force by pulling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.muscles.pulling import joint_places, tendon_places
from sixvec.solve.cone import nearest_in_cone
from sixvec.solve.decomposition import rank
from sixvec.tolerances import RANK

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class WrenchClosure(Result):
    """For each sample whether it is `closed`, with a proof.

    If so, `tension` (..., tendons) are positive tensions that balance each other, the smallest 1 N, and `motion` is
    zero.  If not, `motion` (..., nv) is a velocity that shortens no tendon or, where the tendons do not even span all
    joint forces, one that changes no length: against it they are helpless.
    """

    closed: NDArray[np.bool_]
    tension: Array
    motion: Array

    def __bool__(self) -> bool:
        return bool(self.closed.all())


@any_arrays_same_dtype
def wrench_closure(
    robot: Robot,
    q: ArrayLike,
    *,
    tendons: Sequence[str] | None = None,
    joints: Sequence[str] | None = None,
) -> WrenchClosure:
    """Whether tensions t ≥ 0 can produce every joint force at q (..., nq), if they may be as large as it takes.

    They can if and only if J, the `tendon_jacobian`, has full column rank and some positive tensions balance each
    other, Jᵀ t = 0 (Stiemke's theorem); for n freedoms this takes n + 1 tendons at least.  For a cable-driven platform
    the joint force is the wrench on it.  Singular values and unbalanced forces below 1e-9 of the largest count as zero.
    Bruyninckx §6.1.

    >>> import sixvec
    >>> from sixvec.model import FixedTendon
    >>> from sixvec.muscles import wrench_closure
    >>> pair = FixedTendon("flexor", (("joint2", -0.05),)), FixedTendon("extensor", (("joint2", 0.04),))
    >>> arm = sixvec.load("planar_2r").with_tendons(*pair)
    >>> bool(wrench_closure(arm, [0.0, 0.0], joints=["joint2"])), wrench_closure(arm, [0.0, 0.0]).motion.tolist()
    (True, [1.0, 0.0])
    """
    places, driven = tendon_places(robot, tendons, "wrench_closure"), joint_places(robot, joints, "wrench_closure")
    J = np.asarray(robot.tendon_jacobian(real_array("wrench_closure: q", q, robot.nq)), float)
    J = J[..., places, :][..., driven]
    batch = J.shape[:-2]
    closed = np.zeros(batch, bool)
    tension, motion = np.full((*batch, len(robot.model.tendons)), np.nan), np.full((*batch, robot.nv), np.nan)
    for i in map(tuple, np.argwhere(np.isfinite(J).all((-1, -2)))):
        t, v = _one(J[i])
        closed[i] = v is None
        tension[i], motion[i] = 0.0, 0.0
        tension[(*i, places)] = t
        if v is not None:
            motion[(*i, driven)] = v
    return WrenchClosure(closed, tension, motion)


def _one(J: Array) -> tuple[Array, Array | None]:
    """Balanced tensions, or a motion that shows that there are none."""
    count, n = J.shape
    size = np.linalg.norm(J, axis=0)
    scaled = J / np.where(size > 0.0, size, 1.0)  # one unit for radians and metres: that of the tendons
    if int(rank(scaled, RANK)) < n:
        _, _, Vt = np.linalg.svd(scaled)
        free = Vt[-1] if size.all() else (size == 0.0).astype(float)
        return np.zeros(count), _unit(free / np.where(size > 0.0, size, 1.0))
    t = 1.0 + nearest_in_cone(scaled.T, -scaled.sum(axis=0))
    unbalanced = scaled.T @ t
    if np.abs(unbalanced).max() <= RANK * (np.abs(scaled.T) @ t).max():
        return t, None
    return np.zeros(count), _unit(unbalanced / np.where(size > 0.0, size, 1.0))


def _unit(v: Array) -> Array:
    """With the largest entry 1 in size."""
    return np.asarray(v / np.abs(v).max())
