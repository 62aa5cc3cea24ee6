"""A loop: the two branches of the tree whose ends a closure joins."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.algorithms.declaration import JointVector
from sixvec.model import WORLD, Closure, Model
from sixvec.model.body import Body, Frame
from sixvec.spatial import Pose


@dataclass(frozen=True)
class Loop:
    """The branches from the body C where the paths to A and B separate; joints before C move both frames alike."""

    carrier: str | None
    """The body C."""
    to_A: tuple[Body, ...]
    to_B: tuple[Body, ...]
    X_C: dict[str, Pose]
    """The pose in C of every body on the branches."""
    X_CA: Pose
    X_CB: Pose

    @property
    def X_AB(self) -> Pose:
        """The pose that the closure's joint must be able to reach."""
        return self.X_CA.inv() @ self.X_CB

    @classmethod
    def of(cls, model: Model, q: JointVector, closure: Closure) -> Loop:
        return cls.between(model, q, model.frame(closure.first), model.frame(closure.second))

    @classmethod
    def between(cls, model: Model, q: JointVector, A: Frame, B: Frame) -> Loop:
        """The branches to any two frames."""
        to_A, to_B = model.path(A.body), model.path(B.body)
        shared = sum(a is b for a, b in zip(to_A, to_B, strict=False))
        carrier = to_A[shared - 1].name if shared else WORLD
        to_A, to_B = to_A[shared:], to_B[shared:]
        X_C: dict[str, Pose] = {}
        X_CA, X_CB = _outward(to_A, q, X_C) @ A.placement, _outward(to_B, q, X_C) @ B.placement
        return cls(carrier, to_A, to_B, X_C, X_CA, X_CB)


def _outward(bodies: tuple[Body, ...], q: JointVector, X_C: dict[str, Pose]) -> Pose:
    """The pose of the last body in C; fills X_C with those of all bodies on the path."""
    X = Pose.identity()
    for b in bodies:
        X_C[b.name] = X = X @ b.placement @ b.joint.pose(q[b])
    return X
