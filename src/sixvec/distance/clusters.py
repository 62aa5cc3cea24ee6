"""Groups of neighbouring spheres and capsules of one body, each with a ball around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sixvec.arguments import Array
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.distance.round_kernels import RoundShape

MOST = 6
"""Shapes in a group: for 59 spheres of a Panda, smaller groups need more tests and larger ones skip less."""

ROUNDS = 500


@dataclass(frozen=True, slots=True)
class Cluster:
    """Indices of shapes, the body that carries them, and a ball around them in its coordinates."""

    members: tuple[int, ...]
    body: str | None
    centre: Vec3
    radius: float


def clusters(shapes: Sequence[RoundShape], most: int = MOST) -> list[Cluster]:
    """Groups of at most `most` shapes of one body."""
    bodies: dict[str | None, list[int]] = {}
    for i, shape in enumerate(shapes):
        bodies.setdefault(shape.body, []).append(i)
    return [_cluster(shapes, part) for members in bodies.values() for part in _split(shapes, members, most)]


def _middle(shape: RoundShape) -> Array:
    first = np.array([*shape.first], float)
    return first if shape.second is None else 0.5 * (first + np.array([*shape.second], float))


def _split(shapes: Sequence[RoundShape], members: list[int], most: int) -> list[list[int]]:
    """Halves across the longest side, until each is small enough."""
    if len(members) <= most:
        return [members]
    middles = np.array([_middle(shapes[i]) for i in members])
    order = np.argsort(middles[:, np.ptp(middles, axis=0).argmax()], kind="stable")
    ranked, half = [members[k] for k in order], len(members) // 2
    return [*_split(shapes, ranked[:half], most), *_split(shapes, ranked[half:], most)]


def _cluster(shapes: Sequence[RoundShape], members: list[int]) -> Cluster:
    centre, radius = ball_around([shapes[i] for i in members])
    return Cluster(tuple(members), shapes[members[0]].body, Vec3(*centre.tolist()), radius)


def ball_around(shapes: Sequence[RoundShape]) -> tuple[Array, float]:
    """Centre and radius of a ball around spheres and capsules, nearly the smallest."""
    ends = [(end, s.radius) for s in shapes for end in (s.first, s.second) if end is not None]
    points, radii = np.array([[*end] for end, _ in ends], float), np.array([r for _, r in ends])
    centre = points.mean(axis=0)
    best, least = centre, float((np.linalg.norm(points - centre, axis=1) + radii).max())
    for k in range(1, ROUNDS):
        reach = np.linalg.norm(points - centre, axis=1) + radii
        far = int(reach.argmax())
        if reach[far] < least:
            best, least = centre, float(reach[far])
        centre = centre + (points[far] - centre) / (k + 1.0)
    return best, least * (1.0 + 1e-12)
