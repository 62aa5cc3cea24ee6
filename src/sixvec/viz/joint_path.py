"""Joint positions, velocities and forces over time with their limits, and phase plots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, unknown
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.require import require_model
from sixvec.quoting import quoted
from sixvec.robot import Robot
from sixvec.viz.colors import INK
from sixvec.viz.path import positions, sampled, time_step
from sixvec.viz.scene import Axes, require_matplotlib
from sixvec.viz.strip_chart import StripChart
from sixvec.viz.style import chart, label, line

PICTURES = (".png", ".pdf", ".svg", ".jpg")

_SAVING = "; path.plot()[0].figure.savefig(file) writes the chart"


class Quantity(NamedTuple):
    """What a chart shows: the part of a path, its coordinates, and the units of rotating and sliding joints."""

    part: str
    coordinates: Literal["q", "v"]
    units: tuple[str, str]


QUANTITIES = {
    "position": Quantity("q", "q", ("rad", "m")),
    "velocity": Quantity("v", "v", ("rad/s", "m/s")),
    "torque": Quantity("tau", "v", ("N m", "N")),
}


def draw_joint_path(
    robot: Robot,
    path: Any,
    dt: float | None = None,
    ax: Axes | None = None,
    *,
    what: Literal["position", "velocity", "torque"] = "position",
    joints: Sequence[str] | None = None,
) -> Axes:
    """Coordinates of a path over time, with their limits as dotted lines in the joint's colour.

    The path is an array (n, nq), a rollout or a track; a rollout knows its time step `dt`.  `what` is "position",
    "velocity" or "torque": joint forces with the effort limits.  An array contains what is to be drawn.  Limits of
    positions are drawn where the motion comes near them.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_joint_path
    >>> arm = sixvec.load("planar_2r")
    >>> swing = arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=50)
    >>> len(draw_joint_path(arm, swing, ax=Figure().subplots()).lines)
    2
    >>> draw_joint_path(arm, swing, ax=Figure().subplots(), what="torque").get_ylabel()
    'torque [N m]'
    """
    path = sampled(path, dt)
    quantity = _quantity(what, "draw_joint_path")
    values, names = _values(robot, path, what), coordinate_names(robot.model, quantity.coordinates)
    step = time_step(path, dt, "draw_joint_path")
    chosen = names if joints is None else [joints] if isinstance(joints, str) else [*joints]
    for name in chosen:
        if name not in names:
            known = f"it has {', '.join(names)}{_SAVING if str(name).endswith(PICTURES) else ''}"
            raise ArgumentError(f"draw_joint_path: {robot.name} has no coordinate {name!r}; {known}")
    ax = chart(ax)
    # States of a rollout are those after each step, and its forces act from the start of the step.
    first = 1.0 if dt is None and getattr(path, "dt", None) is not None and what != "torque" else 0.0
    t = step * (first + np.arange(len(values)))
    for i, name in enumerate(chosen):
        k = names.index(name)
        ax.plot(t, values[:, k], label=label(name), **line(i))
        for bound in _limits(robot, what, k):
            if np.isfinite(bound) and (what != "position" or _near(bound, values[:, k])):
                ax.axhline(bound, linewidth=0.9, linestyle=(0, (1, 3)), color=line(i)["color"])
    ax.set(xlabel="time [s]", ylabel=f"{what} [{_unit(robot, chosen, quantity)}]", xlim=(0.0, max(t[-1], step)))
    if len(chosen) <= 12:
        ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return ax


def draw_trajectory(robot: Robot, path: Any, joints: Sequence[str] | None = None) -> list[Axes]:
    """Positions, velocities and, where they are known, joint forces of a rollout, below each other."""
    require_matplotlib()
    from matplotlib import pyplot

    shown: list[Any] = [name for name, each in QUANTITIES.items() if getattr(path, each.part) is not None]
    size = (7.0, 2.4 * len(shown))
    _, rows = pyplot.subplots(len(shown), 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
    axes: list[Axes] = [row[0] for row in rows]
    for ax, what in zip(axes, shown, strict=True):
        draw_joint_path(robot, path, ax=ax, what=what, joints=joints)
        if ax is not axes[0] and (legend := ax.get_legend()) is not None:
            legend.remove()
        if ax is not axes[-1]:
            ax.set_xlabel("")
    return axes


def joint_strip(robot: Robot, path: Any, dt: float, what: str) -> StripChart:
    """The chart next to a film: positions, velocities or joint forces of a path."""
    quantity = _quantity(what, "animate")
    names, values = coordinate_names(robot.model, quantity.coordinates), _values(robot, path, what, "animate")
    start = common_start(names)
    short = tuple(quoted(name.removeprefix(start), 12) for name in names)
    title = f"{what} [{_unit(robot, names, quantity)}]" + (f" of {quoted(start)}…" if start else "")
    return StripChart(title, short, dt * np.arange(len(values)), values)


def common_start(names: Sequence[str]) -> str:
    """What all names begin with, up to their numbers.

    >>> common_start(["panda_joint1", "panda_joint2"]), common_start(["slide"])
    ('panda_joint', '')
    """
    if len(names) < 2:
        return ""
    letters = takewhile(lambda each: len({*each}) == 1, zip(*names, strict=False))
    return "".join(each[0] for each in letters).rstrip("0123456789")


def _quantity(what: str, caller: str) -> Quantity:
    if what not in QUANTITIES:
        raise ArgumentError(f"{caller}: " + unknown("quantity", what, sorted(QUANTITIES)))
    return QUANTITIES[what]


def _values(robot: Robot, path: Any, what: str, caller: str = "draw_joint_path") -> Array:
    """What is drawn, as an array (n, coordinates)."""
    if what == "position":
        return positions(robot, path, caller)
    require_model(robot, caller)
    field = QUANTITIES[what].part
    values = getattr(path, field, None) if hasattr(path, "q") else path
    if values is None:
        raise ArgumentError(
            f'{caller}: a {type(path).__name__} has no {field} here; for what="{what}" give an array (n, nv)'
        )
    return real_array(f"{caller}: {field}", values, "n ≥ 1", robot.nv, batch=False, why="one path")


def _limits(robot: Robot, what: str, k: int) -> tuple[float, float]:
    """The lower and upper limit of a coordinate."""
    if what == "position":
        return float(robot.lower[k]), float(robot.upper[k])
    most = float((robot.velocity_limits if what == "velocity" else robot.effort_limits)[k])
    return -most, most


def _unit(robot: Robot, chosen: Sequence[str], quantity: Quantity) -> str:
    """That of all chosen coordinates, or both."""
    angular = {name for b in robot.model.moving if b.joint.is_rotation for name in (b.joint_name, b.name)}
    lengths = {name for b in robot.model.moving if b.joint.is_translation for name in (b.joint_name, b.name)}
    turning, sliding = quantity.units
    return (
        turning if angular.issuperset(chosen) else sliding if lengths.issuperset(chosen) else f"{turning} or {sliding}"
    )


def _near(bound: float, q: Any) -> bool:
    """Whether a limit is shown: within twice the range of the motion."""
    low, high = float(q.min()), float(q.max())
    span = max(high - low, 0.2)
    return low - span <= bound <= high + span


def draw_phase(q: ArrayLike, v: ArrayLike, ax: Axes | None = None, *, name: str = "") -> Axes:
    """The path of one coordinate through its phase plane, position (n,) and velocity (n,); a dot marks the start.

    >>> import numpy
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_phase
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
