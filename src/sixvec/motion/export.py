"""Motions for other programs: tables, and JointTrajectory messages of ROS 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.formats.draft import require_writable, write_file
from sixvec.model.coordinate_names import coordinate_names
from sixvec.motion.joint_motion import JointMotion

SUFFIXES = (".csv", ".json")


def write_motion(motion: JointMotion, file: Path, dt: float, overwrite: bool) -> None:
    """Write one motion as a table or a message."""
    require_motion_file(file)
    require_writable(file, overwrite)
    text = table(motion, dt) if file.suffix == ".csv" else json.dumps(joint_trajectory(motion, dt), indent=1)
    write_file(file, text, overwrite=overwrite)


def require_motion_file(file: Path) -> None:
    """Raise an error for a name whose suffix is neither."""
    if file.suffix not in SUFFIXES:
        raise ArgumentError(f"export writes *.csv and *.json, not {file.name}")


def table(motion: JointMotion, dt: float) -> str:
    """Rows of the time and of positions, velocities, accelerations and joint forces of all coordinates."""
    model = motion.robot.model
    names = ["t", *(f"q {name}" for name in coordinate_names(model, "q"))]
    names += [f"{what} {name}" for what in ("v", "a", "tau") for name in coordinate_names(model, "v")]
    columns = np.concatenate([x[..., None] if x.ndim == 1 else x for x in _columns(motion, dt)], axis=1)
    lines = [",".join(_quoted(name) for name in names)]
    lines += [",".join(repr(float(x)) for x in row) for row in columns]
    return "\n".join(lines) + "\n"


def joint_trajectory(motion: JointMotion, dt: float) -> dict[str, Any]:
    """A JointTrajectory message of ROS 2 (trajectory_msgs) as a dictionary."""
    robot = motion.robot
    if robot.nq != robot.nv:
        raise ArgumentError(
            f"joint_trajectory: {robot.name} has joints with quaternions, which such messages do not have"
        )
    t, *parts = _columns(motion, dt)
    fields = ("positions", "velocities", "accelerations", "effort")
    points = []
    for time, *values in zip(t, *parts, strict=True):
        seconds, nanoseconds = divmod(round(1e9 * float(time)), 10**9)
        point: dict[str, Any] = {name: x.tolist() for name, x in zip(fields, values, strict=True)}
        points.append(point | {"time_from_start": {"sec": seconds, "nanosec": nanoseconds}})
    return {"joint_names": list(coordinate_names(robot.model, "v")), "points": points}


def _columns(motion: JointMotion, dt: float) -> list[Array]:
    if np.ndim(motion.duration):
        raise ArgumentError(f"export: these are motions of shape {np.shape(motion.duration)}; export one of them")
    if not np.isfinite(motion.duration):
        raise ArgumentError("export: this motion was not solved; its verdict and reason say why")
    t = np.append(0.0, motion.instants(dt))
    t[-1] = min(t[-1], float(motion.duration))
    return [t, motion.q(t), motion.v(t), motion.a(t), motion.tau(t)]


def _quoted(name: str) -> str:
    """A name as a field of a table; one that a spreadsheet would take for a formula is text."""
    name = f"'{name}" if name[:1] in "=+-@\t\r" else name
    return '"' + name.replace('"', '""') + '"' if any(x in name for x in ',"\n\r') else name
