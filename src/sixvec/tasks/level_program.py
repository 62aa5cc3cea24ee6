"""The quadratic programs of one level of a stack: what its tasks ask for, and a second one that comes to rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixvec.kernels import Iterated, Port, Stage
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import where
from sixvec.solve.active_set import full, larger_of, smaller_of, triangle
from sixvec.solve.active_set_loop import active_set_loop
from sixvec.solve.box_loop import box_loop
from sixvec.spatial.linear import dot
from sixvec.tasks.curvature import curvature
from sixvec.tasks.resting import braked, levenberg_matrix, newton_matrix
from sixvec.tasks.task import weighted
from sixvec.tasks.yielding import chosen, repeated, yielding
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.tasks.levels import StepProgram

RESULTS = ("x", "multipliers", "active", "residual", "verdict")


class LevelProgram:
    """Level k of a step, as stages that compute "x k", "multipliers k", "active k", "residual k" and "verdict k"."""

    def __init__(self, step: StepProgram, k: int) -> None:
        self.step, self.k, self.level = step, k, step.levels[k]
        self.n, self.general = step.n, step.general(k)
        self.m = self.n + self.general
        self.program = active_set_loop(self.n, self.n, self.general, False, step.equations(k))
        self.gradient = (f"g {k}", *([f"rows {k}"] if self.general else []))
        self.results = [f"{word} {k}" for word in RESULTS]
        self.ends = (f"lower {k}", f"upper {k}")

    def stages(self) -> list[Stage]:
        """Without damping, clearance and limits of acceleration this is one program."""
        step, k, H = self.step, self.k, f"H {self.k}"
        stages = [self._links()] if k else []
        yields, is_damped = bool(step.clear) and not k, step.is_damped(self.level)
        ends = ("requested", "upper 0") if yields else self.ends
        if yields or (is_damped and self.general):
            stages.append(self._solve(H, ends, " first"))
        elif is_damped:  # bounds alone contradict each other in the same way again, so x is enough
            stages.append(Stage(box_loop(self.n, judged=False), (H, *self.gradient, *ends), (f"x {k} first",)))
        if is_damped:
            H = f"damped {k}"
            stages += [*self._bends(), self._damps()]
        if yields:
            inputs = ("requested", "possible", f"verdict {k} first")
            stages.append(Stage(yielding(self.m), inputs, ("lower 0", "yields")))
        if step.brakes:
            return [*stages, *self._brakes(H)]
        if yields and not is_damped:
            return [*stages, *self._again(H, " first")]
        if is_damped and not self.general:  # its minimum is mostly near the first one
            program = (H, *self.gradient, *self.ends, f"x {k} first")
            return [*stages, Stage(box_loop(self.n, near=True), program, tuple(self.results))]
        return [*stages, self._solve(H, self.ends)]

    def _solve(self, H: str, ends: Sequence[str], suffix: str = "") -> Stage:
        """The program with this matrix and these bounds; the suffix tells its results from others."""
        return Stage(self.program, (H, *self.gradient, *ends), tuple(f"{name}{suffix}" for name in self.results))

    def _again(self, H: str, suffix: str) -> list[Stage]:
        """The program once more with its own bounds where another one has failed, whose results have the suffix."""
        n, general = self.n, self.general
        program = (H, *self.gradient, *self.ends)
        again = [f"{name} again" for name in program]
        first, second = ([f"{name}{word}" for name in self.results] for word in (suffix, " second"))
        return [
            Stage(repeated(n, general), (*program, first[4]), tuple(again)),
            Stage(self.program, tuple(again), tuple(second)),
            Stage(chosen(n, n + general), (*first, *second), tuple(self.results)),
        ]

    def _brakes(self, H: str) -> list[Stage]:
        """The motion that remains, without limits of speed and acceleration; speeds from which joints stop after it."""
        k = self.k
        inputs = (*self.ends, "widest below", "widest above")
        before = (f"x {k - 1}",) if k else ()
        slow = tuple(f"braked {name}" for name in self.ends)
        wide = tuple(f"wide {name}" for name in self.ends)
        inputs_of_braking = (f"x {k} wide", *self.ends, f"verdict {k} wide", "v", "dt", *before)
        stages = [
            Stage(self._widen(), inputs, wide),
            self._solve(H, wide, " wide"),
            Stage(self._brake(), inputs_of_braking, slow),
        ]
        if not self.general:
            return [*stages, self._solve(H, slow)]
        return [*stages, self._solve(H, slow, " slow"), *self._again(H, " slow")]  # rows may need the full speed

    def _links(self) -> Stage:
        """Rows and bounds of a level that keeps what the levels before have reached."""
        step, n, k, hard = self.step, self.n, self.k, self.step.fixed
        before = [(i, step.levels[i].rows) for i in range(k) if step.levels[i].rows]

        def linked(*arrays: Any) -> Any:
            values = list(arrays)
            A = list(values.pop(0)) if hard else []
            J = [row for _ in before for row in values.pop(0)]
            lower, upper, x = values
            reached = [dot(row, x) for row in J]
            return [*A, *J], [*lower, *reached], [*upper, *reached]

        inputs = [Port("rows 0", (hard, n))] if hard else []
        inputs += [Port(f"J {i}", (rows, n)) for i, rows in before]
        inputs += [Port("lower 0", (n + hard,)), Port("upper 0", (n + hard,)), Port(f"x {k - 1}", (n,))]
        outputs = (Port(f"rows {k}", (self.general, n)), Port(f"lower {k}", (self.m,)), Port(f"upper {k}", (self.m,)))
        return _stage(linked, inputs, outputs, f"linked levels {n} {hard} {before}")

    @property
    def _has_bent_gaps(self) -> bool:
        """Whether the change of the rows of gaps with the position is known."""
        clearance = self.step.clearance
        return clearance is not None and clearance.is_written_out

    def _bends(self) -> list[Stage]:
        """The curvature of gaps along the forces that keep them open, computed where some gap of a register needs it:
        nearly always none does, and it takes more operations than all else."""
        if not self._has_bent_gaps:
            return []
        step, n, k = self.step, self.n, self.k
        first, count = n + len(step.hard_names), step.clear
        bent, needed, forces = Port("bent", (n * (n + 1) // 2,)), Port("needed", ()), Port("forces", (count,))

        def look(multipliers: Any, verdict: Any, dt: Any) -> Any:
            proven = abs(verdict - float(Verdict.INFEASIBLE)) < 0.5  # then the multipliers are a proof
            forces = [where(proven, 0.0, -dt * y) for y in multipliers[first : first + count]]
            return [0.0] * bent.size, sum((where(abs(x) > 0.0, 1.0, 0.0) for x in forces), 0.0), forces

        def rows(q: Any, *around: Any) -> Any:
            return [gap.row for gap in step.gaps(q, list(around))]

        def bend(bent: Any, needed: Any, forces: Any, q: Any, *around: Any) -> Any:
            S = curvature(step.robot, rows, q, forces, around)
            here = needed > 0.0
            return [where(here, S[i][j], x) for x, (i, j) in zip(bent, triangle(n), strict=True)], 0.0, 0.0

        looked = _function(look, (Port("multipliers", (self.m,)), Port("verdict", ()), Port("dt", ())),
                           (bent, needed, forces), f"forces of gaps {self.m} {first} {count}")  # fmt: skip
        inputs = (bent, needed, forces, Port("q", (step.model.nq,)), *step.around)
        once = Iterated(
            _function(bend, inputs, (bent, needed, Port("again", ()))), 1, 2, until=True, name="gaps", may_skip=True
        )
        names = (f"straight {k}", f"needed {k}", f"forces {k}")
        return [
            Stage(looked, (f"multipliers {k} first", f"verdict {k} first", "dt"), names),
            Stage(once, (*names, "q", *(p.name for p in step.around)), (f"bent {k}", f"bent already {k}")),
        ]

    def _damps(self) -> Stage:
        """The matrix of the second program, from what the first one leaves: errors, and forces of rows it keeps."""
        step, n, k, general = self.step, self.n, self.k, self.general
        soft = self.level.curved
        satisfied = [*step.hard, *(task for level in step.levels[:k] for task in level.tasks)]
        count = sum(len(task.labels(step.model)) for task in soft)
        used = [(i, step.shapes[i]) for i, task in enumerate(step.tasks) if any(task is t for t in (*soft, *satisfied))]
        targets = [Port(f"target {i}", shape) for i, shape in used if shape is not None]
        curves = step.clearance is None or self._has_bent_gaps

        def rows(q: Any, *values: Any) -> Any:
            each_value = iter(values)
            of_number = {
                i: step.tasks[i].rows(step.robot, q, None if shape is None else next(each_value), 1.0)
                for i, shape in used
            }
            of = {id(step.tasks[i]): rows for i, rows in of_number.items()}
            J = [row for task in soft for row in weighted(task, of[id(task)]).J]
            return [*J, *(row for task in satisfied for row in of[id(task)].J)]

        def damped(H: Any, free: Any, x: Any, dt: Any, q: Any, *arrays: Any) -> Any:
            values, failed, bent = list(arrays), False, None
            if general:
                failed = abs(values.pop(0) - float(Verdict.INFEASIBLE)) < 0.5  # then the multipliers are a proof
            x = [where(failed, 0.0, y) for y in x]
            push: list[Any] = []
            if count:
                J, b = values.pop(0), values.pop(0)
                push = [dt * (y - dot(row, x)) for row, y in zip(J, b, strict=True)]
            if not curves:
                return levenberg_matrix(H, push, step.damping)
            if general:
                forces = [where(failed, 0.0, -dt * y) for y in values.pop(0)[n:]]
                first, last = len(step.hard_names), len(step.hard_names) + step.clear
                push += [*forces[:first], *forces[last:]]
            if step.clear:
                bent = full(values.pop(0), n)
            return newton_matrix(step.robot, rows, H, free, push, q, values, step.damping, bent)

        inputs = [Port(f"H {k}", (n, n)), Port(f"free {k}", (n,)), Port(f"x {k} first", (n,)), Port("dt", ()),
                  Port("q", (step.model.nq,))]  # fmt: skip
        inputs += [Port(f"verdict {k} first", ())] if general else []
        inputs += [Port(f"curved {k}", (count, n)), Port(f"b {k}", (count,))] if count else []
        inputs += [Port(f"multipliers {k} first", (self.m,))] if general and curves else []
        inputs += [Port(f"bent {k}", (n * (n + 1) // 2,))] if step.clear and curves else []
        inputs += targets if curves else []
        return _stage(damped, inputs, (Port(f"damped {k}", (n, n)),))

    def _widen(self) -> CompiledFunction:
        """The bounds with those of positions alone for the joints."""
        n = self.n

        def widen(lower: Any, upper: Any, below: Any, above: Any) -> Any:
            return [*below, *lower[n:]], [*above, *upper[n:]]

        ends = [Port(word, (self.m,)) for word in ("lower", "upper")]
        inputs = (*ends, Port("below", (n,)), Port("above", (n,)))
        return _function(widen, inputs, [Port(f"wide {p.name}", p.shape) for p in ends], f"wide bounds {n} {self.m}")

    def _brake(self) -> CompiledFunction:
        """Bounds from which joints can stop after the motion that remains; the level before stays possible."""
        n, m = self.n, self.m

        def brake(remaining: Any, lower: Any, upper: Any, verdict: Any, v: Any, dt: Any, *before: Any) -> Any:
            low, high = braked(remaining, lower[:n], upper[:n], v, self.step.acceleration, dt)
            for x in before:
                low = [smaller_of(y, z) for y, z in zip(low, x, strict=True)]
                high = [larger_of(y, z) for y, z in zip(high, x, strict=True)]
            unknown = where(sum(map(abs, v), 0.0) < float("inf"), 0.0, 1.0)
            solved = verdict + unknown < 0.5
            low, high = (
                [where(solved, x, y) for x, y in zip(slow, fast, strict=False)]
                for slow, fast in ((low, lower), (high, upper))
            )
            return [*low, *lower[n:]], [*high, *upper[n:]]

        inputs = (
            Port("remaining", (n,)), Port("lower", (m,)), Port("upper", (m,)), Port("verdict", ()), Port("v", (n,)),
            Port("dt", ()), *([Port("before", (n,))] if self.k else []),
        )  # fmt: skip
        return _function(brake, inputs, (Port("braked lower", (m,)), Port("braked upper", (m,))))


def _stage(run: Any, inputs: Sequence[Port], outputs: Sequence[Port], identity: str = "") -> Stage:
    """A function of arrays with the names of its inputs and outputs."""
    function = _function(run, inputs, outputs, identity)
    return Stage(function, tuple(p.name for p in inputs), tuple(p.name for p in outputs))


def _function(run: Any, inputs: Sequence[Port], outputs: Sequence[Port], identity: str = "") -> CompiledFunction:
    function = CompiledFunction(run, tuple(inputs), tuple(outputs), identity)
    function.needs_double = True
    return function
