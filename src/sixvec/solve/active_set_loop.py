"""The dual active-set method as one compiled call: stages, some of which are loops, in SIMD lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.solve.active_set import (
    Rows,
    Scaled,
    Search,
    at_work,
    begin,
    change,
    full,
    held,
    of_rows,
    refined,
    sides_of,
    squared_length,
    symmetric_part,
    values_of,
)
from sixvec.solve.box_loop import MOST_CHANGES, REFINEMENTS, box_loop
from sixvec.solve.inverse_stages import inverse_stages
from sixvec.solve.program_verdict import judged

REFINED = ("x", "P", "N", "row", "active")
HELD = ("x", "P", "N", "multiplier", "row")
RESUMED = ("side", "active", "state")
JUDGED = ("x", "N", "row", "active", "entering", "state")
"""The parts of the search that corrections and verdicts use.  Inputs that a stage does not use cost time, since it must
still pass on that they are not finite; and infinite bounds would make its results so."""


@lru_cache(maxsize=64)
def active_set_loop(n: int, variables: int, general: int, warm: bool, equations: int = 0) -> Iterated:
    """(x, multipliers, active, residual, verdict) of programs (H, g, A, lower, upper), and with `warm` preferred rows,
    or without rows a point near the minimum.

    `variables` of x are bounded, none or all of them, by the first bounds; A has `general` rows, and is left out if it
    has none.  Results have one more axis, of length 1.  The first `equations` of these rows are mostly equations, which
    are held before the search; each counts where its bounds are equal.
    """
    if not general:
        return box_loop(n, near=warm)
    return Iterated(_Stages(n, variables, general, warm, min(n, equations)).whole(), 1, 0, name="quadratic_program")


class _Stages:
    """The functions of the stages and the arrays between them."""

    def __init__(self, n: int, variables: int, general: int, warm: bool, equations: int) -> None:
        self.n, self.variables, self.general, self.warm = n, variables, general, warm
        self.equations = equations
        m = self.m = variables + general
        self.triangle = n * (n + 1) // 2
        self.A = [Port("A", (general, n))] if general else []
        self.program = [Port("H", (n, n)), Port("g", (n,)), *self.A, Port("lower", (m,)), Port("upper", (m,))]
        self.S = Port("S", (self.triangle,))
        self.quadratic = Port("quadratic", (self.triangle,))
        self.squares = [Port("squares", (general,))] if general else []
        shapes = [(n,), (self.triangle,), (n, n), (n,), (n,), (n,), (m,), (), (), ()]
        self.search = [Port(name, shape) for name, shape in zip(Search.__annotations__, shapes, strict=True)]
        self.scaled = [
            Port(f"scaled {k}", s) for k, s in zip(Scaled.__annotations__, [(m,), (m,), (m,), ()], strict=True)
        ]
        self.preferred = [Port("preferred", (m,))] if warm else []
        self.results = [Port("minimum", (n,)), Port("multipliers", (m,)), Port("sides", (m,)), Port("residual", ()),
                        Port("verdict", ())]  # fmt: skip

    def whole(self) -> Staged:
        """The inverse of H by sweeps, the scale of the rows, changes of the active set, corrections, the verdict."""
        n, after = self.n, [f"{p.name} after" for p in self.search]
        changes = Iterated(
            self._change(), MOST_CHANGES * (n + self.m), len(self.search), until=True, name="quadratic_program",
            may_skip=True,
        )  # fmt: skip
        refinements = Iterated(self._refine(), REFINEMENTS, 1, name="refinements")
        names = _names(self.program)
        scaled = _names(self.scaled)
        stages = [*inverse_stages(n)]
        if self.general:
            squares = Iterated(self._square(), self.general, 0, each=1, name="squares")
            stages.append(Stage(squares, ("S", "A"), ("squares",)))
        stages += [
            Stage(self._begin(), ("S", *_names(self.squares), *names[1:]), (*_names(self.search), *scaled)),
            *(self._hold() if self.equations else []),
            Stage(
                changes,
                (
                    *(self._begun(p.name) for p in self.search),
                    "regular",
                    *_names(self.A),
                    *scaled,
                    *_names(self.preferred),
                ),
                tuple(after),
            ),
            Stage(
                refinements,
                (after[0], *(f"{k} after" for k in REFINED[1:]), "quadratic", *names[1 : 2 + len(self.A)], *scaled[:3]),
                ("refined",),
            ),
            Stage(
                self._finish(),
                ("refined", *(f"{k} after" for k in JUDGED), *names, *_names(self._scaled_of_finish)),
                tuple(_names(self.results)),
            ),
        ]
        return Staged("quadratic_program", (*self.program, *self.preferred), self.results, stages)

    def _made(
        self, name: str, function: Callable[..., Any], inputs: Sequence[Port], outputs: Sequence[Port]
    ) -> CompiledFunction:
        key = f"quadratic program {self.n} {self.variables} {self.general} {self.warm} {self.equations} {name}"
        compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), key)
        compiled.needs_double = True
        return compiled

    def _rows(self, values: list[Any]) -> Rows:
        """The rows, from the values of a function's arguments, of which A is the next if there is one."""
        return Rows(self.variables, values.pop(0) if self.general else [])

    def _square(self) -> CompiledFunction:
        return self._made("square", squared_length, (self.S, Port("a", (self.n,))), (Port("square", ()),))

    def _begin(self) -> CompiledFunction:
        def start(S: Any, *arrays: Any) -> Any:
            values = list(arrays)
            squares = values.pop(0) if self.general else []
            g, rows = values.pop(0), self._rows(values)
            search, scaled = begin(S, g, squares, rows, *values)
            return *values_of(search)[:-1], at_work(search, rows, scaled), *values_of(scaled)

        inputs = (self.S, *self.squares, *self.program[1:])
        return self._made("begin", start, inputs, (*self.search, *self.scaled))

    def _begun(self, name: str) -> str:
        """The array of a part of the search before its first change."""
        return f"{name} held" if self.equations and name in HELD + RESUMED else name

    def _hold(self) -> list[Stage]:
        """Equations enter before the search, one after another."""
        n, count, first = self.n, self.equations, self.variables
        state = [p for p in self.search if p.name in HELD]
        rows = [Port("a", (n,)), *(Port(name, ()) for name in ("low", "high", "number"))]
        whole = [Port(f"{p.name} of equations", (count, *p.shape)) for p in rows]

        def choose(A: Any, lower: Any, upper: Any, scale: Any) -> Any:
            s = scale[first : first + count]
            ends = [x[first : first + count] for x in (lower, upper)]
            return (
                [[x * y for x in row] for row, y in zip(A, s, strict=False)],
                *ends,
                [float(first + k) for k in range(count)],
            )

        def hold(*arrays: Any) -> Any:
            return held(*arrays)

        def resume(x: Any, multiplier: Any, row: Any, active: Any, A: Any, *scaled: Any) -> Any:
            sides = sides_of(multiplier, row)
            values = of_rows(sides, row, first + count)[first:]
            active = [*active[:first], *values, *active[first + count :]]
            search = Search(x, [], [], multiplier, sides, row, active, -1.0, 0.0, 1.0)
            return sides, active, at_work(search, Rows(first, A), Scaled(*scaled))

        by_name = {p.name: p for p in self.search}
        chosen = self._made("choose equations", choose, (*self.A, *self.scaled[:3]), whole)
        one = self._made("hold", hold, (*state, *rows), state)
        parts = [by_name[name] for name in ("x", "multiplier", "row", "active")]
        resumed = self._made("resume", resume, (*parts, *self.A, *self.scaled), [by_name[k] for k in RESUMED])
        loop = Iterated(one, count, len(state), each=len(rows), name="equations")
        return [
            Stage(chosen, tuple(_names(chosen.inputs)), tuple(_names(whole))),
            Stage(loop, (*HELD, *_names(whole)), tuple(f"{name} held" for name in HELD)),
            Stage(
                resumed,
                ("x held", "multiplier held", "row held", "active", *_names(self.A), *_names(self.scaled)),
                tuple(f"{name} held" for name in RESUMED),
            ),
        ]

    def _change(self) -> CompiledFunction:
        def step(*arrays: Any) -> Any:
            values = list(arrays)
            search, values = Search(*values[: len(self.search)]), values[len(self.search) :]
            H, rows = full(values.pop(0), self.n), self._rows(values)
            scaled = Scaled(*values[:4])
            after = change(search, H, rows, scaled, values[4] if self.warm else None)
            state = at_work(after, rows, scaled)
            return *values_of(after)[:-1], state, state

        inputs = (*self.search, self.quadratic, *self.A, *self.scaled, *self.preferred)
        return self._made("change", step, inputs, (*self.search, Port("again", ())))

    def _refine(self) -> CompiledFunction:
        def refine(*arrays: Any) -> Any:
            values = list(arrays)
            search, values = _search(REFINED, values), values[len(REFINED) :]
            H, g, rows = full(values.pop(0), self.n), values.pop(0), self._rows(values)
            lower, upper, scale = values
            return refined(search.x, search, H, g, rows, Scaled(lower, upper, scale, 0.0))

        inputs = (*self._parts(REFINED), self.quadratic, *self.program[1 : 2 + len(self.A)], *self.scaled[:3])
        return self._made("refine", refine, inputs, self.search[:1])

    def _finish(self) -> CompiledFunction:
        def finish(*arrays: Any) -> Any:
            values = list(arrays)
            x = values.pop(0)
            search, values = _search(JUDGED, values), values[len(JUDGED) :]
            H, g, rows = full(symmetric_part(values.pop(0))[0], self.n), values.pop(0), self._rows(values)
            lower, upper, high, scale = values
            scaled = Scaled([], high, scale, 0.0)
            multipliers, residual, verdict = judged(x, search, H, g, rows, scaled, lower, upper)
            return x, multipliers, search.active, residual, verdict

        inputs = (self.results[0], *self._parts(JUDGED), *self.program, *self._scaled_of_finish)
        return self._made("finish", finish, inputs, self.results)

    @property
    def _scaled_of_finish(self) -> list[Port]:
        return self.scaled[1:3]

    def _parts(self, names: Sequence[str]) -> list[Port]:
        return [p for p in self.search if p.name in names]


def _search(names: Sequence[str], values: Sequence[Any]) -> Search:
    """A search of which only these parts are known."""
    known = dict(zip(names, values, strict=False))
    return Search(**{name: known.get(name, []) for name in Search.__annotations__})


def _names(ports: Sequence[Port]) -> list[str]:
    return [p.name for p in ports]
