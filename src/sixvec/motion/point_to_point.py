"""Motions between two states: standard profiles from rest to rest, and the fastest ones of limited jerk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array, require_all
from sixvec.errors import ArgumentError, unknown
from sixvec.model.spanning_tree import require_tree
from sixvec.motion.between_states import between_states
from sixvec.motion.limits import joint_limit
from sixvec.motion.pieces import PointToPoint, of_constant_derivative
from sixvec.motion.s_curve import s_curve_kernel
from sixvec.robot import Robot
from sixvec.verdict import Verdict

PROFILES = ("jerk", "trapezoidal", "bang-bang", "quintic", "cubic")
SYNCHRONISED = ("time", "phase")

SHAPES = {"quintic": ((0.0, 0.0, 0.0, 10.0, -15.0, 6.0), (15.0 / 8.0, 10.0 / np.sqrt(3.0), 60.0)),
          "cubic": ((0.0, 0.0, 3.0, -2.0), (1.5, 6.0, 12.0))}  # fmt: skip
"""Polynomials from 0 to 1 in a time of one, and the largest sizes of their derivatives.  The quintic is the motion of
least squared jerk from rest to rest."""


@dataclass(frozen=True)
class Limits:
    """Numbers for each joint; None without a limit."""

    velocity: Array | None
    acceleration: Array | None
    jerk: Array | None


def rest_to_rest(
    robot: Robot,
    q0: ArrayLike,
    q1: ArrayLike,
    profile: str = "jerk",
    *,
    velocity: Any = True,
    acceleration: Any = None,
    jerk: Any = None,
    v0: ArrayLike | None = None,
    a0: ArrayLike | None = None,
    v1: ArrayLike | None = None,
    a1: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    synchronised: str = "time",
) -> PointToPoint:
    """The fastest motion from q0 to q1 (..., nq) with a standard profile of the speed.

    - "jerk": limits of velocity, acceleration and jerk (S-curve).  It also starts with velocities v0 and
      accelerations a0, and ends with velocities v1 and accelerations a1.
    - "trapezoidal": limits of velocity and acceleration; "bang-bang": of acceleration alone.
    - "quintic" (least squared jerk) and "cubic": polynomials of time, within the limits that are given.

    Limits are numbers, or one for each joint; `velocity=True` are the robot's.  Joints arrive at the same time
    (synchronised="time"), or also move in proportion ("phase"): from rest to rest, and between states on one straight
    line, others only arrive together.  `duration` is a time that is kept if it is longer than the shortest one.
    Durations at which a moving joint can neither arrive nor turn back in time are exceeded; INFEASIBLE where the start
    or the end exceeds the limits, before or after.

    >>> import sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("planar_2r")
    >>> move = motion.rest_to_rest(arm, [0.0, 0.0], [1.0, 0.2], velocity=1.0, acceleration=2.0, jerk=10.0)
    >>> move, move.q(move.duration).round(9).tolist()
    (<PointToPoint: solved, 1.7 s>, [1.0, 0.2])
    """
    if profile not in PROFILES:
        raise ArgumentError(f"rest_to_rest: {unknown('profile', profile, PROFILES)}")
    if synchronised not in SYNCHRONISED:
        raise ArgumentError(f"rest_to_rest: {unknown('synchronised', synchronised, SYNCHRONISED)}")
    if robot.nq != robot.nv:
        raise ArgumentError(f"rest_to_rest: {robot.name} has joints with quaternions, which have no coordinate to move")
    require_tree(robot.model, "rest_to_rest")
    start, goal = (
        real_array(f"rest_to_rest: {name}", x, robot.nq, finite=True) for name, x in (("q0", q0), ("q1", q1))
    )
    for name, q in (("q0", start), ("q1", goal)):
        inside = (robot.lower - 1e-9 <= q) & (robot.upper + 1e-9 >= q)
        require_all(f"rest_to_rest: {name}", q, inside, "within the joint limits")
    moving = [
        None if x is None else real_array(f"rest_to_rest: {name}", x, robot.nv, finite=True)
        for name, x in (("v0", v0), ("a0", a0), ("v1", v1), ("a1", a1))
    ]
    limits = _limits(robot, profile, velocity, acceleration, jerk)
    arrays = {"q0": start, "q1": goal} | {
        k: x for k, x in zip(("v0", "a0", "v1", "a1"), moving, strict=True) if x is not None
    }
    batch = common_batch("rest_to_rest", [x.shape[:-1] for x in arrays.values()], list(arrays))
    shape = (*batch, robot.nq)
    start, goal = np.broadcast_to(start, shape), np.broadcast_to(goal, shape)
    least = np.zeros(batch) if duration is None else np.broadcast_to(_duration(duration), batch)
    if any(x is not None and x.any() for x in moving):
        if profile != "jerk":
            raise ArgumentError('rest_to_rest: v0, a0, v1 and a1 are for profile="jerk"')
        states = [goal - start, *(np.zeros(shape) if x is None else np.broadcast_to(x, shape) for x in moving)]
        bounds = [np.full(robot.nv, np.inf) if x is None else x
                  for x in (limits.velocity, limits.acceleration, limits.jerk)]  # fmt: skip
        return between_states(robot, start, states, bounds, least, synchronised == "phase")
    return _from_rest(robot, start, goal, profile, limits, least, synchronised)


def _duration(duration: ArrayLike) -> Array:
    numbers = real_array("rest_to_rest: duration", duration, finite=True)
    require_all("rest_to_rest: duration", numbers, numbers > 0.0, "positive")
    return numbers


def _limits(robot: Robot, profile: str, velocity: Any, acceleration: Any, jerk: Any) -> Limits:
    values: dict[str, Array | None] = {}
    for name, limit in (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk)):
        values[name] = joint_limit("rest_to_rest", robot, name, limit)
    needed = {"jerk": ("acceleration", "jerk"), "trapezoidal": ("acceleration",), "bang-bang": ("acceleration",)}
    missing = [k for k in needed.get(profile, ()) if (value := values[k]) is None or not np.isfinite(value).all()]
    if missing:
        limits = " and ".join(f"a finite {name}" for name in missing)
        raise ArgumentError(f'rest_to_rest: profile="{profile}" needs {limits}, one for all joints or for each')
    if profile == "bang-bang":
        values["velocity"] = None
    if not any(x is not None and np.isfinite(x).all() for x in values.values()):
        raise ArgumentError("rest_to_rest: no limit is finite, so there is no fastest motion; give one")
    return Limits(**values)


def _from_rest(
    robot: Robot, start: Array, goal: Array, profile: str, limits: Limits, least: Array, synchronised: str
) -> PointToPoint:
    """Profiles of the way of each joint; a longer duration stretches them."""
    way = goal - start
    size = np.abs(way)
    if synchronised == "phase":  # one profile of the fraction of the way, within the limits of all joints
        with np.errstate(divide="ignore"):
            bounds = [None if b is None else (b / size).min(axis=-1, keepdims=True)
                      for b in (limits.velocity, limits.acceleration, limits.jerk)]  # fmt: skip
        along: Array = np.ones_like(size[..., :1])
        still = (size == 0.0).all(axis=-1, keepdims=True)
        along, bounds = np.where(still, 0.0, along), [None if b is None else np.where(still, 1.0, b) for b in bounds]
    else:
        along, bounds = size, [limits.velocity, limits.acceleration, limits.jerk]
    infinite = np.full(along.shape, np.inf)
    V, A, J = (infinite if b is None else np.broadcast_to(b, along.shape) for b in bounds)
    if profile == "jerk":
        *phases, shortest = s_curve_kernel().call(along, V, A, J)
    elif profile in SHAPES:
        limited = enumerate(zip(SHAPES[profile][1], (V, A, J), strict=True), 1)
        shortest = np.max([(peak * along / bound) ** (1.0 / k) for k, (peak, bound) in limited], axis=0)
        phases = [shortest]
    else:
        phases = _trapezoid(along, V, A)
        shortest = 2.0 * phases[0] + phases[1]
    total = np.maximum(shortest.max(axis=-1), least)
    factor = way if synchronised == "phase" else np.sign(way)
    polynomials = partial(_pieces_from_rest, profile, start, factor, along, phases, shortest, total, A, J)
    return PointToPoint(robot, total[()], np.full(total.shape, Verdict.SOLVED, np.int8), polynomials)


def _pieces_from_rest(
    profile: str, start: Array, factor: Array, along: Array, phases: list[Array], shortest: Array, total: Array,
    A: Array, J: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Knots and coefficients of joints with a standard profile; those with a shorter duration are slowed down."""
    if profile == "jerk":
        rise, steady, cruise = phases
        times, zero = np.stack([rise, steady, rise, cruise, rise, steady, rise], axis=-1), 0.0 * J
        tops, order = np.stack([J, zero, -J, zero, -J, zero, J], axis=-1), 3
    elif profile in SHAPES:
        times, tops, order = phases[0][..., None], A[..., None], 0
    else:
        ramp, cruise = phases
        times, tops, order = np.stack([ramp, cruise, ramp], axis=-1), np.stack([A, 0.0 * A, -A], axis=-1), 2
    stretch = np.where(shortest > 0.0, total[..., None] / np.where(shortest > 0.0, shortest, 1.0), 0.0)
    times = np.where(shortest[..., None] > 0.0, times * stretch[..., None], (total / times.shape[-1])[..., None, None])
    if profile in SHAPES:
        polynomial = np.array(SHAPES[profile][0])
        knots = np.concatenate([np.zeros_like(times), times], axis=-1)
        span = np.where(times > 0.0, times, 1.0)
        C = (along[..., None] * polynomial / span ** np.arange(len(polynomial)))[..., None, :]
    else:
        slower = np.where(stretch > 0.0, stretch, 1.0)[..., None]
        knots, C = of_constant_derivative(times, tops / slower**order, order, [np.zeros_like(along)] * 3)
    knots, C = np.broadcast_to(knots, (*factor.shape, knots.shape[-1])), factor[..., None, None] * C
    C[..., 0] += start[..., None]
    return knots, C


def _trapezoid(way: Array, V: Array, A: Array) -> list[Array]:
    """Durations of speeding up and of cruising."""
    top = np.minimum(V, np.sqrt(way * A))
    ramp = top / A
    cruise = np.where(top > 0.0, way / np.where(top > 0.0, top, 1.0) - ramp, 0.0)
    return [ramp, np.maximum(cruise, 0.0)]
