"""Quadratic programs with bounds of the variables alone, as one compiled call; `active_set_loop.py` has the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.solve.active_set import Scaled, full, values_of
from sixvec.solve.box_search import BoxSearch, begin_in_box, change_in_box, placed_in_box, refined_in_box
from sixvec.solve.inverse_stages import inverse_stages
from sixvec.solve.program_verdict import judged_in_box

MOST_CHANGES = 8
"""Changes of the active set per variable and row, at most; fewer than two per variable are usual."""

REFINEMENTS = 2
"""Corrections of the result: the changes leave rounding errors that grow with the condition, and each correction
removes all but a small fraction of them."""


@lru_cache(maxsize=64)
def box_loop(n: int, warm: bool = False, judged: bool = True) -> Iterated:
    """`active_set_loop` for programs (H, g, lower, upper) without rows; x alone, to about the rounding of H⁻¹, where
    it is not `judged`."""
    size = n * (n + 1) // 2
    program = [Port("H", (n, n)), Port("g", (n,)), Port("lower", (n,)), Port("upper", (n,))]
    search = [Port(name, shape) for name, shape in
              zip(BoxSearch.__annotations__, [(n,), (size,), (n,), (), (), ()], strict=True)]  # fmt: skip
    scaled = [Port(f"scaled {name}", shape) for name, shape in
              zip(Scaled.__annotations__, [(n,), (n,), (n,), ()], strict=True)]  # fmt: skip
    preferred = [Port("preferred", (n,))] if warm else []
    results = [Port("minimum", (n,)), Port("multipliers", (n,)), Port("sides", (n,)), Port("residual", ()),
               Port("verdict", ())][: 5 if judged else 1]  # fmt: skip

    def begin(*arrays: Any) -> Any:
        return tuple(x for part in begin_in_box(*arrays) for x in values_of(part))

    def change(*arrays: Any) -> Any:
        values = list(arrays)
        before, values = BoxSearch(*values[: len(search)]), values[len(search) :]
        after = change_in_box(before, Scaled(*values[:4]), values[4] if warm else None)
        return *values_of(after), after.state

    def finish(values: Any, T: Any, active: Any, quadratic: Any, g: Any, lower: Any, upper: Any) -> Any:
        H = full(quadratic, n)
        x = refined_in_box(BoxSearch(values, T, active, -1.0, 0.0, 0.0), H, g, lower, upper, REFINEMENTS)
        multipliers, residual, verdict = judged_in_box(x, active, H, g, lower, upper)
        return x, multipliers, active, residual, verdict

    def leave(values: Any, active: Any, lower: Any, upper: Any) -> Any:
        return placed_in_box(values, active, lower, upper)

    def made(name: str, function: Callable[..., Any], ins: Sequence[Port], outs: Sequence[Port]) -> CompiledFunction:
        compiled = CompiledFunction(function, tuple(ins), tuple(outs), f"quadratic program in a box {n} {warm} {name}")
        compiled.needs_double = True
        return compiled

    S, after = Port("S", (size,)), [f"{p.name} after" for p in search]
    again = made("change", change, (*search, *scaled, *preferred), (*search, Port("again", ())))
    changes = Iterated(again, MOST_CHANGES * 2 * n, len(search), until=True, name="quadratic_program")
    started, at_end = (S, *program[1:]), (*search[:3], Port("quadratic", (size,)), *program[1:])
    if judged:
        last = Stage(made("finish", finish, at_end, results), (*after[:3], *_names(at_end[3:])), _names(results))
    else:
        left = (search[0], search[2], *program[2:])
        last = Stage(made("leave", leave, left, results), (after[0], after[2], *_names(left[2:])), _names(results))
    stages = [
        *inverse_stages(n),
        Stage(made("begin", begin, started, (*search, *scaled)), _names(started), _names((*search, *scaled))),
        Stage(changes, _names((*search, *scaled, *preferred)), tuple(after)),
        last,
    ]
    return Iterated(
        Staged("quadratic_program", (*program, *preferred), results, stages), 1, 0, name="quadratic_program"
    )


def _names(ports: Sequence[Port]) -> tuple[str, ...]:
    return tuple(p.name for p in ports)
