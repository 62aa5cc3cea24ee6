"""Hybrid maps: some joint and some task coordinates given, the others found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.reference import Reference
from sixvec.analysis.metric import Array
from sixvec.analysis.spectrum import RANK_TOLERANCE
from sixvec.errors import ArgumentError, ShapeError, unknown
from sixvec.robot import Robot

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")


class HybridVelocity(NamedTuple):
    """All joint rates and the whole twist, once some of both were given."""

    v: Array
    twist: Array
    error: Array
    """Largest difference between a given component of the twist and what the joints can do."""
    undetermined: Array
    """How many independent joint velocities were left to choose; the smallest was taken."""


class HybridForce(NamedTuple):
    """All joint forces and the whole wrench by the robot, once some of both were given."""

    tau: Array
    wrench: Array
    error: Array
    """Largest difference between a given joint force and what the wrench demands."""
    undetermined: Array
    """How many independent wrenches were left to choose; the smallest was taken."""


def hybrid_velocity(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    reference: Reference = "local_world_aligned",
) -> HybridVelocity:
    """Joint velocity and twist from the rates of some joints (by name) and some components of the twist.

    The components are wx, wy, wz, vx, vy, vz.  With all joints given it is the forward velocity map, with all
    components the inverse one (Bruyninckx 5.7.7).

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> hybrid_velocity(arm, [0.0, 1.0], "tip", {arm.joint_names[0]: 0.5}, {"wy": -0.2}).v.round(3).tolist()
    [0.5, -0.3]
    """
    J = np.asarray(robot.jacobian(q, frame, reference), float)
    given_v, v = _given(robot, joints, J.shape[:-2])
    given_t, t = _components(task, TWIST, J.shape[:-2])
    v, t, error, free = _complete(J, v, given_v, t, given_t)
    return HybridVelocity(v, t, error, free)


def hybrid_force(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    reference: Reference = "local_world_aligned",
) -> HybridForce:
    """Motor forces and wrench *by* the robot from some motor forces (by joint) and some components of the wrench.

    The components are mx, my, mz, fx, fy, fz;  τ = Jᵀ f  joins the two, gravity not included.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> still = {"mx": 0.0, "my": 0.0, "mz": 0.0, "fx": 0.0, "fy": 0.0}
    >>> hybrid_force(arm, [0.0, 0.0], "tip", {arm.joint_names[1]: 3.0}, still).tau.round(3).tolist()
    [6.0, 3.0]
    """
    Jt = np.swapaxes(np.asarray(robot.jacobian(q, frame, reference), float), -1, -2)
    given_tau, tau = _given(robot, joints, Jt.shape[:-2])
    given_f, f = _components(task, WRENCH, Jt.shape[:-2])
    f, tau, error, free = _complete(Jt, f, given_f, tau, given_tau)
    return HybridForce(tau, f, error, free)


def _complete(
    A: Array, x: Array, given_x: list[int], y: Array, given_y: list[int]
) -> tuple[Array, Array, Array, Array]:
    """All of x and y = A x from some of both; the unknown part of x is the smallest least-squares solution."""
    open_x = [i for i in range(A.shape[-1]) if i not in given_x]
    B = A[..., given_y, :][..., open_x]
    known = A[..., given_y, :][..., given_x] @ x[..., given_x, None]
    rest = y[..., given_y, None] - known
    solved = x.copy()
    solved[..., open_x] = (np.linalg.pinv(B, rcond=RANK_TOLERANCE) @ rest)[..., 0]
    image = (A @ solved[..., None])[..., 0]
    wrong = np.abs(image - y)[..., given_y]
    error = wrong.max(axis=-1) if given_y else np.zeros(A.shape[:-2])
    rank = np.linalg.matrix_rank(B, rtol=RANK_TOLERANCE) if given_y and open_x else np.zeros(A.shape[:-2], int)
    return solved, image, error, len(open_x) - rank


def _given(robot: Robot, joints: Mapping[str, ArrayLike], batch: Sequence[int]) -> tuple[list[int], Array]:
    slices = dict(zip(robot.joint_names, (robot.model.v_slices[b.name] for b in robot.model.moving), strict=True))
    values = np.zeros((*batch, robot.nv))
    given: list[int] = []
    for name, value in joints.items():
        if name not in slices:
            raise ArgumentError(unknown("joint", name, robot.joint_names, robot.name))
        at = slices[name]
        number = np.asarray(value, float)
        number = number[..., None] if at.stop - at.start == 1 and number.shape[-1:] != (1,) else number
        try:
            values[..., at] = number
        except ValueError:
            raise ShapeError(
                f'joint "{name}" has {at.stop - at.start} freedoms and the batch is {tuple(batch)}; '
                f"its value has shape {np.shape(value)}"
            ) from None
        given += range(at.start, at.stop)
    return sorted(given), values


def _components(task: Mapping[str, ArrayLike], names: tuple[str, ...], batch: Sequence[int]) -> tuple[list[int], Array]:
    values, given = np.zeros((*batch, 6)), []
    for name, value in task.items():
        if name not in names:
            raise ArgumentError(unknown("component", name, names))
        given.append(names.index(name))
        values[..., names.index(name)] = np.asarray(value, float)
    return sorted(given), values
