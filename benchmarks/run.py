"""Measure sixvec beside its peers: `python benchmarks/run.py [--quick] [--json PATH] [--chart PATH] [--only NAME]`."""

from __future__ import annotations

import argparse
import json
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

import bench
import chart
import jax_settings  # noqa: F401  # before anything that imports JAX
import machine
import report
from contender import Unavailable
from result import Row
from robots import ROBOTS
from selection import Selection
from timing import FULL, QUICK, TINY, Effort

SECTIONS = (
    "batch",
    "single",
    "strongest",
    "inverse_kinematics",
    "closed_form",
    "constraints",
    "rollout",
    "contacts",
    "simulation",
    "distances",
    "mobile",
    "parallel",
    "tasks",
    "timing",
    "counts",
    "compile",
    "accuracy",
)

ARM = "panda"
"""The robot of the sections that measure one only."""


BROKEN = "stopped by an error"
"""The beginning of the reason why the rest of a section is missing."""


def going_on(name: str, rows: Iterator[Row], left_out: dict[str, str]) -> Iterator[Row]:
    """The rows of a section up to the first error, which must not cost the rows of the others."""
    try:
        yield from rows
    except (Unavailable, ImportError):
        raise
    except Exception as error:
        traceback.print_exc()
        left_out[f"rest of {name}"] = f"{BROKEN}: {error!r}"


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
        distances,
        inverse_kinematics,
        mobile,
        parallel,
        rollout,
        simulation,
        single,
        strongest,
        tasks,
        timing_of_paths,
    )

    alone: tuple[Any, ...] = (
        closed_form, constraints, contacts, distances, mobile, parallel, simulation, tasks, timing_of_paths,
    )  # fmt: skip
    for section in alone:
        yield from going_on(section.SECTION, section.rows(effort, selection, left_out), left_out)
    asked = set(SECTIONS) & set(selection.names)
    if asked & {section.SECTION for section in alone}:
        return
    of_the_arm = {strongest.SECTION, inverse_kinematics.SECTION, rollout.SECTION, counts.SECTION}
    known = frozenset(robot.name for robot in ROBOTS)
    with tempfile.TemporaryDirectory() as folder:
        for robot in ROBOTS:
            if not selection.may_want(robot.name, known=known) or (asked & of_the_arm and robot.name != ARM):
                continue
            console.log(robot.name)
            built = bench.build(robot, Path(folder), effort)
            timed: tuple[Any, ...] = (batch, single, strongest, inverse_kinematics, rollout, compile_time)
            of_robot = {section.SECTION: section.rows(built, effort, selection) for section in timed}
            of_robot |= {section.SECTION: section.rows(built, selection) for section in (counts, accuracy)}
            for name, rows in of_robot.items():
                yield from going_on(f"{name}, {robot.name}", rows, left_out)
            left_out.update({f"{name}, {robot.name}": why for name, why in built.left_out.items()})


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure sixvec beside its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a first look, not for publication")
    parser.add_argument("--tiny", action="store_true", help="one call of everything: a test that all sections run")
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
    effort, left_out = (TINY if options.tiny else QUICK if options.quick else FULL), dict[str, str]()
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
    if any(why.startswith(BROKEN) for why in left_out.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
