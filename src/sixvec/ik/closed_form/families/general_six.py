"""Any six revolute joints: all solutions, numerically.

The arm and its target pose form one closed loop (loop.py), which is solved as an eigenvalue problem
(raghavan_roth.py) from a cut at any joint and in either direction: twelve splits.  Every root is polished on the arm.
Two splits whose solutions differ in the angle of the eigenvalue are sufficient if both find the same solutions: those
from the two ends of the arm, unless its geometry (adjacent axes that intersect or are parallel) makes one singular for
every angle.

At a special pose, where solutions share angles or coincide, some may be missed.  It is approached from poses nearby, in
several directions, until every solution was found twice and their number is even, as it must be if none is singular:
the poses that an arm reaches do not fill space, so the map from positions to poses has degree zero.  What is not
decided then is searched from random positions.  A pose that remains undecided, or that a continuous family of positions
reaches, warns with `IncompleteSolutions`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.distinct_solutions import DistinctSolutions, Index, angle_gap
from sixvec.ik.closed_form.families.loop import Loop
from sixvec.ik.closed_form.families.polish import polished
from sixvec.ik.closed_form.families.raghavan_roth import NEARLY_REAL, candidates, pencil, regularity
from sixvec.ik.closed_form.families.self_motion import SINGULAR, least_singular_value, on_a_family
from sixvec.ik.closed_form.subproblems import Turn
from sixvec.ik.closed_form.target import Family, Joints
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Pose
from sixvec.tolerances import ROUNDING

Mask = NDArray[np.bool_]

SOLUTIONS = 16
"""The largest number of solutions of a general arm (Primrose 1986)."""

ENOUGH = 2
"""Simple splits from which a pose is solved, and sources that must agree on a solution."""

NUDGES = (1e-2, -1e-2, 3e-3, -3e-3, 3e-2, -3e-2)
"""How far, in arm sizes and radians, the substitutes of an unsettled pose are displaced, in both directions."""

NEARBY_SPLITS = 3
"""Regular splits from which a nearby pose is solved: solutions of some arms share angles at every pose."""

NEARLY_REAL_NEARBY = 0.3
"""Imaginary part of an eigenvalue of a nearby pose, relative, up to which it is tried: a double root that a
displacement by 1e-2 splits into a complex pair moves by 1e-1."""

STARTS = 64
"""Random positions from which an unsettled pose is searched."""

CHUNK = 1024
"""Poses solved at once: bounds the memory."""

ONE_ROOT = 1e-3
"""Singular solutions this near to each other are the same: rounding moves a triple root by 1e-5, a fivefold by 1e-3."""

SPLITS = [(0, False), (0, True), (1, True), (5, False)]
"""Joints moved from the start of the loop to its end, and whether it then runs backwards.

First the arm from its base and from its tool; then with its first and last joint as neighbours, whose position to each
other is not the arm's but the pose's and so hardly ever special; then all others.
"""
SPLITS += [(k, back) for k in range(1, 6) for back in (False, True) if (k, back) not in SPLITS]


class IncompleteSolutions(UserWarning):
    """Inverse kinematics may have missed solutions; `poses` are the numbers of the poses in their (flattened) batch."""

    def __init__(self, message: str, poses: Index | None = None) -> None:
        super().__init__(message)
        self.poses = np.zeros(0, np.intp) if poses is None else poses


def general_six(chain: SerialChain) -> Family:
    """The family of all arms with six revolute joints."""

    def numeric(poses: Array) -> Array:
        flat = poses.reshape(-1, 4, 4)
        usable = np.asarray(np.isfinite(flat).all((1, 2)))
        solutions = np.full((len(flat), SOLUTIONS, 6), np.nan)
        doubtful, moving = np.zeros(len(flat), bool), np.zeros(len(flat), bool)
        rows = np.flatnonzero(usable)
        for chunk in (rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)):
            with np.errstate(all="ignore"):
                solutions[chunk], doubtful[chunk], moving[chunk] = _solved(chain, flat[chunk])
        _warn_of(chain, moving, "are reached by a continuous family of positions, of which some are given")
        _warn_of(chain, doubtful & ~moving, "are singular wherever the loop is cut; solutions of these may be missing")
        return solutions.reshape(*poses.shape[:-2], SOLUTIONS, 6)

    def solve(_: Pose, angles: Sequence[Scalar]) -> list[Joints]:
        turns = [Turn(cos(a), sin(a)) for a in angles]
        return [turns[i : i + 6] for i in range(0, 6 * SOLUTIONS, 6)]

    return Family("general 6R, numerically", chain.snapped(), solve, SOLUTIONS, extra=6 * SOLUTIONS, numeric=numeric)


def _solved(chain: SerialChain, X: Array) -> tuple[Array, Mask, Mask]:
    """Solutions (n, 16, 6); which poses are unsettled, (n,), and which have a continuous family, (n,)."""
    loop = Loop.of(chain, X)
    which, q, source, simple, _ = _roots(loop, NEARLY_REAL, len(SPLITS))
    solutions = _sighted(chain, X, DistinctSolutions.none(len(X)), which, q, source)
    sigma = _singular_values(chain, X, solutions)
    doubtful = (simple < ENOUGH) | _unsettled(solutions, sigma) | _any_singular(solutions, sigma)
    special = np.flatnonzero(doubtful)
    if len(special):
        replaced, doubtful[special] = _approached(chain, X[special], loop[special], solutions[special])
        solutions = solutions.replaced(special, replaced)
        sigma[special] = _singular_values(chain, X[special], replaced)
    singular = solutions.any & ~(sigma > SINGULAR)
    moving = np.zeros(singular.shape, bool)
    moving[singular] = on_a_family(chain, X[np.nonzero(singular)[0]], solutions.q[singular])
    return _chosen(solutions, singular, moving), doubtful, np.asarray(moving.any(-1))


def _approached(chain: SerialChain, X: Array, loop: Loop, roots: DistinctSolutions) -> tuple[DistinctSolutions, Mask]:
    """Special poses solved by way of nearby poses, finally by search; which remain unsettled."""
    regular, waiting = np.zeros(len(X), np.intp), np.arange(len(X))
    for attempt, by in enumerate(NUDGES, 1):
        nearby = loop[waiting].nudged(by, (attempt - 1) // 2)
        which, q, source, _, several = _roots(nearby, NEARLY_REAL_NEARBY, NEARBY_SPLITS)
        regular[waiting] += several
        roots = _sighted(chain, X, roots, waiting[which], q, source + attempt * len(SPLITS))
        if attempt > 1:
            waiting = waiting[_doubtful(chain, X[waiting], roots[waiting]) | (regular[waiting] < ENOUGH)]
        if not len(waiting):
            break
    if len(waiting):
        which, source = np.repeat(waiting, STARTS), np.tile(np.arange(STARTS), len(waiting))
        q = np.random.default_rng(0).uniform(-np.pi, np.pi, (len(which), 6))
        roots = _sighted(chain, X, roots, which, q, source + (len(NUDGES) + 1) * len(SPLITS))
        waiting = waiting[_doubtful(chain, X[waiting], roots[waiting]) | (regular[waiting] < ENOUGH)]
    return roots, np.isin(np.arange(len(X)), waiting)


def _roots(loop: Loop, nearly_real: float, most: int) -> tuple[Index, Array, Index, Index, Index]:
    """Which pose, (k,), its candidates, (k, 6), and the split of each, (k,); how many splits were simple and regular.

    A simple split is a regular one whose solutions all differ in its first angle.  At most `most` regular ones are
    solved.
    """
    simple, regular = np.zeros(len(loop), np.intp), np.zeros(len(loop), np.intp)
    roots = [(np.zeros(0, np.intp), np.zeros((0, 6)), np.zeros(0, np.intp))]
    for split, (shift, back) in enumerate(SPLITS):
        waiting = np.flatnonzero((simple < ENOUGH) & (regular < most))
        if not len(waiting):
            break
        cut = loop[waiting].cut(shift)
        cut = cut.backwards() if back else cut
        M = pencil(cut)
        used = np.flatnonzero(regularity(M) > ROUNDING)
        if not len(used):
            continue
        which, q, single = candidates(cut[used], M[used], nearly_real)
        regular[waiting[used]] += 1
        simple[waiting[used[single]]] += 1
        q = np.roll(q[:, ::-1] if back else q, shift, axis=1)
        roots.append((waiting[used[which]], q, np.full(len(q), split, np.intp)))
    which, q, source = (np.concatenate(parts) for parts in zip(*roots, strict=True))
    return which, q, source, simple, regular


def _sighted(
    chain: SerialChain, X: Array, solutions: DistinctSolutions, which: Index, q: Array, source: Index
) -> DistinctSolutions:
    """With candidates (k, 6) of poses `which` added that polishing turns into solutions."""
    q, good = polished(chain, X[which], q)
    return solutions.seen(which[good], q[good], source[good])


def _singular_values(chain: SerialChain, X: Array, solutions: DistinctSolutions) -> Array:
    """(n, CAPACITY): least singular value of each solution."""
    sigma = np.full(solutions.times.shape, np.nan)
    sigma[solutions.any] = least_singular_value(chain, X[np.nonzero(solutions.any)[0]], solutions.q[solutions.any])
    return sigma


def _doubtful(chain: SerialChain, X: Array, solutions: DistinctSolutions) -> Mask:
    return _unsettled(solutions, _singular_values(chain, X, solutions))


def _any_singular(solutions: DistinctSolutions, sigma: Array) -> Mask:
    return np.asarray((solutions.any & ~(sigma > SINGULAR)).any(-1))


def _unsettled(solutions: DistinctSolutions, sigma: Array) -> Mask:
    """(n,): where a regular solution was found only once, or where their number is odd and none is singular."""
    regular = solutions.any & (sigma > SINGULAR)
    odd = (regular.sum(-1) % 2 == 1) & ~_any_singular(solutions, sigma)
    return np.asarray((regular & (solutions.times < ENOUGH)).any(-1) | odd)


def _chosen(solutions: DistinctSolutions, singular: Mask, moving: Mask) -> Array:
    """(n, 16, 6): regular solutions, then isolated singular ones, then points of continuous families."""
    order = np.argsort(np.where(solutions.any, singular.astype(int) + moving, 3), axis=-1, kind="stable")[:, :SOLUTIONS]
    chosen = np.take_along_axis(solutions.q, order[..., None], 1)
    for i in np.flatnonzero(singular.any(-1)):
        chosen[i] = np.nan
        regular = solutions.q[i, solutions.any[i] & ~singular[i]][:SOLUTIONS]
        for some in (singular[i] & ~moving[i], singular[i] & moving[i]):
            regular = _spread(regular, solutions.q[i, some])
        chosen[i, : len(regular)] = regular
    return chosen


def _spread(chosen: Array, more: Array) -> Array:
    """With those of `more` added that are farthest from all others, while slots are free."""
    for _ in range(min(len(more), SOLUTIONS - len(chosen))):
        gap = angle_gap(more[:, None], chosen[None]).min(-1, initial=np.inf)
        if gap.max() < ONE_ROOT:
            break
        chosen = np.concatenate([chosen, more[[gap.argmax()]]])
    return chosen


def _warn_of(chain: SerialChain, which: Mask, why: str) -> None:
    poses = np.flatnonzero(which)
    if not len(poses):
        return
    first = ", ".join(map(str, poses[:5])) + (", …" if len(poses) > 5 else "")
    message = f"{', '.join(chain.names)}: {len(poses)} of {len(which)} poses (number {first}) {why}; compare with \
numerical inverse kinematics"
    warnings.warn(IncompleteSolutions(message, poses), stacklevel=5)
