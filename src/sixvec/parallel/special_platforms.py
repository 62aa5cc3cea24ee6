"""Platforms with six legs whose geometry makes the equations of closure nearly linear.

Similar planar platforms: base points w = (u, v, 0), platform points κ w, after both frames were put into the planes.
Five points on a line: of the platform, over a planar base, or the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from sixvec.arguments import Array
from sixvec.parallel.design import dimension
from sixvec.tolerances import EQUAL

CANDIDATES = 16
CLEAR = 1e-10
"""The discriminant of a real candidate must exceed this, relative, to be certain."""


@dataclass(frozen=True, eq=False)
class Similar:
    """Frames of the two planes, in the base's and the platform's frame, the ratio κ and the points (6, 2)."""

    base: Array
    platform: Array
    ratio: float
    points: Array


def similarity(base: Array, platform: Array, rounding: float = 0.0) -> Similar | None:
    """The similarity of planar pivots (6, 3): scaling, rotation, reflection; None if not similar."""
    if dimension(base, rounding) != 2 or dimension(platform, rounding) != 2:
        return None
    below, above = _plane(base), _plane(platform)
    w, x = (((p - F[:3, 3]) @ F[:3, :3])[:, :2] for p, F in ((base, below), (platform, above)))
    for mirror in (1.0, -1.0):
        z, y = w @ [1.0, 1.0j], x @ [1.0, mirror * 1.0j]
        k = (z.conj() @ y) / (z.conj() @ z)  # both are about their centres: least squares of y = k z
        if np.abs(y - k * z).max() < EQUAL * np.abs(z).max() + rounding:
            c, s = (k / abs(k)).real, (k / abs(k)).imag
            turn = np.eye(4)
            turn[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            flip = np.diag([1.0, mirror, mirror, 1.0])
            return Similar(below, above @ flip @ turn, float(abs(k)), w)
    return None


def similar_poses(s: Similar, lengths: Array) -> tuple[Array, bool]:
    """Candidates (16, 4, 4) for the platform's pose, NaN where they are not real; and whether that is certain.

    Squared lengths are linear in |p|², X = κ p·R e_x - p_x, Y likewise, r11, r12 + r21 and r22.  The upper left block M
    of a rotation has  1 - |M|² + det² M = 0, a quadratic for ((r12 - r21) / 2)²; the rest of R follows, and p from
    two planes and a sphere.
    """
    u, v = s.points.T
    k = s.ratio
    A = np.stack([np.ones(6), 2 * u, 2 * v, -2 * k * u * u, -2 * k * u * v, -2 * k * v * v], axis=-1)
    pp, X, Y, a, c, d = np.linalg.solve(A, lengths**2 - (1.0 + k * k) * (u * u + v * v))
    D = a * d - c * c / 4.0
    poses = np.full((CANDIDATES, 4, 4), np.nan)
    discriminant = (D - 1.0) ** 2 - (D * D + 1.0 - a * a - d * d - c * c / 2.0)
    margins = [discriminant / (1.0 + D * D)]
    roots = np.roots([1.0, 2.0 * D - 2.0, D * D + 1.0 - a * a - d * d - c * c / 2.0])
    for n, (root, side, up, far) in enumerate(product(roots, (1, -1), (1, -1), (1, -1))):
        if abs(root.imag) > 1e-9 * (1.0 + abs(root)):
            continue
        margins.append(root.real)
        if root.real < 0.0:
            continue
        h = side * np.sqrt(root.real)
        M = np.array([[a, c / 2.0 + h], [c / 2.0 - h, d]])
        remainder = np.eye(2) - M.T @ M  # the outer product of (r31, r32) with itself
        j = int(remainder[1, 1] > remainder[0, 0])
        margins.append(remainder[j, j])
        if remainder[j, j] < 0.0:
            continue
        third = up * remainder[j] / np.sqrt(remainder[j, j]) if remainder[j, j] > 0.0 else np.zeros(2)
        x, y = np.append(M[:, 0], third[0]), np.append(M[:, 1], third[1])
        R = np.stack([x, y, np.cross(x, y)], axis=-1)
        planes = np.stack([k * x - [1, 0, 0], k * y - [0, 1, 0]])
        p0 = np.linalg.pinv(planes) @ [X, Y]
        along = np.cross(*planes)
        height = pp - p0 @ p0
        margins += [height / (1.0 + abs(pp)), along @ along]
        if height < 0.0 or not along @ along > 0.0:
            continue
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, p0 + far * along * np.sqrt(height / (along @ along))
        poses[n] = s.base @ T @ np.linalg.inv(s.platform)
    return poses, min(map(abs, margins)) > CLEAR


@dataclass(frozen=True, eq=False)
class Collinear:
    """Five platform points on a line, over a planar base; or mirrored roles, where poses are inverted."""

    plane: Array
    """Pose of the base's plane."""
    five: tuple[int, ...]
    origin: Array
    direction: Array
    base: Array
    platform: Array
    swapped: bool


def five_collinear(base: Array, platform: Array, rounding: float = 0.0) -> Collinear | None:
    """Which five pivots lie on a line, on one side, while the other side is planar; None if none do."""
    for a, b, swapped in ((base, platform, False), (platform, base, True)):
        if dimension(a, rounding) != 2:
            continue
        for five in combinations(range(6), 5):
            points = b[list(five)]
            middle = points.mean(axis=0)
            _, values, Vt = np.linalg.svd(points - middle)
            if values[1] < EQUAL * values[0] + rounding and _all_apart(points):
                return Collinear(_plane(a), five, middle, Vt[0], a, b, swapped)
    return None


def collinear_poses(g: Collinear, lengths: Array) -> tuple[Array, bool]:
    """Candidates (16, 4, 4), NaN where they are not real; and whether that is certain.

    Legs to points p + t u are linear in (|p|², p·u, p_x, p_y, u_x, u_y): a line of solutions, on which
    (p·u - p_x u_x - p_y u_y)² = (|p|² - p_x² - p_y²)(1 - u_x² - u_y²) is a quartic.  The sixth leg then determines the
    rotation about u, and every solution has a mirror image in the plane of the base.
    """
    five = list(g.five)
    a = ((g.base - g.plane[:3, 3]) @ g.plane[:3, :3])[:, :2]
    t = (g.platform[five] - g.origin) @ g.direction
    x, y = a[five].T
    A = np.stack([np.ones(5), 2 * t, -2 * x, -2 * y, -2 * t * x, -2 * t * y], axis=-1)
    b = lengths[five] ** 2 - t * t - x * x - y * y
    U, values, Vt = np.linalg.svd(A)
    z0, n = Vt[:5].T @ ((U.T @ b) / values), Vt[5]
    samples = np.cos(np.pi * (np.arange(5) + 0.5) / 5) * (np.linalg.norm(z0) + 1.0)
    curve = np.polyfit(samples, [_on_line(z0 + s * n) for s in samples], 4)
    poses = np.full((CANDIDATES, 4, 4), np.nan)
    other = next(k for k in range(6) if k not in g.five)
    roots = np.roots(curve)[:4]
    margins = [abs(a - b) ** 2 / (1.0 + abs(a) ** 2) for a, b in combinations(roots, 2)]
    for i, root in enumerate(roots):
        if abs(root.imag) > 1e-7 * (1.0 + abs(root)):
            continue
        pp, pu, px, py, ux, uy = z0 + root.real * n
        heights = pp - px * px - py * py, 1.0 - ux * ux - uy * uy
        margins += [heights[0] / (1.0 + abs(pp)), heights[1]]
        if min(heights) < -EQUAL * (1.0 + pp):  # both may be negative: the quartic contains only their product
            continue
        for j, (mirror, turn) in enumerate(product((1, -1), (0, 1))):
            pz = mirror * np.sqrt(max(0.0, heights[0]))
            remainder = pu - px * ux - py * uy
            uz = remainder / pz if abs(pz) > EQUAL else mirror * np.sqrt(max(0.0, heights[1]))
            p, u = np.array([px, py, pz]), np.array([ux, uy, uz])
            T, margin = _turned(g, p, u / np.linalg.norm(u), np.append(a[other], 0.0), lengths[other], other, turn)
            margins.append(margin)
            if T is not None:
                X = g.plane @ T
                poses[4 * i + j] = np.linalg.inv(X) if g.swapped else X
    return poses, min(map(abs, margins)) > CLEAR


def _turned(
    g: Collinear, p: Array, u: Array, a: Array, length: float, other: int, turn: int
) -> tuple[Array | None, float]:
    """The pose with the line at p along u, rotated so that the sixth leg has its length: A cos θ + B sin θ = K."""
    local = _axes(g.direction)
    world = _axes(u)
    c = local.T @ (g.platform[other] - g.origin)  # along the line, and off it
    d = p + u * c[0] - a
    one = world[:, 1] * c[1] + world[:, 2] * c[2]
    two = world[:, 2] * c[1] - world[:, 1] * c[2]
    A, B = 2.0 * d @ one, 2.0 * d @ two
    K = length**2 - d @ d - one @ one
    rho = np.hypot(A, B)
    margin = float((rho * rho - K * K) / (1.0 + rho * rho))
    if not rho > 0.0 or abs(K) > rho:
        return None, margin
    angle = np.arctan2(B, A) + (np.arccos(K / rho) if turn else -np.arccos(K / rho))
    cs, sn = np.cos(angle), np.sin(angle)
    spun = np.stack(
        [world[:, 0], world[:, 1] * cs + world[:, 2] * sn, world[:, 2] * cs - world[:, 1] * sn], axis=-1
    )  # fmt: skip
    T = np.eye(4)
    T[:3, :3] = spun @ local.T
    T[:3, 3] = p - T[:3, :3] @ g.origin
    return T, margin


def _on_line(z: Array) -> float:
    pp, pu, px, py, ux, uy = z
    return float((pu - px * ux - py * uy) ** 2 - (pp - px * px - py * py) * (1.0 - ux * ux - uy * uy))


def _axes(u: Array) -> Array:
    """Columns u and two perpendicular ones, right-handed."""
    v = np.cross(u, np.eye(3)[np.abs(u).argmin()])
    v = v / np.linalg.norm(v)
    return np.stack([u, v, np.cross(u, v)], axis=-1)


def _plane(points: Array) -> Array:
    """A frame in the middle of coplanar points whose z axis is the normal."""
    middle = points.mean(axis=0)
    Vt = np.linalg.svd(points - middle)[2]
    F = np.eye(4)
    F[:3, :3] = np.stack([Vt[0], Vt[1], np.cross(Vt[0], Vt[1])], axis=-1)
    F[:3, 3] = middle
    return F


def _all_apart(points: Array) -> bool:
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(len(points)) * np.ptp(points)
    return bool(gaps.min() > EQUAL * gaps.max())
