"""Rollouts with contacts: one compiled loop, and a second attempt at the steps that it does not solve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.constraints.contacts.impulses import careful_impulses
from sixvec.kernels import Iterated
from sixvec.model import Model
from sixvec.sim.contact_step import contact_blocks, contact_step
from sixvec.sim.step_options import StepOptions
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

    @property
    def verdict(self) -> NDArray[np.int8]:
        """SOLVED if every step converged to 1e-8 m/s; otherwise NOT_CONVERGED."""
        fits = (self.residual <= ACCEPTED).all(axis=-1)
        return np.where(fits, Verdict.SOLVED, Verdict.NOT_CONVERGED).astype(np.int8)


def contact_rollout(
    model: Model, options: StepOptions, contacts: tuple[Obstacle, ...], given: Sequence[Any], each: int
) -> ContactTrajectory:
    """The loop of `sixvec.sim.rollout` with contacts."""
    steps = given[-each].shape[-2]
    loop = _loop(model, options, contacts, steps, each)
    rows = loop.step.outputs[2].size
    start = np.zeros(rows, np.result_type(*given))
    path = loop.call(*given[:2], start, *given[2:])[3:]
    failed = (path[-1] > ACCEPTED).any(axis=-1)
    if failed.any():
        path, solved = [np.array(x) for x in path], careful_impulses(contact_blocks(model, options, contacts)[0])
        _again(loop, solved, failed, [*given[:2], start, *given[2:]], path)
    return ContactTrajectory(*path, dt=given[2])


def _again(
    loop: Iterated,
    solved: Callable[..., Any],
    failed: NDArray[np.bool_],
    given: Sequence[Any],
    path: Sequence[Array],
) -> None:
    """Replaces the failed rollouts of a path, each from its first unsolved step, by those with other impulses.

    Stages are called from Python, on all of these rollouts together.
    """
    step: Any = loop.step
    others = {s.function: solved for s in step.stages if isinstance(s.function, Iterated)}
    whole = [np.broadcast_to(x, failed.shape + p.shape) for x, p in zip(given, loop.inputs, strict=True)]
    given = [np.asarray(x[failed], float) for x in whole]
    new = [x[failed] for x in path]
    first = (new[-1] > ACCEPTED).argmax(axis=-1)
    state, constant, changing = given[:3], given[3 : len(given) - loop.each], given[len(given) - loop.each :]
    late = np.flatnonzero(first)  # these continue from the state before the step, the others from the start
    for to, x, scale in zip(state, new, (1.0, 1.0, constant[0][late, None]), strict=False):
        to[late] = x[late, first[late] - 1] * scale
    names, ends = [p.name for p in step.inputs], [p.name for p in step.outputs]
    for k in range(int(first.min()), loop.steps):
        on = np.flatnonzero(first <= k)
        inputs = (*(x[on] for x in (*state, *constant)), *(x[on, k] for x in changing))
        values = step.in_turn(dict(zip(names, inputs, strict=True)), others)
        found = [values[name] for name in ends]
        for x, y in zip(state, found, strict=False):
            x[on] = y
        for x, y in zip(new, found[3:], strict=True):
            x[on, k] = y
    for x, y in zip(path, new, strict=True):
        x[failed] = y


@lru_cache(maxsize=64)
def _loop(model: Model, options: StepOptions, contacts: tuple[Obstacle, ...], steps: int, each: int) -> Iterated:
    return Iterated(contact_step(model, options, contacts), steps, 3, each, name="rollout")
