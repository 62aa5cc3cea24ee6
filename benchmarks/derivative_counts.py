"""Operations of derivatives: analytic recursions, automatic differentiation, second order, and products with vectors.

    python -m benchmarks.derivative_counts

Traces only, nothing is compiled or timed, so the table is the same on every machine.  docs/algorithms/derivatives.md
shows it.
"""

from __future__ import annotations

from typing import Any

import sixvec
from sixvec.compiler.program import Program

ROBOTS = {"Panda (7)": "panda", "Puma 560 (6)": "puma560", "Solo 12, floating (18)": "solo12"}
SECOND_ORDER_AT_MOST = 7
"""Whole second derivatives of robots with more joints are too long to be useful."""


def joined(name: str, *kernels: Any) -> int:
    """Operations of several functions of the same inputs, with what they share counted once."""
    programs = [k.program for k in kernels]
    results = tuple(entries for p in programs for entries in p.results)
    outputs = tuple(port for p in programs for port in p.outputs)
    return total(Program(name, programs[0].inputs, outputs, results))


def total(program: Program) -> int:
    return sum(n for op, n in program.count().items() if op != "neg")


def rows(robot: sixvec.Robot) -> dict[str, int | None]:
    """Operations of each derivative; `neg` is not counted, as signs are absorbed by the instructions around them."""
    kernel = robot.kernel
    found: dict[str, int | None] = {}
    for name, third in (("inverse_dynamics", "a"), ("forward_dynamics", "tau")):
        plain, analytic = kernel(name), kernel(f"{name}_derivatives")
        short = name.replace("_", " ")
        found[short] = total(plain.program)
        found[f"{short}, first derivatives, analytic"] = total(analytic.program)
        automatic = [plain.derivative(wrt) for wrt in ("q", "v", third)]
        found[f"{short}, first derivatives, automatic"] = joined(name, *automatic)
        found[f"{short}, gradient of a weighted sum by q"] = total(plain.gradient("q").program)
        found[f"{short}, Hessian product by q"] = total(plain.hessian_product("q").program)
        small = robot.nv <= SECOND_ORDER_AT_MOST
        found[f"{short}, second derivatives by q, automatic of analytic"] = (
            total(analytic.derivative("q").program) if small else None
        )
    found["inverse dynamics regressor"] = total(kernel("inverse_dynamics_regressor").program)
    return found


def table() -> str:
    """The table as it stands on the page."""
    robots = {title: sixvec.load(name) for title, name in ROBOTS.items()}
    counts = {title: rows(robot) for title, robot in robots.items()}
    lines = [f"| operations | {' | '.join(counts)} |", "|---|" + "---:|" * len(counts)]
    for row in next(iter(counts.values())):
        cells = (f"{c[row]:,}".replace(",", " ") if c[row] is not None else "–" for c in counts.values())
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
