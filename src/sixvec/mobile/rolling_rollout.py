"""Rollouts of robots that roll: constrained dynamics in one compiled loop, no wheel slipping after any step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.algorithms.constrained_dynamics import constrained_dynamics, least_motion
from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.parts.held_frames import Held, held_frames
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.sim.step_options import Trajectory

_SLIPS = 1e-6
"""m/s along a row at the start: what does not roll at the start is not a start."""


def rolling_rollout(
    robot: Robot, q: Any, v: Any, tau: Any, dt: float, hold: Mapping[Any, Any], *, passive: bool = False
) -> Trajectory:
    """Simulate from (q, v) under joint forces tau (..., steps, nv) while `hold` keeps wheels rolling, and frames held.

    Classical Runge-Kutta steps of `constrained_dynamics`, after each of which the velocity is projected back to where
    no wheel slips, as the mass matrix measures it: rolling cannot drift, since it says nothing about positions.

    >>> import numpy, sixvec
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> base = sixvec.mobile.wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> tau = numpy.tile([0.0, 0.0, 0.0, 0.5, 0.5], (100, 1))
    >>> path = rolling_rollout(base, numpy.zeros(5), numpy.zeros(5), tau, 0.01, base.contacts)
    >>> path.q[-1, :3].round(4).tolist()  # half of a t², with 22 kg and half of 2 kg more that turn
    [0.2174, 0.0, 0.0]
    """
    require_tree(robot.model, "rolling_rollout")
    held = held_frames(robot.model, hold)
    if not held:
        raise ArgumentError("rolling_rollout: hold is empty; without it sixvec.sim.rollout does the same")
    if not (np.ndim(dt) == 0 and dt > 0.0):
        raise ArgumentError(f"the time step is {dt}; it must be a positive number, in seconds")
    forces = np.asarray(tau, float)
    if forces.ndim < 2 or forces.shape[-1] != robot.nv:
        raise ShapeError(f"tau has shape {forces.shape}, but (..., steps, {robot.nv}) is needed")
    slip = np.asarray(robot.constraint_jacobian(q, hold=hold)) @ np.asarray(v, float)[..., None]
    if slip.size and not np.nanmax(np.abs(slip), initial=0.0) < _SLIPS:
        raise ArgumentError(
            f"rolling_rollout: at the start wheels slip with up to {np.nanmax(np.abs(slip)):.3g} m/s; "
            "WheeledRobot.rolling_velocity gives the nearest velocity that rolls"
        )
    loop = Iterated(_step(robot.model, held, passive), forces.shape[-2], 2, 1, name="rolling_rollout")
    _, _, positions, velocities = loop.call(q, v, dt, forces)
    return Trajectory(positions, velocities)


@lru_cache(32)
def _step(given: Model, hold: tuple[Held, ...], passive: bool) -> CompiledFunction:
    model = canonical(given)

    def rate(q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        at = (JointVector(q, model.q_slices), JointVector(v, model.v_slices), JointVector(tau, model.v_slices))
        return list(constrained_dynamics(model, *at, hold=hold, passive=passive)[0])

    def step(q: Any, v: Any, dt: Scalar, tau: Any) -> Any:
        slopes: list[tuple[list[Scalar], list[Scalar]]] = []
        for part in (0.0, 0.5, 0.5, 1.0):
            if slopes:
                dq, dv = ([x * dt * part for x in k] for k in slopes[-1])
                at, moving = list(integrate(model, JointVector(q, model.q_slices), dq)), _plus(v, dv)
            else:
                at, moving = list(q), list(v)
            slopes.append((moving, rate(at, moving, tau)))
        mean = [[(a + 2.0 * b + 2.0 * c + d) * dt * (1.0 / 6.0) for a, b, c, d in zip(*k, strict=True)]
                for k in zip(*slopes, strict=True)]  # fmt: skip
        end = list(integrate(model, JointVector(q, model.q_slices), mean[0]))
        fast = _plus(v, mean[1])
        position = JointVector(end, model.q_slices)
        A = constraint_jacobian(model, position, hold=hold)
        slip = [-sum((x * y for x, y in zip(row, fast, strict=True)), 0.0) for row in A]
        change, _ = least_motion(model, position, [0.0] * model.nv, A, slip)
        rolled = _plus(fast, change)
        return end, rolled, end, rolled

    state = (Port("q", (model.nq,)), Port("v", (model.nv,)))
    identity = f"{given.fingerprint} rolling_rollout {hold} {passive}"
    return CompiledFunction(step, (*state, Port("dt", ()), Port("tau", (model.nv,))), (*state, *state), identity)


def _plus(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]
