"""Singularities: detection, lost twists, wrenches borne by the structure, motion with locked motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sixvec.analysis.singular_cause import singular_causes
from sixvec.arguments import Array, real_array
from sixvec.arguments.checks import require_finite
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import closure_rows, feasible_basis, loop_jacobian
from sixvec.constraints.loops import joint_columns
from sixvec.errors import DegenerateError
from sixvec.ik.kinematic_maps import six
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.actuation import passive_joints
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank, rank_of
from sixvec.solve.direction import TWIST, Directions, direction_rows
from sixvec.solve.metric import Metric, require_metric
from sixvec.solve.spectrum import Spectrum, spectrum
from sixvec.tolerances import RANK

Kind = Literal["regular", "loses motion", "gains motion", "loses and gains motion"]

GENERIC_SAMPLES = 16
"""Number of random positions whose largest rank is used as the generic rank."""
PRINTED_AS_ZERO = 1e-14
"""Fraction of the largest singular value that is printed as zero."""
NEARBY = 1e-4
"""Step, in joint coordinates, from a singular position to a neighbour that reveals the lost motions."""


@dataclass(frozen=True, eq=False, repr=False)
class Singularity(Result):
    """The possible and lost motions of a configuration, or of a batch of them; printing one gives a report.

    Of a batch all parts but `frame`, `directions`, `usual_rank` and `usual_gained` have its axes first; sets of columns
    are as wide as the widest, and columns beyond those of a sample are zero.  `causes` are for one configuration.

    `loses motion` if fewer twists than usual are possible; `gains motion` if the frame or the inside of the mechanism
    can move while every motor is locked, which only passive joints make possible (Bruyninckx §5.8).
    """

    frame: str
    directions: tuple[str, ...]
    """By their names in a twist: wx, wy, wz, vx, vy, vz."""
    rank: Any
    """How many of the directions are possible: an int, or (...)."""
    usual_rank: int
    values: Array
    """Singular values in the metric, largest first."""
    lost: Array
    """(6, usual_rank - rank): twists that are possible next to this configuration, not in it."""
    free_wrenches: Array
    """(6, directions - rank): wrenches that the structure bears without any motor."""
    internal: Array
    """(nv, k): joint velocities, with the loops closed, that leave the frame at rest."""
    gained: Array
    """(nv, k): joint velocities, with the loops closed, while every actuated joint is at rest."""
    usual_gained: int
    """How many of them are expected: the passive freedoms of a tree; none in a mechanism with loops."""
    gradient: Array
    """∂σ/∂q of the singular value whose index is the usual rank."""
    distance: Any
    """First-order estimate of how far, in the joint norm, the next singularity is: σ / |∂σ/∂q|."""
    causes: tuple[str, ...] = ()
    """Which joints are dependent, and how their axes are arranged; empty with loops, or where regular."""

    @property
    def kind(self) -> Any:
        """One of `Kind`, or an array of them; "invalid" for positions of a batch that are not finite."""
        lost, gained = self.rank < self.usual_rank, self.gained.any(axis=-2).sum(-1) > self.usual_gained
        words = np.where(lost, np.where(gained, "loses and gains motion", "loses motion"),
                         np.where(gained, "gains motion", "regular"))  # fmt: skip
        words = np.where(np.isnan(self.gradient).any(-1), "invalid", words)
        return words if words.ndim else str(words)

    @property
    def is_singular(self) -> Any:
        """Whether its kind is not "regular"; an array for a batch."""
        return self.kind != "regular"

    def __str__(self) -> str:
        if self.values.ndim > 1:
            kinds, numbers = np.unique(self.kind, return_counts=True)
            return f"{self.frame}: " + ", ".join(f"{n} {kind}" for kind, n in zip(kinds, numbers, strict=True))
        zero = PRINTED_AS_ZERO * self.values.max(initial=0.0)
        shown = ", ".join(f"{x:.3g}" if x > zero else "0" for x in self.values)
        lines = [f"{self.frame}: {self.kind}; rank {self.rank} of {self.usual_rank}; singular values {shown}"]
        if not self.is_singular:
            lines.append(f"  nearest singularity about {self.distance:.3g} away, in the joint norm")
        lines += [f"  because              {cause}" for cause in self.causes]
        lines += [f"  lost twist           {_six(t)}" for t in self.lost.T]
        lines += [f"  wrench borne free    {_six(f)}" for f in self.free_wrenches.T]
        lines += [f"  internal motion      {_row(v)}" for v in self.internal.T]
        lines += [f"  moves, motors locked {_row(v)}" for v in self.gained.T]
        return "\n".join(lines)


@any_arrays_same_dtype
def singularity(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    metric: Metric,
    *,
    directions: Directions = TWIST,
    passive: Sequence[str] | None = None,
    usual_rank: int | None = None,
    tolerance: float = RANK,
) -> Singularity:
    """Singularity analysis of a frame at positions q (..., nq), in world axes at its origin.

    `directions` are the components of the twist that the task needs, for example "x z" or ("vx", "vz"), `passive` the
    joints without a motor (those with zero effort limits by default).  The `usual_rank` is found at random positions;
    with closures, which random positions violate, it is the largest rank that the freedoms at q allow.
    Bruyninckx (5.31).

    >>> import sixvec
    >>> from sixvec.analysis import singularity
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("planar_2r")
    >>> print(singularity(arm, [0.3, 0.0], "tip", Metric.from_length(1.0, 2), directions=("vx", "vz")))
    tip: loses motion; rank 1 of 2; singular values 2.24, 0
      because              joint1 and joint2 move the task in one direction
      lost twist           ang (0, 0, 0)  lin (0.955, 0, 0.296)
      wrench borne free    ang (0, 0, 0)  lin (0.955, 0, 0.296)
      internal motion      (-0.447, 0.894)
    """
    q = real_array("singularity: q", q, robot.nq)
    require_metric(metric, robot.nv)
    rows, driven = direction_rows(directions), _driven(robot, passive)
    metric = metric.of_rows(rows)
    question = _Question(robot, frame, rows, metric, driven, tolerance)
    return (question.of_batch if q.ndim > 1 else question.of_one)(q, usual_rank)


@dataclass(frozen=True)
class _Question:
    """What is asked at each position."""

    robot: Robot
    frame: str
    rows: list[int]
    metric: Metric
    driven: list[int]
    tolerance: float

    def of_one(self, q: Array, usual_rank: int | None) -> Singularity:
        robot, frame, rows, metric, tolerance = self.robot, self.frame, self.rows, self.metric, self.tolerance
        require_finite("singularity: q", q)
        K = feasible_basis(robot, q, metric, tolerance)
        J = np.asarray(robot.jacobian(q, frame))[rows]
        s = spectrum(J @ K, Metric(metric.task, np.eye(K.shape[1])))
        rank = int(s.rank(tolerance))
        if usual_rank is None:
            usual_rank = _usual_rank(robot, q, frame, rows, metric, tolerance, len(s.values))
        gradient = _gradient(robot, q, frame, rows, s, K, metric, usual_rank)
        steepness = float(np.linalg.norm(K.T @ gradient))  # along the motions that the loops allow
        value = float(s.values[usual_rank - 1]) if 0 < usual_rank <= len(s.values) else 0.0
        return Singularity(
            frame, tuple(TWIST[i] for i in rows), rank, usual_rank, s.values,
            _embed(_lost(robot, q, frame, rows, s, usual_rank, tolerance), rows),
            _embed(s.free_wrenches(tolerance), rows),
            _signed(K @ s.internal_motions(tolerance)),
            _signed(_gained(robot, K, self.driven, tolerance)),
            0 if robot.model.closures else robot.nv - len(self.driven),
            gradient,
            value / steepness if steepness > 0.0 else float(0.0 if rank < usual_rank else np.inf),
            singular_causes(robot, q, frame, rows) if rank < usual_rank and not robot.model.closures else (),
        )  # fmt: skip

    def of_batch(self, q: Array, usual_rank: int | None) -> Singularity:
        """The analysis of each position, with one usual rank; positions that are not finite are NaN."""
        robot, rows = self.robot, self.rows
        flat = q.reshape(-1, robot.nq)
        finite = np.asarray(np.isfinite(flat).all(axis=-1))
        if usual_rank is None and not robot.model.closures:
            usual_rank = _usual_rank(robot, flat[finite], self.frame, rows, self.metric, self.tolerance, 0)
        reports = [self.of_one(x, usual_rank) for x in flat[finite]]
        usual = {(r.usual_rank, len(r.values)) for r in reports}
        if len(usual) > 1:
            raise DegenerateError(
                f"{robot.name}: the loops leave another number of freedoms at some positions: ask for them separately"
            )
        nothing = _nothing(robot, self.frame, rows, *(usual or {(usual_rank or 0, len(rows))}).pop())
        in_order = iter(reports)
        return _stacked([next(in_order) if good else nothing for good in finite] or [nothing], q.shape[:-1])


def _nothing(robot: Robot, frame: str, rows: list[int], usual_rank: int, count: int) -> Singularity:
    """What is known of a position that is not finite."""
    none = np.zeros((6, 0))
    return Singularity(
        frame, tuple(TWIST[i] for i in rows), 0, usual_rank, np.full(count, np.nan), none, none,
        np.zeros((robot.nv, 0)), np.zeros((robot.nv, 0)), 0, np.full(robot.nv, np.nan), np.nan,
    )  # fmt: skip


def _stacked(reports: list[Singularity], batch: tuple[int, ...]) -> Singularity:
    """The reports of a batch as one."""

    def together(name: str) -> Array:
        each = [np.asarray(getattr(r, name)) for r in reports]
        if each[0].ndim > 1:
            width = max(x.shape[1] for x in each)
            each = [np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in each]
        stacked = np.stack(each)
        count = int(np.prod(batch))
        return stacked[:count].reshape(*batch, *stacked.shape[1:])

    first = reports[0]
    names = ("rank", "values", "lost", "free_wrenches", "internal", "gained", "gradient", "distance")
    parts: dict[str, Any] = {name: together(name) for name in names}
    return replace(first, usual_gained=max(r.usual_gained for r in reports), causes=(), **parts)


@any_arrays_same_dtype
def rate_demand(robot: Robot, q: ArrayLike, twist: ArrayLike, frame: str, metric: Metric) -> Array:
    """|v| / velocity limit of each joint, for the smallest joint velocity that gives a twist: (..., nv).

    Above 1 the joint saturates; along a trajectory it announces a singularity before it is reached
    (Bruyninckx §5.8.1).

    >>> import sixvec
    >>> from sixvec.analysis import rate_demand
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("panda")
    >>> twist = [0.0, 0.0, 0.0, 0.1, 0.0, 0.0]  # 0.1 m/s along x
    >>> q = [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]
    >>> rate_demand(arm, q, twist, "panda_link8", Metric.from_length(1.0, 7)).round(3).tolist()
    [0.0, 0.139, 0.0, 0.122, 0.0, 0.014, 0.0]
    """
    require_metric(metric, robot.nv)
    s = spectrum(loop_jacobian(robot, q, robot.jacobian(q, frame), metric), metric)
    # Motions removed by loops leave singular values of rounding size, which a tolerance of 0 would count as motions.
    inverse = s.inverse() if robot.model.closures else s.inverse(tolerance=0.0)
    v = np.einsum("...ij,...j->...i", inverse, six(twist, "twist"))
    return np.asarray(np.abs(v) / robot.velocity_limits)


def _usual_rank(
    robot: Robot, q: Array, frame: str, rows: list[int], metric: Metric, tolerance: float, most: int
) -> int:
    if robot.model.closures:
        return most
    samples = np.concatenate([robot.random(0, GENERIC_SAMPLES), np.atleast_2d(q)])
    J = np.asarray(robot.jacobian(samples, frame))[:, rows]
    return int(spectrum(J, Metric(metric.task, metric.joint)).rank(tolerance).max())


def _gradient(
    robot: Robot, q: Array, frame: str, rows: list[int], s: Spectrum, K: Array, metric: Metric, usual_rank: int
) -> Array:
    """∂σ/∂q_k = tᵀ W ∂J/∂q_k v - λᵀ ∂A/∂q_k v  for the singular value of the usual rank.

    σ is the stationary value of tᵀ W J v under A v = 0, vᵀ N v = 1; the multipliers of the loops follow from
    Aᵀ λ = Jᵀ W t - σ N v.
    """
    if not 0 < usual_rank <= len(s.values):
        return np.zeros(robot.nv)
    H = np.asarray(robot.kinematic_hessian(q, frame))[rows]
    wrench = s.metric.task @ s.twists[:, usual_rank - 1]
    v = K @ s.rates[:, usual_rank - 1]
    gradient: Array = np.einsum("i,ijk,j->k", wrench, H, v)
    if robot.model.closures:
        A, J = closure_rows(robot, q), np.asarray(robot.jacobian(q, frame))[rows]
        inverse, _ = inverse_of_rank(A.T, np.linalg.norm(A))
        multipliers = inverse @ (J.T @ wrench - s.values[usual_rank - 1] * metric.joint @ v)
        slope = np.asarray(robot.kernel("closure_jacobian").derivative("q")(q), float)
        gradient = gradient - np.einsum("i,ijk,j->k", multipliers, slope, v)
    return gradient


def _lost(robot: Robot, q: Array, frame: str, rows: list[int], s: Spectrum, usual_rank: int, tolerance: float) -> Array:
    """Twists possible nearby but not here, orthogonal to those possible here."""
    rank = int(s.rank(tolerance))
    if usual_rank <= rank:
        return s.twists[:, :0]
    if usual_rank == len(rows) or robot.model.closures:
        return _signed(s.twists[:, rank:usual_rank])
    step = NEARBY * np.cos(1.0 + np.arange(robot.nv))  # any direction in which every joint moves
    near = spectrum(
        np.asarray(robot.jacobian(robot.integrate(q, step), frame))[rows], Metric(s.metric.task, np.eye(robot.nv))
    )
    here = s.twists[:, :rank]
    new = near.twists[:, :usual_rank]
    beyond = s.metric.task_root.T @ (new - here @ (here.T @ s.metric.task @ new))
    U, _, _ = np.linalg.svd(beyond)
    return _signed(np.linalg.solve(s.metric.task_root.T, U[:, : usual_rank - rank]))


def _driven(robot: Robot, passive: Sequence[str] | None) -> list[int]:
    """The coordinates of v that have a motor."""
    without = joint_columns(robot, passive_joints(robot.model) if passive is None else passive)
    return [i for i in range(robot.nv) if i not in without]


def _gained(robot: Robot, K: Array, driven: list[int], tolerance: float) -> Array:
    """The feasible joint velocities in which no motor moves."""
    if not K.shape[1]:
        return K
    _, values, Vt = np.linalg.svd(K[driven])
    return np.asarray(K @ Vt[int(rank_of(values, tolerance)) :].T)


def _embed(columns: Array, rows: list[int]) -> Array:
    six = np.zeros((6, columns.shape[1]))
    six[rows] = _signed(columns)
    return six


def _signed(columns: Array) -> Array:
    """The same columns, each with its largest entry positive: the sign of a basis vector is arbitrary."""
    if not columns.size:
        return columns
    largest = np.abs(columns).argmax(axis=0)
    return columns * np.where(columns[largest, np.arange(columns.shape[1])] < 0.0, -1.0, 1.0)


def _six(x: Array) -> str:
    return f"ang {_row(x[:3])}  lin {_row(x[3:])}"


def _row(x: Array) -> str:
    return "(" + ", ".join(f"{y + 0.0:.3g}" if abs(y) > 1e-9 else "0" for y in x) + ")"
