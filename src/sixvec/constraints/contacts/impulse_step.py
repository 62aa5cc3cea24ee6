"""One step towards the impulses of contacts with friction, written on scalars: it is repeated until convergence.

With G = J M⁻¹ Jᵀ the Delassus matrix and b the velocities that the rows would have without contacts, the impulses p and
the velocities u = G p + b satisfy, block by block,

    a stop     0 ≤ p ⊥ u ≥ 0
    a contact  0 ≤ p_n ⊥ u_n ≥ 0,   p_t = Π(p_t - r u_t)  with Π the projection to the disc of radius μ p_n
    friction   p = Π(p - r u)  with Π the projection to |p| ≤ f
    a disc     p_t = Π(p_t - r u_t)  with Π the projection to the disc of radius f: a wheel with a largest force

(Coulomb's law, not a convex relaxation: sliding contacts do not lift off).  A step makes two sweeps of projected
Gauss-Seidel, which determine what opens, sticks and slides, and then Newton's step for the resulting
equations (Alart and Curnier 1991); it keeps the better result.  Rows may depend on each other: the
Newton matrix is damped, the conditions are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial.linear import dot, eliminate
from sixvec.spatial.norm import larger_or_nan

Kind = Literal["contact", "stop", "friction", "disc"]
WIDTH: dict[Kind, int] = {"contact": 3, "stop": 1, "friction": 1, "disc": 2}
"""The number of rows of a block."""

BILATERAL: tuple[Kind, ...] = ("friction", "disc")
"""Kinds whose rows resist both ways, within a fixed limit."""

Matrix = Sequence[Sequence[Any]]
Block = tuple[Kind, list[int]]
Solver = Callable[[list[list[Scalar]], list[Scalar]], list[Scalar]]

SWEEPS = 2
"""Sweeps of a step."""

GAIN = 0.9
STRAYED = 1e6
SAME = 1e-6
"""Newton's step must reduce the misfit to less than this fraction; but if the sweeps do not achieve this either, it is
accepted anyway, unless it increases the misfit by this factor or leaves it equal: it changes which contacts are
open."""

LARGEST_SOLVED = 24
"""Rows up to which Newton's step is taken: code size grows with the cube of their number."""

DAMPING = 1e-10
"""Of Newton's matrix, relative to its diagonal: where rows depend on each other, pivots are at least this large."""

VANISHING = 1e-10
"""A row with less than this fraction of the mean mobility is fixed, and its impulse is zero."""

NEVER_ZERO = 1e-300
"""Avoids division by zero where no row can move."""

UNKNOWN = 1e30
"""The misfit of a start that has not been evaluated."""


def improved(
    G: Matrix,
    b: Sequence[Scalar],
    p: Sequence[Scalar],
    residual: Scalar,
    kinds: Sequence[Kind],
    limits: Sequence[Scalar],
    fraction: Scalar = 1.0,
    solved: Solver | None = None,
) -> tuple[list[Scalar], list[Scalar], Scalar]:
    """Better impulses than p, which violate the conditions by `residual`; their velocities and violation (m/s).

    `limits` are μ of contacts and f of friction and discs; along normals sweeps are scaled by `fraction`.  Newton's
    step is accepted if it improves on p, since it may undo the sweeps, and if neither improves.  It is computed if
    there are few rows, by elimination, or if a function for A⁻¹ c is given.
    """
    blocks = blocks_of(kinds)
    steps = steps_of(G, blocks)
    m = len(b)
    if solved is None and m <= LARGEST_SOLVED:
        solved = _newton_step
    swept = sweeps(G, b, p, blocks, limits, steps, fraction)
    first, rates = misfit(G, b, swept, kinds, limits)
    if solved is None:
        return swept, rates, first
    newton = _newton(G, b, swept, blocks, limits, steps, solved)
    second, newton_rates = misfit(G, b, newton, kinds, limits)
    aim = GAIN * residual
    back = where(second > (1.0 - SAME) * residual, where(second < (1.0 + SAME) * residual, 1.0, 0.0), 0.0)
    stuck = where(first > aim, where(second < STRAYED * residual, 1.0 - back, 0.0), 0.0)
    better = where(second < where(first < aim, first, aim), 1.0, stuck) > 0.5
    taken = [where(better, x, y) for x, y in zip(newton + newton_rates, swept + rates, strict=True)]
    return taken[:m], taken[m:], where(better, second, first)


def sweeps(
    G: Matrix,
    b: Sequence[Scalar],
    p: Sequence[Scalar],
    blocks: Sequence[Block],
    limits: Sequence[Scalar],
    steps: Sequence[Sequence[Scalar]],
    fraction: Scalar = 1.0,
    count: int = SWEEPS,
) -> list[Scalar]:
    """p after projected Gauss-Seidel sweeps with r of `steps_of`; scaled along normals by `fraction`."""
    p = list(p)
    for _ in range(count):
        for (kind, at), limit, step in zip(blocks, limits, steps, strict=True):
            i, tangents = at[0], _tangents(kind, at)
            if kind != "disc":
                p[i] = p[i] + fraction * (_normal(kind, p[i] - step[0] * _rate(G, b, p, i), limit) - p[i])
            if tangents:
                rates = [_rate(G, b, p, k) for k in tangents]
                slid = [p[k] - step[-1] * u for k, u in zip(tangents, rates, strict=True)]
                p[tangents[0]], p[tangents[1]] = on_disc(slid, _radius(kind, limit, p[i]))
    return p


def without_energy(p: Sequence[Scalar], Gp: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """s p with the largest s ≤ 1 for which these impulses add no kinetic energy: 1 wherever they satisfy the laws.

    They add  p·b + ½ pᵀ G p,  with the velocities b without them.
    """
    work, needed = -2.0 * dot(p, b), dot(p, Gp)
    gains = needed > work
    s = where(gains, where(work > 0.0, work, 0.0) / where(gains, where(needed > 0.0, needed, 1.0), 1.0), 1.0)
    return [s * x for x in p]


def misfit(
    G: Matrix, b: Sequence[Scalar], p: Sequence[Scalar], kinds: Sequence[Kind], limits: Sequence[Scalar]
) -> tuple[Scalar, list[Scalar]]:
    """The largest violation of the conditions, as a velocity |p - Π(p - r u)| / r of every block; and u itself."""
    blocks = blocks_of(kinds)
    rates = [_rate(G, b, p, i) for i in range(len(b))]
    worst: Scalar = 0.0
    for (kind, at), limit, step in zip(blocks, limits, steps_of(G, blocks), strict=True):
        u = [rates[i] for i in at]
        scale = [inverse(s) for s in step]
        misses, tangents = [], _tangents(kind, at)
        if kind != "disc":
            misses.append((p[at[0]] - _normal(kind, p[at[0]] - step[0] * u[0], limit)) * scale[0])
        if kind not in BILATERAL:  # a fixed row has no impulse: its velocity cannot be changed
            misses.append(where(step[0] > 0.0, 0.0, where(u[0] < 0.0, u[0], 0.0)))
        if tangents:
            slid = on_disc([p[i] - step[-1] * rates[i] for i in tangents], _radius(kind, limit, p[at[0]]))
            misses += [(p[i] - x) * scale[-1] for i, x in zip(tangents, slid, strict=True)]
        for miss in misses:
            worst = larger_or_nan(worst, where(miss < 0.0, -miss, miss))
    return worst, rates


def on_disc(x: Sequence[Scalar], radius: Scalar) -> list[Scalar]:
    """The point of a disc nearest to x."""
    square, limit = x[0] * x[0] + x[1] * x[1], radius * radius
    outside = square > limit
    shrink = where(outside, radius / sqrt(where(outside, square, 1.0)), 1.0)
    return [x[0] * shrink, x[1] * shrink]


def blocks_of(kinds: Sequence[Kind]) -> list[Block]:
    blocks, start = [], 0
    for kind in kinds:
        blocks.append((kind, [*range(start, start + WIDTH[kind])]))
        start += WIDTH[kind]
    return blocks


def _tangents(kind: Kind, at: Sequence[int]) -> Sequence[int]:
    """The two rows along which a block slides, if any."""
    return at[1:] if kind == "contact" else at if kind == "disc" else ()


def _radius(kind: Kind, limit: Scalar, normal: Scalar) -> Scalar:
    return limit if kind == "disc" else limit * normal


def steps_of(G: Matrix, blocks: Sequence[Block]) -> list[list[Scalar]]:
    """r of each block, tangents last: the inverse of the row's mobility, for tangents of the larger principal one."""
    least = sum((row[i] for i, row in enumerate(G)), 0.0) * (VANISHING / max(1, len(G))) + NEVER_ZERO
    all_steps = []
    for kind, at in blocks:
        i, tangents = at[0], _tangents(kind, at)
        steps = [] if kind == "disc" else [_reciprocal(G[i][i], least)]
        if tangents:
            j, k = tangents
            half, off = (G[j][j] - G[k][k]) * 0.5, G[j][k]
            fastest = (G[j][j] + G[k][k]) * 0.5 + sqrt(half * half + off * off + NEVER_ZERO)
            steps.append(_reciprocal(fastest, least))
        all_steps.append(steps)
    return all_steps


def _reciprocal(x: Scalar, least: Scalar) -> Scalar:
    return where(x > least, 1.0 / where(x > least, x, 1.0), 0.0)


def inverse(step: Scalar) -> Scalar:
    return where(step > 0.0, 1.0 / where(step > 0.0, step, 1.0), 0.0)


def _rate(G: Matrix, b: Sequence[Scalar], p: Sequence[Scalar], i: int) -> Scalar:
    """Row i of G p + b."""
    return sum((g * x for g, x in zip(G[i], p, strict=True)), b[i])


def _normal(kind: Kind, x: Scalar, limit: Scalar) -> Scalar:
    if kind == "friction":
        return where(x > limit, limit, where(x < -limit, -limit, x))
    return where(x > 0.0, x, 0.0)


def _newton(
    G: Matrix,
    b: Sequence[Scalar],
    p: Sequence[Scalar],
    blocks: Sequence[Block],
    limits: Sequence[Scalar],
    steps: Sequence[Sequence[Scalar]],
    solved: Solver,
) -> list[Scalar]:
    """p after Newton's step for the conditions, projected to the admissible impulses."""
    m = len(b)
    A: list[list[Scalar]] = [[0.0] * m for _ in range(m)]
    c: list[Scalar] = [0.0] * m
    u = [_rate(G, b, p, i) for i in range(m)]
    for (kind, at), limit, step in zip(blocks, limits, steps, strict=True):
        i, scale = at[0], [where(s > 0.0, inverse(s), 1.0) for s in step]
        if kind == "disc":
            _slip_rows(G, p, u, None, at, limit, step[0], scale[0], where(step[0] > 0.0, 1.0, 0.0), A, c)
            continue
        reached = p[i] - step[0] * u[i]
        if kind == "friction":
            size = where(reached < 0.0, -reached, reached)
            moves = where(size < limit, 1.0, 0.0)
            still = where(reached < 0.0, -limit, limit) - p[i]
        else:
            moves, still = where(reached > 0.0, 1.0, 0.0), -p[i]
        moves = moves * where(step[0] > 0.0, 1.0, 0.0)
        A[i] = [g * moves for g in G[i]]
        A[i][i] = A[i][i] + scale[0] * (DAMPING * moves + 1.0 - moves)
        c[i] = where(moves > 0.5, -u[i], still * scale[0])
        if kind == "contact":
            _slip_rows(G, p, u, i, at[1:], limit, step[1], scale[1], moves, A, c)
    d = solved(A, c)
    fraction = _part_allowed(p, d, blocks, limits)
    moved = [x + fraction * y for x, y in zip(p, d, strict=True)]
    for (kind, at), limit in zip(blocks, limits, strict=True):
        tangents = _tangents(kind, at)
        if kind != "disc":
            moved[at[0]] = _normal(kind, moved[at[0]], limit)
        if tangents:
            radius = _radius(kind, limit, moved[at[0]])
            moved[tangents[0]], moved[tangents[1]] = on_disc([moved[k] for k in tangents], radius)
    return moved


def _part_allowed(
    p: Sequence[Scalar], d: Sequence[Scalar], blocks: Sequence[Block], limits: Sequence[Scalar]
) -> Scalar:
    """The fraction of a step d that keeps normal impulses positive and friction within its limits.

    If rows depend on each other and are infeasible, the step is long, along impulses that balance each
    other; the first that vanishes opens.
    """
    fraction: Scalar = 1.0
    for (kind, at), limit in zip(blocks, limits, strict=True):
        if kind == "disc":
            continue  # projected
        i = at[0]
        size = where(d[i] < 0.0, -d[i], d[i])
        if kind == "friction":
            margin = where(d[i] < 0.0, limit + p[i], limit - p[i])
        else:
            margin = where(d[i] < 0.0, p[i], size)
        ends = where(margin > 0.0, where(size * fraction > margin, 1.0, 0.0), 0.0) > 0.5
        fraction = where(ends, margin / where(ends, size, 1.0), fraction)
    return fraction


def _slip_rows(
    G: Matrix, p: Sequence[Scalar], u: Sequence[Scalar], normal: int | None, tangents: Sequence[int], limit: Scalar,
    step: Scalar, scale: Scalar, closed: Scalar, A: list[list[Scalar]], c: list[Scalar],
) -> None:  # fmt: skip
    """The tangential equations: u_t = 0 if sticking, p_t = μ p_n d if sliding, p_t = 0 if open.

    d is the direction of s = p_t - r u_t, which turns with s: ∂(μ p_n d) = μ d ∂p_n + κ (1 - d dᵀ) ∂s, κ = μ p_n / |s|.
    Discs have no normal row: f in place of μ p_n.
    """
    s = [p[k] - step * u[k] for k in tangents]
    square, radius = s[0] * s[0] + s[1] * s[1], limit if normal is None else limit * p[normal]
    slides = where(square > radius * radius, closed, 0.0)
    length = sqrt(where(slides > 0.5, square, 1.0))
    d = [x / length for x in s]
    kappa = radius / length
    across = [[kappa * ((1.0 if i == j else 0.0) - d[i] * d[j]) for j in range(2)] for i in range(2)]
    for i, k in enumerate(tangents):
        row = []
        for j in range(len(G)):
            turned = across[i][0] * G[tangents[0]][j] + across[i][1] * G[tangents[1]][j]
            row.append(closed * where(slides > 0.5, turned, G[k][j]))
        slopes = [
            where(slides > 0.5, (1.0 if i == j else 0.0) - across[i][j], DAMPING if i == j else 0.0) for j in range(2)
        ]
        for j, other in enumerate(tangents):
            row[other] = row[other] + scale * where(closed > 0.5, slopes[j], 1.0 if i == j else 0.0)
        if normal is not None:
            row[normal] = row[normal] - where(slides > 0.5, scale * limit * d[i], 0.0)
        A[k] = row
        sliding = scale * (radius * d[i] - p[k])
        c[k] = where(closed > 0.5, where(slides > 0.5, sliding, -u[k]), -scale * p[k])


def _newton_step(A: list[list[Scalar]], c: list[Scalar]) -> list[Scalar]:
    """A⁻¹ c without pivots; if one vanishes, the result is not finite and is rejected."""
    return [x for (x,) in eliminate(A, [[y] for y in c], pivoting=False)]
