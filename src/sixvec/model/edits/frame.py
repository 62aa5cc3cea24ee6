"""One more frame on a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sixvec.errors import ArgumentError, ModelError
from sixvec.model.body import Frame
from sixvec.model.edits.find import of_models
from sixvec.model.model import Model
from sixvec.spatial import Pose


@of_models
def with_frame(model: Model, name: str, on: str, pose: Pose | Sequence[Sequence[Any]] | None = None) -> Model:
    """The model with a frame `name` fixed to the frame `on`, at a pose in it: a `Pose`, or its matrix (4, 4).

    >>> import sixvec
    >>> from sixvec.model.edits import with_frame
    >>> from sixvec.spatial import Pose, Vec3
    >>> model = with_frame(sixvec.load("panda").model, "tip", "panda_link8", Pose.translation(Vec3(0.0, 0.0, 0.1)))
    >>> model.frame("tip").body == model.frame("panda_link8").body
    True
    """
    carrier = model.frame(on)
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"{model.name}: a frame is named by a word, not {name!r}")
    if name in (f.name for f in model.frames):
        raise ModelError(f'{model.name} has a frame "{name}" already; choose another name')
    X = Pose.identity() if pose is None else pose if isinstance(pose, Pose) else _pose(model, name, pose)
    return replace(model, frames=(*model.frames, Frame(name, carrier.body, carrier.placement @ X)))


def _pose(model: Model, name: str, matrix: Sequence[Sequence[Any]]) -> Pose:
    rows = [[*row] for row in matrix]
    if [len(row) for row in rows] != [4, 4, 4, 4]:
        raise ArgumentError(f'{model.name}: the pose of frame "{name}" is a Pose or a matrix (4, 4)')
    if [float(x) for x in rows[3]] != [0.0, 0.0, 0.0, 1.0]:
        raise ArgumentError(f'{model.name}: the pose of frame "{name}" has the last row {rows[3]}, not 0, 0, 0, 1')
    return Pose.from_matrix([[float(x) for x in row] for row in rows])
