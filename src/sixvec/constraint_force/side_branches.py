"""Short branches off the main chain: each chain body with its branches becomes one articulated body.

Featherstone and Fijany 1999, section 4, say that nothing else changes.  Beside the articulated inertia I^A, however,
the branches also press on their chain body with the bias wrench p^A, which must join its other forces.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.constraint_force.array_chain import ArrayChain
from sixvec.constraint_force.joint_arrays import JointMotion
from sixvec.constraint_force.namespace import Array, Namespace
from sixvec.constraint_force.six_arrays import times, transposed


@dataclass(frozen=True)
class Articulated:
    """I^A, p^A of one level's bodies, and what the outward pass needs of their joints: U, D⁻¹, D⁻¹(τ - Sᵀ p^A)."""

    inertia: Array
    bias: Array
    U: Array
    D_inverse: Array
    drive: Array


def articulated(
    xp: Namespace, chain: ArrayChain, motion: JointMotion, X: Array, c: Array, p: Array, tau: Array
) -> tuple[Array, Array, tuple[Articulated, ...]]:
    """I^A and p^A of the main chain's bodies, and the levels of the branches (articulated-body algorithm, inward)."""
    n = chain.length
    IA, pA, levels = chain.inertia, p, []
    above_I: Array | None = None
    above_p: Array | None = None
    for level in reversed(chain.side):
        rows = slice(level.start, level.stop)
        I, b = IA[rows], pA[rows]
        if above_I is not None and above_p is not None:
            I, b = I + above_I, b + above_p
        S = motion.subspace[rows]
        U = I @ S
        D_inverse = xp.linalg.inv(transposed(xp, S) @ U + chain.joints.armature[rows])
        drive = times(D_inverse, tau[rows] - times(transposed(xp, S), b))
        levels.append(Articulated(I, b, U, D_inverse, drive))
        Ia = I - U @ D_inverse @ transposed(xp, U)
        pa = b + times(Ia, c[rows]) + times(U, drive)
        back = transposed(xp, X[rows])
        above_I = _gathered(xp, back @ Ia @ X[rows], level.children)
        above_p = _gathered(xp, times(back, pa), level.children)
    if above_I is None:
        return IA[:n], pA[:n], ()
    return IA[:n] + above_I, pA[:n] + above_p, tuple(reversed(levels))


def branch_accelerations(
    xp: Namespace,
    chain: ArrayChain,
    motion: JointMotion,
    X: Array,
    c: Array,
    levels: tuple[Articulated, ...],
    A: Array,
    a: Array,
) -> tuple[Array, Array]:
    """Accelerations of all bodies, and of all joints, from those of the main chain (outward pass)."""
    known = xp.concatenate([chain.base_acceleration[None], A], 0)
    for level, own in zip(chain.side, levels, strict=True):
        rows = slice(level.start, level.stop)
        carried = times(X[rows], known[level.parent]) + c[rows]
        joint = own.drive - times(own.D_inverse, times(transposed(xp, own.U), carried))
        known = xp.concatenate([known, carried + times(motion.subspace[rows], joint)], 0)
        a = xp.concatenate([a, joint], 0)
    return known[1:], a


def _gathered(xp: Namespace, x: Array, children: Array) -> Array:
    """The sum over each body's children."""
    return xp.sum(xp.concatenate([x, x[:1] * 0.0], 0)[children], 1)
