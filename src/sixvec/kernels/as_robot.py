"""A robot, given as such or as its model."""

from __future__ import annotations

from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.robot import Robot


def as_robot(robot: Robot | Model, where: str) -> Robot:
    """A robot unchanged, or one made from a model.

    >>> import sixvec
    >>> as_robot(sixvec.load("panda").model, "EulerLagrange")
    <Robot panda: 7 joints, nq 7, nv 7, 9 frames>
    """
    return robot if isinstance(robot, Robot) else Robot(require_model(robot, where))
