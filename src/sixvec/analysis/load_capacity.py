"""The largest load that a robot can carry at a posture, within the limits of its motors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, number_for_each, real_array
from sixvec.arguments.checks import common_batch
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import motor_forces
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.closed_loops import require_closed_loops
from sixvec.model.spanning_tree import require_sliding
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict, Verdicts, tally, verdicts

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class LoadCapacity(Result):
    """The largest load as a multiple (...) of the direction, the joint forces tau (..., nv) under it, and a verdict.

    `joint` is the coordinate of v that is at its limit, -1 if the capacity is infinite: the structure bears the load.
    Where gravity alone exceeds a motor, the verdict is "infeasible", the capacity 0, and `joint` the coordinate that
    exceeds its limit most.
    """

    capacity: Array
    tau: Array
    joint: NDArray[np.int64]
    verdict: Verdicts

    def __str__(self) -> str:
        return tally(self.verdict)


@any_arrays_same_dtype
def load_capacity(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    direction: ArrayLike,
    *,
    efforts: ArrayLike | None = None,
    reference: Reference = "local_world_aligned",
) -> LoadCapacity:
    """How large a wrench along a direction (..., 6), moment first, may act on a frame at rest at q (..., nq).

    The motors hold  tau = g(q) - λ Jᵀ direction  with  |tau_i| ≤ effort_i.  Every joint bounds λ ≥ 0 from above, at
    the limit towards which the load drives it: λ_i = (effort_i ± g_i) / |(Jᵀ direction)_i|, and the least bound is the
    capacity, in closed form.  `efforts` are the robot's effort limits if not given; infinite ones do not count, so a
    floating base must have limits to matter.  For a weight in N the direction is (0, 0, 0, 0, 0, -1) in world axes.
    In a mechanism with loops the motors hold what the joints of its tree would; where they are more than its freedoms
    they share a load with forces of least norm, and another share may carry more.  Bruyninckx §5.8.1, §7.1.

    >>> import sixvec
    >>> from sixvec.analysis import load_capacity
    >>> arm = sixvec.load("panda")
    >>> result = load_capacity(arm, [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8], "panda_link8", [0, 0, 0, 0, 0, -1.0])
    >>> round(float(result.capacity), 1), arm.joint_names[int(result.joint)]
    (117.1, 'panda_joint6')
    """
    require_sliding(robot.model, "load_capacity")
    q = real_array("load_capacity: q", q, robot.nq)
    along = real_array("load_capacity: direction", direction, 6, why="a wrench, moment first")
    if not along.any(axis=-1).all():
        raise ArgumentError("load_capacity: direction is zero; give a wrench, of which the capacity is a multiple")
    limits = number_for_each("load_capacity: efforts", robot.effort_limits if efforts is None else efforts, robot.nv,
                             "velocities")  # fmt: skip
    if not (limits >= 0.0).all():
        raise ArgumentError(f"load_capacity: efforts are sizes, zero or more, not {limits.tolist()}")
    common_batch("load_capacity", [q.shape[:-1], along.shape[:-1]], ["q", "direction"])
    J = np.asarray(robot.jacobian(q, frame, reference), float)
    gravity = np.asarray(robot.gravity_forces(q), float)
    share = np.einsum("...ij,...i->...j", J, along)
    share = np.where(np.abs(share) <= ROUNDING * np.einsum("...ij,...i->...j", np.abs(J), np.abs(along)), 0.0, share)
    gravity = np.broadcast_to(gravity, share.shape)
    if robot.model.closures:
        require_closed_loops(robot._kernels, "load_capacity", q, {})
        share, gravity = (motor_forces(robot, q, tau) for tau in (share, gravity))
    return _capacity(share, gravity, limits)


def _capacity(share: Array, gravity: Array, limits: Array) -> LoadCapacity:
    """The least bound over the joints; share is Jᵀ times the direction."""
    size = np.abs(share)
    with np.errstate(invalid="ignore", divide="ignore"):
        margins = np.where(size > 0.0, (limits + np.sign(share) * gravity) / np.where(size > 0.0, size, 1.0), np.inf)
    excess = np.abs(gravity) - limits
    invalid = ~(np.isfinite(share).all(-1) & np.isfinite(gravity).all(-1))
    heavy = (excess > 0.0).any(-1) & ~invalid
    least = margins.min(-1, initial=np.inf)
    capacity = np.where(invalid, np.nan, np.where(heavy, 0.0, least))
    limiting = np.where(heavy, excess.argmax(-1), margins.argmin(-1)) if share.shape[-1] else np.full(least.shape, -1)
    joint = np.where(invalid | (np.isinf(least) & ~heavy), -1, limiting)
    load = np.where(np.isfinite(capacity), capacity, np.where(invalid, np.nan, 0.0))
    verdict = np.where(invalid, int(Verdict.INVALID), np.where(heavy, int(Verdict.INFEASIBLE), int(Verdict.SOLVED)))
    return LoadCapacity(capacity, gravity - load[..., None] * share, joint, verdicts(verdict))
