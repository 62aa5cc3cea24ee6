"""The joint forces that muscles or cables can produce, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.muscles.pulling import tendon_places, tension_limits

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class TorqueRange(Result):
    """The least and the largest force (..., nv) of each joint, whatever the tendons do at the others."""

    lower: Array
    upper: Array


@any_arrays_same_dtype
def torque_range(
    robot: Robot,
    q: ArrayLike,
    upper: ArrayLike,
    *,
    lower: ArrayLike = 0.0,
    tendons: Sequence[str] | None = None,
) -> TorqueRange:
    """The largest joint forces, in both senses, of tendons with tensions between `lower` and `upper`, at q (..., nq).

    For each joint by itself, τ_j = -Σ J_ij t_i with every tension at the limit that serves: exact, and an outer bound
    of what is possible at several joints at once, which `tensions` decides.  Bruyninckx §6.1.

    >>> import sixvec
    >>> from sixvec.model import FixedTendon
    >>> from sixvec.muscles import torque_range
    >>> pair = FixedTendon("flexor", (("joint2", -0.05),)), FixedTendon("extensor", (("joint2", 0.04),))
    >>> found = torque_range(sixvec.load("planar_2r").with_tendons(*pair), [0.0, 0.0], upper=[100.0, 200.0])
    >>> found.lower.tolist(), found.upper.tolist()
    ([0.0, -8.0], [0.0, 5.0])
    """
    places = tendon_places(robot, tendons, "torque_range")
    least, most = tension_limits(lower, upper, len(places), "torque_range")
    arms = -np.asarray(robot.tendon_jacobian(real_array("torque_range: q", q, robot.nq)), float)[..., places, :]
    least, most = least[..., None], most[..., None]
    with np.errstate(invalid="ignore"):
        ends = [np.where(arms == 0.0, 0.0, arms * limit) for limit in (least, most)]
    low, high = (pick(*ends).sum(axis=-2) + 0.0 for pick in (np.minimum, np.maximum))
    return TorqueRange(low, high)
