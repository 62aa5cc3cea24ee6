"""A step of a stack with torques: the programs of velocities with the forces of held frames as further variables.

The unknowns are the velocity after the step, v + a dt, and the reactions (`reactions.py`).  So all tasks, limits and
clearances of velocities hold as they are, and the equations of motion are rows,

    M v' - m Jᵀ p  =  M v + dt (tau - h),    -limit <= tau <= limit,

with limits of zero for what has no motor.  Tasks ask for the acceleration with which their errors decay by `gain` per
step without overshooting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.algorithms.bias_forces import bias_forces
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.kernels import Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.coordinate_names import coordinate_names
from sixvec.scalar import Scalar, where
from sixvec.solve.active_set import UNBOUNDED, larger_of, smaller_of, triangle
from sixvec.spatial.linear import Row, dot
from sixvec.tasks.clearance import Clearance, clearance_bounds
from sixvec.tasks.held import Held
from sixvec.tasks.level_program import LevelProgram
from sixvec.tasks.levels import LEAST_WEIGHT, Level, StepProgram
from sixvec.tasks.reactions import Footing, reactions_of
from sixvec.tasks.task import Rows, Task, weighted
from sixvec.tasks.velocity_limits import bounds_of
from sixvec.verdict import Verdict

INF = float("inf")

LEAST_FORCE = 1e-5
"""Squared weight of reactions, as impulses per mass: it distributes forces that the motion does not determine, and
changes accelerations by some 1e-4 m/s²."""

HARMLESS = 1e-6
"""Results of programs that have not converged are used up to this residual."""


class DynamicProgram(StepProgram):
    """One step with torques, from the state, the time step and the targets to the next state and what was decided."""

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        limits: Any,
        velocity_limits: Any,
        acceleration: Any,
        efforts: Any,
        clearance: Clearance | None = None,
    ) -> None:
        super().__init__(model, tasks, limits, velocity_limits, acceleration, 0.0, clearance)
        self.brakes, self.smallest, self.nv, self.efforts = False, 0.0, model.nv, efforts
        self.mass = max(float(sum(b.inertia.mass for b in model.bodies)), 1e-3)
        self.reactions = reactions_of(tasks, model)
        self.limited = [k for k in range(self.nv) if np.isfinite(efforts[k])]
        self.forces = sum(len(r.names) for r in self.reactions)
        joints = coordinate_names(model, "v")
        limits_of_forces = tuple(name for r in self.reactions for name in r.limits)
        torques = tuple(f"joint {joints[k]}: torque limit" if efforts[k] else f"joint {joints[k]}: no motor"
                        for k in self.limited)  # fmt: skip
        self.hard_names = (*torques, *self.hard_names, *limits_of_forces)
        self.n, self.fixed = self.nv + self.forces, len(self.hard_names) + self.clear

    @property
    def variable_names(self) -> tuple[str, ...]:
        """The names of the reactions."""
        return tuple(name for r in self.reactions for name in r.names)

    @property
    def contacts(self) -> tuple[str, ...]:
        """The held frames."""
        return tuple(r.task.name for r in self.reactions if isinstance(r.task, Held))

    @property
    def _wrenches(self) -> list[Port]:
        return [Port("wrenches", (len(self.contacts), 6))] if self.contacts else []

    def is_damped(self, level: Level) -> bool:
        """Never: velocities change by accelerations."""
        return False

    def equations(self, k: int) -> int:
        """None: the first rows are limits of joint forces."""
        return 0

    @lazy
    def staged(self) -> Staged:
        """As for velocities, and per step: accelerations, torques and the wrenches on held frames."""
        nq, nv, m = self.model.nq, self.nv, self.n + self.fixed
        inputs = (Port("q", (nq,)), Port("v", (nv,)), Port("dt", ()), *self.targets)
        stages = [Stage(self._terms(inputs), tuple(p.name for p in inputs), tuple(p.name for p in self._between))]
        for k in range(len(self.levels)):
            stages += LevelProgram(self, k).stages()
        last = len(self.levels) - 1
        verdicts = [f"{word} {k}" for word in ("verdict", "residual") for k in range(len(self.levels))]
        moving = ("q", "v", "dt", "box below", "box above", "dynamics", "momentum", "bias", f"x {last}",
                  f"active {last}", f"multipliers {last}", *verdicts, *(["yields"] if self.clear else []))  # fmt: skip
        decided = (
            Port("q next", (nq,)), Port("v next", (nv,)), Port("q step", (nq,)), Port("v step", (nv,)),
            Port("verdict", ()), Port("residual", ()), Port("active", (m,)), Port("multipliers", (m,)),
            Port("a", (nv,)), Port("tau", (nv,)), *self._wrenches,
        )  # fmt: skip
        stages.append(Stage(self._motion(), moving, tuple(p.name for p in decided)))
        outputs = (*decided[:8], Port("reason", (2, nv)), *decided[8:])
        return Staged("tasks", inputs, outputs, stages)

    @property
    def _between(self) -> list[Port]:
        nv, n, fixed = self.nv, self.n, self.fixed
        ports: list[Port] = []
        for k, level in enumerate(self.levels):
            ports += [Port(f"H {k}", (n, n)), Port(f"g {k}", (n,))]
            if level.rows and k < len(self.levels) - 1:
                ports.append(Port(f"J {k}", (level.rows, n)))
        if fixed:
            ports.append(Port("rows 0", (fixed, n)))
        words = ("requested", "possible", "upper 0") if self.clear else ("lower 0", "upper 0")
        ports += [Port(word, (n + fixed,)) for word in words]
        ports += [Port("dynamics", (nv, n)), Port("momentum", (nv,)), Port("bias", (nv,))]
        return [*ports, Port("box below", (nv,)), Port("box above", (nv,)), Port("reason", (2, nv))]

    def _terms(self, inputs: Sequence[Port]) -> CompiledFunction:
        bends = self._bends

        def terms(q: Any, v: Any, dt: Any, *targets: Any) -> Any:
            each_target = iter(targets)
            of_tasks = [None if shape is None else next(each_target) for shape in self.shapes]
            around = list(each_target)
            requests = dict(zip(map(id, self.tasks), self._asked(q, v, dt, of_tasks, bends), strict=True))
            results: list[Any] = []
            pad = [0.0] * self.forces
            for k, level in enumerate(self.levels):
                results += self._objective(level, [requests[id(t)] for t in level.tasks])
                if level.rows and k < len(self.levels) - 1:
                    results.append([[*row, *pad] for t in level.tasks for row in requests[id(t)].J])
            columns, rows, low_rows, high_rows, box = self._reactions(q, dt, of_tasks, requests)
            M, h = mass_matrix(self.robot, q), list(bias_forces(self.robot, q, v))
            dynamics = [[*M[i], *(-self.mass * column[i] for column in columns)] for i in range(self.nv)]
            momentum = [dot(M[i], list(v)) - dt * h[i] for i in range(self.nv)]
            hard, gaps = self._hard(of_tasks, requests), self.gaps(q, around)
            lower, upper, below, above = bounds_of(
                self.robot, self.limits, self.velocity_limits, self.acceleration, q, v, dt
            )
            fixed = [dynamics[k] for k in self.limited] + [[*row, *pad] for row in hard[0]] + rows
            fixed += [[*gap.row, *pad] for gap in gaps]
            lows = [momentum[k] - dt * float(self.efforts[k]) for k in self.limited] + hard[1] + low_rows
            highs = [momentum[k] + dt * float(self.efforts[k]) for k in self.limited] + hard[2] + high_rows
            if fixed:
                results.append(fixed)
            start, ends = [*lower, *box[0], *lows], [*upper, *box[1], *highs, *[INF] * len(gaps)]
            if self.clear:
                assert self.clearance is not None
                requested, possible = clearance_bounds(gaps, self.clearance.margin, lower, upper, self.acceleration, dt)
                results += [[*start, *requested], [*start, *possible], ends]
            else:
                results += [start, ends]
            return (*results, dynamics, momentum, h, lower, upper, [below, above])

        function = CompiledFunction(terms, tuple(inputs), tuple(self._between))
        function.needs_double = True
        return function

    @lazy
    def _bends(self) -> Any:
        """How the rows of all tasks times v change along v: J̇ v."""
        shaped = [(k, shape) for k, shape in enumerate(self.shapes) if shape is not None]
        ports = [Port("s", ()), Port("q", (self.model.nq,)), Port("v", (self.nv,))]
        ports += [Port(f"target {k}", shape) for k, shape in shaped]
        count = sum(len(task.labels(self.model)) for task in self.tasks)

        def rates(s: Any, q: Any, v: Any, *targets: Any) -> Any:
            each_target = iter(targets)
            ahead = integrate(self.robot, list(q), [s * y for y in v])
            of = [task.rows(self.robot, ahead, None if shape is None else next(each_target), 1.0)
                  for task, shape in zip(self.tasks, self.shapes, strict=True)]  # fmt: skip
            return [dot(row, list(v)) for rows in of for row in rows.J]

        return CompiledFunction(rates, tuple(ports), (Port("rates", (count,)),)).derivative("s")

    def _asked(self, q: Any, v: Any, dt: Scalar, targets: list[Any], bends: Any) -> list[Rows]:
        """For each task the rows J and the values that J v' should have."""
        values: dict[str, Any] = {"s": [0.0], "q": list(q), "v": list(v)}
        values |= {f"target {k}": _flat(x) for k, x in enumerate(targets) if self.shapes[k] is not None}
        (bent,) = bends.program.on(values)
        bent, results = iter(bent), []
        for task, target in zip(self.tasks, targets, strict=True):
            rows, gain = task.rows(self.robot, q, target, dt), task.gain
            requested = []
            for row, b in zip(rows.J, rows.b, strict=True):
                speed, bend = dot(row, list(v)), next(bent)
                desired = (1.0 - gain) * (1.0 - gain) * speed + gain * b if task.is_of_positions else (
                    speed + gain * (b - speed))  # fmt: skip
                requested.append(desired - dt * bend)
            results.append(Rows(rows.J, requested))
        return results

    def _objective(self, level: Level, requests: Sequence[Rows]) -> list[Any]:
        """H and g of the sum of squares of weight · (J v' - b), and of the reactions."""
        parts = [weighted(task, rows) for task, rows in zip(level.tasks, requests, strict=True)]
        J, b = [row for r in parts for row in r.J], [x for r in parts for x in r.b]
        columns = [list(c) for c in zip(*J, strict=True)] or [[]] * self.nv
        resting = 0.0 if level.is_complete else LEAST_WEIGHT
        least = [resting] * self.nv + [LEAST_FORCE] * self.forces
        columns += [[0.0] * len(b)] * self.forces
        entries = {(i, j): dot(columns[i], columns[j]) + (least[i] if i == j else 0.0) for i, j in triangle(self.n)}
        H = [[entries[max(i, j), min(i, j)] for j in range(self.n)] for i in range(self.n)]
        return [H, [-dot(c, b) for c in columns]]

    def _hard(self, targets: list[Any], requests: dict[int, Rows]) -> tuple[list[Row], list[Scalar], list[Scalar]]:
        """Rows of hard tasks and their bounds; those of a foot that is released are free."""
        rows: list[Row] = []
        lower: list[Scalar] = []
        upper: list[Scalar] = []
        for task, target in zip(self.tasks, targets, strict=True):
            if not task.hard:
                continue
            request = requests[id(task)]
            rows += [list(row) for row in request.J]
            for b in request.b:
                is_free = isinstance(task, Held) and task.friction is not None
                lower.append(where(target > 0.0, b, -INF) if is_free else b)
                upper.append(where(target > 0.0, b, INF) if is_free else b)
        return rows, lower, upper

    def _reactions(self, q: Any, dt: Scalar, targets: list[Any], requests: dict[int, Rows]) -> Any:
        """The columns of all reactions, rows on them with bounds, and the bounds of the variables."""
        columns: list[Row] = []
        rows: list[Row] = []
        lower: list[Scalar] = []
        upper: list[Scalar] = []
        box: tuple[list[Scalar], list[Scalar]] = ([], [])
        of = dict(zip(map(id, self.tasks), targets, strict=True))
        at = self.nv
        for reaction in self.reactions:
            target, six = of[id(reaction.task)], []
            largest = None
            if isinstance(reaction, Footing):
                six = [list(row) for row in jacobian(self.robot, q, reaction.task.frame)]
                largest = smaller_of(target, UNBOUNDED) * dt * (1.0 / self.mass)
            columns += reaction.columns(self.robot, q, [list(r) for r in requests[id(reaction.task)].J], six)
            of_own, low, high = reaction.limited(largest)
            count = len(reaction.names)
            rows += [[*[0.0] * at, *row, *[0.0] * (self.n - at - count)] for row in of_own]
            lower, upper = [*lower, *low], [*upper, *high]
            for ends, more in zip(box, reaction.bounds(largest), strict=True):
                ends.extend(more)
            at += count
        return columns, rows, lower, upper, box

    def _motion(self) -> CompiledFunction:
        """The next state, the torques and the wrenches: where the programs have no solution, the robot brakes."""
        nv, n, levels, last = self.nv, self.n, len(self.levels), self.general(len(self.levels) - 1)
        m = n + self.fixed

        def motion(q: Any, v: Any, dt: Any, low: Any, high: Any, dynamics: Any, momentum: Any, bias: Any, x: Any,
                   active: Any, multipliers: Any, *more: Any) -> Any:  # fmt: skip
            verdict, residual = more[0], more[levels]
            for k in range(1, levels):
                verdict = where(verdict > 0.5, verdict, more[k])
                residual = larger_of(more[levels + k], residual)
            if self.clear:
                yields = more[2 * levels]
                verdict = where(verdict > 0.5, verdict, where(yields > 0.5, float(Verdict.NEAREST), 0.0))
            contradicts = where(abs(verdict - float(Verdict.INFEASIBLE)) < 0.5, 1.0, 0.0)
            wrong = where(abs(verdict - float(Verdict.NOT_CONVERGED)) < 0.5, where(residual < HARMLESS, 0.0, 1.0), 0.0)
            fails = contradicts + wrong > 0.5
            wished = [where(fails, 0.0, y) for y in x[:nv]]
            ahead = [where(y > b, b, where(y < a, a, y)) for y, a, b in zip(wished, low, high, strict=True)]
            a = [(y - z) / dt for y, z in zip(ahead, v, strict=True)]
            tau = [where(fails, h, (dot(row, x) - p) / dt) for row, p, h in zip(dynamics, momentum, bias, strict=True)]
            tau = [where(t > e, e, where(t < -e, -e, t)) for t, e in zip(tau, map(float, self.efforts), strict=True)]
            wrenches, at = [], nv
            for reaction in self.reactions:
                count = len(reaction.names)
                if isinstance(reaction.task, Held):
                    f = [where(fails, 0.0, y * self.mass / dt) for y in x[at : at + count]]
                    wrenches.append(reaction.wrench(self.robot, q, f))
                at += count
            q1 = integrate(self.robot, q, [y * dt for y in ahead])
            forces = [wrenches] if wrenches else []
            return q1, ahead, q1, ahead, verdict, residual, active[:m], multipliers[:m], a, tau, *forces

        inputs = (Port("q", (self.model.nq,)), Port("v", (nv,)), Port("dt", ()), Port("low", (nv,)),
                  Port("high", (nv,)), Port("dynamics", (nv, n)), Port("momentum", (nv,)), Port("bias", (nv,)),
                  Port("x", (n,)), Port("active", (n + last,)), Port("multipliers", (n + last,)))  # fmt: skip
        numbers = tuple(Port(f"{word} {k}", ()) for word in ("verdict", "residual") for k in range(levels))
        numbers += (Port("yields", ()),) if self.clear else ()
        outputs = (Port("q next", (self.model.nq,)), Port("v next", (nv,)), Port("q step", (self.model.nq,)),
                   Port("v step", (nv,)), Port("verdict", ()), Port("residual", ()), Port("active", (m,)),
                   Port("multipliers", (m,)), Port("a", (nv,)), Port("tau", (nv,)), *self._wrenches)  # fmt: skip
        function = CompiledFunction(motion, (*inputs, *numbers), outputs)
        function.needs_double = True
        return function


def _flat(x: Any) -> list[Any]:
    return [z for y in x for z in _flat(y)] if isinstance(x, list | tuple) else [x]
