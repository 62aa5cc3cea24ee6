"""Three joints, revolute or prismatic in any order, that position a point: a wrist centre, or a tip.

E₁(q₁) E₂(q₂) E₃(q₃) w = x  has at most four solutions.  Each order has its own two equations, made free of one joint by
using its invariants: the length of a vector and its component along the axis for a rotation, the components across the
direction for a slide (Pieper 1968 does so for three turns).  The results are waves (subproblems.py), quadratics, and,
if nothing separates, a quartic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.two_angles import TwoAngles, combined, from_root, on_circle, one_after_the_other
from sixvec.ik.closed_form.quartic import circle_equation
from sixvec.ik.closed_form.recognise import PARALLEL, foot, freedoms, normal_foot
from sixvec.ik.closed_form.subproblems import Turn, Wave, elbow, perpendicular, slides_to, square, turn_onto
from sixvec.ik.closed_form.target import Joints, constant
from sixvec.scalar import Scalar
from sixvec.spatial import Vec3
from sixvec.tolerances import EQUAL


@dataclass(frozen=True)
class Roots:
    """Solutions by way of a quartic: a rotation for each zero of the Fourier series (quartic.py), and the rest."""

    series: list[Scalar]
    complete: Callable[[Turn], Joints]


@dataclass(frozen=True)
class Carrier:
    """Three joints at q = 0 and the point `w` that they carry, with points on the axes that make equations short."""

    kinds: str
    axes: tuple[Vec3, ...]
    points: tuple[Vec3, ...]
    w: Vec3

    @classmethod
    def of(cls, chain: SerialChain, w: np.ndarray) -> Carrier:
        """The first three joints of a chain."""
        points = chain.points.copy()
        for i in (0, 1):
            if chain.kinds[i : i + 2] == "RR" and not (i and chain.kinds[0] == "R"):
                points[i] = normal_foot(chain, i + 1, i)
                points[i + 1] = normal_foot(chain.with_points(points), i, i + 1)
        if chain.kinds[2] == "R" and chain.kinds[:2] != "PR":
            points[2] = foot(chain, 2, w)
        arm = chain.with_points(points).snapped()
        return cls(
            chain.kinds[:3], tuple(map(constant, arm.axes[:3])), tuple(map(constant, arm.points[:3])), constant(w)
        )

    def to(self, x: Vec3) -> list[Joints] | Roots:
        """All solutions that bring the point to x."""
        return _ORDERS[self.kinds](self, x)


def moves_freely(chain: SerialChain, w: np.ndarray) -> bool:
    """Whether the first three joints can move the point in every direction, at some position at least."""
    first = replace(
        chain, names=chain.names[:3], coordinates=chain.coordinates[:3], kinds=chain.kinds[:3], axes=chain.axes[:3],
        points=chain.points[:3], lower=chain.lower[:3], upper=chain.upper[:3], tool_pos=w,
    )  # fmt: skip
    return freedoms(first, position=True) == 3


def three_turns(h: tuple[Vec3, ...], d: tuple[Vec3, ...], x: Vec3) -> TwoAngles:
    """α = q₁, β = q₃, from  R₁ᵀ x - d₁ = R₂ (d₂ + R₃ d₃): steps d from axis to axis to the point, x from axis 1."""

    def complete(q1: Turn, q3: Turn) -> list[Joints]:
        bent = d[1] + q3.about(h[2], d[2])
        return [[q1, turn_onto(h[1], bent, q1.inv().about(h[0], x) - d[0]), q3]]

    level = Wave.of(-h[1], h[2], d[2])
    return TwoAngles(
        (Wave.of(h[1], h[0], x).back(), Wave.of(d[0] * -2.0, h[0], x).back()),
        (level, Wave.of(d[1] * -2.0, h[2], d[2])),
        (h[1].dot(d[0] + d[1]), square(d[1]) + square(d[2]) - square(x) - square(d[0])),
        complete,
        # Between parallel axes the angle is that of an elbow.
        (lambda q1: elbow(h[2], d[1], d[2], square(q1.inv().about(h[0], x) - d[0]))) if level.is_flat else None,
    )


def _rrr(arm: Carrier, x: Vec3) -> list[Joints] | Roots:
    p = (*arm.points, arm.w)
    steps = tuple(b - a for a, b in pairwise(p))
    return _solved(three_turns(arm.axes, steps, x - p[0]))


def _rpr(arm: Carrier, x: Vec3) -> list[Joints] | Roots:
    """R₁ᵀ x = d + h₂ s + R₃ e: across h₂ two equations in the two angles."""
    (h1, h2, h3), (p1, _, p3) = arm.axes, arm.points
    y, d, e = x - p1, p3 - p1, arm.w - p3

    def complete(q1: Turn, q3: Turn) -> list[Joints]:
        return [[q1, h2.dot(q1.inv().about(h1, y) - d - q3.about(h3, e)), q3]]

    if max(square(h1.cross(h2)), square(h3.cross(h2))) < PARALLEL * PARALLEL:
        near, far, reach = (v - h2 * h2.dot(v) for v in (d, e, y))
        turns = elbow(h3, near, far, square(reach))
        return [q for q3 in turns for q in complete(turn_onto(h1, near + q3.about(h3, far), reach), q3)]
    across = (perpendicular(h2), h2.cross(perpendicular(h2)))
    alpha, beta = [Wave.of(v, h1, y).back() for v in across], [Wave.of(-v, h3, e) for v in across]
    right = across[0].dot(d), across[1].dot(d)
    return _solved(TwoAngles((alpha[0], alpha[1]), (beta[0], beta[1]), right, complete))


def _solved(e: TwoAngles) -> list[Joints] | Roots:
    if combined(e) is not None:
        return [q for a, b in one_after_the_other(e) for q in e.complete(a, b)]
    return Roots(circle_equation(*on_circle(e)), lambda a: e.complete(a, from_root(e, a))[0])


@dataclass(frozen=True)
class TurnAndSlide:
    """Two equations in an angle and a length s:  A(α) = a₀ + a₁s  and  B(α) = b₀ + b₁s + s².

    Where a₁ = 0, `slides` are the two s for a known α; they come from a vector that may be short, not from the
    difference of squares that are not.
    """

    waves: tuple[Wave, Wave]
    level: tuple[Scalar, float]
    length: tuple[Scalar, Scalar]
    slides: Callable[[Turn], tuple[Scalar, Scalar]]
    complete: Callable[[Turn, Scalar], Joints]

    def solved(self) -> list[Joints] | Roots:
        (A, B), (a0, a1), (b0, b1) = self.waves, self.level, self.length
        if abs(a1) < EQUAL:
            return [self.complete(t, s) for t in A.reaching(a0) for s in self.slides(t)]
        if A.is_flat:
            s = (A.constant - a0) * (1.0 / a1)
            return [self.complete(t, s) for t in B.reaching(b0 + s * (b1 + s))]
        if B.is_flat:
            return [self.complete(t, s) for s in slides_to(b1, b0 - B.constant) for t in A.reaching(a0 + s * a1)]
        S = (A + Wave(-a0, 0.0, 0.0)) * (1.0 / a1)
        k, c, d = S.constant, S.cos, S.sin
        series = [
            k * (k + b1) + (c * c + d * d) * 0.5 + b0 - B.constant,
            c * (k * 2.0 + b1) - B.cos,
            d * (k * 2.0 + b1) - B.sin,
            (c * c - d * d) * 0.5,
            c * d,
        ]
        return Roots(series, lambda t: self.complete(t, S.at(t)))


def _slides(h: Vec3, u: Vec3, along: Vec3, v: Vec3) -> tuple[Scalar, Scalar]:
    """The lengths for which u + s·along is as long as v, both projected along h, normal to the slide."""
    u, v = u - h * h.dot(u), v - h * h.dot(v)
    return slides_to(u.dot(along) * 2.0, square(u) - square(v))


def _rrp(arm: Carrier, x: Vec3) -> list[Joints] | Roots:
    """R₁ᵀ y + d = R₂ (u + h₃ s): its part along h₂ and its length."""
    (h1, h2, h3), (p1, p2, _) = arm.axes, arm.points
    y, d, u = x - p1, p1 - p2, arm.w - p2
    return TurnAndSlide(
        (Wave.of(h2, h1, y).back(), Wave.of(d * 2.0, h1, y).back()),
        (h2.dot(u - d), h2.dot(h3)),
        (square(u) - square(y) - square(d), u.dot(h3) * 2.0),
        lambda q1: _slides(h2, u, h3, q1.inv().about(h1, y) + d),
        lambda q1, s: [q1, turn_onto(h2, u + h3 * s, q1.inv().about(h1, y) + d), s],
    ).solved()


def _prr(arm: Carrier, x: Vec3) -> list[Joints] | Roots:
    """y - h₁ s = R₂ (d + R₃ e): its part along h₂ and its length."""
    (h1, h2, h3), (_, p2, p3) = arm.axes, arm.points
    y, d, e = x - p2, p3 - p2, arm.w - p3
    return TurnAndSlide(
        (Wave.of(h2, h3, e), Wave.of(d * 2.0, h3, e)),
        (h2.dot(y - d), -h2.dot(h1)),
        (square(y) - square(d) - square(e), h1.dot(y) * -2.0),
        lambda q3: _slides(h2, y, -h1, d + q3.about(h3, e)),
        lambda q3, s: [s, turn_onto(h2, d + q3.about(h3, e), y - h1 * s), q3],
    ).solved()


def _rpp(arm: Carrier, x: Vec3) -> list[Joints]:
    """R₁ᵀ y = u + h₂ s + h₃ t: neither slide moves along h₂ × h₃."""
    (h1, h2, h3), (p1, _, _) = arm.axes, arm.points
    y, u, n = x - p1, arm.w - p1, h2.cross(h3)
    turns = Wave.of(n, h1, y).back().reaching(n.dot(u))
    return [[q1, *coordinates((h2, h3), q1.inv().about(h1, y) - u)] for q1 in turns]


def _ppr(arm: Carrier, x: Vec3) -> list[Joints]:
    """y - h₁ s - h₂ t = R₃ e: neither slide moves along h₁ × h₂."""
    (h1, h2, h3), (_, _, p3) = arm.axes, arm.points
    y, e, n = x - p3, arm.w - p3, h1.cross(h2)
    turns = Wave.of(n, h3, e).reaching(n.dot(y))
    return [[*coordinates((h1, h2), y - q3.about(h3, e)), q3] for q3 in turns]


def _prp(arm: Carrier, x: Vec3) -> list[Joints]:
    """y - h₁ s = R₂ (u + h₃ t): the parts along h₂ put (s, t) on a line, the parts across it have equal length."""
    (h1, h2, h3), (_, p2, _) = arm.axes, arm.points
    y, u = x - p2, arm.w - p2
    a, b = h2.dot(h1), h2.dot(h3)  # a s + b t = level
    level = h2.dot(y - u) * (1.0 / (a * a + b * b))
    U, Y = u + h3 * (level * b), y - h1 * (level * a)  # at the point of that line nearest to zero
    U, Y = U - h2 * h2.dot(U), Y - h2 * h2.dot(Y)
    D, E = (h3 - h2 * b) * a, (h1 - h2 * a) * b  # how both change along the line (s, t) = … + k (-b, a)
    lead, half, constant = square(D) - square(E), U.dot(D) - Y.dot(E), square(U) - square(Y)
    if abs(lead) < EQUAL:
        ks = [constant / (half * -2.0)]
    else:
        ks = [*slides_to(half * (2.0 / lead), constant * (1.0 / lead))]
    return [[level * a - k * b, turn_onto(h2, U + D * k, Y + E * k), level * b + k * a] for k in ks]


def coordinates(directions: tuple[Vec3, ...], v: Vec3) -> list[Scalar]:
    """v by known directions, in the least-squares sense."""
    rows = np.linalg.pinv(np.array([[*h] for h in directions], float).T)
    return [constant(row).dot(v) for row in rows]


_ORDERS: dict[str, Callable[[Carrier, Vec3], list[Joints] | Roots]] = {
    "RRR": _rrr, "RRP": _rrp, "RPR": _rpr, "PRR": _prr, "RPP": _rpp, "PRP": _prp, "PPR": _ppr,
}  # fmt: skip
"""Three slides are a gantry."""
