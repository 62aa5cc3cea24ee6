"""Dead reckoning: the pose from the rates of the wheels, step by step along exact arcs, with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.differentiation import differentiated
from sixvec.mobile.planar import PlanarTwist, series_sine
from sixvec.mobile.rolling import twist_of
from sixvec.scalar import Scalar, cos, sin

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class OdometryPath:
    """Poses (..., steps, 3) = (x, y, φ) after each step; the heading counts whole turns."""

    pose: Array
    covariance: Array | None = None
    """(..., steps, 3, 3) of (x, y, φ), if one was asked for."""

    @property
    def end(self) -> Array:
        """The last pose."""
        return self.pose[..., -1, :]

    def __repr__(self) -> str:
        known = "" if self.covariance is None else ", with covariance"
        return f"<OdometryPath: {self.pose.shape[-2]} steps{known}>"


def odometry(
    platform: Platform, rates: Any, dt: Any, pose0: Any, steer: Any = None, covariance: Any = None, noise: Any = None
) -> OdometryPath:
    """`Platform.odometry`."""
    rates = np.asarray(rates, float)
    n = len(platform.rate_names)
    if rates.ndim < 2 or rates.shape[-1] != n:
        raise ShapeError(
            f"rates has shape {rates.shape}, but (..., steps, {n}) is needed: {', '.join(platform.rate_names)}"
        )
    steps = rates.shape[-2]
    time = np.asarray(dt, float)
    if not np.all(time > 0.0):
        raise ArgumentError(f"the time step is {time.min()}; it must be positive, in seconds")
    each = [rates] if not platform.steering_names else [rates, _every_step(platform.checked_steer(steer), steps)]
    changing = time.ndim > 0
    if changing:
        if time.shape[-1] not in (1, steps):
            raise ShapeError(f"dt has shape {time.shape}, but a number or (..., {steps}) is needed, one for each step")
        each.append(np.broadcast_to(time, (*time.shape[:-1], steps)))
    constants = [] if changing else [time]
    uncertain = covariance is not None or noise is not None
    state: list[Any] = [pose0]
    if uncertain:
        state.append(np.zeros((3, 3)) if covariance is None else covariance)
        constants.append(np.broadcast_to(np.asarray(0.0 if noise is None else noise, float), (n,)))
    start = np.asarray(pose0, float)
    if not uncertain and steps >= _LONG and start.shape == (3,) and all(x.shape[0] == steps for x in each):
        return OdometryPath(_in_pieces(platform, steps, start, constants, each))
    loop = _loop(platform, steps, changing, uncertain)
    found = loop(*state, *constants, *each)
    return OdometryPath(found[2], found[3]) if uncertain else OdometryPath(found[1])


_PIECES, _LONG = 64, 4096
"""How many pieces a single long history is cut into, so that they share the lanes of the machine, and what is long."""


def _in_pieces(platform: Platform, steps: int, start: Array, constants: list[Any], each: list[Array]) -> Array:
    """The poses of one history: first where each piece would end from zero, then, with their starts, all poses.

    Motions compose, so a piece from its start is the piece from zero, moved there.
    """
    m = steps // _PIECES
    whole = m * _PIECES
    pieces = [x[:whole].reshape(_PIECES, m, *x.shape[1:]) for x in each]
    changing = not constants
    ends = _ends(platform, m, changing)(np.zeros((_PIECES, 3)), *constants, *pieces)
    starts = np.empty((_PIECES, 3))
    for k, (x, y, angle) in enumerate(ends):
        starts[k] = start
        c, s = np.cos(start[2]), np.sin(start[2])
        start = start + np.array([c * x - s * y, s * x + c * y, angle])
    poses = np.empty((steps, 3))
    parts = (np.empty((_PIECES, 3)), poses[:whole].reshape(_PIECES, m, 3))
    _loop(platform, m, changing, uncertain=False)(starts, *constants, *pieces, out=parts)
    if whole < steps:
        rest = [x[whole:] for x in each]
        poses[whole:] = _loop(platform, steps - whole, changing, uncertain=False)(start, *constants, *rest)[1]
    return poses


def _every_step(steer: Array, steps: int) -> Array:
    """Steering that stays the same at every step, or the steering of each."""
    if steer.ndim < 2:
        return np.broadcast_to(steer, (steps, *steer.shape))
    return steer


def arc(pose: Sequence[Scalar], twist: PlanarTwist, dt: Scalar) -> list[Scalar]:
    """The pose after a constant twist for a time dt: the chord of the arc, seen from the mean heading.

    The same as `PlanarPose.exp`, for a heading that counts whole turns.
    """
    x, y, angle = pose
    h = twist.ang * dt * 0.5
    chord = series_sine(h, sin(h)) * dt
    along, across = twist.x * chord, twist.y * chord
    c, s = cos(angle + h), sin(angle + h)
    return [x + along * c - across * s, y + along * s + across * c, angle + twist.ang * dt]


@lru_cache(256)
def _loop(platform: Platform, steps: int, changing: bool, uncertain: bool) -> Iterated:
    step = _step(platform, changing, uncertain)
    each = 1 + bool(platform.steering_names) + changing
    return Iterated(step, steps, 2 if uncertain else 1, each, name=f"{step.name}_{steps}_steps")


@lru_cache(256)
def _ends(platform: Platform, steps: int, changing: bool) -> Iterated:
    step = _step(platform, changing, uncertain=False, ends=True)
    return Iterated(step, steps, 1, 1 + bool(platform.steering_names) + changing, name=f"{step.name}_{steps}_ends")


@lru_cache(256)
def _step(platform: Platform, changing: bool, uncertain: bool, ends: bool = False) -> CompiledFunction:
    n, k = len(platform.rate_names), len(platform.steering_names)

    def moved(pose: Sequence[Scalar], rates: Sequence[Scalar], steer: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
        return arc(pose, twist_of(platform.rolling, platform.steering, steer, rates)[0], dt)

    def odometry(*given: Any) -> Any:
        values = dict(zip([p.name for p in inputs], given, strict=True))
        pose, rates, steer, dt = values["pose"], values["rates"], values.get("steer", []), values["dt"]
        if not uncertain:
            end = moved(pose, rates, steer, dt)
            return end if ends else (end, end)
        end, J = differentiated(lambda z: moved(z[:3], z[3:], steer, dt), [*pose, *rates])
        P = propagated(values["covariance"], J, values["noise"])
        return end, P, end, P

    time, pose = Port("dt", ()), Port("pose", (3,))
    each = (Port("rates", (n,)), *([Port("steer", (k,))] if k else []), *([time] if changing else []))
    state = (pose, Port("covariance", (3, 3))) if uncertain else (pose,)
    constant = (*([] if changing else [time]), *([Port("noise", (n,))] if uncertain else []))
    inputs = (*state, *constant, *each)
    return CompiledFunction(odometry, inputs, state if ends else (*state, *state))


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
