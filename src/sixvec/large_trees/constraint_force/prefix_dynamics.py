"""Poses and inverse dynamics of a chain as parallel prefixes: O(log N) steps."""

from __future__ import annotations

from sixvec.large_trees.constraint_force.array_chain import ArrayChain, coordinates, require_chain, wrenches_on
from sixvec.large_trees.constraint_force.batches import over_batch
from sixvec.large_trees.constraint_force.chain_motion import by_row, chain_motion, closed
from sixvec.large_trees.constraint_force.joint_arrays import joint_poses
from sixvec.large_trees.constraint_force.namespace import Array, Namespace, array_namespace
from sixvec.large_trees.constraint_force.newton_euler import newton_euler
from sixvec.large_trees.constraint_force.prefix import prefix_products
from sixvec.large_trees.constraint_force.rotor_bias import rotor_bias


def poses(chain: ArrayChain, q: Array, *, xp: Namespace | None = None) -> Array:
    """Homogeneous matrices (N, 4, 4) of the main chain's bodies in the world: products of the joints' poses.

    With leading batch axes if q has some.

    >>> import numpy as np
    >>> from sixvec import load
    >>> from sixvec.large_trees.constraint_force import ArrayChain, poses
    >>> arm = load("panda")
    >>> q = arm.neutral() + 0.3
    >>> X = poses(ArrayChain.from_model(arm.model), q)
    >>> bool(np.allclose(X[-1], arm.pose(q, "panda_link7")))
    True
    """
    require_chain(chain, "poses")
    (q,) = coordinates(chain, q=q)
    xp = array_namespace(q) if xp is None else xp
    n = chain.length

    def one(q: Array) -> tuple[Array]:
        R, r = joint_poses(xp, chain.joints, q)
        above = xp.concatenate([R[:n], r[:n][..., None]], 2)
        return (prefix_products(xp, closed(xp, chain, above)),)

    (result,) = over_batch(xp, "poses", one, {"q": q})
    return result


def inverse_dynamics(
    chain: ArrayChain,
    q: Array,
    v: Array,
    a: Array,
    *,
    external: Array | None = None,
    xp: Namespace | None = None,
) -> Array:
    """Joint forces that produce the accelerations `a`: the Newton-Euler recursions as sums along the chain.

    Depth: O(log N), and one step inward and outward for every level of side branches.  `external` (rows, 6) are
    wrenches on the bodies as in `forward_dynamics`; all arrays may have batch axes before these.

    >>> import numpy as np
    >>> from sixvec import load
    >>> from sixvec.large_trees.constraint_force import ArrayChain, inverse_dynamics
    >>> arm = load("panda")
    >>> q, v, a = np.linspace(-1.0, 1.0, 7), np.ones(7), np.zeros(7)
    >>> tau = inverse_dynamics(ArrayChain.from_model(arm.model), q, v, a)
    >>> bool(np.allclose(tau, arm.inverse_dynamics(q, v, a)))
    True
    """
    require_chain(chain, "inverse_dynamics")
    q, v, a = coordinates(chain, q=q, v=v, a=a)
    wrenches = wrenches_on(chain, external)
    xp = array_namespace(q) if xp is None else xp

    def one(q: Array, v: Array, a: Array, external: Array | None = None) -> tuple[Array]:
        motion, loads = chain_motion(xp, chain, q, v, external)
        tau = newton_euler(xp, chain, motion, loads, by_row(xp, chain, a)).reshape(-1)[chain.joints.a_index]
        bias = rotor_bias(xp, chain.joints, v)
        return (tau if bias is None else tau + bias,)

    (tau,) = over_batch(xp, "inverse_dynamics", one, {"q": q, "v": v, "a": a, "external": wrenches})
    return tau
