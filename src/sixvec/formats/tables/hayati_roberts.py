"""Hayati-Roberts tables: accurate where Denavit-Hartenberg tables fail.

Bruyninckx §5.3.2; Hayati and Mirmirani 1985, Roberts 1988.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

from sixvec.errors import DegenerateError
from sixvec.formats.tables.denavit_hartenberg import DHRow, dh_transform
from sixvec.formats.tables.serial import COINCIDENT, CommonNormal, Target, serial_arm, walk
from sixvec.formats.tables.table import Arm, Choice, JointKind, Link, Step, assembled, joint_on_z, numbers, rows_of
from sixvec.geometry.line import Line
from sixvec.model import Model
from sixvec.scalar import Scalar, arctan2, certainly, cos, sin
from sixvec.spatial import Pose, Rotation, Vec3

STEEP = math.sqrt(0.5)
"""|cos| of the angle between two axes above which Hayati-Roberts is better conditioned than Denavit-Hartenberg."""


@dataclass(frozen=True, slots=True)
class HRRow:
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


Row: TypeAlias = HRRow | DHRow


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


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """A row, and what the geometry left open."""

    row: HRRow
    choices: tuple[Choice, ...] = ()


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
class HRTable(Arm):
    """A table of Hayati-Roberts rows, with classic Denavit-Hartenberg rows where axes are nearer to a right angle.

        X_W0 Π A_i X_nT,   A_i = R(Z, α) Tr(X, d) R(Y, γ) R(X, β)   or   R(Z, θ) Tr(Z, d) Tr(X, a) R(X, α)

    Neither kind describes all arms; together they do, and no axis is closer than 45° to a singularity.  Link inertias
    are given in frame i, at the far end of link i.

    >>> from sixvec.formats.tables import HRRow, HRTable
    >>> table = HRTable((HRRow(d=0.5), HRRow(d=0.3)), tip="hand")
    >>> table.as_model().frames[-1].placement.pos.x
    0.3
    """

    rows: tuple[Row, ...]
    base: Pose = field(default_factory=Pose.identity)
    tool: Pose = field(default_factory=Pose.identity)

    @classmethod
    def from_model(cls, model: Model, tip: str | None = None) -> HRTable:
        """The table of a serial arm; `choices` lists where a Denavit-Hartenberg row is used, and what was undetermined.

        >>> import sixvec
        >>> from sixvec.formats.tables import HRTable
        >>> table = HRTable.from_model(sixvec.load("puma560").model)
        >>> [type(row).__name__ for row in table.rows]
        ['DHRow', 'HRRow', 'DHRow', 'DHRow', 'DHRow', 'HRRow']
        """
        arm = serial_arm(model, tip)
        found = walk(arm, _choose)
        return cls(found.rows, found.base, found.tool, choices=found.choices, **arm.about)

    def as_model(self) -> Model:
        """The robot of this table."""
        steps = []
        for i, row in rows_of(self.name, self.rows, (HRRow, DHRow), "a Hayati-Roberts table"):
            joint, start = joint_on_z(self.name, i, row)
            if isinstance(row, DHRow):
                moved = dh_transform(*numbers(self.name, i, row, ("theta", "d", "a", "alpha")))
            else:
                moved = hr_transform(*numbers(self.name, i, row, ("alpha", "d", "gamma", "beta")))
            steps.append(Step(Pose.identity(), joint, start @ moved, row.link))
        return assembled(self, self.base, steps, self.tool)


def _choose(at: Target) -> tuple[Row, Pose, tuple[Choice, ...]]:
    if at.axis is None:
        return HRRow(), Pose.identity(), ()
    if abs(at.axis.direction.z) > STEEP:
        found = hr_row_to(at.axis, at.row)
        return found.row, hr_transform(found.row.alpha, found.row.d, found.row.gamma, found.row.beta), found.choices
    normal = CommonNormal.to(at.axis, at.row)
    instead = Choice(
        at.row, "axes nearer to a right angle than to parallel", "a Denavit-Hartenberg row",
        math.hypot(at.axis.direction.x, at.axis.direction.y),
    )  # fmt: skip
    numbers_of = (normal.theta, normal.d, normal.a, normal.alpha)
    return DHRow(*numbers_of), dh_transform(*numbers_of), (instead, *normal.choices)
