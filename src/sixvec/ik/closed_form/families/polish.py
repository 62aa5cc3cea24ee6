"""Refinement of candidates to solutions of the arm itself, many at once.

Levenberg and Marquardt's method with a damping of the square of the error: it converges quadratically to regular
solutions and, unlike Newton's, also to points of a continuous family (Yamashita and Fukushima, "On the rate of
convergence of the Levenberg-Marquardt method", Computing Supplement 15, 2001).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.solve.gauss_newton import Fit, Rows, gauss_newton
from sixvec.verdict import Verdict

STEPS = 48
"""Most steps.  From an eigenvalue three suffice; near a double root each halves the distance, near a triple one 2/3."""

CONVERGED = 1e-11
"""Pose error, in arm lengths and radians, of a polished solution."""

_PATIENCE, _HOPELESS = 12, 1e-3
"""A candidate with more than this error after so many steps is dropped."""

_AT_REST = 1e-9
"""Radians; a step this short was the last."""

_LONGEST = 0.5
_DAMPING, _LEAST_DAMPING = 1e-2, 1e-14
"""Times the squared error; and what keeps the equations solvable where the arm is singular."""


def polished(chain: SerialChain, X: Array, q: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Candidates (k, 6) for the poses X (k, 4, 4) moved onto solutions, and which of them got there.

    In NumPy, not `sixvec.ik.position_solver`: formulas compile nothing for an arm, and candidates are on its screws.
    """
    first = _refined(chain, X, q, _PATIENCE)
    q, error = first.x, first.residual
    close = np.flatnonzero((first.verdict == Verdict.NOT_CONVERGED) & (np.linalg.norm(error, axis=-1) <= _HOPELESS))
    second = _refined(chain, X[close], q[close], STEPS - _PATIENCE)
    q[close], error[close] = second.x, second.residual
    return np.remainder(q + np.pi, 2.0 * np.pi) - np.pi, np.asarray(np.abs(error).max(-1) < CONVERGED)


def _refined(chain: SerialChain, X: Array, q: Array, iterations: int) -> Fit:
    def equations(q: Array, rows: Rows) -> tuple[Array, Array]:
        error, J = error_and_jacobian(chain, X[rows], q)
        return -error, J

    return gauss_newton(
        q, equations, step=_damped_step, step_tolerance=_AT_REST, longest=_LONGEST, iterations=iterations
    )


def _damped_step(residual: Array, J: Array | None, q: Array, rows: Rows) -> Array:
    assert J is not None
    JT = np.swapaxes(J, 1, 2)
    damping = (_DAMPING * (residual**2).sum(-1) + _LEAST_DAMPING)[:, None, None] * np.eye(q.shape[1])
    return np.asarray(np.linalg.solve(JT @ J + damping, -JT @ residual[..., None])[..., 0])


def error_and_jacobian(chain: SerialChain, X: Array, q: Array) -> tuple[Array, Array]:
    """The remaining twist, (k, 6), and the Jacobian (k, 6, n), at the tool, lengths in arm sizes."""
    R, tip, J = chain.moved(q)
    gap = X[:, :3, :3] @ np.swapaxes(R, 1, 2)
    turn = 0.5 * np.stack([gap[:, 2, 1] - gap[:, 1, 2], gap[:, 0, 2] - gap[:, 2, 0], gap[:, 1, 0] - gap[:, 0, 1]], -1)
    trace = np.trace(gap, axis1=1, axis2=2)
    turn = np.where((trace < 0.0)[:, None], 2.0 * turn, turn)  # far from the target only the direction matters
    half_turn = trace < -0.999999  # where the axial part vanishes at a large error
    turn = np.where(half_turn[:, None], 1.0, turn)
    return np.concatenate([turn, (X[:, :3, 3] - tip) / chain.size], -1), J
