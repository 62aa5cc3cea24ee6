"""Two boxes by an independent route: separating directions, then a face clipped side by side (Sutherland, Hodgman)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from sixvec.constraints.contacts import touches
from sixvec.constraints.contacts.box_pair import DEPTH, FACES_FIRST
from sixvec.distance.pairs.touch import FAR
from sixvec.geometry.rigid_body.solids import Box
from sixvec.spatial import Pose, Quaternion, Vec3

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
    for trial in range(200):
        ha, hb = rng.uniform(0.1, 0.5, (2, 3))
        X, A, a = placed(rng, rng.uniform(0.1, 0.9), 0.05 if trial % 2 else 1.0)
        Y, B, b = placed(rng, 0.2, 1.0)
        first, second = (Box(Vec3(*(2.0 * h).tolist())) for h in (ha, hb))
        if trial % 2:
            X, A = Pose(Y.rot @ X.rot, X.pos), B @ A  # nearly parallel: faces
        n, points, crossing = expected(ha, A, a, hb, B, b)
        found = [t for t in touches(first, X, second, Y) if t.gap < FAR]
        seen[crossing, len(points)] = seen.get((crossing, len(points)), 0) + 1
        assert len(found) == len(points)
        for t, (place, gap) in zip(found, points, strict=True):
            assert np.allclose([*t.normal], n, atol=1e-9) and abs(t.gap - gap) < 1e-9
            assert np.allclose([*t.point], place, atol=1e-8)
    assert min(seen[True, 1], seen[False, 4]) > 50, seen
