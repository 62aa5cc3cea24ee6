"""How well the mass matrix determines accelerations: its condition number, and the cause where it is large."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.sparsity import mass_matrix_pattern
from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.robot import Robot


@dataclass(frozen=True)
class MassCondition:
    """A report on M(q) at one position.

    `condition` is λ_max / λ_min and bounds the loss of precision when accelerations are solved for; it depends on
    units where revolute and prismatic joints are mixed.  `scaled` is that of M_ij / √(M_ii M_jj), which does not, and
    is the smallest possible by rescaling coordinates up to a factor nv (van der Sluis, Numer. Math. 14, 1969).
    """

    eigenvalues: Array
    """Ascending."""
    easiest: Array
    """The unit velocity of the smallest eigenvalue: the direction that accelerates most."""
    scaled: float
    zeros: int
    """Entries of M that are zero because the joints are on different branches."""

    @property
    def condition(self) -> float:
        if not self.eigenvalues.size:
            return 1.0
        return float(self.eigenvalues[-1] / self.eigenvalues[0]) if self.eigenvalues[0] > 0.0 else float("inf")

    @property
    def digits_lost(self) -> float:
        """Decimal digits that may be lost in solving M x = b, of the 16 of float64, with well scaled coordinates."""
        return float(np.log10(self.scaled))

    def __str__(self) -> str:
        if not self.eigenvalues.size:
            return "no freedoms, condition 1"
        return (
            f"eigenvalues {self.eigenvalues[0]:.3g} … {self.eigenvalues[-1]:.3g}, condition {self.condition:.3g} "
            f"(scaled {self.scaled:.3g}, {self.digits_lost:.1f} digits), {self.zeros} structural zeros"
        )


def mass_condition(robot: Robot | Model, q: ArrayLike) -> MassCondition:
    """The condition of the mass matrix at one position; that of a robot without freedoms is 1.

    >>> import sixvec
    >>> from sixvec.theory.lagrange import mass_condition
    >>> print(mass_condition(sixvec.load("planar_2r"), [0.0, 0.0]))
    eigenvalues 0.172 … 5.83, condition 34 (scaled 17.9, 1.3 digits), 0 structural zeros
    """
    robot = as_robot(robot, "mass_condition")
    values = real_array("mass_condition: q", q, robot.nq, batch=False)
    M = np.asarray(robot.mass_matrix(values), float)
    if not np.isfinite(M).all():
        raise ArgumentError(f"mass_condition: the mass matrix is not finite at q = {values.tolist()}")
    if not robot.nv:
        return MassCondition(np.zeros(0), np.zeros(0), 1.0, 0)
    size, axes = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(np.diag(M), 0.0))
    scaled = np.linalg.eigvalsh(M / np.outer(root, root)) if (root > 0.0).all() else np.array([0.0, np.inf])
    zeros = int(np.size(M) - np.count_nonzero(np.array(mass_matrix_pattern(robot.model))))
    ratio = float(scaled[-1] / scaled[0]) if scaled[0] > 0.0 else float("inf")
    return MassCondition(size, axes[:, 0], ratio, zeros)
