"""Pose errors to be closed: between a frame and its target, and between two frames of a cut loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.rigid_poses import require_rotations
from sixvec.errors import ArgumentError
from sixvec.ik.kinematic_maps import pose_difference
from sixvec.robot import Robot
from sixvec.solve.direction import Directions, direction_rows


def pose_error(X: ArrayLike, Y: ArrayLike) -> Array:
    """The displacement from pose X to pose Y (..., 4, 4): (rotation vector of R_Y R_Xᵀ; p_Y - p_X), in world axes.

    >>> import numpy as np
    >>> from sixvec.ik.redundancy import pose_error
    >>> X, Y = np.eye(4), np.eye(4)
    >>> Y[0, 3] = 2.0
    >>> pose_error(X, Y).tolist()
    [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    """
    return np.asarray(pose_difference(X, Y))


class Gap(Protocol):
    """An error e(q) and a matrix A(q) with  ė = t - A q̇, where t is the velocity of the target."""

    @property
    def gain(self) -> float: ...
    def error(self, robot: Robot, q: ArrayLike) -> Array: ...
    def matrix(self, robot: Robot, q: ArrayLike) -> Array: ...
    def velocity(self) -> Array: ...


@dataclass(frozen=True)
class PoseGap:
    """From a frame to its target pose (4, 4), which moves with `twist` (ω; v of its origin, world axes).

    `gain` K, 1/s: with ė = t - A q̇ and A q̇ = t + K e the error decays as exp(-K time).  The rotational rows of A are
    those of the Jacobian rotated by the error itself, which makes this exact for large errors too, below half a turn.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import PoseGap
    >>> panda = sixvec.load("panda")
    >>> q = panda.random(0)
    >>> bool(abs(PoseGap("panda_link8", panda.pose(q, "panda_link8")).error(panda, q)).max() < 1e-12)
    True
    """

    frame: str
    target: ArrayLike
    twist: ArrayLike = field(default_factory=lambda: np.zeros(6))
    gain: float = 1.0
    directions: Directions = "pose"

    def __post_init__(self) -> None:
        what = f'PoseGap of "{self.frame}": target'
        require_rotations(real_array(what, self.target, 4, 4), what)
        real_array(f'PoseGap of "{self.frame}": twist', self.twist, 6, why="a target moves in six ways")
        _check(self.gain, self.directions)

    def error(self, robot: Robot, q: ArrayLike) -> Array:
        e = pose_error(robot.pose(q, self.frame), self.target)
        return np.asarray(e[..., direction_rows(self.directions)])

    def matrix(self, robot: Robot, q: ArrayLike) -> Array:
        turn = _turn(robot.pose(q, self.frame), np.asarray(self.target, float))
        return np.asarray((turn @ robot.jacobian(q, self.frame))[..., direction_rows(self.directions), :])

    def velocity(self) -> Array:
        return np.asarray(np.asarray(self.twist, float)[..., direction_rows(self.directions)])


@dataclass(frozen=True)
class LoopGap:
    """From frame `first` to frame `second`, which coincide in the closed loop: both sides may move to close it.

    For a hinge omit the rotation about its axis from `directions`: "x z" for a planar loop in the x-z plane.

    >>> from sixvec.ik.redundancy import LoopGap
    >>> LoopGap("left_tip", "right_tip", directions="x z").gain
    1.0
    """

    first: str
    second: str
    gain: float = 1.0
    directions: Directions = "pose"

    def __post_init__(self) -> None:
        _check(self.gain, self.directions)

    def error(self, robot: Robot, q: ArrayLike) -> Array:
        e = pose_error(robot.pose(q, self.first), robot.pose(q, self.second))
        return np.asarray(e[..., direction_rows(self.directions)])

    def matrix(self, robot: Robot, q: ArrayLike) -> Array:
        turn = _turn(robot.pose(q, self.first), robot.pose(q, self.second))
        A = turn @ robot.jacobian(q, self.first) - robot.jacobian(q, self.second)
        return np.asarray(A[..., direction_rows(self.directions), :])

    def velocity(self) -> Array:
        return np.zeros(len(direction_rows(self.directions)))


def _check(gain: float, directions: Directions) -> None:
    if not 0.0 <= gain < np.inf:
        raise ArgumentError(f"the gain of a gap is {gain}/s; it must be finite, and negative ones open the gap")
    direction_rows(directions)


def _turn(X: Array, Y: Array) -> Array:
    """blkdiag(R_Y R_Xᵀ, 1): the effect of an angular velocity of X on the rotational error."""
    R = Y[..., :3, :3] @ np.swapaxes(X[..., :3, :3], -1, -2)
    turn = np.broadcast_to(np.eye(6), (*R.shape[:-2], 6, 6)).copy()
    turn[..., :3, :3] = R
    return turn
