"""The impulse of one contact alone: Coulomb's law in three dimensions, solved exactly.

With p the impulse along the normal and up to two tangents, u = G p + f the velocities it leads to, and f those without
it, one of three cases holds:

    open    f_n ≥ 0:        p = 0
    stick   p = -G⁻¹ f      if it lies in the cone |p_t| ≤ μ p_n
    slide   u_n = 0,  p_t = μ p_n d,  u_t = -λ d  with λ ≥ 0 and a unit vector d

A contact that slides in direction d has the normal impulse  p_n = -f_n / D  with  D = G_nn + μ G_nt·d, so that the
tangential velocity is parallel to  e(d) = D f_t - f_n (G_tn + μ G_tt d).  The direction is a root of  e(d) × d  with
e(d)·d ≤ 0.  It is found by Newton's method for the angle, from the direction of a projected step of the last impulse.
Where this fails, the projected step itself is taken, which improves on p wherever p is not the solution.

With much friction a contact that could open may also jam: both satisfy the law.  Then it stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.scalar import Scalar, guard, sqrt, where

Matrix = Sequence[Sequence[Any]]

PROXIMAL = 1e-9
"""Added to the diagonal of G, relative to it: the rows of a contact may depend on each other."""

TINY = 1e-30
"""Avoids division by zero; far below the square of any velocity."""

REFINEMENTS = 2
"""Newton's steps for the sliding direction; sweeps over several contacts repeat them from a better start."""

LARGEST_TURN = 0.5
"""Of one of these steps, in radians."""

PARALLEL = 0.05
"""A direction is accepted if the sine of the angle between it and the tangential velocity is at most this: the next
sweep refines it."""


def inverses(G: Matrix, mu: Scalar) -> list[Scalar]:
    """The quotients of `contact_impulse` that do not depend on velocities: the same in all sweeps of a step."""
    if len(G) == 1:
        return [1.0 / (G[0][0] + TINY)]
    if len(G) == 2:
        (nn, nt), tt = G[0], G[1][1]
        a, c = nn * (1.0 + PROXIMAL), tt * (1.0 + PROXIMAL) + TINY
        sides = (nn + mu * nt, nn - mu * nt)
        return [1.0 / (a * c - nt * nt + TINY), *(1.0 / where(where(D < 0.0, -D, D) > TINY, D, 1.0) for D in sides)]
    (nn, nt, ns), (_, tt, ts), ss = G[0], G[1], G[2][2]
    slipping = fastest(tt, ts, ss)
    tt, ss = tt * (1.0 + PROXIMAL) + TINY, ss * (1.0 + PROXIMAL) + TINY
    scale = 1.0 / (tt * ss - ts * ts + TINY)
    a, b = (ss * nt - ts * ns) * scale, (tt * ns - ts * nt) * scale
    pivot = 1.0 / (nn * (1.0 + PROXIMAL) - nt * a - ns * b + TINY)
    return [1.0 / (nn + TINY), 1.0 / (slipping + TINY), scale, pivot]


def count_of_inverses(rows: int) -> int:
    """The length of `inverses`."""
    return (1, 3, 4)[rows - 1]


def contact_impulse(
    G: Matrix,
    f: Sequence[Scalar],
    mu: Scalar,
    p: Sequence[Scalar],
    refinements: int = REFINEMENTS,
    known: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """The impulse of a contact: rows normal first, then up to two tangents; p is an estimate, `known` the `inverses`.

    >>> [round(x, 6) for x in contact_impulse([[1.0, 0.0], [0.0, 2.0]], [-1.0, 0.5], 0.5, [0.0, 0.0])]
    [1.0, -0.25]
    >>> [round(x, 6) for x in contact_impulse([[1.0, 0.0], [0.0, 2.0]], [-1.0, 9.0], 0.5, [0.0, 0.0])]
    [1.0, -0.5]
    """
    known = inverses(G, mu) if known is None else known
    if len(f) == 1:
        pressed = -f[0] * known[0]
        return [where(pressed > 0.0, pressed, 0.0)]
    if len(f) == 2:
        return _planar(G, f, mu, p, known)
    found, sticks = _spatial(G, f, mu, p, refinements, known)
    opens = where(sticks > 0.5, where(p[0] > 0.0, 0.0, 1.0), 1.0) * where(f[0] > 0.0, 1.0, 0.0)
    return [where(opens > 0.5, 0.0, x) for x in found]


def _planar(G: Matrix, f: Sequence[Scalar], mu: Scalar, p: Sequence[Scalar], known: Sequence[Scalar]) -> list[Scalar]:
    """With one tangent the direction of sliding is one of two."""
    (nn, nt), tt = G[0], G[1][1]
    a, c = nn * (1.0 + PROXIMAL), tt * (1.0 + PROXIMAL) + TINY
    scale = known[0]
    u = [f[k] + G[k][0] * p[0] + G[k][1] * p[1] for k in (0, 1)]
    normal, tangent = p[0] + (nt * u[1] - c * u[0]) * scale, p[1] + (nt * u[0] - a * u[1]) * scale
    sticks = where(where(tangent < 0.0, -tangent, tangent) < mu * normal, 1.0, 0.0)
    result = [where(sticks > 0.5, x, 0.0) for x in (normal, tangent)]
    solved: Scalar = sticks
    for side, inverse in ((1.0, known[1]), (-1.0, known[2])):
        pressed = -f[0] * inverse
        slip = f[1] + (nt + side * mu * tt) * pressed
        slides = where(pressed > 0.0, where(side * slip < 0.0, 1.0, 0.0), 0.0) * (1.0 - solved)
        result = [where(slides > 0.5, x, y) for x, y in zip((pressed, side * mu * pressed), result, strict=True)]
        solved = solved + slides
    opens = where(f[0] > 0.0, where(solved > 0.5, where(p[0] > 0.0, 0.0, 1.0), 1.0), 0.0)
    return [where(opens > 0.5, 0.0, x) for x in result]


def _spatial(
    G: Matrix, f: Sequence[Scalar], mu: Scalar, p: Sequence[Scalar], refinements: int, known: Sequence[Scalar]
) -> tuple[list[Scalar], Scalar]:
    """The impulse if the contact does not open, and whether it sticks (1 or 0)."""
    (nn, nt, ns), (_, tt, ts), ss = G[0], G[1], G[2][2]
    u = [f[k] + G[k][0] * p[0] + G[k][1] * p[1] + G[k][2] * p[2] for k in range(3)]
    stick = [x + y for x, y in zip(p, _halting(nt, ns, tt, ts, ss, u, *known[2:]), strict=True)]
    edge = stick[1] * stick[1] + stick[2] * stick[2] < mu * mu * stick[0] * stick[0]
    sticks = where(edge, where(stick[0] > 0.0, 1.0, 0.0), 0.0)
    step = known[1]
    d = _unit([p[1] - step * u[1], p[2] - step * u[2]])
    for _ in range(refinements):
        cross, along, slope, _ = _edge(nn, nt, ns, tt, ts, ss, f, mu, d)
        steep = where(slope < 0.0, -slope, slope) + TINY
        turn = cross / steep
        turn = where(turn > LARGEST_TURN, LARGEST_TURN, where(turn < -LARGEST_TURN, -LARGEST_TURN, turn))
        d = _turned(d, turn)
    cross, along, _, D = _edge(nn, nt, ns, tt, ts, ss, f, mu, d)
    is_parallel = cross * cross < (PARALLEL * PARALLEL) * along * along
    is_root = where(is_parallel, where(along < 0.0, where(D > 0.0, 1.0, 0.0), 0.0), 0.0) > 0.5
    normal = where(f[0] < 0.0, -f[0], 0.0) / where(is_root, D, 1.0)
    projected = _projected(G, u, p, mu, known)
    sliding = [
        where(is_root, x, y) for x, y in zip((normal, mu * normal * d[0], mu * normal * d[1]), projected, strict=True)
    ]
    return guard(sticks < 0.5, sliding, stick), sticks


def _halting(nt: Any, ns: Any, tt: Any, ts: Any, ss: Any, f: Sequence[Any], scale: Any, pivot: Any) -> list[Scalar]:
    """-G⁻¹ f: what halts a contact with the velocities f."""
    tt, ss = tt * (1.0 + PROXIMAL) + TINY, ss * (1.0 + PROXIMAL) + TINY
    a, b = (ss * nt - ts * ns) * scale, (tt * ns - ts * nt) * scale
    normal = (a * f[1] + b * f[2] - f[0]) * pivot
    x, y = -f[1] - nt * normal, -f[2] - ns * normal
    return [normal, (ss * x - ts * y) * scale, (tt * y - ts * x) * scale]


def _edge(nn: Any, nt: Any, ns: Any, tt: Any, ts: Any, ss: Any, f: Any, mu: Any, d: Any) -> tuple[Any, ...]:
    """e × d, e·d, the derivative of the former by the angle, and D."""
    D = nn + mu * (nt * d[0] + ns * d[1])
    x = f[1] * D - f[0] * (nt + mu * (tt * d[0] + ts * d[1]))
    y = f[2] * D - f[0] * (ns + mu * (ts * d[0] + ss * d[1]))
    turned = mu * (ns * d[0] - nt * d[1])
    dx = f[1] * turned - f[0] * mu * (ts * d[0] - tt * d[1])
    dy = f[2] * turned - f[0] * mu * (ss * d[0] - ts * d[1])
    along = x * d[0] + y * d[1]
    return x * d[1] - y * d[0], along, dx * d[1] - dy * d[0] + along, D


def _projected(G: Matrix, u: Sequence[Any], p: Sequence[Any], mu: Any, known: Sequence[Any]) -> list[Scalar]:
    """A projected Gauss-Seidel step: the normal row, then both tangents."""
    normal, step = p[0] - u[0] * known[0], known[1]
    normal = where(normal > 0.0, normal, 0.0)
    change = normal - p[0]
    return [normal, *on_disc([p[k] - step * (u[k] + G[0][k] * change) for k in (1, 2)], mu * normal)]


def _turned(d: Sequence[Any], angle: Any) -> list[Scalar]:
    """A unit vector, turned by nearly this small angle: its half is taken for the tangent of the half."""
    half = 0.5 * angle
    square = half * half
    scale = 1.0 / (1.0 + square)
    cosine, sine = (1.0 - square) * scale, angle * scale
    return [cosine * d[0] - sine * d[1], cosine * d[1] + sine * d[0]]


def _unit(x: Sequence[Any]) -> list[Scalar]:
    length = 1.0 / sqrt(x[0] * x[0] + x[1] * x[1] + TINY)
    return [x[0] * length, x[1] * length]


def on_disc(x: Sequence[Scalar], radius: Scalar) -> list[Scalar]:
    """The point of a disc nearest to x."""
    square, limit = x[0] * x[0] + x[1] * x[1], radius * radius
    outside = square > limit
    shrink = where(outside, radius / sqrt(where(outside, square, 1.0)), 1.0)
    return [x[0] * shrink, x[1] * shrink]


def fastest(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """The larger eigenvalue of [[a, b], [b, c]]."""
    half = (a - c) * 0.5
    return (a + c) * 0.5 + sqrt(half * half + b * b + TINY)
