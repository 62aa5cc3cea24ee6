"""Two boxes by independent routes: separating directions, then a face clipped side by side (Sutherland, Hodgman); and
nearest points by least squares with bounds."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation as Turn

from sixvec.constraints.contacts import touches
from sixvec.constraints.contacts.box_pair import DEPTH, FACES_FIRST, SMALLER
from sixvec.distance.pairs.touch import FAR
from sixvec.geometry.rigid_body.solids import Box
from sixvec.spatial import Mat3, Pose, Quaternion, Rotation, Vec3

Array = np.ndarray
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def placed(rng: np.random.Generator, apart: float, tilt: float) -> tuple[Pose, Array, Array]:
    turn = rng.normal(size=4) * tilt + [0.0, 0.0, 0.0, 1.0]
    x = rng.normal(size=3)
    x *= apart / np.linalg.norm(x)
    X = Pose(Quaternion(*(turn / np.linalg.norm(turn)).tolist()).as_rotation(), Vec3(*x.tolist()))
    return X, np.array([[*row] for row in X.rot.matrix.rows]), x


def clipped(polygon: list[Array], half: Array) -> list[Array]:
    """A polygon cut to |x| ≤ half[0], |y| ≤ half[1]; a third coordinate goes along."""
    for axis, sign in product((0, 1), (1.0, -1.0)):
        kept: list[Array] = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            inside = [sign * x[axis] <= half[axis] for x in (p, q)]
            if inside[0]:
                kept.append(p)
            if inside[0] != inside[1]:
                t = (sign * half[axis] - p[axis]) / (q[axis] - p[axis])
                kept.append(p + t * (q - p))
        polygon = kept
        if not polygon:
            return []
    return polygon


def expected(
    ha: Array, A: Array, a: Array, hb: Array, B: Array, b: Array
) -> tuple[Array, list[tuple[Array, float]], bool]:
    """The normal from b to a; points with their gaps; whether two edges cross."""
    T = a - b

    def gap(n: Array) -> float:
        return float(abs(n @ T) - np.abs(A.T @ n) @ ha - np.abs(B.T @ n) @ hb)

    faces = [(gap(M[:, k]), M[:, k], k, of_a) for M, of_a in ((B, False), (A, True)) for k in range(3)]
    pairs = [(np.cross(B[:, i], A[:, j]), i, j) for i, j in product(range(3), range(3))]
    edges = [(gap(n / np.linalg.norm(n)), n / np.linalg.norm(n), i, j) for n, i, j in pairs if n @ n > 1e-6]
    best, edge = max(faces, key=lambda f: f[0]), max(edges, key=lambda e: e[0])
    if edge[0] > best[0] + FACES_FIRST * 2.0 * (ha.sum() + hb.sum()):
        size, n, i, j = edge
        n = n * np.sign(n @ T)
        p = a - sum((A[:, k] * np.sign(n @ A[:, k]) * ha[k] for k in range(3) if k != j), np.zeros(3))
        q = b + sum((B[:, k] * np.sign(n @ B[:, k]) * hb[k] for k in range(3) if k != i), np.zeros(3))
        s, t = np.linalg.lstsq(np.stack([A[:, j], -B[:, i]], axis=1), q - p, rcond=None)[0]
        p, q = p + A[:, j] * np.clip(s, -ha[j], ha[j]), q + B[:, i] * np.clip(t, -hb[i], hb[i])
        return n, [((p + q) / 2, size)], True
    _, n, k, of_a = best
    n = n * np.sign(n @ T)
    M, h, center, N, g, other = (A, ha, a, B, hb, b) if of_a else (B, hb, b, A, ha, a)
    outward = -n if of_a else n
    u, w = (i for i in range(3) if i != k)
    facing = int(np.argmax(np.abs(N.T @ outward)))
    p, r = (i for i in range(3) if i != facing)
    middle = other - N[:, facing] * np.sign(outward @ N[:, facing]) * g[facing] - center
    corners = [middle + N[:, p] * g[p] * s + N[:, r] * g[r] * t for s, t in CORNERS]
    flat = [np.array([M[:, u] @ x, M[:, w] @ x, outward @ x - h[k]]) for x in corners]
    polygon = clipped(flat, h[[u, w]])
    deep = DEPTH * 0.5 * (h[u] + h[w])
    picked = []
    for s, t in CORNERS if polygon else ():
        x = max(polygon, key=lambda x: x[0] * h[w] * s + x[1] * h[u] * t - x[2] * deep)
        picked.append((center + M[:, u] * x[0] + M[:, w] * x[1] + outward * h[k], float(x[2])))
    return n, picked, False


def test_boxes_touch_where_the_clipped_face_has_its_outermost_corners() -> None:
    rng = np.random.default_rng(11)
    seen: dict[Any, int] = {}
    for trial in range(300):
        ha, hb = rng.uniform(0.1, 0.5, (2, 3))
        X, A, a = placed(rng, rng.uniform(0.1, 1.2), 0.05 if trial % 2 else 1.0)
        Y, B, b = placed(rng, 0.2, 1.0)
        first, second = (Box(Vec3(*(2.0 * h).tolist())) for h in (ha, hb))
        if trial % 2:
            X, A = Pose(Y.rot @ X.rot, X.pos), B @ A  # nearly parallel: faces
        n, points, crossing = expected(ha, A, a, hb, B, b)
        found = [t for t in touches(first, X, second, Y) if t.gap < FAR]
        close = 2.0 * SMALLER * min(*ha, *hb)
        widest = abs(n @ (a - b)) - np.abs(A.T @ n) @ ha - np.abs(B.T @ n) @ hb
        less = np.clip(2.0 * close - widest, 0.0, close)
        p, q = nearest(ha - less, A, a, hb - less, B, b)
        reach = less * (np.abs(A.T @ n).sum() + np.abs(B.T @ n).sum())
        farther = np.linalg.norm(p - q) > widest + reach + 4e-6 * (ha.sum() + hb.sum())
        if widest + reach > 0.0 and (farther or not points):
            seen["corners", 1] = seen.get(("corners", 1), 0) + 1
            m = (p - q) / np.linalg.norm(p - q)
            gap = m @ (a - b) - np.abs(A.T @ m) @ ha - np.abs(B.T @ m) @ hb
            assert len(found) == 1 and abs(found[0].gap - gap) < 1e-8 and np.allclose([*found[0].normal], m, atol=1e-6)
            continue
        seen[crossing, len(points)] = seen.get((crossing, len(points)), 0) + 1
        assert len(found) == len(points)
        for t, (place, gap) in zip(found, points, strict=True):
            assert np.allclose([*t.normal], n, atol=1e-9) and abs(t.gap - gap) < 1e-9
            assert np.allclose([*t.point], place, atol=1e-8)
    assert min(seen[True, 1], seen[False, 4]) > 50 and seen["corners", 1] > 10, seen


def nearest(ha: Array, A: Array, a: Array, hb: Array, B: Array, b: Array) -> tuple[Array, Array]:
    """The nearest points of two boxes that are apart: coordinates within the half edges."""
    half = np.concatenate([ha, hb])
    M = np.concatenate([A, -B], axis=1)
    x = lsq_linear(M * half, b - a, (-1.0, 1.0), method="bvls", tol=1e-15).x * half
    return a + A @ x[:3], b + B @ x[3:]


def at(R: Array, p: Any) -> Pose:
    return Pose(Rotation(Mat3(*R.ravel().tolist())), Vec3(*map(float, p)))


def test_corner_to_corner_has_a_gap_and_a_normal_that_turns_with_the_boxes() -> None:
    """Two cubes along their diagonal, from apart to overlapping; and one that stands on the corner of the other."""
    cube, diagonal = Box(Vec3(0.1, 0.1, 0.1)), np.ones(3) / np.sqrt(3.0)
    upright = Turn.from_rotvec(np.arctan(np.sqrt(2.0)) * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)).as_matrix()
    for R, way in ((np.eye(3), diagonal), (upright, upright @ diagonal)):
        long = 0.1 * np.sqrt(3.0)
        for gap in (0.2, 1e-2, 1e-3, 1e-5, 1e-7, 0.0, -1e-7, -1e-5, -1e-3):
            normals = []
            for aside in np.concatenate([[np.zeros(3)], 1e-9 * np.eye(3), -1e-9 * np.eye(3)]):
                touch = touches(cube, at(R, (long + gap) * way + aside), cube, at(R, np.zeros(3)))[0]
                assert abs(touch.gap - gap) < 2e-9
                normals.append([*touch.normal])
            np.testing.assert_allclose(normals, np.tile(way, (7, 1)), atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_gaps_and_normals_of_boxes_are_continuous(seed: int) -> None:
    """On the way past another box, from apart to shallow overlaps, nothing jumps by more than the step explains."""
    rng = np.random.default_rng(seed)
    _, A, a = placed(rng, 1.0, 1.0)
    ha, hb = np.array([0.2, 0.1, 0.3]), np.array([0.15, 0.25, 0.1])
    first, second = Box(Vec3(*(2.0 * ha).tolist())), Box(Vec3(*(2.0 * hb).tolist()))
    B = np.eye(3)
    p, q = nearest(ha, A, a, hb, B, np.zeros(3))
    aside = np.cross(p - q, rng.normal(size=3))
    aside /= np.linalg.norm(aside)
    last = None
    for t in np.linspace(-0.5, 0.5, 2001):
        place = a - (p - q) + t * aside
        found = [x for x in touches(first, at(A, place), second, at(B, np.zeros(3))) if x.gap < FAR]
        gap, n = min(x.gap for x in found), np.array([*found[0].normal])
        if last is not None and min(gap, last[0]) > -0.005 and max(gap, last[0]) < 0.1:
            assert abs(gap - last[0]) < 1.5e-3  # three times the step
            assert np.linalg.norm(n - last[1]) < 0.5
        last = gap, n
