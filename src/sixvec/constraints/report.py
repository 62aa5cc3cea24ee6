"""Dependence of the constraints of a mechanism: rank, freedoms, and redundant rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments import positive_number, real_array
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.mechanism.row_rank import exact_rows, row_rank
from sixvec.robot import Robot
from sixvec.tolerances import ROUNDING


@dataclass(frozen=True)
class ConstraintReport:
    """Rows of constraints at one position."""

    names: tuple[str, ...]
    rank: int
    freedoms: int
    """The number of independent velocities that all constraints allow."""
    redundant: dict[str, tuple[str, ...]]
    """Each row that follows from rows before it, and those rows; none for a row that no joint affects."""
    deviation: float = 0.0
    """How far these rows are from dependent, as a fraction of the size of their loops: rounding of dimensions."""
    singular: int = 0
    """By how much the rank at this position is lower than along the motion."""

    def __str__(self) -> str:
        freedoms = "1 freedom" if self.freedoms == 1 else f"{self.freedoms} freedoms"
        head = f"{len(self.names)} rows of rank {self.rank}, {freedoms} left"
        lines = [
            f"  {name} follows from {', '.join(others)}" if others else f"  {name}: no joint moves it"
            for name, others in self.redundant.items()
        ]
        if self.deviation > ROUNDING:
            lines.append(f"  up to {self.deviation:.1e} of the loops' size, which the dimensions are not exact to")
        if self.singular:
            lines.append(f"  a singular position: along the motion the rank is {self.rank + self.singular}")
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        return f"<ConstraintReport: {str(self).partition(chr(10))[0]}>"


@any_arrays_same_dtype
def report(
    robot: Robot, q: ArrayLike, hold: Mapping[Any, Any] | None = None, *, tolerance: float | None = None
) -> ConstraintReport:
    """Rank and dependences of the constraints at q (nq,): loops and wheels of the robot, and the frames in `hold`.

    The rank is that of the mechanism along its motion, as all solvers use it, or lower where q is singular.
    `tolerance`, by default `robot.model.loop_tolerance`, is a fraction of the size of a loop: what is independent by
    less counts as dependent.

    >>> import sixvec
    >>> from sixvec.constraints import report
    >>> bars = sixvec.load("four_bar")
    >>> print(report(bars, bars.assemble([0.7, 0.0, 1.0]).q))
    5 rows of rank 2, 1 freedom left
      loop coupler_pin: turn about x: no joint moves it
      loop coupler_pin: turn about y: no joint moves it
      loop coupler_pin: z: no joint moves it
    """
    model = robot.model
    if tolerance is not None:
        model = replace(model, loop_tolerance=positive_number("report: tolerance", tolerance))
    position = real_array("report: q", q, robot.nq, batch=False, finite=True)
    holds: Any = held_frames(robot.model, hold)
    names = row_names(robot.model, holds)
    rank = row_rank(model, holds)
    A = exact_rows(model, np.asarray(robot.constraint_jacobian(position, hold=holds), np.float64), holds)
    A = A * np.array(rank.scale)[:, None] * np.array(rank.unit or 1.0)
    least = model.loop_tolerance * np.array(rank.size)
    basis: list[int] = []
    redundant: dict[str, tuple[str, ...]] = {}
    for i, row in enumerate(A):
        others = A[basis]
        factors = np.linalg.lstsq(others.T, row, rcond=None)[0] if basis else np.zeros(0)
        if np.linalg.norm(row - factors @ others) > least[i]:
            basis.append(i)
        else:
            share = np.abs(factors) * np.linalg.norm(others, axis=1)
            redundant[names[i]] = tuple(names[b] for b, x in zip(basis, share, strict=True) if x > least[i])
    singular = max(rank.rank - len(basis), 0) if rank.is_known else 0
    return ConstraintReport(
        names, len(basis), robot.nv - len(basis), redundant, max(rank.deviation, default=0.0), singular
    )
