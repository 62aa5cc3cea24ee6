"""Rollouts of what a file describes: its contacts, stops and actuators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sixvec.arguments import Array
from sixvec.constraints.contacts.contact import Contact, Obstacle
from sixvec.constraints.contacts.rows import turning_rows
from sixvec.errors import ArgumentError
from sixvec.model import Actuator, Model
from sixvec.sim.adjoint import Loop
from sixvec.sim.contact_rollout import ContactTrajectory
from sixvec.sim.control import TracedLaw
from sixvec.sim.impulse_problem import ImpulseProblem
from sixvec.sim.impulse_step import ImpulseStep
from sixvec.sim.step_options import StepOptions

if TYPE_CHECKING:
    from sixvec.robot import Robot

MOST_SWEEPS = 50

ACCEPTED = 1e-3
"""The residual, in m/s, up to which a step counts as solved; sweeps go on to a tenth of it."""

PRECISION = 0.1


def file_rollout(
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    law: TracedLaw | None,
    passive: bool,
    start: tuple[Array, Array],
    controls: Array,
    dt: Array,
) -> ContactTrajectory:
    """A path with an entry per step of the controls (..., steps, nu)."""
    width, steps = controls.shape[-1], controls.shape[-2]
    key = obstacles, actuators, law, passive, width
    step = impulse_step(robot, *key)
    loop = robot._kernels.stored(("impulse path", *key, steps), lambda: _loop(step, steps))
    dtype = np.result_type(*start, controls, dt)
    state = [np.zeros(p.shape, dtype) for p in step.state]
    state[:2] = start
    tolerance = np.array(ACCEPTED * PRECISION, dtype)
    path = loop(*state, np.asarray(dt, dtype), tolerance, controls)
    return ContactTrajectory(*path[len(step.state) :], dt=dt, accepted=ACCEPTED)


def impulse_step(
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    law: TracedLaw | None,
    passive: bool,
    width: int,
) -> ImpulseStep:
    """A step with controls (width), made once for a robot."""
    model = robot.model
    if model.is_constrained:
        raise ArgumentError(
            f'rollout: {model.name} has loops or wheels that roll; actuators="file" and limits= are for trees so far: '
            "give joint forces, and contacts as a list"
        )

    def made() -> ImpulseStep:
        return ImpulseStep(ImpulseProblem(robot, obstacles, actuators, passive), MOST_SWEEPS, law=law, width=width)

    step: ImpulseStep = robot._kernels.stored(("impulse step", obstacles, actuators, law, passive, width), made)
    return step


def resists_turning(obstacles: Sequence[Obstacle]) -> bool:
    """Whether contacts resist spinning or rolling."""
    return any(isinstance(c, Contact) and turning_rows(c) for c in obstacles)


def require_plain(model: Model, options: StepOptions) -> None:
    """Raise an error for what goes only with contacts that resist sliding alone."""
    pushed = options.pushed
    kinds = {
        "loops or wheels that roll": model.is_constrained,
        "hold=": bool(options.hold),
        "prescribed=": bool(options.prescribed),
        "external=": bool(pushed.held or pushed.changing),
    }
    for name, present in kinds.items():
        if present:
            raise ArgumentError(
                f"rollout: {name} goes with contacts of dimension 1 and 3, and one of {model.name} has 4 or 6"
            )


def _loop(step: ImpulseStep, steps: int) -> Loop:
    return Loop(step.staged(path=True), steps, len(step.state), each=1, name="rollout")
