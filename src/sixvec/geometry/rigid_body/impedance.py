"""Symmetric 6x6 maps from motion to force (impedances) and back (admittances), in their three 3x3 blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from sixvec.errors import DegenerateError, FrameError
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.articulated import ArticulatedInertia
from sixvec.spatial.force import Force
from sixvec.spatial.linear import inverse
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import EQUAL


@dataclass(frozen=True, slots=True)
class Blocks:
    """The symmetric matrix [[rot, cross], [crossᵀ, lin]], angular part first."""

    rot: Sym3
    cross: Mat3
    lin: Sym3

    @classmethod
    def diagonal(cls, rot: Vec3, lin: Vec3) -> Self:
        """Uncoupled along the three axes through the origin."""
        return cls(Sym3.diagonal(*rot), Mat3.zero(), Sym3.diagonal(*lin))

    @classmethod
    def from_matrix(cls, rows: Sequence[Sequence[Scalar]]) -> Self:
        """From six rows; a matrix of plain numbers that is not symmetric raises an error."""
        _require_symmetric(rows, cls.__name__)
        (xx, xy, xz, *a), (_, yy, yz, *b), (_, _, zz, *c) = rows[:3]
        (*_, lxx, lxy, lxz), (*_, lyy, lyz), (*_, lzz) = rows[3:]
        return cls(Sym3(xx, xy, xz, yy, yz, zz), Mat3(*a, *b, *c), Sym3(lxx, lxy, lxz, lyy, lyz, lzz))

    def as_matrix(self) -> list[list[Scalar]]:
        """The six rows."""
        upper = zip(self.rot.full.rows, self.cross.rows, strict=True)
        lower = zip(self.cross.T.rows, self.lin.full.rows, strict=True)
        return [[*a, *b] for rows in (upper, lower) for a, b in rows]

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.rot
        yield from self.cross
        yield from self.lin

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.rot + other.rot, self.cross + other.cross, self.lin + other.lin)

    def __mul__(self, k: Scalar) -> Self:
        return type(self)(self.rot * k, self.cross * k, self.lin * k)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        raise NotImplementedError

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        back = R.inv()
        return self.moved(back, back @ -p)

    def _inverse_rows(self) -> list[list[Scalar]]:
        try:
            return inverse(self.as_matrix())
        except DegenerateError as error:
            raise DegenerateError(
                f"this {type(self).__name__} is not positive definite and has no inverse: some motion meets no "
                "resistance; describe that freedom by a TwistSpace, or add the impedance that is missing"
            ) from error


@dataclass(frozen=True, slots=True)
class Impedance(Blocks):
    """A symmetric map from motion to force: `K @ motion`.

    In another frame it is  K_B = Xᵀ K_A X  with the motion transform X = X_AB (Bruyninckx §4.13.1); `X_AB @ K_B` is
    K_A.  Impedances of one kind in parallel add.

    >>> from sixvec.geometry.rigid_body import Impedance
    >>> from sixvec.spatial import Mat3, Motion, Sym3, Vec3
    >>> K = Impedance(Sym3.diagonal(10.0, 10.0, 10.0), Mat3.zero(), Sym3.diagonal(100.0, 200.0, 300.0))
    >>> (K @ Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.01, 0.0, 0.0))).lin
    Vec3(x=1.0, y=0.0, z=0.0)
    """

    def __matmul__(self, m: Motion) -> Force:
        if not isinstance(m, Motion):
            raise FrameError(f"a {type(self).__name__} maps a Motion to a Force; it was given a {type(m).__name__}")
        return Force(self.rot @ m.ang + self.cross @ m.lin, self.cross.T @ m.ang + self.lin @ m.lin)

    def form(self, m: Motion) -> Scalar:
        """mᵀ K m."""
        return m.dot(self @ m)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.  Bruyninckx (4.90)."""
        there = ArticulatedInertia(self.rot, self.cross, self.lin).moved(R, p)
        return type(self)(there.rot, there.cross, there.lin)


@dataclass(frozen=True, slots=True)
class Admittance(Blocks):
    """A symmetric map from force to motion: `C @ force`.

    In another frame it is  C_A = X C_B Xᵀ  with the motion transform X = X_AB, `X_AB @ C_B`.  Admittances of one kind
    in series add.

    >>> from sixvec.geometry.rigid_body import Admittance
    >>> from sixvec.spatial import Force, Mat3, Sym3, Vec3
    >>> C = Admittance(Sym3.diagonal(0.1, 0.1, 0.1), Mat3.zero(), Sym3.diagonal(0.01, 0.01, 0.01))
    >>> (C @ Force(Vec3(0.0, 0.0, 0.0), Vec3(5.0, 0.0, 0.0))).lin
    Vec3(x=0.05, y=0.0, z=0.0)
    """

    def __matmul__(self, f: Force) -> Motion:
        if not isinstance(f, Force):
            raise FrameError(f"a {type(self).__name__} maps a Force to a Motion; it was given a {type(f).__name__}")
        return Motion(self.rot @ f.ang + self.cross @ f.lin, self.cross.T @ f.ang + self.lin @ f.lin)

    def form(self, f: Force) -> Scalar:
        """fᵀ C f."""
        return (self @ f).dot(f)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        # With the two halves of every 6-vector exchanged, forces transform like motions and motions like forces.
        there = ArticulatedInertia(self.lin, self.cross.T, self.rot).moved(R, p)
        return type(self)(there.lin, there.cross.T, there.rot)


def _require_symmetric(rows: Sequence[Sequence[Scalar]], kind: str) -> None:
    if not _plain(rows):
        return
    largest = max(abs(x) for row in rows for x in row)
    for i in range(6):
        for j in range(i):
            if abs(rows[i][j] - rows[j][i]) > EQUAL * largest:
                raise DegenerateError(
                    f"a {kind} must be symmetric, but its entries ({i}, {j}) and ({j}, {i}) are "
                    f"{rows[i][j]} and {rows[j][i]}; give the symmetric part ½ (K + Kᵀ)"
                )


def _plain(rows: Sequence[Sequence[Scalar]]) -> bool:
    """Whether comparisons between the entries can be evaluated now."""
    return all(certainly(x < 0.0) or certainly(x > 0.0) or certainly(x == 0.0) for row in rows for x in row)
