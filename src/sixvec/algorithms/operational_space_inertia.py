"""The effective inertia at a frame."""

from __future__ import annotations

import math
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.factorization import Matrix, inverse
from sixvec.algorithms.parts.mobility import mobility_blocks
from sixvec.algorithms.parts.reference import Reference
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.model import Model
from sixvec.scalar import Scalar, where

STIFFEST = 1e10
"""How many times harder holding the other directions may make it to move a frame in one, Λ_ii Ω_ii: above, the frame
is singular.  Rounding leaves 1e12 to 1e16 of what should be infinite; just below, Λ has five digits, at worst two."""


def damped_inverse(model: Model, frame: str, Omega: list[list[Any]], damping: float) -> list[list[Any]]:
    """(Ω + damping 1)⁻¹ of a frame; without damping nan where Ω is singular."""
    if not damping >= 0.0:
        raise ArgumentError(f"damping is {damping}; it is added to inverse inertias, so it must be 0 or positive")
    damped = [[x + damping if i == j else x for j, x in enumerate(row)] for i, row in enumerate(Omega)]
    try:
        Lambda = inverse(damped)
        if damping > 0.0:
            return Lambda
        regular = _is_regular(Omega, Lambda)
        return [[where(regular, x, math.nan) for x in row] for row in Lambda]
    except ZeroDivisionError:  # a pivot that is zero at every posture
        raise DegenerateError(
            f'{model.name}: the frame "{frame}" has no operational-space inertia, since its joints cannot move it in '
            "all six task directions; give damping=, or pick directions with "
            "sixvec.analysis.task_space_dynamics(directions=…)"
        ) from None


def _is_regular(Omega: Matrix, Lambda: Matrix) -> Scalar:
    """Whether Σ Λ_ii Ω_ii, independent of units, is below `STIFFEST`.

    The pivots of the factorization cannot show this: the rounding error of a small pivot hides that the next is zero.
    """
    total = sum(x[i] * y[i] for i, (x, y) in enumerate(zip(Omega, Lambda, strict=True)))
    return total * total < STIFFEST * STIFFEST  # it may be negative, by rounding


@kernel("q -> Lambda[6,6]", loops="enforced", mimic="handled")
def operational_space_inertia(
    model: Model,
    q: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
    damping: float = 0.0,
) -> Any:
    """Λ(q) = (J M⁻¹ Jᵀ + damping 1)⁻¹: the wrench per unit acceleration of a frame  (Khatib 1987; Lynch-Park §9.6).

    Without damping it is the operational-space inertia itself, which does not exist where J loses rank (always when
    the robot has fewer than six freedoms): every entry is nan at such a position, and if it exists at no position, as
    for a planar arm, `DegenerateError` is raised.  float32 has too few digits to detect singularities, so near them
    compute in float64.  A small `damping`, in 1/kg and 1/(kg m²), bounds Λ by 1/damping and makes it exist for every
    robot; `sixvec.analysis.task_space_dynamics` instead omits lost directions and reports the rank.  With loops M⁻¹ is
    that of the mechanism: see `wrench_response`.  Lynch-Park (9.98).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> Omega = robot.operational_space_inertia_inverse(q, "panda_link8")
    >>> numpy.allclose(robot.operational_space_inertia(q, "panda_link8") @ Omega, numpy.eye(6))
    True
    >>> stretched = numpy.zeros(7)
    >>> bool(numpy.isnan(robot.operational_space_inertia(stretched, "panda_link8")).all())
    True
    """
    return damped_inverse(model, frame, mobility_blocks(model, q, [frame], reference), damping)
