"""The common part of all tables: the arm around the rows, the choices made, and the conversion to a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

from sixvec.errors import ArgumentError, ModelError
from sixvec.model import STANDARD_GRAVITY, Body, Frame, JointDynamics, Limits, Model
from sixvec.model.joints import Joint, Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Vec3

JointKind = Literal["revolute", "prismatic"]
_JOINTS: dict[str, type[Revolute] | type[Prismatic]] = {"revolute": Revolute, "prismatic": Prismatic}


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that the geometry of an arm left open when its table was made.

    `row` counts from 1 (0 is the base); `sine` is that of the angle between the two axes concerned, if there are two: a
    common normal loses precision by its reciprocal.
    """

    row: int
    case: str
    chosen: str
    sine: float = 1.0

    def __str__(self) -> str:
        return f"row {self.row}: {self.case}: {self.chosen}"


@dataclass(frozen=True, kw_only=True)
class Arm:
    """The arm around the rows of a table."""

    name: str = "arm"
    tip: str = "tip"
    """Name of the frame at the end."""
    ground: Link = field(default_factory=lambda: Link("base"))
    """The base link on the world; its inertia and frames are in world coordinates."""
    gravity: Vec3 = STANDARD_GRAVITY
    order: tuple[str, ...] = ()
    """Names of links in the order that their joints have in q and v; empty for the order of the rows."""
    choices: tuple[Choice, ...] = ()
    WORD: ClassVar[tuple[str, tuple[str, ...]] | None] = None
    """A field that holds a word, and the words that are valid."""

    def __post_init__(self) -> None:
        if self.WORD is not None:
            check_choice(self.WORD[0], getattr(self, self.WORD[0]), self.WORD[1])
        object.__setattr__(self, "rows", tuple(self.rows))  # type: ignore[attr-defined]


def check_choice(what: str, value: str, valid: Sequence[str]) -> None:
    """Raise an error for a value that is not among the valid ones."""
    if value not in valid:
        raise ArgumentError(f"{what}={value!r}; valid: {', '.join(valid)}")


class Step(NamedTuple):
    """A row as poses: frame i-1, `before`, the joint's motion, `after`, frame i, in which the link is given."""

    before: Pose
    joint: Joint
    after: Pose
    link: Link


def assembled(arm: Arm, base: Pose, steps: Sequence[Step], tool: Pose) -> Model:
    """The model with a body per row; `base` is frame 0 in the world, `tool` the tip in the last frame."""
    if not steps:
        raise ModelError(f"{arm.name}: a table needs at least one row")
    check_pose(arm.name, "base", base)
    check_pose(arm.name, "tool", tool)
    ground = arm.ground if arm.ground.name else replace(arm.ground, name="base")
    bodies, frames = [Body(ground.name, inertia=ground.inertia)], _frames(ground, ground.name, Pose.identity())
    reached = base
    for i, step in enumerate(steps, start=1):
        link = step.link
        name, joint_name = link.name or f"link{i}", link.joint_name or f"joint{i}"
        bodies.append(
            Body(
                name, bodies[-1].name, step.joint, reached @ step.before, step.after @ link.inertia,
                joint_name, link.limits, link.dynamics,
            )
        )  # fmt: skip
        frames += _frames(link, name, step.after)
        reached = step.after
    frames.append(Frame(arm.tip, bodies[-1].name, reached @ tool))
    order = (*arm.order, ground.name) if arm.order else ()
    return Model(arm.name, tuple(bodies), tuple(frames), arm.gravity, order)


def _frames(link: Link, body: str, X: Pose) -> list[Frame]:
    named = ((body, Pose.identity()),) if link.frames is None else link.frames
    return [Frame(name, body, X @ Y) for name, Y in named]


def check_pose(where: str, what: str, X: object) -> None:
    """Raise an error for anything that is not a pose of finite numbers."""
    if not isinstance(X, Pose):
        raise ModelError(f"{where}: {what} = {X!r} is not a Pose; a 4x4 matrix becomes one by Pose.from_matrix(…)")
    if not all(math.isfinite(x) for x in (*X.rot.matrix, *X.pos)):
        raise ModelError(f"{where}: {what} = {X} has an entry that is not a finite number")


def rows_of(where: str, rows: Iterable[Any], kinds: tuple[type, ...], hint: str) -> list[tuple[int, Any]]:
    """The rows with their numbers, each of one of these types."""
    numbered: list[tuple[int, Any]] = list(enumerate(rows, start=1))
    for i, row in numbered:
        if not any(isinstance(row, kind) for kind in kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise ModelError(f"{where}: row {i} is a {type(row).__name__}, {row!r}; {hint} has rows of type {names}")
        link: object = row.link
        if not isinstance(link, Link):
            raise ModelError(f"{where}: row {i}: link = {link!r} is not a Link")
    return numbered


def numbers(where: str, i: int, row: Any, names: Sequence[str]) -> list[float]:
    """The named entries of row i as finite floats."""
    rows = []
    for name in names:
        value = getattr(row, name)
        try:
            x = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{where}: row {i}: {name} = {value!r} is not a number") from None
        if not math.isfinite(x):
            raise ModelError(f"{where}: row {i}: {name} = {value} is not a finite number")
        rows.append(x)
    return rows


def joint_on_z(where: str, i: int, row: Any, sign: float = 1.0) -> tuple[Joint, Pose]:
    """The joint of row i, along ±z, and the constant displacement by its offset."""
    if row.joint not in _JOINTS:
        raise ModelError(f"{where}: row {i}: joint = {row.joint!r}; valid: {', '.join(_JOINTS)}")
    joint = _JOINTS[row.joint](Vec3(0.0, 0.0, sign))
    (offset,) = numbers(where, i, row, ["offset"])
    return joint, joint.pose([offset]) if offset else Pose.identity()


@dataclass(frozen=True, slots=True)
class Link:
    """The link that a row describes: names, inertia, the limits and the dynamics of its joint, frames on it.

    Inertia and frames are given in the link's frame of the table.  Empty names become link1, joint1 …;
    `frames` None gives the link one frame, named as the link, at the frame of the table.

    >>> from sixvec.formats.tables import Link
    >>> from sixvec.spatial import RigidInertia
    >>> Link("forearm", inertia=RigidInertia.zero()).name
    'forearm'
    """

    name: str = ""
    joint_name: str = ""
    inertia: RigidInertia = field(default_factory=RigidInertia.zero)
    limits: Limits = field(default_factory=Limits)
    dynamics: JointDynamics = field(default_factory=JointDynamics)
    frames: tuple[tuple[str, Pose], ...] | None = None

    def seen_from(self, X: Pose) -> Link:
        """The same link with inertia and frames in A's coordinates, where X = X_AB is the pose of its frame B."""
        frames = None if self.frames is None else tuple((name, X @ Y) for name, Y in self.frames)
        return replace(self, inertia=X @ self.inertia, frames=frames)
