"""A round of a convex method for the impulses of all blocks: for steps that neither sweeps nor Newton's method solve.

Heavy bodies on light ones couple contacts so strongly that sweeps need thousands of rounds, and Newton's method for
Coulomb's law then returns to the same states of rows forever.  With a known shift s of the normal velocity the law is
that of a convex problem (De Saxcé and Feng 1991; Acary and Cadoux 2013),

    K* ∋ u + s e_n  ⊥  p ∈ K = {|p_t| ≤ μ p_n},      s = μ |u_t|,

and the method of multipliers solves it: with a compliance R = ε g, g the mobility of a block, and multipliers p

    w - w_f - Σ Zᵀ Π_K(p - (Z w + s e_n) / R) = 0

is the gradient of a convex function of w, whatever the masses, so Newton's method with a search along its direction
finds its root.  Then Π_K(…) are the next multipliers, |u_t| gives the next s, and ε becomes smaller.  Whether Coulomb's
law holds itself, `misfit` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sixvec.algorithms.parts.factorization import dot
from sixvec.constraints.contacts.block_sweeps import BlockTerms, misfit
from sixvec.constraints.contacts.local_law import TINY, on_disc
from sixvec.scalar import Scalar, is_zero, sqrt, where
from sixvec.spatial.linear import eliminate
from sixvec.tolerances import ROUNDING

SOFTEST, HARDEST, FASTER = 1e-2, 1e-5, 0.1
"""ε at the start, its part in the end, and its factor from multipliers to multipliers.  The last ε is small against the
inverse of the ratios of masses at which sweeps fail, and leaves enough digits for a linear system."""

INNER = 0.1
"""A root is found when the gradient is this fraction of the misfit, which it then does not determine, or rounding."""

TRIALS = 8
"""Points at which the search looks for the root of the slope along its direction."""

FLAT = 0.1
"""A slope of this fraction of that at the start ends the search."""


class ConeState(NamedTuple):
    """What a round changes: w, multipliers, shifts, the part of ε that is left; the best solution, and its misfit."""

    w: list[Any]
    p: list[Any]
    shift: list[Any]
    softness: Scalar
    best_w: list[Any]
    best_p: list[Any]
    least: Scalar


def cone_step(terms: Sequence[BlockTerms], free: Sequence[Any], state: ConeState, order: Sequence[int]) -> ConeState:
    """The state after a round; `order` lists the joints from the root."""
    laws = [
        _Cone(t, p, s, SOFTEST * state.softness)
        for t, p, s in zip(terms, _split(terms, state.p), state.shift, strict=True)
    ]
    there = [law.projected(law.rates(state.w)) for law in laws]
    impulses, pushed = [x for p in there for x in p], list(free)
    for law, p in zip(laws, there, strict=True):
        law.push(pushed, p)
    gradient = [x - y for x, y in zip(state.w, pushed, strict=True)]
    miss = misfit(terms, pushed, impulses)
    better = miss < state.least
    square, size = dot(gradient, gradient), where(miss < 1.0, miss, 1.0)
    is_root = where(square < INNER * INNER * size * size, 1.0, 0.0)
    is_root = where(square < ROUNDING * ROUNDING * dot(free, free), 1.0, is_root) > 0.5
    ahead = _searched(laws, free, state.w, gradient, order)
    shifts = [law.shift(pushed) for law in laws]
    harder = where(FASTER * state.softness > HARDEST, FASTER * state.softness, HARDEST)
    return ConeState(
        _chosen(is_root, pushed, ahead),
        _chosen(is_root, impulses, state.p),
        _chosen(is_root, shifts, state.shift),
        where(is_root, harder, state.softness),
        _chosen(better, pushed, state.best_w),
        _chosen(better, impulses, state.best_p),
        where(better, miss, state.least),
    )


def _searched(
    laws: Sequence[_Cone], free: Sequence[Any], w: Sequence[Any], gradient: Sequence[Any], order: Sequence[int]
) -> list[Any]:
    """w after a step of Newton's method, of a length at which the convex function is nearly least."""
    n = len(w)
    A: list[list[Any]] = [[float(i == j) for j in range(n)] for i in range(n)]
    for law in laws:
        law.stiffen(A, law.rates(w))
    backwards = list(reversed(order))
    matrix = [[A[i][j] for j in backwards] for i in backwards]
    solved = eliminate(matrix, [[-gradient[i]] for i in backwards], pivoting=False)
    way: list[Any] = [0.0] * n
    for i, (x,) in zip(backwards, solved, strict=True):
        way[i] = x
    lines = [(law, law.rates(w), law.products(way)) for law in laws]
    start, steeper = dot([x - y for x, y in zip(w, free, strict=True)], way), dot(way, way)

    def slope(step: Scalar) -> Scalar:
        total = start + step * steeper
        for law, u, change in lines:
            p = law.projected([x + step * y for x, y in zip(u, change, strict=True)])
            total = total - dot(p, change)
        return total

    first, last = slope(0.0), slope(1.0)
    flat = FLAT * where(first < 0.0, -first, first)
    low: Scalar = 0.0
    high: Scalar = 1.0
    at_low, at_high = first, last
    step: Scalar = 1.0
    reached = last
    for k in range(TRIALS):
        secant = low - at_low * (high - low) / (at_high - at_low + TINY)
        trial = 0.5 * (low + high) if k % 3 == 0 else secant
        done = where(reached > flat, 0.0, where(reached < -flat, 0.0, 1.0))
        done = where(last > flat, done, 1.0) > 0.5
        step = where(done, step, trial)
        reached = where(done, reached, slope(step))
        up = reached > 0.0
        high, at_high = where(up, step, high), where(up, reached, at_high)
        low, at_low = where(up, low, step), where(up, at_low, reached)
    return [x + step * y for x, y in zip(w, way, strict=True)]


class _Cone:
    """The convex law of a block with its multipliers and a compliance."""

    def __init__(self, t: BlockTerms, p: Sequence[Any], shift: Scalar, softness: Scalar) -> None:
        self.t, self._p, self._shift = t, p, shift
        n = t.block.core
        G = t.core()
        self._compliance = softness * (sum((G[k][k] for k in range(1, n)), G[0][0]) * (1.0 / n) + TINY)
        self._inverse = 1.0 / self._compliance
        self._others = [1.0 / (softness * g + TINY) for g in t.others()]

    def rates(self, w: Sequence[Any]) -> list[Any]:
        return self.t.rates(w)

    def products(self, w: Sequence[Any]) -> list[Any]:
        """z·w of all rows."""
        here = [w[k] for k in self.t.block.columns]
        return [dot(z, here) for z in self.t.rows]

    def push(self, w: list[Any], p: Sequence[Any]) -> None:
        for z, x in zip(self.t.rows, p, strict=True):
            for k, y in zip(self.t.block.columns, z, strict=True):
                w[k] = w[k] + y * x

    def shift(self, w: Sequence[Any]) -> Scalar:
        """μ |u_t| of a contact."""
        block = self.t.block
        if block.kind != "contact" or block.core == 1:
            return 0.0
        u = self.t.rates(w, block.core)[1:]
        return self.t.law[1] * sqrt(dot(u, u) + TINY)

    def projected(self, u: Sequence[Any]) -> list[Any]:
        """The impulses Π(p - (u + s) / R) at velocities u of the rows."""
        return self._solved(u)[0]

    def stiffen(self, A: list[list[Any]], u: Sequence[Any]) -> None:
        """Add -Zᵀ ∂p/∂u Z, whose terms are symmetric."""
        columns, rows = self.t.block.columns, self.t.rows
        for weights, factor in self._solved(u)[1]:
            used = [(z, x) for z, x in zip(rows, weights, strict=True) if not is_zero(x)]
            z = [sum((y[i] * x for y, x in used[1:]), used[0][0][i] * used[0][1]) for i in range(len(columns))]
            for a, i in zip(z, columns, strict=True):
                scaled = factor * a
                for b, j in zip(z, columns, strict=True):
                    A[i][j] = A[i][j] + scaled * b

    def _solved(self, u: Sequence[Any]) -> tuple[list[Any], list[tuple[list[Any], Any]]]:
        """The impulses, and combinations of rows with the factors of their products in the Hessian."""
        t, inverse = self.t, self._inverse
        if t.block.kind == "stop":
            free = u[0] - self._compliance * self._p[0]
            beyond = where(free < t.law[0], t.law[0] - free, where(free > t.law[1], t.law[1] - free, 0.0))
            holds = where(beyond < 0.0, 1.0, where(beyond > 0.0, 1.0, 0.0))
            return [beyond * inverse], [([1.0], holds * inverse)]
        if t.block.kind == "friction":
            aim = self._p[0] - inverse * u[0]
            p = where(aim > t.law[0], t.law[0], where(aim < -t.law[0], -t.law[0], aim))
            holds = where(aim > t.law[0], 0.0, where(aim < -t.law[0], 0.0, 1.0))
            return [p], [([1.0], holds * inverse)]
        n = t.block.core
        landing = [u[0] + t.law[0] + self._shift, *u[1:n]]
        aims = [x - inverse * y for x, y in zip(self._p[:n], landing, strict=True)]
        impulses, ways = _on_cone(aims, t.law[1], inverse)
        spare = [0.0] * (len(t.rows) - n)
        ways = [([*weights, *spare], factor) for weights, factor in ways]
        at = n
        for count, lever in ((t.block.spins, t.law[2]), (t.block.rolls, t.law[3])):
            if not count:
                continue
            stiffness = self._others[at - n : at - n + count]
            limit = lever * where(self._p[0] > 0.0, self._p[0], 0.0)
            aims = [x - s * y for x, s, y in zip(self._p[at : at + count], stiffness, u[at : at + count], strict=True)]
            held = on_disc([*aims, 0.0], limit)[:count] if count == 1 else on_disc(aims, limit)
            holds = where(dot(aims, aims) > limit * limit, 0.0, 1.0)
            ways += [([float(k == at + i) for k in range(len(t.rows))], holds * s) for i, s in enumerate(stiffness)]
            impulses = [*impulses, *held]
            at += count
        return impulses, ways


def _on_cone(y: Sequence[Any], mu: Scalar, inverse: Scalar) -> tuple[list[Any], list[tuple[list[Any], Any]]]:
    """The nearest point of Coulomb's cone, and the terms of its derivative, times `inverse`."""
    if len(y) == 1:
        pressed = y[0] > 0.0
        return [where(pressed, y[0], 0.0)], [([1.0], where(pressed, inverse, 0.0))]
    length = sqrt(dot(y[1:], y[1:]) + TINY)
    direction = [x / length for x in y[1:]]
    inside = where(length > mu * y[0], 0.0, 1.0)
    outside = where(mu * length > -y[0], 0.0, 1.0)  # in the polar cone, where nothing is left
    scale = 1.0 / (1.0 + mu * mu)
    normal = (y[0] + mu * length) * scale
    edge = [normal, *(mu * normal * x for x in direction)]
    point = [where(inside > 0.5, x, where(outside > 0.5, 0.0, z)) for x, z in zip(y, edge, strict=True)]
    closed = where(inside > 0.5, inverse, where(outside > 0.5, 0.0, inverse))
    whole = where(inside > 0.5, inverse, 0.0)
    ways = [
        ([1.0, *(mu * x for x in direction)], closed * scale),
        ([-mu, *direction], whole * scale),
    ]
    if len(y) == 3:
        turning = where(inside > 0.5, inverse, where(outside > 0.5, 0.0, inverse * mu * normal / length))
        ways.append(([0.0, -direction[1], direction[0]], turning))
    return point, ways


def _split(terms: Sequence[BlockTerms], p: Sequence[Any]) -> list[list[Any]]:
    parts, at = [], 0
    for t in terms:
        parts.append(list(p[at : at + t.block.rows]))
        at += t.block.rows
    return parts


def _chosen(condition: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    return [where(condition, x, y) for x, y in zip(new, old, strict=True)]
