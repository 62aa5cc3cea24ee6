"""Depths of round shapes with nearly the same axis, and normals of round shapes apart, against all directions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from sixvec.distance.gaps import Solids
from sixvec.distance.shapes import CollisionShape
from sixvec.spatial import Pose

COUNT = 24
SIDES = np.linspace(0.0, 2.0 * np.pi, 29, endpoint=False)
KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "convex hull")
ROUND = product(KINDS[3:], KINDS)
NEARLY_COAXIAL = [(a, b) for a, b in ROUND if KINDS.index(a) >= KINDS.index(b) and (a, b) != ("cylinder", "sphere")]


def random_shape(kind: str, rng: np.random.Generator) -> CollisionShape:
    x = 10.0 ** rng.uniform(-1.5, 0.0, 3)
    if kind == "ellipsoid":
        x[1] = x[0] * (1.0 + rng.choice([0.0, 1e-9, 1e-4]))
    sizes = x[: {"sphere": 1, "box": 3, "ellipsoid": 3, "convex hull": 0}.get(kind, 2)]
    around = [[x[0] * np.cos(a), x[0] * np.sin(a), z] for a in SIDES for z in (-x[2], x[2])]
    vertices = np.array(around) if kind == "convex hull" else None
    return CollisionShape(kind, "", kind, tuple(sizes.tolist()), Pose.identity(), vertices)


def support(s: CollisionShape, d: np.ndarray) -> np.ndarray:
    """How far a shape reaches in unit directions (n, 3)."""
    across, z, sizes = np.hypot(d[:, 0], d[:, 1]), d[:, 2], np.array(s.sizes)
    match s.kind:
        case "sphere":
            return sizes[0] + 0.0 * z
        case "capsule":
            return sizes[0] + sizes[1] * np.abs(z)
        case "cylinder":
            return sizes[0] * across + sizes[1] * np.abs(z)
        case "cone":
            return np.maximum(sizes[1] * z, sizes[0] * across)
        case "box":
            return np.abs(d) @ sizes
        case "ellipsoid":
            return np.linalg.norm(d * sizes, axis=1)
    assert s.vertices is not None
    return (d @ s.vertices.T).max(axis=1)


def least_depth(a: CollisionShape, b: CollisionShape, R: np.ndarray, t: np.ndarray) -> float:
    """The least depth along all directions: of a grid, and of the edges of both support functions, refined."""

    def along(n: np.ndarray) -> np.ndarray:
        return support(a, n) + support(b, -n @ R) - n @ t

    least = along(np.concatenate([np.eye(3), -np.eye(3), R.T, -R.T])).min()
    for s, axes, side in ((a, np.eye(3), 1.0), (b, R, -1.0)):
        z = side * s.sizes[0] / np.hypot(*s.sizes) if s.kind == "cone" else 0.0
        if s.kind in ("capsule", "cylinder", "cone"):
            least = min(least, refined(lambda x, z=z, axes=axes: along(circle(x[:, 0], z) @ axes.T), 1, 720))
    return min(least, refined(lambda x: along(circle(x[:, 0], np.sin(x[:, 1]))), 2, 96))


def circle(angle: np.ndarray, sine: Any) -> np.ndarray:
    across = np.sqrt(1.0 - sine * sine)
    return np.stack([across * np.cos(angle), across * np.sin(angle), sine + 0.0 * angle], axis=1)


def refined(f: Any, dimensions: int, count: int) -> float:
    """The least value of a function of one or two angles, by grids around the best points of the grid before."""
    line = np.linspace(-np.pi, np.pi, count, endpoint=False)
    x = np.stack(np.meshgrid(*[line / (k + 1) for k in range(dimensions)]), -1).reshape(-1, dimensions)
    values, width = f(x), 2.0 * np.pi / count
    near = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 7)] * dimensions), -1).reshape(-1, dimensions)
    starts = x[np.argsort(values)[: 40 if dimensions == 1 else 4]]
    for _ in range(20):
        tried = starts[:, None] + width * near
        values = f(tried.reshape(-1, dimensions)).reshape(tried.shape[:2])
        starts, width = tried[np.arange(len(starts)), values.argmin(axis=1)], width / 2.0
    return float(values.min())


@pytest.mark.parametrize("kinds", NEARLY_COAXIAL, ids="-".join)
def test_no_direction_leads_out_of_nearly_coaxial_shapes_sooner(kinds: tuple[str, str]) -> None:
    """Tilted and moved by rounding errors or more; the depth is that along its normal, and the least one."""
    rng = np.random.default_rng(21)
    shapes = [random_shape(kind, rng) for _ in range(COUNT) for kind in kinds]
    X, Y = np.zeros((COUNT, 12)), np.zeros((COUNT, 12))
    tilts = 10.0 ** rng.uniform(-13.0, -1.0, (COUNT, 1)) * rng.normal(size=(COUNT, 3))
    turns = Rotation.from_rotvec(tilts) * Rotation.from_rotvec(rng.choice([0.0, np.pi], (COUNT, 1)) * [1.0, 0.0, 0.0])
    X[:, :9], Y[:, :9] = np.eye(3).ravel(), turns.as_matrix().reshape(COUNT, 9)
    Y[:, 9:11] = 10.0 ** rng.uniform(-13.0, -2.0, (COUNT, 1)) * rng.normal(size=(COUNT, 2))
    Y[:, 11] = rng.uniform(-0.1, 0.1, COUNT)
    solids, first = Solids(tuple(shapes)), np.arange(0, 2 * COUNT, 2)
    found = solids.gaps(first, first + 1, X, Y)
    inside = np.flatnonzero(found.gap < 0.0)
    assert len(inside) > COUNT // 2
    for k in inside:
        a, b, size = shapes[2 * k], shapes[2 * k + 1], min(shapes[2 * k].size, shapes[2 * k + 1].size)
        R, n = Y[k, :9].reshape(3, 3), found.normal[k : k + 1]
        depth = support(a, n) + support(b, -n @ R) - n @ Y[k, 9:]
        assert abs(depth[0] + found.gap[k]) < 1e-7 * size
        assert -found.gap[k] < least_depth(a, b, R, Y[k, 9:]) + 1e-7 * size


def test_normals_of_points_and_ellipsoids() -> None:
    """The normal of the point of an ellipsoid that is nearest to a ball, by the multiplier of its equation."""
    rng = np.random.default_rng(22)
    n = 400
    axes = 10.0 ** rng.uniform(-1.0, 0.0, (n, 3))
    axes[: n // 2, 1] = axes[: n // 2, 0]
    out = rng.normal(size=(n, 3)) / axes
    out /= np.linalg.norm(out, axis=1)[:, None]
    surface = axes * axes * out / np.linalg.norm(axes * out, axis=1)[:, None]
    points = surface + out * 10.0 ** rng.uniform(-2.0, 1.0, (n, 1))
    here = np.tile([*np.eye(3).ravel(), 0.0, 0.0, 0.0], (n, 1))
    there = np.concatenate([here[:, :9], points], axis=1)
    shapes = [CollisionShape("", "", "ellipsoid", tuple(x)) for x in axes.tolist()]
    ball = CollisionShape("", "", "sphere", (0.001,))
    found = Solids((*shapes, ball)).gaps(np.arange(n), np.full(n, n), here, there)
    for k in range(n):
        a, p = axes[k], points[k]

        def excess(t: float, a: np.ndarray = a, p: np.ndarray = p) -> float:
            return float(((a * p / (t + a * a)) ** 2).sum()) - 1.0

        t = brentq(excess, 0.0, 10.0 * np.linalg.norm(p), xtol=1e-15)
        nearest = a * a * p / (t + a * a)
        away = (p - nearest) / np.linalg.norm(p - nearest)
        assert np.linalg.norm(found.normal[k] - away) < 1e-6


@pytest.mark.parametrize(
    "kinds", [("cylinder", "box"), ("cylinder", "cylinder"), ("cone", "box"), ("ellipsoid", "box")], ids="-".join
)
def test_distances_along_normals_are_distances(kinds: tuple[str, str]) -> None:
    """An error of a normal shortens the distance along it by the square of the error."""
    rng = np.random.default_rng(23)
    n = 600
    shapes = [random_shape(kind, rng) for _ in range(n) for kind in kinds]
    X, Y = (np.concatenate([Rotation.random(n, rng).as_matrix().reshape(n, 9), np.zeros((n, 3))], 1) for _ in "XY")
    Y[:, 9:] = rng.normal(size=(n, 3))
    first = np.arange(0, 2 * n, 2)
    found = Solids(tuple(shapes)).gaps(first, first + 1, X, Y)
    short = []
    for k in np.flatnonzero(found.gap > 0.01):
        A, B, normal = X[k, :9].reshape(3, 3), Y[k, :9].reshape(3, 3), found.normal[k : k + 1]
        along = normal @ Y[k, 9:] - support(shapes[2 * k], normal @ A) - support(shapes[2 * k + 1], -normal @ B)
        short.append(found.gap[k] - along[0])
    assert np.quantile(short, 0.99) < 1e-10
    assert np.max(short) < 1e-7
