"""Hybrid maps: some joint and some task coordinates are given, the others computed; velocity, acceleration and force.

Positions are in `sixvec.ik.hybrid_position`.  Loops stay closed: their equations take precedence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.constraints.loop_equations import closure_bias, closure_rows, independent_rows
from sixvec.ik.completion import (
    Completed,
    Completion,
    Given,
    complete,
    given_components,
    given_joints,
    require_determined,
)
from sixvec.ik.force_maps import Acting, push_sign
from sixvec.ik.kinematic_maps import Kind, acceleration_bias
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.solve.direction import TWIST
from sixvec.verdict import Verdicts

ACCELERATION = ("dwx", "dwy", "dwz", "dvx", "dvy", "dvz")
"""The rates of the components of the twist."""
WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Answer(Completion):
    residual: Array
    """Largest residual of the given values, closed loops included."""
    undetermined: NDArray[np.int_]
    """Number of independent velocities, accelerations, or wrenches and forces within loops that are free; the
    solution of least norm is returned."""
    verdict: Verdicts
    """For each sample SOLVED, UNDERDETERMINED, SINGULAR, CONTRADICTORY or INVALID."""


@dataclass(frozen=True, eq=False, repr=False)
class HybridVelocity(_Answer):
    """All joint rates and the whole twist, from some of both."""

    v: Array
    twist: Array


@dataclass(frozen=True, eq=False, repr=False)
class HybridAcceleration(_Answer):
    """All joint accelerations and the frame's whole acceleration, from some of both."""

    a: Array
    acceleration: Array


@dataclass(frozen=True, eq=False, repr=False)
class HybridForce(_Answer):
    """All joint forces and the whole wrench, from some of both."""

    tau: Array
    wrench: Array


@any_arrays_same_dtype
def hybrid_velocity(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    reference: Reference = "local_world_aligned",
    *,
    strict: bool = False,
) -> HybridVelocity:
    """Joint velocity and twist from the rates of some named joints and some components of the twist.

    The components are wx, wy, wz, vx, vy, vz.  With all joints given it is the forward velocity map, with all
    components the inverse one (Bruyninckx §5.7.7); in a mechanism with loops, motors determine the passive joints.
    Positions, rates and components broadcast.  The `verdict` reports input that is underdetermined, contradictory
    or, at a singular position, dependent; `strict` turns this into an error with the reason.

    >>> import sixvec
    >>> from sixvec.ik import hybrid_velocity
    >>> arm = sixvec.load("planar_2r")
    >>> solution = hybrid_velocity(arm, [0.0, 1.0], "tip", {arm.joint_names[0]: 0.5}, {"wy": -0.2})
    >>> solution.v.round(3).tolist(), str(solution)
    ([0.5, -0.3], 'solved')
    """
    J, A = real_array("the Jacobian at q", robot.jacobian(q, frame, reference)), closure_rows(robot, q)
    x, y = given_joints(robot, joints, "v"), given_components(task, TWIST)
    result = complete(J, x, y, A)
    if strict:
        _require(robot, "hybrid_velocity", result, J, A, x, y, TWIST)
    return HybridVelocity(result.x, result.y, **result.judgement)


@any_arrays_same_dtype
def hybrid_acceleration(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    reference: Reference = "local_world_aligned",
    *,
    kind: Kind = "spatial",
    strict: bool = False,
) -> HybridAcceleration:
    """Joint and task accelerations from those of some named joints and some components of the frame's.

    The components are dwx, dwy, dwz, dvx, dvy, dvz of  A = J a + (velocity-product acceleration);  `kind` selects
    whether the linear ones belong to the spatial acceleration or to the point at the frame's origin ("classical").  The
    bias is always included: a joint at constant speed accelerates the frame.  Verdicts are those of `hybrid_velocity`.

    >>> import sixvec
    >>> from sixvec.ik import hybrid_acceleration
    >>> arm = sixvec.load("planar_2r")
    >>> turning = {arm.joint_names[0]: 0.0}
    >>> solution = hybrid_acceleration(arm, [0.0, 0.0], [1.0, 0.0], "tip", turning, {"dvz": 0.0}, kind="classical")
    >>> solution.a.round(3).tolist(), solution.acceleration[3].round(3).item()  # towards the axis: ω² r
    ([0.0, 0.0], -2.0)
    """
    J, A = real_array("the Jacobian at q", robot.jacobian(q, frame, reference)), closure_rows(robot, q)
    bias = acceleration_bias(robot, q, v, frame, reference, kind)
    x, y = given_joints(robot, joints, "v"), given_components(task, ACCELERATION)
    result = complete(J, x, Given(y.at, y.values - bias), A, -closure_bias(robot, q, v))
    if strict:
        _require(robot, "hybrid_acceleration", result, J, A, x, y, ACCELERATION)
    return HybridAcceleration(result.x, result.y + bias, **result.judgement)


@any_arrays_same_dtype
def hybrid_force(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    reference: Reference = "local",
    *,
    acting: Acting,
    strict: bool = False,
) -> HybridForce:
    """Motor forces and wrench from some motor forces (by joint) and some components of the wrench.

    The components are mx, my, mz, fx, fy, fz of the wrench *by* the robot on its environment or *on* the robot, given
    by `acting`, at the frame's origin in frame axes unless `reference` is given;  τ = ± Jᵀ f  relates the two, gravity
    not included.  In a mechanism with loops τ = ± Jᵀ f + Aᵀ λ, with any forces λ in the cuts: passive joints, which
    have no force, must be given the value 0.

    >>> import sixvec
    >>> from sixvec.ik import hybrid_force
    >>> arm = sixvec.load("planar_2r")
    >>> still = {"mx": 0.0, "my": 0.0, "mz": 0.0, "fx": 0.0, "fy": 0.0}
    >>> push = {arm.joint_names[1]: 3.0}
    >>> found = hybrid_force(arm, [0.0, 0.0], "tip", push, still, "local_world_aligned", acting="by_robot")
    >>> found.tau.round(3).tolist()
    [6.0, 3.0]
    """
    J, A = real_array("the Jacobian at q", robot.jacobian(q, frame, reference)), closure_rows(robot, q)
    inside = np.swapaxes(independent_rows(A), -1, -2)
    map_ = np.concatenate([push_sign(acting) * np.swapaxes(J, -1, -2), inside], axis=-1)
    wrench, tau = given_components(task, WRENCH), given_joints(robot, joints, "v")
    cuts = inside.shape[-1]
    x = Given(wrench.at, np.concatenate([wrench.values, np.zeros((*wrench.values.shape[:-1], cuts))], axis=-1))
    result = complete(map_, x, tau, spare=(~inside.any(axis=-2)).sum(axis=-1))
    if strict:
        names = (*WRENCH, *(f"force {i} in the cuts" for i in range(cuts)))
        free = [i for i in range(len(names)) if i not in wrench.at]
        require_determined(result, f"hybrid_force of {robot.name}", map_[..., tau.at, :][..., free],
                           [names[i] for i in free], velocity_names(robot, tau.at))  # fmt: skip
    return HybridForce(result.y, result.x[..., :6], **result.judgement)


def _require(
    robot: Robot, what: str, result: Completed, J: Array, A: Array, x: Given, y: Given, names: tuple[str, ...]
) -> None:
    free = [i for i in range(robot.nv) if i not in x.at]
    B = np.concatenate([J[..., y.at, :], A], axis=-2)[..., free]
    rows = [*(names[i] for i in y.at), *(f"loop equation {i}" for i in range(A.shape[-2]))]
    require_determined(result, f"{what} of {robot.name}", B, velocity_names(robot, free), rows)


def velocity_names(robot: Robot, at: Sequence[int]) -> list[str]:
    names = coordinate_names(robot.model, "v")
    return [names[i] for i in at]
