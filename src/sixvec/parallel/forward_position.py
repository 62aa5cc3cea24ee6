"""One pose of the platform near a given one, for given actuator positions: a compiled Newton iteration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import Array, positive_number, real_array, whole_number
from sixvec.border.answer import Answer
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.ik.position_solver import SOLVED, STALLED, searching
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.leg import Legs
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.newton import corrected
from sixvec.parallel.space import SURELY_RIGID, Space
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import largest_size
from sixvec.verdict import Verdict

TOLERANCE = 1e-12
"""Largest error of a leg, in sizes of the platform, at which a pose is found: Newton's next step would be rounding."""

ITERATIONS = 100
PROGRESS, PATIENCE = 0.9, 12.0
"""A start is abandoned if the squared error has not fallen below this fraction of its least for so many steps."""

LARGEST = 1e150
"""Entries of a start below this have squares that are finite."""


@dataclass(frozen=True, eq=False)
class ForwardPosition(Answer):
    """A pose for each sample, and the outcome of the search; true if all were found."""

    pose: Array
    verdict: Array
    """`Verdict` for each sample: unreachable also if no pose near X0 was found, though others may exist;
    contradictory if more legs than freedoms disagree: the pose is the one near X0 whose positions are nearest."""
    residual: Array
    """The largest error of a leg, in metres."""
    leg: Array
    """If no pose closes: the leg with the largest error, or that cannot close together with another one; else -1.
    For invalid samples the leg without a length, or -1 if X0 is not finite."""
    other: Array
    """The leg that cannot close together with `leg` in any pose, or -1."""

    @property
    def solved(self) -> Array:
        found: Any = self.verdict == int(Verdict.SOLVED)
        return np.asarray(found) if isinstance(found, np.bool_) else found

    def __bool__(self) -> bool:
        return bool(self.solved.all())

    def explain(self, index: Any = ()) -> str:
        """One sample's verdict in words."""
        verdict, leg, other = Verdict(int(self.verdict[index])), int(self.leg[index]), int(self.other[index])
        if verdict == Verdict.SOLVED:
            return str(verdict)
        if verdict == Verdict.INVALID and leg < 0:
            return f"{verdict}: X0 is not finite"
        if verdict == Verdict.INVALID:
            return f"{verdict}: leg {leg} has no positive finite length"
        if other >= 0:
            return f"cannot close: legs {leg} and {other} are too different in length for their pivots"
        if verdict == Verdict.CONTRADICTORY:
            miss = f"leg {leg} misses by {float(self.residual[index]):.2g} m"
            return f"{verdict}: no pose near X0 has all these positions; at the nearest {miss}"
        if not np.isfinite(self.residual[index]):
            return f"cannot close: no pose has these positions; leg {leg} is furthest from the others"
        return f"{verdict}: no pose was found near X0; leg {leg} misses by {float(self.residual[index]):.2g} m"

    def __repr__(self) -> str:
        if np.ndim(self.verdict) == 0:
            return f"<ForwardPosition {self.explain()}>"
        return f"<ForwardPosition {int(self.solved.sum())} of {math.prod(self.solved.shape)} solved>"


@lru_cache(maxsize=64)
def spheres(legs: Legs) -> CompiledFunction:
    """The spheres of the platform pivots for q: centres (n, 3) and radii (n)."""

    def run(q: Any) -> Any:
        found = [leg.sphere(x) for leg, x in zip(legs, q, strict=True)]
        return [[*c] for c, _ in found], [r for _, r in found]

    n = len(legs)
    outputs = (Port("centre", (n, 3)), Port("radius", (n,)))
    return CompiledFunction(run, (Port("q", (n,)),), outputs, f"parallel spheres {legs}")


@lru_cache(maxsize=64)
def descent(legs: Legs, space: Space, size: float, iterations: int) -> Iterated:
    """The loop: (pose, …; q, tolerance), of cranks (pose, …; centres, radii, tolerance): they are turned once."""
    cranks = any(leg.angular for leg in legs)

    def step(X: Any, *given: Any) -> Any:
        *ball, tolerance = given
        balls = zip(*ball, strict=True) if cranks else (leg.sphere(x) for leg, x in zip(legs, *ball, strict=True))
        X1, cost, largest = corrected(legs, space, size, X, balls)
        return X1, cost, (largest < tolerance,)

    n = len(legs)
    ball = (Port("centre", (n, 3)), Port("radius", (n,))) if cranks else (Port("q", (n,)),)
    identity = f"parallel descent {legs} {type(space).__name__} {size}"
    compiled = searching(step, space.port, (*ball, Port("tolerance", ())), identity, PROGRESS, PATIENCE)
    return Iterated(compiled, iterations, carried=4, until=True, name="forward_position")


@lru_cache(maxsize=64)
def outcome(legs: Legs, space: Space) -> CompiledFunction:
    """Of poses X found from X0 for q: the largest error of a leg, and 1 if lengths and X0 are surely valid, else 0."""

    def run(X: Any, X0: Any, q: Any) -> Any:
        entries = X0 if len(space.port.shape) == 1 else [x for row in X0 for x in row]
        valid: Scalar = where(dot(entries, entries) < LARGEST, where(space.deviation(X0) < SURELY_RIGID, 1.0, 0.0), 0.0)
        errors = []
        for leg, x in zip(legs, q, strict=True):
            c, r = leg.sphere(x)
            errors.append(r - (space.pivot(X, leg.platform) - c).norm())
            valid = where(r > 0.0, where(abs(x) < math.inf, valid, 0.0), 0.0)
        return largest_size(errors), valid

    inputs = (space.port, Port("X0", space.port.shape), Port("q", (len(legs),)))
    identity = f"parallel outcome {legs} {type(space).__name__}"
    return CompiledFunction(run, inputs, (Port("residual", ()), Port("valid", ())), identity)


def near(robot: ParallelRobot, q: ArrayLike, X0: ArrayLike, tolerance: float, iterations: int) -> ForwardPosition:
    """The pose found from X0 for each q."""
    q, tolerance = (
        real_array("q", q, robot.n, why="one for each leg"),
        positive_number("forward_position: tolerance", tolerance),
    )
    iterations = whole_number("forward_position: iterations", iterations, 1)
    start = robot.space.shaped(X0, "forward_position: X0")
    robot._require_legs("forward_position")
    loop = descent(robot.legs, robot.space, robot.size, iterations)
    ball = spheres(robot.legs)(q) if any(leg.angular for leg in robot.legs) else (q,)
    least = max(tolerance * robot.size, robot.rounding)
    X, _, _, state = (np.asarray(x) for x in loop(start, np.inf, 0.0, 0.0, *ball, least))
    residual, valid = (np.asarray(x) for x in outcome(robot.legs, robot.space)(X, start, q))
    if (valid > 0.5).all() and (state == SOLVED).all():
        none = np.full(state.shape, -1)
        return ForwardPosition(robot.space.as_user_pose(X), np.zeros(state.shape, np.int8), residual, none, none)
    return _judged(robot, q, robot.space.checked(X0, "forward_position: X0"), X, state, residual)


def _judged(robot: ParallelRobot, q: Array, start: Array, X: Array, state: Array, closed: Array) -> ForwardPosition:
    """The same where some samples are not solved or not valid; the others keep their residual to the bit: `closed`."""
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(q))
    misses = missing(robot, X, centre, radius)
    residual = misses.max(axis=-1)
    with np.errstate(invalid="ignore"):
        good = np.isfinite(q) & (radius > 0.0)
        begun = (np.abs(start) < LARGEST).all(axis=tuple(range(-len(robot.space.port.shape), 0)))
    leg, other = misses.argmax(axis=-1), np.full(state.shape, -1)
    verdict = np.where(state == STALLED, Verdict.UNREACHABLE, Verdict.NOT_CONVERGED)
    if not (state == SOLVED).all():
        apart = never_closed(robot, centre, radius)
        leg, other = np.where(apart[0] >= 0, apart[0], leg), np.where(apart[0] >= 0, apart[1], other)
        verdict = np.where(apart[0] >= 0, Verdict.UNREACHABLE, verdict)
    verdict = np.where(state == SOLVED, Verdict.SOLVED, verdict)
    if robot.n > robot.space.freedoms:
        X, verdict = _nearest(robot, q, X, verdict, (state != SOLVED) & good.all(axis=-1) & begun & (other < 0))
        misses = missing(robot, X, centre, radius)
        residual, leg = misses.max(axis=-1), np.where(other < 0, misses.argmax(axis=-1), leg)
    bad = ~(good.all(axis=-1) & begun)
    verdict = np.where(bad, Verdict.INVALID, verdict).astype(np.int8)
    without_length = np.where(good.all(axis=-1), -1, (~good).argmax(axis=-1))
    leg = np.where(bad, without_length, np.where(verdict == Verdict.SOLVED, -1, leg))
    other = np.where((verdict == Verdict.SOLVED) | bad, -1, other)
    residual = np.where(state == SOLVED, closed, residual)
    return ForwardPosition(robot.space.as_user_pose(X), verdict, residual, leg, other)


def _nearest(robot: ParallelRobot, q: Array, X: Array, verdict: Array, tried: Array) -> tuple[Array, Array]:
    """Poses and verdicts with the least-squares pose where the positions of redundant legs disagree."""
    from sixvec.parallel.nearest_pose import nearest_pose

    batch, port = verdict.shape, robot.space.port.shape
    which = np.flatnonzero(np.broadcast_to(tried, batch).ravel())
    if not len(which):
        return X, verdict
    poses, verdicts = np.array(np.broadcast_to(X, (*batch, *port))).reshape(-1, *port), verdict.ravel()
    given = np.broadcast_to(q, (*batch, robot.n)).reshape(-1, robot.n)[which]
    found, settled = nearest_pose(robot, given, poses[which])
    poses[which[settled]] = found[settled]
    verdicts[which[settled]] = Verdict.CONTRADICTORY
    return poses.reshape(*batch, *port), verdicts.reshape(batch)


def missing(robot: ParallelRobot, X: Array, centre: Array, radius: Array) -> Array:
    """The error of each rod's length at poses: (..., n)."""
    return np.asarray(rod_errors(tuple(leg.platform for leg in robot.legs), robot.space)(X, centre, radius))


@lru_cache(maxsize=64)
def rod_errors(pivots: tuple[Vec3, ...], space: Space) -> CompiledFunction:
    def run(X: Any, centre: Any, radius: Any) -> Any:
        return [
            abs(r - (space.pivot(X, b) - Vec3.of(c)).norm()) for b, c, r in zip(pivots, centre, radius, strict=True)
        ]

    n = len(pivots)
    inputs = (space.port, Port("centre", (n, 3)), Port("radius", (n,)))
    identity = f"parallel rod_errors {pivots} {type(space).__name__}"
    return CompiledFunction(run, inputs, (Port("error", (n,)),), identity)


def never_closed(robot: ParallelRobot, centre: Array, radius: Array) -> tuple[Array, Array]:
    """Two legs whose lengths are incompatible with the fixed distance of their pivots on the platform."""
    first, second = (np.full(radius.shape[:-1], -1) for _ in range(2))
    for j in range(robot.n):
        for i in range(j):
            if robot.space.turns:
                a, b = centre[..., j, :] - centre[..., i, :], robot.platform[j] - robot.platform[i]
            else:  # the distance of the pivots is one of the centres'
                a = centre[..., j, :] - robot.platform[j] - centre[..., i, :] + robot.platform[i]
                b = np.zeros(3)
            a, b = np.linalg.norm(a, axis=-1), np.linalg.norm(b)
            sides = np.stack([radius[..., i], radius[..., j], a, np.broadcast_to(b, a.shape)])
            with np.errstate(invalid="ignore"):  # a quadrilateral closes unless one side exceeds all others together
                open_ = (2.0 * sides.max(axis=0) > sides.sum(axis=0) * (1.0 + 1e-12)) & (first < 0)
            longest = np.where(radius[..., j] > radius[..., i], j, i)
            first, second = np.where(open_, longest, first), np.where(open_, i + j - longest, second)
    return first, second
