"""Checks of inertias given by the caller; errors name the fault."""

from __future__ import annotations

import math

from sixvec.errors import ArgumentError
from sixvec.spatial import RigidInertia


def require_finite_inertia(inertia: RigidInertia, whose: str) -> None:
    """Raise for an inertia with a number that is infinite or NaN; symbols pass."""
    parts = {"mass": (inertia.mass,), "first moment": (*inertia.moment,), "rotational inertia": (*inertia.rot,)}
    for name, numbers in parts.items():
        if not all(math.isfinite(x) for x in numbers if isinstance(x, int | float)):
            shown = ", ".join(f"{x:g}" if isinstance(x, int | float) else str(x) for x in numbers)
            raise ArgumentError(f"{whose}: its {name} is {shown}; give finite numbers")


def require_nonnegative_mass(inertia: RigidInertia, whose: str) -> None:
    """Raise for a mass below zero; symbols pass."""
    if isinstance(inertia.mass, int | float) and inertia.mass < 0.0:
        raise ArgumentError(f"{whose}: its mass is {inertia.mass:g}; give 0 or more")
