"""Axles that cannot all roll: the motion with the least slip, which they leave to a platform.  No kernels.

The platform has the coordinates x, y, φ and is moved by  τ = (ρ φ̇, velocity of the wheels' centre in
its axes) = T(φ) (ẋ, ẏ, φ̇);  ρ is the size of its wheels' layout (`sixvec.mobile.least_slip`).  The slip of axle i is
g_i · τ, where g_i turns with its steering.  A motion z that the platform may take has its slip removed from the rows,

    g_i · τ - (g_i · z) (z · τ),

so that the rows have exactly the rank of the design, whatever the noise of the steering.  z is either decided by the
design, or at each state the unit vector with the least  Σ (g_i · z)²,  the eigenvector of the least eigenvalue of
N = Σ g_i g_iᵀ.  Its derivatives come from those of  (N - λ) z = 0.  Beyond `HOLDING` there is no such motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from sixvec.model import Model
from sixvec.model.shared_slip import SharedAxles, SharedSlip
from sixvec.scalar import Scalar, cos, sin, sqrt, where
from sixvec.spatial.linear import dot

HOLDING = 0.3
"""Wheels that would slip by more than this fraction of their speed, about 17°, hold the platform."""

_SQUARES, _ROUNDS = 3, 3
"""Squarings of the adjugate, each of which squares the ratio of the two least eigenvalues, then steps of the Rayleigh
iteration, each of which cubes the error: it is rounding unless the two are within a tenth of each other."""

_NEVER_ZERO = 1e-300
"""Avoids division by zero where all axles are on one line: then nothing slips, and nothing is removed."""

Three = list[Scalar]


class Steering(NamedTuple):
    """Where the angle of a joint is in q, and its rate in v."""

    q: int
    v: int


@dataclass(frozen=True)
class Change:
    """A direction in which positions change: the rates of φ and of the steering of each axle."""

    turn: Scalar
    steer: list[Scalar]


@dataclass(frozen=True)
class AxleSlip:
    """What is removed from the row of one axle at positions q: E, with its derivatives, over (ẋ, ẏ, φ̇)."""

    group: SharedAxles
    index: int
    q: Sequence[Scalar]
    platform: tuple[int, ...]
    """The coordinates of v of the platform: x, y, φ."""
    turn: Steering
    """φ."""
    steering: tuple[Steering | None, ...]
    """Of each axle; None if it is fixed."""

    @classmethod
    def of(cls, model: Model, q: Sequence[Scalar], shared: SharedSlip) -> AxleSlip:
        x, y, turn = _coordinates(model, shared.group.platform)
        steering = tuple(None if a.joint is None else _coordinates(model, a.joint)[0] for a in shared.group.axles)
        return cls(shared.group, shared.index, q, (x.v, y.v, turn.v), turn, steering)

    @property
    def coordinates(self) -> list[int]:
        """Those of v on which E depends."""
        moving = () if self.group.motions else self.steering
        return [self.turn.v, *(s.v for s in moving if s is not None)]

    def unit(self, coordinate: int) -> Change:
        """A step of one coordinate."""
        steer = [float(s is not None and s.v == coordinate) for s in self.steering]
        return Change(float(coordinate == self.turn.v), steer)

    def along(self, v: Sequence[Scalar]) -> Change:
        """The change of positions that move with v."""
        return Change(v[self.turn.v], [0.0 if s is None else v[s.v] for s in self.steering])

    def of_platform(self, v: Sequence[Scalar]) -> list[Scalar]:
        """(ẋ, ẏ, φ̇)."""
        return [v[i] for i in self.platform]

    def row(self) -> Three:
        """E = Σ (g · z) Tᵀ z."""
        return _sum([_scaled(self._back(z), dot(self._g, z) * part) for z, part in self._left])

    def rate(self, a: Change) -> Three:
        """The derivative of E along a change."""
        terms = []
        for z, part in self._left:
            s, s_a = dot(self._g, z) * part, self._first(z, a) * part
            terms += [_scaled(self._back(z), s_a), _scaled(self._back_rate(z, a), s)]
        return _sum(terms)

    def second(self, a: Change, b: Change) -> Three:
        """The second derivative of E along two changes."""
        terms = []
        for z, part in self._left:
            z_a, z_b, z_ab = self._z_rate(z, a), self._z_rate(z, b), self._z_second(z, a, b)
            g, g_a, g_b = self._g, self._g_rate(a), self._g_rate(b)
            g_ab = _scaled(g, -(a.steer[self.index] * b.steer[self.index]))
            s, s_a, s_b = dot(g, z) * part, self._first(z, a) * part, self._first(z, b) * part
            s_ab = (dot(g_ab, z) + dot(g_a, z_b) + dot(g_b, z_a) + dot(g, z_ab)) * part
            y_ab = _sum([
                _scaled(self._turned(z, 2), a.turn * b.turn),
                _scaled(self._turned(z_b, 1), a.turn),
                _scaled(self._turned(z_a, 1), b.turn),
                self._back(z_ab),
            ])  # fmt: skip
            terms += [_scaled(self._back(z), s_ab), _scaled(self._back_rate(z, b), s_a)]
            terms += [_scaled(self._back_rate(z, a), s_b), _scaled(y_ab, s)]
        return _sum(terms)

    def _first(self, z: Three, a: Change) -> Scalar:
        """The derivative of g · z."""
        return dot(self._g_rate(a), z) + dot(self._g, self._z_rate(z, a))

    def _g_rate(self, a: Change) -> Three:
        return _scaled(self._lines[self.index][1], a.steer[self.index])

    def _back_rate(self, z: Three, a: Change) -> Three:
        return _sum([_scaled(self._turned(z, 1), a.turn), self._back(self._z_rate(z, a))])

    def _back(self, z: Three) -> Three:
        """Tᵀ z: of (ẋ, ẏ, φ̇)."""
        return self._turned(z, 0)

    def _turned(self, z: Three, order: int) -> Three:
        """The derivative of Tᵀ z with respect to φ, of order 0, 1 or 2."""
        c, s = self._heading
        x, y = z[1], z[2]
        for _ in range(order):
            x, y = -y, x  # the derivative of a rotation is a quarter turn
        shift = [c * x - s * y, s * x + c * y]
        turn = self.group.size * z[0] - self.group.y * z[1] + self.group.x * z[2] if order == 0 else 0.0
        return [*shift, turn]

    @cached_property
    def _heading(self) -> tuple[Scalar, Scalar]:
        angle = self.q[self.turn.q]
        return cos(angle), sin(angle)

    @property
    def _g(self) -> Three:
        return self._lines[self.index][0]

    @cached_property
    def _lines(self) -> list[tuple[Three, Three]]:
        """g of each axle and its derivative with respect to the steering angle; the second derivative is -g."""
        lines = []
        for a, steering in zip(self.group.axles, self.steering, strict=True):
            c, s = math.cos(a.heading), math.sin(a.heading)
            if steering is not None:
                angle = self.q[steering.q]
                u, w = cos(angle), sin(angle)
                c, s = c * u - s * w, s * u + c * w
            lines.append(([c * a.x + s * a.y, -s, c], [c * a.y - s * a.x, -c, -s]))
        return lines

    @cached_property
    def _left(self) -> list[tuple[Three, float]]:
        """Motions, and the part of their slip that is left to the platform."""
        if self.group.motions:
            return [(list(z), part) for z, part in zip(self.group.motions, self.group.parts, strict=True)]
        z = _least(self._N)
        is_held = dot(z, _applied(self._N, z)) > HOLDING * HOLDING
        return [([where(is_held, 0.0, x) for x in z], 1.0)]

    @cached_property
    def _N(self) -> list[Three]:
        """Σ g gᵀ over the number of axles: at most 1, so that its products neither grow nor vanish."""
        share = 1.0 / len(self.group.axles)
        return [[sum((g[i] * g[j] for g, _ in self._lines), 0.0) * share for j in range(3)] for i in range(3)]

    def _N_rate(self, a: Change, z: Three) -> Three:
        """The derivative of N, applied to z."""
        share = 1.0 / len(self.group.axles)
        terms = []
        for (g, d), rate in zip(self._lines, a.steer, strict=True):
            terms += [_scaled(d, dot(g, z) * rate * share), _scaled(g, dot(d, z) * rate * share)]
        return _sum(terms)

    def _N_second(self, a: Change, b: Change, z: Three) -> Three:
        share = 2.0 / len(self.group.axles)
        terms = []
        for (g, d), p, r in zip(self._lines, a.steer, b.steer, strict=True):
            terms += [_scaled(d, dot(d, z) * p * r * share), _scaled(g, -(dot(g, z) * p * r * share))]
        return _sum(terms)

    def _z_rate(self, z: Three, a: Change) -> Three:
        """-(N - λ)⁺ N_a z."""
        if self.group.motions:
            return [0.0, 0.0, 0.0]
        return _scaled(self._inverse(z, self._N_rate(a, z)), -1.0)

    def _z_second(self, z: Three, a: Change, b: Change) -> Three:
        """-(N - λ)⁺ (N_ab z + (N_a - λ_a) z_b + (N_b - λ_b) z_a) - (z_a · z_b) z."""
        if self.group.motions:
            return [0.0, 0.0, 0.0]
        z_a, z_b = self._z_rate(z, a), self._z_rate(z, b)
        y = self._N_second(a, b, z)
        for p, z_other in ((a, z_b), (b, z_a)):
            slope = dot(z, self._N_rate(p, z))
            y = _sum([y, self._N_rate(p, z_other), _scaled(z_other, -slope)])
        return _sum([_scaled(self._inverse(z, y), -1.0), _scaled(z, -dot(z_a, z_b))])

    def _inverse(self, z: Three, y: Three) -> Three:
        """(N - λ)⁺ y, the pseudo-inverse: in the plane across z the inverse of a 2 x 2 matrix is (trace - B) / det."""
        value = dot(z, _applied(self._N, z))
        B = _shifted(self._N, value)
        across = _sum([y, _scaled(z, -dot(z, y))])
        trace, size = B[0][0] + B[1][1] + B[2][2], _trace_of_adjugate(B) + _NEVER_ZERO
        top = _sum([_scaled(across, trace), _scaled(_applied(B, across), -1.0)])
        return _scaled(top, 1.0 / size)


def _coordinates(model: Model, joint: str) -> list[Steering]:
    """Of a joint, whose freedoms are separate bodies in a canonical model."""
    steerings: list[Steering] = []
    for b in model.moving:
        if b.joint_label == joint:
            places = zip(range(model.nq)[model.q_slices[b.name]], range(model.nv)[model.v_slices[b.name]], strict=True)
            steerings += [Steering(i, k) for i, k in places]
    return steerings


def _least(N: list[Three]) -> Three:
    """The unit eigenvector of the least eigenvalue: columns of adjugates, which exist where inverses do not.

    The adjugate of N - λ is a multiple of z zᵀ where λ is the eigenvalue; its column with the largest pivot is used.
    """
    A = _adjugate(N)
    for _ in range(_SQUARES):
        scale = 1.0 / (A[0][0] + A[1][1] + A[2][2] + _NEVER_ZERO)
        A = [_scaled(row, scale) for row in A]
        A = [[dot(x, y) for y in A] for x in A]
    z = _largest_column(A)
    for _ in range(_ROUNDS):
        value = dot(z, _applied(N, z)) / (dot(z, z) + _NEVER_ZERO)
        z = _largest_column(_adjugate(_shifted(N, value)))
    size = dot(z, z)
    return _scaled(z, where(size > 0.0, 1.0 / sqrt(where(size > 0.0, size, 1.0)), 0.0))


def _largest_column(A: list[Three]) -> Three:
    first = [where(A[1][1] > A[0][0], y, x) for x, y in zip(A[0], A[1], strict=True)]
    pivot = where(A[1][1] > A[0][0], A[1][1], A[0][0])
    return [where(A[2][2] > pivot, y, x) for x, y in zip(first, A[2], strict=True)]


def _adjugate(A: list[Three]) -> list[Three]:
    """Of a symmetric matrix: rows are the cross products of rows."""
    (a, b, c), (_, d, e), (_, _, f) = A
    p, q, r = c * e - b * f, b * e - c * d, b * c - a * e
    return [[d * f - e * e, p, q], [p, a * f - c * c, r], [q, r, a * d - b * b]]


def _trace_of_adjugate(A: list[Three]) -> Scalar:
    (a, b, c), (_, d, e), (_, _, f) = A
    return (d * f - e * e) + (a * f - c * c) + (a * d - b * b)


def _shifted(A: list[Three], value: Scalar) -> list[Three]:
    return [[x - value if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]


def _applied(A: list[Three], x: Three) -> Three:
    return [dot(row, x) for row in A]


def _scaled(x: Three, factor: Any) -> Three:
    return [a * factor for a in x]


def _sum(terms: Sequence[Three]) -> Three:
    return [sum(column, 0.0) for column in zip(*terms, strict=True)]
