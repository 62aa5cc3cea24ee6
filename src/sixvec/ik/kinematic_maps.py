"""The motion maps of a frame: position, velocity and acceleration, forward and inverse.

The force maps are in `sixvec.ik.force_maps`.  In a mechanism with loops the inverse maps keep them closed; the
forward maps use joint velocities as given (`hybrid_velocity` computes those of the passive joints).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, common_batch, real_array
from sixvec.arguments.rigid_poses import require_rotations
from sixvec.constraints.loop_equations import loop_acceleration, loop_jacobian
from sixvec.errors import ArgumentError
from sixvec.ik.completion import Completion
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import compiled
from sixvec.robot import Robot
from sixvec.solve.metric import Metric, require_metric
from sixvec.solve.spectrum import spectrum
from sixvec.spatial import Pose, Quaternion
from sixvec.tasks.frame import Frame
from sixvec.verdict import Verdict, Verdicts, verdicts

Kind = Literal["spatial", "classical"]
"""Of an acceleration: the rate of the spatial velocity, or (angular; of the point at the frame's origin)."""

MOST_ITERATIONS = 200
POSITION_SOLVED = 1e-10
"""Distance to the target, in metres and radians, below which an inverse position is solved."""


@dataclass(frozen=True, eq=False, repr=False)
class InversePosition(Completion):
    """A solution of the inverse position problem; if it is not `solved`, `q` is the best position found."""

    q: Array
    residual: Array
    """Size of the remaining (rotation vector; displacement; gaps of the loops)."""
    verdict: Verdicts
    """SOLVED, NOT_CONVERGED, or INVALID if the input is not finite."""

    @classmethod
    def judged(cls, q: Array, residual: Array, solved: NDArray[np.bool_]) -> InversePosition:
        """With the verdicts of an iteration that ended there."""
        unsolved = np.where(np.isfinite(residual), Verdict.NOT_CONVERGED, Verdict.INVALID)
        return cls(q, residual, verdicts(np.where(solved, Verdict.SOLVED, unsolved)))

    @property
    def solved(self) -> NDArray[np.bool_]:
        return np.asarray(self.verdict == Verdict.SOLVED)


@any_arrays_same_dtype
def forward_position(robot: Robot, q: ArrayLike, frame: str) -> Array:
    """The pose of the frame: (..., 4, 4).

    >>> import sixvec
    >>> from sixvec.ik import forward_position
    >>> forward_position(sixvec.load("planar_2r"), [0.0, 0.0], "tip")[0, 3].round(3).item()
    2.0
    """
    return real_array("the pose at q", robot.pose(q, frame))


@compiled("X[4,4] Y[4,4] -> e[6]")
def pose_difference(X: list[list[float]], Y: list[list[float]]) -> tuple[float, ...]:
    """From pose X to pose Y: (rotation vector of R_Y R_Xᵀ; p_Y - p_X), in the axes of reference."""
    here, there = Pose.from_matrix(X), Pose.from_matrix(Y)
    turn = Quaternion.from_rotation(there.rot @ here.rot.inv()).log()
    return (*turn, *(there.pos - here.pos))


@any_arrays_same_dtype
def inverse_position(robot: Robot, pose: ArrayLike, frame: str, q0: ArrayLike) -> InversePosition:
    """Joint positions near `q0` that bring the frame to `pose`, one of possibly many; joint limits are ignored.

    The search of `sixvec.ik.solve` from this start alone, at most MOST_ITERATIONS steps.  The equations of loops are
    solved together with those of the pose: a solution is assembled, and a pose that only open loops reach is not
    solved.  Poses (..., 4, 4) and starts (..., nq) broadcast.  A pose with an invalid rotation raises an error; one
    with NaN is not solved.

    >>> import sixvec
    >>> from sixvec.ik import inverse_position
    >>> arm = sixvec.load("panda")
    >>> q = arm.random(0)
    >>> bool(inverse_position(arm, arm.pose(q, "panda_link8"), "panda_link8", q + 0.1).solved)
    True
    """
    target = real_array("inverse_position: pose", pose, 4, 4)
    start = real_array("inverse_position: q0", q0, robot.nq)
    require_rotations(target, "inverse_position: pose")
    leads = [target.shape[:-2], start.shape[:-1]]
    batch = common_batch("inverse_position", leads, ["pose", "q0"], [target.shape, start.shape])
    problem = Problem.of(robot, {Frame(frame): np.broadcast_to(target, (*batch, 4, 4))}, limited=False)
    q, _ = one_start(problem, problem.rows(start), np.full(2, 0.5 * POSITION_SOLVED), MOST_ITERATIONS)
    residual = np.hypot(*problem.remaining(q)[:2]).reshape(batch)
    return InversePosition.judged(q.reshape(*batch, robot.nq), residual, residual <= POSITION_SOLVED)


@any_arrays_same_dtype
def forward_velocity(
    robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, reference: Reference = "local_world_aligned"
) -> Array:
    """The velocity of the frame: (..., 6)."""
    return real_array("the velocity at q, v", robot.velocity(q, v, frame, reference))


@any_arrays_same_dtype
def inverse_velocity(
    robot: Robot,
    q: ArrayLike,
    twist: ArrayLike,
    frame: str,
    reference: Reference = "local_world_aligned",
    metric: Metric | None = None,
) -> Array:
    """The joint velocity of least norm whose twist is nearest to `twist`, both in the norms of the metric.

    If the frame can move in all six directions, the twist is reached exactly and its norm does not matter; if joints
    are redundant, the joint norm decides.  Without a metric all rates have equal weight, a radian counting as a metre.
    Loops stay closed.  Bruyninckx (7.32); Lynch-Park (9.93).

    >>> import numpy as np
    >>> import sixvec
    >>> from sixvec.ik import forward_velocity, inverse_velocity
    >>> arm = sixvec.load("panda")
    >>> q, t = arm.random(0), [0.0, 0.0, 0.1, 0.2, 0.0, 0.0]
    >>> np.allclose(forward_velocity(arm, q, inverse_velocity(arm, q, t, "panda_link8"), "panda_link8"), t)
    True
    """
    metric = metric or Metric.from_length(1.0, robot.nv)
    require_metric(metric, robot.nv)
    s = spectrum(loop_jacobian(robot, q, robot.jacobian(q, frame, reference), metric), metric)
    return np.asarray(np.einsum("...ij,...j->...i", s.inverse(), six(twist, "twist")))


@any_arrays_same_dtype
def forward_acceleration(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str,
    reference: Reference = "local_world_aligned",
    *,
    kind: Kind = "spatial",
) -> Array:
    """The frame's acceleration J a + a_vp: (..., 6), spatial or, with kind "classical", that of its origin as a point.

    >>> import sixvec
    >>> from sixvec.ik import forward_acceleration
    >>> arm = sixvec.load("planar_2r")
    >>> forward_acceleration(arm, [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "tip", kind="classical").round(3)[3:].tolist()
    [-2.0, 0.0, 0.0]
    """
    return np.asarray(_accelerations(robot, kind)(q, v, a, frame, reference), float)


def acceleration_bias(
    robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, reference: Reference, kind: Kind = "spatial"
) -> Array:
    """The acceleration of the frame at zero joint acceleration: (..., 6)."""
    return forward_acceleration(robot, q, v, np.zeros(robot.nv), frame, reference, kind=kind)


@any_arrays_same_dtype
def inverse_acceleration(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    frame: str,
    reference: Reference = "local_world_aligned",
    metric: Metric | None = None,
    *,
    kind: Kind = "spatial",
) -> Array:
    """The joint acceleration of least norm that gives the frame's:  a = J⁺ (A - a_vp).

    Lynch-Park (9.94).

    >>> import numpy as np
    >>> import sixvec
    >>> from sixvec.ik import inverse_acceleration
    >>> arm = sixvec.load("panda")
    >>> q, v, A = arm.random(0), np.ones(7), np.arange(6.0)
    >>> a = inverse_acceleration(arm, q, v, A, "panda_link8", kind="classical")
    >>> np.allclose(arm.classical_acceleration(q, v, a, "panda_link8"), A)
    True
    """
    metric = metric or Metric.from_length(1.0, robot.nv)
    require_metric(metric, robot.nv)
    # Loops require some acceleration; the rest needed for the frame is added and keeps them closed.
    start = loop_acceleration(robot, q, v, metric)
    there = np.asarray(_accelerations(robot, kind)(q, v, start, frame, reference), float)
    return start + inverse_velocity(robot, q, six(acceleration, "acceleration") - there, frame, reference, metric)


def _accelerations(robot: Robot, kind: str) -> Callable[..., object]:
    if kind not in get_args(Kind):
        raise ArgumentError(f'an acceleration is "spatial" or "classical", not "{kind}"')
    return robot.acceleration if kind == "spatial" else robot.classical_acceleration


def six(x: ArrayLike, what: str) -> Array:
    """Six numbers, (..., 6), or an error that names the argument."""
    return real_array(what, x, 6, why="angular first")
