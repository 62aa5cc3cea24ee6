"""Rollouts with contacts: one compiled loop, and a second attempt at the steps that it does not solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.constraints.contacts.impulse_step import Kind
from sixvec.constraints.contacts.impulses import impulses_with_restarts
from sixvec.kernels import Iterated
from sixvec.kernels.portable import namespace
from sixvec.sim.impulse_step import FAILED
from sixvec.sim.timed import Timed
from sixvec.verdict import Verdict

ACCEPTED = 1e-8
"""The residual, in m/s, up to which a step counts as solved."""


@dataclass(frozen=True, eq=False, repr=False)
class ContactTrajectory(Timed):
    """The result of a rollout with contacts, with an entry per step: states after it, forces and gaps in it.

    `force` (..., steps, rows) are mean forces in the step along the rows of the contacts: normal and two tangents of
    each point, the force of each stop, then that of each joint with Coulomb friction.  `gap` (..., steps, points) are
    the gaps at its start, negative for overlap.  `residual` (..., steps) is the violation of Coulomb's law and
    complementarity, in m/s.
    """

    q: Array
    v: Array
    force: Array
    gap: Array
    residual: Array
    dt: Any = field(default=None, kw_only=True)
    """The time step, in seconds."""
    accepted: float = field(default=ACCEPTED, kw_only=True)
    """The residual up to which a step counts as solved."""

    @property
    def verdict(self) -> Any:
        """SOLVED if every step converged; NOT_CONVERGED, or DIVERGED where a state would not have been finite."""
        xp = namespace(self.residual)
        fits = (self.residual <= self.accepted).all(axis=-1)
        failed = (self.residual >= FAILED).any(axis=-1)
        unsolved = xp.where(fits, int(Verdict.SOLVED), int(Verdict.NOT_CONVERGED))
        return xp.asarray(xp.where(failed, int(Verdict.DIVERGED), unsolved), dtype=xp.int8)


def repeat_unsolved(
    loop: Iterated, kinds: tuple[Kind, ...], unsolved: NDArray[np.bool_], inputs: Sequence[Any], path: Sequence[Array]
) -> None:
    """Replaces rollouts of a path, each from its first unsolved step (..., steps), by those with restarted impulses.

    `loop` has the state (q, v, p) and then the time step as inputs; `path` begins with q, v and p / dt of every step.
    Stages are called from Python, on all of these rollouts together.
    """
    failed, solved = unsolved.any(axis=-1), impulses_with_restarts(kinds)
    step: Any = loop.step
    others = {s.function: solved for s in step.stages if isinstance(s.function, Iterated)}
    whole = [np.broadcast_to(x, failed.shape + p.shape) for x, p in zip(inputs, loop.inputs, strict=True)]
    arrays = [np.asarray(x[failed], float) for x in whole]
    new = [x[failed] for x in path]
    first = unsolved[failed].argmax(axis=-1)
    state, constant, changing = arrays[:3], arrays[3 : len(arrays) - loop.each], arrays[len(arrays) - loop.each :]
    late = np.flatnonzero(first)  # these continue from the state before the step, the others from the start
    for to, x, scale in zip(state, new, (1.0, 1.0, constant[0][late, None]), strict=False):
        to[late] = x[late, first[late] - 1] * scale
    names, ends = [p.name for p in step.inputs], [p.name for p in step.outputs]
    for k in range(int(first.min()), loop.steps):
        on = np.flatnonzero(first <= k)
        present = (*(x[on] for x in (*state, *constant)), *(x[on, k] for x in changing))
        values = step.in_turn(dict(zip(names, present, strict=True)), others)
        results = [values[name] for name in ends]
        for x, y in zip(state, results, strict=False):
            x[on] = y
        for x, y in zip(new, results[3:], strict=True):
            x[on, k] = y
    for x, y in zip(path, new, strict=True):
        x[failed] = y
