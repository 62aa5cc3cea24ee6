"""The closure of a parallel robot, leg by leg:  b_i + l_i = p + R t_i  (Bruyninckx (8.1))."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.checks import common_batch
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.leg import Legs
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Space


@any_arrays_same_dtype
def leg_vectors(mechanism: ParallelRobot, X: ArrayLike) -> Array:
    """l_i (..., n, 3): from the point of each leg on the base to its pivot on the platform, in the axes of the base.

    For a telescope its norm is the length of the leg, and so the encoder's position plus the offset; for a crank or a
    slider it is the sum of that link and the rod.  Bruyninckx (8.1).

    >>> import numpy as np
    >>> from sixvec.parallel import UPS, ParallelRobot, leg_vectors
    >>> from sixvec.spatial import Vec3
    >>> robot = ParallelRobot([UPS(base=Vec3(1.0, 0.0, 0.0), platform=Vec3(0.0, 0.0, 2.0))])
    >>> leg_vectors(robot, np.eye(4)).tolist()
    [[-1.0, 0.0, 2.0]]
    """
    poses = mechanism.space.checked(X, "leg_vectors: X")
    return np.asarray(_vectors(mechanism.legs, mechanism.space)(poses))


@any_arrays_same_dtype
def closure_error(mechanism: ParallelRobot, X: ArrayLike, q: ArrayLike) -> Array:
    """(..., n): by how much each rod or telescope is too short, in metres, at poses X and actuator positions q.

    Zero for all legs where the robot closes, as after `inverse_position` and `forward_position`.  Bruyninckx (8.1).

    >>> import numpy as np
    >>> from sixvec.parallel import Delta, closure_error
    >>> delta = Delta(0.2, 0.05, 0.25, 0.6)
    >>> q = delta.inverse_position([0.0, 0.0, -0.5]).q
    >>> bool(np.abs(closure_error(delta, [0.0, 0.0, -0.5], q)).max() < 1e-15)
    True
    """
    poses = mechanism.space.checked(X, "closure_error: X")
    positions = real_array("closure_error: q", q, mechanism.n, why="one for each leg")
    inner = len(mechanism.space.port.shape)
    common_batch("closure_error", [poses.shape[: poses.ndim - inner], positions.shape[:-1]], ["X", "q"])
    return np.asarray(_errors(mechanism.legs, mechanism.space)(poses, positions))


@lru_cache(maxsize=64)
def _vectors(legs: Legs, space: Space) -> CompiledFunction:
    def run(X: Any) -> Any:
        return [[*(space.pivot(X, leg.platform) - leg.root)] for leg in legs]

    identity = f"parallel leg_vectors {legs} {type(space).__name__}"
    return CompiledFunction(run, (space.port,), (Port("l", (len(legs), 3)),), identity)


@lru_cache(maxsize=64)
def _errors(legs: Legs, space: Space) -> CompiledFunction:
    def run(X: Any, q: Any) -> Any:
        errors = []
        for leg, x in zip(legs, q, strict=True):
            centre, radius = leg.sphere(x)
            errors.append((space.pivot(X, leg.platform) - centre).norm() - radius)
        return errors

    identity = f"parallel closure_error {legs} {type(space).__name__}"
    return CompiledFunction(run, (space.port, Port("q", (len(legs),))), (Port("error", (len(legs),)),), identity)
