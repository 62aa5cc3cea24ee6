"""Targets for the rows of constraints that leave out the rows of a robot's wheels: these keep rolling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.algorithms.declaration import TARGET, size
from sixvec.arguments import real_array
from sixvec.kernels.portable import library_of
from sixvec.model import Model
from sixvec.model.held_frame import Held


def with_wheels_at_rest(model: Model, hold: Sequence[Held], target: Any) -> Any:
    """The target with zeros for rows of wheels, if it has entries for all other rows alone."""
    rolling = sum(len(wheel.directions) for wheel in model.rolling)
    start, rows = size(model, "nconstraints"), size(model, "nrows", hold)
    if not rolling or library_of(target) not in (None, "numpy"):
        return target
    if isinstance(target, list | tuple) and not any(map(np.ndim, target)):
        return [*target[:start], *[0.0] * rolling, *target[start:]] if len(target) == rows - rolling else target
    numbers = real_array(TARGET, target)
    if numbers.shape[-1:] != (rows - rolling,):
        return target  # of all rows, or of a shape that the call rejects
    return np.insert(numbers, [start] * rolling, 0.0, axis=-1)
