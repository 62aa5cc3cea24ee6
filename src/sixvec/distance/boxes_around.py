"""Boxes around shapes, which bound gaps from below: tighter than balls, and many times cheaper than the search.

Along any unit vector n, the interval between the projections of two shapes is at most their gap, also where they
overlap (then both are negative).  So the largest interval between two boxes, along their edges and along the line
between their middles, is a lower bound of the gap of what they contain (Gottschalk, Lin and Manocha 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.shapes import CollisionShape
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tolerances import ROUNDING

TURNS = 60
"""Orientations that are tried for a box around a hull, near the best one so far."""

MOST_TURNED = 400
"""Vertices by which orientations are compared."""

DESCRIBED = 16
"""Numbers of a box: the rotation of its axes (9), its middle (3), half edges (3), and the radius around it."""


def box_around(shape: CollisionShape) -> Array:
    """The box around the core of a shape, in its frame, as numbers; that of a half space is infinite."""
    axes, middle, half = np.eye(3), np.zeros(3), np.zeros(3)
    match shape.kind, shape.sizes:
        case "box" | "ellipsoid", sizes:
            half = np.array(sizes)
        case "capsule", (_, h):
            half = np.array([0.0, 0.0, h])
        case "cylinder", (r, h):
            half = np.array([r, r, h])
        case "cone", (r, height):
            half, middle = np.array([r, r, 0.5 * height]), np.array([0.0, 0.0, 0.5 * height])
        case "half space", _:
            half = np.full(3, np.inf)
    if shape.vertices is not None:
        axes = _axes(shape.vertices)
        placed = shape.vertices @ axes
        low, high = placed.min(axis=0), placed.max(axis=0)
        middle, half = axes @ (0.5 * (low + high)), 0.5 * (high - low)
    size = np.abs(middle).max() + half.max()
    return np.concatenate([axes.ravel(), middle, half + ROUNDING * size, [shape.radius]])


def _axes(vertices: Array) -> Array:
    """Axes (in columns) of a small box around points: the best of the given ones, the principal ones, and turns."""
    step = -(-len(vertices) // MOST_TURNED)
    some = vertices[::step]
    rng, angle = np.random.default_rng(0), 0.3
    best, least = np.eye(3), np.inf
    for k in range(TURNS):
        if k < 2:
            turned = best if k == 0 else np.linalg.eigh(np.cov(some.T))[1]
        else:
            turned = best @ np.linalg.qr(np.eye(3) + angle * rng.normal(size=(3, 3)))[0]
        volume = float(np.prod(np.ptp(some @ turned, axis=0)))
        if volume < least:
            best, least = turned, volume
        elif k >= 2:
            angle *= 0.95
    result: Array = best
    return result


@lru_cache(maxsize=1)
def gap_of_boxes() -> CompiledFunction:
    """Poses of two shapes and their boxes -> a lower bound of the gap of what the boxes contain."""

    def least_gap(X: Any, Y: Any, box: Any, box2: Any) -> Scalar:
        (A, a), (B, b) = _placed(X, box), _placed(Y, box2)
        d = [y - x for x, y in zip(a, b, strict=True)]
        half, half2, radii = box[12:15], box2[12:15], box[15] + box2[15]
        size = [[abs(_dot(u, w)) for w in B] for u in A]
        gaps = [abs(_dot(u, d)) - half[i] - _dot(size[i], half2) for i, u in enumerate(A)]
        gaps += [abs(_dot(w, d)) - half2[j] - _dot([row[j] for row in size], half) for j, w in enumerate(B)]
        square = _dot(d, d)
        apart = square > 0.0
        length = sqrt(where(apart, square, 1.0))
        reach = sum((abs(_dot(u, d)) * h for u, h in zip((*A, *B), (*half, *half2), strict=True)), 0.0)
        gaps.append(where(apart, length - reach / length, gaps[0]))
        best = gaps[0]
        for gap in gaps[1:]:
            best = where(gap > best, gap, best)
        return best - radii - ROUNDING * (length + sum((*half, *half2), radii))

    inputs = (Port("X", (12,)), Port("Y", (12,)), Port("box", (DESCRIBED,)), Port("box2", (DESCRIBED,)))
    return CompiledFunction(least_gap, inputs, (Port("gap", ()),), "gap of boxes 1")


def _placed(X: Sequence[Scalar], box: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """The axes of a box, each as a vector, and its middle, in the world."""
    rows = [X[3 * i : 3 * i + 3] for i in range(3)]
    axes = [[_dot(row, [box[3 * i + k] for i in range(3)]) for row in rows] for k in range(3)]
    return axes, [_dot(row, box[9:12]) + x for row, x in zip(rows, X[9:], strict=True)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)
