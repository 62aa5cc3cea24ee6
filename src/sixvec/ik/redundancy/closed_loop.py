"""Closed-loop inverse kinematics (CLIK): one step of a solver for each sample of a controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, require_shape, whole_number
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.redundancy.gap import Gap
from sixvec.ik.redundancy.limits import slowed
from sixvec.ik.redundancy.priority import PrioritisedRates, RateTask, prioritised_rates
from sixvec.ik.redundancy.solver_mode import CONTROL, SolverMode, close_gaps, require_possible, require_rates
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot


def closed_loop_rates(
    robot: Robot,
    q: ArrayLike,
    gaps: Sequence[Gap],
    *,
    secondary: ArrayLike | None = None,
    damping: float = 0.0,
    mode: SolverMode = CONTROL,
    velocity_limits: ArrayLike | None = None,
) -> PrioritisedRates:
    """q̇ with A q̇ = t + K e for each gap, in order of priority; `secondary` acts in the null space.  Bruyninckx §5.15.

    Feedback on the error e prevents integration and linearisation errors from accumulating.  Loops that were cut to
    make a tree are gaps too; put them first, since no task is meaningful with open loops.  Batches of q.

    In CONTROL the directions in which a gap is nearly singular are damped, and all rates are slowed down together until
    none is beyond `velocity_limits` (by default the robot's; inf for none).  In SIMULATION nothing is damped, and what
    exceeds the limits, or has no solution, raises an error.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import Gap, closed_loop_rates
    >>> from sixvec.tasks import Frame
    >>> panda = sixvec.load("panda")
    >>> q = panda.random(0)
    >>> there = Gap(Frame("panda_link8"), panda.pose(q, "panda_link8"))
    >>> bool(abs(closed_loop_rates(panda, q, [there]).v).max() < 1e-9)
    True
    """
    if not gaps and secondary is None:
        raise ArgumentError("nothing to do: give at least one gap, such as Gap(Frame(frame), target)")
    tasks = [RateTask(g.matrix(robot, q), g.rates(robot, q)) for g in gaps]
    tasks_used = tasks if secondary is None else [*tasks, RateTask(np.eye(robot.nv), secondary)]
    solution = prioritised_rates(tasks_used, damping=damping, damps_below=mode.damps_below)
    limits = robot.velocity_limits if velocity_limits is None else velocity_limits
    if mode.damps_below > 0.0:
        v, scale = slowed(solution.v, limits)
        remaining = (1.0 - scale)[..., None]
        residuals = [
            r + remaining * (np.asarray(x.velocity) - r) for x, r in zip(tasks_used, solution.residuals, strict=True)
        ]
        return replace(solution, v=v, residuals=tuple(residuals), scale=scale)
    speed = np.linalg.norm(solution.v, axis=-1)
    for task, residual in zip(tasks, solution.residuals, strict=False):
        size = np.linalg.norm(task.velocity, axis=-1)
        scale = np.maximum(size, np.linalg.norm(task.jacobian, axis=(-2, -1)) * speed)  # tasks above leave rounding
        require_possible(np.linalg.norm(residual, axis=-1), size, scale)
    require_rates(solution.v, limits, coordinate_names(robot.model, "v"))
    return solution


@dataclass(frozen=True, slots=True, repr=False)
class Tracking:
    """Positions q (samples + 1, ..., nq), rates v (samples, ..., nv), and for each gap its size at each sample.

    `scale` (samples, ...) is the factor by which the rates were slowed down to keep their limits, or 1.
    """

    q: Array
    v: Array
    errors: tuple[Array, ...]
    scale: Array

    def __repr__(self) -> str:
        errors = ", ".join(f"{float(e.max(initial=0.0)):.3g}" for e in self.errors)
        slow = int((self.scale < 1.0).sum())
        return (f"Tracking: {len(self.v)} samples, {slow} slowed down; largest rate "
                f"{float(np.abs(self.v).max(initial=0.0)):.3g}, largest errors {errors or 'none'}")  # fmt: skip


def follow(
    robot: Robot,
    q0: ArrayLike,
    gaps: Callable[[float], Sequence[Gap]],
    dt: float,
    samples: int,
    *,
    secondary: Callable[[Array], ArrayLike] | None = None,
    damping: float = 0.0,
    mode: SolverMode = CONTROL,
    velocity_limits: ArrayLike | None = None,
) -> Tracking:
    """Run the loop for a number of samples: q ← q ⊕ dt q̇, with the gaps of each time.

    In discrete time a constant target is approached with the factor 1 - K dt for each sample, so K dt must be
    below 2, and below 1 to avoid overshoot.

    In CONTROL it always continues: damped near singularities, slowed down to the velocity limits (default: the
    robot's), and behind its target if necessary; `Tracking.scale` and `.errors` show when.  In SIMULATION the position
    is also corrected to close the gaps after each step, to the tolerance of the mode, and an unsolvable step raises an
    error with its time; one position at a time.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import Gap, follow
    >>> from sixvec.tasks import Frame
    >>> panda = sixvec.load("panda")
    >>> q = [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
    >>> target = panda.pose(q, "panda_link8")
    >>> target[2, 3] += 0.05
    >>> follow(panda, q, lambda time: [Gap(Frame("panda_link8"), target, gain=10.0)], 0.01, 100)
    Tracking: 100 samples, 0 slowed down; largest rate 1.46, largest errors 0.05
    """
    dt, samples = positive_number("dt", dt, "seconds"), whole_number("samples", samples, 1)
    q = np.asarray(q0, float)
    exact = mode.damps_below == 0.0
    if exact:
        require_shape("q0", q, robot.nq, batch=False, why=f'mode "{mode.name}" follows one position')
    positions, rates, errors, scales = [q], [], [], []
    for k in range(samples):
        now = gaps(k * dt)
        _require_convergent(now, dt)
        errors.append(_sizes(robot, q, now))
        extra = None if secondary is None else secondary(q)
        try:
            step = closed_loop_rates(robot, q, now, secondary=extra, damping=damping, mode=mode,
                                      velocity_limits=velocity_limits)  # fmt: skip
        except DegenerateError as error:
            raise DegenerateError(f"at {k * dt:.6g} s: {error}") from None
        q = robot.integrate(q, dt * step.v)
        if exact:
            q = _brought_back(robot, q, gaps((k + 1) * dt), mode, (k + 1) * dt)
        positions.append(q)
        rates.append(step.v)
        scales.append(step.scale)
    errors.append(_sizes(robot, q, gaps(samples * dt)))
    sizes = tuple(np.array(e) for e in zip(*errors, strict=True))
    return Tracking(np.array(positions), np.array(rates), sizes, np.array(scales))


def _brought_back(robot: Robot, q: Array, gaps: Sequence[Gap], mode: SolverMode, time: float) -> Array:
    if not gaps:
        return q
    closed = close_gaps(robot, q, gaps, mode)
    if not closed.solved:
        raise DegenerateError(
            f"at {time:.6g} s the gaps do not close: {closed.residual:.3g} is left; the targets are out of reach "
            "together, or the time step is too long. Use CONTROL to come near"
        )
    return closed.q


def _require_convergent(gaps: Sequence[Gap], dt: float) -> None:
    for g in gaps:
        if not 0.0 <= g.gain * dt < 2.0:
            raise ArgumentError(f"gain {g.gain}/s with steps of {dt} s diverges: K dt must be from 0 to below 2")


def _sizes(robot: Robot, q: Array, gaps: Sequence[Gap]) -> list[Array]:
    return [np.linalg.norm(g.error(robot, q), axis=-1) for g in gaps]
