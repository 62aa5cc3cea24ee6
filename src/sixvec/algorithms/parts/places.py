"""Poses of frames and the joint axes that move them, in world coordinates, for equations about points of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.scalar import Scalar
from sixvec.spatial import Motion, Pose


class Places:
    """Poses of frames and bodies at q, and their joint axes, each computed once.

    Joints that mimic others have axes in `model`; `reduced` maps a row of them to the independent joints.
    """

    def __init__(self, model: Model, q: Sequence[Scalar]) -> None:
        self._coupling = coupling(model) if is_coupled(model) else None
        if self._coupling:
            model, q = self._coupling.free, self._coupling.positions(q)
        self.model, self._q = model, JointVector(q, model.q_slices)
        self._bodies: dict[str | None, Pose] = {None: Pose.identity()}
        self._axes: dict[str, list[Motion]] = {}

    def pose(self, frame: str | None) -> Pose:
        """X_WF of a frame; None is the world."""
        if frame is None:
            return Pose.identity()
        F = self.model.frame(frame)
        return self.body(F.body) @ F.placement

    def body(self, name: str | None) -> Pose:
        """X_WB of a body."""
        if name not in self._bodies:
            b = self.model.by_name[name]  # type: ignore[index]
            X = self.body(b.parent) @ b.placement @ b.joint.pose(self._q[b])
            self._bodies[name] = X
            self._axes[b.name] = [X @ S for S in b.subspace(self._q)]
        return self._bodies[name]

    def axes(self, body: str) -> list[Motion]:
        """The axes of a body's joint, about the world's origin."""
        self.body(body)
        return self._axes[body]

    def rates(self, v: Sequence[Any]) -> Sequence[Any]:
        """The velocities of all joints in `model`."""
        return v if self._coupling is None else self._coupling.velocities(v)

    def reduced(self, row: list[Any]) -> list[Any]:
        """A row with an entry for each joint velocity, as one of the independent velocities."""
        return row if self._coupling is None else self._coupling.reduce(row, [True])
