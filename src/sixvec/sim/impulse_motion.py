"""What the impulses of a step do: no more work than there is, then positions and velocities at its end.

Overlaps, from the start or due to curved surfaces and finite steps, are corrected in positions only, by a fifth in each
step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.constraints.contacts.block_sweeps import BlockTerms
from sixvec.constraints.contacts.contact import Stop, stopped
from sixvec.constraints.contacts.local_law import TINY
from sixvec.model import Model
from sixvec.scalar import Scalar, guard, is_zero, where
from sixvec.sim.energy_balance import balanced
from sixvec.sim.free_motion import moved_freely
from sixvec.sim.impulse_problem import ImpulseProblem, StepTerms
from sixvec.sim.lifted_pairs import Lift, free_pairs, lifts_of
from sixvec.sim.mass_centres import centres as mass_centres
from sixvec.sim.projection import projected

OVERLAP_FRACTION = 0.2
"""Fraction of an overlap corrected in each step."""

LIFTING_SWEEPS = 2


def without_gain(
    free: Sequence[Any], mean: Sequence[Any], w: Sequence[Any], p: Sequence[Any], shifts: Sequence[Any] = ()
) -> tuple[list[Any], list[Any]]:
    """The largest part of the impulses that adds no energy: all of them wherever the laws hold.

    Restitution is a part of the laws; with friction at other contacts it may need more energy than there is.  A change
    d of whitened velocities adds  d·w + ½ d²  to the kinetic energy.  Weight acts on the mean velocity of the step,
    which impulses change by half as much: with the potential energy it is  d·mean + ½ d².  Rows with `shifts` move with
    driven joints, which do work too.
    """
    change = [x - y for x, y in zip(w, free, strict=True)]
    square = sum((x * x for x in change[1:]), change[0] * change[0])
    work = sum((x * y for x, y in zip(change[1:], mean[1:], strict=True)), change[0] * mean[0])
    if shifts:
        work = sum((x * y for x, y in zip(shifts, p, strict=True)), work)
    gains = where(square + 2.0 * work > 0.0, where(square > TINY, 1.0, 0.0), 0.0) > 0.5
    most = where(work < 0.0, -2.0 * work, 0.0) / where(gains, square, 1.0)
    part = where(gains, most, 1.0)
    return [x + part * y for x, y in zip(free, change, strict=True)], [part * x for x in p]


def _normals(problem: ImpulseProblem, terms: Sequence[BlockTerms], q: Any) -> list[list[Any]]:
    """The whitened rows along which points and stops part."""
    stops = [t for t in terms if t.block.kind == "stop"]
    return [*(t.rows[0] for t in terms if t.block.kind == "contact"), *stop_normals(problem, stops, q)]


def stop_normals(problem: ImpulseProblem, stops: Sequence[BlockTerms], q: Any) -> list[list[Any]]:
    """The whitened rows of stops, away from the limit that is nearer."""
    normals = []
    for t, stop in zip(stops, (c for c in problem.obstacles if isinstance(c, Stop)), strict=True):
        at, _, lower, upper = stopped(problem.model, stop)
        below = 1.0 if isinf(upper) else -1.0 if isinf(lower) else where(q[at] - lower < upper - q[at], 1.0, -1.0)
        normals.append([below * x for x in t.rows[0]])
    return normals


def _pushed(terms: Sequence[BlockTerms], normals: Sequence[Sequence[Any]], gaps: Sequence[Any], n: int) -> list[Any]:
    """How far each point and stop is pushed apart to correct part of the overlaps, by sweeps along normals."""
    w: list[Any] = [0.0] * n
    pushed: list[Any] = [0.0] * len(normals)
    for _ in range(LIFTING_SWEEPS):
        for k, (t, z) in enumerate(zip(terms, normals, strict=False)):
            pushed[k] = pushed_apart(w, t, z, gaps[k], pushed[k])
    return pushed


def pushed_apart(w: list[Any], t: BlockTerms, normal: Sequence[Any], gap: Any, pushed: Any) -> Any:
    """How far a block is pushed apart along its normal, after it was pushed so far; w moves with it."""
    deep, columns = gap < 0.0, t.block.columns
    reached = sum((a * w[i] for a, i in zip(normal, columns, strict=True) if not is_zero(w[i])), 0.0)
    new = pushed - (reached + OVERLAP_FRACTION * gap) / (t.mobility[0] + TINY)
    new = where(new > 0.0, new, 0.0)
    change = new - pushed
    ahead = [w[i] + a * change for a, i in zip(normal, columns, strict=True)]
    new, ahead = guard(deep, [new, ahead], [pushed, [w[i] for i in columns]])
    for i, x in zip(columns, ahead, strict=True):
        w[i] = x
    return new


def _lift(
    terms: Sequence[BlockTerms], normals: Sequence[Sequence[Any]], pushed: Sequence[Any], chosen: Sequence[int], n: int
) -> list[Any]:
    """The whitened motion of some points and stops that are pushed apart."""
    w: list[Any] = [0.0] * n
    for k in chosen:
        for z, i in zip(normals[k], terms[k].block.columns, strict=True):
            w[i] = w[i] + z * pushed[k]
    return w


def advanced(
    problem: ImpulseProblem, tree: Model, t: StepTerms, q: Any, dt: Scalar, w: Sequence[Any],
    lifted: Sequence[Any] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Positions and velocities at the end of the step, from its whitened velocities.

    `lifted` is the whitened motion that corrects overlaps, if it is known.
    """
    about, rotating = mass_centres(tree, problem.driven, t.centres), problem.rotating(tree)
    after = [t.free[i] if i in problem.driven else x for i, x in enumerate(t.factors.unwhitened(w, t.roots))]
    lifts: list[Lift] = []
    lift: Sequence[Any]
    if lifted is not None:
        lift = t.factors.unwhitened(lifted, t.roots)
    else:
        normals = _normals(problem, t.blocks, q)
        pushed = _pushed(t.blocks, normals, t.gaps, len(w))
        names = {b.name for b in rotating}
        pairs = [p for p in free_pairs(tree, problem.layout.contacts_of_points) if all(b.name in names for b in p[0])]
        lift, lifts = lifts_of(
            pairs, pushed, range(len(pushed)),
            lambda points: t.factors.unwhitened(_lift(t.blocks, normals, pushed, points, len(w)), t.roots),
        )  # fmt: skip
    q1, v1 = moved_freely(tree, rotating, q, dt, after, lift, about, lifts)
    if problem.closed:
        q1, v1 = projected(t.rows, q1, v1)
    if problem.jointed:
        at, there = (JointVector(x, tree.q_slices) for x in (q, q1))
        v1 = balanced(tree, problem.jointed, t.balance, at, t.free, after, there, v1, dt)
    return q1, v1
