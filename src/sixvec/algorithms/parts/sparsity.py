"""Where the mass matrix is zero at every position, and why its factors can be too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixvec.algorithms.parts.support import supports
from sixvec.model import Model
from sixvec.model.require import require_model

if TYPE_CHECKING:
    from sixvec.robot import Robot


def tree_order(model: Model | Robot) -> list[int]:
    """The coordinates of v with those of parents before those of children, in any order of the model.

    The factors of M are triangular in this order o:  L[np.ix_(o, o)].

    >>> import sixvec
    >>> tree_order(sixvec.load("panda").model)
    [0, 1, 2, 3, 4, 5, 6]
    """
    model = require_model(model, "tree_order")
    return [i for b in model.bodies for i in range(model.nv)[model.v_slices[b.name]]]


def mass_matrix_pattern(model: Model | Robot) -> tuple[tuple[bool, ...], ...]:
    """Whether M_ij can differ from zero: where the joint of one coordinate carries that of the other.

    Featherstone (48): M_ij = 0 unless i is on the path of j or j on that of i.  A joint that follows another
    shares its coordinate, so two coordinates are related if any two of their joints are.  The factors of
    M = Lᵀ D L have the same zeros unless joints follow others.

    >>> import sixvec
    >>> all(all(row) for row in mass_matrix_pattern(sixvec.load("panda").model))
    True
    """
    model = require_model(model, "mass_matrix_pattern")
    related = [[False] * model.nv for _ in range(model.nv)]
    for path in supports(model).values():
        for i in path:
            for j in path:
                related[i][j] = True
    return tuple(map(tuple, related))
