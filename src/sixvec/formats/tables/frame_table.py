"""Tables of frames: each row places the next frame in the one before, whose z is the axis of a joint.

Denavit-Hartenberg, Hayati-Roberts and parametrically continuous tables differ in the numbers of a row, in the transform
that these describe, and in how a row to the next axis is chosen.  The rest is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from sixvec.formats.tables.serial import SerialArm, SerialJoint, serial_arm
from sixvec.formats.tables.table import Arm, Choice, JointKind, Link, Step, assembled, joint_on_z, numbers, rows_of
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.model import Model
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.spatial.norm import precise_cross

COINCIDENT = 1e-13
"""Lines whose directions differ by less (rad), or points by less (m), are equal: a few hundred roundings."""

_STEEP = 0.9
"""A vector with a larger x than this is too close to x for an orthogonal projection."""


class Row(ABC):
    """What the rows of these tables share; each kind has its numbers and its transform."""

    __slots__ = ()
    NUMBERS: ClassVar[tuple[str, ...]]
    joint: JointKind
    offset: float
    link: Link
    sign: float = 1.0
    """-1 where the joint turns or slides against z."""

    @abstractmethod
    def transform(self, word: str = "") -> Pose:
        """Frame i in frame i-1; the word is the convention or form of the table."""

    def checked(self, where: str, i: int) -> Self:
        """The row with its numbers as finite floats."""
        fields: Any = dict(zip(self.NUMBERS, numbers(where, i, self, self.NUMBERS), strict=True))
        return replace(self, **fields)  # type: ignore[type-var]


class ChosenRow(NamedTuple):
    """A row, and what the geometry left open."""

    row: Any
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the next frame, in coordinates of the present one: the next axis, or after the last joint the tip.

    `screw` is the present joint's axis, ±z.
    """

    row: int
    joint: SerialJoint
    screw: Vec3
    axis: Line | None
    tip: Pose


Chooser = Callable[[Target], ChosenRow]


class FrameTable(Arm):
    """A table of frames:  X_W0 Π (motion of joint i, then frame i in frame i-1) X_nT,  with base X_W0 and tool X_nT."""

    KINDS: ClassVar[tuple[type[Row], ...]]
    WHAT: ClassVar[str]
    rows: tuple[Any, ...]
    base: Pose
    tool: Pose

    @property
    def word(self) -> str:
        """The convention or form of the table, if it has one."""
        return "" if self.WORD is None else getattr(self, self.WORD[0])

    @classmethod
    def extracted(cls, model: Model, tip: str | None, choose: Chooser, word: str = "") -> Self:
        """The table of a serial arm, with frame 0 on the first axis and a row chosen by `choose` for each joint.

        Each frame is reached by multiplying the rows themselves, so that each row compensates the rounding of the
        previous ones and the tip at q = 0 is exactly preserved.
        """
        arm = serial_arm(model, tip)
        base, choices = first_frame(arm.joints[0].line)
        rows: list[Row] = []
        frame, all_choices = base, [*choices, *slides(arm)]
        for i, joint in enumerate(arm.joints):
            back = frame.inv()
            next_axis = arm.joints[i + 1].line if i + 1 < len(arm.joints) else None
            if next_axis is not None:
                next_axis = Line(Point.of(back * next_axis.point.vec), back.rot @ next_axis.direction)
            row, left_open = choose(Target(i + 1, joint, back.rot @ joint.line.direction, next_axis, back @ arm.home))
            frame = frame @ row.transform(word)
            rows.append(replace(row, joint=joint.kind, link=joint.link.seen_from(frame.inv() @ joint.home)))
            all_choices += left_open
        named: dict[str, Any] = {} if cls.WORD is None else {cls.WORD[0]: word}
        fields: Any = {"rows": tuple(rows), "base": base, "tool": frame.inv() @ arm.home}
        return cls(**fields, **named, choices=tuple(all_choices), **arm.about)

    def as_model(self) -> Model:
        """The robot of this table."""
        steps = [self.step(i, row) for i, row in rows_of(self.name, self.rows, self.KINDS, self.WHAT)]
        return assembled(self, self.base, steps, self.tool)

    def step(self, i: int, row: Row) -> Step:
        """Row i as poses: first the joint moves about or along z, then follows the transform."""
        row = row.checked(self.name, i)
        joint, start = joint_on_z(self.name, i, row, float(row.sign))
        return Step(Pose.identity(), joint, start @ row.transform(self.word), row.link)


def slides(arm: SerialArm) -> list[Choice]:
    """The position of a prismatic axis is arbitrary."""
    chosen = "its axis is drawn through the joint's own frame"
    return [Choice(i, "slide", chosen) for i, joint in enumerate(arm.joints, start=1) if joint.kind == "prismatic"]


def first_frame(axis: Line) -> tuple[Pose, list[Choice]]:
    """Frame 0: the world's if its z is the first axis, else on that axis, nearest to the world's origin."""
    z, world_z = axis.direction, Vec3(0.0, 0.0, 1.0)
    sine = precise_cross(world_z, z).norm()
    foot = axis.closest_point()
    if sine < COINCIDENT and z.z > 0.0 and foot.vec.norm() < COINCIDENT:
        return Pose.identity(), []
    x = Vec3(1.0, 0.0, 0.0) if abs(z.x) < _STEEP else Vec3(0.0, 1.0, 0.0)
    name = "x" if abs(z.x) < _STEEP else "y"
    x = x - z * z.dot(x)
    x = x * (1.0 / x.norm())
    chosen = f"frame 0 is nearest to the world's origin on axis 1, its x along the world's {name}; see base"
    return Pose(Rotation.from_axes(x, z.cross(x), z), foot.vec), [Choice(0, "base", chosen, float(sine))]
