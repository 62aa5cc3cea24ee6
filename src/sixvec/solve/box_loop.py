"""Quadratic programs with bounds of the variables alone, as one compiled call; `active_set_loop.py` has the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from sixvec.kernels import Compiled, Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import where
from sixvec.solve.active_set import full, values_of
from sixvec.solve.box_search import (
    Box,
    BoxSearch,
    Start,
    begin_in_box,
    change_in_box,
    freed,
    freed_in_turn,
    placed_in_box,
    refined_in_box,
    released_in_box,
    start_in_box,
    wrong_in_box,
)
from sixvec.solve.inverse_stages import WRITTEN_OUT, rotated
from sixvec.solve.program_verdict import judged_in_box

MOST_CHANGES = 8
"""Changes of the active set per variable and row, at most; fewer than two per variable are usual."""

REFINEMENTS = 2
"""Corrections of the result: the changes leave rounding errors that grow with the condition, and each correction
removes all but a small fraction of them."""


@lru_cache(maxsize=64)
def box_loop(n: int, near: bool = False, judged: bool = True) -> Iterated:
    """`active_set_loop` for programs (H, g, lower, upper) without rows, with `near` also of a point near the minimum;
    x alone, to about the rounding of H⁻¹, where it is not `judged`."""
    made = _Stages(n, near)
    last = made.finish() if judged else made.leave()
    search, box, after = _names(made.search), _names(made.box), [f"{p.name} after" for p in made.search]
    release = Iterated(made.release(), n, len(search) + 1, until=True, name="release", may_skip=True)
    changes = Iterated(
        made.change(), MOST_CHANGES * 2 * n, len(search), until=True, name="quadratic_program", may_skip=True
    )
    released = tuple(f"{name} released" for name in (*search, "wrong"))
    at_end = dict(zip(search, after, strict=True))
    stages = [
        *made.begin(),
        Stage(release, (*search, "wrong", *box), released),
        Stage(changes, (*released[:-1], *box[:-1]), tuple(after)),
        Stage(last, tuple(at_end.get(p.name, p.name) for p in last.inputs), _names(last.outputs)),
    ]
    return Iterated(Staged("quadratic_program", made.program, last.outputs, stages), 1, 0, name="quadratic_program")


class _Stages:
    """The functions of the stages and the arrays between them."""

    def __init__(self, n: int, near: bool) -> None:
        size = n * (n + 1) // 2
        vector, self.n, self.near = (n,), n, near
        self.program = [Port("H", (n, n)), *(Port(name, vector) for name in ("g", "lower", "upper"))]
        self.program += [Port("near", vector)] if near else []
        self.search = _ports("", BoxSearch, vector, (size,), vector, (), ())
        self.start = _ports("start ", Start, vector, (size,), vector, vector, vector, vector, vector, (), (size,))
        self.box = _ports("box ", Box, vector, vector, vector, (), ())
        self.wrong, self.again = Port("wrong", ()), Port("again", ())
        self.state = [Port("T", (size,)), *(Port(name, vector) for name in ("values", "freed", "point"))]
        """Of the loop that frees variables one after another."""

    def begin(self) -> list[Stage]:
        """From the program to the first state of the search."""
        g, count = self.program[1], len(self.start)

        def start(*arrays: Any) -> Any:
            return values_of(start_in_box(*arrays))

        def begin(*arrays: Any) -> Any:
            search, wrong, box = begin_in_box(Start(*arrays[:count]), *arrays[count:])
            return *values_of(search), wrong, *values_of(box)

        def whole(*arrays: Any) -> Any:
            first = start_in_box(*arrays)
            T, values = freed_in_turn(first.T, first.values, first.freed, first.point, first.least)
            return *begin(*values_of(first), T, values, arrays[1]), first.quadratic

        begun = (*self.search, self.wrong, *self.box)
        if self.n <= WRITTEN_OUT:
            return [_stage(self._made("begin", whole, self.program, (*begun, self.start[-1])))]
        return [
            _stage(self._made("start", start, self.program, self.start)),
            self._free("start "),
            _stage(self._made("begin", begin, (*self.start, *self.state[:2], g), begun),
                   (*_names(self.start), "freed T", "freed values", "g")),
        ]  # fmt: skip

    def release(self) -> Compiled:
        """Held variables whose multipliers have the wrong sign become free; results end with whether others have it."""
        T, values, which, ends = self.state
        active, count = self.search[2], len(self.box)

        def choose(values: Any, active: Any, *box: Any) -> Any:
            limits = Box(*box)
            places = [where(on > 0.0, b, a) for on, a, b in zip(active, limits.lower, limits.upper, strict=True)]
            return wrong_in_box(values, active, limits), places

        def released(T: Any, values: Any, active: Any, which: Any, *box: Any) -> Any:
            search, wrong = released_in_box(T, values, active, which, Box(*box))
            return *values_of(search), wrong, wrong

        def whole(values: Any, T: Any, active: Any, *arrays: Any) -> Any:
            box = arrays[-count:]
            which, ends = choose(values, active, *box)
            return released(*freed_in_turn(T, values, which, ends, box[-1]), active, which, *box)

        inputs, outputs = (*self.search, self.wrong, *self.box), (*self.search, self.wrong, self.again)
        if self.n <= WRITTEN_OUT:
            return self._made("release", whole, inputs, outputs)
        chosen = self._made("choose", choose, (values, active, *self.box), (which, ends))
        ended = self._made("released", released, (T, values, active, which, *self.box), _after(outputs))
        stages = [
            _stage(chosen),
            self._free(""),
            _stage(ended, ("freed T", "freed values", "active", "freed", *_names(self.box))),
        ]
        return Staged("release", inputs, _after(outputs), stages)

    def _free(self, before: str) -> Stage:
        """A loop that frees those variables that are to be freed; the word begins the names of its inputs."""
        n, least = self.n, Port("least", ())
        inputs = [f"{before}{p.name}" for p in self.state] + ["start least" if before else "box least"]

        def free(T: Any, values: Any, which: Any, point: Any, least: Any) -> Any:
            T, values = freed(T, values, 0, which[0], point[0], least)
            return rotated(T, n), *([*x[1:], x[0]] for x in (values, which, point))

        one = self._made("free", free, (*self.state, least), _after(self.state))
        results = tuple(f"freed {p.name}" for p in self.state)
        return Stage(Iterated(one, n, len(self.state), name="free"), tuple(inputs), results)

    def change(self) -> Compiled:
        def change(*arrays: Any) -> Any:
            k = len(self.search)
            after = change_in_box(BoxSearch(*arrays[:k]), Box(*(*arrays[k:], 0.0)))
            return *values_of(after), after.entering

        return self._made("change", change, (*self.search, *self.box[:-1]), (*_after(self.search), self.again))

    def finish(self) -> Compiled:
        n, (g, lower, upper) = self.n, self.program[1:4]

        def finish(values: Any, T: Any, active: Any, quadratic: Any, g: Any, lower: Any, upper: Any) -> Any:
            H = full(quadratic, n)
            x = refined_in_box(BoxSearch(values, T, active, 0.0, 0.0), H, g, lower, upper, REFINEMENTS)
            multipliers, residual, verdict = judged_in_box(x, active, H, g, lower, upper)
            return x, multipliers, active, residual, verdict

        results = [Port("minimum", (n,)), Port("multipliers", (n,)), Port("sides", (n,)), Port("residual", ()),
                   Port("verdict", ())]  # fmt: skip
        return self._made("finish", finish, (*self.search[:3], self.start[-1], g, lower, upper), results)

    def leave(self) -> Compiled:
        def leave(values: Any, active: Any, lower: Any, upper: Any) -> Any:
            return placed_in_box(values, active, lower, upper)

        inputs = (self.search[0], self.search[2], *self.program[2:4])
        return self._made("leave", leave, inputs, [Port("minimum", (self.n,))])

    def _made(
        self, name: str, function: Callable[..., Any], inputs: Sequence[Port], outputs: Sequence[Port]
    ) -> CompiledFunction:
        key = f"quadratic program in a box {self.n} {self.near} {name}"
        compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), key)
        compiled.needs_double = True
        return compiled


def _ports(word: str, kind: type, *shapes: tuple[int, ...]) -> list[Port]:
    """The parts of a class as arrays of these shapes."""
    return [Port(f"{word}{f.name}", shape) for f, shape in zip(fields(kind), shapes, strict=True)]


def _after(ports: Sequence[Port]) -> tuple[Port, ...]:
    """Ports of results that have the names of inputs."""
    return tuple(Port(f"{p.name} next", p.shape) for p in ports)


def _stage(function: Compiled, inputs: Sequence[str] = ()) -> Stage:
    return Stage(function, tuple(inputs) or _names(function.inputs), _names(function.outputs))


def _names(ports: Sequence[Port]) -> tuple[str, ...]:
    return tuple(p.name for p in ports)
