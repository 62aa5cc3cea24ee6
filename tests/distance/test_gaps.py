"""Gaps of pairs of shapes: coal, closed forms, and the cases in which searches fail."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from sixvec.distance.gaps import Gaps, Solids
from sixvec.distance.shapes import CollisionShape
from sixvec.spatial import Pose

coal = pytest.importorskip("coal")

SIZES: dict[str, tuple[float, ...]] = {
    "sphere": (0.3,), "capsule": (0.2, 0.4), "box": (0.3, 0.2, 0.5), "cylinder": (0.3, 0.4), "cone": (0.3, 0.6),
    "ellipsoid": (0.2, 0.3, 0.5), "convex hull": (), "half space": (),
}  # fmt: skip
PAIRS = [p for p in combinations_with_replacement(SIZES, 2) if p != ("half space", "half space")]
CORNERS = np.random.default_rng(3).normal(size=(40, 3)) * 0.3
CORNERS = CORNERS[ConvexHull(CORNERS).vertices]


def shape(kind: str, scale: float = 1.0, sizes: tuple[float, ...] | None = None) -> CollisionShape:
    chosen = tuple(scale * x for x in (SIZES[kind] if sizes is None else sizes))
    return CollisionShape(kind, "", kind, chosen, Pose.identity(), scale * CORNERS if kind == "convex hull" else None)


def poses(n: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([Rotation.random(n, rng).as_matrix().reshape(n, 9), rng.normal(size=(n, 3)) * spread], 1)


def gaps(a: CollisionShape, b: CollisionShape, X: np.ndarray, Y: np.ndarray) -> Gaps:
    return Solids((a, b)).gaps(np.zeros(len(X), int), np.ones(len(X), int), X, Y)


def theirs(a: CollisionShape, b: CollisionShape, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    request = coal.DistanceRequest(True)
    request.enable_signed_distance = True
    request.gjk_tolerance, request.epa_tolerance = 1e-10, 1e-8
    request.gjk_max_iterations = request.epa_max_iterations = 2000
    one, two = _theirs(a), _theirs(b)
    found = np.empty(len(X))
    for k in range(len(X)):
        found[k] = coal.distance(one, _placed(a, X[k]), two, _placed(b, Y[k]), request, coal.DistanceResult())
    return found


def _theirs(s: CollisionShape) -> Any:
    match s.kind, s.sizes:
        case "sphere", (r,):
            return coal.Sphere(r)
        case "capsule", (r, h):
            return coal.Capsule(r, 2.0 * h)
        case "cylinder", (r, h):
            return coal.Cylinder(r, 2.0 * h)
        case "cone", (r, height):
            return coal.Cone(r, height)
        case "box", sizes:
            return coal.Box(*(2.0 * x for x in sizes))
        case "ellipsoid", sizes:
            return coal.Ellipsoid(*sizes)
        case "half space", _:
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    points = coal.StdVec_Vec3s()
    assert s.vertices is not None
    for p in s.vertices:
        points.append(p)
    return coal.Convex.convexHull(points, False, None)


def _placed(s: CollisionShape, X: np.ndarray) -> Any:
    R, p = X[:9].reshape(3, 3), X[9:]
    return coal.Transform3s(R, p + R[:, 2] * s.sizes[1] / 2.0 if s.kind == "cone" else p)


def require_sound(a: CollisionShape, b: CollisionShape, X: np.ndarray, Y: np.ndarray, found: Gaps, size: float) -> None:
    """The nearest points are a gap apart along the normal, and moving the second shape by it makes them touch."""
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-9)
    way = found.second - found.first
    np.testing.assert_allclose(way, found.normal * found.gap[:, None], atol=2e-6 * size + 1e-13 * np.abs(Y).max())
    moved = Y.copy()
    moved[:, 9:] -= found.normal * found.gap[:, None]
    np.testing.assert_allclose(gaps(a, b, X, moved).gap, 0.0, atol=3e-6 * size + 1e-12 * np.abs(Y).max())


def compare(kinds: tuple[str, str], n: int, spread: float, scale: float, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    a, b = (shape(kind, scale) for kind in kinds)
    X, Y = poses(n, 0.1 * scale, rng), poses(n, spread * scale, rng)
    found, other = gaps(a, b, X, Y), theirs(a, b, X, Y)
    error = found.gap - other
    size = 0.3 * scale
    # coal's own searches end early for some round shapes: ours may be nearer, or less deep, and must be sound
    agree = np.abs(error) < 1e-6 * size + 1e-12 * spread * scale
    answered = other > -1e100  # its number for a search of a depth that failed
    assert agree[answered].mean() > 0.9, (error.min(), error.max())
    sound = ~agree if agree.any() and not agree.all() else slice(0, 50)
    require_sound(a, b, X[sound], Y[sound], found.taken(sound), size)
    apart = ~agree & (found.gap > 0.0)
    assert (error[apart] < 1e-6 * size).all()  # a distance between two points of the shapes, and not larger
    deep = ~agree & (found.gap < 0.0)
    assert (error[deep] > -1e-6 * size).all()  # a translation that separates, and not longer


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_random_poses_against_coal(kinds: tuple[str, str]) -> None:
    compare(kinds, 60, 0.5, 1.0)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_far_and_tiny(kinds: tuple[str, str]) -> None:
    if "half space" in kinds:
        return
    rng, small = np.random.default_rng(2), 1e-4  # the tolerances of coal are lengths: here everything is scaled
    a, b = (shape(kind, small) for kind in kinds)
    X, Y = poses(40, 0.1, rng), poses(40, 0.5, rng)
    tiny_X, tiny_Y = (np.concatenate([P[:, :9], small * P[:, 9:]], axis=1) for P in (X, Y))
    large = gaps(shape(kinds[0]), shape(kinds[1]), X, Y).gap
    np.testing.assert_allclose(gaps(a, b, tiny_X, tiny_Y).gap, small * large, atol=2e-7 * small)
    X, Y = poses(20, 0.0, rng), poses(20, 1e3, rng)
    found = gaps(a, b, X, Y)
    apart = np.linalg.norm(Y[:, 9:] - X[:, 9:], axis=1)
    assert (np.abs(found.gap - apart) < 2e-4).all()


@pytest.mark.parametrize("kind", ["cone", "cylinder", "box", "sphere"])
def test_shapes_that_are_nearly_points_have_distances_beside_large_ones(kind: str) -> None:
    """Errors of their distances are compared with their own sizes: no pose is too inexact for that."""
    rng, small, n = np.random.default_rng(11), 1e-4, 20_000
    X, Y = poses(n, 1.0, rng), poses(n, 0.0, rng)
    for large in ("cylinder", "convex hull"):
        extent = small * np.linalg.norm((*SIZES[kind], 0.0)[:3])
        apart = gaps(shape("sphere", sizes=(0.0,)), shape(large), X, Y).gap
        far = apart > 10.0 * extent
        found = gaps(shape(kind, small), shape(large), X[far], Y[far]).gap
        assert (np.abs(found - apart[far]) < 1.001 * extent).all()


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.2, 0.5, 2.0, 1e3])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_many_random_poses_against_coal(kinds: tuple[str, str], spread: float) -> None:
    compare(kinds, 25_000, spread, 1.0, seed=7)


SIZES_OF_BOXES = ((0.3, 0.2, 0.5), (1e-4, 0.4, 0.4), (0.5, 1e-5, 1e-5), (0.0, 0.0, 0.3), (0.0, 0.0, 0.0))


@pytest.mark.parametrize("tilt", [1.0, 1e-3, 1e-6, 1e-9, 1e-11, 0.0])
@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e3])
def test_boxes_have_the_distance_of_least_squares_with_bounds(scale: float, tilt: float) -> None:
    """Of solid, thin, and flat ones, whose edges are nearly parallel or not; the shortest way out by all directions."""
    rng = np.random.default_rng(8)
    for sizes, other in combinations_with_replacement(SIZES_OF_BOXES, 2):
        a, b = shape("box", scale, sizes), shape("box", scale, other)
        X, Y = poses(12, 0.0, rng), poses(12, 0.5 * scale, rng)
        Y[:, :9] = (Rotation.from_rotvec(tilt * rng.normal(size=(12, 3))).as_matrix() @ axes(X)).reshape(12, 9)
        ha, hb = np.array(a.sizes), np.array(b.sizes)
        found = gaps(a, b, X, Y)
        for k in range(12):
            A, B, way = axes(X)[k], axes(Y)[k], Y[k, 9:] - X[k, 9:]
            x = lsq_linear(np.concatenate([A * ha, -B * hb], axis=1) / scale, way / scale, (-1.0, 1.0), method="bvls")
            distance = scale * np.sqrt(2.0 * x.cost)
            n = found.normal[k]
            reach = np.abs(A.T @ n) @ ha + np.abs(B.T @ n) @ hb
            if distance > 1e-7 * scale:
                assert abs(found.gap[k] - distance) < 1e-9 * scale
            else:  # what is separated by a translation
                assert found.gap[k] <= 1e-9 * scale
            assert n @ way - reach <= found.gap[k] + 1e-9 * scale
            if found.gap[k] < 0.0:
                assert abs(n @ way - reach - found.gap[k]) < 1e-9 * scale


def axes(X: np.ndarray) -> np.ndarray:
    return X[:, :9].reshape(-1, 3, 3)


def test_nearest_points_of_parallel_faces_do_not_jump() -> None:
    a, b, here = shape("box"), shape("box", sizes=(0.1, 0.6, 0.2)), at(0.0, 0.0, 0.0)
    for gap in (0.3, 1e-6, -0.01):
        for x, y, expected in ((0.25, 0.0, [0.3, 0.0, 0.5]), (0.0, 0.7, [0.0, 0.1, 0.5])):
            for noise in (0.0, 1e-15, -1e-15):
                found = gaps(a, b, here, at(x + noise, y - noise, 0.7 + gap))
                assert abs(found.gap[0] - gap) < 1e-12
                np.testing.assert_allclose(found.first[0], expected, atol=1e-9)


def at(*p: float, turn: np.ndarray | None = None) -> np.ndarray:
    return np.concatenate([(np.eye(3) if turn is None else turn).ravel(), p])[None]


def test_faces_corners_and_centres() -> None:
    box, cylinder, ball = shape("box"), shape("cylinder"), shape("sphere")
    here = at(0.0, 0.0, 0.0)
    for gap in (0.2, 1e-6, 0.0, -1e-6, -0.05):  # parallel faces
        found = gaps(box, box, here, at(0.0, 0.0, 1.0 + gap)).gap[0]
        assert abs(found - gap) < 1e-9
        found = gaps(box, cylinder, here, at(0.1, 0.05, 0.9 + gap)).gap[0]
        assert abs(found - gap) < 1e-9
        found = gaps(cylinder, cylinder, here, at(0.0, 0.0, 0.8 + gap)).gap[0]
        assert abs(found - gap) < 1e-9
    corner = gaps(box, box, here, at(0.6 + 0.3, 0.4 + 0.4, 1.0 + 1.2))  # corner to corner
    assert abs(corner.gap[0] - 1.3) < 1e-9
    np.testing.assert_allclose(corner.first[0], [0.3, 0.2, 0.5], atol=1e-9)
    # concentric: the shortest way out
    assert abs(gaps(box, box, here, here).gap[0] + 0.4) < 1e-9
    assert abs(gaps(box, ball, here, here).gap[0] + 0.5) < 1e-9
    assert abs(gaps(cylinder, cylinder, here, here).gap[0] + 0.6) < 2e-7
    assert abs(gaps(ball, ball, here, here).gap[0] + 0.6) < 1e-12
    thin = shape("box", sizes=(0.5, 0.5, 5e-5))
    tilted = Rotation.from_rotvec([0.3, 0.2, 0.0]).as_matrix()
    found = gaps(thin, shape("capsule"), here, at(0.1, 0.0, 1.0, turn=tilted))
    require_sound(thin, shape("capsule"), here, at(0.1, 0.0, 1.0, turn=tilted), found, 0.2)
    assert gaps(thin, thin, here, at(0.0, 0.0, 1e-3)).gap[0] == pytest.approx(9e-4, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-5, 1e4])
@pytest.mark.parametrize("kinds", [("capsule", "capsule"), ("box", "capsule"), ("box", "box"), ("cylinder", "sphere")])
def test_closed_forms_have_no_size_of_their_own(kinds: tuple[str, str], scale: float) -> None:
    """Overlaps, too, of turned and of nearly parallel shapes; and far from the origin."""
    rng = np.random.default_rng(10)
    a, b = map(shape, kinds)
    large, other = (shape(kind, scale) for kind in kinds)
    for tilt in (1.0, 1e-3, 1e-6, 1e-9):
        X, Y = poses(300, 0.1, rng), poses(300, 0.3, rng)
        Y[:, :9] = (Rotation.from_rotvec(tilt * rng.normal(size=(300, 3))).as_matrix() @ axes(X)).reshape(300, 9)
        expected = gaps(a, b, X, Y).gap
        X[:, 9:], Y[:, 9:] = scale * X[:, 9:], scale * Y[:, 9:]
        np.testing.assert_allclose(gaps(large, other, X, Y).gap, scale * expected, atol=1e-9 * scale)


def test_a_flat_cone_inside_a_cylinder_is_inside() -> None:
    """The search ends at the origin by chance, with a distance of 5e-14 m; and what overlaps is not clear."""
    flat, cylinder = shape("cone", sizes=(0.05, 1e-4)), shape("cylinder", sizes=(0.9, 0.6))
    rng = np.random.default_rng(5)
    n = 300
    X, Y = poses(n, 0.1, rng), poses(n, 0.2, rng)
    Y[:, :9] = (Rotation.from_rotvec(rng.normal(size=(n, 3)) * 1e-6).as_matrix() @ axes(X)).reshape(n, 9)
    depth = gaps(flat, cylinder, X, Y).gap
    inside = np.linalg.norm(Y[:, 9:] - X[:, 9:], axis=1) < 0.5
    assert (depth[inside] < -0.05).all()
    quick = Solids((flat, cylinder)).gaps(np.zeros(n, int), np.ones(n, int), X, Y, depths=False)
    assert (quick.gap[inside] < 0.0).all()


@pytest.mark.parametrize(
    "kinds", [("box", "convex hull"), ("convex hull", "convex hull"), ("box", "cone")], ids="-".join
)
def test_points_of_shapes_that_touch_are_points_of_both(kinds: tuple[str, str]) -> None:
    """Of faces that lie on each other, too, where the surface of their difference has a large flat part."""
    rng = np.random.default_rng(9)
    a, b = map(shape, kinds)
    for other in (b, shape(kinds[1], 0.1)):
        X, Y = poses(60, 0.1, rng), poses(60, 0.7, rng)
        Y[:, :9] = X[:, :9]
        for _ in range(2):
            found = gaps(a, other, X, Y)
            Y[:, 9:] -= found.normal * found.gap[:, None]
        found = gaps(a, other, X, Y)
        point = shape("sphere", sizes=(0.0,))
        for s, P, p in ((a, X, found.first), (other, Y, found.second)):
            at_point = np.concatenate([np.tile(np.eye(3).ravel(), (60, 1)), p], axis=1)
            assert (gaps(s, point, P, at_point).gap < 1e-6).all()


def test_axes_that_are_nearly_parallel() -> None:
    """Crossing at angles down to rounding: distances of segments, from many points of both."""
    capsule, here = shape("capsule", sizes=(0.0, 0.5)), at(0.0, 0.0, 0.0)
    for angle in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0):
        for height in (0.0, 1e-3, 0.3):
            turn = Rotation.from_rotvec([angle, 0.0, 0.0]).as_matrix()
            found = gaps(capsule, capsule, here, at(height, 0.0, 0.2, turn=turn))
            assert abs(found.gap[0] - height) < 1e-9


def test_exchanged_shapes_have_exchanged_points() -> None:
    rng = np.random.default_rng(4)
    for kinds in PAIRS:
        a, b = map(shape, kinds)
        X, Y = poses(10, 0.1, rng), poses(10, 1.5, rng)
        there, back = gaps(a, b, X, Y), gaps(b, a, Y, X)
        np.testing.assert_allclose(there.gap, back.gap, atol=1e-8)
        apart = there.gap > 1e-3
        np.testing.assert_allclose(there.normal[apart], -back.normal[apart], atol=1e-3)


@pytest.mark.parametrize("kinds", [p for p in PAIRS if "half space" not in p], ids="-".join)
def test_shapes_that_touch_have_a_normal_that_separates_them(kinds: tuple[str, str]) -> None:
    """Poses at which nearest points coincide, up to rounding, and of faces that lie on each other."""
    rng = np.random.default_rng(6)
    a, b = map(shape, kinds)
    X, Y = poses(200, 0.1, rng), poses(200, 0.7, rng)
    Y[::2, :9] = X[::2, :9]
    for _ in range(2):
        found = gaps(a, b, X, Y)
        Y[:, 9:] -= found.normal * found.gap[:, None]
    found = gaps(a, b, X, Y)
    np.testing.assert_allclose(found.gap, 0.0, atol=3e-7)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-12)
    apart = Y.copy()
    apart[:, 9:] += 0.1 * found.normal
    np.testing.assert_allclose(gaps(a, b, X, apart).gap, 0.1, atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_capsules_whose_axes_cross_leave_each_other_across_them(scale: float) -> None:
    """Where axes meet, between their ends and at them, and where they lie on each other: moved apart, they touch."""
    rng = np.random.default_rng(11)
    capsule, ball = shape("capsule", scale), shape("sphere", scale)
    for other, count in ((capsule, 90), (ball, 60)):
        X, Y = poses(count, 0.1 * scale, rng), poses(count, 0.0, rng)
        along = np.repeat([0.0, 0.2, 0.4], count // 3) * rng.choice([-scale, scale], count)
        Y[::5, :9] = X[::5, :9]
        noise = scale * rng.choice([1e-16, 1e-11, 2e-7], (count, 1))
        Y[:, 9:] = X[:, 9:] + axes(X)[:, :, 2] * along[:, None] + noise * rng.normal(size=(count, 3))
        found = gaps(capsule, other, X, Y)
        require_sound(capsule, other, X, Y, found, 0.2 * scale)
        apart = Y.copy()
        apart[:, 9:] += found.normal * (0.05 * scale - found.gap)[:, None]
        np.testing.assert_allclose(gaps(capsule, other, X, apart).gap, 0.05 * scale, atol=1e-6 * scale)


@pytest.mark.parametrize("kinds", [("cone", "sphere"), ("cylinder", "capsule"), ("cone", "box"), ("cone", "cylinder")])
def test_no_direction_leads_out_of_an_overlap_sooner(kinds: tuple[str, str]) -> None:
    """Of shapes with nearly the same axis, where whole rings of directions are nearly as short."""
    rng = np.random.default_rng(12)
    a, b = map(shape, kinds)
    n = 40
    X, Y = poses(n, 0.1, rng), poses(n, 0.0, rng)
    tilt = Rotation.from_rotvec(rng.normal(size=(n, 3)) * np.logspace(-13, -2, n)[:, None]).as_matrix()
    Y[:, :9] = (tilt @ axes(X)).reshape(n, 9)
    Y[:, 9:] = X[:, 9:] + axes(X)[:, :, 2] * rng.uniform(-0.1, 0.3, (n, 1))
    found = gaps(a, b, X, Y)
    inside = found.gap < 0.0
    assert inside.sum() > 20
    for d in rng.normal(size=(300, 3)):
        moved = Y.copy()
        moved[:, 9:] += d / np.linalg.norm(d) * (-found.gap - 1e-5)[:, None]
        assert (gaps_without_depths(a, b, X, moved)[inside] < 0.0).all()
    require_sound(a, b, X[inside], Y[inside], found.taken(inside), 0.3)


def gaps_without_depths(a: CollisionShape, b: CollisionShape, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return Solids((a, b)).gaps(np.zeros(len(X), int), np.ones(len(X), int), X, Y, depths=False).gap
