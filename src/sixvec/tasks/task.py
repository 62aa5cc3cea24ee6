"""What a task is: rows of a matrix J and what J v should be, with a weight or as a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sixvec.arguments import number_from_zero, one_number, whole_number
from sixvec.errors import ArgumentError, unknown
from sixvec.model import Model
from sixvec.scalar import Scalar

DIRECTIONS = ("turn x", "turn y", "turn z", "x", "y", "z")
"""The rows of tasks of frames, in order."""

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """The rows J of a task and the values b that J v should have."""

    J: Sequence[Sequence[Scalar]]
    b: Sequence[Scalar]


class Task(Protocol):
    """A wish for the joint velocities: J v = b, where b draws an error to zero or is a velocity.

    `weight` multiplies J and b, one number or one for each row; of tasks of the same `priority` the sum of squares is
    least.  Tasks with a larger `priority` number only use what those before leave open.  A `hard` task must be met
    exactly, like a limit.  `shape` is that of the target in one sample, or None if the task has none.

    >>> from sixvec.tasks import Frame, Task
    >>> task: Task = Frame("tool0", weight=2.0)
    >>> task.name, task.weight, task.priority, task.hard
    ('tool0', 2.0, 0, False)
    """

    @property
    def name(self) -> str: ...
    @property
    def weight(self) -> Any: ...
    @property
    def priority(self) -> int: ...
    @property
    def hard(self) -> bool: ...

    def shape(self, model: Model) -> Shape | None: ...
    def labels(self, model: Model) -> tuple[str, ...]: ...
    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows: ...


@dataclass(frozen=True, kw_only=True)
class Options:
    """What all tasks have in common."""

    weight: Any = 1.0
    gain: float = 1.0
    """The part of the error that one step should remove."""
    priority: int = 0
    hard: bool = False
    name: str = ""

    def default_name(self) -> str:
        """The name under which targets are given, unless another one is chosen."""
        return type(self).__name__.lower()

    def __post_init__(self) -> None:
        word = type(self).__name__
        if isinstance(self.weight, Sequence) or hasattr(self.weight, "__len__"):
            weights = tuple(number_from_zero(f"{word}: weight", w) for w in self.weight)
            object.__setattr__(self, "weight", weights)
        else:
            object.__setattr__(self, "weight", number_from_zero(f"{word}: weight", self.weight))
        gain = one_number(f"{word}: gain", self.gain)
        if not 0.0 < gain <= 1.0:
            raise ArgumentError(f"{word}: gain is {self.gain}; it must be above 0 and at most 1")
        whole_number(f"{word}: priority", self.priority)
        if not isinstance(self.hard, bool):
            raise ArgumentError(f"{word}: hard must be True or False, not {self.hard!r}")
        if not self.name:
            object.__setattr__(self, "name", self.default_name())


def chosen_directions(word: str, directions: Any) -> tuple[int, ...]:
    """The numbers of directions: letters for shifts ("xyz"), or words ("x", "turn z").

    >>> chosen_directions("Frame", "xz"), chosen_directions("Frame", ("turn y",))
    ((3, 5), (1,))
    """
    words = tuple(directions)
    if not words:
        raise ArgumentError(f"{word}: directions is empty; choose from {', '.join(DIRECTIONS)}")
    for d in words:
        if d not in DIRECTIONS:
            raise ArgumentError(f"{word}: {unknown('direction', d, DIRECTIONS)}")
    return tuple(k for k, d in enumerate(DIRECTIONS) if d in words)
