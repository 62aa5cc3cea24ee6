"""Wheel radii and track of a differential drive from runs with known ends: the systematic errors of odometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import Array, number_for_each, positive_number, real_array, require_all, require_shape
from sixvec.border.answer import Answer
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels.function import CompiledFunction
from sixvec.kernels.in_kind import kept_kind
from sixvec.linear.decomposition import singular_values
from sixvec.mobile.builders import differential_drive
from sixvec.mobile.differentiation import differentiated
from sixvec.mobile.kernels import looped
from sixvec.mobile.odometry import arc
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.platform import Platform, require_platform
from sixvec.scalar import Scalar

_ROUNDS = 20
_SETTLED = 1e-13
"""A step below this fraction of the parameters is rounding."""

_NEAR = 1e-6
"""A larger last step, as a fraction of the parameters, means that there is no minimum nearby."""

_EXCITED = 1e-6
"""Singular values of the sensitivity below this fraction of the largest belong to undetermined parameters."""


@dataclass(frozen=True, eq=False)
class DriveCalibration(Answer):
    """Parameters (radius left, radius right, track) with the least sum of squared errors at the ends of the runs."""

    parameters: Array
    platform: Platform
    residual: Array
    """(runs, 3): measured minus predicted end, (x, y, φ)."""

    def __repr__(self) -> str:
        left, right, track = self.parameters
        return f"<DriveCalibration: radii {left:.6g} and {right:.6g}, track {track:.6g}>"


@kept_kind
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
    given = number_for_each("weight", 1.0 if weight is None else weight, 3, "numbers of a pose, x, y and φ")
    require_all("weight", given, np.isfinite(given) & (given >= 0.0), "finite, and 0 or more")
    scale = np.sqrt(given)
    loop = looped(_sensitivity_step(), rates.shape[1], 2, 1)
    for _ in range(_ROUNDS):
        pose, S = loop(np.broadcast_to(start, (len(rates), 3)), np.zeros((3, 3)), dt, parameters, rates)
        error = ends - pose
        error[:, 2] -= 2.0 * np.pi * np.round(error[:, 2] / (2.0 * np.pi))
        A = (S * scale[:, None]).reshape(-1, 3) * parameters
        U, sigma, Vt = singular_values(A)
        if not sigma[-1] > _EXCITED * sigma[0]:
            raise DegenerateError(
                "the runs do not determine radii and track: drive curves both ways round, not lines alone"
            )
        step = Vt.T @ ((U[:, :3].T @ (error * scale).ravel()) / sigma)
        parameters = parameters * (1.0 + step)
        largest = np.abs(step).max()
        if largest < _SETTLED:
            break
    if not (largest < _NEAR and (parameters > 0.0).all()):
        at = ", ".join(f"{p:.3g}" for p in parameters)
        raise DegenerateError(
            f"the search for radii and track does not settle: its last step is {largest:.3g} of them, at {at} m; "
            "start from a platform that turns more like the measured one"
        )
    left, right, track = parameters
    return DriveCalibration(parameters, differential_drive(track, left, right), error)


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
