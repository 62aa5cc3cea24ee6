"""The inputs of a rollout, checked: options of a step, and arrays with an entry per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.hybrid_dynamics import coordinates
from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.arguments import Array, require_shape, wrenches_by_frame
from sixvec.compiler.call import as_array
from sixvec.compiler.input_checks import are_checked
from sixvec.constraints.closed_state import require_closed
from sixvec.errors import ArgumentError, DtypeError, ShapeError, unknown
from sixvec.kernels import Port
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.model.wrong_positions import require_unit_quaternions, warn_of_degrees
from sixvec.sim.control import Control, traced_law
from sixvec.sim.hold_schedule import Hold, hold_schedule, require_rolling
from sixvec.sim.integrators import DEFAULT, INTEGRATORS, UNDRIVEN
from sixvec.sim.step_options import WRENCH, Pushed, StepOptions
from sixvec.sim.touch_down import places_size

if TYPE_CHECKING:
    from sixvec.robot import Robot


def prepared(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    steps: int | None,
    external: Mapping[str, Any] | None,
    integrator: str,
    passive: bool,
    control: Control | None,
    external_reference: Reference,
    prescribed: Sequence[str | int],
    touching: bool,
    hold: Hold | None = None,
    holding: ArrayLike | None = None,
    actuators: int = 0,
) -> tuple[StepOptions, int, int, tuple[Array, ...]]:
    """The options of a step, the number of steps, how many inputs have an entry for each, and all inputs, checked.

    With `actuators`, tau has controls for so many.
    """
    check_options(robot.model, integrator, passive, control, external_reference, touching=touching)
    known = _prescribed(robot, prescribed, integrator)
    inputs = each_step(as_real(tau, "tau"), steps, actuators or robot.nv if control is None else None)
    steps, width = inputs.shape[-2:]
    if not steps:
        raise ArgumentError(f"rollout: tau has shape {tuple(inputs.shape)}, which is no step at all; give one or more")
    scheduled = hold_schedule(robot, hold, holding, steps)
    held, changing = _wrenches(external, steps)
    start = (as_real(q, "q"), as_real(v, "v"))
    require_start(robot, *start, scheduled.always)
    arrays = (*start, inputs, *held.values(), *changing.values())
    seconds = time_step(dt, single=all(x.dtype == np.float32 for x in arrays))
    pushed = Pushed(tuple(held), tuple(changing), external_reference)
    returned = "joint forces and prescribed accelerations" if known else "joint forces"
    law = None if control is None else traced_law(control, robot.model, width, returned)
    flags = len(scheduled.flagged)
    options = StepOptions(
        integrator, passive, known, pushed, law, width, scheduled.hold, flags, bool(flags) and scheduled.changing
    )
    whole = (seconds, *held.values(), inputs, *changing.values())
    if not flags:
        return options, steps, 1 + len(changing), (*start, *whole)
    dtype = np.result_type(*start, *whole)
    places, on = np.zeros(places_size(options), dtype), np.asarray(scheduled.flags, dtype)
    return options, steps, 2 + len(changing), (*start, places, *whole, on)


def require_start(robot: Robot, q: Array, v: Array, rolling: tuple[Held, ...]) -> None:
    """Raise an error for a start with open loops or slipping wheels; NaN where its values are not known."""
    if are_checked():
        require_unit_quaternions(robot.model, q, "rollout: q")
    warn_of_degrees(robot.model, q)
    require_closed(robot, q, v)
    require_rolling(robot, rolling, q, v)


def each_step(tau: Array, steps: int | None, width: int | None) -> Array:
    """The joint forces of each step (..., steps, width); with `steps` given, constant ones."""
    hint = "for a force that stays the same give steps=" if steps is None and tau.ndim == 1 else ""
    axes = ("steps",) if steps is None else ()
    require_shape("rollout: tau", tau, *axes, width or "inputs of the control law", why=hint)
    if steps is None:
        return tau
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool) or steps < 1:
        raise ArgumentError(f"rollout: steps must be a whole number from 1, not {steps!r}")
    return np.repeat(tau[..., None, :], int(steps), axis=-2)


def check_options(
    model: Model, integrator: Any, passive: Any, control: Any, external_reference: Any, touching: bool
) -> None:
    if not isinstance(integrator, str) or integrator not in INTEGRATORS:
        raise ArgumentError("rollout: " + unknown("integrator", integrator, sorted(INTEGRATORS)))
    if not isinstance(passive, bool):
        raise ArgumentError(f"rollout: passive must be True or False, not {passive!r}")
    if touching and integrator not in (DEFAULT, "semi_implicit_euler"):
        raise ArgumentError(f"rollout: contacts take steps of their own; {integrator} has none for impacts")
    if control is not None and not callable(control):
        raise ArgumentError(
            f"rollout: control must be a function of (q, v, u) that returns {model.nv} joint forces, not a "
            f"{type(control).__name__}"
        )
    check_reference(external_reference)


def _prescribed(robot: Robot, prescribed: Any, integrator: str) -> tuple[int, ...]:
    """The coordinates of v that are driven by acceleration, checked as the method for hybrid dynamics does."""
    try:
        kernel = robot.kernel("hybrid_dynamics", prescribed=prescribed)
    except ArgumentError as problem:
        raise ArgumentError(f"rollout: {problem}") from None
    known = tuple(sorted(coordinates(robot.model, kernel.options["prescribed"])))
    if known and integrator in UNDRIVEN:
        others = ", ".join(sorted(set(INTEGRATORS) - UNDRIVEN))
        raise ArgumentError(
            f"rollout: {integrator} steps momenta, so it cannot keep prescribed accelerations; integrators that can: "
            f"{others}"
        )
    return known


def as_real(x: Any, name: str) -> Array:
    """`x` as an array of real numbers, of any shape."""
    return as_array(x, Port(name, ()), "rollout")


def time_step(dt: Any, single: bool) -> Array:
    """`dt` as an array; a plain number has the precision of the other arrays."""
    try:
        step = as_real(dt, "dt")
    except (ShapeError, DtypeError):
        raise DtypeError(
            f"rollout: dt is {dt!r}; a time step must be a number of seconds, or an array with one for each rollout"
        ) from None
    if not np.all(np.isfinite(step) & (step > 0.0)):
        raise ArgumentError(f"rollout: dt is {dt}; a time step must be positive and finite, in seconds")
    return step.astype(np.float32) if single and isinstance(dt, float | int) else step


def _wrenches(external: Mapping[str, Any] | None, steps: int) -> tuple[dict[str, Array], dict[str, Array]]:
    """The constant wrenches (..., 6), and those with an entry per step (..., steps, 6)."""
    held: dict[str, Array] = {}
    changing: dict[str, Array] = {}
    for name, value in wrenches_by_frame("rollout", external).items():
        wrench = as_real(value, f'the wrench on "{name}"')
        per_step = wrench.shape[-2] if wrench.ndim > 1 else 1
        if wrench.shape[-1:] != (WRENCH,) or per_step not in (1, steps):
            raise ShapeError(
                f'rollout: the wrench on "{name}" has shape {wrench.shape}, but (6,) or (..., {steps}, 6) is needed'
            )
        if wrench.ndim > 1 and per_step == steps:
            changing[name] = wrench
        else:
            held[name] = wrench if wrench.ndim == 1 else wrench[..., 0, :]
    return held, changing
