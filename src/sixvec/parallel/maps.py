"""The maps of a parallel robot at arrays of poses: their arguments, and the samples at which they do not exist.

With CuPy arrays the same programs run on the CUDA device, in double precision.  Poses that are perhaps not rigid are
looked at on the CPU, which determines what to say of them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, DegenerateError, level_of_user
from sixvec.ik.machine import Machine, machine_of
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import values_of
from sixvec.kernels.devices import namespace
from sixvec.parallel.programs import SOLVED
from sixvec.parallel.space import SURELY_RIGID, Space, Spatial, deviation, position
from sixvec.tolerances import RANK

if TYPE_CHECKING:
    from sixvec.parallel.mechanism import ParallelRobot

SINGULAR_BECAUSE = {
    "forward_velocity": "because the platform can move while no actuator moves",
    "inverse_force": "because the legs cannot hold every wrench",
}
"""Why the maps that solve equations do not exist at a pose; the others need the gains of all legs."""


FOR_LEGS, FOR_FREEDOMS = "one for each leg", "one for each freedom of the platform"
VECTORS = {
    "inverse_velocity": ("twist", FOR_FREEDOMS),
    "forward_velocity": ("qd", FOR_LEGS),
    "forward_force": ("tau", FOR_LEGS),
    "inverse_force": ("w", FOR_FREEDOMS),
}
"""The vector that a map applies to besides the pose, and what its entries are."""


class SingularPose(UserWarning):
    """A map does not exist at some poses: its results are NaN there.  `samples` are their flat indices."""

    def __init__(self, message: str, samples: Array) -> None:
        super().__init__(message)
        self.samples = samples


def evaluated(
    robot: ParallelRobot, name: str, X: Any, vector: Any = None, branch: Any = None,
    reference: Reference = "local_world_aligned",
) -> Array:  # fmt: skip
    """The result of one of the MAPS, NaN with a warning where it does not exist."""
    machine = machine_of(X, vector, branch)
    X, vectors = arguments_of(robot, name, X, vector, machine)
    if name in SOLVED:
        require_enough_legs(robot, name)
        require_square(robot, name, machine)
    result, measure = robot.run_map(name, X, *vectors, branch=branch, reference=reference, machine=machine)
    if name in SOLVED:
        return without_singular(result, _ill(robot, measure, X, branch, machine), name, SINGULAR_BECAUSE[name])
    return without_dead(robot, result, measure, name)


def arguments_of(robot: ParallelRobot, name: str, X: Any, vector: Any, machine: Machine) -> tuple[Any, list[Any]]:
    """Poses in the form of the kernels, and the vector of the map if it has one; all checked."""
    X = poses(robot.space, X, f"{name}: X", machine)
    if name not in VECTORS:
        return X, []
    symbol, why = VECTORS[name]
    size = robot.n if why is FOR_LEGS else robot.space.freedoms
    if machine.is_device:
        return X, [machine.array(vector, Port(symbol, (size,)), name)]
    return X, [real_array(symbol, vector, size, why=why)]


def shaped(space: Space, X: Any, what: str, machine: Machine) -> Any:
    """Poses in the form of the kernels, of which only the shape was checked."""
    if not machine.is_device:
        return space.shaped(X, what)
    written = space.written_as(X)
    X = machine.array(X, Port("X", written.port.shape), what.partition(":")[0])
    if written is space:
        return X
    p, off = machine.run(position)(X)
    return p if bool((off <= SURELY_RIGID).all()) else machine.send(space.shaped(machine.host(X), what))


def poses(space: Space, X: Any, what: str, machine: Machine) -> Any:
    """The same, checked."""
    if not machine.is_device:
        return space.checked(X, what)
    X = shaped(space, X, what, machine)
    if isinstance(space, Spatial) and not bool((machine.run(deviation)(X)[0] <= SURELY_RIGID).all()):
        return machine.send(space.checked(machine.host(X), what))
    return X


def require_enough_legs(robot: ParallelRobot, what: str) -> None:
    if robot.n < robot.space.freedoms:
        raise DegenerateError(
            f"{what} needs at least {robot.space.freedoms} legs; with {robot.n} the platform is free to move"
        )


def require_square(robot: ParallelRobot, what: str, machine: Machine) -> None:
    """Raise an error on a device for more legs than freedoms, whose equations are solved in NumPy."""
    if machine.is_device and robot.n > robot.space.freedoms:
        raise ArgumentError(f"{what} of more legs than freedoms computes on the CPU; give NumPy arrays: cupy.asnumpy")


def are_dead(robot: ParallelRobot, gain: Any) -> Any:
    """(..., n): which legs are singular: their rod is at right angles to the motion of their actuator."""
    xp = namespace(gain)
    with np.errstate(invalid="ignore"):
        return xp.abs(gain) < xp.asarray(RANK * robot.gain_sizes)


def without_dead(robot: ParallelRobot, result: Array, gain: Any, what: str) -> Array:
    """The results, NaN with a warning where a leg is singular."""
    dead = are_dead(robot, gain)
    if not bool(dead.any()):
        return result
    k = int(np.argwhere(values_of(dead))[0][-1])
    why = f"because leg {k} is singular: its rod is at right angles to the motion of its actuator"
    return without_singular(result, dead.any(axis=-1), what, why)


def _ill(robot: ParallelRobot, conditioning: Any, X: Any, branch: Any, machine: Machine) -> Any:
    """Where the squared reciprocal condition number is that of a singular pose, or NaN because it is zero."""
    xp = machine.xp
    with np.errstate(invalid="ignore"):
        small, lost = conditioning < RANK**2, xp.isnan(conditioning)
    if bool(lost.any()):
        A = robot.run_map("lines", X, branch=branch, machine=machine)[0]
        small = small | (lost & xp.isfinite(A).all(axis=(-1, -2)))
    return small


def without_singular(result: Array, singular: Any, what: str, why: str) -> Array:
    """The results, NaN where a sample is singular, with a warning."""
    if not bool(singular.any()):
        return result
    samples = np.flatnonzero(values_of(singular))
    which = "" if singular.ndim == 0 else f" at {len(samples)} of {singular.size} poses, first number {samples[0]},"
    message = f"{what} does not exist{which} {why}; see singularity(X)"
    warnings.warn(SingularPose(message, samples), stacklevel=level_of_user())
    own_axes = (...,) + (None,) * (result.ndim - singular.ndim)
    regular: Array = namespace(result).where(singular[own_axes], np.nan, result)
    return regular
