"""The joints between two frames as one chain, seen from the first: motions of the second and how they change.

A closed loop is a chain from one of its frames to the other; a held frame is the observer of the world.
In the observer's coordinates joint k moves the far end with the column J_k, and turns every column that comes after
it: ∂J_k/∂q_j = J_j × J_k.  There are no kernels here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Frame, Model
from sixvec.scalar import Scalar
from sixvec.spatial import Motion, Pose


class Moving(NamedTuple):
    """The velocity of a body for the observer, and its derivative."""

    V: Motion
    C: Motion


@dataclass(frozen=True)
class Column:
    """A coordinate of v on the chain: how it moves the far end, and the motions on both sides of its joint."""

    at: int
    joint: str
    J: Motion
    before: Moving
    after: Moving
    outward: bool
    """Whether the joint leads away from the root.  If so its own axes turn with it, else they are on the near side."""

    @property
    def still(self) -> Moving:
        """The motion of the last part that a step of this coordinate does not move."""
        return self.before if self.outward else self.after

    def turns(self, other: Column, comes_later: bool) -> bool:
        return self.outward and other is not self if other.joint == self.joint else comes_later


@dataclass(frozen=True)
class RelativeChain:
    """The far end's pose, velocity V and its derivative C in the observer's coordinates, and the chain's columns."""

    X: Pose
    V: Motion
    C: Motion
    Ja: Motion
    """The part of C due to accelerations."""
    columns: tuple[Column, ...]

    @classmethod
    def between(
        cls, model: Model, q: JointVector, v: JointVector, a: JointVector, observer: Frame, end: Frame | None
    ) -> RelativeChain:
        """From the observer to another frame; None is the world."""
        inward, outward = model.path(observer.body), () if end is None else model.path(end.body)
        shared = sum(x is y for x, y in zip(inward, outward, strict=False))
        X, Ja, near = observer.placement.inv().as_pose(), Motion.zero(), Moving(Motion.zero(), Motion.zero())
        columns: list[Column] = []
        for b, away in [(b, False) for b in reversed(inward[shared:])] + [(b, True) for b in outward[shared:]]:
            X = X @ b.placement @ b.joint.pose(q[b]) if away else X
            J = [X @ S if away else -(X @ S) for S in b.subspace(q)]
            moved, gained = _combined(J, v[b]), _combined(J, a[b])
            far = Moving(near.V + moved, near.C + gained + near.V.cross(moved))
            at = range(model.nv)[model.v_slices[b.name]]
            columns += [Column(i, b.name, s, near, far, away) for i, s in zip(at, J, strict=True)]
            X = X if away else X @ b.joint.pose(q[b]).inv() @ b.placement.inv()
            near, Ja = far, Ja + gained
        return cls(X if end is None else X @ end.placement, *near, Ja, tuple(columns))

    def position_slopes(self) -> Iterator[tuple[int, Motion, Motion, Motion]]:
        """Of each coordinate: how a step of it displaces the far end, and changes V and C."""
        for c in self.columns:
            V_rest = self.V - c.still.V
            C_rest = self.C - c.still.C - c.still.V.cross(V_rest)
            dV = c.J.cross(V_rest)
            yield c.at, c.J, dV, c.J.cross(C_rest) + c.still.V.cross(dV)

    def velocity_slopes(self) -> Iterator[tuple[int, Motion, Motion]]:
        """Of each coordinate: how its velocity changes V and C."""
        for c in self.columns:
            yield c.at, c.J, c.before.V.cross(c.J) + c.J.cross(self.V - c.after.V)

    def turned_columns(self) -> Iterator[tuple[int, int, Motion]]:
        """(k, j, ∂J_k/∂q_j) of all columns that a step of j turns."""
        for n, c in enumerate(self.columns):
            for m, k in enumerate(self.columns):
                if c.turns(k, comes_later=m > n):
                    yield k.at, c.at, c.J.cross(k.J)


def _combined(J: Sequence[Motion], rates: Sequence[Scalar]) -> Motion:
    return sum((s * x for s, x in zip(J, rates, strict=True)), Motion.zero())
