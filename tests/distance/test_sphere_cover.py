"""Covers contain the old shapes and exceed them by no more than they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shaped_robots import arm, solids, with_shapes

import sixvec as sv
from sixvec.distance.gaps import Solids
from sixvec.distance.shapes import CollisionShape, described
from sixvec.distance.sphere_cover import Cover, cover
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body import Box
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3

KINDS = ("capsule", "box", "cylinder", "cone", "ellipsoid", "convex hull")
POINTS = 100_000


def shape_of(kind: str) -> CollisionShape:
    kind, sizes, vertices, _ = described(solids(kind, np.random.default_rng(3)), kind)
    return CollisionShape(kind, "", kind, sizes, Pose.identity(), vertices)


def rows(n: int, p: np.ndarray | None = None) -> np.ndarray:
    X = np.zeros((n, 12))
    X[:, [0, 4, 8]] = 1.0
    if p is not None:
        X[:, 9:] = p
    return X


def distance_to(shape: CollisionShape, p: np.ndarray) -> np.ndarray:
    both = Solids((CollisionShape("point", "", "sphere", (0.0,)), shape))
    n = len(p)
    found = both.gaps(np.zeros(n, int), np.ones(n, int), rows(n, p), rows(n), depths=False)
    return np.maximum(found.gap, 0.0)


def points_of(shape: CollisionShape, rng: np.random.Generator) -> np.ndarray:
    """Points of the surface and of the inside: farthest points in random directions, and mixtures of two of them."""
    d = rng.normal(size=(POINTS // 2, 3))
    indices = np.zeros(len(d), int)
    surface = Solids((shape,))._farthest(indices, d) + shape.radius * d / np.linalg.norm(d, axis=1, keepdims=True)
    t = rng.uniform(size=(len(d), 1))
    return np.concatenate([surface, t * surface + (1.0 - t) * rng.permutation(surface)])


def contains(found: Cover, p: np.ndarray) -> np.ndarray:
    inside = np.zeros(len(p), bool)
    for (a, b), r in zip(found.ends, found.radii, strict=True):
        u = b - a
        t = np.clip((p - a) @ u / max(u @ u, 1e-300), 0.0, 1.0)
        inside |= np.linalg.norm(p - a - t[:, None] * u, axis=1) <= r * (1.0 + 1e-9)
    return inside


@pytest.mark.covers("DIST-04")
@pytest.mark.parametrize("capsules", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_point_lies_outside_and_nothing_exceeds_the_error(kind: str, capsules: bool) -> None:
    shape, rng, error = shape_of(kind), np.random.default_rng(0), 0.03
    found = cover(shape, capsules, error)
    assert contains(found, points_of(shape, rng)).all()
    d = rng.normal(size=(len(found.radii), 40, 3))
    d /= np.linalg.norm(d, axis=-1, keepdims=True)
    for end in (0, 1):
        reached = (found.ends[:, None, end] + d * found.radii[:, None, None]).reshape(-1, 3)
        assert distance_to(shape, reached).max() <= error * (1.0 + 1e-6)
    assert len(found.radii) < 100


@pytest.mark.covers("DIST-04")
def test_a_robot_of_spheres_is_at_least_as_near() -> None:
    robot = with_shapes(arm(3), ("box", "cylinder"), each=1)
    covered = robot.with_shapes("spheres", error=0.03)
    assert {s.kind for s in covered.collision_shapes} == {"sphere"}
    pairs = [("link0", "link3"), ("link1", "link3"), ("link0", "link2")]
    q = robot.random(0, 30)
    old, new = (r.with_collision_pairs(also=pairs).distances(q).distance for r in (robot, covered))
    apart = old > 0.0
    assert apart.any() and (new <= old + 1e-9)[apart].all() and (new >= old - 0.06 - 1e-9)[apart].all()


def test_what_is_asked_must_be_possible() -> None:
    panda = sv.load("panda")
    robot = sv.Robot(replace(panda.model, geoms=(Geom("panda_link8", Box(Vec3(1.0, 1.0, 1.0))),)))
    with pytest.raises(ArgumentError, match="error"):
        robot.with_shapes("spheres", error=0.0)
    with pytest.raises(ArgumentError, match=r"panda_link8.*larger"):
        robot.with_shapes("spheres", error=1e-4)
    with pytest.raises(ArgumentError, match="spheres"):
        robot.with_shapes("cubes")  # type: ignore[arg-type]
