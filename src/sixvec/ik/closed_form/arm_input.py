"""Inputs of the two structures: a pose as a value or a matrix, and one angle per joint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sixvec.errors import DegenerateError, ShapeError
from sixvec.scalar import Scalar, certainly
from sixvec.spatial import Mat3, Pose, Rotation, Vec3


def as_pose(X: Any) -> Pose:
    """A pose; one homogeneous matrix (4, 4), an array or rows of scalars, is converted without check: invalid poses are
    reported by the verdict of the solution.

    >>> as_pose([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]).pos.x
    2.0
    """
    if hasattr(X, "rot") and hasattr(X, "pos"):
        pose: Pose = X
        return pose
    rows = X.tolist() if hasattr(X, "tolist") else X
    try:
        sizes = [len(row) for row in rows]
        one = sizes == [4] * 4 and not any(hasattr(x, "__len__") for row in rows for x in row)
    except TypeError:
        one = False
    if not one:
        shape = getattr(X, "shape", None)
        raise ShapeError(
            f"the target is one sixvec.spatial.Pose or matrix (4, 4), not a {type(X).__name__}"
            f"{'' if shape is None else f' of shape {tuple(shape)}'}; many poses go through sixvec.compiled"
        )
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = rows[:3]
    return Pose(Rotation(Mat3(a, b, c, d, e, f, g, h, i)), Vec3(x, y, z))


def require_regular(cases: Iterable[tuple[Scalar, str]]) -> None:
    """On plain numbers, an error with the name of the singularity whose condition holds; batches become NaN there."""
    for here, name in cases:
        if certainly(here):
            raise DegenerateError(
                f"the arm is singular here: {name}; no rates give every twist. "
                "`singularity(arm, q)` reports which twist is lost and which wrench is carried; "
                "use a damped inverse or leave the singularity"
            )


def require_angles(q: Sequence[Any], joints: int, structure: str) -> None:
    """Raise an error for positions without exactly one number for each joint.

    >>> require_angles((0.0,) * 6, 7, "313")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: a 313 structure has 7 joint angles, not 6
    """
    if len(q) != joints:
        raise ShapeError(f"a {structure} structure has {joints} joint angles, not {len(q)}")
