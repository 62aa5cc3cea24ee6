"""The bearings of a chain at one position as a factorised system, for any loads and drives."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.chain_motion import Loads
from sixvec.large_trees.constraint_force.cyclic_reduction import Reduction, reduction
from sixvec.large_trees.constraint_force.joint_arrays import JointMotion
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.side_branches import Articulated, Pressed, articulated_inertias, gathered
from sixvec.large_trees.constraint_force.six_arrays import motion_transform, times, transposed


@dataclass(frozen=True)
class RowSolution:
    """For every row: joint accelerations, padded; the wrench in the joint; the body's acceleration.

    All are linear in loads and drives, so that solutions add.
    """

    joint: Array
    wrench: Array
    body: Array

    def __add__(self, other: RowSolution) -> RowSolution:
        return RowSolution(self.joint + other.joint, self.wrench + other.wrench, self.body + other.body)


@dataclass(frozen=True)
class ChainSystem:
    """A λ = rhs of `forward_dynamics`, with A factorised; it does not depend on velocities or forces."""

    xp: Namespace
    chain: ArrayChain
    motion: JointMotion
    X: Array
    mobility: Array
    levels: tuple[Articulated, ...]
    bearings: Reduction

    def solve(self, loads: Loads, drive: Array) -> RowSolution:
        """Accelerations and wrenches under loads and drives (rows, freedoms)."""
        p, pressed = self._pressed(loads, drive)
        A, a, wrench = self._main_chain(loads, p, drive)
        if not pressed:
            return RowSolution(a, wrench, A)
        A, a = self._with_branches(loads, pressed, A, a)
        on_side = [
            times(solved.inertia, A[level.start : level.stop]) + press.bias
            for level, solved, press in zip(self.chain.side, self.levels, pressed, strict=True)
        ]
        return RowSolution(a, self.xp.concatenate([wrench, *on_side], 0), A)

    def _pressed(self, loads: Loads, drive: Array) -> tuple[Array, tuple[Pressed, ...]]:
        """p^A of the main chain's bodies and of the branches' levels, under loads and drives."""
        xp, chain, X = self.xp, self.chain, self.X
        pressed: list[Pressed] = []
        above: Array = 0.0
        for level, solved in zip(reversed(chain.side), reversed(self.levels), strict=True):
            rows = slice(level.start, level.stop)
            b = loads.force[rows] + above
            joint = times(solved.D_inverse, drive[rows] - times(transposed(xp, self.motion.subspace[rows]), b))
            pressed.append(Pressed(b, joint))
            pa = b + times(solved.behind, loads.drift[rows]) + times(solved.U, joint)
            above = gathered(xp, times(transposed(xp, X[rows]), pa), level.children)
        return loads.force[: chain.length] + above, tuple(reversed(pressed))

    def _with_branches(self, loads: Loads, pressed: tuple[Pressed, ...], A: Array, a: Array) -> tuple[Array, Array]:
        """Accelerations of all bodies, and of all joints, from those of the main chain (outward pass)."""
        xp = self.xp
        known = xp.concatenate([loads.base[None], A], 0)
        for level, solved, press in zip(self.chain.side, self.levels, pressed, strict=True):
            rows = slice(level.start, level.stop)
            carried = times(self.X[rows], known[level.parent]) + loads.drift[rows]
            joint = press.drive - times(solved.D_inverse, times(transposed(xp, solved.U), carried))
            known = xp.concatenate([known, carried + times(self.motion.subspace[rows], joint)], 0)
            a = xp.concatenate([a, joint], 0)
        return known[1:], a

    def _main_chain(self, loads: Loads, p: Array, drive: Array) -> tuple[Array, Array, Array]:
        """Accelerations of bodies and joints of the main chain, and the wrenches in its joints."""
        xp, n = self.xp, self.chain.length
        bearing, reciprocal = self.motion.bearing[:n], self.motion.reciprocal[:n]
        back = transposed(xp, self.X[:n])
        driven = times(reciprocal, drive[:n])
        free = times(self.mobility, driven - _next(xp, times(back, driven)) - p)
        rhs = times(transposed(xp, bearing), self._joint_residual(loads, free))
        reaction = times(bearing, self.bearings.solve(rhs[..., None])[..., 0])
        A = free - times(self.mobility, reaction - _next(xp, times(back, reaction)))
        return A, times(transposed(xp, reciprocal), self._joint_residual(loads, A)), driven - reaction

    def _joint_residual(self, loads: Loads, A: Array) -> Array:
        """A_i - X_i A_i₋₁ - c_i, which is S a where the joint constraint holds."""
        n = self.chain.length
        return A - times(self.X[:n], self.xp.concatenate([loads.base[None], A[:-1]], 0)) - loads.drift[:n]


def chain_system(xp: Namespace, chain: ArrayChain, motion: JointMotion) -> ChainSystem:
    """The system of the bearings, assembled and factorised."""
    n, X = chain.length, motion_transform(xp, motion.rot, motion.pos)
    levels: tuple[Articulated, ...] = ()
    mobility = chain.mobility
    if chain.side:
        I, levels = articulated_inertias(xp, chain, motion, X)
        mobility = xp.linalg.inv(I)
    bearing = motion.bearing[:n]
    behind = transposed(xp, X[:n]) @ bearing  # the bearing wrenches on the parents
    yields = mobility @ bearing
    D = transposed(xp, bearing) @ yields + chain.joints.filler[:n]
    if n > 1:
        passed = transposed(xp, behind[1:]) @ mobility[:-1] @ behind[1:]
        D = D + xp.concatenate([D[:1] * 0.0, passed], 0)
    U = -(transposed(xp, yields[:-1]) @ behind[1:])
    return ChainSystem(xp, chain, motion, X, mobility, levels, reduction(xp, D, U))


def _next(xp: Namespace, x: Array) -> Array:
    """x_i+1 in row i, and zero beyond the tip."""
    return xp.concatenate([x[1:], x[:1] * 0.0], 0)
