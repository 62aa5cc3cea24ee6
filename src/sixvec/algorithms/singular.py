"""Robots whose mass matrix has no inverse, found before they produce infinities."""

from __future__ import annotations

from functools import lru_cache

from sixvec.errors import ModelError
from sixvec.model import WORLD, Model


@lru_cache(maxsize=64)
def require_mass(model: Model) -> None:
    """Raise if a joint moves nothing that has inertia against it."""
    total = {b.name: b.inertia for b in model.bodies}
    for b in reversed(model.bodies):
        for S, rotor in zip(b.joint.subspace(b.joint.neutral()), b.armature, strict=True):
            if S.dot(total[b.name] @ S) + rotor <= 0.0 and not b.mimic:
                raise ModelError(
                    f'{model.name}: the joint of body "{b.name}" moves no mass, so the mass matrix is singular; '
                    "give the body an inertia, or make the joint fixed"
                )
        if b.parent is not WORLD:
            X_PB = b.placement @ b.joint.pose(b.joint.neutral())
            total[b.parent] = total[b.parent] + X_PB @ total[b.name]
