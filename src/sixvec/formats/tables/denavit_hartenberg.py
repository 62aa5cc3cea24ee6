"""Denavit-Hartenberg tables: classic, modified (Craig), and in Bruyninckx's letters.

Bruyninckx §5.3.1; Denavit and Hartenberg 1955; Craig 1986.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from sixvec.errors import DegenerateError
from sixvec.formats.tables.frame_table import COINCIDENT, ChosenRow, FrameTable, Row, Target
from sixvec.formats.tables.table import Choice, JointKind, Link, Step, check_choice, joint_on_z, rows_of
from sixvec.geometry.line import Line
from sixvec.model import Model
from sixvec.scalar import Scalar, arctan2, certainly, cos, sin
from sixvec.spatial import Pose, Rotation, Vec3

Convention = Literal["classic", "modified", "book"]
CONVENTIONS = ("classic", "modified", "book")

PARALLEL = 1e-8
"""Axes closer than this (rad) count as parallel.  Their common normal is 1/angle away, so its rounding is 2⁻⁵³/angle;
neglecting the angle has the error of the angle.  The two are equal at √2⁻⁵³."""

NEARLY = 1e-3
"""Below this sine a common normal loses more than three digits, which is reported."""


@dataclass(frozen=True, slots=True)
class DHRow(Row):
    """θ about z, d along z, a along x, α about x: angles in radians, lengths in metres.

    In a classic table a and α belong to the link after the joint; in a modified one to the link before it (Craig's
    a_{i-1} and α_{i-1}).  The joint adds q + `offset` to θ (revolute) or to d (prismatic).
    """

    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    joint: JointKind = "revolute"
    offset: float = 0.0
    link: Link = field(default_factory=Link)
    NUMBERS: ClassVar[tuple[str, ...]] = ("theta", "d", "a", "alpha")

    def transform(self, word: str = "") -> Pose:
        """Frame i in frame i-1, classic or modified."""
        if word == "modified":
            return modified_dh_transform(self.alpha, self.a, self.theta, self.d)
        return dh_transform(self.theta, self.d, self.a, self.alpha)

    def in_book_letters(self) -> BookRow:
        """The same row as Bruyninckx writes it."""
        return BookRow(self.theta, self.d, self.a, self.alpha, self.joint, self.offset, self.link)


@dataclass(frozen=True, slots=True)
class BookRow(Row):
    """The classic row in Bruyninckx's letters: α about z, h along z, d along x, θ about x.  Both angles swap names.

    >>> from sixvec.formats.tables import BookRow
    >>> BookRow(alpha=0.1, h=0.2, d=0.3, theta=0.4).in_usual_letters().theta
    0.1
    """

    alpha: float = 0.0
    h: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: JointKind = "revolute"
    offset: float = 0.0
    link: Link = field(default_factory=Link)
    NUMBERS: ClassVar[tuple[str, ...]] = ("alpha", "h", "d", "theta")

    def transform(self, word: str = "") -> Pose:
        """Frame i in frame i-1."""
        return dh_transform(self.alpha, self.h, self.d, self.theta)

    def in_usual_letters(self) -> DHRow:
        """The same row in the letters of most authors."""
        return DHRow(self.alpha, self.h, self.d, self.theta, self.joint, self.offset, self.link)


def dh_transform(theta: Scalar, d: Scalar, a: Scalar, alpha: Scalar) -> Pose:
    """R(Z, θ) Tr(Z, d) Tr(X, a) R(X, α): frame i in frame i-1, classic (Bruyninckx (5.5), where θ is α and vice versa).

    The matrix of Bruyninckx (5.6) has 0 for the y of the position, which is a sin θ.

    >>> from sixvec.formats.tables import dh_transform
    >>> dh_transform(0.0, 0.3, 0.2, 0.0).pos
    Vec3(x=0.2, y=0.0, z=0.3)
    """
    rot = Rotation.about_z(theta) @ Rotation.about_x(alpha)
    return Pose(rot, Vec3(a * cos(theta), a * sin(theta), d))


def modified_dh_transform(alpha: Scalar, a: Scalar, theta: Scalar, d: Scalar) -> Pose:
    """R(X, α) Tr(X, a) R(Z, θ) Tr(Z, d): frame i in frame i-1, modified; Craig's order of the columns.

    >>> from sixvec.formats.tables import modified_dh_transform
    >>> modified_dh_transform(0.0, 0.2, 0.0, 0.3).pos.z
    0.3
    """
    return Pose(Rotation.about_x(alpha) @ Rotation.about_z(theta), Vec3(a, -sin(alpha) * d, cos(alpha) * d))


def dh_row_of(X: Pose, tolerance: float = 1e-9) -> DHRow:
    """The classic row with this transform.  Only poses whose x intersects the old z at a right angle have one.

        R_zx = 0   and   p_y cos θ = p_x sin θ        (Bruyninckx §5.3.1)

    >>> from sixvec.formats.tables import dh_row_of, dh_transform
    >>> row = dh_row_of(dh_transform(0.0, 0.3, 0.2, 0.0))
    >>> row.theta, row.d, row.a, row.alpha
    (0.0, 0.3, 0.2, 0.0)
    """
    m, p = X.rot.matrix, X.pos
    if certainly(abs(m.zx) > tolerance):
        raise DegenerateError(
            f"no Denavit-Hartenberg row: x of the frame must be at a right angle to the old z, but R_zx = {m.zx:.3g}; "
            "split off a rotation about z, or use a general transform (base or tool of the table)"
        )
    theta = arctan2(m.yx, m.xx)
    miss = p.y * cos(theta) - p.x * sin(theta)
    if certainly(abs(miss) > tolerance):
        raise DegenerateError(
            f"no Denavit-Hartenberg row: x of the frame must meet the old z, but passes it by {abs(miss):.3g} m; "
            "move the frame along its z, or use a general transform (base or tool of the table)"
        )
    return DHRow(theta, p.z, p.x * cos(theta) + p.y * sin(theta), arctan2(m.zy, m.zz))


def dh_row_to(axis: Line, row: int = 1, parallel: float = PARALLEL) -> ChosenRow:
    """The row whose z is the axis (in coordinates of frame i-1, unit direction e through p), and the choices made.

    x is along the common normal; ρ is the sine between the axes:

        ±u = z × e / ρ,   ±a = (p_y e_x - p_x e_y) / ρ,   d = p_z - e_z (p_x e_x + p_y e_y) / ρ²
    """
    e, p = axis.direction, axis.point
    rho = math.hypot(e.x, e.y)
    if rho < parallel:
        return _row_to_parallel(e, p.vec, row, rho)
    a = (p.y * e.x - p.x * e.y) / rho
    d = p.z - e.z * (p.x * e.x + p.y * e.y) / (rho * rho)
    side, choices = 1.0, []
    if abs(a) > COINCIDENT * (1.0 + p.vec.norm()):
        side = math.copysign(1.0, a)
    else:
        # Both senses of the normal are valid: the one nearer to the present x keeps θ small.  At a tie, α > 0.
        side = -1.0 if -e.y < -COINCIDENT * rho else 1.0
        sense = "along" if side > 0.0 else "against"
        choices.append(Choice(row, "intersecting axes", f"x {sense} z × z', the sense nearer to the x before", rho))
    if rho < NEARLY:
        loss = f"d = {d:.3g}, rounding about {2.0**-53 / rho:.0e} of lengths; Hayati-Roberts rows are precise here"
        choices.append(Choice(row, "nearly parallel axes", f"the common normal is kept: {loss}", rho))
    theta = math.atan2(e.x * side, -e.y * side)
    # Adding 0 turns -0 into 0.
    return ChosenRow(DHRow(theta + 0.0, d + 0.0, a * side + 0.0, side * math.atan2(rho, e.z)), tuple(choices))


def _row_to_parallel(e: Vec3, p: Vec3, row: int, rho: float) -> ChosenRow:
    """There is a common normal at every height: the one at d = 0 is chosen."""
    x, y = p.x - e.x * (p.z / e.z), p.y - e.y * (p.z / e.z)
    a, alpha = math.hypot(x, y), 0.0 if e.z > 0.0 else math.pi
    if a < COINCIDENT * (1.0 + p.norm()):
        choice = Choice(row, "coincident axes", "the frame stays where it is: θ = 0, d = 0, a = 0", rho)
        return ChosenRow(DHRow(0.0, 0.0, 0.0, alpha), (choice,))
    neglected = f", and the angle of {rho:.1e} rad is neglected" if rho > COINCIDENT else ""
    choice = Choice(row, "parallel axes", f"the common normal through the frame before, d = 0{neglected}", rho)
    return ChosenRow(DHRow(math.atan2(y, x), 0.0, a, alpha), (choice,))


@dataclass(frozen=True)
class DHTable(FrameTable):
    """A Denavit-Hartenberg table, its convention, and the general transforms before and after it.

        classic   X_W0 Π R(Z, θ_i) Tr(Z, d_i) Tr(X, a_i) R(X, α_i) X_nT          "book" is the same with other letters
        modified  X_W0 Π R(X, α_i) Tr(X, a_i) R(Z, θ_i) Tr(Z, d_i) X_nT

    `base` is X_W0 and `tool` is X_nT.  Link inertias are given in frame i, which in a classic table is at the far end
    of link i and in a modified one at its joint.  The tag names the convention of the table.

    >>> from sixvec.formats.tables import DHRow, DHTable
    >>> table = DHTable((DHRow(a=0.5), DHRow(a=0.3)), tip="hand")
    >>> table.as_model().nv, table.as_model().frames[-1].placement.pos.x
    (2, 0.3)
    """

    rows: tuple[DHRow | BookRow, ...]
    convention: Convention = "classic"
    base: Pose = field(default_factory=Pose.identity)
    tool: Pose = field(default_factory=Pose.identity)
    WORD = ("convention", CONVENTIONS)

    @classmethod
    def from_model(
        cls, model: Model, tip: str | None = None, *, convention: Convention = "classic", parallel: float = PARALLEL
    ) -> DHTable:
        """The table of a serial arm; choices that the geometry leaves open are listed in `choices`.

        Skew axes have one common normal and a > 0.  Where axes intersect, x has the sense that keeps θ small; where
        they are parallel, d = 0; where they coincide, the frame is unchanged.  Axes closer than `parallel` radians
        count as parallel, since the common normal of nearly parallel axes is far away: that is the singularity of this
        representation, which Hayati-Roberts and product-of-exponentials tables do not have.  Inertias, which grow with
        the square of the distance, lose twice as many digits in such distant frames.

        >>> import sixvec
        >>> from sixvec.formats.tables import DHTable
        >>> table = DHTable.from_model(sixvec.load("puma560").model)
        >>> [round(row.a, 4) for row in table.rows]
        [0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0]
        >>> print(table.choices[1])
        row 2: parallel axes: the common normal through the frame before, d = 0
        """

        def choose(at: Target) -> ChosenRow:
            return _last_row(at) if at.axis is None else dh_row_to(at.axis, at.row, parallel)

        return cls.extracted(model, tip, choose, "classic").in_convention(convention)

    @property
    def KINDS(self) -> tuple[type[Row], ...]:  # type: ignore[override]
        return (BookRow,) if self.convention == "book" else (DHRow,)

    @property
    def WHAT(self) -> str:  # type: ignore[override]
        return f'a table of convention "{self.convention}"'

    def step(self, i: int, row: Row) -> Step:
        if self.convention != "modified":
            return super().step(i, row)
        row = row.checked(self.name, i)
        return Step(row.transform("modified"), *joint_on_z(self.name, i, row), row.link)

    def in_convention(self, convention: Convention) -> DHTable:
        """The same arm in another convention.

        The same numbers are regrouped: a and α of the first modified row go to `base`, those of the last classic
        row to `tool`.

        >>> from sixvec.formats.tables import DHRow, DHTable
        >>> table = DHTable((DHRow(a=0.5), DHRow(a=0.3)))
        >>> craig = table.in_convention("modified")
        >>> [row.a for row in craig.rows], craig.tool.pos.x
        ([0.0, 0.5], 0.3)
        """
        check_choice("convention", convention, CONVENTIONS)
        if convention == self.convention:
            return self
        if self.convention == "book":
            rows_of(self.name, self.rows, (BookRow,), 'a table of convention "book"')
            usual = tuple(row.in_usual_letters() for row in self.rows if isinstance(row, BookRow))
            return replace(self, rows=usual, convention="classic").in_convention(convention)
        rows = tuple(row for _, row in rows_of(self.name, self.rows, (DHRow,), f'convention "{self.convention}"'))
        if self.convention == "modified":
            return _classic(self, rows).in_convention(convention)
        if convention == "modified":
            return _modified(self, rows)
        return replace(self, rows=tuple(row.in_book_letters() for row in rows), convention="book")


def _last_row(at: Target) -> ChosenRow:
    """The row that ends at the tip if four numbers suffice, else one with everything in the tool."""
    try:
        return ChosenRow(dh_row_of(at.tip, COINCIDENT))
    except DegenerateError:
        return ChosenRow(DHRow(), (Choice(at.row, "tip", "the last frame stays on the last joint; see tool"),))


def _link_part(row: DHRow) -> Pose:
    """Tr(X, a) R(X, α): the classic frame i in the modified one."""
    return dh_transform(0.0, 0.0, row.a, row.alpha)


def _modified(table: DHTable, rows: tuple[DHRow, ...]) -> DHTable:
    before = (DHRow(), *rows[:-1])
    new = tuple(
        replace(row, a=last.a, alpha=last.alpha, link=row.link.seen_from(_link_part(row)))
        for last, row in zip(before, rows, strict=True)
    )
    tool = _link_part(rows[-1]) @ table.tool if rows else table.tool
    return replace(table, rows=new, convention="modified", tool=tool)


def _classic(table: DHTable, rows: tuple[DHRow, ...]) -> DHTable:
    after = (*rows[1:], DHRow())
    new = tuple(
        replace(
            row, a=following.a, alpha=following.alpha, link=row.link.seen_from(_link_part(following).inv().as_pose())
        )
        for row, following in zip(rows, after, strict=False)
    )
    base = table.base @ _link_part(rows[0]) if rows else table.base
    return replace(table, rows=new, convention="classic", base=base)
