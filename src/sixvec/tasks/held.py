"""Frames that stay where they are, and loops that stay closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sixvec.algorithms.jacobian import jacobian
from sixvec.ik.task import LoopTask
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.tasks.task import DIRECTIONS, Options, Rows, Shape, chosen_directions

KINDS = {"weld": DIRECTIONS, "point": DIRECTIONS[3:]}


@dataclass(frozen=True)
class Held(Options):
    """A frame that does not move: all of it ("weld"), its origin ("point"), or some directions of the world.

    >>> from sixvec.tasks import Held
    >>> Held("left_foot").hard, Held("left_foot", "point").name
    (True, 'left_foot')
    """

    frame: str
    kind: Any = "weld"
    hard: bool = field(default=True, kw_only=True)

    def default_name(self) -> str:
        return self.frame

    def __post_init__(self) -> None:
        super().__post_init__()
        self._chosen()

    def _chosen(self) -> tuple[int, ...]:
        return chosen_directions("Held", KINDS.get(self.kind, self.kind) if isinstance(self.kind, str) else self.kind)

    def shape(self, model: Model) -> Shape | None:
        model.frame(self.frame)
        return None

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in self._chosen())

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        J = jacobian(model, q, self.frame)
        return Rows([J[k] for k in self._chosen()], [0.0] * len(self._chosen()))


@dataclass(frozen=True)
class ClosedLoops(Options):
    """All loops of the model closed; stacks of robots with loops have it by themselves.

    >>> from sixvec.tasks import ClosedLoops
    >>> ClosedLoops().hard
    True
    """

    hard: bool = field(default=True, kw_only=True)

    def default_name(self) -> str:
        return "loops"

    def shape(self, model: Model) -> Shape | None:
        return None

    def labels(self, model: Model) -> tuple[str, ...]:
        zero = [0.0] * model.nq
        return tuple(f"{self.name}: row {k}" for k in range(len(LoopTask().mismatch(model, zero, [0.0]).error)))

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        found = LoopTask().mismatch(model, q, [0.0])
        return Rows(found.jacobian, [self.gain / dt * e for e in found.error])
