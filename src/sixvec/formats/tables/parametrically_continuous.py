"""Parametrically continuous tables: continuous where axes become parallel, as calibration requires.

Bruyninckx §5.3.3; Zhuang, Roth and Hamano 1992.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from sixvec.errors import DegenerateError, ModelError
from sixvec.formats.tables.serial import COINCIDENT, Target, serial_arm, walk
from sixvec.formats.tables.table import (
    Arm,
    Choice,
    JointKind,
    Link,
    Step,
    assembled,
    check_choice,
    joint_on_z,
    numbers,
    rows_of,
)
from sixvec.geometry.hr_line import unit_from_xy
from sixvec.geometry.line import Line
from sixvec.model import Model
from sixvec.scalar import Scalar, certainly
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

Form = Literal["turned", "printed"]
FORMS = ("turned", "printed")
_UNIT = 1e-9
"""How far |b| may be from 1: far above rounding, far below a typing error."""


@dataclass(frozen=True, slots=True)
class PCRow:
    """The direction b of the next axis, and its position (l_x, l_y).

    b_z is √(1 - b_x² - b_y²) if it is None; near b_z = 0, where the root loses half of the digits, give it.  `sign` -1
    turns or slides the joint against z; with it, b_z ≥ 0 is always possible.  The four numbers contain no joint
    variable; the joint moves by q + `offset` before them.
    """

    b_x: float = 0.0
    b_y: float = 0.0
    l_x: float = 0.0
    l_y: float = 0.0
    b_z: float | None = None
    sign: float = 1.0
    joint: JointKind = "revolute"
    offset: float = 0.0
    link: Link = field(default_factory=Link)


def pc_transform(
    b_x: Scalar, b_y: Scalar, l_x: Scalar, l_y: Scalar, b_z: Scalar | None = None, form: Form = "turned"
) -> Pose:
    """The smallest rotation R from z to b, and the position R (l_x, l_y, 0), by the text of Bruyninckx §5.3.3.

        R = [[1 - b_x² f, -b_x b_y f, b_x], [-b_x b_y f, 1 - b_y² f, b_y], [-b_x, -b_y, b_z]],
        f = 1 / (1 + b_z)

    Bruyninckx (5.8) has the position (l_x, l_y, 0) instead, contrary to the text: the trace of the axis in the
    old xy-plane.  That is `form="printed"`.

    >>> from sixvec.formats.tables import pc_transform
    >>> pc_transform(0.0, 0.0, 0.3, 0.4).pos
    Vec3(x=0.3, y=0.4, z=0.0)
    """
    check_choice("form", form, FORMS)
    z = unit_from_xy(b_x, b_y, 1.0).z if b_z is None else b_z
    if certainly(1.0 + z < COINCIDENT):
        raise DegenerateError("b = -z: no smallest rotation leads there; reverse the joint with sign=-1")
    f = 1.0 / (1.0 + z)
    xy = -b_x * b_y * f
    R = Rotation(Mat3(1.0 - b_x * b_x * f, xy, b_x, xy, 1.0 - b_y * b_y * f, b_y, -b_x, -b_y, z))
    place = Vec3(l_x, l_y, 0.0)
    return Pose(R, R @ place if form == "turned" else place)


def pc_row_to(axis: Line, row: int = 1, form: Form = "turned") -> PCRow:
    """The row whose z is the axis (in coordinates of frame i-1, unit direction).

    In the form "turned" only an axis along -z is singular, in the form "printed" also every one parallel to the
    xy-plane.

    >>> from sixvec.formats.tables import pc_row_to
    >>> from sixvec.geometry import Line, Point
    >>> from sixvec.spatial import Vec3
    >>> pc_row_to(Line(Point(0.3, 0.4, 7.0), Vec3(0.0, 0.0, 1.0)))
    PCRow(b_x=0.0, b_y=0.0, l_x=0.3, l_y=0.4, b_z=1.0, sign=1.0, joint='revolute', offset=0.0, link=...)
    """
    e, p = axis.direction, axis.point
    R = pc_transform(e.x, e.y, 0.0, 0.0, e.z).rot
    if form == "turned":
        place = R.inv() @ p.vec
    elif certainly(abs(e.z) < COINCIDENT):
        raise DegenerateError(
            f'row {row}: an axis at a right angle to the one before has no trace in the old xy-plane; use form="turned"'
        )
    else:
        place = p.vec - e * (p.z / e.z)
    return PCRow(e.x, e.y, place.x, place.y, e.z)


@dataclass(frozen=True)
class PCTable(Arm):
    """A parametrically continuous table.

        X_W0 Π Q_i(q_i) (R(b_i), R(b_i) l_i) X_nT,   Q_i the motion of joint i about or along ±z

    Link inertias are given in frame i, at the far end of link i, nearest to frame i-1 on the next axis.

    >>> from sixvec.formats.tables import PCRow, PCTable
    >>> table = PCTable((PCRow(l_x=0.5), PCRow(l_x=0.3)), tip="hand")
    >>> table.as_model().frames[-1].placement.pos.x
    0.3
    """

    rows: tuple[PCRow, ...]
    form: Form = "turned"
    base: Pose = field(default_factory=Pose.identity)
    tool: Pose = field(default_factory=Pose.identity)
    WORD = ("form", FORMS)

    @classmethod
    def from_model(cls, model: Model, tip: str | None = None, *, form: Form = "turned") -> PCTable:
        """The table of a serial arm; axes that would point backwards are reversed, which `choices` reports.

        >>> import sixvec
        >>> from sixvec.formats.tables import PCTable
        >>> table = PCTable.from_model(sixvec.load("puma560").model)
        >>> min(row.b_z for row in table.rows) > -1e-12
        True
        """
        arm = serial_arm(model, tip)

        def choose(at: Target) -> tuple[PCRow, Pose, tuple[Choice, ...]]:
            sign = 1.0 if at.own.z > 0.0 else -1.0
            if at.axis is None:
                return PCRow(b_z=1.0, sign=sign), Pose.identity(), ()
            # Right angles slightly below the plane because of rounding need no reversal.
            backwards = at.axis.direction.z < -COINCIDENT
            axis = at.axis
            choices: tuple[Choice, ...] = ()
            if backwards:
                axis = axis.reversed()
                choices = (Choice(at.row + 1, "axis backwards", "its frame has z against it, and sign = -1"),)
            row = pc_row_to(axis, at.row, form)
            step = pc_transform(row.b_x, row.b_y, row.l_x, row.l_y, row.b_z, form)
            return PCRow(row.b_x, row.b_y, row.l_x, row.l_y, row.b_z, sign), step, choices

        found = walk(arm, choose)
        return cls(found.rows, form, found.base, found.tool, choices=found.choices, **arm.about)

    def as_model(self) -> Model:
        """The robot of this table."""
        steps = []
        for i, row in rows_of(self.name, self.rows, (PCRow,), "a parametrically continuous table"):
            if row.sign not in (1, -1):
                raise ModelError(f"{self.name}: row {i}: sign = {row.sign!r}; valid: 1, -1")
            joint, start = joint_on_z(self.name, i, row, float(row.sign))
            moved = _pose(self.name, i, row, self.form)
            steps.append(Step(Pose.identity(), joint, start @ moved, row.link))
        return assembled(self, self.base, steps, self.tool)


def _pose(where: str, i: int, row: PCRow, form: Form) -> Pose:
    b_x, b_y, l_x, l_y = numbers(where, i, row, ("b_x", "b_y", "l_x", "l_y"))
    b_z = None if row.b_z is None else numbers(where, i, row, ("b_z",))[0]
    square = b_x * b_x + b_y * b_y + (0.0 if b_z is None else b_z * b_z)
    if square > 1.0 + _UNIT or (b_z is not None and square < 1.0 - _UNIT):
        raise ModelError(f"{where}: row {i}: b = ({b_x}, {b_y}, {b_z}) is not a unit vector")
    if b_z is not None:
        b_x, b_y, b_z = (b / math.sqrt(square) for b in (b_x, b_y, b_z))
    try:
        return pc_transform(b_x, b_y, l_x, l_y, b_z, form)
    except DegenerateError as problem:
        raise ModelError(f"{where}: row {i}: {problem}") from None
