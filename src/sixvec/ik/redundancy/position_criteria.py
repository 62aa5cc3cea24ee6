"""Costs of a position: springs, static torque, manipulability, distance to singularities and to obstacles.

Five of the ten criteria of Bruyninckx §5.9.1: numbers 1, 4, 5, 7 and 8.  The others are costs of a motion:
`sixvec.ik.redundancy.motion_criteria`.  None of them *guarantees* what it favours: a spring yields, and only the
limits of `sixvec.ik.redundancy.limits` are strict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, number_for_each, number_from_zero, real_array, require_all, wrenches_by_frame
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.redundancy.criterion import Criterion
from sixvec.ik.redundancy.task import freedoms, task_jacobian
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.solve.decomposition import singular_values, smallest_value, times, weight_factor
from sixvec.solve.direction import Directions, direction_rows


def joint_springs(robot: Robot, rest: ArrayLike | None = None, stiffness: ArrayLike | None = None) -> Criterion:
    """(1) ½ dᵀ K d with d = q ⊖ rest: virtual springs that pull each joint to `rest`, by default mid-range.

    The default stiffness 1/(upper - lower)² makes the cost ½ Σ (fraction of the range)², without unit, and leaves
    unlimited joints free.  `stiffness` is one number, or one for each velocity coordinate.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import joint_springs
    >>> panda = sixvec.load("panda")
    >>> springs = joint_springs(panda)
    >>> float(springs.value((panda.lower + panda.upper) / 2))
    0.0
    >>> round(float(springs.value(panda.upper)), 12)  # seven joints, each half its range away
    0.875
    """
    if rest is None or stiffness is None:
        if robot.nq != robot.nv:
            raise ArgumentError(f"{robot.name} has nq {robot.nq} and nv {robot.nv}, so a joint has no single range; "
                                "give rest= (nq numbers) and stiffness= (nv numbers)")  # fmt: skip
        limited = np.isfinite(robot.lower) & np.isfinite(robot.upper)
        span = np.where(limited, robot.upper - robot.lower, 1.0)
        middle = np.where(limited, np.where(limited, robot.lower, 0.0) + span / 2.0, 0.0)
        rest = middle if rest is None else rest
        stiffness = np.where(limited, 1.0 / span**2, 0.0) if stiffness is None else stiffness
    place = real_array("rest", rest, robot.nq, batch=False)
    k = number_for_each("stiffness", stiffness, robot.nv, "velocities")
    require_all("stiffness", k, (k >= 0.0) & np.isfinite(k), "finite, and 0 or more: a negative one pushes away")
    slope = robot.kernel("difference").derivative("q1")

    def value(q: Any) -> Array:
        d = robot.difference(place, q)
        return np.asarray(0.5 * (k * d * d).sum(axis=-1))

    def gradient(q: Any) -> Array:
        return _transposed(slope(place, q), k * robot.difference(place, q))

    return Criterion("joint springs", "stiffness·rad²", "position", value, gradient)


def rest_torque(
    robot: Robot,
    *,
    external: Mapping[str, ArrayLike] | None = None,
    external_reference: Reference = "local",
    scale: ArrayLike | None = None,
) -> Criterion:
    """(5) ½ Σ (τᵢ/τ_max,i)²: the joint forces at rest, under gravity and `external` wrenches on the robot.

    `scale` are the forces to divide by, by default the effort limits (unlimited joints do not count; without any limit
    all count, with scale 1).  Wrenches are those of `inverse_dynamics`.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import rest_torque
    >>> arm = sixvec.load("planar_2r")
    >>> upright = rest_torque(arm, scale=1.0).value([1.5707963267948966, 0.0])
    >>> abs(float(upright)) < 1e-12
    True
    """
    require_tree(robot.model, "rest_torque")
    efforts = robot.effort_limits if np.isfinite(robot.effort_limits).any() else np.ones(robot.nv)
    weight = 1.0 / np.broadcast_to(np.asarray(efforts if scale is None else scale, float), (robot.nv,)) ** 2
    by_frame = wrenches_by_frame("rest_torque", external)
    wrenches = [real_array(f'rest_torque: the wrench at "{frame}"', wrench) for frame, wrench in by_frame.items()]
    torque = robot.kernel("inverse_dynamics", external=[*by_frame], external_reference=external_reference)
    slope = torque.derivative("q")
    still = np.zeros(robot.nv)

    def value(q: Any) -> Array:
        tau = torque(q, still, still, *wrenches)
        return np.asarray(0.5 * (weight * tau * tau).sum(axis=-1))

    def gradient(q: Any) -> Array:
        return _transposed(slope(q, still, still, *wrenches), weight * torque(q, still, still, *wrenches))

    return Criterion("rest torque", "1", "position", value, gradient)


def manipulability(
    robot: Robot,
    frame: str,
    directions: Directions = "pose",
    *,
    joint_weight: ArrayLike | None = None,
    task_weight: ArrayLike | None = None,
    reference: Reference = "local_world_aligned",
) -> Criterion:
    """(4) -√det(Ĵ Ĵᵀ) = -Π σᵢ of the weighted Ĵ = F_W J F_M⁻¹ (Yoshikawa 1985, with weights).

    Without weights the number mixes units and depends on the reference point; see
    `sixvec.ik.redundancy.generalised_inverse`.  Where fewer joints move the frame than there are directions, the
    product has as many factors as joints.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import manipulability
    >>> arm = sixvec.load("planar_2r")
    >>> elbow = manipulability(arm, "tip", "x z")
    >>> round(float(elbow.value([0.3, 0.5 * 3.141592653589793])), 12)  # |sin q₂|
    -1.0
    """
    scaled = _ScaledJacobian("manipulability", robot, frame, directions, joint_weight, task_weight, reference)

    def value(q: Any) -> Array:
        return np.asarray(-scaled.sizes(q).prod(axis=-1))

    def gradient(q: Any) -> Array:
        sigma, rates = scaled.singular_rates(q)
        k = sigma.shape[-1]
        # The product of the others, not w/σ: finite at a singularity.
        others = np.where(np.eye(k, dtype=bool), 1.0, sigma[..., None, :]).prod(axis=-1)
        return np.asarray(-(others[..., None] * rates).sum(axis=-2))

    return Criterion("manipulability", "product of the weighted rows' units", "position", value, gradient)


def singularity_distance(
    robot: Robot,
    frame: str,
    directions: Directions = "pose",
    *,
    joint_weight: ArrayLike | None = None,
    task_weight: ArrayLike | None = None,
    reference: Reference = "local_world_aligned",
) -> Criterion:
    """(8) -σ_min of the weighted Jacobian: the distance to the nearest singular matrix, in the same weights.

    The gradient is -u_minᵀ (∂Ĵ/∂q) v_min; it is discontinuous where the smallest two singular values are equal.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import singularity_distance
    >>> arm = sixvec.load("planar_2r")
    >>> abs(float(singularity_distance(arm, "tip", "x z").value([0.3, 0.0]))) < 1e-12  # stretched
    True
    """
    scaled = _ScaledJacobian("singularity_distance", robot, frame, directions, joint_weight, task_weight, reference)

    def value(q: Any) -> Array:
        return -smallest_value(scaled.sizes(q))

    def gradient(q: Any) -> Array:
        rates = scaled.singular_rates(q)[1]
        return np.asarray(-rates[..., -1, :] if rates.shape[-2] else np.zeros((*rates.shape[:-2], robot.nv)))

    return Criterion("singularity distance", "unit of the weighted rows", "position", value, gradient)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle: centre in world coordinates and radius, metres.

    >>> from sixvec.ik.redundancy import Obstacle
    >>> Obstacle((0.5, 0.0, 0.3), 0.1).radius
    0.1
    """

    center: tuple[float, float, float]
    radius: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.radius < np.inf and np.shape(self.center) == (3,) and np.isfinite(self.center).all()):
            raise ArgumentError(f"a sphere has a centre of 3 finite numbers and a radius of 0 or more, not {self}")


def obstacle_avoidance(
    robot: Robot, frames: Sequence[str], obstacles: Sequence[Obstacle], margin: float = 0.1, stiffness: float = 1.0
) -> Criterion:
    """(7) ½ k Σ max(0, r + margin - d)²: springs that push frame origins out of a shell around each sphere.

    d is the distance of the origin of a frame from the centre of a sphere; `margin` includes the thickness of the link.
    Outside the shell there is no force; exactly at a centre the direction is undefined and the force is zero.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import Obstacle, obstacle_avoidance
    >>> panda = sixvec.load("panda")
    >>> ball = Obstacle((0.0, 0.0, 0.6), 0.2)
    >>> float(obstacle_avoidance(panda, ["panda_link8"], [ball]).value(panda.neutral()))
    0.0
    """
    margin, stiffness = number_from_zero("margin", margin, "metres"), number_from_zero("stiffness", stiffness)
    if isinstance(frames, str):
        raise ArgumentError(f'frames are a list of names, not one string: ["{frames}"]')
    for frame in frames:
        robot.model.frame(frame)  # an unknown one raises an error here, not at the first step
    centers = np.array([s.center for s in obstacles], float).reshape(-1, 3)
    reach = np.array([s.radius for s in obstacles], float) + margin

    def intrusions(q: Any, frame: str) -> tuple[Array, Array, Array]:
        offset = robot.pose(q, frame)[..., None, :3, 3] - centers
        distance = np.linalg.norm(offset, axis=-1)
        return np.maximum(reach - distance, 0.0), offset, distance

    def value(q: Any) -> Array:
        return np.asarray(sum(0.5 * stiffness * (intrusions(q, f)[0] ** 2).sum(axis=-1) for f in frames))

    def gradient(q: Any) -> Array:
        total = np.zeros((*np.shape(q)[:-1], robot.nv))
        for f in frames:
            depth, offset, distance = intrusions(q, f)
            away = offset / np.where(distance > 0.0, distance, 1.0)[..., None]
            push = -stiffness * (depth[..., None] * away).sum(axis=-2)
            total = total + _transposed(task_jacobian(robot, q, f, "position"), push)
        return total

    return Criterion("obstacle avoidance", "stiffness·m²", "position", value, gradient)


class _ScaledJacobian:
    """Ĵ = F_W J F_M⁻¹ and the rates of its singular values."""

    def __init__(
        self,
        where: str,
        robot: Robot,
        frame: str,
        directions: Directions,
        joint_weight: Any,
        task_weight: Any,
        reference: Reference,
    ) -> None:
        require_tree(robot.model, where)
        self.rows = direction_rows(directions)
        self.kernel = robot.kernel("jacobian", frame=frame, reference=reference)
        self.slope = self.kernel.derivative("q")
        for name, weight in (("task", task_weight), ("joint", joint_weight)):
            if np.ndim(weight) > 2:
                raise ShapeError(f"the {name} weight of a criterion is one matrix for all positions")
        self.count = min(len(self.rows), freedoms(robot, frame))
        self.left = weight_factor(task_weight, len(self.rows), "task")
        self.right = np.linalg.inv(weight_factor(joint_weight, robot.nv, "joint"))

    def matrix(self, q: ArrayLike) -> Array:
        return np.asarray(self.left @ self.kernel(q)[..., self.rows, :] @ self.right)

    def sizes(self, q: ArrayLike) -> Array:
        """The singular values that are not zero at every position."""
        return singular_values(self.matrix(q))[1][..., : self.count]

    def singular_rates(self, q: ArrayLike) -> tuple[Array, Array]:
        """σᵢ and ∂σᵢ/∂q = uᵢᵀ (∂Ĵ/∂q) vᵢ: (..., k) and (..., k, nv)."""
        U, sigma, Vt = singular_values(self.matrix(q))
        k = self.count
        left = self.left.T @ U[..., :, :k]
        right = Vt[..., :k, :] @ self.right.T
        dJ = self.slope(q)[..., self.rows, :, :]
        return sigma[..., :k], np.einsum("...ai,...abj,...ib->...ij", left, dJ, right)


def _transposed(A: Array, x: Array) -> Array:
    """Aᵀ x for batches."""
    return times(np.swapaxes(A, -1, -2), x)
