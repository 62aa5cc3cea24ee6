"""The report on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from result import Row

TITLES = {
    "batch": "Batch of 4096, float64, microseconds per state (one thread unless said)",
    "single": "Single call from Python, float64, microseconds",
    "strongest": "Peers at their strongest: batch of 4096, float64, microseconds per state, one thread",
    "inverse_kinematics": "Inverse kinematics to 1e-6 m and 1e-6 rad, microseconds per solved problem, one thread",
    "closed_form": "Closed-form inverse kinematics, all solutions, microseconds per pose, one thread",
    "rollout": "Rollouts at 1 kHz without contacts, microseconds per step, one thread",
    "constraints": "Held frames and loops: batch of 4096, single call, derivatives, microseconds per state, one thread",
    "contacts": "Contacts of a quadruped, microseconds per problem and per step, one thread",
    "simulation": "Environments with contacts, batch of 1024, microseconds per step, one thread",
    "distances": "Distances of an arm to itself, microseconds per state, one thread",
    "mobile": "Wheels, microseconds per pose, state or step, one thread",
    "parallel": "Parallel robots, microseconds per platform or sample, one thread",
    "counts": "Operations of the compiled program",
    "compile": "Seconds until the first answers, fresh process",
    "accuracy": "Difference scaled by the largest entry: ours from Pinocchio, float32 from float64",
}

SUFFIX = {"count": "", "s": " s", "us": " µs", "/s": " /s", "%": " %", "error": "", "x": "x"}
DIGITS = {"count": 0, "s": 3, "us": 3, "/s": 0, "%": 2, "x": 2}
"""After the point, by unit."""

WIDTH = 130
"""Columns where the terminal does not tell, as in a pipe."""


def console() -> Console:
    """The terminal, or a wide page where the output is piped."""
    found = Console()
    return found if found.is_terminal else Console(width=WIDTH)


def show(rows: Sequence[Row], console: Console) -> None:
    """A table per section, and the tally of the targets."""
    for section, title in TITLES.items():
        mine = [row for row in rows if row.section == section]
        timings, figures = [row for row in mine if row.unit == "x"], [row for row in mine if row.unit != "x"]
        for rows_of_one_kind, table in ((timings, _timings), (figures, _figures)):
            if rows_of_one_kind:
                console.print(table(title, rows_of_one_kind))
    verdicts = [row.verdict for row in rows]
    console.print(f"targets: {verdicts.count('met')} met, {verdicts.count('missed')} missed")


def _timings(title: str, rows: Sequence[Row]) -> Table:
    peers = list(dict.fromkeys(name for row in rows for name in row.peers_us))
    table = Table(title=title, title_justify="left")
    for name in ("robot", "kernel"):
        table.add_column(name, no_wrap=True)
    for name in ("sixvec", *peers, "speed-up", "target"):
        table.add_column(name, justify="right")
    table.add_column("")  # the verdict
    for row in rows:
        times = [_micro(row.ours_us), *(_micro(row.peers_us.get(name)) for name in peers)]
        value = "" if row.value is None else f"{row.value:.2f}x"
        table.add_row(row.robot, row.kernel, *times, value, _target(row), _verdict(row))
    return table


def _figures(title: str, rows: Iterable[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in ("robot", "kernel"):
        table.add_column(name, no_wrap=True)
    for name in ("value", "target"):
        table.add_column(name, justify="right")
    table.add_column("")  # the verdict
    table.add_column("note")
    for row in rows:
        table.add_row(row.robot, row.kernel, _value(row.value, row.unit), _target(row), _verdict(row), row.note)
    return table


def _micro(time: float | None) -> str:
    return "" if time is None else f"{time:.3f}"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "error":
        return f"{value:.1e}"
    return f"{value:,.{DIGITS[unit]}f}{SUFFIX[unit]}"


def _target(row: Row) -> str:
    if row.target is None:
        return ""
    return f"{row.target.sense} {row.target.bound:g}{SUFFIX[row.unit]}"


def _verdict(row: Row) -> str:
    colour = {"met": "green", "missed": "red"}.get(row.verdict)
    verdict = f"[{colour}]{row.verdict}[/]" if colour else ""
    return f"{verdict} {row.note}".strip() if row.unit == "x" else verdict
