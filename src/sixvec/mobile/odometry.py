"""Dead reckoning: the pose from the rates of the wheels, step by step along exact arcs, with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, number_for_each, real_array, require_all, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.kernels import Iterated, Port
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.kernels import looped
from sixvec.mobile.long_history import LONG, in_pieces, with_direction
from sixvec.mobile.planar import PlanarTwist, series_sine
from sixvec.mobile.rolling import twist_of
from sixvec.mobile.wheel import warn_of_degrees
from sixvec.scalar import Scalar, cos, sin, where

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform


@dataclass(frozen=True, eq=False, repr=False)
class OdometryPath(Result):
    """Poses (..., steps, 3) = (x, y, φ) after each step; the heading counts whole turns."""

    pose: Array
    covariance: Array | None = None
    """(..., steps, 3, 3) of (x, y, φ), if requested."""

    @property
    def end(self) -> Array:
        """The last pose."""
        return self.pose[..., -1, :]

    def __repr__(self) -> str:
        known = "" if self.covariance is None else ", with covariance"
        return f"<OdometryPath: {self.pose.shape[-2]} steps{known}>"


def odometry(
    platform: Platform,
    rates: ArrayLike,
    dt: ArrayLike,
    pose0: ArrayLike,
    steer: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    noise: ArrayLike | None = None,
) -> OdometryPath:
    """`Platform.odometry`."""
    each = histories(platform, rates, steer)
    steps, time = each[0].shape[-2], real_array("dt", dt)
    require_all("dt", time, (time > 0.0) & (time < np.inf), "positive and finite, in seconds")
    changing = time.ndim > 0
    if changing:
        if time.shape[-1] != 1:
            require_shape("dt", time, steps, why="one for each step, or one number")
        each.append(np.broadcast_to(time, (*time.shape[:-1], steps)))
    constants = [] if changing else [time]
    start = real_array("pose0", pose0, 3, why="a planar pose is (x, y, φ)")
    warn_of_degrees(start, "pose0")
    pose = _poses(platform, steps, start, constants, each)
    if covariance is None and noise is None:
        return OdometryPath(pose)
    constants.append(as_deviations(noise, platform))
    loop = looped(_uncertain_step(platform, changing), steps, 2, len(each), "odometry")
    covariances = loop(start, as_covariance(covariance), *constants, *each)[2]
    return OdometryPath(pose, covariances)


def as_covariance(covariance: ArrayLike | None) -> Array:
    """That of a pose (..., 3, 3), zero unless given."""
    P = real_array("covariance", np.zeros((3, 3)) if covariance is None else covariance, 3, 3, finite=True)
    off = np.abs(P - np.swapaxes(P, -1, -2))
    if (off > 1e-9 * np.abs(P).max(initial=0.0)).any() or (P.diagonal(0, -2, -1) < 0.0).any():
        raise ArgumentError("covariance is not that of anything: it must be symmetric, with a diagonal from 0")
    least = np.linalg.eigvalsh(P)[..., 0]
    if (least < -1e-9 * np.abs(P).max(axis=(-1, -2), initial=0.0)).any():
        raise ArgumentError(
            f"covariance is indefinite: its least eigenvalue is {least.min():.3g}; none may be negative"
        )
    return P


def as_deviations(noise: ArrayLike | None, platform: Platform) -> Array:
    """Standard deviations (rates) of the rates: one for all, or one for each, zero unless given."""
    names = platform.rate_names
    deviations = number_for_each("noise", 0.0 if noise is None else noise, len(names), f"rates: {', '.join(names)}")
    require_all("noise", deviations, ~(deviations < 0.0), "0 or more, in rad/s: a standard deviation")
    return deviations


def _poses(platform: Platform, steps: int, start: Array, constants: list[Array], each: list[Array]) -> Array:
    """The poses after each step.  Whether a history is cut depends only on its length, not on the batch."""
    loop = _loop(platform, steps, not constants)
    if steps < LONG:
        return np.asarray(loop(with_direction(start), *constants, *each)[1])
    ports = loop.inputs[len(loop.inputs) - len(each) :]
    leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(each, ports, strict=True)]
    batch = common_batch("odometry", [start.shape[:-1], *leads], ["pose0", *(p.name for p in ports)])
    histories = [np.broadcast_to(x, (*batch, *p.shape)) for x, p in zip(each, ports, strict=True)]

    def roll(count: int, pose: Array, parts: list[Array], memory: Array | None) -> Array:
        loop, lead = _loop(platform, count, not constants), parts[0].shape[:-2]
        out = None if memory is None else (np.empty((*lead, 5)), memory.reshape(*lead, count, 3))
        return np.asarray(loop(with_direction(pose), *constants, *parts, out=out)[1])

    return in_pieces(roll, steps, np.broadcast_to(start, (*batch, 3)), histories)


def histories(platform: Platform, rates: ArrayLike, steer: ArrayLike | None) -> list[Array]:
    """Rates (..., steps, driven wheels) and, of a steered platform, steering of each step, which may be the same."""
    names = platform.rate_names
    array = real_array("rates", rates, "steps ≥ 1", len(names), why=lambda: ", ".join(names))
    angles = platform.checked_steer(steer)
    if not platform.steering_names:
        return [array]
    return [array, np.broadcast_to(angles, (array.shape[-2], *angles.shape)) if angles.ndim < 2 else angles]


def arc(pose: Sequence[Scalar], twist: PlanarTwist, dt: Scalar) -> list[Scalar]:
    """The pose after a constant twist for a time dt: the chord of the arc, relative to the mean heading.

    The same as `PlanarPose.exp`, for a heading that counts whole turns.
    """
    x, y, angle = pose
    h = twist.ang * dt * 0.5
    chord = series_sine(h, sin(h)) * dt
    along, across = twist.x * chord, twist.y * chord
    c, s = cos(angle + h), sin(angle + h)
    return [x + along * c - across * s, y + along * s + across * c, angle + twist.ang * dt]


_NARROW = 0.125
"""Half the rotation of a step below which the chord is a series: above, differences of sines lose at most 3 bits."""


def turning(pose: Sequence[Scalar], twist: PlanarTwist, dt: Scalar) -> list[Scalar]:
    """The same for (x, y, φ, cos φ, sin φ), with sine and cosine of the new heading alone.

    With h half the turn, the chord  (sin h / h) v, at the mean heading, is  (tan h / h) v  at the mean of both
    directions, and  v / (2 h)  at their difference, turned by 90°.
    """
    x, y, angle, c0, s0 = pose
    h = twist.ang * dt * 0.5
    end = angle + twist.ang * dt
    c1, s1 = cos(end), sin(end)
    small, z = abs(h) < _NARROW, h * h
    sine = 1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (1.0 / 362880.0))))
    cosine = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0 - z * (1.0 / 3628800.0)))))
    scale = where(small, sine, 1.0) / where(small, cosine, h) * dt * 0.5
    c, s = where(small, c0 + c1, s1 - s0), where(small, s0 + s1, c0 - c1)
    along, across = twist.x * scale, twist.y * scale
    return [x + along * c - across * s, y + along * s + across * c, end, c1, s1]


def _loop(platform: Platform, steps: int, changing: bool) -> Iterated:
    each = 1 + bool(platform.steering_names) + changing
    return looped(_step(platform, changing), steps, 1, each, "odometry")


def _ports(platform: Platform, changing: bool) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The inputs common to all steps, and those of each step."""
    n, k, time = len(platform.rate_names), len(platform.steering_names), (Port("dt", ()),)
    each = (Port("rates", (n,)), *((Port("steer", (k,)),) if k else ()))
    return ((), each + time) if changing else (time, each)


@lru_cache(256)
def _step(platform: Platform, changing: bool) -> CompiledFunction:
    state, (shared, each) = Port("pose", (5,)), _ports(platform, changing)

    def odometry(pose: Sequence[Scalar], *inputs: Any) -> Any:
        values = dict(zip([p.name for p in (*shared, *each)], inputs, strict=True))
        twist = twist_of(platform.rolling, platform.steering, values.get("steer", []), values["rates"])[0]
        end = turning(pose, twist, values["dt"])
        return end, end[:3]

    return CompiledFunction(odometry, (state, *shared, *each), (state, Port("pose", (3,))))


@lru_cache(256)
def _uncertain_step(platform: Platform, changing: bool) -> CompiledFunction:
    shared, each = _ports(platform, changing)
    state = (Port("pose", (3,)), Port("covariance", (3, 3)))
    inputs = (*state, *shared, Port("noise", (len(platform.rate_names),)), *each)

    def odometry(*arguments: Any) -> Any:
        values = dict(zip([p.name for p in inputs], arguments, strict=True))
        pose, steer, dt = values["pose"], values.get("steer", []), values["dt"]

        def moved(z: Sequence[Scalar]) -> list[Scalar]:
            return arc(z[:3], twist_of(platform.rolling, platform.steering, steer, z[3:])[0], dt)

        end, J = differentiated(moved, [*pose, *values["rates"]])
        P = propagated(values["covariance"], J, values["noise"])
        return end, P, P

    return CompiledFunction(odometry, inputs, (*state, state[1]))


def propagated(
    P: Sequence[Sequence[Scalar]], J: Sequence[Sequence[Scalar]], noise: Sequence[Scalar]
) -> list[list[Scalar]]:
    """F P Fᵀ + L diag(noise²) Lᵀ  for the Jacobian  (F L)  of a step with respect to pose and rates."""
    F, L = [row[:3] for row in J], [row[3:] for row in J]
    FP = [[_sum(a * P[k][j] for k, a in enumerate(row)) for j in range(3)] for row in F]
    power = [s * s for s in noise]
    lower = {
        (i, j): _sum(a * b for a, b in zip(FP[i], F[j], strict=True))
        + _sum(a * b * q for a, b, q in zip(L[i], L[j], power, strict=True))
        for i in range(3)
        for j in range(i + 1)
    }
    return [[lower[max(i, j), min(i, j)] for j in range(3)] for i in range(3)]


def _sum(terms: Any) -> Scalar:
    return sum(terms, 0.0)
