"""The arguments of identification: a tree, given as a robot or as its model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.model.require import require_sliding
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot


def tree_of(given: Model | Robot, where: str) -> Robot:
    """The robot, or an error if it has loops or wheels: their forces load the joints like inertia does."""
    robot = as_robot(given, where)
    require_tree(robot.model, where)
    require_sliding(robot, where)
    return robot


def positive_numbers(name: str, given: ArrayLike, count: int, each: str) -> Array:
    """One positive number for all, or one for each of a count of things."""
    found = real_array(name, given)
    if found.shape not in ((), (count,)) or not (np.isfinite(found) & (found > 0.0)).all():
        raise ArgumentError(f"{name} must be a positive number, or {count}, one for each {each}")
    return np.broadcast_to(found, (count,))
