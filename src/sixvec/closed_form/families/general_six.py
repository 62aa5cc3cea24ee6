"""Any six revolute joints: all solutions, numerically.

The arm and the pose it has to reach are one closed loop (loop.py), which is solved as an eigenvalue problem
(raghavan_roth.py) from a cut at any joint and in either direction: twelve splits.  Every root is polished on the arm.
Two splits whose solutions differ in the angle of the eigenvalue are enough: those from the two ends of the arm, unless
its geometry (neighbouring axes that meet or are parallel) makes one singular for every angle, or the pose is special.
Then the next split takes over, and at last a pose nearby.  A pose without a regular split warns with
`IncompleteSolutions`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sixvec.closed_form.chain import Array, SerialChain
from sixvec.closed_form.families.loop import Loop
from sixvec.closed_form.families.polish import distinct, polished
from sixvec.closed_form.families.raghavan_roth import candidates, pencil, regularity
from sixvec.closed_form.subproblems import Turn
from sixvec.closed_form.target import Family, Joints
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Pose

Splits = NDArray[np.intp]
"""A number of splits for each pose."""

SOLUTIONS = 16
"""The most that a general arm has (Primrose 1986)."""

REGULAR = 1e-12
"""`regularity` of a split whose eigenvalues are better than noise: singular ones have 1e-15 at most, others 1e-9."""

NUDGE = 1e-2
"""How far, in arm sizes and radians, the pose is moved that stands in for one without `ENOUGH` simple splits."""

ENOUGH = 2
"""Simple splits that a pose is solved from."""

SPLITS = [(0, False), (0, True), (1, True), (5, False)]
"""Joints moved from the start of the loop to its end, and whether it then runs backwards.

First the arm from its base and from its tool; then with its first and last joint as neighbours, whose position to each
other is not the arm's but the pose's and so hardly ever special; then all others.
"""
SPLITS += [(k, back) for k in range(1, 6) for back in (False, True) if (k, back) not in SPLITS]


class IncompleteSolutions(UserWarning):
    """Inverse kinematics may have missed solutions."""


def general_six(chain: SerialChain) -> Family:
    """The family of all arms with six revolute joints."""

    def numeric(poses: Array) -> Array:
        flat = poses.reshape(-1, 4, 4)
        usable = np.asarray(np.isfinite(flat).all((1, 2)))
        X = np.where(usable[:, None, None], flat, np.eye(4))
        with np.errstate(all="ignore"):
            loop = Loop.of(chain, X)
            which, q, regular, simple = _roots(loop)
            special = np.flatnonzero(simple < ENOUGH)
            if len(special):  # the solutions of a pose nearby lead to those that got lost
                near, r, *_ = _roots(loop[special].nudged(NUDGE))
                which, q = np.concatenate([which, special[near]]), np.concatenate([q, r])
            q, good = polished(chain, X[which], q)
        _warn_of(chain, np.flatnonzero(usable & (regular == 0)), len(X))
        found = distinct(which[good], q[good], len(X), SOLUTIONS)
        found[~usable] = np.nan
        return found.reshape(*poses.shape[:-2], SOLUTIONS, 6)

    def answer(_: Pose, angles: Sequence[Scalar]) -> list[Joints]:
        turns = [Turn(cos(a), sin(a)) for a in angles]
        return [turns[i : i + 6] for i in range(0, 6 * SOLUTIONS, 6)]

    return Family("general 6R, numerically", chain.snapped(), answer, SOLUTIONS, extra=6 * SOLUTIONS, numeric=numeric)


def _roots(loop: Loop) -> tuple[NDArray[np.intp], Array, Splits, Splits]:
    """Which pose, (k,), and its candidates, (k, 6); how many splits of each pose were regular, (n,), and simple, (n,).

    Simple is a regular split whose solutions all differ in its first angle.
    """
    regular, simple = np.zeros(len(loop), np.intp), np.zeros(len(loop), np.intp)
    found = [(np.zeros(0, np.intp), np.zeros((0, 6)))]
    for shift, back in SPLITS:
        waiting = np.flatnonzero(simple < ENOUGH)
        if not len(waiting):
            break
        cut = loop[waiting].cut(shift)
        cut = cut.backwards() if back else cut
        M = pencil(cut)
        used = np.flatnonzero(regularity(M) > REGULAR)
        if not len(used):
            continue
        which, q, single = candidates(cut[used], M[used])
        regular[waiting[used]] += 1
        simple[waiting[used[single]]] += 1
        found.append((waiting[used[which]], np.roll(q[:, ::-1] if back else q, shift, axis=1)))
    return np.concatenate([which for which, _ in found]), np.concatenate([q for _, q in found]), regular, simple


def _warn_of(chain: SerialChain, poses: NDArray[np.intp], n: int) -> None:
    if not len(poses):
        return
    first = ", ".join(map(str, poses[:5])) + (", …" if len(poses) > 5 else "")
    message = f"the equations of {', '.join(chain.names)} are singular for {len(poses)} of {n} poses (number {first}), \
wherever the loop is cut; solutions of these may be missing: compare with numerical inverse kinematics"
    warnings.warn(message, IncompleteSolutions, stacklevel=5)
