"""The difference of the shapes of two models, in any order."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.model import Geom, Mesh, Polyhedron
from sixvec.spatial import Vec3

Array = NDArray[np.float64]
Kind = tuple[Any, ...]


def geom_difference(first: tuple[Geom, ...], X: Array, second: tuple[Geom, ...], Y: Array) -> float:
    """The largest difference of a size or, at some state, of a pose; infinite unless each shape has a counterpart.

    X and Y are the poses (..., n, 4, 4) of the geoms at the same states.
    """
    if len(first) != len(second):
        return math.inf
    left = [*range(len(second))]
    worst = 0.0
    for i, g in enumerate(first):
        near = [(_gap(g, second[k], X[..., i, :, :], Y[..., k, :, :]), k) for k in left if _kind(second[k]) == _kind(g)]
        if not near:
            return math.inf
        gap, k = min(near)
        left.remove(k)
        worst = max(worst, gap)
    return worst


def _kind(g: Geom) -> Kind:
    """The parts that must be equal: the form, its purpose, and the file name of a mesh."""
    file = PurePosixPath(g.shape.uri).name if isinstance(g.shape, Mesh) else ""
    return type(g.shape), g.visual, g.collision, file


def _gap(g: Geom, other: Geom, X: Array, Y: Array) -> float:
    sizes = [abs(a - b) / (1.0 + abs(a)) for a, b in zip(_sizes(g), _sizes(other), strict=True)]
    poses = float(np.max(np.abs(X - Y), initial=0.0)) / (1.0 + float(np.max(np.abs(X), initial=0.0)))
    return max([poses, *sizes])


def _sizes(g: Geom) -> list[float]:
    if isinstance(g.shape, Polyhedron):
        return [float(len(g.shape.vertices)), float(len(g.shape.triangles))]
    values = (getattr(g.shape, f.name) for f in fields(g.shape) if f.name not in ("uri", "part", "folders"))
    return [float(x) for value in values for x in (value if isinstance(value, tuple | Vec3) else (value,))]
