"""Whether the loops of a mechanism are closed in a state, and stay so."""

from __future__ import annotations

import numpy as np

from sixvec.algorithms.constraint_terms import row_names
from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.mechanism.row_rank import exact_equations, gap_limits, loop_rank, row_sizes
from sixvec.model import Model
from sixvec.robot import Robot

OPEN = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-4}
"""Loops whose independent rows are open by more, in rad or fractions of the loop's size, are not a valid start: smaller
gaps are closed by the first step.  The same holds for loops that open faster than that in the time in which a joint
moves by one unit."""


def require_closed(robot: Robot, q: Array, v: Array, where: str = "rollout: at the start") -> None:
    """Raise an error for a state at which a loop is open or opens."""
    if not robot.model.closures:
        return
    model, names = robot.model, row_names(robot.model)
    limit, least = gap_limits(model), max(OPEN[x.dtype] for x in (q, v)) * row_sizes(model)
    q, v = np.asarray(q, float), np.asarray(v, float)
    with np.errstate(invalid="ignore"):
        A = np.asarray(robot.closure_jacobian(q), float)
        opened = np.asarray(robot.closure_error(q), float)
        opening = (A @ v[..., None])[..., 0]
        fastest = 1.0 + np.abs(v).max(axis=-1, keepdims=True, initial=0.0)
        independent = [_independent(model, A, x, most) for x, most in ((opened, least), (opening, least * fastest))]
        opened, opening = np.abs(opened), np.abs(opening)
    for size, most, what, unit in (
        (independent[0], least, "open by", ""),
        (opened, np.maximum(limit, least), "open by", ""),
        (independent[1], least * fastest, "opening by", " a second"),
        (opening, np.maximum(limit, least) * fastest, "opening by", " a second"),
    ):
        if (size > most).any():
            row = int(np.argwhere(size > most)[0][-1])
            raise ArgumentError(
                f"{where} {names[row]} is {what} {size[..., row].max():.3g} m or rad{unit}; "
                "robot.assemble finds positions with closed loops, sixvec.constraints.velocity_map velocities"
            )


def _independent(model: Model, A: Array, e: Array, most: Array) -> Array:
    """The errors (..., m) of independent rows: those that solvers close, or what motions can reach of all errors.

    With exact dimensions one vanishes if the other does.  Rounded ones leave errors of the dependent rows, which have a
    share in the range of A where the axes of the closure are not those of the loop.
    """
    if (np.abs(e) <= most).all():
        return np.asarray(np.abs(e))
    closed, reached = np.abs(_of_solved_rows(model, A, e)), np.abs(exact_equations(model, A, e)[1])
    less = (closed / most).max(axis=-1, keepdims=True) <= (reached / most).max(axis=-1, keepdims=True)
    return np.asarray(np.where(less, closed, reached))


def _of_solved_rows(model: Model, A: Array, e: Array) -> Array:
    """The errors of the rows that solvers use, and of their groups what motions can reach; zero for the others."""
    rank, errors = loop_rank(model), np.zeros_like(e)
    grouped = {row for group in rank.groups for row in group.rows}
    alone = [row for row in rank.used if row not in grouped]
    errors[..., alone] = e[..., alone]
    for group in rank.groups:
        rows, scale = list(group.rows), np.array(rank.scale)[list(group.rows)]
        U = np.linalg.svd(np.nan_to_num(A[..., rows, :]) * scale[:, None] * np.array(rank.unit))[0][..., : group.rank]
        errors[..., rows] = (U @ (np.swapaxes(U, -1, -2) @ (e[..., rows] * scale)[..., None]))[..., 0] / scale
    return errors
