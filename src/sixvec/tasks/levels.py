"""The quadratic programs of a step, one for each priority, as stages of one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from sixvec.algorithms.integrate import integrate
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.kernels.portable import Portable
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import where
from sixvec.solve.active_set import larger_of, triangle
from sixvec.spatial.linear import dot
from sixvec.tasks.clearance import Clearance, clearance_bounds
from sixvec.tasks.closest import Gap
from sixvec.tasks.held import ClosedLoops, Held
from sixvec.tasks.joints import Joints
from sixvec.tasks.level_program import LevelProgram
from sixvec.tasks.resting import free_joints
from sixvec.tasks.task import Rows, Shape, Task, weighted
from sixvec.tasks.velocity_limits import bounds_of
from sixvec.tasks.yielding import has_failed
from sixvec.verdict import Verdict

_NUMBERS = count()

LEAST_WEIGHT = 1e-7
"""Squared weight of resting, for levels without a task of all joints: it makes the result unique, as a `Damping` of
weight 3e-4 would."""

LARGEST_TURN = 0.5
"""Of joints without a speed limit in one step (rad): rows are linear in the position for smaller angles only, and
Newton's method does not come to rest with steps of any length."""

SMALLEST_STEP = 1e-10
"""Steps in which no joint moves farther (rad, m) are rounding errors: the robot rests."""


@dataclass(frozen=True)
class Level:
    """The tasks of one priority."""

    tasks: tuple[Task, ...]
    rows: int

    @property
    def curved(self) -> list[Task]:
        """The tasks whose matrix changes with the position."""
        return [task for task in self.tasks if not isinstance(task, Joints)]

    @property
    def is_complete(self) -> bool:
        """Whether some task determines every joint."""
        return any(isinstance(task, Joints) and not task.joints and task.weight for task in self.tasks)


def turning(model: Model) -> list[bool]:
    """Whether a coordinate of v is an angular velocity."""
    flags: list[bool] = []
    for b in model.moving:
        of_joint = b.joint.angular if b.joint.nq == b.joint.nv else (True,) * 3 + (False,) * (b.joint.nv - 3)
        flags += of_joint
    return flags


class StepLoop(Portable, Iterated):
    """A loop of steps for arrays of any library."""

    @lazy
    def identity(self) -> str:
        """A key for this object alone."""
        return f"tasks {next(_NUMBERS)}"


class StepProgram:
    """One step of a stack, from the state, the time step and the targets to the next state and what was decided."""

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        limits: Any,
        velocity_limits: Any,
        acceleration: Any,
        damping: float,
        clearance: Clearance | None = None,
    ) -> None:
        self.model, self.robot, self.tasks = model, canonical(model), tuple(tasks)
        self.limits, self.velocity_limits, self.acceleration = limits, velocity_limits, acceleration
        self.damping, self.clearance = damping, clearance
        self.shapes: list[Shape | None] = [task.shape(model) for task in tasks]
        self.hard = tuple(t for t in tasks if t.hard)
        soft = [t for t in tasks if not t.hard]
        self.levels = [
            self._level([t for t in soft if t.priority == p]) for p in sorted({t.priority for t in soft} or {0})
        ]
        self.hard_names = tuple(name for t in self.hard for name in t.labels(model))
        self.brakes = bool(np.isfinite(acceleration).any())
        self.smallest = SMALLEST_STEP if damping else 0.0
        self.unlimited = np.full(model.nv, np.inf)
        self.n, self.clear = model.nv, 0 if clearance is None else clearance.rows
        self.fixed = len(self.hard_names) + self.clear
        """The rows that every level has."""
        self.targets = [Port(f"target {k}", s) for k, s in enumerate(self.shapes) if s is not None]
        self.targets += self.around

    def _level(self, tasks: Sequence[Task]) -> Level:
        return Level(tuple(tasks), sum(len(t.labels(self.model)) for t in tasks))

    @property
    def around(self) -> list[Port]:
        """What is known about obstacles: their poses, or the gaps to them."""
        if self.clearance is None:
            return []
        if self.clearance.is_written_out:
            return [Port(f"obstacle {k}", (4, 4)) for k in range(len(self.clearance.obstacles))]
        return [Port("gaps", (self.clear,)), Port("slopes", (self.clear, self.n))]

    @lazy
    def staged(self) -> Staged:
        """(q, v, dt, targets) -> (q, v, then per step: q, v, verdict, residual, active, multipliers, reasons)."""
        n, m = self.n, self.n + self.fixed
        state = (Port("q", (self.model.nq,)), Port("v", (n,)))
        inputs = (*state, Port("dt", ()), *self.targets)
        stages = [Stage(self._terms(inputs), tuple(p.name for p in inputs), tuple(p.name for p in self._between))]
        verdicts: list[str] = []
        residuals: list[str] = []
        for k in range(len(self.levels)):
            stages += LevelProgram(self, k).stages()
            verdicts.append(f"verdict {k}")
            residuals.append(f"residual {k}")
        last = len(self.levels) - 1
        moving = (
            "q",
            "dt",
            "box below",
            "box above",
            f"x {last}",
            f"active {last}",
            f"multipliers {last}",
            *verdicts,
            *residuals,
        )
        moving += ("yields",) if self.clear else ()
        outputs = (
            Port("q next", (self.model.nq,)), Port("v next", (n,)), Port("q step", (self.model.nq,)),
            Port("v step", (n,)), Port("verdict", ()), Port("residual", ()), Port("active", (m,)),
            Port("multipliers", (m,)), Port("reason", (2, n)),
        )  # fmt: skip
        stages.append(Stage(self._motion(), moving, tuple(p.name for p in outputs[:8])))
        return Staged("tasks", inputs, outputs, stages)

    @property
    def _between(self) -> list[Port]:
        """What the first stage computes."""
        n, fixed = self.n, self.fixed
        ports: list[Port] = []
        for k, level in enumerate(self.levels):
            ports += [Port(f"H {k}", (n, n)), Port(f"g {k}", (n,))]
            if self.is_damped(level):
                curved = self._level(level.curved).rows
                ports += [Port(f"free {k}", (n,))]
                ports += [Port(f"curved {k}", (curved, n)), Port(f"b {k}", (curved,))] if curved else []
            if level.rows and k < len(self.levels) - 1:
                ports.append(Port(f"J {k}", (level.rows, n)))
        if fixed:
            ports.append(Port("rows 0", (fixed, n)))
        if self.clear:
            ports += [Port("requested", (n + fixed,)), Port("possible", (n + fixed,)), Port("upper 0", (n + fixed,))]
        else:
            ports += [Port("lower 0", (n + fixed,)), Port("upper 0", (n + fixed,))]
        if self.brakes:
            ports += [Port("widest below", (n,)), Port("widest above", (n,))]
        return [*ports, Port("box below", (n,)), Port("box above", (n,)), Port("reason", (2, n))]

    def general(self, k: int) -> int:
        return self.fixed + sum(level.rows for level in self.levels[:k])

    def equations(self, k: int) -> int:
        """How many of the first rows are equations: hard tasks, and without clearances what levels before have."""
        return len(self.hard_names) if self.clear else self.general(k)

    def _terms(self, inputs: Sequence[Port]) -> CompiledFunction:
        def terms(q: Any, v: Any, dt: Any, *targets: Any) -> Any:
            each_target = iter(targets)
            requests = {
                id(task): task.rows(self.robot, q, None if shape is None else next(each_target), dt)
                for task, shape in zip(self.tasks, self.shapes, strict=True)
            }
            results: list[Any] = []
            widest: tuple[Any, Any] = ((), ())
            if self.needs_extent:
                widest = bounds_of(self.robot, self.limits, self.unlimited, self.unlimited, q, v, dt)[:2]
            for k, level in enumerate(self.levels):
                results += self._objective(level, [requests[id(t)] for t in level.tasks])
                if self.is_damped(level):
                    results.append(free_joints(results[-1], widest[0], widest[1], dt))
                    curved = [weighted(t, requests[id(t)]) for t in level.curved]
                    results += (
                        [[row for r in curved for row in r.J], [x for r in curved for x in r.b]] if curved else []
                    )
                if level.rows and k < len(self.levels) - 1:
                    results.append([row for t in level.tasks for row in requests[id(t)].J])
            hard, gaps = [requests[id(t)] for t in self.hard], self.gaps(q, list(each_target))
            if self.fixed:
                results.append([row for r in hard for row in r.J] + [gap.row for gap in gaps])
            ends = [x for r in hard for x in r.b]
            lower, upper, below, above = bounds_of(
                self.robot, self.limits, self.velocity_limits, self.acceleration, q, v, dt, self.turns
            )
            if self.clearance is None:
                return (
                    *results,
                    [*lower, *ends],
                    [*upper, *ends],
                    *(widest if self.brakes else ()),
                    lower,
                    upper,
                    [below, above],
                )
            requested, possible = clearance_bounds(gaps, self.clearance.margin, lower, upper, self.acceleration, dt)
            free = [float("inf")] * len(gaps)
            lows = [*lower, *ends, *requested], [*lower, *ends, *possible]
            return (
                *results,
                *lows,
                [*upper, *ends, *free],
                *(widest if self.brakes else ()),
                lower,
                upper,
                [below, above],
            )

        function = CompiledFunction(terms, tuple(inputs), tuple(self._between))
        function.needs_double = True
        return function

    def gaps(self, q: Any, around: list[Any]) -> list[Gap]:
        """The gaps that must stay open, from the poses of obstacles, or from gaps and slopes."""
        if self.clearance is None:
            return []
        if self.clearance.is_written_out:
            return self.clearance.gaps(self.model, q, around)
        return [Gap(size, row) for size, row in zip(*around, strict=True)]

    def _objective(self, level: Level, requests: Sequence[Rows]) -> list[Any]:
        """H and g of the sum of squares of weight · (J v - b)."""
        parts = [weighted(task, rows) for task, rows in zip(level.tasks, requests, strict=True)]
        J, b = [row for r in parts for row in r.J], [x for r in parts for x in r.b]
        columns = [list(c) for c in zip(*J, strict=True)] or [[]] * self.n
        resting = 0.0 if level.is_complete else LEAST_WEIGHT
        entries = {(i, j): dot(columns[i], columns[j]) + (resting if i == j else 0.0) for i, j in triangle(self.n)}
        H = [[entries[max(i, j), min(i, j)] for j in range(self.n)] for i in range(self.n)]
        return [H, [-dot(c, b) for c in columns]]

    @property
    def turns(self) -> Any:
        """How far coordinates without a speed limit may turn in one step, where a second program seeks a position."""
        seeks = any(map(self.is_damped, self.levels)) and all(isinstance(t, ClosedLoops | Held) for t in self.hard)
        return np.where(turning(self.model), LARGEST_TURN, np.inf) if seeks else None

    @property
    def needs_extent(self) -> bool:
        """Whether some program depends on how far joints may move, whatever their speed."""
        return self.brakes or any(map(self.is_damped, self.levels))

    def is_damped(self, level: Level) -> bool:
        """Whether a second program brings the level to rest: it seeks a position, in a way that is not straight."""
        seeks = any(task.is_of_positions for task in level.tasks)
        return bool(self.damping and seeks and (level.curved or self.fixed))

    def _motion(self) -> CompiledFunction:
        """The next state: where the programs have no solution, the robot brakes."""
        n, levels, last = self.n, len(self.levels), self.general(len(self.levels) - 1)
        m = n + self.fixed

        def motion(q: Any, dt: Any, low: Any, high: Any, x: Any, active: Any, multipliers: Any, *more: Any) -> Any:
            verdict, residual = more[0], more[levels]
            for k in range(1, levels):
                verdict = where(verdict > 0.5, verdict, more[k])
                residual = where(more[levels + k] > residual, more[levels + k], residual)
            if self.clear:
                yields = more[2 * levels]
                verdict = where(verdict > 0.5, verdict, where(yields > 0.5, float(Verdict.NEAREST), 0.0))
            moves: Any = 0.0
            for y in x:
                moves = larger_of(moves, abs(y) * dt)
            rests, fails = moves < self.smallest, has_failed(verdict)
            if not self.fixed:  # without rows that contradict each other the result is hardly wrong
                fails = abs(verdict - float(Verdict.INFEASIBLE)) < 0.5
            wished = [where(fails, 0.0, where(rests, 0.0, y)) for y in x]
            known = [  # bounds are not numbers where the velocity before is none
                where(abs(end) < np.inf, y, np.nan) if np.isfinite(a) else y
                for y, end, a in zip(wished, low, self.acceleration, strict=True)
            ]
            v = [where(y > b, b, where(y < a, a, y)) for y, a, b in zip(known, low, high, strict=True)]  # NaN stays
            q1 = integrate(self.robot, q, [y * dt for y in v])
            return q1, v, q1, v, verdict, residual, active[:m], multipliers[:m]

        inputs = (Port("q", (self.model.nq,)), Port("dt", ()), Port("low", (n,)), Port("high", (n,)), Port("x", (n,)),
                  Port("active", (n + last,)),
                  Port("multipliers", (n + last,)))  # fmt: skip
        numbers = tuple(Port(f"{word} {k}", ()) for word in ("verdict", "residual") for k in range(levels))
        numbers += (Port("yields", ()),) if self.clear else ()
        outputs = (Port("q next", (self.model.nq,)), Port("v next", (n,)), Port("q step", (self.model.nq,)),
                   Port("v step", (n,)), Port("verdict", ()), Port("residual", ()), Port("active", (m,)),
                   Port("multipliers", (m,)))  # fmt: skip
        limited = np.flatnonzero(np.isfinite(self.acceleration)).tolist()
        key = f"{self.model.fingerprint} motion of tasks {levels} {m} {last} {self.clear} {self.smallest} {limited}"
        function = CompiledFunction(motion, (*inputs, *numbers), outputs, key)
        function.needs_double = True
        return function

    def loop(self, steps: int) -> Iterated:
        """The step, repeated; targets have an entry for each step.  Its compiled forms serve all later calls."""
        if steps not in self._loops:
            self._loops.setdefault(steps, StepLoop(self.staged, steps, 2, each=len(self.targets), name="tasks"))
        return self._loops[steps]

    @lazy
    def _loops(self) -> dict[int, Iterated]:
        return {}
