"""`sixvec time ROBOT WAYPOINTS`: the fastest motion through the waypoints of a table."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say
from sixvec.errors import ArgumentError, ShapeError
from sixvec.quoting import quoted

MOST_BYTES = 50_000_000
"""Of a table of waypoints; a million waypoints of a humanoid have more, and no spline needs them."""


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
    """The fastest motion from rest to rest through waypoints, and what limits it where.

    WAYPOINTS is a table (*.csv) with a row of joint positions for each waypoint, perhaps below a row of names.  The
    velocity limits of the robot always hold.  The exit status is 1 if there is no such motion.
    """
    from sixvec import motion
    from sixvec.robot import load

    loaded = load(robot, floating=floating, trusted=trusted)
    if plot is not None:
        from sixvec.formats.draft import require_writable

        require_writable(plot, force)
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
        figure = fast.plot()[0].get_figure(root=True)
        assert figure is not None
        figure.savefig(plot)
    return Status.FINE


def read_waypoints(file: Path, count: int) -> list[list[float]]:
    """Rows of numbers; a first row of names is left out."""
    if not file.is_file():
        raise ArgumentError(f"there is no file {quoted(str(file), 200)}; name a table of waypoints")
    if file.stat().st_size > MOST_BYTES:
        raise ArgumentError(f"{file.name} has {file.stat().st_size} bytes; at most {MOST_BYTES} are read")
    rows = [row for row in csv.reader(file.read_text(encoding="utf-8-sig").splitlines()) if any(x.strip() for x in row)]
    if rows and not _is_number(rows[0][0]):
        rows = rows[1:]
    values: list[list[float]] = []
    for k, row in enumerate(rows, 1):
        if len(row) != count:
            raise ShapeError(f"{file.name}: row {k} has {len(row)} numbers; the robot has {count} coordinates")
        for x in row:
            if not _is_number(x):
                raise ArgumentError(f"{file.name}: row {k} has {x!r}, which is not a number")
        values.append([float(x) for x in row])
    return values


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
