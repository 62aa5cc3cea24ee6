"""The force maps of a frame, forward and inverse.

Forces are static, without gravity and inertia.  Every force map has an argument for the direction of action, since the
two directions differ by a sign and both are in use (Bruyninckx §5.7, Featherstone (27)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import loop_jacobian, loop_projector, motor_forces
from sixvec.errors import ArgumentError
from sixvec.ik.kinematic_maps import six
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.closed_loops import require_closed_loops
from sixvec.robot import Robot
from sixvec.solve.metric import Metric
from sixvec.solve.spectrum import spectrum

Acting = Literal["on_robot", "by_robot"]
"""The direction of action: the environment on the robot, or the robot on the environment."""


@dataclass(frozen=True, eq=False, repr=False)
class ForwardForce(Result):
    """The wrench produced by joint forces, and the part of them that no wrench balances."""

    wrench: Array
    unbalanced: Array
    """τ - Jᵀ f: joint forces that move the robot instead of loading the frame."""


@any_arrays_same_dtype
def inverse_force(
    robot: Robot,
    q: ArrayLike,
    wrench: ArrayLike,
    frame: str,
    *,
    acting: Acting,
    reference: Reference = "local",
) -> Array:
    """The motor forces for equilibrium while a wrench acts at the frame: (..., nv).  They exist at every configuration.

    The wrench (moment; force) is at the frame's origin in frame axes, like external wrenches in dynamics, unless
    `reference` is given.

    By virtual work:  τ = Jᵀ f for the wrench f *by* the robot on its environment;  τ = -Jᵀ f for one *on* the robot.
    In a mechanism with loops the joints with a motor carry the whole load, with forces of least norm if there are many;
    where they cannot (a passive singularity), DegenerateError is raised.  Bruyninckx (7.41); Featherstone (27).

    >>> import sixvec
    >>> from sixvec.ik import inverse_force
    >>> arm = sixvec.load("planar_2r")
    >>> push, up = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], "local_world_aligned"
    >>> inverse_force(arm, [0.0, 0.0], push, "tip", acting="by_robot", reference=up).round(3).tolist()
    [2.0, 1.0]
    """
    J = real_array("the Jacobian at q", robot.jacobian(q, frame, reference))
    tau: Array = push_sign(acting) * np.einsum("...ij,...i->...j", J, six(wrench, "wrench"))
    if not robot.model.closures:
        return tau
    require_closed_loops(robot._kernels, "inverse_force", np.asarray(q, float), {})
    return motor_forces(robot, q, tau)


@any_arrays_same_dtype
def forward_force(
    robot: Robot,
    q: ArrayLike,
    tau: ArrayLike,
    frame: str,
    *,
    acting: Acting,
    reference: Reference = "local",
    metric: Metric | None = None,
) -> ForwardForce:
    """The wrench at a rigid contact of the frame while the motors push with `tau`.

    In frame axes, as for `inverse_force`.  Unique for six joints away from singularities.  With fewer, the one of least
    norm is returned (the structure carries the rest, see `Spectrum.free_wrenches`); with more, joint forces can be
    `unbalanced`: then the robot moves.  Bruyninckx (7.43).
    """
    metric = metric or Metric.from_length(1.0, robot.nv)
    J = real_array("the Jacobian at q", robot.jacobian(q, frame, reference))
    inverse = spectrum(loop_jacobian(robot, q, J, metric), metric).inverse()
    tau = real_array("tau", tau, robot.nv)
    by = np.einsum("...ij,...i->...j", inverse, tau)
    remainder = tau - np.einsum("...ij,...i->...j", J, by)
    if robot.model.closures:  # loads of the loops are balanced too
        remainder = np.einsum("...ij,...i->...j", loop_projector(robot, q, metric)[1], remainder)
    return ForwardForce(push_sign(acting) * by, remainder)


@dataclass(frozen=True, eq=False, repr=False)
class DualBasis(Result):
    """The wrenches that load one joint each, and their residual."""

    wrenches: Array
    """(..., 6, nv): column i is the partial wrench of joint i, by the robot on its environment."""
    unbalanced: Array
    """(..., nv, nv): 1 - Jᵀ G, zero if every joint has its own wrench."""


@any_arrays_same_dtype
def dual_wrench_basis(
    robot: Robot, q: ArrayLike, frame: str, *, reference: Reference = "local", metric: Metric | None = None
) -> DualBasis:
    """The partial wrenches G of a frame: the i-th loads joint i with a unit force and no other, Jᵀ G = 1.

    Bruyninckx §7.15 (with the transpose missing there), for any robot: with six joints, away from singularities,
    they are a basis of all wrenches, dual to the joints' twists.  With fewer joints they have least norm in the
    metric.  With more, or in a singularity, no wrench loads one joint alone: then Jᵀ G is the projector onto the joint
    forces that wrenches can produce, and `unbalanced` is the remainder.  In frame axes, as for `forward_force`.
    Bruyninckx (7.42), (7.44).

    >>> import numpy as np
    >>> import sixvec
    >>> from sixvec.ik import dual_wrench_basis
    >>> arm = sixvec.load("ur5e")
    >>> q = [0.3, -1.2, 1.4, 0.4, 1.1, 0.2]
    >>> basis = dual_wrench_basis(arm, q, "tool0")
    >>> J = arm.jacobian(q, "tool0", "local")
    >>> np.allclose(J.T @ basis.wrenches, np.eye(6)), np.allclose(basis.unbalanced, 0.0)
    (True, True)
    """
    q = np.asarray(q, float)[..., None, :]
    forces = forward_force(robot, q, np.eye(robot.nv), frame, acting="by_robot", reference=reference, metric=metric)
    return DualBasis(np.swapaxes(forces.wrench, -1, -2), np.swapaxes(forces.unbalanced, -1, -2))


def push_sign(acting: str) -> float:
    """The sign of τ = ± Jᵀ f.

    >>> push_sign("on_robot")
    -1.0
    """
    if acting not in get_args(Acting):
        raise ArgumentError(f'a wrench acts "on_robot" or "by_robot", not "{acting}"')
    return 1.0 if acting == "by_robot" else -1.0
