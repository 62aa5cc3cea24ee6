"""Singularities of a parallel robot: lost motion or stiffness, and the gained motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, require_finite
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Branch
from sixvec.tolerances import DRAWN

NEARBY = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
"""Half the step of the differences for the rate at which a singularity approaches: their error is its square.  Smaller
ones are for poses near the boundary of the reach, where the first leaves it."""
GENERIC_POSES = 8


@dataclass(frozen=True, eq=False, repr=False)
class ParallelSingularity(Result):
    """The singularities at one pose; it prints as a report.

    Type I: a leg's actuator moves without moving the platform, which loses motion.  Type II: it moves with all
    actuators locked; it cannot resist every wrench.  Type III: both (Gosselin and Angeles 1990).
    """

    rank: int
    """Of the lines of the rods."""
    freedoms: int
    values: Array
    """Singular values of the unit forces, moments about the middle of the platform's pivots, divided by the size of the
    platform; for rank only."""
    gained: Array
    """(freedoms, k): twists of the platform with all actuators locked."""
    unheld: Array
    """(freedoms, k): wrenches that no actuator forces balance, one for each gained twist, on which it does work.  Every
    wrench that does work on a gained twist is lost, so these are examples, not a basis of a space."""
    legs: tuple[int, ...]
    """The singular legs: type I."""
    gains: Array
    """Of the legs: zero where singular."""
    distance: float
    """First-order distance to the next singularity of type II, σ / |∇σ|: metres of the middle of the platform's pivots,
    rotations about it times the size.  Its limit where a leg is stretched is 0: the rod turns infinitely fast there."""
    factors: dict[str, float] = field(default_factory=dict)
    """Of a 321: the three triple products whose product is the determinant of forces and moments about t3."""

    @property
    def types(self) -> tuple[str, ...]:
        first, second = bool(self.legs), self.rank < self.freedoms
        return ("I",) * first + ("II",) * second + ("III",) * (first and second)

    @property
    def is_singular(self) -> bool:
        return bool(self.types)

    def __repr__(self) -> str:
        kind = f"singular, type {self.types[-1]}" if self.types else "regular"
        return f"<ParallelSingularity: {kind}; rank {self.rank} of {self.freedoms}>"

    def __str__(self) -> str:
        lines = [repr(self).partition(": ")[2].rstrip(">")]
        if not self.types:
            lines.append(f"  nearest singularity about {self.distance:.3g} away")
        lines += [f"  leg {k} is singular: its actuator cannot move the platform" for k in self.legs]
        lines += [f'  factor "{name}" is {x:.3g}' for name, x in self.factors.items()]
        lines += [f"  gained twist  {_row(t)}" for t in self.gained.T]
        lines += [f"  unheld wrench {_row(w)}" for w in self.unheld.T]
        return "\n".join(lines)


def singularity(robot: ParallelRobot, X: ArrayLike, branch: Branch, tolerance: float) -> ParallelSingularity:
    """The report for one pose."""
    tolerance = positive_number("singularity: tolerance", tolerance)
    X = robot.space.one(X, "singularity: X")
    require_finite("singularity: X", X)
    form = robot.normal
    here, pose = form.robot, form.pose(X)
    A, gains = (np.asarray(x) for x in here.run_map("lines", pose, branch=branch))
    if not np.isfinite(A).all():
        k = int(np.argwhere(~np.isfinite(A))[0][-1])
        if robot.legs[k].kind == "UPS":
            raise ArgumentError(f"singularity: leg {k} has no direction: its pivots coincide at this pose")
        raise ArgumentError(
            f"singularity: leg {k} cannot reach its pivot at this pose; inverse_position says which can"
        )
    scale = here._scale
    U, values, _ = np.linalg.svd(scale[:, None] * A)
    m = robot.space.freedoms
    rank = int((values > tolerance * max(float(values[0]), here.leverage)).sum())
    turned, metre = np.arange(m)[:, None] < robot.space.turns, 1.0 / form.scale
    at_origin = robot.twist_shift(X)
    gained = at_origin @ (np.where(turned, 1.0, metre) * scale[:, None] * U[:, rank:])  # Aᵀ t = 0
    unheld = np.linalg.solve(at_origin.T, np.where(turned, metre, 1.0) * U[:, rank:] / scale[:, None])
    gains = gains * robot.gain_sizes / here.gain_sizes
    dead = tuple(int(k) for k in np.flatnonzero(~(np.abs(gains) >= tolerance * robot.gain_sizes)))
    distance = 0.0 if rank < m else _distance(here, pose, branch) / form.scale
    return ParallelSingularity(
        rank, m, values, _signed(gained), _signed(unheld), dead, gains, distance, factors_321(robot, X)
    )


def is_architecturally_singular(robot: ParallelRobot) -> bool:
    """Whether every pose is singular: the rods' lines depend on each other at every pose.

    This holds for similar planar platforms with their pivots on a conic, as all regular hexagons (Bruyninckx §8.19),
    and for platforms of Griffis and Duffy, which move with all legs locked.
    """
    rng = np.random.default_rng(7)
    robot = robot.normal.robot
    if robot.space.port.shape != (4, 4) or any(leg.branches > 1 for leg in robot.legs):
        return False
    R = np.linalg.qr(rng.normal(size=(GENERIC_POSES, 3, 3)))[0]
    X = np.tile(np.eye(4), (GENERIC_POSES, 1, 1))
    X[:, :3, :3] = R * np.linalg.det(R)[:, None, None]
    X[:, :3, 3] = robot.roots.mean(axis=0) + rng.normal(size=(GENERIC_POSES, 3)) * (robot.size + np.ptp(robot.roots))
    A = np.asarray(robot.run_map("lines", X)[0])
    values = np.linalg.svd(robot._scale[:, None] * A, compute_uv=False)
    return bool((values[:, robot.space.freedoms - 1] < max(DRAWN, robot.rounding / robot.size) * values[:, 0]).all())


def factors_321(robot: ParallelRobot, X: Array) -> dict[str, float]:
    """[e₁,e₂,e₃], [r₃₂,e₄,e₅] and [r₃₂,r₃₁,e₆] of a 321; each vanishes where four points are coplanar.

    Bruyninckx §8.20.
    """
    from sixvec.parallel.families import Parallel321

    if not isinstance(robot, Parallel321):
        return {}
    S = robot.platform @ X[:3, :3].T + X[:3, 3]
    d = S - robot.roots
    e = d / np.linalg.norm(d, axis=-1, keepdims=True)
    r32, r31 = S[3] - S[0], S[5] - S[0]
    triples = {"3": e[:3], "2": np.stack([r32, e[3], e[4]]), "1": np.stack([r32, r31, e[5]])}
    return {name: float(np.linalg.det(M)) for name, M in triples.items()}


def label_321(robot: ParallelRobot, poses: Array) -> Array:
    """The signs of the factors at poses (k, 4, 4), "3-up 2-down 1-up": "up" is positive."""
    signs = [{k: "up" if x > 0.0 else "down" for k, x in factors_321(robot, X).items()} for X in poses]
    return np.array([" ".join(f"{k}-{s[k]}" for k in "321") for s in signs], object)


def _distance(robot: ParallelRobot, X: Array, branch: Any) -> float:
    """σ / |∇σ| by differences over the freedoms, rotations scaled by the size of the platform."""
    m, scale = robot.space.freedoms, robot._scale
    before = True
    for size in NEARBY:
        steps = np.concatenate([np.zeros((1, m)), np.eye(m), -np.eye(m)]) * size * scale * robot.size
        poses = np.stack([_moved(robot, X, t) for t in steps])
        A = np.asarray(robot.run_map("lines", poses, branch=branch)[0])
        reached = bool(np.isfinite(A).all())
        if reached and before:
            s = np.linalg.svd(scale[:, None] * A, compute_uv=False)[:, m - 1]
            steepness = float(np.linalg.norm((s[1 : m + 1] - s[m + 1 :]) / (2.0 * size * robot.size)))
            return float(s[0] / steepness) if steepness > 0.0 else float("inf")
        before = reached  # of a step that only just stays within reach, the difference is inaccurate
    return 0.0


def _moved(robot: ParallelRobot, X: Array, twist: Array) -> Array:
    moved = robot.space.moved(X.tolist(), [float(x) for x in twist])
    return np.asarray(moved, float)


def _signed(columns: Array) -> Array:
    if not columns.size:
        return columns
    largest = np.abs(columns).argmax(axis=0)
    return np.asarray(columns * np.where(columns[largest, np.arange(columns.shape[1])] < 0.0, -1.0, 1.0))


def _row(x: Array) -> str:
    return "(" + ", ".join(f"{y + 0.0:.3g}" if abs(y) > 1e-9 else "0" for y in x) + ")"
