"""The sparsity pattern of a regressor: the entries that can differ from zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.inertial_parameter import NAMES
from sixvec.algorithms.parts.support import supports
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.robot import Robot


class RegressorPattern(NamedTuple):
    """The row and the column of each entry; together an index of NumPy."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


def regressor_pattern(model: Model | Robot) -> RegressorPattern:
    """(rows, columns) in Y of the numbers that `inverse_dynamics_regressor_entries` gives, in their order.

    Link by link, for each velocity coordinate that moves the link, ascending, its ten parameters.  Use them as the
    arrays of a sparse matrix in coordinate form, or to fill a dense one:

    >>> import numpy, sixvec
    >>> from sixvec.identification import regressor_pattern
    >>> robot = sixvec.load("humanoid")
    >>> rows, columns = regressor_pattern(robot)
    >>> q, v, a = robot.random(0, 5), numpy.ones((5, robot.nv)), numpy.ones((5, robot.nv))
    >>> dense = robot.inverse_dynamics_regressor(q, v, a)
    >>> Y = numpy.zeros_like(dense)
    >>> Y[..., rows, columns] = robot.inverse_dynamics_regressor_entries(q, v, a)
    >>> numpy.allclose(Y, dense), len(rows) / dense[0].size < 0.3
    (True, True)
    """
    model = require_model(model, "regressor_pattern")
    pairs = [(j, k) for k, coordinates in enumerate(supports(model).values()) for j in coordinates]
    rows, links = np.array(pairs, np.intp).reshape(-1, 2).T
    columns = len(NAMES) * links[:, None] + np.arange(len(NAMES))
    return RegressorPattern(np.repeat(rows, len(NAMES)), columns.ravel())
