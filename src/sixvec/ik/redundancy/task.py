"""Tasks: the relevant directions of a frame's motion, and whether a robot is redundant for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.solve.decomposition import rank
from sixvec.solve.direction import Directions, direction_rows
from sixvec.tolerances import RANK


def task_jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    directions: Directions = "pose",
    reference: Reference = "local_world_aligned",
) -> Array:
    """The rows of `robot.jacobian` that belong to the named directions: (..., m, nv).

    >>> import sixvec
    >>> from sixvec.ik.redundancy import task_jacobian
    >>> arm = sixvec.load("planar_2r")
    >>> task_jacobian(arm, arm.neutral(), arm.frame_names[-1], "x y").shape
    (2, 2)
    """
    return np.asarray(robot.jacobian(q, frame, reference=reference)[..., direction_rows(directions), :])


def freedoms(robot: Robot, frame: str) -> int:
    """The number of velocity coordinates that can move the frame.

    >>> import sixvec
    >>> freedoms(sixvec.load("panda"), "panda_link3")
    3
    """
    require_tree(robot.model, "freedoms")
    # Generic positions distinguish structural zeros from columns that vanish by coincidence.
    return int((np.abs(robot.jacobian(robot.random(0, 4), frame)).max(axis=(0, 1)) > 0.0).sum())


@dataclass(frozen=True, slots=True)
class Redundancy:
    """The freedoms that move a frame compared with the directions of a task, at one position.

    `joints` is the number of freedoms that can move the frame, `task` the number of directions, `rank` that of the
    Jacobian at this position.
    """

    joints: int
    task: int
    rank: int

    @property
    def degree(self) -> int:
        """Freedoms beyond those of the task, at every position."""
        return self.joints - self.task

    @property
    def is_redundant(self) -> bool:
        return self.degree > 0

    @property
    def internal(self) -> int:
        """Dimension of the motions that do not affect the task at this position."""
        return self.joints - self.rank

    @property
    def is_singular(self) -> bool:
        """Whether task directions are lost at this position; then `internal` exceeds `degree`, redundant or not."""
        return self.rank < min(self.task, self.joints)

    def __str__(self) -> str:
        kind = f"redundant by {self.degree}" if self.is_redundant else "not redundant"
        here = f", singular here: rank {self.rank}" if self.is_singular else ""
        return f"{kind}: {self.joints} joint freedoms for {self.task} task directions{here}"


def redundancy(
    robot: Robot, q: ArrayLike, frame: str, directions: Directions = "pose", tolerance: float = RANK
) -> Redundancy:
    """Whether the robot has more freedoms than the task needs (Bruyninckx §5.9), and the rank at q.

    Redundancy belongs to a robot *and* a task: a six-axis arm is redundant for drilling, where the rotation about the
    drill is free.  Joints that never move the frame do not count.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import redundancy
    >>> panda = sixvec.load("panda")
    >>> q = [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
    >>> print(redundancy(panda, q, "panda_link8"))
    redundant by 1: 7 joint freedoms for 6 task directions
    >>> redundancy(panda, q, "panda_link8", "position").degree
    4
    """
    require_tree(robot.model, "redundancy")
    rows = direction_rows(directions)
    J = task_jacobian(robot, q, frame, directions)
    if J.ndim != 2:
        raise ArgumentError(f"redundancy is asked at one position; q has shape {np.shape(q)}")
    return Redundancy(freedoms(robot, frame), len(rows), int(rank(J, tolerance)))
