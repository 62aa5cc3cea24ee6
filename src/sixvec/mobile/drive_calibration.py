"""Wheel radii and track of a differential drive from runs with known ends: the systematic errors of odometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, positive_number, real_array, require_all, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.builders import differential_drive
from sixvec.mobile.inputs import require_platform
from sixvec.mobile.kernels import looped
from sixvec.mobile.odometry import arc
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.platform import Platform
from sixvec.scalar import Scalar
from sixvec.solve.decomposition import singular_values
from sixvec.solve.gauss_newton import gauss_newton, rank_step
from sixvec.tolerances import ROUNDING

_EXCITED = 1e-6
"""Singular values of the sensitivity below this fraction of the largest belong to undetermined parameters."""


@dataclass(frozen=True, eq=False)
class DriveCalibration(Result):
    """Parameters (radius left, radius right, track) with the least sum of squared errors at the ends of the runs."""

    parameters: Array
    platform: Platform
    residual: Array
    """(runs, 3): measured minus predicted end, (x, y, φ)."""

    def __repr__(self) -> str:
        left, right, track = self.parameters
        return f"<DriveCalibration: radii {left:.6g} and {right:.6g}, track {track:.6g}>"


@any_arrays_same_dtype
def calibrate_drive(
    platform: Platform,
    rates: ArrayLike,
    dt: float,
    pose0: ArrayLike,
    measured: ArrayLike,
    weight: ArrayLike | None = None,
) -> DriveCalibration:
    """Fit both radii and the track of a differential drive to runs: rates (runs, steps, 2), ends `measured` (runs, 3).

    Gauss-Newton with exact sensitivities, which are propagated in the compiled loop of the odometry.  Squares driven
    in both directions, as in UMBmark, determine all three; straight lines alone do not determine the track and raise an
    error.  `weight` (3) is that of x, y and φ in the sum of squares.

    >>> import numpy as np
    >>> from sixvec.mobile import calibrate_drive, differential_drive
    >>> true, nominal = differential_drive(0.52, 0.099, 0.101), differential_drive(0.5, 0.1)
    >>> rates = np.array([[[5.0, 9.0]] * 50, [[8.0, 4.0]] * 50, [[6.0, 6.0]] * 50])
    >>> ends = true.odometry(rates, 0.1, [0.0, 0.0, 0.0]).end
    >>> calibrate_drive(nominal, rates, 0.1, [0.0, 0.0, 0.0], ends)
    <DriveCalibration: radii 0.099 and 0.101, track 0.52>
    """
    parameters = _parameters(platform)
    rates = real_array("rates", rates, "runs", "steps", 2, batch=False, finite=True)
    ends = real_array("measured", measured, len(rates), 3, batch=False, finite=True, why="a pose for each run")
    start = real_array("pose0", pose0, 3, finite=True, why="a planar pose is (x, y, φ)")
    if start.ndim > 1:
        require_shape("pose0", start, len(rates), 3, batch=False, why="a pose for each run, or (3,) for all")
    positive_number("dt", dt, "seconds")
    weights = number_for_each("weight", 1.0 if weight is None else weight, 3, "numbers of a pose, x, y and φ")
    require_all("weight", weights, np.isfinite(weights) & (weights >= 0.0), "finite, and 0 or more")
    scale = np.sqrt(weights)
    loop = looped(_sensitivity_step(), rates.shape[1], 2, 1)

    def equations(parameters: Array, rows: Any) -> tuple[Array, Array]:
        """Predicted less measured ends, weighted, and their derivatives by relative changes of the parameters."""
        pose, S = loop(np.broadcast_to(start, (len(rates), 3)), np.zeros((3, 3)), dt, parameters[0], rates)
        J = (S * scale[:, None]).reshape(-1, 3) * parameters[0]
        sigma = singular_values(J)[1]
        if not sigma[-1] > _EXCITED * sigma[0]:
            raise DegenerateError(
                "the runs do not determine radii and track: drive curves both ways round, not lines alone"
            )
        return -(_errors(ends, pose) * scale).reshape(1, -1), J[None]

    fit = gauss_newton(
        parameters[None], equations, step=rank_step(_EXCITED), move=lambda x, step, _: x * (1.0 + step),
        step_tolerance=ROUNDING, iterations=20,
    )  # fmt: skip
    parameters = fit.x[0]
    if not (fit.solved.all() and (parameters > 0.0).all()):
        at = ", ".join(f"{p:.3g}" for p in parameters)
        raise DegenerateError(
            f"the fit of radii and track did not converge (last values {at} m): start from a platform that turns more "
            "like the measured one"
        )
    end = loop(np.broadcast_to(start, (len(rates), 3)), np.zeros((3, 3)), dt, parameters, rates)[0]
    left, right, track = parameters
    return DriveCalibration(parameters, differential_drive(track, left, right), _errors(ends, end))


def _errors(measured: Array, predicted: Array) -> Array:
    """Measured minus predicted poses (x, y, φ), the angle within half a turn."""
    error = measured - predicted
    error[..., 2] -= 2.0 * np.pi * np.round(error[..., 2] / (2.0 * np.pi))
    return error


def _parameters(platform: Platform) -> Array:
    require_platform(platform, "calibrate_drive")
    wheels = platform.rolling
    if platform.rate_names != ("left", "right") or len(wheels) != 2:
        raise ArgumentError(f"{platform.name} is not a differential drive, whose radii and track this fits")
    left, right = wheels
    return np.array([left.radius, right.radius, left.y - right.y])


@lru_cache(1)
def _sensitivity_step() -> CompiledFunction:
    def moved(pose: Sequence[Scalar], p: Sequence[Scalar], rates: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
        left, right = p[0] * rates[0], p[1] * rates[1]
        return arc(pose, PlanarTwist((right - left) / p[2], (left + right) * 0.5, 0.0), dt)

    def sensitivity(pose: Any, S: Any, dt: Scalar, p: Any, rates: Any) -> Any:
        end, J = differentiated(lambda z: moved(z[:3], z[3:], rates, dt), [*pose, *p])
        carried = [[sum((J[i][k] * S[k][j] for k in range(3)), J[i][3 + j]) for j in range(3)] for i in range(3)]
        return end, carried

    state = (Port("pose", (3,)), Port("S", (3, 3)))
    return CompiledFunction(sensitivity, (*state, Port("dt", ()), Port("p", (3,)), Port("rates", (2,))), state)
