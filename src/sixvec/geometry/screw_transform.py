"""Linear maps of screws: 6x6 matrices in their four 3x3 blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.pose import InversePose, Pose


@dataclass(frozen=True, slots=True)
class ScrewTransform:
    """(d; m) ↦ [[dd, dm], [md, mm]] (d; m).

    To move one screw, `X @ screw` is shorter and cheaper; this is the matrix S itself, for inspection, stacking or
    inversion.  Lines, screws, twists (ω; v) and wrenches in the order (f; m) all transform with the same S.
    Bruyninckx §2.7.

    >>> from sixvec.geometry import Screw, ScrewTransform
    >>> from sixvec.spatial import Pose, Rotation, Vec3
    >>> lift = Pose(Rotation.identity(), Vec3(0.0, 0.0, 2.0))
    >>> S = ScrewTransform.from_pose(lift)
    >>> S @ Screw(Vec3(1.0, 0.0, 0.0), Vec3.zero()) == lift @ Screw(Vec3(1.0, 0.0, 0.0), Vec3.zero())
    True
    >>> (S.inv() @ S).as_matrix() == ScrewTransform.identity().as_matrix()
    True
    """

    dd: Mat3
    dm: Mat3
    md: Mat3
    mm: Mat3

    @classmethod
    def identity(cls) -> ScrewTransform:
        one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        return cls(one, Mat3.zero(), Mat3.zero(), one)

    @classmethod
    def from_pose(cls, X: Pose | InversePose) -> ScrewTransform:
        """S_AB = [[R, 0], [p× R, R]] for the pose (R, p) of B in A: S_AB s_B = s_A; one product of 3x3 matrices.

        Bruyninckx (2.27).
        """
        R = X.rot.matrix
        return cls(R, Mat3.zero(), Mat3.cross_matrix(X.pos).product(R), R)

    @classmethod
    def infinitesimal(cls, t: Screw) -> ScrewTransform:
        """S_Δ = 1 + [[δ×, 0], [d×, δ×]] for a small displacement t = (δ; d), the first order of S(exp t).

        (S_Δ - 1) s = t.cross(s): the motor product.  Bruyninckx (2.33).
        """
        turn, shift = Mat3.cross_matrix(t.direction), Mat3.cross_matrix(t.moment)
        one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        return cls(one + turn, Mat3.zero(), shift, one + turn)

    @property
    def T(self) -> ScrewTransform:
        """The ordinary transpose."""
        return ScrewTransform(self.dd.T, self.md.T, self.dm.T, self.mm.T)

    @property
    def swapped(self) -> ScrewTransform:
        """Δ X Δ: the same map on vectors in the order (m; d).  For S it is the inverse transpose."""
        return ScrewTransform(self.mm, self.md, self.dm, self.dd)

    def spatial_transpose(self) -> ScrewTransform:
        """X^S = Δ Xᵀ Δ, the adjoint for the reciprocal product: a·(X b) = (X^S a)·b.  Bruyninckx (2.31), (2.32)."""
        return self.T.swapped

    def inv(self) -> ScrewTransform:
        """S⁻¹ = S^S, for the transforms of poses and their products (which preserve the reciprocal product).

        Bruyninckx (2.28), (2.29).
        """
        return self.spatial_transpose()

    @overload
    def __matmul__(self, other: Screw) -> Screw: ...
    @overload
    def __matmul__(self, other: ScrewTransform) -> ScrewTransform: ...
    def __matmul__(self, other: Screw | ScrewTransform) -> Screw | ScrewTransform:
        if isinstance(other, Screw):
            d, m = other.direction, other.moment
            return Screw(self.dd @ d + self.dm @ m, self.md @ d + self.mm @ m)
        if not isinstance(other, ScrewTransform):
            return NotImplemented
        return ScrewTransform(
            self.dd.product(other.dd) + self.dm.product(other.md),
            self.dd.product(other.dm) + self.dm.product(other.mm),
            self.md.product(other.dd) + self.mm.product(other.md),
            self.md.product(other.dm) + self.mm.product(other.mm),
        )

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the 6x6 matrix."""
        upper = [[*a, *b] for a, b in zip(self.dd.rows, self.dm.rows, strict=True)]
        return upper + [[*a, *b] for a, b in zip(self.md.rows, self.mm.rows, strict=True)]
