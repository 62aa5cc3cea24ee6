"""The quadratic programs of a step, one for each priority, as stages of one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.integrate import integrate
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar, sqrt, where
from sixvec.solve.active_set import triangle
from sixvec.solve.active_set_loop import active_set_loop
from sixvec.spatial.linear import dot
from sixvec.tasks.clearance import Clearance, clearance_bounds
from sixvec.tasks.closest import Gap
from sixvec.tasks.joints import Joints
from sixvec.tasks.task import Rows, Shape, Task
from sixvec.tasks.velocity_limits import bounds_of
from sixvec.tasks.yielding import chosen, repeated, yielding
from sixvec.verdict import Verdict

LEAST_WEIGHT = 1e-7
"""Squared weight of resting, for levels without a task of all joints: it makes the result unique, as a `Damping` of
weight 3e-4 would."""


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
        self.n, self.clear = model.nv, 0 if clearance is None else clearance.rows
        self.fixed = len(self.hard_names) + self.clear
        """The rows that every level has."""
        self.targets = [Port(f"target {k}", s) for k, s in enumerate(self.shapes) if s is not None]
        self.targets += self._around

    def _level(self, tasks: Sequence[Task]) -> Level:
        return Level(tuple(tasks), sum(len(t.labels(self.model)) for t in tasks))

    @property
    def _around(self) -> list[Port]:
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
        for k, level in enumerate(self.levels):
            rows, low, high = (f"{word} {k}" for word in ("rows", "lower", "upper"))
            if k:
                before = [f"J {i}" for i in range(k) if self.levels[i].rows]
                hard = ["rows 0"] if self.fixed else []
                stages.append(
                    Stage(self._linked(k), (*hard, *before, "lower 0", "upper 0", f"x {k - 1}"), (rows, low, high))
                )
            count = self._general(k)
            program = active_set_loop(n, n, count, False)
            bounds = (f"g {k}", *([rows] if count else []), low, high)
            results = [f"{word} {k}" for word in ("x", "multipliers", "active", "residual", "verdict")]
            first = [f"{name} before" for name in results]
            yields, is_damped = bool(self.clear) and not k, self._is_damped(level)
            if yields or is_damped:
                requested = ("requested" if name == "lower 0" and yields else name for name in bounds)
                stages.append(Stage(program, (f"H {k}", *requested), tuple(first)))
            if is_damped:
                unmet = (f"H {k}", f"curved {k}", f"b {k}", "dt", first[0], first[4])
                stages.append(Stage(self._damp(level), unmet, (f"damped {k}",)))
            if yields:
                stages.append(
                    Stage(yielding(n + self.fixed), ("requested", "possible", first[4]), ("lower 0", "yields"))
                )
            if yields and not is_damped:
                again = [f"{name} again" for name in (f"H {k}", *bounds)]
                repeat = repeated(n, count)
                stages.append(Stage(repeat, (f"H {k}", *bounds, first[4]), tuple(again)))
                second = [f"{name} second" for name in results]
                stages.append(Stage(program, tuple(again), tuple(second)))
                stages.append(Stage(chosen(n, n + count), (*first, *second), tuple(results)))
            else:
                H = f"damped {k}" if is_damped else f"H {k}"
                stages.append(Stage(program, (H, *bounds), tuple(results)))
            verdicts.append(f"verdict {k}")
            residuals.append(f"residual {k}")
        last = len(self.levels) - 1
        moving = ("q", "dt", f"x {last}", f"active {last}", f"multipliers {last}", *verdicts, *residuals)
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
            if self._is_damped(level):
                curved = self._level(level.curved).rows
                ports += [Port(f"curved {k}", (curved, n)), Port(f"b {k}", (curved,))]
            if level.rows and k < len(self.levels) - 1:
                ports.append(Port(f"J {k}", (level.rows, n)))
        if fixed:
            ports.append(Port("rows 0", (fixed, n)))
        if self.clear:
            ports += [Port("requested", (n + fixed,)), Port("possible", (n + fixed,)), Port("upper 0", (n + fixed,))]
        else:
            ports += [Port("lower 0", (n + fixed,)), Port("upper 0", (n + fixed,))]
        return [*ports, Port("reason", (2, n))]

    def _general(self, k: int) -> int:
        return self.fixed + sum(level.rows for level in self.levels[:k])

    def _terms(self, inputs: Sequence[Port]) -> CompiledFunction:
        def terms(q: Any, v: Any, dt: Any, *targets: Any) -> Any:
            given = iter(targets)
            found = {
                id(task): task.rows(self.robot, q, None if shape is None else next(given), dt)
                for task, shape in zip(self.tasks, self.shapes, strict=True)
            }
            results: list[Any] = []
            for k, level in enumerate(self.levels):
                results += self._objective(level, [found[id(t)] for t in level.tasks])
                if self._is_damped(level):
                    curved = [weighted(t, found[id(t)]) for t in level.curved]
                    results += [[row for r in curved for row in r.J], [x for r in curved for x in r.b]]
                if level.rows and k < len(self.levels) - 1:
                    results.append([row for t in level.tasks for row in found[id(t)].J])
            hard, gaps = [found[id(t)] for t in self.hard], self._gaps(q, list(given))
            if self.fixed:
                results.append([row for r in hard for row in r.J] + [gap.row for gap in gaps])
            ends = [x for r in hard for x in r.b]
            lower, upper, below, above = bounds_of(
                self.robot, self.limits, self.velocity_limits, self.acceleration, q, v, dt
            )
            if self.clearance is None:
                return *results, [*lower, *ends], [*upper, *ends], [below, above]
            requested, possible = clearance_bounds(gaps, self.clearance.margin, lower, upper, self.acceleration, dt)
            free = [float("inf")] * len(gaps)
            lows = [*lower, *ends, *requested], [*lower, *ends, *possible]
            return *results, *lows, [*upper, *ends, *free], [below, above]

        function = CompiledFunction(terms, tuple(inputs), tuple(self._between))
        function.needs_double = True
        return function

    def _gaps(self, q: Any, around: list[Any]) -> list[Gap]:
        """The gaps that must stay open, from the poses of obstacles, or from gaps and slopes."""
        if self.clearance is None:
            return []
        if self.clearance.is_written_out:
            return self.clearance.gaps(self.model, q, around)
        return [Gap(size, row) for size, row in zip(*around, strict=True)]

    def _objective(self, level: Level, found: Sequence[Rows]) -> list[Any]:
        """H and g of the sum of squares of weight · (J v - b)."""
        parts = [weighted(task, rows) for task, rows in zip(level.tasks, found, strict=True)]
        J, b = [row for r in parts for row in r.J], [x for r in parts for x in r.b]
        columns = [list(c) for c in zip(*J, strict=True)] or [[]] * self.n
        resting = 0.0 if level.is_complete else LEAST_WEIGHT
        entries = {(i, j): dot(columns[i], columns[j]) + (resting if i == j else 0.0) for i, j in triangle(self.n)}
        H = [[entries[max(i, j), min(i, j)] for j in range(self.n)] for i in range(self.n)]
        return [H, [-dot(c, b) for c in columns]]

    def _is_damped(self, level: Level) -> bool:
        return bool(self.damping and level.curved)

    def _damp(self, level: Level) -> CompiledFunction:
        """H with the damping of Levenberg and Marquardt for what the step does not achieve.

        Where a target is out of reach, J v = b is a bad model: the error that stays, times the curvature of the way of
        the frame, outweighs JᵀJ where that is nearly singular, and steps would jump to and fro.  Curvatures are about
        1 m/rad², so the weighted error that stays bounds it.
        """
        widths = [len(t.labels(self.model)) for t in level.curved]
        weights = [max(t.weight) if isinstance(t.weight, tuple) else t.weight for t in level.curved]

        def damped(H: Any, J: Any, b: Any, dt: Any, x: Any, verdict: Any) -> Any:
            solved = abs(verdict - float(Verdict.INFEASIBLE)) > 0.5
            x = [where(solved, y, 0.0) for y in x]
            unmet = [dot(row, x) - y for row, y in zip(J, b, strict=True)]
            more: Scalar = 0.0
            for k, (width, weight) in enumerate(zip(widths, weights, strict=True)):
                of_task = unmet[sum(widths[:k]) :][:width]
                more = more + self.damping * weight * dt * sqrt(dot(of_task, of_task))
            return [[y + more if i == j else y for j, y in enumerate(row)] for i, row in enumerate(H)]

        rows, n = sum(widths), self.n
        inputs = (Port("H", (n, n)), Port("J", (rows, n)), Port("b", (rows,)), Port("dt", ()), Port("x", (n,)),
                  Port("verdict", ()))  # fmt: skip
        function = CompiledFunction(damped, inputs, (Port("damped", (n, n)),))
        function.needs_double = True
        return function

    def _linked(self, k: int) -> CompiledFunction:
        """Rows and bounds of a level that keeps what the levels before have reached."""
        n, hard = self.n, self.fixed
        before = [(i, self.levels[i].rows) for i in range(k) if self.levels[i].rows]

        def linked(*arrays: Any) -> Any:
            values = list(arrays)
            A = list(values.pop(0)) if hard else []
            J = [row for _ in before for row in values.pop(0)]
            lower, upper, x = values
            reached = [dot(row, x) for row in J]
            return [*A, *J], [*lower, *reached], [*upper, *reached]

        count = self._general(k)
        inputs = [Port("rows 0", (hard, n))] if hard else []
        inputs += [Port(f"J {i}", (rows, n)) for i, rows in before]
        inputs += [Port("lower 0", (n + hard,)), Port("upper 0", (n + hard,)), Port("x", (n,))]
        outputs = (Port("rows", (count, n)), Port("lower", (n + count,)), Port("upper", (n + count,)))
        function = CompiledFunction(linked, tuple(inputs), outputs, f"linked levels {n} {hard} {before}")
        function.needs_double = True
        return function

    def _motion(self) -> CompiledFunction:
        """The next state: where the programs have no solution, the robot stays."""
        n, levels, last = self.n, len(self.levels), self._general(len(self.levels) - 1)
        m = n + self.fixed

        def motion(q: Any, dt: Any, x: Any, active: Any, multipliers: Any, *more: Any) -> Any:
            verdict, residual = more[0], more[levels]
            for k in range(1, levels):
                verdict = where(verdict > 0.5, verdict, more[k])
                residual = where(more[levels + k] > residual, more[levels + k], residual)
            if self.clear:
                yields = more[2 * levels]
                verdict = where(verdict > 0.5, verdict, where(yields > 0.5, float(Verdict.NEAREST), 0.0))
            stays = abs(verdict - float(Verdict.INFEASIBLE)) < 0.5
            v = [where(stays, 0.0, y) for y in x]
            q1 = integrate(self.robot, q, [y * dt for y in v])
            return q1, v, q1, v, verdict, residual, active[:m], multipliers[:m]

        inputs = (Port("q", (self.model.nq,)), Port("dt", ()), Port("x", (n,)), Port("active", (n + last,)),
                  Port("multipliers", (n + last,)))  # fmt: skip
        numbers = tuple(Port(f"{word} {k}", ()) for word in ("verdict", "residual") for k in range(levels))
        numbers += (Port("yields", ()),) if self.clear else ()
        outputs = (Port("q next", (self.model.nq,)), Port("v next", (n,)), Port("q step", (self.model.nq,)),
                   Port("v step", (n,)), Port("verdict", ()), Port("residual", ()), Port("active", (m,)),
                   Port("multipliers", (m,)))  # fmt: skip
        key = f"{self.model.fingerprint} motion of tasks {levels} {m} {last} {self.clear}"
        function = CompiledFunction(motion, (*inputs, *numbers), outputs, key)
        function.needs_double = True
        return function

    def loop(self, steps: int) -> Iterated:
        """The step, repeated; targets have an entry for each step."""
        return Iterated(self.staged, steps, 2, each=len(self.targets), name="tasks")


def weighted(task: Task, rows: Rows) -> Rows:
    """The rows of a task times its weights."""
    weights = task.weight if isinstance(task.weight, tuple) else (task.weight,) * len(rows.b)
    pairs = list(zip(weights, rows.J, rows.b, strict=True))
    return Rows([[w * x for x in row] for w, row, _ in pairs], [w * x for w, _, x in pairs])
