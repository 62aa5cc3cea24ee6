"""Base parameters from measured motions and joint forces, by weighted linear least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, real_array, require_finite
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.identification.base_parameters import BaseParameters, base_parameters
from sixvec.identification.joint_parameters import Kind, checked_kinds, with_joint_parameters
from sixvec.identification.parameters import inertial_parameters
from sixvec.identification.tree import tree_of
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.solve.decomposition import rank_of
from sixvec.spatial import RigidInertia

MOST_ROUNDS = 20
SETTLED = 1e-3
"""Weights that change by less than this fraction have converged: they only balance joints against each other."""
LEAST_SIGMA = 1e-6
"""The scatter assumed for a joint with zero residual, as a fraction of the largest."""
ROUNDING = float(np.finfo(float).eps)
"""The smallest scatter, as a fraction of the forces: the resolution of floating point."""


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """Estimated base parameters, and their uncertainty."""

    base: BaseParameters
    values: Array
    """β (nβ)."""
    covariance: Array
    """(nβ, nβ), for errors of the joint forces that are independent, with the standard deviations `sigma`."""
    sigma: Array
    """(nv) standard deviation of each joint's force, as given or estimated from the scatter of the residuals."""
    residual: Array
    """(nv) root mean square of measured minus predicted force of each joint."""
    condition: float
    """Condition number of the weighted regressor with columns scaled to length one: the excitation; 1 is ideal."""
    samples: int
    passive: bool = False
    """Whether damping, friction and springs were assumed known."""

    @property
    def standard_errors(self) -> Array:
        """(nβ) standard deviation of each estimate."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    @property
    def relative_errors(self) -> Array:
        """(nβ) standard error over the size of the estimate; infinite for estimates that are zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.standard_errors / np.abs(self.values))

    def joint(self, kind: Kind) -> Array:
        """(nv) the estimates of "damping", "friction" or "armature"; NaN where inertia has the same effect."""
        return self._of_joints(kind, self.values)

    def joint_errors(self, kind: Kind) -> Array:
        """(nv) the standard errors of `joint`."""
        return self._of_joints(kind, self.standard_errors)

    def _of_joints(self, kind: Kind, of: Array) -> Array:
        base, nv = self.base, self.base.robot.nv
        if kind not in base.dynamics:
            raise ArgumentError(f'"{kind}" was not identified; give dynamics=("{kind}",) to identify')
        first = base.combinations.shape[1] - nv * (len(base.dynamics) - base.dynamics.index(kind))
        alone = np.count_nonzero(base.combinations, axis=1) == 1
        values = np.full(nv, np.nan)
        for i in range(nv):
            rows = np.flatnonzero(alone & (base.combinations[:, first + i] != 0.0))
            if len(rows):
                values[i] = of[rows[0]]
        return values

    def forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """The joint forces that the estimated parameters predict, including the terms assumed known.

        Those are rotors, and after `identify(..., passive=True)` damping, friction and springs.
        """
        known = known_forces(self.base.robot, q, v, a, self.passive, self.base.dynamics)
        return np.asarray(self.base.regressor(q, v, a) @ self.values + known)

    def __str__(self) -> str:
        lines = [
            f"{self.base.robot.name}: {len(self.base)} base parameters from {self.samples} samples; "
            f"condition number {self.condition:.3g}; force residual {np.sqrt(np.mean(self.residual**2)):.3g}"
        ]
        rows = zip(self.values, self.standard_errors, self.relative_errors, self.base.names, strict=True)
        lines += [f"  {x:+11.4e} ± {s:7.1e} {100 * min(r, 9.99):5.1f} %  {name}" for x, s, r, name in rows]
        return "\n".join(lines)


def identify(
    robot: Robot | Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    sigma: ArrayLike | None = None,
    base: BaseParameters | None = None,
    passive: bool = False,
    dynamics: Sequence[Kind] = (),
) -> Identification:
    """The base parameters that explain the joint forces tau (n, nv) measured at positions q, velocities v and
    accelerations a.

    The regressors of all samples are stacked into  τ = Y_β β + ε  and solved by least squares with the weights 1/σ of
    each joint.  Without `sigma` (nv), the residuals of each fit give the weights of the next, starting from equal ones,
    until they converge (Gautier 1997 stops after the second fit, when the noise of large joints still affects small
    ones).  The covariance is  (Y_βᵀ Σ⁻¹ Y_β)⁻¹.  The robot's own inertial parameters are not used; its rotor inertias
    and, with `passive=True`, its damping, friction and springs are assumed known, except those that `dynamics` names:
    "damping", "friction" and "armature" of the joints are then identified too, and their values in the model are
    ignored.  `base` are precomputed `base_parameters` of the robot, by default those of the numerical method; they do
    not depend on inertia.  The robot must be a tree.  O(n nv nβ²) operations for each fit.

    >>> import numpy, sixvec
    >>> from sixvec.identification import identify, inertial_parameters
    >>> robot = sixvec.load("planar_2r")
    >>> rng = numpy.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 200, 2))
    >>> fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=(200, 2)))
    >>> error = fit.values - fit.base.of(inertial_parameters(robot.model))
    >>> bool((abs(error) < 4.0 * fit.standard_errors).all())
    True
    """
    robot = tree_of(robot, "identify")
    base = base_parameters(robot, dynamics=dynamics) if base is None else _checked_base(robot, base, dynamics)
    q, v, a, tau = _checked(robot, q, v, a, tau)
    Y = base.regressor(q, v, a)
    measured: Array = tau - known_forces(robot, q, v, a, passive, base.dynamics)
    if Y.shape[0] * Y.shape[1] <= len(base):
        raise ShapeError(
            f"{robot.name}: {len(tau)} samples of {robot.nv} joints cannot determine {len(base)} base "
            f"parameters; at least {len(base) // robot.nv + 1} are needed"
        )
    weights = (
        np.ones(robot.nv)
        if sigma is None
        else number_for_each(f"{robot.name}: sigma", sigma, robot.nv, "joint coordinates", positive=True)
    )
    _check_excitation(base, Y, weights)
    beta = _solve(Y, measured, weights)
    for _ in range(MOST_ROUNDS if sigma is None else 0):
        before, weights = weights, _scatter(measured, Y, beta, weights)
        beta = _solve(Y, measured, weights)
        if np.allclose(before, weights, rtol=SETTLED, atol=0.0):
            break
    residual = measured - Y @ beta
    R_inverse = np.linalg.inv(np.linalg.qr((Y / weights[:, None]).reshape(-1, len(base)), mode="r"))
    rms = np.sqrt(np.mean(residual**2, axis=0))
    return Identification(
        base, beta, R_inverse @ R_inverse.T, weights, rms, excitation(Y, weights), len(measured), passive
    )


def excitation(Y: ArrayLike, sigma: ArrayLike | None = None) -> float:
    """The condition number of regressors Y (n, nv, nβ), stacked, weighted and with columns scaled to length one.

    It measures how well a motion excites the parameters: choose the motion with the smallest.  A motion that does not
    determine all parameters raises an error.

    >>> import numpy, sixvec
    >>> base = base_parameters(sixvec.load("planar_2r"))
    >>> excitation(base.regressor(*numpy.random.default_rng(0).normal(size=(3, 100, 2)))) < 10.0
    True
    """
    stack = real_array("Y", Y, "samples", "nv", "parameters", batch=False, finite=True)
    scale = (
        np.ones(stack.shape[1])
        if sigma is None
        else number_for_each("sigma", sigma, stack.shape[1], "joint coordinates", positive=True)
    )
    A = (stack / scale[:, None]).reshape(stack.shape[0] * stack.shape[1], stack.shape[2])
    lengths = np.linalg.norm(A, axis=0)
    values = np.linalg.svd(A / np.where(lengths > 0.0, lengths, 1.0), compute_uv=False)
    unseen = A.shape[1] - int(rank_of(values))
    if unseen:
        raise DegenerateError(
            f"the motion leaves {unseen} of {A.shape[1]} base parameters undetermined; "
            "move more joints at once, faster, and in more positions"
        )
    return float(values.max() / values.min()) if len(values) else 1.0


def known_forces(
    robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, passive: bool, sought: Sequence[Kind] = ()
) -> Array:
    """The joint forces that depend on no parameter: rotors and, if requested, passive forces that are not `sought`."""
    if sought:
        nothing = np.zeros(len(sought) * robot.nv)
        robot = Robot(with_joint_parameters(robot.model, sought, nothing))
    Y = robot.inverse_dynamics_regressor(q, v, a)
    forces = robot.inverse_dynamics(q, v, a, passive=passive) - Y @ inertial_parameters(robot.model)
    return np.asarray(forces, float)


def _solve(Y: Array, tau: Array, sigma: Array) -> Array:
    A, b = (Y / sigma[:, None]).reshape(-1, Y.shape[-1]), (tau / sigma).reshape(-1)
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], float)


def _scatter(tau: Array, Y: Array, beta: Array, sigma: Array) -> Array:
    """Each joint's standard deviation: the sum of squares over the degrees of freedom that remain for that joint.

    Those are its samples less its share of the trace of the projection onto the columns.  It is bounded below by the
    rounding of the forces: weights must be finite even where every residual is zero.
    """
    n, nv, count = Y.shape
    residual = tau - Y @ beta
    Q = np.linalg.qr((Y / sigma[:, None]).reshape(-1, count))[0]
    taken = (Q**2).sum(axis=1).reshape(n, nv).sum(axis=0)
    scatter = np.sqrt((residual**2).sum(axis=0) / np.maximum(n - taken, 1.0))
    size = float(np.sqrt(np.mean(tau**2))) or 1.0  # scale 1 N where all forces are zero
    least = max(LEAST_SIGMA * float(scatter.max()), ROUNDING * size)
    return np.asarray(np.maximum(scatter, least), float)


def _checked(robot: Robot, *motions: ArrayLike) -> tuple[Array, Array, Array, Array]:
    names, widths = ("q", "v", "a", "tau"), (robot.nq, robot.nv, robot.nv, robot.nv)
    arrays: list[Array] = []
    for name, x, width in zip(names, motions, widths, strict=True):
        what, samples = f"{robot.name}: {name}", len(arrays[0]) if arrays else "samples"
        arrays.append(real_array(what, x, samples, width, batch=False, why="a row for each sample"))
        require_finite(what, arrays[-1], "leave out the samples that were not measured")
    q, v, a, tau = arrays
    return q, v, a, tau


def _checked_base(robot: Robot, base: BaseParameters, dynamics: Sequence[Kind]) -> BaseParameters:
    """The base parameters, for this robot: they depend on all its properties except inertia."""
    if not isinstance(base, BaseParameters):
        raise ArgumentError(f"{robot.name}: base must be base_parameters(robot), not {base!r}")
    if base.robot.model is not robot.model and _without_inertia(base.robot.model) != _without_inertia(robot.model):
        raise ArgumentError(
            f"{robot.name}: base holds the base parameters of another robot, {base.robot!r}, than {robot!r}; "
            "give base_parameters(robot) of the robot itself"
        )
    if dynamics and checked_kinds(robot.model, dynamics) != base.dynamics:
        raise ArgumentError(
            f"{robot.name}: base was made with dynamics={base.dynamics!r}, not {tuple(dynamics)!r}; leave one of the "
            "two out, or make them the same"
        )
    return replace(base, robot=robot)


def _without_inertia(model: Model) -> Model:
    """The model with massless bodies."""
    return replace(model, bodies=tuple(replace(b, inertia=RigidInertia.zero()) for b in model.bodies))


def _check_excitation(base: BaseParameters, Y: Array, sigma: Array) -> None:
    """Raise an error if the motion does not determine the parameters, or if no motion can distinguish them."""
    try:
        excitation(Y, sigma)
    except DegenerateError:
        least = len(base) if base.method == "numerical" else len(base_parameters(base.robot, dynamics=base.dynamics))
        if least < len(base):
            raise DegenerateError(
                f"{base.robot.name}: the {base.method} method keeps {len(base)} base parameters, and joint forces "
                f"depend on {least} combinations only, whatever the motion; identify with those of the numerical "
                "method, base_parameters(robot)"
            ) from None
        raise
