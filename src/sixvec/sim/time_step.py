"""A time step of a rollout as a compiled function, and the loop over many of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sixvec.kernels import Compiled, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.sim.adjoint import Loop
from sixvec.sim.bounded_step import bounded_step
from sixvec.sim.closing import closing
from sixvec.sim.friction import friction_in_step
from sixvec.sim.integrators import DEFAULT, INTEGRATORS
from sixvec.sim.projection import projected
from sixvec.sim.step_options import StepOptions, acceleration_of, input_ports, inputs_of
from sixvec.sim.touch_down import begun, places_size
from sixvec.spatial.norm import largest_size

PLACES = "places"
"""The input with the places of held frames."""

_KEPT = 128
"""Number of cached steps and loops: a control law that changes would otherwise accumulate programs."""


@lru_cache(maxsize=_KEPT)
def loop_of(step: Compiled, steps: int, each: int) -> Loop:
    """`steps` steps from (q, v), and the places of held frames, with an entry per step of the last `each` inputs."""
    carried = 3 if any(p.name == PLACES for p in step.inputs) else 2
    return Loop(step, steps, carried, each, name="rollout")


@lru_cache(maxsize=_KEPT)
def step_kernel(model: Model, options: StepOptions) -> Compiled:
    """One time step as a compiled function of (q, v, places, dt, constant wrenches, tau, variable wrenches, flags).

    Without held frames there are no places and no flags.
    """
    integrator, pushed = options.integrator, options.pushed
    robot = canonical(model)
    for name in (*pushed.held, *pushed.changing):
        model.frame(name)

    def step(q: Any, v: Any, *given: Any) -> Any:
        places, dt, *inputs = given if options.flags else ([], *given)
        forces = inputs_of(options, q, v, inputs)
        rows = options.rows(robot)
        if options.flags:
            rows, v, places = begun(robot, options, q, v, inputs[-1], places)
        if integrator == DEFAULT:
            q1, v1 = bounded_step(robot, options, rows, q, v, dt, *forces)
            return (q1, v1, places, q1, v1, largest_size(rows.gap(q1))) if options.flags else (q1, v1, q1, v1)
        acceleration = acceleration_of(robot, options, *forces, dt, rows)
        held = friction_in_step(rows, options, q, v, dt, acceleration)

        def slope(q_stage: Any, v_stage: Any) -> Any:
            """Of a stage, at the nearest closed state: next to it, dependent rows may become independent."""
            if rows.keep_positions and q_stage is not q:
                q_stage, v_stage = projected(rows, q_stage, v_stage, rounds=1, dt=dt)
            a = acceleration(q_stage, v_stage, held)
            if rows.keep_positions and integrator == "semi_implicit_euler":
                return closing(rows, q_stage, v_stage, dt, a)
            return a

        q1, v1 = INTEGRATORS[integrator](robot, q, v, dt, slope, rows)
        if robot.closures or options.hold:
            q1, v1 = projected(rows, q1, v1, dt=dt)
        if not options.flags:
            return q1, v1, q1, v1
        return q1, v1, places, q1, v1, largest_size(rows.gap(q1))

    state: tuple[Port, ...] = (Port("q", (model.nq,)), Port("v", (model.nv,)))
    results = state
    if options.flags:
        state, results = (*state, Port(PLACES, (places_size(options),))), (*state, Port("gap", ()))
    compiled = CompiledFunction(
        step, (*state, *input_ports(options)), (*state, *results), f"{model.fingerprint} step {options}"
    )
    compiled.needs_double = bool(model.closures or options.hold)
    return compiled
