"""Poses, velocities and inverse dynamics of an unbranched chain as parallel prefixes: O(log N) steps."""

from __future__ import annotations

from sixvec.constraint_force.array_chain import ArrayChain
from sixvec.constraint_force.dynamics import angular_velocities, closed, gyroscopic_force, joint_drift
from sixvec.constraint_force.joint_arrays import joint_motion, joint_poses
from sixvec.constraint_force.namespace import Array, Namespace, array_namespace
from sixvec.constraint_force.prefix import prefix_products, prefix_sums, suffix_sums
from sixvec.constraint_force.six_arrays import cross, times, transposed
from sixvec.errors import ModelError


def chain_poses(chain: ArrayChain, q: Array, *, xp: Namespace | None = None) -> Array:
    """Homogeneous matrices (N, 4, 4) of the main chain's bodies in the world: products of the joints' poses.

    >>> import numpy as np
    >>> from sixvec import load
    >>> arm = load("panda")
    >>> q = arm.neutral() + 0.3
    >>> X = chain_poses(ArrayChain.from_model(arm.model), q)
    >>> bool(np.allclose(X[-1], arm.pose(q, "panda_link7")))
    True
    """
    xp = array_namespace(q) if xp is None else xp
    R, r = joint_poses(xp, chain.joints, q)
    n = chain.length
    above = xp.concatenate([R[:n], r[:n][..., None]], 2)
    return prefix_products(xp, closed(xp, chain, above))


def chain_inverse_dynamics(chain: ArrayChain, q: Array, v: Array, a: Array, *, xp: Namespace | None = None) -> Array:
    """Joint forces that produce the accelerations `a`: the Newton-Euler recursions as sums along the chain.

    In world axes every recursion is a sum: angular accelerations, then accelerations of the origins, from base to
    tip; forces, then moments about the bodies' origins, from tip to base.
    """
    if chain.side:
        raise ModelError(
            f'body "{chain.names[chain.side[0].start]}" stands on a side branch; prefixes run along an unbranched chain'
        )
    xp = array_namespace(q) if xp is None else xp
    motion = joint_motion(xp, chain.joints, q, v)
    R_W = prefix_products(xp, motion.rot)
    omega = angular_velocities(xp, chain, motion)
    rates = xp.concatenate([a, chain.joints.numbers[:1]], 0)[chain.joints.v_index]
    own = times(motion.subspace, rates) + joint_drift(xp, motion, omega)
    alpha_W = prefix_sums(xp, times(R_W, own[:, :3]))
    # Where a body's origin stands, seen from its parent's, in world axes.
    r_W = times(R_W, times(transposed(xp, motion.rot), motion.pos))
    alpha_P = xp.concatenate([alpha_W[:1] * 0.0, alpha_W[:-1]], 0)
    lin_W = chain.base_acceleration[3:] + prefix_sums(xp, times(R_W, own[:, 3:]) + cross(xp, alpha_P, r_W))
    back = transposed(xp, R_W)
    A = xp.concatenate([times(back, alpha_W), times(back, lin_W)], 1)
    F = times(chain.inertia, A) + gyroscopic_force(xp, chain, omega)
    force_W = suffix_sums(xp, times(R_W, F[:, 3:]))
    carried = cross(xp, r_W, force_W)
    moment_W = suffix_sums(xp, times(R_W, F[:, :3]) + xp.concatenate([carried[1:], carried[:1] * 0.0], 0))
    wrench = xp.concatenate([times(back, moment_W), times(back, force_W)], 1)
    tau = times(transposed(xp, motion.subspace), wrench) + times(chain.joints.armature, rates)
    return tau.reshape(-1)[chain.joints.a_index]
