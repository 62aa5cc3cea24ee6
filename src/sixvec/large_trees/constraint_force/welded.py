"""Bodies that cannot be free because they have no inertia, merged with the bodies they are welded to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from sixvec.errors import ModelError
from sixvec.model import WORLD, Body
from sixvec.spatial import Pose, RigidInertia

SINGULAR = 1e-13
"""An inertia whose smallest eigenvalue, scaled to a unit diagonal, is below this cannot be inverted."""


Stands: TypeAlias = dict[str | None, tuple[str | None, Pose]]
"""For every body, and the world: the body or world it is merged with, and the pose of its frame there."""


def welded(bodies: Sequence[Body]) -> tuple[list[Body], Stands]:
    """The tree in which a body on a fixed joint is merged with its parent if that is the world or either is singular.

    >>> moving, carriers = welded([Body("base"), Body("tool", "base")])
    >>> [b.name for b in moving], carriers["tool"][0]
    ([], None)
    """
    moving: dict[str, Body] = {}
    stands: Stands = {WORLD: (WORLD, Pose.identity())}
    for b in bodies:
        carrier, X = stands[b.parent]
        X = X @ b.placement
        on = None if carrier is WORLD else moving[carrier]
        if not b.joint.nv and (on is None or is_singular(on.inertia) or is_singular(b.inertia)):
            stands[b.name] = (carrier, X)
            if on is not None:
                moving[on.name] = replace(on, inertia=on.inertia + X @ b.inertia)
            continue
        stands[b.name] = (b.name, Pose.identity())
        moving[b.name] = replace(b, parent=carrier, placement=X)
    return list(moving.values()), stands


def is_singular(inertia: RigidInertia) -> bool:
    """Whether a body has no inertia against some motion: no mass, a point, a thin rod."""
    I: Any = np.array(inertia.as_matrix(), float)
    size = np.sqrt(np.where(np.diag(I) > 0.0, np.diag(I), 1.0))
    return bool(np.linalg.eigvalsh(I / np.outer(size, size)).min() < SINGULAR)


def require_inertia(b: Body) -> None:
    """The algorithm starts from free bodies, so each body of the main chain needs inertia against every motion."""
    if is_singular(b.inertia):
        raise ModelError(
            f'body "{b.name}" has an inertia that is not positive definite (mass {b.inertia.mass}), and the constraint '
            "force algorithm needs its inverse; give the body mass and extent in every direction, or use "
            "robot.forward_dynamics"
        )
