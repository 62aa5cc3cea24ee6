"""What loops, wheels that roll, held frames and driven joints leave of the motions of a robot, in whitened velocities.

With the rows A of these and their whitened rows Z, the motions that they allow are those with  Z w = 0.  A row z of a
contact acts on them as its projection

    z' = z - Zᵀ (Z Zᵀ)⁻¹ Z z,

so sweeps over contacts need not know of the rows that bind the robot: each contact only moves more joints.  Z Zᵀ has
the known rank of the mechanism (`algorithms/parts/known_rank.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.known_rank import ConstraintSystem
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, is_zero, sqrt, where
from sixvec.sim.step_rows import StepRows

RIGID = 1e-10
"""A row that keeps less than this fraction of its mobility cannot be moved by impulses."""

MOST_LOST = 1.1
"""What the rows take from free velocities is given back if the energy was less than this many times what is left."""


class FreeMotions:
    """The whitened rows of a tree, all of whose motions are free."""

    def __init__(self, factors: Factors, roots: Sequence[Any]) -> None:
        self._factors, self._roots = factors, roots

    def row(self, jacobian: Sequence[Any]) -> tuple[list[Any], Scalar]:
        """A whitened row, and whether impulses move it (1 or 0)."""
        return self._factors.half_whitened(jacobian, self._roots), 1.0

    def shift(self, jacobian: Sequence[Any], z: Sequence[Any], v: Sequence[Any]) -> Scalar:
        """What the velocity of a row has besides z·w."""
        return 0.0


class BoundMotions:
    """The same for the motions that the rows of a step allow, at a position."""

    def __init__(self, rows: StepRows, q: Sequence[Any], factors: Factors, roots: Sequence[Any]) -> None:
        self._rows, self._factors, self._roots = rows, factors, roots
        self._A = rows.jacobian(q)
        self._Z = [factors.half_whitened(row, roots) for row in self._A]
        G = [[dot(z, y) for y in self._Z[: i + 1]] for i, z in enumerate(self._Z)]
        self._system = ConstraintSystem.of(G, rows.rank)

    def row(self, jacobian: Sequence[Any]) -> tuple[list[Any], Scalar]:
        """A whitened row, projected on the motions that are left, and whether impulses move it (1 or 0)."""
        z = self._factors.half_whitened(jacobian, self._roots)
        motion = self._added(z, self._system.solution([-dot(y, z) for y in self._Z]))
        moves = where(dot(motion, motion) > RIGID * dot(z, z), 1.0, 0.0)
        return [x * moves for x in motion], moves

    def acceleration(
        self, q: Sequence[Any], v: Sequence[Any], force: Sequence[Any], driven: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Accelerations under joint forces, with `driven` those of driven joints; and the joint forces of all rows."""
        free = self._factors.half_whitened(force, self._roots)
        aims = [*(-x for x in self._rows.bias(q, v)), *driven]
        along = self._system.solution([x - dot(z, free) for x, z in zip(aims, self._Z, strict=True)])
        reaction = [sum((row[i] * f for row, f in zip(self._A, along, strict=True) if not is_zero(row[i])), 0.0)
                    for i in range(len(force))]  # fmt: skip
        return self._factors.unwhitened(self._added(free, along), self._roots), reaction

    def shift(self, jacobian: Sequence[Any], z: Sequence[Any], v: Sequence[Any]) -> Scalar:
        """What the velocity J v of a row has besides z·w: that of driven joints."""
        return dot(jacobian, v) - dot(z, self._factors.whitened(v, self._roots))

    def nearest(self, v: Sequence[Any], M: Sequence[Sequence[Any]]) -> list[Any]:
        """The velocities that the rows allow nearest to the free ones, with the same energy.

        Free velocities satisfy the derivative of the rows at the start of the step, so the rows themselves to first
        order only.  Impulses act on what the rows allow: their work would be wrong on anything else.
        """
        allowed = self._factors.unwhitened(self.allowed(self._factors.whitened(v, self._roots)), self._roots)
        if self._rows.driven:
            return allowed
        before, after = (dot(x, [dot(row, x) for row in M]) for x in (v, allowed))
        near = where(after > 0.0, where(before < MOST_LOST * after, 1.0, 0.0), 0.0) > 0.5
        scale = sqrt(where(near, before / where(near, after, 1.0), 1.0))
        return [scale * x for x in allowed]

    def allowed(self, w: Sequence[Any]) -> list[Any]:
        """The nearest whitened velocities that the rows allow; driven joints keep theirs."""
        bound = len(self._Z) - len(self._rows.driven)
        rates = [-dot(z, w) for z in self._Z[:bound]]
        return self._added(w, self._system.solution([*rates, *(0.0 for _ in self._rows.driven)]))

    def _added(self, w: Sequence[Any], along: Sequence[Any]) -> list[Any]:
        """w + Zᵀ λ."""
        return [sum((z[i] * f for z, f in zip(self._Z, along, strict=True) if not is_zero(z[i])), x)
                for i, x in enumerate(w)]  # fmt: skip


def bound_columns(rows: StepRows) -> list[frozenset[int]]:
    """The joints that move together: those in the whitened rows of connected loops, wheels and driven joints."""
    model, order = rows.model, tree_order(rows.model)
    groups: list[frozenset[int]] = []

    def jacobian(q: Any) -> Any:
        at = JointVector(q, model.q_slices)
        factors = Factors([list(row) for row in mass_matrix(model, at)], order)
        for row in rows.jacobian(q):
            z = factors.half(row)
            columns = {i for i, x in enumerate(z) if not is_zero(x)}
            joined = [c for c in groups if c & columns]
            groups[:] = [c for c in groups if not c & columns]
            if columns:
                groups.append(frozenset(columns).union(*joined))
        return 0.0

    identity = f"{model.fingerprint} columns of {rows.hold} {rows.driven}"
    _ = CompiledFunction(jacobian, (Port("q", (model.nq,)),), (Port("nothing", ()),), identity).program
    return groups
