"""Short branches off the main chain: each chain body with its branches becomes one articulated body.

Featherstone-Fijany §4 states that nothing else changes.  Besides the articulated inertia I^A, however,
the branches also exert the bias wrench p^A on their chain body, which must be added to its other forces.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.joint_arrays import JointMotion
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.six_arrays import transposed


@dataclass(frozen=True)
class Articulated:
    """I^A of one level's bodies, U = I^A S and D⁻¹ = (Sᵀ U)⁻¹ of their joints, and I^a = I^A - U D⁻¹ Uᵀ beyond them."""

    inertia: Array
    U: Array
    D_inverse: Array
    behind: Array


@dataclass(frozen=True)
class Pressed:
    """p^A of one level's bodies, and D⁻¹ (τ - Sᵀ p^A) of their joints."""

    bias: Array
    drive: Array


def articulated_inertias(
    xp: Namespace, chain: ArrayChain, motion: JointMotion, X: Array
) -> tuple[Array, tuple[Articulated, ...]]:
    """I^A of the main chain's bodies, and the levels of the branches (articulated-body algorithm, inward)."""
    levels: list[Articulated] = []
    above: Array = 0.0
    for level in reversed(chain.side):
        rows = slice(level.start, level.stop)
        I, S = chain.inertia[rows] + above, motion.subspace[rows]
        U = I @ S
        D_inverse = xp.linalg.inv(transposed(xp, S) @ U + chain.joints.armature[rows])
        levels.append(Articulated(I, U, D_inverse, I - U @ D_inverse @ transposed(xp, U)))
        above = gathered(xp, transposed(xp, X[rows]) @ levels[-1].behind @ X[rows], level.children)
    return chain.inertia[: chain.length] + above, tuple(reversed(levels))


def gathered(xp: Namespace, x: Array, children: Array) -> Array:
    """The sum over each body's children."""
    return xp.sum(xp.concatenate([x, x[:1] * 0.0], 0)[children], 1)
