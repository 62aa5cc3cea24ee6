"""One step of Newton's iteration for the pose of a platform, damped far from the solution or near singularities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sixvec.ik.position_solver import FOLLOWED, newton_step
from sixvec.parallel.leg import Legs
from sixvec.parallel.space import Space
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3
from sixvec.spatial.linear import dot

DAMPING = 1e-14
"""Larger than the rounding of J Jᵀ, whose rows are about one: the damped matrix is positive definite, also where all
rods are parallel."""

LARGEST = 1e100
"""A step whose square is larger is not taken: the pose stays finite."""

AT_CENTRE = 1e-150
"""A pivot nearer to the centre of its sphere, in metres, has no direction from it."""


def corrected(
    legs: Legs, space: Space, size: float, X: Any, balls: Iterable[tuple[Any, Scalar]]
) -> tuple[Any, Scalar, Scalar]:
    """The next pose for spheres (centre, radius) of the pivots; at X the squared error, and the largest of a leg.

    δX = Gᵀ⁻¹ (q - q(X)), Bruyninckx (8.17), with the columns of G as lines of the rods; lengths of the squared error
    are in sizes of the platform.
    """
    rows, errors, largest = [], [], 0.0
    for leg, (c, r) in zip(legs, balls, strict=True):
        d = space.pivot(X, leg.platform) - Vec3.of(c)
        length = d.norm()
        miss = r - length
        apart = length > AT_CENTRE
        inverse = 1.0 / where(apart, length, 1.0)
        # At the centre every direction is equivalent: the first axis, which is in all spaces, is used.
        e = Vec3(where(apart, d.x * inverse, 1.0), d.y * inverse, d.z * inverse)
        force = space.force(X, leg.platform, e, "local_world_aligned")
        rows.append([x * (1.0 / size) if k < space.turns else x for k, x in enumerate(force)])
        errors.append(miss * (1.0 / size))
        largest = where(largest < abs(miss), abs(miss), largest)
    cost = dot(errors, errors)
    u = newton_step(errors, rows, [1.0] * space.freedoms, cost * FOLLOWED + DAMPING, None)
    finite = dot(u, u) < LARGEST
    u = [where(finite, x, 0.0) for x in u]
    # Steps are lengths in units of the platform, and angles.
    return space.moved(X, [x if k < space.turns else x * size for k, x in enumerate(u)]), cost, largest
