"""Forward simulation of whole trajectories in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.forward_dynamics import forward_dynamics
from sixvec.compiler.call import Compiled
from sixvec.compiler.iteration import iterated
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, ShapeError, unknown
from sixvec.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.sim.integrators import INTEGRATORS

if TYPE_CHECKING:
    from sixvec.robot import Robot

Array = NDArray[np.floating[Any]]
Control = Callable[[Any, Any, Any], Any]
"""A control law on scalars: joint forces from (q, v, u), u being this step's entry of the inputs."""


class Trajectory(NamedTuple):
    """Positions (..., steps, nq) and velocities (..., steps, nv) after each step."""

    q: Array
    v: Array


def rollout(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    *,
    integrator: str = "semi_implicit_euler",
    passive: bool = False,
    control: Control | None = None,
) -> Trajectory:
    """Simulate from (q, v) under the joint forces tau (..., steps, nv), each held for a time step of `dt` seconds.

    All arrays may have batch axes: one call runs any number of rollouts, in SIMD lanes and threads, without Python
    between the steps.  `integrator` is a key of `INTEGRATORS`; with `passive`, damping, friction and springs of the
    joints act.  A `control` law, written like an algorithm, turns the state and the entry of `tau` at the start of each
    step into joint forces, held for the step as a digital controller would; `tau` may then have any last axis.
    Arrays of float32 give float32 results, whatever plain number `dt` is.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("double_pendulum")
    >>> path = rollout(robot, [1.0, 0.0], [0.0, 0.0], numpy.zeros((500, 2)), 0.002, integrator="rk4")
    >>> path.q.shape
    (500, 2)
    >>> energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    >>> bool(numpy.ptp(energy) < 1e-8)
    True
    """
    if integrator not in INTEGRATORS:
        raise ArgumentError(unknown("integrator", integrator, sorted(INTEGRATORS)))
    try:
        inputs = np.asarray(tau)
    except ValueError as problem:
        raise ShapeError(f"rollout: tau is not an array: {problem}") from None
    if inputs.ndim < 2 or (control is None and inputs.shape[-1] != robot.nv):
        width = robot.nv if control is None else "inputs of the control law"
        raise ShapeError(f"rollout: tau has shape {inputs.shape}, but (..., steps, {width}) is needed")
    if not np.all(np.isfinite(dt) & (np.asarray(dt) > 0.0)):
        raise ArgumentError(f"rollout: dt is {dt}; a time step must be positive, in seconds")
    if isinstance(dt, float | int):  # a plain number has no precision of its own
        dt = np.asarray(dt, np.result_type(inputs, np.asarray(q), np.asarray(v), np.float32))
    steps, width = inputs.shape[-2:]
    step = step_kernel(robot.model, integrator, passive, control, width)
    _, _, positions, velocities = iterated(step, steps, 2, 1).call(q, v, dt, tau)
    return Trajectory(positions, velocities)


@lru_cache(maxsize=128)
def step_kernel(model: Model, integrator: str, passive: bool, control: Control | None, width: int) -> Compiled:
    """One time step as a compiled function of (q, v, dt, tau)."""
    robot = canonical(model)

    def step(q: Any, v: Any, dt: Any, u: Any) -> Any:
        tau = u if control is None else control(q, v, u)
        if len(tau) != robot.nv:
            raise ShapeError(f"rollout: the control law returned {len(tau)} joint forces; {robot.nv} are needed")

        def acceleration(q: Any, v: Any) -> Any:
            return forward_dynamics(robot, q, v, tau, passive=passive)

        q1, v1 = INTEGRATORS[integrator](robot, q, v, dt, acceleration)
        return q1, v1, q1, v1

    identity = "" if control is not None else f"{model.fingerprint} step {integrator} {passive}"
    state = (Port("q", (model.nq,)), Port("v", (model.nv,)))
    return CompiledFunction(step, (*state, Port("dt", ()), Port("tau", (width,))), (*state, *state), identity)
