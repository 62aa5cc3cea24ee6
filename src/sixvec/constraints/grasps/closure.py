"""Whether grasps can hold an object against any wrench: form closure and force closure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.constraints.grasps.grasp import Grasp, required
from sixvec.errors import ArgumentError
from sixvec.solve.cone import nearest_in_cone
from sixvec.solve.decomposition import rank_of
from sixvec.spatial import Force
from sixvec.tolerances import EQUAL


@dataclass(frozen=True, eq=False, repr=False)
class GraspClosure(Result):
    """Whether all wrenches can be resisted, with a proof or a counterexample.

    `force` are positive multiples of the extreme wrenches of every grasp, grasp by grasp, that balance each other where
    there is closure: `form_closure` has one for the normal of each, so that `grasp_matrix(grasps) @ force` of
    frictionless grasps is zero; `force_closure` has one for each edge of each pyramid.  `missing` is a wrench on the
    object, in its frame, that no forces of the grasps balance; zero where there is closure.
    """

    closed: bool
    rank: int
    force: Array
    missing: Array

    def __bool__(self) -> bool:
        return self.closed

    def __repr__(self) -> str:
        return f"<GraspClosure: {'closed' if self.closed else 'open'}, rank {self.rank} of 6>"


def form_closure(grasps: Sequence[Grasp]) -> GraspClosure:
    """Whether the shapes alone hold the object: every contact pushes along its normal, without friction.

    Seven contacts at least are needed in space (Reuleaux 1876, Lakshminarayana 1978).

    >>> from sixvec.constraints.grasps import Grasp, form_closure
    >>> form_closure([Grasp("point")]).closed
    False
    """
    return _closure(
        np.array([[*map(float, g.pose @ g.wrenches[-1])] for g in required(grasps)], float).reshape(-1, 6).T
    )


def force_closure(grasps: Sequence[Grasp], sides: int = 16) -> GraspClosure:
    """Whether forces within the friction of the grasps can balance any wrench.

    Cones of friction are replaced by pyramids inside them with that many `sides`, so a positive result is certain.
    Rigid grasps and hinges pull as well as push, without limit.

    >>> import numpy as np
    >>> from sixvec.constraints.grasps import Grasp, force_closure
    >>> from sixvec.spatial import Pose, Vec3
    >>> below, above = Pose.translation(Vec3(0.0, 0.0, -1.0)), Pose.rotation(Vec3(1.0, 0.0, 0.0), np.pi)
    >>> [bool(force_closure([Grasp(kind, below), Grasp(kind, above)])) for kind in ("soft finger", "point")]
    [True, False]
    """
    if sides < 3:
        raise ArgumentError(f"a pyramid has 3 sides or more, not {sides}")
    columns = [column for g in required(grasps) for column in _extreme(g, sides)]
    return _closure(np.array(columns, float).reshape(-1, 6).T)


def _extreme(g: Grasp, sides: int) -> list[list[float]]:
    """The extreme wrenches of a grasp, on the object."""
    units = np.array([[*map(float, w)] for w in g.wrenches])
    if not g.pushes:
        extreme = np.vstack([units, -units])
    else:
        normal = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        extreme = normal[None]
        if g.kind != "frictionless" and g.friction > 0.0:
            angles = np.arange(sides) * (2.0 * math.pi / sides)
            rim = np.zeros((sides, 6))
            rim[:, 3], rim[:, 4] = g.friction * np.cos(angles), g.friction * np.sin(angles)
            extreme = rim + normal
        if g.kind == "soft finger" and g.torsion > 0.0:
            turn = np.array([0.0, 0.0, g.torsion, 0.0, 0.0, 0.0])
            extreme = np.vstack([extreme, normal + turn, normal - turn])
    return [[*map(float, g.pose @ Force.of(row.tolist()))] for row in extreme]


def _closure(W: Array) -> GraspClosure:
    """Columns span all of space with positive multiples if they have rank 6 and  W (1 + x) = 0  for some x ≥ 0.

    Moments are measured by the reach of the grasps, so that metres and millimetres give the same result.
    """
    n = W.shape[1]
    if not n:
        return GraspClosure(False, 0, np.zeros(0), np.eye(6)[5])
    reach = float(np.abs(W[:3]).max()) or 1.0
    units = np.array([reach] * 3 + [1.0] * 3)
    sizes = np.linalg.norm(W / units[:, None], axis=0)
    scaled = W / units[:, None] / sizes
    U, sigma, _ = np.linalg.svd(scaled)
    rank = int(rank_of(sigma))
    force = 1.0 + nearest_in_cone(scaled, -scaled.sum(axis=1))
    residual = scaled @ force
    balanced = bool(np.linalg.norm(residual) < EQUAL * force.sum())
    # The residual of the least sum has no negative product with any column: no combination gives its opposite.
    missing = U[:, rank] if rank < 6 else np.zeros(6) if balanced else residual / np.linalg.norm(residual)
    return GraspClosure(balanced and rank == 6, rank, force / sizes, missing * units)
