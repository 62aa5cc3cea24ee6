"""The tables of the demo."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from sixvec.demo.speed import BATCH, LARGE_BATCH, Speed
from sixvec.kernels.kernel import Kernel
from sixvec.quoting import quoted
from sixvec.robot import Robot
from sixvec.verify.check import MeasuredStatement
from sixvec.verify.state import Array

MOST_COLUMNS = 8
"""A larger matrix is shown by its first rows and columns."""

COUNTED = ("mul", "add", "div", "sin", "cos")


def number(x: float, digits: int = 3) -> Text:
    """A formatted number: zeros are dimmed, infinity is a symbol."""
    if math.isinf(x):
        return Text("∞" if x > 0 else "-∞", style="dim")
    text = f"{x:.{digits}f}"
    return Text("0", style="dim") if float(text) == 0.0 else Text(text)


def robot_table(robot: Robot) -> Table:
    """One line per joint: its kind and limits."""
    table = _table("#", "joint", "kind", "lower", "upper", "speed", "effort", left=3)
    for i, b in enumerate(robot.model.moving):
        at_q, at_v = robot.model.q_slices[b.name], robot.model.v_slices[b.name]
        limits = [(robot.lower, at_q), (robot.upper, at_q), (robot.velocity_limits, at_v), (robot.effort_limits, at_v)]
        name, kind = robot.joint_names[i], type(b.joint).__name__.lower()
        table.add_row(str(i + 1), Text(quoted(name)), kind, *(_joined(values[at]) for values, at in limits))
    return table


def matrix_table(matrix: Array, rows: Sequence[str], columns: Sequence[str]) -> Table:
    """A matrix with its rows and columns named."""
    wide = len(columns) > MOST_COLUMNS
    table = _table("", *columns[:MOST_COLUMNS], *(["…"] if wide else []))
    for name, row in zip(rows[:MOST_COLUMNS], matrix, strict=False):
        table.add_row(name, *(number(x, 3) for x in row[:MOST_COLUMNS]), *(["…"] if wide else []))
    if len(rows) > MOST_COLUMNS:
        table.add_row("…")
    return table


def columns_table(rows: Sequence[str], columns: Mapping[str, Array]) -> Table:
    """Vectors side by side."""
    table = _table("", *columns)
    for i, name in enumerate(rows):
        table.add_row(name, *(number(vector[i], 4) for vector in columns.values()))
    return table


def identities_table(findings: Iterable[MeasuredStatement]) -> Table:
    """One line per identity: residual, bound, verdict."""
    table = _table("identity", "what it says", "residual", "bound", "verdict", left=2)
    for each in findings:
        verdict = Text("✓ holds", style="green") if each.holds else Text("✗ fails", style="bold red")
        table.add_row(each.statement, each.meaning, f"{each.residual:.1e}", f"{each.tolerance:.0e}", verdict)
    return table


def counts_table(kernels: Iterable[Kernel], seconds: Mapping[str, float]) -> Table:
    """One line per kernel: its scalar operations and compile time."""
    table = _table("kernel", *COUNTED, "other", "ready, ms")
    for kernel in kernels:
        count = kernel.count()
        other = ", ".join(f"{n} {kind}" for kind, n in count.items() if kind not in COUNTED)
        shown = [number(count.get(kind, 0), 0) for kind in COUNTED]
        table.add_row(kernel.name, *shown, Text(other, style="dim"), number(1e3 * seconds[kernel.name], 0))
    return table


def speed_table(speeds: Iterable[Speed], cores: int) -> Table:
    """One line per method: time of a call, time per sample of a batch, samples per second of all cores."""
    table = _table(
        "\n\nmethod",
        "single call\nfrom Python\nns",
        f"batch of {BATCH}\n1 core\nns per sample",
        f"batch of {LARGE_BATCH}\n{cores} core{'s' if cores > 1 else ''}\nmillion samples/s",
    )
    for s in speeds:
        table.add_row(s.method, f"{1e9 * s.single:.0f}", f"{1e9 * s.batch:.1f}", f"{1e-6 / s.all_cores:.1f}")
    return table


def _table(*headings: str, left: int = 1) -> Table:
    """A table without lines; the first columns are text, the others numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i < left else "right", no_wrap=i >= left)
    return table


def _joined(values: Any) -> Text:
    """The limits of one joint: a number, or the common one of several coordinates."""
    different = np.unique(values)
    if len(different) > 1:
        return Text("…")
    limit = float(different[0])
    return Text(f"{limit:.4g}") if math.isfinite(limit) else number(limit)
