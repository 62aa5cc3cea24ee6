"""Jacobians of points and of several frames at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, common_batch, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.robot import Robot


@any_arrays_same_dtype
def point_jacobian(robot: Robot, q: ArrayLike, frame: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """J with J v = (ω; velocity of the point that is fixed at `point` in the frame's coordinates), in world axes.

    The velocity of a *point*, not the spatial velocity in world coordinates, whose linear part belongs to the
    world's origin; the two differ by p × ω (Featherstone (26)).  Points (..., 3) broadcast against q.

    >>> import sixvec
    >>> from sixvec.analysis import point_jacobian
    >>> arm = sixvec.load("planar_2r")
    >>> point_jacobian(arm, [0.0, 0.0], "link1", [0.5, 0.0, 0.0])[3:, 0].round(3).tolist()
    [0.0, 0.0, 0.5]
    """
    r = real_array("point", point, 3)
    J = np.asarray(robot.jacobian(q, frame))
    shapes = [(*J.shape[:-2], robot.nq), r.shape]
    common_batch("point_jacobian", [s[:-1] for s in shapes], ["q", "point"], shapes)
    R = np.asarray(robot.pose(q, frame))[..., :3, :3]
    arm = np.einsum("...ij,...j->...i", R, r)
    w = np.swapaxes(J[..., :3, :], -1, -2)
    shift = np.swapaxes(np.cross(w, arm[..., None, :]), -1, -2)
    ang = np.broadcast_to(J[..., :3, :], shift.shape)
    return np.concatenate([ang, J[..., 3:, :] + shift], axis=-2)


@any_arrays_same_dtype
def tree_jacobian(
    robot: Robot, q: ArrayLike, frames: Sequence[str], reference: Reference = "local_world_aligned"
) -> Array:
    """The Jacobians of N frames, one under the other: (..., 6 N, nv) (Bruyninckx §5.5.3).

    Blocks of joints that do not move a frame are zero.  A joint shared by two frames has the same column in both only
    with reference "world".  Bruyninckx (5.25)-(5.27).

    >>> import sixvec
    >>> from sixvec.analysis import tree_jacobian
    >>> arm = sixvec.load("planar_2r")
    >>> tree_jacobian(arm, [0.0, 0.0], ["link1", "tip"]).shape
    (12, 2)
    """
    if isinstance(frames, str) or not frames:
        raise ArgumentError(
            f"tree_jacobian needs a list of frame names, not {frames!r}; frames: {', '.join(robot.frame_names)}"
        )
    return np.concatenate([np.asarray(robot.jacobian(q, frame, reference)) for frame in frames], axis=-2)


@any_arrays_same_dtype
def graph_jacobian(
    robot: Robot, q: ArrayLike, frames: Sequence[str], reference: Reference = "local_world_aligned"
) -> Array:
    """The tree's Jacobians above the rows A of the closures, with A v = 0: (..., 6 N + constraints, nv).

    Bruyninckx §5.5.4, where a branch traversed in reverse counts as negative.  Bruyninckx (5.29).

    >>> import sixvec
    >>> from sixvec.analysis import graph_jacobian
    >>> graph_jacobian(sixvec.load("four_bar"), [0.7, 0.0, 1.0], ["rocker_end"]).shape
    (11, 3)
    """
    rows = np.asarray(robot.closure_jacobian(q), float)
    return np.concatenate([tree_jacobian(robot, q, frames, reference), rows], axis=-2) if frames else rows
