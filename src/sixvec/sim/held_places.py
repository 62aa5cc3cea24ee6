"""Frames that a rollout keeps where their holds began: which of their rows are conditions on positions, and the errors.

A row of a held frame is its velocity along a direction.  It keeps a place if that velocity is the rate of something:
along an axis of the world, or along any axis where the origin does not move at all or the frame does not turn.  A frame
that may not move along its own axis x, as a skate, or may not turn about one axis alone, has no place to return to: its
row restricts velocities only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.held_directions import Direction
from sixvec.algorithms.parts.reference import world_pose
from sixvec.model import Model
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Pose, Rotation, Vec3, so3

NUMBERS = 12
"""Of a place: a position, and a rotation by rows."""


def placed(hold: Sequence[Held]) -> tuple[Held, ...]:
    """The frames of `hold` with the directions that keep a place.

    >>> from sixvec.algorithms.parts.held_frames import held_frames
    >>> from sixvec.model.robots import BUILT_IN
    >>> panda = BUILT_IN["panda"]()
    >>> placed(held_frames(panda, {"panda_link8": ("x", "world z", "turn x")}))[0].directions
    ('world z',)
    >>> placed(held_frames(panda, {"panda_link8": ("x", "turn x", "turn y", "turn z")}))[0].directions
    ('x', 'turn x', 'turn y', 'turn z')
    """
    return tuple(found for h in hold if (found := replace(h, directions=_placed_directions(h))).directions)


def has_place(entry: Held) -> bool:
    """Whether some direction keeps a place."""
    return bool(_placed_directions(entry))


def _placed_directions(entry: Held) -> tuple[Direction, ...]:
    if isinstance(entry, RollingFrame):
        return ()
    turns, shifts = (_span_space(entry.directions, turning) for turning in (True, False))

    def keeps(d: Direction) -> bool:
        if d.turns:
            return turns
        of_world = d.in_world and entry.to is None
        return shifts or of_world or (turns and not d.in_world)

    return tuple(d for d in entry.directions if keeps(d))


def _span_space(directions: Sequence[Direction], turning: bool) -> bool:
    """Whether the axes of turns, or of shifts, in one set of axes have all directions of space."""
    for in_world in (False, True):
        axes = [d.axis for d in directions if d.turns == turning and d.in_world == in_world]
        if axes and np.linalg.matrix_rank(np.array(axes), tol=1e-6) == 3:
            return True
    return False


def pose_of(model: Model, q: Sequence[Scalar], entry: Held) -> Pose:
    """The pose of a held frame in the world, or in the frame to which it is held."""
    at = JointVector(q, model.q_slices)
    X_WF = world_pose(model, at, model.frame(entry.frame))
    return X_WF if entry.to is None else world_pose(model, at, model.frame(entry.to)).inv() @ X_WF


def numbers_of(X: Pose) -> list[Scalar]:
    """A pose as twelve numbers.

    >>> numbers_of(Pose.translation(Vec3(1.0, 2.0, 3.0)))
    [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    """
    return [*X.pos, *(x for row in X.rot.matrix.rows for x in row)]


def pose_from(numbers: Sequence[Scalar]) -> Pose:
    """The pose of `numbers_of`."""
    return Pose(Rotation(Mat3(*numbers[3:])), Vec3.of(numbers[:3]))


def place_errors(model: Model, q: Sequence[Scalar], entry: Held, place: Pose) -> list[Any]:
    """How far a frame is from its place along each of its placed directions; the rates are its rows there."""
    X = pose_of(model, q, entry)
    R_FW = world_pose(model, JointVector(q, model.q_slices), model.frame(entry.frame)).rot.inv()
    shift = X.rot.inv() @ (X.pos - place.pos)
    turn = so3.log(place.rot.inv() @ X.rot)
    return [d.axis_in(R_FW).dot(turn if d.turns else shift) for d in _placed_directions(entry)]
