"""The displacement between two poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.ik.kinematic_maps import pose_difference


def pose_error(X: ArrayLike, Y: ArrayLike) -> Array:
    """The displacement from pose X to pose Y (..., 4, 4): (rotation vector of R_Y R_Xᵀ; p_Y - p_X), in world axes.

    >>> import numpy as np
    >>> from sixvec.ik.redundancy import pose_error
    >>> X, Y = np.eye(4), np.eye(4)
    >>> Y[0, 3] = 2.0
    >>> pose_error(X, Y).tolist()
    [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    """
    return np.asarray(pose_difference(X, Y))
