"""Joint positions over time with their limits, and phase plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import real_array
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.joints import Prismatic, Revolute
from sixvec.robot import Robot
from sixvec.viz.colors import INK
from sixvec.viz.path import positions
from sixvec.viz.scene import Axes
from sixvec.viz.style import chart, label, line


def draw_joint_path(
    robot: Robot, path: Any, dt: float, ax: Axes | None = None, *, joints: Sequence[str] | None = None
) -> Axes:
    """Coordinates of a path (n, nq), a rollout or a track over time; limits are dotted lines in the joint's colour.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> arm = sixvec.load("planar_2r")
    >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=50)
    >>> len(draw_joint_path(arm, swing, 0.01, Figure().subplots()).lines)
    2
    """
    q, names = positions(robot, path, "draw_joint_path"), coordinate_names(robot.model, "q")
    chosen = names if joints is None else [*joints]
    for name in chosen:
        if name not in names:
            raise ArgumentError(f"draw_joint_path: {robot.name} has no coordinate {name!r}; it has {', '.join(names)}")
    ax = chart(ax)
    t = dt * np.arange(len(q))
    for i, name in enumerate(chosen):
        k = names.index(name)
        ax.plot(t, q[:, k], label=label(name), **line(i))
        for bound in (robot.lower[k], robot.upper[k]):
            if np.isfinite(bound) and _near(bound, q[:, k]):
                ax.axhline(bound, linewidth=0.9, linestyle=(0, (1, 3)), color=line(i)["color"])
    ax.set(xlabel="time [s]", ylabel=f"position [{_unit(robot, chosen)}]", xlim=(t[0], max(t[-1], dt)))
    if len(chosen) <= 12:
        ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return ax


def _unit(robot: Robot, chosen: Sequence[str]) -> str:
    """That of all chosen coordinates, or both."""
    angular = {name for b in robot.model.moving if isinstance(b.joint, Revolute) for name in (b.joint_name, b.name)}
    lengths = {name for b in robot.model.moving if isinstance(b.joint, Prismatic) for name in (b.joint_name, b.name)}
    return "rad" if angular.issuperset(chosen) else "m" if lengths.issuperset(chosen) else "rad or m"


def _near(bound: float, q: Any) -> bool:
    """Whether a limit is shown: within twice the range of the motion."""
    low, high = float(q.min()), float(q.max())
    span = max(high - low, 0.2)
    return low - span <= bound <= high + span


def draw_phase(q: ArrayLike, v: ArrayLike, ax: Axes | None = None, *, name: str = "") -> Axes:
    """The path of one coordinate through its phase plane, position (n,) and velocity (n,); a dot marks the start.

    >>> import numpy
    >>> from matplotlib.figure import Figure
    >>> t = numpy.linspace(0.0, 6.0)
    >>> draw_phase(numpy.cos(t), -numpy.sin(t), Figure().subplots(), name="swing").get_xlabel()
    'swing [rad or m]'
    """
    position = real_array("draw_phase: q", q, "n ≥ 1", batch=False, why="of one joint")
    velocity = real_array("draw_phase: v", v, len(position), batch=False, why="as many as q")
    ax = chart(ax, (4.2, 3.8))
    ax.plot(position, velocity, **line(0))
    ax.plot(position[:1], velocity[:1], "o", color=INK, markersize=5)
    ax.set(xlabel=f"{label(name) or 'position'} [rad or m]", ylabel="velocity [rad/s or m/s]")
    return ax
