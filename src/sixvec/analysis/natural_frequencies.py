"""Natural frequencies and modes: how a robot vibrates about a position at which it is held."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import feasible_basis, motor_forces
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.closed_loops import require_closed_loops
from sixvec.model.spanning_tree import require_sliding
from sixvec.solve.metric import Metric
from sixvec.tolerances import RANK

if TYPE_CHECKING:
    from sixvec.robot import Robot

DRIFTING = 1e-13
"""Eigenvalues below this, relative to the largest term of the stiffness in the same units, are zero."""

ASYMMETRY = 1e-7
"""A stiffness with a skew part above this, relative to its largest entry, is not the curvature of an energy."""


@dataclass(frozen=True, eq=False, repr=False)
class NaturalFrequencies(Result):
    """Natural frequencies and modes of small vibrations, M ẍ + K x = 0, in the order of the eigenvalues of M⁻¹ K.

    A mode with a positive eigenvalue ω² oscillates at ω/2π; with zero it drifts; with a negative one it grows as
    exp(growth · t): the position is unstable.
    """

    frequencies: Array
    """(..., k) in Hz, 0 where a mode does not oscillate."""
    modes: Array
    """(..., nv, k), one per column in tangent coordinates, with modesᵀ M modes = 1; the largest entry is positive."""
    growth: Array
    """(..., k) in 1/s, 0 where a mode is stable."""
    eigenvalues: Array
    """(..., k), ω² in 1/s²: negative in unstable directions."""

    @property
    def unstable(self) -> Array:
        """The number of unstable directions (...)."""
        return np.asarray((self.growth > 0.0).sum(-1))


@any_arrays_same_dtype
def natural_frequencies(robot: Robot, q: ArrayLike) -> NaturalFrequencies:
    """Natural frequencies and modes of a robot at rest at q (..., nq), with constant joint forces that hold it there.

    The stiffness K is that of gravity, of the springs of joints and between bodies (`JointDynamics.stiffness`,
    `BodySpring`), and of friction laws that depend on the position: ∂/∂q of the forces that rest needs.  M contains the
    rotors.  Damping is left out.  In a mechanism with loops both are reduced to its independent motions, and the
    stiffness that the loops' own forces have is included, with the least motor forces that hold it.
    Ball and free joints must be in equilibrium, since the work of constant moments on them depends on the way: others
    raise an error.  Bruyninckx §5.14, §1.4.

    >>> import math, sixvec
    >>> from sixvec.analysis import natural_frequencies
    >>> arm = sixvec.load("planar_2r")
    >>> hanging = natural_frequencies(arm, [-math.pi / 2, 0.0])
    >>> hanging.frequencies.shape, int(hanging.unstable), int(natural_frequencies(arm, [math.pi / 2, 0.0]).unstable)
    ((2,), 0, 2)
    """
    require_sliding(robot.model, "natural_frequencies")
    q = real_array("natural_frequencies: q", q, robot.nq)
    require_closed_loops(robot._kernels, "natural_frequencies", q, {})
    M, K = np.asarray(robot.mass_matrix(q), float), _stiffness(robot, q)
    finite = np.asarray(np.isfinite(M).all((-1, -2)) & np.isfinite(K).all((-1, -2)))
    basis = feasible_basis(robot, q, Metric.from_length(1.0, robot.nv)) if robot.model.closures else np.eye(robot.nv)
    basis = np.where(finite[..., None, None], basis, np.eye(*basis.shape[-2:]))
    across = np.swapaxes(basis, -1, -2)
    M = across @ np.where(finite[..., None, None], M, np.eye(robot.nv)) @ basis
    K = across @ np.where(finite[..., None, None], K, 0.0) @ basis
    _require_potential(robot, K)
    values, modes = _eigen(robot, M, 0.5 * (K + np.swapaxes(K, -1, -2)))
    return _result(finite, values, basis @ modes)


def _stiffness(robot: Robot, q: Array) -> Array:
    """∂/∂q of the forces that rest needs, springs included, minus the part that loops contribute."""
    still = np.zeros(robot.nv)
    if robot.model.passive:
        kernel = robot.kernel("gravity_forces").derivative("q"), robot.kernel("passive_forces").derivative("q")
        slope = np.asarray(kernel[0](q), float) - np.asarray(kernel[1](q, still), float)
    else:
        free = robot if not robot.model.closures else _opened(robot)
        slope = np.asarray(free.inverse_dynamics_derivatives(q, still, still, passive=True).dq, float)
    if not robot.model.closures:
        return np.asarray(slope)
    load = np.asarray(robot.gravity_forces(q), float) - np.asarray(robot.passive_forces(q, still), float)
    finite = np.isfinite(load).all(-1)
    A = np.asarray(robot.closure_jacobian(q), float)
    motors = np.full(load.shape, np.nan)
    if finite.all():
        motors = motor_forces(robot, q, load)
    elif finite.any():
        motors[finite] = motor_forces(robot, q[finite], load[finite])
    forces = np.linalg.pinv(np.where(finite[..., None, None], np.swapaxes(A, -1, -2), 0.0), rcond=RANK)
    multipliers = (forces @ (load - motors)[..., None])[..., 0]
    turning = np.asarray(robot.kernel("closure_jacobian").derivative("q")(q), float)
    return np.asarray(slope - np.einsum("...i,...ijk->...jk", multipliers, turning))


def _opened(robot: Robot) -> Robot:
    """The spanning tree, whose gravity and springs are those of the mechanism."""
    from sixvec.model.edits import without_closures
    from sixvec.robot import Robot

    return Robot(without_closures(robot.model))


def _require_potential(robot: Robot, K: Array) -> None:
    skew = np.abs(K - np.swapaxes(K, -1, -2)).max(initial=0.0, axis=(-1, -2))
    if (skew > ASYMMETRY * np.abs(K).max(initial=0.0, axis=(-1, -2))).any():
        turning = [b.joint_label for b in robot.model.moving if len(b.joint.rotation_axes) > 1 or b.joint.is_free]
        raise ArgumentError(
            f"natural_frequencies: {robot.name} is not in equilibrium at {' or '.join(turning) or 'q'}, and constant "
            "forces there have no energy; let it be held in another way, or set robot.with_gravity([0, 0, 0])"
        )


def _eigen(robot: Robot, M: Array, K: Array) -> tuple[Array, Array]:
    """Eigenvalues of M⁻¹ K, with those that are rounding set to zero, and eigenvectors x with xᵀ M x = 1."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise DegenerateError(
            f"natural_frequencies: some joint of {robot.name} moves no mass; give it an armature, or lock it"
        ) from None
    inverse = np.linalg.inv(L)
    scaled = inverse @ K @ np.swapaxes(inverse, -1, -2)
    values, vectors = np.linalg.eigh(scaled)
    size = np.abs(scaled).max(axis=(-1, -2), initial=0.0)[..., None]
    return np.where(np.abs(values) <= DRIFTING * size, 0.0, values), np.asarray(np.swapaxes(inverse, -1, -2) @ vectors)


def _result(finite: Array, values: Array, modes: Array) -> NaturalFrequencies:
    largest = np.take_along_axis(modes, np.abs(modes).argmax(-2, keepdims=True), -2) if modes.size else 1.0
    modes = modes * np.where(np.asarray(largest) < 0.0, -1.0, 1.0)
    values = np.where(finite[..., None], values, np.nan)
    frequencies = np.sqrt(np.maximum(values, 0.0)) / (2.0 * math.pi)
    growth = np.sqrt(np.maximum(-values, 0.0))
    return NaturalFrequencies(frequencies, np.where(finite[..., None, None], modes, np.nan), growth, values)
