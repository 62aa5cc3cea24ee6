"""The wrenches of single joints in a leg: from the leg's Jacobian in general, and in closed form for the actuator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.leg import PUS, RUS, UPS, Leg
from sixvec.tolerances import ROUNDING


@any_arrays_same_dtype
def leg_jacobian(
    leg: Leg, q: float, pivot: ArrayLike, universal: ArrayLike | None = None, ball: ArrayLike | None = None
) -> Array:
    """J (6, 6): the platform's twist (ω; v) at the base's origin for unit speed of each of the leg's joints, in order.

    `universal` (2, 3) are the axes of the universal joint and `ball` (3, 3) those of the ball joint, at the current
    pose; by default axes perpendicular to the rod, and x, y, z.

    >>> import numpy as np
    >>> from sixvec.parallel import UPS, leg_jacobian
    >>> from sixvec.spatial import Vec3
    >>> J = leg_jacobian(UPS(base=Vec3(0.0, 0.0, -0.7), platform=Vec3.zero()), 0.7, [0.0, 0.0, 0.0], np.eye(3)[:2])
    >>> round(float(np.linalg.det(J)), 9)
    -0.49
    """
    S = np.asarray(pivot, float)
    centre = np.array([*leg.sphere(q)[0]])
    e = (S - centre) / np.linalg.norm(S - centre)
    u = _normal_axes(e) if universal is None else _axes("universal", universal, 2)
    s = np.eye(3) if ball is None else _axes("ball", ball, 3)
    turns = [_turn(x, centre) for x in u], [_turn(x, S) for x in s]
    if isinstance(leg, UPS):
        joints = [*turns[0], np.concatenate([np.zeros(3), e]), *turns[1]]
    elif isinstance(leg, PUS):
        joints = [np.concatenate([np.zeros(3), [*leg.axis]]), *turns[0], *turns[1]]
    elif isinstance(leg, RUS):
        joints = [_turn(np.array([*leg.axis]), np.array([*leg.base])), *turns[0], *turns[1]]
    else:
        raise DegenerateError(f"no joints are known of a {type(leg).__name__}; legs are UPS, RUS and PUS")
    return np.stack(joints, axis=-1)


def actuated_joint(leg: Leg) -> int:
    """Which of the six joints, in the order of `leg_jacobian`, has the motor."""
    return 2 if isinstance(leg, UPS) else 0


@any_arrays_same_dtype
def partial_wrenches(J: ArrayLike) -> Array:
    """G (6, 6) with Jᵀ G = 1: column i loads only joint i, with unit force (Bruyninckx §7.15, (7.44)).

    Singular legs, whose joints cannot move the platform in all directions, raise an error.

    >>> import numpy
    >>> from sixvec.parallel import partial_wrenches
    >>> J = numpy.diag([1.0, 2.0, 4.0, 1.0, 1.0, 1.0])
    >>> partial_wrenches(J).diagonal().tolist()
    [1.0, 0.5, 0.25, 1.0, 1.0, 1.0]
    """
    J = real_array("J", J, 6, 6, why="partial wrenches belong to legs with six joints")
    values = np.linalg.svd(J, compute_uv=False)
    if (values[..., -1] < ROUNDING * values[..., 0]).any():
        raise DegenerateError("the leg is singular: its joints do not move the platform in six ways; "
                              "leg_factors says which of them depend on each other")  # fmt: skip
    return np.swapaxes(np.linalg.inv(J), -1, -2)


@any_arrays_same_dtype
def leg_factors(
    leg: Leg, q: float, pivot: ArrayLike, universal: ArrayLike | None = None, ball: ArrayLike | None = None
) -> dict[str, float]:
    """The factors of det J = -product: the leg is singular if one vanishes.

    "actuator" concerns the motor and the rod, "universal" and "ball" the axes of those joints.

    >>> import numpy as np
    >>> from sixvec.parallel import UPS, leg_factors
    >>> from sixvec.spatial import Vec3
    >>> leg = UPS(base=Vec3(0.0, 0.0, -0.7), platform=Vec3.zero())
    >>> leg_factors(leg, 0.7, [0.0, 0.0, 0.0], np.eye(3)[:2])
    {'actuator': 0.49, 'universal': 1.0, 'ball': 1.0}
    """
    S = np.asarray(pivot, float)
    centre = np.array([*leg.sphere(q)[0]])
    c = centre - S
    e = -c / np.linalg.norm(c)
    u = _normal_axes(e) if universal is None else _axes("universal", universal, 2)
    s = np.eye(3) if ball is None else _axes("ball", ball, 3)
    if isinstance(leg, UPS):
        actuator, bent = c @ c, np.cross(u[0], u[1]) @ e
    elif isinstance(leg, PUS):
        actuator, bent = np.array([*leg.axis]) @ c, np.cross(u[0], u[1]) @ c
    elif isinstance(leg, RUS):
        actuator = np.array([*leg.axis]) @ np.cross(c, np.array([*leg.base]) - S)
        bent = np.cross(u[0], u[1]) @ c
    else:
        raise DegenerateError(f"no joints are known of a {type(leg).__name__}; legs are UPS, RUS and PUS")
    values = {"actuator": actuator, "universal": bent, "ball": np.linalg.det(s)}
    return {name: round(float(x), 15) for name, x in values.items()}


def _turn(axis: Array, point: Array) -> Array:
    return np.concatenate([axis, np.cross(point, axis)])


def _normal_axes(e: Array) -> Array:
    """Two axes perpendicular to e and to each other."""
    x = np.cross(e, np.eye(3)[np.abs(e).argmin()])
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(e, x)])


def _axes(name: str, directions: Any, n: int) -> Array:
    axes = real_array(name, directions, n, 3, batch=False)
    return np.asarray(axes / np.linalg.norm(axes, axis=-1, keepdims=True))
