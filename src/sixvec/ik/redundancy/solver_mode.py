"""Solver modes for controllers and simulators: singularities, tolerances and computing time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.redundancy.damping import adaptive_inverse
from sixvec.ik.redundancy.gap import Gap
from sixvec.ik.redundancy.generalised_inverse import weighted_inverse
from sixvec.ik.redundancy.limits import beyond_limits, require_velocity_limits, slowed
from sixvec.robot import Robot
from sixvec.solve.decomposition import as_matrix, task_velocity, times
from sixvec.solve.gauss_newton import Rows, gauss_newton
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict


@dataclass(frozen=True, slots=True)
class SolverMode:
    """How to solve A q̇ = t and to close gaps.  Bruyninckx §5.14.

    A controller has a millisecond: few iterations, a loose tolerance, always a result, damped where the task is
    singular and slowed down where a joint would be too fast.  A simulator has no time limit: it iterates to a tight
    tolerance, halves a step that increases the error, and raises an error if there is no solution.

    `damps_below` is the smallest singular value at which damping sets in (0: never), `largest_step` bounds the change
    of a coordinate in an iteration, `halvings` is how often a step may be halved.

    >>> from sixvec.ik.redundancy import CONTROL, SIMULATION
    >>> SIMULATION.tolerance < CONTROL.tolerance
    True
    """

    name: str
    tolerance: float
    iterations: int
    halvings: int
    damps_below: float
    largest_step: float


CONTROL = SolverMode("control", tolerance=1e-4, iterations=2, halvings=0, damps_below=0.05, largest_step=0.1)
"""For one sample of a controller."""

SIMULATION = SolverMode("simulation", tolerance=1e-12, iterations=100, halvings=30, damps_below=0.0, largest_step=0.5)
"""For a consistent state of a simulation."""


def rates(J: ArrayLike, t: ArrayLike, mode: SolverMode = CONTROL, *, velocity_limits: ArrayLike = np.inf) -> Array:
    """q̇ for the task velocity t: damped near singularities in control; in simulation exact, or an error.

    `velocity_limits` (n,) bound |q̇|: a controller slows the whole motion down until every joint keeps its own, which
    does not change the path; a simulator reports the joint in an error.  For bounds that also know of positions and
    accelerations see `rates_within_limits`.

    >>> from sixvec.ik.redundancy import CONTROL, SIMULATION, rates
    >>> rates([[1.0, 0.0], [0.0, 0.0]], [1.0, 1.0], CONTROL).round(3).tolist()  # the second direction is lost
    [0.99, 0.0]
    >>> rates([[1.0, 0.0], [0.0, 2.0]], [1.0, 1.0], velocity_limits=0.5).round(3).tolist()
    [0.5, 0.25]
    >>> rates([[1.0, 0.0], [0.0, 0.0]], [1.0, 1.0], SIMULATION)
    Traceback (most recent call last):
    ...
    sixvec.errors.DegenerateError: the task velocity is not possible at this position: 1 is missing of a task of ...
    """
    J = as_matrix(J)
    t = task_velocity(J, t)
    if mode.damps_below > 0.0:
        q_dot = times(adaptive_inverse(J, threshold=mode.damps_below, largest=2.0 * mode.damps_below), t)
        return slowed(q_dot, velocity_limits)[0]
    q_dot = times(weighted_inverse(J), t)
    missing = np.linalg.norm(t - times(J, q_dot), axis=-1)
    size = np.linalg.norm(t, axis=-1)
    require_possible(missing, size, size)
    require_rates(q_dot, velocity_limits)
    return q_dot


def require_possible(missing: Array, size: Array, scale: Array) -> None:
    """Raise an error for task velocities that are not reached, relative to the scale of the summed terms."""
    if np.any(missing > EQUAL * scale):
        worst = int(np.argmax(missing))
        raise DegenerateError(f"the task velocity is not possible at this position: {missing.flat[worst]:.3g} is "
                              f"missing of a task of size {size.flat[worst]:.3g}; the robot is singular here. "
                              "Use CONTROL to come as near as bounded rates allow")  # fmt: skip


def require_rates(q_dot: Array, velocity_limits: ArrayLike, names: Sequence[str] = ()) -> None:
    """Raise an error for rates beyond their limits."""
    limits = require_velocity_limits(velocity_limits, q_dot.shape[-1])
    over = (np.abs(q_dot) / limits).reshape(-1, q_dot.shape[-1]).max(axis=0, initial=0.0)
    if np.any(over > 1.0 + EQUAL):
        k = int(over.argmax())
        raise DegenerateError(f"{names[k] if names else f'coordinate {k}'} would move at {over[k] * limits[k]:.4g}, "
                              f"beyond its limit of {limits[k]:.4g}: too near to a singularity for this task, or too "
                              "fast. Use CONTROL to slow down")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Closed:
    """The result of closing the gaps: position, the largest error left, iterations used, SOLVED or NOT_CONVERGED.

    `beyond_limits` names the coordinates that ended beyond a position limit: the verdict ignores limits.
    """

    q: Array
    residual: float
    iterations: int
    verdict: Verdict
    beyond_limits: tuple[str, ...] = ()

    @property
    def solved(self) -> bool:
        return self.verdict == Verdict.SOLVED


def close_gaps(robot: Robot, q: ArrayLike, gaps: Sequence[Gap], mode: SolverMode = SIMULATION) -> Closed:
    """Newton's method on all gaps at once, from q: loops of a cut mechanism together with poses to reach.

    Always terminates, after at most `mode.iterations` steps of at most `mode.halvings` halvings each; the result states
    whether the tolerance was met.  Out of reach, back-stepping ends near the closest position, not exactly at it.
    Velocities are meaningful only once the gaps are closed.  Joint limits are not kept; the result names the joints
    that are beyond theirs (`sixvec.ik.solve` keeps them).

    >>> import sixvec
    >>> from sixvec.ik.redundancy import CONTROL, Gap, close_gaps
    >>> from sixvec.tasks import Frame
    >>> panda = sixvec.load("panda")
    >>> q = panda.neutral() + [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
    >>> goal = Gap(Frame("panda_link8"), panda.pose(q + 0.1, "panda_link8"))
    >>> close_gaps(panda, q, [goal]).solved, close_gaps(panda, q, [goal], CONTROL).iterations
    (True, 2)
    """
    if not gaps:
        raise ArgumentError("nothing to close: give at least one gap, such as Gap(Frame(frame), target)")
    q = real_array("close_gaps: q", q, robot.nq, batch=False, why="one position; sixvec.ik.solve takes many")

    def errors(x: Array, rows: Rows) -> tuple[Array, None]:
        return np.concatenate([g.error(robot, x[0]) for g in gaps], axis=-1)[None], None

    def step(e: Array, jacobian: Array | None, x: Array, rows: Rows) -> Array:
        A = np.concatenate([g.matrix(robot, x[0]) for g in gaps], axis=-2)[None]
        if mode.damps_below > 0.0:
            return times(adaptive_inverse(A, threshold=mode.damps_below, largest=2.0 * mode.damps_below), e)
        return times(weighted_inverse(A), e)

    def move(x: Array, step: Array, rows: Rows) -> Array:
        return np.asarray(robot.integrate(x, step))

    fit = gauss_newton(
        q[None], errors, step=step, move=move, tolerance=mode.tolerance, longest=mode.largest_step,
        halvings=mode.halvings, iterations=mode.iterations,
    )  # fmt: skip
    verdict = Verdict.SOLVED if fit.solved[0] else Verdict.NOT_CONVERGED
    return Closed(fit.x[0], _size(fit.residual[0]), int(fit.steps[0]), verdict, beyond_limits(robot, fit.x[0]))


def _size(x: Array) -> float:
    """The largest entry; NaN counts as beyond every bound."""
    return float(np.nan_to_num(np.abs(x), nan=np.inf).max(initial=0.0))
