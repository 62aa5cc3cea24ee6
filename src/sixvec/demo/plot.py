"""The plot of the demo: the released robot as a film strip, its energies and its joints."""

from __future__ import annotations

import io
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.demo.release import RATE, Release
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.formats.draft import write_file
from sixvec.model.joints import Prismatic, Revolute
from sixvec.quoting import quoted
from sixvec.robot import Robot
from sixvec.viz.colors import GREY, INK
from sixvec.viz.robot_drawing import skeleton
from sixvec.viz.style import COLORS, STYLE

PICTURES = 4
EXPOSURES = 12
"""The number of exposures of the robot in each picture of the film."""

MOST_LABELS = 10
"""The largest number of entries of a useful legend."""

BLUE, ORANGE, BLACK = COLORS[0], COLORS[1], INK
FADE = np.array([[0.81, 0.89, 0.96], [0.35, 0.64, 0.86], [0.03, 0.19, 0.42]])
"""Red, green and blue from the first exposure of a picture to the last."""


def plot(robot: Robot, frame: str, release: Release, path: Path, *, overwrite: bool = False) -> None:
    """Draw the released robot and write the picture."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise MissingExtra("the plot needs matplotlib: pip install 'sixvec[viz]'") from problem
    with matplotlib.rc_context(STYLE):
        figure: Any = Figure(figsize=(11.0, 6.8), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.09, h_pad=0.07)
        # Empty room above the film for the title and the legend of the film.
        heading, film, curves = figure.subfigures(3, 1, height_ratios=(0.17, 1.0, 0.95), hspace=0.03)
        _film(film.subplots(1, PICTURES, sharex=True, sharey=True), robot, frame, release)
        _heading(heading, robot, frame, release)
        energies, change, joints = curves.subplots(1, 3, sharex=True, width_ratios=(1.0, 0.8, 1.0))
        _energies(energies, release)
        _change(change, release)
        _joints(joints, robot, release)
        for axes in (energies, change, joints):
            axes.set(xlabel="time [s]", xlim=(release.t[0], release.t[-1]))
        picture = io.BytesIO()
        try:
            figure.savefig(picture, format=path.suffix[1:].lower() or "png", dpi=160)
        except ValueError as problem:
            raise ArgumentError(f"cannot draw the plot {path}: {problem}") from problem
        write_file(path, picture.getvalue(), overwrite=overwrite)


def _heading(heading: Any, robot: Robot, frame: str, release: Release) -> None:
    from matplotlib.lines import Line2D

    apart = (release.t[-1] - release.t[0]) / PICTURES / (EXPOSURES - 1)
    heading.text(
        0.012, 0.9, f"{_label(robot.name)}, let go at rest", va="top", fontsize=13, fontweight="bold", color=BLACK
    )
    heading.text(
        0.012, 0.1,
        f"no motors, friction or joint stops; forward dynamics and Runge-Kutta steps at {RATE:g} Hz; "
        f"an exposure every {1e3 * apart:.0f} ms",
        va="bottom", color=GREY,
    )  # fmt: skip
    shown: dict[str, Any] = {"early": _shade(0.0), "late": _shade(1.0), f"path of {_label(frame)}": ORANGE}
    lines = [Line2D([], [], color=color, linewidth=2.4) for color in shown.values()]
    heading.legend(lines, list(shown), loc="upper right", bbox_to_anchor=(0.99, 0.92), ncols=len(shown))


def _film(pictures: Any, robot: Robot, frame: str, release: Release) -> None:
    """Side views, one per stretch of time; each shows the robot at equal intervals, early pale and late dark."""
    points = robot.poses(release.q)[..., :3, 3]
    across = int(np.argmax(np.ptp(points[..., :2], axis=(0, 1))))  # x or y: the direction with more motion
    side = points[..., [across, 2]]
    end, links = robot.frame_names.index(frame), skeleton(robot)
    borders = np.linspace(0, len(release.t) - 1, PICTURES + 1).round().astype(int)
    for axes, first, last in zip(pictures, borders[:-1], borders[1:], strict=True):
        for k, row in enumerate(np.linspace(first, last, EXPOSURES).round().astype(int)):
            share = k / (EXPOSURES - 1)
            strokes = np.full((len(links), 3, 2), np.nan)  # a gap after each link
            strokes[:, :2] = side[row, links]
            axes.plot(
                *strokes.reshape(-1, 2).T, "o-", color=_shade(share),
                linewidth=2.3, markersize=2.8, zorder=2 + share,
            )  # fmt: skip
        axes.plot(*side[first : last + 1, end].T, color=ORANGE, linewidth=1.3, zorder=4)
        axes.plot(*side[last, end], "o", color=ORANGE, markersize=5, zorder=5)
        axes.set(title=f"{release.t[first]:.2f} to {release.t[last]:.2f} s", xlabel=f"{'xy'[across]} [m]")
        axes.set_aspect("equal")
        axes.locator_params(nbins=5)
    low, high = side.min(axis=(0, 1)), side.max(axis=(0, 1))
    middle, half = (low + high) / 2, 0.54 * np.max(high - low)
    pictures[0].set(ylabel="height z [m]", xlim=middle[0] + [-half, half], ylim=middle[1] + [-half, half])


def _shade(share: float) -> tuple[float, ...]:
    """The colour at that fraction of the fade."""
    return tuple(float(np.interp(share, np.linspace(0.0, 1.0, len(FADE)), channel)) for channel in FADE.T)


def _energies(axes: Any, release: Release) -> None:
    start = release.total[0]
    axes.plot(release.t, release.kinetic, color=ORANGE, label="kinetic")
    axes.plot(release.t, release.potential - start, color=BLUE, label="potential")
    axes.plot(release.t, release.total - start, color=BLACK, label="total")
    axes.set_ylabel("energy, 0 at the start [J]")
    _legend_above(axes, ncols=3)


def _change(axes: Any, release: Release) -> None:
    change = release.total - release.total[0]
    factor, unit = _unit(float(np.max(np.abs(change))))
    axes.plot(release.t, factor * change, color=BLACK, label="change of the total energy")
    axes.set_ylabel(f"energy [{unit}]")
    _legend_above(axes)


def _joints(axes: Any, robot: Robot, release: Release) -> None:
    names = (
        [*map(_label, robot.joint_names)]
        if robot.nq == len(robot.joint_names)
        else [f"q[{i}]" for i in range(robot.nq)]
    )
    common = _common_start(names)
    for i, name in enumerate(names):
        axes.plot(
            release.t, release.q[:, i], color=COLORS[i % len(COLORS)], label=name.removeprefix(common).lstrip("_")
        )
    axes.set_ylabel(f"position [{_position_unit(robot)}]")
    if len(names) <= MOST_LABELS:
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), title=common or None)


def _label(name: str) -> str:
    """A name as matplotlib shows it; text between two dollar signs would be read as a formula."""
    return quoted(name).replace("$", r"\$")


def _common_start(names: list[str]) -> str:
    """The common prefix of all names, up to their numbers."""
    if len(names) == 1:
        return ""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same).rstrip("0123456789")


def _position_unit(robot: Robot) -> str:
    kinds = {type(b.joint) for b in robot.model.moving}
    return "rad" if kinds == {Revolute} else "m" if kinds == {Prismatic} else "rad or m"


def _legend_above(axes: Any, **options: Any) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.03), **options)


def _unit(energy: float) -> tuple[float, str]:
    """The unit in which an energy is a number between 1 and 1000, as a factor and its name."""
    for power, unit in enumerate(("J", "mJ", "µJ", "nJ")):
        if energy * 1e3**power >= 1.0:
            return 1e3**power, unit
    return 1e12, "pJ"
