"""The input and output of a family of arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.subproblems import Turn
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

Joints = list[Any]
"""One solution: a `Turn` for each revolute joint and a length for each prismatic one, in chain order."""


@dataclass(frozen=True)
class Target:
    """The displacement G = X(q) X(0)⁻¹ that the joints must produce, in the chain's base frame."""

    rot: Rotation
    pos: Vec3

    @classmethod
    def of(cls, X: Pose, chain: SerialChain) -> Target:
        back = Rotation(Mat3(*map(float, chain.tool_rot.T.flat)))
        rot = Rotation(X.rot.matrix) @ back
        return cls(rot, X.pos - rot @ constant(chain.tool_pos))

    def carried(self, point: Vec3) -> Vec3:
        """The target of a point of the tool that is at `point` for q = 0."""
        return self.pos + self.rot @ point


@dataclass(frozen=True)
class Family:
    """A solution method for one arm.

    `solve(X, x)` lists the solutions for a pose, always the same number; x are `extra` inputs:
    a swivel angle, or angles found beforehand, either from the Fourier series `series(X)` (see quartic.py) or by
    `numeric`, from an array of poses.
    """

    name: str
    chain: SerialChain
    solve: Callable[[Pose, Sequence[Scalar]], Sequence[Joints]]
    solutions: int
    extra: int = 0
    task: str = "pose"
    """What the solutions reach: the whole "pose", or only the "position" for arms with too few joints."""
    swivel: bool = False
    series: Callable[[Pose], Sequence[Scalar]] | None = None
    numeric: Callable[[Array], Array] | None = None


def constant(v: Any) -> Vec3:
    """A vector of plain numbers."""
    x, y, z = map(float, v)
    return Vec3(x, y, z)


def forward(chain: SerialChain, joints: Sequence[Any]) -> Pose:
    """The frame's pose, from the tool back to the base: one turn at a time for two columns and the position."""
    x, y = constant(chain.tool_rot[:, 0]), constant(chain.tool_rot[:, 1])
    p = constant(chain.tool_pos)
    for i in range(len(chain) - 1, -1, -1):
        h, c = constant(chain.axes[i]), constant(chain.points[i])
        if chain.kinds[i] == "P":
            p = p + h * joints[i]
            continue
        t: Turn = joints[i]
        x, y, p = t.about(h, x), t.about(h, y), c + t.about(h, p - c)
    return Pose(Rotation(Mat3.from_rows(x, y, x.cross(y)).T), p)


def miss(chain: SerialChain, joints: Sequence[Any], X: Pose, task: str) -> Scalar:
    """The square of the pose error of a solution: metres and (small) radians alike."""
    Y = forward(chain, joints)
    gap = Y.pos - X.pos
    error = gap.dot(gap)
    if task == "pose":
        for a, b in zip(Y.rot.matrix.T.rows[:2], X.rot.matrix.T.rows[:2], strict=True):
            error = error + (a - b).dot(a - b)
    return error
