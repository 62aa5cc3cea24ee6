"""What a task is: an error at q that should vanish, with its matrix, a weight and a priority; on scalars.

Inverse kinematics (`sixvec.ik.solve`) searches for a position without errors, a `Stack` makes the next step to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from sixvec.arguments import Array, number_from_zero, one_number, whole_number
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.solve.direction import direction_rows
from sixvec.tasks.pose_check import require_target_poses

DIRECTIONS = ("turn x", "turn y", "turn z", "x", "y", "z")
"""The rows of tasks of frames, in order."""

Shape = tuple[int, ...]


class Mismatch(NamedTuple):
    """The error of a task: rows of error and Jacobian, and the squared remaining distance and angle."""

    error: Sequence[Scalar]
    jacobian: Sequence[Sequence[Scalar]]
    position: Scalar
    """Squared remaining distance, m²."""
    rotation: Scalar
    """Squared remaining angle, rad²."""


@dataclass(frozen=True)
class Rows:
    """The rows J of a task and the values b that J v should have."""

    J: Sequence[Sequence[Scalar]]
    b: Sequence[Scalar]


@dataclass(frozen=True, kw_only=True, repr=False)
class Task:
    """What a robot should do, such as a frame at a pose.

    The error at q is the remaining motion, its Jacobian maps joint velocities to that motion, so that a step solves
    J v dt = error.  `weight` multiplies both, one number or, in a `Stack`, one for each row.  Steps of a `Stack` remove
    `gain` of the error; of tasks of the same `priority` the sum of squares is least, and those with a larger `priority`
    number only use what those before leave open.  A `hard` task must be met exactly, like a limit.  `name` is the one
    under which a `Stack` takes the target.

    A task of your own is a `Residual`, or a class with `shape`, `labels` and `mismatch`.  Steps and closest positions
    are correct if -Jᵀ error is the gradient of half the squared error: for an error that is an angle times its axis,
    the angular Jacobian satisfies this at any distance.

    >>> from sixvec.tasks import Frame, Task
    >>> task: Task = Frame("tool0", weight=2.0)
    >>> task, task.name, task.priority, task.hard
    (Frame(frame='tool0', weight=2.0), 'tool0', 0, False)
    """

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

    def on(self, model: Model) -> Task:
        """The task with what it needs of a model beyond its motion, such as shapes; most tasks need nothing."""
        return self

    def shape(self, model: Model) -> Shape | None:
        """The shape of the target in one sample, or None if the task has none; unknown names raise an error."""
        return None

    def usual_target(self) -> Any:
        """The target where none is given, or None if the task needs one."""
        return None

    def labels(self, model: Model) -> tuple[str, ...]:
        """A name for each row."""
        raise NotImplementedError

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        """The error at q."""
        raise NotImplementedError

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        """The velocities that a step of `dt` should have: those that remove the error, or its part `gain`."""
        mismatch = self.mismatch(model, q, target)
        return Rows(mismatch.jacobian, [self.gain / dt * e for e in mismatch.error])

    @property
    def is_of_positions(self) -> bool:
        """Whether the task has an error at q; others are about velocities alone."""
        return type(self).mismatch is not Task.mismatch

    @property
    def identity(self) -> str:
        """What identifies programs of this task in the cache; empty for classes of users, which may hold anything."""
        return repr(self) if type(self).__module__.startswith("sixvec.") else ""

    def checked(self, target: Array, name: str) -> Array:
        """A target of the right shape with its rotations checked; `name` is that in errors."""
        if target.shape[-2:] == (4, 4):
            require_target_poses(target, name)
        return target

    def __repr__(self) -> str:
        usual = {f.name: f.default for f in fields(self)} | {"name": self.default_name()}
        in_order = sorted(fields(self), key=lambda f: bool(f.kw_only))
        values = {f.name: getattr(self, f.name) for f in in_order}
        listed = ", ".join(f"{key}={value!r}" for key, value in values.items() if value != usual[key])
        return f"{type(self).__name__}({listed})"


def weighted(task: Task, rows: Rows) -> Rows:
    """The rows of a task times its weights."""
    weights = task.weight if isinstance(task.weight, tuple) else (task.weight,) * len(rows.b)
    pairs = list(zip(weights, rows.J, rows.b, strict=True))
    return Rows([[w * x for x in row] for w, row, _ in pairs], [w * x for w, _, x in pairs])


def squares(x: Sequence[Scalar]) -> Scalar:
    """The sum of squares."""
    return sum(y * y for y in x)


def chosen_directions(word: str, directions: Any) -> tuple[int, ...]:
    """The rows of some directions, in the order of `DIRECTIONS`; `word` begins the errors.

    >>> chosen_directions("Frame", "xz"), chosen_directions("Frame", ("turn y",)), chosen_directions("Frame", "x y rz")
    ((3, 5), (1,), (2, 3, 4))
    """
    try:
        return tuple(sorted(direction_rows(directions)))
    except ArgumentError as problem:
        raise ArgumentError(f"{word}: {problem}") from None


def keep_directions(task: Any) -> None:
    """Check the directions of a task and keep them as names or a tuple of names."""
    chosen_directions(type(task).__name__, task.directions)
    if not isinstance(task.directions, str):
        object.__setattr__(task, "directions", tuple(task.directions))
