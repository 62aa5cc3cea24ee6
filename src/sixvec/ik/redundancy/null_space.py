"""Internal motion: joint velocities that do not affect the task."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import DegenerateError
from sixvec.ik.redundancy.generalised_inverse import weighted_inverse
from sixvec.solve.decomposition import as_matrix, rank, singular_values
from sixvec.tolerances import RANK


def null_space_basis(J: ArrayLike, tolerance: float = RANK) -> Array:
    """N (..., n, n - r) with J N = 0 and orthonormal columns: the last n - r right singular vectors.

    The basis is one of many and jumps between samples; the projector does not.  All samples of a batch must have the
    same rank.  Bruyninckx (5.47).

    >>> from sixvec.ik.redundancy import null_space_basis
    >>> abs(null_space_basis([[3.0, 4.0]])).round(12).tolist()
    [[0.8], [0.6]]
    """
    ranks = np.unique(rank(J, tolerance))
    if len(ranks) > 1:
        listed = ", ".join(map(str, ranks))
        raise DegenerateError(f"the samples of this batch have ranks {listed}, so their bases differ in size; "
                              "use null_space_projector, or one sample at a time")  # fmt: skip
    Vt = singular_values(J)[2]
    return np.asarray(np.swapaxes(Vt[..., int(ranks.max(initial=0)) :, :], -1, -2))


def null_space_projector(J: ArrayLike, weight: ArrayLike | None = None, tolerance: float = RANK) -> Array:
    """P = 1 - J^# J, which removes from a joint velocity the part that moves the task.  Bruyninckx (5.47)-(5.48).

    P P = P, J P = 0, and M P is symmetric: the kept and the removed parts are orthogonal in M.  A singular J of
    a robot without redundancy has a null space too: see `redundancy` for the difference.

    >>> from sixvec.ik.redundancy import null_space_projector
    >>> null_space_projector([[1.0, 1.0]], weight=[1.0, 3.0]).round(12).tolist()
    [[0.25, -0.75], [-0.25, 0.75]]
    """
    J = as_matrix(J)
    return np.asarray(np.eye(J.shape[-1]) - weighted_inverse(J, joint_weight=weight, tolerance=tolerance) @ J)
