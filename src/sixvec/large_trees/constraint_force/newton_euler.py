"""The Newton-Euler recursions as sums along the main chain, and level by level over its side branches."""

from __future__ import annotations

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.chain_motion import Loads
from sixvec.large_trees.constraint_force.joint_arrays import JointMotion
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.prefix import prefix_products, prefix_sums, suffix_sums
from sixvec.large_trees.constraint_force.side_branches import gathered
from sixvec.large_trees.constraint_force.six_arrays import cross, motion_transform, times, transposed


def newton_euler(xp: Namespace, chain: ArrayChain, motion: JointMotion, loads: Loads, rates: Array) -> Array:
    """Sᵀ f + armature · a of all joints (rows, freedoms), under loads and accelerations of that shape.

    In world axes every recursion is a sum: angular accelerations, then accelerations of the origins, from base to
    tip; forces, then moments about the bodies' origins, from tip to base.
    """
    n = chain.length
    relative = times(motion.subspace, rates) + loads.drift
    R_W = prefix_products(xp, motion.rot[:n])
    # The position of a body's origin relative to its parent's, in world axes.
    r_W = times(R_W, times(transposed(xp, motion.rot[:n]), motion.pos[:n]))
    A = _accelerations(xp, loads, R_W, r_W, relative[:n])
    X = [motion_transform(xp, motion.rot[s.start : s.stop], motion.pos[s.start : s.stop]) for s in chain.side]
    known = xp.concatenate([loads.base[None], A], 0)
    for level, X_level in zip(chain.side, X, strict=True):
        carried = times(X_level, known[level.parent])
        known = xp.concatenate([known, carried + relative[level.start : level.stop]], 0)
    F = times(chain.inertia, known[1:]) + loads.force
    above: Array = 0.0
    on_side = []
    for level, X_level in zip(reversed(chain.side), reversed(X), strict=True):
        on_side.append(F[level.start : level.stop] + above)
        above = gathered(xp, times(transposed(xp, X_level), on_side[-1]), level.children)
    wrench = xp.concatenate([_wrenches(xp, R_W, r_W, F[:n] + above), *reversed(on_side)], 0)
    return times(transposed(xp, motion.subspace), wrench) + times(chain.joints.armature, rates)


def _accelerations(xp: Namespace, loads: Loads, R_W: Array, r_W: Array, relative: Array) -> Array:
    """(α; v̇) of the main chain's bodies in their own axes; `own` is the contribution of each joint."""
    alpha_W = prefix_sums(xp, times(R_W, relative[:, :3]))
    alpha_P = xp.concatenate([alpha_W[:1] * 0.0, alpha_W[:-1]], 0)
    lin_W = loads.base[3:] + prefix_sums(xp, times(R_W, relative[:, 3:]) + cross(xp, alpha_P, r_W))
    back = transposed(xp, R_W)
    return xp.concatenate([times(back, alpha_W), times(back, lin_W)], 1)


def _wrenches(xp: Namespace, R_W: Array, r_W: Array, F: Array) -> Array:
    """The wrenches transmitted by the main chain's joints, in body axes, where `F` moves each body."""
    force_W = suffix_sums(xp, times(R_W, F[:, 3:]))
    carried = cross(xp, r_W, force_W)
    moment_W = suffix_sums(xp, times(R_W, F[:, :3]) + xp.concatenate([carried[1:], carried[:1] * 0.0], 0))
    back = transposed(xp, R_W)
    return xp.concatenate([times(back, moment_W), times(back, force_W)], 1)
