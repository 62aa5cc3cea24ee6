"""Pivots and offsets of telescopic legs from measured poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_finite, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.families import StewartGough
from sixvec.parallel.leg import UPS
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Spatial
from sixvec.solve.decomposition import rank
from sixvec.solve.gauss_newton import gauss_newton, rank_step
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict, Verdicts, tally

UNKNOWNS = 7
"""Of a leg: two pivots and an offset."""
IDENTIFIED = 1e-7
"""Singular values below this, relative to the largest, belong to parameters that the poses do not determine."""


@dataclass(frozen=True, eq=False)
class ParallelCalibration(Result):
    """A robot fitted to the measurements, and the quality of the fit."""

    mechanism: StewartGough
    residual: Array
    """(n,): remaining root mean square error of each leg's length, in metres."""
    rank: Array
    """(n,): the number of each leg's seven parameters that the poses determine; the others stay near the given ones."""
    deviation: Array
    """(n, 7): standard deviations of base pivot, platform pivot and offset; infinite where undetermined."""
    verdict: Verdicts
    """(n,): SOLVED or NOT_CONVERGED for each leg."""

    @property
    def identified(self) -> bool:
        return bool((self.rank == UNKNOWNS).all())

    def __repr__(self) -> str:
        known = f"{int(self.rank.sum())} of {self.rank.size * UNKNOWNS} parameters"
        state = "" if (self.verdict == Verdict.SOLVED).all() else f", {tally(self.verdict)}"
        return f"<ParallelCalibration: {known} identified, residual {self.residual.max():.2g} m{state}>"


@any_arrays_same_dtype
def calibrated(mechanism: ParallelRobot, X: ArrayLike, q: ArrayLike) -> ParallelCalibration:
    """Fit base pivots, platform pivots and offsets to measured poses X (k, 4, 4) and readings q (k, n).

    Each leg is a separate least-squares problem with seven unknowns, so at least seven poses are needed, in which the
    platform rotates as well as translates: without rotation a shift of both pivots changes no length.  Gauss-Newton
    from the robot's parameters; undetermined ones stay as near to these as possible.
    """
    if not isinstance(mechanism.space, Spatial) or not all(isinstance(leg, UPS) for leg in mechanism.legs):
        raise ArgumentError("calibrated is for telescopic legs in space, StewartGough and Parallel321")
    X = mechanism.space.checked(X, "calibrated: X")
    require_shape("calibrated: X", X, "k", 4, 4, batch=False)
    q = real_array("calibrated: q", q, len(X), mechanism.n, batch=False, why="readings of all legs at each pose")
    for name, x in (("X", X), ("q", q)):
        require_finite(f"calibrated: {name}", x, "leave out what was not measured")
    offsets = np.array([leg.offset for leg in mechanism.legs])
    parameters = np.concatenate([mechanism.roots, mechanism.platform, offsets[:, None]], axis=1)
    fit = gauss_newton(
        parameters, lambda x, legs: _leg_equations(X, x, q[:, legs].T), step=rank_step(IDENTIFIED),
        step_tolerance=ROUNDING * (1.0 + np.abs(mechanism.roots).max()),
    )  # fmt: skip
    assert fit.jacobian is not None
    deviation = np.array([_deviations(J, e) for J, e in zip(fit.jacobian, fit.residual, strict=True)])
    a, b, offset = fit.x[:, :3], fit.x[:, 3:6], fit.x[:, 6]
    robot = StewartGough(a, b, offsets=offset, limits=(mechanism.lower, mechanism.upper))
    error = np.sqrt((fit.residual**2).mean(axis=-1))
    return ParallelCalibration(robot, error, rank(fit.jacobian, IDENTIFIED), deviation, fit.verdict)


def _leg_equations(X: Array, parameters: Array, q: Array) -> tuple[Array, Array]:
    """Each leg's reading |p + R b - a| - offset less the measured one (legs, poses), and its derivatives."""
    R, p = X[:, :3, :3], X[:, :3, 3]
    a, b, offset = parameters[:, None, :3], parameters[:, 3:6], parameters[:, 6:]
    d = p + np.einsum("kij,nj->nki", R, b) - a
    length = np.linalg.norm(d, axis=-1)
    e = d / length[..., None]
    J = np.concatenate([-e, np.einsum("kji,nkj->nki", R, e), -np.ones((*length.shape, 1))], axis=-1)
    return length - offset - q, J


def _deviations(J: Array, errors: Array) -> Array:
    _, s, Vt = np.linalg.svd(J, full_matrices=False)
    known = s > IDENTIFIED * s[0]
    spare = max(1, len(errors) - int(known.sum()))
    variance = (errors @ errors) / spare
    result = np.sqrt(((Vt[known].T / s[known]) ** 2).sum(axis=-1) * variance)
    blind = (Vt[~known] ** 2).sum(axis=0) if len(s) == UNKNOWNS else np.ones(UNKNOWNS)
    return np.where(blind > IDENTIFIED, np.inf, result)
