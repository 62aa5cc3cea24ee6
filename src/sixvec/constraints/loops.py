"""Mechanisms with loops: assembling them, and the velocities that keep them closed.

`robot.closure_error` and `robot.closure_jacobian` give the errors of the loops and their rates A(q) v for joint
velocities v.  Here positions are solved first, then velocities, as Bruyninckx §5.5.4 recommends.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array, require_finite
from sixvec.errors import ArgumentError, DegenerateError, unknown
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.mechanism.row_rank import exact_rows
from sixvec.model.actuation import active_joints
from sixvec.model.coordinate_names import joint_slices
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank, pseudo_inverse, weight_factor
from sixvec.tolerances import RANK
from sixvec.verdict import Verdict


@any_arrays_same_dtype
def assembled(
    robot: Robot, q: ArrayLike, hold: Sequence[str] | None = None, *, tolerance: float | None = None
) -> Array:
    """The positions near a guess at which all loops are closed, with the joints in `hold` fixed.

    `robot.assemble`, but raising an error if it fails; `hold` is by default the joints with a motor, whose positions
    are measured.  A mechanism has several assemblies: the guess determines which is found.  q is (nq,) or a batch (...,
    nq); a single guess that is not finite raises an error; in a batch that sample stays NaN.

    >>> import sixvec
    >>> from sixvec.constraints import assembled
    >>> bars = sixvec.load("four_bar")
    >>> q = assembled(bars, [0.7, 0.0, 1.0])
    >>> bool(abs(bars.closure_error(q)).max() < 1e-12), float(q[0])
    (True, 0.7)
    """
    guess = real_array("assembled: q", q)
    if guess.ndim == 1:
        require_finite("assembled: q", guess)
    fixed = active_joints(robot.model) if hold is None else hold
    state = robot.assemble(guess, fixed=fixed, tolerance=tolerance)
    failed = (state.verdict != Verdict.SOLVED) & np.isfinite(guess).all(axis=-1)
    if failed.any():
        raise DegenerateError(
            f"{robot.name}: the loops are still open by {state.residual[failed].max():.3g}; the joints that are held "
            "may be out of reach, or the guess is far from every assembly"
        )
    return state.q


@any_arrays_same_dtype
def velocity_map(robot: Robot, q: ArrayLike, independent: Sequence[str] | None = None) -> Array:
    """The matrix K with  v = K v_independent  for all velocities that keep the loops closed, (..., nv, n).

    Passive joints are eliminated:  A_a v_a + A_p v_p = 0  gives  v_p = -A_p⁺ A_a v_a  (Bruyninckx §5.5.4).  Columns
    are in the order of `independent`, the names of joints, by default those with a motor.  The loops must be closed at
    q.

    Elimination would hide a passive singularity, where the independent joints do not determine the others or
    cannot be chosen freely: this raises DegenerateError.

    >>> import sixvec
    >>> from sixvec.constraints import assembled, velocity_map
    >>> bars = sixvec.load("four_bar")
    >>> velocity_map(bars, assembled(bars, [0.7, 0.0, 1.0])).shape
    (3, 1)
    """
    names = active_joints(robot.model) if independent is None else independent
    chosen = joint_columns(robot, names)
    others = np.setdiff1d(np.arange(robot.nv), chosen)
    A = exact_rows(robot.model, np.asarray(robot.closure_jacobian(q), float))
    A_a, A_p = A[..., chosen], A[..., others]
    K = np.zeros((*A.shape[:-2], robot.nv, len(chosen)))
    K[..., chosen, np.arange(len(chosen))] = 1.0
    size = np.linalg.norm(A, axis=(-2, -1))
    inverse, rank = inverse_of_rank(A_p, size)
    K[..., others, :] = -inverse @ A_a
    if (rank[np.isfinite(size)] < len(others)).any():
        raise DegenerateError(
            f"{robot.name}: at this position the joints {', '.join(names)} do not determine the others; "
            "choose other independent joints, or another position"
        )
    opened, largest = (np.abs(X).max(axis=(-2, -1), initial=0.0) for X in (A @ K, K))
    if (opened > RANK * size * np.maximum(1.0, largest)).any():
        raise DegenerateError(
            f"{robot.name}: the loops do not let the joints {', '.join(names)} move independently; choose fewer"
        )
    return K


def inverse_root(robot: Robot, q: ArrayLike) -> tuple[Array, Array]:
    """R with  R Rᵀ = M⁻¹,  and the identity; both (..., nv, nv).

    With loops  R (1 - B⁺ B),  B = A R,  whose product is K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹, the accelerations per unit
    of joint force while the loops stay closed, and  K M,  which removes from velocities the part that opens loops.

    >>> import numpy, sixvec
    >>> bars = sixvec.load("four_bar")
    >>> R, P = inverse_root(bars, assembled(bars, [0.7, 0.0, 1.0]))
    >>> int(numpy.linalg.matrix_rank(R)), bool(numpy.allclose(P @ P, P))
    (1, True)
    """
    R = np.linalg.inv(weight_factor(robot.mass_matrix(q), robot.nv, "joint"))
    if not robot.model.closures:
        return R, np.eye(robot.nv)
    A = exact_rows(robot.model, np.asarray(robot.closure_jacobian(q), float))
    B = A @ R
    opening = R @ pseudo_inverse(B)
    return R - opening @ B, np.eye(robot.nv) - opening @ A


@any_arrays_same_dtype
def active_jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    independent: Sequence[str] | None = None,
    reference: Reference = "local_world_aligned",
) -> Array:
    """Jacobian of a frame with respect to the independent joints: J K, (..., 6, n); K is `velocity_map`.

    >>> import sixvec
    >>> from sixvec.constraints import active_jacobian, assembled
    >>> bars = sixvec.load("four_bar")
    >>> active_jacobian(bars, assembled(bars, [0.7, 0.0, 1.0]), "coupler_end").shape
    (6, 1)
    """
    return np.asarray(robot.jacobian(q, frame, reference) @ velocity_map(robot, q, independent))


def joint_columns(robot: Robot, names: Sequence[str]) -> NDArray[np.intp]:
    """The indices of these joints' velocities in v."""
    slices = joint_slices(robot.model, "v")
    for name in names:
        if name not in slices:
            raise ArgumentError(unknown("joint", name, slices, robot.name))
    return np.array([i for name in names for i in range(robot.nv)[slices[name]]], np.intp)
