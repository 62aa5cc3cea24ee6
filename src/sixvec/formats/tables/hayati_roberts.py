"""Hayati-Roberts tables: accurate where Denavit-Hartenberg tables fail.

Bruyninckx §5.3.2; Hayati and Mirmirani 1985, Roberts 1988.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from sixvec.errors import DegenerateError
from sixvec.formats.tables.denavit_hartenberg import DHRow, dh_row_to
from sixvec.formats.tables.frame_table import COINCIDENT, ChosenRow, FrameTable, Row, Target
from sixvec.formats.tables.table import Choice, JointKind, Link
from sixvec.geometry.line import Line
from sixvec.model import Model
from sixvec.scalar import Scalar, arctan2, certainly, cos, sin
from sixvec.spatial import Pose, Rotation, Vec3

STEEP = math.sqrt(0.5)
"""|cos| of the angle between two axes above which Hayati-Roberts is better conditioned than Denavit-Hartenberg."""


@dataclass(frozen=True, slots=True)
class HRRow(Row):
    """α about z, d along x, γ about y (pitch), β about x (roll): angles in radians, d in metres.

    The origin of frame i is the intersection of axis i+1 with the xy-plane of frame i-1.  A revolute joint adds q +
    `offset` to α; there is no length along z, so a prismatic one moves by q + `offset` along z first.
    """

    alpha: float = 0.0
    d: float = 0.0
    gamma: float = 0.0
    beta: float = 0.0
    joint: JointKind = "revolute"
    offset: float = 0.0
    link: Link = field(default_factory=Link)
    NUMBERS: ClassVar[tuple[str, ...]] = ("alpha", "d", "gamma", "beta")

    def transform(self, word: str = "") -> Pose:
        """Frame i in frame i-1."""
        return hr_transform(self.alpha, self.d, self.gamma, self.beta)


def hr_transform(alpha: Scalar, d: Scalar, gamma: Scalar, beta: Scalar) -> Pose:
    """R(Z, α) Tr(X, d) R(Y, γ) R(X, β): frame i in frame i-1 (Bruyninckx (5.7)).

    >>> from sixvec.formats.tables import hr_transform
    >>> hr_transform(0.0, 0.5, 0.0, 0.0).pos
    Vec3(x=0.5, y=0.0, z=0.0)
    """
    rot = Rotation.about_z(alpha) @ Rotation.about_y(gamma) @ Rotation.about_x(beta)
    return Pose(rot, Vec3(d * cos(alpha), d * sin(alpha), 0.0))


def hr_row_of(X: Pose, tolerance: float = 1e-9) -> HRRow:
    """The row with this transform; its origin must lie in the old xy-plane, and the yaw of its axes must point there.

    >>> from sixvec.formats.tables import hr_row_of, hr_transform
    >>> hr_row_of(hr_transform(0.0, 0.5, 0.0, 0.0)).d
    0.5
    """
    m, p = X.rot.matrix, X.pos
    if certainly(abs(p.z) > tolerance):
        raise DegenerateError(f"no Hayati-Roberts row: the origin is {p.z:.3g} m off the old xy-plane; move it along z")
    alpha, gamma = arctan2(m.yx, m.xx), arctan2(-m.zx, (m.xx * m.xx + m.yx * m.yx) ** 0.5)
    miss = p.y * cos(alpha) - p.x * sin(alpha)
    if certainly(abs(miss) > tolerance):
        raise DegenerateError(
            f"no Hayati-Roberts row: the yaw of the frame must point from the old origin to the new, but misses it by "
            f"{abs(miss):.3g} m; turn the frame about its z"
        )
    return HRRow(alpha, p.x * cos(alpha) + p.y * sin(alpha), gamma, arctan2(m.zy, m.zz))


def hr_row_to(axis: Line, row: int = 1) -> ChosenRow:
    """The row whose z is the axis (in coordinates of frame i-1, unit direction), and the choices made.

    Every axis parallel to the xy-plane is singular, not only those along x and y as the book states: it intersects the
    plane nowhere.  An axis through the origin does not determine α; then α = 0.

    >>> from sixvec.formats.tables import hr_row_to
    >>> from sixvec.geometry import Line, Point
    >>> from sixvec.spatial import Vec3
    >>> hr_row_to(Line(Point(0.0, 0.5, 0.2), Vec3(0.0, 0.0, 1.0))).row.d
    0.5
    """
    e, p = axis.direction, axis.point
    if certainly(abs(e.z) < COINCIDENT):
        raise DegenerateError(
            f"row {row}: an axis at a right angle to the one before never meets the xy-plane and has no Hayati-Roberts "
            "row; use a DHRow"
        )
    x, y = p.x - e.x * (p.z / e.z), p.y - e.y * (p.z / e.z)
    d, alpha = math.hypot(x, y), 0.0
    choices: tuple[Choice, ...] = ()
    if d < COINCIDENT * (1.0 + p.vec.norm()):
        d, choices = 0.0, (Choice(row, "axis through the origin before", "α = 0", math.hypot(e.x, e.y)),)
    else:
        alpha = math.atan2(y, x)
    # In axes turned by α the direction is (sin γ cos β, -sin β, cos γ cos β).
    along = Rotation.about_z(-alpha) @ e
    beta = math.atan2(-along.y, math.hypot(along.x, along.z))
    return ChosenRow(HRRow(alpha, d, math.atan2(along.x, along.z), beta), choices)


@dataclass(frozen=True)
class HRTable(FrameTable):
    """A table of Hayati-Roberts rows, with classic Denavit-Hartenberg rows where axes are nearer to a right angle.

        X_W0 Π A_i X_nT,   A_i = R(Z, α) Tr(X, d) R(Y, γ) R(X, β)   or   R(Z, θ) Tr(Z, d) Tr(X, a) R(X, α)

    Neither kind describes all arms; together they do, and no axis is closer than 45° to a singularity.  Link inertias
    are given in frame i, at the far end of link i.

    >>> from sixvec.formats.tables import HRRow, HRTable
    >>> table = HRTable((HRRow(d=0.5), HRRow(d=0.3)), tip="hand")
    >>> table.as_model().frames[-1].placement.pos.x
    0.3
    """

    rows: tuple[HRRow | DHRow, ...]
    base: Pose = field(default_factory=Pose.identity)
    tool: Pose = field(default_factory=Pose.identity)
    KINDS = (HRRow, DHRow)
    WHAT = "a Hayati-Roberts table"

    @classmethod
    def from_model(cls, model: Model, tip: str | None = None) -> HRTable:
        """The table of a serial arm; `choices` lists where a Denavit-Hartenberg row is used, and what was undetermined.

        >>> import sixvec
        >>> from sixvec.formats.tables import HRTable
        >>> table = HRTable.from_model(sixvec.load("puma560").model)
        >>> [type(row).__name__ for row in table.rows]
        ['DHRow', 'HRRow', 'DHRow', 'DHRow', 'DHRow', 'HRRow']
        """
        return cls.extracted(model, tip, _choose)


def _choose(at: Target) -> ChosenRow:
    if at.axis is None:
        return ChosenRow(HRRow())
    if abs(at.axis.direction.z) > STEEP:
        return hr_row_to(at.axis, at.row)
    row, choices = dh_row_to(at.axis, at.row)
    instead = Choice(
        at.row, "axes nearer to a right angle than to parallel", "a Denavit-Hartenberg row",
        math.hypot(at.axis.direction.x, at.axis.direction.y),
    )  # fmt: skip
    return ChosenRow(row, (instead, *choices))
