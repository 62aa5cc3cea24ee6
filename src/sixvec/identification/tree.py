"""The arguments of identification: a tree, given as a robot or as its model."""

from __future__ import annotations

from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot


def tree_of(model: Model | Robot, where: str) -> Robot:
    """The robot, or an error if it has loops or wheels: their forces load the joints like inertia does."""
    robot = as_robot(model, where)
    require_unconstrained(robot.model, where)
    return robot
