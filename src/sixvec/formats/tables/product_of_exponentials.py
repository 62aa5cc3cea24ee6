"""Products of exponentials: screws of the joints at q = 0, in space, in the tip or in the links.

Lynch and Park, "Modern Robotics" (2017), chapter 4; Lynch-Park (9.35)-(9.40); Brockett 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sixvec.errors import ModelError, ShapeError
from sixvec.formats.tables.serial import SerialJoint, serial_arm
from sixvec.formats.tables.table import (
    Arm,
    JointKind,
    Link,
    Step,
    assembled,
    check_choice,
    check_pose,
    numbers,
    rows_of,
)
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.model import Model
from sixvec.model.joints import Helical, Joint, Prismatic, Revolute
from sixvec.model.joints.axis import z_to
from sixvec.scalar import Scalar
from sixvec.spatial import Motion, Pose, Vec3

Form = Literal["space", "body", "link"]
FORMS = ("space", "body", "link")

NORMALIZED = 1e-9
"""How far the length of a screw may be from 1: far above rounding, far below a typing error."""

NO_PITCH = 1e-12
"""Pitches below this (m/rad) are the rounding of a revolute joint."""


@dataclass(frozen=True, slots=True)
class PoERow:
    """The screw (ω; v) of a joint at q = 0, and the pose M_i of its link in the world there.

    |ω| = 1 for a revolute joint, where v = -ω × p is the velocity of the point at the origin; a pitch ω·v makes it
    helical.  ω = 0 and |v| = 1 for a prismatic one.  The joint moves by q + `offset`.  Inertia and frames of `link` are
    given in the frame with the pose `home` when q + offset is zero; Lynch and Park put it at the centre of mass.
    """

    screw: Motion
    home: Pose = field(default_factory=Pose.identity)
    offset: float = 0.0
    link: Link = field(default_factory=Link)

    @classmethod
    def from_line(cls, line: Line, joint: JointKind = "revolute") -> PoERow:
        """The row of a joint about or along a line of the world, its link's frame at the line's point.

        A list of axes becomes a Denavit-Hartenberg table through this one and the model (Bruyninckx §5.3.1).

        >>> from sixvec.formats.tables import PoERow
        >>> from sixvec.geometry import Line, Point
        >>> from sixvec.spatial import Vec3
        >>> PoERow.from_line(Line(Point(0.5, 0.0, 0.0), Vec3(0.0, 0.0, 2.0))).screw.lin
        Vec3(x=0.0, y=-0.5, z=0.0)
        """
        axis, at = Direction.from_vector(line.direction).vec, line.point.vec
        screw = Motion(Vec3.zero(), axis) if joint == "prismatic" else Motion(axis, at.cross(axis))
        return cls(screw, Pose.translation(at))


@dataclass(frozen=True)
class PoETable(Arm):
    """Screws S_i in space, B_i in the tip, or A_i in the links, the home poses M_i of the links, and M of the tip.

        T(q) = exp(S_1 q_1) … exp(S_n q_n) M = M exp(B_1 q_1) … exp(B_n q_n),   S_i = M @ B_i = M_i @ A_i

    A_i is expressed in link i, hence M_i (Lynch-Park (9.40)), not M_{i-1} as in
    Lynch-Park (9.51).  Lynch-Park (9.38), (9.39).

    >>> from sixvec.formats.tables import PoERow, PoETable
    >>> from sixvec.spatial import Motion, Pose, Vec3
    >>> up = Vec3(0.0, 0.0, 1.0)
    >>> rows = (PoERow(Motion(up, Vec3.zero())), PoERow(Motion(up, Vec3(0.0, -0.5, 0.0))))
    >>> table = PoETable(rows, home=Pose.translation(Vec3(0.8, 0.0, 0.0)))
    >>> table.as_model().nv, table.body_screws[1].lin.y
    (2, 0.30000000000000004)
    """

    rows: tuple[PoERow, ...]
    form: Form = "space"
    home: Pose = field(default_factory=Pose.identity)
    """M: the tip in the world when all q + offset are zero."""
    WORD = ("form", FORMS)

    @classmethod
    def from_model(cls, model: Model, tip: str | None = None, *, form: Form = "space") -> PoETable:
        """The screws of a serial arm; they exist for every arm and are unique.

        Link frames are those of the bodies, turned so that z is the joint's axis.

        >>> import sixvec
        >>> from sixvec.formats.tables import PoETable
        >>> table = PoETable.from_model(sixvec.load("panda").model)
        >>> table.rows[1].screw
        Motion(ang=Vec3(x=0.0, y=1.0, z=0.0), lin=Vec3(x=-0.333, y=0.0, z=0.0))
        """
        arm = serial_arm(model, tip, helical=True)
        rows = tuple(PoERow(_screw(joint), joint.home, link=joint.link) for joint in arm.joints)
        return cls(rows, "space", arm.home, **arm.about).in_form(form)

    def as_model(self) -> Model:
        """The robot of this table."""
        check_pose(self.name, "home", self.home)
        steps, last = [], Pose.identity()
        numbered = rows_of(self.name, self.rows, (PoERow,), "a product of exponentials")
        for (i, row), screw in zip(numbered, self.space_screws, strict=True):
            joint, at = _joint(self.name, i, screw, row.home)
            (offset,) = numbers(self.name, i, row, ("offset",))
            after = joint.pose([offset]) @ (at.inv() @ row.home)
            steps.append(Step(last.inv() @ at, joint, after, row.link))
            last = row.home
        return assembled(self, Pose.identity(), steps, last.inv() @ self.home)

    def in_form(self, form: Form) -> PoETable:
        """The same arm with its screws in space, in the tip or in the links."""
        check_choice("form", form, FORMS)
        screws = {"space": self.space_screws, "body": self.body_screws, "link": self.link_screws}[form]
        rows = tuple(replace(row, screw=screw) for row, screw in zip(self.rows, screws, strict=True))
        return self if form == self.form else replace(self, rows=rows, form=form)

    @property
    def space_screws(self) -> tuple[Motion, ...]:
        """S_i in world coordinates."""
        for i, row in rows_of(self.name, self.rows, (PoERow,), "a product of exponentials"):
            if not isinstance(row.screw, Motion):
                raise ModelError(f"{self.name}: row {i}: screw = {row.screw!r} is not a Motion(ang, lin)")
            check_pose(self.name, f"row {i}: home", row.home)
        if self.form == "body":
            return tuple(self.home @ row.screw for row in self.rows)
        return tuple(row.home @ row.screw if self.form == "link" else row.screw for row in self.rows)

    @property
    def body_screws(self) -> tuple[Motion, ...]:
        """B_i = M⁻¹ @ S_i, in tip coordinates."""
        return tuple(self.home.inv() @ S for S in self.space_screws)

    @property
    def link_screws(self) -> tuple[Motion, ...]:
        """A_i = M_i⁻¹ @ S_i, in link coordinates: constant in all configurations.  Lynch-Park (9.40)."""
        return tuple(row.home.inv() @ S for row, S in zip(self.rows, self.space_screws, strict=True))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        """T(q), the tip in the world, by the formula itself: exp(S_1 q_1) … exp(S_n q_n) M, rows in their order.

        Lynch-Park (9.36), (9.37).
        """
        if len(q) != len(self.rows):
            raise ShapeError(f"{self.name}: q has {len(q)} entries, the table {len(self.rows)} rows")
        T = Pose.identity()
        for S, row, angle in zip(self.space_screws, self.rows, q, strict=True):
            T = T @ Pose.exp(S * (angle + row.offset))
        return T @ self.home


def _screw(joint: SerialJoint) -> Motion:
    """The joint's screw in space at q = 0."""
    z = joint.line.direction
    if joint.joint.is_translation:
        return Motion(Vec3.zero(), z)
    (screw,) = joint.joint.screws
    return Motion(z, joint.home.pos.cross(z) + z * screw.ang.dot(screw.lin))


def _joint(where: str, i: int, screw: Motion, home: Pose) -> tuple[Joint, Pose]:
    """The joint with this screw, and a frame in the world whose z is its axis."""
    w, v = screw.ang, screw.lin
    turn, slide = w.norm(), v.norm()
    if turn == 0.0 and abs(slide - 1.0) < NORMALIZED:
        return Prismatic(), Pose(z_to(v * (1.0 / slide)), home.pos)
    if not abs(turn - 1.0) < NORMALIZED:
        raise ModelError(
            f"{where}: row {i}: screw with |ω| = {turn:.6g}, |v| = {slide:.6g}; valid: |ω| = 1, or ω = 0 and |v| = 1"
        )
    axis, v = w * (1.0 / turn), v * (1.0 / turn)
    pitch = axis.dot(v)
    at = Pose(z_to(axis), axis.cross(v))
    return (Revolute() if abs(pitch) < NO_PITCH else Helical(pitch=pitch)), at
