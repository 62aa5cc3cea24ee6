"""Pfaffian constraints: linear conditions Aᵀ(q) q̇ = 0 on the velocities of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import ShapeError
from sixvec.scalar import Scalar
from sixvec.spatial.linear import Matrix, Row, dot, solve, times, transpose


@dataclass(frozen=True, slots=True)
class PfaffianConstraint:
    """m conditions on n velocities at one position: `forms` are the rows of Aᵀ, each a covector a with a · q̇ = 0.

    The forces that enforce them are combinations of the same covectors, τ = A λ, and so do no work: q̇ᵀ A λ = 0.
    (Bruyninckx (4.92) prints the condition on velocities in place of the one on forces.)  Whether the
    conditions are the rate of conditions on position is tested by `sixvec.constraints.holonomy`.

    >>> from sixvec.constraints import PfaffianConstraint
    >>> skate = PfaffianConstraint(((0.0, 1.0, 0.0),))  # (x, y, heading), heading along x: no sideways motion
    >>> skate.violation([3.0, 0.5, 1.0]), skate.force([2.0])
    ([0.5], [0.0, 2.0, 0.0])
    """

    forms: tuple[tuple[Scalar, ...], ...]

    def __post_init__(self) -> None:
        if len({len(form) for form in self.forms}) > 1:
            raise ShapeError(f"forms of different lengths: {', '.join(str(len(form)) for form in self.forms)}")

    def violation(self, velocity: Row) -> list[Scalar]:
        """Aᵀ q̇: zero exactly if the constraint allows the velocity.  Bruyninckx (4.91)."""
        return times(self.forms, velocity)

    def force(self, multipliers: Row) -> list[Scalar]:
        """τ = A λ, the generalised constraint force.  Bruyninckx (4.92)."""
        return times(transpose(self.forms), multipliers)

    def power(self, multipliers: Row, velocity: Row) -> Scalar:
        """q̇ᵀ A λ: zero for every velocity that the constraint allows."""
        return dot(multipliers, self.violation(velocity))

    def multipliers(self, mass: Matrix, excess: Row) -> list[Scalar]:
        """λ with Aᵀ M⁻¹ A λ = excess: the forces that change Aᵀ q̈ (or, as impulses, Aᵀ q̇) by `excess`.

        M must be positive definite and the forms independent; dependent ones raise `DegenerateError`.
        """
        moved = [solve(mass, form) for form in self.forms]
        return solve([times(moved, form) for form in self.forms], excess)

    def admitted(self, mass: Matrix, velocity: Row) -> list[Scalar]:
        """The velocity after the constraint has been activated: q̇ - M⁻¹ A (Aᵀ M⁻¹ A)⁻¹ Aᵀ q̇.

        Among all velocities that the constraint allows it is nearest to q̇ in kinetic energy.

        >>> from sixvec.constraints import PfaffianConstraint
        >>> skate = PfaffianConstraint(((0.0, 1.0, 0.0),))
        >>> skate.admitted([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]], [3.0, 0.5, 1.0])
        [3.0, 0.0, 1.0]
        """
        impulse = self.force(self.multipliers(mass, self.violation(velocity)))
        return [v - dv for v, dv in zip(velocity, solve(mass, impulse), strict=True)]


def stacked(constraints: Sequence[PfaffianConstraint]) -> PfaffianConstraint:
    """All conditions at once.

    >>> from sixvec.constraints import PfaffianConstraint, stacked
    >>> stacked([PfaffianConstraint(((1.0, 0.0),)), PfaffianConstraint(((0.0, 1.0),))]).forms
    ((1.0, 0.0), (0.0, 1.0))
    """
    return PfaffianConstraint(tuple(form for c in constraints for form in c.forms))
