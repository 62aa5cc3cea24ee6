"""Pivots and offsets of telescopic legs from measured poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import Array, real_array, require_finite, require_shape
from sixvec.border.answer import Answer
from sixvec.errors import ArgumentError
from sixvec.kernels.in_kind import kept_kind
from sixvec.parallel.families import StewartGough
from sixvec.parallel.leg import UPS
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Spatial

UNKNOWNS = 7
"""Of a leg: two pivots and an offset."""
ROUNDS = 50
CONVERGED = 1e-12
IDENTIFIED = 1e-7
"""Singular values below this, relative to the largest, belong to parameters that the poses do not determine."""


@dataclass(frozen=True, eq=False)
class ParallelCalibration(Answer):
    """A robot fitted to the measurements, and the quality of the fit."""

    mechanism: StewartGough
    residual: Array
    """(n,): remaining root mean square error of each leg's length, in metres."""
    rank: Array
    """(n,): the number of each leg's seven parameters that the poses determine; the others stay near the given ones."""
    deviation: Array
    """(n, 7): standard deviations of base pivot, platform pivot and offset; infinite where undetermined."""

    @property
    def identified(self) -> bool:
        return bool((self.rank == UNKNOWNS).all())

    def __repr__(self) -> str:
        known = f"{int(self.rank.sum())} of {self.rank.size * UNKNOWNS} parameters"
        return f"<ParallelCalibration: {known} identified, residual {self.residual.max():.2g} m>"


@kept_kind
def calibrated(mechanism: ParallelRobot, X: ArrayLike, q: ArrayLike) -> ParallelCalibration:
    """Fit base pivots, platform pivots and offsets to measured poses X (k, 4, 4) and readings q (k, n).

    Each leg is a separate least-squares problem with seven unknowns, so at least seven poses are needed, in which the
    platform rotates as well as translates: without rotation a shift of both pivots changes no length.  Gauss-Newton
    from the robot's own parameters; undetermined ones stay as near to these as possible.
    """
    if not isinstance(mechanism.space, Spatial) or not all(isinstance(leg, UPS) for leg in mechanism.legs):
        raise ArgumentError("calibrated is for telescopic legs in space, StewartGough and Parallel321")
    X = mechanism.space.checked(X, "calibrated: X")
    require_shape("calibrated: X", X, "k", 4, 4, batch=False)
    q = real_array("calibrated: q", q, len(X), mechanism.n, batch=False, why="readings of all legs at each pose")
    for name, x in (("X", X), ("q", q)):
        require_finite(f"calibrated: {name}", x, "leave out what was not measured")
    R, p = X[:, :3, :3], X[:, :3, 3]
    a, b = mechanism.roots.copy(), mechanism.platform.copy()
    offset = np.array([leg.offset for leg in mechanism.legs])
    rank, residual, deviation = np.zeros(mechanism.n, int), np.zeros(mechanism.n), np.zeros((mechanism.n, UNKNOWNS))
    for i in range(mechanism.n):
        for _ in range(ROUNDS):
            J, errors = _leg_equations(R, p, a[i], b[i], offset[i], q[:, i])
            step, _, rank[i], _ = np.linalg.lstsq(J, errors, rcond=IDENTIFIED)
            a[i], b[i], offset[i] = a[i] + step[:3], b[i] + step[3:6], offset[i] + step[6]
            if np.abs(step).max() < CONVERGED * (1.0 + np.abs(a[i]).max()):
                break
        J, errors = _leg_equations(R, p, a[i], b[i], offset[i], q[:, i])
        residual[i] = np.sqrt((errors**2).mean())
        deviation[i] = _deviations(J, errors)
    limits = (mechanism.lower, mechanism.upper)
    return ParallelCalibration(StewartGough(a, b, offsets=offset, limits=limits), residual, rank, deviation)


def _leg_equations(R: Array, p: Array, a: Array, b: Array, offset: float, q: Array) -> tuple[Array, Array]:
    """Derivatives of one leg's reading |p + R b - a| - offset with respect to its parameters, and the residual."""
    d = p + R @ b - a
    length = np.linalg.norm(d, axis=-1)
    e = d / length[:, None]
    J = np.concatenate([-e, np.einsum("kji,kj->ki", R, e), -np.ones((len(q), 1))], axis=-1)
    return J, q - (length - offset)


def _deviations(J: Array, errors: Array) -> Array:
    _, s, Vt = np.linalg.svd(J, full_matrices=False)
    known = s > IDENTIFIED * s[0]
    spare = max(1, len(errors) - int(known.sum()))
    variance = (errors @ errors) / spare
    result = np.sqrt(((Vt[known].T / s[known]) ** 2).sum(axis=-1) * variance)
    blind = (Vt[~known] ** 2).sum(axis=0) if len(s) == UNKNOWNS else np.ones(UNKNOWNS)
    return np.where(blind > IDENTIFIED, np.inf, result)
