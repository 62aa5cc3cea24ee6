"""The result of rollouts with contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sixvec.arguments import Array
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
