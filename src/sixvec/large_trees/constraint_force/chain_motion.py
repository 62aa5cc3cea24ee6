"""Quantities determined by position and velocities: the motion of the joints, and the loads due to it."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.joint_arrays import JointMotion, joint_motion
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.prefix import prefix_products
from sixvec.large_trees.constraint_force.six_arrays import cross, times, transposed


@dataclass(frozen=True)
class Loads:
    """Loads on the bodies besides the joints' drives: a₀ of the base, c in A = X A_P + S a + c, p in f = I A + p."""

    base: Array
    drift: Array
    force: Array

    def removed(self) -> Loads:
        """At rest, without gravity and external wrenches."""
        return Loads(self.base * 0.0, self.drift * 0.0, self.force * 0.0)


def chain_motion(
    xp: Namespace, chain: ArrayChain, q: Array, v: Array, external: Array | None
) -> tuple[JointMotion, Loads]:
    """The motion of all joints, and the loads that follow from it, from gravity, and from external wrenches."""
    motion = joint_motion(xp, chain.joints, q, v)
    omega = angular_velocities(xp, chain, motion)
    p = gyroscopic_force(xp, chain, omega)
    force = p if external is None else p - external
    return motion, Loads(chain.base_acceleration, joint_drift(xp, motion, omega), force)


def by_row(xp: Namespace, chain: ArrayChain, x: Array) -> Array:
    """Entries like those of v, padded to a row for each joint."""
    return xp.concatenate([x, chain.joints.numbers[:1]], 0)[chain.joints.v_index]


def angular_velocities(xp: Namespace, chain: ArrayChain, motion: JointMotion) -> Array:
    """ω of every body in its own axes.

    [R  R ω_J; 0 1] of the joints multiply to orientation and angular velocity in world axes: one prefix product.
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
    """c in  A = X A_parent + S a + c  with classical accelerations, in which linear velocities do not appear.

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
