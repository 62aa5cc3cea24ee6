"""Closed-loop inverse kinematics (CLIK): one step of a solver for each sample of a controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError
from sixvec.redundancy.decomposition import Array
from sixvec.redundancy.gap import Gap
from sixvec.redundancy.priority import PrioritisedRates, Task, prioritised_rates
from sixvec.robot import Robot


def closed_loop_rates(robot: Robot, q: Any, gaps: Sequence[Gap], *, secondary: Any = None,
                      damping: float = 0.0) -> PrioritisedRates:  # fmt: skip
    """q̇ with A q̇ = t + K e for each gap, in order of priority; `secondary` fills what is left.  Bruyninckx 5.15.

    Feedback on the error e keeps integration and linearisation errors from adding up.  Loops that were cut to make a
    tree are gaps too (`LoopGap`); put them first, since a mechanism that has come apart does no task.  Batches of q.

    >>> import sixvec
    >>> from sixvec.redundancy import PoseGap
    >>> panda = sixvec.load("panda")
    >>> q = panda.random(0)
    >>> there = PoseGap("panda_link8", panda.pose(q, "panda_link8"))
    >>> bool(abs(closed_loop_rates(panda, q, [there]).velocity).max() < 1e-9)
    True
    """
    if not gaps and secondary is None:
        raise ArgumentError("nothing to do: give at least one gap, such as PoseGap(frame, target)")
    tasks = [Task(g.matrix(robot, q), g.velocity() + g.gain * g.error(robot, q)) for g in gaps]
    if secondary is not None:
        tasks.append(Task(np.eye(robot.nv), secondary))
    return prioritised_rates(tasks, damping=damping)


@dataclass(frozen=True, slots=True)
class Tracking:
    """Positions (samples + 1, ..., nq), rates (samples, ..., nv), and for each gap its size at each sample."""

    positions: Array
    rates: Array
    errors: tuple[Array, ...]


def follow(robot: Robot, q0: Any, gaps: Callable[[float], Sequence[Gap]], step: float, samples: int, *,
           secondary: Callable[[Array], Any] | None = None, damping: float = 0.0) -> Tracking:  # fmt: skip
    """Run the loop for a number of samples: q ← q ⊕ step q̇, with the gaps of each time.

    In discrete time a constant target is approached with the factor 1 - K step for each sample, so K step must be
    below 2, and below 1 to avoid overshoot.

    >>> import sixvec
    >>> from sixvec.redundancy import PoseGap
    >>> panda = sixvec.load("panda")
    >>> q = [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
    >>> target = panda.pose(q, "panda_link8")
    >>> target[2, 3] += 0.05
    >>> run = follow(panda, q, lambda time: [PoseGap("panda_link8", target, gain=10.0)], 0.01, 100)
    >>> round(float(run.errors[0][0]), 4), bool(run.errors[0][-1] < 1e-5)
    (0.05, True)
    """
    if not step > 0.0 or samples < 1:
        raise ArgumentError(f"step {step} s and {samples} samples; both must be positive")
    q = np.asarray(q0, float)
    positions, rates, errors = [q], [], []
    for k in range(samples):
        now = gaps(k * step)
        for g in now:
            if not 0.0 <= g.gain * step < 2.0:
                raise ArgumentError(
                    f"gain {g.gain}/s with steps of {step} s diverges: K step must be from 0 to below 2"
                )
        errors.append([np.linalg.norm(g.error(robot, q), axis=-1) for g in now])
        extra = None if secondary is None else secondary(q)
        q_dot = closed_loop_rates(robot, q, now, secondary=extra, damping=damping).velocity
        q = robot.integrate(q, step * q_dot)
        positions.append(q)
        rates.append(q_dot)
    errors.append([np.linalg.norm(g.error(robot, q), axis=-1) for g in gaps(samples * step)])
    return Tracking(np.array(positions), np.array(rates), tuple(np.array(e) for e in zip(*errors, strict=True)))
