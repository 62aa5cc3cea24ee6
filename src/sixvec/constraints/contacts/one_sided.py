"""Accelerations of a robot on frames that may lift off and slide: unilateral constraints as forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.held_directions import KINDS
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.algorithms.parts.singular import require_mass
from sixvec.arguments import Array, real_array, real_number
from sixvec.arguments.result import Result
from sixvec.constraints.contacts.impulses import contact_impulses
from sixvec.constraints.contacts.row_terms import Kind
from sixvec.constraints.loops import inverse_root
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot

_NORMAL_FIRST = (2, 0, 1)


@dataclass(frozen=True, eq=False, repr=False)
class OneSidedDynamics(Result):
    """Accelerations a, the forces along the rows of `hold`, their accelerations, and the residual.

    Where `force` is positive, the row stays closed; where `acceleration` is positive, it lifts off.  Samples of q, v or
    tau that are not finite are NaN and INVALID.
    """

    a: Array
    force: Array
    acceleration: Array
    residual: Array
    verdict: NDArray[np.int8]


@any_arrays_same_dtype
def one_sided_dynamics(
    robot: Robot, q: ArrayLike, v: ArrayLike, tau: ArrayLike, hold: Mapping[Any, Any], *, friction: float = 0.0
) -> OneSidedDynamics:
    """Accelerations under joint forces tau of a robot whose held frames push and never pull: Bruyninckx §6.7.7.

    `hold` is that of `constrained_dynamics`.  A direction such as ("z",) is a stop that opens along +z of the frame:
    0 ≤ force ⊥ acceleration ≥ 0.  A "point" opens along its z and, with `friction`, sticks or slides in x and y.

        w = A a_free + γ + G λ,   G = A M⁻¹ Aᵀ = -𝓩₀,   λ ⊥ w,   a = a_free + M⁻¹ Aᵀ λ

    Loops of the robot stay closed: M⁻¹ is then that of the mechanism (`inverse_root`).

    >>> import numpy as np, sixvec
    >>> from sixvec.constraints import one_sided_dynamics
    >>> arm = sixvec.load("planar_2r")
    >>> table = {"tip": ("y",)}  # up, at this position
    >>> q, rest = [0.0, 0.0], np.zeros(2)
    >>> falls, lifts = (one_sided_dynamics(arm, q, rest, tau, table) for tau in (rest, 5.0 * arm.gravity_forces(q)))
    >>> bool(falls.force[0] > 0.0), bool(lifts.force[0] == 0.0 and lifts.acceleration[0] > 0.0)
    (True, True)
    """
    require_sliding(robot.model, "one_sided_dynamics")
    require_mass(robot.model)
    frames = held_frames(robot.model, hold)
    order, kinds, limits = _blocks(frames, real_number("one_sided_dynamics: friction", friction))
    state = (("q", q), ("v", v), ("tau", tau))
    q, v, tau = (real_array(f"one_sided_dynamics: {name}", x) for name, x in state)
    free = robot.forward_dynamics(q, v, tau)
    loops = sum(c.constraints for c in robot.model.closures)  # their rows come first
    A = robot.constraint_jacobian(q, hold=hold)[..., loops:, :][..., order, :]
    b = (A @ free[..., None])[..., 0] + robot.constraint_bias(q, v, hold=hold)[..., loops:][..., order]
    R, _ = inverse_root(robot, q)
    response = R @ np.swapaxes(A @ R, -1, -2)
    impulses = contact_impulses(A @ response, b, limits, kinds=kinds)
    a = free + (response @ impulses.force[..., None])[..., 0]
    back = np.argsort(order)
    return OneSidedDynamics(
        np.asarray(a), impulses.force[..., back], impulses.velocity[..., back], impulses.residual, impulses.verdict
    )


def _blocks(frames: tuple[Held, ...], friction: float) -> tuple[list[int], tuple[Kind, ...], list[float]]:
    """The rows with normals first, their kinds, and their coefficients of friction."""
    order: list[int] = []
    kinds: list[Kind] = []
    limits: list[float] = []
    start = 0
    for h in frames:
        n = len(h.directions)
        if h.directions == KINDS["point"]:
            order += [start + k for k in _NORMAL_FIRST]
            kinds.append("contact")
            limits.append(friction)
        elif n == 1:
            order.append(start)
            kinds.append("stop")
            limits.append(0.0)
        else:
            raise ArgumentError(
                f'one_sided_dynamics: {h.frame} is held along {h.directions}; one-sided are a "point" or one direction'
            )
        start += n
    if friction < 0.0:
        raise ArgumentError(f"one_sided_dynamics: friction {friction} is negative")
    return order, tuple(kinds), limits
