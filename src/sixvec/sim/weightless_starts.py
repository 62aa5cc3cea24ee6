"""Starts of rollouts at which joints move no mass, so that their accelerations do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.singular import SINGULAR
from sixvec.algorithms.parts.weightless import complaint, may_be_weightless, weightless_joints
from sixvec.arguments import Array
from sixvec.model.canonical import canonical
from sixvec.sim.step_options import StepOptions

if TYPE_CHECKING:
    from sixvec.robot import Robot


def weightless_starts(robot: Robot, options: StepOptions, q: Array) -> tuple[NDArray[np.bool_], str] | None:
    """Which starts (...,) these are, and a sentence that names the joints of the first; None if there are none.

    Not of mechanisms with loops, held frames or driven joints, which may carry such a joint along.
    """
    if robot.model.closures or options.hold or options.prescribed or options.passive:
        return None
    model = canonical(robot.model)
    if not may_be_weightless(model):
        return None
    M = np.asarray(robot.mass_matrix(np.where(np.isfinite(q), q, 0.0)), float)
    root = np.sqrt(np.maximum(np.diagonal(M, axis1=-2, axis2=-1), np.finfo(float).tiny))
    least = np.linalg.eigvalsh(M / root[..., None] / root[..., None, :])[..., 0]
    weightless = np.asarray(least <= SINGULAR)
    if not weightless.any():
        return None
    first = np.asarray(q, float)[weightless][0]
    return weightless, f"at step 0 {complaint(weightless_joints(model, first.tolist()))}"
