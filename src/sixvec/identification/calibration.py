"""Calibration: the geometry of a robot from measured poses, by least squares."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import (
    Array,
    number_from_zero,
    positive_number,
    real_array,
    require_all,
    require_finite,
    require_shape,
)
from sixvec.arguments.progress import progress
from sixvec.arguments.result import Result
from sixvec.arguments.rigid_poses import MEASURED_DEVIATION, require_rotations
from sixvec.errors import ArgumentError, unknown
from sixvec.ik.kinematic_maps import pose_difference
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model import Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.robot import Robot
from sixvec.solve.decomposition import least_squares
from sixvec.solve.gauss_newton import Rows, gauss_newton
from sixvec.spatial import Motion, Pose
from sixvec.tolerances import ROUNDING

IDENTIFIABLE = 1e-7
"""Singular values of the parameter Jacobian below this fraction of the largest belong to unobservable combinations."""


UNNOTICED = 1e-9
"""An error at new positions below this, in radians and metres, is negligible."""
NEW_POSITIONS = 50


class UndeterminedCalibration(UserWarning):
    """The measurements do not determine the requested parameters: the error at new positions may be larger."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result):
    """A corrected robot, and the uncertainty of its correction.

    The parameters are twists δ of the placements: X → X exp(δ), angular part first, six for each name.  Poses determine
    only `rank` combinations of them; along the others the correction is zero, and `determined` marks the parameters
    that do not appear in those others.
    """

    robot: Robot
    names: tuple[str, ...]
    """Bodies whose joint's placement was corrected, and last the frame, if its placement was."""
    correction: Array
    """(names, 6)."""
    covariance: Array
    """(6 names, 6 names), of the identifiable part, from the scatter of the residuals."""
    combinations: Array
    """(6 names, rank): an orthonormal basis of the identifiable parameters, angles times `length`."""
    determined: NDArray[np.bool_]
    """(names, 6)."""
    residual_before: Array
    """Root mean square of (rotation, position) before, in radians and metres; rotation NaN without poses."""
    residual_after: Array
    iterations: int
    converged: bool
    expected_error: Array
    """Standard deviation of (rotation, position) at new positions, from the covariance; inf where unknown."""

    @property
    def rank(self) -> int:
        """The number of combinations of parameters that the measurements determine."""
        return int(self.combinations.shape[1])

    @property
    def standard_deviation(self) -> Array:
        """(names, 6), of each parameter's identifiable part."""
        return np.asarray(np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0)).reshape(-1, 6))

    def __str__(self) -> str:
        (_, p0), (_, p1) = self.residual_before, self.residual_after
        state = "converged" if self.converged else "not converged"
        lines = [
            f"{self.robot.name}: {self.rank} of {6 * len(self.names)} parameters identifiable; {state} after "
            f"{self.iterations} steps; position residual {p0 * 1e3:.4g} mm -> {p1 * 1e3:.4g} mm"
        ]
        rotation, position = self.expected_error
        lines.append(f"  expected at new positions: {rotation * 1e3:.3g} mrad, {position * 1e3:.3g} mm")
        width = max((len(name) for name in self.names), default=0)
        for name, six, sure in zip(self.names, self.correction, self.determined, strict=True):
            shown = ["{:+.2e}{}".format(x, "" if s else "?") for x, s in zip(six, sure, strict=True)]
            lines.append(f"  {name:<{width}}  " + "  ".join(f"{x:>10}" for x in shown))
        return "\n".join([*lines, "  ? only in combination with others"])


def calibrate(
    robot: Robot,
    q: ArrayLike,
    measured: ArrayLike,
    frame: str,
    *,
    bodies: Sequence[str] | None = None,
    tool: bool = True,
    sigma: tuple[float, float] = (1e-3, 1e-3),
    length: float = 1.0,
    prior: ArrayLike | None = None,
    significance: float = 0.0,
) -> Calibration:
    """Correct the placements along the path to `frame` so that its poses at q (n, nq) match the measured ones.

    `measured` are poses (n, 4, 4) or only positions (n, 3) in the world.  `bodies` are those whose joint's placement
    may be wrong (all on the path by default); `tool` includes the frame's own placement.  `sigma` are the standard
    deviations of measured rotations (rad) and positions (m): they weight one against the other, since there is no
    natural metric.  `length` in metres weights angles against lengths among the parameters; it affects only how the
    undetermined combinations are set to zero.

    A fit to few measurements also fits their noise.  A `prior`, the standard deviations (rad, m) of the placements
    before the measurement, or one for each parameter (names, 6), limits corrections that the measurements do not
    determine.  With `significance` k, combinations of parameters whose corrections are below k of their standard
    deviations are set to zero.  `Calibration.expected_error` is the error to expect at new positions; where it exceeds
    the error before, or is unknown, the warning `UndeterminedCalibration` is issued.

    Gauss-Newton; each parameter is a virtual joint, and the rank of their Jacobian determines what can be identified
    (Bruyninckx §5.6.1, (5.30)).

    >>> import sixvec
    >>> from sixvec.identification import calibrate
    >>> arm = sixvec.load("panda")
    >>> q = arm.random(0, 30)
    >>> fit = calibrate(arm, q, arm.pose(q, "panda_link8"), "panda_link8")
    >>> fit.rank, bool(abs(fit.correction).max() < 1e-9)
    (34, True)
    """
    q = real_array("calibrate: q", q, "n ≥ 1", robot.nq, batch=False)
    target = real_array("calibrate: measured", measured)
    names = _names(robot, frame, bodies)
    points = target.shape == (len(q), 3)
    _check(q, target, names, tool)
    noise = real_array("calibrate: sigma", sigma, 2, batch=False, why="of rotations and of positions")
    require_all("calibrate: sigma", noise, (noise > 0.0) & (noise < np.inf), "positive and finite")
    length = positive_number("calibrate: length", length, "metres")
    significance = number_from_zero("significance", significance)
    problem = _Problem(
        robot, q, target, frame, names, tool, 1.0 / np.repeat(noise, 3),
        np.tile([1.0 / length] * 3 + [1.0] * 3, len(names) + tool), _deviations(prior, len(names) + tool),
    )  # fmt: skip
    with progress(f"calibrating with {len(q)} measurements"):
        full = problem.fit(np.eye(6 * problem.count))
    before = full.before
    fit = problem.fit(full.significant(problem, significance)) if significance > 0.0 else full
    root = problem.covariance_root(fit)
    hidden = 1.0 - (fit.combinations**2).sum(axis=1)  # squared length of each parameter's part in the null space
    # A prior bounds the omitted combinations; without one, only unobservable ones are reported.
    expected = problem.expected_error(full, root if prior is None else problem.covariance_root(full))
    _warn(before, expected, points)
    return Calibration(
        Robot(problem.model(fit.correction)), (*names, *([frame] if tool else [])), fit.correction.reshape(-1, 6),
        root @ root.T, fit.combinations, (hidden < IDENTIFIABLE).reshape(-1, 6), before, fit.after, fit.iterations,
        fit.converged, expected,
    )  # fmt: skip


@dataclass(frozen=True)
class _Fit:
    """Where Gauss-Newton ended, with the Jacobian there: data rows in units of their noise, columns scaled."""

    correction: Array
    A: Array
    r: Array
    basis: Array
    before: Array
    after: Array
    iterations: int
    converged: bool

    @property
    def combinations(self) -> Array:
        """The part of the basis that the measurements determine: (parameters, rank), orthonormal."""
        _, values, Vt = np.linalg.svd(self.A @ self.basis, full_matrices=False)
        return np.asarray(self.basis @ Vt[values > IDENTIFIABLE * values.max(initial=0.0)].T)

    def significant(self, problem: _Problem, significance: float) -> Array:
        """The combinations whose corrections are significant against noise of size sigma."""
        size = np.abs(self.combinations.T @ (self.correction / problem.scale))
        deviation = 1.0 / np.linalg.norm(self.A @ self.combinations, axis=0)
        return np.asarray(self.combinations[:, size > significance * deviation])


@dataclass(frozen=True)
class _Problem:
    """Measurements, parameters and prior."""

    robot: Robot
    q: Array
    target: Array
    frame: str
    names: tuple[str, ...]
    tool: bool
    weights: Array
    scale: Array
    prior: Array | None
    """Standard deviations of the parameters."""

    def fit(self, basis: Array) -> _Fit:
        """Gauss-Newton within the span of a basis of scaled parameters, and of what data or prior determine."""

        def equations(x: Array, rows: Rows) -> tuple[Array, Array]:
            _, A, r = self.linearised(x[0])
            residual, J = -r, A @ basis
            if self.prior is not None:
                residual = np.concatenate([residual, x[0] / self.prior])
                J = np.concatenate([J, (self.scale / self.prior)[:, None] * basis])
            return residual[None], J[None]

        def step(residual: Array, J: Array | None, x: Array, rows: Rows) -> Array:
            assert J is not None
            return np.asarray(self.scale * (least_squares(J, -residual, IDENTIFIABLE) @ basis.T))

        def move(x: Array, step: Array, rows: Rows) -> Array:
            return _composed(x[0], step[0])[None]

        start = np.zeros(6 * self.count)
        fit = gauss_newton(start[None], equations, step=step, move=move, step_tolerance=ROUNDING)
        before, (after, A, r) = self.linearised(start)[0], self.linearised(fit.x[0])
        return _Fit(fit.x[0], A, r, basis, before, after, int(fit.steps[0]), bool(fit.solved[0]))

    def linearised(self, correction: Array) -> tuple[Array, Array, Array]:
        """Root mean square error, Jacobian and errors of all measurements: rows in units of their noise, columns
        scaled."""
        points = self.target.ndim == 2
        use = slice(3, 6) if points else slice(0, 6)
        e, P = _errors(self.model(correction), self.q, self.target, self.frame, self.names, self.tool)
        r = (e * self.weights)[:, use].reshape(-1)
        return _rms(e, points), (P * self.weights[:, None])[:, use].reshape(len(r), -1) * self.scale, r

    def model(self, correction: Array) -> Model:
        return _corrected(self.robot.model, self.frame, self.names, self.tool, correction.reshape(-1, 6))

    @property
    def count(self) -> int:
        """The number of placements that may be corrected."""
        return len(self.names) + self.tool

    def covariance_root(self, fit: _Fit) -> Array:
        """F with F Fᵀ the covariance of the parameters; the scatter of the residuals estimates the noise."""
        rank = fit.combinations.shape[1]
        degrees = len(fit.r) - rank
        noise = (
            np.sqrt(float(fit.r @ fit.r) / degrees) if degrees > 0 else 1.0
        )  # no redundancy: only sigma is available
        rows = fit.A @ fit.basis / max(noise, 1e-300)
        if self.prior is not None:
            rows = np.concatenate([rows, (self.scale / self.prior)[:, None] * fit.basis])
        _, values, Vt = np.linalg.svd(rows, full_matrices=False)
        known = values > IDENTIFIABLE * values.max(initial=0.0)
        return np.asarray(self.scale[:, None] * fit.basis @ Vt[known].T / values[known])

    def expected_error(self, fit: _Fit, root: Array) -> Array:
        """Standard deviations of (rotation, position) at positions throughout the joints' ranges."""
        q = np.asarray(self.robot.random(0, NEW_POSITIONS), float)
        P = _errors(self.model(fit.correction), q, np.zeros((len(q), 3)), self.frame, self.names, self.tool)[1]
        spread = np.sqrt(
            (np.einsum("nij,jk->nik", P, root) ** 2).sum(axis=2).reshape(-1, 2, 3).sum(axis=2).mean(axis=0)
        )
        if self.prior is None:
            # Combinations that affect new positions but not the measurements are unknown.
            shown = (P * self.scale).reshape(len(q), 2, 3, -1)
            missed = shown - shown @ fit.combinations @ fit.combinations.T
            sizes, undetermined = (np.sqrt((x**2).sum(axis=(0, 2, 3))) for x in (shown, missed))
            spread = np.where(undetermined > np.sqrt(IDENTIFIABLE) * sizes, np.inf, spread)
        return np.array([np.nan, spread[1]]) if self.target.ndim == 2 else spread


def _deviations(prior: ArrayLike | None, count: int) -> Array | None:
    """The standard deviation of each parameter."""
    if prior is None:
        return None
    deviations = real_array("prior", prior)
    if deviations.shape != (2,):
        require_shape("prior", deviations, count, 6, batch=False, why="or (2,), the same (rotation, position) for all")
    require_all("prior", deviations, np.isfinite(deviations) & (deviations > 0.0), "positive and finite")
    return np.tile(np.repeat(deviations, 3), count) if deviations.shape == (2,) else deviations.reshape(-1)


def _warn(before: Array, expected: Array, points: bool) -> None:
    worse = expected > np.maximum(before, UNNOTICED)
    if worse[1] or (worse[0] and not points):
        unknown_part = np.isinf(expected[worse]).any()
        reason = ("the measurements do not determine all parameters that matter elsewhere" if unknown_part
                  else "the noise is larger than the correction")  # fmt: skip
        pairs = zip(expected * 1e3, before * 1e3, ("mrad", "mm"), strict=True)
        units = ", ".join(f"{e:.3g} {unit} (before {b:.3g})" for e, b, unit in pairs if not np.isnan(e))
        message = f"{reason}: expect {units} at new positions; measure more poses, or give a prior or a significance"
        warnings.warn(message, UndeterminedCalibration, stacklevel=3)


@any_arrays_same_dtype
def parameter_jacobian(robot: Robot, q: ArrayLike, frame: str, bodies: Sequence[str] | None = None) -> Array:
    """The Jacobian of the frame with respect to placements: (n, 6, 6 k), "local_world_aligned", its own placement last.

    Column 6 i + j is the twist of the frame for a unit of parameter j (angular first) of name i.

    >>> import sixvec
    >>> from sixvec.identification import parameter_jacobian
    >>> arm = sixvec.load("planar_2r")
    >>> parameter_jacobian(arm, arm.random(0, 5), "tip").shape
    (5, 6, 24)
    """
    q = real_array("parameter_jacobian: q", q, "n", robot.nq, batch=False)
    names = _names(robot, frame, bodies)
    return _errors(robot.model, q, np.zeros((len(q), 3)), frame, names, True)[1]


def _names(robot: Robot, frame: str, bodies: Sequence[str] | None) -> tuple[str, ...]:
    path = [b.name for b in robot.model.path(robot.model.frame(frame).body)]
    for name in bodies or ():
        if name not in path:
            raise ArgumentError(unknown("body", name, path, f"the path to {frame}"))
    return tuple(path if bodies is None else bodies)


def _errors(model: Model, q: Array, target: Array, frame: str, names: Sequence[str], tool: bool) -> tuple[Array, Array]:
    """Measured less predicted (n, 6), and the frame's twist for each parameter (n, 6, 6 k)."""
    n, F = len(q), model.frame(frame)
    tree = coupling(model).free if is_coupled(model) else model
    columns = list(q.T)
    full = coupling(model).positions(columns) if is_coupled(model) else columns
    X, placed = Pose.identity(), {}
    for b in tree.path(F.body):
        placed[b.name] = _matrices(X @ b.placement, n)
        X = X @ b.placement @ b.joint.pose(full[tree.q_slices[b.name]])
    X_WF = _matrices(X @ F.placement, n)
    frames = [placed[name] for name in names] + ([X_WF] if tool else [])
    p = X_WF[:, :3, 3]
    P = np.concatenate([_lever(X_WJ, p) for X_WJ in frames], axis=2) if frames else np.zeros((n, 6, 0))
    if target.ndim == 2:
        return np.concatenate([np.zeros((n, 3)), target - p], axis=1), P
    return np.asarray(pose_difference(X_WF, target)), P


def _lever(X: Array, p: Array) -> Array:
    """From a twist in the coordinates of X to (ω; velocity of the point p) in world axes: (n, 6, 6)."""
    R, r = X[:, :3, :3], p - X[:, :3, 3]
    block = np.zeros((len(X), 6, 6))
    block[:, :3, :3] = block[:, 3:, 3:] = R
    block[:, 3:, :3] = np.swapaxes(np.cross(np.swapaxes(R, 1, 2), r[:, None, :]), 1, 2)  # ω × r, column by column
    return block


def _matrices(X: Pose, n: int) -> Array:
    rows = [[np.broadcast_to(np.asarray(x, float), (n,)) for x in row] for row in X.as_matrix()]
    return np.moveaxis(np.array(rows), -1, 0)


def _corrected(model: Model, frame: str, names: Sequence[str], tool: bool, step: Array) -> Model:
    moved = {name: Pose.exp(Motion.of(six.tolist())) for name, six in zip(names, step, strict=False)}
    bodies = tuple(replace(b, placement=b.placement @ moved[b.name]) if b.name in moved else b for b in model.bodies)
    end = Pose.exp(Motion.of(step[-1].tolist())) if tool else Pose.identity()
    frames = tuple(replace(f, placement=f.placement @ end) if f.name == frame else f for f in model.frames)
    return replace(model, bodies=bodies, frames=frames)


def _composed(first: Array, second: Array) -> Array:
    """log(exp(first) exp(second)), twist by twist."""
    pairs = zip(first.reshape(-1, 6).tolist(), second.reshape(-1, 6).tolist(), strict=True)
    return np.array([[*(Pose.exp(Motion.of(a)) @ Pose.exp(Motion.of(b))).log()] for a, b in pairs], float).reshape(-1)


def _rms(e: Array, points: bool) -> Array:
    sizes = np.sqrt((e.reshape(-1, 2, 3) ** 2).sum(axis=2).mean(axis=0))
    return np.array([np.nan, sizes[1]]) if points else sizes


def _check(q: Array, target: Array, names: Sequence[str], tool: bool) -> None:
    if target.shape != (len(q), 3):
        require_shape("calibrate: measured", target, len(q), 4, 4, batch=False, why="or points, 3 numbers each")
    for what, numbers in (("q", q), ("measured", target)):
        require_finite(f"calibrate: {what}", numbers, "leave out what was not measured")
    if target.ndim == 3:
        require_rotations(target, "calibrate: measured", MEASURED_DEVIATION)
    if not names and not tool:
        raise ArgumentError("nothing to calibrate: name bodies, or use tool=True")
