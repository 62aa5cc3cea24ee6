"""The regressor of inverse dynamics without its zeros."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics_regressor import inverse_dynamics_regressor
from sixvec.algorithms.parts.inertial_parameter import NAMES
from sixvec.algorithms.parts.support import supports
from sixvec.model import Model


@kernel("q v a -> Y[nregressor]", loops="unsupported", mimic="handled", original_bodies=True)
def inverse_dynamics_regressor_entries(model: Model, q: JointVector, v: JointVector, a: JointVector) -> Any:
    """The entries of Y in  tau = Y π  that the tree does not make zero: a body affects only the joints that move it.

    Links are in the order of the columns of Y.  For each velocity coordinate that moves the link, ascending, there are
    the ten numbers of its row.  `sixvec.identification.regressor_pattern` returns their rows and columns.  The
    equations are those of `inverse_dynamics_regressor`; about three quarters of a humanoid's matrix are zeros, and a
    batch would spend most of its time writing them.  O(n d) for depth d.

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters, regressor_pattern
    >>> robot = sixvec.load("humanoid")
    >>> q, v, a = robot.random(0), numpy.ones(robot.nv), numpy.ones(robot.nv)
    >>> entries = robot.inverse_dynamics_regressor_entries(q, v, a)
    >>> rows, columns = regressor_pattern(robot)
    >>> tau = numpy.bincount(rows, entries * inertial_parameters(robot)[columns])
    >>> numpy.allclose(tau, robot.inverse_dynamics(q, v, a))
    True
    """
    Y = inverse_dynamics_regressor(model, q, v, a)
    ten = len(NAMES)
    return [x for k, rows in enumerate(supports(model).values()) for j in rows for x in Y[j][k * ten : (k + 1) * ten]]
