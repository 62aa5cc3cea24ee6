"""The result of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.verdict import Verdict, Verdicts, tally


@dataclass(frozen=True, eq=False)
class Solution(Result):
    """Joint positions and a verdict for each problem; all arrays have the batch axes of the targets.

    Where the verdict is not `SOLVED`, `q` is the closest position found within the limits, and the errors give the
    distance; for a swivel angle forbidden by limits, it is the position with that angle, clipped to the limits.  It is
    true if every problem is solved.
    """

    q: Array
    verdict: Verdicts
    position_error: Array
    """Remaining distance, m; over several tasks the root of the sum of squares."""
    rotation_error: Array
    """Remaining angle, rad."""
    joint: NDArray[np.int64]
    """For `AT_LIMIT` the coordinate of q at its limit, else -1."""
    starts: NDArray[np.int64]
    """Number of starts tried."""
    names: tuple[str, ...] = ()
    """A name for each coordinate of q, for `explain`."""
    swivel: Array | None = None
    """The given swivel angles, rad; None if there were none."""

    @property
    def solved(self) -> NDArray[np.bool_]:
        solved: Any = self.verdict == int(Verdict.SOLVED)
        return np.asarray(solved) if isinstance(solved, np.bool_) else solved

    def __bool__(self) -> bool:
        return bool(self.solved.all())

    def explain(self, index: Any = ()) -> str:
        """One problem's verdict as text; of a batch, the problem with an index such as `3` or `(0, 3)`.

        >>> import sixvec
        >>> robot = sixvec.load("planar_2r")
        >>> target = robot.pose([0.3, 0.4], robot.frame_names[-1])
        >>> target[0, 3] += 10.0
        >>> from sixvec.ik import solve
        >>> from sixvec.tasks import Position
        >>> print(solve(robot, {Position(robot.frame_names[-1]): target[:3, 3]}).explain())
        unreachable: the closest position found is 9.8 m away
        """
        if np.ndim(self.verdict[index]):
            count, shape = np.size(self.verdict[index]), self.verdict.shape
            place = "i" if len(shape) == 1 else "(i, j, …)"
            raise ArgumentError(f"these are {count} problems; explain({place}) describes one of the batch {shape}")
        verdict = Verdict(int(self.verdict[index]))
        text = str(verdict)
        if verdict in (Verdict.SOLVED, Verdict.INVALID):
            return text
        parts, nearest = [], "the closest position found"
        if verdict == Verdict.AT_LIMIT:
            k = int(self.joint[index])
            name = self.names[k] if k < len(self.names) else f"coordinate {k}"
            if self.swivel is None:
                parts.append(
                    f"no start led to the target within the limits; with {name} beyond its limit it was reached"
                )
            else:
                parts.append(
                    f"with the swivel angle {float(self.swivel[index]):.4g} the target is reached only beyond the "
                    f"limit of {name}; other angles may do"
                )
                nearest = "that position, taken back to the limits,"
        if verdict == Verdict.SINGULAR:
            parts.append("the Jacobian has lost the missing motion here, but from elsewhere the joints come closer")
        distance, angle = float(self.position_error[index]), float(self.rotation_error[index])
        missing = [f"{distance:.2g} m away"] * (distance > 0.0) + [f"turned by {angle:.2g} rad"] * (angle > 0.0)
        parts.append(f"{nearest} is {' and '.join(missing)}")
        return f"{text}: {'; '.join(parts)}"

    def __repr__(self) -> str:
        return f"<Solution {self}>"

    def __str__(self) -> str:
        return self.explain() if self.verdict.ndim == 0 else tally(self.verdict)


S = TypeVar("S", bound=Solution)


def with_batch(solution: S, batch: tuple[int, ...]) -> S:
    """The solution with its arrays, of any library, in other batch axes."""
    axes = solution.verdict.ndim
    parts = {f.name: getattr(solution, f.name) for f in fields(solution)}
    arrays = {k: x for k, x in parts.items() if hasattr(x, "reshape")}
    return replace(solution, **{k: x.reshape((*batch, *x.shape[axes:])) for k, x in arrays.items()})
