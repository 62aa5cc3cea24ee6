"""Limits of position, speed and acceleration as bounds on the next joint velocity, so that none is ever violated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, number_from_zero, positive_number, real_array, require_all
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.tolerances import EQUAL

REASONS = ("speed limit", "position limit", "braking distance", "acceleration limit")
ACCELERATION = 3
"""The index of the last of the bounds."""


@dataclass(frozen=True, slots=True)
class VelocityBounds:
    """lower ≤ v ≤ upper for the next sample, and which of the limits sets each of them.

    >>> from sixvec.ik.redundancy import VelocityBounds
    >>> VelocityBounds([-1.0, 2.0], [1.0, 0.0]).conflict()
    'coordinate 1: the lower bound asks for v ≥ 2 and the upper bound for v ≤ 0'
    """

    lower: Array
    upper: Array
    lower_reason: tuple[str, ...] = ()
    upper_reason: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lower = real_array("the lower bounds", self.lower, "n", batch=False)
        upper = real_array("the upper bounds", self.upper, len(lower), batch=False, why="as many as lower ones")
        for name, x in (("lower", lower), ("upper", upper)):
            require_all(f"the {name} bounds", x, ~np.isnan(x), "a number, ±inf for none")
        n = len(lower)
        for name, value in (
            ("lower", lower),
            ("upper", upper),
            ("lower_reason", self.lower_reason or ("lower bound",) * n),
            ("upper_reason", self.upper_reason or ("upper bound",) * n),
            ("names", self.names or tuple(f"coordinate {i}" for i in range(n))),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, bounds: VelocityBounds | tuple[ArrayLike, ArrayLike]) -> VelocityBounds:
        """Bounds as they are, or from a pair (lower, upper) of vectors."""
        if isinstance(bounds, VelocityBounds):
            return bounds
        try:
            lower, upper = bounds
        except (TypeError, ValueError):
            raise ArgumentError(
                f"bounds are those of velocity_bounds or a pair (lower, upper), not a {type(bounds).__name__}"
            ) from None
        return cls(np.asarray(lower, float), np.asarray(upper, float))

    def conflict(self) -> str:
        """Why no velocity is feasible, with the joint and the two limits; empty if one is."""
        for i in np.flatnonzero(~(self.lower <= self.upper)):
            return (f"{self.names[i]}: the {self.lower_reason[i]} asks for v ≥ {self.lower[i]:.6g} and the "
                    f"{self.upper_reason[i]} for v ≤ {self.upper[i]:.6g}")  # fmt: skip
        return ""


def velocity_bounds(
    robot: Robot,
    q: ArrayLike,
    dt: float,
    *,
    v: ArrayLike | None = None,
    acceleration: ArrayLike = np.inf,
    margin: float = 0.0,
) -> VelocityBounds:
    """The joint velocities that, held for `dt` seconds from q, keep all limits now and later.

    With d the distance to the upper limit (less `margin`), v the present velocity and a the largest acceleration:

        v⁺ ≤ v_max,   v⁺ ≤ d/dt,   v⁺ ≤ v + a dt,   v⁺ ≤ d/(n dt) + a dt (n - 1)/2  for n = 2, 3, …,

    and the mirror image below.  The last is the braking distance for piecewise constant velocities: v⁺ and the n - 1
    slower ones of full braking that follow must cover no more than d.  This is necessary and sufficient: a velocity
    that satisfies it for n + 1 satisfies it for n after one step of full braking, so a state reached within these
    bounds always has a feasible next velocity.  This is robust to rounding: if only full braking is feasible, it is
    allowed if it ends within EQUAL of the limit.  Contradictory bounds (`conflict`) belong to a state that cannot be
    recovered: too fast to brake, or above its speed limit.  Beyond a limit, only motion back is allowed.  Limits come
    from the robot; coordinates of free and spherical joints have no position limits.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import velocity_bounds
    >>> panda = sixvec.load("panda")
    >>> bounds = velocity_bounds(panda, panda.upper, 0.01)
    >>> bounds.upper.tolist(), bounds.upper_reason[0]
    ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 'position limit')
    """
    dt = positive_number("dt", dt, "seconds")
    names = coordinate_names(robot.model, "v")
    q = real_array("q", q, robot.nq, batch=False, finite=True, why="bounds are for one state")
    now = real_array("v", np.zeros(robot.nv) if v is None else v, robot.nv, batch=False, finite=True)
    a = number_for_each("acceleration", acceleration, robot.nv, "velocities")
    if len(bad := np.flatnonzero(~(a > 0.0))):
        raise ArgumentError(f"velocity_bounds: acceleration of {names[bad[0]]} is {a[bad[0]]}; it must be positive")
    _check_margin(robot, margin)
    below, above = _distances(robot, q, margin)
    upper = _side(above, now, robot.velocity_limits, a, dt)
    lower = _side(below, -now, robot.velocity_limits, a, dt)
    slowest, fastest = -lower.min(axis=0), upper.min(axis=0)
    # Full braking: the least velocity that the acceleration allows, and the greatest.
    braked, driven = -lower[ACCELERATION], upper[ACCELERATION]
    fastest = np.where(braked <= _forgiving(above, robot.velocity_limits, a, dt), np.maximum(fastest, braked), fastest)
    slowest = np.where(-driven <= _forgiving(below, robot.velocity_limits, a, dt), np.minimum(slowest, driven), slowest)
    return VelocityBounds(
        slowest,
        fastest,
        tuple(REASONS[k] for k in lower.argmin(axis=0)),
        tuple(REASONS[k] for k in upper.argmin(axis=0)),
        names,
    )


def slowed(v: ArrayLike, velocity_limits: ArrayLike) -> tuple[Array, Array]:
    """Rates (..., n) times the largest factor (...) up to 1 that keeps |v| within limits: the same path, slower.

    >>> v, factor = slowed([4.0, -1.0], [2.0, 2.0])
    >>> v.tolist(), factor.tolist()
    ([2.0, -0.5], 0.5)
    """
    v = real_array("v", v, "n")
    limits = require_velocity_limits(velocity_limits, v.shape[-1])
    with np.errstate(invalid="ignore"):
        most = (np.abs(v) / limits).max(axis=-1, initial=0.0)
        factor = np.where(most > 1.0, 1.0 / np.maximum(most, 1.0), 1.0)
        # The division may round up.
        return np.clip(v * factor[..., None], -limits, limits), factor


def require_velocity_limits(velocity_limits: ArrayLike, n: int) -> Array:
    """Limits of n rates, or one for all: positive, inf where there is none."""
    limits = number_for_each("velocity_limits", velocity_limits, n, "velocities")
    require_all("velocity_limits", limits, limits > 0.0, "positive, inf for none")
    return limits


def beyond_limits(robot: Robot, q: ArrayLike) -> tuple[str, ...]:
    """Names of the coordinates that are beyond a position limit, at any of the positions (..., nq).

    >>> import sixvec
    >>> panda = sixvec.load("panda")
    >>> beyond_limits(panda, panda.upper), beyond_limits(panda, panda.upper + [0.1, 0, 0, 0, 0, 0, 0])
    ((), ('panda_joint1',))
    """
    below, above = _distances(robot, real_array("q", q, robot.nq), 0.0)
    samples = tuple(range(below.ndim - 1))
    nearest: Array = np.minimum(below, above).min(axis=samples, initial=np.inf)
    return tuple(name for name, d in zip(coordinate_names(robot.model, "v"), nearest, strict=True) if d < -EQUAL)


def _check_margin(robot: Robot, margin: float) -> None:
    number_from_zero("margin", margin)
    names = coordinate_names(robot.model, "v")
    for name, below, above in zip(names, *_distances(robot, robot.neutral(), margin), strict=True):
        if below + above < 0.0:
            raise ArgumentError(f"a margin of {margin} on both sides leaves nothing of the range of {name}, "
                                f"{below + above + 2.0 * margin:.6g}")  # fmt: skip


def _side(d: Array, v: Array, fastest: Array, a: Array, dt: float) -> Array:
    """The four bounds on motion towards a limit at distance d, in the order of REASONS."""
    return np.array([fastest, np.maximum(d, 0.0) / dt, _braking(d, a, dt), v + a * dt])


def _braking(d: Array, a: Array, dt: float) -> Array:
    """min over n ≥ 2 of d/(n dt) + a dt (n - 1)/2: the fastest from which full braking stops within d.

    Convex in n, with its least value at n = √(2 d/a)/dt: one of the two whole numbers next to it.
    """
    d = np.maximum(d, 0.0)
    limited = np.isfinite(a) & np.isfinite(d)
    d, a = np.where(limited, d, 0.0), np.where(limited, a, 1.0)
    n = np.maximum(2.0, np.floor(np.sqrt(2.0 * d / a) / dt))
    speed = np.minimum(*(d / (k * dt) + a * dt * (k - 1.0) / 2.0 for k in (n, n + 1.0)))
    return np.asarray(np.where(limited, speed, np.inf))


def _forgiving(d: Array, fastest: Array, a: Array, dt: float) -> Array:
    """The greatest velocity without contradiction, with a margin for rounding."""
    d = d + EQUAL
    return np.minimum(np.minimum(d / dt, _braking(d, a, dt)), fastest * (1.0 + EQUAL))


def _distances(robot: Robot, q: Array, margin: float) -> tuple[Array, Array]:
    """How far each velocity coordinate is from its lower and upper stop; infinite where q is not a single number."""
    shape = (*q.shape[:-1], robot.nv)
    below, above = np.full(shape, np.inf), np.full(shape, np.inf)
    for b in robot.model.moving:
        at, to = robot.model.q_slices[b.name], robot.model.v_slices[b.name]
        if b.joint.nq == b.joint.nv:
            below[..., to] = q[..., at] - robot.lower[at] - margin
            above[..., to] = robot.upper[at] - q[..., at] - margin
    return below, above
