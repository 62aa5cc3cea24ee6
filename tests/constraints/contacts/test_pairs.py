"""Pairs of shapes: gaps against an independent search, points and normals that belong to both, exchange of the two."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from naming import named
from sixvec.compiler.program import Port
from sixvec.constraints.contacts import Contact, touches
from sixvec.constraints.contacts.pair import PAIRS
from sixvec.distance.pairs.boxes import lowest_face
from sixvec.distance.pairs.touch import FAR
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.kernels.function import CompiledFunction
from sixvec.model.geom import HalfSpace, Polyhedron
from sixvec.spatial import Pose, Quaternion, Rotation, Vec3

SHAPES: dict[type, Any] = {
    Sphere: Sphere(0.3), Capsule: Capsule(0.2, 0.9), Box: Box(Vec3(0.8, 0.5, 0.3)), HalfSpace: HalfSpace(),
    Cylinder: Cylinder(0.2, 0.7), Ellipsoid: Ellipsoid(Vec3(0.1, 0.2, 0.35)),
    Polyhedron: Polyhedron(tuple(Vec3(*c) for c in product((-0.4, 0.4), (-0.25, 0.25), (-0.15, 0.15)))),
}  # fmt: skip


def random_pose(rng: np.random.Generator, apart: float) -> Pose:
    turn = rng.normal(size=4)
    place = rng.normal(size=3)
    q = Quaternion(*(turn / np.linalg.norm(turn)).tolist())
    return Pose(q.as_rotation(), Vec3(*(place / np.linalg.norm(place) * apart).tolist()))


def signed_distance(shape: Any, X: Pose, p: np.ndarray) -> float:
    """Of a point from a shape, written for this test."""
    R, t = np.array([*map(list, X.rot.matrix.rows)]), np.array([*X.pos])
    x = R.T @ (p - t)
    if isinstance(shape, HalfSpace):
        return float(x[2])
    if isinstance(shape, Sphere):
        return float(np.linalg.norm(x) - shape.radius)
    if isinstance(shape, Capsule):
        x[2] -= np.clip(x[2], -shape.length / 2, shape.length / 2)
        return float(np.linalg.norm(x) - shape.radius)
    if isinstance(shape, Ellipsoid):
        a = np.array([*shape.semi_axes])
        t = brentq(lambda t: ((a * x / (a * a + t)) ** 2).sum() - 1.0, -(a.min() ** 2) + 1e-9, 1e3, xtol=1e-15)
        return float(np.sign(t) * np.linalg.norm(x - a * a * x / (a * a + t)))
    if isinstance(shape, Cylinder):
        d = np.array([np.hypot(x[0], x[1]) - shape.radius, abs(x[2]) - shape.length / 2])
    elif isinstance(shape, Polyhedron):  # the box
        d = np.abs(x) - np.array([0.4, 0.25, 0.15])
    else:
        d = np.abs(x) - np.array([*shape.size]) / 2
    return float(np.linalg.norm(np.maximum(d, 0.0)) + min(d.max(), 0.0))


@pytest.mark.parametrize("kinds", PAIRS, ids=lambda k: f"{k[0].__name__}-{k[1].__name__}")
def test_a_gap_is_the_distance_of_the_surfaces(kinds: tuple[type, type]) -> None:
    rng = np.random.default_rng(3)
    first, second = (SHAPES[k] for k in kinds)
    for _ in range(6):
        X, Y = random_pose(rng, 1.9), random_pose(rng, 0.0)
        if kinds[1] is HalfSpace:
            Y = Pose.identity()
            X = Pose(X.rot, Vec3(X.pos.x, X.pos.y, 1.5 + abs(X.pos.z)))
        found = [t for t in touches(first, X, second, Y) if t.gap < FAR]
        best = min(found, key=lambda t: t.gap, default=None)
        # the sum of both distances along the segment between the bodies is the distance at its least
        least = min(
            minimize(
                lambda p, X=X, Y=Y: max(signed_distance(first, X, p), 0.0) + max(signed_distance(second, Y, p), 0.0),
                np.array([*Y.pos]) + s * (np.array([*X.pos]) - np.array([*Y.pos])),
                method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
            ).fun
            for s in (0.3, 0.5, 0.7)
        )  # fmt: skip
        if kinds == (Box, Box):  # taken along one of fifteen directions, from corners above a face
            assert best is None or best.gap > 0.0
        else:
            assert best is not None and best.gap == pytest.approx(least, abs=1e-5)


@pytest.mark.parametrize("kinds", PAIRS, ids=lambda k: f"{k[0].__name__}-{k[1].__name__}")
def test_points_and_normals_belong_to_both_shapes(kinds: tuple[type, type]) -> None:
    rng = np.random.default_rng(5)
    first, second = (SHAPES[k] for k in kinds)
    for _ in range(20):
        X, Y = random_pose(rng, 0.6), Pose.identity()
        for t in touches(first, X, second, Y):
            if t.gap >= FAR:
                continue
            n, p = np.array([*t.normal]), np.array([*t.point])
            assert np.linalg.norm(n) == pytest.approx(1.0)
            # the gap is between points of both: one side of it is in the first, the other in the second
            one, other = (signed_distance(first, X, p + n * t.gap), signed_distance(second, Y, p))
            turned = (signed_distance(first, X, p), signed_distance(second, Y, p - n * t.gap))
            crossing = (signed_distance(first, X, p + n * t.gap / 2), signed_distance(second, Y, p - n * t.gap / 2))
            assert max(one, other) < 1e-9 or max(turned) < 1e-9 or max(crossing) < 1e-9
        for t, u in zip(touches(first, X, second, Y), touches(second, Y, first, X), strict=True):
            if first is not second:
                assert np.allclose([*t.normal], [-x for x in u.normal]) and np.allclose(t.gap, u.gap)


def test_boxes_face_to_face_touch_at_the_corners_of_the_overlap() -> None:
    lower, upper = Box(Vec3(1.0, 1.0, 1.0)), Box(Vec3(0.4, 2.0, 1.0))
    found = touches(upper, Pose.translation(Vec3(0.1, 0.0, 0.99)), lower, Pose.identity())
    corners = sorted([round(t.point.x, 9), round(t.point.y, 9)] for t in found)
    assert corners == [[-0.1, -0.5], [-0.1, 0.5], [0.3, -0.5], [0.3, 0.5]]
    assert [t.gap for t in found] == pytest.approx([-0.01] * 4)
    assert [[*t.normal] for t in found] == [[0.0, 0.0, 1.0]] * 4


def test_crossed_edges_touch_at_one_point() -> None:
    turn = Pose.rotation(Vec3(1.0, 0.0, 0.0), np.pi / 4)
    across = Pose.rotation(Vec3(0.0, 1.0, 0.0), np.pi / 4)
    box = Box(Vec3(1.0, 1.0, 1.0))
    upper = Pose(across.rot, Vec3(0.1, 0.2, 2**0.5 + 0.05))
    found = [t for t in touches(box, upper, box, turn) if t.gap < FAR]
    assert len(found) == 1 and found[0].gap == pytest.approx(0.05)
    assert np.allclose([*found[0].normal], [0.0, 0.0, 1.0]) and np.allclose(
        [found[0].point.x, found[0].point.y], [0.1, 0.0]
    )


@pytest.mark.parametrize("kinds", [(Capsule, Box), (Box, Box)], ids=["capsule-box", "box-box"])
def test_compiled_pairs_compute_the_same_and_have_derivatives(kinds: tuple[type, type]) -> None:
    first, second = (SHAPES[k] for k in kinds)

    def gaps(x: Any, q: Any) -> Any:
        X = Pose(Quaternion(*q).as_rotation(), Vec3.of(x))
        return [t.gap for t in touches(first, X, second, Pose.identity())]

    count = PAIRS[kinds][1]
    kernel = CompiledFunction(gaps, (Port("x", (3,)), Port("q", (4,))), (Port("gap", (count,)),))
    rng = np.random.default_rng(7)
    q = rng.normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    x = rng.normal(size=(50, 3)) * 0.5
    expected = np.array([gaps(a.tolist(), b.tolist()) for a, b in zip(x, q, strict=True)])
    assert np.allclose(kernel(x, q), expected, atol=1e-12)
    step = 1e-7
    slopes = kernel.derivative("x")(x, q)
    for k in range(3):
        d = np.eye(3)[k] * step
        numeric = (kernel(x + d, q) - kernel(x - d, q)) / (2 * step)
        smooth = np.abs(kernel(x + d, q) - 2 * kernel(x, q) + kernel(x - d, q)) < 1e-9
        assert smooth.mean() > 0.9
        assert np.allclose(slopes[..., k][smooth], numeric[smooth], atol=1e-5)


def test_shapes_without_a_pair_raise_and_are_named() -> None:
    with pytest.raises(ArgumentError, match="HalfSpace"):
        touches(Cone(1.0, 1.0), Pose.identity(), Sphere(1.0), Pose.identity())


def test_contacts_that_cannot_be_are_named() -> None:
    ball = Sphere(0.1)
    for options, said in (
        ({"friction": "a"}, named("a")), ({"friction": None}, named("friction", "None", "foot")),
        ({"restitution": "b"}, named("b")),
        ({"on": ball, "to": "foot"}, "foot"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=said):
            Contact("foot", ball, **options)


def test_concentric_balls_part_upward() -> None:
    place = Pose.translation(Vec3(0.3, -0.2, 0.5))
    (touch,) = touches(Sphere(0.2), place, Sphere(0.5), place)
    assert [*touch.normal] == [0.0, 0.0, 1.0] and touch.gap == -0.7
    assert [*touch.point] == [0.3, -0.2, 1.0]


def test_a_ball_in_a_box_leaves_by_the_nearest_face() -> None:
    half = np.array([0.5, 1.0, 1.5])
    box = Box(Vec3(*(2.0 * half).tolist()))
    for k, s in np.ndindex(3, 2):
        out = np.eye(3)[k] * (1.0 - 2.0 * s)
        center = np.where(np.eye(3)[k] > 0.0, out * (half - 0.05), [0.1, -0.2, 0.15])
        (touch,) = touches(Sphere(0.1), Pose.translation(Vec3(*center.tolist())), box, Pose.identity())
        assert [*touch.normal] == pytest.approx(out.tolist()) and touch.gap == pytest.approx(-0.15)
        assert [*touch.point] == pytest.approx((center + 0.05 * out).tolist())
    (touch,) = touches(Sphere(0.1), Pose.identity(), box, Pose.identity())
    assert [*touch.normal] == [1.0, 0.0, 0.0] and touch.gap == pytest.approx(-0.6) and touch.point.x == 0.5
    (touch,) = touches(Sphere(0.1), Pose.translation(Vec3(-0.8, 1.4, -2.7)), box, Pose.identity())  # off a corner
    assert touch.gap == pytest.approx(1.2) and [*touch.point] == pytest.approx([-0.5, 1.0, -1.5])
    assert [*touch.normal] == pytest.approx([-3.0 / 13.0, 4.0 / 13.0, -12.0 / 13.0])


def test_a_capsule_leaves_a_box_by_the_shortest_way() -> None:
    rng = np.random.default_rng(4)
    for length in (0.0, 0.1, 0.9, 4.0):
        for _ in range(8):
            rod, box = Capsule(0.05, length), Box(Vec3(*rng.uniform(0.2, 1.5, 3).tolist()))
            X, Y = random_pose(rng, rng.uniform(0.0, 0.3)), random_pose(rng, 0.4)
            X = Y @ X
            deepest = min(touches(rod, X, box, Y), key=lambda t: t.gap)
            assert signed_distance(box, Y, np.array([*deepest.point])) == pytest.approx(0.0, abs=1e-12)
            for part in (0.0, 0.9, 1.0):
                out = Pose(X.rot, X.pos - deepest.normal * (deepest.gap * part))
                left = min(t.gap for t in touches(rod, out, box, Y))
                assert left == pytest.approx(deepest.gap * (1.0 - part), abs=1e-12)
            for _ in range(5 * (deepest.gap < 0.0)):  # no other way is shorter
                out = Pose(X.rot, X.pos + random_pose(rng, -0.99 * deepest.gap).pos)
                assert min(t.gap for t in touches(rod, out, box, Y)) < 0.0


def test_a_rod_through_a_plate_and_through_an_edge() -> None:
    plate = Box(Vec3(2.0, 2.0, 0.1))
    *ends, whole = touches(Capsule(0.1, 1.0), Pose.translation(Vec3(0.2, 0.0, 0.05)), plate, Pose.identity())
    assert [t.gap for t in ends] == pytest.approx([0.3, 0.4]) and whole.gap == pytest.approx(-0.6)
    assert [*whole.normal] == [0.0, 0.0, 1.0] and [*whole.point] == pytest.approx([0.2, 0.0, 0.05])
    cube = Box(Vec3(2.0, 2.0, 2.0))
    level = Pose.rotation(Vec3(0.5**0.5, 0.5**0.5, 0.0), np.pi / 2).rot  # the axis is along (1, -1, 0)
    *_, whole = touches(Capsule(0.1, 4.0), Pose(level, Vec3(0.9, 0.9, 0.0)), cube, Pose.identity())
    assert whole.gap == pytest.approx(-0.1 - 0.1 * 2.0**0.5, abs=1e-15)
    assert [*whole.normal] == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])
    assert [*whole.point] == pytest.approx([1.0, 1.0, 0.0])
    steep = np.radians(70.0)  # leaves across the edge at (-1, 1)
    place = Pose(Pose.rotation(Vec3(0.0, 1.0, 0.0), steep).rot, Vec3(0.9, 0.0, 1.1))
    *_, whole = touches(Capsule(0.01, 4.0), place, cube, Pose.identity())
    assert [*whole.point] == pytest.approx([-1.0, 0.0, 1.0])
    assert [*whole.normal] == pytest.approx([-np.cos(steep), 0.0, np.sin(steep)])


def test_the_lowest_face_has_its_corners_in_order() -> None:
    half = np.array([0.5, 1.0, 1.5])
    box = Box(Vec3(*(2.0 * half).tolist()))
    for k, s in np.ndindex(3, 2):
        side = 1.0 - 2.0 * s
        up = np.where(np.eye(3)[k] > 0.0, side * 0.9, [0.2, -0.3, 0.25])
        corners = np.array([[*c] for c in lowest_face(box, Vec3(*up.tolist()))])
        assert (corners[:, k] == -side * half[k]).all() and np.array_equal(np.abs(corners), np.tile(half, (4, 1)))
        assert len({tuple(c) for c in corners.tolist()}) == 4
        assert ((corners != np.roll(corners, 1, axis=0)).sum(axis=1) == 1).all()


def test_capsules_along_faces_touch_in_the_middle_of_what_is_shared() -> None:
    cube, rod = Box(Vec3(1.0, 1.0, 1.0)), Capsule(0.1, 4.0)
    level = Pose(Rotation.about_y(np.pi / 2), Vec3(0.3, 0.2, 1.0))
    start, end, nearest = touches(rod, level, cube, Pose.identity())
    assert [*nearest.point] == pytest.approx([0.0, 0.2, 0.5]) and nearest.gap == pytest.approx(0.4)
    assert [*start.point] == pytest.approx([-0.5, 0.2, 0.5]) and [*end.point] == pytest.approx([0.5, 0.2, 0.5])
    *_, through = touches(rod, Pose.translation(Vec3(0.45, 0.1, 0.7)), cube, Pose.identity())
    assert [*through.point] == pytest.approx([0.5, 0.1, 0.0]) and through.gap == pytest.approx(-0.15)
    tilted = Pose(Rotation.about_y(np.pi / 4), Vec3(1.0, 0.0, 1.0))
    start, end, beyond = touches(Capsule(0.1, 0.5), tilted, cube, Pose.identity())  # its lower end is nearest
    assert beyond.gap == pytest.approx(start.gap) and end.gap > start.gap
    c = 1.0 - 0.25 / 2**0.5
    assert beyond.gap == pytest.approx(2**0.5 * (c - 0.5) - 0.1)


@pytest.mark.parametrize("turn", [0.0, np.pi])
def test_parallel_capsules_touch_in_the_middle_of_their_overlap(turn: float) -> None:
    a, b = Capsule(0.1, 2.0), Capsule(0.2, 4.0)
    place = Pose.translation(Vec3(1.0, 0.0, 0.0))
    for height, point, normal, gap in (
        (2.5, [0.2, 0.0, 0.75], [1.0, 0.0, 0.0], 0.7),
        (-0.5, [0.2, 0.0, 0.0], [1.0, 0.0, 0.0], 0.7),
        (5.0, [0.2 / 5**0.5, 0.0, 3.0 - 0.4 / 5**0.5], [1 / 5**0.5, 0.0, -2 / 5**0.5], 5**0.5 - 0.3),
    ):
        (found,) = touches(a, place, b, Pose(Rotation.about_x(turn), Vec3(0.0, 0.0, height)))
        assert [*found.point] == pytest.approx(point) and found.gap == pytest.approx(gap)
        assert [*found.normal] == pytest.approx(normal)


def test_large_boxes_touch_at_the_corners_of_a_far_overlap() -> None:
    upper, lower = Box(Vec3(20.0, 20.0, 2.0)), Box(Vec3(30.0, 30.0, 2.0))
    found = touches(upper, Pose.translation(Vec3(12.0, 12.0, 2.0625)), lower, Pose.identity())
    assert [[*t.point] for t in found] == [[2.0, 2.0, 1.0], [15.0, 2.0, 1.0], [15.0, 15.0, 1.0], [2.0, 15.0, 1.0]]
    assert [t.gap for t in found] == [0.0625] * 4
    above = touches(upper, Pose.translation(Vec3(0.0, 0.0, 24.0)), lower, Pose.identity())
    assert [t.gap for t in above] == [22.0] * 4 and FAR > 100.0
