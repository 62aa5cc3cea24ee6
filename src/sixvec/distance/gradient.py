"""The gradient of a gap from its nearest points:  n · (J_b(p_b) - J_a(p_a))."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sixvec.algorithms.parts.places import Places
from sixvec.scalar import Scalar
from sixvec.spatial import Vec3


def gap_gradient(places: Places, moved: Mapping[str | None, Scalar], point: Vec3, n: Vec3) -> list[Any]:
    """How joint velocities change the gap of two bodies along n, a unit vector from the first to the second.

    `moved` is 1 for the second body, -1 for the first and 0 for others.  The nearest points are on one line along n,
    so a force along n has the same moment about the world's origin at both, and one of them suffices.
    """
    model, moment = places.model, point.cross(n)
    share: dict[str, Scalar] = {}
    for b in reversed(model.bodies):  # children before parents
        carried = [share[c.name] for c in model.children(b.name) if c.name in share]
        if b.name in moved:
            carried.append(moved[b.name])
        if carried:
            share[b.name] = sum(carried[1:], carried[0])
    row: list[Any] = [0.0] * model.nv
    for b in model.moving:
        if b.name in share:
            for i, S in zip(range(model.nv)[model.v_slices[b.name]], places.axes(b.name), strict=True):
                row[i] = (n.dot(S.lin) + moment.dot(S.ang)) * share[b.name]
    return places.reduced(row)
