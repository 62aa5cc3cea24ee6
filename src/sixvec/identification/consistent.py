"""Physically consistent inertial parameters that explain the measurements."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.inertial_parameter import NAMES, moving_bodies
from sixvec.arguments import Array, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError, MissingExtra
from sixvec.identification.joint_parameters import joint_parameters, with_joint_parameters
from sixvec.identification.least_squares import Identification
from sixvec.identification.log_cholesky import LOGARITHMS, from_log_cholesky, from_log_cholesky_derivative, log_cholesky
from sixvec.identification.parameters import parameter_names, with_parameters
from sixvec.identification.prior import central_moments, own_prior
from sixvec.model import Model
from sixvec.robot import Robot

PRIOR_WEIGHT = 0.3
"""Weight of a unit of x in standard deviations of the measurements.  It fixes undetermined parameters and changes
determined ones by some hundredths of a standard error; with a much smaller weight the objective is almost flat."""
MOST_EVALUATIONS = 500
DONE = 1e-6
"""A step that changes the sum of squares or x by less than this fraction ends the search: far below the noise."""
TOO_FAR = 2.0
"""A misfit explained by consistent bodies and measurement errors is about 1 or less."""
INSIDE = 1e-3
"""Distance of the joint parameters from their bounds at the start, relative to their size: it must be positive."""
FLAT = 0.1
"""A body with less thickness may be at the boundary of physical consistency."""


@dataclass(frozen=True, eq=False, repr=False)
class ConsistentFit(Result):
    """All inertial parameters of a robot, physically consistent for every body."""

    identification: Identification
    parameters: Array
    """π (10 nb)."""
    misfit: float
    """Distance of B π from the base parameters of the least-squares fit, in their standard errors, root mean square."""
    converged: bool
    covariance: Array
    """(10 nb, 10 nb) of π, to first order; the prior counts as a measurement of x with the deviation 1/weight."""
    joints: Array = field(default_factory=lambda: np.zeros(0))
    """Identified parameters of the joints, all nonnegative: one per kind of `identification.base.dynamics` and
    coordinate of v."""

    @property
    def standard_errors(self) -> Array:
        """(10 nb) standard deviation of each parameter; that of the prior where the motion does not determine it."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    @property
    def thickness(self) -> Array:
        """(nb) smallest radius of gyration of each body over its largest: 1 is a ball, 0 a plate, rod or point."""
        axes = [central_moments(row)[2].clip(0.0) for row in self.parameters.reshape(-1, len(NAMES))]
        return np.array([np.sqrt(x.min() / x.max()) for x in axes])

    @property
    def limiting(self) -> tuple[str, ...]:
        """The bodies whose physical consistency prevents a fit of the measurements.

        Empty where the misfit is at most TOO_FAR, or is only due to the tolerance of the search.  Otherwise the bodies
        that are flatter than FLAT, the flattest first: they are at the boundary of consistency, unless they really are
        rods or plates.
        """
        fit = self.identification
        gap = np.linalg.norm(fit.base.of(np.concatenate([self.parameters, self.joints])) - fit.values)
        if self.misfit <= TOO_FAR or gap <= DONE * np.linalg.norm(fit.values):
            return ()
        bodies = moving_bodies(fit.base.robot.model)
        flat = sorted((x, b.name) for x, b in zip(self.thickness.tolist(), bodies, strict=True) if x < FLAT)
        return tuple(name for _, name in flat)

    @property
    def robot(self) -> Robot:
        """The robot with these parameters."""
        base = self.identification.base
        bodies = with_parameters(base.robot.model, self.parameters)
        return Robot(with_joint_parameters(bodies, base.dynamics, self.joints) if base.dynamics else bodies)

    def __str__(self) -> str:
        model = self.identification.base.robot.model
        state = "converged" if self.converged else "not converged"
        lines = [f"{model.name}: physically consistent parameters, {state}; misfit {self.misfit:.2g} standard errors"]
        if self.limiting:
            lines.append(f"  no possible body explains the measurements; at the edge: {', '.join(self.limiting)}")
        lines.append("  " + "".join(f"{name:>10}" for name in NAMES))
        tables = (x.reshape(-1, len(NAMES)) for x in (self.parameters, self.standard_errors))
        for b, row, errors in zip(moving_bodies(model), *tables, strict=True):
            lines.append("  " + "".join(f"{x:10.4f}" for x in row) + f"  {b.name}")
            lines.append("  " + "".join(f"{f'± {x:.1e}':>10}" for x in errors))
        return "\n".join(lines)


def consistent_parameters(
    fit: Identification, prior: ArrayLike | None = None, *, weight: float = PRIOR_WEIGHT
) -> ConsistentFit:
    """The consistent bodies whose base parameters are nearest to those of `fit`, in the metric of its covariance.

    Minimises  (B π(θ) - β)ᵀ C⁻¹ (B π(θ) - β) + weight² |x|²  over the log-Cholesky parameters θ, for which every θ is a
    consistent body (Rucker and Wensing 2022): no constraints are needed.  x is θ minus that of the prior, lengths in
    units of the prior body's size.  `prior` are inertial parameters, (10 nb) or (nb, 10), in which every body has
    volume: by default `own_prior(robot)`, the robot's own with volume where they have none; `ball_prior` makes others.
    Identified damping, friction and armature are included, bounded below by zero and regularised towards those of the
    model like x.  Needs SciPy; at most MOST_EVALUATIONS evaluations of O(nπ³) operations each.

    >>> import numpy, sixvec
    >>> from sixvec.identification import consistent_parameters, identify
    >>> robot = sixvec.load("iiwa14")
    >>> rng = numpy.random.default_rng(0)
    >>> q, v, a = robot.random(rng, 100), *rng.normal(size=(2, 100, 7))
    >>> fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + rng.normal(size=(100, 7)))
    >>> bodies = consistent_parameters(fit)
    >>> bodies.converged, bool(bodies.misfit < 2.0)
    (True, True)
    """
    if not (isinstance(weight, Real) and 0.0 < weight < np.inf):
        raise ArgumentError(
            f"weight must be a positive number, not {weight!r}: without a prior the minimum is not unique"
        )
    base = fit.base
    model = base.robot.model
    theta0 = _prior(model, prior)
    lengths = np.exp(theta0[:, 1:LOGARITHMS].mean(axis=1))
    scale = np.where(np.arange(len(NAMES)) < LOGARITHMS, 1.0, lengths[:, None])
    # C = L Lᵀ: residuals L⁻¹ (B π - β) have unit covariance.
    whiten = np.linalg.inv(np.linalg.cholesky(fit.covariance))
    A, b = whiten @ base.combinations, whiten @ fit.values

    n = theta0.size
    joint_prior, size = _joint_prior(fit)

    def everything(x: Array) -> Array:
        """π followed by the parameters of the joints."""
        pi = from_log_cholesky(theta0 + scale * x[:n].reshape(theta0.shape)).reshape(-1)
        return np.concatenate([pi, joint_prior + size * x[n:]])

    def residuals(x: Array) -> Array:
        return np.concatenate([A @ everything(x) - b, weight * x])

    def blocks(x: Array) -> Array:
        """∂π/∂x of each body."""
        return from_log_cholesky_derivative(theta0 + scale * x[:n].reshape(theta0.shape)) * scale[:, None, :]

    def slopes(x: Array) -> Array:
        columns = [A[:, i * len(NAMES) : (i + 1) * len(NAMES)] @ D for i, D in enumerate(blocks(x))]
        columns.append(A[:, n:] * size)
        return np.vstack([np.hstack(columns), weight * np.eye(len(x))])

    least = np.concatenate([np.full(n, -np.inf), -joint_prior / size])
    start = np.maximum(np.zeros(len(least)), least + INSIDE)
    optimum = _scipy_optimize().least_squares(
        residuals, start, slopes, bounds=(least, np.inf), max_nfev=MOST_EVALUATIONS, ftol=DONE, xtol=DONE, gtol=DONE
    )
    pi = everything(optimum.x)
    misfit = float(np.sqrt(np.mean((A @ pi - b) ** 2)))
    covariance = _covariance(slopes(optimum.x), blocks(optimum.x))
    return ConsistentFit(fit, pi[:n], misfit, bool(optimum.success), covariance, pi[n:].clip(0.0))


def _joint_prior(fit: Identification) -> tuple[Array, Array]:
    """The model's own parameters of the joints, and the size of the estimates, which scales x."""
    base = fit.base
    if not base.dynamics:
        return np.zeros(0), np.ones(0)
    nominal = joint_parameters(base.robot.model, base.dynamics)
    typical_sizes = np.concatenate([np.abs(np.nan_to_num(fit.joint(kind))) for kind in base.dynamics])
    typical = np.concatenate([np.full(base.robot.nv, x.max()) for x in np.split(typical_sizes, len(base.dynamics))])
    return nominal, np.maximum(np.maximum(nominal, typical), np.finfo(float).tiny ** 0.5)


def _covariance(J: Array, blocks: Array) -> Array:
    """D (Jᵀ J)⁻¹ Dᵀ for residuals of unit variance with slopes J, where D has these blocks on its diagonal."""
    R_inverse = np.linalg.inv(np.linalg.qr(J, mode="r"))
    size = len(NAMES)
    roots = np.vstack([D @ R_inverse[i * size : (i + 1) * size] for i, D in enumerate(blocks)])
    return np.asarray(roots @ roots.T)


def _prior(model: Model, prior: ArrayLike | None) -> Array:
    parameters = own_prior(model) if prior is None else real_array(f"{model.name}: prior", prior)
    bodies = len(moving_bodies(model))
    count = bodies * len(NAMES)
    if parameters.shape != (count,):
        require_shape(f"{model.name}: prior", parameters, bodies, len(NAMES), batch=False, why=f"or ({count},)")
    if not np.isfinite(parameters).all():
        worst = parameter_names(model)[int(np.flatnonzero(~np.isfinite(parameters))[0])]
        raise ArgumentError(f"{model.name}: the prior of {worst} is not a finite number")
    rows = parameters.reshape(-1, len(NAMES))
    for b, row in zip(moving_bodies(model), rows, strict=True):
        try:
            log_cholesky(row)
        except DegenerateError:
            first = parameter_names(model).index(f"{NAMES[0]}({b.name})")
            raise DegenerateError(
                f'{model.name}: the prior of body "{b.name}" (parameters {first} to {first + len(NAMES) - 1}) is not '
                "the inertia of a body with volume; ball_prior(robot) and own_prior(robot) give such"
            ) from None
    return log_cholesky(rows)


def _scipy_optimize() -> Any:
    try:
        return importlib.import_module("scipy.optimize")
    except ImportError:
        raise MissingExtra("consistent_parameters needs SciPy", extra="scipy") from None
