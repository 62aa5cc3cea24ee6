"""Two frames whose relative motion is constrained: those of a closure, or of a frame held to another.

There are no kernels here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.closure_loop import Loop
from sixvec.algorithms.parts.closure_rows import Row, rows_of
from sixvec.algorithms.parts.frame_columns import frame_velocity
from sixvec.algorithms.parts.reference import world_pose
from sixvec.errors import ArgumentError
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion, PlaneRotation, Pose, Rotation


@dataclass(frozen=True)
class FramePair:
    """A frame that moves against another, seen from one of them."""

    loop: Loop
    rows: tuple[Row, ...]
    fixed: Frame
    moving: Frame
    held: Held | None = None
    """Seen from the moving frame if it is held, from the other if a joint closes the loop."""

    @classmethod
    def of(cls, model: Model, q: JointVector, c: Closure | Held) -> FramePair:
        if isinstance(c, Closure):
            A, B = model.frame(c.first), model.frame(c.second)
            return cls(Loop.between(model, q, A, B), rows_of(c.joint), A, B)
        assert c.to is not None
        A, B = model.frame(c.to), model.frame(c.frame)
        return cls(Loop.between(model, q, A, B), held_rows(model, q, c), A, B, c)

    @property
    def observer(self) -> Pose:
        """The pose of the frame in whose axes the rows are."""
        return self.loop.X_CB if self.held is not None else self.loop.X_CA

    @property
    def X(self) -> Pose:
        """The pose of the moving frame for its observer."""
        return Pose.identity() if self.held is not None else self.loop.X_AB

    def jacobian(self, model: Model, q: JointVector) -> list[list[Any]]:
        X_O, X = self.observer.inv(), self.X
        columns: dict[int, Motion] = {}
        for bodies, sign in ((self.loop.to_B, 1.0), (self.loop.to_A, -1.0)):
            for b in bodies:
                motions = (X_O @ (self.loop.X_C[b.name] @ S) * sign for S in b.subspace(q))
                columns |= zip(range(model.nv)[model.v_slices[b.name]], motions, strict=True)
        return [[row.rate(X, columns[k]) if k in columns else 0.0 for k in range(model.nv)] for row in self.rows]

    def bias(self, model: Model, q: JointVector, v: JointVector) -> list[Scalar]:
        V, C = self._motion(q, v)
        along = [C] * len(self.rows) if self.held is None else self._along(model, q, v, V, C)
        return [row.second(self.X, V, x) for row, x in zip(self.rows, along, strict=True)]

    def _along(self, model: Model, q: JointVector, v: JointVector, V: Motion, C: Motion) -> list[Motion]:
        """For each held direction the derivative of V in axes that turn as the direction does."""
        assert self.held is not None
        bias = []
        for d in self.held.directions:
            spin = frame_velocity(model, q, v, self.moving).ang if d.in_world else V.ang
            bias.append(C if d.turns_with_frame else C + Motion(spin.cross(V.ang), spin.cross(V.lin)))
        return bias

    def wrenches(self) -> Iterator[dict[str, Force]]:
        """For each row the wrenches on the two bodies, in their coordinates, of a unit force along it."""
        X_AB = self.loop.X_AB
        for row in self.rows:
            W = unit_wrench(row, self.X)
            W_A, W_B = (X_AB @ W, W) if self.held is not None else (W, X_AB.inv() @ W)
            ends = ((self.fixed, -W_A), (self.moving, W_B))
            yield {F.body: F.placement @ f for F, f in ends if F.body is not None}

    def _motion(self, q: JointVector, v: JointVector) -> tuple[Motion, Motion]:
        """The velocity of the moving frame against the other, and its derivative at a = 0, in the observer's axes."""
        X_O = self.observer.inv()
        ends = [_end_motion(self.loop, bodies, q, v) for bodies in (self.loop.to_A, self.loop.to_B)]
        (V_A, C_A), (V_B, C_B) = ((X_O @ V, X_O @ C) for V, C in ends)
        V_O = V_B if self.held is not None else V_A
        return V_B - V_A, C_B - C_A - V_O.cross(V_B - V_A)


def held_rows(model: Model, q: JointVector, held: Held) -> tuple[Row, ...]:
    """The equations of a held frame, in its axes."""
    in_frame = held.in_own_axes
    R_FW = Rotation.identity() if in_frame else world_pose(model, q, model.frame(held.frame)).rot.inv()
    return rows_in_frame(held, R_FW)


def rows_in_frame(held: Held, R_FW: Rotation | PlaneRotation) -> tuple[Row, ...]:
    """The equations, in the axes of the frame F; R_FW takes world coordinates to those of F."""
    if isinstance(held, RollingFrame):
        raise ArgumentError(f'"{held.frame}" rolls: that restricts its velocity, and it has no place to be kept at')
    return tuple(d.row(R_FW) for d in held.directions)


def unit_wrench(row: Row, X: Pose) -> Force:
    """The wrench whose power at any motion is the row's rate: the wrench of a unit force along the row."""
    units = ([float(i == k) for i in range(6)] for k in range(6))
    return Force.of(row.rate(X, Motion.of(unit)) for unit in units)


def _end_motion(loop: Loop, bodies: tuple[Body, ...], q: JointVector, v: JointVector) -> tuple[Motion, Motion]:
    """Velocity and acceleration (at a = 0) of the last body of a branch, relative to C, in the axes of C."""
    V, C = Motion.zero(), Motion.zero()
    for b in bodies:
        X_CB = loop.X_C[b.name]
        vJ, cJ = b.joint_velocity(q, v), b.joint.bias(q[b], v[b])
        VJ = X_CB @ vJ
        V, C = V + VJ, C + X_CB @ cJ + V.cross(VJ)
    return V, C
