"""The joint forces of each step of a rollout, from its path: those given, or what the control law returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.algorithms.hybrid_dynamics import hybrid_dynamics
from sixvec.algorithms.parts.constrained_motion import Acting
from sixvec.algorithms.passive_forces import added, passive_forces
from sixvec.arguments import Array
from sixvec.kernels import Compiled, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import where
from sixvec.sim.friction import friction_in_step, friction_limits
from sixvec.sim.step_options import StepOptions, acceleration_of, input_ports, inputs_of
from sixvec.sim.touch_down import begun, places_size


@dataclass(frozen=True, eq=False)
class AppliedForces:
    """The inputs of a rollout: of them and its path, `__call__` makes the joint forces (..., steps, nv)."""

    model: Model
    options: StepOptions
    arrays: Sequence[Array]
    """As `rollout` passes them to its loop: start, time step, constant wrenches, inputs and wrenches of each step."""
    touching: bool
    """Whether there are contacts, whose forces are not known here."""

    def __call__(self, q: Array, v: Array) -> Array | None:
        options, constant = self.options, len(self.options.pushed.held)
        (q0, v0), rest = self.arrays[:2], self.arrays[3 if options.flags else 2 :]  # places are not needed
        dt, held, each = rest[0], rest[1 : 1 + constant], rest[1 + constant :]
        if options.prescribed and self.touching:
            return None
        if options.law is None and not options.prescribed:
            return np.broadcast_to(each[0], (*q.shape[:-1], options.width))
        before = (_before(q, q0), _before(v, v0))
        wrenches = [x[..., None, :] for x in held]
        forces: Array = _forces(self.model, options).call(*before, np.asarray(dt)[..., None], *wrenches, *each)
        return forces


def _before(path: Array, start: Array) -> Array:
    """The states at the start of each step."""
    first = np.broadcast_to(start, (*path.shape[:-2], path.shape[-1]))[..., None, :]
    return np.concatenate([first.astype(path.dtype), path[..., :-1, :]], axis=-2)


@lru_cache(maxsize=32)
def _forces(model: Model, options: StepOptions) -> Compiled:
    """Joint forces as a kernel function of (q, v, dt, constant wrenches, tau, variable wrenches)."""
    robot, prescribed = canonical(model), options.prescribed

    def forces(q: Any, v: Any, dt: Any, *inputs: Any) -> Any:
        tau, external = inputs_of(options, q, v, inputs)
        if not prescribed:
            return tau
        rows = options.rows(robot)
        if options.flags:
            rows, v, _ = begun(robot, options, q, v, inputs[-1], [0.0] * places_size(options))
        passive = passive_forces(robot, q, v, coulomb=False) if options.passive else [0.0] * robot.nv
        friction = friction_in_step(rows, options, q, v, dt, acceleration_of(robot, options, tau, external, dt, rows))
        others = added(passive, friction or [0.0] * robot.nv)
        wrenches = {"external": external, "external_reference": options.pushed.reference}
        force = added(tau, others)
        if rows.on is None:
            total = hybrid_dynamics(robot, q, v, tau, force, prescribed=prescribed, hold=options.hold, **wrenches)[1]
        else:
            acts = Acting(external, options.pushed.reference)
            known = rows.motion(q, v, force, [tau[i] for i in prescribed], acts, dt)[1]
            total = list(force)
            for i, x in zip(prescribed, known, strict=True):
                total[i] = force[i] + x
        braked = _driven_friction(robot, v, dt, tau) if options.passive else [0.0] * robot.nv
        return [total[i] - others[i] - braked[i] if i in prescribed else x for i, x in enumerate(tau)]

    state = (Port("q", (model.nq,)), Port("v", (model.nv,)))
    outputs = (Port("tau", (model.nv,)),)
    kernel = CompiledFunction(forces, (*state, *input_ports(options)), outputs, f"{model.fingerprint} forces {options}")
    kernel.needs_double = bool(model.closures or options.hold)
    return kernel


def _driven_friction(robot: Model, v: Any, dt: Any, a: Any) -> list[Any]:
    """Coulomb friction of joints with accelerations a, which the step leaves to their drives: against the motion."""
    after = [x + dt * y for x, y in zip(v, a, strict=True)]
    limits = friction_limits(robot)
    return [where(x > 0.0, -f, where(x < 0.0, f, 0.0)) if f else 0.0 for x, f in zip(after, limits, strict=True)]
