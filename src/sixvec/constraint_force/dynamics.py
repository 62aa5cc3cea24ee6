"""The constraint force algorithm: forward dynamics of long chains in O(log N) steps."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.constraint_force.array_chain import ArrayChain
from sixvec.constraint_force.cyclic_reduction import reduction
from sixvec.constraint_force.joint_arrays import JointMotion, joint_motion
from sixvec.constraint_force.namespace import Array, Namespace, array_namespace
from sixvec.constraint_force.prefix import prefix_products
from sixvec.constraint_force.side_branches import articulated, branch_accelerations
from sixvec.constraint_force.six_arrays import cross, motion_transform, times, transposed
from sixvec.errors import ShapeError


@dataclass(frozen=True)
class ConstraintForceSolution:
    """Accelerations of the joints, and for each row of the chain what its body and joint experience.

    `joint_wrench` (rows, 6) is what a body receives through its joint, drive and bearing together, and
    `body_acceleration` (rows, 6) its angular acceleration and the classical acceleration of its origin, less gravity;
    both in the body's coordinates.
    """

    acceleration: Array
    joint_wrench: Array
    body_acceleration: Array


def constraint_force_dynamics(
    chain: ArrayChain,
    q: Array,
    v: Array,
    tau: Array,
    *,
    external: Array | None = None,
    refinements: int = 0,
    xp: Namespace | None = None,
) -> Array:
    """Joint accelerations under the forces `tau`, in the array library of q.

    The bodies are set free, and the wrenches λ that the joints' bearings must exert to keep them together solve

        A λ = rhs,   A_ii = S⊥ᵀ (I_i⁻¹ + X_i I_i₋₁⁻¹ X_iᵀ) S⊥,   A_i,i+1 = -S⊥ᵀ I_i⁻¹ X_i+1ᵀ S⊥_i+1

    (Featherstone and Fijany 1999, Eq. 16, T1' = S (Sᵀ S)⁻¹, in link coordinates).  A is symmetric positive definite and
    block-tridiagonal.  Where the paper removes velocities and gravity by a call of inverse dynamics, here each joint
    carries its velocity-product acceleration and each body its gyroscopic force: nothing is summed along the chain
    except angular velocities, and rounding does not grow with forces of the whole chain.

    Depth: ⌈log₂ N⌉ steps for velocities and ⌈log₂(N+1)⌉ for the solution, both ways; work O(N log N) and O(N).
    Accuracy: A is positive definite, so elimination needs no pivoting and is indifferent to the units of length; 4096
    random revolute joints agree with sequential extended-precision forward dynamics to 1e-12.  `refinements` of λ
    guard badly scaled chains.

    `external` (rows, 6) are wrenches on the bodies in body coordinates.

    >>> import numpy as np
    >>> from sixvec import load
    >>> arm = load("panda")
    >>> q, v, tau = np.linspace(-1.0, 1.0, 7), np.ones(7), np.zeros(7)
    >>> a = constraint_force_dynamics(ArrayChain.from_model(arm.model), q, v, tau)
    >>> bool(np.allclose(a, arm.forward_dynamics(q, v, tau)))
    True
    """
    return constraint_force_solution(chain, q, v, tau, external=external, refinements=refinements, xp=xp).acceleration


def constraint_force_solution(
    chain: ArrayChain,
    q: Array,
    v: Array,
    tau: Array,
    *,
    external: Array | None = None,
    refinements: int = 0,
    xp: Namespace | None = None,
) -> ConstraintForceSolution:
    """As `constraint_force_dynamics`, with the wrenches in the joints and the accelerations of the bodies."""
    _check(chain, q, v, tau, external)
    xp = array_namespace(q) if xp is None else xp
    motion = joint_motion(xp, chain.joints, q, v)
    X = motion_transform(xp, motion.rot, motion.pos)
    omega = angular_velocities(xp, chain, motion)
    c, p = joint_drift(xp, motion, omega), gyroscopic_force(xp, chain, omega)
    if external is not None:
        p = p - external
    drive = xp.concatenate([tau, chain.joints.numbers[:1]], 0)[chain.joints.v_index]
    IA, pA, levels = articulated(xp, chain, motion, X, c, p, drive)
    mobility = xp.linalg.inv(IA) if levels else chain.mobility
    A, a, wrench = _main_chain(xp, chain, motion, X, c, pA, drive, mobility, refinements)
    A, a = branch_accelerations(xp, chain, motion, X, c, levels, A, a)
    on_side = [
        times(own.inertia, A[level.start : level.stop]) + own.bias
        for level, own in zip(chain.side, levels, strict=True)
    ]
    return ConstraintForceSolution(
        a.reshape(-1)[chain.joints.a_index], xp.concatenate([wrench, *on_side], 0) if levels else wrench, A
    )


def _main_chain(
    xp: Namespace,
    chain: ArrayChain,
    motion: JointMotion,
    X: Array,
    c: Array,
    p: Array,
    tau: Array,
    mobility: Array,
    refinements: int,
) -> tuple[Array, Array, Array]:
    """Accelerations of bodies and joints of the main chain, and the wrenches in its joints."""
    n = chain.length
    X, c, filler = X[:n], c[:n], chain.joints.filler[:n]
    bearing, reciprocal = motion.bearing[:n], motion.reciprocal[:n]
    back, bears = transposed(xp, X), transposed(xp, bearing)
    driven = times(reciprocal, tau[:n])
    free = times(mobility, driven - _next(xp, times(back, driven)) - p)

    behind = back @ bearing  # the bearing wrenches as the parents feel them
    yields = mobility @ bearing
    D = bears @ yields + filler
    if n > 1:
        passed = transposed(xp, behind[1:]) @ mobility[:-1] @ behind[1:]
        D = D + xp.concatenate([D[:1] * 0.0, passed], 0)
    U = -(transposed(xp, yields[:-1]) @ behind[1:])
    rhs = times(bears, _gap(xp, chain, X, c, free))
    force = reduction(xp, D, U).solve(rhs[..., None], refinements)[..., 0]

    held = times(bearing, force)
    A = free - times(mobility, held - _next(xp, times(back, held)))
    return A, times(transposed(xp, reciprocal), _gap(xp, chain, X, c, A)), driven - held


def _gap(xp: Namespace, chain: ArrayChain, X: Array, c: Array, A: Array) -> Array:
    """A_i - X_i A_i₋₁ - c_i, which is S a where the joint holds."""
    return A - times(X, xp.concatenate([chain.base_acceleration[None], A[:-1]], 0)) - c


def _next(xp: Namespace, x: Array) -> Array:
    """x_i+1 in row i, and nothing beyond the tip."""
    return xp.concatenate([x[1:], x[:1] * 0.0], 0)


def angular_velocities(xp: Namespace, chain: ArrayChain, motion: JointMotion) -> Array:
    """ω of every body in its own axes.

    [R  R ω_J; 0 1] of the joints multiply to the orientation and the angular velocity in world axes: one prefix.
    """
    n = chain.length
    R, spin = motion.rot, motion.velocity[:, :3]
    above = xp.concatenate([R[:n], times(R[:n], spin[:n])[..., None]], 2)
    T = prefix_products(xp, closed(xp, chain, above))
    omega = times(transposed(xp, T[:, :3, :3]), T[:, :3, 3])
    known = xp.concatenate([omega[:1] * 0.0, omega], 0)
    for level in chain.side:
        rows = slice(level.start, level.stop)
        known = xp.concatenate([known, times(transposed(xp, R[rows]), known[level.parent]) + spin[rows]], 0)
    return known[1:]


def closed(xp: Namespace, chain: ArrayChain, above: Array) -> Array:
    """Rows (0 0 0 1) under matrices (n, 3, 4)."""
    zero, one = chain.joints.numbers[0], chain.joints.numbers[1]
    last = xp.stack([zero, zero, zero, one], 0)
    return xp.concatenate([above, above[:, :1] * 0.0 + last], 1)


def joint_drift(xp: Namespace, motion: JointMotion, omega: Array) -> Array:
    """c in  A = X A_parent + S a + c  with classical accelerations, in which linear velocities do not occur.

    (ω × ω_J; ω_P × (ω_P × r) + 2 ω_P × v_J + ω_J × v_J) + Ṡ v, in body axes; ω_P = ω - ω_J.
    """
    spin, slide = motion.velocity[:, :3], motion.velocity[:, 3:]
    parent, r = omega - spin, times(transposed(xp, motion.rot), motion.pos)
    lin = cross(xp, parent, cross(xp, parent, r) + 2.0 * slide) + cross(xp, spin, slide)
    return xp.concatenate([cross(xp, omega, spin), lin], 1) + motion.bias


def gyroscopic_force(xp: Namespace, chain: ArrayChain, omega: Array) -> Array:
    """p in  f = I A + p:  (ω × I ω; ω × (ω × m c))."""
    moment = cross(xp, omega, times(chain.rotational, omega))
    return xp.concatenate([moment, cross(xp, omega, cross(xp, omega, chain.moment))], 1)


def _check(chain: ArrayChain, q: Array, v: Array, tau: Array, external: Array | None) -> None:
    for name, x, n in (("q", q, chain.nq), ("v", v, chain.nv), ("tau", tau, chain.nv)):
        if tuple(x.shape) != (n,):
            raise ShapeError(f"{name} has shape {tuple(x.shape)}; this chain needs ({n},)")
    if external is not None and tuple(external.shape) != (len(chain.inertia), 6):
        raise ShapeError(f"external has shape {tuple(external.shape)}; this chain needs ({len(chain.inertia)}, 6)")
