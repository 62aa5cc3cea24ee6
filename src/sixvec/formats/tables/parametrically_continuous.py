"""Parametrically continuous tables: continuous where axes become parallel, as calibration requires.

Bruyninckx §5.3.3; Zhuang, Roth and Hamano 1992.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

from sixvec.errors import DegenerateError, ModelError
from sixvec.formats.tables.frame_table import COINCIDENT, ChosenRow, FrameTable, Row, Target
from sixvec.formats.tables.table import Choice, JointKind, Link, check_choice, numbers
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
class PCRow(Row):
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
    NUMBERS: ClassVar[tuple[str, ...]] = ("b_x", "b_y", "l_x", "l_y")

    def transform(self, word: str = "") -> Pose:
        """Frame i in frame i-1, in the form of that name."""
        form: Form = "printed" if word == "printed" else "turned"
        return pc_transform(self.b_x, self.b_y, self.l_x, self.l_y, self.b_z, form)

    def checked(self, where: str, i: int) -> Self:
        """The row with its numbers as finite floats, and b of unit length."""
        if self.sign not in (1, -1):
            raise ModelError(f"{where}: row {i}: sign = {self.sign!r}; valid: 1, -1")
        row = super(PCRow, self).checked(where, i)
        b_z = None if self.b_z is None else numbers(where, i, self, ("b_z",))[0]
        square = row.b_x * row.b_x + row.b_y * row.b_y + (0.0 if b_z is None else b_z * b_z)
        if square > 1.0 + _UNIT or (b_z is not None and square < 1.0 - _UNIT):
            raise ModelError(f"{where}: row {i}: b = ({row.b_x}, {row.b_y}, {b_z}) is not a unit vector")
        if b_z is not None:
            b_x, b_y, b_z = (b / math.sqrt(square) for b in (row.b_x, row.b_y, b_z))
            row = replace(row, b_x=b_x, b_y=b_y, b_z=b_z)
        try:
            row.transform()
        except DegenerateError as problem:
            raise ModelError(f"{where}: row {i}: {problem}") from None
        return row


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
class PCTable(FrameTable):
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
    KINDS = (PCRow,)
    WHAT = "a parametrically continuous table"

    @classmethod
    def from_model(cls, model: Model, tip: str | None = None, *, form: Form = "turned") -> PCTable:
        """The table of a serial arm; axes that would point backwards are reversed, which `choices` reports.

        >>> import sixvec
        >>> from sixvec.formats.tables import PCTable
        >>> table = PCTable.from_model(sixvec.load("puma560").model)
        >>> min(row.b_z for row in table.rows) > -1e-12
        True
        """

        def choose(at: Target) -> ChosenRow:
            sign = 1.0 if at.screw.z > 0.0 else -1.0
            if at.axis is None:
                return ChosenRow(PCRow(b_z=1.0, sign=sign))
            # Right angles slightly below the plane because of rounding need no reversal.
            if at.axis.direction.z >= -COINCIDENT:
                return ChosenRow(replace(pc_row_to(at.axis, at.row, form), sign=sign))
            reversed_axis = Choice(at.row + 1, "axis backwards", "its frame has z against it, and sign = -1")
            return ChosenRow(replace(pc_row_to(at.axis.reversed(), at.row, form), sign=sign), (reversed_axis,))

        return cls.extracted(model, tip, choose, form)
