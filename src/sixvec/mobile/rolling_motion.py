"""Velocities of a robot on wheels: how much they slip, and those nearby that roll."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.singular import require_mass
from sixvec.arguments import Array, real_array
from sixvec.kernels.any_arrays import any_arrays
from sixvec.model.spanning_tree import spanning_tree
from sixvec.robot import Robot
from sixvec.solve.decomposition import pseudo_inverse


def rolling_rows(robot: Robot, q: ArrayLike) -> Array:
    """The rows (..., rows, nv) of the wheels among the constraints of a robot."""
    rows = sum(len(wheel.directions) for wheel in robot.model.rolling)
    A = np.asarray(robot.constraint_jacobian(q))
    return A[..., A.shape[-2] - rows :, :]


@any_arrays
def slip(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """The slip of the wheels along each row of the rolling (..., rows), m/s; zero if they roll.

    The rows are those of `robot.constraint_names()` after the loops.

    >>> import sixvec
    >>> from sixvec.mobile import slip, wheeled_robot
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> robot = wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> abs(slip(robot, [0.0] * 5, [1.0, 0.2, 0.0, 10.0, 10.0])).round(12).tolist()
    [0.0, 0.2, 0.0, 0.2]
    """
    v = real_array("v", v, robot.nv, why=f"{robot.name} has nv = {robot.nv}")
    model = spanning_tree(robot.model)
    whole = {wheel.frame: replace(wheel.value, shared=None) for wheel in robot.model.rolling}
    rows = robot._kernels.stored("rows of all slip", lambda: Robot(model)).constraint_jacobian(q, hold=whole)
    return np.asarray((np.asarray(rows) @ v[..., None])[..., 0])


@any_arrays
def rolling_velocity(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """The velocity nearest to v, in the metric of the mass matrix, at which all wheels roll and no loop opens.

    >>> import sixvec
    >>> from sixvec.mobile import rolling_velocity, wheeled_robot
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> robot = wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> rolling_velocity(robot, [0.0] * 5, [1.0, 0.2, 0.0, 10.0, 10.0]).round(12).tolist()
    [1.0, 0.0, 0.0, 10.0, 10.0]
    """
    v = real_array("v", v, robot.nv, why=f"{robot.name} has nv = {robot.nv}")
    require_mass(robot.model)
    A = np.asarray(robot.constraint_jacobian(q))
    back = np.linalg.solve(np.asarray(robot.mass_matrix(q)), np.swapaxes(A, -1, -2))
    return np.asarray(v - (back @ (pseudo_inverse(A @ back) @ (A @ v[..., None])))[..., 0])
