"""Robots whose mass matrix has no inverse, found before they produce infinities."""

from __future__ import annotations

import sys
from functools import lru_cache

from sixvec.errors import ModelError
from sixvec.model import WORLD, Model
from sixvec.scalar import certainly

SMALLEST = sys.float_info.min
"""The least inertia that is not zero; comparing with it, unlike with 0 by <=, works on symbols as well."""


@lru_cache(maxsize=64)
def require_mass(model: Model) -> None:
    """Raise if a joint moves nothing that has inertia against it."""
    total = {b.name: b.inertia for b in model.bodies}
    for b in reversed(model.bodies):
        for S, rotor in zip(b.joint.subspace(b.joint.neutral()), b.armature, strict=True):
            against = S.dot(total[b.name] @ S) + rotor
            if certainly(against < SMALLEST) and not b.mimic:
                raise ModelError(
                    f'{model.name}: the joint of body "{b.name}" moves no mass, so the mass matrix is singular; '
                    "give the body an inertia, or make the joint fixed"
                )
        if b.parent is not WORLD:
            X_PB = b.placement @ b.joint.pose(b.joint.neutral())
            total[b.parent] = total[b.parent] + X_PB @ total[b.name]
