"""What a stack decides in one step, or in each of many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.lazy import lazy
from sixvec.tasks.libraries import as_numpy
from sixvec.tasks.velocity_limits import REASONS
from sixvec.verdict import Verdict, tally

_OF_LOOP = ("verdict", "residual", "active", "multipliers", "reason")


@dataclass(frozen=True, eq=False, repr=False)
class Step(Result):
    """Joint velocities v, the next position q, and a verdict for each sample.

    SOLVED; NEAREST: clearances contradict each other, limits or hard tasks, so the step only brakes; INFEASIBLE: limits
    and hard tasks contradict each other (`contradiction` names them) and the robot stays; NOT_CONVERGED or INVALID as
    for `quadratic_program`, whose `residual` this is.  `binding` names the active limits.
    """

    v: Array
    q: Array
    verdict: NDArray[np.int8]
    residual: Array
    active: NDArray[np.int8]
    multipliers: Array
    reason: NDArray[np.int8]
    near: NDArray[np.int32]
    """Of the rows for clearances the numbers of their pairs in `clearances`."""
    names: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    clearances: tuple[str, ...] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Parts of the step of one sample, which are read from the results of its loop when one is first needed."""
            parts = self.__dict__.get("_of_loop")
            if parts is None or name not in _OF_LOOP:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)
            verdict, residual, active, multipliers, reason = (x[0] for x in parts)
            small = np.int8
            self.__dict__.update(
                verdict=small(verdict), residual=residual, active=active.astype(small), multipliers=multipliers,
                reason=reason.astype(small),
            )  # fmt: skip
            return self.__dict__[name]

    def __bool__(self) -> bool:
        return bool((self._known.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {tally(self._known.verdict)}, v {tuple(self.v.shape)}>"

    @lazy
    def _known(self) -> Step:
        """The decisions as arrays of NumPy."""
        words = ("verdict", "active", "multipliers", "reason", "near")
        return replace(self, **{word: as_numpy(getattr(self, word)) for word in words})

    @property
    def binding(self) -> Any:
        """The active limits: a tuple of names, or one for each sample, in the order of the flattened batch."""
        verdict = self._known.verdict
        names = [self.limits_at(index) for index in np.ndindex(*verdict.shape)]
        return names if verdict.ndim else names[0]

    def limits_at(self, index: Any = ()) -> tuple[str, ...]:
        """The active limits of the sample at an index."""
        of, n, names = self._known, len(self.joints), []
        for k in np.flatnonzero(of.active[index][:n]):
            side = "upper" if of.active[index][k] > 0 else "lower"
            reason = REASONS[of.reason[index][int(side == "upper")][k]]
            names.append(f"joint {self.joints[k]}: {side} limit" if reason == REASONS[0] else
                         f"joint {self.joints[k]}: {reason}")  # fmt: skip
        names += self._further_limits(of.active[index][n : len(of.active[index]) - of.near.shape[-1]])
        clear = of.active[index][len(of.active[index]) - of.near.shape[-1] :]
        names += [self.clearances[k] for k in of.near[index][clear != 0]]
        return tuple(dict.fromkeys(names))

    def _further_limits(self, active: NDArray[np.int8]) -> list[str]:
        """The names of limits among the rows between those of joints and of clearances."""
        return []

    @property
    def _names_of_rows(self) -> tuple[str, ...]:
        return self.names

    def contradiction(self, index: Any = ()) -> tuple[str, ...]:
        """The joints and hard tasks that contradict each other in the sample at an index; none if it is feasible."""
        of = self._known
        if of.verdict[index] != Verdict.INFEASIBLE:
            return ()
        near = (self.clearances[k] for k in of.near[index])
        words = [*(f"joint {name}" for name in self.joints), *self._names_of_rows, *near]
        return tuple(dict.fromkeys(word for word, y in zip(words, of.multipliers[index], strict=True) if y))
