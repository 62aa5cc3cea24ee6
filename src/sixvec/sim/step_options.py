"""The parts of a time step besides the robot: options, inputs, and the resulting acceleration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sixvec.algorithms.constrained_dynamics import acceleration_in_step, constrained_dynamics
from sixvec.algorithms.forward_dynamics import forward_dynamics
from sixvec.algorithms.hybrid_dynamics import hybrid_dynamics
from sixvec.algorithms.parts.constrained_motion import Acting
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.passive_forces import added, passive_forces
from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.sim.control import TracedLaw
from sixvec.sim.step_rows import StepRows
from sixvec.sim.timed import Timed

WRENCH = 6


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Timed):
    """Positions (..., steps, nq) and velocities (..., steps, nv) after each step, and the joint forces `tau` in it.

    A rollout whose loops open, whose state is no longer finite, that has more energy than the work done allows, or that
    reaches a state where branches of its motion meet and none is that of its velocity, stops
    there: `verdict` (...,) says why, `stopped` (...,) is the first step whose state is not valid, or -1, and the states
    are held from that step on.  Results on arrays of torch and JAX have positions and velocities only.
    """

    q: Array
    v: Array
    dt: Any = field(default=None, kw_only=True)
    """The time step, in seconds."""
    verdict: Any = field(default=None, kw_only=True)
    stopped: Any = field(default=None, kw_only=True)

    def __bool__(self) -> bool:
        """Whether all rollouts ran to their end."""
        return self.verdict is None or not bool(np.asarray(self.verdict).any())


class Pushed(NamedTuple):
    """Which frames external wrenches act on: constant ones, and those with an entry per step."""

    held: tuple[str, ...]
    changing: tuple[str, ...]
    reference: Reference


class StepOptions(NamedTuple):
    """The options that determine the program of a step, besides the robot."""

    integrator: str
    passive: bool
    prescribed: tuple[int, ...]
    pushed: Pushed
    law: TracedLaw | None
    width: int
    hold: tuple[Held, ...] = ()
    """Wheels that roll, and frames that are held."""
    flags: int = 0
    """How many of the last entries of `hold` have a flag in every step: 0 where one is off, 1 where it goes on, 2 where
    it begins."""
    changing: bool = False
    """Whether these are on for a part of the steps only."""

    def rows(self, robot: Model, on: Any = None, places: Any = ()) -> StepRows:
        """The constraint rows of a step."""
        return StepRows(robot, self.hold, self.prescribed, on, places)


def input_ports(options: StepOptions) -> tuple[Port, ...]:
    """The inputs of a step besides the state."""
    held, changing = ([Port(f"external[{name}]", (WRENCH,)) for name in names] for names in options.pushed[:2])
    flags = (Port("held", (options.flags,)),) if options.flags else ()
    return (Port("dt", ()), *held, Port("tau", (options.width,)), *changing, *flags)


def acceleration_of(
    robot: Model, options: StepOptions, tau: Any, external: Any, dt: Any = None, rows: StepRows | None = None
) -> Any:
    """a(q, v) under joint forces tau and external wrenches, and further forces given by a third argument.

    `rows` with places or flags replace the `hold` of the options.
    """
    wrenches = {"external": external, "external_reference": options.pushed.reference}
    acts, known = Acting(external, options.pushed.reference), options.prescribed

    def acceleration(q: Any, v: Any, held: Any = None) -> Any:
        passive = passive_forces(robot, q, v, coulomb=False) if options.passive else [0.0] * robot.nv
        force = added(added(tau, passive), held or [0.0] * robot.nv)
        if rows is not None and rows.on is not None:
            return rows.motion(q, v, force, [tau[i] for i in known], acts, dt)[0]
        if known:  # hybrid dynamics separates accelerations from forces
            return hybrid_dynamics(robot, q, v, tau, force, prescribed=known, hold=options.hold, **wrenches)[0]
        if dt is not None and (robot.closures or options.flags):
            return acceleration_in_step(robot, q, v, force, acts, options.hold, dt)
        if options.hold:
            return constrained_dynamics(robot, q, v, force, hold=options.hold, **wrenches)[0]
        return forward_dynamics(robot, q, v, force, **wrenches)

    return acceleration


def inputs_of(options: StepOptions, q: Any, v: Any, inputs: Any) -> tuple[Any, dict[str, Any]]:
    """The joint forces and the external wrenches of a step, from its inputs after dt (`input_ports`)."""
    pushed, law = options.pushed, options.law
    constant = len(pushed.held)
    inputs = inputs[:-1] if options.flags else inputs
    wrenches = (*inputs[:constant], *inputs[constant + 1 :])
    external = dict(zip((*pushed.held, *pushed.changing), wrenches, strict=True))
    return inputs[constant] if law is None else law(q, v, inputs[constant]), external


def acting(
    model: Model, options: StepOptions, q: Any, v: Any, inputs: Any, dt: Any = None, rows: StepRows | None = None
) -> Any:
    """The acceleration, as in `acceleration_of`, for the inputs of a step."""
    return acceleration_of(model, options, *inputs_of(options, q, v, inputs), dt, rows)
