"""Robots with fewer motors than freedoms: which accelerations can be prescribed, and the forces they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.hybrid_dynamics import coordinates
from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.model.actuation import active_joints, passive_joints
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.tolerances import RANK


@dataclass(frozen=True, eq=False, repr=False)
class Actuated(Result):
    """All accelerations and all joint forces, (..., nv); the forces of joints without a motor are zero."""

    a: Array
    tau: Array


@dataclass(frozen=True, slots=True)
class ActuatedCoordinates:
    """Coordinates of v with a motor, and those without."""

    active: tuple[int, ...]
    passive: tuple[int, ...]


def actuated_coordinates(robot: Robot) -> ActuatedCoordinates:
    """The coordinates of v with a motor, and those without (`sixvec.model.actuation`).

    >>> import sixvec
    >>> actuated_coordinates(sixvec.load("cart_pole"))
    ActuatedCoordinates(active=(0,), passive=(1,))
    """
    model = robot.model
    return ActuatedCoordinates(coordinates(model, active_joints(model)), coordinates(model, passive_joints(model)))


def collocated(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    *,
    external: Mapping[str, ArrayLike] | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Actuated:
    """The actuated joints have the given accelerations (..., motors); those of the passive joints follow.

    `external` wrenches and, with `passive=True`, the joints' own damping, friction and springs act as in
    `robot.hybrid_dynamics`.

    Hybrid dynamics with the active joints prescribed and no force at the passive ones: the collocated partial
    feedback linearisation of Spong (IROS 1994).

    >>> import sixvec
    >>> from sixvec.theory.lagrange import collocated
    >>> moved = collocated(sixvec.load("cart_pole"), [0.0, 0.3], [0.0, 0.0], [1.5])
    >>> float(moved.a[0]), float(moved.tau[1])
    (1.5, 0.0)
    """
    require_unconstrained(robot.model, "collocated")
    active = actuated_coordinates(robot).active
    target = _checked("acceleration", acceleration, len(active), "joints with a motor")
    a = np.zeros((*target.shape[:-1], robot.nv))
    a[..., active] = target
    acting: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    motion = robot.hybrid_dynamics(q, v, a, np.zeros(robot.nv), prescribed=active, **acting)
    return Actuated(np.asarray(motion.a), np.asarray(motion.tau))


def noncollocated(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    *,
    external: Mapping[str, ArrayLike] | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Actuated:
    """The joints *without* motors have the given accelerations (..., passive), driven through the inertial coupling.

    Of the rows of the passive joints, M_pa a_a = -h_p - M_pp a_p, the smallest a_a is chosen; it exists where M_pa has
    full row rank, Spong's strong inertial coupling, so there must be at least as many motors.

    >>> import sixvec
    >>> from sixvec.theory.lagrange import noncollocated
    >>> moved = noncollocated(sixvec.load("cart_pole"), [0.0, 0.3], [0.0, 0.0], [0.7])
    >>> round(float(moved.a[1]), 12), round(float(moved.tau[1]), 12) + 0.0
    (0.7, 0.0)
    """
    require_unconstrained(robot.model, "noncollocated")
    coordinates = actuated_coordinates(robot)
    active, unmoved = coordinates.active, coordinates.passive
    if not unmoved:
        raise ArgumentError(f"every joint of {robot.name} has a motor; use inverse_dynamics")
    if len(active) < len(unmoved):
        raise DegenerateError(
            f"{robot.name} has {len(active)} motors for {len(unmoved)} freedoms without one; "
            "as many accelerations cannot be prescribed"
        )
    target = _checked("acceleration", acceleration, len(unmoved), "joints without a motor")
    M, still = np.asarray(robot.mass_matrix(q)), np.zeros(robot.nv)
    acting: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    h = np.asarray(robot.inverse_dynamics(q, v, still, **acting))
    rows = M[..., unmoved, :]
    coupling = rows[..., active]
    size = np.linalg.svd(coupling, compute_uv=False)
    if not (size[..., -1] > RANK * np.linalg.norm(rows, axis=(-2, -1))).all():
        raise DegenerateError(
            f"the motors of {robot.name} do not move its passive joints through the inertia at some position"
        )
    needed = -h[..., unmoved] - np.einsum("...ij,...j->...i", rows[..., unmoved], target)
    actuated = (np.linalg.pinv(coupling) @ needed[..., None])[..., 0]
    return collocated(robot, q, v, actuated, **acting)


def _checked(what: str, value: ArrayLike, count: int, which: str) -> Array:
    return real_array(what, value, count, why=f"the {which}")
