"""Several tasks and limits in one quadratic program per step, for batches of states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import (
    Array,
    common_batch,
    number_for_each,
    number_from_zero,
    positive_number,
    whole_number,
)
from sixvec.arguments.answering import OF_STACKS, Answering
from sixvec.arguments.binding import named_arguments
from sixvec.distance.world import World
from sixvec.errors import ArgumentError, unknown
from sixvec.lazy import lazy
from sixvec.model.actuation import has_motor
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.tasks import followed_steps
from sixvec.tasks.acceleration_step import AccelerationStep
from sixvec.tasks.clearance import Clearance
from sixvec.tasks.dynamic_program import DynamicProgram
from sixvec.tasks.held import ClosedLoops
from sixvec.tasks.levels import StepProgram
from sixvec.tasks.libraries import checked_array, common_library, whole_numbers, with_steps
from sixvec.tasks.one_sample import OneSample
from sixvec.tasks.pose_check import require_target_poses
from sixvec.tasks.step import Step
from sixvec.tasks.task import Shape, Task

_FIRST = [(..., 0, *[slice(None)] * axes) for axes in (1, 1, 0, 0, 1, 1, 2, 1, 1, 2)]
"""Of results with an axis of steps, the first step."""


ORDERS = ("velocity", "acceleration")


class Stack(Answering):
    """Tasks of a robot, with weights, priorities and limits; a call makes one step.

    `limits` are those of positions and velocities, True for the robot's, False for none; `acceleration` is one number
    or one for each coordinate of v.  With it the previous velocity matters, and no position limit ever needs more to
    stop before it.  Loops of the robot stay closed.

    `clearance=(world, margin)` keeps all pairs of `robot.distances(q, world)` at least the margin (m) apart; the world
    may be None, for the robot alone.  Obstacles may move between calls; targets under their names, poses (4, 4), move
    them instead within `follow` or give each sample its own.  Gaps are linear in each step: a motion along a surface
    may come nearer by what is of second order, some hundredths of a millimetre for steps of a centimetre.  Robots that
    are too near to something move away.

    Where a step cannot do what its tasks ask for, because of a limit or out of reach, a second program of the same kind
    adds how the rows of the tasks turn with the position: steps are then those of Newton's method, and motions come to
    rest instead of jumping to and fro.  Joints without a speed limit then turn by half a radian in one step, at most.
    `damping=0` leaves all this out, and takes two thirds of the time.  With limits of the acceleration joints brake in
    time for the end of their motions.

    With `order="acceleration"` a step returns accelerations `a`, joint forces `tau` within the effort limits and the
    wrenches `force` on held frames, which satisfy the equations of motion; `v` is then needed.  Errors decay by `gain`
    in each step without overshooting, as with a critically damped spring.  `Held(frame, friction=…, points=…)` pushes
    only, within a pyramid of friction.

    Each step minimises Σ weight² |J v - b|² over the tasks of the first priority, then of the next among the
    velocities that do as well, all within limits and hard tasks.  The first call compiles the step.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import tasks
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> stack = tasks.Stack(arm, tasks.Frame("panda_link8", directions="xyz"), tasks.Posture(q, weight=1e-3))
    >>> goal = arm.pose(q, "panda_link8")
    >>> goal[0, 3] += 1.0                                   # too far for one step
    >>> step = stack(q, {"panda_link8": goal}, dt=0.01)
    >>> step, step.binding[0]
    (<Step: solved, v (7,)>, 'joint panda_joint2: speed limit')
    """

    _instead = OF_STACKS

    def __init__(
        self,
        robot: Robot,
        *tasks: Task,
        limits: bool = True,
        acceleration: ArrayLike | None = None,
        clearance: tuple[World | None, float] | None = None,
        damping: float = 1.0,
        order: Literal["velocity", "acceleration"] = "velocity",
    ) -> None:
        if not isinstance(robot, Robot):
            raise ArgumentError(f"Stack: the first argument is a robot, not a {type(robot).__name__}")
        if not tasks:
            raise ArgumentError("Stack has no task; add for example tasks.Frame(frame) or tasks.Posture(q)")
        for task in tasks:
            if not hasattr(task, "rows") or isinstance(task, type):
                raise ArgumentError(f"Stack: {task!r} is not a task; sixvec.tasks has Frame, CenterOfMass, Posture, …")
        if not isinstance(limits, bool):
            raise ArgumentError(f"Stack: limits must be True, for those of the robot, or False, not {limits!r}")
        if order not in ORDERS:
            raise ArgumentError(f"Stack: {unknown('order', order, ORDERS)}")
        require_sliding(robot.model, "Stack")
        self.order = order
        self.robot = robot
        tasks = tuple(task.on(robot.model) for task in tasks)
        self.tasks: tuple[Task, ...] = (*tasks, *([ClosedLoops()] if robot.model.closures else []))
        self._require_rows()
        nv = robot.nv
        inside = (robot.lower, robot.upper) if limits else (np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf))
        fastest = robot.velocity_limits if limits else np.full(nv, np.inf)
        largest = np.full(nv, np.inf)
        if acceleration is not None:
            largest = number_for_each("Stack: acceleration", acceleration, nv, "velocities", positive=True)
        damping = number_from_zero("Stack: damping", damping)
        self._settings = (inside, fastest, largest)
        self._damping = damping
        efforts = np.array(robot.effort_limits) if limits else np.full(nv, np.inf)
        for body in robot.model.moving:
            if not has_motor(body):
                efforts[robot.model.v_slices[body.name]] = 0.0
        self._efforts = efforts
        self._clearance = None if clearance is None else Clearance.of(robot, clearance)
        self._build()

    def _build(self) -> None:
        """The program of a step; it is made again when obstacles are added to the world or removed."""
        model, tasks = self.robot.model, self.tasks
        self._program: StepProgram = (
            DynamicProgram(model, tasks, *self._settings, self._efforts, self._clearance) if self._has_torques else
            StepProgram(model, tasks, *self._settings, self._damping, self._clearance)
        )  # fmt: skip
        self.__dict__.pop("_one", None)
        shapes = zip(self.tasks, self._program.shapes, strict=True)
        self._targets: dict[str, Shape] = {task.name: shape for task, shape in shapes if shape is not None}
        self._obstacles = [] if self._clearance is None else [o.name for o in self._clearance.obstacles]
        for name in self._obstacles:
            if name in self._targets:
                raise ArgumentError(f'Stack: an obstacle and a task are both named "{name}"; give one another name')

    @property
    def _has_torques(self) -> bool:
        return self.order == "acceleration"

    def _require_current_world(self) -> None:
        if self._clearance is not None and not self._clearance.is_current:
            self._clearance = Clearance(self.robot, self._clearance.world, self._clearance.margin)
            self._build()

    def _require_rows(self) -> None:
        names = [task.name for task in self.tasks]
        for task in self.tasks:
            shape, rows = task.shape(self.robot.model), len(task.labels(self.robot.model))
            del shape
            if not task.name:
                raise ArgumentError(f"Stack: {task!r} has no name; give it one: name=…")
            if names.count(task.name) > 1:
                raise ArgumentError(f'Stack has two tasks named "{task.name}"; give one of them another name: name=…')
            if isinstance(task.weight, tuple) and len(task.weight) != rows:
                raise ArgumentError(f'Stack: the task "{task.name}" has {len(task.weight)} weights for {rows} rows')

    @property
    def targets(self) -> dict[str, Shape]:
        """The names of the targets that each step needs, and the shape of one sample; obstacles may have poses, too."""
        return dict(self._targets)

    @lazy
    def _joints(self) -> tuple[str, ...]:
        return coordinate_names(self.robot.model, "v")

    @named_arguments
    def __call__(self, q: ArrayLike, targets: Mapping[str, Any], dt: float, *, v: ArrayLike | None = None) -> Step:
        """One step of `dt` seconds from q (..., nq) towards targets by the names of their tasks.

        `v` is the velocity before, at rest by default; it matters with a limit of the acceleration, and for steps of
        accelerations, which need it.
        """
        if v is None and self._one is not None and (step := self._one.step(q, targets, dt)) is not None:
            return step
        if self._has_torques and v is None:
            raise ArgumentError("Stack: accelerations depend on the velocity; give v=, at rest numpy.zeros(robot.nv)")
        per_step = {name: x[..., None, *[slice(None)] * self._axes(name)]
                 for name, x in self._checked(targets).items()}  # fmt: skip
        return self._run("Stack", q, per_step, dt, v, 1, single=True)

    def follow(
        self, q0: ArrayLike, targets: Mapping[str, Any], dt: float, *, steps: int | None = None,
        v0: ArrayLike | None = None,
    ) -> Step:  # fmt: skip
        """Many steps from q0 in one compiled loop; arrays of the result have the axis of steps before the last.

        Targets (steps, ..., shape) have the axis of steps first; with length 1, or without any axis in front of the
        shape, they stay the same.  `steps` is needed if all do.

        >>> import numpy as np, sixvec as sv
        >>> from sixvec import tasks
        >>> arm = sv.load("planar_2r")
        >>> stack = tasks.Stack(arm, tasks.Frame("tip", directions="xz", gain=0.2))
        >>> path = stack.follow([0.3, 0.5], {"tip": arm.pose([0.5, 0.3], "tip")}, dt=0.01, steps=100)
        >>> path.q.shape, bool(abs(path.q[-1] - [0.5, 0.3]).max() < 1e-6)
        ((100, 2), True)
        """
        checked = self._checked(targets)
        lengths = {len(x) for name, x in checked.items() if x.ndim > self._axes(name)} - {1}
        if steps is not None:
            lengths.add(whole_number("follow: steps", steps, 1))
        if len(lengths) != 1:
            raise ArgumentError(
                f"follow: targets and steps have the lengths {sorted(lengths)}; they must have the same" if lengths else
                "follow: no target has an axis of steps; give steps="
            )  # fmt: skip
        count = lengths.pop()
        per_step = {}
        for name, x in checked.items():
            per_step[name] = with_steps(x, self._axes(name), count)
        return self._run("follow", q0, per_step, dt, v0, count, single=False)

    def _checked(self, targets: Mapping[str, Any]) -> dict[str, Array]:
        if not isinstance(targets, Mapping):
            raise ArgumentError(f"Stack: targets are a dictionary from task to target, not a {type(targets).__name__}")
        self._require_current_world()
        for name in targets:
            if name not in self._targets and name not in self._obstacles:
                raise ArgumentError(f"Stack: {unknown('target', name, [*self._targets, *self._obstacles])}")
        arrays, named = {}, {task.name: task for task in self.tasks}
        for name, shape in self._targets.items():
            usual = named[name].usual_target()
            if name not in targets and usual is None:
                raise ArgumentError(f'Stack: the task "{name}" has no target; targets: {", ".join(self._targets)}')
            what = f'the target of "{name}"'
            arrays[name], known = checked_array(what, targets.get(name, usual), *shape)
            if not np.isnan(known).all() or arrays[name] is known:
                named[name].checked(known, what)
        if self._clearance is not None:
            for name, pose in zip(self._obstacles, self._clearance.poses(), strict=True):
                if name in targets:
                    what = f'the pose of "{name}"'
                    pose, known = checked_array(what, targets[name], 4, 4)
                    if not np.isnan(known).all() or pose is known:
                        require_target_poses(known, what)
                arrays[name] = pose
        return arrays

    def _axes(self, name: str) -> int:
        """The axes of one target."""
        return len(self._targets.get(name, (4, 4)))

    def _run(
        self, word: str, q: Any, targets: Mapping[str, Any], dt: float, v: Any, steps: int,
        single: bool,
    ) -> Step:  # fmt: skip
        robot = self.robot
        q, _ = checked_array(f"{word}: q", q, robot.nq)
        v = np.zeros(robot.nv) if v is None else checked_array(f"{word}: v", v, robot.nv)[0]
        dt = positive_number(f"{word}: dt", dt, "seconds")
        axes = [self._axes(name) + 1 for name in targets]
        leads = [
            tuple(q.shape[:-1]),
            tuple(v.shape[:-1]),
            *(tuple(x.shape[: x.ndim - k]) for x, k in zip(targets.values(), axes, strict=True)),
        ]
        common_batch(word, leads, ["q", "v", *targets], [q.shape, v.shape, *(x.shape for x in targets.values())])
        clearance = self._clearance
        if clearance is None or clearance.is_written_out:
            arrays = (q, v, np.array(dt), *targets.values())
            plain = not common_library(arrays)
            run = self._program.loop(steps) if plain else partial(followed_steps.run, self._program, steps)
            parts = run(*arrays)[2:]
            near = np.arange(self._program.clear, dtype=np.int32)
            near = np.broadcast_to(near, (*tuple(parts[2].shape), self._program.clear))
        elif common_library([q, v, *targets.values()]):
            raise ArgumentError(f"{word}: gaps that need a search are computed for NumPy arrays only; "
                                "robot.with_shapes replaces shapes by spheres or capsules")  # fmt: skip
        else:
            parts, near = self._searched(q, v, dt, targets, steps)
        if single:
            parts = [x[index] for x, index in zip(parts, _FIRST, strict=False)]
            near = near[..., 0, :]
        q1, v1, verdict, residual, active, multipliers, reason, *forces = parts
        names = self._program.hard_names, self._joints, () if clearance is None else clearance.names
        words = whole_numbers(verdict), residual, whole_numbers(active), multipliers, whole_numbers(reason)
        if isinstance(self._program, DynamicProgram):
            a, tau, *wrenches = forces
            force = wrenches[0] if wrenches else np.zeros((*a.shape[:-1], 0, 6))
            of_forces = self._program.variable_names, self._program.contacts
            return AccelerationStep(v1, q1, *words, near, *names, a, tau, force, *of_forces)
        return Step(v1, q1, *words, near, *names)

    def _searched(
        self, q: Array, v: Array, dt: float, targets: Mapping[str, Array], steps: int
    ) -> tuple[list[Array], Array]:
        """As the compiled loop, for gaps that need a search: step by step."""
        assert self._clearance is not None
        leads = [x.shape[: x.ndim - self._axes(name) - 1] for name, x in targets.items()]
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], *leads)
        q, v = (np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, v))
        flat = {
            name: np.broadcast_to(x, (*batch, *x.shape[len(lead) :])).reshape(-1, *x.shape[len(lead) :])
            for (name, x), lead in zip(targets.items(), leads, strict=True)
        }
        results, pairs = [], []
        for k in range(steps):
            now = {name: x[:, k : k + 1] for name, x in flat.items()}
            poses = [now.pop(name)[:, 0] for name in self._obstacles]
            numbers = [np.concatenate([X[:, :3, :3].reshape(-1, 9), X[:, :3, 3]], axis=1) for X in poses]
            around = np.stack(numbers, axis=1) if numbers else np.zeros((len(q), 0, 12))
            gaps, slopes, near = self._clearance.search.nearest(q, around)
            arrays = (*now.values(), gaps[:, None], slopes[:, None])
            q, v, *parts = self._program.loop(1)(q, v, np.array(dt), *arrays)
            results.append(parts)
            pairs.append(near.astype(np.int32))
        joined = [np.concatenate(x, axis=1) for x in zip(*results, strict=True)]
        near = np.stack(pairs, axis=1)
        return [x.reshape(*batch, *x.shape[1:]) for x in joined], near.reshape(*batch, *near.shape[1:])

    @lazy
    def _one(self) -> OneSample | None:
        """The call of one sample, where no argument needs a closer look."""
        of_tasks = zip(self.tasks, self._program.shapes, strict=True)
        if self._clearance is not None or self._has_torques or not all(OneSample.suits(*x) for x in of_tasks):
            return None
        names = self._program.hard_names, self._joints, ()
        return OneSample(self._program.loop(1), self.robot.nq, self.robot.nv, self._targets, names)

    def __repr__(self) -> str:
        return f"<Stack of {self.robot.name}: {', '.join(task.name for task in self.tasks)}>"
