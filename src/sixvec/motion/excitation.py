"""Motions for identification: Fourier series within the limits of a robot that excite its parameters evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_from_zero, positive_number, whole_number
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.identification import BaseParameters, base_parameters
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.motion.joint_motion import JointMotion, at_times, with_friction
from sixvec.motion.limits import joint_limit
from sixvec.robot import Robot

SAMPLES = 60
"""Instants in a period at which the condition and the limits are computed while searching."""

TOGETHER = 6
"""Instants whose regressors are multiplied at a time: matrices so small that BLAS starts no threads, which would mostly
wait for each other."""

CHECKED = 2000
"""Instants at which the limits of the result hold."""

POPULATION, KEPT = 32, 8
"""Motions in each round of the search, and the best of them, from which the next round is drawn."""

UNLIMITED = np.pi
"""Rad or m to either side of zero for coordinates without limits of position."""


@dataclass(frozen=True, eq=False, repr=False)
class FourierMotion(Result, JointMotion):
    """A periodic motion  q(t) = middle + Σ sines sin(k ω t) + cosines cos(k ω t)  of one period, from rest to rest.

    `condition` is that of the stacked regressors of the base parameters, with columns of length one.  `clearance` is
    the smallest gap on the way, if a world was given.
    """

    robot: Robot
    duration: float
    middle: Array
    sines: Array
    cosines: Array
    condition: float
    clearance: float

    def q(self, t: ArrayLike) -> Array:
        """Positions at times t: (m, nq)."""
        return self._evaluated(t, 0)

    def v(self, t: ArrayLike) -> Array:
        """Velocities at times t."""
        return self._evaluated(t, 1)

    def a(self, t: ArrayLike) -> Array:
        """Accelerations at times t."""
        return self._evaluated(t, 2)

    def _evaluated(self, t: ArrayLike, order: int) -> Array:
        at = at_times(t, ())
        inside = np.clip(at, 0.0, self.duration)
        q = _waves(self.middle, np.stack([self.sines, self.cosines]), self.duration, inside, order)
        if order:
            q = np.where((inside == at)[..., None], q, 0.0)
        return np.asarray(q[..., 0, :] if np.ndim(t) == 0 else q)

    def __repr__(self) -> str:
        return f"<FourierMotion: {self.duration:.4g} s, condition {self.condition:.4g}>"


def excitation(
    robot: Robot,
    duration: float = 10.0,
    harmonics: int = 5,
    *,
    velocity: Any = True,
    acceleration: Any = None,
    torque: Any = True,
    share: float = 0.9,
    world: Any = None,
    margin: float = 0.0,
    parameters: BaseParameters | None = None,
    rounds: int = 20,
    seed: int = 0,
) -> FourierMotion:
    """A motion that makes the base parameters of a robot as easy to identify as a random search finds.

    It minimises the condition number of their regressor along a Fourier series (Swevers and others 1997), whose size is
    such that it uses `share` of the limits of position, velocity, acceleration and torque; True are the robot's, None
    are none.  With a `world`, or with margin > 0, gaps of the robot to itself and to the world are at least `margin`.
    The same seed gives the same motion.

    >>> import sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("planar_2r")
    >>> rich = motion.excitation(arm, 4.0, harmonics=3, velocity=3.0, torque=None, rounds=5)
    >>> bool(rich.condition < 30.0), bool(arm.check_motion(rich))
    (True, True)
    """
    require_unconstrained(robot.model, "excitation")
    if robot.nq != robot.nv:
        raise ArgumentError(f"excitation: {robot.name} has joints with quaternions, which Fourier series do not move")
    duration = positive_number("excitation: duration", duration, "s")
    whole_number("excitation: harmonics", harmonics, 3)  # rest at both ends takes two of them
    whole_number("excitation: rounds", rounds, 1)
    margin = number_from_zero("excitation: margin", margin, "m")
    share = positive_number("excitation: share", share)
    if share > 1.0:
        raise ArgumentError(f"excitation: share is a part of the limits, at most 1, not {share:g}")
    search = _Search(robot, duration, harmonics, parameters or base_parameters(robot), share, world, margin)
    limits = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    bounds = (joint_limit("excitation", robot, name, limit) for name, limit in limits.items())
    search.limits = tuple(np.full(robot.nv, np.inf) if bound is None else bound for bound in bounds)
    return search.run(np.random.default_rng(seed), rounds)


def _waves(middle: Array, coefficients: Array, duration: float, t: Array, order: int) -> Array:
    """Derivatives (m, n) at times (m,) of series with coefficients (2, harmonics, n); leading axes are a batch."""
    rate = 2.0 * np.pi / duration * np.arange(1, coefficients.shape[-2] + 1)
    angle = t[:, None] * rate + 0.5 * np.pi * order
    sines, cosines = coefficients[..., 0, :, :], coefficients[..., 1, :, :]
    wave = (np.sin(angle) * rate**order) @ sines + (np.cos(angle) * rate**order) @ cosines
    return np.asarray(wave + middle if order == 0 else wave)


class _Search:
    """A search by rounds of normal distributions around the best motions (cross entropy)."""

    limits: tuple[Array, ...]

    def __init__(
        self,
        robot: Robot,
        duration: float,
        harmonics: int,
        parameters: BaseParameters,
        share: float,
        world: Any,
        margin: float,
    ) -> None:
        self.robot, self.duration, self.harmonics, self.parameters = robot, duration, harmonics, parameters
        self.share, self.world, self.margin = share, world, margin
        self.has_clearance = world is not None or margin > 0.0
        lower = np.where(np.isfinite(robot.lower), robot.lower, -UNLIMITED)
        upper = np.where(np.isfinite(robot.upper), robot.upper, UNLIMITED)
        self.lower, self.upper = lower, upper

    def run(self, rng: np.random.Generator, rounds: int) -> FourierMotion:
        n = self.robot.nv
        size = (2 * self.harmonics + 1) * n
        centre, spread = np.zeros(size), np.ones(size)
        best, least = None, np.inf
        for _ in range(rounds):
            genes = centre + spread * rng.normal(size=(POPULATION, size))
            values = self.middle_and_waves(genes)
            condition = self.condition(*values, np.linspace(0.0, self.duration, SAMPLES, endpoint=False))
            order = np.argsort(condition, kind="stable")
            if condition[order[0]] < least:
                best, least = [x[order[0]] for x in values], float(condition[order[0]])
            chosen = genes[order[:KEPT]]
            centre, spread = chosen.mean(axis=0), 0.5 * (spread + chosen.std(axis=0))
        if best is None or not np.isfinite(least):
            raise ArgumentError(
                f"excitation: no motion within the limits was found in {rounds} rounds; allow larger limits, a smaller "
                "margin, or more rounds"
            )
        return self.motion(*best)

    def middle_and_waves(self, genes: Array) -> tuple[Array, Array]:
        """Middles (N, n) and coefficients (N, 2, harmonics, n) of motions within the limits.

        Velocity and acceleration vanish at the ends: Σ k sines = 0 and Σ k² cosines = 0.
        """
        n, count = self.robot.nv, len(genes)
        middle = np.broadcast_to(0.5 * (self.lower + self.upper), (count, n)) + (
            0.25 * (self.upper - self.lower) * np.tanh(genes[:, :n])
        )
        waves = genes[:, n:].reshape(count, 2, self.harmonics, n) / np.arange(1, self.harmonics + 1)[:, None]
        k = np.arange(1.0, self.harmonics + 1)
        for row, weights in ((0, k), (1, k**2)):
            off = np.einsum("k,ckn->cn", weights, waves[:, row]) / (weights @ weights)
            waves[:, row] -= weights[:, None] * off[:, None, :]
        return middle, self.scaled(middle, waves)

    def scaled(self, middle: Array, waves: Array) -> Array:
        """Waves as large as positions, velocities, accelerations and then torques allow."""
        t = np.linspace(0.0, self.duration, 2 * SAMPLES)
        q, v, a = (_waves(np.zeros(self.robot.nv), waves, self.duration, t, order) for order in range(3))
        room = np.minimum(self.upper - middle, middle - self.lower)[:, None, :]
        uses = [np.abs(q) / room, np.abs(v) / self.limits[0], np.abs(a) / self.limits[1]]
        joints = self.share / np.maximum(np.max(uses, axis=0).max(axis=1), np.finfo(float).tiny)
        waves = waves * joints[:, None, None, :]
        for _ in range(4):  # torques fall with the square of the rates, but for gravity
            q, v, a = (_waves(middle[:, None, :], waves, self.duration, t, order) for order in range(3))
            tau = np.abs(self.torques(q, v, a)) / self.limits[2]
            over = tau.max(axis=(1, 2)) / self.share
            waves = waves / np.maximum(over, 1.0)[:, None, None, None]
        return np.asarray(waves)

    def torques(self, q: Array, v: Array, a: Array) -> Array:
        return np.asarray(with_friction(self.robot, self.robot.inverse_dynamics(q, v, a), v))

    def condition(self, middle: Array, waves: Array, t: Array) -> Array:
        """Condition numbers (N,), infinite where a limit or the clearance is violated."""
        q, v, a = (_waves(middle[:, None, :], waves, self.duration, t, order) for order in range(3))
        tau = np.abs(self.torques(q, v, a)).max(axis=1)
        allowed = (tau <= self.limits[2]).all(axis=-1)
        if self.has_clearance:
            allowed &= self.robot.is_clear(q, self.world, margin=self.margin).all(axis=1)
        Y = self.parameters.regressor(q, v, a)
        Y = Y.reshape(len(q), SAMPLES // TOGETHER, -1, Y.shape[-1])
        products = (Y.swapaxes(-1, -2) @ Y).sum(axis=1)
        lengths = np.sqrt(np.maximum(np.einsum("nkk->nk", products), np.finfo(float).tiny))
        squares = np.linalg.eigvalsh(products / (lengths[:, :, None] * lengths[:, None, :]))
        least = np.maximum(squares[:, 0], np.finfo(float).eps * squares[:, -1])
        return np.where(allowed, np.sqrt(squares[:, -1] / least), np.inf)

    def motion(self, middle: Array, waves: Array) -> FourierMotion:
        """The motion, made smaller if it exceeds a limit between the instants of the search."""
        t = np.linspace(0.0, self.duration, CHECKED)
        for _ in range(20):
            q, v, a = (_waves(middle, waves, self.duration, t, order) for order in range(3))
            tau = self.torques(q, v, a)
            inside = ((self.lower <= q) & (q <= self.upper)).all()
            small = all((np.abs(x) <= limit).all() for x, limit in zip((v, a, tau), self.limits, strict=True))
            clear = not self.has_clearance or bool(self.robot.is_clear(q, self.world, margin=self.margin).all())
            if inside and small and clear:
                break
            waves = 0.97 * waves
        else:
            raise ArgumentError("excitation: the best motion exceeds a limit between its samples; use fewer harmonics")
        gap = float(np.min(self.robot.distance(q, self.world).distance)) if self.has_clearance else np.inf
        some = np.linspace(0.0, self.duration, SAMPLES, endpoint=False)
        condition = float(self.condition(middle[None], waves[None], some)[0])
        return FourierMotion(self.robot, self.duration, middle, waves[0], waves[1], condition, gap)
