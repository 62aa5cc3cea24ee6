"""The degrees of freedom of a mechanism: counted from its parts, and by rank at a position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.analysis.finite_motion import finite_freedoms
from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model import Model
from sixvec.model.closure import Closure
from sixvec.model.freedom_count import PLANAR, SPATIAL, kutzbach
from sixvec.robot import Robot
from sixvec.solve.decomposition import rank
from sixvec.tolerances import EQUAL

TOLERANCE = 1e-5
"""Accuracy of dimensions, in metres, radians and as a fraction: drawings have six decimals or fewer."""


@dataclass(frozen=True)
class MobilityCount:
    """The freedoms of a mechanism by count and by rank; printing it reports and explains disagreements."""

    name: str
    spatial: int
    """The count for motion in space."""
    planar: int | None
    """The count for motion in a plane, if all joints and closures are planar; else None."""
    by_rank: int
    """nv - rank of the closures' rows, at one position: the instantaneous freedoms, to first order."""
    finite: int | None
    """Freedoms that persist along a finite motion, found by following it; None where the loops are open."""
    redundant_constraints: int
    """Redundant rows of the closures."""
    closure_error: float = 0.0
    """How far the loops are open at that position, the largest entry in metres or radians."""
    tolerance: float = TOLERANCE

    @property
    def count(self) -> int:
        """The count that suits the mechanism: planar where it is planar."""
        return self.spatial if self.planar is None else self.planar

    @property
    def is_assembled(self) -> bool:
        """Whether the loops are closed; where they are open, the rank does not describe the mechanism."""
        return self.closure_error <= self.tolerance

    @property
    def is_shaky(self) -> bool:
        """Whether some of the freedoms by rank are infinitesimal only: no finite motion follows them."""
        return self.finite is not None and self.finite < self.by_rank

    @property
    def agrees(self) -> bool:
        return self.count == self.by_rank and not self.is_shaky

    def __str__(self) -> str:
        kind = "spatial" if self.planar is None else "planar"
        freedoms = "1 freedom" if self.by_rank == 1 else f"{self.by_rank} freedoms"
        lines = [f"{self.name}: {freedoms} by rank, {self.count} by the {kind} count"]
        if not self.is_assembled:
            lines.append(
                f"  the loops are open by {self.closure_error:.3g} at this position: the rank says nothing about the "
                "mechanism; close them first, as sixvec.constraints.assembled(robot, q) does"
            )
        if self.planar is not None and self.planar != self.spatial:
            lines.append(f"  the spatial count, {self.spatial}, ignores that all motion is in one plane")
        if self.finite is not None and self.is_shaky:
            lines.append(
                f"  {self.finite} of them lead anywhere, {self.by_rank - self.finite} only to first order: a singular "
                "position, where branches meet or the mechanism is shaky"
            )
        moving = self.by_rank if self.finite is None else self.finite
        if not self.is_assembled:
            return "\n".join(lines)
        if moving > self.count:
            lines.append(f"  {moving - self.count} more than counted: special geometry (an overconstrained mechanism)")
        elif moving < self.count:
            lines.append(f"  {self.count - moving} fewer than counted: some joints cannot move within their loops")
        if self.redundant_constraints:
            lines.append(f"  {self.redundant_constraints} constraints repeat others: their forces are undetermined")
        return "\n".join(lines)


@any_arrays_same_dtype
def mobility(robot: Robot, q: ArrayLike, *, tolerance: float = TOLERANCE) -> MobilityCount:
    """Count and rank of a robot with its closures, at a position q (nq,) that satisfies them, and its finite freedoms.

    `tolerance` is the accuracy of the dimensions: loops open by less count as closed, singular values below that
    fraction of the largest as zero, and a motion along which the loops open by less as possible.  A Bennett linkage
    with dimensions rounded to six decimals therefore moves, as the real one does thanks to the play of its joints.

    Rank counts freedoms to first order; `finite` counts those with a finite motion.  They differ for shaky mechanisms
    and where branches of motion intersect.  Where the loops are open, the result reports by how much (`closure_error`,
    `is_assembled`, and when printed).

    >>> import sixvec
    >>> from sixvec.analysis import mobility
    >>> arm = sixvec.load("panda")
    >>> print(mobility(arm, arm.neutral()))
    panda: 7 freedoms by rank, 7 by the spatial count
    """
    if not (np.isfinite(tolerance) and 0.0 < tolerance < 1.0):
        raise ArgumentError(f"tolerance is {tolerance}; it must be positive and below 1")
    q = real_array("mobility: q", q, robot.nq, batch=False, finite=True)
    A = np.asarray(robot.closure_jacobian(q), float)
    independent = int(rank(A, tolerance))
    model = robot.model
    spatial = count(model, SPATIAL)
    planar = count(model, PLANAR) if model.closures and is_planar(robot, q) else None
    gap = float(np.abs(robot.closure_error(q)).max(initial=0.0))
    finite = finite_freedoms(robot, q, tolerance) if gap <= tolerance else None
    return MobilityCount(
        robot.name, spatial, planar, robot.nv - independent, finite, len(A) - independent, gap, tolerance
    )


def count(model: Model, dimension: int) -> int:
    """The count for a model: bodies and ground are links, joints include closures; each gear or mimic removes a
    freedom.

    >>> from sixvec.model.robots import BUILT_IN
    >>> count(BUILT_IN["panda"](), 6)
    7
    """
    joints = [b.joint.nv for b in model.bodies] + [c.joint.nv for c in model.closures if isinstance(c, Closure)]
    couplings = sum(1 for b in model.bodies if b.mimic) + sum(1 for c in model.closures if not isinstance(c, Closure))
    return kutzbach(len(model.bodies) + 1, joints, dimension) - couplings


def is_planar(robot: Robot, q: ArrayLike) -> bool:
    """Whether all joints, closures included, move parallel to one plane."""
    twists = [_world_twists(robot, q)]
    for c in robot.model.closures:
        if isinstance(c, Closure):
            R = np.asarray(robot.pose(q, c.second))[:3, :3]
            S = np.array([[*s] for s in c.joint.subspace(c.joint.neutral())], float).reshape(-1, 6)
            # Directions only: the reference point does not turn a motion out of its plane if the axis is normal to it.
            twists.append(np.concatenate([S[:, :3] @ R.T, S[:, 3:] @ R.T], axis=1))
    w, v = np.split(np.concatenate(twists), 2, axis=1)
    turning = w[np.linalg.norm(w, axis=1) > EQUAL]
    if len(turning):
        n = turning[0] / np.linalg.norm(turning[0])
        return bool(np.abs(np.cross(turning, n)).max() < EQUAL and np.abs(v @ n).max() < EQUAL)
    return bool(rank(v) <= 2)


def _world_twists(robot: Robot, q: ArrayLike) -> Array:
    """The twist of each freedom of the tree, in world axes, a row each."""
    rows = []
    for b in robot.model.moving:
        at = robot.model.v_slices[b.name]
        frame = next((f.name for f in robot.model.frames if f.body == b.name), None)
        if frame is None:
            raise ArgumentError(f'{robot.name}: the body "{b.name}" has no frame that could name its motion; add one')
        rows.append(np.asarray(robot.jacobian(q, frame))[:, at].T)
    return np.concatenate(rows) if rows else np.zeros((0, 6))
