"""The terms of all blocks in one step: gaps, whitened rows and laws of contacts, stops and joint friction.

Pairs and points that cannot meet in this step have no rows: what belongs to them is computed behind a guard.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.places import Places
from sixvec.constraints.contacts.block_sweeps import AWAY, Block, BlockTerms, own_mobility
from sixvec.constraints.contacts.contact import Contact, stopped
from sixvec.constraints.contacts.pair import touches
from sixvec.constraints.contacts.rows import contact_jacobian
from sixvec.distance.pairs.touch import Touch
from sixvec.model import Model
from sixvec.model.geom import HalfSpace
from sixvec.scalar import UNREAD, Scalar, guard, is_zero, sqrt, where
from sixvec.sim.body_speeds import BodySpeeds, bounding_ball
from sixvec.sim.bound_motions import BoundMotions, FreeMotions
from sixvec.sim.friction import friction_limits
from sixvec.sim.impulse_blocks import ImpulseBlocks, Point
from sixvec.sim.passing import PASSABLE, passing
from sixvec.sim.rebound import rebounds
from sixvec.spatial import Vec3

REACH = 2.0
"""A point may meet another in this step if their gap is less than this many times the way of the free motion."""

FAR = 1e3
"""The gap of a point that cannot meet another, m."""

FALL = 4.0
"""To which this many times the way of free fall from rest is added: impulses elsewhere move resting bodies."""

MORE = 1.0 + 1e-5
"""A factor of squares that are compared before the exact ones: larger than rounding errors of single precision."""

APART = 0.01
"""A gap that is less than this fraction of the way along its normal belongs to shapes that touch."""


class StepBlocks:
    """The terms of `blocks` in a step of length dt from (q, v), with the free velocities and the allowed `motions`.

    If a blow `spreads`, it passes through several bodies in one step.  The numbers of points that are not near are
    those of a contact far away, or with `unread` any numbers: they must not be read.
    """

    def __init__(
        self, blocks: ImpulseBlocks, tree: Model, q: Any, v: Any, free: Any, motions: FreeMotions | BoundMotions,
        dt: Any, friction: Any, spreads: bool, unread: bool = False,
    ) -> None:  # fmt: skip
        self.unread = unread
        self.robot, self.tree, self.q, self.v, self.free = blocks, tree, q, v, free
        self.motions, self.dt, self.friction = motions, dt, friction
        self.is_bound = isinstance(motions, BoundMotions)
        self.places = Places(tree, q)
        self.speeds = BodySpeeds(self.places, free)
        self.fall = FALL * dt * dt * sqrt(tree.gravity.dot(tree.gravity) + 1e-12)
        if spreads:
            contacts = [c for c in blocks.obstacles if isinstance(c, Contact)]
            self.fall = self.fall + REACH * dt * self.speeds.largest(contacts)
        self.terms: list[BlockTerms] = []
        self.near: list[tuple[Any, Any]] = []
        """Of points, whether they are near (1 or 0), and their gaps if they are."""
        self.gaps: list[Any] = []
        """Of points and stops, before the step."""
        self.hits: list[Any] = []
        """Of what has restitution, whether it hits (1 or 0)."""
        self.missed: list[Any] = []
        """Of rows that nothing can move, by how much they violate their laws, m/s."""
        touching: dict[int, _Pair] = {}
        for p in blocks.points:
            c = blocks.obstacles[p.obstacle]
            assert isinstance(c, Contact)
            if p.obstacle not in touching:
                touching[p.obstacle] = self._pair(c)
            self._add_point(p, c, touching[p.obstacle])
        for k in blocks.stops:
            self._add_stop(blocks.obstacles[k])
        limits = friction_limits(blocks.tree)
        for i in blocks.rubbing:
            block = blocks.single("friction", i)
            z, moves, shift = self._rows_of(block, [_unit(tree.nv, i)])
            law = [limits[i] * dt * moves, *shift]
            self.terms.append(BlockTerms(block, z, law, _mobility(block, z, moves)))

    def _rows_of(self, block: Block, rows: Sequence[Any]) -> tuple[list[list[Any]], Any, list[Any]]:
        """The whitened rows of a block, whether impulses move the first (1 or 0), and the shifts of a shifted block."""
        pairs = [self.motions.row(row) for row in rows]
        z = [_entries(block, x) for x, _ in pairs]
        if not block.shifted:
            return z, pairs[0][1], []
        shift = [self.motions.shift(row, x, self.free) for row, (x, _) in zip(rows, pairs, strict=True)]
        return z, pairs[0][1], shift

    def _pair(self, c: Contact) -> _Pair:
        """The touches of a pair, behind what bounding balls show."""
        places, speeds, dt = self.places, self.speeds, self.dt
        first, second = places.pose(c.frame) @ c.placement, places.pose(c.to) @ c.on_placement
        met = touches(c.shape, first, c.on, second)
        if isinstance(c.on, HalfSpace) or isinstance(c.shape, HalfSpace):
            return _Pair(met)
        balls = [bounding_ball(x) for x in (c.shape, c.on)]
        centres, radii = [X * ball[0] for X, ball in zip((first, second), balls, strict=True)], [b[1] for b in balls]
        between = centres[0] - centres[1]
        square, reach = between.dot(between), sum(radii) + c.margin
        most = REACH * dt * speeds.most_relative(c, centres, radii) + self.fall + reach
        may_meet = where(square < MORE * most * most, 1.0, 0.0)
        way = REACH * dt * speeds.relative(c, centres, radii) + self.fall
        meets = where(square < (way + reach) * (way + reach), 1.0, 0.0)
        if not (isinstance(c.shape, PASSABLE) and isinstance(c.on, PASSABLE)):
            return _Pair(met, may_meet, meets, way)
        V1, V2 = speeds.motions(c)
        meeting = [_meets(t, c.margin, (V1 - V2).at(t.point), dt) for t in met]
        passes = passing(c.shape, first, V1, c.on, second, V2, dt, met[0].normal, c.margin)
        passes = guard(sum(meeting[1:], meeting[0]) > 0.5, passes, 0.0)
        return _Pair(met, may_meet, meets, way, [where(x > 0.5, passes, 0.0) for x in meeting])

    def _add_point(self, p: Point, c: Contact, pair: _Pair) -> None:
        block, touch, friction = p.block, pair.touches[p.index], self.friction
        gap = touch.gap - c.margin if c.margin else touch.gap
        way = REACH * self.dt * self.speeds.at(c, touch.point) + self.fall if pair.way is None else pair.way
        near = where(gap < way, 1.0, 0.0)
        jacobian, turning = contact_jacobian(self.places, touch, c)
        rows = [*jacobian[: block.core], *turning[: block.spins], *turning[1 : 1 + block.rolls]]
        z, moves, shift = self._rows_of(block, rows)
        landing, hit = self._landing(c, jacobian[0], gap, pair.passes[p.index] if pair.passes else 0.0)
        missed: Any = 0.0
        if self.is_bound:
            rate = dot(jacobian[0], self.free) + landing
            missed = where(moves > 0.5, 0.0, where(rate < 0.0, -rate, 0.0))
            near = where(moves > 0.5, near, 0.0)
        law = [landing, c.friction * friction, c.spin * friction, c.roll * friction, *shift]
        values = [x for row in z for x in row]
        mobility = own_mobility(block, z, law[1])
        off = [[0.0] * len(values), [1.0] * len(mobility), [AWAY, *law[1:4], *[0.0] * len(shift)], [FAR]]
        if self.unread:
            off = [[UNREAD] * len(x) for x in off]
        numbers: Any = guard(near > 0.5, [values, mobility, law, [gap]], off)
        yes, no = [numbers, gap, near, missed, guard(near > 0.5, hit, 0.0)], [off, FAR, 0.0, 0.0, 0.0]
        (values, mobility, law, apart), gap, near, missed, hit = pair.if_near(yes, no)
        n = len(block.columns)
        rows = [values[k * n : (k + 1) * n] for k in range(block.rows)]
        self.terms.append(BlockTerms(block, rows, law, mobility))
        self.gaps.append(gap)
        self.near.append((near, apart[0]))
        self.missed += [missed] if self.is_bound else []
        self.hits += [hit] if c.restitution else []

    def _landing(self, c: Contact, normal: Sequence[Any], gap: Any, passes: Any) -> tuple[Any, Any]:
        """The velocity at which a point may land, and whether it hits and rebounds (1 or 0)."""
        landing: Any = where(gap > 0.0, gap, 0.0) / self.dt
        hit: Any = 0.0
        if c.restitution:
            before, after = (
                sum((x * y for x, y in zip(normal, u, strict=True) if not is_zero(x)), 0.0) for u in (self.v, self.free)
            )
            closes = where(gap + self.dt * before < 0.0, 1.0, 0.0)
            hit = where(rebounds(before, after), closes, 0.0)
            landing = where(hit > 0.5, before * c.restitution, landing)
            hit = where(passes > 0.5, 0.0, hit)
        return where(passes > 0.5, AWAY, landing), hit

    def _add_stop(self, stop: Any) -> None:
        q, v, free, dt = self.q, self.v, self.free, self.dt
        at, i, lower, upper = stopped(self.robot.model, stop)
        block = self.robot.single("stop", i)
        z, moves, shift = self._rows_of(block, [_unit(self.tree.nv, i)])
        below, above = q[at] - lower, upper - q[at]
        least: Any = -1e6
        most: Any = 1e6
        if math.isfinite(lower):
            least = where(below > 0.0, -below, 0.0) / dt
            if stop.restitution:
                hit = where(below + dt * v[i] < 0.0, where(v[i] < 0.0, 1.0, 0.0), 0.0)
                self.hits.append(hit)
                back, limit = -stop.restitution * v[i], where(above > 0.0, above, 0.0) / dt
                least = where(hit > 0.5, where(back < limit, back, limit), least)
        if math.isfinite(upper):
            most = where(above > 0.0, above, 0.0) / dt
            if stop.restitution:
                hit = where(above - dt * v[i] < 0.0, where(v[i] > 0.0, 1.0, 0.0), 0.0)
                self.hits.append(hit)
                back, limit = -stop.restitution * v[i], where(below > 0.0, -below, 0.0) / dt
                most = where(hit > 0.5, where(back > limit, back, limit), most)
        gap = (
            above
            if not math.isfinite(lower)
            else below
            if not math.isfinite(upper)
            else where(below < above, below, above)
        )
        if self.is_bound:
            less, more = least - free[i], free[i] - most
            beyond = where(less > 0.0, less, where(more > 0.0, more, 0.0))
            self.missed.append(where(moves > 0.5, 0.0, beyond))
            least, most = where(moves > 0.5, least, -1e6), where(moves > 0.5, most, 1e6)
        self.terms.append(BlockTerms(block, z, [least, most, *shift], _mobility(block, z, moves)))
        self.gaps.append(gap)


@dataclass(slots=True)
class _Pair:
    """The touches of two shapes; which of these pass each other (1 or 0); and what bounding balls show, if asked.

    Shapes certainly stay apart unless they `may_meet` (1 or 0), which is quick to compute, and unless this `meets`: the
    balls, on their `way`.
    """

    touches: list[Touch]
    may_meet: Any = None
    meets: Any = None
    way: Any = None
    passes: Sequence[Any] = ()

    def if_near(self, yes: Any, no: Any) -> Any:
        """`yes` unless the balls stay apart."""
        if self.way is None:
            return yes
        return guard(self.may_meet > 0.5, guard(self.meets > 0.5, yes, no), no)


def _meets(touch: Touch, margin: float, relative: Vec3, dt: Scalar) -> Scalar:
    """1 if a point that is well apart at the start is not so along its normal at the end of free motion, else 0."""
    way = dt * relative.dot(touch.normal)
    gap = touch.gap - margin
    return where(gap + way < 0.0, where(gap > -APART * way, 1.0, 0.0), 0.0)


def _unit(n: int, i: int) -> list[float]:
    return [float(k == i) for k in range(n)]


def _mobility(block: Block, z: Sequence[Sequence[Any]], moves: Any) -> list[Any]:
    """Of a block with one row: 1 where nothing moves it."""
    return [where(moves > 0.5, x, 1.0) for x in own_mobility(block, z, 0.0)]


def _entries(block: Block, z: Sequence[Any]) -> list[Any]:
    return [z[k] for k in block.columns]
