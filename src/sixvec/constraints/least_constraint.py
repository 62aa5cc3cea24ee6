"""The principles of d'Alembert and Gauss: accelerations and constraint forces of constrained systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.constraints.constraint import WrenchSpace
from sixvec.constraints.pfaffian import PfaffianConstraint
from sixvec.geometry.rigid_body.newton_euler import free_acceleration, newton_euler, unloaded
from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.linear import Matrix, Row, dot, solve, times
from sixvec.spatial.motion import Motion


@dataclass(frozen=True, slots=True)
class LeastConstraint:
    """Accelerations a = q̈, multipliers λ and the generalised constraint force A λ."""

    a: tuple[Scalar, ...]
    multipliers: tuple[Scalar, ...]
    force: tuple[Scalar, ...]


def virtual_work(mass: Matrix, force: Row, acceleration: Row, displacement: Row) -> Scalar:
    """(τ - M q̈) · δq: by d'Alembert's principle it is zero for every δq that the constraints allow.

    τ are all forces except those of the constraints, velocity-dependent ones included.  Bruyninckx §4.13.3.

    >>> from sixvec.constraints import virtual_work
    >>> virtual_work([[2.0]], [6.0], [3.0], [1.0])
    0.0
    """
    return dot(_lost_force(mass, force, acceleration), displacement)


def gauss_measure(mass: Matrix, force: Row, acceleration: Row) -> Scalar:
    """Z = ½ (q̈ - q̈₀)ᵀ M (q̈ - q̈₀) with q̈₀ = M⁻¹ τ: the deviation of the constrained from the free motion.

    Among all accelerations that the constraints allow, the actual one has the least Z (Gauss 1829).

    >>> from sixvec.constraints import gauss_measure
    >>> gauss_measure([[2.0]], [6.0], [4.0])
    1.0
    """
    lost = _lost_force(mass, force, acceleration)
    return dot(lost, solve(mass, lost)) * 0.5


def _lost_force(mass: Matrix, force: Row, acceleration: Row) -> list[Scalar]:
    """τ - M q̈, the force lost to the constraints."""
    return [f - m for f, m in zip(force, times(mass, acceleration), strict=True)]


def least_constraint(mass: Matrix, force: Row, constraint: PfaffianConstraint, drift: Row) -> LeastConstraint:
    """The acceleration with the least Z under Aᵀ q̈ + Ȧᵀ q̇ = 0, and the force that the constraint exerts.

    M q̈ = τ + A λ and Aᵀ q̈ = -drift give  (Aᵀ M⁻¹ A) λ = -(drift + Aᵀ M⁻¹ τ).  `drift` is Ȧᵀ q̇, to which a
    stabilising term may be added.  M must be positive definite and the forms independent.

    >>> from sixvec.constraints import PfaffianConstraint, least_constraint
    >>> bead = PfaffianConstraint(((0.0, 1.0),))  # on a horizontal wire
    >>> fall = least_constraint([[2.0, 0.0], [0.0, 2.0]], [1.0, -20.0], bead, [0.0])
    >>> fall.a, fall.force
    ((0.5, 0.0), (0.0, 20.0))
    """
    free = solve(mass, force)
    excess = [-(b + c) for b, c in zip(constraint.violation(free), drift, strict=True)]
    multipliers = constraint.multipliers(mass, excess)
    reaction = constraint.force(multipliers)
    acceleration = [a + da for a, da in zip(free, solve(mass, reaction), strict=True)]
    return LeastConstraint(tuple(acceleration), tuple(multipliers), tuple(reaction))


@dataclass(frozen=True, slots=True)
class ConstrainedBody:
    """Spatial acceleration of a body, multipliers of its constraint wrenches, and their sum."""

    acceleration: Motion
    multipliers: tuple[Scalar, ...]
    force: Force


def constrained_body(
    body: RigidInertia, V: Motion, F: Force, wrenches: WrenchSpace, drift: Sequence[Scalar]
) -> ConstrainedBody:
    """The acceleration of a body with velocity V under the wrench F and a rigid constraint.

    The conditions are  wᵢ · A + driftᵢ = 0  with driftᵢ = ẇᵢ · V; for wrenches that move with the body and
    coordinates fixed in it, the drift is zero.

    >>> from sixvec.constraints import WrenchSpace, constrained_body
    >>> from sixvec.spatial import Force, Motion, RigidInertia, Sym3, Vec3
    >>> ball = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    >>> table = WrenchSpace((Force(Vec3.zero(), Vec3(0.0, 0.0, 1.0)),))
    >>> weight = Force(Vec3.zero(), Vec3(0.0, 0.0, -20.0))
    >>> constrained_body(ball, Motion.zero(), weight, table, [0.0]).force.lin.z
    20.0
    """
    free = free_acceleration(body, V, F)
    moved = [unloaded(body, w) for w in wrenches.basis]
    normal = [[m.dot(w) for m in moved] for w in wrenches.basis]
    multipliers = solve(normal, [-(b + c) for b, c in zip(wrenches.violation(free), drift, strict=True)])
    reaction = wrenches.combine(multipliers)
    return ConstrainedBody(free + unloaded(body, reaction), tuple(multipliers), reaction)


def gauss_measure_of_body(body: RigidInertia, V: Motion, F: Force, A: Motion) -> Scalar:
    """½ (A - A₀)ᵀ I (A - A₀), with A₀ the free acceleration; equal to Σ ½ m |a - a₀|² over the body's particles.

    >>> from sixvec.constraints import gauss_measure_of_body
    >>> from sixvec.spatial import Force, Motion, RigidInertia, Sym3, Vec3
    >>> ball = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    >>> gauss_measure_of_body(ball, Motion.zero(), Force.zero(), Motion.of([0.0, 0.0, 0.0, 3.0, 0.0, 0.0]))
    9.0
    """
    lost = F - newton_euler(body, V, A)
    return unloaded(body, lost).dot(lost) * 0.5
