"""The arguments of identification: a tree, given as a robot or as its model, and measurements."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.require import require_model, require_sliding
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot

Array = NDArray[np.float64]


def tree_of(given: Model | Robot, where: str) -> Robot:
    """The robot, or an error if it has loops or wheels: their forces load the joints like inertia does."""
    robot = given if isinstance(given, Robot) else Robot(require_model(given, where))
    require_tree(robot.model, where)
    require_sliding(robot, where)
    return robot


def real_array(name: str, given: ArrayLike) -> Array:
    """The argument of this name as an array of numbers."""
    try:
        found = np.asarray(given)
        if found.dtype.kind in "fiub":
            return found.astype(float, copy=False)
    except ValueError:
        pass  # rows of different lengths
    raise ArgumentError(f"{name} must be an array of real numbers, not {given!r}")
