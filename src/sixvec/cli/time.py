"""`sixvec time ROBOT WAYPOINTS`: the fastest motion through the waypoints of a table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say
from sixvec.errors import ArgumentError, ShapeError, unknown
from sixvec.quoting import quoted

MOST_BYTES, MOST_ROWS = 50_000_000, 100_000
"""Of a table of waypoints; no spline needs more."""


@command(
    name="time",
    examples=[
        "sixvec time panda waypoints.csv --torque",
        "sixvec time arm.urdf path.csv --acceleration 10 -o fast.csv",
    ],
)
@options.robot
@click.argument("waypoints", type=click.Path(path_type=Path))
@click.option("--torque", is_flag=True, help="Keep the effort limits of the robot.")
@click.option("--acceleration", type=float, help="Keep this acceleration of all joints, rad/s² or m/s².")
@click.option("--kind", default="cubic", help="linear, cubic or quintic.", show_default=True)
@click.option("--blend", type=float, default=0.0, help="How far linear paths may leave their corners, rad or m.")
@click.option("--dt", type=float, default=0.01, help="Seconds between the rows that are written.", show_default=True)
@click.option("--plot", type=click.Path(path_type=Path), help="A picture (*.png, *.svg) of the motion.")
@options.output("A table (*.csv) or a JointTrajectory of ROS 2 (*.json).", metavar="FILE")
@options.as_json
@options.force
def run(
    robot: str,
    waypoints: Path,
    torque: bool,
    acceleration: float | None,
    kind: str,
    blend: float,
    dt: float,
    plot: Path | None,
    output: Path | None,
    floating: bool,
    trusted: bool,
    as_json: bool,
    force: bool,
) -> int:
    """Compute the fastest motion through waypoints.

    It starts and ends at rest; the report says what limits it where.

    WAYPOINTS is a table (*.csv) with a row of joint positions for each waypoint, perhaps below a row of names.  The
    velocity limits of the robot always hold.  The exit status is 1 if there is no such motion.
    """
    from sixvec import motion
    from sixvec.cli.outputs import require_output
    from sixvec.formats.draft import write_file
    from sixvec.motion.export import require_motion_file
    from sixvec.robot import load

    if output is not None:
        require_motion_file(output)
    for file in (output, plot):
        if file is not None:
            require_output(file, force, robot, waypoints)
    if output is not None and output == plot:
        raise ArgumentError(f"--plot and --output are both {output}; name two files")
    loaded = load(robot, floating=floating, trusted=trusted)
    rows = read_waypoints(waypoints, loaded.nq)
    if len(rows) < 2:
        raise ArgumentError(f"{waypoints.name} has {len(rows)} rows of waypoints; a path needs two")
    path = motion.spline(loaded, rows, kind, blend=blend)
    fast = motion.time_optimal(path, acceleration=acceleration, torque=torque)
    say(json.dumps(_report(fast), indent=2) if as_json else _text(fast))
    if not fast:
        return Status.FINDINGS
    if output is not None:
        fast.export(output, dt, overwrite=force)
    if plot is not None:
        write_file(plot, _picture(fast, plot), overwrite=force)
    return Status.FINE


def _picture(fast: Any, file: Path) -> bytes:
    """The plot of a motion as a file with that suffix."""
    figure = fast.plot()[0].get_figure(root=True)
    assert figure is not None
    kinds = figure.canvas.get_supported_filetypes()
    kind = file.suffix.lower().removeprefix(".")
    if kind not in kinds:
        raise ArgumentError(f"--plot {file}: " + unknown("kind of picture", kind, sorted(kinds)))
    content = io.BytesIO()
    figure.savefig(content, format=kind)
    return content.getvalue()


def read_waypoints(file: Path, count: int) -> list[list[float]]:
    """Rows of numbers; a first row of names is left out."""
    from sixvec.formats.budget import read_bytes

    if not file.is_file():
        raise ArgumentError(f"there is no file {quoted(str(file), 200)}; name a table of waypoints")
    rows: list[list[float]] = []
    try:
        text = read_bytes(file, MOST_BYTES, "table of waypoints").decode("utf-8-sig")
        filled = (row for row in csv.reader(io.StringIO(text, newline="")) if any(x.strip() for x in row))
        for k, row in enumerate(filled):
            if k == 0 and not _is_number(row[0]):
                continue
            rows.append(_numbers(row, f"{file.name}: row {len(rows) + 1}", count))
            if len(rows) > MOST_ROWS:
                raise ArgumentError(f"{file.name} has more than {MOST_ROWS} waypoints")
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ArgumentError(f"{file.name} is not a table of numbers: {problem}") from None
    return rows


def _numbers(row: list[str], where: str, count: int) -> list[float]:
    if len(row) != count:
        raise ShapeError(f"{where} has {len(row)} numbers; the robot has {count} coordinates")
    for x in row:
        if not _is_number(x):
            raise ArgumentError(f"{where} has {quoted(x)!r}, which is not a number")
    return [float(x) for x in row]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _report(fast: Any) -> dict[str, Any]:
    return {
        "robot": fast.robot.name,
        "verdict": str(fast),
        "solved": bool(fast),
        "duration": float(fast.duration) if fast else None,
        "reason": str(fast.reason),
        "limits": [{"limit": name, "share": share} for name, share in _shares(fast)] if fast else [],
    }


def _shares(fast: Any) -> list[tuple[str, float]]:
    """For what part of the time each limit is reached, the longest first."""
    shares: dict[str, float] = {}
    for name, start, end in zip(fast.limiting.tolist(), fast.times[:-1].tolist(), fast.times[1:].tolist(), strict=True):
        shares[name] = shares.get(name, 0.0) + (end - start) / float(fast.duration)
    return sorted(shares.items(), key=lambda x: -x[1])


def _text(fast: Any) -> str:
    if not fast:
        return f"{fast.robot.name}: no motion: {fast.reason}"
    lines = [f"{fast.robot.name}: {float(fast.duration):.4f} s", "limited by"]
    return "\n".join([*lines, *(f"  {share:6.1%}  {name}" for name, share in _shares(fast))])
