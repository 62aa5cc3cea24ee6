"""Singular configurations of the 321 structure: sets, rank, lost twists and carried wrenches.  Bruyninckx §7.19.1.

Three factors of det J can vanish.  Their number is not the loss of rank: a straight wrist on a singular arm loses a
second direction only if the arm's self-motion cannot replace the lost rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_321.velocity import WristJacobian, forearm_at_hand
from sixvec.ik.closed_form.arm_input import require_angles
from sixvec.spatial import Force, Mat3, Motion, Vec3

NAMES = ("arm-extended", "wrist-extended", "wrist-above-shoulder")


@dataclass(frozen=True, slots=True)
class ArmSingularity:
    """The lost twists and the carried wrenches of a configuration.

    `sets` names the factors that vanish, `rank` is that of the Jacobian, `carried` are the wrenches that need no
    torque in any joint, `lost` the same number of twists of which no combination is possible.  Both are of the hand, at
    its origin, in axes of the base.
    """

    sets: tuple[str, ...]
    rank: int
    carried: tuple[Force, ...]
    lost: tuple[Motion, ...]


def singularity(arm: Arm321, q: Sequence[float], tolerance: float = 1e-9) -> ArmSingularity:
    """The singular sets that q lies on, to `tolerance` (a sine, or a length as a fraction of the reach).

    A carried wrench (m; f) at the wrist centre has Bᵀm = 0, so m is along the common normal n of the wrist's axes or
    zero, and Cᵀf = -Aᵀm.  Forces alone are the null space of Cᵀ: along the line from shoulder to wrist when the arm
    is stretched or folded, normal to the arm's plane when the wrist is above the shoulder.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, singularity
    >>> found = singularity(Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.0, 0.6, 0.7, 0.8))
    >>> found.sets, found.rank
    (('arm-extended',), 5)
    """
    require_angles(q, 6, "321")
    J = WristJacobian(arm, tuple(map(float, q)))
    sizes = (1.0, 1.0, arm.reach)
    sets = tuple(n for n, x, size in zip(NAMES, J.factors, sizes, strict=True) if abs(x) <= tolerance * size)
    C: Any = _array(J.C) / arm.reach
    U, sizes_of_C, Vt = np.linalg.svd(C)
    rank = 3 - _vanishing(sets, sizes_of_C, tolerance)
    axes = [Vec3.of(map(float, u)) for u in U.T[rank:]]
    carried = [Force(Vec3.zero(), f) for f in axes]
    lost = [Motion(Vec3.zero(), f) for f in axes]
    if NAMES[1] in sets:
        n = J.wrist.normal
        right = Vt @ -np.array([*(J.A.T @ n)])
        if np.abs(right[rank:]).max(initial=0.0) <= tolerance:  # else the self-motion rotates the hand about n
            f = U[:, :rank] @ (right[:rank] / sizes_of_C[:rank]) / arm.reach
            carried.append(Force(n, Vec3.of(map(float, f))))
            lost.append(Motion(n, Vec3.zero()))
    X = forearm_at_hand(arm, q)
    return ArmSingularity(sets, 6 - len(carried), tuple(X @ w for w in carried), tuple(X @ t for t in lost))


def _vanishing(sets: tuple[str, ...], sizes: Any, tolerance: float) -> int:
    """The loss of rank of C: one for one vanishing factor; for both, two.

    With base and shoulder offset together it is one even then: the first joint still moves the wrist across the arm.
    """
    factors = sum(name in sets for name in (NAMES[0], NAMES[2]))
    return factors if factors < 2 or sizes[1] <= tolerance else 1


def _array(m: Mat3) -> Any:
    return np.array([*m], float).reshape(3, 3)
