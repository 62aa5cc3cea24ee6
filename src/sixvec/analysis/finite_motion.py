"""Whether the instantaneous freedoms of a mechanism with loops are finite motions, found by following them."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.robot import Robot
from sixvec.solve.decomposition import rank
from sixvec.solve.gauss_newton import Rows, gauss_newton, rank_step

STRIDE, STRIDES = 0.05, 3
"""Length of a step, in radians and fractions of the mechanism's size, and the number of steps.  A freedom of first
order only opens the loops by the square of the distance: a thousand times the tolerance of good dimensions."""

WAYS = 8
"""Random directions tried besides those of the basis where branches of motion intersect: each leads onto one branch."""

CORRECTIONS = 30


def finite_freedoms(robot: Robot, q: Array, tolerance: float) -> int:
    """The largest number of freedoms found after moving along any instantaneous one; 0 if no motion is possible.

    A tree moves in all its joints.  Each step moves along the null space of the closures' rows and is projected back
    onto the loops.  A path counts if it makes progress and the loops stay closed to the tolerance.

    >>> import sixvec
    >>> from sixvec.constraints import assembled
    >>> bars = sixvec.load("four_bar")
    >>> finite_freedoms(bars, assembled(bars, [0.7, 0.0, 1.0]), 1e-5)
    1
    """
    if not robot.model.closures:
        return robot.nv
    K = _null_space(robot, q, tolerance)
    most = K.shape[1]
    ways = np.concatenate([np.eye(most), np.random.default_rng(0).normal(size=(WAYS, most))]) if most > 1 else np.eye(1)
    best, units = 0, _units(robot, q)
    for way in ways[:, :most]:
        for sign in (1.0, -1.0):
            best = max(best, _freedoms_after(robot, q, sign * K @ way, units, tolerance) if most else 0)
            if best == most:
                return best
    return best


def _freedoms_after(robot: Robot, q: Array, direction: Array, units: Array, tolerance: float) -> int:
    """The freedoms at the end of a path that starts in a direction; 0 if the path stops early."""
    for _ in range(STRIDES):
        ahead = STRIDE * direction / np.abs(direction / units).max()
        guess = robot.integrate(q, ahead)
        there = _closed(robot, guess, tolerance)
        displacement = robot.difference(q, there)
        if (
            np.abs(robot.closure_error(there)).max() > tolerance
            or np.abs((displacement - ahead) / units).max() > STRIDE / 2
        ):
            return 0
        K = _null_space(robot, there, tolerance)
        if not K.shape[1]:
            return 0
        q, direction = there, K @ (K.T @ displacement)
        if np.abs(direction / units).max() < STRIDE / 4:
            return 0
    return int(K.shape[1])


def _closed(robot: Robot, q: Array, tolerance: float) -> Array:
    """Projection onto the loops, by the equations that are independent to the tolerance.

    Not `robot.assemble`, which closes every equation: dimensions with rounded digits would then not move.
    """

    def equations(x: Array, rows: Rows) -> tuple[Array, Array]:
        return np.asarray([robot.closure_error(x[0])], float), np.asarray([robot.closure_jacobian(x[0])], float)

    def move(x: Array, step: Array, rows: Rows) -> Array:
        return np.asarray([robot.integrate(x[0], step[0])])

    step = rank_step(max(tolerance, STRIDE**3))
    fit = gauss_newton(
        q[None], equations, step=step, move=move, step_tolerance=tolerance * STRIDE, iterations=CORRECTIONS
    )
    return np.asarray(fit.x[0])


def _null_space(robot: Robot, q: Array, tolerance: float) -> Array:
    A = np.asarray(robot.closure_jacobian(q), float)
    return np.asarray(np.linalg.svd(A)[2][int(rank(A, tolerance)) :].T)


def _units(robot: Robot, q: Array) -> Array:
    """For each velocity coordinate 1 if it turns, else the size of the mechanism."""
    places = np.asarray(robot.poses(q))[..., :3, 3]
    size = float(np.linalg.norm(places - places[:1], axis=-1).max(initial=0.0)) or 1.0
    units = np.ones(robot.nv)
    for b in robot.model.moving:
        at = robot.model.v_slices[b.name]
        turns = np.array([s.ang.norm() > 0.0 for s in b.joint.subspace(b.joint.neutral())], bool)
        units[at] = np.where(turns, 1.0, size)
    return units
