"""The distance of two frames: of their collision shapes, or of their origins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.arguments import Array
from sixvec.distance.shapes import CollisionShape, of_geom
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model import Geom, Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import sqrt, where
from sixvec.spatial.linear import dot
from sixvec.tasks.closest import Closest, has_closed_form
from sixvec.tasks.frame import OfFrame
from sixvec.tasks.task import Mismatch, Shape, Task

Between = Literal["shapes", "origins"]


@dataclass(frozen=True, repr=False)
class Distance(OfFrame):
    """Two frames at a distance: the target is a length (m), of the gap between their collision shapes, or of their
    origins.

    The gap is that of `Robot.distances`.  Shapes without a closed form (`docs/distances.md`) raise an error;
    `Robot.with_shapes` replaces them.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec.tasks import Distance, Posture, Stack
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> reach = Distance("panda_link8", "panda_link0", between="origins")
    >>> step = Stack(arm, reach, Posture(q, weight=1e-3))(q, {reach.name: 0.8}, dt=0.1)
    >>> ends = arm.pose(step.q, "panda_link8")[:3, 3], arm.pose(step.q, "panda_link0")[:3, 3]
    >>> reach.name, round(float(np.linalg.norm(ends[0] - ends[1])), 2)
    ('panda_link8 to panda_link0', 0.8)
    """

    other: str
    between: Between = "shapes"
    geoms: tuple[tuple[Geom, ...], ...] = field(default=(), kw_only=True, repr=False)
    """The shapes on both frames, which `on` finds."""

    def default_name(self) -> str:
        return f"{self.frame} to {self.other}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.between not in get_args(Between):
            raise ArgumentError(f'Distance: between is "shapes" or "origins", not {self.between!r}')

    def on(self, model: Model) -> Task:
        if self.between == "origins":
            return self
        geoms = tuple(tuple(g for g in model.geoms if g.collision and g.frame == f) for f in (self.frame, self.other))
        return replace(self, geoms=geoms)

    def shape(self, model: Model) -> Shape:
        bodies = [canonical(model).frame(name).body for name in (self.frame, self.other)]
        if bodies[0] == bodies[1]:
            raise ArgumentError(f"Distance: no joint is between {self.frame} and {self.other}, so it never changes")
        if self.between == "shapes":
            task = self.on(model)
            assert isinstance(task, Distance)
            task._require_closed_forms()
        return ()

    def labels(self, model: Model) -> tuple[str, ...]:
        return (self.name,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        if self.between == "shapes":
            first, second = self._shapes
            pairs = list(product(range(len(first)), range(len(first), len(first) + len(second))))
            (gap,) = Closest((*first, *second), ()).gaps(spanning_tree(canonical(model)), q, (), [pairs])
            missing = target - gap.size
            return Mismatch([missing], [gap.row], missing * missing, 0.0)
        ends = [[pose(model, q, name)[k][3] for k in range(3)] for name in (self.frame, self.other)]
        apart = [a - b for a, b in zip(*ends, strict=True)]
        square = dot(apart, apart)
        length = sqrt(square)
        n = [x / where(length > 0.0, length, 1.0) for x in apart]
        rows = zip(jacobian(model, q, self.frame)[3:], jacobian(model, q, self.other)[3:], strict=True)
        relative = [[x - y for x, y in zip(a, b, strict=True)] for a, b in rows]
        missing = target - length
        return Mismatch([missing], [[dot(n, column) for column in zip(*relative, strict=True)]], missing * missing, 0.0)

    @lazy
    def _shapes(self) -> list[list[CollisionShape]]:
        return [[of_geom(g, g.name or g.frame) for g in on_frame] for on_frame in self.geoms]

    def _require_closed_forms(self) -> None:
        for name, shapes in zip((self.frame, self.other), self._shapes, strict=True):
            if not shapes:
                raise ArgumentError(
                    f'Distance: the frame {name} has no collision shape; between="origins" is for frames without'
                )
        for a, b in product(*self._shapes):
            if not has_closed_form(a, b):
                raise ArgumentError(
                    f"Distance: the gap of a {a.kind} ({a.name}) and a {b.kind} ({b.name}) needs a search; "
                    "robot.with_shapes replaces shapes by spheres or capsules"
                )

    @property
    def identity(self) -> str:
        return f"{self!r} {self.geoms}"

    def checked(self, target: Array, name: str) -> Array:
        if self.between == "origins" and (np.asarray(target) < 0.0).any():
            raise ArgumentError(f"{name} is negative; distances of origins are not")
        return target
