"""The inverse operational-space inertia of several frames at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.declaration import Algorithm, JointVector, Output
from sixvec.algorithms.parts.mobility import mobility_blocks
from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.kernel import Kernel
from sixvec.model import Model
from sixvec.robot import Robot


@any_arrays_same_dtype
def frames_inertia_inverse(
    robot: Robot, q: ArrayLike, frames: Sequence[str], reference: Reference = "local_world_aligned"
) -> Array:
    """Ω = J M⁻¹ Jᵀ of the stacked Jacobians of several frames: (..., 6 m, 6 m), compiled.

    Block (i, j) is the acceleration of frame i per unit of wrench on frame j.  Neither M nor J is formed: O(n) for the
    articulated inertias, then O(depth) per pair of frames (Rodriguez and Kreutz; the block ψᵀ Ω ψ is taken at the
    last common ancestor of both frames, and is zero if there is none).  With loops or wheels M⁻¹ is that of the
    mechanism, as in `robot.wrench_response`.

    >>> import sixvec
    >>> from sixvec.analysis import frames_inertia_inverse
    >>> robot = sixvec.load("solo12")
    >>> feet = ["FL_FOOT", "HR_FOOT"]
    >>> frames_inertia_inverse(robot, robot.neutral(), feet).shape
    (12, 12)
    """
    names = () if isinstance(frames, str) else tuple(frames)
    if not names:
        raise ArgumentError(f"frames is {frames!r}; a sequence of at least one frame name is needed")
    for name in names:
        robot.model.frame(name)
    check_reference(reference)
    return np.asarray(_kernel(robot.model, tuple(map(str, names)), reference)(q))


def frames_mobility(model: Model, q: JointVector, frames: tuple[str, ...], reference: Reference) -> Any:
    return mobility_blocks(model, q, frames, reference)


@lru_cache(maxsize=32)
def _kernel(model: Model, frames: tuple[str, ...], reference: Reference) -> Kernel:
    size = 6 * len(frames)
    algorithm = Algorithm(frames_mobility, ("q",), (Output("Omega", (size, size)),), (), "enforced", mimic="handled")
    return Kernel(model, algorithm, {"frames": frames, "reference": reference})
