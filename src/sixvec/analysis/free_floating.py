"""Robots that float freely: how their base moves when the joints do, at given momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model import WORLD
from sixvec.model.spanning_tree import require_unconstrained

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class GeneralisedJacobian(Result):
    """The twist of a frame is  J · joint rates + drift · momentum:  J (..., 6, nv - 6) and drift (..., 6, 6).

    The momentum is about the centre of mass in world axes, moment first, as `robot.momentum` gives it.
    """

    J: Array
    drift: Array


@any_arrays_same_dtype
def floating_velocity(robot: Robot, q: ArrayLike, rates: ArrayLike, momentum: ArrayLike | None = None) -> Array:
    """The velocity v (..., nv) of a floating robot with joint rates (..., nv - 6) and momentum (..., 6).

    With the `centroidal_momentum_matrix` A = (A_b, A_j) of base and joints, the twist of the base is

        v_b = A_b⁻¹ (h - A_j rates)

    h, zero by default, is the momentum about the centre of mass in world axes, moment first; without external forces
    and gravity it is constant, with gravity its moment is.  The rates are those of all coordinates of v but the base's,
    in their order.  Y. Umetani and K. Yoshida, IEEE Trans. Robotics and Automation 5(3), 1989; Bruyninckx §6.7.4.

    >>> import numpy, sixvec
    >>> from sixvec.analysis import floating_velocity
    >>> from sixvec.model.edits import with_free_root
    >>> ship = sixvec.Robot(with_free_root(sixvec.load("panda").model))
    >>> q = ship.random(0)
    >>> v = floating_velocity(ship, q, numpy.ones(7))
    >>> bool(abs(ship.momentum(q, v)).max() < 1e-12)
    True
    """
    base, joints = _divided(robot, "floating_velocity")
    rates = real_array("floating_velocity: rates", rates, len(joints), why="one for each coordinate but the base's")
    h = np.zeros(6) if momentum is None else real_array("floating_velocity: momentum", momentum, 6)
    A = np.asarray(robot.centroidal_momentum_matrix(real_array("floating_velocity: q", q, robot.nq)), float)
    twist = _solved(robot, A[..., base], (h - np.einsum("...ij,...j->...i", A[..., joints], rates))[..., None])[..., 0]
    v = np.empty((*twist.shape[:-1], robot.nv))
    v[..., base], v[..., joints] = twist, rates
    return v


@any_arrays_same_dtype
def generalised_jacobian(
    robot: Robot, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned"
) -> GeneralisedJacobian:
    """How the joints move a frame of a floating robot whose base gives way, at given momentum.

        twist = (J_j - J_b A_b⁻¹ A_j) rates + J_b A_b⁻¹ h

    The first matrix is the generalised Jacobian of Umetani and Yoshida: it takes the place of `jacobian` in velocity
    control of arms on satellites.  It contains masses, so its singularities depend on them and, in general, on the
    path by which the base got its orientation.  Umetani and Yoshida 1989; Bruyninckx §6.7.4.

    >>> import sixvec
    >>> from sixvec.analysis import generalised_jacobian
    >>> from sixvec.model.edits import with_free_root
    >>> ship = sixvec.Robot(with_free_root(sixvec.load("panda").model))
    >>> generalised_jacobian(ship, ship.random(0, 5), "panda_link8")
    <GeneralisedJacobian: J (5, 6, 7), drift (5, 6, 6)>
    """
    base, joints = _divided(robot, "generalised_jacobian")
    q = real_array("generalised_jacobian: q", q, robot.nq)
    A = np.asarray(robot.centroidal_momentum_matrix(q), float)
    J = np.asarray(robot.jacobian(q, frame, reference), float)
    unit = np.broadcast_to(np.eye(6), (*A.shape[:-2], 6, 6))
    drift = J[..., base] @ _solved(robot, A[..., base], unit)
    return GeneralisedJacobian(J[..., joints] - drift @ A[..., joints], drift)


def _divided(robot: Robot, where: str) -> tuple[list[int], list[int]]:
    """The coordinates of v of the base and of the joints."""
    require_unconstrained(robot.model, where)
    roots = robot.model.children(WORLD)
    free = [b for b in roots if b.joint.is_free]
    others = [b.name for b in roots if b not in free]
    if len(free) != 1 or others:
        problem = f"{', '.join(others)} on the world" if others else f"{len(free)} free roots"
        raise ArgumentError(
            f"{where}: {robot.name} has {problem}; a floating robot has one root, on a free joint: "
            "sixvec.load(…, floating=True)"
        )
    base = [*range(robot.nv)[robot.model.v_slices[free[0].name]]]
    return base, [i for i in range(robot.nv) if i not in base]


def _solved(robot: Robot, A: Array, b: Array) -> Array:
    """A⁻¹ b; samples that are not finite give NaN."""
    finite = np.isfinite(A).all((-1, -2), keepdims=True)
    try:
        solution = np.linalg.solve(np.where(finite, A, np.eye(6)), b)
    except np.linalg.LinAlgError:
        raise DegenerateError(f"{robot.name} turns about some axis without inertia, so momentum says nothing") from None
    return np.asarray(np.where(finite, solution, np.nan))
