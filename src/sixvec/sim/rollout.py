"""Forward simulation of whole trajectories in one compiled loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, require_shape
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.constraints.contacts.file_contacts import obstacles_of
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.portable import as_one_array, interop, library_of, one_library
from sixvec.model import Actuator, Model
from sixvec.model.spanning_tree import without_rolling
from sixvec.sim.actuators import file_actuators
from sixvec.sim.applied_forces import AppliedForces
from sixvec.sim.contact_rollout import ContactTrajectory
from sixvec.sim.control import Control, traced_law
from sixvec.sim.driving import Driving, forces_in_steps
from sixvec.sim.file_rollout import prepared_rollout
from sixvec.sim.followed_contacts import followed_rollout, without_values
from sixvec.sim.hold_schedule import Hold
from sixvec.sim.integrators import DEFAULT
from sixvec.sim.outcome import Run
from sixvec.sim.passages import Passages, has_change_points
from sixvec.sim.rollout_inputs import as_real, check_options, each_step, prepared, require_start, time_step
from sixvec.sim.step_options import StepOptions, Trajectory
from sixvec.sim.time_step import loop_of, step_kernel
from sixvec.sim.weightless_starts import weightless_starts

if TYPE_CHECKING:
    from sixvec.robot import Robot


def rollout(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | Driving,
    dt: ArrayLike,
    *,
    steps: int | None = None,
    integrator: str = DEFAULT,
    passive: bool | None = None,
    control: Control | None = None,
    external: Mapping[str, Any] | None = None,
    external_reference: Reference = "local",
    prescribed: Sequence[str | int] = (),
    contacts: Sequence[Obstacle] | Literal["file", "floor"] | None = None,
    actuators: Literal["file"] | None = None,
    limits: bool = False,
    hold: Hold | None = None,
    holding: ArrayLike | None = None,
) -> Trajectory | ContactTrajectory:
    """Simulate from (q, v) under the joint forces tau (..., steps, nv), each held for a time step of `dt` seconds.

    With `steps`, tau (..., nv) has no axis of steps and is constant for that many steps.  It may be a motion of
    `sixvec.motion`, whose joint forces in the middle of each step act until it ends.
    All arrays may have batch axes: one call runs any number of rollouts, in SIMD lanes and threads, without Python
    between the steps.  `integrator` is a key of `INTEGRATORS`; with `passive`, damping, friction and springs of the
    joints act, and Coulomb friction makes a joint stick while its limit allows (`sixvec.sim.friction`).  A `control`
    law maps the arrays q, v and the entry of `tau` at the start of each step into joint forces, held for the step as a
    digital controller would; `tau` may then have any last axis.  It may use NumPy's functions and methods of the robot.
    The law is run once on symbols in every call, so values that it reads from objects and globals are current; only a
    law that has changed is recompiled.  Numbers that change often belong in `tau`, which needs no compilation.
    `external` wrenches are keyed by frame name as in `forward_dynamics`: (6,) for a constant one, or
    (..., steps, 6) with an entry per step; the axis of steps may have length one.  They act at each position that the
    integrator evaluates, so a wrench in world axes keeps its direction while the robot turns.
    `prescribed` names joints or coordinates of v, as in `hybrid_dynamics`, that are driven by acceleration: their
    entries of `tau`, or of the result of the law, are accelerations, constant over the step, and the force follows.
    Loops of the robot are respected: their forces act, and after each step the state is projected back to
    closed loops with every integrator; a start with an open loop raises an error.  The loops do no work: the energy
    error is that of the integrator in independent coordinates.  With rk4 it is of fourth order, with symplectic_euler
    it oscillates, with euler and semi_implicit_euler it grows.  `contacts` are those of
    `sixvec.constraints.contacts`: shapes that may touch, and joint stops; steps are then those of Moreau
    (`sixvec.sim.impulse_step`), and the result is a `ContactTrajectory`.  With "file" they are those of the file,
    with "floor" the last links of each limb above a floor at z = 0.  `limits` adds the stops of all joints with
    limits, and with `actuators="file"` tau has a control for each actuator of the file.  These three make
    the joints passive as the file says, unless `passive` is False.  All steps with contacts are implicit in damping and
    stiffness.  On arrays of torch and JAX rollouts with contacts have derivatives, too, but no `external` wrenches,
    `prescribed` joints and `hold`.
    `hold` keeps frames in place, as in `constrained_dynamics`: a dictionary from a frame, or a pair of frames, to
    "point", "weld", directions, or `sixvec.mobile.Rolling`.  A frame stays where it is when its hold begins, to the
    accuracy of closed loops.  For feet that come and go `hold` is a list of (start, stop, dictionary), from one step on
    and before another, or `holding` (..., steps, frames) has booleans that say in which steps each frame of the
    dictionary is held; samples of a batch may differ.  Where a hold begins, an impact takes the frame's velocity,
    v + M⁻¹ Aᵀ p, by which the energy never grows; where it ends, the frame goes on with its velocity.  Wheels that roll
    throughout must not slip at the start, and those of a mobile robot always roll.  float32 arrays give float32
    results, with `dt` any plain number.

    >>> import numpy, sixvec
    >>> from sixvec.sim import rollout
    >>> robot = sixvec.load("double_pendulum")
    >>> path = rollout(robot, [1.0, 0.0], [0.0, 0.0], numpy.zeros((500, 2)), 0.002, integrator="rk4")
    >>> path.q.shape
    (500, 2)
    >>> rollout(robot, [1.0, 0.0], [0.0, 0.0], [0.1, 0.0], 0.002, steps=300).q.shape
    (300, 2)
    >>> goal, law = [0.5, 0.0], lambda q, v, u: 40.0 * (u - q) - 8.0 * v + robot.gravity_forces(q)
    >>> rollout(robot, [1.0, 0.0], [0.0, 0.0], goal, 0.002, steps=2000, control=law).q[-1].round(2).tolist()
    [0.5, 0.0]
    >>> energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    >>> bool(numpy.ptp(energy) < 1e-8)
    True
    """
    tau = forces_in_steps(tau, dt, steps)
    arguments: list[tuple[str, Any]] = [("q", q), ("v", v), ("tau", tau), ("dt", dt)]
    arguments += [(f"external[{k}]", x) for k, x in external.items()] if isinstance(external, Mapping) else []
    named = {name: as_one_array("rollout", name, x) for name, x in arguments}
    library = one_library("rollout", named.items())
    of_file = isinstance(contacts, str) or actuators is not None or limits is not False
    touching = of_file or contacts is not None
    if touching and library is not None:
        others: dict[str, Any] = {
            "external": external,
            "prescribed": prescribed or None,
            "hold": hold,
            "holding": holding,
        }
        unused = [name for name, x in others.items() if x is not None]
        if unused:
            raise ArgumentError(f"rollout: {unused[0]}= does not go with contacts of tensors")
    if passive is None:
        passive = of_file and (contacts is None or isinstance(contacts, str))
    if touching and library is not None:
        return _in_contact(library, robot, named, steps, integrator, passive, control, contacts, actuators, limits)
    options = (integrator, passive, control, external_reference, prescribed, touching, hold, holding)
    if library is not None:
        return _in_kind(library, robot, named, steps, external, options)
    acts = _actuators(robot, actuators, control, prescribed)
    step, count, each, arrays = prepared(robot, q, v, tau, dt, steps, external, *options, len(acts))
    model = without_rolling(robot.model)  # the options of the step have the wheels
    applied = AppliedForces(model, step, arrays, touching)
    if touching:
        obstacles = obstacles_of(robot, contacts, limits, "rollout")
        if not (obstacles or of_file or passive):
            raise ArgumentError("rollout: contacts is empty; leave it out for a robot that touches nothing")
        path = prepared_rollout(robot, step, obstacles, acts, arrays, each, fine=not of_file)
        return path.of(robot, (lambda q, v: None) if acts else applied)
    loop = loop_of(step_kernel(model, step), count, each)
    path = loop(*arrays)[loop.carried :]
    lost = _past_change_points(robot, step, count, each, arrays, path)
    weightless = weightless_starts(robot, step, arrays[0])
    q_path, v_path, *gap = path
    only_joints = (
        control is None and external is None and not step.prescribed and not _stores_energy(robot.model, passive)
    )
    (q0, v0), h = arrays[:2], arrays[loop.carried]
    forces = arrays[-each] if only_joints else None
    outcome = Run(robot, q0, v0, q_path, v_path, h, forces, gap[0] if gap else None, lost, weightless).outcome()
    trajectory = Trajectory(outcome.q, outcome.v, dt=h, verdict=outcome.verdict, stopped=outcome.stopped)
    return trajectory.of(robot, applied)


def _actuators(robot: Robot, actuators: Any, control: Any, prescribed: Any = ()) -> tuple[Actuator, ...]:
    """Those of the file, or none."""
    if actuators is None:
        return ()
    if actuators != "file":
        raise ArgumentError("rollout: " + unknown("kind of actuators", actuators, ("file",)))
    if control is not None:
        raise ArgumentError("rollout: control= returns joint forces; with actuators= give controls as tau")
    if prescribed:
        raise ArgumentError(
            "rollout: prescribed= takes accelerations as tau, and actuators= controls; give one of them"
        )
    return file_actuators(robot)


def _in_contact(
    library: str, robot: Robot, named: dict[str, Any], steps: int | None, integrator: Any, passive: Any,
    control: Any, contacts: Any, actuators: Any, limits: Any,
) -> ContactTrajectory:  # fmt: skip
    """A rollout with contacts, stops or actuators on arrays of another library."""
    q, v, tau, dt = without_values(library, named, steps)
    check_options(robot.model, integrator, passive, control, "local", touching=True)
    acts = _actuators(robot, actuators, control)
    obstacles = obstacles_of(robot, contacts, limits, "rollout")
    wanted = None if control is not None else len(acts) if acts else robot.nv
    controls = each_step(as_real(tau, "tau"), steps, wanted)
    model, start = robot.model, (as_real(q, "q"), as_real(v, "v"))
    require_shape("rollout: q", start[0], model.nq)
    require_shape("rollout: v", start[1], model.nv)
    require_start(robot, *start, model.rolling)
    time_step(dt, single=all(x.dtype == np.float32 for x in (*start, controls)))
    law = None if control is None else traced_law(control, model, controls.shape[-1], "joint forces")
    return followed_rollout(robot, obstacles, acts, law, passive, named, controls.shape[-2])


def _past_change_points(
    robot: Robot, options: StepOptions, count: int, each: int, arrays: Sequence[Array], path: Sequence[Array]
) -> NDArray[np.bool_] | None:
    """The steps (..., steps) after which the branch of the motion is not known; repeats rollouts near change points."""
    model = without_rolling(robot.model)
    if not has_change_points(model) or not path[0].size:
        return None
    batch, n = path[0].shape[:-2], math.prod(path[0].shape[:-2])
    loop = loop_of(step_kernel(model, options), count, each)
    inputs = [
        np.broadcast_to(x, batch + p.shape).reshape(n, *p.shape) for x, p in zip(arrays, loop.inputs, strict=True)
    ]

    def run(other: Model, given: Sequence[Array]) -> Sequence[Array]:
        return loop_of(step_kernel(other, options), count, each).call(*given)[2:]  # type: ignore[no-any-return]

    flat = [x.reshape(n, *x.shape[-2:]) for x in path[:2]]
    passages = Passages(robot, None if options.hold else run, inputs, inputs[loop.carried], options.prescribed)
    return passages.through(flat).reshape(*batch, count)


def _stores_energy(model: Model, passive: bool) -> bool:
    """Whether springs, friction laws or fluids do work besides joint forces and gravity."""
    return passive and bool(model.passive or any(b.dynamics.stiffness for b in model.bodies))


def _in_kind(
    library: str,
    robot: Robot,
    named: dict[str, Any],
    steps: int | None,
    external: Mapping[str, Any] | None,
    options: tuple[Any, ...],
) -> Trajectory:
    """A rollout on arrays of another library, checked as far as their values are known, with derivatives."""
    foreign = interop(library)
    wrenches = None if external is None else {k: foreign.placeholder(named[f"external[{k}]"], own=2) for k in external}
    q, v = (foreign.placeholder(named[name], own=1) for name in ("q", "v"))
    tau = foreign.placeholder(named["tau"], own=2 if steps is None else 1)
    dt = foreign.placeholder(named["dt"], 1.0, own=0)
    step, count, each, arrays = prepared(robot, q, v, tau, dt, steps, wrenches, *options)
    loop = loop_of(step_kernel(without_rolling(robot.model), step), count, each)
    named = {name: x for name, x in named.items() if library_of(x) is not None}  # lists and numbers as in NumPy
    if steps is not None and "tau" in named:
        named["tau"] = named["tau"][..., None, :]
    pairs = [(named.get(p.name, x), x) for p, x in zip(loop.inputs, arrays, strict=True)]
    return Trajectory(*foreign.rollout(loop, pairs))
