"""Measure sixvec beside its peers: `python benchmarks/run.py [--quick] [--json PATH] [--chart PATH] [--only NAME]`."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

import bench
import chart
import machine
import report
from contender import Unavailable
from result import Row
from robots import ROBOTS
from selection import Selection
from timing import FULL, QUICK, Effort

SECTIONS = (
    "batch",
    "single",
    "strongest",
    "inverse_kinematics",
    "closed_form",
    "constraints",
    "rollout",
    "contacts",
    "mobile",
    "parallel",
    "counts",
    "compile",
    "accuracy",
)

ARM = "panda"
"""The robot of the sections that measure one only."""


def measure(effort: Effort, selection: Selection, left_out: dict[str, str], console: Console) -> Iterator[Row]:
    """All wanted rows, robot by robot; `left_out` collects who did not take part and why."""
    from sections import (
        accuracy,
        batch,
        closed_form,
        compile_time,
        constraints,
        contacts,
        counts,
        inverse_kinematics,
        mobile,
        parallel,
        rollout,
        single,
        strongest,
    )

    yield from closed_form.rows(effort, selection, left_out)
    yield from constraints.rows(effort, selection, left_out)
    yield from contacts.rows(effort, selection, left_out)
    yield from mobile.rows(effort, selection, left_out)
    yield from parallel.rows(effort, selection, left_out)
    asked = set(SECTIONS) & set(selection.names)
    if asked & {s.SECTION for s in (closed_form, constraints, contacts, mobile, parallel)}:
        return
    of_the_arm = {strongest.SECTION, inverse_kinematics.SECTION, rollout.SECTION, counts.SECTION}
    known = frozenset(robot.name for robot in ROBOTS)
    with tempfile.TemporaryDirectory() as folder:
        for robot in ROBOTS:
            if not selection.may_want(robot.name, known=known) or (asked & of_the_arm and robot.name != ARM):
                continue
            console.log(robot.name)
            built = bench.build(robot, Path(folder), effort)
            yield from batch.rows(built, effort, selection)
            yield from single.rows(built, effort, selection)
            yield from strongest.rows(built, effort, selection)
            yield from inverse_kinematics.rows(built, effort, selection)
            yield from rollout.rows(built, effort, selection)
            yield from counts.rows(built, selection)
            yield from compile_time.rows(built, effort, selection)
            yield from accuracy.rows(built, selection)
            left_out.update({f"{name}, {robot.name}": why for name, why in built.left_out.items()})


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure sixvec beside its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a first look, not for publication")
    parser.add_argument("--json", type=Path, help="write all rows and the machine's description here")
    parser.add_argument("--chart", type=Path, help="write the chart of speed-ups here (PNG or SVG)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help=f"only this section ({', '.join(SECTIONS)}), robot or kernel; several must all hold",
    )
    return parser.parse_args()


def main() -> None:
    """Measure, show, write."""
    options = arguments()
    console = report.console()
    effort, left_out = (QUICK if options.quick else FULL), dict[str, str]()
    here = machine.describe()
    packages = ", ".join(f"{name} {version or 'missing'}" for name, version in here["packages"].items())
    console.print(f"{here['cpu']}, {here['cores']} cores; Python {here['python']}; {packages}", highlight=False)
    try:
        rows = list(measure(effort, Selection(tuple(options.only)), left_out, console))
    except (Unavailable, ImportError) as error:
        raise SystemExit(f"Pinocchio is the reference of every check: pip install pin ({error})") from None
    report.show(rows, console)
    for who, why in left_out.items():
        console.print(f"left out: {who}: {why}")
    if options.json:
        result = {"machine": here, "quick": options.quick, "left_out": left_out, "rows": [r.as_json() for r in rows]}
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if options.chart and not chart.draw(rows, options.chart, str(here["cpu"])):
        console.print("no chart: no speed-ups were measured")


if __name__ == "__main__":
    main()
