"""The six kinematic maps of a frame: position, velocity and force, forward and inverse; and acceleration.

Forces are static: gravity and inertia are not in them.  Every force map is told who pushes whom, as the two directions
differ by a sign and either is natural to someone (Bruyninckx 5.7, Featherstone 2010, Eq. 27).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.reference import Reference
from sixvec.analysis.metric import Array, Metric
from sixvec.analysis.spectrum import spectrum
from sixvec.errors import ArgumentError, ShapeError
from sixvec.function import compiled
from sixvec.pose_arrays import require_rotations
from sixvec.robot import Robot
from sixvec.spatial import Pose, Quaternion

Acting = Literal["on_robot", "by_robot"]
"""Who pushes: the environment on the robot, or the robot on the environment."""

MOST_ITERATIONS = 200
POSITION_SOLVED = 1e-10
"""Distance to the target, in metres and radians, below which an inverse position is solved."""


class InversePosition(NamedTuple):
    """An answer to the inverse position problem; where it is not `solved`, `q` is the best that was found."""

    q: Array
    error: Array
    """Size of the remaining (rotation vector; displacement)."""
    solved: NDArray[np.bool_]


class ForwardForce(NamedTuple):
    """The wrench that joint forces make, and the part of them that no wrench can balance."""

    wrench: Array
    unbalanced: Array
    """τ - Jᵀ f: joint forces that move the robot instead of loading the frame."""


def forward_position(robot: Robot, q: ArrayLike, frame: str) -> Array:
    """Where the frame is: (..., 4, 4).

    >>> import sixvec
    >>> forward_position(sixvec.load("planar_2r"), [0.0, 0.0], "tip")[0, 3].round(3).item()
    2.0
    """
    return np.asarray(robot.pose(q, frame), float)


@compiled("X[4,4] Y[4,4] -> e[6]")
def pose_difference(X: list[list[float]], Y: list[list[float]]) -> tuple[float, ...]:
    """From pose X to pose Y: (rotation vector of R_Y R_Xᵀ; p_Y - p_X), in the axes of reference."""
    here, there = Pose.from_matrix(X), Pose.from_matrix(Y)
    turn = Quaternion.from_rotation(there.rot @ here.rot.inv()).log()
    return (*turn, *(there.pos - here.pos))


def inverse_position(robot: Robot, pose: ArrayLike, frame: str, q0: ArrayLike) -> InversePosition:
    """Joint positions near `q0` that bring the frame to `pose`, one of possibly many; joint limits are not asked.

    Levenberg-Marquardt with damping proportional to the squared error (T. Sugihara, IEEE Trans. Robotics 27(5), 2011),
    at most MOST_ITERATIONS steps.  Poses (..., 4, 4) and starts (..., nq) broadcast.  A pose whose rotation is none is
    refused; one with NaN is not solved.

    >>> import sixvec
    >>> arm = sixvec.load("panda")
    >>> q = arm.random(0)
    >>> bool(inverse_position(arm, arm.pose(q, "panda_link8"), "panda_link8", q + 0.1).solved)
    True
    """
    target, start = np.asarray(pose, float), np.asarray(q0, float)
    if target.shape[-2:] != (4, 4):
        raise ShapeError(f"a pose is a homogeneous matrix, (..., 4, 4); this array is {target.shape}")
    require_rotations(target, "inverse_position: pose")
    batch = np.broadcast_shapes(target.shape[:-2], start.shape[:-1])
    target = np.broadcast_to(target, (*batch, 4, 4)).reshape(-1, 4, 4)
    best = np.broadcast_to(start, (*batch, robot.nq)).reshape(-1, robot.nq).copy()
    q = best.copy()
    least = np.full(len(q), np.inf)
    for _ in range(MOST_ITERATIONS):
        e = np.asarray(pose_difference(robot.pose(q, frame), target))
        size = np.linalg.norm(e, axis=-1)
        better = size < least
        best[better], least[better] = q[better], size[better]
        open_ = np.flatnonzero((least > POSITION_SOLVED) & np.isfinite(size))
        if not len(open_):
            break
        J = np.asarray(robot.jacobian(q[open_], frame))
        damping = (0.5 * size[open_] ** 2 + 1e-14)[:, None, None] * np.eye(6)
        step = np.swapaxes(J, -1, -2) @ np.linalg.solve(J @ np.swapaxes(J, -1, -2) + damping, e[open_][..., None])
        q[open_] = robot.integrate(q[open_], step[..., 0])
    solved = least <= POSITION_SOLVED
    return InversePosition(best.reshape(*batch, robot.nq), least.reshape(batch), solved.reshape(batch))


def forward_velocity(
    robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, reference: Reference = "local_world_aligned"
) -> Array:
    """How fast the frame moves: (..., 6)."""
    return np.asarray(robot.velocity(q, v, frame, reference), float)


def inverse_velocity(
    robot: Robot,
    q: ArrayLike,
    twist: ArrayLike,
    frame: str,
    reference: Reference = "local_world_aligned",
    metric: Metric | None = None,
) -> Array:
    """The smallest joint velocity whose twist is nearest to `twist`, both in the norms of the metric.

    Where the frame can move in all six ways, the twist is met exactly and its norm does not matter; where joints are
    redundant, the joint norm decides.  Without a metric all rates count alike, and a radian as a metre.

    >>> import sixvec
    >>> arm = sixvec.load("panda")
    >>> q, t = arm.random(0), [0.0, 0.0, 0.1, 0.2, 0.0, 0.0]
    >>> np.allclose(forward_velocity(arm, q, inverse_velocity(arm, q, t, "panda_link8"), "panda_link8"), t)
    True
    """
    s = spectrum(robot.jacobian(q, frame, reference), metric or Metric.from_length(1.0, robot.nv))
    v: Array = np.einsum("...ij,...j->...i", s.inverse(), _six(twist, "twist"))
    return v


def forward_acceleration(
    robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, reference: Reference = "local_world_aligned"
) -> Array:
    """The frame's spatial acceleration J a + a_vp: (..., 6)."""
    return np.asarray(robot.acceleration(q, v, a, frame, reference), float)


def inverse_acceleration(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    frame: str,
    reference: Reference = "local_world_aligned",
    metric: Metric | None = None,
) -> Array:
    """The smallest joint acceleration that gives a spatial acceleration:  a = J⁺ (A - a_vp)."""
    bias = np.asarray(robot.velocity_product_acceleration(q, v, frame, reference))
    return inverse_velocity(robot, q, _six(acceleration, "acceleration") - bias, frame, reference, metric)


def inverse_force(
    robot: Robot,
    q: ArrayLike,
    wrench: ArrayLike,
    frame: str,
    *,
    acting: Acting,
    reference: Reference = "local_world_aligned",
) -> Array:
    """The motor forces that hold still while a wrench acts at the frame: (..., nv), at every configuration.

    By virtual work:  τ = Jᵀ f for the wrench f *by* the robot on its environment;  τ = -Jᵀ f for one *on* the robot.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> push = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    >>> inverse_force(arm, [0.0, 0.0], push, "tip", acting="by_robot").round(3).tolist()
    [2.0, 1.0]
    """
    J = np.asarray(robot.jacobian(q, frame, reference), float)
    tau: Array = _sign(acting) * np.einsum("...ij,...i->...j", J, _six(wrench, "wrench"))
    return tau


def forward_force(
    robot: Robot,
    q: ArrayLike,
    tau: ArrayLike,
    frame: str,
    *,
    acting: Acting,
    reference: Reference = "local_world_aligned",
    metric: Metric | None = None,
) -> ForwardForce:
    """The wrench at a rigid contact of the frame while the motors push with `tau`.

    Unique for six joints away from singularities.  With fewer, the smallest of many (the structure bears the rest, see
    `Spectrum.free_wrenches`); with more, joint forces can be `unbalanced`: then the robot moves.
    """
    s = spectrum(robot.jacobian(q, frame, reference), metric or Metric.from_length(1.0, robot.nv))
    inverse = s.inverse()
    tau = np.asarray(tau, float)
    if tau.shape[-1:] != (robot.nv,):
        raise ShapeError(f"{robot.name} has {robot.nv} joint forces, (..., {robot.nv}); tau is {tau.shape}")
    by = np.einsum("...ij,...i->...j", inverse, tau)
    rest = tau - inverse_force(robot, q, by, frame, acting="by_robot", reference=reference)
    return ForwardForce(_sign(acting) * by, rest)


def _sign(acting: str) -> float:
    if acting not in get_args(Acting):
        raise ArgumentError(f'a wrench acts "on_robot" or "by_robot", not "{acting}"')
    return 1.0 if acting == "by_robot" else -1.0


def _six(x: ArrayLike, what: str) -> Array:
    six = np.asarray(x, float)
    if six.shape[-1:] != (6,):
        raise ShapeError(f"a {what} has 6 numbers, (..., 6), angular first; this array is {six.shape}")
    return six
