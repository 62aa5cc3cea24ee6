"""Rollouts of what a file describes: its contacts, stops and actuators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sixvec.arguments import Array
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.model import Actuator
from sixvec.sim.adjoint import Loop
from sixvec.sim.contact_rollout import ACCEPTED as OF_LISTS
from sixvec.sim.contact_rollout import ContactTrajectory
from sixvec.sim.control import TracedLaw
from sixvec.sim.impulse_problem import Binding, ImpulseProblem
from sixvec.sim.impulse_step import ImpulseStep
from sixvec.sim.step_options import StepOptions

if TYPE_CHECKING:
    from sixvec.robot import Robot

MOST_SWEEPS = 50

ACCEPTED = 1e-3
"""The residual, in m/s, up to which a step counts as solved; sweeps go on to a tenth of it."""

PRECISION = 0.1

FINE = 1e-4
"""The same fraction where contacts are listed: what is left is rounding."""

NO_WRENCHES: tuple[Mapping[str, Array], Mapping[str, Array]] = ({}, {})


def file_rollout(
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    law: TracedLaw | None,
    passive: bool,
    start: tuple[Array, Array],
    controls: Array,
    dt: Array,
    binding: Binding | None = None,
    wrenches: tuple[Mapping[str, Array], Mapping[str, Array]] = NO_WRENCHES,
    flags: Sequence[Array] = (),
    fine: bool = False,
) -> ContactTrajectory:
    """A path with an entry per step of the controls (..., steps, nu), and of the second `wrenches` by frame.

    Frames that are held have `flags` (..., steps, entries).  `fine` steps go on until what is left is rounding.
    """
    width, steps, names = controls.shape[-1], controls.shape[-2], (tuple(wrenches[0]), tuple(wrenches[1]))
    key = (obstacles, actuators, law, passive, width, binding, names, fine)
    accepted, precision = (OF_LISTS, FINE) if fine else (ACCEPTED, PRECISION)
    step = impulse_step(robot, *key)
    loop = robot._kernels.stored(("impulse path", *key, steps), lambda: _loop(step, steps))
    dtype = np.result_type(*start, controls, dt)
    state = [np.zeros(p.shape, dtype) for p in step.state]
    state[:2] = start
    tolerance = np.array(accepted * precision, dtype)
    held, changing = (list(x.values()) for x in wrenches)
    path = loop(*state, np.asarray(dt, dtype), tolerance, *held, controls, *changing, *flags)
    return ContactTrajectory(*path[len(step.state) :], dt=dt, accepted=accepted)


def impulse_step(
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    law: TracedLaw | None,
    passive: bool,
    width: int,
    binding: Binding | None = None,
    wrenches: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    fine: bool = False,
) -> ImpulseStep:
    """A step with controls (width), made once for a robot."""

    def made() -> ImpulseStep:
        problem = ImpulseProblem(robot, obstacles, actuators, passive, binding=binding, spreads=fine)
        return ImpulseStep(problem, MOST_SWEEPS, law=law, width=width, wrenches=wrenches, fine=fine)

    key = (obstacles, actuators, law, passive, width, binding, wrenches, fine)
    step: ImpulseStep = robot._kernels.stored(("impulse step", *key), made)
    return step


def prepared_rollout(
    robot: Robot,
    options: StepOptions,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    arrays: Sequence[Array],
    each: int,
    fine: bool,
) -> ContactTrajectory:
    """A path with contacts: the arrays are those of `sixvec.sim.rollout_inputs.prepared`."""
    first = len(arrays) - each - len(options.pushed.held)
    q, v, dt = *arrays[:2], arrays[first - 1]  # the places of held frames are those of the first step
    held = arrays[first : len(arrays) - each]
    controls, *changing = arrays[len(arrays) - each :]
    flags = [changing.pop()] if options.flags else []
    frames = options.pushed
    wrenches = dict(zip(frames.held, held, strict=True)), dict(zip(frames.changing, changing, strict=True))
    for name in (*frames.held, *frames.changing):
        robot.model.frame(name)
    binding = Binding(options.hold, options.prescribed, frames.reference, options.flags, options.changing)
    start, law = (q, v), options.law
    return file_rollout(
        robot, obstacles, actuators, law, options.passive, start, controls, dt, binding, wrenches, flags, fine
    )


def _loop(step: ImpulseStep, steps: int) -> Loop:
    return Loop(step.staged(path=True), steps, len(step.state), each=step.each, name="rollout")
