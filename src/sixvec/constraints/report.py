"""Dependence of the constraints of a mechanism: rank, freedoms, and redundant rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.parts.held_frames import with_wheels
from sixvec.border import positive_number, real_array
from sixvec.linear.decomposition import RANK_TOLERANCE
from sixvec.robot import Robot

SHORTEST = 1e-4
"""Lower bound on the size of the largest row, in metres or without unit: smaller rows are rounding of zero."""


@dataclass(frozen=True)
class ConstraintReport:
    """Rows of constraints at one position."""

    names: tuple[str, ...]
    rank: int
    freedoms: int
    """The number of independent velocities that all constraints allow."""
    redundant: dict[str, tuple[str, ...]]
    """Each row that follows from rows before it, and those rows; none for a row that no joint affects."""

    def __str__(self) -> str:
        freedoms = "1 freedom" if self.freedoms == 1 else f"{self.freedoms} freedoms"
        head = f"{len(self.names)} rows of rank {self.rank}, {freedoms} left"
        lines = [
            f"  {name} follows from {', '.join(others)}" if others else f"  {name}: no joint moves it"
            for name, others in self.redundant.items()
        ]
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        return f"<ConstraintReport: {str(self).partition(chr(10))[0]}>"


def report(
    robot: Robot, q: ArrayLike, hold: Mapping[Any, Any] | None = None, *, tolerance: float = RANK_TOLERANCE
) -> ConstraintReport:
    """Rank and dependences of the constraints at q (nq,): loops and wheels of the robot, and the frames in `hold`.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> print(report(bars, bars.assemble([0.7, 0.0, 1.0]).q))
    5 rows of rank 2, 1 freedom left
      loop coupler_pin: turn about x: no joint moves it
      loop coupler_pin: turn about y: no joint moves it
      loop coupler_pin: z: no joint moves it
    """
    tolerance = positive_number("report: tolerance", tolerance)
    position = real_array("report: q", q, robot.nq, batch=False, finite=True)
    held: Any = with_wheels(robot.model, robot.rolling, hold)
    names = row_names(robot.model, held)
    A = np.asarray(robot.constraint_jacobian(position, hold=held), np.float64)
    size = np.linalg.norm(A, axis=1).max(initial=SHORTEST)
    basis: list[int] = []
    redundant: dict[str, tuple[str, ...]] = {}
    for i, row in enumerate(A):
        others = A[basis]
        factors = np.linalg.lstsq(others.T, row, rcond=None)[0] if basis else np.zeros(0)
        if np.linalg.norm(row - factors @ others) > tolerance * size:
            basis.append(i)
        else:
            share = np.abs(factors) * np.linalg.norm(others, axis=1)
            redundant[names[i]] = tuple(names[b] for b, x in zip(basis, share, strict=True) if x > tolerance * size)
    return ConstraintReport(names, len(basis), robot.nv - len(basis), redundant)
