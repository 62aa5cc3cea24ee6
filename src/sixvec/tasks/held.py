"""Frames that stay where they are, and loops that stay closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.closure_jacobian import closure_jacobian
from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.parts.known_rank import independent_rows
from sixvec.arguments import Array, positive_number, real_array
from sixvec.errors import ArgumentError
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Model
from sixvec.model.spanning_tree import without_rolling
from sixvec.scalar import Scalar
from sixvec.tasks.frame import OfFrame
from sixvec.tasks.task import DIRECTIONS, Mismatch, Rows, Shape, Task, chosen_directions, squares

KINDS = {"weld": DIRECTIONS, "point": DIRECTIONS[3:]}


@dataclass(frozen=True, repr=False)
class Held(OfFrame):
    """A frame that does not move: all of it ("weld"), its origin ("point"), or some directions of the world.

    In stacks of accelerations it is held by forces.  With `friction` these push along `normal`, a direction of the
    world, at `points` (k, 3) of the frame, such as the corners of a foot, and stay in a pyramid inside the cone of
    friction.  Such a frame may have a target under its name: the largest sum of its normal forces (N), infinite by
    default; with 0 the frame is free, so a foot is lifted by targets alone.

    >>> from sixvec.tasks import Held
    >>> Held("left_foot").hard, Held("left_foot", "point").name
    (True, 'left_foot')
    >>> Held("sole", friction=0.6, points=[[0.1, 0.05, 0.0], [0.1, -0.05, 0.0], [-0.1, 0.0, 0.0]]).points[0]
    (0.1, 0.05, 0.0)
    """

    kind: Any = "weld"
    hard: bool = field(default=True, kw_only=True)
    friction: float | None = field(default=None, kw_only=True)
    points: Any = field(default=(), kw_only=True)
    normal: Any = field(default=(0.0, 0.0, 1.0), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._chosen()
        points = real_array("Held: points", self.points or np.zeros((0, 3)), "k", 3, batch=False, finite=True)
        normal = real_array("Held: normal", self.normal, 3, batch=False, finite=True)
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise ArgumentError(f"Held: normal is {self.normal}; it must have a direction")
        object.__setattr__(self, "normal", tuple((normal / length).tolist()))
        if self.friction is None:
            if len(points):
                raise ArgumentError("Held: points are where friction acts; give friction= as well")
            return
        positive_number("Held: friction", self.friction)
        if not self.hard or self.kind not in KINDS:
            raise ArgumentError('Held: with friction, the frame is hard and its kind is "weld" or "point"')
        if self.kind == "point" and len(points):
            raise ArgumentError('Held: a frame held as a "point" has its origin as the only point')
        if self.kind == "weld" and np.linalg.matrix_rank(points - points[:1], 1e-9) < 2:
            raise ArgumentError("Held: a frame that does not turn is held at points= in an area, at least three")
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())) or ((0.0, 0.0, 0.0),))

    @property
    def directions_held(self) -> tuple[int, ...]:
        """The rows of the frame's Jacobian that vanish."""
        return self._chosen()

    def usual_target(self) -> Any:
        """Without a target, normal forces are unlimited."""
        return None if self.friction is None else np.array(np.inf)

    def checked(self, target: Array, name: str) -> Array:
        if (target < 0.0).any():
            raise ArgumentError(f"Stack: {name} is a largest force, at least 0 N, not {target[target < 0.0].flat[0]}")
        return target

    def _chosen(self) -> tuple[int, ...]:
        return chosen_directions("Held", KINDS.get(self.kind, self.kind) if isinstance(self.kind, str) else self.kind)

    def shape(self, model: Model) -> Shape | None:
        model.frame(self.frame)
        return None if self.friction is None else ()

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in self._chosen())

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        J = jacobian(model, q, self.frame)
        return Rows([J[k] for k in self._chosen()], [0.0] * len(self._chosen()))


@dataclass(frozen=True, repr=False)
class ClosedLoops(Task):
    """All loops of the model closed; stacks of robots with loops have it by themselves.

    >>> from sixvec.tasks import ClosedLoops
    >>> ClosedLoops().hard
    True
    """

    hard: bool = field(default=True, kw_only=True)
    fixed: tuple[int, ...] = field(default=(), kw_only=True)
    """Coordinates of v that do not move."""
    of_all_rows: bool = field(default=False, kw_only=True)
    """Whether rows that depend on others where the loops are closed take part: they help to close open loops."""

    def default_name(self) -> str:
        return "loops"

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: row {k}" for k in range(len(self.mismatch(model, [0.0] * model.nq, None).error)))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        """Of the rows that are independent along the motion; the others are closed to the precision of dimensions."""
        model = without_rolling(model)
        names = row_names(model)
        rank = RowRank.unknown(len(names)) if self.of_all_rows else row_rank(model, (), self.fixed)
        J = [[0.0 if k in self.fixed else x for k, x in enumerate(row)] for row in closure_jacobian(model, q)]
        J, missing = independent_rows(J, [-e for e in closure_error(model, q)], rank)
        grouped = {row for group in rank.groups for row in group.rows}
        turned = ["turn about" in names[r] for r in rank.used if r not in grouped]
        turned += [False] * (len(missing) - len(turned))  # combinations are in units of length
        angles = [e for e, is_angle in zip(missing, turned, strict=True) if is_angle]
        lengths = [e for e, is_angle in zip(missing, turned, strict=True) if not is_angle]
        return Mismatch(missing, J, squares(lengths), squares(angles))
